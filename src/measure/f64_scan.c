// SPDX-License-Identifier: MIT
#include "measure/scan.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/progress.h"
#include "base/random.h"
#include "measure/battery.h"
#include "measure/f64_probe.h"
#include "measure/peers.h"
#include "measure/promises.h"
#include "measure/scan_store.h"
#include "model/record.h"
#include "oracle/f64_published.h"
#include "oracle/oracle.h"

/* Blocks: the listed inputs; the binades, so many a block; where the error jumps; the descents. */
enum { LISTED, FIRST_BINADES, BINADES_OF_BLOCK = 16 };
enum { JUMPS = FIRST_BINADES + PROBE_BINADES / BINADES_OF_BLOCK, FIRST_DESCENT };
enum { LISTED_MAX = 256, DEFAULT_SAMPLES = 1 << 24 };
/* Numbers that a descent tries, nearly: 14 levels of 512 cells. */
enum { DESCENT = 14 << 18, DEFAULT_SEARCHED = 1 << 23, DESCENTS_PER_S = 32 };

/* The exact values are within this of themselves (oracle/f64.h). */
static const double oracle_error = 0x1p-40;

/* The method that found a variant's results. */
enum how { HOW_LISTED, HOW_SAMPLED, HOW_JUMP, HOW_DESCENT, HOWS };
static const char *const how_names[HOWS] = {"listed", "sampled", "jump", "descent"};

struct outcome {
    struct ulp_stats stats; /* of the sampled numbers, and of the listed ones */
    struct ulp_regions regions;
    struct f64_best best[HOWS];
    uint64_t tried, nans, answered; /* NaNs among the inputs of stats, those that gave a number */
    uint64_t undecided; /* among them, too: the oracle cannot say which side of half an ulp it is */
    size_t jumps;
    bool modes_kept;
    double seconds;
    struct f64_best binades[BINADES_OF_BLOCK];
    float listed[LISTED_MAX]; /* E of each listed input; -1: it has none */
};

struct entry {
    const struct variant *variant;
    size_t same_as;
    enum status status;
    struct outcome total;
    double descended_s; /* in the child */
    struct f64_best binades[PROBE_BINADES];
};

/* Inputs with their exact values. */
struct f64_inputs {
    size_t count;
    double *x;
    struct f64_value *want;
};

struct f64_scan {
    const struct scan_request *request;
    const struct f64_oracle *oracle;
    struct entry *entries;
    size_t count, descents, per_binade;
    double patience_s; /* for a variant's descents; infinite: they are counted */
    double listed[LISTED_MAX];
    size_t listed_count;
    struct progress progress;

    /* Members of the child. */
    struct f64_probe probe;
    struct f64_inputs inputs; /* of this block */
    double oracle_seconds;
};

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* The published inputs first; then zeros, ends, and NaNs. */
static void list_inputs(struct f64_scan *s)
{
    static const double others[] = {0,       1,        DBL_TRUE_MIN, DBL_MIN,
                                    DBL_MAX, INFINITY, NAN,          DBL_MIN - DBL_TRUE_MIN};
    for (size_t i = 0; f64_published[i].op; i++)
        if (!strcmp(f64_published[i].op, s->request->op))
            s->listed[s->listed_count++] = f64_published[i].x;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        s->listed[s->listed_count++] = others[i];
        s->listed[s->listed_count++] = -others[i];
    }
}

/* Writes the numbers of a binade: its first, its last, and between them one of each of equal
 * parts. */
static void sample_binade(const struct f64_scan *s, size_t binade, double *x)
{
    const uint64_t base = (uint64_t)binade << PROBE_BINADE_BITS, size = 1ull << PROBE_BINADE_BITS;
    const uint64_t part = size / s->per_binade;
    uint64_t state = binade;
    for (size_t i = 0; i < s->per_binade; i++)
        x[i] = double_of_rank(base + i * part + random_next(&state) % part);
    x[0] = double_of_rank(base);
    x[s->per_binade - 1] = double_of_rank(base + size - 1);
}

static size_t block_inputs(const struct f64_scan *s, size_t block)
{
    return block == LISTED ? s->listed_count : block < JUMPS ? BINADES_OF_BLOCK * s->per_binade : 0;
}

static int scan_open_child(struct f64_scan *s, struct error *e)
{
    size_t most = BINADES_OF_BLOCK * s->per_binade;
    if (most < LISTED_MAX) most = LISTED_MAX;
    int threads = s->request->threads ? s->request->threads : omp_get_num_procs();
    s->inputs.x = malloc(most * sizeof *s->inputs.x);
    s->inputs.want = malloc(most * sizeof *s->inputs.want);
    if (s->inputs.x && s->inputs.want && f64_probe_open(&s->probe, s->oracle, threads)) return 0;
    return fail(e, EXIT_PARTIAL, "out of memory: scan: %zu inputs; take fewer --samples", most);
}

static bool f64_is_evaluated(const struct f64_scan *s, size_t i)
{
    return s->entries[i].same_as == i && s->entries[i].variant->status == STATUS_OK;
}

static bool f64_scan_has_work(void *context, size_t block, size_t variant)
{
    (void)block;
    return f64_is_evaluated(context, variant);
}

/* In the child: computes the block's exact values, once for all variants. */
static int f64_scan_prepare(void *context, size_t block, struct error *e)
{
    struct f64_scan *s = context;
    int code = s->inputs.x ? 0 : scan_open_child(s, e);
    if (code) return code;
    struct f64_inputs *in = &s->inputs;
    size_t sharers = 0;
    double begin = monotonic_s();
    for (size_t v = 0; v < s->count; v++) sharers += f64_is_evaluated(s, v);
    in->count = block_inputs(s, block);
    if (block == LISTED) memcpy(in->x, s->listed, in->count * sizeof *in->x);
    for (size_t b = 0; block != LISTED && in->count && b < BINADES_OF_BLOCK; b++)
        sample_binade(s, (block - FIRST_BINADES) * BINADES_OF_BLOCK + b, in->x + b * s->per_binade);
#pragma omp parallel for schedule(dynamic) num_threads(s->probe.threads)
    for (size_t i = 0; i < in->count; i += PROBE_ROW) {
        size_t left = in->count - i;
        struct oracle_row facts;
        s->oracle->row(in->x + i, left < PROBE_ROW ? left : PROBE_ROW, &f64_parameters_default,
                       in->want + i, &facts);
    }
    s->oracle_seconds = (monotonic_s() - begin) / (double)(sharers + !sharers);
    return 0;
}

/* ---- A block of a variant -------------------------------------------------------------------- */

static void outcome_begin(struct outcome *o)
{
    *o = (struct outcome){.modes_kept = true};
    for (enum how how = 0; how < HOWS; how++) o->best[how].ulp = -1;
    ulp_begin(&o->stats);
    ulp_begin_regions(&o->regions);
}

/* Takes the new error if it is larger. */
static void outcome_raise(struct outcome *o, struct f64_best found, enum how how)
{
    if (found.ulp > o->best[how].ulp) o->best[how] = found;
}

/* Measures inputs [from, from + count), at most PROBE_ROW. */
static void measure_inputs(struct f64_scan *s, size_t from, size_t count, struct outcome *o)
{
    const struct f64_inputs *in = &s->inputs;
    const double *y = f64_probe_run(&s->probe, in->x + from, count);
    for (size_t i = 0; i < count; i++) {
        double x = in->x[from + i], size = fabs(x);
        o->nans += isnan(x);
        o->answered += isnan(x) && !isnan(y[i]);
        double error =
            f64_ulp_measure_region(y[i], in->want[from + i], double_rank(x),
                                   size < DBL_MIN || size >= 0x1p1023, &o->stats, &o->regions);
        o->undecided += fabs(error - 0.5) < oracle_error;
    }
}

static void measure_listed(struct f64_scan *s, struct outcome *o)
{
    const struct f64_inputs *in = &s->inputs;
    const double *y = f64_probe_run(&s->probe, in->x, in->count);
    for (size_t i = 0; i < in->count; i++) o->listed[i] = (float)f64_ulp_error(y[i], in->want[i]);
    measure_inputs(s, 0, in->count, o);
    if (o->stats.measured)
        outcome_raise(o, (struct f64_best){o->stats.max, o->stats.max_at}, HOW_LISTED);
    o->tried += in->count;
}

static void outcome_add(struct outcome *o, const struct outcome *later)
{
    ulp_merge(&o->stats, &later->stats);
    ulp_merge_regions(&o->regions, &later->regions);
    for (enum how how = 0; how < HOWS; how++) outcome_raise(o, later->best[how], how);
    o->tried += later->tried;
    o->nans += later->nans;
    o->answered += later->answered;
    o->undecided += later->undecided;
    o->jumps += later->jumps;
    o->modes_kept = o->modes_kept && later->modes_kept;
    o->seconds += later->seconds;
}

static void measure_binades(struct f64_scan *s, struct outcome *o)
{
    struct outcome parts[BINADES_OF_BLOCK];
#pragma omp parallel for schedule(dynamic) num_threads(s->probe.threads)
    for (size_t b = 0; b < BINADES_OF_BLOCK; b++) {
        outcome_begin(&parts[b]);
        for (size_t i = 0; i < s->per_binade; i += PROBE_ROW) {
            size_t left = s->per_binade - i;
            measure_inputs(s, b * s->per_binade + i, left < PROBE_ROW ? left : PROBE_ROW,
                           &parts[b]);
        }
    }
    for (size_t b = 0; b < BINADES_OF_BLOCK; b++) {
        o->binades[b] = (struct f64_best){parts[b].stats.max, parts[b].stats.max_at};
        outcome_raise(&parts[b], o->binades[b], HOW_SAMPLED);
        outcome_add(o, &parts[b]);
    }
    o->tried += s->inputs.count;
}

/* Adds the findings of a block to the entry: in the parent, and in the child, which continues from
 * them. */
static void entry_add(struct entry *entry, size_t block, const struct outcome *o)
{
    outcome_add(&entry->total, o);
    if (block == LISTED) memcpy(entry->total.listed, o->listed, sizeof o->listed);
    if (block >= FIRST_BINADES && block < JUMPS)
        memcpy(entry->binades + (block - FIRST_BINADES) * BINADES_OF_BLOCK, o->binades,
               sizeof o->binades);
}

static size_t f64_scan_measure(void *context, size_t block, size_t variant, void *result)
{
    struct f64_scan *s = context;
    struct entry *entry = &s->entries[variant];
    const struct kernel kernel = variant_kernel(entry->variant);
    struct outcome o;
    double begin = monotonic_s();
    outcome_begin(&o);
    s->probe.kernel = &kernel;
    s->probe.tried = 0;
    s->probe.modes_kept = true;
    if (block == LISTED)
        measure_listed(s, &o);
    else if (block < JUMPS)
        measure_binades(s, &o);
    else if (block == JUMPS)
        outcome_raise(&o, f64_probe_jumps(&s->probe, entry->binades, &o.jumps), HOW_JUMP);
    else if (entry->descended_s < s->patience_s)
        outcome_raise(&o, f64_probe_descend(&s->probe, entry->binades, block), HOW_DESCENT);
    o.tried += s->probe.tried;
    o.modes_kept = s->probe.modes_kept;
    o.seconds = monotonic_s() - begin + s->oracle_seconds;
    if (block >= FIRST_DESCENT) entry->descended_s += o.seconds;
    entry_add(entry, block, &o);
    memcpy(result, &o, sizeof o);
    return sizeof o;
}

static int f64_scan_take(void *context, size_t block, size_t variant, enum status status, bool here,
                         const void *result, struct error *e)
{
    struct f64_scan *s = context;
    struct entry *entry = &s->entries[variant];
    (void)here, (void)e;
    if (status != STATUS_OK) {
        entry->status = status;
        return 0;
    }
    struct outcome o;
    memcpy(&o, result, sizeof o);
    entry_add(entry, block, &o);
    const double blocks = (double)(FIRST_DESCENT + s->descents);
    const double done = (double)block + (double)(variant + 1) / (double)s->count;
    progress_update(&s->progress, scan_part_share(s->request, done / blocks), entry->variant->id);
    return 0;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Returns the method that found the largest error. */
static enum how how_of(const struct outcome *t)
{
    enum how top = 0;
    for (enum how how = 1; how < HOWS; how++)
        if (t->best[how].ulp > t->best[top].ulp) top = how;
    return top;
}

static json_t *rank_or_null(bool known, uint64_t rank)
{
    return known ? record_hex(double_of_rank(rank)) : json_null();
}

static json_t *found_of(double ulp, uint64_t at)
{
    return json_pack("{s:o, s:o}", "ulp", record_real(ulp < 0 ? NAN : ulp), "at",
                     rank_or_null(ulp >= 0, at));
}

static json_t *published_of(const struct f64_scan *s, const struct outcome *t)
{
    json_t *all = json_array();
    size_t at = 0;
    for (size_t i = 0; f64_published[i].op; i++) {
        if (strcmp(f64_published[i].op, s->request->op) != 0) continue;
        double ulp = (double)t->listed[at++];
        json_array_append_new(all, json_pack("{s:s, s:o, s:o}", "library", f64_published[i].library,
                                             "x", record_hex(f64_published[i].x), "ulp",
                                             record_real(ulp < 0 ? NAN : ulp)));
    }
    return all;
}

static void put_f64_figures(json_t *row, const struct f64_scan *s, const struct outcome *t)
{
    static const char *const names[ULP_REGIONS] = {"normal", "subnormal", "ends"};
    const struct ulp_stats *stats = &t->stats;
    const struct f64_best *best = &t->best[how_of(t)];
    json_t *figures =
        json_pack("{s:I, s:I, s:o, s:o, s:s, s:I, s:o, s:o, s:I, s:o, s:o, s:b}", "tried",
                  (json_int_t)t->tried, "per_binade", (json_int_t)s->per_binade, "largest_ulp",
                  record_real(best->ulp < 0 ? NAN : best->ulp), "at",
                  rank_or_null(best->ulp >= 0, best->at), "found_by", how_names[how_of(t)], "lost",
                  (json_int_t)stats->lost, "lost_at", rank_or_null(stats->lost, stats->lost_at),
                  "odd_at", rank_or_null(stats->sign + stats->zero, stats->odd_at), "jumps",
                  (json_int_t)t->jumps, "seconds", record_real(t->seconds), "published",
                  published_of(s, t), "mxcsr_kept", (int)t->modes_kept);
    json_t *regions = json_object(), *found = json_object();
    for (enum how how = 0; how < HOWS; how++)
        json_object_set_new(found, how_names[how], found_of(t->best[how].ulp, t->best[how].at));
    json_object_set_new(row, "found", found);
    for (size_t k = 0; k < ULP_REGIONS; k++)
        json_object_set_new(regions, names[k], found_of(t->regions.of[k].max, t->regions.of[k].at));
    json_object_update_new(row, figures);
    json_object_set_new(row, "regions", regions);
    json_object_set_new(row, "undecided", json_integer((json_int_t)t->undecided));
    json_object_set_new(
        row, "nans",
        json_pack("{s:I, s:I}", "tried", (json_int_t)t->nans, "answered", (json_int_t)t->answered));
    json_object_set_new(row, "counts", counts_record(stats));
    record_put_figure(row, "mean_ulp", ulp_mean(stats));
    record_put_figure(row, "misrounded", ulp_misrounded(stats));
    record_put_figure(row, "unfaithful", ulp_unfaithful(stats));
}

/* Returns whether the figures are as the kernel's file promises; else writes why not. */
static bool f64_promise_kept(const struct variant *v, const struct outcome *t, char *why,
                             size_t size)
{
    const struct ulp_stats *s = &t->stats;
    const struct held held = promises_of(v);
    return promises_kept(&held,
                         &(struct found){.modes_kept = t->modes_kept,
                                         .where = "",
                                         .largest = "largest_ulp",
                                         .digits = 9,
                                         .max = t->best[how_of(t)].ulp,
                                         .lost = s->lost,
                                         .sign = s->sign,
                                         .zero = s->zero,
                                         .flushed = s->flushed},
                         why, size);
}

static json_t *f64_scan_row(const struct f64_scan *s, size_t i)
{
    const struct variant *v = s->entries[i].variant;
    const struct entry *entry = &s->entries[s->entries[i].same_as];
    enum status status = v->status == STATUS_OK ? entry->status : v->status;
    json_t *row = json_pack("{s:s, s:s, s:s, s:i, s:s}", "record", "scan-f64", "id", v->id, "range",
                            "f64", "measure", ULP_MEASURE, "status", status_name(status));
    char reason[160];
    snprintf(reason, sizeof reason, "%s", v->reason);
    if (status == STATUS_OK) put_f64_figures(row, s, &entry->total);
    if (status == STATUS_OK && !f64_promise_kept(v, &entry->total, reason, sizeof reason))
        json_object_set_new(row, "status", json_string(status_name(STATUS_WRONG)));
    if (reason[0]) json_object_set_new(row, "reason", json_string(reason));
    if (entry->variant != v)
        json_object_set_new(row, "same_code_as", json_string(entry->variant->id));
    json_t *key = scan_key(v, json_object_get(row, "range"));
    if (key) json_object_update_new(row, key);
    record_built(row);
    return row;
}

static int f64_put_rows(const struct f64_scan *s, struct record_sink sink,
                        struct scan_summary *summary, struct error *e)
{
    json_t *rows = json_array(), *kept = NULL;
    int code = s->request->folder ? scan_store_read(s->request->folder, &kept, e) : 0;
    for (size_t i = 0; i < s->count && !code; i++) json_array_append_new(rows, f64_scan_row(s, i));
    if (!code) code = scan_put_rows(s->request, kept, rows, sink, summary, e);
    json_decref(rows);
    json_decref(kept);
    return code;
}

/* ---- The scan -------------------------------------------------------------------------------- */

static bool is_in_double(const struct variant *v, const char *op)
{
    return !strcmp(v->op, op) && !strcmp(v->dtype, "f64") && !v->study && !v->peer;
}

bool f64_scan_has(const struct registry *r, const char *op)
{
    const struct oracle *o = oracle_find(op);
    if (!o || !o->unary || !f64_oracle_find(op)) return false;
    for (size_t i = 0; i < r->count; i++)
        if (is_in_double(&r->variants[i], op)) return true;
    return false;
}

bool f64_scan_alone(const struct registry *r, const char *op)
{
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->variants[i].op, op) && !strcmp(r->variants[i].dtype, "f32")) return false;
    return f64_scan_has(r, op);
}

static void f64_collect(struct f64_scan *s, const struct registry *r)
{
    s->entries = memory_zeroed(r->count + 1, sizeof *s->entries);
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (!is_in_double(v, s->request->op)) continue;
        struct entry *entry = &s->entries[s->count];
        entry->variant = v;
        while (entry->same_as < s->count && !is_same_code(s->entries[entry->same_as].variant, v))
            entry->same_as++;
        outcome_begin(&entry->total);
        s->count++;
    }
}

int f64_scan_run(const struct scan_request *request, const struct registry *r,
                 struct record_sink sink, struct scan_summary *summary, struct error *e)
{
    const size_t samples = request->samples ? request->samples : DEFAULT_SAMPLES;
    const size_t searched = request->searched ? request->searched : DEFAULT_SEARCHED;
    struct f64_scan s = {.request = request, .oracle = f64_oracle_find(request->op)};
    s.per_binade = samples / PROBE_BINADES < 2 ? 2 : samples / PROBE_BINADES;
    s.descents = (searched + DESCENT / 2) / DESCENT;
    list_inputs(&s);
    f64_collect(&s, r);
    size_t evaluated = 0;
    for (size_t i = 0; i < s.count; i++) evaluated += f64_is_evaluated(&s, i);
    s.patience_s =
        request->seconds > 0 ? request->seconds / (double)(evaluated + !evaluated) : INFINITY;
    /* A time is given: more descents than fit into it are planned. */
    if (request->seconds > 0) s.descents = (size_t)(s.patience_s * DESCENTS_PER_S) + 1;
    struct battery battery = {.blocks = FIRST_DESCENT + s.descents,
                              .variants = s.count,
                              .silence_s = request->silence_s,
                              .context = &s,
                              .has_work = f64_scan_has_work,
                              .prepare_block = f64_scan_prepare,
                              .measure_variant = f64_scan_measure,
                              .take_outcome = f64_scan_take};
    progress_begin(&s.progress, request->title, request->quiet);
    int code = battery_run(&battery, e);
    progress_end(&s.progress);
    if (!code) code = f64_put_rows(&s, sink, summary, e);
    free(s.entries);
    return code ? code : tally_verdict(&summary->rows, "scan", "variants", e);
}
