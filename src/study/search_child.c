// SPDX-License-Identifier: MIT
#include "study/search_child.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "measure/isolate.h"
#include "oracle/bounds.h"
#include "oracle/ulp.h"

/* ---- Scores ---------------------------------------------------------------------------------- */

enum objective objective_of(const struct oracle *op, const struct kernel *k)
{
    return k->bound != BOUND_NONE ? OBJECTIVE_BOUND : op->unary ? OBJECTIVE_ULP : OBJECTIVE_SCALED;
}

const char *objective_name(enum objective o)
{
    static const char *const names[] = {"bound", "ulp", "scaled"};
    return names[o];
}

static double score_of(enum objective o, const struct row_errors *r)
{
    const double values[] = {r->bound, r->ulp, r->scaled};
    return r->special ? SCORE_OF_SPECIAL : values[o];
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

/* `which` has a bit for each objective whose error is computed: that is most of a search's time. */
static struct row_errors search_score_measure_row(const struct scorer *s, unsigned which,
                                                  const float *x, const float *y, double *want)
{
    struct row_errors r = {-1, -1, -1, false, true};
    size_t n = s->stage[0].n, outputs = oracle_results(s->oracle, n);
    struct oracle_row facts;
    struct ulp_stats stats;
    struct bound_ratio ratio;
    const struct parameters with = stage_parameters(&s->stage[0], &parameters_default);
    s->oracle->row(x, n, &with, want, &facts);
    if (facts.beyond) return r;
    ulp_begin(&stats);
    ulp_measure(y, want, outputs, 0, &stats, NULL);
    r.special = stats.lost || (s->oracle->sign_certain && (stats.sign || stats.zero));
    r.ulp = stats.max;
    bounds_begin(&ratio);
    if (which & 1u << OBJECTIVE_BOUND)
        bounds_row(s->kernel, &parameters_default, x, n, y, want, &facts, &ratio);
    r.bound = ratio.worst;
    if (which & 1u << OBJECTIVE_SCALED)
        r.scaled = search_scaled_error(s->oracle, &facts, n, y, want);
    return r;
}

static struct row_errors measure_in(const struct scorer *s, unsigned which, size_t island,
                                    size_t row)
{
    const struct stage *g = &s->stage[island];
    size_t chunk = row / g->chunk_rows, in_chunk = row - chunk * g->chunk_rows;
    return search_score_measure_row(s, which, stage_x(g, chunk) + in_chunk * g->n,
                                    stage_y(g, chunk) + in_chunk * g->columns, s->want[island]);
}

/* Runs the kernel on rows [HUNT_BATCH, n]. False: it left modes changed. */
static bool apply_kernel(struct scorer *s, size_t island, const float *rows)
{
    struct stage *g = &s->stage[island];
    bool kept = true;
    for (size_t c = 0; c < g->chunks; c++) {
        size_t count = stage_chunk_rows(g, c);
        memcpy(stage_x(g, c), rows + c * g->chunk_rows * g->n, count * g->n * sizeof *rows);
        kept = stage_run_chunk(g, s->kernel, &parameters_default, c) && kept;
    }
    return kept;
}

void scorer_score(struct scorer *s, size_t island, const float *rows, double *scores)
{
    apply_kernel(s, island, rows);
    for (size_t k = 0; k < HUNT_BATCH; k++) {
        struct row_errors r = measure_in(s, 1u << s->objective, island, k);
        scores[k] = score_of(s->objective, &r);
    }
}

struct row_errors scorer_examine(struct scorer *s, const float *row)
{
    size_t n = s->stage[0].n;
    float *rows = malloc(HUNT_BATCH * n * sizeof *rows);
    if (!rows) abort(); /* the variant's status says so */
    for (size_t k = 0; k < HUNT_BATCH; k++) memcpy(rows + k * n, row, n * sizeof *rows);
    bool kept = apply_kernel(s, 0, rows);
    struct row_errors r = measure_in(s, ~0u, 0, 0);
    r.mxcsr_kept = kept;
    free(rows);
    return r;
}

int scorer_open(struct scorer *s, const struct oracle *oracle, const struct kernel *kernel,
                size_t n, int threads, struct error *e)
{
    *s = (struct scorer){
        .oracle = oracle, .kernel = kernel, .objective = objective_of(oracle, kernel)};
    int code = 0;
    for (size_t k = 0; k < HUNT_ISLANDS && !code; k++) {
        s->want[k] = malloc((oracle_values(oracle, n) + 1) * sizeof *s->want[k]);
        code = stage_open(&s->stage[k], oracle, HUNT_BATCH, n, threads, e);
        if (!code && !s->want[k]) code = fail(e, EXIT_PARTIAL, "out of memory: search");
    }
    return code;
}

void scorer_close(struct scorer *s)
{
    for (size_t k = 0; k < HUNT_ISLANDS; k++) {
        free(s->want[k]);
        stage_close(&s->stage[k]);
    }
}

/* ---- The child ------------------------------------------------------------------------------- */

enum { PIECE_ELEMENTS = 8192 };

/* ROUND: the share of the work that is done; PIECE: some elements of the worst row; FOUND, or
 * FAILED: the end. */
enum message_kind { ROUND, PIECE, FOUND, FAILED };
struct message {
    enum message_kind kind;
    size_t first, count; /* PIECE */
    union {
        double share;
        struct search_found found;
        float piece[PIECE_ELEMENTS];
        struct error error;
    };
};

/* The state of the parent and of the child. */
struct state {
    struct variant_search *search;

    /* Members of the child. */
    struct scorer scorer;
    int channel;
    double share_begin; /* of this variant: guided and random search have half each */

    /* Members of the parent. */
    enum message_kind last;
    struct error error;
};

/* ---- The child ------------------------------------------------------------------------------- */

static void score(void *context, size_t island, const float *rows, double *scores)
{
    struct state *s = context;
    scorer_score(&s->scorer, island, rows, scores);
}

static void send_message(const struct state *s, const struct message *m, size_t payload)
{
    isolate_send(s->channel, m, offsetof(struct message, share) + payload);
}

static void send_round(void *context, double share)
{
    const struct state *s = context;
    struct message m = {.kind = ROUND, .share = s->share_begin + share / 2};
    send_message(s, &m, sizeof m.share);
}

static int hunt_with(struct state *s, bool guided, struct hunt_result *r, struct error *e)
{
    const struct search_plan *p = s->search->plan;
    s->share_begin = guided ? 0 : 0.5;
    const struct hunt_plan plan = {.n = p->n,
                                   .low = p->low,
                                   .high = p->high,
                                   .seed = p->seed,
                                   .evaluations = p->evaluations,
                                   .seconds = s->search->seconds,
                                   .threads = p->threads,
                                   .guided = guided,
                                   .score = score,
                                   .round = send_round,
                                   .context = s};
    return hunt_run(&plan, r, e);
}

static void send_row(const struct state *s, const float *row)
{
    size_t n = s->search->plan->n;
    for (size_t first = 0; first < n; first += PIECE_ELEMENTS) {
        size_t left = n - first;
        struct message m = {
            .kind = PIECE, .first = first, .count = left < PIECE_ELEMENTS ? left : PIECE_ELEMENTS};
        memcpy(m.piece, row + first, m.count * sizeof *row);
        send_message(s, &m, m.count * sizeof *row);
    }
}

static void search_in_child(void *context, int channel)
{
    struct state *s = context;
    const struct variant_search *v = s->search;
    struct message m = {.kind = FAILED};
    struct search_found found = {.worst = {0}};
    struct error e = {.text = ""};
    s->channel = channel;
    int code =
        scorer_open(&s->scorer, v->oracle, v->variant->kernel, v->plan->n, v->plan->threads, &e);
    if (!code) code = hunt_with(s, true, &found.guided, &e);
    if (!code) code = hunt_with(s, false, &found.random, &e);
    if (code) {
        m.error = e;
        send_message(s, &m, sizeof m.error);
        return;
    }
    found.worst = scorer_examine(&s->scorer, found.guided.best);
    send_row(s, found.guided.best);
    free(found.guided.best);
    free(found.random.best);
    scorer_close(&s->scorer);
    m.kind = FOUND;
    m.found = found;
    send_message(s, &m, sizeof m.found);
}

/* ---- The parent ------------------------------------------------------------------------------ */

static void search_child_receive(void *context, const void *data, size_t size)
{
    struct state *s = context;
    struct variant_search *v = s->search;
    static struct message m;
    memcpy(&m, data, size < sizeof m ? size : sizeof m);
    s->last = m.kind;
    if (m.kind == ROUND)
        progress_update(v->progress, v->share_begin + v->share_each * m.share, v->variant->id);
    else if (m.kind == PIECE)
        memcpy(v->row + m.first, m.piece, m.count * sizeof *v->row);
    else if (m.kind == FOUND)
        v->found = m.found;
    else
        s->error = m.error;
}

int variant_search_run(struct variant_search *v, enum status *status, struct error *e)
{
    struct state s = {.search = v, .last = ROUND};
    *status = isolate_run(search_in_child, search_child_receive, &s, v->plan->silence_s);
    if (*status == STATUS_INTERRUPTED) return interrupt_requested();
    if (*status == STATUS_OK && s.last == FAILED) {
        *e = s.error;
        return EXIT_PARTIAL;
    }
    if (*status == STATUS_OK && s.last != FOUND) *status = STATUS_KILLED; /* it called exit() */
    return 0;
}
