/* What a policy costs and buys, by operation and compiler: speed, error, bits. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "publish/sections/heat.h"
#include "publish/sections/sections.h"

/* "1.050 [1.049, 1.052], 12 of 20 cells the same code; errors 0.98 x, at most 1.18 x; 9 of 20
 * kernels other bits". */
static void write_cell(struct doc *d, const struct speed *s, const struct error_change *c)
{
    char errors[160] = "", code[64] = "", interval[40] = "";
    if (!isnan(c->mean))
        snprintf(errors, sizeof errors, "errors %s x, at most %s x; %zu of %zu kernels other bits",
                 number_digits(c->mean, 3).text, number_digits(c->worst, 3).text, c->changed,
                 c->kernels);
    if (c->lost)
        snprintf(errors + strlen(errors), sizeof errors - strlen(errors), "; %s results lost",
                 number_count(c->lost).text);
    if (s->same_code)
        snprintf(code, sizeof code, ", %zu of %zu cells off's code", s->same_code, s->cells);
    if (!isnan(s->low)) snprintf(interval, sizeof interval, " [%.3f, %.3f]", s->low, s->high);
    if (isnan(s->ratio))
        doc_cell(d, "- ~%s~", errors);
    else
        doc_shaded(d, heat_of(s->ratio), "**%.3f**%s~%s~ ~%s~", s->ratio, interval, code, errors);
}

static void write_row(const struct report *r, struct doc *d, const char *op, const char *cc)
{
    const struct speed untimed = {.ratio = NAN};
    const struct error_change unmeasured = {.mean = NAN};
    doc_row_of(d, op, cc);
    doc_cell(d, "%s", op ? op : "all operations");
    doc_cell(d, "%s", cc);
    for (size_t k = 0; k < r->present.policies.count; k++) {
        const char *policy = r->present.policies.items[k];
        const struct policy_row *row = policy_find(&r->policies, cc, policy);
        const struct policy_effect *effect =
            op ? policy_effect_find(&r->policies, op, cc, policy) : NULL;
        if (!strcmp(policy, "off"))
            doc_shaded(d, "heat h0", "**1**");
        else if (op)
            write_cell(d, effect ? &effect->speed : &untimed,
                       effect ? &effect->error : &unmeasured);
        else
            write_cell(d, row ? &row->speed : &untimed, row ? &row->error : &unmeasured);
    }
    doc_row_end(d);
}

void section_policies(const struct report *r, struct doc *d)
{
    const char *heads[AXIS_MAX + 3] = {"operation", "compiler"};
    for (size_t k = 0; k < r->present.policies.count; k++)
        heads[2 + k] = r->present.policies.items[k];
    doc_text(
        d,
        "In each cell: speed over `off` (above 1 is faster), over the cells that every policy of "
        "the compiler has, of the kernels whose code a policy changes, with its 95%% interval; "
        "equal "
        "code is 1, and over all operations each weighs the same. Then the errors of kernels on "
        "family `normal` over those under `off`: their geometric mean and the largest. Kernels are "
        "counted by ISA. Only fp32: 16 bits of storage hide what a policy does.");
    doc_table_styled(d, "matrix", heads);
    for (size_t c = 0; c < r->present.ccs.count; c++) {
        const char *cc = r->present.ccs.items[c];
        if (!policy_find(&r->policies, cc, "off")) continue;
        write_row(r, d, NULL, cc);
        for (size_t o = 0; o < r->present.ops.count; o++)
            if (policy_effect_find(&r->policies, r->present.ops.items[o], cc, "off"))
                write_row(r, d, r->present.ops.items[o], cc);
    }
    doc_table_end(d);
}
