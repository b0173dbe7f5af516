#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/compare/compare_stages.h"

/* Each variant is looked up in both folders: of an axis, the values may come from two. */
enum beyond compare_beyond(const struct comparison *c, size_t from, const struct cell_entry *a,
                           size_t to, const struct cell_entry *b)
{
    char id[VARIANT_ID_MAX];
    if (c->plan->sides[from].results == c->plan->sides[to].results) return BEYOND_NOT;
    variant_id(a->axes, id);
    enum beyond why = codes_differ(&c->codes[from], &c->codes[to], id);
    if (why != BEYOND_NOT || !c->plan->axis) return why;
    variant_id(b->axes, id);
    return codes_differ(&c->codes[from], &c->codes[to], id);
}

struct accuracy_list {
    struct compare_accuracy *items;
    size_t count, room;
    size_t normal_cells; /* of `normal` in the last item, for its running mean */
};

static struct compare_accuracy *accuracy_for(struct accuracy_list *list,
                                             const struct cell_entry *entry, size_t from, size_t to)
{
    struct compare_accuracy *last = list->count ? &list->items[list->count - 1] : NULL;
    if (last && last->from == from && last->to == to &&
        strlen(last->variant) == entry->variant_length &&
        !strncmp(last->variant, entry->key, entry->variant_length))
        return last;
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 256;
        struct compare_accuracy *items = realloc(list->items, room * sizeof *items);
        if (!items) return NULL;
        list->items = items;
        list->room = room;
    }
    last = &list->items[list->count++];
    *last = (struct compare_accuracy){
        .from = from, .to = to, .max_ulp = {NAN, NAN}, .mean_ulp = {NAN, NAN}};
    snprintf(last->variant, sizeof last->variant, "%.*s", (int)entry->variant_length, entry->key);
    list->normal_cells = 0;
    return last;
}

static void add_cell(struct accuracy_list *list, struct compare_accuracy *sum,
                     const struct accuracy_result *const cells[2])
{
    const char *bits[2];
    for (size_t s = 0; s < 2; s++) {
        sum->hazard |= cells[s]->hazard;
        bits[s] = json_string_value(json_object_get(cells[s]->record, "bits"));
    }
    if (bits[0] && bits[1]) {
        sum->cells++;
        sum->equal += !strcmp(bits[0], bits[1]);
    }
    if (cells[0]->facts.measure != cells[1]->facts.measure) {
        sum->unlike++;
        return;
    }
    const json_t *const counts[] = {json_object_get(cells[0]->record, "counts"),
                                    json_object_get(cells[1]->record, "counts")};
    bool counted = json_is_object(counts[0]) && json_is_object(counts[1]);
    sum->counted += counted;
    for (size_t s = 0; s < 2 && counted; s++) {
        sum->lost[s] += cells[s]->facts.lost;
        sum->nan[s] += record_count(counts[s], "nan");
    }
    if (strcmp(cells[0]->family, "normal") != 0 || isnan(cells[0]->max_ulp) ||
        isnan(cells[1]->max_ulp))
        return;
    double weight = 1 / (double)++list->normal_cells;
    for (size_t s = 0; s < 2; s++) {
        double mean = cells[s]->mean_ulp;
        sum->max_ulp[s] = fmax(sum->max_ulp[s], cells[s]->max_ulp);
        if (list->normal_cells > 1 && !isinf(mean) && !isinf(sum->mean_ulp[s]))
            mean = sum->mean_ulp[s] + weight * (mean - sum->mean_ulp[s]);
        sum->mean_ulp[s] = isinf(sum->mean_ulp[s]) ? sum->mean_ulp[s] : mean;
    }
}

static int by_variant(const void *a, const void *b)
{
    const struct compare_accuracy *x = a, *y = b;
    int c = strcmp(x->variant, y->variant);
    if (!c) c = (x->from > y->from) - (x->from < y->from);
    return c ? c : (x->to > y->to) - (x->to < y->to);
}

/* Adds the cells that two sides have in common. False where memory ran out. */
static bool add_pair(const struct comparison *c, struct accuracy_list *list,
                     const struct cell_index indices[SIDES_MAX], size_t from, size_t to)
{
    const struct cell_index *a = &indices[from], *b = &indices[to];
    for (size_t i = 0, k = 0; cells_next_pair(a, b, &i, &k); i++, k++) {
        if (c->plan->kind != COMPARE_COMMITS &&
            compare_beyond(c, from, &a->entries[i], to, &b->entries[k]) != BEYOND_NOT)
            continue;
        struct compare_accuracy *sum = accuracy_for(list, &a->entries[i], from, to);
        if (!sum) return false;
        add_cell(list, sum,
                 (const struct accuracy_result *const[2]){a->entries[i].row, b->entries[k].row});
    }
    return true;
}

int compare_accuracies_make(struct comparison *c)
{
    struct cell_index indices[SIDES_MAX];
    struct accuracy_list list = {0};
    bool complete = true;
    for (size_t s = 0; s < c->plan->count; s++) {
        indices[s] = cells_index(c->plan, s, false);
        complete &= indices[s].entries != NULL;
    }
    for (size_t from = 0; from < c->plan->count; from++)
        for (size_t to = from + 1; complete && to < c->plan->count; to++)
            complete = add_pair(c, &list, indices, from, to);
    for (size_t s = 0; s < c->plan->count; s++) free(indices[s].entries);
    if (list.count) qsort(list.items, list.count, sizeof *list.items, by_variant);
    for (size_t i = 0; i < list.count; i++) c->unlike += list.items[i].unlike;
    c->accuracies = list.items;
    c->accuracy_count = list.count;
    return complete ? 0 : -1;
}

const struct compare_accuracy *compare_accuracy_find(const struct comparison *c,
                                                     const struct cell_entry *entry, size_t to)
{
    struct compare_accuracy key = {.to = to};
    snprintf(key.variant, sizeof key.variant, "%.*s", (int)entry->variant_length, entry->key);
    if (!c->accuracy_count) return NULL;
    return bsearch(&key, c->accuracies, c->accuracy_count, sizeof key, by_variant);
}
