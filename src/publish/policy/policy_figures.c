#include "publish/policy/policy_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/load/codes.h"
#include "publish/db/columns.h"
#include "publish/sql/sql.h"

/* The row of a query that begins with cc, policy and op: of one operation, or of all (op is NULL).
 */
struct place {
    struct policies *p;
    struct policy_row *row;
    struct policy_effect *effect; /* NULL where op is */
};

static struct policy_effect *effect_at(struct policies *p, const char *op, const char *cc,
                                       const char *policy)
{
    struct policy_effect *effect = policy_effect_find(p, op, cc, policy);
    if (effect) return effect;
    p->effects = memory_grow(p->effects, (p->effect_count + 1) * sizeof *p->effects);
    effect = &p->effects[p->effect_count++];
    *effect = (struct policy_effect){.speed = {.ratio = NAN, .low = NAN, .high = NAN},
                                     .error = {.mean = NAN, .worst = NAN}};
    snprintf(effect->op, sizeof effect->op, "%s", op);
    snprintf(effect->cc, sizeof effect->cc, "%s", cc);
    snprintf(effect->policy, sizeof effect->policy, "%s", policy);
    return effect;
}

static int each_place(const struct lab_db *l, const char *sql, struct policies *p,
                      void (*use)(sqlite3_stmt *, struct place), struct error *e)
{
    sqlite3_stmt *s;
    int code = lab_prepare(l, sql, &s, e), step = SQLITE_DONE;
    while (!code && (step = sqlite3_step(s)) == SQLITE_ROW) {
        struct place at = {p, policy_find(p, column_text(s, 0), column_text(s, 1)), NULL};
        if (*column_text(s, 2))
            at.effect = effect_at(p, column_text(s, 2), column_text(s, 0), column_text(s, 1));
        if (at.row) use(s, at);
    }
    if (!code && step != SQLITE_DONE) code = lab_failed(l, e);
    sqlite3_finalize(s);
    return code;
}

static void use_speed(sqlite3_stmt *s, struct place at)
{
    const struct speed speed = {.ratio = column_real(s, 3),
                                .low = column_real(s, 4),
                                .high = column_real(s, 5),
                                .cells = column_count(s, 6),
                                .same_code = column_count(s, 7),
                                .kernels = column_count(s, 8),
                                .unchanged = column_count(s, 9),
                                .operations = column_count(s, 10),
                                .left_out = column_count(s, 11)};
    if (at.effect) {
        at.effect->speed = speed;
        return;
    }
    at.row->speed = speed;
    snprintf(at.row->same_code, sizeof at.row->same_code, "%s", column_text(s, 12));
}

static void use_overall(sqlite3_stmt *s, struct place at)
{
    at.row->overall = column_real(s, 3);
}

static void use_error(sqlite3_stmt *s, struct place at)
{
    struct error_change change = {.mean = column_real(s, 3),
                                  .worst = column_real(s, 4),
                                  .its = column_real(s, 6),
                                  .of_off = column_real(s, 7),
                                  .kernels = column_count(s, 9),
                                  .changed = column_count(s, 10),
                                  .lost = column_count(s, 11),
                                  .losing = column_count(s, 12),
                                  .broken = column_count(s, 13)};
    snprintf(change.kernel, sizeof change.kernel, "%s", column_text(s, 5));
    snprintf(change.unit, sizeof change.unit, "%s", column_text(s, 8));
    if (at.effect) {
        at.effect->error = change;
        if (!strcmp(change.unit, "ulp") && !strcmp(at.effect->policy, "off") &&
            !strcmp(at.effect->cc, at.p->rows[0].cc))
            snprintf(at.p->ops + strlen(at.p->ops), sizeof at.p->ops - strlen(at.p->ops), "%s%s",
                     *at.p->ops ? ", " : "", at.effect->op);
        return;
    }
    at.row->error = change;
    at.row->max_ulp = column_real(s, 14);
    at.row->mean_ulp = column_real(s, 15);
    snprintf(at.row->same_bits, sizeof at.row->same_bits, "%s", column_text(s, 16));
}

/* ---- What they are over ------------------------------------------------------------------------
 */

static bool is_constrained(const struct policy_constraints *c)
{
    bool any = c->bar_given;
    for (size_t i = 0; i < OVER_COUNT; i++) any |= c->require[i];
    return any;
}

/* Does the kernel meet the constraints under every policy that could be advised? */
static bool fits_everywhere(const struct policies *p, const struct policy_kernel *k)
{
    for (size_t i = 0; i < p->count; i++)
        for (size_t j = 0; p->rows[i].safe && !*p->rows[i].lacks && j < p->rows[i].kernel_count;
             j++) {
            const struct policy_kernel *other = &p->rows[i].kernels[j];
            if (!other->fits && !strcmp(other->op, k->op) &&
                !strcmp(other->algorithm, k->algorithm))
                return false;
        }
    return true;
}

static int insert(const struct lab_db *l, const char *sql, const char *a, const char *b,
                  struct error *e)
{
    sqlite3_stmt *s;
    int code = lab_prepare(l, sql, &s, e);
    if (code) return code;
    lab_bind(s, "tt", a, b);
    code = lab_step(l, s, e);
    sqlite3_finalize(s);
    return code;
}

/* The variants that are left after --filter, and the kernels that count. */
static int set_scope(const struct lab_db *l, const struct policy_constraints *c,
                     const struct policies *p, struct error *e)
{
    const struct results *r = p->results;
    int code = lab_execute(l,
                           "CREATE TEMP TABLE chosen(variant INTEGER PRIMARY KEY);"
                           "CREATE TEMP TABLE counted(op TEXT, algorithm TEXT, UNIQUE(op, "
                           "algorithm));",
                           e);
    for (size_t i = 0; !code && i < r->accuracy_count + r->timing_count; i++) {
        const struct axes *a = i < r->accuracy_count ? &r->accuracies[i].axes
                                                     : &r->timings[i - r->accuracy_count].axes;
        char id[VARIANT_ID_MAX];
        if (strcmp(a->dtype, "f32") != 0 || !strcmp(a->cc, "lib")) continue;
        variant_id(a, id);
        code = insert(l, "INSERT OR IGNORE INTO chosen SELECT id FROM variants WHERE variant = ?1",
                      id, NULL, e);
    }
    for (size_t i = 0; !code && i < p->count; i++)
        for (size_t k = 0; !code && k < p->rows[i].kernel_count; k++) {
            const struct policy_kernel *kernel = &p->rows[i].kernels[k];
            if (!is_constrained(c) || fits_everywhere(p, kernel))
                code = insert(l, "INSERT OR IGNORE INTO counted VALUES(?1, ?2)", kernel->op,
                              kernel->algorithm, e);
        }
    return code ? code : lab_execute(l, sql_policy_scope, e);
}

int policy_figures(const struct lab_db *db, const struct policy_constraints *constraints,
                   struct policies *p, struct error *e)
{
    int code = set_scope(db, constraints, p, e);
    if (!code) code = each_place(db, sql_policy_speed, p, use_speed, e);
    if (!code) code = each_place(db, sql_policy_overall, p, use_overall, e);
    if (!code) code = each_place(db, sql_policy_error, p, use_error, e);
    return code;
}
