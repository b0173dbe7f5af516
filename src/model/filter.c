// SPDX-License-Identifier: MIT
#include "model/filter.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"

/* Returns the value of the axis that `key` (of `length`) names, or NULL. */
static const char *axis(const struct place *p, const char *key, size_t length)
{
    const struct {
        const char *name, *value;
    } axes[] = {{"op", p->op}, {"algorithm", p->algorithm}, {"dtype", p->dtype}, {"isa", p->isa},
                {"cc", p->cc}, {"policy", p->policy}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (strlen(axes[i].name) == length && !strncmp(axes[i].name, key, length))
            return axes[i].value;
    return NULL;
}

/* Returns n of "{n}" and "{m,n}"; `counts` points behind the brace. */
static double repeats_of(const char *counts)
{
    const char *comma = counts + strcspn(counts, ",}");
    double least = strtod(counts, NULL), most = *comma == ',' ? strtod(comma + 1, NULL) : 0;
    return fmax(fabs(least), fabs(most));
}

/* Returns how large regcomp() may make an expression, in parts: it copies what is repeated, once
 * for + and n times for {m,n}, and copies of copies for nested repeats. */
static double expanded_size(const char *term)
{
    double size = (double)strlen(term);
    for (; *term; term++) {
        if (*term == '+') size *= 2;
        if (*term == '{') size *= 1 + repeats_of(term + 1);
        term += *term == '\\' && term[1]; /* an escaped character repeats nothing */
    }
    return size;
}

/* Refuses an expression that would take all memory, or all of the stack, although it fits a command
 * line. */
static int refuse_large(const char *term, struct error *e)
{
    static const double size_max = 5000; /* regcomp()'s time grows with the square */
    static const size_t length_max = 1000;
    if (strlen(term) > length_max)
        return fail(e, EXIT_USAGE, "--filter: '%.40s..': longer than %zu bytes; shorten it", term,
                    length_max);
    if (expanded_size(term) <= size_max) return 0;
    return fail(e, EXIT_USAGE, "--filter: '%s': too many repetitions; remove some + or {}", term);
}

static int term_matches(const struct place *p, const char *term, bool *match, struct error *e)
{
    const char *equals = strchr(term, '=');
    const char *value =
        equals && !strchr(term, '/') ? axis(p, term, (size_t)(equals - term)) : NULL;
    if (value) {
        *match = list_has(equals + 1, ',', value);
        return 0;
    }
    regex_t regex;
    int code = refuse_large(term, e);
    if (code) return code;
    int refused = regcomp(&regex, term, REG_EXTENDED | REG_NOSUB);
    if (refused == REG_ESPACE)
        return fail(e, EXIT_PARTIAL, "out of memory: --filter: '%s'; free some memory", term);
    if (refused)
        return fail(e, EXIT_USAGE, "--filter: '%s': not a regular expression; see --help", term);
    *match = regexec(&regex, p->id, 0, NULL, 0) == 0;
    regfree(&regex);
    return 0;
}

int filter_matches(const struct place *p, const char *const *filters, size_t count, bool *match,
                   struct error *e)
{
    *match = true;
    for (size_t i = 0; i < count && *match; i++) {
        char *terms = memory_copy(filters[i]), *save = NULL;
        int code = 0;
        for (char *t = strtok_r(terms, " ", &save); t && *match && !code;
             t = strtok_r(NULL, " ", &save))
            code = term_matches(p, t, match, e);
        free(terms);
        if (code) return code;
    }
    return 0;
}
