#include "publish/analyse/losses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/analyse/vectors.h"

/* ---- Counts per build --------------------------------------------------------------------------
 */

enum kind { SCAN, ACCURACY, KINDS };

/* What one build loses over its records of one kind. */
struct tally_of {
    int measure; /* 0: there is no record */
    size_t nan, inf, lost;
};

static void add_record(struct tally_of *t, const json_t *record)
{
    const json_t *counts = json_object_get(record, "counts");
    struct error_facts facts = error_facts_of(record);
    if (!json_is_object(counts)) return;
    t->measure = facts.measure;
    t->nan += record_count(counts, "nan");
    t->inf += record_count(counts, "inf");
    t->lost += facts.lost;
}

/* [summaries][KINDS]; the caller frees. */
static struct tally_of (*collect(const struct results *r, const struct summaries *s))[KINDS]
{
    struct tally_of(*all)[KINDS] = calloc(s->count + 1, sizeof *all);
    struct axes axes;
    size_t i;
    const json_t *record;
    json_array_foreach(r->scan, i, record)
    {
        if (all && scan_is_whole(record) && axes_parse(record_text(record, "id"), &axes))
            add_record(&all[summaries_find(s, &axes) - s->items][SCAN], record);
    }
    for (i = 0; all && i < r->accuracy_count; i++)
        add_record(&all[summaries_find(s, &r->accuracies[i].axes) - s->items][ACCURACY],
                   r->accuracies[i].record);
    return all;
}

/* ---- Beside `off` ------------------------------------------------------------------------------
 */

static size_t beyond(size_t mine, size_t off)
{
    return mine > off ? mine - off : 0;
}

/* False where the build loses nothing more than that under `off`, or it cannot be told. */
static bool loss_of(const struct tally_of mine[KINDS], const struct tally_of off[KINDS],
                    const struct axes *axes, struct loss *loss)
{
    enum kind kind = mine[SCAN].measure && off[SCAN].measure ? SCAN : ACCURACY;
    const struct tally_of *a = &off[kind], *b = &mine[kind];
    if (!a->measure || a->measure != b->measure || b->lost <= a->lost) return false;
    *loss = (struct loss){.axes = *axes,
                          .nan = beyond(b->nan, a->nan),
                          .inf = beyond(b->inf, a->inf),
                          .lost = b->lost - a->lost,
                          .scanned = kind == SCAN};
    return true;
}

static int worst_first(const void *a, const void *b)
{
    const struct loss *x = a, *y = b;
    int c = strcmp(x->axes.cc, y->axes.cc);
    if (!c) c = strcmp(x->axes.policy, y->axes.policy);
    if (!c) c = y->scanned - x->scanned;
    if (!c) c = (x->lost < y->lost) - (x->lost > y->lost);
    if (!c) c = strcmp(x->axes.op, y->axes.op);
    if (!c) c = strcmp(x->axes.algorithm, y->axes.algorithm);
    return c ? c : strcmp(x->axes.isa, y->axes.isa);
}

int losses_find(const struct results *r, const struct summaries *s, struct losses *l,
                struct error *e)
{
    struct tally_of(*all)[KINDS] = collect(r, s);
    *l = (struct losses){.items = calloc(s->count + 1, sizeof *l->items)};
    for (size_t i = 0; all && l->items && i < s->count; i++) {
        struct axes a = s->items[i].axes;
        axes_set(&a, "policy", "off");
        const struct summary *off = summaries_find(s, &a);
        if (off && off != &s->items[i])
            l->count +=
                loss_of(all[i], all[off - s->items], &s->items[i].axes, &l->items[l->count]);
    }
    if (all && l->items) {
        free(all);
        qsort(l->items, l->count, sizeof *l->items, worst_first);
        return 0;
    }
    free(all);
    losses_free(l);
    return fail(e, EXIT_PARTIAL, "out of memory: what policies lose; free some");
}

void losses_free(struct losses *l)
{
    free(l->items);
    *l = (struct losses){0};
}

const struct loss *losses_worst(const struct losses *l, const char *cc, const char *policy,
                                size_t *builds)
{
    const struct loss *worst = NULL;
    *builds = 0;
    for (size_t i = 0; i < l->count; i++) {
        if (strcmp(l->items[i].axes.cc, cc) || strcmp(l->items[i].axes.policy, policy)) continue;
        if (!worst) worst = &l->items[i];
        ++*builds;
    }
    return worst;
}

/* ---- In words ----------------------------------------------------------------------------------
 */

/* "1,020,169,705". */
static void grouped(size_t value, char text[32])
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%zu", value), put = 0;
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) text[put++] = ',';
        text[put++] = digits[i];
    }
    text[put] = '\0';
}

void loss_text(const struct loss *loss, char text[LOSS_TEXT])
{
    char nan[32], inf[32], lost[32];
    const char *of = loss->scanned ? "inputs" : "results measured";
    const struct axes *a = &loss->axes;
    grouped(loss->nan, nan);
    grouped(loss->inf, inf);
    grouped(loss->lost, lost);
    if (loss->nan && loss->inf)
        snprintf(text, LOSS_TEXT, "NaN for %s and infinite for %s %s of %s/%s %s that off computes",
                 nan, inf, of, a->op, a->algorithm, a->isa);
    else
        snprintf(text, LOSS_TEXT, "%s for %s %s of %s/%s %s that off computes",
                 loss->nan   ? "NaN"
                 : loss->inf ? "infinite"
                             : "no number",
                 loss->nan   ? nan
                 : loss->inf ? inf
                             : lost,
                 of, a->op, a->algorithm, a->isa);
}
