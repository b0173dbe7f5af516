/* The answer, what each policy costs and buys, what each ISA buys. */
#include <math.h>
#include <string.h>

#include "model/registry.h"
#include "publish/analyse/effect.h"
#include "publish/site/html_page.h"
#include "publish/render/markup.h"

/* ---- The answer -------------------------------------------------------------------------------
 */

static void write_pick(const struct html_page *p, const char *title, const struct summary *v)
{
    markup(p->out, "<div class=\"pick\"><h4>%s</h4>", title);
    if (!v) {
        fputs("<p class=\"none\">no variant qualifies</p></div>", p->out);
        return;
    }
    const struct timing_result *t = v->home;
    markup(p->out,
           "<p class=\"figure\"><b>%.3f</b> ns/element <span class=\"ci\">[%.3f, %.3f]</span></p>"
           "<p class=\"build\"><strong>",
           t->ns_per_element, t->low, t->high);
    page_kernel(p, &v->axes);
    markup(p->out, "</strong> %s, %s, <code>%s</code></p><p class=\"facts\"><span>max ",
           isa_title(v->axes.isa), v->axes.cc, v->axes.policy);
    markup_ulp(p->out, v->error);
    markup(p->out, " %s</span>", error_unit(p->r, v->axes.op));
    if (!isnan(t->percent_of_limit))
        markup(p->out, "<span class=\"meter\" style=\"--p:%.0f\">%.0f%% of limit</span>",
               fmax(0, fmin(100, t->percent_of_limit)), t->percent_of_limit);
    fputs("</p></div>\n", p->out);
}

/* What leaving `off` gains and changes under one compiler. */
static void write_gains(const struct html_page *p, const char *cc)
{
    static const char *const leaving[] = {"default", "fast", "reassoc", "fastmath"};
    struct effect_bits bits[4] = {{0}};
    size_t timed = 0, hashed = 0;
    for (size_t k = 0; k < 4; k++) {
        struct effect_of of = {.axis = "policy", .from = "off", .to = leaving[k], .cc = cc};
        struct effect time = effect_on_time(p->r, of);
        if (!time.pairs) continue;
        bits[k] = effect_on_bits(p->r, of);
        if (!timed++) markup(p->out, "<li><b>%s</b>: ", cc);
        markup(p->out, "%s<code>%s</code> <b>%.3f</b>", timed > 1 ? ", " : "", leaving[k],
               time.geomean);
    }
    if (!timed) return;
    fputs(" times the speed of <code>off</code>", p->out);
    for (size_t k = 0; k < 4; k++)
        if (bits[k].pairs)
            markup(p->out, "%s%.0f%%", hashed++ ? ", " : "; the same bits in ", 100 * bits[k].same);
    fputs(hashed ? " of the accuracy cells.</li>\n" : ".</li>\n", p->out);
}

static void write_scatter(const struct html_page *p)
{
    fputs(
        "<h3 id=\"scatter\">Speed against error</h3>\n"
        "<p>Every variant at that shape: left is faster, down is more accurate. The line is the "
        "Pareto "
        "front: nothing is both faster and more accurate than what is on it. Hazards (hollow) are "
        "wrong by design on some inputs and never on the front.</p>\n",
        p->out);
    chart_room(p, "scatter", "Scatter of time per element against error, one point per variant");
    fputs("<p class=\"note\">Errors are over family <code>normal</code>, every row length, against "
          "an "
          "fp64 oracle: in fractional ULP, |got - exact| / ulp(exact), where a correctly rounded "
          "result is "
          "at most 0.5; or, where results come near zero and ULP is unbounded for everybody "
          "(logsumexp, "
          "moments, layernorm), in u = 2<sup>-24</sup> relative to the size of the inputs. Rows "
          "named "
          "bf16 and f16 are the same kernels with x and y stored so and fp32 arithmetic: their "
          "errors "
          "are in ulp and u of that type (moments stay fp32), and sums over all operations leave "
          "them "
          "out.</p>\n",
          p->out);
    for (size_t i = 0; i < p->r->operation_count; i++)
        if (p->r->operations[i].reference)
            markup(p->out,
                   "<p class=\"note\">%s is measured against the reference in <code>%s</code>: its "
                   "author's word, which nobody certified.</p>\n",
                   p->r->operations[i].op, p->r->operations[i].reference);
}

void html_answer(const struct html_page *p)
{
    section_open(p, "answer", "The answer");
    if (p->s->home_rows)
        markup(
            p->out,
            "<p class=\"lead\">What to ship on this CPU, per operation, measured at %zu rows of "
            "%zu "
            "(one pinned thread, family <code>normal</code>). Where intervals touch, the more "
            "conservative policy is named; <code>reassoc</code> and <code>fastmath</code> promise "
            "nothing and are not candidates.</p>\n",
            p->s->home_rows, p->s->home_n);
    else
        fputs("<p class=\"lead\">No times are in these results: run <code>ulplab bench</code>, "
              "then write "
              "the report again.</p>\n",
              p->out);
    fputs("<div class=\"cards\">\n", p->out);
    for (size_t i = 0; i < p->present.ops.count; i++) {
        const char *op = p->present.ops.items[i];
        markup(p->out, "<article class=\"card\" data-op=\"%s\"><h3>%s</h3>\n", op, op);
        write_pick(p, "Fastest that keeps its promises", choose_fastest(p->s, op));
        write_pick(p, "Most accurate", choose_most_accurate(p->s, op));
        fputs("</article>\n", p->out);
    }
    fputs("</div>\n<ul class=\"gains\">\n", p->out);
    for (size_t c = 0; c < p->present.ccs.count; c++) write_gains(p, p->present.ccs.items[c]);
    fputs("</ul>\n", p->out);
    if (p->s->home_rows) write_scatter(p);
    section_close(p);
}

/* ---- Policies ---------------------------------------------------------------------------------
 */

/* -3 (much slower) to 3 (much faster): what the eye can tell apart. */
static int heat(double ratio)
{
    static const double steps[] = {0.01, 0.05, 0.15};
    int level = 0;
    while (level < 3 && fabs(log(ratio)) > steps[level]) level++;
    return ratio < 1 ? -level : level;
}

static void write_ratio(const struct html_page *p, struct effect f)
{
    if (f.pairs)
        markup(p->out, "<td class=\"heat h%d\"><b>%.3f</b><small>%.2f to %.2f</small>",
               heat(f.geomean), f.geomean, f.p5, f.p95);
    else
        fputs("<td class=\"none\">\xe2\x80\x93", p->out);
}

static void write_policy_cell(const struct html_page *p, const char *op, const char *cc,
                              const char *policy)
{
    struct effect_of of = {.axis = "policy", .from = "off", .to = policy, .op = op, .cc = cc};
    bool off = !strcmp(policy, "off");
    if (off)
        fputs("<td class=\"heat h0\"><b>1</b><small>the reference</small>", p->out);
    else
        write_ratio(p, effect_on_time(p->r, of));
    double worst = op ? worst_error(p->s, op, cc, policy) : NAN;
    struct effect_bits bits = effect_on_bits(p->r, of);
    fputs("<small>", p->out);
    if (!isnan(worst)) {
        markup_ulp(p->out, worst);
        markup(p->out, " %s%s", error_unit(p->r, op), bits.pairs && !off ? ", " : "");
    }
    if (bits.pairs && !off) markup(p->out, "%.0f%% same", 100 * bits.same);
    fputs("</small>", p->out);
    fputs("</td>", p->out);
}

static void write_policy_row(const struct html_page *p, const char *op, const char *cc)
{
    if (op)
        markup(p->out, "<tr data-op=\"%s\" data-cc=\"%s\">", op, cc);
    else
        markup(p->out, "<tr class=\"total\" data-cc=\"%s\">", cc);
    markup(p->out, "<th scope=\"row\">%s <small>%s</small></th>", op ? op : "all operations", cc);
    for (size_t k = 0; k < p->present.policies.count; k++)
        write_policy_cell(p, op, cc, p->present.policies.items[k]);
    fputs("</tr>\n", p->out);
}

static bool has_off(const struct html_page *p, const char *cc)
{
    for (size_t i = 0; i < p->s->count; i++)
        if (!strcmp(p->s->items[i].axes.cc, cc) && !strcmp(p->s->items[i].axes.policy, "off"))
            return true;
    return false;
}

void html_policies(const struct html_page *p)
{
    section_open(p, "policy", "What the policy costs and buys");
    fputs("<p>In each cell: speed relative to <code>off</code> of the same kernel, ISA, compiler "
          "and shape "
          "(geometric mean; the middle 90% under it), above 1 is faster; the largest error on "
          "<code>normal</code> over the operation's kernels, hazards left out; the share of "
          "accuracy cells "
          "whose outputs are the same as those of <code>off</code> in every bit.</p>\n"
          "<div class=\"scroll\"><table class=\"matrix\"><thead><tr><th scope=\"col\">operation, "
          "compiler</th>",
          p->out);
    for (size_t k = 0; k < p->present.policies.count; k++)
        markup(p->out, "<th scope=\"col\"><code>%s</code></th>", p->present.policies.items[k]);
    fputs("</tr></thead><tbody>\n", p->out);
    for (size_t c = 0; c < p->present.ccs.count; c++) {
        const char *cc = p->present.ccs.items[c];
        if (!has_off(p, cc)) continue; /* a library, which has no policies */
        write_policy_row(p, NULL, cc);
        for (size_t o = 0; o < p->present.ops.count; o++)
            write_policy_row(p, p->present.ops.items[o], cc);
    }
    fputs("</tbody></table></div>\n", p->out);
    section_close(p);
}

/* ---- ISAs -------------------------------------------------------------------------------------
 */

void html_isas(const struct html_page *p)
{
    static const char *const steps[][2] = {
        {"scalar", "avx2"}, {"avx2", "avx512"}, {"scalar", "avx512"}};
    section_open(p, "isa", "What the ISA buys");
    fputs(
        "<p>Speed of the first relative to the second, same kernel, compiler, policy and shape: "
        "geometric "
        "mean, the middle 90% under it.</p>\n"
        "<div class=\"scroll\"><table class=\"matrix\"><thead><tr><th scope=\"col\">operation</th>"
        "<th scope=\"col\">AVX2 over scalar</th><th scope=\"col\">AVX-512 over AVX2</th>"
        "<th scope=\"col\">AVX-512 over scalar</th></tr></thead><tbody>\n",
        p->out);
    for (size_t o = 0; o < p->present.ops.count; o++) {
        const char *op = p->present.ops.items[o];
        markup(p->out, "<tr data-op=\"%s\"><th scope=\"row\">%s</th>", op, op);
        for (size_t k = 0; k < 3; k++) {
            write_ratio(p, effect_on_time(p->r, (struct effect_of){.axis = "isa",
                                                                   .from = steps[k][0],
                                                                   .to = steps[k][1],
                                                                   .op = op}));
            fputs("</td>", p->out);
        }
        fputs("</tr>\n", p->out);
    }
    fputs("</tbody></table></div>\n", p->out);
    section_close(p);
}
