// SPDX-License-Identifier: MIT
#include "study/flags_effect.h"

#include <math.h>
#include <string.h>

#include "model/record.h"

static bool is_near_zero(const json_t *row)
{
    return json_is_true(json_object_get(row, "near_zero"));
}

/* Returns the error to read of a row of accuracy; infinite where results are lost. */
static double error_of(const json_t *row)
{
    if (record_number(row, "lost") > 0) return INFINITY;
    return record_figure(row, is_near_zero(row) ? "scaled_error" : "max_ulp");
}

static bool is_computed(const json_t *row)
{
    return json_is_string(json_object_get(row, "bits"));
}

static bool is_broken(const json_t *row)
{
    return !strcmp(record_text(row, "verdict"), "broken");
}

/* Takes the row as the worst if its error grows more; of two infinite ones, the one that loses
 * more. */
static void take_worst(struct flags_effect *f, const json_t *base, const json_t *its)
{
    const double before = error_of(base), after = error_of(its);
    const double grown = after - before;
    if (!(grown > 0)) return;
    const double most = f->worst ? f->error - f->of_base : 0;
    const bool same = isinf(grown) && isinf(most);
    if (same ? record_number(its, "lost") <= record_number(f->worst, "lost") : grown <= most)
        return;
    f->error = after;
    f->of_base = before;
    f->unit = is_near_zero(its) ? "u" : "ulp";
    f->worst = its;
}

static double flushed_of(const json_t *row)
{
    const double flushed = record_number(json_object_get(row, "counts"), "flushed");
    return isnan(flushed) ? 0 : flushed;
}

static double counted(const json_t *harm, const char *key)
{
    const double count = record_number(harm, key);
    return isnan(count) ? 0 : count;
}

struct flags_effect flags_effect_of(const json_t *base, const json_t *its, const json_t *harm)
{
    const size_t count = json_array_size(base);
    struct flags_effect f = {.error = NAN,
                             .of_base = NAN,
                             .unit = "ulp",
                             .lost = counted(harm, "wrong"),
                             .changed = counted(harm, "changed"),
                             .worse = counted(harm, "worse") > 0,
                             .why = json_string_value(json_object_get(harm, "why"))};
    /* A harm without a reason is of builds that do not stand beside the baseline. */
    const bool is_judged = counted(harm, "harmless") > 0 || f.lost > 0 || f.changed > 0 || f.worse;
    f.known = count && count == json_array_size(its) && (is_judged || base == its);
    for (size_t i = 0; i < count && f.known; i++) {
        const json_t *a = json_array_get(base, i), *b = json_array_get(its, i);
        f.known = is_computed(a) && is_computed(b);
        if (!f.known || a == b) continue;
        const double more = record_number(b, "lost") - record_number(a, "lost");
        const bool counts = json_equal(json_object_get(a, "counts"), json_object_get(b, "counts"));
        f.bits |= strcmp(record_text(a, "bits"), record_text(b, "bits")) != 0;
        f.broken |= is_broken(b) && !is_broken(a);
        f.special |= i + 1 == count && (!counts || more != 0);
        f.flushed += fmax(0, flushed_of(b) - flushed_of(a));
        take_worst(&f, a, b);
    }
    return f;
}

bool flags_effect_is_allowed(const struct flags_effect *f, const struct flags_allowance *a)
{
    const bool keeps = !(f->lost > 0) && !(f->changed > 0) && !f->broken;
    return f->known && (a->lost || keeps) && (a->errors || !f->worse) && (a->bits || !f->bits);
}
