// SPDX-License-Identifier: MIT
/* One call of a kernel between guard pages, and the processor's state after it. */
#include <immintrin.h>
#include <stdint.h>
#include <string.h>
#include <x86intrin.h>

#include "measure/peers.h"

#include "place.h"

/* ---- The state that a caller counts on ------------------------------------------------------- */

struct processor {
    unsigned mxcsr;
    uint16_t x87_control, x87_tags;
    bool backwards; /* the direction flag */
};
static const struct processor usual = {0x1f80, 0x37f, 0xffff, false};

/* Resets the processor's modes to the usual ones; returns what they were. */
static struct processor processor_reset(void)
{
    enum { FLAGS = 0x3f, DIRECTION = 1 << 10 };
    struct {
        uint32_t control, status, tags, rest[4];
    } x87;
    bool backwards = __readeflags() & DIRECTION;
    __asm__ volatile("cld" ::: "cc");
    __asm__ volatile("fnstenv %0\n\tfninit" : "=m"(x87));
    struct processor was = {_mm_getcsr() & ~(unsigned)FLAGS, (uint16_t)x87.control,
                            (uint16_t)x87.tags, backwards};
    _mm_setcsr(usual.mxcsr);
    return was;
}

static const char *processor_complaint(const struct processor *p)
{
    if (p->backwards) return "left the direction flag set";
    if (p->mxcsr != usual.mxcsr) return "left MXCSR changed";
    if (p->x87_control != usual.x87_control) return "left the x87 control word changed";
    return p->x87_tags == usual.x87_tags ? NULL : "left x87 or MMX registers in use";
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Runs the kernel at once, or by its stages: their parts one after the other, as three threads
 * would compute them. */
static const char *run(const struct kernel *k, const struct job *j, bool by_stages)
{
    enum { PARTS = 3 };
    kernel_construct(k);
    processor_reset();
    if (!by_stages) k->run(j);
    for (unsigned s = 0; by_stages && s < k->stages; s++)
        for (size_t part = 0; part < PARTS; part++) k->stage(j, s, part, PARTS);
    struct processor is = processor_reset();
    return processor_complaint(&is);
}

static const char *run_filled(const struct kernel *k, const struct placed *p, enum filling f,
                              bool by_stages)
{
    place_fill(p, f);
    const char *why = run(k, &p->job, by_stages);
    return why ? why : place_complaint(p, f);
}

/* Returns whether the variant's policy promises nothing, so that any result is allowed. Writes
 * outside of its rows are not. */
static bool may_give_anything(const struct variant *v)
{
    return policy_promises(v->policy) == PROMISES_NOTHING && !v->peer;
}

static const char *run_checked(const struct variant *v, const struct kernel *k,
                               const struct placed *p)
{
    size_t errors = memcheck_errors();
    place_fill(p, NANS);
    place_close(p);
    const char *why = run(k, &p->job, false);
    if (memcheck_errors() != errors) why = "memcheck: see above";
    if (!place_open(p) && !may_give_anything(v))
        why = "memcheck: a result depends on what is not defined";
    return why;
}

const char *try_call(struct memory *m, const struct variant *v, const struct kernel *k,
                     const struct operands *o, const struct layout *l, size_t n, bool memcheck,
                     size_t *calls)
{
    struct placed p = place(m, v, o, l, n);
    ++*calls;
    if (memcheck) return run_checked(v, k, &p);
    const char *why = run_filled(k, &p, NANS, false);
    size_t size = place_results(&p, m->results[0]);
    if (may_give_anything(v)) size = 0;
    ++*calls;
    if (!why) why = run_filled(k, &p, NUMBERS, false);
    place_results(&p, m->results[1]);
    if (!why && memcmp(m->results[0], m->results[1], size) != 0)
        why = "its results depend on what is beside its rows, or was in its scratch";
    if (why || !k->stages || l->rows != 1) return why;
    ++*calls;
    why = run_filled(k, &p, NANS, true);
    place_results(&p, m->results[1]);
    if (!why && memcmp(m->results[0], m->results[1], size) != 0)
        why = "stages give other bits than run";
    return why;
}
