#include "cmd/folder.h"

#include <stdio.h>

#include "machine/cpu.h"

int folder_word(const char *what, const char *word, char *folder, size_t size, struct error *e)
{
    if ((size_t)snprintf(folder, size, "%s", word) < size) return 0;
    return fail(e, EXIT_USAGE, "%s: %.40s..: longer than %zu bytes; name a shorter path", what,
                word, size - 1);
}

int results_folder(const struct options *o, char *folder, size_t size, struct error *e)
{
    if (o->out) return folder_word("--out", o->out, folder, size, e);
    struct cpu cpu;
    char slug[64];
    int code = cpu_detect(&cpu, NULL, e);
    if (code) return code;
    cpu_slug(&cpu, slug, sizeof slug);
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
    if (o->positional.count > 1)
        return fail(e, EXIT_USAGE, "%s: %zu folders; give one", command, o->positional.count);
    if (!o->positional.count) return results_folder(o, folder, size, e);
    int code = folder_word(command, o->positional.items[0], folder, size, e);
    return code ? code : refuse_second_folder(command, o, folder, e);
}
