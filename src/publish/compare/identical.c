// SPDX-License-Identifier: MIT
#include "publish/compare/identical.h"

#include <stdio.h>

#include "model/record.h"

void identical_text(const struct identical *i, char *text, size_t size)
{
    if (!i->pairs)
        snprintf(text, size,
                 "No two cells of this run have identical code: how far two timings of "
                 "it are apart is not known.");
    else
        snprintf(text, size,
                 "Identical code, timed twice in this run: 95%% within %.2g%% (median %.2g%%, "
                 "%zu pairs%s).",
                 100 * i->p95, 100 * i->median, i->pairs,
                 i->side_by_side ? "" : "; not timed side by side");
}

json_t *identical_record(const struct identical *i)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:b}", "pairs", (json_int_t)i->pairs, "median",
                     record_real(i->median), "p90", record_real(i->p90), "p95", record_real(i->p95),
                     "p99", record_real(i->p99), "side_by_side", i->side_by_side);
}
