// SPDX-License-Identifier: MIT
/* Int8 sigmoid by table and by arithmetic, against fp64. */

#include "filtered.h"
#include "guard.h"
#include "int8_map.h"
#include "test.h"

static void run_on(const struct variant *v, const int8_t *x, size_t n, const struct int8_map *map,
                   int8_t *y)
{
    v->kernel->run(&(struct job){.rows = 1, .n = n, .x = x, .y = y, .operand = map});
}

/* ---- Lookup ---------------------------------------------------------------------------------- */

/* Fills the table with a permutation of the codes, so that a wrong entry cannot give a right
 * result. */
static void fill_table(int8_t table[256])
{
    for (int i = 0; i < 256; i++) table[i] = (int8_t)(i * 77 % 256 - 128);
}

TEST(every_code_at_every_place_of_a_register)
{
    enum { N = 256 };
    struct registry r = registry_or_skip("op=int8sigmoid algorithm=lookup");
    struct int8_map map;
    fill_table(map.table);
    for (size_t i = 0; i < r.count; i++)
        for (int shift = 0; shift < 256; shift++) {
            int8_t x[N], y[N];
            for (int k = 0; k < N; k++) x[k] = (int8_t)((k + shift) % 256 - 128);
            run_on(&r.variants[i], x, N, &map, y);
            for (int k = 0; k < N; k++)
                if (y[k] != map.table[x[k] + 128])
                    fail_msg("%s: code %d at %d", r.variants[i].id, x[k], k);
        }
}

TEST(rows_alone_are_touched)
{
    enum { LENGTHS = 200 };
    struct registry r = registry_or_skip("op=int8sigmoid");
    struct guard in = guard_open(LENGTHS), out = guard_open(LENGTHS);
    struct int8_map map = {.in = {0.05f, 0, -128, 127}, .out = {0x1p-8f, -128, -128, 127}};
    fill_table(map.table);
    for (size_t i = 0; i < r.count; i++)
        for (size_t n = 0; n < LENGTHS; n++)
            for (int at_end = 0; at_end < 2; at_end++) {
                int8_t *x = at_end ? (int8_t *)(void *)in.end - n : (int8_t *)(void *)in.begin;
                int8_t *y = at_end ? (int8_t *)(void *)out.end - n : (int8_t *)(void *)out.begin;
                int8_t one, alone;
                memset(x, 0, n);
                if (n) x[n - 1] = 100;
                if (!at_end) y[n] = 0x5a;
                run_on(&r.variants[i], x, n, &map, y);
                run_on(&r.variants[i], &(int8_t){100}, 1, &map, &alone);
                run_on(&r.variants[i], &(int8_t){0}, 1, &map, &one);
                for (size_t k = 0; k < n; k++) assert_int_equal(y[k], k + 1 == n ? alone : one);
                if (!at_end) assert_int_equal(y[n], 0x5a);
            }
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

static double clamp(double q, double low, double high)
{
    return q < low ? low : q > high ? high : q;
}

/* The exact result before it is rounded to a code. */
static double exact(const struct int8_map *m, int code)
{
    double t = (clamp(code, m->in.low, m->in.high) - m->in.zero_point) * (double)m->in.scale;
    return 1 / (1 + exp(-t)) / (double)m->out.scale;
}

static void computed_codes_are_right(const struct variant *v, const struct int8_map *m)
{
    int8_t x[256], y[256];
    for (int i = 0; i < 256; i++) x[i] = (int8_t)(i - 128);
    run_on(v, x, 256, m, y);
    for (int i = 0; i < 256; i++) {
        double s = exact(m, i - 128);
        double want = clamp(rint(s) + m->out.zero_point, m->out.low, m->out.high);
        bool is_tie = fabs(s - floor(s) - 0.5) < 1e-3; /* in fp32 both are right */
        if (y[i] != want && !(is_tie && fabs(y[i] - want) == 1))
            fail_msg("%s: scale %a, code %d: %d, want %g", v->id, (double)m->in.scale, i - 128,
                     y[i], want);
    }
}

TEST(computing_agrees_with_fp64)
{
    struct registry r = registry_or_skip("op=int8sigmoid algorithm=compute");
    for (size_t i = 0; i < r.count; i++)
        for (int k = 0; k < 400; k++) {
            const struct int8_map m = {
                .in = {0.001f * (float)(k + 1), k % 51 - 25, -128 + k % 3, 127 - k % 7},
                .out = {1 / (float)(255 - k % 5), -128 + k % 2, -128 + k % 2, 127}};
            computed_codes_are_right(&r.variants[i], &m);
        }
}

/* Tests the inputs at which exp overflows and at which it vanishes. */
TEST(saturation)
{
    struct registry r = registry_or_skip("op=int8sigmoid algorithm=compute policy=off,fast");
    const struct int8_map m = {.in = {1000, 0, -128, 127}, .out = {0x1p-8f, -128, -128, 127}};
    for (size_t i = 0; i < r.count; i++) computed_codes_are_right(&r.variants[i], &m);
}

/* ---- VBMI ------------------------------------------------------------------------------------ */

TEST(vbmi_is_skipped_with_a_reason)
{
    static const char *const filter = "op=int8sigmoid isa=avx512vbmi";
    struct registry r;
    const struct cpu here = this_cpu(NULL), cpu = this_cpu("avx512vbmi");
    struct error e;
    char lacks[200];
    bool hidden = cpu_supports(&here, "avx512vbmi", lacks, sizeof lacks);
    if (registry_open(&r, &cpu, &filter, 1, &e)) skip(); /* a build without AVX-512 VBMI */
    registry_kept(r);
    for (size_t i = 0; i < r.count; i++) {
        assert_int_equal(r.variants[i].status, STATUS_SKIPPED);
        assert_string_equal(r.variants[i].reason,
                            hidden ? "hidden by --hide-isa avx512vbmi" : lacks);
    }
}
