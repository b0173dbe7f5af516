#include "measure/scan.h"

#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "base/progress.h"
#include "measure/battery.h"
#include "measure/scan_store.h"
#include "measure/stage.h"
#include "oracle/consecutive.h"
#include "oracle/ulp.h"

/* A block is a binade: so long that threads rarely wait for each other, since on a busy machine
 * that costs a time slice. */
enum {
    BINADE_BITS = 23,
    BLOCK = 1 << BINADE_BITS,
    ROW = CONSECUTIVE_ROW,
    ROWS = BLOCK / ROW,
    BINADES = 512
};

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

struct entry {
    const struct variant *variant;
    size_t same_as; /* the entry that was evaluated for it: itself, or an earlier one */
    enum status status;
    json_t *key;        /* NULL: nothing of it is kept */
    const json_t *kept; /* its row in the folder; borrowed, NULL: none */
    size_t from_block;  /* those before were evaluated before an interruption */
    size_t taken;       /* blocks */
    struct scan_outcome total;
    struct ulp_stats *binades; /* [BINADES] */
};

struct scan {
    const struct scan_plan *plan;
    const struct oracle *oracle;
    struct entry *entries;
    size_t count;
    uint32_t first;  /* rank */
    uint64_t inputs; /* from it on */
    size_t blocks; /* of BLOCK ranks each, the first one begins at a multiple at or below `first` */
    json_t *range;
    json_t *kept;               /* rows of the folder */
    struct record_file partial; /* fd < 0: none is written */
    struct progress progress;

    /* The child's. */
    struct stage stage;             /* one row per thread */
    double *want;                   /* [ROW] per thread; of a reference from elsewhere [BLOCK] */
    struct consecutive *expansions; /* [ROWS], of this block */
    double oracle_seconds;          /* of this block, per variant */
};

static bool evaluated(const struct scan *s, size_t i)
{
    const struct entry *entry = &s->entries[i];
    return entry->same_as == i && entry->variant->status == STATUS_OK && !entry->kept;
}

static bool wanted(void *context, size_t block, size_t variant)
{
    const struct scan *s = context;
    return evaluated(s, variant) && block >= s->entries[variant].from_block;
}

/* The ranks of a block: a whole one, or what the range has of it. */
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
    uint64_t base = s->first / BLOCK * (uint64_t)BLOCK + (uint64_t)block * BLOCK;
    return (struct span){base, higher(base, s->first),
                         lower(base + BLOCK, (uint64_t)s->first + s->inputs)};
}

/* What of a row is in the range. Its other inputs are computed with it and not counted. */
static struct span row_span(const struct span *block, size_t row)
{
    uint64_t base = block->base + row * ROW;
    return (struct span){base, lower(higher(base, block->first), base + ROW),
                         higher(lower(base + ROW, block->end), base)};
}

static bool is_empty(const struct span *row)
{
    return row->first >= row->end;
}

static void ask_oracle(const struct scan *s, const float *x, double *want)
{
    struct oracle_row facts;
    s->oracle->row(x, ROW, &parameters_default, want, &facts);
}

/* A reference from elsewhere may crash: it is asked here, where that is known to be its doing. */
static void prepare_row(const struct scan *s, const struct span *block, size_t row)
{
    struct span span = row_span(block, row);
    if (is_empty(&span)) return;
    consecutive_expand(s->oracle, (uint32_t)span.base, &s->expansions[row]);
    if (!oracle_source(s->oracle)) return;
    float *x = stage_x(&s->stage, (size_t)omp_get_thread_num());
    consecutive_inputs((uint32_t)span.base, x);
    ask_oracle(s, x, s->want + row * ROW);
}

static const double *exact_row(const struct scan *s, size_t row, size_t thread)
{
    if (oracle_source(s->oracle)) return s->want + row * ROW;
    double *want = s->want + thread * ROW;
    if (s->expansions[row].known)
        consecutive_values(&s->expansions[row], want);
    else
        ask_oracle(s, stage_x(&s->stage, thread), want);
    return want;
}

static int open_child(struct scan *s, struct error *e)
{
    int threads = s->plan->threads ? s->plan->threads : omp_get_num_procs();
    int code = stage_open(&s->stage, s->oracle, (size_t)threads, ROW, threads, e);
    if (code) return code;
    size_t room = oracle_source(s->oracle) ? BLOCK : (size_t)threads * ROW;
    s->want = malloc(room * sizeof *s->want);
    s->expansions = malloc(ROWS * sizeof *s->expansions);
    if (s->want && s->expansions) return 0;
    return fail(e, EXIT_PARTIAL, "out of memory: a block of %zu MiB; free some",
                room * sizeof *s->want >> 20);
}

static int prepare(void *context, size_t block, struct error *e)
{
    struct scan *s = context;
    int code = s->expansions ? 0 : open_child(s, e);
    if (code) return code;
    size_t sharers = 0;
    for (size_t v = 0; v < s->count; v++) sharers += wanted(s, block, v);
    double begin = monotonic_s();
    struct span span = block_span(s, block);
#pragma omp parallel for schedule(dynamic, 16) num_threads(s->stage.threads)
    for (size_t row = 0; row < ROWS; row++) prepare_row(s, &span, row);
    s->oracle_seconds = (monotonic_s() - begin) / (double)sharers;
    return 0;
}

/* By one thread. */
static bool measure_row(const struct scan *s, const struct kernel *kernel, const struct span *block,
                        size_t row, struct ulp_stats *stats)
{
    struct span span = row_span(block, row);
    ulp_begin(stats);
    if (is_empty(&span)) return true;
    size_t thread = (size_t)omp_get_thread_num(), skip = span.first - span.base;
    consecutive_inputs((uint32_t)span.base, stage_x(&s->stage, thread));
    bool kept = stage_run_chunk(&s->stage, kernel, &parameters_default, thread);
    ulp_measure(stage_y(&s->stage, thread) + skip, exact_row(s, row, thread) + skip,
                span.end - span.first, span.first, stats, NULL);
    return kept;
}

static size_t measure(void *context, size_t block, size_t variant, void *result)
{
    struct scan *s = context;
    const struct kernel *kernel = s->entries[variant].variant->kernel;
    struct span span = block_span(s, block);
    struct ulp_stats parts[ROWS];
    double begin = monotonic_s();
    bool kept = true;
#pragma omp parallel for schedule(dynamic, 16) num_threads(s->stage.threads) reduction(&& : kept)
    for (size_t c = 0; c < ROWS; c++) kept = measure_row(s, kernel, &span, c, &parts[c]) && kept;
    struct scan_outcome outcome = {.mxcsr_kept = kept};
    ulp_begin(&outcome.stats);
    for (size_t c = 0; c < ROWS; c++) ulp_merge(&outcome.stats, &parts[c]);
    outcome.seconds = monotonic_s() - begin + s->oracle_seconds;
    memcpy(result, &outcome, sizeof outcome);
    return sizeof outcome;
}

static void add(struct scan *s, struct entry *entry, size_t block,
                const struct scan_outcome *outcome)
{
    size_t binade = block_span(s, block).first >> BINADE_BITS;
    ulp_merge(&entry->total.stats, &outcome->stats);
    ulp_merge(&entry->binades[binade], &outcome->stats);
    entry->total.mxcsr_kept = entry->total.mxcsr_kept && outcome->mxcsr_kept;
    entry->total.seconds += outcome->seconds;
    entry->taken++;
}

static int take(void *context, size_t block, size_t variant, enum status status, bool here,
                const void *result, struct error *e)
{
    (void)here;
    struct scan *s = context;
    struct entry *entry = &s->entries[variant];
    if (status != STATUS_OK) {
        entry->status = status;
        return 0;
    }
    struct scan_outcome outcome;
    memcpy(&outcome, result, sizeof outcome);
    add(s, entry, block, &outcome);
    double part = (double)variant / (double)s->count;
    progress_update(&s->progress, ((double)block + part) / (double)s->blocks, entry->variant->id);
    if (s->partial.fd < 0 || !entry->key) return 0;
    return scan_partial_append(&s->partial, entry->key, block, &outcome, e);
}

/* ---- Records --------------------------------------------------------------------------------- */

static double number(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : 0;
}

/* What the file says of its exp or log, on which bounds build. */
static double declared_ulp(const struct variant *v)
{
    if (!strcmp(v->op, "exp") || !strcmp(v->op, "expkappa")) return v->kernel->exp_ulp;
    return !strncmp(v->op, "log", 3) ? v->kernel->log_ulp : 0;
}

/* False, with the reason, where the file promises better than its row says. */
static bool promises_kept(const struct variant *v, const json_t *row, char *reason, size_t size)
{
    const struct promise *p = &v->kernel->promise;
    const json_t *counts = json_object_get(row, "counts");
    enum promise_class class = policy_promises(v->policy);
    double limit = class == PROMISES_OFF ? p->ulp_off : p->ulp_fused, max = number(row, "max_ulp");
    double declared = declared_ulp(v);
    double special = number(counts, "nan") + number(counts, "inf") + number(counts, "sign");
    reason[0] = '\0';
    if (json_is_false(json_object_get(row, "mxcsr_kept")))
        snprintf(reason, size, "leaves MXCSR changed");
    else if (v->kernel->hazard || class == PROMISES_NOTHING)
        return true;
    else if (limit > 0 && max > limit)
        snprintf(reason, size, "max_ulp %.6g, promised %.6g", max, limit);
    else if (declared > 0 && max > declared)
        snprintf(reason, size, "max_ulp %.6g, but its file lets bounds build on %.6g", max,
                 declared);
    else if (p->specials && special > 0)
        snprintf(reason, size, "specials: %.0f results not as promised", special);
    return !reason[0];
}

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *range_of(const struct scan_plan *plan)
{
    if (plan->whole) return json_string("all");
    return json_pack("[o, o]", record_hex((double)plan->low), record_hex((double)plan->high));
}

static json_t *at_of(const struct ulp_stats *stats)
{
    return stats->measured ? record_hex((double)float_of_rank((uint32_t)stats->max_at))
                           : json_null();
}

/* Columns, one entry per binade in which anything was measured: its least magnitude with its sign
 * (a zero for the subnormal numbers), and the figures. */
static json_t *binades_of(const struct ulp_stats *binades)
{
    json_t *from = json_array(), *max = json_array(), *at = json_array(), *mean = json_array(),
           *misrounded = json_array();
    for (uint32_t b = 0; b < BINADES; b++) {
        const struct ulp_stats *stats = &binades[b];
        if (!stats->measured) continue;
        float ends[2] = {float_of_rank(b << BINADE_BITS),
                         float_of_rank((b << BINADE_BITS) + (1u << BINADE_BITS) - 1)};
        json_array_append_new(from, record_hex((double)ends[fabsf(ends[1]) < fabsf(ends[0])]));
        json_array_append_new(max, record_real(stats->max));
        json_array_append_new(at, at_of(stats));
        json_array_append_new(mean, record_real(ulp_mean(stats)));
        json_array_append_new(misrounded, record_real(ulp_misrounded(stats)));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "from", from, "max_ulp", max, "at", at,
                     "mean_ulp", mean, "misrounded", misrounded);
}

static void put_figures(json_t *row, const struct scan *s, const struct entry *entry)
{
    const struct scan_outcome *t = &entry->total;
    const struct ulp_stats *stats = &t->stats;
    json_t *figures = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:{s:o, s:o, s:o, s:o}, s:o}", "evaluated",
        count(s->inputs), "max_ulp", record_real(stats->measured ? stats->max : NAN), "at",
        at_of(stats), "misrounded", record_real(ulp_misrounded(stats)), "mean_ulp",
        record_real(ulp_mean(stats)), "bias_ulp", record_real(ulp_bias(stats)), "seconds",
        record_real(t->seconds), "per_second", record_real((double)s->inputs / t->seconds),
        "mxcsr_kept", t->mxcsr_kept, "counts", "nan", count(stats->nan), "inf", count(stats->inf),
        "sign", count(stats->sign), "flushed", count(stats->flushed), "binades",
        binades_of(entry->binades));
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

static size_t *tally_of(struct scan_summary *sum, enum status status)
{
    return status == STATUS_OK         ? &sum->ok
           : status == STATUS_WRONG    ? &sum->wrong
           : status_is_partial(status) ? &sum->failed
                                       : &sum->skipped;
}

static json_t *row_of(const struct scan *s, size_t i, struct scan_summary *summary)
{
    const struct variant *v = s->entries[i].variant;
    const struct entry *entry = &s->entries[s->entries[i].same_as];
    enum status status = v->status == STATUS_OK ? entry->status : v->status;
    char reason[160];
    snprintf(reason, sizeof reason, "%s", v->reason);

    json_t *row = status == STATUS_OK && entry->kept ? json_copy((json_t *)(uintptr_t)entry->kept)
                                                     : json_object();
    if (status != STATUS_OK)
        put_nothing(row);
    else if (entry->kept)
        json_object_set_new(row, "kept", json_true());
    else
        put_figures(row, s, entry);
    summary->kept += status == STATUS_OK && entry->kept;
    if (status == STATUS_OK && !promises_kept(v, row, reason, sizeof reason)) status = STATUS_WRONG;
    json_object_del(row, "reason");
    if (reason[0]) json_object_set_new(row, "reason", json_string(reason));
    json_object_set_new(row, "record", json_string("scan"));
    json_object_set_new(row, "id", json_string(v->id));
    json_object_set(row, "range", s->range);
    json_object_set_new(row, "status", json_string(status_name(status)));
    json_object_set_new(row, "declared_ulp",
                        v->kernel && declared_ulp(v) > 0 ? record_real(declared_ulp(v))
                                                         : json_null());
    if (entry->variant != v) {
        json_object_set_new(row, "same_code_as", json_string(entry->variant->id));
        json_object_del(row, "binades");
    }
    if (entry->key) json_object_update(row, entry->key);
    ++*tally_of(summary, status);
    return row;
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

static int collect(struct scan *s, const struct registry *r, struct error *e)
{
    s->entries = calloc(r->count + 1, sizeof *s->entries);
    bool room = s->entries != NULL;
    for (size_t i = 0; i < r->count && room; i++) {
        const struct variant *v = &r->variants[i];
        /* Every fp32 input is asked of kernels that read fp32. */
        if (strcmp(v->op, s->plan->op) != 0 || strcmp(v->dtype, "f32") != 0) continue;
        struct entry entry = {.variant = v,
                              .same_as = first_of_same_code(s, v),
                              .key = scan_key(v, s->range),
                              .binades = calloc(BINADES, sizeof *entry.binades)};
        room = entry.binades != NULL;
        for (size_t b = 0; b < BINADES && room; b++) ulp_begin(&entry.binades[b]);
        ulp_begin(&entry.total.stats);
        entry.total.mxcsr_kept = true;
        s->entries[s->count++] = entry;
    }
    if (!room) return fail(e, EXIT_PARTIAL, "out of memory: %zu variants", r->count);
    if (s->count) return 0;
    return fail(e, EXIT_USAGE, "scan: no variant of '%s' matches; see 'ulplab list'", s->plan->op);
}

static void discard(struct scan *s)
{
    for (size_t i = 0; i < s->count; i++) {
        json_decref(s->entries[i].key);
        free(s->entries[i].binades);
    }
    free(s->entries);
    json_decref(s->range);
    json_decref(s->kept);
}

/* What the folder has of finished scans. */
static int reuse(struct scan *s, struct error *e)
{
    int code = scan_store_read(s->plan->folder, &s->kept, e);
    for (size_t i = 0; i < s->count && !code && !s->plan->force; i++)
        if (s->entries[i].key) s->entries[i].kept = scan_store_find(s->kept, s->entries[i].key);
    return code;
}

/* What it has of an unfinished one: the first blocks of some variants. */
static int go_on(struct scan *s, struct error *e)
{
    json_t *blocks = NULL;
    int code = scan_partial_read(s->plan->folder, s->plan->op, &blocks, e);
    size_t k;
    const json_t *record;
    json_array_foreach(blocks, k, record)
    {
        for (size_t i = 0; i < s->count; i++) {
            struct entry *entry = &s->entries[i];
            struct scan_outcome outcome;
            size_t block;
            if (!entry->key || !evaluated(s, i) ||
                !scan_partial_take(record, entry->key, &block, &outcome))
                continue;
            if (block == entry->taken && block < s->blocks) add(s, entry, block, &outcome);
            entry->from_block = entry->taken;
        }
    }
    json_decref(blocks);
    return code;
}

static bool anything_left(const struct scan *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (evaluated(s, i) && s->entries[i].taken < s->blocks) return true;
    return false;
}

static int measure_all(struct scan *s, struct error *e)
{
    const char *folder = s->plan->folder;
    s->partial.fd = -1;
    if (!anything_left(s)) return 0;
    int code = folder ? scan_partial_open(folder, s->plan->op, s->plan->resume, &s->partial, e) : 0;
    if (code) return code;
    progress_begin(&s->progress, "scan", s->plan->quiet);
    struct battery battery = {.blocks = s->blocks,
                              .variants = s->count,
                              .silence_s = s->plan->silence_s,
                              .foreign = oracle_source(s->oracle) != NULL,
                              .context = s,
                              .wanted = wanted,
                              .prepare = prepare,
                              .measure = measure,
                              .take = take};
    code = battery_run(&battery, e);
    progress_end(&s->progress);
    if (!folder) return code;
    int closed = record_close(&s->partial, e);
    if (code == 128 + SIGINT || code == 128 + SIGTERM)
        return fail(e, code, "scan: %s: interrupted; go on with --resume", s->plan->op);
    return code ? code : closed;
}

/* Rows to the sink, and to the folder. */
static int put_rows(struct scan *s, struct record_sink sink, struct scan_summary *summary,
                    struct error *e)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < s->count; i++) json_array_append_new(rows, row_of(s, i, summary));
    int code = 0;
    for (size_t i = 0; i < s->count && !code; i++)
        code = sink.put(sink.context, json_deep_copy(json_array_get(rows, i)), e);
    for (size_t i = 0; i < s->count; i++) json_object_del(json_array_get(rows, i), "kept");
    if (!code && s->plan->folder) {
        code = scan_store_write(s->plan->folder, s->kept, rows, e);
        if (!code) scan_partial_remove(s->plan->folder, s->plan->op);
    }
    json_decref(rows);
    return code;
}

static int run(struct scan *s, const struct registry *r, struct record_sink sink,
               struct scan_summary *summary, struct error *e)
{
    int code = collect(s, r, e);
    if (!code && s->plan->folder) code = reuse(s, e);
    if (!code && s->plan->folder && s->plan->resume) code = go_on(s, e);
    if (!code) code = measure_all(s, e);
    return code ? code : put_rows(s, sink, summary, e);
}

int scan_run(const struct scan_plan *plan, const struct registry *r, struct record_sink sink,
             struct scan_summary *summary, struct error *e)
{
    *summary = (struct scan_summary){0};
    struct scan s = {.plan = plan, .oracle = oracle_find(plan->op)};
    if (!s.oracle || !s.oracle->unary)
        return fail(e, EXIT_USAGE,
                    "scan: '%s': not a unary function of this lab; known: exp, log, log2, sigmoid, "
                    "gelu, expkappa (that of the invariant kernels), and those of your own whose "
                    "reference says .unary",
                    plan->op);
    s.range = range_of(plan);
    s.first = plan->whole ? 0 : float_rank(plan->low);
    s.inputs = plan->whole ? 1ull << 32 : (uint64_t)float_rank(plan->high) - s.first + 1;
    s.blocks = (s.first % BLOCK + s.inputs + BLOCK - 1) / BLOCK;
    int code = run(&s, r, sink, summary, e);
    discard(&s);
    if (code) return code;
    if (summary->failed)
        return fail(e, EXIT_PARTIAL, "scan: %zu variants died; see their status", summary->failed);
    if (summary->wrong)
        return fail(e, EXIT_GATE, "scan: %zu variants break a promise; see their reason",
                    summary->wrong);
    return 0;
}
