#include "publish/policy/policy_decide.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

/* Speeds, and mean errors, within this of each other count as equal. Of two equally fast policies
 * the more conservative one is recommended. */
static const double margin = 0.02;

/* ---- The decision --------------------------------------------------------------------------- */

/* Is a clearly more accurate than b? A policy that loses more results is not; else the mean change
 * of kernels' errors decides. */
static int compare_errors(const struct policy_row *a, const struct policy_row *b)
{
    const size_t lost_a = a->error.lost, lost_b = b->error.lost;
    if (lost_a != lost_b) return lost_a < lost_b ? -1 : 1;
    if (a->error.mean * (1 + margin) < b->error.mean) return -1;
    return b->error.mean * (1 + margin) < a->error.mean;
}

static bool has_figures(const struct policy_row *row)
{
    return !isnan(row->overall) && !isnan(row->error.mean);
}

/* Policies of the same code are the same thing, and none is better. */
static bool is_same_thing(const struct policy_row *a, const struct policy_row *b)
{
    return !strcmp(a->cc, b->cc) && !strcmp(a->same_code, b->same_code);
}

static bool dominates(const struct policy_row *a, const struct policy_row *b)
{
    int error = compare_errors(a, b);
    return has_figures(a) && has_figures(b) && !is_same_thing(a, b) && a->overall >= b->overall &&
           error <= 0 && (a->overall > b->overall * (1 + margin) || error < 0);
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

/* "the order of additions and NaN"; where nothing was observed, what such policies may give up. */
static void say_given_up(const struct policy_row *row, char *text, size_t size)
{
    static const char *const words[GIVEN_UP_COUNT] = {"the order of additions", "NaN",
                                                      "subnormal results"};
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < GIVEN_UP_COUNT && length < size; i++)
        if (row->gives_up[i])
            length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "",
                                       words[i]);
    if (!length) snprintf(text, size, "the order of additions, or NaN, or subnormal results");
}

static void object(struct policy_row *row, const struct policy_constraints *c)
{
    const char *op = row->lacks;
    size_t size = sizeof row->objection;
    char given_up[80];
    say_given_up(row, given_up, sizeof given_up);
    if (!row->safe)
        snprintf(row->objection, size, "it promises nothing: it gives up %s", given_up);
    else if (*op)
        snprintf(row->objection, size, "no kernel of %s meets the constraints under it", op);
    else if (isnan(row->overall))
        snprintf(row->objection, size, "it was not timed beside off");
    else if (row->error.broken)
        snprintf(row->objection, size, "%zu kernels break a promise under it", row->error.broken);
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
        if (row->allowed && row->overall * (1 + margin) >= fastest &&
            (!best || is_better(row, best)))
            best = row;
    }
    return best;
}

/* ---- In words ------------------------------------------------------------------------------- */

static void say_dominated(struct policy_row *row, const struct policy_row *by)
{
    bool faster = by->overall > row->overall * (1 + margin), better = compare_errors(by, row) < 0;
    snprintf(row->verdict, sizeof row->verdict,
             faster && better ? "%s %s is faster and more accurate"
             : faster         ? "%s %s is faster and as accurate"
                              : "%s %s is more accurate and as fast",
             by->cc, by->policy);
}

static void say_verdict(const struct policies *p, struct policy_row *row)
{
    const struct policy_row *by = better_advice(p, row);
    if (row == p->recommended)
        snprintf(row->verdict, sizeof row->verdict, "recommended");
    else if (!row->allowed)
        snprintf(row->verdict, sizeof row->verdict, "not allowed: %s", row->objection);
    else if (by)
        say_dominated(row, by);
    else if (is_same_thing(row, p->recommended))
        snprintf(row->verdict, sizeof row->verdict, "the code of what is recommended");
    else if (compare_errors(row, p->recommended) < 0)
        snprintf(row->verdict, sizeof row->verdict,
                 "more accurate, at %.3f of the recommended speed",
                 row->overall / p->recommended->overall);
    else
        snprintf(row->verdict, sizeof row->verdict,
                 "as good: neither clearly faster nor more accurate than what is recommended");
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
        "of those; %.3f [%.3f, %.3f] x the speed of its `off` over the %zu kernels whose code a "
        "policy changes",
        row->cc, row->policy, 100 * margin, row->speed.ratio, row->speed.low, row->speed.high,
        row->speed.kernels);
    if (!isnan(row->error.mean))
        snprintf(p->why + length, sizeof p->why - (size_t)length,
                 ", %s x its errors (at most %s x, %s)", number_digits(row->error.mean, 3).text,
                 number_digits(row->error.worst, 3).text, row->error.kernel);
}

void policies_decide(struct policies *p, const struct policy_constraints *constraints)
{
    for (size_t i = 0; i < p->count; i++) {
        struct policy_row *row = &p->rows[i];
        row->pareto = has_figures(row) && !is_dominated(p, row);
        object(row, constraints);
    }
    p->recommended = choose(p);
    for (size_t i = 0; i < p->count; i++) say_verdict(p, &p->rows[i]);
    say_why(p);
    p->constrained = constraints->bar_given || constraints->no_broken_cases;
    for (size_t i = 0; i < OVER_COUNT; i++) p->constrained |= constraints->require[i];
}
