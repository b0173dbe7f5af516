// SPDX-License-Identifier: MIT
/* The changes of a history: levels of times, errors, bits; and what else changed with them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "publish/history/history.h"

enum { CHANGES_OF_A_SERIES = 64 };

int history_add_change(struct history *h, const struct history_change *c, struct error *e)
{
    if ((h->change_count & (h->change_count - 1)) == 0) { /* room grows by powers of two */
        size_t room = h->change_count ? 2 * h->change_count : 1;
        struct history_change *more = realloc(h->changes, room * sizeof *more);
        if (!more)
            return fail(e, EXIT_PARTIAL,
                        "history: out of memory: %zu changes; narrow with --filter",
                        h->change_count);
        h->changes = more;
    }
    h->changes[h->change_count++] = *c;
    return 0;
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* Half of a 95% interval is 1.96 standard errors. */
static struct point point_of(const struct history_point *p)
{
    double width = p->low > 0 && p->high >= p->low ? log(p->high / p->low) : 0;
    return (struct point){.value = log(p->ns), .error = width / (2 * 1.96)};
}

/* Mean of the logarithms of the newest level less that of the level before a change: what is left
 * of it today. */
static double left_today(const struct point *p, size_t count, const struct change_point *found,
                         size_t changes, size_t i)
{
    size_t from = i ? found[i - 1].at : 0, last = found[changes - 1].at;
    double before = 0, today = 0;
    for (size_t k = from; k < found[i].at; k++) before += p[k].value / (double)(found[i].at - from);
    for (size_t k = last; k < count; k++) today += p[k].value / (double)(count - last);
    return today - before;
}

static int add_times(const struct lab_db *l, struct history *h, size_t series,
                     const struct point *p, const struct change_point *found, size_t changes,
                     double threshold, struct error *e)
{
    const struct history_series *s = &h->series[series];
    int code = 0;
    for (size_t i = 0; i < changes && !code; i++) {
        const struct history_point *at = &h->points[s->first + found[i].at];
        struct history_change c = {.kind = HISTORY_TIME,
                                   .run = at->run,
                                   .before = at[-1].run,
                                   .variant = at->variant,
                                   .series = series,
                                   .ratio = exp(found[i].shift),
                                   .low = exp(found[i].low),
                                   .high = exp(found[i].high),
                                   .p = found[i].p,
                                   .old_value = at[-1].ns,
                                   .new_value = at->ns};
        c.gates = found[i].shift > log1p(threshold) &&
                  left_today(p, s->end - s->first, found, changes, i) > log1p(threshold);
        code = history_explain(l, h, &c, e);
        if (!code) code = history_add_change(h, &c, e);
    }
    return code;
}

int history_find_times(const struct lab_db *l, const struct history_request *q, struct history *h,
                       struct error *e)
{
    struct point *p = calloc(h->run_count + 1, sizeof *p);
    int code = p ? 0 : fail(e, EXIT_PARTIAL, "history: out of memory; free some");
    for (size_t i = 0; i < h->series_count && !code; i++) {
        const struct history_series *s = &h->series[i];
        struct change_point found[CHANGES_OF_A_SERIES];
        for (size_t k = s->first; k < s->end; k++) p[k - s->first] = point_of(&h->points[k]);
        size_t changes = change_points_find(p, s->end - s->first, &change_rules_usual, found,
                                            CHANGES_OF_A_SERIES);
        h->compared +=
            s->end - s->first > 1 && history_is_since(h, h->points[s->end - 1].run, q->since);
        code = add_times(l, h, i, p, found, changes, q->threshold, e);
    }
    free(p);
    return code;
}

/* ---- Errors and bits ------------------------------------------------------------------------- */

/* The last state of a variant's accuracy on a grid of inputs. Quick and whole runs, which have
 * grids of their own, may alternate. */
enum { GRIDS_KEPT = 4 };
struct accuracy_state {
    size_t run;
    bool known;
    char bits[36], grid[36];
    double worst;
};

/* Invariant kernels promise their bits. */
static bool promises_bits(const char *variant)
{
    static const char mark[] = "/invariant"; /* op/algorithm/.. */
    const char *algorithm = strchr(variant, '/');
    return algorithm && !strncmp(algorithm, mark, strlen(mark));
}

static int compare_states(const struct lab_db *l, struct history *h, int64_t variant,
                          const struct accuracy_state *old, const struct accuracy_state *new,
                          struct error *e)
{
    struct history_change c = {.run = new->run,
                               .before = old->run,
                               .variant = variant,
                               .ratio = NAN,
                               .low = NAN,
                               .high = NAN,
                               .p = 0,
                               .old_value = old->worst,
                               .new_value = new->worst};
    bool error = !isnan(old->worst) && !isnan(new->worst) && old->worst != new->worst;
    if (!error && !strcmp(old->bits, new->bits)) return 0;
    c.kind = error ? HISTORY_ERROR : HISTORY_BITS;
    if (error && old->worst > 0) c.ratio = new->worst / old->worst;
    c.gates = (error && new->worst > old->worst) ||
              (strcmp(old->bits, new->bits) != 0 && promises_bits(h->variants[variant]));
    int code = history_explain(l, h, &c, e);
    return code ? code : history_add_change(h, &c, e);
}

/* The state of the same grid; where there is none, the place of the one that was seen longest ago.
 */
static struct accuracy_state *state_of(struct accuracy_state *states, const char *grid)
{
    struct accuracy_state *oldest = states;
    for (size_t i = 0; i < GRIDS_KEPT; i++) {
        if (states[i].known && !strcmp(states[i].grid, grid)) return &states[i];
        if (!states[i].known || (oldest->known && states[i].run < oldest->run)) oldest = &states[i];
    }
    return oldest;
}

static int step_states(const struct lab_db *l, const struct history_request *q, struct history *h,
                       sqlite3_stmt *s, size_t run, struct accuracy_state *states, struct error *e)
{
    int code = 0;
    while (!code && sqlite3_step(s) == SQLITE_ROW) {
        int64_t variant = sqlite3_column_int64(s, 0);
        if (!h->variants[variant]) continue;
        struct accuracy_state new = {.run = run, .known = true, .worst = lab_real(s, 3)};
        snprintf(new.bits, sizeof new.bits, "%s", (const char *)sqlite3_column_text(s, 1));
        snprintf(new.grid, sizeof new.grid, "%s", (const char *)sqlite3_column_text(s, 2));
        struct accuracy_state *old = state_of(&states[variant * GRIDS_KEPT], new.grid);
        if (old->known && !strcmp(old->grid, new.grid)) {
            h->compared += history_is_since(h, run, q->since);
            code = compare_states(l, h, variant, old, &new, e);
        }
        *old = new;
    }
    sqlite3_reset(s);
    return code;
}

int history_find_errors(const struct lab_db *l, const struct history_request *q, struct history *h,
                        struct error *e)
{
    const size_t count = ((size_t)h->variant_max + 1) * GRIDS_KEPT;
    struct accuracy_state *states = calloc(count, sizeof *states);
    sqlite3_stmt *s = NULL;
    int code = states ? 0 : fail(e, EXIT_PARTIAL, "history: out of memory; free some");
    if (!code)
        code = lab_prepare(
            l, "SELECT variant, bits, grid, worst_ulp FROM error_sums WHERE blob = ?", &s, e);
    for (size_t i = 0; i < h->run_count && !code; i++) {
        if (!i || strcmp(h->runs[i].machine, h->runs[i - 1].machine) != 0)
            memset(states, 0, count * sizeof *states);
        lab_bind(s, "i", h->runs[i].accuracy);
        code = step_states(l, q, h, s, i, states, e);
    }
    sqlite3_finalize(s);
    free(states);
    return code;
}

/* ---- What changed with them ------------------------------------------------------------------ */

static void add_cause(struct history_change *c, const char *text)
{
    size_t used = strlen(c->causes);
    snprintf(c->causes + used, sizeof c->causes - used, "%s%s", used ? ", " : "", text);
}

/* The hash of a variant's code under a file of codegen; "" where it has none. */
static void code_hash(const struct lab_db *l, sqlite3_stmt *s, int64_t codegen, int64_t variant,
                      char hash[40])
{
    (void)l;
    lab_bind(s, "ii", codegen, variant);
    const char *text = sqlite3_step(s) == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : "";
    snprintf(hash, 40, "%s", text);
    sqlite3_reset(s);
}

static int explain_code(const struct lab_db *l, const struct history_run *a,
                        const struct history_run *b, struct history_change *c, struct error *e)
{
    char before[40], after[40];
    sqlite3_stmt *s = NULL;
    if (a->codegen == b->codegen) return 0;
    int code = lab_prepare(l, "SELECT hash FROM codes WHERE blob = ? AND variant = ?", &s, e);
    if (code) return code;
    code_hash(l, s, a->codegen, c->variant, before);
    code_hash(l, s, b->codegen, c->variant, after);
    sqlite3_finalize(s);
    if (*before && *after && strcmp(before, after) != 0) add_cause(c, "kernel code");
    return 0;
}

/* Whether a library has another version, of those that both runs name: of any for one of them
 * (`peer`), of glibc and SLEEF for a kernel. */
static bool library_changed(const char *before, const char *after, bool peer)
{
    json_t *a = json_loads(before, 0, NULL), *b = json_loads(after, 0, NULL), *version;
    const char *name;
    bool changed = false;
    json_object_foreach(a, name, version)
    {
        const json_t *other = json_object_get(b, name);
        bool called = peer || !strcmp(name, "glibc") || !strcmp(name, "SLEEF");
        changed |= called && other && !json_equal(version, other);
    }
    json_decref(a);
    json_decref(b);
    return changed;
}

int history_explain(const struct lab_db *l, const struct history *h, struct history_change *c,
                    struct error *e)
{
    const struct history_run *a = &h->runs[c->before], *b = &h->runs[c->run];
    const struct {
        const char *before, *after, *cause;
    } texts[] = {{a->compilers, b->compilers, "compiler"},
                 {a->microcode, b->microcode, "microcode"},
                 {a->kernel, b->kernel, "kernel of the system"}};
    bool peer = strstr(h->variants[c->variant], "/peer-");
    int code = explain_code(l, a, b, c, e);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].before, texts[i].after) != 0) add_cause(c, texts[i].cause);
    if (library_changed(a->libraries, b->libraries, peer)) add_cause(c, "library");
    return code;
}
