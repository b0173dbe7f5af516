// SPDX-License-Identifier: MIT
/* The behaviour of compilers without a flag for contraction: -std=gnu11 against -std=c11, by
 * values; and the code of all kernels under the default against off, on and fast. */
#include <stdio.h>
#include <string.h>

#include "cases/case.h"
#include "cases/case_litmus.h"
#include "study/litmus.h"

/* gcc contracts intrinsics and expressions under gnu11, and neither under c11; clang contracts only
 * expressions, under both, and before version 14 nothing. */
static const struct expectation {
    const char *family, *flags;
    bool lanes, plain;
} expectations[] = {
    {"gcc", "gnu11", true, true},
    {"gcc", "c11", false, false},
    {"clang", "gnu11", false, true},
    {"clang", "c11", false, true},
};

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
            char what[100];
            if (!case_cc_is(cc, x->family) || !dot_load(c, cc, x->flags, &d)) continue;
            double lanes = dot_differing(d.lanes, strict.lanes);
            double plain = dot_differing(d.plain, strict.plain);
            json_array_append_new(rows, dot_row(r, cc, "std", x->flags, &d.counts, lanes, plain));
            snprintf(what, sizeof what, "%s -std=%s fuses intrinsics", cc, x->flags);
            check_yes(r, what, x->lanes, lanes > 0);
            snprintf(what, sizeof what, "%s -std=%s fuses a*b+c", cc, x->flags);
            check_yes(r, what, x->plain && default_fuses_expressions(cc), plain > 0);
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
            !strcmp(other->dtype, v->dtype) && !strcmp(other->isa, v->isa) &&
            !strcmp(other->cc, v->cc))
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
        bool gcc = case_cc_is(cc, "gcc"), fuses = default_fuses_expressions(cc);
        if (!gcc && !case_cc_is(cc, "clang")) continue;
        const char *other = gcc ? "fast" : fuses ? "on" : "off";
        size_t same = gcc ? n.fast : fuses ? n.on : n.off;
        snprintf(what, sizeof what, "%s: kernels whose default is the code of %s (share)", cc,
                 other);
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
