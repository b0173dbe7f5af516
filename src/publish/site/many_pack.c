/* The figures of all races on all machines as text, for the page: a million of them in some MB. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "publish/site/columns.h"
#include "publish/site/many.h"

/* A time as a sixteen-bit logarithm: 2^((code - 32768) / 1024) ns, 0 for none: to 0.07%. */
static unsigned code_of_time(float ns)
{
    if (!(ns > 0)) return 0;
    const double code = 32768 + 1024 * log2((double)ns);
    return (unsigned)fmax(1, fmin(65535, code + 0.5));
}

static json_t *base64(const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = memory_zeroed(count / 3 * 4 + 5, 1), *at = text;
    for (size_t i = 0; i < count; i += 3) {
        unsigned long word = (unsigned long)bytes[i] << 16;
        if (i + 1 < count) word |= (unsigned long)bytes[i + 1] << 8;
        if (i + 2 < count) word |= bytes[i + 2];
        for (size_t k = 0; k < 4; k++)
            *at++ = i + k <= count ? digits[word >> (18 - 6 * k) & 63] : '=';
    }
    json_t *value = json_stringn(text, (size_t)(at - text));
    free(text);
    return value;
}

json_t *many_times(const struct many *m)
{
    const size_t count = m->race_count * m->machine_count;
    unsigned char *bytes = memory_zeroed(2 * count + 1, 1);
    for (size_t i = 0; i < count; i++) {
        const struct many_line *line = &m->lines[m->races[i / m->machine_count].line];
        const unsigned code = code_of_time(line->ns[i % m->machine_count]);
        bytes[2 * i] = (unsigned char)(code & 255);
        bytes[2 * i + 1] = (unsigned char)(code >> 8);
    }
    json_t *text = base64(bytes, 2 * count);
    free(bytes);
    return text;
}

json_t *many_shares(const struct many *m)
{
    const size_t count = m->race_count * m->machine_count;
    unsigned char *bytes = memory_zeroed(count + 1, 1);
    for (size_t i = 0; i < count; i++)
        bytes[i] = m->lines[m->races[i / m->machine_count].line].shares[i % m->machine_count];
    json_t *text = base64(bytes, count);
    free(bytes);
    return text;
}

/* ---- Cycles ------------------------------------------------------------------------------------
 * Cycles are the time at a clock, which is nearly the same in all of a machine's cells. */

static double clock_of(const struct many_line *line, size_t machine)
{
    const bool known = line->ns[machine] > 0 && line->cycles[machine] > 0;
    return known ? (double)line->cycles[machine] / (double)line->ns[machine] : (double)NAN;
}

static int by_number(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The median over races; NAN where no cell has cycles. */
static double usual_clock(const struct many *m, size_t machine, double *room)
{
    size_t count = 0;
    for (size_t i = 0; i < m->race_count; i++) {
        const double clock = clock_of(&m->lines[m->races[i].line], machine);
        if (clock > 0) room[count++] = clock;
    }
    qsort(room, count, sizeof *room, by_number);
    return count ? room[count / 2] : (double)NAN;
}

/* A clock over the machine's own as 2^((code - 128) / 200): from 0.64 to 1.55, to 0.2%; 0: unknown,
 * or too far. */
static unsigned char code_of_clock(double ratio)
{
    const double code = floor(128.5 + 200 * log2(ratio));
    return code >= 1 && code <= 255 ? (unsigned char)code : 0;
}

json_t *many_clocks(const struct many *m, json_t *own, json_t *far)
{
    const size_t count = m->race_count * m->machine_count;
    unsigned char *bytes = memory_zeroed(count + 1, 1);
    double *room = memory_zeroed(m->race_count + 1, sizeof *room);
    for (size_t machine = 0; machine < m->machine_count; machine++) {
        const double usual = usual_clock(m, machine, room);
        json_array_append_new(own, rounded_time(usual));
        for (size_t i = 0; i < m->race_count; i++) {
            const struct many_line *line = &m->lines[m->races[i].line];
            const double clock = clock_of(line, machine);
            const size_t place = i * m->machine_count + machine;
            if (!(clock > 0)) continue;
            bytes[place] = code_of_clock(clock / usual);
            if (!bytes[place])
                json_array_append_new(far, json_pack("[I, o]", (json_int_t)place,
                                                     rounded_time((double)line->cycles[machine])));
        }
    }
    json_t *text = base64(bytes, count);
    free(bytes);
    free(room);
    return text;
}
