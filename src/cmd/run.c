/* The whole job, one step after the other. Each step leaves its records in the folder, so that a
 * run that was cut can be taken up again; the report is made from the files alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/monotonic.h"
#include "base/progress.h"
#include "build.h"
#include "cases/case.h"
#include "cmd/commands.h"
#include "cmd/folder.h"
#include "machine/doctor.h"
#include "machine/machine.h"
#include "measure/accuracy.h"
#include "measure/bench.h"
#include "measure/peers.h"
#include "model/record.h"
#include "publish/site/html.h"
#include "publish/sections/report.h"
#include "study/codegen.h"
#include "study/diverge.h"

/* Input elements per block of accuracy under --quick. */
enum { QUICK_ELEMENTS = 4096 };

struct run {
    const struct options *o;
    struct cpu cpu;
    struct registry registry;
    struct adversarial adversarial; /* as it stood when the run began */
    char folder[1024], report[1100];
    int gate;                  /* EXIT_GATE or EXIT_PARTIAL, whichever a step ended with last */
    char verdict[600];         /* what it said */
    size_t rows[STATUS_COUNT]; /* of accuracy and timing, by status */
};

static const char *path_in(const struct run *run, const char *name, char path[1100])
{
    snprintf(path, 1100, "%s/%s", run->folder, name);
    return path;
}

/* A gate that fell, or a row that crashed, is a finding of the run and not its end. */
static int survive(struct run *run, int code, struct error *e)
{
    if (code != EXIT_GATE && code != EXIT_PARTIAL) return code;
    if (code > run->gate) {
        run->gate = code;
        snprintf(run->verdict, sizeof run->verdict, "%s", e->text);
    }
    e->text[0] = '\0';
    return 0;
}

/* ---- machine.json: which machine, which build, which request -----------------------------------
 */

static const char *mode_name(const struct options *o)
{
    return o->quick ? "quick" : o->full ? "full" : "default";
}

/* Those that could be loaded, by name: what a library does depends on its version. */
static json_t *peer_versions(const struct registry *r)
{
    json_t *versions = json_object();
    for (size_t i = 0; i < r->peer_count; i++)
        if (r->peers[i].version[0])
            json_object_set_new(versions, r->peers[i].library, json_string(r->peers[i].version));
    return versions;
}

static json_t *list_record(const struct strings *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(array, json_string(list->items[i]));
    return array;
}

static json_t *request_record(const struct run *run)
{
    json_t *filters = list_record(&run->o->filters);
    json_t *request = json_pack("{s:s, s:I, s:s, s:o, s:o}", "mode", mode_name(run->o), "seed",
                                (json_int_t)run->o->seed, "commit", build_commit, "filters",
                                filters, "peers", peer_versions(&run->registry));
    if (run->o->shapes.count) json_object_set_new(request, "shapes", list_record(&run->o->shapes));
    if (json_array_size(run->adversarial.names))
        json_object_set(request, ADVERSARIAL, run->adversarial.names);
    return request;
}

static int write_machine(struct run *run, struct error *e)
{
    json_t *document = record_document(machine_record(&run->cpu)), *findings = json_array();
    struct topology topology;
    int code = topology_read(&topology, e);
    if (code) return json_decref(document), json_decref(findings), code;
    struct finding found[32];
    size_t count = doctor_examine(&run->cpu, &topology, found, 32);
    for (size_t i = 0; i < count && i < 32; i++)
        json_array_append_new(findings, doctor_record(&found[i]));
    json_object_set_new(document, "findings", findings);
    json_object_set_new(document, "request", request_record(run));
    topology_close(&topology);

    char path[1100], *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    code = file_write_atomic(path_in(run, "machine.json", path), text, strlen(text), e);
    free(text);
    json_decref(document);
    return code;
}

/* A run is taken up again only by the same build and the same request. */
static int check_resumable(const struct run *run, struct error *e)
{
    char path[1100];
    json_error_t why;
    json_t *document = json_load_file(path_in(run, "machine.json", path), 0, &why);
    json_t *wanted = request_record(run);
    int same = json_equal(json_object_get(document, "request"), wanted);
    json_decref(document);
    json_decref(wanted);
    if (same) return 0;
    return fail(e, EXIT_BAD_INPUT,
                "--resume: %s: not a run of this build with the same options; run without --resume",
                run->folder);
}

/* ---- The steps ---------------------------------------------------------------------------------
 */

static int step_codegen(struct run *run, struct error *e)
{
    struct record_file file = {.fd = -1};
    char path[1100];
    int code = record_open(&file, path_in(run, "codegen.jsonl", path), true, e);
    if (code) return code;
    code = codegen_run(&run->registry, record_sink_file(&file), e);
    struct error close_error = {""};
    if (record_close(&file, &close_error) && !code) return *e = close_error, EXIT_BAD_INPUT;
    return survive(run, code, e);
}

/* What an earlier run left of a file; an empty array without --resume. */
static int read_done(const struct run *run, const char *path, json_t **done, struct error *e)
{
    if (run->o->resume) return record_read(path, true, done, e);
    *done = json_array();
    return 0;
}

static int compare_records(const void *a, const void *b)
{
    static const char *const keys[] = {"id", "family"};
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    for (size_t i = 0; i < 2; i++) {
        const char *s = json_string_value(json_object_get(x, keys[i]));
        const char *t = json_string_value(json_object_get(y, keys[i]));
        int c = strcmp(s ? s : "", t ? t : "");
        if (c) return c;
    }
    double n = json_number_value(json_object_get(x, "n")),
           m = json_number_value(json_object_get(y, "n"));
    return (n > m) - (n < m);
}

static void count_row(struct run *run, const json_t *record)
{
    const char *status = json_string_value(json_object_get(record, "status"));
    enum status s = status ? status_from_name(status) : STATUS_COUNT;
    if (s < STATUS_COUNT) run->rows[s]++;
}

static json_t *sorted_records(const json_t *records)
{
    size_t count = json_array_size(records);
    json_t *array = json_array(), **sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted) {
        for (size_t i = 0; i < count; i++) sorted[i] = json_array_get(records, i);
        qsort(sorted, count, sizeof *sorted, compare_records);
        for (size_t i = 0; i < count; i++) json_array_append(array, sorted[i]);
    }
    free(sorted);
    return array;
}

/* Measured in the order in which it is cheap, kept in the order in which it can be compared, and
 * what bit-identical variants have in common once. */
static int sort_file(struct run *run, const char *path, struct error *e)
{
    json_t *records, *record;
    int code = record_read(path, true, &records, e);
    if (code) return code;
    json_t *sorted = sorted_records(records), *folded = records_fold(sorted);
    char *text = NULL;
    size_t size = 0, i;
    FILE *out = open_memstream(&text, &size);
    if (!out || json_array_size(sorted) < json_array_size(records)) {
        code = fail(e, EXIT_PARTIAL, "out of memory: %s: %zu records; free some", path,
                    json_array_size(records));
    } else {
        json_array_foreach(records, i, record) count_row(run, record);
        json_array_foreach(folded, i, record) record_write(out, record);
    }
    if (out) fclose(out);
    if (!code) code = file_write_atomic(path, text, size, e);
    free(text);
    json_decref(folded);
    json_decref(sorted);
    json_decref(records);
    return code;
}

static int measure_accuracy(struct run *run, struct accuracy_plan plan, const struct registry *r,
                            const char *name, struct error *e)
{
    struct accuracy_summary summary;
    struct record_file file = {.fd = -1};
    char path[1100];
    json_t *done;
    int code = read_done(run, path_in(run, name, path), &done, e);
    if (code) return code;
    plan.seed = run->o->seed;
    plan.threads = run->o->threads;
    plan.quiet = run->o->quiet;
    plan.done = done;
    if (run->o->quick) plan.elements = QUICK_ELEMENTS;
    code = record_open(&file, path, !run->o->resume, e);
    if (!code) {
        code = accuracy_run(&plan, r, record_sink_file(&file), &summary, e);
        struct error close_error = {""};
        if (record_close(&file, &close_error) && !code) {
            *e = close_error;
            code = EXIT_BAD_INPUT;
        }
    }
    json_decref(done);
    code = survive(run, code, e);
    return code ? code : sort_file(run, path, e);
}

static struct run_request timing_request(const struct run *run)
{
    const struct options *o = run->o;
    return (struct run_request){.effort = o->quick  ? BENCH_QUICK
                                          : o->full ? BENCH_FULL
                                                    : BENCH_DEFAULT,
                                .seed = o->seed,
                                .shapes = o->shapes.items,
                                .shape_count = o->shapes.count};
}

/* Of those that are timed as log_softmax: the family that the field's tables speak of, in a file of
 * its own, since accuracy.jsonl is of the default parameters. Not a row of one element, whose
 * result is 0, beside which every error is boundless. */
static int measure_log_softmax(struct run *run, struct error *e)
{
    static const enum family families[] = {FAMILY_NORMAL};
    static const size_t n[] = {7, 64, 1000, 4096, 65536};
    const struct registry *all = &run->registry;
    struct run_request request = timing_request(run);
    struct accuracy_plan plan = accuracy_plan_default();
    struct registry timed = {.variants = calloc(all->count + 1, sizeof *timed.variants)};
    if (!timed.variants) return fail(e, EXIT_PARTIAL, "out of memory: log_softmax; free some");
    for (size_t i = 0; i < all->count; i++)
        if (bench_times_log(all, &request, &all->variants[i]))
            timed.variants[timed.count++] = all->variants[i];
    plan.families = families;
    plan.family_count = 1;
    plan.n = n;
    plan.n_count = sizeof n / sizeof *n;
    plan.parameters.log_output = true;
    char path[1100];
    int code = 0;
    if (timed.count)
        code = measure_accuracy(run, plan, &timed, "log_softmax.jsonl", e);
    else
        remove(path_in(run, "log_softmax.jsonl", path)); /* of an earlier run's kernels */
    free(timed.variants);
    return code;
}

static int step_accuracy(struct run *run, struct error *e)
{
    struct accuracy_plan plan = accuracy_plan_default();
    plan.adversarial = &run->adversarial;
    int code = measure_accuracy(run, plan, &run->registry, "accuracy.jsonl", e);
    return code ? code : measure_log_softmax(run, e);
}

/* Who agrees with whom, in seconds: --full asks longer rows, --quick shorter ones. */
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

static int step_diverge(struct run *run, struct error *e)
{
    struct diverge_plan plan = diverge_plan_of(run->o);
    struct diverge_summary summary;
    struct record_file file = {.fd = -1};
    char path[1100];
    int code = record_open(&file, path_in(run, "diverge.jsonl", path), true, e);
    if (code) return code;
    code = diverge_run(&plan, &run->registry, record_sink_file(&file), &summary, e);
    struct error close_error = {""};
    if (record_close(&file, &close_error) && !code) return *e = close_error, EXIT_BAD_INPUT;
    return survive(run, code, e);
}

/* timing.jsonl from the raw samples: the limits, then a row per cell. */
static int write_timing(struct run *run, const char *samples, const struct bench_setup *setup,
                        struct error *e)
{
    char path[1100];
    json_t *records, *rows = json_array();
    int code = record_read(samples, false, &records, e);
    if (code) return json_decref(rows), code;
    json_t *limits = limits_summarise(records, &setup->topology, &setup->effective);
    bool partial = false;
    code = bench_summarise(records, limits, record_sink_array(rows), &partial, e);
    if (!code) {
        char *text = NULL;
        size_t size = 0, i;
        json_t *record;
        FILE *out = open_memstream(&text, &size);
        json_array_foreach(limits, i, record)
        {
            json_object_set_new(record, "record", json_string("limit"));
            record_write(out, record);
        }
        json_array_foreach(rows, i, record)
        {
            count_row(run, record);
            record_write(out, record);
        }
        fclose(out);
        code = file_write_atomic(path_in(run, "timing.jsonl", path), text, size, e);
        free(text);
    }
    json_decref(limits);
    json_decref(rows);
    json_decref(records);
    if (partial)
        return fail(e, EXIT_PARTIAL, "bench: some cells crashed or hung; see their status in %s",
                    path);
    return code;
}

static int measure_times(struct run *run, const json_t *done, struct record_file *file,
                         struct error *e)
{
    struct run_request request = timing_request(run);
    struct progress progress;
    struct bench_setup setup;
    struct bench_plan plan;
    progress_begin(&progress, "bench", run->o->quiet);
    int code = bench_open(&setup, &run->cpu, e);
    if (code) return progress_end(&progress), code;
    code = bench_sweep(&setup, done, record_sink_file(file), &progress, e);
    if (!code) code = bench_plan_run(&plan, &run->registry, &setup, &request, e);
    if (!code) {
        code = bench_run(&plan, &setup, done, record_sink_file(file), &progress, e);
        bench_plan_free(&plan);
    }
    progress_end(&progress);
    /* What was measured before an interruption is worth a file too. */
    struct error write_error = {""};
    int written = write_timing(run, file->path, &setup, &write_error);
    bench_close(&setup);
    if (code || !written) return code;
    *e = write_error;
    return written;
}

static int step_bench(struct run *run, struct error *e)
{
    struct record_file file = {.fd = -1};
    char path[1100];
    json_t *done;
    int code = read_done(run, path_in(run, "samples.jsonl", path), &done, e);
    if (code) return code;
    code = record_open(&file, path, !run->o->resume, e);
    if (!code) {
        code = measure_times(run, done, &file, e);
        struct error close_error = {""};
        if (record_close(&file, &close_error) && !code) {
            *e = close_error;
            code = EXIT_BAD_INPUT;
        }
    }
    json_decref(done);
    return survive(run, code, e);
}

static int step_cases(struct run *run, struct error *e)
{
    struct cases_plan plan = {.cases = case_studies, .quiet = run->o->quiet};
    struct cases_summary summary;
    struct record_file file = {.fd = -1};
    char path[1100];
    json_t *done;
    while (case_studies[plan.count]) plan.count++;
    plan.context = (struct case_context){.registry = &run->registry,
                                         .cpu = &run->cpu,
                                         .seed = run->o->seed,
                                         .effort = run->o->quick  ? CASE_QUICK
                                                   : run->o->full ? CASE_FULL
                                                                  : CASE_DEFAULT};
    int code = read_done(run, path_in(run, "cases.jsonl", path), &done, e);
    if (code) return code;
    plan.done = done;
    code = record_open(&file, path, !run->o->resume, e);
    if (!code) {
        code = cases_run(&plan, record_sink_file(&file), &summary, e);
        struct error close_error = {""};
        if (record_close(&file, &close_error) && !code) {
            *e = close_error;
            code = EXIT_BAD_INPUT;
        }
    }
    json_decref(done);
    return survive(run, code, e);
}

static int step_report(struct run *run, struct error *e)
{
    char page[1100];
    int code = report_write(run->folder, run->report, sizeof run->report, e);
    return code ? code : html_write(run->folder, page, sizeof page, e);
}

/* ---- The whole ---------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    int (*go)(struct run *, struct error *);
} steps[] = {
    {"codegen", step_codegen}, {"accuracy", step_accuracy}, {"diverge", step_diverge},
    {"bench", step_bench},     {"cases", step_cases},       {"report", step_report},
};

static int prepare(struct run *run, struct error *e)
{
    int code = results_folder(run->o, run->folder, sizeof run->folder, e);
    if (!code && run->o->quick && run->o->full)
        code = fail(e, EXIT_USAGE, "run: --quick --full: one contradicts the other; give one");
    if (!code) code = bench_check_shapes(run->o->shapes.items, run->o->shapes.count, e);
    if (!code) code = cpu_detect(&run->cpu, run->o->hide_isa, e);
    if (!code)
        code = registry_open_peers(&run->registry, &run->cpu, run->o->filters.items,
                                   run->o->filters.count, run->o->peers, e);
    if (!code) peers_probe(&run->registry);
    if (!code) code = folder_make(run->folder, e);
    if (!code) code = adversarial_open(run->folder, &run->adversarial, e);
    if (!code && run->o->resume) return check_resumable(run, e);
    return code ? code : write_machine(run, e);
}

/* An interrupted run still says what is there. */
static int stop(struct run *run, int code, struct error *e)
{
    struct error ignored = {""};
    if (code != EXIT_SIGINT && code != EXIT_SIGTERM) return code;
    int reported = step_report(run, &ignored) == 0;
    return fail(e, code,
                "interrupted: %s: what was measured is kept%s%s; 'ulplab run --resume' goes on",
                run->folder, reported ? ", see " : "", reported ? run->report : "");
}

static size_t failed_rows(const struct run *run)
{
    size_t failed = 0;
    for (enum status s = 0; s < STATUS_COUNT; s++)
        if (status_is_partial(s)) failed += run->rows[s];
    return failed;
}

static int summarise(const struct run *run, double seconds, struct error *e)
{
    size_t skipped = run->rows[STATUS_SKIPPED] + run->rows[STATUS_UNBUILT];
    size_t ok = run->rows[STATUS_OK], wrong = run->rows[STATUS_WRONG], failed = failed_rows(run);
    if (run->o->json) {
        json_t *document = record_document(machine_record(&run->cpu));
        json_object_set_new(document, "summary",
                            json_pack("{s:I, s:I, s:I, s:I, s:f, s:s}", "ok", (json_int_t)ok,
                                      "wrong", (json_int_t)wrong, "skipped", (json_int_t)skipped,
                                      "failed", (json_int_t)failed, "seconds", seconds, "report",
                                      run->report));
        int code = record_print(document, e);
        if (code) return code;
    } else if (!run->o->quiet) {
        printf("%zu rows ok, %zu wrong, %zu skipped, %zu failed, in %.0f s\n%s\n", ok, wrong,
               skipped, failed, seconds, run->report);
    }
    return run->gate ? fail(e, run->gate, "%s", run->verdict) : 0;
}

int cmd_run(const struct options *o, struct error *e)
{
    struct run run = {.o = o};
    double begin = monotonic_s();
    int code = prepare(&run, e);
    for (size_t i = 0; !code && i < sizeof steps / sizeof *steps; i++) {
        if (!o->quiet) fprintf(stderr, "ulplab: %s\n", steps[i].name);
        code = steps[i].go(&run, e);
    }
    code = code ? stop(&run, code, e) : summarise(&run, monotonic_s() - begin, e);
    adversarial_close(&run.adversarial);
    registry_close(&run.registry);
    return code;
}
