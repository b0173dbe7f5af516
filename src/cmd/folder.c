// SPDX-License-Identifier: MIT
#include "cmd/folder.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/run_place.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#include "measure/accuracy_inputs.h"
#include "model/date.h"
#include "model/record.h"
#include "study/workshop.h"

int folder_word(const char *what, const char *word, char *folder, size_t size, struct error *e)
{
    if ((size_t)snprintf(folder, size, "%s", word) < size) return 0;
    return fail(e, EXIT_USAGE, "%s: %.40s..: longer than %zu bytes; name a shorter path", what,
                word, size - 1);
}

/* Something is there, and it is no folder of results. */
static bool is_something_else(const char *word, bool values)
{
    struct stat st;
    if (values && !strchr(word, '/')) return false;
    return !record_is_folder(word) && stat(word, &st) == 0;
}

int keep_result_folders(const char *command, bool values, const struct strings *words,
                        struct strings *kept, struct error *e)
{
    *kept = (struct strings){.count = 0};
    for (size_t i = 0; i < words->count; i++)
        if (words->count > 1 && is_something_else(words->items[i], values))
            note("skipped: %s: no folder of results", words->items[i]);
        else
            kept->items[kept->count++] = words->items[i];
    if (kept->count || !words->count) return 0;
    return fail(e, EXIT_BAD_INPUT,
                "%s: none of %zu names is a folder of results; 'ulplab run' makes one", command,
                words->count);
}

/* The places of this CPU's results under the current folder. */
struct places {
    char local[100], published[100];
};

static int find_places(struct places *p, struct error *e)
{
    struct cpu cpu;
    char slug[64];
    int code = cpu_detect(&cpu, NULL, e);
    if (code) return code;
    machine_slug(&cpu, slug, sizeof slug);
    snprintf(p->local, sizeof p->local, "results/local/%s", slug);
    snprintf(p->published, sizeof p->published, "results/%s", slug);
    return 0;
}

static bool folder_is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Reads when the folder's run began, "" if it does not say, or says what is to come; returns false
 * if there is none. */
static bool began(const char *folder, char date[DATE_SIZE])
{
    struct error none;
    json_t *machine;
    char now[DATE_SIZE];
    const bool there = record_read_machine(folder, &machine, &none) == 0;
    snprintf(date, DATE_SIZE, "%s", there ? record_text(machine, "started") : "");
    date_now(now);
    if (strcmp(date, now) > 0) date[0] = '\0';
    json_decref(machine);
    return there;
}

static const char *newest(const struct places *p)
{
    char local[DATE_SIZE], published[DATE_SIZE];
    const bool has_local = began(p->local, local), has_published = began(p->published, published);
    const bool newer = has_published && (!has_local || strcmp(published, local) > 0);
    return newer ? p->published : p->local;
}

int results_folder(const struct options *o, char *folder, size_t size, struct error *e)
{
    struct places p;
    if (o->out) return folder_word("--out", o->out, folder, size, e);
    int code = find_places(&p, e);
    if (code) return code;
    if (!folder_is_there(p.local) && folder_is_there(p.published))
        code = record_outliving_copy(p.published, p.local, e);
    snprintf(folder, size, "%s", p.local);
    return code;
}

int results_to_read(const struct options *o, char *folder, size_t size, struct error *e)
{
    struct places p;
    if (o->out) return folder_word("--out", o->out, folder, size, e);
    int code = find_places(&p, e);
    if (!code) snprintf(folder, size, "%s", newest(&p));
    return code;
}

/* A name relative to the current folder, where that is the lab's, is the same on every machine. */
static int finds_of_the_lab(char *folder, size_t size, struct error *e)
{
    char root[PATH_MAX], path[PATH_MAX + 16], here[PATH_MAX];
    const bool elsewhere =
        workshop_sources(root) && (!getcwd(here, sizeof here) || strcmp(root, here) != 0);
    snprintf(path, sizeof path, "%s%sresults", elsewhere ? root : "", elsewhere ? "/" : "");
    return folder_word("the lab's sources", path, folder, size, e);
}

int finds_folder(const struct options *o, char *folder, size_t size, struct error *e)
{
    return o->out ? folder_word("--out", o->out, folder, size, e)
                  : finds_of_the_lab(folder, size, e);
}

int finds_to_replay(const struct options *o, char *folder, size_t size, struct error *e)
{
    char path[PATH_MAX];
    int code = finds_folder(o, folder, size, e);
    snprintf(path, sizeof path, "%s/" ADVERSARIAL, folder);
    return !code && o->out && !folder_is_there(path) ? finds_of_the_lab(folder, size, e) : code;
}

int refuse_second_folder(const char *command, const struct options *o, const char *word,
                         struct error *e)
{
    if (!o->out) return 0;
    return fail(e, EXIT_USAGE, "%s: --out: %s is the folder of results; leave --out out", command,
                word);
}

int named_folder(const char *command, const struct options *o, char *folder, size_t size,
                 struct error *e)
{
    struct strings words;
    int code = keep_result_folders(command, false, &o->positional, &words, e);
    if (code) return code;
    if (words.count > 1)
        return fail(e, EXIT_USAGE, "%s: %zu folders; give one", command, words.count);
    code = words.count ? folder_word(command, words.items[0], folder, size, e)
                       : results_to_read(o, folder, size, e);
    if (!code && words.count) code = refuse_second_folder(command, o, folder, e);
    if (!code && !o->quiet) run_place_note(folder);
    return code;
}
