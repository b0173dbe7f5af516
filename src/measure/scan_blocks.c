// SPDX-License-Identifier: MIT
#include "measure/scan_blocks.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "measure/battery.h"
#include "measure/peers.h"
#include "oracle/output_hash.h"

enum { ROW = CONSECUTIVE_ROW, ROWS = SCAN_ROWS };
/* The short pass: a kernel's code for the elements behind its last whole vector is measured on rows
 * that consist of nothing else. It takes the inputs of one row of many, and of the scan's first
 * row. */
enum { SHORT_N = 7, SHORT_EVERY = 128 };

/* Results of this block that were seen before: of many variants most have the bits of another,
 * whose figures are copied. The table has room for each variant once per row; a child that begins
 * in the middle of a block has not seen the results before that. */
struct seen_rows {
    size_t count[ROWS];
    struct seen {
        uint64_t outputs;
        struct ulp_stats stats;
        struct ulp_regions regions;
    } rows[]; /* [row][variant] */
};

bool scan_is_evaluated(const struct scan *s, size_t i)
{
    const struct scan_entry *entry = &s->entries[i];
    return entry->same_as == i && entry->variant->status == STATUS_OK && !entry->kept;
}

static bool scan_blocks_has_work(void *context, size_t block, size_t variant)
{
    const struct scan *s = context;
    const struct scan_entry *entry = &s->entries[variant];
    return scan_is_evaluated(s, variant) && block >= entry->from_block &&
           entry->variant->peer == s->peer;
}

/* ---- Which inputs a block has ---------------------------------------------------------------- */

/* Ranks of a block, or of a row: all of them, or those that are in the range. */
struct span {
    uint64_t base; /* of the block: rows begin at its multiples of ROW */
    uint64_t first, end;
};

static uint64_t higher(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct span block_span(const struct scan *s, size_t block)
{
    uint64_t base = s->first / SCAN_BLOCK * (uint64_t)SCAN_BLOCK + (uint64_t)block * SCAN_BLOCK;
    return (struct span){base, higher(base, s->first),
                         lower(base + SCAN_BLOCK, (uint64_t)s->first + s->inputs)};
}

/* Returns whether a row is evaluated: its first and its last, and others at equal distances. */
static bool is_chosen(const struct scan *s, size_t row)
{
    const size_t steps = s->block_rows - 1, k = (row * steps + ROWS - 2) / (ROWS - 1);
    return k * (ROWS - 1) / steps == row;
}

/* The part of a row that is in the range. The row's other inputs are computed too, and not
 * counted. */
static struct span row_span(const struct scan *s, const struct span *block, size_t row)
{
    uint64_t base = block->base + row * ROW;
    if (!is_chosen(s, row)) return (struct span){base, base, base};
    return (struct span){base, lower(higher(base, block->first), base + ROW),
                         higher(lower(base + ROW, block->end), base)};
}

static bool scan_blocks_is_empty(const struct span *row)
{
    return row->first >= row->end;
}

static void compute_exact(const struct scan *s, const float *x, double *want)
{
    struct oracle_row facts;
    s->oracle->row(x, ROW, &parameters_default, want, &facts);
}

void scan_show(struct scan *s, double blocks, const char *detail)
{
    progress_update(&s->progress, scan_part_share(s->request, blocks / (double)s->blocks), detail);
}

/* In the child: a block that takes seconds, of a slow reference or kernel, shows how far it is; the
 * parent hears of whole ones alone. share: of the block. */
static void show_within(struct scan *s, size_t block, double share)
{
    static const double patience_s = 2;
    if (omp_get_thread_num() == 0 && monotonic_s() - s->block_begin_s > patience_s)
        scan_show(s, (double)block + share, s->request->op);
}

/* Returns the approximate share of a block's time that a user's reference takes. */
static double reference_share(const struct scan *s)
{
    return oracle_source(s->oracle) ? 0.9 : 0;
}

/* Prepares a row, and calls a user's reference, which may crash, here, where no kernel can be
 * blamed. */
static void prepare_row(const struct scan *s, const struct span *block, size_t row)
{
    struct span span = row_span(s, block, row);
    if (scan_blocks_is_empty(&span)) return;
    consecutive_expand(s->oracle, (uint32_t)span.base, &s->expansions[row]);
    if (!oracle_source(s->oracle)) return;
    float *x = stage_x(&s->stage, (size_t)omp_get_thread_num());
    consecutive_inputs((uint32_t)span.base, x);
    compute_exact(s, x, s->want + row * ROW);
}

static const double *scan_blocks_exact_row(const struct scan *s, size_t row, size_t thread)
{
    if (oracle_source(s->oracle)) return s->want + row * ROW;
    double *want = s->want + thread * ROW;
    if (s->expansions[row].known)
        consecutive_values(&s->expansions[row], want);
    else
        compute_exact(s, stage_x(&s->stage, thread), want);
    return want;
}

static int open_child(struct scan *s, struct error *e)
{
    int threads = s->request->threads ? s->request->threads : omp_get_num_procs();
    int code =
        stage_open(&s->stage, s->oracle, &dtype_f32, (size_t)threads, ROW, threads, false, e);
    if (!code)
        code =
            stage_open(&s->short_stage, s->oracle, &dtype_f32,
                       (size_t)threads * stage_rows_of_chunk(SHORT_N), SHORT_N, threads, false, e);
    if (code) return code;
    size_t room = oracle_source(s->oracle) ? SCAN_BLOCK : (size_t)threads * ROW;
    s->want = malloc(room * sizeof *s->want);
    s->seen = malloc(sizeof *s->seen + ROWS * s->count * sizeof *s->seen->rows);
    s->expansions = malloc(ROWS * sizeof *s->expansions);
    s->parts = malloc(ROWS * sizeof *s->parts);
    if (s->want && s->seen && s->expansions && s->parts) return 0;
    return fail(e, EXIT_PARTIAL, "out of memory: a block of %zu MiB; free some",
                room * sizeof *s->want >> 20);
}

static int scan_blocks_prepare_block(void *context, size_t block, struct error *e)
{
    struct scan *s = context;
    int code = s->expansions ? 0 : open_child(s, e);
    if (code) return code;
    memset(s->seen->count, 0, sizeof s->seen->count);
    size_t sharers = 0;
    for (size_t v = 0; v < s->count; v++) sharers += scan_blocks_has_work(s, block, v);
    double begin = s->block_begin_s = monotonic_s();
    struct span span = block_span(s, block);
#pragma omp parallel for schedule(dynamic, 16) num_threads(s->stage.threads)
    for (size_t row = 0; row < ROWS; row++) {
        show_within(s, block, reference_share(s) * (double)row / ROWS);
        prepare_row(s, &span, row);
    }
    s->oracle_seconds = (monotonic_s() - begin) / (double)sharers;
    return 0;
}

/* ---- A row of a variant ---------------------------------------------------------------------- */

/* Returns whether a row is at an end of every domain: its inputs are subnormal, or of the largest
 * binade. */
static bool is_at_end(const struct span *row)
{
    float size = fabsf(float_of_rank((uint32_t)row->base));
    float other = fabsf(float_of_rank((uint32_t)(row->base + ROW - 1)));
    return fminf(size, other) < FLT_MIN || fmaxf(size, other) >= 0x1p127f;
}

static void measure_or_recall(const struct scan *s, const struct span *span, const float *y,
                              size_t row, uint64_t outputs, struct scan_outcome *o)
{
    struct seen *seen = s->seen->rows + row * s->count;
    size_t *count = &s->seen->count[row];
    for (size_t i = 0; i < *count; i++)
        if (seen[i].outputs == outputs) {
            o->stats = seen[i].stats;
            o->regions = seen[i].regions;
            return;
        }
    size_t skip = span->first - span->base;
    const double *want = scan_blocks_exact_row(s, row, (size_t)omp_get_thread_num());
    ulp_measure_regions(y, want + skip, span->end - span->first, span->first, is_at_end(span),
                        &o->stats, &o->regions);
    seen[(*count)++] = (struct seen){outputs, o->stats, o->regions};
}

/* The first inputs of the row again, in short rows. False where the kernel left modes changed. */
static bool measure_short(const struct scan *s, const struct kernel *kernel,
                          const struct span *span, size_t row, struct ulp_stats *stats)
{
    if (row % SHORT_EVERY != 0 && span->first != s->first) return true;
    const struct stage *g = &s->short_stage;
    size_t thread = (size_t)omp_get_thread_num(), skip = span->first - span->base;
    size_t count = g->chunk_rows * SHORT_N;
    if (skip > ROW - count) skip = ROW - count;
    const float *from = (const float *)stage_x(&s->stage, thread) + skip;
    memcpy(stage_x(g, thread), from, count * sizeof *from);
    bool kept = stage_run_chunk(g, kernel, &parameters_default, thread);
    uint64_t first = higher(span->base + skip, span->first);
    uint64_t end = lower(span->base + skip + count, span->end);
    const double *want = scan_blocks_exact_row(s, row, thread) + (first - span->base);
    ulp_measure((const float *)stage_y(g, thread) + (first - span->base - skip), want, end - first,
                first, stats, NULL);
    return kept;
}

/* Measures a row on one thread, and adds the hash of its results to *outputs. */
static bool scan_blocks_measure_row(const struct scan *s, const struct kernel *kernel,
                                    const struct span *block, size_t row, struct scan_outcome *o)
{
    struct span span = row_span(s, block, row);
    scan_begin_outcome(o);
    if (scan_blocks_is_empty(&span)) return true;
    size_t thread = (size_t)omp_get_thread_num(), skip = span.first - span.base;
    consecutive_inputs((uint32_t)span.base, stage_x(&s->stage, thread));
    bool kept = stage_run_chunk(&s->stage, kernel, &parameters_default, thread);
    const float *y = (const float *)stage_y(&s->stage, thread) + skip;
    o->outputs = output_hash(y, span.end - span.first, span.first, true);
    measure_or_recall(s, &span, y, row, o->outputs, o);
    return measure_short(s, kernel, &span, row, &o->in_short) && kept;
}

static void add_outcome(struct scan_outcome *o, const struct scan_outcome *later)
{
    ulp_merge(&o->stats, &later->stats);
    ulp_merge_regions(&o->regions, &later->regions);
    ulp_merge(&o->in_short, &later->in_short);
    o->outputs += later->outputs;
    o->mxcsr_kept = o->mxcsr_kept && later->mxcsr_kept;
    o->seconds += later->seconds;
}

static size_t scan_blocks_measure_variant(void *context, size_t block, size_t variant, void *result)
{
    struct scan *s = context;
    const struct kernel runnable = variant_kernel(s->entries[variant].variant), *kernel = &runnable;
    struct span span = block_span(s, block);
    double begin = monotonic_s();
#pragma omp parallel for schedule(dynamic, 16) num_threads(s->stage.threads)
    for (size_t c = 0; c < ROWS; c++) {
        const double own = ((double)variant + (double)c / ROWS) / (double)s->count;
        show_within(s, block, reference_share(s) + (1 - reference_share(s)) * own);
        s->parts[c].mxcsr_kept = scan_blocks_measure_row(s, kernel, &span, c, &s->parts[c]);
    }
    struct scan_outcome outcome;
    scan_begin_outcome(&outcome);
    for (size_t c = 0; c < ROWS; c++) add_outcome(&outcome, &s->parts[c]);
    outcome.seconds = monotonic_s() - begin + s->oracle_seconds;
    memcpy(result, &outcome, sizeof outcome);
    return sizeof outcome;
}

void scan_begin_outcome(struct scan_outcome *o)
{
    *o = (struct scan_outcome){.mxcsr_kept = true};
    ulp_begin(&o->stats);
    ulp_begin_regions(&o->regions);
    ulp_begin(&o->in_short);
}

void scan_add_block(struct scan *s, struct scan_entry *entry, size_t block,
                    const struct scan_outcome *outcome)
{
    size_t binade = block_span(s, block).first >> BINADE_BITS;
    add_outcome(&entry->total, outcome);
    ulp_merge(&entry->binades[binade], &outcome->stats);
    entry->done_blocks++;
}

static int scan_blocks_take_outcome(void *context, size_t block, size_t variant, enum status status,
                                    bool here, const void *result, struct error *e)
{
    (void)here;
    struct scan *s = context;
    struct scan_entry *entry = &s->entries[variant];
    if (status != STATUS_OK) {
        entry->status = status;
        return 0;
    }
    struct scan_outcome outcome;
    memcpy(&outcome, result, sizeof outcome);
    scan_add_block(s, entry, block, &outcome);
    const double blocks = (double)block + (double)(variant + 1) / (double)s->count;
    scan_show(s, blocks, entry->variant->id);
    if (s->partial.fd < 0 || !entry->key) return 0;
    return scan_partial_append(&s->partial, entry->key, block, &outcome, e);
}

int scan_run_blocks(struct scan *s, struct error *e)
{
    /* A user's reference may take microseconds per value. */
    static const double patience_of_references = 15;
    const double silence_s =
        s->request->silence_s * (oracle_source(s->oracle) ? patience_of_references : 1);
    struct battery battery = {.blocks = s->blocks,
                              .variants = s->count,
                              .silence_s = silence_s,
                              .foreign = oracle_source(s->oracle) != NULL,
                              .context = s,
                              .has_work = scan_blocks_has_work,
                              .prepare_block = scan_blocks_prepare_block,
                              .measure_variant = scan_blocks_measure_variant,
                              .take_outcome = scan_blocks_take_outcome};
    /* A process holds the lab's own variants, or one library under one cap. */
    int code = battery_run(&battery, e);
    for (size_t i = 0; i < s->count && !code; i++) {
        const struct peer *peer = s->entries[i].variant->peer;
        if (!peer || (i && s->entries[i - 1].variant->peer == peer)) continue;
        s->peer = peer;
        code = battery_run(&battery, e);
    }
    return code;
}
