#include "measure/accuracy_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "model/record.h"

enum { PROMISED_N = 4096 };

static double promised_ulp(const struct variant *v, const struct oracle *op, enum family family,
                           size_t n)
{
    if (!op->unary && (family != FAMILY_NORMAL || n > PROMISED_N)) return 0;
    const struct promise *p = &v->kernel->promise;
    return policy_promises(v->policy) == PROMISES_OFF ? p->ulp_off : p->ulp_fused;
}

bool promises_kept(const struct variant *v, const struct oracle *op, enum family family, size_t n,
                   const struct score *s, char *reason, size_t reason_size)
{
    reason[0] = '\0';
    if (!s->mxcsr_kept) {
        snprintf(reason, reason_size, "leaves MXCSR changed");
        return false;
    }
    if (!is_held_to_promises(v)) return true;
    double limit = promised_ulp(v, op, family, n);
    if (limit > 0 && s->all.max_ulp > limit) {
        snprintf(reason, reason_size, "max_ulp %.4g, promised %.4g", s->all.max_ulp, limit);
        return false;
    }
    /* Where terms cancel, rounding decides the sign of a result near zero: a wrong sign is no
     * special value. */
    uint64_t sign = op->sign_certain ? s->all.sign : 0;
    if (v->kernel->promise.specials && s->all.nan + s->all.inf + sign > 0) {
        snprintf(reason, reason_size,
                 "specials: %" PRIu64 " NaN, %" PRIu64 " infinite, %" PRIu64
                 " of wrong sign; promised none",
                 s->all.nan, s->all.inf, sign);
        return false;
    }
    if (v->kernel->promise.bound && s->bound.worst > 1) {
        snprintf(reason, reason_size, "%.3g times its proven bound", s->bound.worst);
        return false;
    }
    return true;
}

static json_t *count(uint64_t value)
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

static void put_figures(json_t *row, const struct figures *f)
{
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        const double *value = (const double *)(const void *)((const char *)f + reals[i].offset);
        put_field(row, reals[i].key, record_real(*value));
    }
}

/* A result per element has one input. A result per row has the whole row, and the field is null. */
static json_t *worst_of(const struct accuracy_row *r)
{
    const struct score *s = r->score;
    if (!s->worst.known) return json_null();
    json_t *input = r->oracle->elementwise ? record_hex((double)s->worst.input) : json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "row_seed", count(r->seed), "row",
                     count(s->worst.row), "index", count(s->worst.index), "input", input, "got",
                     record_hex((double)s->worst.got), "want", record_hex(s->worst.want));
}

static json_t *counts_of(const struct figures *f)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "nan", count(f->nan), "inf", count(f->inf), "sign",
                     count(f->sign), "flushed", count(f->flushed));
}

/* The figures of each output: mean and variance, or y, mean and rstd. */
static json_t *outputs_of(const struct accuracy_row *r)
{
    json_t *outputs = json_object();
    for (size_t o = 0; o < OUTPUTS_MAX && r->oracle->outputs[o]; o++) {
        json_t *figures = json_object();
        put_figures(figures, &r->score->output[o]);
        put_field(figures, "counts", counts_of(&r->score->output[o]));
        put_field(outputs, r->oracle->outputs[o], figures);
    }
    return outputs;
}

static json_t *ratio(double value)
{
    return value < 0 ? json_null() : record_real(value);
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
    put_figures(row, &s->all);
    put_field(row, "max_at", worst_of(r));
    put_field(row, "bound_ratio", ratio(s->bound.worst));
    put_field(row, "bound_ratio_probabilistic", ratio(s->bound.worst_probabilistic));
    if (s->bound.worst >= 0) {
        put_field(row, "exp_ulp", eps(bounds_exp_ulp(r->variant->kernel)));
        put_field(row, "log_ulp", eps(bounds_log_ulp(r->variant->kernel)));
    }
    put_field(row, "counts", counts_of(&s->all));
    put_field(row, "beyond_oracle", count(s->beyond));
    put_field(row, "bits", json_string(bits));
    if (r->oracle->outputs[1]) put_field(row, "outputs", outputs_of(r));
}

static void put_nothing(json_t *row)
{
    static const char *const keys[] = {"max_at", "bound_ratio",   "bound_ratio_probabilistic",
                                       "counts", "beyond_oracle", "bits"};
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
    put_field(row, "n", r->family ? count(r->n) : json_null());
    if (r->inputs) put_field(row, "inputs", json_string(r->inputs));
    put_field(row, "elements", r->score ? count(r->score->all.elements) : json_null());
    put_field(row, "grid", r->grid ? count((uint64_t)r->grid) : json_null());
    put_field(row, "status", json_string(status_name(r->status)));
    const char *source = r->oracle ? oracle_source(r->oracle) : NULL;
    if (source) put_field(row, "reference", json_string(source));
    if (r->oracle) put_field(row, "near_zero", json_boolean(!r->oracle->sign_certain));
    if (r->reason[0]) put_field(row, "reason", json_string(r->reason));
    if (r->score)
        put_score(row, r);
    else
        put_nothing(row);
    return row;
}
