#include "publish/policy/policy_decide.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

/* Speeds within this of each other count as equal. Of two equally fast policies the more
 * conservative one is recommended. */
static const double speed_margin = 0.02;

/* ---- The decision --------------------------------------------------------------------------- */

/* The largest error decides. If the largest errors are equal, as when one kernel has the largest
 * error under every policy, the mean error decides. */
static int compare_errors(const struct policy_row *a, const struct policy_row *b)
{
    if (a->max_ulp != b->max_ulp) return a->max_ulp < b->max_ulp ? -1 : 1;
    return (a->mean_ulp > b->mean_ulp) - (a->mean_ulp < b->mean_ulp);
}

static bool has_figures(const struct policy_row *row)
{
    return !isnan(row->overall) && !isnan(row->max_ulp);
}

static bool dominates(const struct policy_row *a, const struct policy_row *b)
{
    int error = compare_errors(a, b);
    return has_figures(a) && has_figures(b) && a->overall >= b->overall && error <= 0 &&
           (a->overall > b->overall || error < 0);
}

static bool is_dominated(const struct policies *p, const struct policy_row *row)
{
    for (size_t i = 0; i < p->count; i++)
        if (dominates(&p->rows[i], row)) return true;
    return false;
}

/* The policy to name as better: the recommended one if it dominates, else an allowed one,
 * preferably of the same compiler. */
static const struct policy_row *better_advice(const struct policies *p,
                                              const struct policy_row *row)
{
    const struct policy_row *found = NULL;
    if (p->recommended && dominates(p->recommended, row)) return p->recommended;
    for (size_t i = 0; i < p->count; i++) {
        const struct policy_row *other = &p->rows[i];
        if (other->allowed && dominates(other, row) && (!found || !strcmp(other->cc, row->cc)))
            found = other;
    }
    return found;
}

static bool has_kernel(const struct policy_row *row, const char *op)
{
    for (size_t k = 0; k < row->kernel_count; k++)
        if (row->kernels[k].fits && !strcmp(row->kernels[k].op, op)) return true;
    return false;
}

static bool anyone_has_kernel(const struct policies *p, const char *op)
{
    for (size_t i = 0; i < p->count; i++)
        if (has_kernel(&p->rows[i], op)) return true;
    return false;
}

/* The first operation without a kernel that fits, or NULL. Hazards never fit; an operation whose
 * kernels are all hazards is not counted, nor one that nothing was asked of and that no policy
 * keeps within the bar. */
static const char *operation_without_kernel(const struct policies *p, const struct policy_row *row,
                                            const struct policy_constraints *c)
{
    bool asked = c->bar_given;
    for (size_t i = 0; i < OVER_COUNT; i++) asked |= c->require[i];
    for (size_t i = 0; i < row->kernel_count; i++) {
        const struct policy_kernel *k = &row->kernels[i];
        if (!k->hazard && !has_kernel(row, k->op) && (asked || anyone_has_kernel(p, k->op)))
            return k->op;
    }
    return NULL;
}

static void object(const struct policies *p, struct policy_row *row,
                   const struct policy_constraints *c)
{
    const char *op = operation_without_kernel(p, row, c);
    size_t size = sizeof row->objection;
    if (!row->safe)
        snprintf(row->objection, size,
                 "it promises nothing: it reassociates, or drops NaN or subnormals");
    else if (op)
        snprintf(row->objection, size, "no kernel of %s meets the constraints under it", op);
    else if (isnan(row->overall))
        snprintf(row->objection, size, "it was not timed beside off");
    else if (row->wrong)
        snprintf(row->objection, size, "%zu cells break a promise of their kernel under it",
                 row->wrong);
    else if (c->no_broken_cases && json_array_size(row->cases_broken))
        snprintf(row->objection, size, "%zu case studies break under it",
                 json_array_size(row->cases_broken));
    row->allowed = !row->objection[0];
}

/* The more conservative first. `default` is last because another compiler or another -std gives it
 * another meaning. */
static size_t caution_of(const char *policy)
{
    static const char *const order[] = {"off", "on", "fast", "default"};
    size_t rank = 0;
    while (rank < 4 && strcmp(order[rank], policy) != 0) rank++;
    return rank;
}

static bool is_better(const struct policy_row *a, const struct policy_row *b)
{
    size_t rank_a = caution_of(a->policy), rank_b = caution_of(b->policy);
    if (rank_a != rank_b) return rank_a < rank_b;
    int error = compare_errors(a, b);
    return error ? error < 0 : a->overall > b->overall;
}

/* The most conservative of the policies that are as fast as the fastest within the margin. */
static const struct policy_row *choose(const struct policies *p)
{
    const struct policy_row *best = NULL;
    double fastest = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->rows[i].allowed) fastest = fmax(fastest, p->rows[i].overall);
    for (size_t i = 0; i < p->count; i++) {
        const struct policy_row *row = &p->rows[i];
        if (row->allowed && row->overall * (1 + speed_margin) >= fastest &&
            (!best || is_better(row, best)))
            best = row;
    }
    return best;
}

/* ---- In words ------------------------------------------------------------------------------- */

static void say_dominated(struct policy_row *row, const struct policy_row *by, const char *twin)
{
    bool faster = by->overall > row->overall * (1 + speed_margin),
         better = compare_errors(by, row) < 0;
    snprintf(row->verdict, sizeof row->verdict,
             faster && better ? "%s %s is faster and more accurate%s"
             : faster         ? "%s %s is faster and as accurate%s"
             : better         ? "%s %s is more accurate and as fast%s"
                              : "no better than %s %s%s",
             by->cc, by->policy, twin);
}

static void say_verdict(const struct policies *p, struct policy_row *row)
{
    const struct policy_row *by = better_advice(p, row);
    char twin[60] = "";
    if (row->twin[0]) snprintf(twin, sizeof twin, "; the bits of %s", row->twin);
    if (row == p->recommended)
        snprintf(row->verdict, sizeof row->verdict, "recommended%s", twin);
    else if (!row->allowed)
        snprintf(row->verdict, sizeof row->verdict, "not allowed: %s%s", row->objection, twin);
    else if (by)
        say_dominated(row, by, twin);
    else if (compare_errors(row, p->recommended) < 0)
        snprintf(row->verdict, sizeof row->verdict,
                 "more accurate, at %.3f of the recommended speed%s",
                 row->overall / p->recommended->overall, twin);
    else
        snprintf(row->verdict, sizeof row->verdict,
                 "as good: neither clearly faster nor more accurate than what is recommended%s",
                 twin);
}

static void say_why(struct policies *p)
{
    const struct policy_row *row = p->recommended;
    if (!row) {
        snprintf(p->why, sizeof p->why,
                 "no policy is allowed; the verdicts of 'ulplab policy' say why");
        return;
    }
    int length = snprintf(
        p->why, sizeof p->why,
        "%s `%s`: within %.0f%% of the fastest that is allowed, and the most conservative "
        "of those; "
        "%.3f [%.3f, %.3f] x the speed of its `off`, at most %s ulp (mean %s)",
        row->cc, row->policy, 100 * speed_margin, row->speed.ratio, row->speed.low, row->speed.high,
        number_error(row->max_ulp, NAN).text, number_error(row->mean_ulp, NAN).text);
    const struct policy_row *off = policy_find(p, row->cc, "off");
    if (off && off != row)
        snprintf(p->why + length, sizeof p->why - (size_t)length, " where `off` has %s",
                 number_error(off->max_ulp, NAN).text);
}

void policies_decide(struct policies *p, const struct policy_constraints *constraints)
{
    for (size_t i = 0; i < p->count; i++) {
        struct policy_row *row = &p->rows[i];
        row->pareto = has_figures(row) && !is_dominated(p, row);
        object(p, row, constraints);
    }
    p->recommended = choose(p);
    for (size_t i = 0; i < p->count; i++) say_verdict(p, &p->rows[i]);
    say_why(p);
    p->constrained = constraints->bar_given || constraints->no_broken_cases;
    for (size_t i = 0; i < OVER_COUNT; i++) p->constrained |= constraints->require[i];
}
