// SPDX-License-Identifier: MIT
#include "study/search_plan.h"

#include <math.h>
#include <string.h>

#include "base/interval.h"

/* The default rows and boxes of an operation, in which random rows find little. logsumexp of 2048
 * such numbers is near zero, where the rounding of the result itself hides nothing; a variance
 * suffers from a mean that is far from zero. */
struct search_plan search_plan_default(const char *op)
{
    static const struct {
        const char *op;
        size_t n;
        float low, high;
    } usual[] = {{"logsumexp", 2048, -9, -6.5f},
                 {"moments", 256, 8, 16},
                 {"log", 2048, 0x1p-10f, 8},
                 {"log2", 2048, 0x1p-10f, 8}};
    struct search_plan plan = {
        .op = op, .n = 2048, .low = -8, .high = 8, .seed = 1, .seconds = 20, .silence_s = 30};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strcmp(usual[i].op, op) != 0) continue;
        plan.n = usual[i].n;
        plan.low = usual[i].low;
        plan.high = usual[i].high;
    }
    return plan;
}

int search_parse_box(const char *text, struct search_plan *plan, struct error *e)
{
    if (interval_parse(text, &plan->low, &plan->high) && isfinite(plan->low) &&
        isfinite(plan->high) && plan->low < plan->high)
        return 0;
    return fail(e, EXIT_USAGE,
                "--box: '%s': want LO,HI, both finite and LO < HI, such as -8,8 or 0x1p-3,1", text);
}
