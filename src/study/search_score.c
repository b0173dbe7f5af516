// SPDX-License-Identifier: MIT
#include "study/search_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/bounds.h"
#include "oracle/ulp.h"

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

static double scaled_error(const struct oracle *op, const struct oracle_row *facts, size_t n,
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
    if (which & 1u << OBJECTIVE_SCALED) r.scaled = scaled_error(s->oracle, &facts, n, y, want);
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
