#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish/compare/compare_stages.h"

/* Writes "off on | fast": the sides that `pairs` name, in order; those with equal bits stand
 * together, and a bar divides the classes. */
static void write_members(const struct comparison *c, const struct compare_accuracy *pairs,
                          size_t count, char *text, size_t size)
{
    size_t class[SIDES_MAX], length = 0;
    bool here[SIDES_MAX] = {false};
    for (size_t s = 0; s < SIDES_MAX; s++) class[s] = s;
    for (size_t i = 0; i < count; i++) {
        here[pairs[i].from] = here[pairs[i].to] = true;
        if (pairs[i].cells && pairs[i].equal == pairs[i].cells && class[pairs[i].to] == pairs[i].to)
            class[pairs[i].to] = class[pairs[i].from];
    }
    text[0] = '\0';
    for (size_t s = 0; s < c->plan->count; s++) {
        if (!here[s] || class[s] != s) continue;
        for (size_t m = s; m < c->plan->count && length < size; m++)
            if (here[m] && class[m] == s)
                length += (size_t)snprintf(text + length, size - length, "%s%s",
                                           m > s    ? " "
                                           : length ? " | "
                                                    : "",
                                           c->plan->sides[m].name);
    }
}

static int by_frequency(const void *a, const void *b)
{
    const struct compare_class *x = a, *y = b;
    if (x->variants != y->variants) return x->variants < y->variants ? 1 : -1;
    return strcmp(x->members, y->members);
}

static void count_class(struct comparison *c, const struct compare_accuracy *pairs, size_t count)
{
    struct compare_class class = {.variants = 1};
    size_t k = 0;
    write_members(c, pairs, count, class.members, sizeof class.members);
    while (k < c->class_count && strcmp(c->classes[k].members, class.members) != 0) k++;
    if (k < c->class_count) {
        c->classes[k].variants++;
        return;
    }
    snprintf(class.first, sizeof class.first, "%s", pairs->variant);
    c->classes[c->class_count++] = class;
}

int compare_classes_make(struct comparison *c)
{
    c->classes = calloc(c->accuracy_count + 1, sizeof *c->classes);
    if (!c->classes) return -1;
    for (size_t i = 0, end; i < c->accuracy_count; i = end) {
        bool hashed = false;
        for (end = i; end < c->accuracy_count &&
                      !strcmp(c->accuracies[end].variant, c->accuracies[i].variant);
             end++)
            hashed |= c->accuracies[end].cells > 0;
        if (hashed) count_class(c, &c->accuracies[i], end - i);
    }
    qsort(c->classes, c->class_count, sizeof *c->classes, by_frequency);
    return 0;
}
