/* What a policy costs and buys, by operation and compiler: speed, error, bits. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "publish/analyse/effect.h"
#include "publish/sections/heat.h"
#include "publish/sections/sections.h"

/* "1.050 (0.98 to 1.20); 2.5 ulp, 40% same". */
static void write_cell(const struct report *r, struct doc *d, const char *op, const char *cc,
                       const char *policy)
{
    struct effect_of of = {.axis = "policy", .from = "off", .to = policy, .op = op, .cc = cc};
    struct effect time = effect_on_time(&r->results, of);
    struct effect_bits bits = effect_on_bits(&r->results, of);
    double worst = op ? worst_error(&r->summaries, op, cc, policy) : NAN;
    char error[48] = "", same[32] = "";
    if (!isnan(worst))
        snprintf(error, sizeof error, "%s %s", number_error(worst, NAN).text,
                 error_unit(&r->results, op));
    bool is_off = !strcmp(policy, "off");
    if (bits.pairs && !is_off)
        snprintf(same, sizeof same, "%s%.0f%% same", *error ? ", " : "", 100 * bits.same);
    if (is_off)
        doc_shaded(d, "heat h0", "**1** ~%s~", error);
    else if (!time.pairs)
        doc_cell(d, "- ~%s%s~", error, same);
    else
        doc_shaded(d, heat_of(time.geomean), "**%.3f**%s ~(%.2f to %.2f)~ ~%s%s~", time.geomean,
                   effect_interval(&time).text, time.p5, time.p95, error, same);
}

static void write_row(const struct report *r, struct doc *d, const char *op, const char *cc)
{
    doc_row_of(d, op, cc);
    doc_cell(d, "%s", op ? op : "all operations");
    doc_cell(d, "%s", cc);
    for (size_t k = 0; k < r->present.policies.count; k++)
        write_cell(r, d, op, cc, r->present.policies.items[k]);
    doc_row_end(d);
}

/* A library has no policies. */
static bool has_off(const struct report *r, const char *cc)
{
    for (size_t i = 0; i < r->summaries.count; i++) {
        const struct axes *a = &r->summaries.items[i].axes;
        if (!strcmp(a->cc, cc) && !strcmp(a->policy, "off")) return true;
    }
    return false;
}

/* Per compiler and policy the worst of what it loses that `off` computes. */
static void write_losses(const struct report *r, struct doc *d)
{
    if (!r->losses.count) return;
    doc_text(d, "What a policy loses that `off` computes, and of how many more builds:");
    doc_list(d);
    for (size_t c = 0; c < r->present.ccs.count; c++)
        for (size_t k = 0; k < r->present.policies.count; k++) {
            const char *cc = r->present.ccs.items[c], *policy = r->present.policies.items[k];
            char text[LOSS_TEXT];
            size_t builds;
            const struct loss *loss = losses_worst(&r->losses, cc, policy, &builds);
            if (!loss) continue;
            loss_text(loss, text);
            doc_item(d, "%s `%s`: %s; %zu more", cc, policy, text, builds - 1);
        }
    doc_list_end(d);
}

void section_policies(const struct report *r, struct doc *d)
{
    const char *heads[AXIS_MAX + 3] = {"operation", "compiler"};
    for (size_t k = 0; k < r->present.policies.count; k++)
        heads[2 + k] = r->present.policies.items[k];
    doc_text(
        d,
        "In each cell: speed relative to `off` of the same kernel, ISA, compiler and shape "
        "(geometric mean over the pairs, with its 95%% interval [] where they were timed side by "
        "side, and the middle 90%% of the pairs), above 1 is faster than "
        "`off`; the largest error on `normal` over the operation's kernels, hazards left "
        "out, infinite where a result is lost; the share of accuracy cells whose outputs are those "
        "of `off` in every bit.");
    doc_table_styled(d, "matrix", heads);
    for (size_t c = 0; c < r->present.ccs.count; c++) {
        const char *cc = r->present.ccs.items[c];
        if (!has_off(r, cc)) continue;
        write_row(r, d, NULL, cc);
        for (size_t o = 0; o < r->present.ops.count; o++)
            write_row(r, d, r->present.ops.items[o], cc);
    }
    doc_table_end(d);
    write_losses(r, d);
}
