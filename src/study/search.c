// SPDX-License-Identifier: MIT
#include "study/search.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/process.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/progress.h"
#include "measure/accuracy.h"
#include "measure/isolate.h"
#include "measure/score.h"
#include "model/record.h"
#include "oracle/bounds.h"
#include "oracle/ulp.h"
#include "study/hunt.h"

/* ---- The score of a row: how wrong a kernel is on it ----------------------------------------- */

/* The error over its proven bound where the kernel has one, in ULP for a function of one number,
 * else over what its inputs' rounding explains. */
enum objective { OBJECTIVE_BOUND, OBJECTIVE_ULP, OBJECTIVE_SCALED };

/* The score of a special result where none belongs, which is worse than any distance. */
#define SCORE_OF_SPECIAL 1e30

/* A kernel, with room for each island's rows and results. */
struct scorer {
    const struct oracle *oracle;
    const struct kernel *kernel;
    enum objective objective;
    struct stage stage[HUNT_ISLANDS];
    double *want[HUNT_ISLANDS]; /* [oracle_values] */
};

static enum objective objective_of(const struct oracle *op, const struct kernel *k)
{
    return k->bound != BOUND_NONE ? OBJECTIVE_BOUND : op->unary ? OBJECTIVE_ULP : OBJECTIVE_SCALED;
}

static const char *objective_name(enum objective o)
{
    static const char *const names[] = {"bound", "ulp", "scaled"};
    return names[o];
}

static double search_scaled_error(const struct oracle *op, const struct oracle_row *facts, size_t n,
                                  const float *y, const double *want)
{
    size_t each = op->elementwise ? oracle_results(op, n) : 1,
           outputs = op->elementwise ? 1 : op->columns;
    double worst = -1;
    for (size_t o = 0; o < outputs; o++)
        worst = fmax(worst, ulp_scaled_error(y + o * each, want + o * each, each, facts->floor[o]));
    return worst;
}

/* Returns the score of a row's results y; -1 of a row beyond the oracle. */
static double score_row(const struct scorer *s, const float *x, const float *y, double *want)
{
    size_t n = s->stage[0].n;
    struct oracle_row facts;
    struct ulp_stats stats;
    struct bound_ratio ratio;
    const struct parameters with = stage_parameters(&s->stage[0], &parameters_default);
    s->oracle->row(x, n, &with, want, &facts);
    if (facts.beyond) return -1;
    ulp_begin(&stats);
    ulp_measure(y, want, oracle_results(s->oracle, n), 0, &stats, NULL);
    if (stats.lost || (s->oracle->sign_certain && (stats.sign || stats.zero)))
        return SCORE_OF_SPECIAL;
    if (s->objective == OBJECTIVE_ULP) return stats.max;
    if (s->objective == OBJECTIVE_SCALED) return search_scaled_error(s->oracle, &facts, n, y, want);
    bounds_begin(&ratio);
    bounds_row(s->kernel, &parameters_default, x, n, y, want, &facts, &ratio);
    return ratio.worst;
}

/* Scores rows [HUNT_BATCH, n]; islands may do so at the same time. */
static void scorer_score(struct scorer *s, size_t island, const float *rows, double *scores)
{
    struct stage *g = &s->stage[island];
    for (size_t c = 0; c < g->chunks; c++) {
        const size_t first = c * g->chunk_rows, count = stage_chunk_rows(g, c);
        memcpy(stage_x(g, c), rows + first * g->n, count * g->n * sizeof *rows);
        stage_run_chunk(g, s->kernel, &parameters_default, c);
        for (size_t r = 0; r < count; r++)
            scores[first + r] =
                score_row(s, (const float *)stage_x(g, c) + r * g->n,
                          (const float *)stage_y(g, c) + r * g->columns, s->want[island]);
    }
}

/* Measures one row as `accuracy` does. */
static int scorer_examine(const struct scorer *s, const float *row, struct score *score,
                          struct error *e)
{
    struct stage g;
    struct exact_block exact;
    int code = stage_open(&g, s->oracle, &dtype_f32, 1, s->stage[0].n, 1, false, e);
    if (code) return code;
    memcpy(stage_x(&g, 0), row, g.n * sizeof *row);
    const bool kept = stage_run(&g, s->kernel, &parameters_default, NULL);
    exact_open(&exact, s->oracle, &parameters_default, &g);
    score_outputs(score, &(struct scoring){.op = s->oracle,
                                           .kernel = s->kernel,
                                           .parameters = &parameters_default,
                                           .stage = &g,
                                           .exact = &exact});
    score->mxcsr_kept = kept;
    exact_close(&exact);
    stage_close(&g);
    return 0;
}

/* Opens a scorer for rows of n. The child ends with it. */
static int scorer_open(struct scorer *s, const struct oracle *oracle, const struct kernel *kernel,
                       size_t n, int threads, struct error *e)
{
    *s = (struct scorer){
        .oracle = oracle, .kernel = kernel, .objective = objective_of(oracle, kernel)};
    int code = 0;
    for (size_t k = 0; k < HUNT_ISLANDS && !code; k++) {
        s->want[k] = memory_new((oracle_values(oracle, n) + 1) * sizeof *s->want[k]);
        code = stage_open(&s->stage[k], oracle, &dtype_f32, HUNT_BATCH, n, threads, false, e);
    }
    return code;
}

/* ---- One variant, in a child process that may die of it -------------------------------------- */

/* The findings, in memory that the child shares with the parent. */
struct search_found {
    enum { SEARCHING, FOUND, FAILED } state;
    struct error error;                /* FAILED */
    struct hunt_result guided, random; /* `best` is of no use here */
    struct score worst;                /* of the guided hunt's row, the worst one: */
    float row[];                       /* [n] */
};

struct variant_search {
    const struct search_request *request;
    const struct variant *variant;
    const struct oracle *oracle;
    double seconds; /* for each method, if there is no budget of evaluations */
    struct progress *progress;
    double share_begin, share_each; /* of the whole search */
    struct search_found *found;

    /* Members of the child. */
    struct scorer scorer;
    int channel;
    double hunt_begin; /* of this variant's share: guided and random search have half each */
};

static void score(void *context, size_t island, const float *rows, double *scores)
{
    struct variant_search *v = context;
    scorer_score(&v->scorer, island, rows, scores);
}

static void send_round(void *context, double share)
{
    const struct variant_search *v = context;
    const double done = v->hunt_begin + share / 2;
    isolate_send(v->channel, &done, sizeof done);
}

static void hunt_with(struct variant_search *v, bool guided, struct hunt_result *r)
{
    const struct search_request *p = v->request;
    v->hunt_begin = guided ? 0 : 0.5;
    const struct hunt_request hunt = {.n = p->n,
                                      .low = p->low,
                                      .high = p->high,
                                      .seed = p->seed,
                                      .evaluations = p->evaluations,
                                      .seconds = v->seconds,
                                      .threads = p->threads,
                                      .guided = guided,
                                      .score = score,
                                      .round = send_round,
                                      .context = v};
    hunt_run(&hunt, r);
}

static void search_in_child(void *context, int channel)
{
    struct variant_search *v = context;
    const size_t n = v->request->n;
    struct search_found *f = v->found;
    v->channel = channel;
    int code =
        scorer_open(&v->scorer, v->oracle, v->variant->kernel, n, v->request->threads, &f->error);
    if (!code) {
        hunt_with(v, true, &f->guided);
        hunt_with(v, false, &f->random);
        memcpy(f->row, f->guided.best, n * sizeof *f->row);
        code = scorer_examine(&v->scorer, f->row, &f->worst, &f->error);
    }
    f->state = code ? FAILED : FOUND;
}

static void search_receive(void *context, const void *message, size_t size)
{
    const struct variant_search *v = context;
    double share = 0;
    memcpy(&share, message, size < sizeof share ? size : sizeof share);
    progress_update(v->progress, v->share_begin + v->share_each * share, v->variant->id);
}

/* Searches, and fills in `found` where *status is STATUS_OK; else the variant's child ended so. Not
 * 0 where the search itself failed or was interrupted. */
static int variant_search_run(struct variant_search *v, enum status *status, struct error *e)
{
    v->found->state = SEARCHING;
    *status = isolate_run(search_in_child, search_receive, v, v->request->silence_s);
    if (*status == STATUS_INTERRUPTED) return interrupt_requested();
    if (*status == STATUS_OK && v->found->state == FAILED) {
        *e = v->found->error;
        return EXIT_PARTIAL;
    }
    if (*status == STATUS_OK && v->found->state != FOUND)
        *status = STATUS_KILLED; /* it called exit() */
    return 0;
}

/* ---- The request ----------------------------------------------------------------------------- */

/* The default rows and boxes of an operation, in which random rows find little. logsumexp of 2048
 * such numbers is near zero, where the rounding of the result itself hides nothing; a variance
 * suffers from a mean that is far from zero. */
struct search_request search_default(const char *op)
{
    static const struct {
        const char *op;
        size_t n;
        float low, high;
    } usual[] = {{"logsumexp", 2048, -9, -6.5f},
                 {"moments", 256, 8, 16},
                 {"log", 2048, 0x1p-10f, 8},
                 {"log2", 2048, 0x1p-10f, 8}};
    struct search_request request = {
        .op = op, .n = 2048, .low = -8, .high = 8, .seed = 1, .seconds = 20, .silence_s = 30};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strcmp(usual[i].op, op) != 0) continue;
        request.n = usual[i].n;
        request.low = usual[i].low;
        request.high = usual[i].high;
    }
    return request;
}

int search_parse_box(const char *text, struct search_request *request, struct error *e)
{
    if (interval_parse(text, &request->low, &request->high) && isfinite(request->low) &&
        isfinite(request->high) && request->low < request->high)
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

/* ---- The reason for a small gain ------------------------------------------------------------- */

/* Returns how many times random's score a kernel that keeps its bound can have; infinite if it has
 * no bound. */
static double room_of(const struct variant_search *v)
{
    const struct kernel *k = v->variant->kernel;
    if (objective_of(v->oracle, k) != OBJECTIVE_BOUND || !k->promise.bound ||
        !is_held_to_promises(v->variant))
        return INFINITY;
    return bounds_ceiling(k, v->request->n, (double)v->request->low, (double)v->request->high) /
           v->found->random.score;
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
    const struct hunt_result *g = &v->found->guided, *r = &v->found->random;
    text[0] = '\0';
    if (!(r->score > 0) || g->score >= SEARCH_GAIN * r->score) return;
    if (r->score >= SCORE_OF_SPECIAL)
        snprintf(text, size, "random rows give a NaN or an infinity, too");
    else if (room < SEARCH_GAIN)
        snprintf(text, size, "the bound is only %.2f times what random rows reach", room);
    else
        snprintf(text, size, "no gain after %.0f%% of the budget", ceil(100 * level));
}

static void put_limit(json_t *row, const struct variant_search *v)
{
    double room = room_of(v), level = level_from(&v->found->guided);
    char text[100];
    write_limit(v, room, level, text, sizeof text);
    json_object_set_new(row, "room", isfinite(room) ? record_real(room) : json_null());
    json_object_set_new(row, "level_from", record_real(level));
    if (text[0]) json_object_set_new(row, "limit", json_string(text));
}

/* ---- The row --------------------------------------------------------------------------------- */

static void put_found(json_t *row, const struct variant_search *v, const char *input)
{
    const struct search_found *f = v->found;
    const struct hunt_result *g = &f->guided, *r = &f->random;
    const struct ulp_stats *w = &f->worst.all.stats;
    const int special = w->lost || (v->oracle->sign_certain && (w->sign || w->zero));
    enum objective o = objective_of(v->oracle, v->variant->kernel);
    json_t *random =
        json_pack("{s:o, s:I, s:f, s:o}", "score", real_or_null(r->score), "evaluations",
                  (json_int_t)r->evaluations, "seconds", r->seconds, "history", history_of(r));
    json_t *figures = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:b, s:s, s:I, s:f, s:o, s:o, s:o}", "objective",
        objective_name(o), "score", real_or_null(g->score), "max_ulp",
        record_real(w->measured ? w->max : NAN), "bound_ratio", real_or_null(f->worst.bound.worst),
        "scaled_error", record_real(f->worst.all.scaled), "special", special, "input", input,
        "evaluations", (json_int_t)g->evaluations, "seconds", g->seconds, "history", history_of(g),
        "random", random, "gain", r->score > 0 ? record_real(g->score / r->score) : json_null());
    json_object_update_new(row, figures);
    put_limit(row, v);
}

static json_t *search_row(const struct variant_search *v, enum status status, const char *reason,
                          const char *input)
{
    json_t *row = json_pack("{s:s, s:s, s:s, s:I, s:[f, f], s:I, s:s}", "record", "search", "id",
                            v->variant->id, "op", v->request->op, "n", (json_int_t)v->request->n,
                            "box", (double)v->request->low, (double)v->request->high, "seed",
                            (json_int_t)v->request->seed, "status", status_name(status));
    if (reason[0]) json_object_set_new(row, "reason", json_string(reason));
    if (input) put_found(row, v, input);
    return row;
}

/* ---- The search ------------------------------------------------------------------------------ */

enum { N_MOST = 1 << 20 };

struct search {
    const struct search_request *request;
    struct record_sink sink;
    struct tally *tally;
    const struct variant **variants;
    json_t **records; /* per variant, for those of equal code */
    size_t count, to_do;
    struct variant_search at; /* the variant that is searched now */
};

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
        const unsigned own = isa_lanes(v->isa), other = isa_lanes(w->isa);
        if (other > own || (other == own && strcmp(w->cc, v->cc) < 0)) return false;
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
    s->variants = memory_zeroed(r->count + 1, sizeof *s->variants);
    s->records = memory_zeroed(r->count + 1, sizeof *s->records);
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        /* A hunt varies the bits of fp32. 16-bit types have so few values that it would find no
         * more than the families of accuracy do. */
        if (strcmp(v->dtype, "f32") != 0) continue;
        if (!v->study && !strcmp(v->op, s->request->op) && (s->request->all || is_usual(r, v)))
            s->variants[s->count++] = v;
    }
    for (size_t i = 0; i < s->count; i++) s->to_do += is_searched(s, i);
    if (s->count) return 0;
    return fail(e, EXIT_USAGE, "search: no variant of '%s' matches; see 'ulplab list'",
                s->request->op);
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
    if (row_verdict(at->variant, at->oracle, FAMILY_COUNT, s->request->n, &at->found->worst, reason,
                    size) == VERDICT_BROKEN)
        *status = STATUS_WRONG;
    else
        reason[0] = '\0';
    struct npy row = {.data = at->found->row, .rows = 1, .cols = s->request->n, .ndim = 2};
    return adversarial_keep(s->request->folder, s->request->op, &row, input, e);
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
    at->request = s->request;
    at->seconds = s->request->seconds / 2 / (double)(s->to_do + !s->to_do);
    at->progress = &progress;
    at->share_each = 1 / (double)(s->to_do + 1);
    const size_t bytes = sizeof *at->found + s->request->n * sizeof *at->found->row;
    at->found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at->found == MAP_FAILED)
        return fail(e, EXIT_PARTIAL, "out of memory: search: rows of %zu", s->request->n);
    int code = 0;
    progress_begin(&progress, "search", s->request->quiet);
    for (size_t i = 0; i < s->count && !code; i++) code = search_variant(s, i, e);
    progress_end(&progress);
    munmap(at->found, bytes);
    return code;
}

int search_run(const struct search_request *request, const struct registry *r,
               struct record_sink sink, struct tally *tally, struct error *e)
{
    *tally = (struct tally){0};
    struct search s = {.request = request, .sink = sink, .tally = tally};
    s.at.oracle = oracle_find(request->op);
    if (!s.at.oracle)
        return fail(e, EXIT_USAGE, "search: '%s': not an operation of this lab; see 'ulplab list'",
                    request->op);
    if (request->n < 1 || request->n > N_MOST)
        return fail(e, EXIT_USAGE, "--n: %zu: want rows of 1 to %d elements", request->n, N_MOST);
    int code = search_collect_variants(&s, r, e);
    if (!code) code = search_all(&s, e);
    for (size_t i = 0; i < s.count; i++) json_decref(s.records[i]);
    free(s.records);
    free(s.variants);
    return code ? code : tally_verdict(tally, "search", "variants", e);
}

/* ---- search.jsonl ---------------------------------------------------------------------------- */

int search_keep(const char *folder, const json_t *records, struct error *e)
{
    static const char *const keys[] = {"id", "n", "box", NULL};
    char path[1100];
    json_t *old, *record;
    size_t i;
    snprintf(path, sizeof path, "%s/search.jsonl", folder);
    int code = folder_make(folder, e);
    if (!code) code = record_read(path, true, &old, e);
    if (code) return code;
    json_array_foreach(records, i, record) record_built(record);
    json_t *rows = records_replaced(old, records, keys);
    code = record_write_file(path, rows, e);
    json_decref(rows);
    json_decref(old);
    return code;
}
