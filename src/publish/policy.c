#include "publish/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/policy_flags.h"
#include "publish/sides.h"

/* Speeds nearer than this are one speed: of two that the clock cannot tell apart, the one that
 * promises more is the answer. */
static const double speed_margin = 0.02;

const char *stable_over_name(enum stable_over over)
{
    static const char *const names[] = {"isa", "cc", "tail", "threads"};
    return names[over];
}

int policy_require(struct policy_constraints *constraints, const char *word, struct error *e)
{
    static const char *const words[] = {"isa-stable", "cc-stable", "tail-stable", "thread-stable"};
    bool known = !strcmp(word, "invariant");
    for (size_t i = 0; i < OVER_COUNT; i++)
        if (known || !strcmp(word, words[i])) {
            constraints->require[i] = true;
            if (!known) return 0;
        }
    if (known) return 0;
    return fail(e, EXIT_USAGE,
                "policy: --require %s: unknown; known: isa-stable, cc-stable, "
                "tail-stable, thread-stable, invariant",
                word);
}

/* ---- Which rows there are
 * -------------------------------------------------------------------------- */

/* The place of a policy in the usual order; a user's own come last. */
static size_t rank_of(const char *policy)
{
    static const char *const order[] = {"off", "on", "default", "fast", "reassoc", "fastmath"};
    size_t rank = 0;
    while (rank < 6 && strcmp(order[rank], policy) != 0) rank++;
    return rank;
}

static struct policy_row *find_row(const struct policies *p, const char *cc, const char *policy)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->rows[i].cc, cc) && !strcmp(p->rows[i].policy, policy)) return &p->rows[i];
    return NULL;
}

static int by_cc_and_rank(const void *a, const void *b)
{
    const struct policy_row *x = a, *y = b;
    int c = strcmp(x->cc, y->cc);
    /* gcc before clang: it is the first that people know. */
    if (c && (!strncmp(x->cc, "gcc", 3)) != (!strncmp(y->cc, "gcc", 3)))
        return !strncmp(x->cc, "gcc", 3) ? -1 : 1;
    size_t rank_x = rank_of(x->policy), rank_y = rank_of(y->policy);
    if (!c) c = (rank_x > rank_y) - (rank_x < rank_y);
    return c ? c : strcmp(x->policy, y->policy);
}

static bool collect(const struct results *r, struct policies *p)
{
    size_t all = r->accuracy_count + r->timing_count;
    p->rows = calloc(all + 1, sizeof *p->rows);
    for (size_t i = 0; p->rows && i < all; i++) {
        const struct axes *a = i < r->accuracy_count ? &r->accuracies[i].axes
                                                     : &r->timings[i - r->accuracy_count].axes;
        if (!strcmp(a->cc, "lib") || find_row(p, a->cc, a->policy))
            continue; /* a library has no flags */
        struct policy_row *row = &p->rows[p->count++];
        *row = (struct policy_row){.speed = {NAN, NAN, NAN, 0},
                                   .overall = NAN,
                                   .max_ulp = NAN,
                                   .mean_ulp = NAN,
                                   .cases_broken = json_array()};
        snprintf(row->cc, sizeof row->cc, "%s", a->cc);
        snprintf(row->policy, sizeof row->policy, "%s", a->policy);
        policy_flags(r, row->cc, row->policy, row->flags, sizeof row->flags);
    }
    if (p->rows) qsort(p->rows, p->count, sizeof *p->rows, by_cc_and_rank);
    return p->rows != NULL;
}

/* ---- Accuracy
 * ---------------------------------------------------------------------------------------- */

/* Results near zero have no bounded ULP, whatever the arithmetic: the mean of zero-mean data, and
 * what is normalised by it. They would drown every other kernel (numerics.md, section 1). */
static bool ulp_is_bounded(const char *op)
{
    return strcmp(op, "moments") != 0 && strcmp(op, "layernorm") != 0;
}

static void remember_op(struct policies *p, const char *op)
{
    size_t length = strlen(p->ops), own = strlen(op);
    for (const char *at = p->ops; (at = strstr(at, op)); at += own)
        if ((at == p->ops || at[-1] == ' ') && (!at[own] || at[own] == ',')) return;
    snprintf(p->ops + length, sizeof p->ops - length, "%s%s", length ? ", " : "", op);
}

static size_t add_errors(const struct results *r, struct policies *p, bool bounded_alone)
{
    size_t used = 0, *cells = calloc(p->count + 1, sizeof *cells);
    for (size_t i = 0; cells && i < r->accuracy_count; i++) {
        const struct accuracy_result *a = &r->accuracies[i];
        struct policy_row *row = find_row(p, a->axes.cc, a->axes.policy);
        if (!row || a->hazard || isnan(a->max_ulp) || strcmp(a->family, "normal") ||
            (bounded_alone && !ulp_is_bounded(a->axes.op)))
            continue;
        used++;
        remember_op(p, a->axes.op);
        row->max_ulp = fmax(row->max_ulp, a->max_ulp);
        if (isnan(row->mean_ulp)) row->mean_ulp = 0;
        row->mean_ulp += (a->mean_ulp - row->mean_ulp) / (double)++cells[row - p->rows];
    }
    free(cells);
    return used;
}

static void add_wrong(const struct results *r, struct policies *p)
{
    for (size_t i = 0; i < r->accuracy_count; i++) {
        struct policy_row *row =
            find_row(p, r->accuracies[i].axes.cc, r->accuracies[i].axes.policy);
        if (row) row->wrong += !strcmp(r->accuracies[i].status, "wrong");
    }
}

/* ---- What the litmus saw
 * -------------------------------------------------------------------------------- */

static bool is_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

static bool is_false(const json_t *object, const char *key)
{
    return json_is_false(json_object_get(object, key));
}

static void add_observed(const struct results *r, struct policies *p)
{
    const json_t *record;
    size_t i;
    for (i = 0; i < p->count; i++)
        p->rows[i].safe =
            strcmp(p->rows[i].policy, "reassoc") && strcmp(p->rows[i].policy, "fastmath");
    json_array_foreach(r->codegen, i, record)
    {
        struct axes a;
        const char *id = json_string_value(json_object_get(record, "id"));
        const json_t *observed = json_object_get(record, "observed");
        struct policy_row *row = id && axes_parse(id, &a) ? find_row(p, a.cc, a.policy) : NULL;
        if (!row || !json_is_object(observed)) continue;
        row->contracts |= is_true(observed, "contracts");
        row->safe &= !is_true(observed, "reassociates") && !is_false(observed, "honours_nan") &&
                     !is_false(observed, "honours_subnormals");
    }
}

/* ---- Speed
 * ------------------------------------------------------------------------------------------------
 */

static void add_log(struct speed *sums, const struct compare_row *row)
{
    sums->ratio -= log(row->ratio);
    sums->low -= log(row->high);
    sums->high -= log(row->low);
    sums->cells++;
}

static struct speed mean_of(struct speed sums)
{
    double cells = (double)sums.cells;
    return (struct speed){exp(sums.ratio / cells), exp(sums.low / cells), exp(sums.high / cells),
                          sums.cells};
}

static bool counts(const struct compare_row *row)
{
    return !isnan(row->ratio) && !(row->accuracy && row->accuracy->hazard);
}

static void speeds_over_off(const struct comparison *c, struct policies *p)
{
    if (strcmp(c->plan->sides[0].name, "off") != 0) return;
    for (size_t i = 0; i < p->count; i++) {
        struct speed sums = {0};
        for (size_t k = 0; k < c->row_count; k++) {
            const struct compare_row *row = &c->rows[k];
            if (counts(row) && !strcmp(row->axes.cc, p->rows[i].cc) &&
                !strcmp(c->plan->sides[row->to].name, p->rows[i].policy))
                add_log(&sums, row);
        }
        if (sums.cells) p->rows[i].speed = mean_of(sums);
    }
}

/* `off` of each compiler relative to `off` of the first; the policies follow from that. */
static void speeds_over_first(const struct comparison *c, struct policies *p)
{
    const char *first = c ? c->plan->sides[0].name : p->rows[0].cc;
    for (size_t i = 0; i < p->count; i++) {
        struct speed sums = {0};
        for (size_t k = 0; c && k < c->row_count; k++) {
            const struct compare_row *row = &c->rows[k];
            if (counts(row) && !strcmp(row->axes.policy, "off") &&
                !strcmp(c->plan->sides[row->to].name, p->rows[i].cc))
                add_log(&sums, row);
        }
        double compiler = !strcmp(first, p->rows[i].cc) ? 1 : mean_of(sums).ratio;
        p->rows[i].overall = compiler * p->rows[i].speed.ratio;
    }
}

/* `off` against itself needs no measurement, but it must have been timed. */
static void speed_of_off(const struct results *r, struct policies *p)
{
    for (size_t i = 0; i < r->timing_count; i++) {
        struct policy_row *row = find_row(p, r->timings[i].axes.cc, "off");
        if (row && !strcmp(r->timings[i].axes.policy, "off") && r->timings[i].ns_per_element > 0)
            row->speed = (struct speed){1, 1, 1, row->speed.cells + 1};
    }
}

/* ---- Bits
 * ----------------------------------------------------------------------------------------------------
 */

/* A kernel counts as stable when every pair of the axis' values agrees in every cell. */
static void add_stability(const struct comparison *c, struct policies *p, enum stable_over over)
{
    bool over_cc = over == OVER_CC;
    for (size_t i = 0; i < p->count; i++) {
        struct policy_row *row = &p->rows[i];
        for (size_t k = 0, end; k < c->accuracy_count; k = end) {
            struct axes a;
            bool stable = true, any = false, ours = axes_parse(c->accuracies[k].variant, &a);
            ours &= !strcmp(a.policy, row->policy) && (over_cc || !strcmp(a.cc, row->cc)) &&
                    !c->accuracies[k].hazard;
            for (end = k; end < c->accuracy_count &&
                          !strcmp(c->accuracies[end].variant, c->accuracies[k].variant);
                 end++) {
                const struct compare_accuracy *pair = &c->accuracies[end];
                bool here = !over_cc || !strcmp(c->plan->sides[pair->from].name, row->cc) ||
                            !strcmp(c->plan->sides[pair->to].name, row->cc);
                any |= here && pair->cells;
                stable &= !here || pair->equal == pair->cells;
            }
            if (!ours || !any) continue;
            row->kernels[over]++;
            row->stable_kernels[over] += stable;
        }
        if (row->kernels[over])
            row->stable[over] =
                row->stable_kernels[over] == row->kernels[over] ? STABILITY_YES : STABILITY_NO;
    }
}

/* The first policy of the same compiler whose bits are equal in every cell of every kernel. */
static void add_twins(const struct comparison *c, struct policies *p)
{
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < i && !p->rows[i].twin[0]; k++) {
            size_t cells = 0, equal = 0;
            if (strcmp(p->rows[k].cc, p->rows[i].cc) != 0) continue;
            for (size_t j = 0; j < c->accuracy_count; j++) {
                const struct compare_accuracy *pair = &c->accuracies[j];
                struct axes a;
                if (!axes_parse(pair->variant, &a) || strcmp(a.cc, p->rows[i].cc) ||
                    strcmp(c->plan->sides[pair->from].name, p->rows[k].policy) ||
                    strcmp(c->plan->sides[pair->to].name, p->rows[i].policy))
                    continue;
                cells += pair->cells;
                equal += pair->equal;
            }
            if (cells && equal == cells)
                snprintf(p->rows[i].twin, sizeof p->rows[i].twin, "%s", p->rows[k].policy);
        }
}

/* ---- Three comparisons
 * -------------------------------------------------------------------------------------------- */

static int use_axis(const struct results *r, struct policies *p, const char *axis,
                    void (*use)(const struct comparison *, struct policies *), struct error *e)
{
    struct sides *sides = calloc(1, sizeof *sides);
    struct comparison c;
    int code = sides ? 0 : fail(e, EXIT_PARTIAL, "policy: out of memory: %s; free some", p->folder);
    if (!code && sides_of_axis(r, p->folder, axis, sides)) {
        code = compare_make(&sides->plan, &c, e);
        if (!code) {
            use(&c, p);
            compare_free(&c);
        } else if (code == EXIT_USAGE) {
            code = 0; /* two values without a common cell: nothing to say */
            e->text[0] = '\0';
        }
    }
    free(sides);
    return code;
}

static void use_policies(const struct comparison *c, struct policies *p)
{
    speeds_over_off(c, p);
    add_twins(c, p);
}

static void use_compilers(const struct comparison *c, struct policies *p)
{
    speeds_over_first(c, p);
    add_stability(c, p, OVER_CC);
}

static void use_isas(const struct comparison *c, struct policies *p)
{
    add_stability(c, p, OVER_ISA);
}

/* ---- Cases and divergence
 * -------------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *record, const char *key)
{
    const char *s = json_string_value(json_object_get(record, key));
    return s ? s : "";
}

/* A case's rows say {"cc", "policy", "broken": true} where the failure shows under that build. */
static void add_case(struct policies *p, const json_t *record)
{
    const json_t *line;
    size_t i;
    json_array_foreach(json_object_get(record, "rows"), i, line)
    {
        struct policy_row *row = find_row(p, text_of(line, "cc"), text_of(line, "policy"));
        if (!row || !is_true(line, "broken")) continue;
        size_t last = json_array_size(row->cases_broken);
        const char *name = text_of(record, "name");
        if (!last || strcmp(json_string_value(json_array_get(row->cases_broken, last - 1)), name))
            json_array_append_new(row->cases_broken, json_string(name));
    }
}

/* A record of `diverge`: {"id", "tail": true, "threads": false, ..}; hazards are marked. */
static void add_invariance(struct policies *p, const json_t *record)
{
    static const enum stable_over overs[] = {OVER_TAIL, OVER_THREADS};
    struct axes a;
    if (!axes_parse(text_of(record, "id"), &a) || is_true(record, "hazard")) return;
    struct policy_row *row = find_row(p, a.cc, a.policy);
    for (size_t i = 0; row && i < 2; i++) {
        enum stable_over over = overs[i];
        const json_t *value = json_object_get(record, stable_over_name(over));
        if (!json_is_boolean(value)) continue;
        row->kernels[over]++;
        row->stable_kernels[over] += json_is_true(value);
        row->stable[over] =
            row->stable_kernels[over] == row->kernels[over] ? STABILITY_YES : STABILITY_NO;
    }
}

static int add_other_files(struct policies *p, struct error *e)
{
    const struct {
        const char *name, *record;
        void (*add)(struct policies *, const json_t *);
    } files[] = {{"cases.jsonl", "case", add_case},
                 {"diverge.jsonl", "invariance", add_invariance}};
    int code = 0;
    for (size_t f = 0; f < 2 && !code; f++) {
        char path[1100];
        json_t *records = NULL, *record;
        size_t i;
        snprintf(path, sizeof path, "%s/%s", p->folder, files[f].name);
        code = record_read(path, true, &records, e);
        if (code) break;
        json_array_foreach(records, i,
                           record) if (!strcmp(text_of(record, "record"), files[f].record)) files[f]
            .add(p, record);
        if (!f) p->cases_known = json_array_size(records) > 0;
        json_decref(records);
    }
    return code;
}

/* ---- The decision
 * ------------------------------------------------------------------------------------------------------
 */

static bool dominates(const struct policy_row *a, const struct policy_row *b)
{
    return a->overall >= b->overall && a->max_ulp <= b->max_ulp &&
           (a->overall > b->overall || a->max_ulp < b->max_ulp);
}

/* Whom to name: the recommended one where it is better, else a policy of the same compiler. */
static const struct policy_row *dominator(const struct policies *p, const struct policy_row *row)
{
    if (p->recommended && dominates(p->recommended, row)) return p->recommended;
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->rows[i].cc, row->cc) && dominates(&p->rows[i], row)) return &p->rows[i];
    for (size_t i = 0; i < p->count; i++)
        if (dominates(&p->rows[i], row)) return &p->rows[i];
    return NULL;
}

static const char *object(const struct policy_row *row, const struct policy_constraints *c)
{
    static const char *const unstable[] = {
        "its bits differ between ISAs", "its bits differ between compilers",
        "its bits differ between a row's body and tail", "its bits differ between thread counts"};
    static const char *const unknown[] = {
        "its bits over ISAs were not measured", "its bits over compilers were not measured",
        "its bits in body and tail were not measured (diverge)",
        "its bits over thread counts were not measured (diverge)"};
    if (isnan(row->overall)) return "it was not timed beside off";
    if (!row->safe) return "it promises nothing: it reassociates, or drops NaN or subnormals";
    if (row->wrong) return "a kernel breaks its promise under it";
    if (!isnan(c->max_ulp) && !(row->max_ulp <= c->max_ulp)) return "its error is above --max-ulp";
    if (c->no_broken_cases && json_array_size(row->cases_broken))
        return "a case study breaks under it";
    for (size_t i = 0; i < OVER_COUNT; i++)
        if (c->require[i] && row->stable[i] != STABILITY_YES)
            return row->stable[i] == STABILITY_NO ? unstable[i] : unknown[i];
    return "";
}

/* The more conservative first. A default is no promise (another compiler, or another -std,
 * decides otherwise): a policy that says what it means goes before it. */
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
    if (a->max_ulp != b->max_ulp) return a->max_ulp < b->max_ulp;
    return a->overall > b->overall;
}

/* Of those as fast as the fastest, as far as a clock can tell, the most conservative. */
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

/* ---- In words
 * -------------------------------------------------------------------------------------------------------------
 */

static void say_dominated(struct policy_row *row, const struct policy_row *by, const char *twin)
{
    bool faster = by->overall > row->overall * (1 + speed_margin),
         better = by->max_ulp < row->max_ulp;
    snprintf(row->verdict, sizeof row->verdict,
             faster && better ? "%s %s is faster and more accurate%s"
             : faster         ? "%s %s is faster and as accurate%s"
             : better         ? "%s %s is more accurate and as fast%s"
                              : "no better than %s %s%s",
             by->cc, by->policy, twin);
}

static void say_verdict(const struct policies *p, struct policy_row *row)
{
    const struct policy_row *by = dominator(p, row);
    char twin[60] = "";
    if (row->twin[0]) snprintf(twin, sizeof twin, "; the bits of %s", row->twin);
    if (row == p->recommended)
        snprintf(row->verdict, sizeof row->verdict, "recommended%s", twin);
    else if (!row->allowed)
        snprintf(row->verdict, sizeof row->verdict, "not allowed: %s%s", row->objection, twin);
    else if (by)
        say_dominated(row, by, twin);
    else if (row->max_ulp < p->recommended->max_ulp)
        snprintf(row->verdict, sizeof row->verdict,
                 "on the front: more accurate, at %.3f of the recommended speed%s",
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
        snprintf(p->why, sizeof p->why, "no policy is allowed; the verdicts say why");
        return;
    }
    int length =
        snprintf(p->why, sizeof p->why,
                 "%s `%s`: within %.0f%% of the fastest that is allowed, and the most conservative "
                 "of those; "
                 "%.3f [%.3f, %.3f] x the speed of its `off`, at most %.3g ulp (mean %.3g)",
                 row->cc, row->policy, 100 * speed_margin, row->speed.ratio, row->speed.low,
                 row->speed.high, row->max_ulp, row->mean_ulp);
    const struct policy_row *off = find_row(p, row->cc, "off");
    if (off && off != row)
        snprintf(p->why + length, sizeof p->why - (size_t)length, " where `off` has %.3g",
                 off->max_ulp);
}

static void decide(struct policies *p, const struct policy_constraints *constraints)
{
    for (size_t i = 0; i < p->count; i++) {
        struct policy_row *row = &p->rows[i];
        row->pareto = !isnan(row->overall) && !isnan(row->max_ulp) && !dominator(p, row);
        snprintf(row->objection, sizeof row->objection, "%s", object(row, constraints));
        row->allowed = !row->objection[0];
    }
    p->recommended = choose(p);
    for (size_t i = 0; i < p->count; i++) say_verdict(p, &p->rows[i]);
    say_why(p);
    p->constrained = !isnan(constraints->max_ulp) || constraints->no_broken_cases;
    for (size_t i = 0; i < OVER_COUNT; i++) p->constrained |= constraints->require[i];
}

int policies_make(const struct results *r, const char *folder,
                  const struct policy_constraints *constraints, struct policies *p, struct error *e)
{
    *p = (struct policies){.results = r, .folder = folder};
    if (!collect(r, p))
        return fail(e, EXIT_PARTIAL, "policy: out of memory: %s; free some", folder);
    if (!p->count) {
        policies_free(p);
        return fail(e, EXIT_USAGE, "policy: %s: no row of a compiler; run 'ulplab run' first",
                    folder);
    }
    if (!add_errors(r, p, true)) add_errors(r, p, false);
    add_wrong(r, p);
    add_observed(r, p);
    speed_of_off(r, p);
    int code = use_axis(r, p, "policy", use_policies, e);
    speeds_over_first(NULL, p);
    if (!code) code = use_axis(r, p, "cc", use_compilers, e);
    if (!code) code = use_axis(r, p, "isa", use_isas, e);
    if (!code) code = add_other_files(p, e);
    if (code)
        policies_free(p);
    else
        decide(p, constraints);
    return code;
}

void policies_free(struct policies *p)
{
    for (size_t i = 0; i < p->count; i++) json_decref(p->rows[i].cases_broken);
    free(p->rows);
    *p = (struct policies){0};
}
