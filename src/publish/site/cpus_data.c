/* The page's data. Tables are columns of equal length; a text that recurs is a place in a list, and
 * what is said of every CPU is an array in their order.
 *
 *   cpus       [{name, brand, cells, compared}]
 *   units      {operation: the unit of its variants' errors}
 *   lists      op, algorithm, dtype, isa, cc, policy, level, family, limit, flags; errors: arrays
 *   variants   columns op, algorithm, dtype, isa, cc, policy (places)
 *              errors: the largest on family `normal` (place of an array)
 *              codes: a letter per CPU, equal for equal machine code, "-" where it is not known
 *              hazard, wrong, promises (0 or 1)
 *   lines      columns variant, n, level, threads, family, compared: CPUs whose cells compare
 *   cells      columns line, cpu, rows, ns, low, high, cycles, gb, percent, limit, flags, beyond
 *   gains      [{op, level, cpus: of AVX-512 over AVX2 [ratio, low, high, pairs, AVX2's % of limit,
 *              AVX-512's], or null}]
 *   speeds     [{cc, policy, cpus: [speed relative to off, low, high, recommended], or null}]
 *   differ     [{line, known (0 or 1), cpus: [policy, gain, low, high, ns], or null}] */
#include "publish/analyse/flags.h"
#include "publish/site/cpus_data.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "model/registry.h"
#include "publish/analyse/field.h"
#include "publish/render/places.h"
#include "publish/site/columns.h"
#include "publish/site/cpus_gains.h"
#include "publish/site/cpus_policies.h"

enum list { OP, ALGORITHM, DTYPE, ISA, CC, POLICY, LEVEL, FAMILY, LIMIT, FLAGS, ERRORS, LISTS };
static const char *const list_names[LISTS] = {"op",    "algorithm", "dtype", "isa",
                                              "cc",    "policy",    "level", "family",
                                              "limit", "flags",     "errors"};

struct writer {
    const struct machines *m;
    const struct cpu_lines *l;
    struct places lists[LISTS], variants;
    json_t *table; /* of variants */
};

static json_t *place(struct writer *w, enum list list, const char *text)
{
    return places_put_text(&w->lists[list], text);
}

/* ---- Variants ---------------------------------------------------------------------------------
 */

/* Equal letters for equal codes; of a seventeenth code there is none, since there are at most 16
 * CPUs. */
static void letters(const struct writer *w, const char *id, char text[MACHINES_MAX + 1])
{
    const char *codes[MACHINES_MAX];
    char next = 'a';
    for (size_t i = 0; i < w->m->count; i++) {
        codes[i] = code_of(&w->m->items[i].codes, id);
        text[i] = *codes[i] ? '\0' : '-';
        for (size_t k = 0; k < i && !text[i]; k++)
            if (!strcmp(codes[i], codes[k])) text[i] = text[k];
        if (!text[i]) text[i] = next++;
    }
    text[w->m->count] = '\0';
}

/* Per CPU, in error_unit(op). */
static json_t *errors(struct writer *w, const struct axes *a, bool *hazard, bool *wrong)
{
    /* Summaries are of the lab's own variants. */
    bool known = !axes_are_of_library(a);
    json_t *list = json_array();
    for (size_t i = 0; i < w->m->count; i++) {
        const struct summary *v = summaries_find(&w->m->items[i].report.summaries, a);
        double error =
            known ? (v ? v->error : NAN) : field_error_of(&w->m->items[i].report.results, a);
        json_array_append_new(list, rounded_error(error));
        *hazard |= v && v->hazard;
        *wrong |= v && v->wrong;
    }
    char *key = json_dumps(list, JSON_COMPACT);
    json_t *at = places_put(&w->lists[ERRORS], key ? key : "", list);
    free(key);
    return at;
}

static void put_variant(struct writer *w, const struct axes *a, const char *id)
{
    const struct {
        enum list list;
        const char *value;
    } axes[] = {{OP, a->group}, {ALGORITHM, a->algorithm}, {DTYPE, a->dtype}, {ISA, a->isa},
                {CC, a->cc},    {POLICY, a->policy}};
    char codes[MACHINES_MAX + 1];
    bool hazard = false, wrong = false;
    letters(w, id, codes);
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        column_put(w->table, list_names[axes[i].list], place(w, axes[i].list, axes[i].value));
    column_put(w->table, "codes", json_text(codes));
    column_put(w->table, "errors", errors(w, a, &hazard, &wrong));
    column_put(w->table, "hazard", json_integer(hazard));
    column_put(w->table, "wrong", json_integer(wrong));
    bool promises = axes_are_of_library(a) || policy_promises(a->policy) != PROMISES_NOTHING;
    column_put(w->table, "promises", json_integer(promises));
}

static json_t *variant_place(struct writer *w, const struct axes *a)
{
    char id[VARIANT_ID_MAX], key[VARIANT_ID_MAX + 50];
    variant_id(a, id);
    snprintf(key, sizeof key, "%s %s", a->group, id);
    size_t known = json_array_size(w->variants.list);
    json_t *at = places_put(&w->variants, key, json_null());
    if (json_array_size(w->variants.list) > known) put_variant(w, a, id);
    return at;
}

/* ---- Cells ------------------------------------------------------------------------------------
 */

static json_t *flags_of(struct writer *w, const struct timing_result *t)
{
    return place(w, FLAGS, flags_text(t->record).text);
}

static void put_cell(struct writer *w, json_t *table, size_t line, const struct cpu_cell *c)
{
    const struct timing_result *t = c->t;
    column_put(table, "line", json_integer((json_int_t)line));
    column_put(table, "cpu", json_integer((json_int_t)c->cpu));
    column_put(table, "rows", json_integer((json_int_t)t->rows));
    column_put(table, "ns", rounded_time(t->ns_per_element));
    column_put(table, "low", rounded_time(t->low));
    column_put(table, "high", rounded_time(t->high));
    column_put(table, "cycles", rounded_time(record_number(t->record, "cycles_per_element")));
    column_put(table, "gb", rounded_error(record_number(t->record, "gb_per_s")));
    column_put(table, "percent", rounded_percent(t->percent_of_limit));
    column_put(table, "limit", place(w, LIMIT, t->limit));
    column_put(table, "flags", flags_of(w, t));
    column_put(table, "beyond", json_integer(c->beyond));
}

static void put_lines(struct writer *w, json_t *data)
{
    json_t *lines = json_object(), *cells = json_object();
    for (size_t i = 0; i < w->l->line_count; i++) {
        const struct cpu_line *line = &w->l->lines[i];
        const struct timing_result *t = cpu_line_any(w->l, line);
        column_put(lines, "variant", variant_place(w, &t->axes));
        column_put(lines, "n", json_integer((json_int_t)t->n));
        column_put(lines, "level", place(w, LEVEL, t->residency));
        column_put(lines, "threads", json_integer((json_int_t)t->threads));
        column_put(lines, "family", place(w, FAMILY, t->family));
        column_put(lines, "compared", json_integer((json_int_t)line->compared));
        for (size_t cpu = 0; cpu < w->m->count; cpu++)
            if (line->cell[cpu] != SIZE_MAX) put_cell(w, cells, i, &w->l->cells[line->cell[cpu]]);
    }
    json_object_set_new(data, "lines", lines);
    json_object_set_new(data, "cells", cells);
}

/* ---- Where the best policy differs ------------------------------------------------------------
 */

struct differ {
    const struct machines *m;
    const struct cpu_lines *l;
    json_t *rows;
};

static void put_differ(const struct cpu_policies *p, void *context)
{
    struct differ *d = context;
    json_t *cpus = json_array();
    size_t line = SIZE_MAX;
    for (size_t i = 0; i < d->m->count; i++) {
        if (p->line[i] == SIZE_MAX) {
            json_array_append_new(cpus, json_null());
            continue;
        }
        line = p->line[i];
        const struct timing_result *t = d->l->cells[d->l->lines[line].cell[i]].t;
        const struct ratio *g = &p->gain[i];
        bool known = g->value > 0;
        json_array_append_new(cpus, json_pack("[o, o, o, o, o]", json_text(t->axes.policy),
                                              rounded_time(known ? g->value : NAN),
                                              rounded_time(known ? g->low : NAN),
                                              rounded_time(known ? g->high : NAN),
                                              rounded_time(t->ns_per_element)));
    }
    json_array_append_new(d->rows, json_pack("{s:I, s:i, s:o}", "line", (json_int_t)line, "known",
                                             (int)p->known, "cpus", cpus));
}

/* ---- The document -----------------------------------------------------------------------------
 */

static bool is_library(const struct timing_result *t)
{
    return axes_are_of_library(&t->axes);
}

void cpu_counts(const struct machines *m, const struct cpu_lines *l,
                struct cpu_count counts[MACHINES_MAX])
{
    memset(counts, 0, MACHINES_MAX * sizeof *counts);
    for (size_t i = 0; i < l->line_count; i++)
        for (size_t cpu = 0; cpu < m->count; cpu++) {
            if (l->lines[i].cell[cpu] == SIZE_MAX) continue;
            const struct cpu_cell *c = &l->cells[l->lines[i].cell[cpu]];
            struct cpu_count *count = &counts[cpu];
            count->cells++;
            if (c->beyond)
                count->beyond[is_library(c->t) ? BEYOND_LIBRARY : BEYOND_CODE]++;
            else if (l->lines[i].compared < 2)
                count->beyond[BEYOND_UNMEASURED]++;
            else
                count->compared++;
        }
}

static json_t *cpus(const struct machines *m, const struct cpu_lines *l)
{
    struct cpu_count counts[MACHINES_MAX];
    json_t *list = json_array();
    cpu_counts(m, l, counts);
    for (size_t i = 0; i < m->count; i++) {
        struct origin o = origin_of(&m->items[i].report.results);
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:I}", "name", json_text(m->items[i].name), "brand",
                            json_text(o.brand), "cells", (json_int_t)counts[i].cells, "compared",
                            (json_int_t)counts[i].compared));
    }
    return list;
}

/* Where the CPUs' runs differ in it, the first one's: the unit follows from the operation. */
static json_t *units(const struct writer *w)
{
    json_t *object = json_object();
    const json_t *op;
    size_t i;
    json_array_foreach(w->lists[OP].list, i, op)
    {
        const char *name = json_string_value(op);
        json_object_set_new(object, name,
                            json_text(error_unit(&w->m->items[0].report.results, name)));
    }
    return object;
}

json_t *cpus_data(const struct machines *m, const struct cpu_lines *l)
{
    struct writer w = {.m = m, .l = l, .variants = places_make(), .table = json_object()};
    for (size_t i = 0; i < LISTS; i++) w.lists[i] = places_make();
    struct differ d = {m, l, json_array()};
    json_t *data = json_object(), *lists = json_object();
    put_lines(&w, data);
    cpu_policies_find(m, l, put_differ, &d);
    json_object_set_new(data, "cpus", cpus(m, l));
    json_object_set_new(data, "units", units(&w));
    json_object_set_new(data, "variants", w.table);
    json_object_set_new(data, "gains", cpu_gains(m));
    json_object_set_new(data, "speeds", cpu_speeds(m));
    json_object_set_new(data, "differ", d.rows);
    json_decref(places_end(&w.variants));
    for (size_t i = 0; i < LISTS; i++)
        json_object_set_new(lists, list_names[i], places_end(&w.lists[i]));
    json_object_set_new(data, "lists", lists);
    return data;
}
