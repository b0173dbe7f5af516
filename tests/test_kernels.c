// SPDX-License-Identifier: MIT
/* Runs every variant that can run here on adversarial rows between guard pages: its errors must be
 * within its bound, its special values as its file promises, and nothing outside of its rows may be
 * touched. */
// test: 49 s of a core
#include <immintrin.h>
#include <sys/mman.h>
#include <wchar.h>

#include "filtered.h"
#include "guard.h"
#include "measure/accuracy.h"
#include "measure/isolate.h"
#include "model/record.h"
#include "oracle/oracle.h"
#include "reference.h"
#include "rows.h"
#include "test.h"

enum { LONG_N = 1000000, MARGIN = 64, SLACK = 8, SHOWN = 3 };
static const size_t lengths[] = {0,  1,  2,  7,  8,   9,   15,  16,   17,  31,
                                 33, 61, 64, 97, 127, 257, 521, 1009, 4099};
/* Families that are also tried with a million elements. */
static const char *const long_families[] = {"normal", "offset"};

/* One set of parameters of an operation. */
struct form {
    const char *op, *name;
    bool affine, stats, scaled; /* scaled: for algorithms that scale their input */
};
static const struct form forms[] = {
    {"softmax", "", false, false, false},     {"softmax", "scaled ", false, false, true},
    {"log_softmax", "", false, false, false}, {"log_softmax", "scaled ", false, false, true},
    {"logsumexp", "", false, false, false},   {"moments", "", false, false, false},
    {"layernorm", "", true, true, false},     {"layernorm", "bare ", false, false, false},
    {"rmsnorm", "", true, true, false},       {"rmsnorm", "bare ", false, false, false},
    {"exp", "", false, false, false},         {"log", "", false, false, false},
    {"log2", "", false, false, false},        {"sigmoid", "", false, false, false},
    {"gelu", "", false, false, false},        {"exp2", "", false, false, false},
    {"expm1", "", false, false, false},       {"log1p", "", false, false, false},
    {"tanh", "", false, false, false},        {"erf", "", false, false, false},
    {"silu", "", false, false, false},        {"softplus", "", false, false, false},
    {"sin", "", false, false, false},         {"cos", "", false, false, false},
    {"rsqrt", "", false, false, false},
};
enum { FORMS = sizeof forms / sizeof *forms };
static const float job_scale = 0.3f, job_eps = 1e-5f;

/* Rows with their exact results, which all variants share; packed: x [rows, n], want [rows, width],
 * nearest: want, rounded.
 */
struct test_case {
    const struct form *form;
    bool unary, moments, layernorm, log; /* properties of form->op, for loops over elements */
    const struct row_family *family;
    size_t n, rows, width;
    float *x, *nearest;
    double *want, (*stats)[2];
    struct row_facts *facts;
};

/* The child's position, which it writes before every call, so that the parent knows where it died.
 */
struct position {
    size_t variant, test_case;
};

struct bench {
    const char *op;
    struct registry registry;
    struct test_case *cases;
    size_t case_count;
    float *gamma, *beta; /* [LONG_N] */
    struct guard x, y, gamma_guard, beta_guard, stats, scratch;
    struct position *position; /* shared with the child */
    size_t failures, tested;
};

static struct question question_of(const struct bench *b, const struct form *f)
{
    return (struct question){.op = f->op,
                             .scale = f->scaled ? job_scale : 1.0,
                             .eps = job_eps,
                             .gamma = f->affine ? b->gamma : NULL,
                             .beta = f->affine ? b->beta : NULL};
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    assert_non_null(p);
    return p;
}

static struct test_case case_make(const struct bench *b, const struct form *form,
                                  const struct row_family *family, size_t n)
{
    struct test_case c = {.form = form,
                          .family = family,
                          .n = n,
                          .unary = oracle_find(form->op)->unary,
                          .moments = !strcmp(form->op, "moments"),
                          .layernorm = !strcmp(form->op, "layernorm"),
                          .log = !strcmp(form->op, "log_softmax")};
    c.rows = row_count(family, n);
    c.width = reference_width(form->op, n);
    c.x = allocate(c.rows * n, sizeof *c.x);
    c.want = allocate(c.rows * c.width, sizeof *c.want);
    c.nearest = allocate(c.rows * c.width, sizeof *c.nearest);
    c.stats = allocate(c.rows, sizeof *c.stats);
    c.facts = allocate(c.rows, sizeof *c.facts);
    struct question q = question_of(b, form);
    for (size_t r = 0; r < c.rows; r++) {
        family->fill(c.x + r * n, n, row_place(family, n, r));
        c.facts[r] = reference_facts(c.x + r * n, n, q.scale);
        reference_row(&q, &c.facts[r], c.x + r * n, c.want + r * c.width, c.stats[r]);
    }
    for (size_t i = 0; i < c.rows * c.width; i++) c.nearest[i] = (float)c.want[i];
    return c;
}

static bool wanted_at(const struct row_family *f, size_t n)
{
    if (n != LONG_N) return true;
    for (size_t i = 0; i < sizeof long_families / sizeof *long_families; i++)
        if (!strcmp(f->name, long_families[i])) return true;
    return false;
}

static void make_cases(struct bench *b)
{
    size_t count = sizeof lengths / sizeof *lengths, families = 0;
    while (row_families[families].name) families++;
    b->cases = allocate(FORMS * families * (count + 1), sizeof *b->cases);
    for (const struct form *form = forms; form < forms + FORMS; form++) {
        if (strcmp(form->op, b->op) != 0) continue;
        for (size_t i = 0; i <= count; i++)
            for (size_t k = 0; k < families; k++) {
                size_t n = i < count ? lengths[i] : LONG_N;
                if (wanted_at(&row_families[k], n))
                    b->cases[b->case_count++] = case_make(b, form, &row_families[k], n);
            }
    }
}

/* ---- One call -------------------------------------------------------------------------------- */

/* The layout of a call's memory: packed rows from the first guard page on, or rows with an odd
 * stride up to the last one. */
struct layout {
    bool at_end;
    size_t x_gap, y_gap;
};
static const struct layout layouts[] = {{false, 0, 0}, {true, 3, 5}};

static const uint32_t canary_bits = 0x7fa5c0de; /* a NaN: reading one shows, too */

static void fill_canaries(float *from, size_t count)
{
    wmemset((wchar_t *)from, (wchar_t)canary_bits, count);
}
static bool canaries_live(const float *from, size_t count)
{
    bool live = true;
    for (size_t i = 0; i < count; i++) live &= !memcmp(from + i, &canary_bits, sizeof canary_bits);
    return live;
}

static size_t extent(size_t rows, size_t width, size_t stride)
{
    return rows ? (rows - 1) * stride + width : 0;
}

/* The number of statistics of a row besides its results. */
static size_t stats_of(const struct test_case *c)
{
    return oracle_find(c->form->op)->columns;
}

/* A guarded copy of one parameter. */
static const float *place_parameter(const struct guard *g, const float *p, size_t n, bool at_end)
{
    float *copy = guard_place(g, n, at_end);
    memcpy(copy, p, n * sizeof *p);
    return copy;
}

static struct job job_make(struct bench *b, const struct test_case *c, const struct layout *l)
{
    struct job j = {.rows = c->rows,
                    .n = c->n,
                    .x_stride = c->n + l->x_gap,
                    .y_stride = c->width + l->y_gap,
                    .scale = job_scale,
                    .log_output = c->log,
                    .eps = job_eps};
    size_t x_size = extent(c->rows, c->n, j.x_stride),
           y_size = extent(c->rows, c->width, j.y_stride);
    float *x = guard_place(&b->x, x_size, l->at_end), *y = guard_place(&b->y, y_size, l->at_end);
    fill_canaries(x, x_size);
    for (size_t r = 0; r < c->rows; r++)
        memcpy(x + r * j.x_stride, c->x + r * c->n, c->n * sizeof *x);
    fill_canaries(l->at_end ? y - MARGIN : y, y_size + MARGIN);
    j.x = x;
    j.y = y;
    if (c->form->affine) {
        j.gamma = place_parameter(&b->gamma_guard, b->gamma, c->n, l->at_end);
        j.beta = place_parameter(&b->beta_guard, b->beta, c->n, l->at_end);
    }
    if (c->form->stats) j.stats = guard_place(&b->stats, stats_of(c) * c->rows, l->at_end);
    float *scratch = guard_place(&b->scratch, 2 * c->n + 256, l->at_end);
    j.scratch = scratch - (uintptr_t)scratch % 64 / sizeof *scratch;
    return j;
}

/* Returns whether everything between and beside the rows of y is unchanged. */
static bool y_untouched(const struct test_case *c, const struct layout *l, const struct job *j)
{
    const float *y = j->y;
    size_t y_size = extent(c->rows, c->width, j->y_stride);
    bool live = canaries_live(l->at_end ? y - MARGIN : y + y_size, MARGIN);
    for (size_t r = 0; r + 1 < c->rows; r++)
        live &= canaries_live(y + r * j->y_stride + c->width, l->y_gap);
    return live;
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

struct verdict {
    const struct variant *variant;
    const struct test_case *c;
    const struct layout *layout;
    enum promise_class promises;
    bool specials, bound, rough; /* the properties that are judged */
    int channel;
    size_t *shown; /* failures of this variant so far */
};

/* Decides what is judged. Functions of libraries promise nothing. */
static void verdict_decide(struct verdict *v)
{
    const struct kernel *k = v->variant->kernel;
    bool promised = v->promises != PROMISES_NOTHING;
    bool silent = oracle_find(k->op)->unary && !(k->promise.ulp_off > 0);
    v->specials = promised && k->promise.specials;
    v->bound = promised && !silent && (!k->hazard || !strcmp(k->op, "moments"));
    v->rough = v->c->family->plain && !k->hazard && (promised || !silent);
}

/* Returns whether a library's function is known to be wrong under -ffast-math: by gcc 12, for 8
 * lanes, most results of xsimd 8.1's sin and cos have the wrong sign. */
static bool is_broken_by_its_flags(const struct variant *v)
{
    return !strcmp(v->algorithm, "xsimd") && !strcmp(v->isa, "avx2") && !strcmp(v->cc, "gcc-12") &&
           !strcmp(v->policy, "fastmath") && (!strcmp(v->op, "sin") || !strcmp(v->op, "cos"));
}

static void report(const struct verdict *v, const char *format, ...)
{
    if ((*v->shown)++ >= SHOWN || is_broken_by_its_flags(v->variant)) return;
    char text[512];
    int used = snprintf(text, sizeof text, "%s: %s%s n=%zu %s: ", v->variant->id, v->c->form->name,
                        v->c->family->name, v->c->n, v->layout->at_end ? "strided" : "packed");
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, sizeof text - (size_t)used, format, args);
    va_end(args);
    isolate_send(v->channel, text, strlen(text) + 1);
}

/* The tolerance for results without a promise on plain rows: they must still be roughly right. The
 * layernorm of a single element is exempt: its variance may be a rounding error instead of 0 (gcc's
 * fastmath divides by rcpps), which 1 / eps amplifies. */
static double loosely(const struct test_case *c, double want)
{
    if (!c->layernorm) return 1e-3 * fabs(want) + 1e-3;
    return c->n == 1 ? INFINITY : 1e-2;
}

/* Returns whether .specials covers the output: it is infinite or NaN, or its row is not finite. */
static bool is_special(const struct test_case *c, const struct row_facts *f, float x, double want)
{
    if (!isfinite(want)) return true;
    return c->unary ? !isfinite(x) || fabs(want) >= 0x1p128 : !f->finite;
}

static bool special_agrees(const struct test_case *c, size_t row, size_t i, float got, double want)
{
    /* The mean of a row with an infinity may be an infinity or a NaN, depending on the algorithm.
     */
    bool mean = (c->moments && i == 0) || (c->layernorm && i == c->n);
    if (mean && c->n && !c->facts[row].nan && isnan(want)) return !isfinite(got);
    if (isnan(want)) return isnan(got);
    if (fabs(want) >= 0x1p128) return isinf(got) && (got > 0) == (want > 0);
    /* Finite outputs beside an infinity need only be near: accuracy is judged on finite rows. A
     * logarithm near 0 may differ from 0 by a rounding error relative to x: u max |x|. */
    double of_x = c->log ? 0x1p-24 * (double)c->facts[row].abs_finite : 0;
    double near_zero = fmax(of_x, 0x1p-148);
    return fabs((double)got - want) <= 1e-3 * fabs(want) + near_zero;
}

/* Judges a result that is not the nearest float. */
static void check_value(const struct verdict *v, const struct tolerance *t,
                        const struct question *q, size_t row, size_t i, float got, double want)
{
    const struct test_case *c = v->c;
    const struct row_facts *f = &c->facts[row];
    float x = c->width == c->n && i < c->n ? c->x[row * c->n + i] : 0;
    double y = isinf(got) ? copysign(0x1p128, (double)got) : got;
    if (is_special(c, f, x, want)) {
        if (v->specials && !special_agrees(c, row, i, got, want))
            report(v, "row %zu [%zu]: x %a: got %a, want %a", row, i, (double)x, (double)got, want);
        return;
    }
    if (!v->bound && !v->rough) return;
    double allowed = v->bound ? reference_allows(t, q, x, want, i) : loosely(c, want);
    if (allowed < INFINITY && !(fabs(y - want) <= allowed))
        report(v, "row %zu [%zu]: x %a: got %a, want %a, off by %.3g, allowed %.3g", row, i,
               (double)x, (double)got, want, fabs(y - want), allowed);
}

/* Returns whether a row of finite elements has nothing to report, which most have: each result is
 * within what is allowed. Asked of all elements at once this takes a fraction of the time. */
static bool is_within(const struct verdict *v, const struct question *q, const struct tolerance *t,
                      const float *y, size_t row)
{
    const struct test_case *c = v->c;
    const struct tolerance loose = c->layernorm
                                       ? (struct tolerance){.absolute = 1e-2}
                                       : (struct tolerance){.absolute = 1e-3, .relative = 0.999e-3};
    struct question plain = *q; /* what is roughly right is so without weights */
    if (c->width != c->n || c->n < 2 || c->moments || !(v->bound || v->rough)) return false;
    if (!c->unary && !c->facts[row].finite) return false;
    if (!v->bound) plain.gamma = NULL;
    return reference_allows_row(v->bound ? t : &loose, &plain, c->x + row * c->n,
                                c->want + row * c->n, y, c->n);
}

static void check_row(const struct verdict *v, const struct question *q, const struct job *j,
                      size_t row)
{
    const struct test_case *c = v->c;
    const struct kernel *k = v->variant->kernel;
    const float *y = (const float *)j->y + row * j->y_stride;
    const float *nearest = c->nearest + row * c->width;
    struct tolerances t = reference_tolerances(q, k, &c->facts[row], v->promises == PROMISES_FUSED);
    const size_t judged = is_within(v, q, &t.output[0], y, row) ? c->width : 0;
    for (size_t i = judged; i < c->width; i++)
        if (y[i] != nearest[i])
            check_value(v, &t.output[c->moments && i], q, row, i, y[i],
                        c->want[row * c->width + i]);
    struct question plain = *q; /* gamma applies to y only */
    plain.gamma = NULL;
    size_t stats = stats_of(c);
    for (size_t i = 0; j->stats && i < stats && c->n; i++)
        if (j->stats[stats * row + i] != (float)c->stats[row][i])
            check_value(v, &t.stats[i], &plain, row, c->n + i, j->stats[stats * row + i],
                        c->stats[row][i]);
    if (c->moments && c->n == 1 && v->specials && c->facts[row].finite &&
        c->facts[row].abs < 0x1p60)
        if (y[0] != c->x[row] || y[1] != 0)
            report(v, "row %zu: of one element %a: mean %a, variance %a", row, (double)c->x[row],
                   (double)y[0], (double)y[1]);
}

static void check_call(struct bench *b, struct verdict *v)
{
    enum { MXCSR = 0x1f80, FLAGS = 0x3f };
    struct question q = question_of(b, v->c->form);
    struct job j = job_make(b, v->c, v->layout);
    q.gamma = j.gamma;
    q.beta = j.beta;
    _mm_setcsr(MXCSR);
    v->variant->kernel->run(&j);
    unsigned csr = _mm_getcsr();
    _mm_setcsr(MXCSR);
    if ((csr & ~(unsigned)FLAGS) != MXCSR) report(v, "left MXCSR at %#x", csr);
    if (!y_untouched(v->c, v->layout, &j)) report(v, "wrote outside its rows");
    const bool judged = v->specials || v->bound || v->rough;
    for (size_t r = 0; judged && r < v->c->rows; r++) check_row(v, &q, &j, r);
}

/* ---- Variants -------------------------------------------------------------------------------- */

/* Returns whether another variant has the same code and a promise at least as strong: code is
 * tested once. */
static bool is_repeated(const struct registry *r, size_t i)
{
    const struct variant *v = &r->variants[i];
    int mine = (int)policy_promises(v->policy);
    for (size_t k = 0; v->build->code_hash && k < r->count; k++) {
        const struct variant *w = &r->variants[k];
        int theirs = (int)policy_promises(w->policy);
        if (w->status == STATUS_OK && w->build->code_hash == v->build->code_hash &&
            !strcmp(w->kernel->algorithm, v->kernel->algorithm) &&
            (theirs < mine || (theirs == mine && k < i)))
            return true;
    }
    return false;
}

static bool asks(const struct form *f, const struct variant *v)
{
    return f->scaled == (strncmp(v->algorithm, "scaled", 6) == 0);
}

/* Tests every variant from position->variant on, in the child. */
static void test_variants(void *context, int channel)
{
    struct bench *b = context;
    for (size_t i = b->position->variant; i < b->registry.count; i++) {
        const struct variant *v = &b->registry.variants[i];
        size_t shown = 0;
        b->position->variant = i;
        if (v->status != STATUS_OK || v->study || is_repeated(&b->registry, i)) continue;
        for (size_t c = 0; c < b->case_count; c++) {
            if (!asks(b->cases[c].form, v)) continue;
            b->position->test_case = c;
            for (size_t l = b->cases[c].n == LONG_N; l < 2; l++) {
                struct verdict verdict = {.variant = v,
                                          .c = &b->cases[c],
                                          .layout = &layouts[l],
                                          .promises = policy_promises(v->policy),
                                          .channel = channel,
                                          .shown = &shown};
                verdict_decide(&verdict);
                check_call(b, &verdict);
            }
        }
        char summary[256] = ""; /* empty: passed. Sending it is a sign of life */
        if (is_broken_by_its_flags(v)) {
            if (!shown) snprintf(summary, sizeof summary, "%s: no longer broken", v->id);
        } else if (shown > SHOWN)
            snprintf(summary, sizeof summary, "%s: %zu failures in all", v->id, shown);
        isolate_send(channel, summary, strlen(summary) + 1);
    }
    b->position->variant = b->registry.count;
}

static void receive(void *context, const void *message, size_t size)
{
    struct bench *b = context;
    (void)size;
    if (*(const char *)message) {
        print_error("%s\n", (const char *)message);
        b->failures++;
    }
    b->tested++;
}

/* A crash is a failure of the variant that ran; a new child goes on with the next one. */
static void run_all(struct bench *b)
{
    while (b->position->variant < b->registry.count) {
        enum status s = isolate_run(test_variants, receive, b, 60);
        if (s == STATUS_OK && b->position->variant == b->registry.count) return;
        const struct test_case *c = &b->cases[b->position->test_case];
        print_error("%s: %s%s n=%zu: %s\n", b->registry.variants[b->position->variant].id,
                    c->form->name, c->family->name, c->n, status_name(s));
        b->failures++;
        b->position->variant++;
    }
}

static void open_memory(struct bench *b)
{
    b->gamma = allocate(LONG_N, sizeof *b->gamma);
    b->beta = allocate(LONG_N, sizeof *b->beta);
    for (size_t i = 0; i < LONG_N; i++) {
        b->gamma[i] = 0.5f + (float)(i % 13) * 0.25f;
        b->beta[i] = (float)(i % 7) - 3.0f;
    }
    size_t room = LONG_N + MARGIN + SLACK;
    b->x = guard_open(room);
    b->y = guard_open(room);
    b->gamma_guard = guard_open(room);
    b->beta_guard = guard_open(room);
    b->stats = guard_open(1024);
    b->scratch = guard_open(2 * room + 256);
    b->position =
        mmap(NULL, sizeof *b->position, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(b->position != MAP_FAILED);
}

static void free_cases(struct bench *b)
{
    for (size_t i = 0; i < b->case_count; i++) {
        const struct test_case *c = &b->cases[i];
        void *const parts[] = {c->x, c->want, c->nearest, c->stats, c->facts};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) free(parts[k]);
    }
    free(b->cases);
    b->case_count = 0;
}

static void test_op(void **state)
{
    static struct bench b; /* all operations share its memory */
    char filter[64];
    b.op = *state;
    snprintf(filter, sizeof filter, "op=%s dtype=f32", b.op);
    if (filtered_registry(&b.registry, filter) != 0) skip(); /* this build has no such kernel */
    if (!b.position) open_memory(&b);
    *b.position = (struct position){0};
    b.failures = b.tested = 0;
    make_cases(&b);
    run_all(&b);
    free_cases(&b);
    assert_int_equal(b.failures, 0);
    assert_true(b.tested > 0);
}

/* ---- The worst rows of variances ------------------------------------------------------------- */

enum { WORST_LANES = 16, WORST_LONG = 4096 * WORST_LANES + 1, WORST_SHORT = 4096 };

/* Fills a row whose lanes are constants of growing mean, and whose one element behind the last
 * whole vector lies as far away as sqrt(n) of their differences. */
static void fill_growing_lanes(float *x)
{
    const float tail = 283.07f;
    double lane[WORST_LANES] = {0}, mean = 0;
    for (size_t l = 1; l < WORST_LANES; l++) lane[l] = lane[l - 1] + 1 / (double)l;
    for (size_t l = 0; l < WORST_LANES; l++) mean += lane[l] / WORST_LANES;
    for (size_t i = 0; i + 1 < WORST_LONG; i++)
        x[i] = (float)((lane[i % WORST_LANES] - mean) * (double)tail / 240);
    x[WORST_LONG - 1] = tail;
}

/* Fills a row of equal elements but for the first, which is one ulp greater: kappa is 6e8. */
static void fill_nearly_constant(float *x)
{
    for (size_t i = 0; i < WORST_SHORT; i++) x[i] = 1.1324092149734497f;
    x[0] = nextafterf(x[0], INFINITY);
}

/* Measures the kernels of moments on the row: none may exceed its bound. Returns how many times the
 * leading term of RowwiseMoments' bound, c kappa, the error of a cascade of 16 lanes is, with its
 * second order if `second`; 0: no such build can run here. */
static double cascade_over_leading(const struct registry *r, const float *x, size_t n, bool second)
{
    struct accuracy_request plan = accuracy_default();
    struct tally tally;
    struct error e = {.text = ""};
    json_t *rows = keep(json_array()), *row;
    double share = 0, sum = 0, squares = 0;
    size_t i;
    plan.input = x;
    plan.input_rows = 1;
    plan.input_n = n;
    plan.quiet = true;
    if (accuracy_run(&plan, r, record_sink_array(rows), &tally, &e)) print_error("%s\n", e.text);
    json_array_foreach(rows, i, row)
    {
        assert_string_not_equal(record_text(row, "status"), "wrong");
        if (strstr(record_text(row, "id"), "/cascade/dtype=f32/isa=avx512/"))
            share = fmax(share, record_number(row, "bound_ratio"));
    }
    for (i = 0; i < n; i++) sum += (double)x[i];
    for (i = 0; i < n; i++) squares += pow((double)x[i] - sum / (double)n, 2);
    double kappa = sqrt(1 + sum * sum / (double)n / squares);
    double c = 16 + ceil(log2(ceil((double)(n / 16) / 16))) + 16, leading = c * kappa;
    double far = 3 * sqrt(c + 16) * leading + 5 * sqrt((double)n);
    double bound = 2 * c + 12 + 2 * far + far * far * 0x1p-24;
    return share * bound / (leading + second * leading * leading * 0x1p-24);
}

/* The leading term of a variance's bound is exceeded where elements are nearly equal; its second
 * order, too, where a tail stands beside long lanes. */
TEST(test_variances_on_their_worst_rows)
{
    static float x[WORST_LONG];
    struct registry r;
    if (filtered_registry(&r, "op=moments dtype=f32 policy=off,on,fast,default") != 0) skip();
    fill_nearly_constant(x);
    double first = cascade_over_leading(&r, x, WORST_SHORT, false);
    fill_growing_lanes(x);
    double both = cascade_over_leading(&r, x, WORST_LONG, true);
    assert_true(first == 0 || first > 2);
    assert_true(both == 0 || both > 1);
}

/* Every operation needs a reference, because without one it is not tested. */
TEST(test_every_op_is_known)
{
    for (size_t i = 0; i < build_record_count; i++) {
        const struct kernel *k = build_records[i].kernel;
        size_t f = 0;
        if (!k || k->study) continue; /* kernels that only a case runs are tested with that case */
        while (f < FORMS && strcmp(forms[f].op, k->op) != 0) f++;
        if (f == FORMS) print_error("%s: no test for op %s\n", build_records[i].source, k->op);
        assert_true(f < FORMS);
    }
}

int main(void)
{
    static const char *const ops[] = {
        "softmax", "log_softmax", "logsumexp", "moments",  "layernorm", "rmsnorm", "exp",
        "log",     "log2",        "sigmoid",   "gelu",     "exp2",      "expm1",   "log1p",
        "tanh",    "erf",         "silu",      "softplus", "sin",       "cos",     "rsqrt"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) test_add_with(ops[i], test_op, ops[i]);
    return test_run();
}
