#include "cmd/folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/note.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#include "model/record.h"

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

int results_folder(const struct options *o, char *folder, size_t size, struct error *e)
{
    if (o->out) return folder_word("--out", o->out, folder, size, e);
    struct cpu cpu;
    char slug[64];
    int code = cpu_detect(&cpu, NULL, e);
    if (code) return code;
    machine_slug(&cpu, slug, sizeof slug);
    snprintf(folder, size, "results/%s", slug);
    return 0;
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
    if (!words.count) return results_folder(o, folder, size, e);
    code = folder_word(command, words.items[0], folder, size, e);
    return code ? code : refuse_second_folder(command, o, folder, e);
}
