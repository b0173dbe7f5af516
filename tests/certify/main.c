// SPDX-License-Identifier: MIT
/* make certify: the oracle against MPFR on every operation, on every input family as accuracy makes
 * it and on the adversarial inputs of a folder of results. Leaves certificate.jsonl in that folder,
 * which the reports show. A program of its own: the lab does not need MPFR.
 *
 *   certify [--out DIR] [--elements N] [--only PART]
 *
 * N: input elements per operation and family (default 20000). PART: oracle, rows or functions.
 *
 * The oracle of double follows on its own kinds of rows (tests/exact.h), 50 N numbers per function,
 * and N per operation of rows and kind.
 *
 * Then the correctly rounded kernels of rows against a naive program in MPFR, on 700 N elements in
 * all, bit by bit; and those of functions of one element on the inputs at which the oracle's value
 * is too near to the middle between two floats to decide (with N below 20000 on a share of them);
 * and functions in double of a library that says that they are, on 50 N numbers each.
 *
 * Exit 1 where the oracle is further off than it promises (2^-10 ulp; in double 2^-40, or 2^-10
 * where terms cancel) without saying so, or a result of such a kernel is misrounded. */
#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../correct_functions.h"
#include "../correct_rows.h"
#include "../exact.h"
#include "base/error.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#include "measure/accuracy.h"
#include "model/record.h"
#include "oracle/f64_published.h"
#include "oracle/f64_ulp.h"

static const double promised = 0x1p-10;
static const size_t lengths[] = {1, 7, 64, 1000};
enum { LENGTHS = sizeof lengths / sizeof *lengths, SEED = 1 };

enum { CERTIFIED_FAMILIES = FAMILY_SPECIAL }; /* the families whose results are all numbers */

/* One line of the certificate. */
struct line {
    const struct certified *certified;
    enum family family; /* FAMILY_COUNT: the adversarial inputs */
    bool f64;           /* the oracle of double, on rows of `kind` */
    enum exact_kind kind;
    size_t rows, values, beyond;
    double worst;
    char at[80];
};

static void add(struct line *l, const struct verdict *v, size_t n, size_t row)
{
    l->rows++;
    l->beyond += v->beyond;
    if (v->beyond) return;
    l->values += v->values;
    if (l->at[0] && v->worst <= l->worst) return;
    l->worst = v->worst;
    snprintf(l->at, sizeof l->at, "n = %zu, row %zu, value %zu", n, row, v->at);
}

static void certify_row(struct line *l, const float *x, size_t n, size_t row)
{
    struct exact *m = exact_new(n, EXACT_BITS);
    struct parameters p = parameters_default;
    float *affine = malloc((2 * n + 1) * sizeof *affine);
    if (!affine) abort();
    if (oracle_is_affine(oracle_find(l->certified->op))) {
        inputs_affine(n, affine, affine + n);
        p.gamma = affine;
        if (oracle_has_beta(oracle_find(l->certified->op))) p.beta = affine + n;
    }
    struct verdict v = exact_examine(l->certified, m, x, n, &p);
    free(affine);
    add(l, &v, n, row);
    exact_free(m);
}

/* Certifies the rows that accuracy measures, from the first on. */
static void certify_family(struct line *l, size_t elements)
{
    const struct oracle *oracle = oracle_find(l->certified->op);
    float x[1000];
    for (size_t k = 0; k < LENGTHS; k++) {
        size_t n = lengths[k], rows = elements / LENGTHS / n;
        for (size_t row = 0; row < (rows ? rows : 1); row++) {
            inputs_row(l->family, oracle->domain, SEED, row, n, x);
            certify_row(l, x, n, row);
        }
    }
}

static void certify_adversarial(struct line *l, const struct adversarial *a)
{
    for (size_t b = 0; b < a->count; b++) {
        const struct adversarial_block *block = &a->blocks[b];
        if (strcmp(block->op, l->certified->op) != 0) continue;
        for (size_t row = 0; row < block->rows; row++)
            certify_row(l, block->x + row * block->n, block->n, row);
    }
}

/* The bits of MPFR's numbers. */
static int bits_of(const struct line *l)
{
    return l->f64 ? exact_bits_f64(oracle_find(l->certified->op)) : EXACT_BITS;
}

/* Certifies rows of doubles: half of those with gamma and beta have them. */
static void certify_kind(struct line *l, size_t elements)
{
    const struct oracle *o = oracle_find(l->certified->op);
    enum { N = 1000 };
    struct exact *m = exact_new(N, bits_of(l));
    double x[N], gamma[N], beta[N];
    exact_row_f64(EXACT_ORDINARY, SEED, N, gamma);
    exact_row_f64(EXACT_ORDINARY, SEED + 1, N, beta);
    if (o->unary) elements *= 50 / EXACT_KINDS;
    for (size_t k = 0; k < LENGTHS; k++) {
        size_t n = lengths[k], rows = elements / LENGTHS / n;
        for (size_t row = 0; row < (rows ? rows : 1); row++) {
            struct f64_parameters p = f64_parameters_default;
            if (row % 2 && oracle_is_affine(o)) p.gamma = gamma;
            if (row % 2 && oracle_has_beta(o)) p.beta = beta;
            exact_row_f64(l->kind, SEED + 1000 * n + row, n, x);
            struct verdict v = exact_examine_f64(l->certified, m, x, n, &p);
            add(l, &v, n, row);
        }
    }
    exact_free(m);
}

static double promise_of(const struct line *l)
{
    return l->f64 ? exact_promise_f64(l->certified->op) : promised;
}

static json_t *record_of(const struct line *l)
{
    const char *family = l->f64                      ? exact_kind_name(l->kind)
                         : l->family == FAMILY_COUNT ? ADVERSARIAL
                                                     : family_name(l->family);
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:I, s:I, s:I, s:o, s:s, s:b}", "record",
                     "certificate", "op", l->certified->op, "dtype", l->f64 ? "f64" : "f32",
                     "family", family, "bits", bits_of(l), "seed", SEED, "rows",
                     (json_int_t)l->rows, "values", (json_int_t)l->values, "beyond",
                     (json_int_t)l->beyond, "max_ulp", record_real(l->worst), "at", l->at,
                     "certified", (int)(l->worst < promise_of(l)));
}

static size_t operations(void)
{
    size_t count = 0;
    while (certified[count].op) count++;
    return count;
}

/* Every operation on every family, then on its adversarial inputs. */
static struct line *certify_all(const struct adversarial *a, size_t elements, size_t *count)
{
    enum { FAMILIES = CERTIFIED_FAMILIES + 1, LINES = FAMILIES + EXACT_KINDS };
    *count = operations() * LINES;
    struct line *lines = calloc(*count, sizeof *lines);
    if (!lines) abort();
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < *count; i++) {
        struct line *l = &lines[i];
        size_t family = i % LINES;
        l->certified = &certified[i / LINES];
        l->family = family < CERTIFIED_FAMILIES ? (enum family)family : FAMILY_COUNT;
        l->f64 = family >= FAMILIES;
        l->kind = l->f64 ? (enum exact_kind)(family - FAMILIES) : EXACT_KINDS;
        if (l->f64 && f64_oracle_find(l->certified->op))
            certify_kind(l, elements);
        else if (l->f64)
            continue;
        else if (l->family == FAMILY_COUNT)
            certify_adversarial(l, a);
        else
            certify_family(l, elements);
    }
    return lines;
}

static int publish(const char *folder, const struct line *lines, size_t count, struct error *e)
{
    char path[1100], *text = NULL;
    size_t size = 0, refused = 0, values[2] = {0}, beyond[2] = {0};
    double worst[2] = {0}; /* of fp32, and of double */
    FILE *out = open_memstream(&text, &size);
    if (!out) return fail(e, EXIT_PARTIAL, "out of memory: certify");
    for (size_t i = 0; i < count; i++) {
        if (!lines[i].rows) continue;
        json_t *record = record_of(&lines[i]);
        record_built(record);
        record_write(out, record);
        json_decref(record);
        const int type = lines[i].f64;
        refused += !(lines[i].worst < promise_of(&lines[i]));
        values[type] += lines[i].values;
        beyond[type] += lines[i].beyond;
        worst[type] = fmax(worst[type], lines[i].worst);
    }
    fclose(out);
    snprintf(path, sizeof path, "%s/certificate.jsonl", folder);
    int code = file_write_atomic(path, text, size, e);
    free(text);
    if (code) return code;
    for (int type = 0; type < 2; type++)
        printf("%zu values against MPFR: worst error %.3g ulp of %s (promised: below %s), %zu rows "
               "beyond the oracle\n",
               values[type], worst[type], type ? "double" : "fp32",
               type ? "2^-40; where terms cancel, 2^-10" : "2^-10", beyond[type]);
    printf("%s\n", path);
    if (!refused) return 0;
    return fail(e, EXIT_GATE, "certify: %zu lines are not certified; see %s", refused, path);
}

/* The correctly rounded functions, on inputs that a scan leaves undecided. */
static int certify_functions(const struct registry *r, size_t every, struct error *e)
{
    size_t wrong = 0;
    for (size_t i = 0; correct_functions[i]; i++) {
        struct correct_inputs f = correct_decide(r, correct_functions[i], every);
        printf(
            "%s: %zu of %zu inputs undecided by the oracle; of each of %zu kernels, by MPFR, %zu "
            "misrounded\n",
            correct_functions[i], f.undecided, f.inputs, f.kernels, f.wrong);
        if (f.wrong) printf("%s\n", f.first);
        wrong += f.wrong;
    }
    return wrong ? fail(e, EXIT_GATE, "certify: %zu results of functions are misrounded", wrong)
                 : 0;
}

/* ---- Correctly rounded functions in double --------------------------------------------------- */

/* Results of a function: those of which the oracle cannot say on which side of half an ulp they
 * are, and those that are not what MPFR rounds to. */
struct rounded {
    size_t results, undecided, wrong;
    double first; /* the input of the first wrong one */
};

static void round_row(const struct variant *v, const struct certified *c, struct exact *m,
                      const double *x, size_t n, struct rounded *r)
{
    enum { N = 1000 };
    double y[N], scratch[2 * N + 256];
    struct f64_value want[N];
    struct oracle_row facts;
    struct job job = {.rows = 1, .n = n, .x = x, .y = y, .scale = 1, .scratch = (void *)scratch};
    v->kernel->run(&job);
    c->exact(m, x, n, &f64_parameters_default);
    f64_oracle_find(v->op)->row(x, n, &f64_parameters_default, want, &facts);
    for (size_t i = 0; i < n; i++) {
        const double right = mpfr_get_d(m->y[i], MPFR_RNDN);
        const bool is_wrong = y[i] != right && !(isnan(y[i]) && isnan(right));
        if (is_wrong && !r->wrong++) r->first = x[i];
        r->undecided += fabs(f64_ulp_error(y[i], want[i]) - 0.5) < 0x1p-40;
    }
    r->results += n;
}

/* Rounds the published worst inputs, and numbers around half an ulp, where f(x) is near 1 or x. */
static void round_hard_inputs(const struct variant *v, const struct certified *c, struct exact *m,
                              struct rounded *r)
{
    for (size_t i = 0; f64_published[i].op; i++)
        if (!strcmp(f64_published[i].op, c->op)) round_row(v, c, m, &f64_published[i].x, 1, r);
    for (int e = -60; e < -20; e++) {
        const double x = ldexp(1, e), near[] = {x, nextafter(x, 0), -x, -nextafter(x, 0)};
        round_row(v, c, m, near, 4, r);
    }
}

/* Where a library says that its functions are correctly rounded, MPFR decides each result. That
 * also checks the oracle, by which such a result has an error of at most half an ulp. */
static int certify_rounded_f64(size_t elements, struct error *e)
{
    enum { N = 1000 };
    struct cpu cpu;
    struct registry r;
    const char *filter = "algorithm=llvmlibc dtype=f64";
    size_t wrong = 0;
    int code = cpu_detect(&cpu, NULL, e);
    if (!code && registry_open(&r, &cpu, &filter, 1, e)) return 0; /* the library is not there */
    if (code) return code;
    for (size_t v = 0; v < r.count; v++) {
        const struct certified *c = exact_find(r.variants[v].op);
        struct rounded all = {0};
        const bool again = v && !strcmp(r.variants[v].op, r.variants[v - 1].op);
        if (again || r.variants[v].status != STATUS_OK || !c) continue;
#pragma omp parallel
        {
            struct exact *m = exact_new(N, EXACT_BITS_UNARY);
            struct rounded mine = {0};
            double x[N];
#pragma omp for schedule(dynamic)
            for (size_t row = 0; row < 50 * elements / N + EXACT_KINDS; row++) {
                exact_row_f64((enum exact_kind)(row % EXACT_KINDS), SEED + row, N, x);
                round_row(&r.variants[v], c, m, x, N, &mine);
            }
#pragma omp single nowait
            round_hard_inputs(&r.variants[v], c, m, &mine);
#pragma omp critical
            {
                if (mine.wrong && !all.wrong) all.first = mine.first;
                all.results += mine.results;
                all.undecided += mine.undecided;
                all.wrong += mine.wrong;
            }
            exact_free(m);
        }
        printf("%s: %zu results, %zu undecided by the oracle; by MPFR %zu misrounded\n",
               r.variants[v].id, all.results, all.undecided, all.wrong);
        if (all.wrong) printf("the first at %a\n", all.first);
        wrong += all.wrong;
    }
    registry_close(&r);
    return wrong ? fail(e, EXIT_GATE, "certify: %zu results in double are misrounded", wrong) : 0;
}

/* Every operation's kernels on every kind of rows, with equal shares of `elements`. */
static int certify_rows(const struct registry *r, size_t elements, struct error *e)
{
    size_t operations = 0, kinds = correct_kinds(), results = 0, wrong = 0, kernels = 0;
    while (correct_operations[operations]) operations++;
    for (size_t i = 0; i < operations; i++) {
        struct correct_kernels k = correct_kernels_of(r, correct_operations[i]);
        kernels += k.count;
#pragma omp parallel for schedule(dynamic) reduction(+ : results, wrong)
        for (size_t kind = 0; kind < kinds; kind++) {
            struct correct_count c =
                correct_compare(correct_operations[i], k.items, k.names, k.count, kind,
                                elements / operations / kinds + 1);
            results += c.results;
            wrong += c.wrong;
#pragma omp critical
            if (c.wrong) printf("%zu misrounded; %s\n", c.wrong, c.first);
        }
    }
    printf("%zu results of rows, of each of %zu kernels, against a naive program in MPFR: %zu "
           "misrounded\n",
           results, kernels, wrong);
    return wrong ? fail(e, EXIT_GATE, "certify: %zu results of rows are misrounded", wrong) : 0;
}

static int certify_oracle(const char *folder, size_t elements, struct error *e)
{
    struct adversarial inputs;
    int code = folder_make(folder, e);
    if (!code) code = adversarial_open(folder, &inputs, e);
    if (code) return code;
    size_t count;
    struct line *lines = certify_all(&inputs, elements, &count);
    code = publish(folder, lines, count, e);
    free(lines);
    adversarial_close(&inputs);
    return code;
}

/* only: "oracle", "rows" or "functions"; empty: all. */
static int certify(const char *folder, size_t elements, const char *only, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    const char *filter = "algorithm=correct dtype=f32";
    size_t of_rows = 700 * elements;
    int code = 0;
    if (!*only || !strcmp(only, "oracle")) code = certify_oracle(folder, elements, e);
    if (code || !strcmp(only, "oracle")) return code;
    code = cpu_detect(&cpu, NULL, e);
    if (!code) code = registry_open(&r, &cpu, &filter, 1, e);
    if (code) return code;
    if (strcmp(only, "functions") != 0) code = certify_rows(&r, of_rows, e);
    if (!code && strcmp(only, "rows") != 0)
        code = certify_functions(&r, of_rows < 10000000 ? 10000000 / of_rows : 1, e);
    if (!code && strcmp(only, "rows") != 0) code = certify_rounded_f64(elements, e);
    registry_close(&r);
    return code;
}

static bool is_part(const char *word)
{
    return !strcmp(word, "oracle") || !strcmp(word, "rows") || !strcmp(word, "functions");
}

int main(int argc, char **argv)
{
    static const struct option longs[] = {{"out", required_argument, NULL, 'o'},
                                          {"elements", required_argument, NULL, 'n'},
                                          {"only", required_argument, NULL, 'p'},
                                          {0}};
    char folder[1024] = "";
    const char *only = "";
    size_t elements = 20000;
    struct error e = {""};
    int code = 0;
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1 && !code;)
        if (c == 'o')
            snprintf(folder, sizeof folder, "%s", optarg);
        else if (c == 'n' && strtoul(optarg, NULL, 10) > 0)
            elements = strtoul(optarg, NULL, 10);
        else if (c == 'p' && is_part(optarg))
            only = optarg;
        else
            code = fail(&e, EXIT_USAGE,
                        "certify: takes --out DIR, --elements N > 0, and --only "
                        "oracle, rows or functions");
    if (!code && !folder[0]) {
        struct cpu cpu;
        char slug[64];
        code = cpu_detect(&cpu, NULL, &e);
        if (!code) machine_slug(&cpu, slug, sizeof slug);
        if (!code) snprintf(folder, sizeof folder, "results/local/%s", slug);
    }
    if (!code) code = certify(folder, elements, only, &e);
    if (e.text[0]) fprintf(stderr, "certify: %s\n", e.text);
    return code;
}
