// SPDX-License-Identifier: MIT
#include "measure/bench_field.h"

#include <string.h>

#include "measure/plan_builder.h"
#include "oracle/oracle.h"

bool choice_takes(enum choice choice, const struct variant *v)
{
    if (choice == ALL || v->peer) return true;
    if (!strcmp(v->isa, "scalar")) return false;
    if (!strcmp(v->policy, "off"))
        return choice != VECTOR_EXPLICIT || v->kernel->arithmetic == ARITHMETIC_EXPLICIT;
    return choice == VECTOR_SHIPPABLE &&
           (!strcmp(v->policy, "fast") || !strcmp(v->policy, "default"));
}

/* Returns whether any peer performs this operation. */
static bool peers_know(const struct registry *r, const char *op)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->variants[i].peer && !strcmp(r->variants[i].op, op)) return true;
    return false;
}

/* Returns whether the variant is compared with libraries: fp32, of an operation that some library
 * has, or if no library is built, of one on whole rows. */
static bool is_of_field(const struct registry *r, const struct variant *v)
{
    const struct oracle *o = oracle_find(v->op);
    return v->kernel && !v->study && !strcmp(v->dtype, "f32") &&
           (r->peer_count ? peers_know(r, v->op) : o && !o->unary);
}

/* Returns whether the operation has a kernel with its FMAs written out. */
static bool has_explicit(const struct registry *r, const char *op)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->variants[i].kernel && !strcmp(r->variants[i].op, op) &&
            r->variants[i].kernel->arithmetic == ARITHMETIC_EXPLICIT)
            return true;
    return false;
}

/* Returns whether the variant may be the fastest: only these are timed at shapes beyond `default`,
 * where a cell may take seconds. */
static bool contends(const struct registry *r, const struct variant *v)
{
    const struct kernel *k = v->kernel;
    if (v->peer || k->hazard || k->arithmetic == ARITHMETIC_LIBRARY || !k->chains) return v->peer;
    bool unfused = policy_promises(v->policy) == PROMISES_OFF;
    return k->arithmetic == ARITHMETIC_EXPLICIT || !unfused || !has_explicit(r, v->op);
}

static bool asks_field(const struct registry *r, const struct run_request *q)
{
    return q->shape_count || (r->peer_count && q->effort != BENCH_QUICK);
}

static enum choice field_choice(const struct run_request *q)
{
    return q->effort == BENCH_FULL ? VECTOR_SHIPPABLE : VECTOR_OFF;
}

struct field_request {
    const struct registry *registry;
    const struct run_request *run;
};

/* Returns whether the variant is the plain loop with reordering of its sums allowed, without which
 * no compiler can vectorise it: how people without a library make it fast. */
static bool is_plain_at_its_best(const struct variant *v)
{
    return !strcmp(v->algorithm, "plain") && !strcmp(v->policy, "fastmath") &&
           strcmp(v->isa, "scalar") != 0;
}

/* Returns whether the variant is timed: at `default` the whole field, at shapes where a cell may
 * take seconds only variants that may be the fastest. */
static bool bench_field_is_wanted(const struct field_request *f, const struct variant *v, bool all)
{
    if (!is_of_field(f->registry, v)) return false;
    if (all && is_plain_at_its_best(v)) return true;
    return choice_takes(field_choice(f->run), v) && (all || contends(f->registry, v));
}

/* Adds a contender, unless a slice of the run has the same cell already. */
static void add_contender(struct plan_builder *b, const struct variant *v, struct shape shape)
{
    if (shape.rows && shape_fits(shape, b->setup) && !plan_has_cell(b, v, shape))
        plan_add_cell(b, v, shape, 1, "normal");
}

static void add_field_shape(struct plan_builder *b, const struct field_request *f, const char *text)
{
    const struct named_shape *named = NULL;
    bool all = !strcmp(text, "default");
    while ((named = shape_named(text, named)))
        for (size_t i = 0; i < f->registry->count; i++) {
            const struct variant *v = &f->registry->variants[i];
            if (bench_field_is_wanted(f, v, all))
                add_contender(b, v, shape_resolve(named, v, b->setup, 1));
        }
    struct shape given = shape_given(text);
    for (size_t i = 0; i < f->registry->count && given.rows; i++)
        if (bench_field_is_wanted(f, &f->registry->variants[i], all))
            add_contender(b, &f->registry->variants[i], given);
}

void plan_add_field(struct plan_builder *b, const struct registry *r, const struct run_request *q)
{
    struct field_request f = {r, q};
    for (size_t i = 0; i < q->shape_count; i++) add_field_shape(b, &f, q->shapes[i]);
    if (q->shape_count || !asks_field(r, q)) return;
    add_field_shape(b, &f, "default");
    if (q->effort == BENCH_FULL) add_field_shape(b, &f, "huge");
}
