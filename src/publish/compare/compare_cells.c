#include "publish/compare/compare_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    const struct cell_entry *x = a, *y = b;
    int c = strcmp(x->key, y->key);
    return c ? c : (x->order > y->order) - (x->order < y->order);
}

static size_t write_variant(const struct axes *of, const char *axis, char *text, size_t size)
{
    struct axes a = *of;
    char id[VARIANT_ID_MAX];
    if (axis) axes_set(&a, axis, "*"); /* the axis that differs is no part of the key */
    variant_id(&a, id);
    return (size_t)snprintf(text, size, "%s", id);
}

static bool is_on_side(const struct axes *a, const struct compare_plan *plan,
                       const struct side *side)
{
    return !side->value || !strcmp(axes_value(a, plan->axis), side->value);
}

static void timing_entry(const struct timing_result *t, const char *axis, struct cell_entry *entry)
{
    size_t length = write_variant(&t->axes, axis, entry->key, sizeof entry->key);
    entry->variant_length = length;
    entry->row = t;
    entry->axes = &t->axes;
    bool normal = !t->family[0] || !strcmp(t->family, "normal");
    snprintf(entry->key + length, sizeof entry->key - length, "/rows=%zu/n=%zu/threads=%zu%s%s",
             t->rows, t->n, t->threads, normal ? "" : "/family=", normal ? "" : t->family);
}

static void accuracy_entry(const struct accuracy_result *a, const char *axis,
                           struct cell_entry *entry)
{
    size_t length = write_variant(&a->axes, axis, entry->key, sizeof entry->key);
    entry->variant_length = length;
    entry->row = a;
    entry->axes = &a->axes;
    const char *inputs = json_string_value(json_object_get(a->record, "inputs"));
    snprintf(entry->key + length, sizeof entry->key - length, "/n=%zu/family=%s/elements=%.0f%s",
             a->n, a->family, json_number_value(json_object_get(a->record, "elements")),
             inputs ? inputs : "");
}

/* A cell that was measured again has two lines in a file: the later line counts. */
static void sort_and_keep_last(struct cell_index *index)
{
    size_t kept = 0;
    qsort(index->entries, index->count, sizeof *index->entries, by_key);
    for (size_t i = 0; i < index->count; i++) {
        bool again =
            i + 1 < index->count && !strcmp(index->entries[i].key, index->entries[i + 1].key);
        if (!again) index->entries[kept++] = index->entries[i];
    }
    index->count = kept;
}

struct cell_index cells_index(const struct compare_plan *plan, size_t side, bool timings)
{
    const struct results *r = plan->sides[side].results;
    size_t rows = timings ? r->timing_count : r->accuracy_count;
    /* A library has no value of an axis; between folders its cells compare as others do. */
    if (!plan->axis) rows += timings ? r->peer_timing_count : r->peer_accuracy_count;
    struct cell_index index = {.entries = calloc(rows + 1, sizeof *index.entries)};
    for (size_t i = 0; index.entries && i < rows; i++) {
        const struct axes *axes = timings ? &r->timings[i].axes : &r->accuracies[i].axes;
        if (!is_on_side(axes, plan, &plan->sides[side])) continue;
        struct cell_entry *entry = &index.entries[index.count++];
        entry->order = i;
        if (timings)
            timing_entry(&r->timings[i], plan->axis, entry);
        else
            accuracy_entry(&r->accuracies[i], plan->axis, entry);
    }
    if (index.entries) sort_and_keep_last(&index);
    return index;
}

bool cells_next_pair(const struct cell_index *a, const struct cell_index *b, size_t *i, size_t *k)
{
    while (*i < a->count && *k < b->count) {
        int order = strcmp(a->entries[*i].key, b->entries[*k].key);
        if (!order) return true;
        ++*(order < 0 ? i : k);
    }
    return false;
}
