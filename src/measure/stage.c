// SPDX-License-Identifier: MIT
#include "measure/stage.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "machine/mxcsr.h"
#include "measure/peers.h"

/* One thread processes fewer elements than this: others would not wake up in time, and on a busy
 * machine waiting for them costs a time slice. */
enum { SHARED_ELEMENTS = 1 << 15 };
enum { N_MAX = 1 << 26, ROWS_MIN = 2, CHUNK_ELEMENTS = 2048 };
/* A quiet NaN that no arithmetic makes; its halves are NaNs of both 16-bit types. */
static const uint32_t unwritten = 0x7fde7fde;

int stage_check_lengths(const size_t *n, size_t count, struct error *e)
{
    for (size_t k = 0; k < count; k++)
        if (n[k] > N_MAX)
            return fail(e, EXIT_USAGE, "--n: %zu: rows of at most %d elements; give fewer", n[k],
                        N_MAX);
    return 0;
}

size_t stage_rows(size_t elements, size_t n)
{
    size_t rows = n ? elements / n : ROWS_MIN;
    return rows < ROWS_MIN ? ROWS_MIN : rows;
}

size_t stage_rows_of_chunk(size_t n)
{
    return n >= CHUNK_ELEMENTS ? 1 : CHUNK_ELEMENTS / (n ? n : 1);
}

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/* The offsets of even chunks of a shifted mapping, in bytes behind their guard page: whole elements
 * of every type, and aligned for vectors of 16, 32 and 64 bytes, or for none of them. */
static const size_t shifts[] = {0, 4, 12, 28};
enum { SHIFTS = sizeof shifts / sizeof *shifts };

static int guarded_open(struct guarded *g, size_t chunks, size_t chunk_bytes, struct error *e)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = g->shifted ? shifts[SHIFTS - 1] : 0;
    *g = (struct guarded){.chunk_bytes = chunk_bytes,
                          .shifted = g->shifted,
                          .step = round_up(chunk_bytes + room + !chunk_bytes, page) + page};
    g->bytes = chunks * g->step + page;
    void *base =
        mmap(NULL, g->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return fail(e, EXIT_PARTIAL, "out of memory: %zu MiB for a block; measure smaller ones",
                    g->bytes >> 20);
    g->base = base;
    for (size_t c = 0; c < chunks; c++)
        if (mprotect(g->base + page + c * g->step, g->step - page, PROT_READ | PROT_WRITE) != 0)
            return fail(e, EXIT_PARTIAL, "too many guard pages: %zu chunks; raise vm.max_map_count",
                        chunks);
    return 0;
}

static void guarded_close(struct guarded *g)
{
    if (g->base) munmap(g->base, g->bytes);
    *g = (struct guarded){0};
}

/* `used` bytes of a chunk: the last one may be shorter, and ends at its guard page all the same. */
static void *guarded_at(const struct guarded *g, size_t chunk, size_t used)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = g->base + page + chunk * g->step;
    if (chunk % 2) return pages + (g->step - page) - used;
    return pages + (g->shifted ? shifts[chunk / 2 % SHIFTS] : 0);
}

static float *affine_of(const struct stage *s, size_t which)
{
    return guarded_at(&s->affine, which, s->affine.chunk_bytes);
}

static int open_affine(struct stage *s, struct error *e)
{
    int code = guarded_open(&s->affine, 2, s->n * s->computed->bytes, e);
    if (!code && s->computed == &dtype_f64)
        f64_inputs_affine(s->n, (void *)affine_of(s, 0), (void *)affine_of(s, 1));
    else if (!code)
        inputs_affine(s->n, affine_of(s, 0), affine_of(s, 1));
    return code;
}

struct parameters stage_parameters(const struct stage *s, const struct parameters *p)
{
    struct parameters with = *p;
    const bool given = p->gamma || p->beta, converted = given && s->computed == &dtype_f64;
    if (!s->affine.base || (p->bare && !converted) || (given && !converted)) return with;
    with.gamma = s->has_gamma ? affine_of(s, 0) : NULL;
    with.beta = s->has_beta ? affine_of(s, 1) : NULL;
    return with;
}

void stage_give_affine(struct stage *s, const struct parameters *p)
{
    if (!s->affine.base || s->computed != &dtype_f64 || (!p->gamma && !p->beta)) return;
    s->has_gamma = p->gamma != NULL;
    s->has_beta = p->beta != NULL;
    if (p->gamma) dtype_f64.narrow(p->gamma, affine_of(s, 0), s->n);
    if (p->beta) dtype_f64.narrow(p->beta, affine_of(s, 1), s->n);
}

/* Returns whether users of a stage see the kernels' own buffers. */
static bool is_seen(const struct dtype *t)
{
    return t == dtype_computed(t);
}

int stage_open(struct stage *s, const struct oracle *op, const struct dtype *type, size_t rows,
               size_t n, int threads, bool shifted, struct error *e)
{
    const struct guarded fresh = {.shifted = shifted};
    *s = (struct stage){.x = fresh,
                        .y = fresh,
                        .stats = fresh,
                        .stored_x = fresh,
                        .stored_y = fresh,
                        .rows = rows,
                        .n = n,
                        .columns = oracle_results(op, n),
                        .stats_columns = op->elementwise ? op->columns : 0,
                        .type = type,
                        .ytype = op->elementwise ? type : dtype_computed(type),
                        .computed = dtype_computed(type),
                        .threads = threads ? threads : omp_get_num_procs()};
    s->chunk_rows = stage_rows_of_chunk(n);
    s->chunks = (rows + s->chunk_rows - 1) / s->chunk_rows;
    size_t row = s->computed->bytes * s->chunk_rows;
    int code = guarded_open(&s->x, s->chunks, row * n, e);
    if (!code) code = guarded_open(&s->y, s->chunks, row * s->columns, e);
    if (!code && !is_seen(s->type))
        code = guarded_open(&s->stored_x, s->chunks, s->chunk_rows * n * type->bytes, e);
    if (!code && !is_seen(s->ytype))
        code = guarded_open(&s->stored_y, s->chunks, s->chunk_rows * n * type->bytes, e);
    if (!code) code = guarded_open(&s->stats, s->chunks, row * s->stats_columns, e);
    if (!code && oracle_is_affine(op)) code = open_affine(s, e);
    s->has_gamma = true;
    s->has_beta = oracle_has_beta(op);
    size_t scratch = round_up((2 * n + 256) * s->computed->bytes, 64);
    if (!code) code = guarded_open(&s->scratch, (size_t)s->threads, scratch, e);
    if (code) stage_close(s);
    return code;
}

void stage_close(struct stage *s)
{
    struct guarded *const all[] = {&s->x,     &s->y,       &s->stored_x, &s->stored_y,
                                   &s->stats, &s->scratch, &s->affine};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) guarded_close(all[i]);
}

size_t stage_chunk_rows(const struct stage *s, size_t chunk)
{
    size_t left = s->rows - chunk * s->chunk_rows;
    return left < s->chunk_rows ? left : s->chunk_rows;
}

static void *stage_rows_of(const struct stage *s, const struct guarded *g, size_t chunk,
                           size_t columns, const struct dtype *type)
{
    return guarded_at(g, chunk, stage_chunk_rows(s, chunk) * columns * type->bytes);
}

void *stage_x(const struct stage *s, size_t chunk)
{
    return stage_rows_of(s, &s->x, chunk, s->n, s->computed);
}

void *stage_y(const struct stage *s, size_t chunk)
{
    return stage_rows_of(s, &s->y, chunk, s->columns, s->computed);
}

void *stage_stats(const struct stage *s, size_t chunk)
{
    return stage_rows_of(s, &s->stats, chunk, s->stats_columns, s->computed);
}

/* Return the buffers that kernels read and write. */
static void *stored_x(const struct stage *s, size_t chunk)
{
    return stage_rows_of(s, is_seen(s->type) ? &s->x : &s->stored_x, chunk, s->n, s->type);
}

static void *stored_y(const struct stage *s, size_t chunk)
{
    return stage_rows_of(s, is_seen(s->ytype) ? &s->y : &s->stored_y, chunk, s->columns, s->ytype);
}

static void protect(const struct stage *s, const struct guarded *g, bool locked)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t c = 0; c < s->chunks && g->base; c++)
        mprotect(g->base + page + c * g->step, g->step - page,
                 locked ? PROT_READ : PROT_READ | PROT_WRITE);
}

static void round_input(const struct stage *s)
{
    protect(s, &s->x, false);
    protect(s, &s->stored_x, false);
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (size_t c = 0; c < s->chunks; c++) {
        size_t count = stage_chunk_rows(s, c) * s->n;
        dtype_round_inputs(s->type, stage_x(s, c), count);
        s->type->narrow(stage_x(s, c), stored_x(s, c), count);
    }
}

void stage_lock_input(const struct stage *s, bool locked)
{
    if (locked && !is_seen(s->type)) round_input(s);
    protect(s, &s->x, locked);
    protect(s, &s->stored_x, locked);
}

static void fill_unwritten(void *y, size_t count, const struct dtype *t)
{
    static const uint64_t unwritten_double = 0x7ffe7fde7ffe7fde;
    uint16_t *half = y;
    uint64_t *whole = y;
    _Static_assert(sizeof(wchar_t) == sizeof(float), "wmemset() writes 32 bits");
    if (t == &dtype_f32)
        wmemset(y, (wchar_t)unwritten, count);
    else if (t == &dtype_f64)
        for (size_t i = 0; i < count; i++) whole[i] = unwritten_double;
    else
        for (size_t i = 0; i < count; i++) half[i] = (uint16_t)unwritten;
}

/* Runs a job whose y is unwritten; false where it leaves modes changed. */
static bool run_unwritten(const struct stage *s, const struct kernel *k, const struct job *job)
{
    fill_unwritten(job->y, job->rows * s->columns, s->ytype);
    const unsigned modes = kernel_modes(k);
    _mm_setcsr(modes);
    k->run(job);
    return modes_restore_after(modes);
}

bool stage_run_chunk(const struct stage *s, const struct kernel *k, const struct parameters *p,
                     size_t chunk)
{
    size_t rows = stage_chunk_rows(s, chunk);
    const struct parameters with = stage_parameters(s, p);
    struct job job = {
        .rows = rows,
        .n = s->n,
        .x = stored_x(s, chunk),
        .x_stride = s->n,
        .y = stored_y(s, chunk),
        .y_stride = s->columns,
        .scale = with.scale,
        .log_output = k->log_output,
        .eps = with.eps,
        .gamma = with.gamma,
        .beta = with.beta,
        .stats = s->stats_columns ? stage_stats(s, chunk) : NULL,
        .scratch = guarded_at(&s->scratch, (size_t)omp_get_thread_num(), s->scratch.chunk_bytes),
        .caches = s->caches};
    if (dtype_of(k) != s->type) abort(); /* the variant's status shows it */
    kernel_construct(k);
    bool unchanged = true;
    if (job.stats) {
        fill_unwritten(job.stats, rows * s->stats_columns, s->computed);
        unchanged = run_unwritten(s, k, &job);
        job.stats = NULL;
    }
    unchanged = run_unwritten(s, k, &job) && unchanged;
    if (!is_seen(s->ytype)) s->ytype->widen(job.y, stage_y(s, chunk), rows * s->columns);
    return unchanged;
}

/* Hashes values of 32 bits each, in order; a double is two. */
static uint64_t hash_words(uint64_t h, const char *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, values + i * sizeof word, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

static uint64_t hash_chunk(const struct stage *s, size_t chunk)
{
    size_t words = stage_chunk_rows(s, chunk) * s->computed->bytes / sizeof(uint32_t);
    uint64_t h = hash_words(0xcbf29ce484222325u + chunk, stage_y(s, chunk), words * s->columns);
    return hash_words(h, stage_stats(s, chunk), words * s->stats_columns);
}

bool stage_run(const struct stage *s, const struct kernel *k, const struct parameters *p,
               uint64_t *bits)
{
    bool unchanged = true;
    uint64_t sum = 0; /* sum of the chunks' hashes: threads add them in any order, and each depends
                         on the chunk's number */
#pragma omp parallel for schedule(dynamic) num_threads(s->threads) \
    reduction(&& : unchanged) reduction(+ : sum) if (s->rows * s->n >= SHARED_ELEMENTS)
    for (size_t c = 0; c < s->chunks; c++) {
        unchanged = stage_run_chunk(s, k, p, c) && unchanged;
        if (bits) sum += hash_chunk(s, c);
    }
    if (bits) *bits = sum;
    return unchanged;
}
