// SPDX-License-Identifier: MIT
/* The whole job, one step after the other. Each step writes its records into the folder, so that a
 * cut run can be resumed; the report is made from files only. An older run stays complete until
 * this one is (cmd/run_place.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/random.h"
#include "build.h"
#include "cmd/common.h"
#include "cmd/run_steps.h"
#include "machine/doctor.h"
#include "machine/machine.h"
#include "measure/bench.h"
#include "measure/cell.h"
#include "measure/peers.h"
#include "model/coverage.h"
#include "model/record.h"
#include "publish/db/db.h"
#include "publish/render/query.h"
#include "publish/sections/report.h"
#include "publish/sql/facts.h"
#include "publish/sql/sql.h"

/* ---- The scope of a run --------------------------------------------------------------------- */

/* The scope of a run: the variants that match, or, if nothing in particular was asked for, those
 * that scripts/kernels.awk chose; and the rest, which it leaves out. */

bool run_is_usual(const struct options *o)
{
    return !o->full && !o->filters.count && !o->suite;
}

/* ---- What is built --------------------------------------------------------------------------- */

/* Returns whether the variant has cells of a suite. A run that was not narrowed has those of every
 * suite. */
static bool is_of_a_suite(const struct variant *v)
{
    const struct suite *suite;
    for (size_t number = 1; (suite = suite_find(number)); number++)
        if (suite_has_first(suite, v)) return true;
    return false;
}

enum part { MEASURED, TIMED, REST, PARTS };

static enum part run_scope_part_of(const struct options *o, const struct variant *v)
{
    if (!run_is_usual(o) || v->use == USE_MEASURED) return MEASURED;
    return is_of_a_suite(v) ? TIMED : REST;
}

static size_t move_part(const struct run *run, enum part part, struct variant *to)
{
    const struct registry *r = &run->registry;
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        if (run_scope_part_of(run->o, &r->variants[i]) == part) to[count++] = r->variants[i];
    return count;
}

/* Orders the registry, and sets `measured` and `timed`, which share its variants. */
static int run_choose(struct run *run, struct error *e)
{
    struct registry *r = &run->registry;
    struct variant *ordered = memory_zeroed(r->count + 1, sizeof *ordered);
    size_t count = 0, ends[PARTS];
    for (enum part part = MEASURED; part < PARTS; part++)
        ends[part] = count += move_part(run, part, ordered + count);
    free(r->variants);
    r->variants = ordered;
    run->measured = run->timed = *r;
    run->measured.count = ends[MEASURED];
    run->timed.count = ends[TIMED];
    if (run->timed.count) return 0;
    return fail(e, EXIT_USAGE,
                "run: this build has no kernel that a default run measures; select some with "
                "--filter, or build with 'make run'");
}

/* ---- What is not built ----------------------------------------------------------------------- */

static bool run_scope_is_wanted(const struct options *o, const struct variant *v)
{
    if (v->status == STATUS_SKIPPED) return false;
    if (o->suite) return suite_has(suite_find(o->suite), v);
    return !run_is_usual(o) || v->use != USE_ON_REQUEST;
}

/* Returns whether a probe is of the regime of these objects, which stand in the order of regimes:
 * codegen runs a probe of each. */
static bool is_in_regime(const struct build_absence *probe, const struct variant *v)
{
    return !strcmp(probe->isa, v->isa) && !strcmp(probe->cc, v->cc) &&
           !strcmp(probe->policy, v->policy);
}

static void print_probes(const struct options *o, const struct absences *a)
{
    for (size_t i = 0; i < build_absence_count; i++) {
        const struct build_absence *probe = &build_absences[i];
        if (strcmp(probe->file, "probe") != 0) continue;
        size_t k = 0;
        while (k < a->count &&
               !(run_scope_is_wanted(o, &a->variants[k]) && is_in_regime(probe, &a->variants[k])))
            k++;
        if (k < a->count) puts(probe->object);
    }
}

/* Prints the objects that the run wants, that this build lacks, and that this CPU could run. */
static int run_print_lacking(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct absences a;
    const char *last = "";
    if (o->suite && !suite_find(o->suite)) return 0; /* the run reports that */
    int code = cpu_detect(&cpu, o->hide_isa, e);
    if (!code) code = absences_open(&a, &cpu, o->filters.items, o->filters.count, e);
    if (code) return code;
    for (size_t i = 0; i < a.count; i++) {
        const char *object = a.variants[i].build->object;
        if (!run_scope_is_wanted(o, &a.variants[i]) || !strcmp(object, last)) continue;
        puts(last = object);
    }
    print_probes(o, &a);
    absences_close(&a);
    return 0;
}

/* ---- Gaps -------------------------------------------------------------------------------------
 */

/* Returns the command that measures a gap. */
static json_t *run_scope_ask_for(const struct gap *g)
{
    if (!strcmp(g->what, "together")) return json_string("make run RUN=--full");
    if (!strcmp(g->what, "cc")) {
        char *ccs = strdup(g->values);
        for (char *c = ccs; c && *c; c++)
            if (*c == ',') *c = ' ';
        json_t *text = json_sprintf("make run CCS=\"%s\"", ccs ? ccs : "");
        free(ccs);
        return text;
    }
    return json_sprintf("make run RUN=\"--filter %s=%s\"", g->what, g->values);
}

static json_t *gap_record(const struct gap *g)
{
    return json_pack("{s:s, s:s, s:I, s:o}", "what", g->what, "values", g->values, "variants",
                     (json_int_t)g->variants, "ask",
                     g->runs_here ? run_scope_ask_for(g) : json_null());
}

/* The gaps that are not variants. */
static const struct piece {
    const char *what, *ask;
} pieces[] = {
    {"suite 1 whole", "make run RUN=\"--suite 1\""},
    {"the other case studies", "ulplab case run"},
    {"other kernels from memory, best (invariant's code) beyond L1, larger shapes, all cores",
     "make run RUN=--full"},
    {"every input of the encoders of e8m0-ceil-log2", "ulplab case run e8m0-ceil-log2 --full"},
    {"every fp32 input of a function", "ulplab scan all"},
    {"libraries", "make peers && ulplab run --peers"},
};

/* Lists the gaps and the commands that measure them: an array for machine.json. */
static int run_gaps(const struct run *run, json_t **gaps, struct error *e)
{
    struct absences a;
    struct gap found[GAPS_MAX];
    int code = absences_open(&a, &run->cpu, NULL, 0, e);
    if (code) return code;
    *gaps = json_array();
    if (!run_is_usual(run->o)) return absences_close(&a), 0;
    const size_t count = coverage_gaps(&run->registry, run->measured.count, &a, found);
    for (size_t i = 0; i < count; i++) json_array_append_new(*gaps, gap_record(&found[i]));
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        json_array_append_new(
            *gaps, json_pack("{s:s, s:s}", "what", pieces[i].what, "ask", pieces[i].ask));
    absences_close(&a);
    return 0;
}

/* ---- machine.json --------------------------------------------------------------------------- */

/* machine.json of a run: its machine, its build and its request. */

enum { FINDINGS_MAX = 32, PROGRAM_HASH_SIZE = 20 };

static const char *mode_name(const struct options *o)
{
    return o->quick ? "quick" : o->full ? "full" : "default";
}

/* Returns the versions of the libraries that could be loaded. */
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

/* Computes the hash of this program's file, which distinguishes builds of one commit with different
 * compilers, flags or uncommitted changes. --resume needs it. */
static int program_hash(char text[PROGRAM_HASH_SIZE], struct error *e)
{
    static const char path[] = "/proc/self/exe";
    static unsigned char block[1 << 16];
    FILE *in = fopen(path, "rb");
    uint64_t hash = HASH_BASIS;
    for (size_t n; in && (n = fread(block, 1, sizeof block, in)) > 0;)
        hash = hash_bytes(hash, block, n);
    const bool whole = in && !ferror(in);
    const int why = errno;
    if (in) fclose(in);
    snprintf(text, PROGRAM_HASH_SIZE, "%016llx", (unsigned long long)hash);
    return whole
               ? 0
               : fail(e, EXIT_BAD_INPUT, "run: %s: cannot be read: %s; mount /proc, and try again",
                      path, strerror(why));
}

static int request_record(const struct run *run, json_t **record, struct error *e)
{
    const struct options *o = run->o;
    char program[PROGRAM_HASH_SIZE];
    int code = program_hash(program, e);
    if (code) return code;
    json_t *request =
        json_pack("{s:s, s:I, s:s, s:s, s:o, s:o}", "mode", mode_name(o), "seed",
                  (json_int_t)o->seed, "commit", build_commit, "program", program, "filters",
                  list_record(&o->filters), "peers", peer_versions(&run->registry));
    if (o->suite) json_object_set_new(request, "suite", json_integer((json_int_t)o->suite));
    if (o->no_limits) json_object_set_new(request, "no_limits", json_true());
    if (o->hide_isa) json_object_set_new(request, "hide_isa", json_string(o->hide_isa));
    if (o->shapes.count) json_object_set_new(request, "shapes", list_record(&o->shapes));
    if (json_array_size(run->adversarial.names))
        json_object_set(request, ADVERSARIAL, run->adversarial.names);
    *record = request;
    return 0;
}

static int findings_of(const struct run *run, json_t **findings, struct error *e)
{
    struct topology topology;
    struct finding found[FINDINGS_MAX];
    int code = topology_read(&topology, e);
    if (code) return code;
    size_t count = doctor_examine(&run->cpu, &topology, "", found, FINDINGS_MAX);
    topology_close(&topology);
    *findings = json_array();
    for (size_t i = 0; i < count && i < FINDINGS_MAX; i++)
        json_array_append_new(*findings, doctor_record(&found[i]));
    return 0;
}

/* Draws the identity by which its records and an archive recognise the run, also after --resume has
 * continued it. */
static void draw_identity(char id[RUN_ID_SIZE])
{
    uint64_t drawn = 0;
    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
        drawn = random_mix((uint64_t)time(NULL) ^ (uint64_t)getpid() << 32);
    snprintf(id, RUN_ID_SIZE, "%016llx", (unsigned long long)drawn);
}

static json_t *now_utc(void)
{
    char text[DATE_SIZE];
    date_now(text);
    return json_string(text);
}

static int write_machine(const struct run *run, const json_t *document, struct error *e)
{
    char path[RUN_PATH_MAX];
    snprintf(path, sizeof path, "%s/machine.json", run->folder);
    char *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    int code = file_write_atomic(path, text, strlen(text), e);
    free(text);
    return code;
}

static int run_request_new_document(const struct run *run, json_t **document, struct error *e)
{
    json_t *findings = NULL, *request = NULL, *gaps = NULL;
    int code = request_record(run, &request, e);
    if (!code) code = findings_of(run, &findings, e);
    if (!code) code = run_gaps(run, &gaps, e);
    if (code) return json_decref(request), json_decref(findings), code;
    *document = record_document(machine_record(&run->cpu));
    json_object_set_new(*document, "findings", findings);
    json_object_set_new(*document, "request", request);
    json_object_set_new(*document, "not_looked_at", gaps);
    json_object_set_new(*document, "run", json_string(run->id));
    json_object_set_new(*document, "stamped", json_true());
    json_object_set_new(*document, "started", now_utc());
    return 0;
}

/* Begins a new run: draws its identity and writes its first machine.json. */
static int run_begin(struct run *run, struct error *e)
{
    json_t *document;
    draw_identity(run->id);
    int code = run_request_new_document(run, &document, e);
    if (code) return code;
    code = run_place_begin(&run->place, run->id, e);
    if (!code) code = write_machine(run, document, e);
    json_decref(document);
    return code;
}

int run_finish(const struct run *run, struct error *e)
{
    json_t *document;
    int code = record_read_machine(run->folder, &document, e);
    if (code) return code;
    json_object_set_new(document, "finished", now_utc());
    code = write_machine(run, document, e);
    json_decref(document);
    return code;
}

/* ---- --resume -------------------------------------------------------------------------------- */

static bool is_of_program(const json_t *machine, const void *program)
{
    return !strcmp(record_text(json_object_get(machine, "request"), "program"), program);
}

static void take_list(struct strings *list, const json_t *texts)
{
    for (size_t i = 0; i < json_array_size(texts) && i < LIST_MAX; i++)
        list->items[list->count++] = json_string_value(json_array_get(texts, i));
}

static json_t *request_before(const struct options *o)
{
    static const char *const chosen[] = {"filter", "quick",    "full", "suite",    "peers",
                                         "shapes", "hide-isa", "seed", "no-limits"};
    char home[PLACE_SIZE], program[PROGRAM_HASH_SIZE];
    struct error none;
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (option_given(o, chosen[i])) return NULL;
    if (results_folder(o, home, sizeof home, &none) != 0 || program_hash(program, &none) != 0)
        return NULL;
    json_t *machine = run_place_machine(home, is_of_program, program);
    json_t *request = json_incref(json_object_get(machine, "request"));
    json_decref(machine);
    return request;
}

/* --resume without options that choose measurements takes the options of the interrupted run.
 * Returns the record that holds their texts, or NULL. */
static json_t *run_take_options(struct options *o)
{
    json_t *request = request_before(o);
    if (!request) return NULL;
    o->quick = !strcmp(record_text(request, "mode"), "quick");
    o->full = !strcmp(record_text(request, "mode"), "full");
    o->seed = (uint64_t)json_integer_value(json_object_get(request, "seed"));
    o->suite = (size_t)json_integer_value(json_object_get(request, "suite"));
    o->peers = json_object_size(json_object_get(request, "peers")) > 0;
    o->no_limits = json_is_true(json_object_get(request, "no_limits"));
    o->hide_isa = json_string_value(json_object_get(request, "hide_isa"));
    take_list(&o->filters, json_object_get(request, "filters"));
    take_list(&o->shapes, json_object_get(request, "shapes"));
    return request;
}

struct wanted {
    json_t *request;
    char slug[64]; /* rows that another processor could not run are no rows of this one */
};

static bool run_request_is_wanted(const json_t *machine, const void *context)
{
    const struct wanted *w = context;
    return json_equal(json_object_get(machine, "request"), w->request) &&
           !strcmp(record_text(json_object_get(machine, "machine"), "slug"), w->slug);
}

static bool is_any(const json_t *machine, const void *context)
{
    (void)context;
    return machine != NULL;
}

/* Writes the first difference between the folder's run and this one. */
static int not_the_run(const struct run *run, const struct wanted *w, struct error *e)
{
    json_t *machine = run_place_machine(run->place.home, is_any, NULL), *value;
    const json_t *its = json_object_get(machine, "request");
    json_t *all = json_copy(w->request);
    char why[200];
    const char *key;
    snprintf(why, sizeof why, machine ? "that one is of another CPU" : "there is none in it");
    json_object_update_missing(all, (json_t *)(uintptr_t)its);
    json_object_foreach(all, key, value)
    {
        const json_t *there = json_object_get(its, key), *here = json_object_get(w->request, key);
        if (!machine || json_equal(there, here)) continue;
        char *texts[] = {json_dumps(there, JSON_ENCODE_ANY), json_dumps(here, JSON_ENCODE_ANY)};
        snprintf(why, sizeof why, "%s there: %.70s, here: %.70s", key, texts[0] ? texts[0] : "none",
                 texts[1] ? texts[1] : "none");
        free(texts[0]);
        free(texts[1]);
        break;
    }
    json_decref(all);
    json_decref(machine);
    return fail(e, EXIT_BAD_INPUT,
                "--resume: %s: not a run of this build with the same options: %s; give those "
                "options, or none, or run without --resume",
                run->place.home, why);
}

/* EXIT_BAD_INPUT where the folder has no run of this program with the same options. */
static int run_resume(struct run *run, struct error *e)
{
    struct wanted w;
    json_t *document;
    machine_slug(&run->cpu, w.slug, sizeof w.slug);
    int code = request_record(run, &w.request, e);
    if (code) return code;
    if (!run_place_resume(&run->place, run_request_is_wanted, &w)) code = not_the_run(run, &w, e);
    json_decref(w.request);
    if (code) return code;
    code = record_read_machine(run->folder, &document, e);
    if (code) return code;
    snprintf(run->id, sizeof run->id, "%s", record_text(document, "run"));
    json_decref(document);
    return 0;
}

/* ---- What is known before the times are ----------------------------------------------------- */

/* First findings of a run, before anything is timed: the code of one kernel by each compiler, and
 * the errors of the kernels. */

/* The width of the answer, for terminals of any width. */
static const struct terminal narrow = {.columns = 80};

/* Prints a query's text about the folder's records so far. */
static int run_first_show(const struct run *run, const char *sql, struct error *e)
{
    const struct doc narrow_text = {.out = stdout, .terminal = &narrow};
    const char *folder = run->folder;
    struct lab_db l;
    if (run->o->quiet || run->o->json) return 0;
    int code = db_read(&l, &folder, 1, e);
    if (code) return code;
    code = facts_make(&l, advice_bar, e);
    if (!code) query_write(&narrow_text, &l, sql);
    lab_close(&l);
    return fflush(stdout), code;
}

int run_show_codegen(struct run *run, const char *path, struct error *e)
{
    (void)path;
    return run_first_show(run, sql_first_codes, e);
}

int run_show_errors(struct run *run, const char *path, struct error *e)
{
    (void)path;
    return run_first_show(run, sql_first_errors, e);
}

/* ---- The run --------------------------------------------------------------------------------- */

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

/* Lets a complete run replace an older one. */
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
                beside ? ", until then the earlier run is in " : "", beside ? run->place.home : "");
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
