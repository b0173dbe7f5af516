// SPDX-License-Identifier: MIT
/* The litmus of each regime against the table of expectations, and the verdicts of codegen. */
#include "study/codegen.h"
#include "study/litmus.h"

#include "facts.h"
#include "filtered.h"
#include "test.h"

/* ---- The regimes of this build --------------------------------------------------------------- */

TEST(regimes_are_as_listed)
{
    assert_true(probe_record_count > 0);
    for (size_t i = 0; i < probe_record_count; i++) {
        const struct build_record *regime = &probe_records[i];
        struct litmus l;
        litmus_run(regime, cpu_runs(regime->isa) ? NULL : "this CPU", &l);
        if (l.status == STATUS_SKIPPED) continue;
        assert_int_equal(l.status, STATUS_OK);
        if (l.known == LISTED && l.disagreement[0])
            fail_msg("%s %s %s: %s", regime->cc, regime->isa, regime->policy, l.disagreement);
        assert_true(l.observed.honours_subnormals);
    }
}

/* Returns the result of the regime's litmus; skips the test if there is none or it cannot run. */
static struct probe_result observe(const char *cc, const char *isa, const char *policy)
{
    const struct build_record *regime = litmus_regime(cc, isa, policy);
    struct litmus l;
    if (!regime || !cpu_runs(isa)) skip();
    litmus_run(regime, NULL, &l);
    assert_int_equal(l.status, STATUS_OK);
    assert_int_equal(l.known, LISTED);
    return l.observed;
}

TEST(gcc_12_contracts_unless_told)
{
    assert_false(observe("gcc-12", "avx2", "off").contracts);
    assert_false(observe("gcc-12", "avx2", "on").contracts);
    assert_true(observe("gcc-12", "avx2", "fast").contracts);
    assert_true(observe("gcc-12", "avx2", "default").contracts);
    assert_true(observe("gcc-12", "avx2", "default").contracts_across_statements);
}

TEST(clang_14_contracts_expressions_alone)
{
    struct probe_result silent = observe("clang-14", "avx2", "default");
    assert_false(silent.contracts);
    assert_true(silent.contracts_in_expression);
    assert_false(silent.contracts_across_statements);
    assert_true(observe("clang-14", "scalar", "default").contracts);
    assert_true(observe("clang-14", "avx2", "fast").contracts);
}

TEST(reassociation_deletes_error_terms)
{
    static const char *const compilers[] = {"gcc-12", "clang-14"};
    for (size_t i = 0; i < 2; i++) {
        assert_false(observe(compilers[i], "avx2", "fast").reassociates);
        assert_true(observe(compilers[i], "avx2", "reassoc").reassociates);
        assert_false(observe(compilers[i], "avx2", "reassoc").contracts);
        assert_true(observe(compilers[i], "avx2", "fastmath").deletes_rounding);
    }
}

TEST(fastmath_loses_nan)
{
    struct probe_result gcc = observe("gcc-12", "avx2", "fastmath");
    struct probe_result clang = observe("clang-14", "avx2", "fastmath");
    assert_true(gcc.honours_nan);
    assert_false(gcc.honours_nan_in_expression);
    assert_false(clang.honours_nan);
    assert_false(clang.honours_nan_in_expression);
}

TEST(a_machine_without_the_isa_skips)
{
    struct litmus l;
    litmus_run(&probe_records[0], "hidden by --hide-isa", &l);
    assert_int_equal(l.status, STATUS_SKIPPED);
    json_t *record = litmus_record(&l);
    assert_true(json_is_null(json_object_get(record, "observed")));
    assert_string_equal(json_string_value(json_object_get(record, "reason")),
                        "hidden by --hide-isa");
}

/* ---- The table ------------------------------------------------------------------------------- */

TEST(table_knows_what_was_measured)
{
    struct probe_result r;
    assert_true(expectation_of("gcc-12", "12.2.0", "avx2", "default", &r) && r.contracts);
    assert_true(expectation_of("clang-19", "19.1.7", "avx512", "default", &r) && !r.contracts);
    assert_true(expectation_of("clang", "14.0.6", "scalar", "default", &r) && r.contracts);
    assert_true(expectation_of("x_gcc-12", "12", "avx2", "O2", &r) && !r.contracts);
    assert_true(expectation_of("clang-13", "13.0.1", "scalar", "default", &r) && !r.contracts);
}

/* A compiler newer than the table is compared with the newest known one of its kind, and fails
 * nothing. */
TEST(what_is_newer_is_compared_with_the_newest)
{
    struct probe_result newer, newest;
    char version[16];
    assert_int_equal(expectation_of("gcc-99", "99.1.0", "avx2", "fast", &newer), NEWER);
    snprintf(version, sizeof version, "%d.1.0", expectation_newest("gcc"));
    assert_int_equal(expectation_of("gcc", version, "avx2", "fast", &newest), LISTED);
    assert_memory_equal(&newer, &newest, sizeof newer);
    assert_int_equal(expectation_of("clang-99", "99.0.0", "avx2", "mine", &newer), UNLISTED);
    assert_int_equal(expectation_of("clang-22", "22.1.8", "avx2", "default", &newer), LISTED);
}

/* The table must know the newest compiler of each kind that apt offers. */
TEST(apt_offers_what_the_table_knows)
{
    static const char *const families[] = {"gcc", "clang"};
    char line[200];
    size_t offered = 0, unknown = 0;
    for (size_t i = 0; i < 2; i++) {
        char command[120];
        snprintf(command, sizeof command, "apt-cache pkgnames %s- 2>/dev/null", families[i]);
        FILE *names = popen(command, "r");
        assert_non_null(names);
        while (fgets(line, sizeof line, names)) {
            char *end;
            const long major = strtol(line + strlen(families[i]) + 1, &end, 10);
            if (end == line + strlen(families[i]) + 1 || *end != '\n') continue;
            offered++;
            unknown += major > expectation_newest(families[i]);
            if (major > expectation_newest(families[i]))
                print_message("apt offers %.*s, which src/study/litmus.c does not know\n",
                              (int)strcspn(line, "\n"), line);
        }
        pclose(names);
    }
    if (!offered) skip(); /* no apt, or no package lists: no network */
    /* On another distribution the table need not know every compiler. */
    if (system("grep -qs '^VERSION=\"12 (bookworm)\"' /etc/os-release") != 0) skip();
    assert_int_equal(unknown, 0);
}

TEST(table_is_silent_on_the_rest)
{
    struct probe_result r;
    assert_false(expectation_of("gcc-12", "", "avx2", "off", &r));
    assert_false(expectation_of("gcc-12", "12.2.0", "avx2", "mine", &r));
    assert_false(expectation_of("icx", "2023.1", "avx2", "off", &r));
}

/* ---- Codegen --------------------------------------------------------------------------------- */

TEST(this_build_is_consistent)
{
    struct error e = {.text = ""};
    if (strstr(build_records[0].command, "-fsanitize")) skip();
    json_t *records = keep(json_array());
    struct registry r = registry_of_filter(NULL);
    if (codegen_run(&r, record_sink_array(records), &e)) fail_msg("%s", e.text);
    assert_int_equal(fact_count(records, "record=codegen"), r.count);
}

/* Returns codegen's verdict on one variant with this build record. */
static int judge(struct build_record build, enum arithmetic arithmetic, struct error *e)
{
    struct kernel kernel = {.arithmetic = arithmetic};
    struct variant v = {.id = "made/up", .status = STATUS_SKIPPED, .reason = "made up"};
    struct registry r = {.variants = &v, .count = 1};
    json_t *records = keep(json_array());
    build.kernel = v.kernel = &kernel;
    v.isa = build.isa, v.cc = build.cc, v.policy = build.policy, v.build = &build;
    e->text[0] = '\0';
    int code = codegen_run(&r, record_sink_array(records), e);
    assert_int_equal(json_array_size(records), 2);
    return code;
}

TEST(codegen_finds_what_disagrees)
{
    const struct build_record *regime = litmus_regime("gcc-12", "avx2", "off");
    struct error e;
    if (!regime) skip();
    struct build_record build = {.source = "made_up.c",
                                 .isa = regime->isa,
                                 .cc = regime->cc,
                                 .policy = regime->policy,
                                 .command = "gcc-12 -O3 -Wall -ffp-contract=off -c made_up.c",
                                 .witnessed = "GNU C11 -O3 -ffp-contract=off"};
    assert_int_equal(judge(build, ARITHMETIC_POLICY, &e), 0);

    build.counts.fma = 3;
    assert_int_equal(judge(build, ARITHMETIC_POLICY, &e), EXIT_GATE);
    assert_non_null(strstr(e.text, "3 FMA"));
    assert_int_equal(judge(build, ARITHMETIC_EXPLICIT, &e), 0);
    assert_int_equal(judge(build, ARITHMETIC_LIBRARY, &e), 0);

    build.counts.fma = 0;
    assert_int_equal(judge(build, ARITHMETIC_EXPLICIT, &e), EXIT_GATE);
    build.counts.undecoded = 2;
    assert_int_equal(judge(build, ARITHMETIC_POLICY, &e), EXIT_GATE);
    build.counts.undecoded = 0;

    build.command = "gcc-12 -mtune=generic -O3 -ffp-contract=off -O2 -mtune=znver3 -march=native";
    build.witnessed = "GNU C11 -ffp-contract=off -O2 -mtune=znver3 -march=znver5";
    assert_int_equal(judge(build, ARITHMETIC_POLICY, &e), 0); /* the last flag counts */
    build.witnessed = "GNU C11 -ffp-contract=off -O2 -mtune=generic";
    assert_int_equal(judge(build, ARITHMETIC_POLICY, &e), EXIT_GATE);
    assert_non_null(strstr(e.text, "-mtune=znver3"));

    build.command = "gcc-12 -O3 -Wall -ffp-contract=off -c made_up.c";
    build.witnessed = "GNU C11 -O3";
    assert_int_equal(judge(build, ARITHMETIC_POLICY, &e), EXIT_GATE);
    assert_non_null(strstr(e.text, "-ffp-contract=off"));
    build.witnessed = "GNU C11 -O3 -ffp-contract=fast"; /* and no earlier policy's object */
    assert_int_equal(judge(build, ARITHMETIC_EXPLICIT, &e), EXIT_GATE);
    assert_non_null(strstr(e.text, "-ffp-contract=off"));
    build.witnessed = "GNU C11 -O3 -ffp-contract=off -ffast-math";
    assert_int_equal(judge(build, ARITHMETIC_POLICY, &e), EXIT_GATE);
    assert_non_null(strstr(e.text, "-ffast-math"));
    build.witnessed = "GNU C11 -O3 -ffp-contract=off -fno-signed-zeros"; /* any flag of the table */
    assert_int_equal(judge(build, ARITHMETIC_POLICY, &e), EXIT_GATE);
    assert_non_null(strstr(e.text, "-fno-signed-zeros"));
}
