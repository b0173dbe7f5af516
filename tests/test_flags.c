// SPDX-License-Identifier: MIT
/* `ulplab flags`: sets of flags as command lines, the effect of a set against the baseline, the
 * tables of records, and made-up kernels (tests/flags) whose gains are known. */
// test: 90 s of a core
#include <jansson.h>
#include <limits.h>
#include <sys/stat.h>

#include "build.h"
#include "model/fp_flags.h"
#include "model/record.h"
#include "model/registry.h"
#include "publish/sql/judge.h"
#include "scratch.h"
#include "study/litmus.h"
#include "study/flags.h"
#include "study/flags_table.h"
#include "study/trial.h"

#include "drive.h"
#include "facts.h"

/* ---- Sets ------------------------------------------------------------------------------------ */

static struct flag_table table;

/* Lets a workshop share the objects of the build under test. */
static void share_build(struct workshop *shop)
{
    const char *build = getenv("BUILD");
    char place[PATH_MAX];
    assert_non_null(realpath(build ? build : "build", place));
    memcpy(shop->lab, place, sizeof place);
}

/* Fails the test where a call of the lab's failed. */
#define MUST(call)                                                                                 \
    do {                                                                                           \
        struct error e = {.text = ""};                                                             \
        if (call) fail_msg("%s", e.text);                                                          \
    } while (0)

/* Makes the table of flags for the first compiler of this build, once for each `all`: it asks the
 * compiler of every flag. */
static void make_table(const char *all)
{
    static struct {
        const char *all;
        struct flag_table table;
    } made[8];
    struct cpu cpu;
    size_t i = 0;
    while (i < 8 && made[i].all && strcmp(made[i].all, all) != 0) i++;
    assert_true(i < 8);
    table = made[i].table;
    if (made[i].all) return;
    MUST(cpu_detect(&cpu, NULL, &e));
    MUST(flag_table_make(&table, &cpu, build_compilers[0].cc, "-O3 -ffp-contract=off", all, NULL, 0,
                         &e));
    made[i].all = all;
    made[i].table = table;
}

/* Opens a lab of a kernel, which may have its file's name, for the first compiler. */
static void open_lab(struct flags_lab *lab, struct flags_kernel *kernel, const char *folder)
{
    *lab = (struct flags_lab){.kernel = kernel,
                              .cc = build_compilers[0].cc,
                              .isa = "avx2",
                              .shapes = "2x2048",
                              .table = table,
                              .judge = judge_flags};
    const char *base = strrchr(kernel->file, '/') + 1;
    if (!*kernel->name)
        snprintf(kernel->name, sizeof kernel->name, "%.*s", (int)strcspn(base, "."), base);
    MUST(flags_lab_open(lab, scratch_path(folder), &e));
    share_build(&lab->shop);
}

static flag_set named(const char *name)
{
    const size_t row = flag_find(&table, name);
    assert_true(row < table.count);
    return flag_bit(row);
}

static void assert_text(flag_set set, const char *wanted)
{
    char text[FLAGS_TEXT_ROOM];
    flag_set_text(&table, set, false, text, sizeof text);
    assert_string_equal(text, wanted);
}

TEST(a_set_is_a_command_line)
{
    make_table("-ffast-math");
    assert_text(0, "-O3 -ffp-contract=off");
    assert_text(named("no-errno"), "-O3 -ffp-contract=off -fno-math-errno");
    assert_text(flag_with_needs(&table, flag_find(&table, "associative")),
                "-O3 -ffp-contract=off -fassociative-math -fno-signed-zeros -fno-trapping-math");
    assert_true(table.whole != 0);
    assert_text(table.whole, "-O3 -ffp-contract=off -ffp-contract=fast -ffast-math");
}

/* The last word of a command line decides, and every spelling is known. */
TEST(a_command_line_gives_up_what_its_last_words_say)
{
    static const struct {
        const char *words[4];
        unsigned given;
    } lines[] = {{{"-O3", "-ffp-contract=off"}, 0},
                 {{"-ffp-contract=off", "-Ofast"}, FP_ALL & ~FP_CONTRACTION},
                 {{"-ffast-math", "-fno-associative-math"}, FP_ALL & ~(FP_CONTRACTION | FP_ORDER)},
                 {{"-ffast-math", "-fno-fast-math", "-ffinite-math-only"}, FP_SPECIALS},
                 {{"-ffast-math", "-ffp-model=strict"}, 0},
                 {{"-ffp-model=fast", "-ffp-model=precise"}, FP_CONTRACTION},
                 {{"-ffp-contract=fast", "-ffp-contract=off", "-fno-math-errno"}, FP_ERRNO}};
    static const char *const known[] = {"-ffp-contract=on", "-mrecip=all", "-fmath-errno",
                                        "-fhonor-nans",     "-Ofast",      "-fsignaling-nans"},
                             *const others[] = {"-O3", "-ffp", "-mrecipe", "-fno-inline", "-D_X"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        unsigned given = 0;
        for (size_t k = 0; k < 4 && lines[i].words[k]; k++)
            given = fp_flag_apply(given, lines[i].words[k]);
        if (given != lines[i].given) fail_msg("line %zu gives up %x", i, given);
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) assert_true(fp_flag_is(known[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_false(fp_flag_is(others[i]));
}

/* The table says of each flag whether the compiler links crtfastmath.o for it, which sets FTZ and
 * DAZ. */
TEST(a_compiler_says_what_it_links)
{
    char *const object = (char *)scratch_path("linked.o");
    size_t links = 0, size;
    fclose(fopen(object, "w"));
    for (size_t c = 0; c < build_compiler_count; c++)
        for (size_t i = 0; i < fp_flag_count; i++) {
            const char *flag = fp_flags[i].flag;
            char command[400];
            snprintf(command, sizeof command, "exec %s %s -### %s 2>&1",
                     workshop_compiler(build_compilers[c].cc), flag, object);
            char *text = workshop_text((char *const[]){"sh", "-c", command, NULL}, 60, &size);
            /* A compiler that refuses a flag links nothing. */
            const bool is_linked = strstr(text, "crt1.o") != NULL;
            if (is_linked && (strstr(text, "crtfastmath") != NULL) != fp_flag_at_link(flag))
                fail_msg("%s: %s", command, text);
            links += is_linked && fp_flag_at_link(flag);
            free(text);
        }
    assert_true(links >= build_compiler_count);
}

/* A macro or option that one flag implies is switched off if the set does not contain it. */
TEST(what_is_left_out_stays_out)
{
    char text[FLAGS_TEXT_ROOM];
    make_table("-ffast-math");
    flag_set_text(&table, table.all & ~named("reciprocal"), true, text, sizeof text);
    assert_non_null(strstr(text, "-funsafe-math-optimizations"));
    assert_non_null(strstr(text, "-fno-reciprocal-math"));
    flag_set_text(&table, table.all & ~named("macro"), true, text, sizeof text);
    assert_non_null(strstr(text, "-U__FAST_MATH__"));
    flag_set_text(&table, table.all, true, text, sizeof text);
    assert_null(strstr(text, "-U"));
    /* Only where all that the compiler asks for is given does it define the macro. */
    flag_set_text(&table, table.all & ~(named("macro") | named("finite")), true, text, sizeof text);
    assert_null(strstr(text, "-U"));
    assert_null(strstr(text, "-fno-reciprocal-math"));
}

TEST(flags_of_ones_own_are_rows)
{
    make_table("-fno-math-errno -fno-strict-aliasing");
    assert_true(table.all == (named("no-errno") | named("-fno-strict-aliasing")));
    struct cpu cpu;
    struct error e;
    static const char *const own[] = {"-fthere-is-no-such-flag"};
    assert_int_equal(cpu_detect(&cpu, NULL, &e), 0);
    assert_int_equal(flag_table_make(&table, &cpu, build_compilers[0].cc, "-O2", "", own, 1, &e),
                     EXIT_USAGE);
    assert_non_null(strstr(e.text, own[0]));
    assert_int_equal(
        flag_table_make(&table, &cpu, "there-is-no-such-compiler", "-O2", "", NULL, 0, &e),
        EXIT_USAGE);
}

/* ---- Effects --------------------------------------------------------------------------------- */

/* A row of accuracy beside the build "a", whose error is 1 ulp, and which loses nothing. */
static json_t *error_row(const char *id, const char *family, double ulp, int lost, const char *bits)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:i, s:i, s:s, s:s, s:{s:i},"
                     " s:{s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f}}",
                     "id", id, "verdict", "kept", "family", family, "n", 64, "elements", 100,
                     "error", ulp, "mean_error", 0.5, "lost", lost, "flushed", 0, "bits", bits,
                     "numbers", bits, "counts", "nan", lost, "beside", "id", "a", "wrong", lost,
                     "nan", 0, "inf", 0, "zero", 0, "error", ulp, "of_base", 1.0, "mean", 0.5,
                     "mean_of_base", 0.5);
}

/* Judges a build's rows on family `normal` and of special inputs; returns the effects. */
static json_t *judged(json_t *normal, json_t *special, const char *allow)
{
    json_t *effects, *words = json_loads(allow, 0, NULL);
    json_t *facts = json_pack(
        "{s:{s:[o, o, o, o], s:s, s:o}}", "facts", "accuracy", error_row("a", "normal", 1, 0, "1"),
        error_row("a", "input", 1, 0, "2"), normal, special, "base", "a", "allow", words);
    MUST(judge_flags("effects", facts, &effects, &e));
    json_decref(facts);
    return effects;
}

TEST(an_effect_is_what_changes)
{
    static const struct {
        double ulp, special_ulp;
        int lost;
        const char *bits, *allow;
        bool has_bits, special, worse, allowed;
        double error; /* 0: none grows */
        const char *why;
    } cases[] = {
        {1, 1, 0, "1", "[\"no-bits\"]", false, false, false, true, 0, ""},
        {1.5, 1, 0, "3", "[]", true, false, false, true, 1.5, ""},
        {1.5, 1, 0, "3", "[\"no-bits\"]", true, false, false, false, 1.5, "other bits"},
        {1, 1, 3, "1", "[]", false, true, false, false, INFINITY, "3 results are wrong"},
        {1, 1, 3, "1", "[\"errors\"]", false, true, false, false, INFINITY, "3 results are wrong"},
        {1, 1, 3, "1", "[\"lost\"]", false, true, false, true, INFINITY, ""},
        {3, 1, 0, "3", "[\"lost\"]", true, false, true, false, 3, "grows from 1 to 3"},
        {3, 1, 0, "3", "[\"errors\"]", true, false, true, true, 3, ""},
        {1, 3, 0, "3", "[\"errors\"]", true, false, true, true, 3, ""},
        {3, 1, 3, "3", "[\"errors\"]", true, true, true, false, INFINITY, "3 results are wrong"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *effects = judged(error_row("b", "normal", cases[i].ulp, 0, cases[i].bits),
                                 error_row("b", "input", cases[i].special_ulp, cases[i].lost, "2"),
                                 cases[i].allow);
        const json_t *f = json_object_get(effects, "b");
        static const char *const words[] = {"false", "true"};
        assert_facts(f, "bits=%s specials=%s worse=%s allowed=%s lost=%d %s%s%s",
                     words[cases[i].has_bits], words[cases[i].special], words[cases[i].worse],
                     words[cases[i].allowed], cases[i].lost, *cases[i].why ? "'why~" : "why=null",
                     cases[i].why, *cases[i].why ? "'" : "");
        const double error = record_figure(f, "error");
        assert_true(cases[i].error > 0 ? error == cases[i].error : isnan(error));
        /* The baseline does itself no harm. */
        assert_facts(effects, "a.allowed=true");
        json_decref(effects);
    }
}

/* Nothing is known of a build that ended, or that was measured beside another one. */
TEST(an_effect_that_is_unknown_is_refused)
{
    json_t *dead = error_row("b", "normal", 1, 0, "1"),
           *other = error_row("b", "normal", 1, 0, "1");
    json_object_set_new(dead, "bits", json_null());
    json_object_set_new(json_object_get(other, "beside"), "id", json_string("c"));
    json_t *const rows[] = {dead, other};
    for (size_t i = 0; i < 2; i++) {
        json_t *effects =
            judged(rows[i], error_row("b", "input", 1, 0, "2"), "[\"lost\", \"errors\"]");
        assert_facts(effects, "b.allowed=false b.bits=null");
        assert_true(json_equal(json_object_get(effects, "b"), json_object_get(effects, "")));
        json_decref(effects);
    }
}

/* Which set is taken of four that were timed, the baseline among them; the fastest is not allowed.
 */
TEST(a_set_is_chosen_by_its_speed_and_size)
{
    static const struct {
        double keep, low; /* low: of the best's interval */
        const char *verified, *set, *best;
        bool done;
    } cases[] = {
        {0.95, 1.5, "[]", "3", "3", false},
        {0.3, 1.5, "[]", "1", "3", false},
        {0.3, 1.0, "[]", "0", "0", false}, /* no gain beyond its interval */
        {0.3, 1.5, "[{\"set\": \"1\", \"speed\": 1.2, \"high\": 1.3, \"best_speed\": 1.6}]", "1",
         "3", true},
        /* Its own timing shows too little; then the best stands. */
        {0.3, 1.5, "[{\"set\": \"1\", \"speed\": 1.1, \"high\": 1.12, \"best_speed\": 1.6}]", "3",
         "3", false},
        {0.3, 1.5,
         "[{\"set\": \"1\", \"speed\": 1.1, \"high\": 1.12, \"best_speed\": 1.6},"
         " {\"set\": \"3\", \"speed\": 1.1, \"high\": 1.12, \"best_speed\": 1.6}]",
         "3", "3", true},
        /* Its processes disagree: it is timed anew, three times in all. */
        {0.3, 1.5, "[{\"set\": \"1\", \"speed\": null, \"high\": null, \"best_speed\": 1.6}]", "1",
         "3", false},
        {0.3, 1.5, "[{\"set\": \"3\"}, {\"set\": \"3\"}, {\"set\": \"1\"}]", "1", "3", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *answer;
        json_t *facts =
            json_pack("{s:f, s:s, s:[{s:s, s:i, s:b, s:f, s:f}, {s:s, s:i, s:b, s:f, s:f},"
                      " {s:s, s:i, s:b, s:f, s:f}, {s:s, s:i, s:b, s:f, s:f}], s:o}",
                      "keep", cases[i].keep, "all", "2", "sets", "set", "0", "size", 0, "allowed",
                      1, "speed", 1.0, "low", 1.0, "set", "1", "size", 1, "allowed", 1, "speed",
                      1.2, "low", 1.1, "set", "2", "size", 2, "allowed", 0, "speed", 2.0, "low",
                      1.9, "set", "3", "size", 2, "allowed", 1, "speed", 1.6, "low", cases[i].low,
                      "verified", json_loads(cases[i].verified, 0, NULL));
        MUST(judge_flags("choice", facts, &answer, &e));
        assert_facts(answer, "set=%s best=%s done=%s pays=%s explains=2", cases[i].set,
                     cases[i].best, cases[i].done ? "true" : "false",
                     *cases[i].best != '0' ? "true" : "false");
        json_decref(facts);
        json_decref(answer);
    }
}

/* ---- Made-up kernels ------------------------------------------------------------------------- */

static json_t *record_of(const json_t *document, const char *kind, const char *which)
{
    return fact_find(fact_at(document, "records"), "record=%s %s", kind, which);
}

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif

/* ---- The search, without a clock ------------------------------------------------------------- */

/* The flags that pay: machine code built with them is eight times as fast as other code. */
static flag_set paying;

static bool is_fast(const struct flags_lab *lab, flag_set set)
{
    const size_t code = lab->builds[flags_lab_find(lab, set)].same_as;
    bool fast = false;
    for (size_t i = 0; i < lab->count; i++)
        fast |= lab->builds[i].same_as == code && (lab->builds[i].set & paying) == paying;
    return fast;
}

static int made_up_times(const struct flags_lab *lab, const flag_set *sets, size_t count,
                         size_t processes, json_t **times, struct error *e)
{
    (void)e;
    *times = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct flags_build *b = &lab->builds[flags_lab_find(lab, sets[i])];
        json_t *low = json_array();
        for (size_t p = 0; p < processes; p++)
            json_array_append_new(low, json_real((is_fast(lab, sets[i]) ? 1 : 8) *
                                                 (1 + 1e-3 * (double)((3 * p + i) % 5))));
        json_array_append_new(
            *times, json_pack("{s:o, s:i, s:i, s:o}", "id",
                              json_sprintf("policy=" HELD_POLICY "%llx",
                                           (unsigned long long)lab->builds[b->same_as].set),
                              "rows", 2, "n", 2048, "low_ns", low));
    }
    return 0;
}

/* Leaving any word out of the answer has other machine code. */
static void check_words(struct flags_lab *lab, const char *words)
{
    enum { SETS = 24 };
    flag_set sets[SETS] = {flag_set_of_words(&lab->table, words)};
    size_t count = 1;
    for (const char *word = words; *word; count++) {
        char rest[FLAGS_TEXT_ROOM];
        const size_t length = strcspn(word, " ");
        assert_true(count < SETS);
        snprintf(rest, sizeof rest, "%.*s%s", (int)(word - words), words, word + length);
        sets[count] = flag_set_of_words(&lab->table, rest);
        word += length + (word[length] == ' ');
    }
    MUST(flags_lab_compile(lab, sets, count, &e));
    for (size_t i = 1; i < count; i++)
        if (flags_lab_same(lab, sets[i], sets[0])) fail_msg("%s: without word %zu", words, i);
}

/* Returns the records of a search on a made-up kernel that gains by these flags of the table. */
static json_t *search(const char *file, const char *all, flag_set flags)
{
    struct flags_request request = {
        .base = "-O3 -ffp-contract=off", .all = all, .wish = {.keep = 0.95, .processes = 6}};
    char path[PATH_MAX];
    struct flags_kernel kernel = {.file = path, .own = true};
    struct flags_lab lab;
    struct flags_found found;
    assert_non_null(realpath(file, path));
    json_t *allow = json_array();
    request.wish.allow = allow;
    paying = flags;
    open_lab(&lab, &kernel, strrchr(path, '/') + 1);
    lab.time = made_up_times;
    MUST(flags_search(&lab, &request.wish, (struct flags_watch){NULL, NULL}, &found, &e));
    json_t *records;
    MUST(flags_records(&lab, &found, &request, "12", NULL, &records, &e));
    json_t *document = json_pack("{s:o}", "records", records);
    check_words(&lab, found.choice.words);
    flags_found_free(&found);
    flags_lab_close(&lab);
    json_decref(allow);
    return document;
}

/* An option that is no floating-point flag can change bits: when tuning for some processors, gcc 11
 * and 12 do not fuse chains of FMAs, which changes results where contraction is allowed. */
TEST(tuning_that_changes_bits_has_its_row)
{
    const struct build_compiler *cc = &build_compilers[0];
    const int major = atoi(expectation_version(cc->cc));
    if (SANITIZED || strncmp(cc->cc, "gcc", 3) != 0 || major < 11 || major > 12) skip();
    struct flags_kernel kernel = {
        .file = "simd/moments/moments_plain.c", .op = "moments", .algorithm = "plain"};
    struct flags_lab lab;
    struct cpu cpu;
    MUST(cpu_detect(&cpu, NULL, &e));
    MUST(flag_table_make(&table, &cpu, cc->cc, "-O2", "-ffast-math", NULL, 0, &e));
    const flag_set sets[] = {0, named("tune-znver3")};
    open_lab(&lab, &kernel, "tuned");
    MUST(flags_lab_compile(&lab, sets, 2, &e) || flags_lab_judge(&lab, sets, 2, &e));
    assert_int_equal(table.rows[flag_find(&table, "tune-znver3")].kind, FLAG_TUNE);
    assert_facts(flags_search_effect(&lab, sets[1]), "bits=true lost=0");
    flags_lab_close(&lab);
}

/* What a made-up kernel's flag does to results, by the oracle and beside the build without it. */
TEST(a_flag_that_changes_what_was_meant_is_refused)
{
    if (SANITIZED) skip();
    static const struct {
        const char *file, *flag, *effect;
    } kernels[] = {
        {"tests/flags/mask_nan.c", "finite",
         "worse=false changed>0 'why~between a number and NaN'"},
        {"tests/flags/kahan_sum.c", "associative", "worse=true changed=0 'why~grows from'"}};
    make_table("-ffast-math");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char path[PATH_MAX];
        struct flags_kernel kernel = {.file = path, .own = true};
        struct flags_lab lab;
        const flag_set sets[] = {0, flag_with_needs(&table, flag_find(&table, kernels[i].flag))};
        assert_non_null(realpath(kernels[i].file, path));
        open_lab(&lab, &kernel, kernels[i].flag);
        MUST(flags_lab_compile(&lab, sets, 2, &e) || flags_lab_judge(&lab, sets, 2, &e));
        /* Rows whose squares overflow are left out: what their sums are depends on the order. */
        assert_facts(flags_search_effect(&lab, sets[1]), "lost=0 allowed=false %s",
                     kernels[i].effect);
        flags_lab_close(&lab);
    }
}

/* A kernel file that also names 16-bit types for x and y is built for fp32. */
TEST(a_kernel_of_the_vocabulary_is_built)
{
    if (SANITIZED) skip();
    struct flags_kernel kernel = {
        .file = "simd/softmax/softmax_threepass.c", .op = "softmax", .algorithm = "threepass"};
    struct flags_lab lab;
    const flag_set none = 0;
    make_table("-ffast-math");
    open_lab(&lab, &kernel, "threepass");
    MUST(flags_lab_compile(&lab, &none, 1, &e));
    assert_true(lab.builds[0].built);
    flags_lab_close(&lab);
}

/* `ulplab try` writes a kernel file around a function, and builds it under sets of flags. */
TEST(a_function_of_a_file_is_a_kernel)
{
    if (SANITIZED) skip();
    char source[PATH_MAX], path[PATH_MAX];
    snprintf(source, sizeof source, "%s", scratch_path("mine.c"));
    scratch_write("mine.c", "#include <math.h>\n"
                            "void my_exp(const float *x, float *y, int n)\n"
                            "{\n    for (int i = 0; i < n; i++) y[i] = SIGN expf(SIGN x[i]);\n}\n");
    const struct trial_request request = {
        .subject = {.path = source, .function = "my_exp", .flags = "-DSIGN=+"}, .isa = "avx2"};
    struct trial trial;
    struct words make = {0};
    struct cpu cpu;
    MUST(cpu_detect(&cpu, NULL, &e));
    MUST(trial_kernel_file(&trial, &request, &cpu, path, sizeof path, &make, &e));
    make_table("-ffast-math");
    struct flags_kernel kernel = {.file = path, .own = true, .needs = &make, .of = source};
    struct flags_lab lab;
    const flag_set sets[] = {0, table.all};
    open_lab(&lab, &kernel, "function");
    MUST(flags_lab_compile(&lab, sets, 2, &e));
    assert_true(lab.builds[0].built && lab.builds[1].built);
    assert_false(flags_lab_same(&lab, sets[0], sets[1]));
    flags_lab_close(&lab);
    trial_close(&trial);
    words_free(&make);
}

/* The square root gains by one flag only; no other flag may be reported. */
static void check_root(const json_t *document)
{
    assert_facts(record_of(document, "flag-set", "op=root"),
                 "flags=-fno-math-errno at_link= names=#1 names~no-errno speed>7.9 kept>0.99");
    const json_t *records = fact_at(document, "records");
    fact_find(records, "kind=part name=no-errno gain>2");
    assert_int_equal(fact_count(records, "kind=part gain>2"), 1);
    assert_facts(record_of(document, "flag", "op=root name=no-errno"), "code=true cost>2");
}

/* -ffinite-math-only alone loses NaN results; linking with -ffast-math flushes subnormal results,
 * and loses those of subnormal inputs whose double is none. */
static void check_clean(const json_t *document)
{
    assert_facts(record_of(document, "flag", "op=clean name=link"), "flushed>0 lost>0 bits=true");
    assert_facts(record_of(document, "flag", "op=clean name=no-errno"), "flushed=0");
    const json_t *records = fact_at(document, "records");
    assert_int_equal(fact_count(records, "op=clean kind=part name=finite"),
                     fact_count(records, "op=clean kind=part name=finite lost>0 specials=true"));
    assert_int_equal(fact_count(records, "op=clean kind=part name!=finite"),
                     fact_count(records, "op=clean kind=part name!=finite lost=0 specials=false"));
    assert_facts(record_of(document, "flag-set", "op=clean"), "names!~finite lost=0 all_lost>0");
}

/* A sum gains by reassociation, with the flags that it requires. */
static void check_total(const json_t *document)
{
    const json_t *set = record_of(document, "flag-set", "op=total");
    assert_facts(set, "names~associative speed>2 bits=true explains~associative explained>=0.9 "
                      "parts_are_all=true");
    static const char *const fitting[] = {"associative", "no-signed-zeros", "no-trapping"};
    size_t fit = 0;
    for (size_t i = 0; i < 3; i++) {
        char condition[40];
        snprintf(condition, sizeof condition, "names~%s", fitting[i]);
        fit += fact_holds(set, condition, 0);
    }
    assert_int_equal(fit, json_array_size(json_object_get(set, "names")));
}

TEST(made_up_kernels_name_their_flag)
{
    if (SANITIZED) skip(); /* objects with sanitizers cannot be linked without them */
    /* Few flags are searched as ten are, and have few subsets to build. */
    static const char few[] = "-fno-math-errno -ffinite-math-only",
                      order[] = "-fassociative-math -fno-signed-zeros -fno-trapping-math "
                                "-freciprocal-math";
    make_table(few);
    json_t *root = search("tests/flags/root_errno.c", few, named("no-errno"));
    make_table(order);
    json_t *total = search("tests/flags/total_plain.c", order,
                           flag_with_needs(&table, flag_find(&table, "associative")));
    check_root(root);
    check_total(total);
    json_decref(total);
    json_decref(root);
}

/* A set that gives up all that -ffast-math does, and has its code, is -ffast-math; what a set
 * leaves out for nothing it does not name. */
TEST(all_of_them_are_said_in_one_word)
{
    if (SANITIZED || strncmp(build_compilers[0].cc, "gcc", 3) != 0) skip();
    struct flags_kernel kernel = {.file = "simd/softmax/softmax_plain.c"};
    struct flags_lab lab;
    make_table("-ffast-math");
    const flag_set sets[] = {table.whole, table.all & ~named("contract") & ~named("reciprocal"),
                             named("no-errno") | named("finite") | named("reciprocal")};
    struct flags_choice whole = {.set = sets[1]}, some = {.set = sets[2]};
    open_lab(&lab, &kernel, "words");
    MUST(flags_lab_compile(&lab, sets, 3, &e) || flags_search_spell(&lab, &whole, &e) ||
         flags_search_spell(&lab, &some, &e));
    assert_true(whole.is_all);
    assert_string_equal(whole.words, "-ffast-math");
    assert_false(some.is_all);
    assert_non_null(strstr(some.words, "-fno-math-errno"));
    assert_null(strstr(some.words, "reciprocal"));
    check_words(&lab, some.words);
    flags_lab_close(&lab);
}

/* Contraction breaks the softmax of x * scale; -ffast-math as a whole also breaks the check for
 * NaN; -fno-math-errno breaks nothing. */
TEST(case_studies_name_what_breaks_them)
{
    if (SANITIZED || strncmp(build_compilers[0].cc, "gcc", 3) != 0) skip();
    make_table("-ffast-math");
    struct flags_cases cases = {.table = &table, .cc = build_compilers[0].cc, .isa = "avx2"};
    const flag_set sets[] = {named("contract"), named("no-errno")};
    MUST(flags_cases_open(&cases, scratch_path("cases"), &e));
    share_build(&cases.shop);
    MUST(flags_cases_judge(&cases, sets, 2, &e));
    json_t *beyond =
        json_pack("{s:o, s:o, s:o, s:o}", "contract", flags_cases_beyond(&cases, sets[0], 0),
                  "errno", flags_cases_beyond(&cases, sets[1], 0), "all",
                  flags_cases_beyond(&cases, table.all, sets[0]), "unknown",
                  flags_cases_beyond(&cases, named("finite"), 0));
    assert_facts(beyond, "contract~fma-softmax contract!~nan-check-deleted errno=#0 "
                         "all~nan-check-deleted all!~fma-softmax unknown=null");
    json_decref(beyond);
    flags_cases_close(&cases);
}

/* The command reports what breaks, which follows from machine code and inputs. A file of one's own
 * may have changed since: --resume measures it again, in place of its records. */
TEST(a_made_up_kernel_names_what_breaks_it)
{
    if (SANITIZED) skip();
    char line[600];
    json_t *records;
    snprintf(line, sizeof line,
             "flags tests/flags/clean_nan.c --cc %s --isa avx2 --processes 3 --out %s/found --all "
             "'-fno-math-errno -ffinite-math-only' --quiet",
             build_compilers[0].cc, scratch);
    json_t *document = drive_json(drive_program("ulplab"), 0, "%s --json", line);
    check_clean(document);
    assert_says(drive_program("ulplab"), 0, "clean nan", "%s --resume", line);
    MUST(record_read(scratch_path("found/flags.jsonl"), false, &records, &e));
    assert_int_equal(json_array_size(records),
                     json_array_size(json_object_get(document, "records")));
    json_object_set_new(document, "records", records);
    check_clean(document);
    json_decref(document);
}

/* What --resume emits is what was asked: no other compiler's set, and no function's. */
TEST(earlier_answers_are_of_what_is_asked)
{
    static const struct {
        const char *algorithm, *cc, *function, *flags;
    } sets[] = {{"plain", "gcc-12", "", "-fno-math-errno"},
                {"plain", "clang-14", "", "-ffinite-math-only"},
                {"plain", "gcc-12", "mine", "-fno-signed-zeros"},
                {"threepass", "gcc-12", "", "-freciprocal-math"}};
    json_t *records = json_array();
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        json_array_append_new(
            records,
            json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[], s:f, s:s}",
                      "record", "flag-set", "op", "softmax", "algorithm", sets[i].algorithm, "isa",
                      "avx2", "cc", sets[i].cc, "file", "softmax.c", "function", sets[i].function,
                      "base", "-O3 -ffp-contract=off", "all", "-ffast-math", "commit", build_commit,
                      "shapes", "2x2048", "allow", "keep", 0.95, "flags", sets[i].flags));
    assert_int_equal(mkdir(scratch_path("earlier"), 0777), 0);
    MUST(record_write_file(scratch_path("earlier/flags.jsonl"), records, &e));
    struct outcome o = drive_line(drive_program("ulplab"),
                                  "flags softmax/plain --cc gcc-12 --isa avx2 --resume --emit "
                                  "cmake --out %s/earlier --quiet",
                                  scratch);
    if (o.code) fail_msg("exit %d: %s", o.code, o.err);
    const char *set = strstr(o.out, "set_property(");
    assert_non_null(set);
    assert_null(strstr(set + 1, "set_property("));
    assert_non_null(strstr(set, sets[0].flags));
    drive_free(&o);
    json_decref(records);
}

/* docs/flags.md must be what its records give; and in nine cells of ten these name the flags that
 * explain 90% of what all gain. */
TEST(the_page_is_of_its_records)
{
    json_t *records;
    assert_int_equal(system("scripts/flags-page --check"), 0);
    MUST(record_read("results/flags.jsonl", false, &records, &e));
    static const char sets[] = "record=flag-set 'base=-O3 -ffp-contract=off'";
    const size_t all = fact_count(records, sets),
                 explained = fact_count(records, "%s explains!=#0 explained>=0.9", sets);
    assert_true(all > 0 && 10 * explained >= 9 * all);
    json_decref(records);
}

TEST(mistakes_are_one_line)
{
    static const char *const mistakes[][2] = {
        {"nonesuch/kernel", "no kernel of that name"},
        {"softmax/online.f64", "no kernel of that name"},
        {"--allow everything", "want one or more of lost, errors, no-bits"},
        {"--isa nonesuch", "unknown ISA"},
        {"--function f", "name the one file that has it"},
        {"--processes 2", "needs 3 or more"},
        {"--keep 101", "want a share"},
        {"--emit ninja", "want one of make, cmake"},
        {"--shapes wide", "wide"},
        {"--flag '' softmax/plain", "name a flag"},
        {"--cc /opt/nonesuch", "not the name of a compiler"},
        {"--cc nonesuch total", "no kernel of that name"}};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        assert_says(drive_program("ulplab"), EXIT_USAGE, mistakes[i][1], "flags %s",
                    mistakes[i][0]);
}

TEST_GROUP(scratch_open, scratch_close)
