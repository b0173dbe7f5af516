// SPDX-License-Identifier: MIT
#include "measure/bench_cores.h"

#include <string.h>

#include "model/record.h"

/* Returns how well that row on one thread compares with the team's; 0: not at all. The best has the
 * data of both in one level of memory, with the same rows or one core's share of them; the next
 * best the same rows, which the caches of several cores may hold and those of one may not. */
static int fits_beside(const json_t *one, const json_t *team)
{
    if (record_number(one, "threads") != 1 || record_number(one, "n") != record_number(team, "n") ||
        strcmp(record_text(one, "variant"), record_text(team, "variant")) != 0 ||
        strcmp(record_text(one, "family"), record_text(team, "family")) != 0)
        return 0;
    bool same = record_number(one, "rows") == record_number(team, "rows");
    bool share =
        record_number(one, "rows") * record_number(team, "threads") == record_number(team, "rows");
    bool level = !strcmp(record_text(one, "residency"), record_text(team, "residency"));
    return same && level ? 3 : share && level ? 2 : same;
}

static const json_t *alone_of(const json_t *rows, const json_t *team)
{
    const json_t *found = NULL;
    int best = 0;
    json_t *row;
    size_t i;
    json_array_foreach((json_t *)rows, i, row)
    {
        int fit = fits_beside(row, team);
        if (fit > best) {
            best = fit;
            found = row;
        }
    }
    return found;
}

void cores_add_efficiency(const json_t *rows, json_t *team)
{
    const json_t *one = alone_of(rows, team);
    double threads = record_number(team, "threads");
    json_object_set_new(team, "efficiency",
                        record_real(record_number(one, "ns_per_row") /
                                    (threads * record_number(team, "ns_per_row"))));
    json_object_set_new(
        team, "efficiency_low",
        record_real(record_number(one, "ci_low") / (threads * record_number(team, "ci_high"))));
    json_object_set_new(
        team, "efficiency_high",
        record_real(record_number(one, "ci_high") / (threads * record_number(team, "ci_low"))));
    json_object_set_new(team, "efficiency_of",
                        one ? json_string(record_text(one, "id")) : json_null());
}
