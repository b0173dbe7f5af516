// SPDX-License-Identifier: MIT
#include "measure/apply.h"

#include <errno.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/process.h"
#include "machine/mxcsr.h"
#include "measure/cell.h"
#include "measure/peers.h"
#include "measure/isolate.h"
#include "measure/team.h"
#include "model/dtype.h"
#include "oracle/oracle.h"

static struct npy result_shape(const struct apply_plan *plan)
{
    const struct npy *x = plan->x;
    const struct oracle *o = oracle_find(plan->variant->op);
    if (plan->stats) return (struct npy){.rows = x->rows, .cols = o->columns, .ndim = 2};
    if (cell_is_per_element(plan->variant->kernel))
        return (struct npy){.rows = x->rows,
                            .cols = oracle_columns(plan->variant->op, x->cols),
                            .ndim = x->ndim,
                            .half = !strcmp(plan->variant->dtype, "f16")};
    if (o->columns == 1) return (struct npy){.rows = 1, .cols = x->rows, .ndim = 1};
    return (struct npy){.rows = x->rows, .cols = o->columns, .ndim = 2};
}

/* Returns the array's bytes, at least one: a mapping cannot be empty. There is room for doubles. */
static size_t apply_bytes_of(const struct npy *a)
{
    size_t bytes = a->rows * a->cols * sizeof *a->doubles;
    return bytes ? bytes : 1;
}

/* ---- The child ------------------------------------------------------------------------------- */

struct report {
    double seconds;
    bool modes_kept;
};
struct task {
    const struct apply_plan *plan;
    float *result; /* shared with the parent */
    struct report report;
    bool reported;
};

/* Returns room for so many values of any type. */
static void *apply_allocate(size_t values)
{
    void *p = aligned_alloc(64, (values * sizeof(double) + 63) / 64 * 64 + 64);
    if (!p) _exit(EXIT_FAILURE);
    return p;
}

/* Returns floats as the type that the kernel computes in. */
static const float *apply_computed(const struct dtype *type, const float *values, size_t count)
{
    if (!values || dtype_computed(type) == &dtype_f32) return values;
    void *all = apply_allocate(count);
    type->narrow(values, all, count);
    return all;
}

/* Runs the job on all threads. */
static struct report run_job(const struct apply_plan *plan, const struct job *job)
{
    const struct kernel k = variant_kernel(plan->variant);
    unsigned threads = plan->threads ? plan->threads : 1;
    bool kept = true;
    size_t scratch = (2 * job->n + 256 + 15) / 16 * 16 * sizeof(double);
    char *all = apply_allocate(threads * scratch / sizeof(double));
    struct gate *gates = gates_open(threads);
    if (!gates) _exit(EXIT_FAILURE);
    kernel_construct(&k);
    const unsigned modes = kernel_modes(&k);
    double start = monotonic_s();
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        struct job mine = *job;
        mine.scratch = (void *)(all + (size_t)omp_get_thread_num() * scratch);
        _mm_setcsr(modes);
        team_part(gates, &k, &mine, (void *)all);
        bool mine_kept = modes_restore_after(modes);
#pragma omp critical
        kept = kept && mine_kept;
    }
    gates_close(gates);
    return (struct report){.seconds = monotonic_s() - start, .modes_kept = kept};
}

static void apply_in_child(void *context, int channel)
{
    const struct task *t = context;
    const struct apply_plan *plan = t->plan;
    size_t rows = plan->x->rows, n = plan->x->cols, columns = oracle_columns(plan->variant->op, n);
    const struct dtype *type = dtype_of(plan->variant->kernel);
    bool stored = type != &dtype_f32;
    bool stored_y = dtype_computed(type) != type && cell_is_per_element(plan->variant->kernel);
    const void *given = type == &dtype_f64 ? plan->x->doubles : NULL;
    void *x = stored && !given ? apply_allocate(rows * n) : NULL;
    if (x) type->narrow(plan->x->data, x, rows * n);
    struct job job = {
        .rows = rows,
        .n = n,
        .x = given ? given
             : x   ? x
                   : plan->x->data,
        .x_stride = n,
        /* layernorm always writes its rows, too; if only the statistics are wanted, into a separate
         * buffer. */
        .y = plan->stats || stored_y ? apply_allocate(rows * columns) : t->result,
        .y_stride = columns,
        .scale = plan->parameters.scale,
        .log_output = plan->variant->kernel->log_output,
        .eps = plan->parameters.eps,
        .gamma = apply_computed(type, plan->parameters.gamma, n),
        .beta = apply_computed(type, plan->parameters.beta, n),
        .stats = plan->stats ? t->result : NULL,
        .caches = plan->caches,
    };
    struct report report = run_job(plan, &job);
    if (stored_y && !plan->stats) type->widen(job.y, t->result, rows * columns);
    isolate_send(channel, &report, sizeof report);
}

/* ---- The parent ------------------------------------------------------------------------------ */

static void apply_receive(void *context, const void *message, size_t size)
{
    struct task *t = context;
    t->reported = size == sizeof t->report;
    if (t->reported) memcpy(&t->report, message, size);
}

/* Returns a hint for a kernel that died and may have read gamma or beta without a check for
 * NULL. */
static const char *without_gamma(const struct apply_plan *plan)
{
    const struct oracle *o = oracle_find(plan->variant->op);
    bool affine = !o || oracle_source(o) || oracle_is_affine(o);
    return affine && !plan->parameters.gamma
               ? "; its gamma was NULL, which kernels must accept: --param gamma=FILE.npy gives one"
               : "";
}

static int check_outcome(const struct task *t, enum status status, struct error *e)
{
    const char *id = t->plan->variant->id;
    if (status == STATUS_INTERRUPTED) return interrupt_requested();
    if (status == STATUS_TIMEOUT)
        return fail(e, EXIT_PARTIAL, "%s: %s: no result after %g s; allow more with --timeout",
                    status_name(status), id, t->plan->timeout_s);
    if (status == STATUS_OK && !t->reported) status = STATUS_KILLED;
    if (status != STATUS_OK)
        return fail(e, EXIT_PARTIAL, "%s: %s: the kernel did not return; nothing was written%s",
                    status_name(status), id, without_gamma(t->plan));
    if (!t->report.modes_kept)
        return fail(e, EXIT_PARTIAL,
                    "wrong: %s: the kernel left MXCSR, x87 or MMX changed; nothing was written",
                    id);
    return 0;
}

int apply_run(const struct apply_plan *plan, struct apply_result *result, struct error *e)
{
    *result = (struct apply_result){.y = result_shape(plan)};
    void *shared = mmap(NULL, apply_bytes_of(&result->y), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return fail(e, EXIT_PARTIAL, "cannot run: %s: %s for %zu bytes of output; give fewer rows",
                    plan->variant->id, strerror(errno), apply_bytes_of(&result->y));
    if (dtype_of(plan->variant->kernel) == &dtype_f64)
        result->y.doubles = shared;
    else
        result->y.data = shared;
    struct task task = {.plan = plan, .result = shared};
    int code =
        check_outcome(&task, isolate_run(apply_in_child, apply_receive, &task, plan->timeout_s), e);
    result->seconds = task.report.seconds;
    if (code) apply_free(result);
    return code;
}

void apply_free(struct apply_result *result)
{
    void *shared = result->y.doubles ? (void *)result->y.doubles : result->y.data;
    if (shared) munmap(shared, apply_bytes_of(&result->y));
    *result = (struct apply_result){.seconds = 0};
}
