#include "publish/site/cpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "model/record.h"
#include "publish/load/origin.h"
#include "publish/render/markup.h"
#include "publish/site/assets.h"
#include "publish/site/cpus_data.h"
#include "publish/site/skeleton.h"

struct page {
    FILE *out;
    const struct machines *m;
    const struct cpu_lines *l;
};

static void write_style(void *context)
{
    const struct page *p = context;
    fwrite(report_css, 1, report_css_size, p->out);
    fwrite(cpus_css, 1, cpus_css_size, p->out);
}

static bool is_first_of_its_cpu(const struct machines *m, size_t i)
{
    struct origin o = origin_of(&m->items[i].report.results);
    for (size_t k = 0; k < i; k++)
        if (!strcmp(origin_of(&m->items[k].report.results).slug, o.slug)) return false;
    return true;
}

/* "2 CPUs", "3 runs of 1 CPU". */
static void write_count(void *context)
{
    const struct page *p = context;
    size_t runs = p->m->count, cpus = 0;
    for (size_t i = 0; i < runs; i++) cpus += is_first_of_its_cpu(p->m, i);
    if (cpus < runs) fprintf(p->out, "%zu runs of ", runs);
    fprintf(p->out, "%zu CPU%s", cpus, cpus == 1 ? "" : "s");
}

/* ---- The CPUs, one to a column ----------------------------------------------------------------
 */

struct fact {
    const char *name;
    void (*write)(struct doc *d, const struct machine *machine, const struct cpu_count *count);
};

static const json_t *machine_of(const struct machine *machine)
{
    return json_object_get(machine->report.results.machine, "machine");
}

static void write_brand(struct doc *d, const struct machine *machine, const struct cpu_count *count)
{
    (void)count;
    struct origin o = origin_of(&machine->report.results);
    doc_cell(d, "%s", *o.brand ? o.brand : "unnamed");
}

static void write_run(struct doc *d, const struct machine *machine, const struct cpu_count *count)
{
    (void)count;
    struct origin o = origin_of(&machine->report.results);
    const char *started = origin_started(&machine->report.results);
    doc_cell(d, "`%s` ~%.10s~", *o.commit ? o.commit : "unknown",
             *started ? started : "of an unknown date");
}

static void write_cores(struct doc *d, const struct machine *machine, const struct cpu_count *count)
{
    (void)count;
    const json_t *topology = json_object_get(machine_of(machine), "topology");
    const bool virtual = json_is_true(json_object_get(machine_of(machine), "hypervisor"));
    double cores = record_number(topology, "cores");
    doc_cell(d, "%.0f%s", cores, virtual ? " of a virtual machine" : "");
}

static bool was_timed_with(const struct machine *machine, const char *isa)
{
    bool timed = false;
    for (size_t i = 0; i < machine->report.results.timing_count; i++) {
        const struct timing_result *t = &machine->report.results.timings[i];
        timed |= t->ns_per_element > 0 && !strcmp(t->axes.isa, isa);
    }
    return timed;
}

static void write_widest(struct doc *d, const struct machine *machine,
                         const struct cpu_count *count)
{
    (void)count;
    const struct axis_values *isas = &machine->report.present.isas; /* from the narrowest */
    const char *widest = "-";
    for (size_t k = 0; k < isas->count; k++)
        if (was_timed_with(machine, isas->items[k])) widest = isas->items[k];
    doc_cell(d, "%s", widest);
}

/* "32 KiB, 512 KiB, 32 MiB of 2 CPUs". */
static void write_caches(struct doc *d, const struct machine *machine,
                         const struct cpu_count *count)
{
    (void)count;
    const json_t *topology = json_object_get(machine_of(machine), "topology"), *cache;
    char text[200] = "";
    size_t i, used = 0;
    json_array_foreach(json_object_get(topology, "caches"), i, cache)
    {
        double bytes = record_number(cache, "bytes"), shared = record_number(cache, "shared_by");
        bool mega = bytes >= 1024 * 1024;
        if (used >= sizeof text || !(bytes > 0)) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %g %s", used ? ", " : "",
                                 record_text(cache, "level"), bytes / (mega ? 1048576 : 1024),
                                 mega ? "MiB" : "KiB");
        if (shared > 1 && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, " of %.0f", shared);
    }
    doc_cell(d, "%s", *text ? text : "-");
}

static void write_apart(struct doc *d, const struct machine *machine, const struct cpu_count *count)
{
    (void)count;
    const double apart = machine->report.identical.p95; /* NaN where nothing was timed twice */
    doc_cell(d, isnan(apart) ? "%.2g" : "%.2g%%", 100 * apart);
}

static void write_compared(struct doc *d, const struct machine *machine,
                           const struct cpu_count *count)
{
    (void)machine;
    doc_cell(d, "**%zu** of %zu", count->compared, count->cells);
}

static void write_code(struct doc *d, const struct machine *machine, const struct cpu_count *count)
{
    (void)machine;
    doc_cell(d, "%zu", count->beyond[BEYOND_CODE]);
}

static void write_library(struct doc *d, const struct machine *machine,
                          const struct cpu_count *count)
{
    (void)machine;
    doc_cell(d, "%zu", count->beyond[BEYOND_LIBRARY]);
}

static void write_alone(struct doc *d, const struct machine *machine, const struct cpu_count *count)
{
    (void)machine;
    doc_cell(d, "%zu", count->beyond[BEYOND_UNMEASURED]);
}

static const struct fact facts[] = {
    {"CPU", write_brand},
    {"commit, date of the run", write_run},
    {"cores", write_cores},
    {"widest ISA timed", write_widest},
    {"caches", write_caches},
    {"identical code apart (95%)", write_apart},
    {"cells that compare", write_compared},
    {"beyond: other machine code", write_code},
    {"beyond: another version of a library", write_library},
    {"beyond: no other CPU timed it", write_alone},
};

static bool grids_differ(const struct machines *m)
{
    bool differ = false;
    for (size_t i = 1; i < m->count; i++)
        differ |= !origin_same_grid(&m->items[0].report.results, &m->items[i].report.results);
    return differ;
}

static void write_cpus(void *context)
{
    const struct page *p = context;
    struct doc d = {.out = p->out, .html = true};
    struct cpu_count counts[MACHINES_MAX];
    const char *heads[MACHINES_MAX + 2] = {""};
    cpu_counts(p->m, p->l, counts);
    for (size_t i = 0; i < p->m->count; i++) heads[i + 1] = p->m->items[i].name;
    heads[p->m->count + 1] = NULL;
    doc_section(&d, "cpus", "The CPUs");
    doc_text(&d,
             "Cells compare where two CPUs ran the same machine code, and libraries where their "
             "version is the same, at the same row length and level of memory. Of each variant, "
             "the code that most CPUs ran stands here; the rest is beyond the comparison. Times of "
             "different CPUs were not measured side by side: what disturbed one run did not "
             "disturb the other.");
    if (grids_differ(p->m))
        doc_text(&d,
                 "**These runs tried different inputs** (a --quick run tries fewer): the largest "
                 "errors of equal code differ by what was tried, not by the CPU.");
    doc_table_styled(&d, "facts", heads);
    for (size_t f = 0; f < sizeof facts / sizeof *facts; f++) {
        doc_row(&d);
        doc_cell(&d, "%s", facts[f].name);
        for (size_t i = 0; i < p->m->count; i++) facts[f].write(&d, &p->m->items[i], &counts[i]);
        doc_row_end(&d);
    }
    doc_table_end(&d);
    doc_section_end(&d);
}

static void write_limits(void *context)
{
    const struct page *p = context;
    struct doc d = {.out = p->out, .html = true};
    performance_limits(p->m, &d);
}

/* ---- The page ---------------------------------------------------------------------------------
 */

static void write_scripts(void *context)
{
    const struct page *p = context;
    json_t *data = cpus_data(p->m, p->l);
    skeleton_data(p->out, data);
    json_decref(data);
    skeleton_script(p->out, page_js, page_js_size);
    skeleton_script(p->out, filters_js, filters_js_size);
    skeleton_script(p->out, grid_js, grid_js_size);
    skeleton_script(p->out, cpus_js, cpus_js_size);
    skeleton_script(p->out, cpus_tables_js, cpus_tables_js_size);
}

static const struct skeleton_place places[] = {
    {"count", write_count},   {"style", write_style},     {"cpus", write_cpus},
    {"limits", write_limits}, {"scripts", write_scripts}, {NULL, NULL},
};

static int write_page(const struct machines *m, const char *path, struct error *e)
{
    struct cpu_lines l;
    char *text = NULL;
    size_t size = 0;
    int code = cpu_lines_make(m, &l, e);
    if (code) return code;
    struct page p = {.out = memory_text(&text, &size), .m = m, .l = &l};
    skeleton_write(p.out, cpus_html, cpus_html_size, places, &p);
    memory_text_close(p.out);
    code = file_write_atomic(path, text, size, e);
    free(text);
    cpu_lines_free(&l);
    return code;
}

int cpus_write(const char *const *folders, size_t count, const char *const *filters,
               size_t filter_count, double bar, const char *path, struct error *e)
{
    struct machines *m;
    int code = machines_open(folders, count, filters, filter_count, bar, true, &m, e);
    if (code) return code;
    code = write_page(m, path, e);
    machines_close(m);
    return code;
}
