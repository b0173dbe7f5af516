// SPDX-License-Identifier: MIT
#include "measure/accuracy_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "model/record.h"

enum { PROMISED_N = 4096 };

/* A kernel file's promise for one row. */
struct held {
    double ulp; /* 0: no maximum */
    bool specials, bound;
};

/* Rows whose sum of squares overflows are in no promise: their results are measured, and a bound
 * leaves them out. */
static struct held accuracy_row_held_to(const struct variant *v, const struct oracle *op,
                                        enum family family, size_t n, const struct score *s)
{
    if (!is_held_to_promises(v)) return (struct held){0};
    const struct promise *p = &v->kernel->promise;
    bool promised = op->unary || (family == FAMILY_NORMAL && n <= PROMISED_N);
    double ulp = policy_promises(v->policy) == PROMISES_OFF ? p->ulp_off : p->ulp_fused;
    return (struct held){promised && !s->overflowing ? ulp : 0, p->specials && !s->overflowing,
                         p->bound && s->bound.worst >= 0};
}

static void say_lost(const struct figures *f, char *reason, size_t size)
{
    snprintf(reason, size, "%" PRIu64 " of %" PRIu64 " results are lost; promised none", f->lost,
             f->elements);
}

/* Says why no promise bounds the errors of a variant that is held to promises. */
static void say_unbounded(const struct score *s, char *reason, size_t size)
{
    if (s->overflowing)
        snprintf(reason, size, "no bound promised: the squares of %zu rows overflow",
                 s->overflowing);
    else
        snprintf(reason, size, "no bound promised");
}

static void say_beyond(double max_ulp, double promised, char *reason, size_t size)
{
    snprintf(reason, size, "max_ulp %s, promised %s",
             number_marked(number_digits(max_ulp, 6), max_ulp, promised).text,
             number_digits(promised, 6).text);
}

/* Returns the number of special values that break the promise. If terms cancel, rounding decides
 * the sign of a result near zero, and whether it is zero: neither is then a special value. */
static uint64_t not_as_promised(const struct oracle *op, const struct figures *f)
{
    return op->sign_certain ? f->sign + f->zero + f->flushed : 0;
}

enum row_verdict row_verdict(const struct variant *v, const struct oracle *op, enum family family,
                             size_t n, const struct score *s, char *reason, size_t size)
{
    const struct figures *f = &s->all;
    const struct held held = accuracy_row_held_to(v, op, family, n, s);
    const uint64_t odd = not_as_promised(op, f);
    reason[0] = '\0';
    if (!s->mxcsr_kept)
        snprintf(reason, size, "leaves MXCSR, x87 or MMX changed");
    else if (f->lost && (held.ulp > 0 || held.specials))
        say_lost(f, reason, size);
    else if (held.ulp > 0 && f->max_ulp > held.ulp)
        say_beyond(f->max_ulp, held.ulp, reason, size);
    else if (held.specials && odd)
        snprintf(reason, size,
                 "specials: %" PRIu64 " of wrong sign, %" PRIu64 " zero, %" PRIu64
                 " subnormal ones flushed to zero; promised none",
                 f->sign, f->zero, f->flushed);
    else if (held.bound && s->bound.worst > 1)
        snprintf(reason, size, "%s times its proven bound", number_error(s->bound.worst, NAN).text);
    if (reason[0]) return VERDICT_BROKEN;
    if (!s->overflowing && (held.ulp > 0 || held.bound)) return VERDICT_KEPT;
    if (is_held_to_promises(v)) say_unbounded(s, reason, size);
    return VERDICT_MEASURED;
}

static json_t *accuracy_row_count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static void put_field(json_t *row, const char *key, json_t *value)
{
    json_object_set_new(row, key, value);
}

static const struct {
    const char *key;
    size_t offset;
} reals[] = {
#define FIGURE(f)                                                                                  \
    {                                                                                              \
#f, offsetof(struct figures, f)                                                            \
    }
    FIGURE(max_ulp),    FIGURE(mean_ulp),   FIGURE(bias_ulp),
    FIGURE(p50_ulp),    FIGURE(p99_ulp),    FIGURE(p9999_ulp),
    FIGURE(misrounded), FIGURE(unfaithful), FIGURE(scaled_error),
#undef FIGURE
};

static void accuracy_row_put_figures(json_t *row, const struct figures *f)
{
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        const double *value = (const double *)(const void *)((const char *)f + reals[i].offset);
        record_put_figure(row, reals[i].key, *value);
    }
    put_field(row, "lost", accuracy_row_count(f->lost));
}

static json_t *put_float(double value)
{
    return record_float((float)value);
}

/* Returns a result and its input: one element for a result per element, null for a result per row,
 * which depends on the whole row. */
static json_t *place_of(const struct accuracy_row *r, const struct place *p)
{
    if (!p->known) return json_null();
    const bool in_double = !strcmp(r->variant->dtype, dtype_f64.name);
    json_t *(*put)(double) = in_double ? record_double : put_float;
    json_t *input = r->oracle->elementwise ? put(p->input) : json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "row_seed", accuracy_row_count(r->seed),
                     "row", accuracy_row_count(p->row), "index", accuracy_row_count(p->index),
                     "input", input, "got", put(p->got), "want", record_hex(p->want));
}

/* Puts what is wrong, and how it stands beside the other variant's results. */
static void put_faults(json_t *row, const struct accuracy_row *r)
{
    const struct faults *f = &r->score->faults;
    char numbers[24];
    snprintf(numbers, sizeof numbers, "%016" PRIx64, f->numbers);
    put_field(row, "numbers", json_string(numbers));
    put_field(row, "compared", accuracy_row_count(f->compared));
    put_field(row, "wrong", accuracy_row_count(f->wrong));
    put_field(row, "answered", accuracy_row_count(f->answered));
    put_field(row, "flushed", accuracy_row_count(f->flushed));
    put_field(row, "wrong_at", place_of(r, &r->score->wrong));
    put_field(row, "error", record_real(f->measured ? f->error : NAN));
    record_put_figure(row, "mean_error", faults_mean(f));
    if (!r->beside) return;
    const double each = f->accurate ? (double)f->accurate : NAN;
    put_field(row, "beside",
              json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "id",
                        r->beside, "at", place_of(r, &r->score->beside), "payloads",
                        accuracy_row_count(f->payloads), "payload_at",
                        place_of(r, &r->score->payload), "wrong", accuracy_row_count(f->its_wrong),
                        "nan", accuracy_row_count(f->nan), "inf", accuracy_row_count(f->inf),
                        "zero", accuracy_row_count(f->zero), "error",
                        record_real(f->accurate ? f->here : NAN), "of_base",
                        record_real(f->accurate ? f->there : NAN), "mean",
                        record_real(f->here_sum / each), "mean_of_base",
                        record_real(f->there_sum / each)));
}

static json_t *accuracy_row_counts_of(const struct figures *f)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "nan", accuracy_row_count(f->nan), "inf",
                     accuracy_row_count(f->inf), "sign", accuracy_row_count(f->sign), "flushed",
                     accuracy_row_count(f->flushed), "zero", accuracy_row_count(f->zero));
}

/* The figures of each output: mean and variance, or y, mean and rstd. */
static json_t *accuracy_row_outputs_of(const struct accuracy_row *r)
{
    json_t *outputs = json_object();
    for (size_t o = 0; o < OUTPUTS_MAX && r->oracle->outputs[o]; o++) {
        json_t *figures = json_object();
        accuracy_row_put_figures(figures, &r->score->output[o]);
        put_field(figures, "counts", accuracy_row_counts_of(&r->score->output[o]));
        put_field(outputs, r->oracle->outputs[o], figures);
    }
    return outputs;
}

static json_t *eps(double ulp)
{
    return ulp > 0 ? record_real(ulp) : json_null();
}

static void put_score(json_t *row, const struct accuracy_row *r)
{
    const struct score *s = r->score;
    char bits[24];
    snprintf(bits, sizeof bits, "%016" PRIx64, s->bits);
    accuracy_row_put_figures(row, &s->all);
    put_field(row, "max_at", place_of(r, &s->worst));
    record_put_figure(row, "bound_ratio", s->bound.worst < 0 ? NAN : s->bound.worst);
    record_put_figure(row, "bound_ratio_probabilistic",
                      s->bound.worst < 0 ? NAN : s->bound.worst_probabilistic);
    if (s->bound.worst >= 0) {
        put_field(row, "exp_ulp", eps(bounds_exp_ulp(r->variant->kernel)));
        put_field(row, "log_ulp", eps(bounds_log_ulp(r->variant->kernel)));
    }
    put_field(row, "counts", accuracy_row_counts_of(&s->all));
    put_field(row, "beyond_oracle", accuracy_row_count(s->beyond));
    put_field(row, "bits", json_string(bits));
    if (r->oracle->outputs[1]) put_field(row, "outputs", accuracy_row_outputs_of(r));
    if (s->judged) put_faults(row, r);
}

static void accuracy_row_put_nothing(json_t *row)
{
    static const char *const keys[] = {"max_at", "bound_ratio", "bound_ratio_probabilistic",
                                       "lost",   "counts",      "beyond_oracle",
                                       "bits"};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        put_field(row, reals[i].key, json_null());
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) put_field(row, keys[i], json_null());
}

json_t *accuracy_record(const struct accuracy_row *r)
{
    json_t *row = json_pack("{s:s, s:s}", "record", "accuracy", "id", r->variant->id);
    const struct kernel *kernel = r->variant->kernel; /* NULL: unbuilt */
    if (r->oracle && oracle_is_affine(r->oracle)) put_field(row, "affine", json_true());
    put_field(row, "hazard", json_boolean(kernel && kernel->hazard));
    put_field(row, "family", r->family ? json_string(r->family) : json_null());
    put_field(row, "n", r->family ? accuracy_row_count(r->n) : json_null());
    if (r->inputs) put_field(row, "inputs", json_string(r->inputs));
    put_field(row, "elements", r->score ? accuracy_row_count(r->score->all.elements) : json_null());
    put_field(row, "grid", r->grid ? accuracy_row_count((uint64_t)r->grid) : json_null());
    put_field(row, "measure", accuracy_row_count(ULP_MEASURE));
    put_field(row, "status", json_string(status_name(r->status)));
    put_field(row, "verdict", r->score ? json_string(row_verdict_name(r->verdict)) : json_null());
    const char *source = r->oracle ? oracle_source(r->oracle) : NULL;
    if (source) put_field(row, "reference", json_string(source));
    if (r->oracle) put_field(row, "near_zero", json_boolean(!r->oracle->sign_certain));
    if (r->reason[0]) put_field(row, "reason", json_string(r->reason));
    if (r->score)
        put_score(row, r);
    else
        accuracy_row_put_nothing(row);
    return row;
}
