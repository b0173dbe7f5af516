// SPDX-License-Identifier: MIT
#include "measure/promises.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/number.h"

struct held promises_of(const struct variant *v)
{
    if (!is_held_to_promises(v)) return (struct held){0};
    const struct promise *p = &v->kernel->promise;
    const bool off = policy_promises(v->policy) == PROMISES_OFF;
    return (struct held){.ulp = off ? p->ulp_off : p->ulp_fused, .specials = p->specials};
}

/* Returns whether the largest error is beyond a maximum, with the reason. */
static bool is_beyond(const struct found *f, double most, const char *what, char *reason,
                      size_t size)
{
    if (!(most > 0 && f->max > most)) return false;
    snprintf(reason, size, "%s%s %s, %s %s", f->where, f->largest,
             number_marked(number_digits(f->max, f->digits), f->max, most).text, what,
             number_digits(most, f->digits).text);
    return true;
}

bool promises_kept(const struct held *held, const struct found *f, char *reason, size_t size)
{
    char of[32] = "";
    if (f->results) snprintf(of, sizeof of, " of %" PRIu64, f->results);
    reason[0] = '\0';
    if (!f->modes_kept)
        snprintf(reason, size, "leaves MXCSR, x87 or MMX changed");
    else if (f->lost && (held->ulp > 0 || held->declared > 0 || held->specials))
        snprintf(reason, size, "%s%" PRIu64 "%s results are lost; its file promises none", f->where,
                 f->lost, of);
    else if (!is_beyond(f, held->ulp, "promised", reason, size) &&
             !is_beyond(f, held->declared, "but its file lets bounds build on", reason, size) &&
             held->specials && f->sign + f->zero + f->flushed)
        snprintf(reason, size,
                 "%sspecials: %" PRIu64 " of wrong sign, %" PRIu64 " zero, %" PRIu64
                 " subnormal ones flushed to zero; its file promises none",
                 f->where, f->sign, f->zero, f->flushed);
    return !reason[0];
}

json_t *counts_record(const struct ulp_stats *s)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "nan", (json_int_t)s->nan, "inf",
                     (json_int_t)s->inf, "sign", (json_int_t)s->sign, "flushed",
                     (json_int_t)s->flushed, "zero", (json_int_t)s->zero);
}

json_t *hash_record(uint64_t hash)
{
    return json_sprintf("%016" PRIx64, hash);
}
