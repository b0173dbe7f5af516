#include "publish/sections/performance.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/load/origin.h"
#include "publish/sections/performance_parts.h"
#include "publish/sections/sections.h"

/* ---- The page ----------------------------------------------------------------------------------
 */

void machines_table(const struct machines *m, struct doc *d, const char *const *own,
                    const char *const *group)
{
    enum { HEADS = 16 + 8 * MACHINES_MAX };
    const char *heads[HEADS + 1] = {NULL};
    char names[HEADS][120];
    size_t count = 0;
    while (*own && count < HEADS) heads[count++] = *own++;
    for (size_t i = 0; i < m->count; i++)
        for (size_t k = 0; group[k] && count < HEADS; k++) {
            snprintf(names[count], sizeof names[count], "%s%s%s",
                     m->count > 1 ? m->items[i].name : "", m->count > 1 ? ": " : "", group[k]);
            heads[count] = names[count];
            count++;
        }
    doc_table(d, heads);
}

static void write_machines(const struct machines *m, struct doc *d)
{
    static const char *const heads[] = {"machine", "CPU", "run", "identical code apart (95%)",
                                        NULL};
    fputs("# Performance and accuracy\n\n", d->out);
    doc_table(d, heads);
    for (size_t i = 0; i < m->count; i++) {
        const struct machine *machine = &m->items[i];
        char run[400];
        origin_describe(&machine->report.results, machine->folder, run, sizeof run);
        doc_row(d);
        doc_cell(d, "%s", machine->name);
        doc_cell(d, "%s", origin_of(&machine->report.results).brand);
        doc_cell(d, "%s", run);
        doc_cell(d, "%.2g%%", 100 * machine->report.identical.p95);
        doc_row_end(d);
    }
    doc_table_end(d);
    doc_text(d,
             "Times of different machines were not measured side by side: their intervals are each "
             "run's own, and what disturbed one did not disturb the other.");
}

static void write_reach(const struct machines *m, struct doc *d)
{
    doc_section(d, "reach", "How near to the limit, by shape");
    doc_text(d,
             "The fastest variant that is advised, on one thread: the least time that "
             "the machine allows as %% of its own. p: its instructions bind, m: its bytes do. "
             "Advised is what keeps its promises and errs by at most %.3g ulp or u "
             "(`--max-ulp`).",
             m->items[0].report.summaries.bar);
    for (size_t i = 0; i < m->count; i++) {
        doc_heading(d, m->items[i].name);
        reach_grid(&m->items[i].report.field, d);
    }
    doc_section_end(d);
}

static void write_page(const struct machines *m, FILE *out)
{
    struct doc d = {.out = out};
    write_machines(m, &d);
    performance_limits(m, &d);
    performance_isas(m, &d);
    write_reach(m, &d);
    performance_kernels(m, &d);
}

int performance_write(const char *const *folders, size_t count, const char *const *filters,
                      size_t filter_count, double bar, FILE *out, struct error *e)
{
    struct machines *m;
    int code = machines_open(folders, count, filters, filter_count, bar, false, &m, e);
    if (code) return code;
    write_page(m, out);
    machines_close(m);
    return 0;
}

int performance_write_file(const char *const *folders, size_t count, const char *const *filters,
                           size_t filter_count, double bar, const char *path, struct error *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text(&text, &size);
    int code = performance_write(folders, count, filters, filter_count, bar, out, e);
    memory_text_close(out);
    if (!code) code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}
