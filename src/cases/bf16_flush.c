// SPDX-License-Identifier: MIT
/* VCVTNEPS2BF16 is documented to round to nearest even, and flushes subnormals whatever MXCSR says.
 * Every fp32 value goes through the instruction and through the lab's rounding by integers. */
#include <immintrin.h>
#include <string.h>

#include "cases/case.h"
#include "model/dtype.h"

enum { BATCH = 16 };
/* 2 (2^23 - 1) subnormals, less 2 2^15 that round to zero anyway */
static const uint64_t expected = 16711678;

/* Rounds sixteen floats, given by their bits. */
__attribute__((target("avx512f,avx512bw,avx512bf16"))) static __m256i native(__m512i bits)
{
    return (__m256i)_mm512_cvtneps_pbh(_mm512_castsi512_ps(bits));
}

__attribute__((target("avx512f,avx512bw"))) static __m256i emulated(__m512i bits)
{
    __m512i high = _mm512_srli_epi32(bits, 16), even = _mm512_and_si512(high, _mm512_set1_epi32(1));
    __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), even);
    __m512i size = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff));
    __mmask16 nan = _mm512_cmpgt_epi32_mask(size, _mm512_set1_epi32(0x7f800000));
    __m512i quiet = _mm512_or_si512(high, _mm512_set1_epi32(0x40));
    return _mm512_cvtepi32_epi16(_mm512_mask_blend_epi32(nan, _mm512_srli_epi32(sum, 16), quiet));
}

/* The inputs that the instruction rounds otherwise; those of them that are subnormal, and that it
 * makes zero. */
enum { DIFFERENT, SUBNORMAL, TO_ZERO, COUNTS };

/* Adds those of [first, first + length), both multiples of BATCH. */
__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) static void
compare(uint32_t first, uint32_t length, uint64_t count[COUNTS])
{
    __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (uint32_t at = 0; at < length; at += BATCH) {
        __m512i bits = _mm512_add_epi32(_mm512_set1_epi32((int)(first + at)), lane);
        __m256i got = native(bits);
        __mmask16 differs = _mm256_cmpneq_epi16_mask(got, emulated(bits));
        if (!differs) continue;
        __m512i size = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff));
        __mmask16 zero = _mm256_testn_epi16_mask(got, _mm256_set1_epi16(0x7fff));
        __mmask16 subnormal = _mm512_cmplt_epi32_mask(size, _mm512_set1_epi32(0x00800000));
        count[DIFFERENT] += (uint64_t)__builtin_popcount(differs);
        count[SUBNORMAL] += (uint64_t)__builtin_popcount((unsigned)(differs & subnormal));
        count[TO_ZERO] += (uint64_t)__builtin_popcount((unsigned)(differs & zero));
    }
}

/* Compares emulated() with the lab's own rounding, for every upper half and lower halves on each
 * side of a tie. */
__attribute__((target("avx512f,avx512bw,avx512vl"))) static uint64_t count_unlike_lab(void)
{
    static const uint32_t low[BATCH] = {0,      1,      2,      0x3fff, 0x4000, 0x7ffe,
                                        0x7fff, 0x8000, 0x8001, 0x8002, 0xbfff, 0xc000,
                                        0xfffd, 0xfffe, 0xffff, 0x1234};
    uint64_t count = 0;
    for (uint32_t high = 0; high < 1u << 16; high++) {
        uint32_t bits[BATCH];
        float values[BATCH];
        uint16_t lab[BATCH], words[BATCH];
        for (size_t k = 0; k < BATCH; k++) bits[k] = high << 16 | low[k];
        memcpy(values, bits, sizeof values);
        dtype_find("bf16")->narrow(values, lab, BATCH);
        __m256i got = emulated(_mm512_loadu_si512(bits));
        _mm256_storeu_si256((__m256i *)(void *)words, got);
        for (size_t k = 0; k < BATCH; k++) count += lab[k] != words[k];
    }
    return count;
}

/* ---- Price ----------------------------------------------------------------------------------- */

enum { BUFFER = 4096 };
struct buffers {
    float *x;
    uint16_t *y;
};

__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) static void store_native(void *b)
{
    const struct buffers *d = b;
    for (size_t i = 0; i < BUFFER; i += BATCH)
        _mm256_storeu_si256((__m256i *)(void *)(d->y + i), native(_mm512_loadu_si512(d->x + i)));
}

__attribute__((target("avx512f,avx512bw,avx512vl"))) static void store_emulated(void *b)
{
    const struct buffers *d = b;
    for (size_t i = 0; i < BUFFER; i += BATCH)
        _mm256_storeu_si256((__m256i *)(void *)(d->y + i), emulated(_mm512_loadu_si512(d->x + i)));
}

static void flush_price(const struct case_context *c, struct case_result *r)
{
    struct buffers d = {case_alloc(BUFFER * sizeof *d.x), case_alloc(BUFFER * sizeof *d.y)};
    for (size_t i = 0; i < BUFFER; i++) d.x[i] = 1.0f + (float)i;
    struct case_ratio t = case_ratio_of_work(c, (struct case_work){store_emulated, &d},
                                             (struct case_work){store_native, &d});
    case_price(r,
               "rounding by integers takes %.2f [%.2f, %.2f] times the instruction, %.3f ns per "
               "element in L1 (AVX-512)",
               t.ratio, t.low, t.high, t.a_ns / BUFFER);
}

/* ---- Single values --------------------------------------------------------------------------- */

__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) static uint16_t native_of(float a)
{
    uint16_t words[BATCH];
    __m512i bits = _mm512_castps_si512(_mm512_set1_ps(a));
    _mm256_storeu_si256((__m256i *)(void *)words, native(bits));
    return words[0];
}

static json_t *hex_of(uint16_t word)
{
    float a;
    dtype_find("bf16")->widen(&word, &a, 1);
    return record_hex((double)a);
}

static void table_of_values(struct case_result *r)
{
    static const float values[] = {1.00390625f,    0x1p-126f,       0x1.fffffcp-127f,
                                   0x1p-127f,      -0x1.2345p-130f, 0x1p-133f,
                                   0x1.0002p-134f, 0x1p-134f,       0x1p-149f};
    json_t *table = case_table(r, "Some fp32 values as bf16", "x=x", "native=VCVTNEPS2BF16",
                               "nearest=to nearest even", NULL);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint16_t nearest;
        dtype_find("bf16")->narrow(&values[i], &nearest, 1);
        case_line(table, "ooo", record_hex((double)values[i]), hex_of(native_of(values[i])),
                  hex_of(nearest));
    }
}

static void run(const struct case_context *c, struct case_result *r)
{
    enum { SLICE = 1 << 24 };
    static const char *const words[COUNTS] = {
        [DIFFERENT] = "of 2^32 inputs, rounded otherwise than to nearest even",
        [SUBNORMAL] = "of these, subnormal",
        [TO_ZERO] = "of these, flushed to zero",
    };
    char why[128];
    uint64_t count[COUNTS] = {0};
    if (!cpu_supports(c->cpu, "avx512", why, sizeof why) || !cpu_has(c->cpu, "avx512bf16")) {
        case_skip(r, "this CPU has no VCVTNEPS2BF16 (AVX512_BF16)");
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : count[:COUNTS])
    for (uint32_t k = 0; k < 256; k++) compare(k * SLICE, SLICE, count);
    for (size_t k = 0; k < COUNTS; k++)
        case_check(r, "16711678", json_integer((json_int_t)count[k]), count[k] == expected, "%s",
                   words[k]);
    case_check_number(r, (double)count_unlike_lab(), 0, 0,
                      "inputs that the lab's two roundings by integers take differently");
    table_of_values(r);
    flush_price(c, r);
}

const struct case_study case_bf16_flush = {
    .name = "bf16-flush",
    .title = "The bf16 conversion instruction flushes subnormals",
    .reported = "VCVTNEPS2BF16 is documented to treat subnormal inputs as zero and to flush "
                "subnormal results, whatever MXCSR says; libraries use it where it is there and "
                "round by integers where it is not.",
    .mechanism = "The instruction ignores MXCSR's DAZ and FTZ and behaves as if both were set: "
                 "16,711,678 of 2^32 inputs, all subnormal, become zero and not the nearest bf16.",
    .remedy = "Rounding by integers, on every ISA: what this lab's kernels that store bf16 do.",
    .run = run,
};
