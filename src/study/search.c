// SPDX-License-Identifier: MIT
#include "study/search.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interval.h"
#include "base/progress.h"
#include "measure/adversarial.h"
#include "model/record_file.h"
#include "oracle/bounds.h"
#include "study/search_child.h"

/* ---- The plan -------------------------------------------------------------------------------- */

/* The default rows and boxes of an operation, in which random rows find little. logsumexp of 2048
 * such numbers is near zero, where the rounding of the result itself hides nothing; a variance
 * suffers from a mean that is far from zero. */
struct search_plan search_plan_default(const char *op)
{
    static const struct {
        const char *op;
        size_t n;
        float low, high;
    } usual[] = {{"logsumexp", 2048, -9, -6.5f},
                 {"moments", 256, 8, 16},
                 {"log", 2048, 0x1p-10f, 8},
                 {"log2", 2048, 0x1p-10f, 8}};
    struct search_plan plan = {
        .op = op, .n = 2048, .low = -8, .high = 8, .seed = 1, .seconds = 20, .silence_s = 30};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strcmp(usual[i].op, op) != 0) continue;
        plan.n = usual[i].n;
        plan.low = usual[i].low;
        plan.high = usual[i].high;
    }
    return plan;
}

int search_parse_box(const char *text, struct search_plan *plan, struct error *e)
{
    if (interval_parse(text, &plan->low, &plan->high) && isfinite(plan->low) &&
        isfinite(plan->high) && plan->low < plan->high)
        return 0;
    return fail(e, EXIT_USAGE,
                "--box: '%s': want LO,HI, both finite and LO < HI, such as -8,8 or 0x1p-3,1", text);
}

/* ---- Records --------------------------------------------------------------------------------- */

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

static json_t *search_row(const struct variant_search *v, enum status status, const char *reason,
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

static bool search_promise_kept(const struct variant_search *v, char *reason, size_t size)
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

/* ---- The search ------------------------------------------------------------------------------ */

enum { N_MOST = 1 << 20 };

struct search {
    const struct search_plan *plan;
    struct record_sink sink;
    struct tally *tally;
    const struct variant **variants;
    json_t **records; /* per variant, for those of equal code */
    size_t count, to_do;
    struct variant_search at; /* the variant that is searched now */
};

static size_t rank(const char *isa)
{
    static const char *const isas[] = {"scalar", "sse", "avx2", "avx512"};
    size_t k = 0;
    while (k < sizeof isas / sizeof *isas && strcmp(isas[k], isa) != 0) k++;
    return k;
}

/* Returns whether the variant is searched without a filter: on the widest ISA, by the first
 * compiler, under `off`. */
static bool is_usual(const struct registry *r, const struct variant *v)
{
    if (strcmp(v->policy, "off") != 0) return false;
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *w = &r->variants[i];
        if (w->status != STATUS_OK || strcmp(w->op, v->op) || strcmp(w->algorithm, v->algorithm) ||
            strcmp(w->dtype, v->dtype) || strcmp(w->policy, v->policy))
            continue;
        if (rank(w->isa) > rank(v->isa)) return false;
        if (rank(w->isa) == rank(v->isa) && strcmp(w->cc, v->cc) < 0) return false;
    }
    return true;
}

/* Variants of equal code have equal errors: only the first is searched. */
static bool is_searched(const struct search *s, size_t i)
{
    return s->variants[i]->status == STATUS_OK && first_of_same_code(s->variants, i) == i;
}

static int search_collect_variants(struct search *s, const struct registry *r, struct error *e)
{
    s->variants = calloc(r->count + 1, sizeof *s->variants);
    s->records = calloc(r->count + 1, sizeof *s->records);
    if (!s->variants || !s->records)
        return fail(e, EXIT_PARTIAL, "out of memory: %zu variants; use --filter", r->count);
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        /* A hunt varies the bits of fp32. 16-bit types have so few values that it would find no
         * more than the families of accuracy do. */
        if (strcmp(v->dtype, "f32") != 0) continue;
        if (!v->study && !strcmp(v->op, s->plan->op) && (s->plan->all || is_usual(r, v)))
            s->variants[s->count++] = v;
    }
    for (size_t i = 0; i < s->count; i++) s->to_do += is_searched(s, i);
    if (s->count) return 0;
    return fail(e, EXIT_USAGE, "search: no variant of '%s' matches; see 'ulplab list'",
                s->plan->op);
}

/* Searches the variant and keeps its worst row. Returns 0 unless something beside the variant
 * failed. */
static int search_code(struct search *s, enum status *status, char input[ADVERSARIAL_NAME],
                       char *reason, size_t size, struct error *e)
{
    struct variant_search *at = &s->at;
    int code = variant_search_run(at, status, e);
    at->share_begin += at->share_each;
    if (code || *status != STATUS_OK) return code;
    if (!search_promise_kept(at, reason, size)) *status = STATUS_WRONG;
    struct npy row = {.data = at->row, .rows = 1, .cols = s->plan->n, .ndim = 2};
    return adversarial_keep(s->plan->folder, s->plan->op, &row, input, e);
}

static json_t *search_copy_row(const struct search *s, size_t from, size_t to)
{
    json_t *row = json_deep_copy(s->records[from]);
    json_object_set_new(row, "id", json_string(s->variants[to]->id));
    json_object_set_new(row, "same_code_as", json_string(s->variants[from]->id));
    return row;
}

static int search_variant(struct search *s, size_t i, struct error *e)
{
    const struct variant *v = s->variants[i];
    size_t first = first_of_same_code(s->variants, i);
    enum status status = v->status;
    char reason[160], input[ADVERSARIAL_NAME] = "";
    snprintf(reason, sizeof reason, "%s", v->reason);
    s->at.variant = v;
    if (is_searched(s, i)) {
        int code = search_code(s, &status, input, reason, sizeof reason, e);
        if (code) return code;
    }
    s->records[i] = first == i ? search_row(&s->at, status, reason, input[0] ? input : NULL)
                               : search_copy_row(s, first, i);
    tally_add(s->tally, status_from_name(record_text(s->records[i], "status")));
    return s->sink.put(s->sink.context, json_incref(s->records[i]), e);
}

static int search_all(struct search *s, struct error *e)
{
    struct progress progress;
    struct variant_search *at = &s->at;
    at->plan = s->plan;
    at->seconds = s->plan->seconds / 2 / (double)(s->to_do + !s->to_do);
    at->progress = &progress;
    at->share_each = 1 / (double)(s->to_do + 1);
    at->row = malloc(s->plan->n * sizeof *at->row);
    if (!at->row) return fail(e, EXIT_PARTIAL, "out of memory: search: rows of %zu", s->plan->n);
    int code = 0;
    progress_begin(&progress, "search", s->plan->quiet);
    for (size_t i = 0; i < s->count && !code; i++) code = search_variant(s, i, e);
    progress_end(&progress);
    free(at->row);
    return code;
}

int search_run(const struct search_plan *plan, const struct registry *r, struct record_sink sink,
               struct tally *tally, struct error *e)
{
    *tally = (struct tally){0};
    struct search s = {.plan = plan, .sink = sink, .tally = tally};
    s.at.oracle = oracle_find(plan->op);
    if (!s.at.oracle)
        return fail(e, EXIT_USAGE, "search: '%s': not an operation of this lab; see 'ulplab list'",
                    plan->op);
    if (plan->n < 1 || plan->n > N_MOST)
        return fail(e, EXIT_USAGE, "--n: %zu: want rows of 1 to %d elements", plan->n, N_MOST);
    int code = search_collect_variants(&s, r, e);
    if (!code) code = search_all(&s, e);
    for (size_t i = 0; s.records && i < s.count; i++) json_decref(s.records[i]);
    free(s.records);
    free(s.variants);
    return code ? code : tally_verdict(tally, "search", "variants", e);
}

/* ---- search.jsonl ---------------------------------------------------------------------------- */

static bool search_same_place(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"id", "n", "box"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i]))) return false;
    return true;
}

static bool is_replaced(const json_t *old, const json_t *records)
{
    size_t i;
    const json_t *record;
    json_array_foreach(records, i, record) if (search_same_place(old, record)) return true;
    return false;
}

int search_keep(const char *folder, const json_t *records, struct error *e)
{
    char path[1100];
    json_t *old, *rows, *record;
    size_t i;
    snprintf(path, sizeof path, "%s/search.jsonl", folder);
    int code = folder_make(folder, e);
    if (!code) code = record_read(path, true, &old, e);
    if (code) return code;
    rows = json_array();
    json_array_foreach(old, i, record) if (!is_replaced(record, records))
        json_array_append(rows, record);
    json_array_foreach(records, i, record) record_built(record);
    json_array_extend(rows, (json_t *)(uintptr_t)records);
    code = record_write_file(path, rows, e);
    json_decref(rows);
    json_decref(old);
    return code;
}
