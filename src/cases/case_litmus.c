// SPDX-License-Identifier: MIT
#include "cases/case_litmus.h"

#include <dlfcn.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/object.h"
#include "cases/case.h"
#include "study/litmus.h"

typedef float dot_function(const float *a, const float *b, size_t n);

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
    for (size_t i = 0; i < DOT_ROWS; i++) {
        float a[DOT_N], b[DOT_N];
        inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, c->seed, 2 * i, DOT_N, a);
        inputs_row(FAMILY_NORMAL, DOMAIN_MOMENTS, c->seed, 2 * i + 1, DOT_N, b);
        d->lanes[i] = lanes(a, b, DOT_N);
        d->plain[i] = plain(a, b, DOT_N);
    }
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

void dot_row(struct case_result *r, json_t *table, const char *cc, const char *flags,
             const struct code_counts *n, double lanes, double plain)
{
    json_object_update(case_plain_row(r), case_line(table, "ssiiff", cc, flags, (int)n->fma,
                                                    (int)n->mul, lanes, plain));
}

/* ---- Litmus kernels ------------------------------------------------------------------------- */

/* Returns whether a word is in a list; with ! in front of the list, whether it is not. */
static bool is_listed(const char *word, const char *list)
{
    const size_t length = strlen(word);
    const bool listed = list[0] != '!';
    for (const char *w = list + !listed; *w; w += strcspn(w, " "), w += strspn(w, " "))
        if (strcspn(w, " ") == length && !strncmp(w, word, length)) return listed;
    return !listed;
}

static bool is_predicted(const struct case_prediction *p, const struct variant *v)
{
    return is_listed(v->policy, p->policies) && (!p->family || case_cc_is(v->cc, p->family)) &&
           !(p->vectors && !strcmp(v->isa, "scalar")) &&
           (strcmp(p->policies, "default") || default_fuses_expressions(v->cc));
}

/* Checks one prediction. figures[i * count]: its figure of build i. Returns false if there is no
 * build that it is about. */
static bool check_prediction(struct case_result *r, const struct case_prediction *p,
                             const struct case_variants *v, const double *figures, size_t count)
{
    size_t builds = 0;
    double extreme = 0;
    for (size_t i = 0; i < v->count; i++) {
        double x = figures[i * count];
        if (!is_predicted(p, v->items[i])) continue;
        bool further = p->extreme == LEAST ? x < extreme : x > extreme;
        if (!builds++ || further || isnan(x)) extreme = x; /* no number is further than NaN */
    }
    if (builds) case_check_number(r, extreme, p->low, p->high, "%s", p->what);
    return builds > 0;
}

static void set_figure(json_t *row, const struct case_figure *f, const char *key, double value)
{
    json_object_set_new(row, key, f->whole ? json_integer((json_int_t)value) : record_real(value));
}

bool case_kernel_study(const struct case_context *c, struct case_result *r, json_t *table,
                       const struct case_kernel *k, const void *context)
{
    const struct case_variants v = case_variants(c, "litmus", k->algorithm, NULL);
    size_t count = 0;
    while (k->figures[count].key) count++;
    const size_t size = count * sizeof(double);
    const double *all = case_measure(&v, size, k->measure, context);
    bool shown = true;
    for (size_t i = 0; i < v.count; i++) {
        const struct variant *b = v.items[i];
        const double *figures = all + i * count;
        char policies[CASE_POLICIES];
        bool is_line = case_policies_alike(&v, i, all, size, policies);
        json_t *row = case_row(r, b, k->is_broken(figures));
        json_t *line = json_pack("{s:s, s:s, s:s, s:s}", "algorithm", b->algorithm, "cc", b->cc,
                                 "isa", b->isa, "policies", policies);
        json_object_set_new(row, "algorithm", json_string(b->algorithm));
        for (size_t f = 0; f < count; f++) {
            set_figure(row, &k->figures[f], k->figures[f].field, figures[f]);
            set_figure(line, &k->figures[f], k->figures[f].key, figures[f]);
        }
        if (is_line) json_array_append(json_object_get(table, "rows"), line);
        json_decref(line);
    }
    for (const struct case_prediction *p = k->predictions; p->what; p++)
        shown &= check_prediction(r, p, &v, all + p->figure, count) || p->needed == IF_BUILT;
    return shown;
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
