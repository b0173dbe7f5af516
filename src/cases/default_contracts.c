/* What compilers do where no flag mentions contraction: -std=gnu11 against -std=c11, by values; and
 * the code of all kernels under the default against off, on and fast. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases/case.h"
#include "cases/case_dot.h"

/* gcc contracts intrinsics and expressions under gnu11, and neither under c11; clang from 14 on
 * contracts only expressions, under both, and nothing before. */
enum { NEWEST = 1000 };
static const struct expectation {
    const char *family;
    int from, to; /* major versions */
    const char *flags;
    bool lanes, plain;
} expectations[] = {
    {"gcc", 0, NEWEST, "gnu11", true, true},     {"gcc", 0, NEWEST, "c11", false, false},
    {"clang", 0, 13, "gnu11", false, false},     {"clang", 0, 13, "c11", false, false},
    {"clang", 14, NEWEST, "gnu11", false, true}, {"clang", 14, NEWEST, "c11", false, true},
};

/* The policy that is the default under -std=gnu11; NULL of a compiler that is not known. */
static const char *default_policy(const struct build_compiler *cc)
{
    if (case_cc_is(cc->cc, "gcc")) return "fast";
    if (case_cc_is(cc->cc, "clang")) return atoi(cc->version) < 14 ? "off" : "on";
    return NULL;
}

static void check_yes(struct case_result *r, const char *what, bool expected, bool measured)
{
    case_check(r, what, expected ? "yes" : "no", json_string(measured ? "yes" : "no"),
               expected == measured);
}

static bool study_standards(const struct case_context *c, struct case_result *r)
{
    static const char *const columns[] = {"cc=compiler",
                                          "std=-std=",
                                          "fma=FMA",
                                          "mul=multiplications",
                                          "lanes=intrinsics: sums unlike two roundings",
                                          "plain=a*b+c: sums unlike two roundings"};
    struct dot strict, d;
    json_t *rows = case_table(r, "litmus/dot.c at -O3 -mavx2 -mfma, contraction not mentioned",
                              columns, sizeof columns / sizeof *columns);
    dot_strictly(c, &strict);
    for (size_t i = 0; i < build_compiler_count; i++)
        for (size_t k = 0; k < sizeof expectations / sizeof *expectations; k++) {
            const struct expectation *x = &expectations[k];
            const char *cc = build_compilers[i].cc;
            int major = atoi(build_compilers[i].version);
            char what[100];
            if (!case_cc_is(cc, x->family) || major < x->from || major > x->to ||
                !dot_load(c, cc, x->flags, &d))
                continue;
            double lanes = dot_differing(d.lanes, strict.lanes);
            double plain = dot_differing(d.plain, strict.plain);
            json_array_append_new(rows, dot_row(r, cc, "std", x->flags, &d.counts, lanes, plain));
            snprintf(what, sizeof what, "%s -std=%s fuses intrinsics", cc, x->flags);
            check_yes(r, what, x->lanes, lanes > 0);
            snprintf(what, sizeof what, "%s -std=%s fuses a*b+c", cc, x->flags);
            check_yes(r, what, x->plain, plain > 0);
        }
    return json_array_size(rows) > 0;
}

struct counts {
    size_t kernels, off, on, fast;
};

static const struct variant *sibling(const struct registry *r, const struct variant *v,
                                     const char *policy)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *other = &r->variants[i];
        if (!strcmp(other->policy, policy) && !strcmp(other->build->source, v->build->source) &&
            !strcmp(other->isa, v->isa) && !strcmp(other->cc, v->cc))
            return other;
    }
    return NULL;
}

static bool same_code(const struct registry *r, const struct variant *v, const char *policy)
{
    const struct variant *other = sibling(r, v, policy);
    return other && other->kernel && other->build->code_hash == v->build->code_hash;
}

/* Counts the kernels whose arithmetic the policy decides, and those of them whose code under the
 * default is the code under another policy. */
static struct counts count_same_code(const struct case_context *c, const char *cc)
{
    const struct registry *r = c->registry;
    struct counts n = {0};
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (!v->kernel || strcmp(v->cc, cc) || strcmp(v->policy, "default") ||
            v->kernel->arithmetic != ARITHMETIC_POLICY || !sibling(r, v, "fast") ||
            !sibling(r, v, "off") || !sibling(r, v, "on"))
            continue;
        n.kernels++;
        n.off += same_code(r, v, "off");
        n.on += same_code(r, v, "on");
        n.fast += same_code(r, v, "fast");
    }
    return n;
}

static bool study_kernels(const struct case_context *c, struct case_result *r)
{
    static const char *const columns[] = {"cc=compiler", "kernels=kernels x ISAs",
                                          "off=same as off", "on=same as on", "fast=same as fast"};
    json_t *rows = case_table(r, "Machine code of every kernel under the default", columns, 5);
    for (size_t i = 0; i < build_compiler_count; i++) {
        const char *cc = build_compilers[i].cc;
        struct counts n = count_same_code(c, cc);
        char what[100];
        if (!n.kernels) continue;
        json_array_append_new(rows, json_pack("{s:s, s:i, s:i, s:i, s:i}", "cc", cc, "kernels",
                                              (int)n.kernels, "off", (int)n.off, "on", (int)n.on,
                                              "fast", (int)n.fast));
        const char *policy = default_policy(&build_compilers[i]);
        if (!policy) continue;
        snprintf(what, sizeof what, "%s: kernels whose default is the code of %s (share)", cc,
                 policy);
        size_t same = !strcmp(policy, "fast") ? n.fast : !strcmp(policy, "on") ? n.on : n.off;
        case_check_number(r, what, (double)same / (double)n.kernels, 1, 1);
    }
    return json_array_size(rows) > 0;
}

static void run(const struct case_context *c, struct case_result *r)
{
    bool loaded = study_standards(c, r), compared = study_kernels(c, r);
    if (!loaded && !compared)
        case_skip(r, "needs litmus/*/dot-*.so beside this program, or kernels under the default");
    case_price(r, "none to say what is meant; -ffp-contract=off itself: see fma-softmax");
}

const struct case_study case_default_contracts = {
    .name = "default-contracts",
    .title = "Where nothing is said, gcc contracts everything, clang expressions alone",
    .reported = "The same source gives other bits with gcc than with clang, and with -std=c11 than "
                "with -std=gnu11, though no flag speaks of floating point.",
    .mechanism =
        "gcc's default is -ffp-contract=fast under -std=gnu11 and off under -std=c11, "
        "clang's is on under both (off before clang 14), which fuses expressions and never "
        "intrinsics.",
    .remedy = "Say -ffp-contract=off, on or fast in every build.",
    .run = run,
};
