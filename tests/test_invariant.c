// SPDX-License-Identifier: MIT
/* The kernels called `invariant` give one bit pattern: that of simd/invariant/reference.h, over
 * scalar, AVX2 and AVX-512, every compiler and policy of this build, every kind of rows
 * (tests/invariant_cases.c), and any length, alignment, stride, division into batches and number of
 * threads.
 *
 * ULPLAB_TEST_FULL=1: every n to 4096 and at least 10^8 elements per operation (minutes).
 * ULPLAB_TEST_FILTER: some variants (tests/filtered.h). */
// test: 72 s of a core
#include "../simd/invariant/reference.h"
#include "../simd/invariant/reference_elementwise.h"
#include "filtered.h"
#include "invariant_cases.h"
#include "invariant_room.h"
#include "test.h"
#include "machine/mxcsr.h"
#include "model/registry.h"
#include "oracle/oracle.h"

/* ---- What is compared ------------------------------------------------------------------------ */

/* The reference of expkappa: the exponential of softmax for one element. Only `ulplab scan` runs
 * expkappa. */
static float scanned_exponential(float x)
{
    struct exponentials s = exponentials_of(x, false);
    return ldexpf(exponential(&s, x), -s.scale);
}
static void reference_expkappa(const struct job *j)
{
    for (size_t r = 0; r < j->rows; r++)
        for (size_t i = 0; i < j->n; i++) {
            float x = reference_in(j, r)[i];
            reference_out(j, r)[i] = x >= -87.0f && x <= 88.7f ? scanned_exponential(x) : NAN;
        }
}

static const struct invariant_reference {
    const char *op;
    void (*run)(const struct job *);
} references[] = {
    {"softmax", reference_softmax},
    {"log_softmax", reference_softmax},
    {"logsumexp", reference_logsumexp},
    {"moments", reference_moments},
    {"layernorm", reference_layernorm},
    {"rmsnorm", reference_rmsnorm},
    {"expkappa", reference_expkappa},
    {"exp", reference_exp},
    {"log", reference_log},
};
enum { OPERATIONS = sizeof references / sizeof *references };

/* An operation and its variants in the build, if there are any. */
struct operation {
    const struct oracle *op;
    void (*reference)(const struct job *);
    const struct variant **variants;
    size_t count;
};

/* Returns whether a variant's code is already in the list: equal machine code and constants give
 * equal bits. */
static bool has_code(const struct operation *o, const struct variant *v)
{
    for (size_t i = 0; i < o->count; i++)
        if (v->build->code_hash && o->variants[i]->build->code_hash == v->build->code_hash)
            return true;
    return false;
}

static struct operation operation_of(const struct invariant_reference *reference,
                                     const struct registry *r)
{
    struct operation o = {oracle_find(reference->op), reference->run,
                          calloc(r->count + 1, sizeof *o.variants), 0};
    assert_non_null(o.op);
    assert_non_null(o.variants);
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->variants[i].op, reference->op) && r->variants[i].status == STATUS_OK &&
            !has_code(&o, &r->variants[i]))
            o.variants[o.count++] = &r->variants[i];
    return o;
}

static const struct operation *find_operation(const struct operation *all, const struct oracle *op)
{
    size_t i = 0;
    while (all[i].op != op) i++;
    return &all[i];
}

/* ---- One case -------------------------------------------------------------------------------- */

/* Returns the reference's results: y[rows, columns], then stats[rows, 1 or 2] if the operation has
 * statistics. */
static float *reference_results(const struct operation *o, const struct invariant_room *room)
{
    const struct invariant_case *c = room->c;
    size_t y_count = c->rows * room->columns;
    float *want = calloc(y_count + c->rows * room->stats + 1, sizeof *want);
    if (!want) abort(); /* not an assertion: CMocka's are for the main thread only */
    struct job j = invariant_place(room, 0);
    j.y = want;
    j.y_stride = room->columns;
    j.stats = room->stats ? want + y_count : NULL;
    o->reference(&j);
    return want;
}

static bool differ(const float *got, const float *want, size_t count)
{
    return memcmp(got, want, count * sizeof *got) != 0;
}
static size_t first_difference(const float *got, const float *want, size_t count)
{
    size_t i = 0;
    while (i < count && !differ(got + i, want + i, 1)) i++;
    return i;
}

/* Returns the first row of a job's results that differs from the reference's; `rows` if none does.
 */
static size_t first_wrong_row(const struct invariant_room *room, const struct job *j,
                              const float *want)
{
    const float *stats = want + j->rows * room->columns;
    for (size_t r = 0; r < j->rows; r++) {
        const float *y = (const float *)j->y + r * j->y_stride;
        if (differ(y, want + r * room->columns, room->columns)) return r;
        size_t at = room->stats * r;
        if (j->stats && differ(j->stats + at, stats + at, room->stats)) return r;
    }
    return j->rows;
}

static void print_difference(const struct variant *v, const char *how,
                             const struct invariant_room *room, const struct job *j, size_t row,
                             const float *want)
{
    char text[128];
    const float *y = (const float *)j->y + row * j->y_stride;
    want += row * room->columns;
    size_t i = first_difference(y, want, room->columns);
    print_message("%s%s is not the reference's: %s; row %zu, ", v->id, how,
                  invariant_case_text(room->c, text, sizeof text), row);
    if (i == room->columns)
        print_message("statistics\n");
    else
        print_message("result %zu: %a, not %a\n", i, y[i], want[i]);
}

/* Returns whether a job that has run has the reference's results and left the CPU's modes alone. */
static bool is_right(const struct variant *v, const char *how, const struct invariant_room *room,
                     const struct job *j, const float *want)
{
    size_t row = first_wrong_row(room, j, want);
    if (row < j->rows) print_difference(v, how, room, j, row, want);
    bool kept = modes_restore();
    if (!kept) print_message("%s%s left MXCSR, x87 or MMX changed\n", v->id, how);
    return row == j->rows && kept;
}

/* Returns whether every variant gives the reference's bits, in batches and with threads; stops at
 * the first that does not. */
static bool case_is_right(const struct operation *o, const struct invariant_case *c)
{
    struct invariant_room room = invariant_room_open(c);
    float *want = reference_results(o, &room);
    bool right = true;
    for (size_t v = 0; v < o->count && right; v++) {
        const struct kernel *k = o->variants[v]->kernel;
        struct job j = invariant_place(&room, c->n + v);
        invariant_run_batches(k, &j, c->n + v);
        right = is_right(o->variants[v], "", &room, &j, want);
        if (!k->stages || !right) continue;
        j = invariant_place(&room, c->n + v);
        invariant_run_teams(k, &j, c->n + v);
        right = is_right(o->variants[v], " among threads", &room, &j, want);
    }
    free(want);
    invariant_room_close(&room);
    return right;
}

/* ---- All cases ------------------------------------------------------------------------------- */

static void print_size(const struct operation *operations, const struct invariant_cases *all)
{
    double elements = 0, compared = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct invariant_case *c = &all->items[i];
        elements += (double)(c->rows * c->n);
        compared += (double)(c->rows * c->n * find_operation(operations, c->op)->count);
    }
    print_message("%zu cases, %.3g elements, %.3g with every variant's\n", all->count, elements,
                  compared);
}

static size_t count_wrong_cases(const struct operation *operations,
                                const struct invariant_cases *all)
{
    size_t wrong = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : wrong)
    for (size_t i = 0; i < all->count; i++) {
        const struct invariant_case *c = &all->items[i];
        wrong += !case_is_right(find_operation(operations, c->op), c);
    }
    return wrong;
}

/* ---- Every path ------------------------------------------------------------------------------ */

/* A condition by which an operation's kernels choose their code path, and whether the cases made it
 * false and true. */
struct condition {
    const struct oracle *op;
    const char *name, *where;
    bool seen[2]; /* indexed by struct code_path's `taken` */
};
struct conditions {
    struct condition items[64];
    size_t count;
};

static void see_condition(struct conditions *all, const struct invariant_case *c,
                          const struct code_path *path)
{
    size_t i = 0;
    for (; i < all->count; i++) {
        const struct condition *k = &all->items[i];
        if (k->op == c->op && !strcmp(k->name, path->name) && !strcmp(k->where, path->where)) break;
    }
    assert_true(i < sizeof all->items / sizeof *all->items);
    if (i == all->count)
        all->items[all->count++] =
            (struct condition){c->op, path->name, path->where, {false, false}};
    all->items[i].seen[path->taken] = true;
}

/* Records the paths that a variant takes for a case, in the batches in which it runs it. */
static void see_paths(struct conditions *all, const struct kernel *k,
                      const struct invariant_case *c, size_t which)
{
    struct code_path paths[CODE_PATHS_MAX];
    struct job j = {.rows = invariant_batch(c->rows, which),
                    .n = c->n,
                    .log_output = k->log_output,
                    .caches = invariant_caches(which)};
    size_t count = k->paths && c->n ? k->paths(&j, paths) : 0;
    for (size_t i = 0; i < count; i++) see_condition(all, c, &paths[i]);
}

/* Asserts that each condition was true for some cases and false for others. */
static void assert_all_paths(const struct operation *operations, const struct invariant_cases *all)
{
    struct conditions conditions = {.count = 0};
    for (size_t i = 0; i < all->count; i++) {
        const struct operation *o = find_operation(operations, all->items[i].op);
        for (size_t v = 0; v < o->count; v++)
            see_paths(&conditions, o->variants[v]->kernel, &all->items[i], all->items[i].n + v);
    }
    assert_true(enough(conditions.count, OPERATIONS));
    for (size_t i = 0; i < conditions.count; i++) {
        const struct condition *k = &conditions.items[i];
        if (!enough(k->seen[0] + k->seen[1], 2))
            fail_msg("%s: no case where `%s` (%s) is %d", k->op->op, k->name, k->where,
                     !k->seen[1]);
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

TEST(test_one_bit_pattern)
{
    const char *full = getenv("ULPLAB_TEST_FULL");
    struct registry r = registry_or_skip("algorithm=invariant,best dtype=f32");
    struct operation operations[OPERATIONS];
    struct invariant_cases all = {0};
    for (size_t i = 0; i < OPERATIONS; i++) {
        operations[i] = operation_of(&references[i], &r);
        assert_true(enough(operations[i].count, 2));
        invariant_cases_add(&all, operations[i].op, full && strcmp(full, "0") != 0);
    }
    print_size(operations, &all);
    assert_all_paths(operations, &all);
    assert_int_equal(count_wrong_cases(operations, &all), 0);
    for (size_t i = 0; i < OPERATIONS; i++) free(operations[i].variants);
    invariant_cases_free(&all);
}
