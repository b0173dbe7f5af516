// SPDX-License-Identifier: MIT
/* moments/cascade and layernorm/cascade, with 8 lanes and without contraction, have the bits of
 * Debian's PyTorch (python3-torch 1.x; skipped without it). docs/method.md, "RowwiseMoments". */
#include <sys/wait.h>
#include <unistd.h>

#include "filtered.h"

#include "test.h"

/* These values stand in tests/pytorch_moments.py, too. */
enum { ROWS = 200, MAX_N = 20000, NO_TORCH = 77 };
static const float eps = 1e-5f;

struct answers {
    size_t count;
    int32_t *n;
    float *x, *mean, *rstd;
};

/* Runs the script. Returns its exit status, or -1. */
static int run_script(const char *folder)
{
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        setenv("ATEN_CPU_CAPABILITY", "avx2", 1);
        execl("/usr/bin/python3", "python3", "tests/pytorch_moments.py", folder, NULL);
        _exit(NO_TORCH);
    }
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Reads a file that the script wrote, and removes it; *count: its size in elements of 4 bytes. */
static void *take(const char *folder, const char *name, size_t *count)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *count = (size_t)ftell(f) / 4;
    rewind(f);
    void *data = keep(malloc(4 * *count + 1));
    assert_int_equal(fread(data, 4, *count, f), *count);
    fclose(f);
    unlink(path);
    return data;
}

static int set_up(void **state)
{
    char folder[] = "/tmp/ulplab-pytorch-XXXXXX";
    if (!mkdtemp(folder)) return -1;
    int code = run_script(folder);
    if (code == 0) {
        struct answers *a = keep(calloc(1, sizeof *a));
        size_t rows, means, rstds;
        a->n = take(folder, "n.i32", &a->count);
        a->x = take(folder, "x.f32", &rows);
        a->mean = take(folder, "mean.f32", &means);
        a->rstd = take(folder, "rstd.f32", &rstds);
        assert_int_equal(rows, (size_t)ROWS * MAX_N);
        assert_int_equal(means, ROWS * a->count);
        assert_int_equal(rstds, ROWS * a->count);
        *state = a;
    }
    rmdir(folder);
    return code == 0 || code == NO_TORCH ? 0 : -1;
}

/* The number of rows whose value in column `column` of [ROWS, 2] differs in bits. */
static size_t differing(const float *got, size_t column, const float *want)
{
    size_t count = 0;
    for (size_t r = 0; r < ROWS; r++) count += memcmp(&got[2 * r + column], &want[r], 4) != 0;
    return count;
}

/* The number of rows that differ for some n in the mean or, for layernorm, in rstd. */
static size_t compare(const struct variant *v, const struct answers *a)
{
    static float two[ROWS * 2];
    bool layernorm = !strcmp(v->op, "layernorm");
    static float y[ROWS * MAX_N];
    static _Alignas(64) float scratch[2 * MAX_N + 512];
    size_t wrong = 0;
    for (size_t i = 0; i < a->count; i++) {
        struct job job = {.rows = ROWS,
                          .n = (size_t)a->n[i],
                          .x = a->x,
                          .x_stride = MAX_N,
                          .y = layernorm ? y : two,
                          .y_stride = layernorm ? MAX_N : 2,
                          .scale = 1.0f,
                          .eps = eps,
                          .stats = layernorm ? two : NULL,
                          .scratch = scratch};
        v->kernel->run(&job);
        size_t means = differing(two, 0, a->mean + i * ROWS);
        size_t rstds = layernorm ? differing(two, 1, a->rstd + i * ROWS) : 0;
        if (means + rstds && wrong < 5)
            print_error("%s: n = %d: %zu means, %zu rstds of %d differ\n", v->id, (int)a->n[i],
                        means, rstds, ROWS);
        wrong += means + rstds;
    }
    return wrong;
}

TEST(test_bits)
{
    if (!*state) {
        print_message("no python3-torch 1.x here\n");
        skip();
    }
    static const char *const filter =
        "op=moments,layernorm algorithm=cascade dtype=f32 isa=avx2 policy=off";
    const struct cpu cpu = this_cpu(NULL);
    struct registry r;
    struct error e;
    if (registry_open(&r, &cpu, &filter, 1, &e)) skip(); /* this build has no such variant */
    registry_kept(r);
    size_t compared = 0, wrong = 0;
    for (size_t i = 0; i < r.count; i++)
        if (r.variants[i].status == STATUS_OK) {
            wrong += compare(&r.variants[i], *state);
            compared++;
        }
    if (!compared) skip();
    assert_int_equal(wrong, 0);
}

TEST_GROUP(set_up, NULL)
