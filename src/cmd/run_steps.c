// SPDX-License-Identifier: MIT
#include "cmd/run_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "cases/case_run.h"
#include "measure/accuracy.h"
#include "measure/bench.h"
#include "measure/ratio.h"
#include "publish/export/export.h"
#include "publish/sections/report.h"
#include "publish/site/site.h"
#include "study/codegen.h"
#include "study/diverge.h"

/* Input elements per block of accuracy, under --quick and in suites; and in a default run, whose
 * user waits for the first errors. */
enum { QUICK_ELEMENTS = 4096, USUAL_ELEMENTS = 32768 };

/* ---- Records into files ---------------------------------------------------------------------- */

/* Rewrites the whole file, with the run's identity in each record. */
static int run_steps_write_records(const struct run *run, const char *path, json_t *records,
                                   struct error *e)
{
    record_run_stamp_all(records, run->id);
    return record_write_file(path, records, e);
}

static int compare_records(const void *a, const void *b)
{
    static const char *const keys[] = {"id", "family"};
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int order = strcmp(record_text(x, keys[i]), record_text(y, keys[i]));
        if (order) return order;
    }
    double n = json_number_value(json_object_get(x, "n")),
           m = json_number_value(json_object_get(y, "n"));
    return (n > m) - (n < m);
}

static void count_rows(struct run *run, const json_t *records)
{
    size_t i;
    json_t *record;
    json_array_foreach((json_t *)(uintptr_t)records, i, record)
    {
        enum status s = status_from_name(record_text(record, "status"));
        if (s < STATUS_COUNT) tally_add(&run->rows, s);
    }
}

/* Sorts the rows of accuracy: they are measured in the order that is cheapest, and kept in one in
 * which files can be compared. The rows of bit-identical variants are folded into one. */
static int sort_accuracy(struct run *run, const char *path, struct error *e)
{
    json_t *records;
    int code = record_read(path, true, &records, e);
    if (code) return code;
    count_rows(run, records);
    json_t *sorted = records_sort(records, compare_records), *folded = records_fold(sorted);
    code = run_steps_write_records(run, path, folded, e);
    json_decref(folded);
    json_decref(sorted);
    json_decref(records);
    return code;
}

/* ---- Codegen --------------------------------------------------------------------------------- */

static int measure_codegen(struct run *run, const json_t *done, struct record_file *file,
                           struct error *e)
{
    (void)done;
    return codegen_run(&run->timed, record_sink_file(file), e);
}

/* ---- Accuracy -------------------------------------------------------------------------------- */

static int run_steps_measure_errors(struct run *run, const json_t *done, struct record_file *file,
                                    bool first, struct error *e)
{
    struct tally summary;
    struct accuracy_request plan = accuracy_default();
    plan.first = first;
    plan.adversarial = first ? NULL : &run->adversarial;
    plan.seed = run->o->seed;
    plan.threads = run->o->threads;
    plan.quiet = run->o->quiet;
    plan.done = done;
    if (run_is_usual(run->o)) plan.elements = USUAL_ELEMENTS;
    if (run->o->quick || run->suite) plan.elements = QUICK_ELEMENTS;
    return accuracy_run(&plan, &run->measured, record_sink_file(file), &summary, e);
}

/* Measures the first line of the grid for every kernel, to show it while the others are measured.
 */
static int measure_first_errors(struct run *run, const json_t *done, struct record_file *file,
                                struct error *e)
{
    return run_steps_measure_errors(run, done, file, true, e);
}

static int measure_accuracy(struct run *run, const json_t *done, struct record_file *file,
                            struct error *e)
{
    return run_steps_measure_errors(run, done, file, false, e);
}

/* ---- Divergence ------------------------------------------------------------------------------ */

/* Returns a plan of a few seconds: --full asks for longer rows, --quick for shorter ones. */
static struct diverge_plan diverge_plan_of(const struct options *o)
{
    static const size_t usual_n[] = {33, 1000, 4099}, quick_n[] = {33, 1000};
    struct diverge_plan plan = diverge_plan_default();
    plan.seed = o->seed;
    plan.threads = o->threads;
    plan.quiet = o->quiet;
    plan.paired = 20;
    if (o->full) return plan;
    plan.n = o->quick ? quick_n : usual_n;
    plan.n_count = o->quick ? 2 : 3;
    plan.elements = o->quick ? 1 << 12 : 1 << 13;
    plan.longest = o->quick ? 131 : 1021;
    if (o->quick) plan.family_count = 1;
    return plan;
}

static int measure_diverge(struct run *run, const json_t *done, struct record_file *file,
                           struct error *e)
{
    (void)done;
    struct diverge_plan plan = diverge_plan_of(run->o);
    return diverge_run(&plan, &run->measured, record_sink_file(file), e);
}

/* Counts variants that died, as they may on calls that were not tried before: short rows, or
 * several threads. */
static int count_dead(struct run *run, const char *path, struct error *e)
{
    json_t *records, *record;
    size_t i;
    int code = record_read(path, false, &records, e);
    if (code) return code;
    json_array_foreach(records, i, record)
    {
        enum status s = status_from_name(record_text(record, "status"));
        if (s < STATUS_COUNT && s != STATUS_OK) tally_add(&run->rows, s);
    }
    json_decref(records);
    return 0;
}

/* ---- Times ----------------------------------------------------------------------------------- */

static struct run_request timing_request(const struct run *run)
{
    const struct options *o = run->o;
    return (struct run_request){.effort = o->quick || run->suite ? BENCH_QUICK
                                          : o->full              ? BENCH_FULL
                                                                 : BENCH_DEFAULT,
                                .seed = o->seed,
                                .shapes = o->shapes.items,
                                .shape_count = o->shapes.count,
                                .suite = run->suite,
                                .timed = &run->timed};
}

/* Writes timing.jsonl: the limits, then a row per cell. */
static int write_timing(struct run *run, const json_t *limits, const json_t *rows, const char *path,
                        struct error *e)
{
    json_t *records = json_array(), *limit;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)limits, i, limit)
    {
        json_object_set_new(limit, "record", json_string("limit"));
        json_array_append(records, limit);
    }
    json_array_extend(records, (json_t *)(uintptr_t)rows);
    count_rows(run, rows);
    int code = run_steps_write_records(run, path, records, e);
    json_decref(records);
    return code;
}

static int summarise_samples(struct run *run, const char *samples, const struct bench_setup *setup,
                             bool *partial, struct error *e)
{
    char path[RUN_PATH_MAX];
    json_t *records, *rows = json_array();
    snprintf(path, sizeof path, "%s/timing.jsonl", run->folder);
    int code = record_read(samples, false, &records, e);
    if (code) return json_decref(rows), code;
    json_t *limits = limits_summarise(records, &setup->topology, &setup->effective);
    code = bench_summarise(records, limits, record_sink_array(rows), partial, e);
    if (!code) code = write_timing(run, limits, rows, path, e);
    json_decref(limits);
    json_decref(rows);
    json_decref(records);
    return code;
}

/* Returns the goal of the timing. If the machine was disturbed, up to half as many processes again,
 * and a quarter of the time, go to the blocks that were affected; by so many, an interval shrinks
 * by a quarter. A quick run ends on time. */
static struct bench_goal timing_goal(const struct run *run, const struct bench_plan *plan)
{
    if (run->o->quick) return (struct bench_goal){0};
    return (struct bench_goal){.half_width = RATIO_STEADY,
                               .hopeless = 2 * RATIO_STEADY,
                               .processes = plan->processes + plan->processes / 2,
                               .more_share = 0.25};
}

static bool is_interruption(int code)
{
    return code == EXIT_SIGINT || code == EXIT_SIGTERM;
}

/* Times the cells. The results before an interruption are summarised, too. Without a summary the
 * run ends: the report would be made from the summary of an earlier run. */
static int run_steps_measure_times(struct run *run, const json_t *done, struct record_file *file,
                                   struct error *e)
{
    struct run_request request = timing_request(run);
    struct progress progress;
    struct bench_setup setup;
    struct bench_plan plan;
    progress_begin(&progress, "bench", run->o->quiet);
    int code = bench_open(&setup, &run->cpu, e);
    if (code) return progress_end(&progress), run->ends = true, code;
    const bool limits = !run->o->no_limits;
    if (limits) code = bench_sweep(&setup, done, record_sink_file(file), &progress, e);
    if (!code) {
        bench_plan_run(&plan, &run->measured, &setup, &request);
        if (!limits) plan.limit_count = 0;
        struct bench_goal goal = timing_goal(run, &plan);
        code = bench_run_until(&plan, &setup, done, &goal, record_sink_file(file), &progress, e);
        if (!code && !request.suite && !setup.topology.caches[LEVEL_L1].bytes)
            code = fail(e, EXIT_PARTIAL,
                        "bench: the size of the L1 cache is unknown, and shapes that depend on it "
                        "are not timed; mount /sys");
        bench_plan_free(&plan);
    }
    progress_end(&progress);
    struct error second = {""};
    bool partial = false;
    int summarised = summarise_samples(run, file->path, &setup, &partial, &second);
    bench_close(&setup);
    if (summarised && !is_interruption(code)) {
        run->ends = true;
        *e = second;
        return summarised;
    }
    if (code || !partial) return code;
    return fail(e, EXIT_PARTIAL, "bench: some cells crashed or hung; see their status in %s/%s",
                run->folder, "timing.jsonl");
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static int measure_cases(struct run *run, const json_t *done, struct record_file *file,
                         struct error *e)
{
    const struct options *o = run->o;
    struct cases_summary summary;
    struct cases_plan plan = {
        .cases = run_is_usual(o) ? usual_cases : case_studies, .quiet = o->quiet, .done = done};
    while (plan.cases[plan.count]) plan.count++;
    plan.context = (struct case_context){.registry = &run->registry,
                                         .cpu = &run->cpu,
                                         .seed = o->seed,
                                         .effort = o->quick  ? CASE_QUICK
                                                   : o->full ? CASE_FULL
                                                             : CASE_DEFAULT};
    return cases_run(&plan, record_sink_file(file), &summary, e);
}

/* ---- summary.json and the reports ------------------------------------------------------------ */

int step_report(struct run *run, struct error *e)
{
    struct report r;
    int code = run_place_carry(&run->place, e);
    if (!code) code = report_open(run->folder, advice_bar, &r, e);
    if (code) return code;
    code = summary_write(&r.db, run->folder, e);
    if (!code) code = report_write(&r, run->folder, run->report, sizeof run->report, e);
    if (!code) code = html_write(&r, run->folder, run->page, sizeof run->page, e);
    free(run->answer);
    run->answer = report_answer(&r, 80);
    lab_close(&r.db);
    return code;
}

/* Ends the run, after everything was measured. */
static int finish_run(struct run *run, const char *unused, struct error *e)
{
    (void)unused;
    int code = run_finish(run, e);
    return code ? code : step_report(run, e);
}

/* ---- The table ------------------------------------------------------------------------------- */

const struct run_step run_steps[] = {
    {"codegen", "codegen.jsonl", MADE_ANEW, measure_codegen, run_show_codegen, true},
    {"errors", "accuracy.jsonl", CONTINUED, measure_first_errors, run_show_errors, true},
    {"accuracy", "accuracy.jsonl", ADDED, measure_accuracy, sort_accuracy, true},
    {"diverge", "diverge.jsonl", MADE_ANEW, measure_diverge, count_dead, false},
    {"bench", "samples.jsonl", CONTINUED, run_steps_measure_times, NULL, true},
    {"cases", "cases.jsonl", CONTINUED, measure_cases, NULL, false},
    {"report", NULL, MADE_ANEW, NULL, finish_run, true},
    {0},
};

static int note_gate(struct run *run, int code, struct error *e)
{
    if (code != EXIT_GATE && code != EXIT_PARTIAL) return code;
    if (code > run->gate) {
        run->gate = code;
        snprintf(run->verdict, sizeof run->verdict, "%s", e->text);
    }
    e->text[0] = '\0';
    return 0;
}

/* Removes rows of processes that were killed from outside, or could not start: they are measured
 * again. A kernel that kills its own process does so again. */
static int forget_killed(const struct run *run, const char *path, json_t *done, struct error *e)
{
    size_t before = json_array_size(done);
    for (size_t i = before; i-- > 0;) {
        const char *status = record_text(json_array_get(done, i), "status");
        if (status_from_name(status) == STATUS_KILLED) json_array_remove(done, i);
    }
    return json_array_size(done) < before ? run_steps_write_records(run, path, done, e) : 0;
}

/* Reads the records that the run has in the file already. */
static int read_done(const struct run *run, const char *path, json_t **done, struct error *e)
{
    int code = record_read(path, true, done, e);
    if (!code) code = record_run_check(run->id, path, *done, e);
    return code ? code : forget_killed(run, path, *done, e);
}

static bool may_go_on(int code)
{
    return code == 0 || code == EXIT_GATE || code == EXIT_PARTIAL;
}

/* Appends the step's records to the file itself or, where a file that exists is made anew, to one
 * that then replaces it. */
static int append_records(struct run *run, const struct run_step *step, const char *path,
                          struct error *e)
{
    bool continued = step->resume == ADDED || (run->o->resume && step->resume == CONTINUED);
    const bool replaces = !continued && access(path, F_OK) == 0;
    struct record_file file = {.fd = -1};
    char temporary[RUN_PATH_MAX + 20];
    json_t *done = NULL;
    snprintf(temporary, sizeof temporary, replaces ? "%s.%d.tmp" : "%s", path, (int)getpid());
    if (replaces) file_unfinished(temporary);
    int code = continued ? read_done(run, path, &done, e) : 0;
    if (code) return json_decref(done), code;
    if (!done) done = json_array();
    code = record_open(&file, temporary, !continued, e);
    if (!code) {
        struct error unwritable = {""};
        snprintf(file.run, sizeof file.run, "%s", run->id);
        code = step->measure(run, done, &file, e);
        if (record_close(&file, &unwritable) && may_go_on(code)) {
            *e = unwritable;
            code = EXIT_BAD_INPUT;
        }
        if (replaces && may_go_on(code) && rename(temporary, path) != 0)
            code = file_cannot(e, "write", path, "free some space, then --resume");
    }
    if (replaces && !may_go_on(code)) unlink(temporary);
    file_unfinished(NULL);
    json_decref(done);
    return run->ends ? code : note_gate(run, code, e);
}

int step_take(struct run *run, const struct run_step *step, struct error *e)
{
    char path[RUN_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", run->folder, step->writes ? step->writes : "");
    int code = step->measure ? append_records(run, step, path, e) : 0;
    return code || !step->finish ? code : step->finish(run, path, e);
}
