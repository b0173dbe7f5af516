// SPDX-License-Identifier: MIT
/* libulp gives the bits of the lab's variants: every function, on every ISA of the CPU, with
 * strides, in place, in pieces and with threads. Memory outside of the rows stays unchanged. */
// test: 41 s of a core
#include <unistd.h>

#include "filtered.h"
#include "invariant_cases.h"
#include "library.h"
#include "test.h"
#include "model/dtype.h"
#include "oracle/oracle.h"

enum { GAP = 3 /* elements between the rows of a strided matrix */, CANARY = 0xa5 };

/* The ways in which a case is called. */
enum way { PLAIN, STRIDED, IN_PLACE, IN_PIECES, TWO_THREADS, FIVE_THREADS, WAYS };
static const char *const way_names[WAYS] = {"plainly",   "with strides",     "in place",
                                            "in pieces", "with two threads", "with five threads"};
static const int threads_of_way[WAYS] = {[TWO_THREADS] = 2, [FIVE_THREADS] = 5};

/* The rows of a function, the results of the lab's variant for them, and memory for a call. */
struct trial {
    const struct library_function *f;
    struct invariant_case c;
    size_t element, y_element, columns; /* element, y_element: bytes; columns: results per row */
    char *x, *want;
    float *want_stats, *stats, *gamma, *beta;
    char *call_x, *call_y;
    void *workspace;
    size_t workspace_bytes;
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void *room(size_t bytes)
{
    void *p = malloc(bytes + 64);
    if (!p) abort();
    return p;
}

/* ---- A trial --------------------------------------------------------------------------------- */

static void fill(struct trial *t)
{
    size_t count = t->c.rows * t->c.n;
    const struct dtype *type = dtype_find(t->f->type);
    float *x = room(count * sizeof *x);
    if (count) invariant_case_fill(&t->c, x);
    if (type->bytes != sizeof(float)) dtype_round_inputs(type, x, count);
    type->narrow(x, t->x, count);
    free(x);
    for (size_t i = 0; i < t->c.n; i++) {
        t->gamma[i] = 0.5f + (float)(i % 7) * 0.25f;
        t->beta[i] = (float)(i % 5) - 2.0f;
    }
}

static struct job job_of(const struct trial *t)
{
    bool affine = t->f->stats && t->c.kind % 2;
    return (struct job){.rows = t->c.rows,
                        .n = t->c.n,
                        .x_stride = t->c.n,
                        .y_stride = t->columns,
                        .log_output = !strcmp(t->f->op, "log_softmax"),
                        .eps = 1e-5f,
                        .gamma = affine ? t->gamma : NULL,
                        .beta = affine ? t->beta : NULL};
}

static struct trial open_trial(const struct library_function *f, const struct kernel *k,
                               struct invariant_case c)
{
    struct trial t = {.f = f, .c = c, .element = dtype_find(f->type)->bytes};
    size_t stride = larger(c.n, 2) + GAP, rows = c.rows + 1;
    t.y_element = f->columns ? sizeof(float) : t.element;
    t.columns = f->columns ? f->columns : c.n;
    t.x = room(c.rows * c.n * t.element);
    t.want = room(c.rows * t.columns * t.y_element);
    t.want_stats = room(2 * c.rows * sizeof(float));
    t.stats = room(2 * c.rows * sizeof(float));
    t.gamma = room(c.n * sizeof(float));
    t.beta = room(c.n * sizeof(float));
    t.call_x = room(rows * stride * t.element);
    t.call_y = room(rows * stride * sizeof(float));
    t.workspace_bytes = ulp_omp_workspace_bytes(5, c.n);
    t.workspace = room(t.workspace_bytes);
    fill(&t);
    struct job j = job_of(&t);
    j.x = t.x;
    j.y = t.want;
    j.stats = f->stats ? t.want_stats : NULL;
    j.scratch = aligned_alloc(64, (2 * c.n + 256) * sizeof(float) / 64 * 64 + 64);
    k->run(&j);
    free(j.scratch);
    return t;
}

static void close_trial(struct trial *t)
{
    void *all[] = {t->x,    t->want,   t->want_stats, t->stats,    t->gamma,
                   t->beta, t->call_x, t->call_y,     t->workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* ---- A call ---------------------------------------------------------------------------------- */

/* Copies x to rows with the job's stride, and fills the memory that a call must not change. */
static void place(struct trial *t, struct job *j, enum way way)
{
    size_t gap = way == STRIDED ? GAP : 0;
    j->x_stride += gap;
    j->y_stride += gap;
    j->x = t->call_x;
    j->y = way == IN_PLACE ? t->call_x : t->call_y;
    j->stats = t->f->stats ? t->stats : NULL;
    memset(t->call_x, CANARY, (t->c.rows * j->x_stride + GAP) * t->element);
    memset(t->call_y, CANARY, (t->c.rows * j->y_stride + GAP) * t->y_element);
    memset(t->stats, CANARY, 2 * t->c.rows * sizeof(float));
    for (size_t r = 0; r < t->c.rows; r++)
        memcpy(t->call_x + r * j->x_stride * t->element, t->x + r * t->c.n * t->element,
               t->c.n * t->element);
}

static struct job rows_of(const struct trial *t, const struct job *whole, size_t first, size_t rows)
{
    struct job j = *whole;
    j.rows = rows;
    j.x = (const char *)j.x + first * j.x_stride * t->element;
    j.y = (char *)j.y + first * j.y_stride * t->y_element;
    if (j.stats) j.stats += t->f->stats * first;
    return j;
}

/* Calls the function; in some ways, short rows get no workspace. */
static int call(const struct trial *t, const struct job *j, enum way way)
{
    bool none = j->n <= ULP_STACK_N && way % 2;
    void *w = none ? NULL : t->workspace;
    size_t bytes = none ? 0 : t->workspace_bytes;
    if (threads_of_way[way]) return t->f->call_threads(threads_of_way[way], j, w, bytes);
    if (way != IN_PIECES) return t->f->call(j, w, bytes);
    for (size_t first = 0, rows = 1; first < j->rows; first += rows, rows = rows % 3 + 1) {
        if (rows > j->rows - first) rows = j->rows - first;
        struct job piece = rows_of(t, j, first, rows);
        int status = t->f->call(&piece, w, bytes);
        if (status) return status;
    }
    return ULP_OK;
}

static bool all_canaries(const char *p, size_t count)
{
    size_t i = 0;
    while (i < count && (unsigned char)p[i] == CANARY) i++;
    return i == count;
}

/* Returns the first row that is wrong, or that was written past its end; `rows` if there is none.
 */
static size_t first_wrong_row(const struct trial *t, const struct job *j)
{
    size_t row = t->columns * t->y_element, gap = j->y_stride * t->y_element - row;
    const char *y = j->y;
    for (size_t r = 0; r < t->c.rows; r++, y += row + gap) {
        if (memcmp(y, t->want + r * row, row) != 0 || !all_canaries(y + row, gap)) return r;
        size_t at = t->f->stats * r, bytes = t->f->stats * sizeof(float);
        if (j->stats && memcmp(j->stats + at, t->want_stats + at, bytes) != 0) return r;
    }
    return all_canaries(y, GAP * t->y_element) ? t->c.rows : t->c.rows - 1;
}

static bool is_right(struct trial *t, const char *isa, enum way way)
{
    char text[128];
    struct job j = job_of(t);
    if (way == IN_PLACE && t->f->columns) return true;
    place(t, &j, way);
    int status = call(t, &j, way);
    size_t row = status ? 0 : first_wrong_row(t, &j);
    if (!status && row == t->c.rows) return true;
    print_message("%s, %s, %s: %s: %s; row %zu\n", t->f->name, isa, way_names[way],
                  invariant_case_text(&t->c, text, sizeof text), ulp_status_text(status), row);
    return false;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Returns the lab's kernel for a function, or NULL. */
static const struct kernel *variant_of(const struct registry *r, const struct library_function *f)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (!strcmp(v->op, f->op) && !strcmp(v->dtype, f->type) &&
            !strcmp(v->algorithm, f->algorithm) && v->status == STATUS_OK)
            return v->kernel;
    }
    return NULL;
}

static size_t wrong_calls(const struct library_function *f, const struct kernel *k, size_t n,
                          size_t rows, int kind)
{
    struct invariant_case c = {.op = oracle_find(f->op), .n = n, .rows = rows, .kind = kind};
    size_t wrong = 0;
    struct trial t = open_trial(f, k, c);
    for (size_t i = 0; i < LIBRARY_ISAS; i++) {
        if (ulp_set_isa(library_isas[i])) continue; /* an ISA that this CPU lacks */
        /* Scalar ISAs are slow, and the code in front of the kernels is the same for all ISAs, so
         * these are tested in fewer ways. */
        bool is_lane = !strcmp(library_isas[i], "nofma") || !strcmp(library_isas[i], "scalar");
        for (enum way way = 0; way < WAYS; way += is_lane ? IN_PLACE : 1)
            wrong += !is_right(&t, library_isas[i], way);
    }
    close_trial(&t);
    return wrong;
}

static void test_function(void **state)
{
    static const size_t lengths[] = {0,    1,    2,    3,    7,    8,     15,    16,   17,   31,
                                     32,   33,   40,   64,   65,   100,   127,   128,  129,  255,
                                     256,  257,  500,  512,  513,  1000,  1024,  1025, 2047, 2048,
                                     2049, 4095, 4096, 4097, 8192, 10007, 16384, 40001};
    struct registry r = registry_or_skip("algorithm=invariant,correct policy=off");
    const struct library_function *f = *state;
    const struct kernel *k = variant_of(&r, f);
    size_t wrong = 0;
    if (!k && test_filter()) skip();
    assert_non_null(k);
    /* The kernels are tested elsewhere (test_correct_rows, scans), and their paths are fewer. */
    size_t step = strcmp(f->algorithm, "correct") == 0 ? 6 : 1;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l += step) {
        size_t n = lengths[l], rows = n < 200 ? 37 : n < 5000 ? 5 : 2;
        for (int kind = n < 5000 ? 0 : (int)l % 3; kind < invariant_kinds();
             kind += n < 5000 ? (int)step : 3)
            wrong += wrong_calls(f, k, n, rows, kind);
    }
    ulp_set_isa(NULL);
    assert_int_equal(wrong, 0);
}

/* Rows so long that their numerators are not kept, each computed by several threads. */
TEST(test_huge_rows)
{
    struct registry r = registry_or_skip("algorithm=invariant policy=off");
    size_t wrong = 0, n = (1u << 21) + 4099;
    for (size_t i = 0; i < library_function_count; i++) {
        const struct kernel *k = variant_of(&r, &library_functions[i]);
        if (strcmp(library_functions[i].type, "f32") != 0 ||
            strcmp(library_functions[i].algorithm, "invariant") != 0 || !k)
            continue;
        wrong += wrong_calls(&library_functions[i], k, n, 1, (int)i % 2);
    }
    ulp_set_isa(NULL);
    assert_int_equal(wrong, 0);
}

/* With more threads than cores, waiting threads must not spin; OpenMP reads this setting when the
 * program starts. */
static void wait_passively(char **argv)
{
    if (getenv("OMP_WAIT_POLICY")) return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    if (argc > 0) wait_passively(argv);
    for (size_t i = 0; i < library_function_count; i++)
        test_add_with(library_functions[i].name, test_function, &library_functions[i]);
    return test_run();
}
