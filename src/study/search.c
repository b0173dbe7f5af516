#include "study/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/progress.h"
#include "measure/adversarial.h"
#include "measure/isolate.h"
#include "measure/stage.h"
#include "oracle/bounds.h"
#include "oracle/ulp.h"
#include "study/hunt.h"

enum { N_MOST = 1 << 20, PIECE_ELEMENTS = 8192 };

/* Where an operation is searched when nobody says where: rows and boxes in which chance finds
 * little. logsumexp of 2048 such numbers is near zero, where the rounding of the result itself,
 * which nobody can avoid, hides nothing; a mean away from zero is what a variance suffers from. */
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
    char *end = NULL;
    plan->low = strtof(text, &end);
    bool good = end != text && *end == ',';
    if (good) {
        const char *second = end + 1;
        plan->high = strtof(second, &end);
        good = end != second && *end == '\0' && isfinite(plan->low) && isfinite(plan->high) &&
               plan->low < plan->high;
    }
    if (!good)
        return fail(e, EXIT_USAGE,
                    "--box: '%s': want LO,HI, both finite and LO < HI, such as -8,8 or 0x1p-3,1",
                    text);
    return 0;
}

/* ---- What is maximised ----------------------------------------------------------------------- */

enum objective { OBJECTIVE_BOUND, OBJECTIVE_ULP, OBJECTIVE_SCALED };
static const char *const objective_names[] = {"bound", "ulp", "scaled"};

static enum objective objective_of(const struct oracle *op, const struct kernel *k)
{
    return k->bound != BOUND_NONE ? OBJECTIVE_BOUND : op->unary ? OBJECTIVE_ULP : OBJECTIVE_SCALED;
}

/* Of one row. */
struct errors {
    double bound, ulp, scaled; /* -1 where there is none */
    bool special;
    bool mxcsr_kept;
};

/* A special result where none belongs is worse than any distance. */
static const double worst_of_all = 1e30;

static double score_of(enum objective o, const struct errors *r)
{
    const double values[] = {r->bound, r->ulp, r->scaled};
    return r->special ? worst_of_all : values[o];
}

/* A kernel, and room for an island's rows and results. */
struct bench {
    const struct oracle *oracle;
    const struct kernel *kernel;
    enum objective objective;
    struct stage stage[HUNT_ISLANDS];
    double *want[HUNT_ISLANDS]; /* [oracle_values] */
};

static double scaled_error(const struct oracle *op, const struct oracle_row *facts, size_t n,
                           const float *y, const double *want)
{
    size_t each = op->elementwise ? n : 1, outputs = op->elementwise ? 1 : op->columns;
    double worst = -1;
    for (size_t o = 0; o < outputs; o++)
        worst = fmax(worst, ulp_scaled_error(y + o * each, want + o * each, each, facts->floor[o]));
    return worst;
}

/* Of the errors those that `of` names, a bit for each objective: this is most of a search's time.
 */
static struct errors measure_row(const struct bench *b, unsigned of, const float *x, const float *y,
                                 double *want)
{
    struct errors r = {-1, -1, -1, false, true};
    size_t n = b->stage[0].n, outputs = b->oracle->elementwise ? n : b->oracle->columns;
    struct oracle_row facts;
    struct ulp_stats stats;
    struct bound_ratio ratio;
    b->oracle->row(x, n, &parameters_default, want, &facts);
    if (facts.beyond) return r;
    ulp_begin(&stats);
    ulp_measure(y, want, outputs, 0, &stats, NULL);
    r.special = stats.nan || stats.inf || (b->oracle->sign_certain && stats.sign);
    r.ulp = stats.max;
    bounds_begin(&ratio);
    if (of & 1u << OBJECTIVE_BOUND)
        bounds_row(b->kernel, &parameters_default, x, n, y, want, &facts, &ratio);
    r.bound = ratio.worst;
    if (of & 1u << OBJECTIVE_SCALED) r.scaled = scaled_error(b->oracle, &facts, n, y, want);
    return r;
}

static struct errors measure_in(const struct bench *b, unsigned of, size_t island, size_t row)
{
    const struct stage *s = &b->stage[island];
    size_t chunk = row / s->chunk_rows, in_chunk = row - chunk * s->chunk_rows;
    return measure_row(b, of, stage_x(s, chunk) + in_chunk * s->n,
                       stage_y(s, chunk) + in_chunk * s->columns, b->want[island]);
}

/* Runs the kernel on rows as the stage lays them. False: it left MXCSR changed. */
static bool apply(struct bench *b, size_t island, const float *rows)
{
    struct stage *s = &b->stage[island];
    bool kept = true;
    for (size_t c = 0; c < s->chunks; c++) {
        size_t count = stage_chunk_rows(s, c);
        memcpy(stage_x(s, c), rows + c * s->chunk_rows * s->n, count * s->n * sizeof *rows);
        kept = stage_run_chunk(s, b->kernel, &parameters_default, c) && kept;
    }
    return kept;
}

static int bench_begin(struct bench *b, size_t n, int threads, struct error *e)
{
    int code = 0;
    for (size_t k = 0; k < HUNT_ISLANDS && !code; k++) {
        b->want[k] = malloc((oracle_values(b->oracle, n) + 1) * sizeof *b->want[k]);
        code = stage_open(&b->stage[k], b->oracle, HUNT_BATCH, n, threads, e);
        if (!code && !b->want[k]) code = fail(e, EXIT_PARTIAL, "out of memory: search");
    }
    return code;
}

static void bench_end(struct bench *b)
{
    for (size_t k = 0; k < HUNT_ISLANDS; k++) {
        free(b->want[k]);
        stage_close(&b->stage[k]);
    }
}

/* ---- One variant, in a child ----------------------------------------------------------------- */

/* The rows themselves come in pieces behind it. */
struct found {
    struct errors worst;
    struct hunt_result guided, random;
};

enum kind { ROUND, FOUND, PIECE, FAILED };
struct message {
    enum kind kind;
    size_t first, count; /* PIECE: elements of the worst row */
    union {
        double share; /* ROUND: of the whole budget */
        struct found found;
        float piece[PIECE_ELEMENTS];
        struct error error;
    };
};

struct hunting {
    const struct search_plan *plan;
    const struct variant *variant;
    const struct oracle *oracle;
    float low, high;
    double seconds; /* of each method, where there is no budget */

    /* The child's. */
    struct bench bench;
    int channel;
    double share_begin;

    /* The parent's. */
    struct progress *progress;
    double whole_begin, whole_each; /* of the progress */
    enum kind last;
    struct found found;
    float *row; /* [n] */
    struct error error;
};

static void score(void *context, size_t island, const float *rows, double *scores)
{
    struct hunting *h = context;
    apply(&h->bench, island, rows);
    for (size_t k = 0; k < HUNT_BATCH; k++) {
        struct errors r = measure_in(&h->bench, 1u << h->bench.objective, island, k);
        scores[k] = score_of(h->bench.objective, &r);
    }
}

static void send_message(const struct hunting *h, const struct message *m, size_t payload)
{
    isolate_send(h->channel, m, offsetof(struct message, share) + payload);
}

static void send_round(void *context, double share)
{
    const struct hunting *h = context;
    struct message m = {.kind = ROUND, .share = h->share_begin + share / 2};
    send_message(h, &m, sizeof m.share);
}

static int hunt_with(struct hunting *h, bool guided, struct hunt_result *r, struct error *e)
{
    h->share_begin = guided ? 0 : 0.5;
    const struct hunt_plan plan = {.n = h->plan->n,
                                   .low = h->low,
                                   .high = h->high,
                                   .seed = h->plan->seed,
                                   .evaluations = h->plan->evaluations,
                                   .seconds = h->seconds,
                                   .threads = h->plan->threads,
                                   .guided = guided,
                                   .score = score,
                                   .round = send_round,
                                   .context = h};
    return hunt_run(&plan, r, e);
}

/* The figures of the worst row, once more and by itself. */
static struct errors examine(struct hunting *h, const float *row)
{
    size_t n = h->plan->n;
    float *rows = malloc(HUNT_BATCH * n * sizeof *rows);
    if (!rows) abort(); /* the variant's status says so */
    for (size_t k = 0; k < HUNT_BATCH; k++) memcpy(rows + k * n, row, n * sizeof *rows);
    bool kept = apply(&h->bench, 0, rows);
    struct errors r = measure_in(&h->bench, ~0u, 0, 0);
    r.mxcsr_kept = kept;
    free(rows);
    return r;
}

static void send_row(const struct hunting *h, const float *row)
{
    for (size_t first = 0; first < h->plan->n; first += PIECE_ELEMENTS) {
        size_t left = h->plan->n - first;
        struct message m = {
            .kind = PIECE, .first = first, .count = left < PIECE_ELEMENTS ? left : PIECE_ELEMENTS};
        memcpy(m.piece, row + first, m.count * sizeof *row);
        send_message(h, &m, m.count * sizeof *row);
    }
}

static void work(void *context, int channel)
{
    struct hunting *h = context;
    struct message m = {.kind = FAILED};
    h->channel = channel;
    h->bench = (struct bench){.oracle = h->oracle,
                              .kernel = h->variant->kernel,
                              .objective = objective_of(h->oracle, h->variant->kernel)};
    struct found found = {.worst = {0}};
    struct error e = {.text = ""};
    int code = bench_begin(&h->bench, h->plan->n, h->plan->threads, &e);
    if (!code) code = hunt_with(h, true, &found.guided, &e);
    if (!code) code = hunt_with(h, false, &found.random, &e);
    if (code) {
        m.error = e;
        send_message(h, &m, sizeof m.error);
        return;
    }
    found.worst = examine(h, found.guided.best);
    send_row(h, found.guided.best);
    free(found.guided.best);
    free(found.random.best);
    bench_end(&h->bench);
    m.kind = FOUND;
    m.found = found;
    send_message(h, &m, sizeof m.found);
}

static void receive(void *context, const void *data, size_t size)
{
    struct hunting *h = context;
    static struct message m;
    memcpy(&m, data, size < sizeof m ? size : sizeof m);
    h->last = m.kind;
    if (m.kind == ROUND)
        progress_update(h->progress, h->whole_begin + h->whole_each * m.share, h->variant->id);
    else if (m.kind == PIECE)
        memcpy(h->row + m.first, m.piece, m.count * sizeof *h->row);
    else if (m.kind == FOUND)
        h->found = m.found;
    else
        h->error = m.error;
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

static json_t *or_null(double value)
{
    return value < 0 ? json_null() : record_real(value);
}

static json_t *base_record(const struct hunting *h, const char *reason, enum status status)
{
    json_t *row = json_pack("{s:s, s:s, s:s, s:I, s:[f, f], s:I, s:s}", "record", "search", "id",
                            h->variant->id, "op", h->plan->op, "n", (json_int_t)h->plan->n, "box",
                            (double)h->low, (double)h->high, "seed", (json_int_t)h->plan->seed,
                            "status", status_name(status));
    if (reason[0]) json_object_set_new(row, "reason", json_string(reason));
    return row;
}

/* ---- Why no more was found ------------------------------------------------------------------- */

/* Does accuracy hold the kernel to what it promises? */
static bool is_held(const struct variant *v)
{
    return !v->kernel->hazard && policy_promises(v->policy) != PROMISES_NOTHING;
}

/* What a kernel that keeps its bound leaves to be gained; infinite where nothing says. */
static double room_of(const struct hunting *h)
{
    const struct kernel *k = h->variant->kernel;
    if (objective_of(h->oracle, k) != OBJECTIVE_BOUND || !k->promise.bound || !is_held(h->variant))
        return INFINITY;
    return bounds_ceiling(k, h->plan->n, (double)h->low, (double)h->high) / h->found.random.score;
}

static double level_from(const struct hunt_result *r)
{
    for (size_t k = 0; k < r->points; k++)
        if (r->history[k].score * 1.01 >= r->score)
            return (double)r->history[k].evaluations / (double)r->evaluations;
    return 1;
}

static void say_limit(const struct hunting *h, double room, double level, char *text, size_t size)
{
    const struct hunt_result *g = &h->found.guided, *r = &h->found.random;
    text[0] = '\0';
    if (!(r->score > 0) || g->score >= SEARCH_GAIN * r->score) return;
    if (r->score >= worst_of_all)
        snprintf(text, size, "random rows give a NaN or an infinity, too");
    else if (room < SEARCH_GAIN)
        snprintf(text, size, "the bound leaves room for %.2f times random's", room);
    else
        snprintf(text, size, "level from %.0f%% of the budget on", ceil(100 * level));
}

static void put_limit(json_t *row, const struct hunting *h)
{
    double room = room_of(h), level = level_from(&h->found.guided);
    char text[100];
    say_limit(h, room, level, text, sizeof text);
    json_object_set_new(row, "room", isfinite(room) ? record_real(room) : json_null());
    json_object_set_new(row, "level_from", record_real(level));
    if (text[0]) json_object_set_new(row, "limit", json_string(text));
}

static void put_found(json_t *row, const struct hunting *h, const char *input)
{
    const struct found *f = &h->found;
    const struct hunt_result *g = &f->guided, *r = &f->random;
    enum objective o = objective_of(h->oracle, h->variant->kernel);
    json_t *random =
        json_pack("{s:o, s:I, s:f, s:o}", "score", or_null(r->score), "evaluations",
                  (json_int_t)r->evaluations, "seconds", r->seconds, "history", history_of(r));
    json_t *figures = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:b, s:s, s:I, s:f, s:o, s:o, s:o}", "objective",
        objective_names[o], "score", or_null(g->score), "max_ulp", or_null(f->worst.ulp),
        "bound_ratio", or_null(f->worst.bound), "scaled_error", or_null(f->worst.scaled), "special",
        (int)f->worst.special, "input", input, "evaluations", (json_int_t)g->evaluations, "seconds",
        g->seconds, "history", history_of(g), "random", random, "gain",
        r->score > 0 ? record_real(g->score / r->score) : json_null());
    json_object_update(row, figures);
    json_decref(figures);
    put_limit(row, h);
}

static bool promise_kept(const struct hunting *h, char *reason, size_t size)
{
    const struct errors *w = &h->found.worst;
    const struct kernel *k = h->variant->kernel;
    reason[0] = '\0';
    if (!w->mxcsr_kept) {
        snprintf(reason, size, "leaves MXCSR changed");
        return false;
    }
    if (!is_held(h->variant)) return true;
    if (k->promise.specials && w->special)
        snprintf(reason, size, "a NaN, an infinity or a sign where none belongs");
    else if (k->promise.bound && w->bound > 1)
        snprintf(reason, size, "%.3g times its proven bound", w->bound);
    return !reason[0];
}

/* ---- The run --------------------------------------------------------------------------------- */

struct search {
    const struct search_plan *plan;
    struct record_sink sink;
    struct search_summary *summary;
    struct hunting hunting; /* of the variant that is at it */
    const struct variant **variants;
    json_t **records; /* per variant, for those of equal code */
    size_t count, to_do;
};

static size_t rank(const char *isa)
{
    static const char *const isas[] = {"scalar", "avx2", "avx512"};
    size_t k = 0;
    while (k < sizeof isas / sizeof *isas && strcmp(isas[k], isa) != 0) k++;
    return k;
}

/* Without a filter: the widest ISA and the first compiler under `off`. */
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

/* Equal code is as wrong as its equal: the index of the first such, or of itself. */
static size_t first_of_same_code(const struct search *s, size_t i)
{
    const struct variant *v = s->variants[i];
    for (size_t k = 0; k < i; k++) {
        const struct variant *w = s->variants[k];
        if (v->build && w->build && v->build->code_hash && w->status == STATUS_OK &&
            v->build->code_hash == w->build->code_hash && !strcmp(v->isa, w->isa))
            return k;
    }
    return i;
}

static bool is_hunted(const struct search *s, size_t i)
{
    return s->variants[i]->status == STATUS_OK && first_of_same_code(s, i) == i;
}

static int collect(struct search *s, const struct registry *r, struct error *e)
{
    s->variants = calloc(r->count + 1, sizeof *s->variants);
    s->records = calloc(r->count + 1, sizeof *s->records);
    if (!s->variants || !s->records)
        return fail(e, EXIT_PARTIAL, "out of memory: %zu variants; use --filter", r->count);
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        /* The hunt walks over the bits of fp32: 16 of them are no more than accuracy's families. */
        if (strcmp(v->dtype, "f32") != 0) continue;
        if (!v->study && !strcmp(v->op, s->plan->op) && (s->plan->all || is_usual(r, v)))
            s->variants[s->count++] = v;
    }
    for (size_t i = 0; i < s->count; i++) s->to_do += is_hunted(s, i);
    if (s->count) return 0;
    return fail(e, EXIT_USAGE, "search: no variant of '%s' matches; see 'ulplab list'",
                s->plan->op);
}

/* What the child made of it; EXIT codes for what is not the variant's own fault. */
static int hunt_variant(struct search *s, size_t i, enum status *status, char input[64],
                        char *reason, size_t size, struct error *e)
{
    struct hunting *h = &s->hunting;
    h->variant = s->variants[i];
    h->last = ROUND;
    *status = isolate_run(work, receive, h, s->plan->silence_s);
    h->whole_begin += h->whole_each;
    if (*status == STATUS_INTERRUPTED) return interrupt_requested();
    if (*status == STATUS_OK && h->last == FAILED) {
        *e = h->error;
        return EXIT_PARTIAL;
    }
    if (*status == STATUS_OK && h->last != FOUND) *status = STATUS_KILLED; /* it called exit() */
    if (*status != STATUS_OK) return 0;
    if (!promise_kept(h, reason, size)) *status = STATUS_WRONG;
    struct npy row = {.data = h->row, .rows = 1, .cols = s->plan->n, .ndim = 2};
    return adversarial_keep(s->plan->folder, s->plan->op, &row, input, e);
}

static void tally(struct search_summary *s, enum status status)
{
    size_t *where = status == STATUS_OK         ? &s->found
                    : status == STATUS_WRONG    ? &s->wrong
                    : status_is_partial(status) ? &s->failed
                                                : &s->skipped;
    ++*where;
}

static int search_variant(struct search *s, size_t i, struct error *e)
{
    const struct variant *v = s->variants[i];
    size_t first = first_of_same_code(s, i);
    enum status status = v->status;
    char reason[160], input[ADVERSARIAL_NAME] = "";
    snprintf(reason, sizeof reason, "%s", v->reason);
    if (status == STATUS_OK && first != i) {
        s->records[i] = json_deep_copy(s->records[first]);
        json_object_set_new(s->records[i], "id", json_string(v->id));
        json_object_set_new(s->records[i], "same_code_as", json_string(s->variants[first]->id));
        const char *name = json_string_value(json_object_get(s->records[i], "status"));
        tally(s->summary, status_from_name(name));
        return s->sink.put(s->sink.context, json_incref(s->records[i]), e);
    }
    s->hunting.variant = v;
    if (status == STATUS_OK) {
        int code = hunt_variant(s, i, &status, input, reason, sizeof reason, e);
        if (code) return code;
    }
    s->records[i] = base_record(&s->hunting, reason, status);
    if (input[0]) put_found(s->records[i], &s->hunting, input);
    tally(s->summary, status);
    return s->sink.put(s->sink.context, json_incref(s->records[i]), e);
}

static int search_all(struct search *s, struct error *e)
{
    struct progress progress;
    struct hunting *h = &s->hunting;
    *h = (struct hunting){.plan = s->plan,
                          .oracle = h->oracle,
                          .low = s->plan->low,
                          .high = s->plan->high,
                          .seconds = s->plan->seconds / 2 / (double)(s->to_do + !s->to_do),
                          .progress = &progress,
                          .whole_each = 1 / (double)(s->to_do + 1),
                          .row = malloc(s->plan->n * sizeof *h->row)};
    if (!h->row) return fail(e, EXIT_PARTIAL, "out of memory: search: rows of %zu", s->plan->n);
    int code = 0;
    progress_begin(&progress, "search", s->plan->quiet);
    for (size_t i = 0; i < s->count && !code; i++) code = search_variant(s, i, e);
    progress_end(&progress);
    free(h->row);
    return code;
}

int search_run(const struct search_plan *plan, const struct registry *r, struct record_sink sink,
               struct search_summary *summary, struct error *e)
{
    *summary = (struct search_summary){0};
    struct search s = {.plan = plan, .sink = sink, .summary = summary};
    s.hunting.oracle = oracle_find(plan->op);
    if (!s.hunting.oracle)
        return fail(e, EXIT_USAGE, "search: '%s': not an operation of this lab; see 'ulplab list'",
                    plan->op);
    if (plan->n < 1 || plan->n > N_MOST)
        return fail(e, EXIT_USAGE, "--n: %zu: want rows of 1 to %d elements", plan->n, N_MOST);
    int code = collect(&s, r, e);
    if (!code) code = search_all(&s, e);
    for (size_t i = 0; s.records && i < s.count; i++) json_decref(s.records[i]);
    free(s.records);
    free(s.variants);
    if (code) return code;
    if (summary->failed)
        return fail(e, EXIT_PARTIAL, "search: %zu variants died; see their status",
                    summary->failed);
    if (summary->wrong)
        return fail(e, EXIT_GATE, "search: %zu variants break a promise; see their reason",
                    summary->wrong);
    return 0;
}

/* ---- search.jsonl ---------------------------------------------------------------------------- */

static bool same_question(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"id", "n", "box"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i]))) return false;
    return true;
}

static bool is_asked_again(const json_t *old, const json_t *records)
{
    size_t i;
    const json_t *record;
    json_array_foreach(records, i, record) if (same_question(old, record)) return true;
    return false;
}

int search_keep(const char *folder, const json_t *records, struct error *e)
{
    char path[1100], *text = NULL;
    json_t *old, *record;
    size_t size = 0, i;
    snprintf(path, sizeof path, "%s/search.jsonl", folder);
    int code = folder_make(folder, e);
    if (!code) code = record_read(path, true, &old, e);
    if (code) return code;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        json_array_foreach(old, i, record) if (!is_asked_again(record, records))
            record_write(out, record);
        json_array_foreach(records, i, record) record_write(out, record);
        fclose(out);
        code = file_write_atomic(path, text, size, e);
    } else {
        code = fail(e, EXIT_PARTIAL, "out of memory: %s; free some", path);
    }
    free(text);
    json_decref(old);
    return code;
}
