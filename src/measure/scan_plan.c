// SPDX-License-Identifier: MIT
#include "measure/scan_plan.h"

#include "base/interval.h"

struct scan_plan scan_plan_default(const char *op)
{
    return (struct scan_plan){.op = op, .whole = true, .silence_s = 20, .title = "scan"};
}

int scan_parse_range(const char *text, struct scan_plan *plan, struct error *e)
{
    if (!interval_parse(text, &plan->low, &plan->high) || !(plan->low <= plan->high))
        return fail(e, EXIT_USAGE,
                    "--range: '%s': want LO,HI with LO <= HI, such as -1,1 or 0x1p-3,inf", text);
    plan->whole = false;
    return 0;
}
