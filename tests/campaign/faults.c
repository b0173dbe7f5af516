// SPDX-License-Identifier: MIT
/* Lets every n-th call of a class fail, one after the other, and checks what the job prints, which
 * files it leaves, and whether a second try without a fault gives the results of an undisturbed
 * job. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign.h"

enum { CALLS_MAX = 20000, BRIEF_CALLS = 12, FULL_CALLS = 2000, OUTPUTS_MAX = 3 };

/* ---- What is tried --------------------------------------------------------------------------- */

static const struct class
{
    const char *name;
    int error;
} classes[] = {{"memory", ENOMEM},  {"mmap", ENOMEM},  {"open", EMFILE}, {"read", EIO},
               {"write", ENOSPC},   {"short", ENOSPC}, {"sync", EIO},    {"rename", EIO},
               {"renamed", ESTALE}, {"fork", EAGAIN},  {"pipe", EMFILE}, {"wait", EINTR},
               {"resize", ENOSPC}};
enum { CLASSES = sizeof classes / sizeof *classes };

/* The jobs that are tried; each works on the folder `work`. */
static const struct job {
    const char *name;
    const char *begin; /* what `work` is a copy of; NULL: it does not exist yet */
    const char *arguments[ARGUMENTS_MAX]; /* none: a run into `work`, or its resumption */
    const char *outputs[OUTPUTS_MAX];     /* files that it makes, beside what it prints */
} jobs[] = {
    {"report", "base", {"report", "work"}, {"work/report.md"}},
    {"report html", "base", {"report", "work", "--format", "html"}, {"work/report.html"}},
    {"compare", "base", {"compare", "work", "work"}, {NULL}},
    {"policy", "base", {"policy", "work"}, {NULL}},
    {"export csv", "base", {"export", "work", "--format", "csv"}, {NULL}},
    {"export archive",
     "base",
     {"export", "work", "--format", "archive"},
     {"work/records.tar.zst", "work/summary.json"}},
    {"archive add", "base", {"archive", "add", "work", "--to", "lab.db"}, {NULL}},
    {"list", "base", {"list"}, {NULL}},
    {"run", NULL, {NULL}, {"work/accuracy.jsonl"}},
    {"resume", "half", {NULL}, {"work/accuracy.jsonl"}},
    {"run over", "older", {NULL}, {"work/accuracy.jsonl"}},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

static bool is_run(const struct job *j)
{
    return !j->arguments[0];
}

/* `archive add`, done a second time, prints that it has the run already. */
static bool is_archive(const struct job *j)
{
    return !strcmp(j->arguments[0] ? j->arguments[0] : "", "archive");
}

/* ---- A trial --------------------------------------------------------------------------------- */

/* The expected result: the outcome of an undisturbed job; its outputs are in the files want-0,
 * want-1, .. */
struct wanted {
    const struct job *job;
    struct outcome outcome;
};

struct tally {
    size_t tried, told, unharmed, libraries, broken;
};

static void prepare(const struct campaign *c, const struct job *j)
{
    char line[PLACE_MAX];
    command(c, "rm -rf work .work.* lab.db*");
    if (!j->begin) return;
    snprintf(line, sizeof line, "cp -r %s work", j->begin);
    command(c, line);
}

static struct outcome take(const struct campaign *c, const struct job *j, const struct fault *fault,
                           const char *counts)
{
    const char *run[ARGUMENTS_MAX];
    run_arguments("work", can_resume(c), run);
    return program_run(c, is_run(j) ? run : j->arguments, fault, counts);
}

/* The output of a run contains times, which differ from run to run, and is not compared. */
static bool same_words(const struct wanted *w, const struct outcome *o)
{
    return is_run(w->job) ||
           (w->outcome.out_size == o->out_size && !memcmp(w->outcome.out, o->out, o->out_size));
}

static bool same_outputs(const struct campaign *c, const struct job *j, bool may_lack)
{
    for (size_t i = 0; i < OUTPUTS_MAX && j->outputs[i]; i++) {
        char want[32];
        snprintf(want, sizeof want, "want-%zu", i);
        if (may_lack && !is_there(c, j->outputs[i])) continue;
        if (!same_file(c, want, j->outputs[i])) return false;
    }
    return true;
}

/* Standard error must end with one line "ulplab: .."; processes that a run started may have printed
 * lines before it. */
static bool is_one_message(const struct job *j, const char *text)
{
    const char *last = text ? strrchr(text, '\n') : NULL;
    if (!last || last[1]) return false;
    while (last > text && last[-1] != '\n') last--;
    return (is_run(j) || last == text) && !strncmp(last, "ulplab: ", 8);
}

/* Returns what is wrong with how the job ended, or NULL. */
static const char *wrong_end(const struct campaign *c, const struct wanted *w,
                             const struct outcome *o)
{
    bool usual = o->code == w->outcome.code;
    if (o->code == PROGRAM_SIGNALLED + SIGALRM) return "hangs";
    if (o->code >= PROGRAM_SIGNALLED) return "crashes";
    if (usual && same_words(w, o) && same_outputs(c, w->job, false)) return NULL;
    if (usual) return "says that all is well, and gives something else";
    if (o->code != 3 && o->code != 4) return "ends with a code that says something else";
    if (!is_one_message(w->job, o->err)) return "does not say what happened in one line";
    return NULL;
}

/* Returns what is wrong with the files that the job left, or NULL. */
static const char *wrong_files(const struct campaign *c, const struct job *j)
{
    char which[PLACE_MAX];
    if (has_file_ending(c, "work", ".tmp")) return "leaves a temporary file";
    if (is_run(j) && !strcmp(j->begin ? j->begin : "", "older")) {
        const bool stands = same_file(c, "older/machine.json", "work/machine.json");
        if (!is_one_run(c)) return "mixes two runs";
        return !stands || keeps_files(c, "older", "work", which) ? NULL : "changes the older run";
    }
    if (is_run(j)) {
        bool kept = !j->begin || keeps_lines(c, "half/accuracy.jsonl", "work/accuracy.jsonl");
        return kept ? NULL : "loses what was recorded before";
    }
    if (!same_outputs(c, j, true)) return "leaves half an output";
    return keeps_files(c, j->begin, "work", which) ? NULL : "changes what was recorded before";
}

/* A run is tried again with --resume. If it had reported lost cells, it keeps their rows, and the
 * job is then also run from its start, which must give the expected results. */
static const char *wrong_second_try(const struct campaign *c, const struct wanted *w, int first)
{
    struct outcome o = take(c, w->job, NULL, NULL);
    bool words = is_archive(w->job) || same_words(w, &o);
    bool good = o.code == w->outcome.code && words && same_outputs(c, w->job, false);
    outcome_free(&o);
    if (!good && is_run(w->job) && first == 3) {
        prepare(c, w->job);
        o = take(c, w->job, NULL, NULL);
        good = o.code == w->outcome.code && same_outputs(c, w->job, false);
        outcome_free(&o);
    }
    return good ? NULL : "a second try gives something else";
}

/* An archive is a database, and not compared as text: `archive list` must find it whole, with the
 * run in it once. */
static const char *wrong_archive(const struct campaign *c, const struct job *j)
{
    static const char *const list[ARGUMENTS_MAX] = {"archive", "list", "lab.db"};
    if (!is_archive(j)) return NULL;
    struct outcome o = program_run(c, list, NULL, NULL);
    bool whole = o.code == 0;
    outcome_free(&o);
    return whole ? NULL : "leaves an archive that cannot be read";
}

static void try(struct campaign *c, const struct wanted *w, const struct fault *fault,
                struct tally *t)
{
    bool in_library;
    prepare(c, w->job);
    struct outcome o = take(c, w->job, fault, NULL);
    if (!fault_fired(c, &in_library)) {
        outcome_free(&o);
        return;
    }
    const char *wrong = wrong_end(c, w, &o);
    /* A library may crash or end the program, but must not let a job go on as if nothing had
     * failed. */
    bool ended = o.code >= PROGRAM_SIGNALLED || (o.code != 3 && o.code != 4);
    bool library = wrong && in_library && ended && o.code != w->outcome.code;
    if (library) wrong = NULL;
    if (!wrong) wrong = wrong_files(c, w->job);
    t->tried++;
    if (wrong)
        broken(c, "%s: %s %lu (%s): %s: exit %d: %.300s", w->job->name, fault->class, fault->nth,
               fault->role, wrong, o.code, o.err ? o.err : "");
    const char *second = wrong_second_try(c, w, o.code);
    if (!second) second = wrong_archive(c, w->job);
    if (second && !wrong)
        broken(c, "%s: %s %lu (%s): %s: first exit %d: %.300s", w->job->name, fault->class,
               fault->nth, fault->role, second, o.code, o.err ? o.err : "");
    if (wrong || second)
        t->broken++;
    else if (library)
        t->libraries++;
    else if (o.code == w->outcome.code)
        t->unharmed++;
    else
        t->told++;
    outcome_free(&o);
}

/* ---- Which calls ----------------------------------------------------------------------------- */

/* Reads the shim's lines "CLASS CALLS PLACE ..": calls from new places come first; a full campaign
 * then adds other calls while there is room. */
static size_t calls_of(const struct campaign *c, const char *class, unsigned long calls[CALLS_MAX])
{
    size_t size, count = 0;
    char *text = text_of(c, "counts", &size), *save = NULL, *line = text;
    for (line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save))
        if (!strncmp(line, class, strlen(class)) && line[strlen(class)] == ' ') break;
    char *at = line ? line + strlen(class) : NULL;
    unsigned long all = at ? strtoul(at, &at, 10) : 0;
    while (at && *at && count < CALLS_MAX) calls[count++] = strtoul(at, &at, 10);
    unsigned long step = all / FULL_CALLS + 1;
    for (unsigned long n = 1; !c->brief && n <= all && count < CALLS_MAX; n += step)
        calls[count++] = n;
    free(text);
    return count;
}

static void note(struct campaign *c, const struct job *j, const char *class, const struct tally *t)
{
    if (!t->tried) return;
    json_array_append_new(
        c->lines, json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "record", "faults", "job",
                            j->name, "class", class, "faults", (json_int_t)t->tried, "told",
                            (json_int_t)t->told, "unharmed", (json_int_t)t->unharmed, "libraries",
                            (json_int_t)t->libraries, "broken", (json_int_t)t->broken));
}

/* Tries calls at even distances, because neighbouring calls come from the same place of the
 * program. */
static void try_class(struct campaign *c, const struct wanted *w, const struct class *class,
                      size_t most, double until)
{
    static unsigned long calls[CALLS_MAX];
    static const char *const roles[] = {"lab", "child"};
    struct tally t = {0};
    size_t count = calls_of(c, class->name, calls), step = count > most ? count / most : 1;
    size_t first = step > 1 ? (size_t)(random_share(c) * (double)step) : 0;
    for (size_t r = 0; r < (is_run(w->job) ? 2 : 1); r++)
        for (size_t i = first; i < count && now_s() < until; i += step) {
            struct fault fault = {class->name, roles[r], calls[i], class->error};
            try(c, w, &fault, &t);
        }
    note(c, w->job, class->name, &t);
}

static void learn(struct campaign *c, struct wanted *w)
{
    prepare(c, w->job);
    w->outcome = take(c, w->job, NULL, "counts");
    for (size_t i = 0; i < OUTPUTS_MAX && w->job->outputs[i]; i++) {
        char line[PLACE_MAX];
        snprintf(line, sizeof line, "cp %s want-%zu", w->job->outputs[i], i);
        command(c, line);
    }
    if (w->outcome.code > 1 || !w->outcome.out)
        broken(c, "%s: exit %d without a fault: %s", w->job->name, w->outcome.code,
               w->outcome.err ? w->outcome.err : "");
}

/* Makes an interrupted run: half of its accuracy records are there, and nothing was timed. */
static void make_half(const struct campaign *c)
{
    command(c, "mkdir half && cp base/machine.json base/codegen.jsonl half && "
               "sed -n '1~2p' base/accuracy.jsonl >half/accuracy.jsonl");
}

/* A run takes as long as a hundred of the other jobs, so runs come last and get the remaining time.
 */
void campaign_of_faults(struct campaign *c, double until)
{
    make_half(c);
    for (size_t i = 0; i < JOBS; i++) {
        struct wanted w = {.job = &jobs[i]};
        double left = until - now_s(), end = now_s() + left / (double)(JOBS - i);
        progress(c, "calls fail in: %s", jobs[i].name);
        size_t most = c->brief ? BRIEF_CALLS : CALLS_MAX;
        if (is_run(w.job)) most = c->brief ? 1 : 40;
        learn(c, &w);
        for (size_t k = 0; k < CLASSES; k++) {
            double share = now_s() + (end - now_s()) / (double)(CLASSES - k);
            try_class(c, &w, &classes[k], most, share);
        }
        outcome_free(&w.outcome);
    }
}
