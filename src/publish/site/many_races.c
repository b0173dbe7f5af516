/* Races of builds: which build stands for each, which policy wins where, what AVX-512 buys. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/registry.h"
#include "publish/site/many.h"

/* Lines of the same race are equal. x is a line of m, y one of n. */
static int compare_races(const struct many *m, const struct many_line *x, const struct many *n,
                         const struct many_line *y)
{
    const struct axes *a = &m->variants[x->variant].axes;
    const struct axes *b = &n->variants[y->variant].axes;
    int c = strcmp(a->group, b->group);
    if (!c) c = strcmp(a->algorithm, b->algorithm);
    if (!c) c = strcmp(a->isa, b->isa);
    if (!c) c = x->shape - y->shape;
    return c ? c : x->level - y->level;
}

static int compare_lines(const struct many *m, const struct many_line *x, const struct many *n,
                         const struct many_line *y)
{
    int c = compare_races(m, x, n, y);
    return c ? c : strcmp(m->variants[x->variant].id, n->variants[y->variant].id);
}

static int by_line(const void *a, const void *b, void *context)
{
    return compare_lines(context, a, context, b);
}

static void sum_up(struct many *m)
{
    for (size_t i = 0; i < m->line_count; i++) {
        struct many_line *line = &m->lines[i];
        for (size_t k = 0; k < m->machine_count; k++)
            if (line->ns[k] > 0) {
                line->machines++;
                line->log_mean += log((double)line->ns[k]);
            }
        line->log_mean /= (double)(line->machines ? line->machines : 1);
    }
}

static bool promises(const struct many *m, const struct many_line *line)
{
    const struct many_variant *v = &m->variants[line->variant];
    return !v->hazard && policy_promises(v->axes.policy) != PROMISES_NOTHING;
}

/* One that promises something, then the one that more machines have, then the faster. */
static bool is_before(const struct many *m, const struct many_line *a, const struct many_line *b)
{
    const bool x = promises(m, a), y = promises(m, b);
    if (x != y) return x;
    return a->machines != b->machines ? a->machines > b->machines : a->log_mean < b->log_mean;
}

/* The line of AVX2 that differs from one of AVX-512 in the ISA alone; NULL for none. */
static const struct many_line *find_narrow(const struct many *m, const struct many_line *line,
                                           struct many_variant *variant, char id[VARIANT_ID_MAX])
{
    if (strcmp(m->variants[line->variant].axes.isa, "avx512") != 0) return NULL;
    variant->axes = m->variants[line->variant].axes;
    axes_set(&variant->axes, "isa", "avx2");
    variant_id(&variant->axes, id);
    variant->id = id;
    struct many with = {.variants = variant}; /* the line that is looked for, of variant 0 */
    const struct many_line wanted = {.shape = line->shape, .level = line->level};
    size_t low = 0, high = m->line_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct many_line *other = &m->lines[middle];
        const int c = compare_lines(&with, &wanted, m, other);
        if (!c) return other;
        if (c < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* The lines stand in the order of their operations. */
static void find_ops(struct many *m)
{
    for (size_t i = 0, next; i < m->line_count; i = next) {
        const char *name = m->variants[m->lines[i].variant].axes.group;
        for (next = i + 1;
             next < m->line_count && !strcmp(m->variants[m->lines[next].variant].axes.group, name);)
            next++;
        m->ops[m->op_count++] = (struct many_op){name, i, next};
    }
}

int many_race_all(struct many *m, struct error *e)
{
    sum_up(m);
    if (m->line_count) qsort_r(m->lines, m->line_count, sizeof *m->lines, by_line, m);
    for (size_t i = 0; i < m->line_count; i++) {
        struct many_variant room = {.id = NULL};
        char id[VARIANT_ID_MAX];
        m->lines[i].narrow = find_narrow(m, &m->lines[i], &room, id);
    }
    m->races = calloc(m->line_count + 1, sizeof *m->races);
    m->ops = calloc(m->line_count + 1, sizeof *m->ops);
    if (!m->races || !m->ops) return fail(e, EXIT_PARTIAL, "report: out of memory; free some");
    find_ops(m);
    for (size_t i = 0, next; i < m->line_count; i = next) {
        struct many_race race = {i, i, i};
        for (next = i; next < m->line_count && !compare_races(m, &m->lines[i], m, &m->lines[next]);
             next++)
            if (is_before(m, &m->lines[next], &m->lines[race.line])) race.line = next;
        race.end = next;
        if (m->lines[race.line].machines > 1) m->races[m->race_count++] = race;
    }
    return 0;
}

/* The fastest build on a machine that promises something; SIZE_MAX for none. */
static size_t fastest(const struct many *m, const struct many_race *r, size_t machine)
{
    size_t best = SIZE_MAX;
    for (size_t i = r->first; i < r->end; i++) {
        const float ns = m->lines[i].ns[machine];
        if (ns > 0 && promises(m, &m->lines[i]) &&
            (best == SIZE_MAX || ns < m->lines[best].ns[machine]))
            best = i;
    }
    return best;
}

void many_policies(const struct many *m, const struct many_race *r, char *text, size_t size)
{
    enum { KINDS = 16 };
    struct {
        const char *name;
        size_t count;
    } kinds[KINDS] = {{NULL, 0}};
    size_t used = 0;
    for (size_t i = 0; i < m->machine_count; i++) {
        const size_t best = fastest(m, r, i);
        if (best == SIZE_MAX) continue;
        const char *policy = m->variants[m->lines[best].variant].axes.policy;
        size_t k = 0;
        while (k < KINDS - 1 && kinds[k].name && strcmp(kinds[k].name, policy) != 0) k++;
        kinds[k].name = policy;
        kinds[k].count++;
    }
    *text = '\0';
    for (size_t most; used < size; kinds[most].count = 0) {
        most = 0;
        for (size_t k = 1; k < KINDS; k++)
            if (kinds[k].count > kinds[most].count) most = k;
        if (!kinds[most].count) return;
        used += (size_t)snprintf(text + used, size - used, "%s%s %zu", used ? ", " : "",
                                 kinds[most].name, kinds[most].count);
    }
}

/* ---- Over all races ---------------------------------------------------------------------------
 */

double many_gain(const struct many *m, size_t machine, const struct many_op *op)
{
    double sum = 0;
    size_t pairs = 0;
    for (size_t i = op ? op->first : 0; i < (op ? op->end : m->line_count); i++) {
        const struct many_line *line = &m->lines[i];
        const struct many_line *other = line->narrow;
        if (!other || !(line->ns[machine] > 0) || !(other->ns[machine] > 0)) continue;
        sum += log((double)other->ns[machine] / (double)line->ns[machine]);
        pairs++;
    }
    return pairs ? exp(sum / (double)pairs) : NAN;
}

static int by_time(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

size_t many_sorted(const struct many *m, const struct many_line *line, float *sorted)
{
    size_t count = 0;
    for (size_t i = 0; i < m->machine_count; i++)
        if (line->ns[i] > 0) sorted[count++] = line->ns[i];
    qsort(sorted, count, sizeof *sorted, by_time);
    return count;
}

double many_pace(const struct many *m, size_t machine)
{
    double sum = 0;
    size_t races = 0;
    for (size_t i = 0; i < m->race_count; i++) {
        const struct many_line *line = &m->lines[m->races[i].line];
        if (!(line->ns[machine] > 0)) continue;
        sum += log((double)line->ns[machine]) - line->log_mean;
        races++;
    }
    return races ? exp(sum / (double)races) : NAN;
}
