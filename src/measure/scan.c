#include "measure/scan.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "base/progress.h"
#include "measure/battery.h"
#include "measure/stage.h"
#include "oracle/ulp.h"

/* Rows that stay in the first-level cache; blocks so long that threads rarely wait for each other,
 * since on a busy machine that costs a time slice. */
enum { ROW = 4096, ROWS = 512, BLOCK = ROW * ROWS };

/* ---- Every float, in order ------------------------------------------------------------------- */

/* Ranks: 0 is the NaN of all ones, then -inf, ascending through -0 and +0, to the positive NaNs. */
static uint32_t rank_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float float_of_rank(uint32_t rank)
{
    uint32_t positive = 0u - (rank >> 31), bits = rank ^ (0x80000000u | ~positive);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

struct scan_plan scan_plan_default(const char *op)
{
    return (struct scan_plan){.op = op, .whole = true, .silence_s = 20};
}

int scan_parse_range(const char *text, struct scan_plan *plan, struct error *e)
{
    char *end = NULL;
    plan->low = strtof(text, &end);
    bool good = end != text && *end == ',';
    if (good) {
        const char *second = end + 1;
        plan->high = strtof(second, &end);
        good = end != second && *end == '\0' && plan->low <= plan->high;
    }
    if (!good)
        return fail(e, EXIT_USAGE,
                    "--range: '%s': want LO,HI with LO <= HI, such as -1,1 or 0x1p-3,inf", text);
    plan->whole = false;
    return 0;
}

/* ---- One operation --------------------------------------------------------------------------- */

struct outcome {
    struct ulp_stats stats; /* max_at counts from the range's first input */
    bool mxcsr_kept;
    double seconds;
};

struct entry {
    const struct variant *variant;
    size_t same_as; /* the entry that was evaluated for it: itself, or an earlier one */
    enum status status;
    struct outcome total;
};

struct scan {
    const struct scan_plan *plan;
    const struct oracle *oracle;
    struct entry *entries;
    size_t count;
    uint32_t first; /* rank */
    uint64_t inputs, blocks;
    struct progress progress;

    /* The child's. */
    struct stage stage;
    double *want;
    double oracle_seconds; /* of this block, per variant */
};

static bool wanted(void *context, size_t block, size_t variant)
{
    (void)block;
    const struct scan *s = context;
    const struct entry *entry = &s->entries[variant];
    return entry->same_as == variant && entry->variant->status == STATUS_OK;
}

/* Inputs first .. first + ROW of the range. Behind its end come others, which are not counted. */
static void fill_row(const struct scan *s, uint64_t first, float *x)
{
    uint32_t rank = s->first + (uint32_t)first;
    for (uint32_t i = 0; i < ROW; i++) x[i] = float_of_rank(rank + i);
}

static int prepare(void *context, size_t block, struct error *e)
{
    struct scan *s = context;
    double begin = monotonic_s();
    if (!s->want) {
        int code = stage_open(&s->stage, s->oracle, ROWS, ROW, s->plan->threads, e);
        if (code) return code;
        s->want = malloc(BLOCK * sizeof *s->want);
        if (!s->want)
            return fail(e, EXIT_PARTIAL, "out of memory: a block of %zu MiB; free some",
                        BLOCK * sizeof *s->want >> 20);
    }
#pragma omp parallel for schedule(dynamic, 16) num_threads(s->stage.threads)
    for (size_t c = 0; c < s->stage.chunks; c++) {
        float *x = stage_x(&s->stage, c);
        uint64_t at = (uint64_t)block * BLOCK + c * ROW;
        fill_row(s, at, x);
        struct oracle_row facts;
        s->oracle->row(x, ROW, &parameters_default, s->want + c * ROW, &facts);
    }
    size_t sharers = 0;
    for (size_t v = 0; v < s->count; v++) sharers += wanted(s, block, v);
    s->oracle_seconds = (monotonic_s() - begin) / (double)sharers;
    return 0;
}

static size_t measure(void *context, size_t block, size_t variant, void *result)
{
    struct scan *s = context;
    const struct stage *stage = &s->stage;
    const struct kernel *kernel = s->entries[variant].variant->kernel;
    struct ulp_stats parts[ROWS];
    double begin = monotonic_s();
    bool kept = true;
#pragma omp parallel for schedule(dynamic, 16) num_threads(stage->threads) reduction(&& : kept)
    for (size_t c = 0; c < stage->chunks; c++) {
        uint64_t at = (uint64_t)block * BLOCK + c * ROW;
        size_t left = at >= s->inputs ? 0 : s->inputs - at < ROW ? s->inputs - at : ROW;
        kept = stage_run_chunk(stage, kernel, &parameters_default, c) && kept;
        ulp_begin(&parts[c]);
        ulp_measure(stage_y(stage, c), s->want + c * ROW, left, at, &parts[c], NULL);
    }
    struct outcome outcome = {.mxcsr_kept = kept};
    ulp_begin(&outcome.stats);
    for (size_t c = 0; c < stage->chunks; c++) ulp_merge(&outcome.stats, &parts[c]);
    outcome.seconds = monotonic_s() - begin + s->oracle_seconds;
    memcpy(result, &outcome, sizeof outcome);
    return sizeof outcome;
}

static int take(void *context, size_t block, size_t variant, enum status status, bool here,
                const void *result, struct error *e)
{
    (void)here, (void)e;
    struct scan *s = context;
    struct entry *entry = &s->entries[variant];
    if (status != STATUS_OK) {
        entry->status = status;
        return 0;
    }
    struct outcome outcome;
    memcpy(&outcome, result, sizeof outcome);
    ulp_merge(&entry->total.stats, &outcome.stats);
    entry->total.mxcsr_kept = entry->total.mxcsr_kept && outcome.mxcsr_kept;
    entry->total.seconds += outcome.seconds;
    double part = (double)variant / (double)s->count;
    progress_update(&s->progress, ((double)block + part) / (double)s->blocks, entry->variant->id);
    return 0;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* False, with the reason, where the file promises better. */
static bool promises_kept(const struct variant *v, const struct outcome *t, char *reason,
                          size_t size)
{
    const struct ulp_stats *s = &t->stats;
    const struct promise *p = &v->kernel->promise;
    enum promise_class class = policy_promises(v->policy);
    double limit = class == PROMISES_OFF ? p->ulp_off : p->ulp_fused;
    reason[0] = '\0';
    if (!t->mxcsr_kept) {
        snprintf(reason, size, "leaves MXCSR changed");
        return false;
    }
    if (v->kernel->hazard || class == PROMISES_NOTHING) return true;
    if (limit > 0 && s->max > limit) {
        snprintf(reason, size, "max_ulp %.4g, promised %.4g", s->max, limit);
        return false;
    }
    if (p->specials && s->nan + s->inf + s->sign > 0) {
        snprintf(reason, size, "specials: %llu results not as promised",
                 (unsigned long long)(s->nan + s->inf + s->sign));
        return false;
    }
    return true;
}

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *range_of(const struct scan *s)
{
    if (s->plan->whole) return json_string("all");
    return json_pack("[o, o]", record_hex((double)s->plan->low), record_hex((double)s->plan->high));
}

static void put_figures(json_t *row, const struct scan *s, const struct outcome *t)
{
    const struct ulp_stats *stats = &t->stats;
    json_t *at = json_null();
    if (stats->measured) at = record_hex((double)float_of_rank(s->first + (uint32_t)stats->max_at));
    json_t *figures = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o}}", "evaluated",
        count(s->inputs), "max_ulp", record_real(stats->measured ? stats->max : NAN), "at", at,
        "misrounded", record_real(ulp_misrounded(stats)), "mean_ulp", record_real(ulp_mean(stats)),
        "bias_ulp", record_real(ulp_bias(stats)), "seconds", record_real(t->seconds), "per_second",
        record_real((double)s->inputs / t->seconds), "counts", "nan", count(stats->nan), "inf",
        count(stats->inf), "sign", count(stats->sign), "flushed", count(stats->flushed));
    json_object_update(row, figures);
    json_decref(figures);
}

static void put_nothing(json_t *row)
{
    static const char *const keys[] = {"evaluated",  "max_ulp",    "at",
                                       "misrounded", "mean_ulp",   "bias_ulp",
                                       "seconds",    "per_second", "counts"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set_new(row, keys[i], json_null());
}

static int put_row(const struct scan *s, size_t i, struct record_sink sink,
                   struct scan_summary *summary, struct error *e)
{
    const struct variant *v = s->entries[i].variant;
    const struct entry *evaluated = &s->entries[s->entries[i].same_as];
    enum status status = v->status == STATUS_OK ? evaluated->status : v->status;
    char reason[160];
    snprintf(reason, sizeof reason, "%s", v->reason);
    if (status == STATUS_OK && !promises_kept(v, &evaluated->total, reason, sizeof reason))
        status = STATUS_WRONG;

    json_t *row = json_pack("{s:s, s:s, s:o, s:s}", "record", "scan", "id", v->id, "range",
                            range_of(s), "status", status_name(status));
    if (reason[0]) json_object_set_new(row, "reason", json_string(reason));
    if (evaluated->variant != v)
        json_object_set_new(row, "same_code_as", json_string(evaluated->variant->id));
    bool measured = status == STATUS_OK || status == STATUS_WRONG;
    if (measured)
        put_figures(row, s, &evaluated->total);
    else
        put_nothing(row);
    size_t *tally = status == STATUS_OK         ? &summary->ok
                    : status == STATUS_WRONG    ? &summary->wrong
                    : status_is_partial(status) ? &summary->failed
                                                : &summary->skipped;
    ++*tally;
    return sink.put(sink.context, row, e);
}

/* ---- The run --------------------------------------------------------------------------------- */

/* Equal code and constants give equal results: once is enough. */
static size_t first_of_same_code(const struct scan *s, const struct variant *v)
{
    uint64_t hash = v->build ? v->build->code_hash : 0;
    for (size_t i = 0; i < s->count && hash && v->status == STATUS_OK; i++) {
        const struct variant *other = s->entries[i].variant;
        if (other->status == STATUS_OK && other->build && other->build->code_hash == hash &&
            !strcmp(other->isa, v->isa))
            return s->entries[i].same_as;
    }
    return s->count;
}

static void collect(struct scan *s, const struct registry *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (v->study || strcmp(v->op, s->plan->op) != 0) continue;
        struct entry entry = {.variant = v, .same_as = first_of_same_code(s, v)};
        ulp_begin(&entry.total.stats);
        entry.total.mxcsr_kept = true;
        s->entries[s->count++] = entry;
    }
}

static int measure_all(struct scan *s, struct error *e)
{
    progress_begin(&s->progress, "scan", s->plan->quiet);
    struct battery battery = {.blocks = (size_t)s->blocks,
                              .variants = s->count,
                              .silence_s = s->plan->silence_s,
                              .context = s,
                              .wanted = wanted,
                              .prepare = prepare,
                              .measure = measure,
                              .take = take};
    int code = battery_run(&battery, e);
    progress_end(&s->progress);
    return code;
}

int scan_run(const struct scan_plan *plan, const struct registry *r, struct record_sink sink,
             struct scan_summary *summary, struct error *e)
{
    *summary = (struct scan_summary){0};
    struct scan s = {.plan = plan, .oracle = oracle_find(plan->op)};
    if (!s.oracle || !s.oracle->unary)
        return fail(e, EXIT_USAGE,
                    "scan: '%s': not a unary function of this lab; known: exp, log, log2, sigmoid, "
                    "gelu, and those of your own whose reference says .unary",
                    plan->op);
    s.entries = calloc(r->count + 1, sizeof *s.entries);
    if (!s.entries) return fail(e, EXIT_PARTIAL, "out of memory: %zu variants", r->count);
    collect(&s, r);
    s.first = plan->whole ? 0 : rank_of(plan->low);
    s.inputs = plan->whole ? 1ull << 32 : (uint64_t)rank_of(plan->high) - s.first + 1;
    s.blocks = (s.inputs + BLOCK - 1) / BLOCK;

    int code = s.count ? measure_all(&s, e)
                       : fail(e, EXIT_USAGE, "scan: no variant of '%s' matches; see 'ulplab list'",
                              plan->op);
    for (size_t i = 0; i < s.count && !code; i++) code = put_row(&s, i, sink, summary, e);
    free(s.entries);
    if (code) return code;
    if (summary->failed)
        return fail(e, EXIT_PARTIAL, "scan: %zu variants died; see their status", summary->failed);
    if (summary->wrong)
        return fail(e, EXIT_GATE, "scan: %zu variants break a promise; see their reason",
                    summary->wrong);
    return 0;
}
