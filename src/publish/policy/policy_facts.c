#include "publish/policy/policy_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "publish/analyse/summary.h"
#include "publish/policy/policy_bits.h"
#include "publish/policy/policy_figures.h"
#include "publish/policy/policy_flags.h"

/* ---- Rows and their kernels --------------------------------------------------------------------
 */

/* gcc first, then compilers by name; policies from off to fastmath, then by name. */
static int by_cc_and_policy(const void *a, const void *b)
{
    static const char *const order[] = {"off", "on", "default", "fast", "reassoc", "fastmath"};
    const struct policy_row *x = a, *y = b;
    size_t rank_x = 0, rank_y = 0;
    int c = !strncmp(y->cc, "gcc", 3) - !strncmp(x->cc, "gcc", 3);
    if (!c) c = strcmp(x->cc, y->cc);
    while (rank_x < 6 && strcmp(order[rank_x], x->policy) != 0) rank_x++;
    while (rank_y < 6 && strcmp(order[rank_y], y->policy) != 0) rank_y++;
    if (!c) c = (rank_x > rank_y) - (rank_x < rank_y);
    return c ? c : strcmp(x->policy, y->policy);
}

static const struct axes *axes_at(const struct results *r, size_t i)
{
    return i < r->accuracy_count ? &r->accuracies[i].axes : &r->timings[i - r->accuracy_count].axes;
}

static bool collect_rows(const struct results *r, struct policies *p)
{
    size_t all = r->accuracy_count + r->timing_count;
    p->rows = memory_zeroed(all + 1, sizeof *p->rows);
    for (size_t i = 0; p->rows && i < all; i++) {
        const struct axes *a = axes_at(r, i);
        if (!strcmp(a->cc, "lib") || policy_find(p, a->cc, a->policy))
            continue; /* a library is built with its own flags */
        struct policy_row *row = &p->rows[p->count++];
        *row = (struct policy_row){.speed = {.ratio = NAN, .low = NAN, .high = NAN},
                                   .overall = NAN,
                                   .error = {.mean = NAN, .worst = NAN},
                                   .max_ulp = NAN,
                                   .mean_ulp = NAN,
                                   .cases_broken = json_array()};
        snprintf(row->cc, sizeof row->cc, "%s", a->cc);
        snprintf(row->policy, sizeof row->policy, "%s", a->policy);
        policy_flags(r, row->cc, row->policy, row->flags, sizeof row->flags);
    }
    if (p->rows) qsort(p->rows, p->count, sizeof *p->rows, by_cc_and_policy);
    return p->rows != NULL;
}

static struct policy_kernel *add_kernel(struct policy_row *row, const struct axes *a)
{
    struct policy_kernel *k = policy_kernel_find(row, a);
    if (k) return k;
    struct policy_kernel *more = realloc(row->kernels, (row->kernel_count + 1) * sizeof *more);
    if (!more) return NULL;
    row->kernels = more;
    k = &more[row->kernel_count++];
    *k = (struct policy_kernel){.advised = NAN};
    snprintf(k->op, sizeof k->op, "%s", a->op);
    snprintf(k->algorithm, sizeof k->algorithm, "%s", a->algorithm);
    snprintf(k->dtype, sizeof k->dtype, "%s", a->dtype);
    return k;
}

static bool collect_kernels(const struct results *r, const struct summaries *s, struct policies *p)
{
    for (size_t i = 0; i < r->accuracy_count + r->timing_count; i++) {
        const struct axes *axes = axes_at(r, i);
        struct policy_row *row = policy_find(p, axes->cc, axes->policy);
        /* Policies are chosen for fp32: the rounding of 16-bit storage hides their errors. */
        if (!row || strcmp(axes->dtype, "f32") != 0) continue;
        struct policy_kernel *k = add_kernel(row, axes);
        if (!k) return false;
        const struct summary *v = summaries_find(s, axes);
        k->hazard |= v->hazard;
        k->advised = fmax(k->advised, v->advised); /* fmax leaves NAN out */
    }
    return true;
}

/* ---- What the litmus saw -------------------------------------------------------------------- */

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
        const json_t *observed = json_object_get(record, "observed");
        struct policy_row *row =
            axes_parse(record_text(record, "id"), &a) ? policy_find(p, a.cc, a.policy) : NULL;
        if (!row || !json_is_object(observed)) continue;
        row->contracts |= is_true(observed, "contracts");
        row->gives_up[GIVES_ORDER] |= is_true(observed, "reassociates");
        row->gives_up[GIVES_NAN] |=
            is_false(observed, "honours_nan") || is_false(observed, "honours_nan_in_expression");
        row->gives_up[GIVES_SUBNORMALS] |= is_false(observed, "honours_subnormals");
        row->safe &= !is_true(observed, "reassociates") && !is_false(observed, "honours_nan") &&
                     !is_false(observed, "honours_subnormals");
    }
}

/* ---- Cases and divergence ------------------------------------------------------------------- */

/* A case's rows say {"cc", "policy", "broken": true} where the failure shows under that build. */
static void add_case(struct policies *p, const json_t *record)
{
    const json_t *line;
    size_t i;
    p->cases_known = true;
    json_array_foreach(json_object_get(record, "rows"), i, line)
    {
        struct policy_row *row =
            policy_find(p, record_text(line, "cc"), record_text(line, "policy"));
        if (!row || !is_true(line, "broken")) continue;
        size_t last = json_array_size(row->cases_broken);
        const char *name = record_text(record, "name");
        if (!last || strcmp(json_string_value(json_array_get(row->cases_broken, last - 1)), name))
            json_array_append_new(row->cases_broken, json_string(name));
    }
}

/* A record of `diverge`: {"id", "tail": true, "threads": false, ..}. */
static void add_invariance(struct policies *p, const json_t *record)
{
    static const enum stable_over overs[] = {OVER_TAIL, OVER_THREADS};
    struct axes a;
    struct policy_row *row =
        axes_parse(record_text(record, "id"), &a) ? policy_find(p, a.cc, a.policy) : NULL;
    struct policy_kernel *kernel = row ? policy_kernel_find(row, &a) : NULL;
    for (size_t i = 0; kernel && i < 2; i++) {
        const json_t *value = json_object_get(record, stable_over_name(overs[i]));
        if (json_is_boolean(value)) stability_join(&kernel->stable[overs[i]], json_is_true(value));
    }
}

static int add_file(struct policies *p, const char *name, const char *kind,
                    void (*add)(struct policies *, const json_t *), struct error *e)
{
    json_t *records = NULL, *record;
    size_t i;
    int code = record_read_from(p->folder, name, true, &records, e);
    json_array_foreach(records, i, record) if (!strcmp(record_text(record, "record"), kind))
        add(p, record);
    json_decref(records);
    return code;
}

/* ---- Which kernels fit ---------------------------------------------------------------------- */

/* Where no accuracy was measured at all, no bar can be held to. */
static bool fits(const struct results *r, const struct policy_kernel *k,
                 const struct policy_constraints *c)
{
    if (k->hazard) return false;
    if (!isnan(c->max_ulp) && r->accuracy_count && !(k->advised <= c->max_ulp)) return false;
    for (size_t i = 0; i < OVER_COUNT; i++)
        if (c->require[i] && k->stable[i] != STABILITY_YES) return false;
    return true;
}

static void mark_fitting(const struct results *r, struct policies *p,
                         const struct policy_constraints *constraints)
{
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->rows[i].kernel_count; k++)
            p->rows[i].kernels[k].fits = fits(r, &p->rows[i].kernels[k], constraints);
}

static bool has_kernel(const struct policy_row *row, const char *op)
{
    for (size_t k = 0; k < row->kernel_count; k++)
        if (row->kernels[k].fits && !strcmp(row->kernels[k].op, op)) return true;
    return false;
}

/* Does the kernel fit under another policy? */
static bool fits_elsewhere(const struct policies *p, const struct policy_kernel *k)
{
    for (size_t i = 0; i < p->count; i++)
        for (size_t j = 0; j < p->rows[i].kernel_count; j++) {
            const struct policy_kernel *other = &p->rows[i].kernels[j];
            if (other->fits && !strcmp(other->op, k->op) && !strcmp(other->algorithm, k->algorithm))
                return true;
        }
    return false;
}

/* The first operation without a kernel that fits, or NULL. Hazards never fit; an operation whose
 * kernels are all hazards is not counted. Where nothing was asked, one counts only if another
 * policy keeps a kernel within the bar that this one takes beyond it: kernels that were built under
 * one policy alone say nothing against the others. */
static const char *operation_without_kernel(const struct policies *p, const struct policy_row *row,
                                            const struct policy_constraints *c)
{
    bool asked = c->bar_given, any = false;
    for (size_t i = 0; i < OVER_COUNT; i++) asked |= c->require[i];
    for (size_t i = 0; i < row->kernel_count; i++) any |= row->kernels[i].fits;
    for (size_t i = 0; i < row->kernel_count; i++) {
        const struct policy_kernel *k = &row->kernels[i];
        if (!k->hazard && !has_kernel(row, k->op) && (asked || !any || fits_elsewhere(p, k)))
            return k->op;
    }
    return NULL;
}

static void find_lacking(struct policies *p, const struct policy_constraints *c)
{
    for (size_t i = 0; i < p->count; i++) {
        const char *op = operation_without_kernel(p, &p->rows[i], c);
        snprintf(p->rows[i].lacks, sizeof p->rows[i].lacks, "%s", op ? op : "");
    }
}

static void count_stable(struct policies *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct policy_row *row = &p->rows[i];
        for (enum stable_over over = 0; over < OVER_COUNT; over++)
            for (size_t k = 0; k < row->kernel_count; k++) {
                enum stability stable = row->kernels[k].stable[over];
                if (!row->kernels[k].fits || stable == STABILITY_UNKNOWN) continue;
                row->known_kernels[over]++;
                row->stable_kernels[over] += stable == STABILITY_YES;
                stability_join(&row->stable[over], stable == STABILITY_YES);
            }
    }
}

/* ---- The whole ------------------------------------------------------------------------------ */

static int collect(const struct results *r, double bar, struct policies *p, struct error *e)
{
    struct summaries s;
    int code = summaries_make(r, bar, &s, e);
    if (code) return code;
    bool complete = collect_rows(r, p) && collect_kernels(r, &s, p);
    code = losses_find(r, &s, &p->losses, e);
    summaries_free(&s);
    if (code) return code;
    if (!complete) return fail(e, EXIT_PARTIAL, "policy: out of memory: %s; free some", p->folder);
    if (!p->count)
        return fail(e, EXIT_USAGE, "policy: %s: no row of a compiler; run 'ulplab run' first",
                    p->folder);
    return 0;
}

int policy_facts(const struct results *r, const struct lab_db *db,
                 const struct policy_constraints *constraints, struct policies *p, struct error *e)
{
    p->bar = constraints->max_ulp;
    int code = collect(r, constraints->max_ulp, p, e);
    if (code) return code;
    add_observed(r, p);
    code = policy_stable(db, p, e);
    if (!code) code = add_file(p, "diverge.jsonl", "invariance", add_invariance, e);
    if (!code) code = add_file(p, "cases.jsonl", "case", add_case, e);
    if (code) return code;

    mark_fitting(r, p, constraints);
    find_lacking(p, constraints);
    count_stable(p);
    return policy_figures(db, constraints, p, e);
}
