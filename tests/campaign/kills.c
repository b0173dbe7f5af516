// SPDX-License-Identifier: MIT
/* A run is harmed at a random instant and resumed, again and again until it ends by itself: its
 * accuracy is what an undisturbed run records, byte for byte, and every cell is timed once. Every
 * second one is over the folder of another build's run, which stands whole until then. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "campaign.h"

/* Harm comes at most this long after the start of a try; often enough early, so that the tries of a
 * chain get further only step by step. */
static const double longest_s = 2;
enum { CODES = 2, SIGNALLED_KILL = PROGRAM_SIGNALLED + SIGKILL, INTERRUPTED = 130, CHAIN_MAX = 16 };

/* ---- What is done to a run ------------------------------------------------------------------- */

/* Each function returns whether there was a process to act on. */

static bool kill_run(struct campaign *c, pid_t run)
{
    (void)c;
    return kill(run, SIGKILL) == 0;
}

static bool kill_worker(struct campaign *c, pid_t run)
{
    pid_t worker = worker_of(c, run);
    return worker && kill(worker, SIGKILL) == 0;
}

static bool stop_worker(struct campaign *c, pid_t run)
{
    pid_t worker = worker_of(c, run);
    if (!worker || kill(worker, SIGSTOP) != 0) return false;
    usleep((useconds_t)(5e4 + 2e5 * random_share(c)));
    kill(worker, SIGCONT);
    return true;
}

/* The second signal arrives while the first is being handled. */
static bool interrupt_twice(struct campaign *c, pid_t run)
{
    kill(run, SIGINT);
    usleep((useconds_t)(2e4 * random_share(c)));
    return kill(run, SIGINT) == 0;
}

/* Limits the worker's memory: from here on it cannot map another page. */
static bool starve_worker(struct campaign *c, pid_t run)
{
    const struct rlimit nothing = {4096, 4096};
    pid_t worker = worker_of(c, run);
    return worker && prlimit(worker, RLIMIT_AS, &nothing, NULL) == 0;
}

static const struct harm {
    const char *name;
    bool (*act)(struct campaign *c, pid_t run);
    int codes[CODES]; /* exit codes besides 0 with which the run may end */
    size_t most;      /* how often in one run */
    size_t weight;    /* relative frequency among the harms */
} harms[] = {
    {"kill -9 of the run", kill_run, {SIGNALLED_KILL, SIGNALLED_KILL}, 1, 8},
    {"kill -9 of a worker", kill_worker, {3, 3}, 6, 4},
    {"SIGSTOP, SIGCONT of a worker", stop_worker, {0, 0}, 6, 1},
    {"SIGINT twice", interrupt_twice, {INTERRUPTED, PROGRAM_SIGNALLED + SIGINT}, 1, 1},
    {"no more memory for a worker", starve_worker, {3, 3}, 3, 1},
};
enum { HARMS = sizeof harms / sizeof *harms };

static size_t random_harm(struct campaign *c)
{
    size_t sum = 0, i = 0;
    for (size_t k = 0; k < HARMS; k++) sum += harms[k].weight;
    for (size_t place = (size_t)(random_share(c) * (double)sum); place >= harms[i].weight; i++)
        place -= harms[i].weight;
    return i;
}

/* ---- What has to hold ------------------------------------------------------------------------ */

/* Returns the ids of the cells with their states, sorted, or NULL if a cell is there twice. The
 * caller frees them. */
static char *cells_of(const struct campaign *c, const char *name)
{
    size_t size;
    char *text = text_of(c, name, &size), *save = NULL, *ids = NULL;
    json_t *seen = json_object();
    bool once = text != NULL;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        json_t *record = json_loads(line, 0, NULL);
        const char *kind = json_string_value(json_object_get(record, "record"));
        const char *id = json_string_value(json_object_get(record, "id"));
        once = once && record;
        if (kind && id && !strcmp(kind, "timing")) {
            once = once && !json_object_get(seen, id);
            json_object_set(seen, id, json_object_get(record, "status"));
        }
        json_decref(record);
    }
    if (once) ids = json_dumps(seen, JSON_SORT_KEYS | JSON_COMPACT);
    json_decref(seen);
    free(text);
    return ids;
}

bool same_results(struct campaign *c, const char *after)
{
    if (!is_one_run(c)) {
        broken(c, "run: %s: records of another run", after);
        return false;
    }
    char *want = cells_of(c, "short/timing.jsonl"), *have = cells_of(c, "work/timing.jsonl");
    bool accuracy = same_file(c, "short/accuracy.jsonl", "work/accuracy.jsonl");
    bool times = want && have && !strcmp(want, have);
    if (!accuracy) broken(c, "run: %s: its accuracy is not that of a run", after);
    if (!times) broken(c, "run: %s: a cell is not timed once: %s", after, have ? have : "none");
    free(want);
    free(have);
    return accuracy && times;
}

/* ---- Chains ---------------------------------------------------------------------------------- */

struct tallies {
    size_t tried[HARMS], broken[HARMS];
    size_t in_chain;
};

static bool may_end(const struct harm *h, int code)
{
    bool may = code == 0;
    for (size_t i = 0; i < CODES; i++) may = may || code == h->codes[i];
    return may;
}

/* Returns whether `work` still holds the older run, complete, or a newer run in its place. */
static bool older_stands(struct campaign *c)
{
    char which[PLACE_MAX];
    const bool stands = same_file(c, "older/machine.json", "work/machine.json");
    return stands ? keeps_files(c, "older", "work", which) : is_one_run(c);
}

/* Makes one try, harmed or not. Returns its exit code, or -1 if it may not end like that. */
static int one_try(struct campaign *c, struct tallies *t, bool harmless, size_t *last)
{
    const char *arguments[ARGUMENTS_MAX];
    size_t i = random_harm(c), done = 0;
    double share = random_share(c), after = longest_s * share * share;
    short_run("work", can_resume(c), arguments);
    struct outcome o = harmless
                           ? program_run(c, arguments, NULL, NULL)
                           : program_harm(c, arguments, after, harms[i].act, harms[i].most, &done);
    bool good = done ? may_end(&harms[i], o.code) : o.code == 0;
    if (done) t->tried[i] += done, t->in_chain += done, *last = i;
    if (good && !older_stands(c)) {
        broken(c, "run: %s: an older run is not whole, and no newer one is there", harms[i].name);
        t->broken[*last]++;
    }
    if (!good) {
        broken(c, "run: %s: exit %d: %.300s", done ? harms[i].name : "resumed", o.code,
               o.err ? o.err : "");
        t->broken[*last]++;
        o.code = -1;
    }
    int code = o.code;
    outcome_free(&o);
    return code;
}

/* Harms and resumes a run until it ends. A run that ends well in spite of harm must have all
 * results, too. */
static void one_chain(struct campaign *c, double until, struct tallies *t)
{
    size_t last = 0;
    int code = 1;
    command(c, "rm -rf work .work.*");
    if (random_share(c) < 0.5) command(c, "cp -r older work");
    for (t->in_chain = 0; code > 0;)
        code = one_try(c, t, t->in_chain >= CHAIN_MAX || now_s() >= until, &last);
    if (code == 0 && !same_results(c, harms[last].name)) t->broken[last]++;
}

void campaign_of_kills(struct campaign *c, double until)
{
    const double every_s = 30;
    struct tallies t = {0};
    double next = now_s() + every_s;
    for (size_t chains = 0; now_s() < until; chains++) {
        one_chain(c, until, &t);
        if (now_s() < next) continue;
        next += every_s;
        progress(c, "%zu runs harmed and resumed to their end", chains + 1);
    }
    for (size_t i = 0; i < HARMS; i++) note_harm(c, harms[i].name, t.tried[i], t.broken[i]);
}
