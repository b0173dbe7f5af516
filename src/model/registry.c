#include "model/registry.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b)
{
    const struct variant *x = a, *y = b;
    int c = strcmp(x->op, y->op);
    if (!c) c = strcmp(x->algorithm, y->algorithm);
    if (!c) c = strcmp(x->dtype, y->dtype);
    /* Within a kernel, the order of the Makefile's axes is the order in which people think. */
    if (!c) c = x->build < y->build ? -1 : x->build > y->build;
    return c;
}

/* op and algorithm of an unbuilt kernel come from its file's name, <op>_<algorithm>.c. */
static void name_from_source(struct variant *v, const char *source)
{
    const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source;
    size_t op = strcspn(base, "_.");
    snprintf(v->op, sizeof v->op, "%.*s", (int)op, base);
    base += op + (base[op] == '_');
    snprintf(v->algorithm, sizeof v->algorithm, "%.*s", (int)strcspn(base, "."), base);
}

static struct variant variant_of(const struct build_record *b, const struct cpu *cpu)
{
    struct variant v = {.dtype = "f32",
                        .isa = b->isa,
                        .cc = b->cc,
                        .policy = b->policy,
                        .build = b,
                        .kernel = b->kernel};
    if (b->kernel) {
        snprintf(v.op, sizeof v.op, "%s", b->kernel->op);
        snprintf(v.algorithm, sizeof v.algorithm, "%s", b->kernel->algorithm);
        v.dtype = b->kernel->dtype;
        if (!cpu_supports(cpu, b->isa, v.reason, sizeof v.reason)) v.status = STATUS_SKIPPED;
    } else {
        name_from_source(&v, b->source);
        v.status = STATUS_UNBUILT;
        snprintf(v.reason, sizeof v.reason, "%s", b->build_error);
    }
    snprintf(v.id, sizeof v.id, "%s/%s/dtype=%s/isa=%s/cc=%s/policy=%s", v.op, v.algorithm, v.dtype,
             v.isa, v.cc, v.policy);
    return v;
}

/* The value of the axis that `key` (of `length`) names, or NULL. */
static const char *axis(const struct variant *v, const char *key, size_t length)
{
    const struct {
        const char *name, *value;
    } axes[] = {{"op", v->op}, {"algorithm", v->algorithm}, {"dtype", v->dtype}, {"isa", v->isa},
                {"cc", v->cc}, {"policy", v->policy}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (strlen(axes[i].name) == length && !strncmp(axes[i].name, key, length))
            return axes[i].value;
    return NULL;
}

static bool in_list(const char *value, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        if (strlen(value) == length && !strncmp(value, list, length)) return true;
        list += length + (list[length] == ',');
    }
    return false;
}

static int term_matches(const struct variant *v, const char *term, bool *match, struct error *e)
{
    const char *equals = strchr(term, '=');
    const char *value =
        equals && !strchr(term, '/') ? axis(v, term, (size_t)(equals - term)) : NULL;
    if (value) {
        *match = in_list(value, equals + 1);
        return 0;
    }
    regex_t regex;
    if (regcomp(&regex, term, REG_EXTENDED | REG_NOSUB) != 0)
        return fail(e, EXIT_USAGE, "--filter: '%s': not a regular expression; see --help", term);
    *match = regexec(&regex, v->id, 0, NULL, 0) == 0;
    regfree(&regex);
    return 0;
}

static int filters_match(const struct variant *v, const char *const *filters, size_t count,
                         bool *match, struct error *e)
{
    *match = true;
    for (size_t i = 0; i < count && *match; i++) {
        char *terms = strdup(filters[i]), *save = NULL;
        int code = 0;
        for (char *t = strtok_r(terms, " ", &save); t && *match && !code;
             t = strtok_r(NULL, " ", &save))
            code = term_matches(v, t, match, e);
        free(terms);
        if (code) return code;
    }
    return 0;
}

int registry_open(struct registry *r, const struct cpu *cpu, const char *const *filters,
                  size_t filter_count, struct error *e)
{
    *r = (struct registry){.variants = calloc(build_record_count + 1, sizeof *r->variants)};
    if (!r->variants)
        return fail(e, EXIT_PARTIAL, "registry: out of memory: %zu variants; free some",
                    build_record_count);
    for (size_t i = 0; i < build_record_count; i++) {
        struct variant v = variant_of(&build_records[i], cpu);
        bool match;
        int code = filters_match(&v, filters, filter_count, &match, e);
        if (code) return registry_close(r), code;
        if (match) r->variants[r->count++] = v;
    }
    if (!r->count) {
        registry_close(r);
        return fail(e, EXIT_USAGE, "--filter: no variant matches; 'ulplab list' shows them all");
    }
    qsort(r->variants, r->count, sizeof *r->variants, by_place);
    return 0;
}

void registry_close(struct registry *r)
{
    free(r->variants);
    *r = (struct registry){0};
}

const struct variant *registry_find(const struct registry *r, const char *id)
{
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->variants[i].id, id)) return &r->variants[i];
    return NULL;
}

enum promise_class policy_promises(const char *policy)
{
    static const struct {
        const char *policy;
        enum promise_class class;
    } table[] = {{"off", PROMISES_OFF},
                 {"O2", PROMISES_OFF},
                 {"on", PROMISES_FUSED},
                 {"default", PROMISES_FUSED},
                 {"fast", PROMISES_FUSED}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].policy, policy)) return table[i].class;
    return PROMISES_NOTHING;
}
