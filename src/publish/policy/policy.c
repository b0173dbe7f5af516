// SPDX-License-Identifier: MIT
#include "publish/policy/policy.h"

#include <math.h>
#include <string.h>

#include "publish/sql/facts.h"
#include "publish/sql/sql.h"

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

int policy_allow(struct policy_constraints *constraints, const char *word, struct error *e)
{
    static const char *const words[] = {"reassociation", "lost", "subnormals"};
    for (size_t i = 0; i < GIFT_COUNT; i++)
        if (!strcmp(word, words[i])) return constraints->allow[i] = true, 0;
    if (!strcmp(word, "no-bits")) return constraints->no_bits = true, 0;
    return fail(e, EXIT_USAGE,
                "policy: --allow %s: unknown; known: reassociation, lost, subnormals, no-bits",
                word);
}

bool policy_is_constrained(const struct policy_constraints *c)
{
    bool any = c->bar_given || c->no_broken_cases || c->no_bits;
    for (size_t i = 0; i < OVER_COUNT; i++) any |= c->require[i];
    return any;
}

/* ---- Flags ----------------------------------------------------------------------------------- */

enum { WORDS_MAX = 64 };

struct words {
    char text[1024];
    const char *items[WORDS_MAX];
    size_t count;
};

static void split(const char *command, struct words *w)
{
    char *save = NULL;
    w->count = 0;
    snprintf(w->text, sizeof w->text, "%s", command);
    for (char *t = strtok_r(w->text, " ", &save); t && w->count < WORDS_MAX;
         t = strtok_r(NULL, " ", &save))
        w->items[w->count++] = t;
}

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* The index of the first flag after the optimisation and the ISA's flags: the Makefile puts the
 * policy's flags there. */
static size_t behind_isa(const struct words *w)
{
    size_t i = 0;
    while (i < w->count && !starts(w->items[i], "-O")) i++;
    for (i++; i < w->count && (starts(w->items[i], "-m") || starts(w->items[i], "-fno-tree-"));)
        i++;
    return i < w->count ? i : w->count;
}

/* added_flags(command, another): what a policy adds to the command line, from its command and that
 * of the same kernel under another policy (NULL: there is none). A policy's flags begin after the
 * ISA's. If the policy itself begins with -m.., they begin where the command differs from another
 * policy's. They end before the include folders. */
static void added_flags(sqlite3_context *c, int count, sqlite3_value **values)
{
    const char *command = (const char *)sqlite3_value_text(values[0]);
    const char *another = (const char *)sqlite3_value_text(values[1]);
    struct words own, other;
    char flags[200] = "";
    (void)count;
    if (!command) return;
    split(command, &own);
    size_t begin = behind_isa(&own), common = 0;
    if (another) {
        split(another, &other);
        while (common < own.count && common < other.count &&
               !strcmp(own.items[common], other.items[common]))
            common++;
        if (common < begin) begin = common;
    }
    for (size_t i = begin, length = 0;
         i < own.count && !starts(own.items[i], "-I") && length < sizeof flags; i++)
        length += (size_t)snprintf(flags + length, sizeof flags - length, "%s%s", length ? " " : "",
                                   own.items[i]);
    sqlite3_result_text(c, flags, -1, SQLITE_TRANSIENT);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

int policies_make(const struct lab_db *l, const struct policy_constraints *c, struct error *e)
{
    sqlite3_stmt *s;
    int code = lab_execute(l,
                           "CREATE TEMP TABLE asked(max_ulp REAL, bar_given INTEGER, isa INTEGER, "
                           "cc INTEGER, tail INTEGER, threads INTEGER, no_broken_cases INTEGER, "
                           "no_bits INTEGER, reassociation INTEGER, lost INTEGER, "
                           "subnormals INTEGER)",
                           e);
    if (!code)
        code = lab_prepare(l, "INSERT INTO asked VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", &s, e);
    if (code) return code;
    lab_bind(s, "diiiiiiiiii", c->max_ulp, (int64_t)c->bar_given, (int64_t)c->require[OVER_ISA],
             (int64_t)c->require[OVER_CC], (int64_t)c->require[OVER_TAIL],
             (int64_t)c->require[OVER_THREADS], (int64_t)c->no_broken_cases, (int64_t)c->no_bits,
             (int64_t)c->allow[GIFT_REASSOCIATION], (int64_t)c->allow[GIFT_LOST],
             (int64_t)c->allow[GIFT_SUBNORMALS]);
    code = lab_step(l, s, e);
    sqlite3_finalize(s);
    sqlite3_create_function(l->db, "added_flags", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                            added_flags, NULL, NULL);
    if (!code) code = sql_run(l, sql_policy, (double)NAN, e);
    if (!code && !lab_number(l, "SELECT count(*) FROM judged"))
        code = fail(e, EXIT_USAGE, "policy: no row of a compiler; run 'ulplab run' first");
    return code;
}

bool policies_advise(const struct lab_db *l)
{
    return lab_number(l, "SELECT count(*) FROM recommended") > 0;
}
