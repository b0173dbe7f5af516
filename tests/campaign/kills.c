/* A run is killed at a random instant and resumed, again and again until it ends: its accuracy is
 * what an undisturbed run records, byte for byte, and every cell is timed once. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign.h"

/* Kills come in the first seconds of a try: what is done by then is kept, and the next goes on. */
static const double longest_s = 2.5;

/* The ids of the cells, sorted, a line each; the caller frees. NULL where one is there twice. */
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
            json_object_set_new(seen, id, json_true());
        }
        json_decref(record);
    }
    if (once) ids = json_dumps(seen, JSON_SORT_KEYS | JSON_COMPACT);
    json_decref(seen);
    free(text);
    return ids;
}

static void check(struct campaign *c, size_t kills)
{
    char *want = cells_of(c, "base/timing.jsonl"), *have = cells_of(c, "work/timing.jsonl");
    if (!same_file(c, "base/accuracy.jsonl", "work/accuracy.jsonl"))
        broken(c, "run: killed %zu times: its accuracy is not that of a run", kills);
    if (!want || !have || strcmp(want, have) != 0)
        broken(c, "run: killed %zu times: a cell is not timed once", kills);
    free(want);
    free(have);
}

/* Returns the kills that it survived. */
static size_t one_chain(struct campaign *c, double until)
{
    const char *arguments[ARGUMENTS_MAX];
    size_t kills = 0;
    struct outcome o = {.code = PROGRAM_SIGNALLED + SIGKILL};
    command(c, "rm -rf work");
    while (o.code == PROGRAM_SIGNALLED + SIGKILL) {
        run_arguments("work", is_there(c, "work/machine.json"), arguments);
        o = now_s() < until ? program_kill(c, arguments, random_share(c) * longest_s)
                            : program_run(c, arguments, NULL, NULL);
        kills += o.code == PROGRAM_SIGNALLED + SIGKILL;
        if (o.code && o.code != PROGRAM_SIGNALLED + SIGKILL)
            broken(c, "run: killed %zu times: exit %d: %.300s", kills, o.code, o.err ? o.err : "");
        outcome_free(&o);
    }
    if (o.code == 0) check(c, kills);
    return kills;
}

void campaign_of_kills(struct campaign *c, double until)
{
    size_t kills = 0, runs = 0, before = c->broken;
    for (; now_s() < until; runs++) kills += one_chain(c, until);
    json_array_append_new(c->lines, json_pack("{s:s, s:I, s:I, s:I}", "record", "kills", "kills",
                                              (json_int_t)kills, "runs", (json_int_t)runs, "broken",
                                              (json_int_t)(c->broken - before)));
}
