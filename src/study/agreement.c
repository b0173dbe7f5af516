// SPDX-License-Identifier: MIT
#include "study/agreement.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void names_add(struct names *n, const char *name)
{
    for (size_t i = 0; i < n->count; i++)
        if (!strcmp(n->items[i], name)) return;
    if (n->count < NAMES_MAX) n->items[n->count++] = name;
}

const char *const axis_names[AXIS_COUNT] = {"algorithm", "isa", "cc", "policy"};

const char *axis_value(const struct variant *v, enum axis a)
{
    const char *const values[AXIS_COUNT] = {v->algorithm, v->isa, v->cc, v->policy};
    return values[a];
}

static bool differ_in_this_alone(const struct variant *v, const struct variant *w, enum axis a)
{
    bool same = true;
    for (enum axis b = 0; b < AXIS_COUNT; b++)
        same = same && (b == a) == (strcmp(axis_value(v, b), axis_value(w, b)) != 0);
    return same;
}

enum answer agreement_along(const struct agreement *g, size_t variant, enum axis a)
{
    enum answer answer = ANSWER_NONE;
    if (g->class_of[variant] == NO_CLASS) return answer;
    for (size_t i = 0; i < g->count && answer != ANSWER_NO; i++)
        if (g->class_of[i] != NO_CLASS &&
            differ_in_this_alone(g->variants[variant], g->variants[i], a))
            answer = g->class_of[i] == g->class_of[variant] ? ANSWER_YES : ANSWER_NO;
    return answer;
}

/* ---- Builds: {compiler, policy} -------------------------------------------------------------- */

struct build {
    const char *cc, *policy;
};

static bool is_build(const struct variant *v, struct build b)
{
    return !strcmp(v->cc, b.cc) && !strcmp(v->policy, b.policy);
}

/* Returns whether two builds agree on every algorithm and ISA that both have; false if they share
 * none. */
static bool builds_agree(const struct agreement *g, struct build a, struct build b)
{
    bool any = false;
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->count; k++) {
            const struct variant *v = g->variants[i], *w = g->variants[k];
            if (!is_build(v, a) || !is_build(w, b) || strcmp(v->isa, w->isa) ||
                strcmp(v->algorithm, w->algorithm) || g->class_of[i] == NO_CLASS ||
                g->class_of[k] == NO_CLASS)
                continue;
            if (g->class_of[i] != g->class_of[k]) return false;
            any = true;
        }
    return any;
}

/* Lists the builds of which some variant ran to its end. */
static size_t builds_of(const struct agreement *g, struct build builds[NAMES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < g->count; i++) {
        if (g->class_of[i] == NO_CLASS) continue;
        struct build b = {g->variants[i]->cc, g->variants[i]->policy};
        bool known = false;
        for (size_t k = 0; k < count; k++) known = known || is_build(g->variants[i], builds[k]);
        if (!known && count < NAMES_MAX) builds[count++] = b;
    }
    return count;
}

/* Writes which builds agree: "gcc-12 default and gcc-12 fast are one; ..., clang-14 fast is
 * another". */
static void write_builds(FILE *out, const struct agreement *g)
{
    struct build builds[NAMES_MAX];
    bool told[NAMES_MAX] = {false};
    size_t count = builds_of(g, builds), groups = 0;
    for (size_t i = 0; i < count; i++) {
        if (told[i]) continue;
        size_t last = i;
        for (size_t k = i + 1; k < count; k++)
            if (builds_agree(g, builds[i], builds[k])) last = k;
        fprintf(out, "%s%s %s", groups ? "; " : "", builds[i].cc, builds[i].policy);
        for (size_t k = i + 1; k <= last; k++) {
            if (!builds_agree(g, builds[i], builds[k])) continue;
            told[k] = true;
            fprintf(out, "%s%s %s", k == last ? " and " : ", ", builds[k].cc, builds[k].policy);
        }
        fputs(last > i ? " are one" : groups ? " is another" : " stands alone", out);
        groups++;
    }
}

/* ---- Algorithms ------------------------------------------------------------------------------ */

/* Returns the number of classes that an algorithm's variants fall into. */
static size_t patterns_of(const struct agreement *g, const char *algorithm, size_t *variants)
{
    size_t patterns = 0;
    *variants = 0;
    for (size_t i = 0; i < g->count; i++) {
        if ((algorithm && strcmp(g->variants[i]->algorithm, algorithm)) ||
            g->class_of[i] == NO_CLASS)
            continue;
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = (!algorithm || !strcmp(g->variants[k]->algorithm, algorithm)) &&
                   g->class_of[k] == g->class_of[i];
        patterns += !seen;
        ++*variants;
    }
    return patterns;
}

static void write_algorithms(FILE *out, const struct agreement *g)
{
    struct names algorithms = {.count = 0};
    for (size_t i = 0; i < g->count; i++) names_add(&algorithms, g->variants[i]->algorithm);
    for (size_t i = 0; i < algorithms.count; i++) {
        size_t variants, patterns = patterns_of(g, algorithms.items[i], &variants);
        if (patterns == 1 && variants > 1)
            fprintf(out, " All %zu builds of %s give one bit pattern.", variants,
                    algorithms.items[i]);
    }
}

char *agreement_sentence(const struct agreement *g)
{
    char *text = NULL;
    size_t size = 0, variants, patterns = patterns_of(g, NULL, &variants);
    FILE *out = memory_text(&text, &size);
    if (!variants)
        fputs("No variant ran to completion: their bits are unknown.", out);
    else
        fprintf(out, "%zu variant%s %zu bit pattern%s", variants,
                variants == 1 ? " gives" : "s give", patterns,
                patterns == 1 ? "." : "s: over all algorithms and ISAs, ");
    if (patterns > 1) {
        write_builds(out, g);
        fputc('.', out);
        write_algorithms(out, g);
    }
    memory_text_close(out);
    return text;
}

/* ---- Members --------------------------------------------------------------------------------- */

static void write_names(FILE *out, const struct names *n)
{
    if (n->count > 1) fputc('{', out);
    for (size_t i = 0; i < n->count; i++) fprintf(out, "%s%s", i ? "," : "", n->items[i]);
    if (n->count > 1) fputc('}', out);
}

/* Returns the values on an axis of a class's variants; cc: of that compiler's alone, or NULL. */
static struct names values_in_class(const struct agreement *g, size_t class, enum axis a,
                                    const char *cc)
{
    struct names values = {.count = 0};
    for (size_t i = 0; i < g->count; i++)
        if (g->class_of[i] == class && (!cc || !strcmp(g->variants[i]->cc, cc)))
            names_add(&values, axis_value(g->variants[i], a));
    return values;
}

static bool same_names(const struct names *a, const struct names *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++) same = !strcmp(a->items[i], b->items[i]);
    return same;
}

/* Writes a class's builds: "{gcc-12,clang-14} {off,on}", or "gcc-12 {off,on} clang-14 off" where
 * they differ. */
static void write_builds_of(FILE *out, const struct agreement *g, size_t class)
{
    const struct names compilers = values_in_class(g, class, AXIS_CC, NULL);
    bool told[NAMES_MAX] = {false};
    for (size_t i = 0; i < compilers.count; i++) {
        if (told[i]) continue;
        const struct names policies = values_in_class(g, class, AXIS_POLICY, compilers.items[i]);
        struct names alike = {.count = 0};
        for (size_t k = i; k < compilers.count; k++) {
            const struct names others = values_in_class(g, class, AXIS_POLICY, compilers.items[k]);
            if (!same_names(&policies, &others)) continue;
            told[k] = true;
            names_add(&alike, compilers.items[k]);
        }
        fputc(' ', out);
        write_names(out, &alike);
        fputc(' ', out);
        write_names(out, &policies);
    }
}

char *agreement_members(const struct agreement *g, size_t class)
{
    const struct names algorithms = values_in_class(g, class, AXIS_ALGORITHM, NULL),
                       isas = values_in_class(g, class, AXIS_ISA, NULL);
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text(&text, &size);
    write_names(out, &algorithms);
    fputc(' ', out);
    write_names(out, &isas);
    write_builds_of(out, g, class);
    memory_text_close(out);
    return text;
}

/* ---- Classes of equal bits ------------------------------------------------------------------ */

void partition_open(struct partition *p, enum family family, size_t n, size_t rows, size_t variants)
{
    *p = (struct partition){.family = family,
                            .n = n,
                            .rows = rows,
                            .variants = variants,
                            .class_of = memory_zeroed(variants, sizeof *p->class_of),
                            .representative = memory_zeroed(variants, sizeof *p->representative),
                            .bits = memory_zeroed(variants, sizeof *p->bits),
                            .pairs = memory_zeroed(variants * variants, sizeof *p->pairs)};
}

void partition_close(struct partition *p)
{
    free(p->class_of);
    free(p->representative);
    free(p->bits);
    free(p->pairs);
}

struct distance *partition_distance(const struct partition *p, size_t a, size_t b)
{
    return &p->pairs[(a < b ? a : b) * p->variants + (a < b ? b : a)];
}

size_t partition_find(const struct partition *p, uint64_t bits)
{
    size_t class = 0;
    while (class < p->class_count && p->bits[class] != bits) class ++;
    return class;
}

void partition_add_class(struct partition *p, size_t variant, uint64_t bits,
                         const struct distance *to)
{
    size_t class = p->class_count++;
    p->representative[class] = variant;
    p->bits[class] = bits;
    for (size_t k = 0; k < class; k++) *partition_distance(p, k, class) = to[k];
}
