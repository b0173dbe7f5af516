/* performance.html of many machines. Its script (assets/many.js) makes the tables; times of all
 * races on all machines stand in it as bytes (many_pack.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/render/places.h"
#include "publish/load/results.h"
#include "publish/site/assets.h"
#include "publish/site/columns.h"
#include "publish/site/many.h"
#include "publish/site/skeleton.h"

/* ---- Data -------------------------------------------------------------------------------------
 */

static json_t *machines_json(const struct many *m)
{
    json_t *table = json_object();
    for (size_t i = 0; i < m->machine_count; i++) {
        const struct many_machine *x = &m->machines[i];
        column_put(table, "name", json_text(x->slug));
        column_put(table, "brand", json_text(x->brand));
        column_put(table, "commit", json_text(x->commit));
        column_put(table, "started", *x->started ? json_text(x->started) : json_null());
        column_put(table, "caches", json_text(x->caches));
        column_put(table, "cores", rounded_percent(x->cores));
        column_put(table, "load1", rounded_error(1e-9 * x->load_l1));
        column_put(table, "dram", rounded_error(1e-9 * x->load_dram));
        column_put(table, "flops", rounded_error(1e-9 * x->flops));
        column_put(table, "cells", json_integer((json_int_t)x->cells));
        column_put(table, "compared", json_integer((json_int_t)x->compared));
        column_put(table, "pace", rounded_time(many_pace(m, i)));
        column_put(table, "gain", rounded_time(many_gain(m, i, NULL)));
    }
    return table;
}

static void error_range(const struct many *m, const struct many_line *line, double *low,
                        double *high)
{
    const struct many_variant *v = &m->variants[line->variant];
    *low = *high = NAN;
    for (size_t i = 0; i < m->machine_count; i++) {
        if (!(line->ns[i] > 0)) continue;
        *low = fmin(*low, (double)v->errors[i]);
        *high = fmax(*high, (double)v->errors[i]);
    }
}

static json_t *races_json(const struct many *m)
{
    static const struct results none;
    json_t *table = json_object();
    for (size_t i = 0; i < m->race_count; i++) {
        const struct many_race *race = &m->races[i];
        const struct many_line *line = &m->lines[race->line];
        const struct many_variant *v = &m->variants[line->variant];
        const struct many_shape *shape = &m->shapes[line->shape];
        char policies[160];
        double low, high;
        many_policies(m, race, policies, sizeof policies);
        error_range(m, line, &low, &high);
        column_put(table, "id", json_text(v->id));
        column_put(table, "op", json_text(v->axes.group));
        column_put(table, "algorithm", json_text(v->axes.algorithm));
        column_put(table, "dtype", json_text(v->axes.dtype));
        column_put(table, "isa", json_text(v->axes.isa));
        column_put(table, "cc", json_text(v->axes.cc));
        column_put(table, "policy", json_text(v->axes.policy));
        column_put(table, "level", json_text(many_levels[line->level]));
        column_put(table, "family", json_text(shape->family));
        column_put(table, "n", json_integer((json_int_t)shape->n));
        column_put(table, "threads", json_integer((json_int_t)shape->threads));
        column_put(table, "builds", json_integer((json_int_t)(race->end - race->first)));
        column_put(table, "policies", json_text(policies));
        column_put(table, "low", rounded_error(low));
        column_put(table, "high", rounded_error(high));
        column_put(table, "bytes", rounded_error(v->bytes));
        column_put(table, "unit", json_text(error_unit(&none, v->axes.op)));
    }
    return table;
}

/* {operation: by machine}: its gain of AVX-512, where a machine has one. */
static json_t *gains_json(const struct many *m)
{
    json_t *table = json_object();
    for (size_t i = 0; i < m->op_count; i++) {
        bool any = false;
        for (size_t k = m->ops[i].first; k < m->ops[i].end; k++) any |= m->lines[k].narrow != NULL;
        for (size_t k = 0; any && k < m->machine_count; k++)
            column_put(table, m->ops[i].name, rounded_time(many_gain(m, k, &m->ops[i])));
    }
    return table;
}

/* ---- The page ---------------------------------------------------------------------------------
 */

struct page {
    FILE *out;
    const struct many *m;
};

static void write_count(void *context)
{
    const struct page *p = context;
    fprintf(p->out, "%zu", p->m->machine_count);
}

static void write_style(void *context)
{
    const struct page *p = context;
    fwrite(report_css, 1, report_css_size, p->out);
    fwrite(cpus_css, 1, cpus_css_size, p->out);
}

static void write_scripts(void *context)
{
    const struct page *p = context;
    json_t *machines = machines_json(p->m), *far = json_array(), *own = json_array();
    json_t *clocks = many_clocks(p->m, own, far);
    json_object_set_new(machines, "clock", own);
    json_t *data =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "machines", machines, "races",
                  races_json(p->m), "times", many_times(p->m), "shares", many_shares(p->m),
                  "clocks", clocks, "far", far, "gains", gains_json(p->m));
    skeleton_data(p->out, data);
    json_decref(data);
    skeleton_script(p->out, page_js, page_js_size);
    skeleton_script(p->out, filters_js, filters_js_size);
    skeleton_script(p->out, grid_js, grid_js_size);
    skeleton_script(p->out, many_js, many_js_size);
}

int many_write_page(const struct many *m, const char *path, struct error *e)
{
    static const struct skeleton_place places[] = {
        {"count", write_count}, {"style", write_style}, {"scripts", write_scripts}, {NULL, NULL}};
    char *text = NULL;
    size_t size = 0;
    struct page p = {.out = memory_text(&text, &size), .m = m};
    skeleton_write(p.out, many_html, many_html_size, places, &p);
    memory_text_close(p.out);
    int code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}
