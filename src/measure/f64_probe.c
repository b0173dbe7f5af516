// SPDX-License-Identifier: MIT
#include "measure/f64_probe.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "base/float_bits.h"
#include "base/random.h"
#include "machine/mxcsr.h"
#include "measure/peers.h"

/* Cells of a level; those of the largest errors, BEAM of them, are cut into 2^CUT each. Below
 * 2^LAST_BITS ranks a cell has been tried whole. */
enum { BEAM = 64, CUT = 3, CELLS = BEAM << CUT, PER_CELL = 512, LAST_BITS = 12 };
/* The parts of a binade whose mean errors are compared, from PART_SAMPLES numbers each. */
enum { PARTS = 64, PART_SAMPLES = 64, JUMPS_MAX = 256 };
/* Binades whose largest error is below this share of the largest of all are not searched, nor those
 * where the function is wrong: they would hide where it is merely inaccurate. */
static const double near_share = 0.6, wrong_from = 16;

struct f64_room {
    _Alignas(64) double x[PROBE_ROW];
    _Alignas(64) double y[PROBE_ROW];
    _Alignas(64) float scratch[4 * PROBE_ROW + 512];
    struct f64_value want[PROBE_ROW];
    bool modes_kept;
    uint64_t tried;
};

/* An interval of 2^bits ranks. */
struct cell {
    uint64_t low;
    unsigned bits;
    struct f64_best best;
    double mean; /* of the errors of the tried inputs */
};

bool f64_probe_open(struct f64_probe *p, const struct f64_oracle *oracle, int threads)
{
    *p = (struct f64_probe){.oracle = oracle,
                            .threads = threads,
                            .rooms = aligned_alloc(64, (size_t)threads * sizeof *p->rooms),
                            .modes_kept = true};
    return p->rooms != NULL;
}

const double *f64_probe_run(struct f64_probe *p, const double *x, size_t count)
{
    struct f64_room *r = &p->rooms[omp_get_thread_num()];
    struct job job = {.rows = 1,
                      .n = count,
                      .x = x,
                      .x_stride = count,
                      .y = r->y,
                      .y_stride = count,
                      .scale = 1,
                      .scratch = r->scratch};
    kernel_construct(p->kernel);
    for (size_t i = 0; i < count; i++)
        r->y[i] = 0x1.badbadp999; /* a value that no function returns */
    const unsigned modes = kernel_modes(p->kernel);
    _mm_setcsr(modes);
    p->kernel->run(&job);
    if (!modes_restore_after(modes)) {
#pragma omp atomic write
        p->modes_kept = false;
    }
    return r->y;
}

/* Tries the numbers in the thread's room. */
static void try_room(struct f64_probe *p, size_t count, struct cell *c)
{
    struct f64_room *r = &p->rooms[omp_get_thread_num()];
    struct oracle_row facts;
    const double *y = f64_probe_run(p, r->x, count);
    double sum = 0;
    p->oracle->row(r->x, count, &f64_parameters_default, r->want, &facts);
    for (size_t i = 0; i < count; i++) {
        double error = f64_ulp_error(y[i], r->want[i]);
        if (error > c->best.ulp) c->best = (struct f64_best){error, double_rank(r->x[i])};
        if (error > 0) sum += error;
    }
    c->mean = sum / (double)count;
#pragma omp atomic
    p->tried += count;
}

/* Tries `count` random numbers of the cell. */
static void try_cell(struct f64_probe *p, struct cell *c, size_t count, uint64_t seed)
{
    double *x = p->rooms[omp_get_thread_num()].x;
    uint64_t state = random_mix(seed ^ c->low);
    c->best.ulp = -1;
    for (size_t i = 0; i < count; i++)
        x[i] = double_of_rank(c->low + (random_next(&state) >> (64 - c->bits)));
    try_room(p, count, c);
}

/* Tries the PROBE_ROW numbers around a rank. */
static struct f64_best try_around(struct f64_probe *p, uint64_t rank)
{
    double *x = p->rooms[omp_get_thread_num()].x;
    struct cell all = {.best = {-1, 0}};
    for (size_t i = 0; i < PROBE_ROW; i++) x[i] = double_of_rank(rank - PROBE_ROW / 2 + i);
    try_room(p, PROBE_ROW, &all);
    return all.best;
}

static struct f64_best larger(struct f64_best a, struct f64_best b)
{
    return b.ulp > a.ulp ? b : a;
}

/* ---- The binades to begin with --------------------------------------------------------------- */

static int by_error(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->best.ulp != y->best.ulp) return x->best.ulp < y->best.ulp ? 1 : -1;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* Writes the binades with the largest errors, in their order; returns how many. */
static size_t worst_binades(const struct f64_best *binades, struct cell cells[BEAM])
{
    static struct cell all[PROBE_BINADES];
    for (size_t b = 0; b < PROBE_BINADES; b++) {
        all[b] = (struct cell){(uint64_t)b << PROBE_BINADE_BITS, PROBE_BINADE_BITS, binades[b], 0};
        if (all[b].best.ulp > wrong_from) all[b].best.ulp = -1;
    }
    qsort(all, PROBE_BINADES, sizeof *all, by_error);
    size_t count = 0;
    while (count < BEAM && all[count].best.ulp > near_share * all[0].best.ulp)
        cells[count] = all[count], count++;
    return count;
}

/* ---- Ever smaller cells ---------------------------------------------------------------------- */

/* Replaces the cells by their parts of one level deeper; returns how many. */
static size_t cut_cells(struct cell *cells, size_t count)
{
    for (size_t i = count; i-- > 0;)
        for (size_t k = 1 << CUT; k-- > 0;) {
            unsigned bits = cells[i].bits - CUT;
            cells[(i << CUT) + k] =
                (struct cell){cells[i].low + ((uint64_t)k << bits), bits, {-1, 0}, 0};
        }
    return count << CUT;
}

struct f64_best f64_probe_descend(struct f64_probe *p, const struct f64_best *binades,
                                  uint64_t seed)
{
    struct cell cells[CELLS];
    struct f64_best best = {-1, 0};
    size_t count = worst_binades(binades, cells);
    while (count && cells[0].bits > LAST_BITS) {
        count = cut_cells(cells, count < BEAM ? count : BEAM);
#pragma omp parallel for schedule(dynamic, 4) num_threads(p->threads)
        for (size_t i = 0; i < count; i++) try_cell(p, &cells[i], PER_CELL, seed);
        qsort(cells, count, sizeof *cells, by_error);
        best = larger(best, cells[0].best);
    }
    return best;
}

/* ---- Where the error jumps ------------------------------------------------------------------- */

/* A boundary between two parts whose mean errors differ. */
struct jump {
    struct cell left, right;
    double height;
};

static int by_height(const void *a, const void *b)
{
    const struct jump *x = a, *y = b;
    if (x->height != y->height) return x->height < y->height ? 1 : -1;
    return x->left.low < y->left.low ? -1 : x->left.low > y->left.low;
}

/* Returns the rank where the mean error changes from the left part's to the right one's: bisects
 * between their middles, down to a few numbers. */
static uint64_t bisect(struct f64_probe *p, const struct jump *j)
{
    uint64_t low = j->left.low + (1ull << (j->left.bits - 1));
    uint64_t high = j->right.low + (1ull << (j->right.bits - 1));
    while (high - low > PROBE_ROW / 4) {
        uint64_t middle = low + (high - low) / 2;
        unsigned bits = 6;
        while (bits < 30 && 1ull << (bits + 5) < high - low) bits++;
        struct cell c = {middle, bits, {-1, 0}, 0};
        try_cell(p, &c, PART_SAMPLES, middle);
        bool is_left = fabs(c.mean - j->left.mean) < fabs(c.mean - j->right.mean);
        *(is_left ? &low : &high) = middle;
    }
    return high;
}

/* Writes the boundaries inside the binade at which the mean changes; returns how many. The least
 * change is four times what the mean of so many errors varies by. */
static size_t jumps_in(struct f64_probe *p, const struct cell *binade, struct jump *jumps)
{
    static const double least = 0.15;
    struct cell parts[PARTS];
    size_t count = 0;
    for (size_t k = 0; k < PARTS; k++) {
        unsigned bits = PROBE_BINADE_BITS - 6;
        parts[k] = (struct cell){binade->low + ((uint64_t)k << bits), bits, {-1, 0}, 0};
        try_cell(p, &parts[k], PART_SAMPLES, 1);
    }
    for (size_t k = 1; k < PARTS; k++) {
        double height = fabs(parts[k].mean - parts[k - 1].mean);
        if (height > least) jumps[count++] = (struct jump){parts[k - 1], parts[k], height};
    }
    return count;
}

struct f64_best f64_probe_jumps(struct f64_probe *p, const struct f64_best *binades, size_t *places)
{
    static struct jump jumps[BEAM][PARTS];
    size_t counts[BEAM] = {0}, count = 0;
    struct cell cells[BEAM];
    struct f64_best found[JUMPS_MAX], best = {-1, 0};
    size_t in = worst_binades(binades, cells);
#pragma omp parallel for schedule(dynamic) num_threads(p->threads)
    for (size_t b = 0; b < in; b++) counts[b] = jumps_in(p, &cells[b], jumps[b]);
    struct jump *all = jumps[0]; /* moved together */
    for (size_t b = 0; b < in; b++)
        for (size_t k = 0; k < counts[b]; k++) all[count++] = jumps[b][k];
    qsort(all, count, sizeof *all, by_height);
    *places = count < JUMPS_MAX ? count : JUMPS_MAX;
#pragma omp parallel for schedule(dynamic) num_threads(p->threads)
    for (size_t k = 0; k < *places; k++) found[k] = try_around(p, bisect(p, &all[k]));
    for (size_t k = 0; k < *places; k++) best = larger(best, found[k]);
    return best;
}
