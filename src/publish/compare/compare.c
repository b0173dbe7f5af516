#include "publish/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "publish/compare/compare_stats.h"

static const double significant = 0.05; /* of q, the false discovery rate */

const char *verdict_name(enum verdict v)
{
    static const char *const names[] = {"faster", "slower", "same", "unknown"};
    return names[v];
}

/* ---- Cells of a side by key -------------------------------------------------------------------
 */

struct entry {
    char key[256];
    size_t variant_length; /* of the key: what names the variant */
    size_t order;
    const void *row;
};

struct side_index {
    struct entry *entries; /* by key, each once */
    size_t count;
};

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int c = strcmp(x->key, y->key);
    return c ? c : (x->order > y->order) - (x->order < y->order);
}

/* What stands for the axis in question wherever both sides are meant. */
static void star_axis(struct axes *a, const char *axis)
{
    char *value = !strcmp(axis, "isa") ? a->isa : !strcmp(axis, "cc") ? a->cc : a->policy;
    strcpy(value, "*");
}

static size_t write_variant(const struct axes *of, const char *axis, char *text, size_t size)
{
    struct axes a = *of;
    if (axis) star_axis(&a, axis);
    return (size_t)snprintf(text, size, "%s/%s/dtype=%s/isa=%s/cc=%s/policy=%s", a.op, a.algorithm,
                            a.dtype, a.isa, a.cc, a.policy);
}

static bool is_on_side(const struct axes *a, const struct compare_plan *plan,
                       const struct side *side)
{
    const struct {
        const char *name, *value;
    } axes[] = {{"isa", a->isa}, {"cc", a->cc}, {"policy", a->policy}};
    if (!side->value) return true;
    for (size_t i = 0; i < 3; i++)
        if (!strcmp(axes[i].name, plan->axis)) return !strcmp(axes[i].value, side->value);
    return false;
}

static void timing_entry(const struct timing_result *t, const char *axis, struct entry *entry)
{
    size_t length = write_variant(&t->axes, axis, entry->key, sizeof entry->key);
    entry->variant_length = length;
    entry->row = t;
    bool normal = !t->family[0] || !strcmp(t->family, "normal");
    snprintf(entry->key + length, sizeof entry->key - length, "/rows=%zu/n=%zu/threads=%zu%s%s",
             t->rows, t->n, t->threads, normal ? "" : "/family=", normal ? "" : t->family);
}

static void accuracy_entry(const struct accuracy_result *a, const char *axis, struct entry *entry)
{
    size_t length = write_variant(&a->axes, axis, entry->key, sizeof entry->key);
    entry->variant_length = length;
    entry->row = a;
    const char *inputs = json_string_value(json_object_get(a->record, "inputs"));
    snprintf(entry->key + length, sizeof entry->key - length, "/n=%zu/family=%s/elements=%.0f%s",
             a->n, a->family, json_number_value(json_object_get(a->record, "elements")),
             inputs ? inputs : "");
}

/* A cell that was measured again stands twice in a file: the later line holds. */
static void sort_and_keep_last(struct side_index *index)
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

static struct side_index index_side(const struct compare_plan *plan, size_t side, bool timings)
{
    const struct results *r = plan->sides[side].results;
    size_t rows = timings ? r->timing_count : r->accuracy_count;
    struct side_index index = {.entries = calloc(rows + 1, sizeof *index.entries)};
    for (size_t i = 0; index.entries && i < rows; i++) {
        const struct axes *axes = timings ? &r->timings[i].axes : &r->accuracies[i].axes;
        if (!is_on_side(axes, plan, &plan->sides[side])) continue;
        struct entry *entry = &index.entries[index.count++];
        entry->order = i;
        if (timings)
            timing_entry(&r->timings[i], plan->axis, entry);
        else
            accuracy_entry(&r->accuracies[i], plan->axis, entry);
    }
    if (index.entries) sort_and_keep_last(&index);
    return index;
}

/* Walks two indices together; the next pair with equal keys. */
static bool next_pair(const struct side_index *a, const struct side_index *b, size_t *i, size_t *k)
{
    while (*i < a->count && *k < b->count) {
        int order = strcmp(a->entries[*i].key, b->entries[*k].key);
        if (!order) return true;
        ++*(order < 0 ? i : k);
    }
    return false;
}

/* ---- Accuracy ----------------------------------------------------------------------------------
 */

struct accuracy_list {
    struct compare_accuracy *items;
    size_t count, room;
    size_t normal_cells; /* of the last item: for its running mean */
};

static struct compare_accuracy *accuracy_for(struct accuracy_list *list, const struct entry *entry,
                                             size_t from, size_t to)
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
    if (strcmp(cells[0]->family, "normal") != 0 || isnan(cells[0]->max_ulp) ||
        isnan(cells[1]->max_ulp))
        return;
    double weight = 1 / (double)++list->normal_cells;
    for (size_t s = 0; s < 2; s++) {
        sum->max_ulp[s] = fmax(sum->max_ulp[s], cells[s]->max_ulp);
        sum->mean_ulp[s] =
            list->normal_cells == 1
                ? cells[s]->mean_ulp
                : sum->mean_ulp[s] + weight * (cells[s]->mean_ulp - sum->mean_ulp[s]);
    }
}

static int by_variant(const void *a, const void *b)
{
    const struct compare_accuracy *x = a, *y = b;
    int c = strcmp(x->variant, y->variant);
    if (!c) c = (x->from > y->from) - (x->from < y->from);
    return c ? c : (x->to > y->to) - (x->to < y->to);
}

static int make_accuracies(struct comparison *c)
{
    struct side_index indices[SIDES_MAX];
    struct accuracy_list list = {0};
    bool complete = true;
    for (size_t s = 0; s < c->plan->count; s++) {
        indices[s] = index_side(c->plan, s, false);
        complete &= indices[s].entries != NULL;
    }
    for (size_t from = 0; complete && from < c->plan->count; from++)
        for (size_t to = from + 1; complete && to < c->plan->count; to++)
            for (size_t i = 0, k = 0; next_pair(&indices[from], &indices[to], &i, &k); i++, k++) {
                const struct accuracy_result *const cells[2] = {indices[from].entries[i].row,
                                                                indices[to].entries[k].row};
                struct compare_accuracy *sum =
                    accuracy_for(&list, &indices[from].entries[i], from, to);
                if (!sum) complete = false;
                if (!sum) break;
                add_cell(&list, sum, cells);
            }
    for (size_t s = 0; s < c->plan->count; s++) free(indices[s].entries);
    if (list.count) qsort(list.items, list.count, sizeof *list.items, by_variant);
    c->accuracies = list.items;
    c->accuracy_count = list.count;
    return complete ? 0 : -1;
}

/* ---- Times -------------------------------------------------------------------------------------
 */

/* Logarithms of the medians, one per process; the caller frees. */
static double *log_medians(const json_t *record, size_t *count)
{
    const json_t *medians = json_object_get(record, "process_medians_ns"), *median;
    double *values = calloc(json_array_size(medians) + 1, sizeof *values);
    size_t i;
    *count = 0;
    json_array_foreach(medians, i, median) if (values && json_number_value(median) > 0)
        values[(*count)++] = log(json_number_value(median));
    return values;
}

static void test_row(struct compare_row *row)
{
    double *a = log_medians(row->a->record, &row->processes[0]);
    double *b = log_medians(row->b->record, &row->processes[1]);
    struct sample before = {a, row->processes[0]}, after = {b, row->processes[1]};
    row->ratio = row->b->ns_per_element / row->a->ns_per_element;
    if (before.count && after.count) {
        struct shift shift = compare_shift(before, after);
        row->p = compare_p(before, after);
        row->ratio = exp(shift.estimate);
        row->low = exp(shift.low);
        row->high = exp(shift.high);
    }
    free(a);
    free(b);
}

static void judge(struct compare_row *row, double margin)
{
    double far = 1 + margin;
    row->why = "";
    if (row->q <= significant && row->ratio > far)
        row->verdict = VERDICT_SLOWER;
    else if (row->q <= significant && row->ratio < 1 / far)
        row->verdict = VERDICT_FASTER;
    else if (row->low >= 1 / far && row->high <= far)
        row->verdict = VERDICT_SAME;
    else {
        row->verdict = VERDICT_UNKNOWN;
        row->why = isnan(row->ratio) ? "not timed on both sides"
                   : compare_least_p(row->processes[0], row->processes[1]) > significant
                       ? "too few processes for any verdict"
                       : "the data cannot tell";
    }
}

static const struct compare_accuracy *find_accuracy(const struct comparison *c,
                                                    const struct entry *entry, size_t to)
{
    struct compare_accuracy key = {.to = to};
    snprintf(key.variant, sizeof key.variant, "%.*s", (int)entry->variant_length, entry->key);
    if (!c->accuracy_count) return NULL;
    return bsearch(&key, c->accuracies, c->accuracy_count, sizeof key, by_variant);
}

static void make_row(const struct comparison *c, const struct entry *a, const struct entry *b,
                     size_t to, struct compare_row *row)
{
    const struct timing_result *timed = a->row;
    *row = (struct compare_row){.axes = timed->axes,
                                .to = to,
                                .a = timed,
                                .b = b->row,
                                .ratio = NAN,
                                .low = NAN,
                                .high = NAN,
                                .p = NAN,
                                .q = NAN,
                                .accuracy = find_accuracy(c, a, to)};
    snprintf(row->cell, sizeof row->cell, "%s", a->key);
    if (c->plan->axis) star_axis(&row->axes, c->plan->axis);
    test_row(row);
}

static int make_rows(struct comparison *c)
{
    struct side_index first = index_side(c->plan, 0, true);
    int code = first.entries ? 0 : -1;
    c->rows = calloc(first.count * c->plan->count + 1, sizeof *c->rows);
    if (!c->rows) code = -1;
    for (size_t to = 1; !code && to < c->plan->count; to++) {
        struct side_index other = index_side(c->plan, to, true);
        size_t before = c->row_count;
        for (size_t i = 0, k = 0; next_pair(&first, &other, &i, &k); i++, k++)
            make_row(c, &first.entries[i], &other.entries[k], to, &c->rows[c->row_count++]);
        c->alone[0] += first.count - (c->row_count - before);
        c->alone[1] += other.count - (c->row_count - before);
        if (!other.entries) code = -1;
        free(other.entries);
    }
    free(first.entries);
    return code;
}

/* The family of Benjamini and Hochberg is every cell of the comparison. */
static int make_verdicts(struct comparison *c)
{
    double *p = calloc(c->row_count + 1, sizeof *p), *q = calloc(c->row_count + 1, sizeof *q);
    int code = p && q ? 0 : -1;
    for (size_t i = 0; !code && i < c->row_count; i++) p[i] = c->rows[i].p;
    if (!code) code = compare_q(p, q, c->row_count);
    for (size_t i = 0; !code && i < c->row_count; i++) {
        c->rows[i].q = q[i];
        judge(&c->rows[i], c->plan->margin);
    }
    free(p);
    free(q);
    return code;
}

/* ---- Means --------------------------------------------------------------------------------------
 */

static bool is_meant(const struct compare_mean *mean, const struct compare_row *row)
{
    return row->to == mean->to && (!mean->op[0] || !strcmp(mean->op, row->axes.group)) &&
           (!mean->residency[0] || !strcmp(mean->residency, row->a->residency));
}

struct compare_mean compare_mean_of(const struct comparison *c, size_t to, const char *op,
                                    const char *residency)
{
    struct compare_mean mean = {.to = to, .op = op, .residency = residency};
    double sums[3] = {0};
    size_t cells = 0;
    for (size_t i = 0; i < c->row_count; i++) {
        const struct compare_row *row = &c->rows[i];
        if (!is_meant(&mean, row)) continue;
        mean.verdicts[row->verdict]++;
        if (isnan(row->ratio)) continue;
        sums[0] += log(row->ratio);
        sums[1] += log(row->low);
        sums[2] += log(row->high);
        cells++;
    }
    mean.ratio = exp(sums[0] / (double)cells); /* 0 / 0 is NaN: no cell, no mean */
    mean.low = exp(sums[1] / (double)cells);
    mean.high = exp(sums[2] / (double)cells);
    return mean;
}

static void add_mean(struct comparison *c, size_t to, const char *op, const char *residency)
{
    struct compare_mean mean = compare_mean_of(c, to, op, residency);
    if (!isnan(mean.ratio)) c->means[c->mean_count++] = mean;
}

static bool op_is_new(const struct comparison *c, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (!strcmp(c->rows[i].axes.group, c->rows[row].axes.group)) return false;
    return true;
}

static int make_means(struct comparison *c)
{
    static const char *const residencies[] = {"L1", "L2", "L3", "DRAM"};
    size_t ops = 0;
    for (size_t i = 0; i < c->row_count; i++) ops += op_is_new(c, i);
    c->means = calloc((1 + 5 * ops) * c->plan->count + 1, sizeof *c->means);
    if (!c->means) return -1;
    for (size_t to = 1; to < c->plan->count; to++) {
        add_mean(c, to, "", "");
        for (size_t i = 0; i < c->row_count; i++) {
            const char *op = c->rows[i].axes.group;
            if (!op_is_new(c, i)) continue;
            size_t whole = c->mean_count;
            add_mean(c, to, op, "");
            for (size_t l = 0; l < 4; l++) add_mean(c, to, op, residencies[l]);
            if (c->mean_count == whole + 2) c->mean_count--; /* one level alone says the same */
        }
    }
    return 0;
}

/* ---- Classes of equal bits ----------------------------------------------------------------------
 */

/* "off on | fast": the sides that `pairs` name, in order, equal ones together. */
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

static int make_classes(struct comparison *c)
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

/* ---- The whole ------------------------------------------------------------------------------ */

static int check(const struct compare_plan *plan, struct comparison *c, struct error *e)
{
    const struct side *first = &plan->sides[0];
    int code = 0;
    for (size_t s = 1; s < plan->count && !code; s++) {
        const struct side *other = &plan->sides[s];
        if (other->results == first->results) continue;
        code = origin_comparable(first->results, first->folder, other->results, other->folder,
                                 plan->kind, e);
        c->grids_differ |= !origin_same_grid(first->results, other->results);
    }
    return code;
}

int compare_make(const struct compare_plan *plan, struct comparison *c, struct error *e)
{
    *c = (struct comparison){.plan = plan};
    int code = check(plan, c, e);
    if (code) return code;
    if (make_accuracies(c) || make_rows(c) || make_verdicts(c) || make_means(c) || make_classes(c))
        code = fail(e, EXIT_PARTIAL, "compare: out of memory: %zu cells; narrow with --filter",
                    c->row_count);
    else if (!c->row_count && !c->accuracy_count)
        code = fail(e, EXIT_USAGE,
                    "compare: %s and %s: no cell in common; compare runs of the "
                    "same kernels and shapes, or widen --filter",
                    plan->sides[0].name, plan->sides[1].name);
    if (code) compare_free(c);
    return code;
}

void compare_free(struct comparison *c)
{
    free(c->rows);
    free(c->accuracies);
    free(c->means);
    free(c->classes);
    *c = (struct comparison){0};
}

size_t compare_regressions(const struct comparison *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->row_count; i++) count += c->rows[i].verdict == VERDICT_SLOWER;
    return count;
}
