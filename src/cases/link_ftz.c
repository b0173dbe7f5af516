// SPDX-License-Identifier: MIT
/* A shared object that computes nothing, linked with -ffast-math, is loaded into a process whose
 * own code was compiled strictly. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "base/float_bits.h"
#include "cases/case.h"
#include "machine/mxcsr.h"
#include "measure/peers.h"
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
    char path[1200];
    const struct variant *kernel; /* NULL: none can run */
    const float *x;
    struct observation seen;
};

/* Counts subnormal results under the MXCSR that the process has; case_call() would set it first. */
static unsigned count_subnormal(const struct trial *trial)
{
    float *y = case_alloc(ROWS * N * sizeof *y);
    struct job job = case_job(ROWS, N, trial->x, y, N);
    unsigned count = 0;
    job.scratch = case_alloc((2 * N + 256) * sizeof *job.scratch);
    if (trial->kernel) {
        kernel_construct(trial->kernel->kernel);
        trial->kernel->kernel->run(&job);
    }
    for (size_t i = 0; i < ROWS * N; i++) {
        uint32_t bits = bits_of_float(y[i]);
        count += bits != 0 && bits < 0x00800000;
    }
    return count;
}

static void observe(const struct trial *trial, struct observation *seen, size_t when)
{
    volatile float smallest = 0x1p-149f, unit = 1, result = smallest * unit;
    seen->mxcsr[when] = _mm_getcsr() & ~(unsigned)MXCSR_STICKY;
    seen->product[when] = bits_of_float(result) != 0;
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

static void ftz_add_row(struct case_result *r, json_t *table, const char *cc, const char *linked,
                        const struct trial *trial)
{
    const struct observation *s = &trial->seen;
    json_t *row =
        case_line(table, "ssioosii", cc, linked, (int)case_litmus_counts(trial->path).mxcsr,
                  json_sprintf("0x%x", s->mxcsr[0]), json_sprintf("0x%x", s->mxcsr[1]),
                  s->product[1] ? "2^-149" : "0", (int)s->subnormal[0], (int)s->subnormal[1]);
    json_object_update(case_plain_row(r), row);
}

/* Loads one linked object in a process of its own. False if there is no such object. */
static bool load(struct trial *trial, const char *cc, const char *name)
{
    if (!case_litmus_path(cc, name, trial->path, sizeof trial->path)) return false;
    trial->seen = (struct observation){.loaded = false};
    return isolate_run(ftz_work, ftz_receive, trial, SILENCE_S) == STATUS_OK && trial->seen.loaded;
}

static void ftz_check_mxcsr(struct case_result *r, const char *cc, const char *when,
                            unsigned expected, unsigned measured)
{
    char text[16];
    snprintf(text, sizeof text, "0x%x", expected);
    case_check(r, text, json_sprintf("0x%x", measured), expected == measured,
               "%s: MXCSR behind an object linked %s", cc, when);
}

static void ftz_check(struct case_result *r, const char *cc, const struct trial *strict,
                      const struct trial *fastmath)
{
    ftz_check_mxcsr(r, cc, "plainly", MXCSR_DEFAULT, strict->seen.mxcsr[1]);
    if (!links_crtfastmath(cc)) return;
    ftz_check_mxcsr(r, cc, "with -ffast-math", MXCSR_DEFAULT | FTZ | DAZ, fastmath->seen.mxcsr[1]);
    case_check_yes(r, fastmath->seen.product[1], false, "%s: strict code still has 2^-149 * 1", cc);
    if (fastmath->seen.subnormal[0])
        case_check_number(r, fastmath->seen.subnormal[1], 0, 0,
                          "%s: subnormal results of softmax/threepass under off", cc);
}

/* Returns the last build under `off`, of the widest ISA; NULL: none can run. */
static const struct variant *softmax_of(const struct case_context *c)
{
    const struct variant *found = NULL;
    struct case_variants v = case_variants(c, "softmax", "threepass", "f32");
    for (size_t i = 0; i < v.count; i++)
        if (case_is_off(v.items[i])) found = v.items[i];
    return found;
}

static void run(const struct case_context *c, struct case_result *r)
{
    float *x = case_inputs(FAMILY_TINY, DOMAIN_EXPONENT, c->seed, ROWS, N);
    struct trial strict = {.kernel = softmax_of(c), .x = x}, fastmath = strict;
    json_t *table = case_table(
        r, "Loading a shared object of one function that returns 1", "cc=linked by",
        "linked=link line", "ldmxcsr=ldmxcsr in it", "before=MXCSR before", "after=behind dlopen",
        "product=2^-149 * 1 in strict code", "subnormal_before=subnormal softmax results before",
        "subnormal_after=behind", NULL);
    size_t loaded = 0, affected = 0;
    for (size_t i = 0; i < build_compiler_count; i++) {
        const char *cc = build_compilers[i].cc;
        if (!load(&strict, cc, "linked-strict.so") || !load(&fastmath, cc, "linked-fastmath.so"))
            continue;
        ftz_add_row(r, table, cc, "-shared", &strict);
        ftz_add_row(r, table, cc, "-shared -ffast-math", &fastmath);
        ftz_check(r, cc, &strict, &fastmath);
        loaded++;
        affected += links_crtfastmath(cc);
    }
    if (!loaded)
        case_skip(r, "the objects to load (litmus/*/linked-*.so) are not beside this program");
    else if (!affected)
        case_skip(r, "gcc from 13 and clang from 17 leave crtfastmath.o out of shared objects");
    case_price(r, "none: compile with -ffast-math where it has to be, link without");
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
