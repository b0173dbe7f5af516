// SPDX-License-Identifier: MIT
/* A shared object that computes nothing, linked with -ffast-math, is loaded into a process whose
 * own code was compiled strictly. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cases/case.h"
#include "machine/mxcsr.h"
#include "measure/construct.h"
#include "measure/isolate.h"

enum { ROWS = 64, N = 64, SILENCE_S = 30, FTZ = 0x8000, DAZ = 0x0040 };
/* The versions from which on the compilers do not link crtfastmath.o into shared objects. */
enum { GCC_STOPPED = 13, CLANG_STOPPED = 17 };

struct observation {
    bool loaded;
    unsigned mxcsr[2];     /* before loading and after it */
    bool product[2];       /* 2^-149 * 1 is not 0, computed by the lab's own strict code */
    unsigned subnormal[2]; /* results of a softmax kernel that are subnormal and not 0 */
};

struct trial {
    const char *path;
    const struct variant *kernel; /* NULL: none can run */
    const float *x;
    struct observation seen;
};

/* Counts subnormal results under the MXCSR that the process has; case_call() would set it first. */
static unsigned count_subnormal(const struct trial *trial)
{
    float *y = case_alloc(ROWS * N * sizeof *y);
    float *scratch = case_alloc((2 * N + 256) * sizeof *scratch);
    unsigned count = 0;
    const struct job job = {.rows = ROWS,
                            .n = N,
                            .x = trial->x,
                            .x_stride = N,
                            .y = y,
                            .y_stride = N,
                            .scale = 1,
                            .scratch = scratch};
    if (trial->kernel) {
        kernel_construct(trial->kernel->kernel);
        trial->kernel->kernel->run(&job);
    }
    for (size_t i = 0; i < ROWS * N; i++) {
        uint32_t bits;
        memcpy(&bits, &y[i], sizeof bits);
        count += bits != 0 && bits < 0x00800000;
    }
    free(y);
    free(scratch);
    return count;
}

static void observe(const struct trial *trial, struct observation *seen, size_t when)
{
    volatile float smallest = 0x1p-149f, unit = 1, result = smallest * unit;
    uint32_t bits;
    float copy = result;
    memcpy(&bits, &copy, sizeof bits);
    seen->mxcsr[when] = _mm_getcsr() & ~(unsigned)MXCSR_STICKY;
    seen->product[when] = bits != 0;
    seen->subnormal[when] = count_subnormal(trial);
}

static void ftz_work(void *context, int channel)
{
    struct trial *trial = context;
    struct observation seen = {0};
    _mm_setcsr(MXCSR_DEFAULT);
    observe(trial, &seen, 0);
    void *object = dlopen(trial->path, RTLD_NOW | RTLD_LOCAL);
    seen.loaded = object != NULL;
    observe(trial, &seen, 1);
    isolate_send(channel, &seen, sizeof seen);
    _exit(0); /* no cleanup: what the object has changed ends with this process */
}

static void ftz_receive(void *context, const void *message, size_t size)
{
    struct trial *trial = context;
    if (size == sizeof trial->seen) memcpy(&trial->seen, message, size);
}

static bool links_crtfastmath(const char *cc)
{
    int major = case_cc_major(cc);
    return case_cc_is(cc, "gcc") ? major < GCC_STOPPED : major < CLANG_STOPPED;
}

static void ftz_add_row(struct case_result *r, json_t *rows, const char *cc, const char *linked,
                        const struct trial *trial)
{
    const struct observation *s = &trial->seen;
    char mxcsr[2][16];
    for (size_t i = 0; i < 2; i++) snprintf(mxcsr[i], sizeof mxcsr[i], "0x%x", s->mxcsr[i]);
    unsigned loads = case_litmus_counts(trial->path).mxcsr;
    json_t *row = json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:i, s:i}", "cc", cc, "linked", linked,
                            "ldmxcsr", (int)loads, "before", mxcsr[0], "after", mxcsr[1], "product",
                            s->product[1] ? "2^-149" : "0", "subnormal_before",
                            (int)s->subnormal[0], "subnormal_after", (int)s->subnormal[1]);
    json_array_append(rows, row);
    json_object_update(case_plain_row(r), row);
    json_decref(row);
}

/* Loads one linked object in a process of its own. False if there is no such object. */
static bool load(struct trial *trial, const char *cc, const char *name, char *path, size_t size)
{
    if (!case_litmus_path(cc, name, path, size)) return false;
    trial->path = path;
    trial->seen = (struct observation){.loaded = false};
    return isolate_run(ftz_work, ftz_receive, trial, SILENCE_S) == STATUS_OK && trial->seen.loaded;
}

static void ftz_check_mxcsr(struct case_result *r, const char *cc, const char *when,
                            unsigned expected, unsigned measured)
{
    char what[120], texts[2][16];
    snprintf(what, sizeof what, "%s: MXCSR behind an object linked %s", cc, when);
    snprintf(texts[0], sizeof texts[0], "0x%x", expected);
    snprintf(texts[1], sizeof texts[1], "0x%x", measured);
    case_check(r, what, texts[0], json_string(texts[1]), expected == measured);
}

static void ftz_check(struct case_result *r, const char *cc, const struct trial *strict,
                      const struct trial *fastmath)
{
    char what[120];
    ftz_check_mxcsr(r, cc, "plainly", MXCSR_DEFAULT, strict->seen.mxcsr[1]);
    if (!links_crtfastmath(cc)) return;
    ftz_check_mxcsr(r, cc, "with -ffast-math", MXCSR_DEFAULT | FTZ | DAZ, fastmath->seen.mxcsr[1]);
    snprintf(what, sizeof what, "%s: strict code still has 2^-149 * 1", cc);
    case_check(r, what, "no", json_string(fastmath->seen.product[1] ? "yes" : "no"),
               !fastmath->seen.product[1]);
    if (!fastmath->seen.subnormal[0]) return;
    snprintf(what, sizeof what, "%s: subnormal results of softmax/threepass under off", cc);
    case_check_number(r, what, fastmath->seen.subnormal[1], 0, 0);
}

static const struct variant *softmax_of(const struct case_context *c)
{
    const struct variant *found = NULL; /* belongs to the registry, so that it outlives the list */
    struct case_variants v = case_variants(c, "softmax", "threepass", "f32");
    for (size_t i = 0; i < v.count; i++)
        if (!strcmp(v.items[i]->policy, "off")) found = v.items[i];
    case_variants_free(&v);
    return found;
}

static void run(const struct case_context *c, struct case_result *r)
{
    static const char *const columns[] = {"cc=linked by",
                                          "linked=link line",
                                          "ldmxcsr=ldmxcsr in it",
                                          "before=MXCSR before",
                                          "after=behind dlopen",
                                          "product=2^-149 * 1 in strict code",
                                          "subnormal_before=subnormal softmax results before",
                                          "subnormal_after=behind"};
    float *x = case_inputs(FAMILY_TINY, DOMAIN_EXPONENT, c->seed, ROWS, N);
    struct trial strict = {.kernel = softmax_of(c), .x = x}, fastmath = strict;
    json_t *rows = case_table(r, "Loading a shared object of one function that returns 1", columns,
                              sizeof columns / sizeof *columns);
    size_t affected = 0;
    for (size_t i = 0; i < build_compiler_count; i++) {
        const char *cc = build_compilers[i].cc;
        char paths[2][1200];
        if (!load(&strict, cc, "linked-strict.so", paths[0], sizeof paths[0]) ||
            !load(&fastmath, cc, "linked-fastmath.so", paths[1], sizeof paths[1]))
            continue;
        ftz_add_row(r, rows, cc, "-shared", &strict);
        ftz_add_row(r, rows, cc, "-shared -ffast-math", &fastmath);
        ftz_check(r, cc, &strict, &fastmath);
        affected += links_crtfastmath(cc);
    }
    if (!json_array_size(rows))
        case_skip(r, "the objects to load (litmus/*/linked-*.so) are not beside this program");
    else if (!affected)
        case_skip(r, "gcc from 13 and clang from 17 leave crtfastmath.o out of shared objects");
    case_price(r, "none: compile with -ffast-math where it has to be, link without");
    free(x);
}

const struct case_study case_link_ftz = {
    .name = "link-ftz",
    .title = "One shared object linked with -ffast-math flushes everybody's subnormals",
    .reported = "Importing a package changes the results of another (gcc bug 55522; "
                "llvm-project issue 57589; dozens of Python wheels had it).",
    .mechanism =
        "-ffast-math on a link line adds crtfastmath.o, whose constructor sets FTZ and DAZ "
        "in MXCSR for the thread that loads the object.",
    .remedy =
        "No -ffast-math, -Ofast or -funsafe-math-optimizations on any link line; assert MXCSR "
        "behind loading.",
    .run = run,
};
