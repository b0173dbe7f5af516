// SPDX-License-Identifier: MIT
#include "measure/scan.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "measure/promises.h"
#include "measure/scan_blocks.h"
#include "model/record.h"
#include "oracle/f64.h"
#include "oracle/oracle.h"

struct scan_request scan_default(const char *op)
{
    return (struct scan_request){.op = op, .whole = true, .silence_s = 20, .title = "scan"};
}

int scan_parse_range(const char *text, struct scan_request *request, struct error *e)
{
    if (!interval_parse(text, &request->low, &request->high) || !(request->low <= request->high))
        return fail(e, EXIT_USAGE,
                    "--range: '%s': want LO,HI with LO <= HI, such as -1,1 or 0x1p-3,inf", text);
    request->whole = false;
    return 0;
}

/* ---- The record of one variant's scan -------------------------------------------------------- */

static double number(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : 0;
}

/* The error that the kernel's file declares of its exp or log: bounds build on it. */
static double declared_ulp(const struct variant *v)
{
    if (!strcmp(v->op, "exp") || !strcmp(v->op, "expkappa")) return v->kernel->exp_ulp;
    return !strncmp(v->op, "log", 3) ? v->kernel->log_ulp : 0;
}

/* Returns whether the figures of the pass over all inputs, or of the one by short rows (`where`),
 * are as promised; otherwise with the reason. Figures that a folder keeps are judged, too, so that
 * they are read from the record. */
static bool figures_kept(const struct held *held, const json_t *figures, bool modes_kept,
                         const char *where, char *reason, size_t size)
{
    const json_t *counts = json_object_get(figures, "counts");
    return promises_kept(held,
                         &(struct found){.modes_kept = modes_kept,
                                         .where = where,
                                         .largest = "max_ulp",
                                         .digits = 9,
                                         .max = number(figures, "max_ulp"),
                                         .lost = (uint64_t)number(figures, "lost"),
                                         .sign = (uint64_t)number(counts, "sign"),
                                         .zero = (uint64_t)number(counts, "zero"),
                                         .flushed = (uint64_t)number(counts, "flushed")},
                         reason, size);
}

static enum row_verdict verdict_of(const struct variant *v, const json_t *row, char *reason,
                                   size_t size)
{
    struct held held = promises_of(v);
    if (is_held_to_promises(v)) held.declared = declared_ulp(v);
    const bool modes_kept = !json_is_false(json_object_get(row, "mxcsr_kept"));
    if (!figures_kept(&held, row, modes_kept, "", reason, size) ||
        !figures_kept(&held, json_object_get(row, "short"), true, "in short rows: ", reason, size))
        return VERDICT_BROKEN;
    return held.ulp > 0 || held.declared > 0 ? VERDICT_KEPT : VERDICT_MEASURED;
}

static json_t *scan_row_count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *scan_range_record(const struct scan_request *request)
{
    if (request->whole) return json_string(request->samples ? "sampled" : "all");
    return json_pack("[o, o]", record_hex((double)request->low), record_hex((double)request->high));
}

static json_t *input_of(bool known, uint64_t rank)
{
    return known ? record_float(float_of_rank((uint32_t)rank)) : json_null();
}

static json_t *at_of(const struct ulp_stats *stats)
{
    return input_of(stats->measured, stats->max_at);
}

/* Columns, one entry per binade in which a result has an error or is lost: its least magnitude with
 * its sign (a zero for the subnormal numbers), and the figures. */
static json_t *binades_of(const struct ulp_stats *binades)
{
    json_t *from = json_array(), *max = json_array(), *at = json_array(), *mean = json_array(),
           *misrounded = json_array(), *lost = json_array();
    for (uint32_t b = 0; b < BINADES; b++) {
        const struct ulp_stats *stats = &binades[b];
        if (!ulp_elements(stats)) continue;
        float ends[2] = {float_of_rank(b << BINADE_BITS),
                         float_of_rank((b << BINADE_BITS) + (1u << BINADE_BITS) - 1)};
        json_array_append_new(from, record_hex((double)ends[fabsf(ends[1]) < fabsf(ends[0])]));
        json_array_append_new(max, record_real(stats->measured ? stats->max : NAN));
        json_array_append_new(at, at_of(stats));
        json_array_append_new(mean, record_real(ulp_mean(stats)));
        json_array_append_new(misrounded, record_real(ulp_misrounded(stats)));
        json_array_append_new(lost, scan_row_count(stats->lost));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "from", from, "max_ulp", max, "at", at,
                     "mean_ulp", mean, "misrounded", misrounded, "lost", lost);
}

static void put_errors(json_t *row, const struct ulp_stats *stats)
{
    json_object_set_new(row, "max_ulp", record_real(stats->measured ? stats->max : NAN));
    json_object_set_new(row, "at", at_of(stats));
    json_object_set_new(row, "lost", scan_row_count(stats->lost));
    json_object_set_new(row, "lost_at", input_of(stats->lost, stats->lost_at));
    json_object_set_new(row, "odd_at", input_of(stats->sign + stats->zero, stats->odd_at));
    json_object_set_new(row, "counts", counts_record(stats));
}

/* null if the pass had no inputs. */
static json_t *short_of(const struct ulp_stats *stats)
{
    if (!ulp_elements(stats)) return json_null();
    json_t *figures = json_pack("{s:o}", "elements", scan_row_count(ulp_elements(stats)));
    put_errors(figures, stats);
    return figures;
}

static json_t *regions_of(const struct ulp_regions *r)
{
    static const char *const names[ULP_REGIONS] = {"normal", "subnormal", "ends"};
    json_t *regions = json_object();
    for (size_t k = 0; k < ULP_REGIONS; k++) {
        bool known = r->of[k].max >= 0;
        json_object_set_new(regions, names[k],
                            json_pack("{s:o, s:o}", "max_ulp",
                                      record_real(known ? r->of[k].max : NAN), "at",
                                      input_of(known, r->of[k].at)));
    }
    return regions;
}

static void scan_row_put_figures(json_t *row, const struct scan *s, const struct scan_entry *entry)
{
    const struct scan_outcome *t = &entry->total;
    const struct ulp_stats *stats = &t->stats;
    json_object_set_new(row, "evaluated", scan_row_count(s->evaluated));
    put_errors(row, stats);
    record_put_figure(row, "misrounded", ulp_misrounded(stats));
    record_put_figure(row, "unfaithful", ulp_unfaithful(stats));
    record_put_figure(row, "mean_ulp", ulp_mean(stats));
    record_put_figure(row, "bias_ulp", ulp_bias(stats));
    json_object_set_new(row, "regions", regions_of(&t->regions));
    json_object_set_new(row, "short", short_of(&t->in_short));
    json_object_set_new(row, "outputs", hash_record(t->outputs));
    json_object_set_new(row, "seconds", record_real(t->seconds));
    json_object_set_new(row, "per_second", record_real((double)s->evaluated / t->seconds));
    json_object_set_new(row, "mxcsr_kept", json_boolean(t->mxcsr_kept));
    json_object_set_new(row, "binades", binades_of(entry->binades));
}

static void scan_row_put_nothing(json_t *row)
{
    static const char *const keys[] = {"evaluated", "max_ulp",    "at",         "lost",
                                       "lost_at",   "misrounded", "unfaithful", "mean_ulp",
                                       "bias_ulp",  "regions",    "short",      "outputs",
                                       "seconds",   "per_second", "counts"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set_new(row, keys[i], json_null());
}

static json_t *scan_row(const struct scan *s, size_t i)
{
    const struct variant *v = s->entries[i].variant;
    const struct scan_entry *entry = &s->entries[s->entries[i].same_as];
    enum status status = v->status == STATUS_OK ? entry->status : v->status;
    char reason[160];
    snprintf(reason, sizeof reason, "%s", v->reason);

    json_t *row = status == STATUS_OK && entry->kept ? json_copy((json_t *)(uintptr_t)entry->kept)
                                                     : json_object();
    if (status != STATUS_OK)
        scan_row_put_nothing(row);
    else if (entry->kept)
        json_object_set_new(row, "kept", json_true());
    else
        scan_row_put_figures(row, s, entry), record_built(row);
    const bool computed = status == STATUS_OK;
    enum row_verdict verdict =
        computed ? verdict_of(v, row, reason, sizeof reason) : VERDICT_MEASURED;
    if (verdict == VERDICT_BROKEN) status = STATUS_WRONG;
    json_object_del(row, "reason");
    if (reason[0]) json_object_set_new(row, "reason", json_string(reason));
    json_object_set_new(row, "record", json_string("scan"));
    json_object_set_new(row, "id", json_string(v->id));
    json_object_set(row, "range", s->range);
    json_object_set_new(row, "measure", json_integer(ULP_MEASURE));
    json_object_set_new(row, "status", json_string(status_name(status)));
    json_object_set_new(row, "verdict",
                        computed ? json_string(row_verdict_name(verdict)) : json_null());
    json_object_set_new(row, "hazard", json_boolean(v->kernel && v->kernel->hazard));
    json_object_set_new(row, "declared_ulp",
                        v->kernel && declared_ulp(v) > 0 ? record_real(declared_ulp(v))
                                                         : json_null());
    if (entry->variant != v) {
        json_object_set_new(row, "same_code_as", json_string(entry->variant->id));
        json_object_del(row, "binades");
    }
    if (entry->key) json_object_update(row, entry->key);
    return row;
}

/* ---- A scan ---------------------------------------------------------------------------------- */

/* Returns the entry whose results the variant shares, because equal code gives equal results, or
 * the next one. */
static size_t same_entry(const struct scan *s, const struct variant *v)
{
    size_t i = 0;
    while (i < s->count && !is_same_code(s->entries[i].variant, v)) i++;
    return i;
}

/* Returns whether only case studies have the function, as expkappa: elsewhere their variants are
 * not scanned. */
static bool is_for_studies(const struct registry *r, const char *op)
{
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->variants[i].op, op) && !r->variants[i].study) return false;
    return true;
}

static int collect_entries(struct scan *s, const struct registry *r, struct error *e)
{
    const bool studied = is_for_studies(r, s->request->op);
    s->entries = memory_zeroed(r->count + 1, sizeof *s->entries);
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        /* A scan covers fp32 inputs, so only kernels that read fp32 take part. */
        if (strcmp(v->op, s->request->op) != 0 || strcmp(v->dtype, "f32") != 0 ||
            v->study != studied)
            continue;
        struct scan_entry entry = {.variant = v,
                                   .same_as = same_entry(s, v),
                                   .key = scan_key(v, s->range),
                                   .binades = memory_zeroed(BINADES, sizeof *entry.binades)};
        for (size_t b = 0; b < BINADES; b++) ulp_begin(&entry.binades[b]);
        scan_begin_outcome(&entry.total);
        s->entries[s->count++] = entry;
    }
    if (s->count) return 0;
    return fail(e, EXIT_USAGE, "scan: no variant of '%s' matches; see 'ulplab list'",
                s->request->op);
}

static void free_scan(struct scan *s)
{
    for (size_t i = 0; i < s->count; i++) {
        json_decref(s->entries[i].key);
        free(s->entries[i].binades);
    }
    free(s->entries);
    json_decref(s->range);
    json_decref(s->kept);
}

/* Finds the folder's rows of finished scans. */
static int find_kept_rows(struct scan *s, struct error *e)
{
    int code = scan_store_read(s->request->folder, &s->kept, e);
    for (size_t i = 0; i < s->count && !code && !s->request->force; i++)
        if (s->entries[i].key) s->entries[i].kept = scan_store_find(s->kept, s->entries[i].key);
    return code;
}

/* Resumes an unfinished scan of the folder: the first blocks of some variants. */
static int resume_blocks(struct scan *s, struct error *e)
{
    json_t *blocks = NULL;
    int code = record_read(s->partial_path, true, &blocks, e);
    size_t k;
    const json_t *record;
    json_array_foreach(blocks, k, record)
    {
        for (size_t i = 0; i < s->count; i++) {
            struct scan_entry *entry = &s->entries[i];
            struct scan_outcome outcome;
            size_t block;
            if (!entry->key || !scan_is_evaluated(s, i) ||
                !scan_partial_take(record, entry->key, &block, &outcome))
                continue;
            if (block == entry->done_blocks && block < s->blocks)
                scan_add_block(s, entry, block, &outcome);
            entry->from_block = entry->done_blocks;
        }
    }
    json_decref(blocks);
    return code;
}

/* The blocks that every variant has from an earlier scan. */
static size_t least_done(const struct scan *s)
{
    size_t least = s->blocks;
    for (size_t i = 0; i < s->count; i++)
        if (scan_is_evaluated(s, i) && s->entries[i].done_blocks < least)
            least = s->entries[i].done_blocks;
    return least;
}

static int scan_measure_all(struct scan *s, struct error *e)
{
    const char *folder = s->request->folder;
    s->partial.fd = -1;
    if (least_done(s) == s->blocks) return 0;
    int code = folder ? folder_make(folder, e) : 0;
    if (folder && !code) code = record_open(&s->partial, s->partial_path, !s->request->resume, e);
    if (code) return code;
    progress_begin(&s->progress, s->request->title, s->request->quiet);
    s->progress.next_s = 3; /* a scan may take minutes: how many is known soon */
    scan_show(s, (double)least_done(s), "");
    code = scan_run_blocks(s, e);
    progress_end(&s->progress);
    if (!folder) return code;
    struct error second = {""};
    int closed = record_close(&s->partial, code ? &second : e);
    if (code == EXIT_SIGINT || code == EXIT_SIGTERM)
        return fail(e, code, "scan: %s: interrupted; go on with --resume", s->request->op);
    return code ? code : closed;
}

static int run_scan(struct scan *s, const struct registry *r, struct record_sink sink,
                    struct scan_summary *summary, struct error *e)
{
    const struct scan_request *q = s->request;
    int code = collect_entries(s, r, e);
    if (q->folder) scan_partial_path(s->partial_path, sizeof s->partial_path, q->folder, q->op);
    if (!code && q->folder) code = find_kept_rows(s, e);
    if (!code && q->folder && q->resume) code = resume_blocks(s, e);
    if (!code) code = scan_measure_all(s, e);
    if (code) return code;
    json_t *rows = json_array();
    for (size_t i = 0; i < s->count; i++) json_array_append_new(rows, scan_row(s, i));
    code = scan_put_rows(q, s->kept, rows, sink, summary, e);
    json_decref(rows);
    if (!code && q->folder) unlink(s->partial_path);
    return code;
}

void scan_function_names(char *text, size_t size)
{
    const struct oracle *o;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; (o = oracle_at(i)); i++)
        if (o->unary && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", o->op);
}

/* Names a function that cannot be scanned, and those that can. */
static int unknown_function(const char *op, struct error *e)
{
    char names[300];
    scan_function_names(names, sizeof names);
    return fail(e, EXIT_USAGE,
                "scan: '%s': not a unary function of this lab; known: %s (expkappa is that of the "
                "invariant kernels), all, and your own functions whose reference sets .unary",
                op, names);
}

/* Returns how many rows of a block are evaluated: at least the first and the last. */
static size_t rows_of_samples(size_t samples)
{
    const size_t rows = samples / BINADES / CONSECUTIVE_ROW;
    return !samples || rows > SCAN_ROWS ? SCAN_ROWS : rows < 2 ? 2 : rows;
}

int scan_run(const struct scan_request *request, const struct registry *r, struct record_sink sink,
             struct scan_summary *summary, struct error *e)
{
    struct scan s = {.request = request, .oracle = oracle_find(request->op)};
    if (!s.oracle || !s.oracle->unary) return unknown_function(request->op, e);
    s.range = scan_range_record(request);
    s.first = request->whole ? 0 : float_rank(request->low);
    s.inputs = request->whole ? 1ull << 32 : (uint64_t)float_rank(request->high) - s.first + 1;
    s.block_rows = rows_of_samples(request->samples);
    s.blocks = (s.first % SCAN_BLOCK + s.inputs + SCAN_BLOCK - 1) / SCAN_BLOCK;
    s.evaluated = request->samples ? s.blocks * s.block_rows * CONSECUTIVE_ROW : s.inputs;
    int code = run_scan(&s, r, sink, summary, e);
    free_scan(&s);
    return code ? code : tally_verdict(&summary->rows, "scan", "variants", e);
}

/* ---- Which functions ------------------------------------------------------------------------- */

static int add_function(struct scan_functions *f, const char *name, struct error *e)
{
    for (size_t i = 0; i < f->count; i++)
        if (!strcmp(f->names[i], name)) return 0;
    if (f->count == SCAN_FUNCTIONS_MAX)
        return fail(e, EXIT_USAGE, "scan: more than %d functions; scan fewer at once",
                    SCAN_FUNCTIONS_MAX);
    f->names[f->count++] = name;
    return 0;
}

static bool can_be_scanned(const struct variant *v)
{
    const struct oracle *oracle = oracle_find(v->op);
    bool f64 = !strcmp(v->dtype, "f64") && f64_oracle_find(v->op) && !v->peer;
    return oracle && oracle->unary && (f64 || !strcmp(v->dtype, "f32"));
}

static int scan_functions_add_all(struct scan_functions *f, const struct registry *r,
                                  struct error *e)
{
    int code = 0;
    for (size_t i = 0; i < r->count && !code; i++)
        if (can_be_scanned(&r->variants[i]) && !r->variants[i].study)
            code = add_function(f, r->variants[i].op, e);
    return code;
}

int scan_functions_find(const char *const *words, size_t count, const struct registry *r,
                        struct scan_functions *f, struct error *e)
{
    int code = 0;
    f->count = 0;
    for (size_t i = 0; i < count && !code; i++)
        code = strcmp(words[i], "all") ? add_function(f, words[i], e)
                                       : scan_functions_add_all(f, r, e);
    if (code || f->count) return code;
    return fail(e, EXIT_USAGE, "scan: no unary function matches; see 'ulplab list'");
}

/* ---- One after the other --------------------------------------------------------------------- */

/* About as much work as there are variants. */
static size_t variants_of(const struct registry *r, const char *op)
{
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        count += !strcmp(r->variants[i].op, op) && can_be_scanned(&r->variants[i]);
    return count;
}

/* Scans a function's variants of fp32, then those in double, unless the request is a range of
 * floats or the registry has none. */
static int scan_both_types(const struct scan_request *request, const struct registry *r,
                           struct record_sink sink, struct scan_summary *sum, struct error *e)
{
    struct error second = {""};
    int code = 0;
    bool f64 = request->whole && f64_scan_has(r, request->op);
    if (!f64 || !f64_scan_alone(r, request->op)) code = scan_run(request, r, sink, sum, e);
    if (!f64 || (code && code != EXIT_GATE && code != EXIT_PARTIAL)) return code;
    int other = f64_scan_run(request, r, sink, sum, code ? &second : e);
    return code ? code : other;
}

int scan_run_functions(const struct scan_request *request, const struct scan_functions *f,
                       const struct registry *r, struct record_sink sink, struct scan_summary *sum,
                       struct error *e)
{
    size_t all = 0, before = 0;
    int code = 0;
    *sum = (struct scan_summary){0};
    for (size_t i = 0; i < f->count; i++) all += variants_of(r, f->names[i]);
    for (size_t i = 0; i < f->count; i++) {
        struct scan_request one = *request;
        struct error why = {""};
        char title[48] = "scan";
        if (f->count > 1)
            snprintf(title, sizeof title, "scan, function %zu of %zu", i + 1, f->count);
        one.op = f->names[i];
        one.title = title;
        one.part = (struct scan_part){before, variants_of(r, one.op), all};
        before += one.part.size;
        int ended = scan_both_types(&one, r, sink, sum, &why);
        if (ended && !code) *e = why;
        code = code ? code : ended;
        if (ended && ended != EXIT_GATE && ended != EXIT_PARTIAL) return *e = why, ended;
    }
    int verdict = tally_verdict(&sum->rows, "scan", "variants", e);
    return verdict ? verdict : code;
}
