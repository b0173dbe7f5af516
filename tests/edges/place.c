// SPDX-License-Identifier: MIT
#include "place.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 256, LINE = 64, AFFINE = N_MAX * sizeof(double) };

void memory_open(struct memory *m)
{
    size_t room = 2 * ((size_t)ROWS_MAX * (N_MAX + 64) + MARGIN); /* floats: as many doubles */
    struct guard *const guards[] = {&m->x, &m->y, &m->gamma, &m->beta, &m->stats, &m->scratch};
    for (size_t i = 0; i < sizeof guards / sizeof *guards; i++) *guards[i] = guard_open(room);
    for (size_t i = 0; i < 2; i++) m->results[i] = malloc(room * sizeof(float));
    if (!m->results[0] || !m->results[1]) exit(EXIT_FAILURE);
}

/* ---- Places ---------------------------------------------------------------------------------- */

static struct extent extent_at(const struct guard *g, size_t bytes, bool at_end, size_t align)
{
    struct extent e = {.bytes = bytes};
    if (at_end) {
        e.high = (char *)g->end;
        e.at = e.high - bytes - (uintptr_t)(e.high - bytes) % align;
        e.low = e.at - MARGIN;
    } else {
        e.low = e.at = (char *)g->begin;
        e.high = e.at + bytes + MARGIN;
    }
    return e;
}

static struct rows rows_at(const struct guard *g, size_t count, size_t row, size_t gap, bool at_end)
{
    struct rows r = {.count = count, .row = row, .step = row + gap};
    r.extent = extent_at(g, (count - 1) * r.step + row, at_end, 1);
    return r;
}

static float *floats_of(const struct rows *r)
{
    return r->row ? (float *)(void *)r->extent.at : NULL;
}

struct placed place(struct memory *m, const struct variant *v, const struct operands *o,
                    const struct layout *l, size_t n)
{
    size_t width = o->width == PER_ELEMENT ? n : o->width, affine = n * o->computed;
    size_t x = o->x_bytes, y = o->y_bytes, stats = l->at_end ? o->stats * o->computed : 0;
    struct placed p = {
        .source = source_rows(v, o, n), .source_step = N_MAX * x, .computed = o->computed};
    p.x = rows_at(&m->x, l->rows, n * x, l->x_gap * x, l->at_end);
    p.y = rows_at(&m->y, l->rows, width * y, l->y_gap * y, l->at_end);
    p.gamma = rows_at(&m->gamma, 1, o->gamma ? affine : 0, 0, l->at_end);
    p.beta = rows_at(&m->beta, 1, o->beta ? affine : 0, 0, l->at_end);
    p.stats = rows_at(&m->stats, l->rows, stats, 0, l->at_end);
    p.scratch = (struct rows){.count = 1, .row = 2 * affine + 256 * o->computed};
    p.scratch.extent = extent_at(&m->scratch, p.scratch.row, l->at_end, LINE);
    p.job = (struct job){.rows = l->rows,
                         .n = n,
                         .x = p.x.extent.at,
                         .x_stride = n + l->x_gap,
                         .y = p.y.extent.at,
                         .y_stride = width + l->y_gap,
                         .scale = 0.3f,
                         .log_output = v->kernel->log_output,
                         .eps = 1e-5f,
                         .gamma = floats_of(&p.gamma),
                         .beta = floats_of(&p.beta),
                         .stats = floats_of(&p.stats),
                         .scratch = floats_of(&p.scratch),
                         .operand = o->operand};
    if (l->in_memory) p.job.caches = (struct caches){32768, 1 << 20, 96};
    return p;
}

/* ---- Contents -------------------------------------------------------------------------------- */

static const unsigned char bytes_of[] = {[NANS] = 0xff, [NUMBERS] = 0x3c};

static bool is_filled(const char *from, const char *to, enum filling filling)
{
    bool first = from == to || (unsigned char)*from == bytes_of[filling];
    return first && (from == to || !memcmp(from, from + 1, (size_t)(to - from) - 1));
}

/* Fills what surrounds the rows. */
static bool is_kept(const struct rows *r, enum filling filling)
{
    const struct extent *e = &r->extent;
    bool kept = is_filled(e->low, e->at, filling) && is_filled(e->at + e->bytes, e->high, filling);
    for (size_t i = 0; i + 1 < r->count; i++)
        kept &= is_filled(e->at + i * r->step + r->row, e->at + (i + 1) * r->step, filling);
    return kept;
}

static void copy_to(const struct rows *r, const void *from, size_t step)
{
    for (size_t i = 0; i < r->count; i++)
        memcpy(r->extent.at + i * r->step, (const char *)from + i * step, r->row);
}
static bool is_copy(const struct rows *r, const void *of, size_t step)
{
    bool is = true;
    for (size_t i = 0; i < r->count; i++)
        is &= !memcmp(r->extent.at + i * r->step, (const char *)of + i * step, r->row);
    return is;
}

static const struct rows *part(const struct placed *p, size_t i)
{
    const struct rows *const parts[PLACED] = {&p->x,    &p->y,     &p->gamma,
                                              &p->beta, &p->stats, &p->scratch};
    return parts[i];
}

void place_fill(const struct placed *p, enum filling filling)
{
    for (size_t i = 0; i < PLACED; i++) {
        const struct extent *e = &part(p, i)->extent;
        memset(e->low, bytes_of[filling], (size_t)(e->high - e->low));
    }
    copy_to(&p->x, p->source, p->source_step);
    copy_to(&p->gamma, source_affine(p->computed), AFFINE);
    copy_to(&p->beta, source_affine(p->computed), AFFINE);
}

const char *place_complaint(const struct placed *p, enum filling filling)
{
    static const char *const outside[PLACED] = {
        "wrote beside x",    "wrote outside its rows of results", "wrote beside gamma",
        "wrote beside beta", "wrote outside its statistics",      "wrote outside its scratch"};
    for (size_t i = 0; i < PLACED; i++)
        if (!is_kept(part(p, i), filling)) return outside[i];
    if (!is_copy(&p->x, p->source, p->source_step)) return "wrote to x";
    if (!is_copy(&p->gamma, source_affine(p->computed), AFFINE)) return "wrote to gamma";
    return is_copy(&p->beta, source_affine(p->computed), AFFINE) ? NULL : "wrote to beta";
}

size_t place_results(const struct placed *p, char *results)
{
    char *next = results;
    for (size_t r = 0; r < p->y.count; r++, next += p->y.row)
        memcpy(next, p->y.extent.at + r * p->y.step, p->y.row);
    memcpy(next, p->stats.extent.at, p->stats.extent.bytes);
    return (size_t)(next - results) + p->stats.extent.bytes;
}

/* ---- Under memcheck -------------------------------------------------------------------------- */

void place_close(const struct placed *p)
{
    for (size_t i = 0; i < PLACED; i++) {
        const struct rows *r = part(p, i);
        const struct extent *e = &r->extent;
        bool is_input = r == &p->x || r == &p->gamma || r == &p->beta;
        memcheck_no_access(e->low, (size_t)(e->high - e->low));
        for (size_t k = 0; k < r->count; k++)
            (is_input ? memcheck_open : memcheck_undefined)(e->at + k * r->step, r->row);
    }
}

bool place_open(const struct placed *p)
{
    bool defined = memcheck_is_defined(p->stats.extent.at, p->stats.extent.bytes);
    for (size_t r = 0; r < p->y.count; r++)
        defined &= memcheck_is_defined(p->y.extent.at + r * p->y.step, p->y.row);
    for (size_t i = 0; i < PLACED; i++) {
        const struct extent *e = &part(p, i)->extent;
        memcheck_open(e->low, (size_t)(e->high - e->low));
    }
    return defined;
}
