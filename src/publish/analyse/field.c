#include "publish/analyse/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "model/registry.h"
#include "publish/analyse/pairs.h"

/* ---- Who competes where ---------------------------------------------------------------------- */

static bool is_vector_isa(const char *isa)
{
    return !strcmp(isa, "avx2") || !strcmp(isa, "avx512");
}

static bool was_measured(const struct timing_result *t)
{
    return timing_is_usable(t) && t->threads == 1;
}

static bool is_of(const struct accuracy_result *row, const struct axes *a)
{
    return !strcmp(row->axes.group, a->group) && !strcmp(row->axes.algorithm, a->algorithm) &&
           !strcmp(row->axes.isa, a->isa) && !strcmp(row->axes.cc, a->cc) &&
           !strcmp(row->axes.policy, a->policy);
}

/* What is not advised does not compete with libraries, nor does 16-bit storage. */
static bool competes(const struct summaries *s, const struct timing_result *t)
{
    return is_vector_isa(t->axes.isa) && !strcmp(t->axes.dtype, "f32") && was_measured(t) &&
           timing_is_advised(s, t);
}

static bool has_library(const struct results *r, const struct axes *a)
{
    const struct timing_result *peers = r->timings + r->timing_count;
    for (size_t i = 0; i < r->peer_timing_count; i++)
        if (!strcmp(peers[i].axes.group, a->group)) return true;
    return false;
}

static bool is_library(const struct timing_result *t)
{
    return axes_are_of_library(&t->axes) && !axes_are_of_libulp(&t->axes) && was_measured(t);
}

/* Where no library was timed, nothing is compared. */
static bool is_loop(const struct results *r, const struct timing_result *t)
{
    return axes_are_of_anyone(&t->axes) && has_library(r, &t->axes) && is_vector_isa(t->axes.isa) &&
           !strcmp(t->axes.dtype, "f32") && was_measured(t);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Any time of a cell: all are of one operation and shape. */
static const struct timing_result *some_time(const struct field_cell *c)
{
    const struct timing_result *t = c->lab;
    for (size_t kind = 0; kind < RIVAL_KINDS && !t; kind++) t = c->rivals[kind].time;
    return t;
}

static bool same_place(const struct field_cell *c, const struct timing_result *t, const char *isa)
{
    const struct timing_result *have = some_time(c);
    return !strcmp(have->axes.group, t->axes.group) && have->rows == t->rows && have->n == t->n &&
           !strcmp(c->isa, isa);
}

static struct field_cell *cell_for(struct field *f, const struct timing_result *t, const char *isa)
{
    for (size_t i = 0; i < f->count; i++)
        if (same_place(&f->cells[i], t, isa)) return &f->cells[i];
    f->cells[f->count] = (struct field_cell){.isa = isa};
    return &f->cells[f->count++];
}

static void keep_faster(const struct timing_result **best, const struct timing_result *t)
{
    if (!*best || t->ns_per_element < (*best)->ns_per_element) *best = t;
}

/* Largest on `normal`; NAN where it was not measured. */
double field_error_of(const struct results *r, const struct axes *a)
{
    bool in_ulp = !strcmp(error_unit(r, a->group), "ulp");
    double worst = NAN;
    for (size_t i = 0; i < r->accuracy_count + r->peer_accuracy_count; i++) {
        const struct accuracy_result *row = &r->accuracies[i];
        if (is_of(row, a) && !strcmp(row->family, "normal"))
            worst = fmax(worst, in_ulp ? row->max_ulp : row->scaled_error);
    }
    return worst;
}

static void compare(struct field_cell *c, const struct results *r)
{
    c->lab_error = c->lab ? field_error_of(r, &c->lab->axes) : NAN;
    for (size_t kind = 0; kind < RIVAL_KINDS; kind++) {
        struct rival *rival = &c->rivals[kind];
        struct ratio ratio = {.value = NAN, .low = NAN, .high = NAN};
        rival->error = rival->time ? field_error_of(r, &rival->time->axes) : NAN;
        if (c->lab && rival->time) {
            ratio = pair_ratio(c->lab, rival->time);
            rival->flag = pair_flag(c->lab, rival->time);
            rival->tied = ratio_is_tied(ratio);
        }
        rival->ratio = ratio.value;
        rival->low = ratio.low;
        rival->high = ratio.high;
    }
}

static bool is_compared(const struct field_cell *c)
{
    for (size_t kind = 0; kind < RIVAL_KINDS; kind++)
        if (!isnan(c->rivals[kind].ratio) || c->rivals[kind].tied) return true;
    return false;
}

static int by_place(const void *a, const void *b)
{
    const struct field_cell *x = a, *y = b;
    const struct timing_result *s = some_time(x), *t = some_time(y);
    int c = strcmp(s->axes.group, t->axes.group);
    if (!c) c = strcmp(x->isa, y->isa);
    return c ? c : timing_by_size(s, t);
}

int field_make(const struct results *r, const struct summaries *s, struct field *f, struct error *e)
{
    size_t all = r->timing_count + r->peer_timing_count;
    *f = (struct field){.cells = calloc(all + 1, sizeof *f->cells)};
    if (!f->cells) return fail(e, EXIT_PARTIAL, "out of memory: report: the field; free some");
    for (size_t i = 0; i < all; i++) {
        const struct timing_result *t = &r->timings[i];
        if (is_library(t))
            keep_faster(&cell_for(f, t, library_isa(r, t))->rivals[RIVAL_LIBRARY].time, t);
        else if (is_loop(r, t))
            keep_faster(&cell_for(f, t, t->axes.isa)->rivals[RIVAL_LOOP].time, t);
        else if (!axes_are_of_library(&t->axes) && !axes_are_of_anyone(&t->axes) && competes(s, t))
            keep_faster(&cell_for(f, t, t->axes.isa)->lab, t);
    }
    for (size_t i = 0; i < f->count; i++) {
        compare(&f->cells[i], r);
        f->compared += is_compared(&f->cells[i]);
    }
    qsort(f->cells, f->count, sizeof *f->cells, by_place);
    return 0;
}

void field_free(struct field *f)
{
    free(f->cells);
    *f = (struct field){0};
}

const char *field_shapes_of(const struct timing_result *t)
{
    return record_text(t->record, "shapes");
}

static struct field_mean mean_over(const struct field *f, const char *op, const char *isa,
                                   enum rival_kind kind, const char *shapes)
{
    double logs = 0;
    struct field_mean mean = {.ratio = NAN};
    for (size_t i = 0; i < f->count; i++) {
        const struct field_cell *c = &f->cells[i];
        const struct rival *rival = &c->rivals[kind];
        bool compared = rival->tied || !isnan(rival->ratio);
        if (!compared || strcmp(c->isa, isa) || strcmp(c->lab->axes.group, op) ||
            (shapes && strcmp(field_shapes_of(c->lab), shapes)))
            continue;
        mean.left_out += rival->tied;
        if (rival->tied) continue;
        logs += log(rival->ratio);
        mean.shapes++;
        mean.faster += rival->low > 1;
        mean.slower += rival->high < 1;
    }
    mean.equal = mean.shapes - mean.faster - mean.slower;
    if (mean.shapes) mean.ratio = exp(logs / (double)mean.shapes);
    return mean;
}

struct field_mean field_mean_of(const struct field *f, const char *op, const char *isa,
                                enum rival_kind kind)
{
    struct field_mean mean = mean_over(f, op, isa, kind, "default");
    return mean.shapes + mean.left_out ? mean : mean_over(f, op, isa, kind, NULL);
}

const char *field_op_of(const struct field_cell *c)
{
    return some_time(c)->axes.group;
}

bool field_ends_group(const struct field *f, size_t i)
{
    if (i + 1 == f->count) return true;
    const struct field_cell *a = &f->cells[i], *b = &f->cells[i + 1];
    return strcmp(field_op_of(a), field_op_of(b)) || strcmp(a->isa, b->isa);
}

struct field_count field_count_of(const struct timing_result *t)
{
    static const struct {
        const char *limit, *unit;
    } units[] = {
        {"ports-", "instructions"}, {"flops-", "flops"}, {"load-", "bytes"}, {"copy-", "bytes"}};
    const json_t *count = json_object_get(t->record, "limit_count_per_element");
    struct field_count c = {"-"};
    for (size_t i = 0; i < sizeof units / sizeof *units && json_is_number(count); i++)
        if (!strncmp(t->limit, units[i].limit, strlen(units[i].limit)))
            snprintf(c.text, sizeof c.text, "%.3g %s", json_number_value(count), units[i].unit);
    return c;
}

struct field_count field_instructions_of(const struct timing_result *t)
{
    static const char *const keys[] = {"mul", "add", "max", "other", "permute"};
    static const char *const names[] = {"fma+mul", "add", "max", "other", "of it permuting"};
    const json_t *counted = json_object_get(t->record, "instructions");
    struct field_count c = {"-"};
    size_t used = 0;
    for (size_t i = 0; counted && i < sizeof keys / sizeof *keys; i++) {
        double count = json_number_value(json_object_get(counted, keys[i]));
        if (count > 0 && used < sizeof c.text)
            used += (size_t)snprintf(c.text + used, sizeof c.text - used, "%s%.4g %s",
                                     used ? ", " : "", count, names[i]);
    }
    if (used && used < sizeof c.text)
        snprintf(c.text + used, sizeof c.text - used, " / %d",
                 (int)json_integer_value(json_object_get(counted, "lanes")));
    return c;
}

const char *peer_name(const struct axes *a)
{
    static const char prefix[] = "peer-";
    bool named = !strncmp(a->algorithm, prefix, sizeof prefix - 1);
    return a->algorithm + (named ? sizeof prefix - 1 : 0);
}
