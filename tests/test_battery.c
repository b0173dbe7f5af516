// SPDX-License-Identifier: MIT
/* The death of a child is attributed to the right variant. */
#include <unistd.h>

#include "measure/battery.h"

#include "test.h"

enum { BLOCKS = 3, VARIANTS = 4 };
/* SPOILER returns normally, and leaves something behind that kills the child later. */
enum { GOOD, SPOILER, BAD, LAST };

static bool spoiled; /* in the child alone */

struct seen {
    enum { NEXT_VARIANT, NEXT_BLOCK, BY_EXIT } where; /* the child dies there once it is spoiled */
    enum status status[BLOCKS][VARIANTS];
    size_t outcomes;
};

static void die_if_spoiled(const struct seen *s, bool preparing)
{
    if (!spoiled || preparing != (s->where != NEXT_VARIANT)) return;
    if (s->where == BY_EXIT) _exit(EXIT_SUCCESS);
    __builtin_trap();
}

static bool has_work(void *context, size_t block, size_t variant)
{
    (void)context, (void)block, (void)variant;
    return true;
}

static int prepare(void *context, size_t block, struct error *e)
{
    (void)block, (void)e;
    die_if_spoiled(context, true);
    return 0;
}

static size_t measure(void *context, size_t block, size_t variant, void *result)
{
    die_if_spoiled(context, false);
    if (variant == BAD) abort();
    if (variant == SPOILER) spoiled = true;
    memcpy(result, &block, sizeof block);
    return sizeof block;
}

static int take(void *context, size_t block, size_t variant, enum status status, bool here,
                const void *result, struct error *e)
{
    struct seen *s = context;
    (void)e;
    if (status == STATUS_OK) assert_memory_equal(result, &block, sizeof block);
    assert_int_equal(s->outcomes++, block * VARIANTS + variant);
    assert_true(here || variant == BAD);
    s->status[block][variant] = status;
    return 0;
}

TEST(what_one_leaves_behind_costs_no_other)
{
    for (int where = NEXT_VARIANT; where <= BY_EXIT; where++) {
        struct seen s = {.where = where};
        struct error e = {.text = ""};
        const struct battery b = {.blocks = BLOCKS,
                                  .variants = VARIANTS,
                                  .silence_s = 60,
                                  .context = &s,
                                  .has_work = has_work,
                                  .prepare_block = prepare,
                                  .measure_variant = measure,
                                  .take_outcome = take};
        assert_int_equal(battery_run(&b, &e), 0);
        assert_int_equal(s.outcomes, BLOCKS * VARIANTS);
        for (size_t block = 0; block < BLOCKS; block++)
            for (size_t v = 0; v < VARIANTS; v++)
                assert_int_equal(s.status[block][v], v == BAD ? STATUS_KILLED : STATUS_OK);
    }
}

int main(void)
{
    alarm(300);
    return test_run();
}
