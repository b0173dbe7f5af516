// SPDX-License-Identifier: MIT
#include "measure/scan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/scan_parts.h"

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
    const bool studied = is_for_studies(r, s->plan->op);
    s->entries = calloc(r->count + 1, sizeof *s->entries);
    bool room = s->entries != NULL;
    for (size_t i = 0; i < r->count && room; i++) {
        const struct variant *v = &r->variants[i];
        /* A scan covers fp32 inputs, so only kernels that read fp32 take part. */
        if (strcmp(v->op, s->plan->op) != 0 || strcmp(v->dtype, "f32") != 0 || v->study != studied)
            continue;
        struct scan_entry entry = {.variant = v,
                                   .same_as = same_entry(s, v),
                                   .key = scan_key(v, s->range),
                                   .binades = calloc(BINADES, sizeof *entry.binades)};
        room = entry.binades != NULL;
        for (size_t b = 0; b < BINADES && room; b++) ulp_begin(&entry.binades[b]);
        scan_begin_outcome(&entry.total);
        s->entries[s->count++] = entry;
    }
    if (!room) return fail(e, EXIT_PARTIAL, "out of memory: %zu variants", r->count);
    if (s->count) return 0;
    return fail(e, EXIT_USAGE, "scan: no variant of '%s' matches; see 'ulplab list'", s->plan->op);
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
    int code = scan_store_read(s->plan->folder, &s->kept, e);
    for (size_t i = 0; i < s->count && !code && !s->plan->force; i++)
        if (s->entries[i].key) s->entries[i].kept = scan_store_find(s->kept, s->entries[i].key);
    return code;
}

/* Resumes an unfinished scan of the folder: the first blocks of some variants. */
static int resume_blocks(struct scan *s, struct error *e)
{
    json_t *blocks = NULL;
    int code = scan_partial_read(s->plan->folder, s->plan->op, &blocks, e);
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

static bool anything_left(const struct scan *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (scan_is_evaluated(s, i) && s->entries[i].done_blocks < s->blocks) return true;
    return false;
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
    const char *folder = s->plan->folder;
    s->partial.fd = -1;
    if (!anything_left(s)) return 0;
    int code = folder ? scan_partial_open(folder, s->plan->op, s->plan->resume, &s->partial, e) : 0;
    if (code) return code;
    progress_begin(&s->progress, s->plan->title, s->plan->quiet);
    s->progress.next_s = 3; /* a scan may take minutes: how many is known soon */
    scan_show(s, (double)least_done(s), "");
    code = scan_run_blocks(s, e);
    progress_end(&s->progress);
    if (!folder) return code;
    struct error second = {""};
    int closed = record_close(&s->partial, code ? &second : e);
    if (code == EXIT_SIGINT || code == EXIT_SIGTERM)
        return fail(e, code, "scan: %s: interrupted; go on with --resume", s->plan->op);
    return code ? code : closed;
}

/* Rows to the sink, and to the folder. */
static int scan_put_rows(struct scan *s, struct record_sink sink, struct scan_summary *summary,
                         struct error *e)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < s->count; i++) {
        json_t *row = scan_row(s, i);
        summary->kept += json_is_true(json_object_get(row, "kept"));
        tally_add(&summary->rows, status_from_name(record_text(row, "status")));
        json_array_append_new(rows, row);
    }
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

static int run_scan(struct scan *s, const struct registry *r, struct record_sink sink,
                    struct scan_summary *summary, struct error *e)
{
    int code = collect_entries(s, r, e);
    if (!code && s->plan->folder) code = find_kept_rows(s, e);
    if (!code && s->plan->folder && s->plan->resume) code = resume_blocks(s, e);
    if (!code) code = scan_measure_all(s, e);
    return code ? code : scan_put_rows(s, sink, summary, e);
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
                "invariant kernels), all, and those of your own whose reference says .unary",
                op, names);
}

/* Returns how many rows of a block are evaluated: at least the first and the last. */
static size_t rows_of_samples(size_t samples)
{
    const size_t rows = samples / BINADES / CONSECUTIVE_ROW;
    return !samples || rows > SCAN_ROWS ? SCAN_ROWS : rows < 2 ? 2 : rows;
}

int scan_run(const struct scan_plan *plan, const struct registry *r, struct record_sink sink,
             struct scan_summary *summary, struct error *e)
{
    *summary = (struct scan_summary){0};
    struct scan s = {.plan = plan, .oracle = oracle_find(plan->op)};
    if (!s.oracle || !s.oracle->unary) return unknown_function(plan->op, e);
    s.range = scan_range_record(plan);
    s.first = plan->whole ? 0 : float_rank(plan->low);
    s.inputs = plan->whole ? 1ull << 32 : (uint64_t)float_rank(plan->high) - s.first + 1;
    s.block_rows = rows_of_samples(plan->samples);
    s.blocks = (s.first % SCAN_BLOCK + s.inputs + SCAN_BLOCK - 1) / SCAN_BLOCK;
    s.evaluated = plan->samples ? s.blocks * s.block_rows * CONSECUTIVE_ROW : s.inputs;
    int code = run_scan(&s, r, sink, summary, e);
    free_scan(&s);
    return code ? code : tally_verdict(&summary->rows, "scan", "variants", e);
}
