/* The limits of each machine, measured in its run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "publish/sections/performance_parts.h"

/* A limit by what it is of: how many bytes it was measured on differs from machine to machine, and
 * stands in its name ("copy-ymm-24K-x2" is copy-ymm-x2). */
struct limit {
    char kind[40];
    const char *isa, *level, *unit; /* borrowed from the record */
    double value;
};
enum { LIMITS_MAX = 256 };

static void kind_of(const char *name, char *kind, size_t size)
{
    size_t used = 0;
    char copy[80], *save = NULL;
    snprintf(copy, sizeof copy, "%s", name);
    kind[0] = '\0';
    for (char *part = strtok_r(copy, "-", &save); part; part = strtok_r(NULL, "-", &save)) {
        bool bytes = part[0] >= '0' && part[0] <= '9';
        if (!bytes && used < size)
            used += (size_t)snprintf(kind + used, size - used, "%s%s", used ? "-" : "", part);
    }
}

/* False for what is no limit, the points of the bandwidth sweep among them. */
static bool limit_of(const json_t *record, struct limit *l)
{
    const char *name = record_text(record, "name");
    if (strcmp(record_text(record, "record"), "limit") || !strncmp(name, "sweep", 5)) return false;
    *l = (struct limit){.isa = record_text(record, "isa"),
                        .level = record_text(record, "level"),
                        .unit = record_text(record, "unit"),
                        .value = json_number_value(json_object_get(record, "value"))};
    kind_of(name, l->kind, sizeof l->kind);
    return true;
}

/* Sizes, then arithmetic, then each level's bandwidth, each from the narrowest ISA up. */
static int by_limit(const void *a, const void *b)
{
    static const char *const isas[] = {"", "scalar", "avx2", "avx512"};
    const struct limit *x = a, *y = b;
    int c = strcmp(x->unit, y->unit);
    if (!c) c = strcmp(x->level[0] == 'D' ? "M" : x->level, y->level[0] == 'D' ? "M" : y->level);
    int rank_x = 0, rank_y = 0;
    for (int i = 0; i < 4; i++) {
        if (!strcmp(isas[i], x->isa)) rank_x = i;
        if (!strcmp(isas[i], y->isa)) rank_y = i;
    }
    return c ? c : rank_x != rank_y ? rank_x - rank_y : strcmp(x->kind, y->kind);
}

/* Of several sizes of one kind and level, the best is the machine's. */
static double limit_value(const struct machine *machine, const struct limit *l)
{
    double best = NAN;
    struct limit other;
    const json_t *record;
    size_t i;
    json_array_foreach(machine->report.results.timing, i, record)
    {
        if (limit_of(record, &other) && !by_limit(&other, l)) best = fmax(best, other.value);
    }
    return best;
}

static void write_limit(const struct machines *m, struct doc *d, const struct limit *l)
{
    bool bytes = !strcmp(l->unit, "B");
    doc_row(d);
    doc_cell(d, "%s", l->kind);
    doc_cell(d, "%s", l->isa);
    doc_cell(d, "%s", l->level);
    doc_cell(d, "%s%s", bytes ? "Ki" : "G", l->unit);
    for (size_t i = 0; i < m->count; i++) {
        double value = limit_value(&m->items[i], l) / (bytes ? 1024 : 1e9);
        doc_cell(d, bytes ? "%.0f" : "%.1f", value);
    }
    doc_row_end(d);
}

static size_t collect(const struct machines *m, struct limit *all)
{
    size_t count = 0;
    for (size_t k = 0; k < m->count; k++) {
        const json_t *record;
        size_t i;
        json_array_foreach(m->items[k].report.results.timing, i, record)
        {
            if (count < LIMITS_MAX && limit_of(record, &all[count])) count++;
        }
    }
    return count;
}

void performance_limits(const struct machines *m, struct doc *d)
{
    static const char *const own[] = {"limit", "ISA", "level", "unit", NULL};
    struct limit *all = memory_zeroed(LIMITS_MAX, sizeof *all);
    size_t count = collect(m, all);
    qsort(all, count, sizeof *all, by_limit);
    doc_section(d, "limits", "Limits, measured in the same runs");
    machines_table(m, d, own, (const char *const[]){"value", NULL});
    for (size_t i = 0; i < count; i++)
        if (!i || by_limit(&all[i - 1], &all[i])) write_limit(m, d, &all[i]);
    doc_table_end(d);
    doc_section_end(d);
    free(all);
}
