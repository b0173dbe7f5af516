// SPDX-License-Identifier: MIT
#include "measure/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/progress.h"
#include "measure/battery.h"
#include "measure/limits.h"
#include "measure/peers.h"
#include "measure/promises.h"
#include "measure/score.h"
#include "measure/stage.h"
#include "model/record.h"

/* ---- One operation and dtype ----------------------------------------------------------------- */

/* Variants with equal bits and the same bound share a score, which is computed once. Variants with
 * equal machine code have equal bits without being run. */
struct known_score {
    const struct kernel *kernel;
    struct score score;
};
struct known_code {
    uint64_t hash;
    const struct known_score *score;
};

struct operation {
    const struct accuracy_request *plan;
    const struct input_blocks *blocks;
    const struct oracle *oracle;
    const struct dtype *type;
    const struct variant **variants;
    size_t count;
    bool *done; /* [blocks, variants] */

    /* Members of the child, for the current block. */
    struct stage stage;
    struct exact_block exact;
    struct known_score *known;
    struct known_code *codes;
    size_t known_count, code_count;
    char *beside; /* as the stage has them: the results of variants[0], which the plan names; NULL:
                     not yet */

    /* Members of the parent. */
    struct record_sink sink;
    struct tally *tally;
    struct progress progress;
    double share_begin, share_each; /* of the whole run's progress */
    char (*last_words)[64];         /* per variant: where it died */
};

/* ---- Whether a variant keeps its file's promises on a block ---------------------------------- */

enum { PROMISED_N = 4096 };

/* Says why no promise bounds the errors of a variant that is held to promises. */
static void say_unbounded(const struct score *s, char *reason, size_t size)
{
    if (s->overflowing)
        snprintf(reason, size, "no bound promised: the squares of %zu rows overflow",
                 s->overflowing);
    else
        snprintf(reason, size, "no bound promised");
}

/* A hazard, and a policy that promises nothing, break none. Rows whose sum of squares overflows are
 * in no promise: their results are measured, and a bound leaves them out. */
enum row_verdict row_verdict(const struct variant *v, const struct oracle *op, enum family family,
                             size_t n, const struct score *s, char *reason, size_t size)
{
    const struct ulp_stats *all = &s->all.stats;
    /* If terms cancel, rounding decides the sign of a result near zero, and whether it is zero:
     * neither is then a special value. */
    const uint64_t certain = op->sign_certain;
    const struct found found = {.modes_kept = s->mxcsr_kept,
                                .where = "",
                                .largest = "max_ulp",
                                .digits = 6,
                                .max = all->max,
                                .lost = all->lost,
                                .sign = certain * all->sign,
                                .zero = certain * all->zero,
                                .flushed = certain * all->flushed,
                                .results = ulp_elements(all)};
    const bool is_held = is_held_to_promises(v);
    const bool bound = is_held && v->kernel->promise.bound && s->bound.worst >= 0;
    struct held held = promises_of(v);
    if (s->overflowing || (!op->unary && (family != FAMILY_NORMAL || n > PROMISED_N))) held.ulp = 0;
    if (s->overflowing) held.specials = false;
    if (!promises_kept(&held, &found, reason, size)) return VERDICT_BROKEN;
    if (bound && s->bound.worst > 1) {
        snprintf(reason, size, "%s times its proven bound", number_error(s->bound.worst, NAN).text);
        return VERDICT_BROKEN;
    }
    if (!s->overflowing && (held.ulp > 0 || bound)) return VERDICT_KEPT;
    if (is_held) say_unbounded(s, reason, size);
    return VERDICT_MEASURED;
}

/* ---- The record of a variant on a block ------------------------------------------------------ */

static json_t *count_record(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static void put_field(json_t *row, const char *key, json_t *value)
{
    json_object_set_new(row, key, value);
}

/* The fields of a score in a row, in the same order as in a row without a score: figures of each
 * output first. */
static const char *const score_keys[] = {
    "max_ulp",      "mean_ulp",  "bias_ulp",      "p50_ulp",
    "p99_ulp",      "p9999_ulp", "misrounded",    "unfaithful",
    "scaled_error", "max_at",    "bound_ratio",   "bound_ratio_probabilistic",
    "lost",         "counts",    "beyond_oracle", "bits"};

static void put_figures(json_t *row, const struct figures *f)
{
    const struct ulp_stats *s = &f->stats;
    const double values[] = {s->measured ? s->max : (double)NAN,
                             ulp_mean(s),
                             ulp_bias(s),
                             f->p50,
                             f->p99,
                             f->p9999,
                             ulp_misrounded(s),
                             ulp_unfaithful(s),
                             f->scaled};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        record_put_figure(row, score_keys[i], values[i]);
    put_field(row, "lost", count_record(s->lost));
}

static json_t *put_float(double value)
{
    return record_float((float)value);
}

/* Returns a result and its input: one element for a result per element, null for a result per row,
 * which depends on the whole row. */
static json_t *place_of(const struct operation *o, const struct place *p)
{
    if (!p->known) return json_null();
    json_t *(*put)(double) = o->type == &dtype_f64 ? record_double : put_float;
    json_t *input = o->oracle->elementwise ? put(p->input) : json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "row_seed", count_record(o->plan->seed),
                     "row", count_record(p->row), "index", count_record(p->index), "input", input,
                     "got", put(p->got), "want", record_hex(p->want));
}

/* Puts the faults, and the comparison with the other variant's results. */
static void put_faults(json_t *row, const struct operation *o, const struct score *s)
{
    const struct faults *f = &s->faults;
    put_field(row, "numbers", hash_record(f->numbers));
    put_field(row, "compared", count_record(f->compared));
    put_field(row, "wrong", count_record(f->wrong));
    put_field(row, "answered", count_record(f->answered));
    put_field(row, "flushed", count_record(f->flushed));
    put_field(row, "wrong_at", place_of(o, &s->wrong));
    put_field(row, "error", record_real(f->measured ? f->error : NAN));
    record_put_figure(row, "mean_error", faults_mean(f));
    if (!s->has_beside) return;
    const double each = f->accurate ? (double)f->accurate : NAN;
    put_field(row, "beside",
              json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "id",
                        o->plan->beside, "at", place_of(o, &s->beside), "payloads",
                        count_record(f->payloads), "payload_at", place_of(o, &s->payload), "wrong",
                        count_record(f->its_wrong), "nan", count_record(f->nan), "inf",
                        count_record(f->inf), "zero", count_record(f->zero), "error",
                        record_real(f->accurate ? f->here : NAN), "of_base",
                        record_real(f->accurate ? f->there : NAN), "mean",
                        record_real(f->here_sum / each), "mean_of_base",
                        record_real(f->there_sum / each)));
}

/* The figures of each output: mean and variance, or y, mean and rstd. */
static json_t *outputs_record(const struct operation *o, const struct score *s)
{
    json_t *outputs = json_object();
    for (size_t i = 0; i < OUTPUTS_MAX && o->oracle->outputs[i]; i++) {
        json_t *figures = json_object();
        put_figures(figures, &s->output[i]);
        put_field(figures, "counts", counts_record(&s->output[i].stats));
        put_field(outputs, o->oracle->outputs[i], figures);
    }
    return outputs;
}

static json_t *eps(double ulp)
{
    return ulp > 0 ? record_real(ulp) : json_null();
}

static void put_score(json_t *row, const struct operation *o, const struct variant *v,
                      const struct score *s)
{
    put_figures(row, &s->all);
    put_field(row, "max_at", place_of(o, &s->worst));
    record_put_figure(row, "bound_ratio", s->bound.worst < 0 ? NAN : s->bound.worst);
    record_put_figure(row, "bound_ratio_probabilistic",
                      s->bound.worst < 0 ? NAN : s->bound.worst_probabilistic);
    if (s->bound.worst >= 0) {
        put_field(row, "exp_ulp", eps(bounds_exp_ulp(v->kernel)));
        put_field(row, "log_ulp", eps(bounds_log_ulp(v->kernel)));
    }
    put_field(row, "counts", counts_record(&s->all.stats));
    put_field(row, "beyond_oracle", count_record(s->beyond));
    put_field(row, "bits", hash_record(s->bits));
    if (o->oracle->outputs[1]) put_field(row, "outputs", outputs_record(o, s));
    if (s->judged) put_faults(row, o, s);
}

/* in: NULL for a variant that is measured on no block; s: NULL where nothing was measured; reason:
 * "" if there is none. */
static json_t *accuracy_record(const struct operation *o, const struct variant *v,
                               const struct input_block *in, const struct score *s,
                               enum status status, enum row_verdict verdict, const char *reason)
{
    json_t *row = json_pack("{s:s, s:s}", "record", "accuracy", "id", v->id);
    const struct kernel *kernel = v->kernel; /* NULL: unbuilt */
    const struct adversarial_block *adversarial = in ? in->adversarial : NULL;
    const int grid = adversarial ? 0 : o->blocks->grid;
    if (o->oracle && oracle_is_affine(o->oracle)) put_field(row, "affine", json_true());
    put_field(row, "hazard", json_boolean(kernel && kernel->hazard));
    put_field(row, "family", in ? json_string(input_block_family(in)) : json_null());
    put_field(row, "n", in ? count_record(in->n) : json_null());
    if (adversarial) put_field(row, "inputs", json_string(adversarial->hash));
    put_field(row, "elements", s ? count_record(ulp_elements(&s->all.stats)) : json_null());
    put_field(row, "grid", grid ? count_record((uint64_t)grid) : json_null());
    put_field(row, "measure", count_record(ULP_MEASURE));
    put_field(row, "status", json_string(status_name(status)));
    put_field(row, "verdict", s ? json_string(row_verdict_name(verdict)) : json_null());
    const char *source = o->oracle ? oracle_source(o->oracle) : NULL;
    if (source) put_field(row, "reference", json_string(source));
    if (o->oracle) put_field(row, "near_zero", json_boolean(!o->oracle->sign_certain));
    if (reason[0]) put_field(row, "reason", json_string(reason));
    if (s) put_score(row, o, v, s);
    for (size_t i = 0; !s && i < sizeof score_keys / sizeof *score_keys; i++)
        put_field(row, score_keys[i], json_null());
    return row;
}

/* ---- Its variants over the blocks ------------------------------------------------------------ */

static bool accuracy_has_work(void *context, size_t block, size_t variant)
{
    const struct operation *o = context;
    const struct adversarial_block *found = o->blocks->items[block].adversarial;
    return (!found || !strcmp(found->op, o->oracle->op)) && !o->done[block * o->count + variant];
}

/* Makes a row of the block: the given one, or that of its family. */
static void make_input(const struct operation *o, const struct input_block *in, size_t row, void *x)
{
    const size_t n = o->stage.n, bytes = o->stage.computed->bytes;
    const float *given = in->adversarial ? in->adversarial->x : o->plan->input;
    const double *given_f64 = in->adversarial ? NULL : o->plan->input_f64;
    const bool in_double = o->stage.computed == &dtype_f64;
    if (in_double && given_f64)
        memcpy(x, given_f64 + row * n, n * bytes);
    else if (given)
        o->stage.computed->narrow(given + row * n, x, n);
    else if (in_double)
        f64_inputs_row(in->family, o->oracle->domain, o->plan->seed, row, n, x);
    else
        inputs_row(in->family, o->oracle->domain, o->plan->seed, row, n, x);
}

static void fill_input(const struct operation *o, const struct input_block *in)
{
    const struct stage *s = &o->stage;
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (size_t c = 0; c < s->chunks; c++)
        for (size_t r = 0; r < stage_chunk_rows(s, c); r++)
            make_input(o, in, c * s->chunk_rows + r,
                       (char *)stage_x(s, c) + r * s->n * s->computed->bytes);
}

static int accuracy_prepare_block(void *context, size_t block, struct error *e)
{
    struct operation *o = context;
    const struct input_block *in = &o->blocks->items[block];
    stage_close(&o->stage);
    exact_close(&o->exact);
    o->known_count = o->code_count = 0;
    free(o->beside);
    o->beside = NULL;
    int code =
        stage_open(&o->stage, o->oracle, o->type, in->rows, in->n, o->plan->threads, true, e);
    if (code) return code;
    o->stage.caches = o->plan->caches;
    stage_give_affine(&o->stage, &o->plan->parameters);
    fill_input(o, in);
    stage_lock_input(&o->stage, true);
    exact_open(&o->exact, o->oracle, &o->plan->parameters, &o->stage);
    return 0;
}

static bool accuracy_is_named(const struct operation *o, size_t variant)
{
    return o->plan->beside && !strcmp(o->variants[variant]->id, o->plan->beside);
}

/* Keeps the results on the stage for the variants that are compared with them. */
static void keep_results(struct operation *o)
{
    const struct stage *s = &o->stage;
    const size_t row = s->columns * s->computed->bytes;
    o->beside = memory_new(s->rows * row + 1);
    for (size_t c = 0; c < s->chunks; c++)
        memcpy(o->beside + c * s->chunk_rows * row, stage_y(s, c), stage_chunk_rows(s, c) * row);
}

/* Runs the reference variant in a child that has not run it yet, because an earlier child ended; it
 * has returned from this block before. */
static void run_named(struct operation *o)
{
    if (o->beside || !accuracy_is_named(o, 0) || o->last_words[0][0]) return;
    const struct kernel runnable = variant_kernel(o->variants[0]);
    stage_run(&o->stage, &runnable, &o->plan->parameters, NULL);
    keep_results(o);
}

static const struct known_score *score_of_code(const struct operation *o, const struct variant *v)
{
    for (size_t i = 0; v->build && i < o->code_count; i++)
        if (o->codes[i].hash == v->build->code_hash &&
            bounds_equal(o->codes[i].score->kernel, v->kernel))
            return o->codes[i].score;
    return NULL;
}

/* Returns the score of the outputs on the stage, computed unless an earlier variant had these bits.
 */
static const struct known_score *score_of_bits(struct operation *o, const struct kernel *k,
                                               uint64_t bits)
{
    size_t i = 0;
    while (i < o->known_count &&
           (o->known[i].score.bits != bits || !bounds_equal(o->known[i].kernel, k)))
        i++;
    struct known_score *known = &o->known[i];
    if (i < o->known_count) return known;
    score_outputs(&known->score, &(struct scoring){.op = o->oracle,
                                                   .kernel = k,
                                                   .parameters = &o->plan->parameters,
                                                   .stage = &o->stage,
                                                   .exact = &o->exact,
                                                   .judged = o->plan->beside != NULL,
                                                   .beside = o->beside});
    known->score.bits = bits;
    known->kernel = k;
    o->known_count++;
    return known;
}

static size_t accuracy_measure_variant(void *context, size_t block, size_t variant, void *result)
{
    (void)block;
    struct operation *o = context;
    const struct variant *v = o->variants[variant];
    const struct known_score *known = score_of_code(o, v);
    bool mxcsr_kept = true;
    if (!known) {
        const struct kernel runnable = variant_kernel(v);
        uint64_t bits;
        if (variant) run_named(o);
        mxcsr_kept = stage_run(&o->stage, &runnable, &o->plan->parameters, &bits);
        if (!variant && accuracy_is_named(o, 0)) keep_results(o);
        known = score_of_bits(o, v->kernel, bits);
        /* Code that changes modes is run for each of its variants. */
        if (mxcsr_kept && v->build)
            o->codes[o->code_count++] = (struct known_code){v->build->code_hash, known};
    }
    struct score score = known->score;
    score.mxcsr_kept = mxcsr_kept;
    memcpy(result, &score, sizeof score);
    return sizeof score;
}

/* Promises hold for the default parameters; under others the rows are of no promised family. */
static enum family promised_family(const struct operation *o, const struct input_block *in)
{
    const struct parameters *p = &o->plan->parameters, *d = &parameters_default;
    bool same =
        p->scale == d->scale && p->eps == d->eps && p->gamma == d->gamma && p->beta == d->beta;
    return same ? in->family : FAMILY_COUNT;
}

static int accuracy_take_outcome(void *context, size_t block, size_t variant, enum status status,
                                 bool here, const void *result, struct error *e)
{
    struct operation *o = context;
    const struct input_block *in = &o->blocks->items[block];
    const struct variant *v = o->variants[variant];
    struct score score = {.bits = 0};
    char reason[128] = "";
    enum row_verdict verdict = VERDICT_MEASURED;
    if (status == STATUS_OK) {
        memcpy(&score, result, sizeof score);
        verdict =
            row_verdict(v, o->oracle, promised_family(o, in), in->n, &score, reason, sizeof reason);
        if (verdict == VERDICT_BROKEN) status = STATUS_WRONG;
    } else if (here) {
        snprintf(o->last_words[variant], sizeof *o->last_words, "%s, n = %zu",
                 input_block_family(in), in->n);
    } else if (o->last_words[variant][0]) {
        snprintf(reason, sizeof reason, "not run: it ended so on %s", o->last_words[variant]);
    } else { /* No kernel ran: a user's reference crashed. */
        snprintf(reason, sizeof reason, "the reference of '%s' in %s ended so, not the kernel",
                 o->oracle->op, oracle_source(o->oracle));
    }
    tally_add(o->tally, status);
    progress_update(&o->progress,
                    o->share_begin + o->share_each * (double)(block * o->count + variant), v->id);
    const bool measured = status == STATUS_OK || status == STATUS_WRONG;
    json_t *record = accuracy_record(o, v, in, measured ? &score : NULL, status, verdict, reason);
    return o->sink.put(o->sink.context, record, e);
}

/* ---- The run --------------------------------------------------------------------------------- */

/* Returns whether the operation has exact values in the type. */
static bool has_oracle(const struct operation *o)
{
    if (!o->oracle) return false;
    return o->type != &dtype_f64 || o->oracle->row_f64 || f64_oracle_find(o->oracle->op);
}

/* Puts one row for a variant that is measured on no block. */
static int put_unmeasured(const struct operation *o, const struct variant *v, const json_t *done,
                          struct error *e)
{
    if (resume_has(done, v->id, "", 0)) return 0;
    char reason[256];
    enum status status = v->status;
    snprintf(reason, sizeof reason, "%s", v->reason);
    if (!o->oracle && status == STATUS_OK) {
        status = STATUS_SKIPPED;
        oracle_missing(v->op, reason, sizeof reason);
    } else if (!has_oracle(o) && status == STATUS_OK) {
        status = STATUS_SKIPPED;
        snprintf(reason, sizeof reason, "no oracle of '%s' in double", v->op);
    } else if (!o->type && status == STATUS_OK) {
        status = STATUS_SKIPPED;
        snprintf(reason, sizeof reason, "the dtype '%s' is unknown", v->dtype);
    }
    tally_add(o->tally, status);
    json_t *record = accuracy_record(o, v, NULL, NULL, status, VERDICT_MEASURED, reason);
    return o->sink.put(o->sink.context, record, e);
}

/* A peer's variants form a separate operation: they run in processes that load nothing else. */
static bool same_operation(const struct variant *a, const struct variant *b)
{
    return !strcmp(a->op, b->op) && !strcmp(a->dtype, b->dtype) && a->peer == b->peer;
}

/* Collects the operation's variants that can be measured; the others get their row at once. */
static int accuracy_collect_variants(struct operation *o, const struct registry *r,
                                     const struct variant *like, const json_t *done,
                                     struct error *e)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (v->study || !same_operation(v, like)) continue;
        if (has_oracle(o) && o->type && v->status == STATUS_OK) {
            o->variants[o->count++] = v;
            if (accuracy_is_named(o, o->count - 1)) {
                o->variants[o->count - 1] = o->variants[0];
                o->variants[0] = v; /* first, so that every other one finds its results */
            }
            continue;
        }
        int code = put_unmeasured(o, v, done, e);
        if (code) return code;
    }
    for (size_t b = 0; b < o->blocks->count; b++)
        for (size_t v = 0; v < o->count; v++) {
            const struct input_block *in = &o->blocks->items[b];
            o->done[b * o->count + v] =
                resume_has(done, o->variants[v]->id, input_block_family(in), in->n);
        }
    return 0;
}

static int accuracy_run_operation(struct operation *o, const struct registry *r,
                                  const struct variant *like, const json_t *done, struct error *e)
{
    o->oracle = oracle_find(like->op);
    o->type = dtype_find(like->dtype);
    o->count = 0;
    memset(o->last_words, 0, r->count * sizeof *o->last_words);
    int code = accuracy_collect_variants(o, r, like, done, e);
    if (code || o->count == 0) return code;
    struct battery battery = {.blocks = o->blocks->count,
                              .variants = o->count,
                              .silence_s = o->plan->silence_s,
                              .context = o,
                              .has_work = accuracy_has_work,
                              .prepare_block = accuracy_prepare_block,
                              .foreign = oracle_source(o->oracle) != NULL,
                              .measure_variant = accuracy_measure_variant,
                              .take_outcome = accuracy_take_outcome};
    code = battery_run(&battery, e);
    o->share_begin += o->share_each * (double)(o->blocks->count * o->count);
    return code;
}

static bool accuracy_seen_before(const struct registry *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_operation(&r->variants[k], &r->variants[i])) return true;
    return false;
}

int accuracy_run(const struct accuracy_request *plan, const struct registry *r,
                 struct record_sink sink, struct tally *tally, struct error *e)
{
    *tally = (struct tally){0};
    struct input_blocks blocks;
    int code = input_blocks_of(plan, &blocks, e);
    if (code) return code;
    struct operation o = {.plan = plan,
                          .blocks = &blocks,
                          .sink = sink,
                          .tally = tally,
                          .share_each = 1 / (double)(blocks.count * r->count + 1),
                          .variants = memory_zeroed(r->count + 1, sizeof *o.variants),
                          .known = memory_zeroed(r->count + 1, sizeof *o.known),
                          .codes = memory_zeroed(r->count + 1, sizeof *o.codes),
                          .last_words = memory_zeroed(r->count + 1, sizeof *o.last_words),
                          .done = memory_zeroed(blocks.count * r->count + 1, sizeof *o.done)};
    json_t *done = resume_keys(plan->done, "n");
    progress_begin(&o.progress, plan->first ? "errors" : "accuracy", plan->quiet);
    for (size_t i = 0; i < r->count && !code; i++)
        if (!accuracy_seen_before(r, i))
            code = accuracy_run_operation(&o, r, &r->variants[i], done, e);
    progress_end(&o.progress);
    json_decref(done);
    free(o.beside);
    free(o.variants);
    free(o.known);
    free(o.codes);
    free(o.last_words);
    free(o.done);
    free(blocks.items);
    return code ? code : tally_verdict(tally, "accuracy", "rows", e);
}
