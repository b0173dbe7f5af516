/* -mtune, which is about speed alone, changes results: gcc leaves chains of FMA apart for some
 * processors. */
#include <math.h>
#include <stdio.h>

#include "cases/case.h"
#include "cases/case_dot.h"

/* gcc: the versions for which it has been seen. */
enum { GCC_FROM = 11, GCC_TO = 12 };

static void run(const struct case_context *c, struct case_result *r)
{
    static const char *const columns[] = {"cc=compiler",
                                          "tune=-mtune=",
                                          "fma=FMA",
                                          "mul=multiplications",
                                          "lanes=sums in lanes unlike generic's",
                                          "plain=sums in plain C"};
    json_t *rows = case_table(r, "litmus/dot.c at -std=gnu11 -O3 -mavx2 -mfma", columns,
                              sizeof columns / sizeof *columns);
    size_t known = 0;
    for (size_t i = 0; i < build_compiler_count; i++) {
        const char *cc = build_compilers[i].cc;
        struct dot generic, tuned;
        char what[100];
        if (!dot_load(c, cc, "gnu11", &generic) || !dot_load(c, cc, "znver3", &tuned)) continue;
        const struct {
            const char *tune;
            const struct dot *dot;
        } lines[] = {{"generic", &generic}, {"znver3", &tuned}};
        double lanes = dot_differing(tuned.lanes, generic.lanes);
        double plain = dot_differing(tuned.plain, generic.plain);
        for (size_t k = 0; k < 2; k++) {
            json_t *row =
                json_pack("{s:s, s:s, s:i, s:i, s:f, s:f}", "cc", cc, "tune", lines[k].tune, "fma",
                          (int)lines[k].dot->counts.fma, "mul", (int)lines[k].dot->counts.mul,
                          "lanes", k ? lanes : 0.0, "plain", k ? plain : 0.0);
            json_object_update(case_plain_row(r), row);
            json_array_append_new(rows, row);
        }
        int major = case_cc_major(cc);
        if (!case_cc_is(cc, "gcc") || major < GCC_FROM || major > GCC_TO) continue;
        known++;
        snprintf(what, sizeof what, "%s: FMA under generic", cc);
        case_check_number(r, what, generic.counts.fma, 1, INFINITY);
        snprintf(what, sizeof what, "%s: FMA under znver3", cc);
        case_check_number(r, what, tuned.counts.fma, 0, 0);
        snprintf(what, sizeof what, "%s: share of sums in lanes that differ", cc);
        case_check_number(r, what, lanes, 0.1, 1);
        snprintf(what, sizeof what, "%s: share of sums in plain C that differ", cc);
        case_check_number(r, what, plain, 0.1, 1);
    }
    if (!json_array_size(rows))
        case_skip(r, "the objects to load (litmus/*/dot-*.so) are not beside this program, or the "
                     "CPU has no AVX2");
    else if (!known)
        case_skip(r, "wants gcc 11 or 12, of which it is known");
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
