// SPDX-License-Identifier: MIT
#include "study/search_row.h"

#include <math.h>
#include <stdio.h>

#include "oracle/bounds.h"

static json_t *history_of(const struct hunt_result *r)
{
    json_t *history = json_array();
    for (size_t k = 0; k < r->points; k++)
        json_array_append_new(history, json_pack("[I, o]", (json_int_t)r->history[k].evaluations,
                                                 record_real(r->history[k].score)));
    if (r->points && r->history[r->points - 1].evaluations < r->evaluations)
        json_array_append_new(
            history, json_pack("[I, o]", (json_int_t)r->evaluations, record_real(r->score)));
    return history;
}

static json_t *real_or_null(double value)
{
    return value < 0 ? json_null() : record_real(value);
}

/* ---- Why no more was found ------------------------------------------------------------------- */

/* Returns how many times random's score a kernel that keeps its bound can have; infinite if it has
 * no bound. */
static double search_row_room_of(const struct variant_search *v)
{
    const struct kernel *k = v->variant->kernel;
    if (objective_of(v->oracle, k) != OBJECTIVE_BOUND || !k->promise.bound ||
        !is_held_to_promises(v->variant))
        return INFINITY;
    return bounds_ceiling(k, v->plan->n, (double)v->plan->low, (double)v->plan->high) /
           v->found.random.score;
}

/* The share of the evaluations after which the score rose by less than 1%. */
static double level_from(const struct hunt_result *r)
{
    for (size_t k = 0; k < r->points; k++)
        if (r->history[k].score * 1.01 >= r->score)
            return (double)r->history[k].evaluations / (double)r->evaluations;
    return 1;
}

static void write_limit(const struct variant_search *v, double room, double level, char *text,
                        size_t size)
{
    const struct hunt_result *g = &v->found.guided, *r = &v->found.random;
    text[0] = '\0';
    if (!(r->score > 0) || g->score >= SEARCH_GAIN * r->score) return;
    if (r->score >= SCORE_OF_SPECIAL)
        snprintf(text, size, "random rows give a NaN or an infinity, too");
    else if (room < SEARCH_GAIN)
        snprintf(text, size, "the bound leaves room for %.2f times random's", room);
    else
        snprintf(text, size, "level from %.0f%% of the budget on", ceil(100 * level));
}

static void put_limit(json_t *row, const struct variant_search *v)
{
    double room = search_row_room_of(v), level = level_from(&v->found.guided);
    char text[100];
    write_limit(v, room, level, text, sizeof text);
    json_object_set_new(row, "room", isfinite(room) ? record_real(room) : json_null());
    json_object_set_new(row, "level_from", record_real(level));
    if (text[0]) json_object_set_new(row, "limit", json_string(text));
}

/* ---- The row --------------------------------------------------------------------------------- */

static void put_found(json_t *row, const struct variant_search *v, const char *input)
{
    const struct search_found *f = &v->found;
    const struct hunt_result *g = &f->guided, *r = &f->random;
    enum objective o = objective_of(v->oracle, v->variant->kernel);
    json_t *random =
        json_pack("{s:o, s:I, s:f, s:o}", "score", real_or_null(r->score), "evaluations",
                  (json_int_t)r->evaluations, "seconds", r->seconds, "history", history_of(r));
    json_t *figures = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:b, s:s, s:I, s:f, s:o, s:o, s:o}", "objective",
        objective_name(o), "score", real_or_null(g->score), "max_ulp", real_or_null(f->worst.ulp),
        "bound_ratio", real_or_null(f->worst.bound), "scaled_error", real_or_null(f->worst.scaled),
        "special", (int)f->worst.special, "input", input, "evaluations", (json_int_t)g->evaluations,
        "seconds", g->seconds, "history", history_of(g), "random", random, "gain",
        r->score > 0 ? record_real(g->score / r->score) : json_null());
    json_object_update(row, figures);
    json_decref(figures);
    put_limit(row, v);
}

json_t *search_row(const struct variant_search *v, enum status status, const char *reason,
                   const char *input)
{
    json_t *row = json_pack("{s:s, s:s, s:s, s:I, s:[f, f], s:I, s:s}", "record", "search", "id",
                            v->variant->id, "op", v->plan->op, "n", (json_int_t)v->plan->n, "box",
                            (double)v->plan->low, (double)v->plan->high, "seed",
                            (json_int_t)v->plan->seed, "status", status_name(status));
    if (reason[0]) json_object_set_new(row, "reason", json_string(reason));
    if (input) put_found(row, v, input);
    return row;
}

bool search_promise_kept(const struct variant_search *v, char *reason, size_t size)
{
    const struct row_errors *w = &v->found.worst;
    const struct kernel *k = v->variant->kernel;
    reason[0] = '\0';
    if (!w->mxcsr_kept) {
        snprintf(reason, size, "leaves MXCSR, x87 or MMX changed");
        return false;
    }
    if (!is_held_to_promises(v->variant)) return true;
    if (k->promise.specials && w->special)
        snprintf(reason, size, "a NaN, an infinity or a sign where none belongs");
    else if (k->promise.bound && w->bound > 1)
        snprintf(reason, size, "%.3g times its proven bound", w->bound);
    return !reason[0];
}
