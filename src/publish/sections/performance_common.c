/* Which cells of several machines stand side by side: those of the same machine code. */
#include <stdlib.h>
#include <string.h>

#include "publish/sections/performance_parts.h"

/* The code of a variant that most machines ran, the first of several; "" where none says. */
static const char *usual_code(const struct codes *codes, size_t count, const char *id)
{
    const char *best = "";
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const char *text = code_of(&codes[i], id);
        size_t votes = 0;
        for (size_t k = 0; k < count; k++) votes += !strcmp(text, code_of(&codes[k], id));
        if (!*text || votes <= most) continue;
        best = text;
        most = votes;
    }
    return best;
}

size_t machine_timings(const struct machine *machine)
{
    const struct results *r = &machine->report.results;
    return r->timing_count + r->peer_timing_count;
}

static void withhold(struct machine *machine, const struct codes *codes, size_t count)
{
    const struct results *r = &machine->report.results;
    for (size_t i = 0; i < machine_timings(machine); i++) {
        char id[VARIANT_ID_MAX];
        variant_id(&r->timings[i].axes, id);
        const char *usual = usual_code(codes, count, id), *text = code_of(&machine->codes, id);
        machine->withheld[i] = *usual && *text && strcmp(usual, text) != 0;
        if (i < r->timing_count) machine->beyond[BEYOND_CODE] += machine->withheld[i];
    }
}

struct timed {
    const struct machine *machine;
    char id[VARIANT_ID_MAX];
    size_t n;
};

static int by_cell(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    int c = strcmp(x->id, y->id);
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

static size_t collect(const struct machine *machine, bool libraries, struct timed *list)
{
    const struct results *r = &machine->report.results;
    const size_t rows = libraries ? machine_timings(machine) : r->timing_count;
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        if (machine->withheld[i] || !(r->timings[i].ns_per_element > 0)) continue;
        struct timed *t = &list[count++];
        t->machine = machine;
        t->n = r->timings[i].n;
        variant_id(&r->timings[i].axes, t->id);
    }
    return count;
}

static bool any_withheld(const struct machine *machine)
{
    bool any = false;
    for (size_t i = 0; i < machine_timings(machine); i++) any |= machine->withheld[i];
    return any;
}

/* False where cells were timed on several machines and no two machines share one. */
static bool something_is_left(const struct machines *m, bool libraries)
{
    size_t all = 0, count = 0, timed = 0;
    for (size_t i = 0; i < m->count; i++) all += machine_timings(&m->items[i]);
    struct timed *list = calloc(all + 1, sizeof *list);
    for (size_t i = 0; list && i < m->count; i++) {
        size_t own = collect(&m->items[i], libraries, list + count);
        timed += own > 0 || any_withheld(&m->items[i]);
        count += own;
    }
    bool left = !list || timed < 2;
    if (!left) qsort(list, count, sizeof *list, by_cell);
    for (size_t i = 1; !left && i < count; i++)
        left = list[i].machine != list[i - 1].machine && !by_cell(&list[i], &list[i - 1]);
    free(list);
    return left;
}

int performance_intersect(struct machines *m, bool libraries, struct error *e)
{
    struct codes codes[MACHINES_MAX] = {{0}};
    int code = 0;
    for (size_t i = 0; i < m->count && !code; i++) {
        struct machine *machine = &m->items[i];
        machine->withheld = calloc(machine_timings(machine) + 1, sizeof(bool));
        if (!machine->withheld) code = fail(e, EXIT_PARTIAL, "report: out of memory; free some");
        if (!code) code = codes_read(&machine->report.results, &machine->codes, e);
        codes[i] = machine->codes;
    }
    for (size_t i = 0; i < m->count && !code; i++) withhold(&m->items[i], codes, m->count);
    if (!code && !something_is_left(m, libraries))
        code = fail(e, EXIT_USAGE,
                    "report: %s and others: no cell in common: other machine code or other shapes; "
                    "compare commits with 'ulplab compare --by commit'",
                    m->items[0].folder);
    return code;
}

void performance_beyond(const struct machines *m, struct doc *d)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct machine *machine = &m->items[i];
        if (machine->beyond[BEYOND_CODE])
            doc_text(d,
                     "Of %s, %zu of %zu cells are left out of the tables below: %s than most "
                     "machines ran.",
                     machine->name, machine->beyond[BEYOND_CODE],
                     machine->report.results.timing_count, beyond_text(BEYOND_CODE));
    }
}
