#include "publish/analyse/policy_losses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/record.h"
#include "publish/load/whole_scan.h"

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
        if (off && off != &s->items[i] && !s->items[i].hazard)
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

void loss_text(const struct loss *loss, char text[LOSS_TEXT])
{
    const size_t nan = loss->nan < loss->lost ? loss->nan : loss->lost, other = loss->lost - nan;
    const struct axes *a = &loss->axes;
    char nans[64] = "", others[96] = "";
    if (nan) snprintf(nans, sizeof nans, "NaN for %s", number_count(nan).text);
    if (other)
        snprintf(others, sizeof others, "%swrongly infinite or finite for %s", nan ? " and " : "",
                 number_count(other).text);
    snprintf(text, LOSS_TEXT, "%s%s %s of %s/%s %s that off computes", nans, others,
             loss->scanned ? "inputs" : "results", a->op, a->algorithm, a->isa);
}
