// SPDX-License-Identifier: MIT
#include "measure/scan_functions.h"

#include <stdio.h>
#include <string.h>

#include "measure/f64_scan.h"
#include "oracle/f64.h"
#include "oracle/oracle.h"

static int add_function(struct scan_functions *f, const char *name, struct error *e)
{
    for (size_t i = 0; i < f->count; i++)
        if (!strcmp(f->names[i], name)) return 0;
    if (f->count == SCAN_FUNCTIONS_MAX)
        return fail(e, EXIT_USAGE, "scan: more than %d functions; scan fewer at once",
                    SCAN_FUNCTIONS_MAX);
    f->names[f->count++] = name;
    return 0;
}

static bool can_be_scanned(const struct variant *v)
{
    const struct oracle *oracle = oracle_find(v->op);
    bool f64 = !strcmp(v->dtype, "f64") && f64_oracle_find(v->op) && !v->peer;
    return oracle && oracle->unary && (f64 || !strcmp(v->dtype, "f32"));
}

static int scan_functions_add_all(struct scan_functions *f, const struct registry *r,
                                  struct error *e)
{
    int code = 0;
    for (size_t i = 0; i < r->count && !code; i++)
        if (can_be_scanned(&r->variants[i]) && !r->variants[i].study)
            code = add_function(f, r->variants[i].op, e);
    return code;
}

int scan_functions_find(const char *const *words, size_t count, const struct registry *r,
                        struct scan_functions *f, struct error *e)
{
    int code = 0;
    f->count = 0;
    for (size_t i = 0; i < count && !code; i++)
        code = strcmp(words[i], "all") ? add_function(f, words[i], e)
                                       : scan_functions_add_all(f, r, e);
    if (code || f->count) return code;
    return fail(e, EXIT_USAGE, "scan: no unary function matches; see 'ulplab list'");
}

/* ---- One after the other --------------------------------------------------------------------- */

static void add_summary(struct scan_summary *sum, const struct scan_summary *one)
{
    sum->rows.ok += one->rows.ok;
    sum->rows.wrong += one->rows.wrong;
    sum->rows.skipped += one->rows.skipped;
    sum->rows.failed += one->rows.failed;
    sum->kept += one->kept;
}

/* About as much work as there are variants. */
static size_t variants_of(const struct registry *r, const char *op)
{
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        count += !strcmp(r->variants[i].op, op) && can_be_scanned(&r->variants[i]);
    return count;
}

/* Scans a function's variants of fp32, then those in double, unless the plan is a range of floats
 * or the registry has none. */
static int scan_both_types(const struct scan_plan *plan, const struct registry *r,
                           struct record_sink sink, struct scan_summary *sum, struct error *e)
{
    struct scan_summary found;
    struct error second = {""};
    int code = 0;
    bool f64 = plan->whole && f64_scan_has(r, plan->op);
    if (!f64 || !f64_scan_alone(r, plan->op)) {
        code = scan_run(plan, r, sink, &found, e);
        add_summary(sum, &found);
    }
    if (!f64 || (code && code != EXIT_GATE && code != EXIT_PARTIAL)) return code;
    int other = f64_scan_run(plan, r, sink, &found, code ? &second : e);
    add_summary(sum, &found);
    return code ? code : other;
}

int scan_run_functions(const struct scan_plan *plan, const struct scan_functions *f,
                       const struct registry *r, struct record_sink sink, struct scan_summary *sum,
                       struct error *e)
{
    size_t all = 0, before = 0;
    int code = 0;
    *sum = (struct scan_summary){0};
    for (size_t i = 0; i < f->count; i++) all += variants_of(r, f->names[i]);
    for (size_t i = 0; i < f->count; i++) {
        struct scan_plan one = *plan;
        struct error why = {""};
        char title[48] = "scan";
        if (f->count > 1)
            snprintf(title, sizeof title, "scan, function %zu of %zu", i + 1, f->count);
        one.op = f->names[i];
        one.title = title;
        one.part = (struct scan_part){before, variants_of(r, one.op), all};
        before += one.part.size;
        int ended = scan_both_types(&one, r, sink, sum, &why);
        if (ended && !code) *e = why;
        code = code ? code : ended;
        if (ended && ended != EXIT_GATE && ended != EXIT_PARTIAL) return *e = why, ended;
    }
    int verdict = tally_verdict(&sum->rows, "scan", "variants", e);
    return verdict ? verdict : code;
}
