// SPDX-License-Identifier: MIT
/* -mtune, which is meant for speed alone, changes results: for some processors gcc does not fuse
 * chains of FMA. */
#include <math.h>

#include "cases/case.h"
#include "cases/case_litmus.h"

/* The versions of gcc that are known to do this. */
enum { GCC_FROM = 11, GCC_TO = 12 };

static void check_gcc(struct case_result *r, const char *cc, const struct dot *generic,
                      const struct dot *tuned, double lanes, double plain)
{
    case_check_number(r, generic->counts.fma, 1, INFINITY, "%s: FMA under generic", cc);
    case_check_number(r, tuned->counts.fma, 0, 0, "%s: FMA under znver3", cc);
    case_check_number(r, lanes, 0.1, 1, "%s: share of sums in lanes that differ", cc);
    case_check_number(r, plain, 0.1, 1, "%s: share of sums in plain C that differ", cc);
}

static void run(const struct case_context *c, struct case_result *r)
{
    json_t *table =
        case_table(r, "litmus/dot.c at -std=gnu11 -O3 -mavx2 -mfma", "cc=compiler",
                   "tune=-mtune=", "fma=FMA", "mul=multiplications",
                   "lanes=sums in lanes unlike generic's", "plain=sums in plain C", NULL);
    size_t loaded = 0, known = 0;
    for (size_t i = 0; i < build_compiler_count; i++) {
        const char *cc = build_compilers[i].cc;
        struct dot generic, tuned;
        if (!dot_load(c, cc, "gnu11", &generic) || !dot_load(c, cc, "znver3", &tuned)) continue;
        double lanes = dot_differing(tuned.lanes, generic.lanes);
        double plain = dot_differing(tuned.plain, generic.plain);
        dot_row(r, table, cc, "generic", &generic.counts, 0, 0);
        dot_row(r, table, cc, "znver3", &tuned.counts, lanes, plain);
        loaded++;
        int major = case_cc_major(cc);
        if (!case_cc_is(cc, "gcc") || major < GCC_FROM || major > GCC_TO) continue;
        known++;
        check_gcc(r, cc, &generic, &tuned, lanes, plain);
    }
    if (!loaded)
        case_skip(r, "the objects to load (litmus/*/dot-*.so) are not beside this program, or the "
                     "CPU has no AVX2");
    else if (!known)
        case_skip(r, "needs gcc 11 or 12, which are known to do this");
    case_price(r, "none: -ffp-contract=off, or FMA written out, is the same under every tuning");
}

const struct case_study case_tuning_changes_bits = {
    .name = "tuning-changes-bits",
    .title = "-mtune=znver3 changes results",
    .reported = "A package built with -mtune for another processor of the same instruction set "
                "gives other bits.",
    .mechanism = "For AMD's Zen 2 and 3 gcc leaves accumulation chains of FMA apart, since a fused "
                 "chain has the longer latency there; where it may contract, that is arithmetic.",
    .remedy = "-ffp-contract=off or explicit FMA; -mtune=generic where bits are compared.",
    .run = run,
};
