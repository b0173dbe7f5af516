// SPDX-License-Identifier: MIT
#include "study/flags_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/fp_flags.h"
#include "model/record.h"

/* LATTICE_MAX: the number of flags of which every subset is built and measured; where there are
 * more, those whose absence costs least are all in or all out. */
enum { LATTICE_MAX = 6 };

struct sets {
    flag_set *items;
    size_t count;
};

static void flags_search_add(struct sets *s, flag_set set)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i] == set) return;
    s->items = memory_grow(s->items, (s->count + 1) * sizeof *s->items);
    s->items[s->count++] = set;
}

struct search {
    struct flags_lab *lab;
    const struct flags_wish *wish;
    struct flags_watch watch;
    struct flags_found *found;
    struct sets first, lattice; /* sets of the first timing, and of the second */
    json_t *second;             /* times of the lattice */
};

static void flags_search_tell(const struct search *s, double share, const char *what)
{
    if (s->watch.tell) s->watch.tell(s->watch.context, share, what);
}

const json_t *flags_search_effect(const struct flags_lab *lab, flag_set set)
{
    const size_t its = flags_lab_find(lab, set);
    const json_t *effect = NULL;
    if (its < lab->count && lab->builds[its].built)
        effect = lab->builds[lab->builds[its].same_as].effect;
    return effect ? effect : lab->unknown;
}

static bool is_allowed(const struct search *s, flag_set set)
{
    return json_is_true(json_object_get(flags_search_effect(s->lab, set), "allowed"));
}

static int compile(struct search *s, const struct sets *sets, struct error *e)
{
    return flags_lab_compile(s->lab, sets->items, sets->count, e);
}

/* ---- Each alone, each left out --------------------------------------------------------------- */

static int look_at_each(struct search *s, struct error *e)
{
    const struct flag_table *t = &s->lab->table;
    const size_t macro = flag_find(t, "macro");
    const flag_set without_macro = macro < t->count ? t->all & ~flag_bit(macro) : t->all;
    flags_search_add(&s->first, 0);
    flags_search_add(&s->first, t->all);
    if (t->whole) flags_search_add(&s->first, t->whole);
    for (size_t i = 0; i < t->count; i++) {
        if (t->known & flag_bit(i)) flags_search_add(&s->first, flag_with_needs(t, i));
        if (t->rows[i].kind == FLAG_LINK) flags_search_add(&s->first, t->all | flag_bit(i));
        if (!(t->all & flag_bit(i))) continue;
        flags_search_add(&s->first, t->all & ~flag_bit(i));
        flags_search_add(&s->first, without_macro & ~flag_bit(i));
    }
    flags_search_tell(s, 0, "compiling");
    int code = compile(s, &s->first, e);
    if (code) return code;
    if (!s->lab->builds[flags_lab_find(s->lab, 0)].built)
        return fail(e, EXIT_PARTIAL,
                    "flags: %s: %s does not build it for %s with '%s'; see obj/ in %s",
                    s->lab->kernel->name, s->lab->cc, s->lab->isa, t->base, s->lab->shop.folder);
    flags_search_tell(s, 0.25, "errors");
    code = flags_lab_judge(s->lab, s->first.items, s->first.count, e);
    flags_search_tell(s, 0.4, "times");
    return code ? code
                : flags_lab_time(s->lab, s->first.items, s->first.count, s->wish->processes,
                                 &s->found->alone, e);
}

/* ---- Fewer flags of the same machine code ---------------------------------------------------- */

static int try_set(struct search *s, flag_set set, flag_set like, bool *same, struct error *e)
{
    int code = flags_lab_compile(s->lab, &set, 1, e);
    *same = !code && flags_lab_same(s->lab, set, like);
    return code;
}

/* Drops of `set` what its code does not need: first what switches others on, then the table's last
 * rows. */
static int shrink(struct search *s, flag_set *set, struct error *e)
{
    const struct flag_table *t = &s->lab->table;
    const flag_set target = *set;
    size_t order[FLAGS_MAX], count = 0;
    for (int covering = 1; covering >= 0; covering--)
        for (size_t i = t->count; i-- > 0;)
            if ((*set & flag_bit(i)) && (t->rows[i].covers != NULL) == covering) order[count++] = i;
    /* One make for the sets that are probably asked for: what can be left out of all, can be here.
     */
    struct sets guessed = {0};
    flag_set left = target;
    for (size_t i = 0; i < count; i++) {
        flags_search_add(&guessed, left & ~flag_bit(order[i]));
        if (flags_lab_same(s->lab, t->all & ~flag_bit(order[i]), t->all))
            left &= ~flag_bit(order[i]);
    }
    int code = compile(s, &guessed, e);
    free(guessed.items);
    for (size_t i = 0; i < count && !code; i++) {
        bool same = false;
        code = try_set(s, *set & ~flag_bit(order[i]), target, &same, e);
        if (same) *set &= ~flag_bit(order[i]);
    }
    return code;
}

/* Returns the flags that change code, alone or by their absence. */
static flag_set relevant_of(const struct search *s)
{
    const struct flag_table *t = &s->lab->table;
    flag_set relevant = 0;
    for (size_t i = 0; i < t->count; i++)
        if ((t->all & flag_bit(i)) && (!flags_lab_same(s->lab, t->all & ~flag_bit(i), t->all) ||
                                       !flags_lab_same(s->lab, flag_with_needs(t, i), 0)))
            relevant |= flag_with_needs(t, i) & t->all;
    return relevant;
}

static int minimal(struct search *s, flag_set target, flag_set *set, struct error *e)
{
    bool same = false;
    *set = relevant_of(s) & target;
    int code = flags_lab_compile(s->lab, &target, 1, e);
    if (!code) code = try_set(s, *set, target, &same, e);
    if (!same) *set = target;
    return code || flag_set_size(*set) <= 3 ? code : shrink(s, set, e);
}

/* ---- The fewest words of a machine code ------------------------------------------------------ */

enum { WORDS_MAX = 2 * FLAGS_MAX };

struct word_list {
    const char *words[WORDS_MAX];
    size_t count;
};

/* Returns the set that is these words without one of them. */
static flag_set without(struct search *s, const struct word_list *list, size_t left_out)
{
    char text[FLAGS_TEXT_ROOM] = "";
    size_t used = 0;
    for (size_t i = 0; i < list->count && used < sizeof text; i++)
        if (i != left_out)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "",
                                     list->words[i]);
    return flag_set_of_words(&s->lab->table, text);
}

/* Leaves out the words without which the code is the same, the last ones first; *left_out: whether
 * there was any. */
static int leave_out(struct search *s, struct word_list *list, flag_set target, bool *left_out,
                     struct error *e)
{
    flag_set each[WORDS_MAX];
    for (size_t i = 0; i < list->count; i++) each[i] = without(s, list, i);
    int code = flags_lab_compile(s->lab, each, list->count, e);
    *left_out = false;
    for (size_t i = list->count; i-- > 0 && !code;) {
        bool same = flags_lab_same(s->lab, each[i], target);
        if (same && *left_out) code = try_set(s, without(s, list, i), target, &same, e);
        if (!same || code) continue;
        memmove(&list->words[i], &list->words[i + 1], (--list->count - i) * sizeof *list->words);
        *left_out = true;
    }
    return code;
}

/* Writes the fewest words of a command line: each that is left out changes the code of `target`. */
static int fewest_words(struct search *s, flag_set set, flag_set target, char *text, size_t size,
                        struct error *e)
{
    char line[FLAGS_TEXT_ROOM], *save = NULL;
    struct word_list list = {.count = 0};
    bool again = true;
    int code = 0;
    flag_set_text(&s->lab->table, set, true, line, sizeof line);
    for (char *word = strtok_r(line, " ", &save); word && list.count < WORDS_MAX;
         word = strtok_r(NULL, " ", &save))
        list.words[list.count++] = word;
    while (again && list.count && !code) code = leave_out(s, &list, target, &again, e);
    flag_set_text(&s->lab->table, without(s, &list, list.count), true, text, size);
    return code;
}

/* ---- All subsets ----------------------------------------------------------------------------- */

/* Returns the flags of which every combination is tried: those that cost most where they are left
 * out. */
static flag_set free_flags(const struct search *s, flag_set set)
{
    const struct flag_table *t = &s->lab->table;
    while (flag_set_size(set) > LATTICE_MAX) {
        size_t least = t->count;
        double least_cost = INFINITY;
        for (size_t i = 0; i < t->count; i++) {
            if (!(set & flag_bit(i))) continue;
            const double cost =
                flags_lab_speed(s->lab, s->found->alone, t->all & ~flag_bit(i), t->all).value;
            if (!(cost >= least_cost)) least = i, least_cost = cost;
        }
        set &= ~flag_bit(least);
    }
    return set;
}

static void add_subsets(struct search *s, flag_set set)
{
    const flag_set some = free_flags(s, set), fixed = set & ~some;
    flags_search_add(&s->lattice, set);
    /* The usual walk over the subsets of a mask. */
    for (flag_set sub = some;; sub = (sub - 1) & some) {
        flags_search_add(&s->lattice, fixed | sub);
        flags_search_add(&s->lattice, sub);
        if (!sub) break;
    }
}

/* Returns the flags of --all that are allowed, alone or with what they need. */
static flag_set allowed_flags(const struct search *s)
{
    const struct flag_table *t = &s->lab->table;
    flag_set set = t->all;
    if (is_allowed(s, t->all)) return set;
    for (size_t i = 0; i < t->count; i++)
        if ((set & flag_bit(i)) && !is_allowed(s, flag_with_needs(t, i))) set &= ~flag_bit(i);
    return set;
}

static int look_at_subsets(struct search *s, struct error *e)
{
    const flag_set all = s->lab->table.all, allowed = allowed_flags(s);
    flag_set set = 0;
    flags_search_add(&s->lattice, 0);
    flags_search_add(&s->lattice, all);
    for (size_t i = 0; i < s->lab->table.count; i++)
        if (all & flag_bit(i))
            flags_search_add(&s->lattice, flag_with_needs(&s->lab->table, i) & all);
    flags_search_tell(s, 0.5, "fewer flags");
    int code = minimal(s, all, &set, e);
    if (!code) add_subsets(s, set);
    if (!code && allowed != all) {
        code = minimal(s, allowed, &set, e);
        if (!code) add_subsets(s, set);
    }
    if (!code) code = compile(s, &s->lattice, e);
    flags_search_tell(s, 0.65, "errors of subsets");
    if (!code) code = flags_lab_judge(s->lab, s->lattice.items, s->lattice.count, e);
    flags_search_tell(s, 0.8, "times of subsets");
    return code ? code
                : flags_lab_time(s->lab, s->lattice.items, s->lattice.count, s->wish->processes,
                                 &s->second, e);
}

/* ---- The answer ------------------------------------------------------------------------------ */

static struct ratio speed_of(const struct search *s, flag_set set)
{
    return flags_lab_speed(s->lab, s->second, 0, set);
}

static char *set_name(flag_set set, char name[20])
{
    snprintf(name, 20, "%llx", (unsigned long long)set);
    return name;
}

static flag_set set_in(const json_t *answer, const char *key)
{
    return strtoull(record_text(answer, key), NULL, 16);
}

/* Returns what the choice follows from: a new object. */
static json_t *choice_facts(const struct search *s, json_t *verified)
{
    char name[20];
    json_t *sets = json_array();
    for (size_t i = 0; i < s->lattice.count; i++) {
        const flag_set set = s->lattice.items[i];
        const struct ratio speed = speed_of(s, set);
        json_array_append_new(
            sets, json_pack("{s:s, s:I, s:b, s:o, s:o, s:o}", "set", set_name(set, name), "size",
                            (json_int_t)flag_set_size(set), "allowed", is_allowed(s, set), "speed",
                            record_real(speed.value), "low", record_real(speed.low), "high",
                            record_real(speed.high)));
    }
    return json_pack("{s:f, s:s, s:o, s:O}", "keep", s->wish->keep, "all",
                     set_name(s->lab->table.all, name), "sets", sets, "verified", verified);
}

/* Builds exactly the chosen set and times it beside the baseline, the best and all; adds that to
 * the timings of chosen sets. */
static int verify(struct search *s, json_t *verified, struct error *e)
{
    struct flags_choice *c = &s->found->choice;
    const flag_set sets[] = {0, c->set, c->best, s->lab->table.all};
    json_t *times = NULL;
    char name[20];
    c->processes = 2 * s->wish->processes;
    int code = flags_lab_time(s->lab, sets, 4, c->processes, &times, e);
    c->speed = flags_lab_speed(s->lab, times, 0, c->set);
    c->best_speed = flags_lab_speed(s->lab, times, 0, c->best);
    c->all_speed = flags_lab_speed(s->lab, times, 0, s->lab->table.all);
    json_array_append_new(verified,
                          json_pack("{s:s, s:o, s:o, s:o}", "set", set_name(c->set, name), "speed",
                                    record_real(c->speed.value), "high", record_real(c->speed.high),
                                    "best_speed", record_real(c->best_speed.value)));
    json_decref(times);
    return code;
}

/* Returns whether the set has the code of all flags, and gives up all that they do. */
static bool is_all(const struct flags_lab *lab, flag_set set)
{
    const struct flag_table *t = &lab->table;
    unsigned given = 0;
    for (size_t i = 0; i < t->count; i++)
        if (set & flag_bit(i)) given = fp_flag_apply(given, t->rows[i].flags);
    return t->whole && set && flags_lab_same(lab, set, t->whole) &&
           !(fp_line_gives_up(t->whole_flags) & ~given & ~(unsigned)FP_IDLE);
}

int flags_search_spell(struct flags_lab *lab, struct flags_choice *c, struct error *e)
{
    struct search s = {.lab = lab};
    c->is_all = is_all(lab, c->set);
    return fewest_words(&s, c->is_all ? lab->table.whole : c->set, c->set, c->words,
                        sizeof c->words, e);
}

/* Asks the judge for a set, and times it, until the answer is that the last one stands. */
static int choose(struct search *s, struct error *e)
{
    struct flags_choice *c = &s->found->choice;
    json_t *verified = json_array();
    bool done = false;
    int code = 0;
    while (!code && !done) {
        json_t *facts = choice_facts(s, verified), *answer = NULL;
        code = s->lab->judge("choice", facts, &answer, e);
        json_decref(facts);
        c->set = set_in(answer, "set");
        c->best = set_in(answer, "best");
        c->pays = json_is_true(json_object_get(answer, "pays"));
        c->kept = record_number(answer, "kept");
        c->explains = set_in(answer, "explains");
        c->explained = record_number(answer, "explained");
        done = json_is_true(json_object_get(answer, "done"));
        json_decref(answer);
        flags_search_tell(s, 0.9, "verifying");
        if (!code && !done) code = verify(s, verified, e);
    }
    json_decref(verified);
    if (!code) code = flags_search_spell(s->lab, c, e);
    c->effect = flags_search_effect(s->lab, c->set);
    c->all_effect = flags_search_effect(s->lab, s->lab->table.all);
    return code;
}

int flags_search(struct flags_lab *lab, const struct flags_wish *wish, struct flags_watch watch,
                 struct flags_found *found, struct error *e)
{
    struct search s = {.lab = lab, .wish = wish, .watch = watch, .found = found};
    *found = (struct flags_found){.alone = NULL};
    lab->allow = wish->allow;
    int code = look_at_each(&s, e);
    if (!code) code = look_at_subsets(&s, e);
    if (!code) code = choose(&s, e);
    free(s.first.items);
    free(s.lattice.items);
    json_decref(s.second);
    if (code) flags_found_free(found);
    return code;
}

void flags_found_free(struct flags_found *found)
{
    json_decref(found->alone);
    found->alone = NULL;
}
