// SPDX-License-Identifier: MIT
/* The rows' kernels called `correct` give what a naive program in MPFR gives
 * (tests/correct_rows.c), from every compiler, policy and ISA of this build, over every input
 * family and over rows whose results are ties or lie next to midpoints; elements that are shuffled
 * take their results along. The shares of results that doubles cannot tell are counted by builds of
 * the same text that count.
 *
 * ULPLAB_TEST_FULL=1: 100 times as many elements. ULPLAB_TEST_FILTER: some variants. */
// test: 6 s of a core
#include "base/random.h"
#include "correct_count.h"
#include "correct_rows.h"
#include "filtered.h"
#include "test.h"
#include "oracle/inputs.h"

enum { ELEMENTS = 1000, ALL_ELEMENTS = 100000 };

TEST(all_results_are_naive_ones)
{
    struct registry r = registry_or_skip("algorithm=correct dtype=f32");
    const char *full = getenv("ULPLAB_TEST_FULL");
    size_t elements = full && strcmp(full, "0") != 0 ? 100 * ELEMENTS : ELEMENTS, results = 0,
           wrong = 0;
    for (const char *const *op = correct_operations; *op; op++) {
        struct correct_kernels k = correct_kernels_of(&r, *op);
        size_t of_op = 0;
        assert_true(enough(k.count, 2));
#pragma omp parallel for schedule(dynamic) reduction(+ : of_op, wrong)
        for (size_t kind = 0; kind < correct_kinds(); kind++) {
            struct correct_count c =
                correct_compare(*op, k.items, k.names, k.count, kind, elements);
            of_op += c.results;
            wrong += c.wrong;
#pragma omp critical
            if (c.wrong) print_message("%zu wrong; %s\n", c.wrong, c.first);
        }
        print_message("%-14s %zu results by each of %zu kernels\n", *op, of_op, k.count);
        results += of_op;
    }
    assert_int_equal(wrong, 0);
    assert_true(results >= ALL_ELEMENTS);
}

/* ---- Shuffled rows --------------------------------------------------------------------------- */

enum { ROW = 257 };

static void run_row(const struct kernel *k, bool log_output, const float *x, float *y)
{
    static float scratch[2 * ROW + 256] __attribute__((aligned(64)));
    struct job j = row_job(x, ROW, y, scratch);
    j.log_output = log_output;
    j.caches = (struct caches){32768, 1 << 20, 0};
    k->run(&j);
}

TEST(shuffled_elements_take_their_results_along)
{
    struct registry r = registry_or_skip("algorithm=correct dtype=f32 policy=off");
    for (const char *const *op = correct_operations; *op; op++) {
        struct correct_kernels k = correct_kernels_of(&r, *op);
        bool log_output = strcmp(*op, "log_softmax") == 0;
        for (size_t row = 0; row < 4 * correct_kinds(); row++) {
            float x[2][ROW], y[2][ROW] = {{0}};
            size_t place[ROW], columns = correct_columns(*op, ROW);
            uint64_t seed = row;
            correct_fill(*op, row / 4, row % 4, ROW, x[0]);
            for (size_t i = 0; i < ROW; i++) place[i] = i;
            for (size_t i = ROW - 1; i > 0; i--) {
                size_t other = random_below(&seed, i + 1), swap = place[i];
                place[i] = place[other];
                place[other] = swap;
            }
            for (size_t i = 0; i < ROW; i++) x[1][i] = x[0][place[i]];
            for (size_t v = 0; v < k.count; v++) {
                for (size_t s = 0; s < 2; s++) run_row(k.items[v], log_output, x[s], y[s]);
                for (size_t i = 0; i < columns; i++)
                    assert_memory_equal(&y[1][i], &y[0][columns == ROW ? place[i] : i],
                                        sizeof y[0][i]);
            }
        }
    }
}

/* ---- What doubles cannot tell ---------------------------------------------------------------- */

size_t correct_counts[4];

extern const struct kernel counted_softmax, counted_logsumexp, counted_moments, counted_layernorm,
    counted_rmsnorm;
static const struct kernel *counted_kernel(const char *op)
{
    const struct kernel *all[] = {&counted_softmax, &counted_logsumexp, &counted_moments,
                                  &counted_layernorm, &counted_rmsnorm};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strstr(op, all[i]->op)) return all[i];
    return NULL;
}

/* Prints the share of results that doubles cannot tell, and how often sums are formed again, by
 * operation and kind. Results are compared, too: these builds allocate after one stage. */
TEST(shares_of_results_that_fall_back)
{
    print_message("%-14s %-12s %9s %10s %8s %8s %8s\n", "operation", "rows of", "results",
                  "fall back", "dd sums", "integers", "fixed");
    for (const char *const *op = correct_operations; *op; op++)
        for (size_t kind = 0; kind < correct_kinds(); kind++) {
            const struct kernel *k = counted_kernel(*op);
            memset(correct_counts, 0, sizeof correct_counts);
            struct correct_count c = correct_compare(*op, &k, op, 1, kind, 4 * ELEMENTS);
            double share = (double)correct_counts[0] / (double)c.results;
            print_message("%-14s %-12s %9zu %10.2g %8zu %8zu %8zu\n", *op, correct_kind_name(kind),
                          c.results, share, correct_counts[1], correct_counts[2],
                          correct_counts[3]);
            if (c.wrong) fail_msg("%zu wrong; %s", c.wrong, c.first);
            bool exponentials = k == &counted_softmax || k == &counted_logsumexp;
            if (kind == FAMILY_NORMAL || kind == FAMILY_OFFSET || kind == FAMILY_BELOW)
                assert_true(share < (k == &counted_moments ? 0.1 : 0.01));
            if (!strcmp(correct_kind_name(kind), "greedy") && exponentials)
                assert_true(correct_counts[3] > 10);
            if (!strcmp(correct_kind_name(kind), "ties") && k == &counted_moments)
                assert_true(correct_counts[2] > 1);
        }
}
