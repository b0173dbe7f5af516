// SPDX-License-Identifier: MIT
/* Gathers, build by build, what a trial's program says of errors, bits and times. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/interrupt.h"
#include "base/monotonic.h"
#include "model/fp_flags.h"
#include "model/record.h"
#include "oracle/oracle.h"
#include "study/trial.h"

/* Seconds that the program may take for each question before it is ended. */
enum {
    ASK_LIST_S = 20,
    ASK_ACCURACY_S = 240,
    ASK_DIVERGE_S = 60,
    ASK_BENCH_S = 300,
    ASK_SAMPLES_S = 120
};
/* A whole scan is made unasked where it takes no longer than this. */
enum { SCAN_S = 60 };

static const char mine_and_yours[] = "algorithm=" TRIAL_MINE "," TRIAL_YOURS;

/* Returns the document of a command; NULL where there is none, with the reason. `words` ends with
 * NULL. */
static json_t *ask(struct trial *t, double limit_s, const char *const *words)
{
    struct words command = {0};
    struct error e = {.text = ""};
    json_t *document = NULL;
    for (; *words; words++) words_add(&command, "%s", *words);
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

/* Adds to a build what its flags give up in words, and the word of --allow without which it is not
 * advised. The flags of the user's own build are allowed: he wrote them. */
static void tell_gifts(const struct trial *t, json_t *build, bool yours)
{
    static const struct {
        unsigned gift;
        const char *words;
    } told[] = {{FP_SPECIALS, ", NaN and infinities"},
                {FP_ORDER, ", the order of additions"},
                {FP_ZERO_SIGN, ", the sign of a zero"}};
    struct words words = {0};
    char text[120] = "";
    unsigned given = 0;
    words_split(&words, record_text(build, "flags"));
    for (size_t i = 0; i < words.count; i++) given = fp_flag_apply(given, words.items[i]);
    words_free(&words);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (given & told[i].gift) strncat(text, told[i].words, sizeof text - strlen(text) - 1);
    if (*text) json_object_set_new(build, "gives_up", json_string(text + 2));
    if ((given & FP_SPECIALS) && !yours && !t->request->allow_lost)
        json_object_set_new(build, "refused", json_string("lost"));
}

static int list_builds(struct trial *t, struct error *e)
{
    json_t *list = ask(t, ASK_LIST_S, (const char *const[]){"list", NULL}), *row;
    json_t *builds = json_array(), *others = json_array(), *build;
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
            if (!is_object_of(row, TRIAL_COPY))
                json_array_append_new(
                    others,
                    json_pack("{s:s, s:s, s:s, s:s}", "id", record_text(row, "id"), "algorithm",
                              algorithm, "arithmetic", record_text(row, "arithmetic"), "kind",
                              plain                                                ? "plain"
                              : !strcmp(record_text(row, "arithmetic"), "library") ? "library"
                                                                                   : "lab"));
            else if (!json_object_get(copy, "id"))
                json_object_set(copy, "id", json_object_get(row, "id"));
            continue;
        }
        const char *twin = *hash ? twin_of(t, hash) : NULL;
        build = json_pack("{s:s, s:s, s:s, s:b, s:s, s:s, s:o, s:s?, s:s?}", "id",
                          record_text(row, "id"), "cc", record_text(row, "cc"), "policy",
                          record_text(row, "policy"), "yours", yours, "status",
                          record_text(row, "status"), "reason", record_text(row, "reason"), "flags",
                          flags_of(t, record_text(row, "command"), yours), "code_hash",
                          *hash ? hash : NULL, "same_code", twin);
        tell_gifts(t, build, yours);
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

/* ---- Errors ---------------------------------------------------------------------------------- */

static void add_to(json_t *to, const char *key, double more)
{
    double had = record_number(to, key);
    json_object_set_new(to, key, record_real(isnan(had) ? more : had + more));
}

static void take_worst(json_t *build, const json_t *row)
{
    double worst = record_number(build, "max_ulp"), now = record_number(row, "max_ulp");
    if (isnan(now) || (!isnan(worst) && worst >= now)) return;
    json_object_set_new(build, "max_ulp", record_real(now));
    json_object_set(build, "max_at", json_object_get(row, "max_at"));
    json_object_set(build, "worst_family", json_object_get(row, "family"));
    json_object_set(build, "worst_n", json_object_get(row, "n"));
}

static void take_scaled(json_t *build, const json_t *row)
{
    double worst = record_number(build, "scaled_error"), now = record_figure(row, "scaled_error");
    if (isnan(now) || isinf(now) || (!isnan(worst) && worst >= now)) return;
    json_object_set_new(build, "scaled_error", record_real(now));
}

/* Takes the largest error of a family, in the unit that it is judged by. */
static void take_family(json_t *build, const json_t *row)
{
    bool near = json_is_true(json_object_get(row, "near_zero"));
    double now = near ? record_figure(row, "scaled_error") : record_number(row, "max_ulp");
    json_t *families = json_object_get(build, "families");
    if (!families) json_object_set_new(build, "families", families = json_object());
    double had = record_number(families, record_text(row, "family"));
    if (!isnan(now) && !isinf(now) && (isnan(had) || now > had))
        json_object_set_new(families, record_text(row, "family"), record_real(now));
}

/* Takes the number of lost results of a family. */
static void take_lost(json_t *build, const json_t *row)
{
    double lost = record_number(row, "lost");
    add_to(build, "lost", isnan(lost) ? 0 : lost);
    if (!(lost > 0)) return;
    json_t *where = json_object_get(build, "lost_in");
    if (!where) json_object_set_new(build, "lost_in", where = json_object());
    add_to(where, record_text(row, "family"), lost);
    const char *key;
    json_t *value, *counts = json_object_get(build, "counts");
    if (!counts) json_object_set_new(build, "counts", counts = json_object());
    json_object_foreach(json_object_get(row, "counts"), key, value)
    {
        add_to(counts, key, json_number_value(value));
    }
}

static void take_row(json_t *build, const json_t *row)
{
    double elements = record_number(row, "elements"), mean = record_figure(row, "mean_ulp");
    json_t *bits = json_object_get(build, "all_bits");
    if (strcmp(record_text(row, "status"), "ok") != 0) {
        if (strcmp(record_text(build, "status"), "ok") != 0) return;
        json_object_set(build, "status", json_object_get(row, "status"));
        json_object_set(build, "reason", json_object_get(row, "reason"));
        json_object_set(build, "failed_family", json_object_get(row, "family"));
        json_object_set(build, "failed_n", json_object_get(row, "n"));
        return;
    }
    if (!bits) json_object_set_new(build, "all_bits", bits = json_array());
    json_array_append(bits, json_object_get(row, "bits"));
    take_worst(build, row);
    take_family(build, row);
    take_scaled(build, row);
    take_lost(build, row);
    json_object_set(build, "near_zero", json_object_get(row, "near_zero"));
    if (isfinite(mean)) {
        add_to(build, "ulp_sum", mean * elements);
        add_to(build, "ulp_elements", elements);
    }
    add_to(build, "elements", elements);
}

/* Numbers the builds by their bits: those of equal bits over all rows have one number, from 1 in
 * their order. */
static void number_bits(const struct trial *t)
{
    json_t *build, *known = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        const json_t *bits = json_object_get(build, "all_bits");
        double sum = record_number(build, "ulp_sum"), count = record_number(build, "ulp_elements");
        if (count > 0) json_object_set_new(build, "mean_ulp", record_real(sum / count));
        json_object_del(build, "ulp_sum");
        json_object_del(build, "ulp_elements");
        if (!bits) continue;
        size_t k = 0;
        while (k < json_array_size(known) && !json_equal(json_array_get(known, k), bits)) k++;
        if (k == json_array_size(known)) json_array_append(known, (json_t *)(uintptr_t)bits);
        json_object_set_new(build, "bits", json_integer((json_int_t)k + 1));
        json_object_del(build, "all_bits");
    }
    json_decref(known);
}

static void measure_errors(struct trial *t)
{
    char timeout[32];
    const size_t timeout_s = t->request->timeout_s;
    snprintf(timeout, sizeof timeout, "%zu", timeout_s);
    const char *words[] = {"accuracy", "--filter", mine_and_yours, timeout_s ? "--timeout" : NULL,
                           timeout,    NULL};
    json_t *document = ask(t, ASK_ACCURACY_S, words), *row;
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        json_t *build = build_by_id(t, record_text(row, "id"));
        if (build) take_row(build, row);
    }
    json_object_set(t->document, "adversarial", json_object_get(document, "adversarial"));
    json_decref(document);
    number_bits(t);
}

/* ---- Times ----------------------------------------------------------------------------------- */

static json_t *other_by_id(const struct trial *t, const char *id)
{
    json_t *other;
    size_t i;
    json_array_foreach(json_object_get(t->document, "others"), i, other)
    {
        if (!strcmp(record_text(other, "id"), id)) return other;
    }
    return NULL;
}

/* Adds a timing to its build or kernel, by shape. */
static void take_time(struct trial *t, const json_t *row)
{
    const char *id = record_text(row, "variant");
    json_t *of = build_by_id(t, id), *times;
    char shape[48];
    if (!of) of = other_by_id(t, id);
    json_t *copy = json_object_get(t->document, "copy");
    if (!of && !strcmp(record_text(copy, "id"), id)) of = copy;
    if (!of) return;
    if (strcmp(record_text(row, "status"), "ok") != 0) {
        if (!strcmp(record_text(of, "status"), "ok")) {
            json_object_set(of, "status", json_object_get(row, "status"));
            json_object_set(of, "reason", json_object_get(row, "reason"));
        }
        return;
    }
    times = json_object_get(of, "times");
    if (!times) json_object_set_new(of, "times", times = json_object());
    snprintf(shape, sizeof shape, "%.0fx%.0f", record_number(row, "rows"), record_number(row, "n"));
    json_object_set_new(times, shape,
                        json_pack("{s:o, s:o, s:o, s:O, s:O, s:O, s:O}", "ns_per_element",
                                  record_real(record_number(row, "ns_per_element")), "low",
                                  record_real(record_number(row, "ci_low")), "high",
                                  record_real(record_number(row, "ci_high")), "percent_of_limit",
                                  json_object_get(row, "percent_of_limit"), "limit",
                                  json_object_get(row, "limit"), "residency",
                                  json_object_get(row, "residency"), "flags",
                                  json_object_get(row, "flags")));
}

/* Returns the time at a shape; that of a function in place is without the copy that its glue
 * makes. */
static double time_at(const json_t *of, const char *shape)
{
    const json_t *time = json_object_get(json_object_get(of, "times"), shape);
    double without = record_number(time, "ns_without_copy");
    return isnan(without) ? record_number(time, "ns_per_element") : without;
}

static void take_off_copy(const struct trial *t)
{
    const json_t *copy = json_object_get(json_object_get(t->document, "copy"), "times"), *of;
    json_t *build, *time;
    const char *shape;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        json_object_foreach((json_t *)(uintptr_t)copy, shape, of)
        {
            time = json_object_get(json_object_get(build, "times"), shape);
            double all = record_number(time, "ns_per_element");
            double rest = all - record_number(of, "ns_per_element");
            if (!(rest > 0)) continue;
            json_object_set_new(time, "ns_without_copy", record_real(rest));
            json_object_set_new(time, "percent_without_copy",
                                record_real(record_number(time, "percent_of_limit") * all / rest));
        }
    }
}

/* Gives builds of equal machine code one time, as clocks may say two. */
static void share_times(const struct trial *t)
{
    json_t *build;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        const json_t *twin = build_by_id(t, record_text(build, "same_code"));
        json_t *times = json_object_get(build, "times"),
               *of = json_deep_copy(json_object_get(twin, "times"));
        if (!times) json_object_set_new(build, "times", times = json_object());
        if (of) json_object_update(times, of);
        json_decref(of);
    }
}

static void measure_times(struct trial *t, const char *shapes, const char *filter)
{
    const char *words[] = {
        "bench", "--shapes", shapes, "--processes", "4", filter ? "--filter" : NULL, filter, NULL};
    json_t *document = ask(t, ASK_BENCH_S, words), *row;
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, row) take_time(t, row);
    json_decref(document);
    share_times(t);
    take_off_copy(t);
}

/* ---- Which ones ------------------------------------------------------------------------------ */

/* Returns the fastest of those that `is` accepts, at the shape; NULL where there is none. */
static const json_t *fastest(const json_t *of, const char *shape, bool (*is)(const json_t *))
{
    const json_t *row, *best = NULL;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)of, i, row)
    {
        double ns = time_at(row, shape);
        if (is(row) && ns > 0 && (!best || ns < time_at(best, shape))) best = row;
    }
    return best;
}

static bool is_plain(const json_t *other)
{
    return !strcmp(record_text(other, "kind"), "plain");
}

static bool is_library(const json_t *other)
{
    return !strcmp(record_text(other, "kind"), "library");
}

static bool is_lab(const json_t *other)
{
    return !strcmp(record_text(other, "kind"), "lab");
}

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
    const json_t *build, *first = NULL;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        if (json_is_true(json_object_get(build, "yours"))) return build;
        if (!first && is_sound(build) && !strcmp(record_text(build, "policy"), "default"))
            first = build;
    }
    return first ? first : json_array_get(json_object_get(t->document, "builds"), 0);
}

/* Returns how many results this build loses that its compiler's build under `off` computes. */
static double extra_lost(const struct trial *t, const json_t *build)
{
    const json_t *other;
    double least = record_number(build, "lost");
    const double its = least;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, other)
    {
        double lost = record_number(other, "lost");
        if (is_sound(other) && lost < least) least = lost;
    }
    return its - least;
}

/* Returns the error to judge by: in u for results near zero, else in ULP. */
static double error_of(const json_t *build)
{
    return json_is_true(json_object_get(build, "near_zero")) ? record_number(build, "scaled_error")
                                                             : record_number(build, "max_ulp");
}

/* Returns whether the build may be advised: it gives up nothing that was not allowed, loses nothing
 * that another build computes, and errs at most 1.5 times (and 0.5) as far as the most accurate of
 * those. */
static bool is_fit(const struct trial *t, const json_t *build, double accurate)
{
    return build && is_sound(build) && !json_object_get(build, "refused") &&
           extra_lost(t, build) <= 0 && !(error_of(build) > 1.5 * accurate + 0.5);
}

/* Returns the fastest build that is fit, of those that give something up or of those that do not;
 * `best` stays where none is over 2% faster. */
static const json_t *faster(const struct trial *t, const char *shape, double accurate,
                            bool gives_up, const json_t *best)
{
    const json_t *build;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, build)
    {
        const double ns = time_at(build, shape);
        if (is_fit(t, build, accurate) && !*record_text(build, "gives_up") == !gives_up && ns > 0 &&
            (!best || ns < 0.98 * time_at(best, shape)))
            best = build;
    }
    return best;
}

/* Advises the fastest build that is fit; less than 2% are no reason to leave the user's own, or to
 * give something up. */
static void advise(struct trial *t, const char *shape)
{
    json_t *build;
    double accurate = INFINITY;
    size_t i;
    json_t *builds = json_object_get(t->document, "builds");
    json_array_foreach(builds, i, build)
    {
        json_object_set_new(build, "lost_here", record_real(extra_lost(t, build)));
        if (is_sound(build) && !json_object_get(build, "refused") && extra_lost(t, build) <= 0)
            accurate = fmin(accurate, error_of(build));
    }
    const json_t *own = own_build(t);
    json_object_set_new(t->document, "own",
                        own ? json_string(record_text(own, "id")) : json_null());
    const json_t *best = is_fit(t, own, accurate) && time_at(own, shape) > 0 ? own : NULL;
    for (int gives_up = 0; gives_up < 2; gives_up++)
        best = faster(t, shape, accurate, gives_up, best);
    json_object_set_new(t->document, "advised",
                        best ? json_string(record_text(best, "id")) : json_null());
}

/* Adds an id to a regular expression, unless it is there: as a whole, as policy=fast begins
 * policy=fastmath. */
static void add_id(char *filter, size_t size, const json_t *row)
{
    const char *id = row ? record_text(row, "id") : "", *at = filter;
    const size_t used = strlen(filter), length = strlen(id);
    while (*id && (at = strstr(at, id)) != NULL && at[length] && at[length] != '|') at++;
    if (*id && !at && used + length + 4 < size)
        snprintf(filter + used, size - used, "%s%s", used ? "|" : "^(", id);
}

/* ---- Bits over place ------------------------------------------------------------------------- */

static void take_bits(struct trial *t, const json_t *document)
{
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(document, "invariance"), i, row)
    {
        static const char *const kept[] = {"run", "threads", "row_position", "batch", "tail"};
        json_t *build = build_by_id(t, record_text(row, "id")), *answers = json_object();
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            json_object_set(answers, kept[k], json_object_get(row, kept[k]));
        if (build && !strcmp(record_text(row, "status"), "ok"))
            json_object_set(build, "invariance", answers);
        json_decref(answers);
    }
}

/* Asks, compiler by compiler, for the builds whose errors could be measured: one that hung would
 * hang again. */
static void measure_bits(struct trial *t)
{
    json_t *policies = json_object(), *row; /* {compiler: its sound builds' policies} */
    const char *cc;
    size_t i;
    json_array_foreach(json_object_get(t->document, "builds"), i, row)
    {
        const char *its = record_text(row, "cc"), *before = record_text(policies, its);
        if (is_sound(row))
            json_object_set_new(
                policies, its,
                json_sprintf("%s%s%s", before, *before ? "," : "", record_text(row, "policy")));
    }
    json_object_foreach(policies, cc, row)
    {
        char filter[512];
        snprintf(filter, sizeof filter, "%s cc=%s policy=%s", mine_and_yours, cc,
                 json_string_value(row));
        json_t *document =
            ask(t, ASK_DIVERGE_S, (const char *const[]){"diverge", "--filter", filter, NULL});
        take_bits(t, document);
        json_decref(document);
    }
    json_decref(policies);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void tell(const struct trial *t, const char *what)
{
    if (!t->request->quiet) fprintf(stderr, "try: %.1f s: %s\n", monotonic_s() - t->begun_s, what);
}

static void tell_error(const struct trial *t)
{
    char text[200];
    const json_t *own = own_build(t);
    double error = own ? error_of(own) : NAN;
    if (isnan(error)) return;
    snprintf(text, sizeof text, "largest error %.3g %s (%s %s); now %s", error,
             json_is_true(json_object_get(own, "near_zero")) ? "u" : "ulp", record_text(own, "cc"),
             record_text(own, "policy"), t->request->quick ? "bits" : "times");
    tell(t, text);
}

static void scan(struct trial *t, const char *shape)
{
    const json_t *own = own_build(t);
    double ns = own ? time_at(own, shape) : NAN;
    char filter[200], folder[PATH_MAX + 16];
    if (!t->unary || !own || !is_sound(own) || isnan(ns)) return;
    const bool sampled = t->request->reference && !t->request->full;
    double seconds = 0x1p32 * (ns + 1) * 1e-9;
    if (!t->request->reference)
        json_object_set_new(t->document, "scan_seconds", record_real(seconds));
    if (seconds > SCAN_S && !t->request->full && !sampled) return;
    tell(t, sampled ? "2^24 inputs, as many of each power of two (scan)" : "every input (scan)");
    snprintf(filter, sizeof filter, "^%s$", record_text(own, "id"));
    snprintf(folder, sizeof folder, "%s/scan", t->workshop.folder);
    const char *all[] = {"scan", t->op, "--filter", filter, "--out", folder, NULL, NULL, NULL};
    if (sampled) all[6] = "--samples", all[7] = "16777216";
    json_t *document = ask(t, sampled ? ASK_SAMPLES_S : 0, all);
    json_t *row = json_array_get(json_object_get(document, "rows"), 0);
    if (row) json_object_set(t->document, "scan", row);
    json_decref(document);
}

int trial_measure(struct trial *t, struct error *e)
{
    /* The shapes: at the first one all policies are compared; all four say where the function
     * stands. */
    static const char main_shape[] = "32x2048";
    static const char other_shapes[] = "8x512,256x4096,4096x4096";
    char filter[1000] = "";
    json_object_set_new(t->document, "unanswered", json_array());
    json_object_set_new(t->document, "copy", json_object());
    json_object_set_new(t->document, "main_shape", json_string(main_shape));
    int code = list_builds(t, e);
    if (code) return code;
    tell(t, "built; now errors");
    measure_errors(t);
    tell_error(t);
    if (!interrupt_requested() && !t->request->quick) measure_times(t, main_shape, NULL);
    advise(t, main_shape);
    const json_t *others = json_object_get(t->document, "others");
    const json_t *advised = build_by_id(t, record_text(t->document, "advised"));
    add_id(filter, sizeof filter, own_build(t));
    add_id(filter, sizeof filter, json_object_get(t->document, "copy"));
    add_id(filter, sizeof filter, advised);
    add_id(filter, sizeof filter, fastest(others, main_shape, is_plain));
    add_id(filter, sizeof filter, fastest(others, main_shape, is_lab));
    add_id(filter, sizeof filter, fastest(others, main_shape, is_library));
    strncat(filter, ")$", sizeof filter - strlen(filter) - 1);
    if (!interrupt_requested() && filter[0] == '^' && !t->request->quick)
        measure_times(t, other_shapes, filter);
    if (!interrupt_requested() && is_any_sound(t)) measure_bits(t);
    if (!interrupt_requested()) scan(t, main_shape);
    json_object_set_new(t->document, "seconds", record_real(monotonic_s() - t->begun_s));
    return interrupt_requested();
}
