#include "publish/site/cpus_gains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "publish/compare/compare.h"
#include "publish/policy/policy.h"
#include "publish/render/places.h"
#include "publish/site/columns.h"

/* ---- AVX-512 over AVX2 ------------------------------------------------------------------------
 */

static const char *const isas[2] = {"avx2", "avx512"};
static const char *const levels[] = {"L1", "L2", "L3", "DRAM"};
enum { LEVELS = sizeof levels / sizeof *levels };

/* How many cells of AVX-512 stood beside one of AVX2. */
static size_t pairs_of(const struct comparison *c, const char *op, const char *level)
{
    size_t pairs = 0;
    for (size_t i = 0; i < c->row_count; i++)
        pairs += c->rows[i].ratio > 0 && !strcmp(c->rows[i].axes.group, op) &&
                 !strcmp(c->rows[i].a->residency, level);
    return pairs;
}

static json_t *gain(const struct machine *machine, const struct comparison *c, const char *op,
                    const char *level)
{
    size_t pairs = pairs_of(c, op, level);
    if (!pairs) return json_null();
    struct compare_mean mean = compare_mean_of(c, 1, op, level);
    return json_pack("[o, o, o, I, o, o]", rounded_time(1 / mean.ratio),
                     rounded_time(1 / mean.high), rounded_time(1 / mean.low), (json_int_t)pairs,
                     rounded_percent(machine_share_of_limit(machine, op, level, isas[0])),
                     rounded_percent(machine_share_of_limit(machine, op, level, isas[1])));
}

static void put_gains(const struct machines *m, const struct comparison *c, const bool *made,
                      const char *op, json_t *rows)
{
    for (size_t k = 0; k < LEVELS; k++) {
        json_t *cpus = json_array();
        bool any = false;
        for (size_t i = 0; i < m->count; i++) {
            json_t *one = made[i] ? gain(&m->items[i], &c[i], op, levels[k]) : json_null();
            any |= !json_is_null(one);
            json_array_append_new(cpus, one);
        }
        if (any)
            json_array_append_new(rows, json_pack("{s:o, s:s, s:o}", "op", json_text(op), "level",
                                                  levels[k], "cpus", cpus));
        else
            json_decref(cpus);
    }
}

json_t *cpu_gains(const struct machines *m)
{
    struct compare_plan *plans = calloc(MACHINES_MAX, sizeof *plans);
    struct comparison *c = calloc(MACHINES_MAX, sizeof *c);
    bool made[MACHINES_MAX] = {false};
    struct axis_values ops = {.count = 0};
    json_t *rows = json_array();
    for (size_t i = 0; plans && c && i < m->count; i++) {
        made[i] = machine_compare_isas(&m->items[i], isas, &plans[i], &c[i]);
        for (size_t k = 0; made[i] && k < c[i].row_count; k++)
            axis_remember(&ops, c[i].rows[k].axes.group);
    }
    for (size_t o = 0; o < ops.count; o++) put_gains(m, c, made, ops.items[o], rows);
    for (size_t i = 0; i < m->count; i++)
        if (made[i]) compare_free(&c[i]);
    free(plans);
    free(c);
    return rows;
}

/* ---- Policies ---------------------------------------------------------------------------------
 */

static void put_speed(const struct machines *m, const struct policy_row *named, json_t *rows)
{
    json_t *cpus = json_array();
    for (size_t i = 0; i < m->count; i++) {
        const struct policies *p = &m->items[i].report.policies;
        const struct policy_row *row = policy_find(p, named->cc, named->policy);
        if (row && row->speed.ratio > 0)
            json_array_append_new(cpus, json_pack("[o, o, o, i]", rounded_time(row->speed.ratio),
                                                  rounded_time(row->speed.low),
                                                  rounded_time(row->speed.high),
                                                  (int)(row == p->recommended)));
        else
            json_array_append_new(cpus, json_null());
    }
    json_array_append_new(rows, json_pack("{s:o, s:o, s:o}", "cc", json_text(named->cc), "policy",
                                          json_text(named->policy), "cpus", cpus));
}

/* Has an earlier CPU that row? */
static bool was_put(const struct machines *m, size_t before, const struct policy_row *row)
{
    bool put = false;
    for (size_t i = 0; i < before; i++)
        put |= policy_find(&m->items[i].report.policies, row->cc, row->policy) != NULL;
    return put;
}

json_t *cpu_speeds(const struct machines *m)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < m->count; i++) {
        const struct policies *p = &m->items[i].report.policies;
        for (size_t k = 0; k < p->count; k++)
            if (!was_put(m, i, &p->rows[k])) put_speed(m, &p->rows[k], rows);
    }
    return rows;
}
