// SPDX-License-Identifier: MIT
#include "cases/case_litmus.h"

#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/object.h"
#include "cases/case.h"
#include "study/litmus.h"

typedef float dot_function(const float *a, const float *b, size_t n);

struct rows {
    float *a, *b;
};

static struct rows rows_make(const struct case_context *c)
{
    struct rows r = {case_alloc(DOT_ROWS * DOT_N * sizeof(float)),
                     case_alloc(DOT_ROWS * DOT_N * sizeof(float))};
    for (size_t i = 0; i < DOT_ROWS; i++) {
        inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, c->seed, 2 * i, DOT_N, r.a + i * DOT_N);
        inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, c->seed, 2 * i + 1, DOT_N, r.b + i * DOT_N);
    }
    return r;
}

static void rows_free(struct rows *r)
{
    free(r->a);
    free(r->b);
}

static dot_function *function_of(void *object, const char *name)
{
    dot_function *f = NULL;
    void *symbol = dlsym(object, name);
    memcpy(&f, &symbol, sizeof f); /* ISO C has no cast from void * to a function */
    return f;
}

static float lanes_strictly(const float *a, const float *b, size_t n)
{
    float sum[8] = {0}, total = 0;
    for (size_t i = 0; i < n; i++) {
        float product = a[i] * b[i];
        sum[i % 8] = product + sum[i % 8];
    }
    for (size_t k = 0; k < 8; k++) total += sum[k];
    return total;
}

static float plain_strictly(const float *a, const float *b, size_t n)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void compute_sums(const struct case_context *c, struct dot *d, dot_function *lanes,
                         dot_function *plain)
{
    struct rows r = rows_make(c);
    for (size_t i = 0; i < DOT_ROWS; i++) {
        d->lanes[i] = lanes(r.a + i * DOT_N, r.b + i * DOT_N, DOT_N);
        d->plain[i] = plain(r.a + i * DOT_N, r.b + i * DOT_N, DOT_N);
    }
    rows_free(&r);
}

void dot_strictly(const struct case_context *c, struct dot *d)
{
    *d = (struct dot){.counts = {0}};
    compute_sums(c, d, lanes_strictly, plain_strictly);
}

bool dot_load(const struct case_context *c, const char *cc, const char *flags, struct dot *d)
{
    char name[40], path[1200], reason[128];
    *d = (struct dot){.counts = {0}};
    snprintf(name, sizeof name, "dot-%s.o", flags);
    if (!cpu_supports(c->cpu, "avx2", reason, sizeof reason) ||
        !case_litmus_path(cc, name, path, sizeof path))
        return false;
    d->counts = case_litmus_counts(path);
    snprintf(name, sizeof name, "dot-%s.so", flags);
    void *object =
        case_litmus_path(cc, name, path, sizeof path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    dot_function *lanes = object ? function_of(object, "litmus_dot_lanes") : NULL;
    dot_function *plain = object ? function_of(object, "litmus_dot_plain") : NULL;
    if (lanes && plain) compute_sums(c, d, lanes, plain);
    if (object) dlclose(object);
    return lanes && plain;
}

double dot_differing(const float *a, const float *b)
{
    size_t count = 0;
    for (size_t i = 0; i < DOT_ROWS; i++) count += memcmp(&a[i], &b[i], sizeof *a) != 0;
    return (double)count / DOT_ROWS;
}

json_t *dot_row(struct case_result *r, const char *cc, const char *key, const char *flags,
                const struct code_counts *n, double lanes, double plain)
{
    json_t *row = json_pack("{s:s, s:s, s:i, s:i, s:f, s:f}", "cc", cc, key, flags, "fma",
                            (int)n->fma, "mul", (int)n->mul, "lanes", lanes, "plain", plain);
    json_object_update(case_plain_row(r), row);
    return row;
}

/* ---- Litmus objects ------------------------------------------------------------------------- */

/* Litmus objects that cases load or read, and the compilers of this build. */

/* Relative to the program: in the build folder, and where `make install` puts them. */
static const char *const places[] = {"litmus", "../lib/ulplab/litmus"};

bool case_litmus_path(const char *cc, const char *name, char *path, size_t size)
{
    char self[1024];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    const char *folder = dirname(self);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct stat st;
        int length_needed = snprintf(path, size, "%s/%s/%s/%s", folder, places[i], cc, name);
        if (length_needed > 0 && (size_t)length_needed < size && stat(path, &st) == 0 &&
            st.st_size > 0)
            return true;
    }
    return false;
}

struct code_counts case_litmus_counts(const char *path)
{
    struct object_facts facts;
    struct error e;
    if (object_read(path, &facts, &e) != 0) {
        fprintf(stderr, "ulplab: %s\n", e.text);
        _Exit(EXIT_PARTIAL);
    }
    free(facts.witnessed);
    return facts.counts;
}

int case_cc_major(const char *cc)
{
    return atoi(expectation_version(cc));
}

bool case_cc_is(const char *cc, const char *family)
{
    const char *found = strstr(cc, "clang") ? "clang" : strstr(cc, "gcc") ? "gcc" : "";
    return !strcmp(found, family);
}
