// SPDX-License-Identifier: MIT
/* Gathers, build by build, what a trial's program says of errors, bits and times. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "build/object.h"
#include "model/fp_flags.h"
#include "model/record.h"
#include "oracle/inputs.h"
#include "study/workshop.h"
#include "study/trial.h"

/* Seconds that the program may take for each question before it is ended. */
enum {
    ASK_LIST_S = 20,
    ASK_ACCURACY_S = 240,
    ASK_DIVERGE_S = 300,
    ASK_BENCH_S = 300,
    ASK_SAMPLES_S = 120
};
/* Seconds for each experiment on the bits of the user's own build. */
#define EXPERIMENT_S "1"
/* A whole scan is made unasked where it takes no longer than this. */
enum { SCAN_S = 60 };

enum { FILTER_MAX = 1000 };

/* Returns the document of a command; NULL where there is none, with the reason. `words` ends with
 * NULL. */
static json_t *ask(struct trial *t, double limit_s, const char *const *words)
{
    struct words command = {0};
    struct error e = {.text = ""};
    json_t *document = NULL;
    words_add_each(&command, words);
    words_add(&command, "--json");
    if (t->request->quiet || strcmp(command.items[0], "scan") != 0) words_add(&command, "--quiet");
    if (workshop_ask(&t->workshop, &command, limit_s, &document, &e) != 0)
        json_array_append_new(json_object_get(t->document, "unanswered"), json_string(e.text));
    words_free(&command);
    return document;
}

static json_t *build_by_id(const struct trial *t, const char *id)
{
    json_t *build;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        if (!strcmp(record_text(build, "id"), id)) return build;
    }
    return NULL;
}

/* ---- Builds ---------------------------------------------------------------------------------- */

/* Returns whether a row is of that algorithm's object: files that no compiler took have no
 * operation, but their objects' paths tell them. */
static bool is_object_of(const json_t *row, const char *algorithm)
{
    char end[64];
    const char *object = record_text(row, "object");
    size_t length = (size_t)snprintf(end, sizeof end, "_%s.o", algorithm);
    return strlen(object) > length && !strcmp(object + strlen(object) - length, end);
}

/* Returns the first build of the same machine code, which stands for all. */
static const char *twin_of(const struct trial *t, const char *hash)
{
    const json_t *build;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        if (!strcmp(record_text(build, "code_hash"), hash)) return record_text(build, "id");
    }
    return NULL;
}

/* Returns the flags that somebody would write to build it so: the command without what the lab
 * adds, and the user's own flags. */
static json_t *flags_of(const struct trial *t, const char *command, bool yours)
{
    static const char *const users[] = {"-I", "-D", "-isystem", "-iquote", "-include", "-L", "-W"};
    static const char *const left_out[] = {
        "-std=",          "-W", "-w", "-frecord", "-falign", "-I", "-D", "-M",
        "-mtune=generic", "-f", "@",  "-x",       "-c",      "-o"};
    struct words words = {0};
    char text[1200] = "";
    size_t used = 0;
    words_split(&words, command);
    for (size_t i = 0; i < words.count && strcmp(words.items[i], "-c") != 0; i++) {
        const char *word = words.items[i];
        bool out = i && !strcmp(words.items[i - 1], "-x");
        /* The policy's flags stand behind the user's own once more. */
        for (size_t k = 0; k < i; k++) out |= !strcmp(words.items[k], word);
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            out |= !strncmp(word, left_out[k], strlen(left_out[k])) &&
                   (strcmp(left_out[k], "-f") != 0 || !fp_flag_is(word));
        if (!out && used + strlen(word) + 2 < sizeof text)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", word);
    }
    words_free(&words);
    for (size_t i = 0; i < t->subject.flags.count; i++) {
        const char *word = t->subject.flags.items[i];
        bool out = *word != '-';
        for (size_t k = 0; k < sizeof users / sizeof *users; k++)
            out |= !strncmp(word, users[k], strlen(users[k]));
        if (!out && (yours || !fp_flag_is(word)) && used + strlen(word) + 2 < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, " %s", word);
    }
    return json_string(text);
}

/* Puts what is in the build's code, of those that have any. */
static void put_tricks(json_t *build, const char *object)
{
    struct object_tricks tricks;
    struct error ignored;
    if (object_read_tricks(object, &tricks, &ignored) != 0) return;
    json_object_set_new(build, "subtractions", json_integer((json_int_t)tricks.subtractions));
    json_object_set_new(build, "rounds", json_boolean(tricks.rounds));
}

static int list_builds(struct trial *t, struct error *e)
{
    json_t *list = ask(t, ASK_LIST_S, (const char *const[]){"list", NULL}), *row;
    json_t *builds = json_array(), *others = json_array();
    json_t *copy = json_object_get(t->document, "copy");
    size_t i;
    json_object_set_new(t->document, "builds", builds);
    json_object_set_new(t->document, "others", others);
    if (!list)
        return fail(e, EXIT_PARTIAL, "try: the small lab does not start: see %s/make.log",
                    t->workshop.folder);
    json_array_foreach(json_object_get(list, "variants"), i, row)
    {
        bool yours = is_object_of(row, TRIAL_YOURS);
        const char *hash = record_text(row, "code_hash");
        if (!yours && !is_object_of(row, TRIAL_MINE)) {
            const char *algorithm = record_text(row, "algorithm");
            const bool plain = !strcmp(algorithm, "plain") || !strcmp(algorithm, "glibc");
            /* An object of the lab may have kernels of two operations: softmax and log_softmax. */
            if (strcmp(record_text(row, "op"), t->op) != 0) continue;
            if (!is_object_of(row, TRIAL_COPY))
                json_array_append_new(
                    others,
                    json_pack("{s:s, s:s, s:s?, s:s, s:s, s:s}", "id", record_text(row, "id"), "cc",
                              record_text(row, "cc"), "code_hash", *hash ? hash : NULL, "algorithm",
                              algorithm, "arithmetic", record_text(row, "arithmetic"), "kind",
                              plain                                                ? "plain"
                              : !strcmp(algorithm, TRIAL_BEFORE)                   ? "before"
                              : !strcmp(record_text(row, "arithmetic"), "library") ? "library"
                                                                                   : "lab"));
            else if (!json_object_get(copy, "id"))
                json_object_set(copy, "id", json_object_get(row, "id"));
            continue;
        }
        const char *twin = *hash ? twin_of(t, hash) : NULL;
        json_t *build = json_pack("{s:s, s:s, s:s, s:b, s:s, s:s, s:o, s:s?, s:s?}", "id",
                                  record_text(row, "id"), "cc", record_text(row, "cc"), "policy",
                                  record_text(row, "policy"), "yours", yours, "status",
                                  record_text(row, "status"), "reason", record_text(row, "reason"),
                                  "flags", flags_of(t, record_text(row, "command"), yours),
                                  "code_hash", *hash ? hash : NULL, "same_code", twin);
        put_tricks(build, record_text(row, "object"));
        json_array_append_new(builds, build);
    }
    json_decref(list);
    const json_t *first = json_array_get(builds, 0);
    json_array_foreach(builds, i, row)
    {
        if (!strcmp(record_text(row, "status"), "ok")) return 0;
    }
    return fail(e, EXIT_BAD_INPUT, "try: no compiler builds it: %s: %s", record_text(first, "cc"),
                record_text(first, "reason"));
}

/* ---- Which ones ------------------------------------------------------------------------------ */

static bool is_sound(const json_t *build)
{
    return !strcmp(record_text(build, "status"), "ok");
}

static bool is_any_sound(const struct trial *t)
{
    const json_t *build;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        if (is_sound(build)) return true;
    }
    return false;
}

static const json_t *own_build(const struct trial *t)
{
    return build_by_id(t, record_text(t->document, "own"));
}

/* Returns the id of the build that stands for all of its machine code. */
static const char *trial_code_of(const struct trial *t, const char *id)
{
    const char *code = record_text(build_by_id(t, id), "same_code");
    return *code ? code : id;
}

/* Adds a variant of the operation to a filter, unless it is there: OP/ALGORITHM/../cc=CC/policy=P
 * by what tells it from others of the small lab, as a filter has at most 1,000 bytes. */
static void add_id(char filter[FILTER_MAX], const char *id)
{
    char word[120];
    const char *algorithm = strchr(id, '/'), *cc = strstr(id, "/cc=");
    const size_t used = strlen(filter);
    if (!algorithm || !cc) return;
    snprintf(word, sizeof word, "%.*s/.*=%s$", (int)strcspn(algorithm + 1, "/") + 1, algorithm,
             cc + 4);
    /* Thirty fit; there are twelve policies' builds, the user's, the copy, and a dozen others. */
    if (strstr(filter, word) || used + strlen(word) + 40 > FILTER_MAX) return;
    snprintf(filter + used, FILTER_MAX - used, "%s%.*s%s%s",
             used ? "" : "op=", used ? 0 : (int)(algorithm - id), id, used ? "|" : " ", word);
}

/* Adds the sound builds: of those of the same machine code the first alone. */
static void filter_add_builds(const struct trial *t, char filter[FILTER_MAX])
{
    const json_t *build;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        if (is_sound(build)) add_id(filter, trial_code_of(t, record_text(build, "id")));
    }
}

/* Adds what stands beside them: the lab's kernels; those that are plain loops alone, whose errors
 * are on inputs that are hard for everybody; or all, and the copy. */
static void filter_add_others(const struct trial *t, bool all, char filter[FILTER_MAX])
{
    const json_t *other;
    size_t i;
    json_array_foreach(json_object_get(t->document, "others"), i, other)
    {
        if (all || !strcmp(record_text(other, "kind"), "plain"))
            add_id(filter, record_text(other, "id"));
    }
    if (all) add_id(filter, record_text(json_object_get(t->document, "copy"), "id"));
}

static void tell(const struct trial *t, const char *what)
{
    if (!t->request->quiet) fprintf(stderr, "try: %.1f s: %s\n", monotonic_s() - t->begun_s, what);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Adds the rows of a document to the facts. */
static void trial_take_rows(const struct trial *t, const char *kind, const json_t *rows)
{
    json_t *facts = json_object_get(t->document, "facts"), *known = json_object_get(facts, kind);
    if (!known) json_object_set_new(facts, kind, known = json_array());
    if (rows) json_array_extend(known, (json_t *)(uintptr_t)rows);
}

/* Returns the id of the build that others stand beside: under `off` by the user's own compiler, or
 * by another one; where there is none, the first. */
static const char *base_of(const struct trial *t)
{
    const json_t *build, *best = NULL;
    const char *cc = NULL;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        const bool off = !strcmp(record_text(build, "policy"), "off");
        if (strcmp(record_text(build, "status"), "ok") != 0) continue;
        if (!best || (off && (!cc || (strcmp(cc, t->own_cc) != 0 &&
                                      !strcmp(record_text(build, "cc"), t->own_cc)))))
            best = build, cc = off ? record_text(build, "cc") : NULL;
    }
    return trial_code_of(t, record_text(best, "id"));
}

/* Writes the lengths of rows that the function's callers keep, for --n; "" for the usual ones:
 * rows of a function of one element are filled up (study/glue.h). */
static void lengths_of(const struct trial *t, char *text, size_t size)
{
    static const unsigned times[] = {1, 2, 3, 5, 8, 9, 16, 31, 64};
    const size_t multiple = t->unary ? 0 : t->request->multiple;
    text[0] = '\0';
    for (size_t i = 0, used = 0; multiple > 1 && i < sizeof times / sizeof *times; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%zu", i ? "," : "", multiple * times[i]);
    if (*text) strncat(text, ",1024,4096", size - strlen(text) - 1);
}

/* What a fault at a row's place or end comes of: the function is built again for callers who keep
 * one thing more, and tried at a few rows. */
static int probe_fault(struct trial *t, struct error *e)
{
    json_t *probes = json_object(), *row;
    size_t i;
    json_object_set_new(t->document, "probes", probes);
    int code = trial_build_probes(t, e);
    for (size_t k = 0; k < 4 && !code && !interrupt_requested(); k++) {
        char filter[64];
        snprintf(filter, sizeof filter, "algorithm=" TRIAL_PROBE "%s", trial_probes[k]);
        json_t *document =
            ask(t, ASK_ACCURACY_S,
                (const char *const[]){"accuracy", "--filter", filter, "--family", "normal", "--n",
                                      k == 3 ? "16,64,2048" : "1,7,16,63,2048", NULL});
        const char *status = "ok";
        json_array_foreach(json_object_get(document, "rows"), i, row)
        {
            if (!strncmp(record_text(row, "status"), "sig", 3)) status = record_text(row, "status");
        }
        if (json_array_size(json_object_get(document, "rows")))
            json_object_set_new(probes, trial_probes[k], json_string(status));
        json_decref(document);
    }
    return code;
}

/* Returns whether the build that stands for the function ended with a fault of memory. */
static bool is_at_fault(const struct trial *t)
{
    const json_t *row;
    size_t i;
    bool own = false, fault = false;
    json_array_foreach(json_object_get(json_object_get(t->document, "facts"), "accuracy"), i, row)
    {
        const bool its = strstr(record_text(row, "id"), "/" TRIAL_YOURS "/") != NULL;
        if (its && !own) own = true, fault = false;
        if (its == own && !strcmp(record_text(row, "status"), "sigsegv") &&
            strncmp(record_text(row, "reason"), "the reference of ", 17) != 0)
            fault = true;
    }
    return fault;
}

/* Rows of every length up to four vectors of the widest ISA that the grid of `accuracy` lacks, in
 * the families that tell most of short rows. */
static const char short_n[] =
    "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,"
    "51,52,53,54,55,56,57,58,59,60,61,62,63,65,66,67";
static const char short_families[] = "logits,below,masked";

/* Asks for errors of the builds that have not ended yet, and of plain loops; `more` ends with NULL.
 * input: the name of rows that belong to no family. */
static void measure_rows(struct trial *t, bool plain, const char *const *more, const char *input)
{
    const char *base = record_text(json_object_get(t->document, "facts"), "base");
    char timeout[32], eps[40], filter[FILTER_MAX] = "";
    const char *words[20] = {"accuracy", "--filter", filter, "--beside", base};
    size_t count = 5, i;
    json_t *row;
    add_id(filter, base);
    filter_add_builds(t, filter);
    if (plain) filter_add_others(t, false, filter);
    for (; *more; more++) words[count++] = *more;
    snprintf(timeout, sizeof timeout, "%zu", t->request->timeout_s);
    snprintf(eps, sizeof eps, "eps=%.9g", t->request->eps);
    if (t->request->eps > 0) words[count++] = "--param", words[count++] = eps;
    if (t->request->timeout_s) words[count++] = "--timeout", words[count++] = timeout;
    json_t *document = ask(t, ASK_ACCURACY_S, words);
    json_t *rows = json_object_get(document, "rows");
    json_array_foreach(rows, i, row)
    {
        json_t *build = build_by_id(t, record_text(row, "id"));
        const char *status = record_text(row, "status");
        /* A build that ended once is asked nothing more. */
        if (build && is_sound(build) && *status && strcmp(status, "ok") != 0)
            json_object_set_new(build, "status", json_string(status));
        if (input && !strcmp(record_text(row, "family"), INPUT_FAMILY))
            json_object_set_new(row, "family", json_string(input));
    }
    trial_take_rows(t, "accuracy", rows);
    if (!json_object_get(t->document, "adversarial"))
        json_object_set(t->document, "adversarial", json_object_get(document, "adversarial"));
    json_decref(document);
}

/* Measures errors over the grid; over short rows; at edges, single inputs that data has and
 * families lack; and over the user's own rows. Of functions of a row whose callers keep lengths
 * these are measured alone. */
static int measure_errors(struct trial *t, struct error *e)
{
    char edges[PATH_MAX + 32], lengths[128], samples[32];
    const char *grid[5] = {NULL};
    size_t words = 0;
    snprintf(edges, sizeof edges, "%s/edges.npy", t->workshop.folder);
    json_object_set_new(json_object_get(t->document, "facts"), "base", json_string(base_of(t)));
    int code = specials_write(edges, t->call.in_double, e);
    if (code) return code;
    lengths_of(t, lengths, sizeof lengths);
    snprintf(samples, sizeof samples, "%zu", t->request->samples);
    if (*lengths) grid[words++] = "--n", grid[words++] = lengths;
    if (t->request->samples) grid[words++] = "--samples", grid[words++] = samples;
    const char *const shorts[] = {"--n",       short_n, "--family", short_families,
                                  "--samples", "512",   NULL};
    const char *const at_edges[] = {"--input", edges, NULL};
    measure_rows(t, true, grid, NULL);
    if (!*lengths && !interrupt_requested()) measure_rows(t, true, shorts, NULL);
    if (!*lengths && !interrupt_requested()) measure_rows(t, false, at_edges, NULL);
    for (size_t i = 0; i < t->request->input_count && !interrupt_requested(); i++) {
        const char *path = t->request->inputs[i];
        const char *const own[] = {"--input", path, NULL};
        char name[240];
        snprintf(name, sizeof name, INPUT_FAMILY " %zu: %.180s", i + 1, path);
        measure_rows(t, true, own, name);
    }
    return 0;
}

/* ---- Times ----------------------------------------------------------------------------------- */

static void measure_times(struct trial *t, const char *shapes, const char *filter, bool limits)
{
    const char *words[] = {"bench", "--shapes", shapes, "--processes",
                           "4",     "--filter", filter, limits ? NULL : "--no-limits",
                           NULL};
    json_t *document = ask(t, ASK_BENCH_S, words);
    trial_take_rows(t, "bench", json_object_get(document, "rows"));
    json_decref(document);
}

/* Puts to a build how long it takes beside the earlier version. Equal machine code takes equal
 * time, as clocks may not say: where its code lies may cost a loop of branches a quarter. */
static void time_beside(struct trial *t, json_t *build, const json_t *before)
{
    char pair[400];
    snprintf(pair, sizeof pair, "%s,%s", record_text(before, "id"), record_text(build, "id"));
    const bool same =
        json_equal(json_object_get(build, "code_hash"), json_object_get(before, "code_hash"));
    json_t *document =
        same ? json_pack("{s:i, s:i, s:i, s:s}", "ratio", 1, "low", 1, "high", 1, "verdict", "same")
             : ask(t, ASK_BENCH_S, (const char *const[]){"bench", "--pair", pair, NULL});
    if (json_is_number(json_object_get(document, "ratio")))
        json_object_set_new(build, "before",
                            json_pack("{s:O, s:O, s:O, s:O, s:b}", "ratio",
                                      json_object_get(document, "ratio"), "low",
                                      json_object_get(document, "low"), "high",
                                      json_object_get(document, "high"), "verdict",
                                      json_object_get(document, "verdict"), "same_code", same));
    json_decref(document);
}

static void measure_before(struct trial *t)
{
    json_t *build;
    const json_t *other;
    size_t i, k;
    if (!t->request->before) return;
    tell(t, "times beside the earlier version");
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
        json_array_foreach(json_object_get(t->document, "others"), k, other)
    {
        if (json_is_true(json_object_get(build, "yours")) && is_sound(build) &&
            !strcmp(record_text(other, "kind"), "before") &&
            !strcmp(record_text(build, "cc"), record_text(other, "cc")) && !interrupt_requested())
            time_beside(t, build, other);
    }
}

/* ---- Bits over place ------------------------------------------------------------------------- */

/* Adds an answer of `diverge` to the facts, in the place of an earlier one of the same code, and
 * the experiments to its builds. */
static void take_invariance(const struct trial *t, const json_t *document)
{
    json_t *facts = json_object_get(t->document, "facts"), *row, *build;
    json_t *known = json_object_get(facts, "invariance");
    size_t i, b;
    if (!known) json_object_set_new(facts, "invariance", known = json_array());
    json_array_foreach(json_object_get(document, "invariance"), i, row)
    {
        json_t *experiments = json_object_get(row, "experiments");
        for (size_t k = json_array_size(known); k-- > 0;)
            if (!strcmp(record_text(json_array_get(known, k), "id"), record_text(row, "id")))
                json_array_remove(known, k);
        json_array_foreach(json_object_get(t->document, "builds"), b, build)
        {
            if (experiments &&
                !strcmp(trial_code_of(t, record_text(build, "id")), record_text(row, "id")))
                json_object_set(build, "experiments", experiments);
        }
        json_object_del(row, "experiments");
        json_array_append(known, row);
    }
}

static bool ask_of_bits(struct trial *t, const char *const *words)
{
    json_t *document = ask(t, ASK_DIVERGE_S, words);
    take_invariance(t, document);
    json_decref(document);
    return document != NULL;
}

/* Adds a build to the filter, unless experiments were made of its code. */
static void add_untried(const struct trial *t, const char *id, char filter[FILTER_MAX])
{
    const json_t *build = build_by_id(t, id);
    if (build && is_sound(build) && !json_object_get(build, "experiments"))
        add_id(filter, trial_code_of(t, id));
}

/* Asks for the builds whose errors could be measured: one that hung would hang again; then makes
 * all experiments on the user's own build and on the one that is advised: where that has a fault,
 * on the one that takes its place. */
static int measure_bits(struct trial *t, struct error *e)
{
    enum { ADVISED_MOST = 3 };
    char lengths[128], eps[40], filter[FILTER_MAX] = "";
    int code = 0;
    bool answered = true;
    lengths_of(t, lengths, sizeof lengths);
    snprintf(eps, sizeof eps, "eps=%.9g", t->request->eps);
    filter_add_builds(t, filter);
    ask_of_bits(t, (const char *const[]){"diverge", "--filter", filter, *lengths ? "--n" : NULL,
                                         lengths, NULL});
    for (unsigned i = 0; i < ADVISED_MOST && answered && !*lengths && !code; i++) {
        filter[0] = '\0';
        add_untried(t, record_text(t->document, "own"), filter);
        add_untried(t, record_text(t->document, "advised"), filter);
        if (!*filter || interrupt_requested()) break;
        answered = ask_of_bits(
            t, (const char *const[]){"diverge", "--experiments", EXPERIMENT_S, "--filter", filter,
                                     t->request->eps > 0 ? "--param" : NULL, eps, NULL});
        code = t->judge(t->document, e);
    }
    return code;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void tell_error(const struct trial *t)
{
    char text[200];
    const json_t *own = own_build(t);
    const double error = own ? record_number(own, "error") : NAN;
    if (isnan(error)) return;
    snprintf(text, sizeof text, "largest error %.3g %s (%s %s); now %s", error,
             record_text(own, "unit"), record_text(own, "cc"), record_text(own, "policy"),
             t->request->quick ? "bits" : "times");
    tell(t, text);
}

static void scan(struct trial *t)
{
    const json_t *own = own_build(t);
    const double ns = record_number(json_object_get(t->document, "next"), "own_ns");
    char filter[200], folder[PATH_MAX + 16];
    const bool in_double = t->call.in_double;
    if (!t->unary || !own || !is_sound(own) || isnan(ns)) return;
    if (in_double && t->request->reference) return; /* the lab's oracle alone searches in double */
    const bool sampled = (t->request->reference || in_double) && !t->request->full;
    double seconds = 0x1p32 * (ns + 1) * 1e-9;
    if (!t->request->reference && !in_double)
        json_object_set_new(t->document, "scan_seconds", record_real(seconds));
    if (seconds > SCAN_S && !t->request->full && !sampled) return;
    tell(t, in_double ? "the worst of all powers of two (scan)"
            : sampled ? "2^24 inputs, as many of each power of two (scan)"
                      : "every input (scan)");
    snprintf(filter, sizeof filter, "^%s$", record_text(own, "id"));
    snprintf(folder, sizeof folder, "%s/scan", t->workshop.folder);
    const char *all[] = {"scan", t->op, "--filter", filter, "--out", folder, NULL, NULL, NULL};
    if (sampled) all[6] = "--samples", all[7] = in_double ? "2097152" : "16777216";
    json_t *document = ask(t, sampled ? ASK_SAMPLES_S : 0, all);
    json_t *row = json_array_get(json_object_get(document, "rows"), 0);
    if (row) json_object_set(t->document, "scan", row);
    if (row) json_object_set(json_object_get(t->document, "facts"), "scan", row);
    json_decref(document);
}

static void begin_document(const struct trial *t, const char *main_shape)
{
    json_object_set_new(t->document, "copy", json_object());
    json_object_set_new(t->document, "unanswered", json_array());
    json_object_set_new(t->document, "main_shape", json_string(main_shape));
    json_object_set_new(t->document, "facts",
                        json_pack("{s:b, s:[s*]}", "unary", t->unary, "allow",
                                  t->request->allow_lost ? "lost" : NULL));
}

int trial_measure(struct trial *t, struct error *e)
{
    /* At the main shape all policies are compared; all four say where the function stands, beside
     * the core's limits. Doubles are half as many, so that they lie in the same caches. */
    const char *main_shape = t->call.in_double ? "16x2048" : "32x2048";
    const char *all_shapes =
        t->call.in_double ? "4x512,16x2048,128x4096,2048x4096" : "8x512,32x2048,256x4096,4096x4096";
    char all[FILTER_MAX] = "", filter[FILTER_MAX] = "";
    const json_t *id;
    size_t i;
    begin_document(t, main_shape);
    int code = list_builds(t, e);
    if (code) return code;
    tell(t, "built; now errors");
    code = measure_errors(t, e);
    if (!code && is_at_fault(t)) code = probe_fault(t, e);
    if (!code) code = t->judge(t->document, e);
    if (code) return code;
    tell_error(t);
    filter_add_builds(t, all);
    filter_add_others(t, true, all);
    if (!interrupt_requested() && !t->request->quick) measure_times(t, main_shape, all, false);
    code = t->judge(t->document, e);
    json_array_foreach(json_object_get(json_object_get(t->document, "next"), "to_time"), i, id)
    {
        add_id(filter, trial_code_of(t, json_string_value(id)));
    }
    if (!interrupt_requested() && *filter && !t->request->quick)
        measure_times(t, all_shapes, filter, true);
    if (!code && !interrupt_requested() && is_any_sound(t)) code = measure_bits(t, e);
    if (!interrupt_requested()) scan(t);
    measure_before(t);
    if (!code) code = t->judge(t->document, e);
    json_object_set_new(t->document, "seconds", record_real(monotonic_s() - t->begun_s));
    return code ? code : interrupt_requested();
}
