// SPDX-License-Identifier: MIT
/* duel: this build and another one's program, variant by variant, in one run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "cmd/other_program.h"
#include "cmd/reasons.h"
#include "cmd/timing_options.h"
#include "measure/bench.h"
#include "measure/bench_resolution.h"
#include "measure/stats.h"
#include "model/record.h"
#include "measure/ranks.h"
#include "measure/verdict.h"
#include "publish/render/table.h"

/* One variant at one shape, in both programs. */
struct bout {
    const json_t *own, *other; /* rows of bench_summarise() */
    struct ratio ratio;        /* time of this build over the other's */
    double q;
    enum verdict verdict;
    bool bits_known, same_bits;
};
struct duel {
    const struct options *o;
    struct other_program other;
    json_t *rows;
    struct bout *bouts;
    size_t count;
    double noise; /* how far the same code, timed twice, is apart: 95% of the controls */
    struct ratio mean;
    size_t compared, left_out; /* bouts with a ratio; without: two modes, no majority */
    bool partial;              /* some cell crashed or hung */
    size_t verdicts[VERDICTS], same_bits, bits_known;
};

/* ---- Measuring ------------------------------------------------------------------------------- */

static int make_plan(struct bench_plan *p, const struct duel *d, const struct registry *r,
                     const struct bench_setup *s, struct error *e)
{
    struct bench_request request = timing_options_at_one_shape(d->o, &(struct npy){0});
    if (!request.processes) request.processes = 8;
    int code = bench_plan_request(p, r, s, &request, e);
    if (code) return code;
    p->hashes_outputs = true;
    code = bench_plan_add_program(p, d->other.path, other_has, &d->other, e);
    if (code) bench_plan_free(p);
    return code;
}

static int measure(struct duel *d, const struct cpu *cpu, const struct registry *r, struct error *e)
{
    struct bench_setup setup;
    struct bench_plan plan;
    struct progress progress;
    json_t *raw = json_array(), *limits = json_array();
    int code = bench_open(&setup, cpu, e);
    if (!code) {
        code = make_plan(&plan, d, r, &setup, e);
        if (!code) {
            progress_begin(&progress, "duel", d->o->quiet);
            code = bench_run(&plan, &setup, NULL, record_sink_array(raw), &progress, e);
            progress_end(&progress);
            bench_plan_free(&plan);
        }
        bench_close(&setup);
    }
    if (!code) code = bench_summarise(raw, limits, record_sink_array(d->rows), &d->partial, e);
    json_decref(raw);
    json_decref(limits);
    return code;
}

/* ---- Judging --------------------------------------------------------------------------------- */

static const json_t *other_row(const json_t *rows, const json_t *own)
{
    const json_t *row;
    size_t i;
    char id[CELL_ID_MAX];
    snprintf(id, sizeof id, "%s%s", record_text(own, "id"), PROGRAM_SUFFIX);
    json_array_foreach(rows, i, row)
    {
        if (!strcmp(record_text(row, "id"), id) &&
            !strcmp(record_text(row, "family"), record_text(own, "family")))
            return row;
    }
    return NULL;
}

static void add_bout(struct duel *d, const json_t *own, struct ratio_mean *mean)
{
    const json_t *other = other_row(d->rows, own);
    if (!other && !strcmp(record_text(own, "status"), "ok")) return;
    struct by_process mine = resolution_low(own), its = resolution_low(other);
    struct bout *b = &d->bouts[d->count++];
    const char *bits = record_text(own, "outputs"), *other_bits = record_text(other, "outputs");
    *b = (struct bout){.own = own,
                       .other = other,
                       .ratio = ratio_of_times(its, mine),
                       .bits_known = *bits && *other_bits,
                       .same_bits = *bits && !strcmp(bits, other_bits)};
    ratio_mean_add(mean, its, mine);
    d->bits_known += b->bits_known;
    d->same_bits += b->same_bits;
    free((void *)mine.values);
    free((void *)its.values);
}

static double noise_of(const json_t *rows)
{
    double *apart = memory_zeroed(json_array_size(rows) + 1, sizeof *apart), noise = NAN;
    size_t count = 0, i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        double ratio = record_number(row, "ratio");
        if (!strcmp(record_text(row, "record"), "control") && !isnan(ratio))
            apart[count++] = fabs(ratio - 1);
    }
    stats_sort(apart, count);
    noise = stats_quantile(apart, count, 0.95);
    free(apart);
    return noise;
}

static int judge(struct duel *d, struct error *e)
{
    size_t rows = json_array_size(d->rows), i;
    struct ratio_mean mean = {.ratios = 0};
    const json_t *row;
    double *p = memory_zeroed(rows + 1, sizeof *p), *q = memory_zeroed(rows + 1, sizeof *q);
    d->bouts = memory_zeroed(rows + 1, sizeof *d->bouts);
    json_array_foreach(d->rows, i, row)
    {
        if (!strcmp(record_text(row, "record"), "timing") &&
            !strstr(record_text(row, "id"), PROGRAM_SUFFIX))
            add_bout(d, row, &mean);
    }
    for (i = 0; i < d->count; i++) p[i] = d->bouts[i].ratio.p;
    int code = compare_q(p, q, d->count);
    d->noise = noise_of(d->rows);
    d->mean = ratio_mean_value(&mean);
    d->compared = mean.ratios;
    d->left_out = mean.left_out;
    double margin = (d->o->threshold.given ? d->o->threshold.value : 2) / 100;
    for (i = 0; !code && i < d->count; i++) {
        struct bout *b = &d->bouts[i];
        b->q = q[i];
        b->verdict = verdict_of(b->ratio, b->q, isnan(d->noise) ? 0 : d->noise, margin);
        d->verdicts[b->verdict]++;
    }
    free(p);
    free(q);
    return code ? fail(e, EXIT_PARTIAL, "duel: out of memory: choose fewer with --filter") : 0;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static int farthest_first(const void *a, const void *b)
{
    const struct bout *x = a, *y = b;
    double far_x = fabs(log(x->ratio.value)), far_y = fabs(log(y->ratio.value));
    bool told_x = x->verdict <= VERDICT_SLOWER, told_y = y->verdict <= VERDICT_SLOWER;
    if (told_x != told_y) return told_x ? -1 : 1;
    if (far_x != far_y) return far_x > far_y ? -1 : 1;
    return strcmp(record_text(x->own, "id"), record_text(y->own, "id"));
}

/* Returns that row of the two that says why there is no ratio, or NULL. */
static const json_t *untimed_of(const struct bout *b)
{
    const json_t *const rows[] = {b->own, b->other};
    for (size_t i = 0; i < 2; i++)
        if (rows[i] && strcmp(record_text(rows[i], "status"), "ok") != 0) return rows[i];
    return NULL;
}

static bool has_two_modes(const struct bout *b)
{
    return b->ratio.off || json_object_get(b->own, "modes") || json_object_get(b->other, "modes");
}

/* "1.020 [0.990, 1.050]"; "-" where there is no ratio. */
static void interval_text(struct ratio r, char *text, size_t size)
{
    if (isnan(r.value))
        snprintf(text, size, "-");
    else if (isnan(r.low))
        snprintf(text, size, "%.3f [-]", r.value);
    else
        snprintf(text, size, "%.3f [%.3f, %.3f]", r.value, r.low, r.high);
}

static void print_mean(const struct duel *d)
{
    char mean[64], noise[80] = "";
    interval_text(d->mean, mean, sizeof mean);
    if (d->left_out)
        printf("\n%zu cells have two modes and no majority of processes: no ratio, left out of the "
               "mean.\n",
               d->left_out);
    if (!d->compared) {
        printf("\nNo cell has a time in both programs.\n");
        return;
    }
    if (!isnan(d->noise))
        snprintf(noise, sizeof noise, " The same code, timed twice: 95%% within %.2g%%.",
                 100 * d->noise);
    printf("\nThis build takes %s times as long as %s (geometric mean over %zu cells): %zu faster, "
           "%zu slower, %zu the same, %zu unknown; equal bits in %zu of %zu.%s\n",
           mean, d->other.commit, d->compared, d->verdicts[VERDICT_FASTER],
           d->verdicts[VERDICT_SLOWER], d->verdicts[VERDICT_SAME], d->verdicts[VERDICT_UNKNOWN],
           d->same_bits, d->bits_known, noise);
}

static void print_bouts(struct duel *d, const struct registry *r)
{
    enum { SCREEN_ROWS = 40 };
    static const struct column columns[] = {{"cell", false, 0},    {"ns/row", true, 3},
                                            {"other", true, 4},    {"this/other [95%]", true, 0},
                                            {"verdict", false, 0}, {"bits", false, 1}};
    static const enum tint tints[VERDICTS] = {TINT_GOOD, TINT_BAD, TINT_NONE, TINT_FAINT};
    struct terminal terminal = terminal_of(stdout);
    struct table table;
    size_t shown = terminal.columns && d->count > SCREEN_ROWS ? SCREEN_ROWS : d->count;
    qsort(d->bouts, d->count, sizeof *d->bouts, farthest_first);
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < shown; i++) {
        const struct bout *b = &d->bouts[i];
        char ratio[64], verdict[40];
        const json_t *untimed = untimed_of(b);
        interval_text(b->ratio, ratio, sizeof ratio);
        snprintf(verdict, sizeof verdict, "%.20s%s",
                 untimed ? record_text(untimed, "status") : verdict_name(b->verdict),
                 has_two_modes(b) ? " two-modes" : "");
        table_add(
            &table, tints[b->verdict],
            (const char *const[]){record_text(b->own, "id"),
                                  number_decimals(record_number(b->own, "ns_per_row"), 1).text,
                                  number_decimals(record_number(b->other, "ns_per_row"), 1).text,
                                  ratio, verdict,
                                  b->same_bits    ? "="
                                  : b->bits_known ? "differ"
                                                  : "-"});
    }
    table_end(&table, stdout, terminal);
    if (shown < d->count)
        printf("... and %zu cells that differ less; a pipe or --json has all.\n", d->count - shown);
    print_reasons(d->rows, terminal);
    print_left_out(r, NULL, terminal);
    print_mean(d);
}

static json_t *bout_record(const struct bout *b)
{
    json_t *record =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:s, s:o}", "id",
                  record_text(b->own, "id"), "family", record_text(b->own, "family"), "ns_per_row",
                  record_real(record_number(b->own, "ns_per_row")), "other_ns_per_row",
                  record_real(record_number(b->other, "ns_per_row")), "ratio",
                  record_real(b->ratio.value), "low", record_real(b->ratio.low), "high",
                  record_real(b->ratio.high), "p", record_real(b->ratio.p), "q", record_real(b->q),
                  "processes", (json_int_t)b->ratio.processes, "off", (json_int_t)b->ratio.off,
                  "verdict", verdict_name(b->verdict), "bits_equal",
                  b->bits_known ? json_boolean(b->same_bits) : json_null());
    const json_t *bad = untimed_of(b);
    json_object_set_new(record, "status", json_string(bad ? record_text(bad, "status") : "ok"));
    if (bad) json_object_set_new(record, "reason", json_string(record_text(bad, "reason")));
    if (has_two_modes(b)) json_object_set_new(record, "flags", json_pack("[s]", "two-modes"));
    return record;
}

static int print_document_of(const struct duel *d, const struct cpu *cpu, struct error *e)
{
    json_t *document = new_document(cpu), *rows = json_array();
    for (size_t i = 0; i < d->count; i++) json_array_append_new(rows, bout_record(&d->bouts[i]));
    json_t *rest = json_pack("{s:s, s:s, s:{s:o, s:o, s:o, s:I}, s:o, s:o}", "other", d->other.path,
                             "other_commit", d->other.commit, "geomean", "ratio",
                             record_real(d->mean.value), "low", record_real(d->mean.low), "high",
                             record_real(d->mean.high), "left_out", (json_int_t)d->left_out,
                             "identical_code_p95", record_real(d->noise), "rows", rows);
    json_object_update(document, rest);
    json_decref(rest);
    return print_document(document, 0, e);
}

static int gate(const struct duel *d, struct error *e)
{
    if (d->partial)
        return fail(e, EXIT_PARTIAL, "duel: some cells crashed or hung: their rows say which");
    if (!d->o->threshold.given || !d->verdicts[VERDICT_SLOWER]) return 0;
    return fail(e, EXIT_GATE, "duel: %zu of %zu cells are slower than in %s by more than %g%%",
                d->verdicts[VERDICT_SLOWER], d->count, d->other.path, d->o->threshold.value);
}

int cmd_duel(const struct options *o, struct error *e)
{
    struct duel d = {.o = o, .rows = json_array()};
    struct cpu cpu;
    struct registry r;
    if (o->positional.count != 1)
        return json_decref(d.rows),
               fail(e, EXIT_USAGE, "duel: name one other program; see 'ulplab duel --help'");
    int code = other_open(&d.other, o->positional.items[0], e);
    if (!code) code = open_variants(o, &cpu, &r, e);
    if (!code) {
        code = measure(&d, &cpu, &r, e);
        if (!code) code = judge(&d, e);
        if (!code && o->json) code = print_document_of(&d, &cpu, e);
        if (!code && !o->json) print_bouts(&d, &r);
        if (!code) code = gate(&d, e);
        registry_close(&r);
    }
    free(d.bouts);
    json_decref(d.rows);
    other_close(&d.other);
    return code;
}
