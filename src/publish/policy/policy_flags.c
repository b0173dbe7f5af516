#include "publish/policy/policy_flags.h"

#include <stdio.h>
#include <string.h>

#include "model/record.h"

enum { WORDS_MAX = 64 };

struct words {
    char text[1024];
    const char *items[WORDS_MAX];
    size_t count;
};

static void split(const char *command, struct words *w)
{
    char *save = NULL;
    w->count = 0;
    snprintf(w->text, sizeof w->text, "%s", command);
    for (char *t = strtok_r(w->text, " ", &save); t && w->count < WORDS_MAX;
         t = strtok_r(NULL, " ", &save))
        w->items[w->count++] = t;
}

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* The index of the first flag after the optimisation and the ISA's flags: the Makefile puts the
 * policy's flags there. */
static size_t behind_isa(const struct words *w)
{
    size_t i = 0;
    while (i < w->count && !starts(w->items[i], "-O")) i++;
    for (i++; i < w->count && (starts(w->items[i], "-m") || starts(w->items[i], "-fno-tree-"));)
        i++;
    return i < w->count ? i : w->count;
}

static size_t common_words(const struct words *a, const struct words *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count && !strcmp(a->items[i], b->items[i])) i++;
    return i;
}

/* The compile command of one kernel under a policy (NULL: any). any: of the first kernel found,
 * which *as receives; else of the kernel and ISA of *as under another policy. */
static const char *find_command(const struct results *r, const char *cc, const char *policy,
                                struct axes *as, bool any)
{
    const json_t *record;
    size_t i;
    json_array_foreach(r->codegen, i, record)
    {
        struct axes a;
        if (strcmp(record_text(record, "record"), "codegen") ||
            !axes_parse(record_text(record, "id"), &a) || strcmp(a.cc, cc) ||
            (policy && strcmp(a.policy, policy)))
            continue;
        if (!any && (strcmp(a.isa, as->isa) || strcmp(a.algorithm, as->algorithm) ||
                     strcmp(a.op, as->op) || !strcmp(a.policy, as->policy)))
            continue;
        *as = a;
        return record_text(record, "declared");
    }
    return NULL;
}

/* A policy's flags begin after the ISA's. If the policy itself begins with -m.., they begin where
 * the command differs from another policy's. They end before the include folders. */
void policy_flags(const struct results *r, const char *cc, const char *policy, char *flags,
                  size_t size)
{
    struct axes as;
    struct words own, other;
    const char *command = find_command(r, cc, policy, &as, true);
    flags[0] = '\0';
    if (!command) return;
    split(command, &own);
    size_t begin = behind_isa(&own);
    const char *another = find_command(r, cc, NULL, &as, false);
    if (another) {
        split(another, &other);
        size_t common = common_words(&own, &other);
        if (common < begin) begin = common;
    }
    for (size_t i = begin, length = 0;
         i < own.count && !starts(own.items[i], "-I") && length < size; i++)
        length += (size_t)snprintf(flags + length, size - length, "%s%s", length ? " " : "",
                                   own.items[i]);
}
