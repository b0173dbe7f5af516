#include <math.h>
#include <stdio.h>
#include <string.h>

#include "measure/scan_parts.h"

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

/* False, with the reason, where the row is worse than the kernel's file promises. */
static bool promises_kept(const struct variant *v, const json_t *row, char *reason, size_t size)
{
    const struct promise *p = &v->kernel->promise;
    const json_t *counts = json_object_get(row, "counts");
    enum promise_class class = policy_promises(v->policy);
    double limit = class == PROMISES_OFF ? p->ulp_off : p->ulp_fused, max = number(row, "max_ulp");
    double declared = declared_ulp(v);
    double special = number(counts, "nan") + number(counts, "inf") + number(counts, "sign");
    reason[0] = '\0';
    if (json_is_false(json_object_get(row, "mxcsr_kept")))
        snprintf(reason, size, "leaves MXCSR changed");
    else if (!is_held_to_promises(v))
        return true;
    else if (limit > 0 && max > limit)
        snprintf(reason, size, "max_ulp %.6g, promised %.6g", max, limit);
    else if (declared > 0 && max > declared)
        snprintf(reason, size, "max_ulp %.6g, but its file lets bounds build on %.6g", max,
                 declared);
    else if (p->specials && special > 0)
        snprintf(reason, size, "specials: %.0f results not as promised", special);
    return !reason[0];
}

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

json_t *scan_range_record(const struct scan_plan *plan)
{
    if (plan->whole) return json_string("all");
    return json_pack("[o, o]", record_hex((double)plan->low), record_hex((double)plan->high));
}

static json_t *at_of(const struct ulp_stats *stats)
{
    return stats->measured ? record_hex((double)float_of_rank((uint32_t)stats->max_at))
                           : json_null();
}

/* Columns, one entry per binade in which anything was measured: its least magnitude with its sign
 * (a zero for the subnormal numbers), and the figures. */
static json_t *binades_of(const struct ulp_stats *binades)
{
    json_t *from = json_array(), *max = json_array(), *at = json_array(), *mean = json_array(),
           *misrounded = json_array();
    for (uint32_t b = 0; b < BINADES; b++) {
        const struct ulp_stats *stats = &binades[b];
        if (!stats->measured) continue;
        float ends[2] = {float_of_rank(b << BINADE_BITS),
                         float_of_rank((b << BINADE_BITS) + (1u << BINADE_BITS) - 1)};
        json_array_append_new(from, record_hex((double)ends[fabsf(ends[1]) < fabsf(ends[0])]));
        json_array_append_new(max, record_real(stats->max));
        json_array_append_new(at, at_of(stats));
        json_array_append_new(mean, record_real(ulp_mean(stats)));
        json_array_append_new(misrounded, record_real(ulp_misrounded(stats)));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "from", from, "max_ulp", max, "at", at,
                     "mean_ulp", mean, "misrounded", misrounded);
}

static void put_figures(json_t *row, const struct scan *s, const struct scan_entry *entry)
{
    const struct scan_outcome *t = &entry->total;
    const struct ulp_stats *stats = &t->stats;
    json_t *figures = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:{s:o, s:o, s:o, s:o}, s:o}",
        "evaluated", count(s->inputs), "max_ulp", record_real(stats->measured ? stats->max : NAN),
        "at", at_of(stats), "misrounded", record_real(ulp_misrounded(stats)), "mean_ulp",
        record_real(ulp_mean(stats)), "bias_ulp", record_real(ulp_bias(stats)), "outputs",
        scan_outputs(t), "seconds", record_real(t->seconds), "per_second",
        record_real((double)s->inputs / t->seconds), "mxcsr_kept", t->mxcsr_kept, "counts", "nan",
        count(stats->nan), "inf", count(stats->inf), "sign", count(stats->sign), "flushed",
        count(stats->flushed), "binades", binades_of(entry->binades));
    json_object_update(row, figures);
    json_decref(figures);
}

static void put_nothing(json_t *row)
{
    static const char *const keys[] = {"evaluated", "max_ulp", "at",      "misrounded", "mean_ulp",
                                       "bias_ulp",  "outputs", "seconds", "per_second", "counts"};
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
        put_nothing(row);
    else if (entry->kept)
        json_object_set_new(row, "kept", json_true());
    else
        put_figures(row, s, entry);
    if (status == STATUS_OK && !promises_kept(v, row, reason, sizeof reason)) status = STATUS_WRONG;
    json_object_del(row, "reason");
    if (reason[0]) json_object_set_new(row, "reason", json_string(reason));
    json_object_set_new(row, "record", json_string("scan"));
    json_object_set_new(row, "id", json_string(v->id));
    json_object_set(row, "range", s->range);
    json_object_set_new(row, "status", json_string(status_name(status)));
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
