// SPDX-License-Identifier: MIT
/* Measures errors, bits and times of a trial's builds by commands of its small lab's program. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "build/object.h"
#include "model/record.h"
#include "oracle/inputs.h"
#include "study/workshop.h"
#include "study/trial.h"

/* Time limits of the program's commands, in seconds. */
enum {
    ASK_LIST_S = 20,
    ASK_ACCURACY_S = 240,
    ASK_DIVERGE_S = 300,
    ASK_BENCH_S = 300,
    ASK_SAMPLES_S = 120
};
/* Seconds for each experiment on the bits of the user's own build. */
#define EXPERIMENT_S "1"
/* A scan of every input is made without --full if it takes at most this long. */
enum { SCAN_S = 60 };

/* Returns the document that a command prints; NULL if it prints none, and then adds the reason to
 * "unanswered". `words` ends with NULL. */
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

/* Returns what to measure next (publish/sql/asked.sql); valid until the next call. */
static const json_t *asked(const struct trial *t)
{
    struct error e;
    if (t->judge("asked", t->document, &e))
        json_array_append_new(json_object_get(t->document, "unanswered"), json_string(e.text));
    return json_object_get(t->document, "asked");
}

/* Returns the filter of a list of variants; "": the list is empty. */
static const char *filter_of(const struct trial *t, const char *list)
{
    return record_text(json_object_get(asked(t), "filters"), list);
}

static json_t *fact_list(const struct trial *t, const char *kind)
{
    json_t *facts = json_object_get(t->document, "facts"), *known = json_object_get(facts, kind);
    if (!known) json_object_set_new(facts, kind, known = json_array());
    return known;
}

static void tell(const struct trial *t, const char *what)
{
    if (!t->request->quiet) fprintf(stderr, "try: %.1f s: %s\n", monotonic_s() - t->begun_s, what);
}

/* ---- Builds ---------------------------------------------------------------------------------- */

/* Adds the counts of tricks in the object's code, if it has any, and removes its path. */
static void put_tricks(json_t *build)
{
    struct object_tricks tricks;
    struct error ignored;
    if (object_read_tricks(record_text(build, "object"), &tricks, &ignored) == 0)
        json_object_update_new(build,
                               json_pack("{s:I, s:b}", "subtractions",
                                         (json_int_t)tricks.subtractions, "rounds", tricks.rounds));
    json_object_del(build, "object");
}

static int list_builds(struct trial *t, struct error *e)
{
    json_t *list = ask(t, ASK_LIST_S, (const char *const[]){"list", NULL}), *build;
    size_t i;
    bool sound = false;
    if (!list)
        return fail(e, EXIT_PARTIAL, "try: the small lab does not start: see %s/make.log",
                    t->workshop.folder);
    json_object_set(json_object_get(t->document, "facts"), "list",
                    json_object_get(list, "variants"));
    json_decref(list);
    int code = t->judge("builds", t->document, e);
    if (code) return code;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        put_tricks(build);
        sound |= !strcmp(record_text(build, "status"), "ok");
    }
    const json_t *first = json_array_get(json_object_get(t->document, "builds"), 0);
    return sound ? 0
                 : fail(e, EXIT_BAD_INPUT, "try: no compiler builds it: %s: %s",
                        record_text(first, "cc"), record_text(first, "reason"));
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Appends a document's rows to the facts. */
static void trial_take_rows(const struct trial *t, const char *kind, const json_t *document)
{
    json_t *rows = json_object_get(document, "rows");
    if (rows) json_array_extend(fact_list(t, kind), rows);
}

/* Writes the lengths of rows that the function's callers guarantee, for --n; "" for the usual ones,
 * as rows of a function of one element are filled up (study/glue.h). */
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

/* Looks for the cause of a fault: builds the function for callers with one more guarantee each, and
 * runs these builds on a few rows. */
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

/* The lengths up to four vectors of the widest ISA that the grid of `accuracy` lacks, and the
 * families that show most in short rows. */
static const char short_n[] =
    "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,"
    "51,52,53,54,55,56,57,58,59,60,61,62,63,65,66,67";
static const char short_families[] = "logits,below,masked";

/* Measures errors of a list of variants. more: words of the command, ending with NULL. input: the
 * name of rows that belong to no family. */
static void measure_rows(struct trial *t, const char *list, const char *const *more,
                         const char *input)
{
    char timeout[32], eps[40];
    const char *words[20] = {"accuracy", "--filter", filter_of(t, list), "--beside",
                             record_text(json_object_get(t->document, "facts"), "base")};
    size_t count = 5, i;
    json_t *row;
    for (; *more; more++) words[count++] = *more;
    snprintf(timeout, sizeof timeout, "%zu", t->request->timeout_s);
    snprintf(eps, sizeof eps, "eps=%.9g", t->request->eps);
    if (t->request->eps > 0) words[count++] = "--param", words[count++] = eps;
    if (t->request->timeout_s) words[count++] = "--timeout", words[count++] = timeout;
    json_t *document = ask(t, ASK_ACCURACY_S, words);
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        if (input && !strcmp(record_text(row, "family"), INPUT_FAMILY))
            json_object_set_new(row, "family", json_string(input));
    }
    trial_take_rows(t, "accuracy", document);
    if (!json_object_get(t->document, "adversarial"))
        json_object_set(t->document, "adversarial", json_object_get(document, "adversarial"));
    json_decref(document);
}

/* Measures errors over the grid, over short rows, at edges (single inputs that data has and
 * families lack), and over the user's own rows. If callers guarantee lengths, only those are
 * measured. */
static int measure_errors(struct trial *t, struct error *e)
{
    char edges[PATH_MAX + 32], lengths[128], samples[32];
    const char *grid[5] = {NULL};
    size_t words = 0;
    snprintf(edges, sizeof edges, "%s/edges.npy", t->workshop.folder);
    int code = specials_write(edges, t->call.in_double, e);
    if (code) return code;
    lengths_of(t, lengths, sizeof lengths);
    snprintf(samples, sizeof samples, "%zu", t->request->samples);
    if (*lengths) grid[words++] = "--n", grid[words++] = lengths;
    if (t->request->samples) grid[words++] = "--samples", grid[words++] = samples;
    const char *const shorts[] = {"--n",       short_n, "--family", short_families,
                                  "--samples", "512",   NULL};
    const char *const at_edges[] = {"--input", edges, NULL};
    measure_rows(t, "plain", grid, NULL);
    if (!*lengths && !interrupt_requested()) measure_rows(t, "plain", shorts, NULL);
    if (!*lengths && !interrupt_requested()) measure_rows(t, "based", at_edges, NULL);
    for (size_t i = 0; i < t->request->input_count && !interrupt_requested(); i++) {
        const char *path = t->request->inputs[i];
        const char *const own[] = {"--input", path, NULL};
        char name[240];
        snprintf(name, sizeof name, INPUT_FAMILY " %zu: %.180s", i + 1, path);
        measure_rows(t, "plain", own, name);
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
    trial_take_rows(t, "bench", document);
    json_decref(document);
}

/* Adds to builds their time relative to the earlier version. Equal machine code counts as equally
 * fast: its place in memory alone may make a loop with branches slower by a quarter. */
static void measure_before(struct trial *t)
{
    json_t *pair, *pairs = json_incref(json_object_get(asked(t), "before"));
    size_t i;
    if (json_array_size(pairs)) tell(t, "times beside the earlier version");
    json_array_foreach(pairs, i, pair)
    {
        if (interrupt_requested()) break;
        const bool same = json_is_true(json_object_get(pair, "same"));
        json_t *d =
            same ? json_pack("{s:i, s:i, s:i, s:s}", "ratio", 1, "low", 1, "high", 1, "verdict",
                             "same")
                 : ask(t, ASK_BENCH_S,
                       (const char *const[]){"bench", "--pair", record_text(pair, "pair"), NULL});
        if (json_is_number(json_object_get(d, "ratio")))
            json_object_set_new(
                json_array_get(json_object_get(t->document, "builds"), record_count(pair, "build")),
                "before",
                json_pack("{s:O, s:O, s:O, s:O, s:b}", "ratio", json_object_get(d, "ratio"), "low",
                          json_object_get(d, "low"), "high", json_object_get(d, "high"), "verdict",
                          json_object_get(d, "verdict"), "same_code", same));
        json_decref(d);
    }
    json_decref(pairs);
}

/* ---- Bits over place ------------------------------------------------------------------------- */

/* Runs `diverge`. Its answer on a machine code replaces an earlier one among the facts, and the
 * experiments are added to the builds of that code. Returns whether it answered. */
static bool ask_of_bits(struct trial *t, const char *const *words)
{
    json_t *document = ask(t, ASK_DIVERGE_S, words), *known = fact_list(t, "invariance");
    json_t *row, *build, *builds = json_object_get(t->document, "builds");
    size_t i, b;
    json_array_foreach(json_object_get(document, "invariance"), i, row)
    {
        json_t *id = json_object_get(row, "id"), *made = json_object_get(row, "experiments");
        for (size_t k = json_array_size(known); k-- > 0;)
            if (json_equal(json_object_get(json_array_get(known, k), "id"), id))
                json_array_remove(known, k);
        json_array_foreach(builds, b, build)
        {
            const json_t *same = json_object_get(build, "same_code");
            if (made && json_equal(json_is_string(same) ? same : json_object_get(build, "id"), id))
                json_object_set(build, "experiments", made);
        }
        json_object_del(row, "experiments");
        json_array_append(known, row);
    }
    const bool answered = document != NULL;
    json_decref(document);
    return answered;
}

/* Compares bits of the builds whose errors could be measured: one that hung would hang again. Then
 * makes all experiments on the user's own build and on the advised one; if these show a fault, on
 * the one that is advised instead. */
static int measure_bits(struct trial *t, struct error *e)
{
    enum { ADVISED_MOST = 3 };
    char lengths[128], eps[40];
    const char *filter = filter_of(t, "builds");
    int code = 0;
    bool answered = true;
    lengths_of(t, lengths, sizeof lengths);
    snprintf(eps, sizeof eps, "eps=%.9g", t->request->eps);
    if (!*filter) return 0;
    ask_of_bits(t, (const char *const[]){"diverge", "--filter", filter, *lengths ? "--n" : NULL,
                                         lengths, NULL});
    for (unsigned i = 0; i < ADVISED_MOST && answered && !*lengths && !code; i++) {
        filter = filter_of(t, "untried");
        if (!*filter || interrupt_requested()) break;
        answered = ask_of_bits(
            t, (const char *const[]){"diverge", "--experiments", EXPERIMENT_S, "--filter", filter,
                                     t->request->eps > 0 ? "--param" : NULL, eps, NULL});
        code = t->judge("verdict", t->document, e);
    }
    return code;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void tell_error(const struct trial *t)
{
    char text[200];
    const json_t *own = json_object_get(json_object_get(t->document, "next"), "own");
    if (isnan(record_number(own, "error"))) return;
    snprintf(text, sizeof text, "%s; now %s", record_text(own, "text"),
             t->request->quick ? "bits" : "times");
    tell(t, text);
}

static void scan(struct trial *t)
{
    const json_t *own = json_object_get(json_object_get(t->document, "next"), "own");
    const double ns = record_number(own, "ns");
    char filter[200], folder[PATH_MAX + 16];
    const bool in_double = t->call.in_double;
    if (!t->unary || !json_is_true(json_object_get(own, "ok")) || isnan(ns)) return;
    if (in_double && t->request->reference) return; /* only the lab's oracle can scan in double */
    const bool sampled = (t->request->reference || in_double) && !t->request->full;
    double seconds = 0x1p32 * (ns + 1) * 1e-9;
    if (!t->request->reference && !in_double)
        json_object_set_new(t->document, "scan_seconds", record_real(seconds));
    if (seconds > SCAN_S && !t->request->full && !sampled) return;
    tell(t, in_double ? "the worst of all powers of two (scan)"
            : sampled ? "2^24 inputs, as many of each power of two (scan)"
                      : "every input (scan)");
    snprintf(filter, sizeof filter, "^%s$", record_text(t->document, "own"));
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
    json_object_set_new(t->document, "unanswered", json_array());
    json_object_set_new(t->document, "main_shape", json_string(main_shape));
    json_t *flags = json_array();
    for (size_t i = 0; i < t->subject.flags.count; i++)
        json_array_append_new(flags, json_string(t->subject.flags.items[i]));
    json_object_set_new(t->document, "facts",
                        json_pack("{s:b, s:[s*], s:s, s:o}", "unary", t->unary, "allow",
                                  t->request->allow_lost ? "lost" : NULL, "own_cc", t->own_cc,
                                  "flags", flags));
}

int trial_measure(struct trial *t, struct error *e)
{
    /* At the main shape all policies are compared; all four say where the function stands, beside
     * the core's limits. Doubles are half as many, so that they lie in the same caches. */
    const char *main_shape = t->call.in_double ? "16x2048" : "32x2048";
    const char *all_shapes =
        t->call.in_double ? "4x512,16x2048,128x4096,2048x4096" : "8x512,32x2048,256x4096,4096x4096";
    begin_document(t, main_shape);
    int code = list_builds(t, e);
    if (code) return code;
    tell(t, "built; now errors");
    code = measure_errors(t, e);
    if (!code && json_is_true(json_object_get(asked(t), "fault"))) code = probe_fault(t, e);
    if (!code) code = t->judge("verdict", t->document, e);
    if (code) return code;
    tell_error(t);
    if (!interrupt_requested() && !t->request->quick)
        measure_times(t, main_shape, filter_of(t, "all"), false);
    code = t->judge("verdict", t->document, e);
    const char *timed = filter_of(t, "timed");
    if (!interrupt_requested() && *timed && !t->request->quick)
        measure_times(t, all_shapes, timed, true);
    if (!code && !interrupt_requested()) code = measure_bits(t, e);
    if (!interrupt_requested()) scan(t);
    measure_before(t);
    if (!code) code = t->judge("verdict", t->document, e);
    json_object_set_new(t->document, "seconds", record_real(monotonic_s() - t->begun_s));
    return code ? code : interrupt_requested();
}
