// SPDX-License-Identifier: MIT
#include "invariant_cases.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/inputs.h"

/* Kinds of rows besides the input families. */
enum kind {
    SPECIALS = FAMILY_COUNT, /* NaNs and infinities */
    SPECIALS_FAR, /* the same, among values so large that exp's argument reduction needs the maximum
                     subtracted */
    INFINITIES,
    MINUS_INFINITIES, /* the row is mostly, or entirely, -inf */
    RISE,
    SLOPE,
    MASKS,
    LEVELS,
    BORDER,
    KINDS
};

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Puts specials at places given by the row's index, so that whole vectors and tails both get them.
 */
static void add_specials(float *x, size_t n, size_t row, enum kind kind)
{
    static const uint32_t specials[] = {0x7fc00000, 0xffc12345, 0x7f800001, 0x7f800000, 0xff800000};
    bool all = kind == MINUS_INFINITIES;
    size_t places = all ? n : 1 + row % 3;
    for (size_t k = 0; k < places && n; k++) {
        size_t which = all ? 4 : kind == INFINITIES ? 3 + (row + k) % 2 : (row + k) % 5;
        size_t at = all ? k : (row * 7919 + k * 104729) % n;
        if (!all || row % 2 || at % 3) memcpy(x + at, &specials[which], sizeof *x);
    }
}
static void move_far(float *x, size_t n, size_t row)
{
    for (size_t i = 0; i < n; i++) x[i] = x[i] * 3e5f + (row % 2 ? 1e30f : -7e4f);
}

/* One element far above the others: by less, or by more, than the margin that a kernel adds to the
 * maximum of a row's sample. */
static void add_rise(float *x, size_t n, size_t row)
{
    static const float rise[] = {20, 30, 34, 35, 36, 62, 90, 150, 241, 300, 354, 400, 711, 7e4f};
    size_t at = row % 2 ? n - 1 : (row * 7919 + n / 2) % n;
    x[at] += rise[(n + row) % (sizeof rise / sizeof *rise)];
}

/* Each block of the row is above the one before, with some elements far below both. */
static void add_slope(float *x, size_t n, size_t row)
{
    for (size_t i = 0; i < n; i++)
        x[i] += 60.0f * (float)i / (float)n - (i % 7 ? 0.0f : 105.0f + (float)(row % 3) * 7.0f);
}

/* Masks as attention uses them: after a place, before one, at scattered places, or none; by -inf or
 * by large negative numbers that people use instead. */
static void add_masks(float *x, size_t n, size_t row)
{
    static const float masks[] = {-INFINITY, -1e9f, -1e4f, -240.0f, -FLT_MAX};
    size_t place = (row * 7919 + n / 3) % n;
    for (size_t i = 0; i < n; i++) {
        bool hidden[] = {i > place, i < place, i % 3 == row % 3, false};
        if (hidden[(row + n) % 4]) x[i] = masks[(row + n / 4) % (sizeof masks / sizeof *masks)];
    }
}

/* Rows at another level than their neighbours: close enough for the same shift of the exponents, or
 * not. */
static void add_level(float *x, size_t n, size_t row)
{
    static const float steps[] = {0, 5, -5, 6, 20, -20, 40, 60, -80, 90, -300, 2e3f, -7e4f};
    size_t kinds = sizeof steps / sizeof *steps;
    float level = row % 3 ? 0 : steps[(row / 3 + n) % kinds];
    for (size_t i = 0; i < n; i++) x[i] += level;
}

/* Rows around the border from which the maximum is subtracted first: the beginning of a row and its
 * maximum lie on different sides of it; or a row and the one eight rows before do, whose exponents
 * it might reuse. */
static void add_border(float *x, size_t n, size_t row)
{
    static const float offsets[] = {-3, 3, -12, -1, 1, -33, 33, 0, -64, 64};
    float border = n % 2 ? 65536.0f : -65536.0f;
    float offset = offsets[(row / 8 + n / 2) % (sizeof offsets / sizeof *offsets)];
    for (size_t i = 0; i < n; i++) x[i] += border + offset;
}

static void fill_row(const struct invariant_case *c, size_t row, float *x)
{
    enum family f = c->kind < FAMILY_COUNT ? (enum family)c->kind : FAMILY_NORMAL;
    inputs_row(f, c->op->domain, 1 + c->n, row, c->n, x);
    if (!c->n) return;
    switch (c->kind) {
    case SPECIALS_FAR:
        add_specials(x, c->n, row, SPECIALS), move_far(x, c->n, row);
        break;
    case SPECIALS:
    case INFINITIES:
    case MINUS_INFINITIES:
        add_specials(x, c->n, row, (enum kind)c->kind);
        break;
    case RISE:
        add_rise(x, c->n, row);
        break;
    case SLOPE:
        add_slope(x, c->n, row);
        break;
    case MASKS:
        add_masks(x, c->n, row);
        break;
    case LEVELS:
        add_level(x, c->n, row);
        break;
    case BORDER:
        add_border(x, c->n, row);
        break;
    default:
        break; /* an input family: nothing to add */
    }
}

int invariant_kinds(void)
{
    return KINDS;
}

void invariant_case_fill(const struct invariant_case *c, float *x)
{
    for (size_t row = 0; row < c->rows; row++) fill_row(c, row, x + row * c->n);
}

const char *invariant_case_text(const struct invariant_case *c, char *text, size_t size)
{
    snprintf(text, size, "rows = %zu, n = %zu, kind %d%s", c->rows, c->n, c->kind,
             c->affine ? ", affine" : "");
    return text;
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static void add_case(struct invariant_cases *all, struct invariant_case c)
{
    if (all->count == all->room) {
        all->room = 2 * all->room + 64;
        all->items = realloc(all->items, all->room * sizeof *all->items);
        if (!all->items) abort();
    }
    all->items[all->count++] = c;
}

/* Adds a case; for layernorm and rmsnorm, with gamma and beta and without. */
static void add_forms(struct invariant_cases *all, struct invariant_case c)
{
    add_case(all, c);
    bool norm = !strcmp(c.op->op, "layernorm") || !strcmp(c.op->op, "rmsnorm");
    c.affine = norm && c.n % 3 == 0;
    if (c.affine) add_case(all, c);
}

/* The number of rows, 1 to 40, that comes closest to `elements` elements. */
static void add_length(struct invariant_cases *all, struct invariant_case c, size_t n,
                       size_t elements)
{
    size_t rows = n ? elements / n : 3;
    c.n = n;
    c.rows = rows < 1 ? 1 : rows > 40 ? 40 : rows;
    add_forms(all, c);
}

static void add_primes(struct invariant_cases *all, struct invariant_case c, bool full)
{
    static const size_t primes[] = {999983, 524287, 262147, 131071, 99991, 65537, 65521,
                                    32749,  16381,  10007,  8191,   5003,  4099};
    for (c.kind = 0; c.kind < KINDS; c.kind++)
        for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
            if (full || (size_t)c.kind == i % KINDS) add_length(all, c, primes[i], 1);
}

/* Adds every length to 4096, or every length to 140 and some longer ones. */
static void add_lengths(struct invariant_cases *all, struct invariant_case c, bool full)
{
    for (size_t n = full ? 4096 : 4090; n <= 4096; n -= full || n <= 140 ? 1 : 79)
        for (c.kind = 0; c.kind < KINDS; c.kind++)
            if (full || n < 36 || c.kind == (int)(n % KINDS))
                add_length(all, c, n, full ? 2000 : 400);
}

/* Adds enough rows to be computed side by side, around the lengths at which that begins on one
 * machine or another. */
static void add_batches(struct invariant_cases *all, struct invariant_case c, bool full)
{
    static const size_t lengths[] = {32,   63,   64,   65,   127,  128,  129,  255,  256,
                                     257,  511,  512,  513,  767,  1000, 1024, 1025, 2047,
                                     2048, 2049, 4095, 4096, 4097, 4098, 5003};
    c.rows = 19;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (c.kind = 0; c.kind < KINDS; c.kind++) {
            c.n = lengths[i];
            if (full || (size_t)c.kind % 4 == i % 4) add_forms(all, c);
        }
}

/* Adds the longest rows whose numerators are kept, and the shortest rows whose numerators are not.
 */
static void add_huge(struct invariant_cases *all, struct invariant_case c)
{
    c.rows = 1;
    for (c.n = (1 << 21) - 1; c.n <= (1 << 21) + 2; c.n += 3)
        for (c.kind = FAMILY_SORTED; c.kind <= SPECIALS; c.kind++) add_forms(all, c);
    c.kind = FAMILY_SORTED;
    add_forms(all, c);
    if (strcmp(c.op->op, "softmax") != 0 && strcmp(c.op->op, "log_softmax") != 0) return;
    /* Adds rows with subnormal quotients, with zero quotients, and rows whose maximum is subtracted
     * first. */
    static const int low[] = {FAMILY_WIDE, SPECIALS_FAR, SLOPE, MASKS};
    for (size_t i = 0; i < sizeof low / sizeof *low; i++) {
        c.kind = low[i];
        add_forms(all, c);
    }
}

void invariant_cases_add(struct invariant_cases *all, const struct oracle *op, bool full)
{
    struct invariant_case c = {.op = op};
    add_primes(all, c, full); /* the long cases first, so that the last ones to end are short */
    add_lengths(all, c, full);
    add_batches(all, c, full);
    add_huge(all, c);
}

void invariant_cases_free(struct invariant_cases *all)
{
    free(all->items);
    *all = (struct invariant_cases){0};
}
