// SPDX-License-Identifier: MIT
/* The behaviour of compilers without a flag for contraction: -std=gnu11 against -std=c11, by
 * values; and the code of all kernels under the default against off, on and fast. */
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

static bool study_standards(const struct case_context *c, struct case_result *r)
{
    json_t *table = case_table(r, "litmus/dot.c at -O3 -mavx2 -mfma, contraction not mentioned",
                               "cc=compiler", "std=-std=", "fma=FMA", "mul=multiplications",
                               "lanes=intrinsics: sums unlike two roundings",
                               "plain=a*b+c: sums unlike two roundings", NULL);
    struct dot strict, d;
    bool shown = false;
    dot_strictly(c, &strict);
    for (size_t i = 0; i < build_compiler_count; i++)
        for (size_t k = 0; k < sizeof expectations / sizeof *expectations; k++) {
            const struct expectation *x = &expectations[k];
            const char *cc = build_compilers[i].cc;
            if (!case_cc_is(cc, x->family) || !dot_load(c, cc, x->flags, &d)) continue;
            double lanes = dot_differing(d.lanes, strict.lanes);
            double plain = dot_differing(d.plain, strict.plain);
            dot_row(r, table, cc, x->flags, &d.counts, lanes, plain);
            case_check_yes(r, lanes > 0, x->lanes, "%s -std=%s fuses intrinsics", cc, x->flags);
            case_check_yes(r, plain > 0, x->plain && default_fuses_expressions(cc),
                           "%s -std=%s fuses a*b+c", cc, x->flags);
            shown = true;
        }
    return shown;
}

/* Kernels whose arithmetic the policy decides, and those of them whose code under the default is
 * the code under another policy. */
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
    json_t *table = case_table(r, "Machine code of every kernel under the default", "cc=compiler",
                               "kernels=kernels x ISAs", "off=same as off", "on=same as on",
                               "fast=same as fast", NULL);
    bool shown = false;
    for (size_t i = 0; i < build_compiler_count; i++) {
        const char *cc = build_compilers[i].cc;
        struct counts n = count_same_code(c, cc);
        if (!n.kernels) continue;
        case_line(table, "snnnn", cc, n.kernels, n.off, n.on, n.fast);
        shown = true;
        bool gcc = case_cc_is(cc, "gcc"), fuses = default_fuses_expressions(cc);
        if (!gcc && !case_cc_is(cc, "clang")) continue;
        size_t same = gcc ? n.fast : fuses ? n.on : n.off;
        case_check_number(r, (double)same / (double)n.kernels, 1, 1,
                          "%s: kernels whose default is the code of %s (share)", cc,
                          gcc     ? "fast"
                          : fuses ? "on"
                                  : "off");
    }
    return shown;
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
