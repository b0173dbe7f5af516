/* Folders of results in, machines that may stand side by side out. */
#include <stdlib.h>
#include <string.h>

#include "publish/load/origin.h"
#include "publish/sections/performance_parts.h"

static int open_machine(struct machines *m, const char *folder, const char *const *filters,
                        size_t filter_count, double bar, struct error *e)
{
    struct machine *machine = &m->items[m->count];
    const struct machine *first = &m->items[0];
    machine->folder = folder;
    int code = report_open(folder, filters, filter_count, bar, &machine->report, e);
    if (code) return code;
    return m->count++ ? origin_comparable(&first->report.results, first->folder,
                                          &machine->report.results, folder, COMPARE_CPUS, e)
                      : 0;
}

/* A machine's label or slug names it, unless two runs of it stand here. */
static void name_machines(struct machines *m)
{
    for (size_t i = 0; i < m->count; i++) {
        struct machine *machine = &m->items[i];
        struct origin o = origin_of(&machine->report.results);
        bool again = false;
        for (size_t k = 0; k < m->count; k++) {
            struct origin other = origin_of(&m->items[k].report.results);
            again |= k != i && !strcmp(origin_name(&o), origin_name(&other));
        }
        snprintf(machine->name, sizeof machine->name, "%.79s",
                 again ? machine->folder : origin_name(&o));
    }
}

int machines_open(const char *const *folders, size_t count, const char *const *filters,
                  size_t filter_count, double bar, bool libraries, struct machines **opened,
                  struct error *e)
{
    *opened = NULL;
    if (count > MACHINES_MAX)
        return fail(e, EXIT_USAGE, "report: %zu folders; give at most %d", count, MACHINES_MAX);
    struct machines *m = calloc(1, sizeof *m);
    if (!m) return fail(e, EXIT_PARTIAL, "report: out of memory; free some");
    int code = 0;
    for (size_t i = 0; !code && i < count; i++)
        code = open_machine(m, folders[i], filters, filter_count, bar, e);
    if (!code) code = performance_intersect(m, libraries, e);
    if (code) {
        machines_close(m);
        return code;
    }
    name_machines(m);
    *opened = m;
    return 0;
}

void machines_close(struct machines *m)
{
    for (size_t i = 0; i < m->count; i++) {
        codes_free(&m->items[i].codes);
        free(m->items[i].withheld);
        report_close(&m->items[i].report);
    }
    free(m);
}
