// SPDX-License-Identifier: MIT
/* The whole job, one step after the other. Each step leaves its records in the folder, so that a
 * run that was cut can be taken up again; the report is made from the files alone. An older run
 * stands whole until this one is (cmd/run_place.h). */
#include <stdio.h>
#include <string.h>

#include "base/monotonic.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "cmd/folder.h"
#include "cmd/run_steps.h"
#include "measure/bench.h"
#include "measure/peers.h"
#include "measure/cell.h"
#include "publish/sections/report.h"

static int choose_suite(struct run *run, struct error *e)
{
    const size_t number = run->o->suite;
    if (!number) return 0;
    run->suite = suite_find(number);
    if (!run->suite)
        return fail(e, EXIT_USAGE, "run: --suite %zu: there is none; known: 1", number);
    return suite_narrow(run->suite, &run->registry, e);
}

static int run_prepare(struct run *run, struct error *e)
{
    const struct options *o = run->o;
    char home[PLACE_SIZE], finds[PLACE_SIZE];
    int code = results_folder(o, home, sizeof home, e);
    if (!code) code = finds_to_replay(o, finds, sizeof finds, e);
    if (!code) code = bench_check_shapes(o->shapes.items, o->shapes.count, e);
    if (!code) code = cpu_detect(&run->cpu, o->hide_isa, e);
    if (!code)
        code = registry_open_peers(&run->registry, &run->cpu, o->filters.items, o->filters.count,
                                   o->peers, e);
    if (!code) code = choose_suite(run, e);
    if (!code) peers_probe(&run->registry);
    if (!code) code = run_choose(run, e);
    if (!code) code = run_place_open(&run->place, home, e);
    if (!code) code = adversarial_open(finds, &run->adversarial, e);
    if (code) return code;
    return o->resume ? run_resume(run, e) : run_begin(run, e);
}

/* Lets a whole run replace an older one. */
static int take_place(struct run *run, struct error *e)
{
    int code = run_place_take(&run->place, e);
    snprintf(run->report, sizeof run->report, "%s/report.md", run->folder);
    snprintf(run->page, sizeof run->page, "%s/report.html", run->folder);
    return code;
}

/* Reports an interrupted run's results so far. */
static int report_interruption(struct run *run, int code, struct error *e)
{
    struct error ignored = {""};
    if (code != EXIT_SIGINT && code != EXIT_SIGTERM) return code;
    int reported = step_report(run, &ignored) == 0;
    const bool beside = strcmp(run->folder, run->place.home) != 0;
    return fail(e, code,
                "interrupted: %s: what was measured is kept%s%s; 'ulplab run --resume --out %s' "
                "goes on%s%s",
                run->folder, reported ? ", see " : "", reported ? run->report : "", run->place.home,
                beside ? ", until then the run before stands in " : "",
                beside ? run->place.home : "");
}

static int summarise(const struct run *run, double seconds, struct error *e)
{
    const struct tally *rows = &run->rows;
    if (run->o->json) {
        json_t *document = new_document(&run->cpu);
        json_object_set_new(document, "summary",
                            json_pack("{s:I, s:I, s:I, s:I, s:f, s:s}", "ok", (json_int_t)rows->ok,
                                      "wrong", (json_int_t)rows->wrong, "skipped",
                                      (json_int_t)rows->skipped, "failed", (json_int_t)rows->failed,
                                      "seconds", seconds, "report", run->report));
        int code = print_document(document, 0, e);
        if (code) return code;
    } else if (!run->o->quiet) {
        fputs(run->answer, stdout);
        printf("%zu rows ok, %zu wrong, %zu skipped, %zu failed, in %.0f s\n%s\n%s\n", rows->ok,
               rows->wrong, rows->skipped, rows->failed, seconds, run->report, run->page);
    }
    return run->gate ? fail(e, run->gate, "%s", run->verdict) : 0;
}

int cmd_run(const struct options *o, struct error *e)
{
    if (o->lacking) return run_print_lacking(o, e);
    struct options asked = *o;
    json_t *request = o->resume ? run_take_options(&asked) : NULL;
    struct run run = {.o = &asked, .place = {.lock = -1, .beside = -1}};
    run.folder = run.place.grows;
    double begin = monotonic_s();
    int code = run_prepare(&run, e);
    for (const struct run_step *step = run_steps; !code && step->name; step++) {
        if (run.suite && !step->of_suites) continue;
        if (!o->quiet) fprintf(stderr, "ulplab: %s\n", step->name);
        code = step_take(&run, step, e);
    }
    if (!code) code = take_place(&run, e);
    code = code ? report_interruption(&run, code, e) : summarise(&run, monotonic_s() - begin, e);
    free(run.answer);
    adversarial_close(&run.adversarial);
    registry_close(&run.registry);
    run_place_close(&run.place);
    json_decref(request);
    return code;
}
