// SPDX-License-Identifier: MIT
#include "study/identify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/battery.h"
#include "measure/stage.h"
#include "model/dtype.h"

struct matching {
    const struct identify_plan *plan;
    const struct oracle *oracle;
    const char *dtype; /* of the variants that are compared */
    /* Which outputs are compared: `columns` of them from `first` on, of y or of stats. */
    bool stats;
    size_t first, columns;
    const struct dtype *type; /* in whose steps results are apart */
    const void *got;          /* as variants compute: floats or doubles */
    struct identification *found;

    struct stage stage; /* the child's */
    char *picked;       /* [rows, columns], as variants compute */
};

/* ---- What is compared ------------------------------------------------------------------------ */

static int choose_outputs(struct matching *s, struct error *e)
{
    const struct identify_plan *p = s->plan;
    s->oracle = oracle_find(p->op);
    if (!s->oracle)
        return fail(e, EXIT_USAGE, "identify: %s: unknown operation; 'ulplab list' shows them",
                    p->op);
    size_t value = 0, whole = s->oracle->elementwise ? 1 : 0;
    s->columns = oracle_results(s->oracle, p->in->cols);
    if (!p->stat) return 0;
    while (value < OUTPUTS_MAX && s->oracle->outputs[value] &&
           strcmp(s->oracle->outputs[value], p->stat) != 0)
        value++;
    if (value >= OUTPUTS_MAX || !s->oracle->outputs[value] || value < whole)
        return fail(e, EXIT_USAGE, "--stat: %s: %s gives no such value per row; see --help",
                    p->stat, p->op);
    s->stats = s->oracle->elementwise;
    s->first = value - whole;
    s->columns = 1;
    return 0;
}

static int check_shape(const struct matching *s, struct error *e)
{
    const struct npy *in = s->plan->in, *got = s->plan->got;
    if (got->rows * got->cols == in->rows * s->columns &&
        (s->columns == 1 || got->cols == s->columns))
        return 0;
    return fail(e, EXIT_BAD_INPUT,
                "--got: %zu x %zu values: %s of %zu x %zu inputs gives %zu x %zu; %s", got->rows,
                got->cols, s->plan->op, in->rows, in->cols, in->rows, s->columns,
                s->oracle->columns && !s->plan->stat ? "name one value per row with --stat"
                                                     : "give the result of these inputs");
}

/* ---- The child ------------------------------------------------------------------------------- */

static int identify_prepare_block(void *context, size_t block, struct error *e)
{
    (void)block;
    struct matching *s = context;
    const struct npy *in = s->plan->in;
    const struct dtype *type = dtype_of(s->found->rows[0].variant->kernel);
    int code =
        stage_open(&s->stage, s->oracle, type, in->rows, in->cols, s->plan->threads, false, e);
    if (code) return code;
    struct stage *g = &s->stage;
    const bool in_double = g->computed == &dtype_f64;
    const size_t bytes = g->computed->bytes;
    const char *rows =
        in_double && in->doubles ? (const char *)in->doubles : (const char *)in->data;
    for (size_t c = 0; c < g->chunks; c++) {
        const size_t first = c * g->chunk_rows * in->cols, n = stage_chunk_rows(g, c) * in->cols;
        if (in_double && !in->doubles)
            dtype_f64.narrow(in->data + first, stage_x(g, c), n);
        else
            memcpy(stage_x(g, c), rows + first * bytes, n * bytes);
    }
    stage_give_affine(g, &s->plan->parameters);
    stage_lock_input(g, true);
    s->picked = memory_zeroed(in->rows * s->columns + 1, bytes);
    return 0;
}

static void pick_outputs(const struct matching *s)
{
    const struct stage *g = &s->stage;
    char *to = s->picked;
    const size_t bytes = g->computed->bytes, row = s->columns * bytes;
    size_t stride = s->stats ? g->stats_columns : g->columns;
    for (size_t c = 0; c < g->chunks; c++) {
        const char *from = s->stats ? stage_stats(g, c) : stage_y(g, c);
        for (size_t r = 0; r < stage_chunk_rows(g, c); r++, to += row)
            memcpy(to, from + (r * stride + s->first) * bytes, row);
    }
}

static size_t identify_measure_variant(void *context, size_t block, size_t variant, void *result)
{
    (void)block;
    struct matching *s = context;
    struct parameters given = s->plan->parameters;
    given.bare = true; /* nothing is added to what the user has given */
    stage_run(&s->stage, s->found->rows[variant].variant->kernel, &given, NULL);
    pick_outputs(s);
    struct distance d =
        distance_between(s->picked, s->got, s->plan->in->rows * s->columns, s->type);
    memcpy(result, &d, sizeof d);
    return sizeof d;
}

/* ---- The parent ------------------------------------------------------------------------------ */

static bool identify_has_work(void *context, size_t block, size_t variant)
{
    (void)context, (void)block, (void)variant;
    return true;
}

static int identify_take_outcome(void *context, size_t block, size_t variant, enum status status,
                                 bool here, const void *result, struct error *e)
{
    (void)block, (void)here, (void)e;
    struct identify_row *row = &((struct matching *)context)->found->rows[variant];
    row->status = status;
    if (status == STATUS_OK) memcpy(&row->distance, result, sizeof row->distance);
    return 0;
}

static int nearest_first(const void *a, const void *b)
{
    const struct identify_row *x = a, *y = b;
    bool x_ok = x->status == STATUS_OK, y_ok = y->status == STATUS_OK;
    if (x_ok != y_ok) return y_ok - x_ok;
    const struct distance *d = &x->distance, *f = &y->distance;
    if (d->mismatched != f->mismatched) return d->mismatched < f->mismatched ? -1 : 1;
    if (d->max_ulp != f->max_ulp) return d->max_ulp < f->max_ulp ? -1 : 1;
    return strcmp(x->variant->id, y->variant->id);
}

/* ---- What it means --------------------------------------------------------------------------- */

/* Returns the values of the exact rows on an axis. */
static struct names exact_values(const struct identification *f, enum axis a)
{
    struct names values = {.count = 0};
    for (size_t i = 0; i < f->exact; i++) names_add(&values, axis_value(f->rows[i].variant, a));
    return values;
}

/* Writes the name, then each value once: "policy off, on or default". */
static void write_values(FILE *out, const struct identification *f, const char *name, enum axis a)
{
    const struct names values = exact_values(f, a);
    fputs(name, out);
    for (size_t k = 0; k < values.count; k++)
        fprintf(out, "%s%s", k == 0 ? " " : k + 1 == values.count ? " or " : ", ", values.items[k]);
}

/* Returns a sentence on whether multiplications and additions were fused, by the machine code of
 * the exact variants: where one of them has no FMA, these bits need none. Empty where the policy
 * does not decide it for a kernel. */
static const char *contraction(const struct identification *f)
{
    bool separate = false;
    for (size_t i = 0; i < f->exact; i++) {
        const struct variant *v = f->rows[i].variant;
        if (v->kernel->arithmetic != ARITHMETIC_POLICY) return "";
        separate = separate || !v->build->counts.fma;
    }
    return separate ? ", no contraction" : ", contracted";
}

static void write_exact(FILE *out, const struct identification *f)
{
    unsigned lanes = f->rows[0].variant->kernel->lanes;
    for (size_t i = 1; i < f->exact; i++)
        if (f->rows[i].variant->kernel->lanes != lanes) lanes = 0;
    fprintf(out, "%zu variant%s exactly these bits: %s", f->exact,
            f->exact == 1 ? " computes" : "s compute",
            f->common[AXIS_ALGORITHM] ? f->common[AXIS_ALGORITHM] : "");
    if (!f->common[AXIS_ALGORITHM]) write_values(out, f, "algorithm", AXIS_ALGORITHM);
    if (lanes) fprintf(out, ", %u lane%s", lanes, lanes == 1 ? "" : "s");
    fputs(contraction(f), out);
    write_values(out, f, ", isa", AXIS_ISA);
    write_values(out, f, ", compiler", AXIS_CC);
    write_values(out, f, ", policy", AXIS_POLICY);
    fputc('.', out);
}

static void write_nearest(FILE *out, const struct identification *f)
{
    const struct identify_row *row = &f->rows[0];
    fprintf(out,
            "no variant of this build computes these bits; the nearest, %s, differs in %.3g%% of "
            "the elements, by at most %llu ulp of %s.",
            row->variant->id, 100 * distance_share(&row->distance, row->distance.mismatched),
            (unsigned long long)row->distance.max_ulp, f->unit);
}

static int identification_conclude(struct identification *f, const char *op, struct error *e)
{
    qsort(f->rows, f->count, sizeof *f->rows, nearest_first);
    if (f->rows[0].status != STATUS_OK)
        return fail(e, EXIT_PARTIAL,
                    "identify: %s: no variant ran to completion; see 'ulplab accuracy'", op);
    while (f->exact < f->count && f->rows[f->exact].status == STATUS_OK &&
           !f->rows[f->exact].distance.mismatched)
        f->exact++;
    for (enum axis a = 0; a < AXIS_COUNT; a++) {
        const struct names values = exact_values(f, a);
        f->common[a] = values.count == 1 ? values.items[0] : NULL;
    }
    size_t size = 0;
    FILE *out = memory_text(&f->sentence, &size);
    if (f->exact)
        write_exact(out, f);
    else
        write_nearest(out, f);
    memory_text_close(out);
    return 0;
}

static bool is_candidate(const struct variant *v, const struct identify_plan *plan)
{
    return !strcmp(v->op, plan->op) && v->status == STATUS_OK && !v->study;
}

/* Chooses the type of the compared kernels: half-precision results are those of kernels that store
 * them, and doubles of which some are no floats those of kernels of double; others are fp32's, or
 * of the type that --filter names. */
static const char *choose_dtype(const struct identify_plan *plan, const struct registry *r)
{
    const struct npy *got = plan->got;
    const char *wanted = got->half ? "f16" : got->doubles && got->rounded ? "f64" : "f32";
    const char *first = wanted;
    for (size_t i = 0, seen = 0; i < r->count; i++) {
        if (!is_candidate(&r->variants[i], plan)) continue;
        if (!strcmp(r->variants[i].dtype, wanted)) return wanted;
        if (!seen++) first = r->variants[i].dtype;
    }
    return first;
}

/* Chooses the type in whose steps distances are: the variants' where the results are values of it,
 * else fp32, as for results per row. */
static void identify_choose_steps(struct matching *s)
{
    const struct npy *got = s->plan->got;
    s->type = &dtype_f64;
    s->found->unit = s->type->name;
    if (!strcmp(s->dtype, "f64")) return;
    s->type = s->oracle->elementwise && !s->stats ? dtype_find(s->dtype) : &dtype_f32;
    if (!distance_all_of(got->data, got->rows * got->cols, s->type)) s->type = &dtype_f32;
    s->found->unit = s->type->name;
}

/* Returns the results as variants of the type compute: those of a file of floats as doubles, which
 * the caller frees, or the file's. */
static const void *got_as(const struct identify_plan *plan, const char *dtype, void **own)
{
    const struct npy *got = plan->got;
    if (strcmp(dtype, "f64") != 0) return got->data;
    if (got->doubles) return got->doubles;
    *own = memory_zeroed(got->rows * got->cols, sizeof(double));
    dtype_f64.narrow(got->data, *own, got->rows * got->cols);
    return *own;
}

int identify_run(const struct identify_plan *plan, const struct registry *r,
                 struct identification *found, struct error *e)
{
    *found = (struct identification){.rows = memory_zeroed(r->count + 1, sizeof *found->rows)};
    struct matching s = {.plan = plan, .found = found};
    int code = choose_outputs(&s, e);
    if (!code) code = check_shape(&s, e);
    s.dtype = choose_dtype(plan, r);
    void *own = NULL;
    s.got = got_as(plan, s.dtype, &own);
    if (!code) identify_choose_steps(&s);
    for (size_t i = 0; i < r->count && !code; i++)
        if (is_candidate(&r->variants[i], plan) && !strcmp(r->variants[i].dtype, s.dtype))
            found->rows[found->count++].variant = &r->variants[i];
    if (!code && !found->count)
        code = fail(e, EXIT_USAGE, "identify: %s: no variant of it can run here; see 'ulplab list'",
                    plan->op);
    if (!code) {
        struct battery battery = {.blocks = 1,
                                  .variants = found->count,
                                  .silence_s = plan->silence_s,
                                  .context = &s,
                                  .has_work = identify_has_work,
                                  .prepare_block = identify_prepare_block,
                                  .measure_variant = identify_measure_variant,
                                  .take_outcome = identify_take_outcome};
        code = battery_run(&battery, e);
    }
    free(own);
    if (!code) code = identification_conclude(found, plan->op, e);
    if (code) identification_close(found);
    return code;
}

void identification_close(struct identification *f)
{
    free(f->rows);
    free(f->sentence);
    *f = (struct identification){0};
}
