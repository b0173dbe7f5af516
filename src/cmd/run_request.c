// SPDX-License-Identifier: MIT
/* machine.json of a run: its machine, its build and its request. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/random.h"
#include "build.h"
#include "cmd/folder.h"
#include "cmd/run_steps.h"
#include "machine/doctor.h"
#include "machine/machine.h"
#include "model/date.h"

enum { FINDINGS_MAX = 32, PROGRAM_HASH_SIZE = 20 };

static const char *mode_name(const struct options *o)
{
    return o->quick ? "quick" : o->full ? "full" : "default";
}

/* Returns the versions of the libraries that could be loaded: what a library does depends on them.
 */
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

/* Computes the hash of this program's file, which tells apart builds of one commit with other
 * compilers, other flags or uncommitted changes. Without it no run could be resumed. */
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

int run_begin(struct run *run, struct error *e)
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

json_t *run_take_options(struct options *o)
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

/* Says the first thing in which the folder's run is another one. */
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

int run_resume(struct run *run, struct error *e)
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
