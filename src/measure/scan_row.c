// SPDX-License-Identifier: MIT
/* The record of one variant's scan. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "measure/scan_parts.h"
#include "model/record_file.h"

static double number(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : 0;
}

/* The error that the kernel's file declares of its exp or log: bounds build on it. */
static double declared_ulp(const struct variant *v)
{
    if (!strcmp(v->op, "exp") || !strcmp(v->op, "expkappa")) return v->kernel->exp_ulp;
    return !strncmp(v->op, "log", 3) ? v->kernel->log_ulp : 0;
}

/* A kernel file's promise over all inputs. */
struct held {
    double ulp, declared; /* 0: no maximum */
    bool specials;
};

static struct held scan_row_held_to(const struct variant *v)
{
    if (!is_held_to_promises(v)) return (struct held){0};
    const struct promise *p = &v->kernel->promise;
    bool off = policy_promises(v->policy) == PROMISES_OFF;
    return (struct held){off ? p->ulp_off : p->ulp_fused, declared_ulp(v), p->specials};
}

static struct number_text exactly(double value, double promise)
{
    return number_marked(number_digits(value, 9), value, promise);
}

/* Returns whether the figures of the pass over all inputs, or of the one by short rows (`where`),
 * are as promised; otherwise with the reason. */
static bool keeps(const struct held *held, const json_t *figures, const char *where, char *reason,
                  size_t size)
{
    const json_t *counts = json_object_get(figures, "counts");
    double max = number(figures, "max_ulp"), lost = number(figures, "lost");
    double odd = number(counts, "sign") + number(counts, "zero") + number(counts, "flushed");
    bool promises = held->ulp > 0 || held->declared > 0 || held->specials;
    if (promises && lost > 0)
        snprintf(reason, size, "%s%.0f results are lost; promised none", where, lost);
    else if (held->ulp > 0 && max > held->ulp)
        snprintf(reason, size, "%smax_ulp %s, promised %s", where, exactly(max, held->ulp).text,
                 number_digits(held->ulp, 9).text);
    else if (held->declared > 0 && max > held->declared)
        snprintf(reason, size, "%smax_ulp %s, but its file lets bounds build on %s", where,
                 exactly(max, held->declared).text, number_digits(held->declared, 9).text);
    else if (held->specials && odd > 0)
        snprintf(reason, size,
                 "%sspecials: %.0f of wrong sign, %.0f zero, %.0f subnormal ones flushed to zero; "
                 "promised none",
                 where, number(counts, "sign"), number(counts, "zero"), number(counts, "flushed"));
    return !reason[0];
}

static enum row_verdict verdict_of(const struct variant *v, const json_t *row, char *reason,
                                   size_t size)
{
    const struct held held = scan_row_held_to(v);
    reason[0] = '\0';
    if (json_is_false(json_object_get(row, "mxcsr_kept")))
        snprintf(reason, size, "leaves MXCSR, x87 or MMX changed");
    else if (keeps(&held, row, "", reason, size))
        keeps(&held, json_object_get(row, "short"), "in short rows: ", reason, size);
    return reason[0]                           ? VERDICT_BROKEN
           : held.ulp > 0 || held.declared > 0 ? VERDICT_KEPT
                                               : VERDICT_MEASURED;
}

static json_t *scan_row_count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

json_t *scan_range_record(const struct scan_plan *plan)
{
    if (plan->whole) return json_string(plan->samples ? "sampled" : "all");
    return json_pack("[o, o]", record_hex((double)plan->low), record_hex((double)plan->high));
}

static json_t *input_of(bool known, uint64_t rank)
{
    return known ? record_float(float_of_rank((uint32_t)rank)) : json_null();
}

static json_t *at_of(const struct ulp_stats *stats)
{
    return input_of(stats->measured, stats->max_at);
}

/* Columns, one entry per binade in which a result has an error or is lost: its least magnitude with
 * its sign (a zero for the subnormal numbers), and the figures. */
static json_t *binades_of(const struct ulp_stats *binades)
{
    json_t *from = json_array(), *max = json_array(), *at = json_array(), *mean = json_array(),
           *misrounded = json_array(), *lost = json_array();
    for (uint32_t b = 0; b < BINADES; b++) {
        const struct ulp_stats *stats = &binades[b];
        if (!ulp_elements(stats)) continue;
        float ends[2] = {float_of_rank(b << BINADE_BITS),
                         float_of_rank((b << BINADE_BITS) + (1u << BINADE_BITS) - 1)};
        json_array_append_new(from, record_hex((double)ends[fabsf(ends[1]) < fabsf(ends[0])]));
        json_array_append_new(max, record_real(stats->measured ? stats->max : NAN));
        json_array_append_new(at, at_of(stats));
        json_array_append_new(mean, record_real(ulp_mean(stats)));
        json_array_append_new(misrounded, record_real(ulp_misrounded(stats)));
        json_array_append_new(lost, scan_row_count(stats->lost));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "from", from, "max_ulp", max, "at", at,
                     "mean_ulp", mean, "misrounded", misrounded, "lost", lost);
}

json_t *scan_counts(const struct ulp_stats *s)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "nan", scan_row_count(s->nan), "inf",
                     scan_row_count(s->inf), "sign", scan_row_count(s->sign), "flushed",
                     scan_row_count(s->flushed), "zero", scan_row_count(s->zero));
}

static void put_errors(json_t *row, const struct ulp_stats *stats)
{
    json_object_set_new(row, "max_ulp", record_real(stats->measured ? stats->max : NAN));
    json_object_set_new(row, "at", at_of(stats));
    json_object_set_new(row, "lost", scan_row_count(stats->lost));
    json_object_set_new(row, "lost_at", input_of(stats->lost, stats->lost_at));
    json_object_set_new(row, "odd_at", input_of(stats->sign + stats->zero, stats->odd_at));
    json_object_set_new(row, "counts", scan_counts(stats));
}

/* null where the pass had no inputs. */
static json_t *short_of(const struct ulp_stats *stats)
{
    if (!ulp_elements(stats)) return json_null();
    json_t *figures = json_pack("{s:o}", "elements", scan_row_count(ulp_elements(stats)));
    put_errors(figures, stats);
    return figures;
}

static json_t *regions_of(const struct ulp_regions *r)
{
    static const char *const names[ULP_REGIONS] = {"normal", "subnormal", "ends"};
    json_t *regions = json_object();
    for (size_t k = 0; k < ULP_REGIONS; k++) {
        bool known = r->of[k].max >= 0;
        json_object_set_new(regions, names[k],
                            json_pack("{s:o, s:o}", "max_ulp",
                                      record_real(known ? r->of[k].max : NAN), "at",
                                      input_of(known, r->of[k].at)));
    }
    return regions;
}

static void scan_row_put_figures(json_t *row, const struct scan *s, const struct scan_entry *entry)
{
    const struct scan_outcome *t = &entry->total;
    const struct ulp_stats *stats = &t->stats;
    json_object_set_new(row, "evaluated", scan_row_count(s->evaluated));
    put_errors(row, stats);
    record_put_figure(row, "misrounded", ulp_misrounded(stats));
    record_put_figure(row, "unfaithful", ulp_unfaithful(stats));
    record_put_figure(row, "mean_ulp", ulp_mean(stats));
    record_put_figure(row, "bias_ulp", ulp_bias(stats));
    json_object_set_new(row, "regions", regions_of(&t->regions));
    json_object_set_new(row, "short", short_of(&t->in_short));
    json_object_set_new(row, "outputs", scan_outputs(t));
    json_object_set_new(row, "seconds", record_real(t->seconds));
    json_object_set_new(row, "per_second", record_real((double)s->evaluated / t->seconds));
    json_object_set_new(row, "mxcsr_kept", json_boolean(t->mxcsr_kept));
    json_object_set_new(row, "binades", binades_of(entry->binades));
}

static void scan_row_put_nothing(json_t *row)
{
    static const char *const keys[] = {"evaluated", "max_ulp",    "at",         "lost",
                                       "lost_at",   "misrounded", "unfaithful", "mean_ulp",
                                       "bias_ulp",  "regions",    "short",      "outputs",
                                       "seconds",   "per_second", "counts"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set_new(row, keys[i], json_null());
}

json_t *scan_row(const struct scan *s, size_t i)
{
    const struct variant *v = s->entries[i].variant;
    const struct scan_entry *entry = &s->entries[s->entries[i].same_as];
    enum status status = v->status == STATUS_OK ? entry->status : v->status;
    char reason[160];
    snprintf(reason, sizeof reason, "%s", v->reason);

    json_t *row = status == STATUS_OK && entry->kept ? json_copy((json_t *)(uintptr_t)entry->kept)
                                                     : json_object();
    if (status != STATUS_OK)
        scan_row_put_nothing(row);
    else if (entry->kept)
        json_object_set_new(row, "kept", json_true());
    else
        scan_row_put_figures(row, s, entry), record_built(row);
    const bool computed = status == STATUS_OK;
    enum row_verdict verdict =
        computed ? verdict_of(v, row, reason, sizeof reason) : VERDICT_MEASURED;
    if (verdict == VERDICT_BROKEN) status = STATUS_WRONG;
    json_object_del(row, "reason");
    if (reason[0]) json_object_set_new(row, "reason", json_string(reason));
    json_object_set_new(row, "record", json_string("scan"));
    json_object_set_new(row, "id", json_string(v->id));
    json_object_set(row, "range", s->range);
    json_object_set_new(row, "measure", json_integer(ULP_MEASURE));
    json_object_set_new(row, "status", json_string(status_name(status)));
    json_object_set_new(row, "verdict",
                        computed ? json_string(row_verdict_name(verdict)) : json_null());
    json_object_set_new(row, "hazard", json_boolean(v->kernel && v->kernel->hazard));
    json_object_set_new(row, "declared_ulp",
                        v->kernel && declared_ulp(v) > 0 ? record_real(declared_ulp(v))
                                                         : json_null());
    if (entry->variant != v) {
        json_object_set_new(row, "same_code_as", json_string(entry->variant->id));
        json_object_del(row, "binades");
    }
    if (entry->key) json_object_update(row, entry->key);
    return row;
}
