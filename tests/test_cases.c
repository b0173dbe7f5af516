// SPDX-License-Identifier: MIT
/* Case studies: the framework, with cases made up here; then the results that each case of the
 * build must have on this kind of machine. */
// test: 20 s of a core
#include <signal.h>
#include <unistd.h>

#include "case_run.h"
#include "cases/case_run.h"
#include "drive.h"
#include "facts.h"
#include "filtered.h"

/* Runs the program with these arguments, NULL at their end. */
#define run(...)                                                                                   \
    drive(&(struct drive){.program = drive_program("ulplab"), .arguments = {__VA_ARGS__}})

/* ---- The framework --------------------------------------------------------------------------- */

static void find_it(const struct case_context *c, struct case_result *r)
{
    assert_int_equal(c->effort, CASE_QUICK);
    case_check_number(r, 1, 1, 1, "%s", "one");
    case_check_number(r, 0.5, 0, 1, "between");
    case_check_number(r, 5, 2, INFINITY, "at least");
    case_check_yes(r, true, true, "words");
    case_price(r, "%d%%", 7);
    json_t *table = case_table(r, "A table", "x=the x", "y=the y", "z=the z = 0", NULL);
    case_line(table, "fs-", 0.25, "a | b");
    case_line(table, "ino", -1, (uint64_t)7, json_true());
    json_t *curves = case_curves(r, &(struct case_axes){"A curve", "x", "y", true, false});
    json_t *series = case_series(curves, "line");
    case_point(series, 1, 2);
    case_point(series, 2, NAN);
    case_point(series, 3, INFINITY);
}

static void find_something_else(const struct case_context *c, struct case_result *r)
{
    (void)c;
    case_check_number(r, 1, 1, 1, "holds");
    case_check_number(r, 2, 0, 1, "does not");
}

static void find_no_number(const struct case_context *c, struct case_result *r)
{
    (void)c;
    case_check_number(r, NAN, -INFINITY, INFINITY, "is no number");
}

static void find_nothing(const struct case_context *c, struct case_result *r)
{
    (void)c;
    (void)r;
}

static void leave_out(const struct case_context *c, struct case_result *r)
{
    (void)c;
    case_check_number(r, 2, 0, 1, "whatever");
    case_skip(r, "no %s here", "lanes");
}

static void crash(const struct case_context *c, struct case_result *r)
{
    (void)c;
    case_check_number(r, 1, 1, 1, "one");
    raise(SIGILL);
}

static void quit(const struct case_context *c, struct case_result *r)
{
    (void)c;
    (void)r;
    _exit(0);
}

/* Writes more messages than the channel holds at once. */
static void talk(const struct case_context *c, struct case_result *r)
{
    static const struct variant v = {.isa = "avx2", .cc = "gcc-12", .policy = "fast"};
    (void)c;
    for (int i = 0; i < 4000; i++)
        json_object_set_new(case_row(r, &v, i % 2), "i", json_integer(i));
    case_check_number(r, 1, 1, 1, "one");
}

static struct case_study study(const char *name,
                               void (*go)(const struct case_context *, struct case_result *))
{
    return (struct case_study){.name = name,
                               .title = "Made up",
                               .reported = "Nobody reported it.",
                               .mechanism = "None.",
                               .remedy = "None.",
                               .run = go};
}

/* Returns the record of one made-up case; *code: the result of cases_run(). */
static json_t *record_of(void (*go)(const struct case_context *, struct case_result *), int *code,
                         struct error *e)
{
    const struct case_study one = study("made-up", go), *const list[] = {&one};
    static struct registry registry;
    const struct cpu cpu = this_cpu(NULL);
    if (!registry.count) registry = registry_of_filter(NULL);
    const struct cases_plan plan = {
        .cases = list, .count = 1, .context = {&registry, &cpu, 0, CASE_QUICK}, .quiet = true};
    struct cases_summary summary;
    json_t *records = keep(json_array());
    e->text[0] = '\0';
    *code = cases_run(&plan, record_sink_array(records), &summary, e);
    assert_int_equal(json_array_size(records), 1);
    return json_array_get(records, 0);
}

TEST(a_record_has_the_fields_of_the_contract)
{
    int code;
    struct error e;
    json_t *record = record_of(find_it, &code, &e);
    assert_int_equal(code, 0);
    assert_facts(
        record,
        "record=case name title verdict=reproduced status reason reported remedy price=7%% "
        "mechanism rows expected measured checks tables curves seconds expected.one=1 "
        "'expected.between=0 to 1' 'expected.at least=at least 2' curves.0.series.0.points=#1");
    json_t *tables = keep(json_pack(
        "[{s:s, s:[{s:s, s:s}, {s:s, s:s}, {s:s, s:s}], s:[{s:f, s:s}, {s:i, s:i, s:b}]}]",
        "caption", "A table", "columns", "key", "x", "label", "the x", "key", "y", "label", "the y",
        "key", "z", "label", "the z = 0", "rows", "x", 0.25, "y", "a | b", "x", -1, "y", 7, "z",
        1));
    assert_true(json_equal(json_object_get(record, "tables"), tables));
}

TEST(verdicts_follow_from_checks)
{
    static const struct {
        void (*go)(const struct case_context *, struct case_result *);
        int code;
        const char *verdict, *status, *says;
    } table[] = {
        {find_something_else, EXIT_GATE, "not-reproduced", "ok", "not reproduced"},
        {find_no_number, EXIT_GATE, "not-reproduced", "ok", "not reproduced"},
        {find_nothing, EXIT_GATE, "not-reproduced", "ok", "not reproduced"},
        {leave_out, 0, "skipped", "ok", ""},
        {crash, EXIT_PARTIAL, "not-reproduced", "sigill", "died"},
        {quit, EXIT_PARTIAL, "not-reproduced", "killed", "died"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int code;
        struct error e;
        json_t *record = record_of(table[i].go, &code, &e);
        assert_int_equal(code, table[i].code);
        assert_string_equal(record_text(record, "verdict"), table[i].verdict);
        assert_string_equal(record_text(record, "status"), table[i].status);
        assert_non_null(strstr(e.text, table[i].says));
        assert_true(json_is_array(json_object_get(record, "rows")));
    }
}

TEST(long_records_arrive_whole)
{
    int code;
    struct error e;
    json_t *record = record_of(talk, &code, &e);
    const json_t *rows = json_object_get(record, "rows"), *last = json_array_get(rows, 3999);
    assert_int_equal(code, 0);
    assert_int_equal(json_array_size(rows), 4000);
    assert_int_equal(json_integer_value(json_object_get(last, "i")), 3999);
    assert_true(json_is_true(json_object_get(last, "broken")));
    assert_string_equal(record_text(last, "policy"), "fast");
}

TEST(one_crash_spoils_no_other_case_and_done_ones_stay)
{
    const struct case_study a = study("a", crash), b = study("b", find_it), c = study("c", find_it);
    const struct case_study *const list[] = {&a, &b, &c};
    json_t *done = keep(json_pack("[{s:s}]", "name", "c")), *records = keep(json_array());
    const struct cases_plan plan = {
        .cases = list, .count = 3, .context = {.effort = CASE_QUICK}, .done = done, .quiet = true};
    struct cases_summary s;
    struct error e;
    assert_int_equal(cases_run(&plan, record_sink_array(records), &s, &e), EXIT_PARTIAL);
    assert_non_null(strstr(e.text, "case: a: "));
    assert_int_equal(json_array_size(records), 2);
    assert_int_equal(s.failed, 1);
    assert_int_equal(s.reproduced, 1);
}

/* A build's figures: its place among the builds; NaN for one of them, if there is one. */
static void measure_litmus(const void *odd, const struct variant *v, void *figures)
{
    ((double *)figures)[0] = odd && !strcmp(v->policy, odd) ? NAN : 1;
}

static bool is_never_broken(const double *figures)
{
    (void)figures;
    return false;
}

static void study_litmus(const struct case_context *c, struct case_result *r, const char *odd)
{
    static const struct case_figure figures[] = {{"x", "x", false}, {0}};
    static const struct case_prediction predictions[] = {
        {"all", NULL, "!none", false, 0, LEAST, 1, 1, NEEDED},
        {"fastmath", NULL, "fastmath reassoc", false, 0, LARGEST, 1, 1, IF_BUILT},
        {"nobody", "icc", "off", false, 0, LARGEST, 7, 7, IF_BUILT},
        {0},
    };
    static const struct case_kernel kernel = {"twosum", figures, predictions, measure_litmus,
                                              is_never_broken};
    json_t *table = case_table(r, "A litmus", "cc=compiler", "isa=ISA", "x=figure", NULL);
    if (!case_kernel_study(c, r, table, &kernel, odd)) case_skip(r, "no such kernel");
}

static void find_ones(const struct case_context *c, struct case_result *r)
{
    study_litmus(c, r, NULL);
}

static void find_a_nan(const struct case_context *c, struct case_result *r)
{
    study_litmus(c, r, "off");
}

/* A figure that is no number is neither the least nor the largest of the builds', and fails. */
TEST(a_nan_of_one_build_fails_its_kernel)
{
    int code;
    struct error e;
    json_t *record = record_of(find_ones, &code, &e);
    if (!case_is_reproduced(record)) skip();
    assert_int_equal(json_array_size(json_object_get(record, "checks")), 2);
    record = record_of(find_a_nan, &code, &e);
    assert_int_equal(code, EXIT_GATE);
}

/* ---- From outside ---------------------------------------------------------------------------- */

TEST(cases_are_listed_and_mistyped_names_answered)
{
    struct error e;
    for (const struct case_study *const *c = case_studies; *c; c++) {
        assert_ptr_equal(case_find((*c)->name, &e), *c);
        assert_true(*(*c)->title && *(*c)->reported && *(*c)->mechanism && *(*c)->remedy);
    }
    struct outcome o = run("case", "list", "--json");
    json_t *document = keep(json_loads(o.out, JSON_REJECT_DUPLICATES, NULL));
    size_t count = 0;
    while (case_studies[count]) count++;
    assert_int_equal(json_array_size(json_object_get(document, "cases")), count);
    o = run("case", "run", "lane-ordr");
    assert_one_error(&o, EXIT_USAGE, "near: lane-order");
    o = run("case", "frobnicate");
    assert_one_error(&o, EXIT_USAGE, "neither list nor run");
}

/* The number of rows that a command has for kernels that only cases run. */
static size_t rows_of(const char *command, const char *rows, const char *filter)
{
    struct outcome o = run(command, "--json", "--quiet", "--filter", filter);
    json_t *document = keep(json_loads(o.out, JSON_REJECT_DUPLICATES, NULL));
    size_t count = json_array_size(json_object_get(document, rows));
    assert_int_equal(o.code, 0);
    return count;
}

TEST(study_kernels_are_listed_and_not_measured)
{
    struct outcome o = run("list", "--filter", "op=litmus algorithm=twosum isa=avx2");
    if (o.code) skip(); /* a kernel that this build lacks */
    const char *const all = "op=litmus";
    char id[200];
    snprintf(id, sizeof id, "%.*s", (int)strcspn(o.out, " "), o.out);
    assert_true(rows_of("list", "variants", all) > 0);
    assert_true(rows_of("codegen", "variants", all) > 0);
    assert_int_equal(rows_of("accuracy", "rows", all), 0);
    assert_int_equal(rows_of("diverge", "invariance", all), 0);
    o = run("eval", "--variant", id, "--in", "x.npy", "--out", "y.npy");
    assert_one_error(&o, EXIT_USAGE, "only case studies run it");
}

/* The kernel's file says `// build: isas=avx512`. */
TEST(a_kernel_can_be_built_for_one_isa)
{
    struct outcome all = run("list", "--filter", "op=litmus algorithm=maskedtail");
    struct outcome one = run("list", "--filter", "op=litmus algorithm=maskedtail isa=avx512");
    if (all.code) skip();
    assert_string_equal(all.out, one.out);
}

TEST(nothing_to_show_is_skipped_not_failed)
{
    static const char *const hidden[][2] = {
        {"lane-order", "avx512,avx2"}, {"layernorm-bf16", "avx2"}, {"bf16-flush", "avx512"}};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        json_t *record = case_run(hidden[i][0], "--hide-isa", hidden[i][1], NULL);
        assert_false(case_is_reproduced(record));
    }
}

/* ---- The results that each case must have ---------------------------------------------------- */

/* What a case finds on any machine: of the elements of a list of its record, `least` or more fulfil
 * `which`, and all of these `facts`. */
static const struct found {
    const char *name, *list;
    size_t least;
    const char *which, *facts;
} found[] = {
    {"bf16-flush", "checks", 1, "'what=of 2^32 inputs, rounded otherwise than to nearest even'",
     "measured=16711678"},

    {"default-contracts", "rows", 0, "cc~gcc std=c11", "fma=0 lanes<=0.1 plain<=0.1"},
    {"default-contracts", "rows", 0, "cc~gcc std!=c11", "fma>0 lanes>0.1 plain>0.1"},
    {"default-contracts", "rows", 0, "cc~clang", "lanes<=0.1"},
    {"default-contracts", "rows", 0, "cc~clang cc!~clang-13", "fma>0 plain>0.1"},
    {"default-contracts", "rows", 0, "cc~clang-13", "fma=0 plain<=0.1"},

    {"e8m0-ceil-log2", "checks", 1, "'what=wrong codes, log2: SLEEF, 1.0 ulp'", "measured=3654"},
    {"e8m0-ceil-log2", "checks", 1, "'what=wrong codes, log2: SLEEF, 3.5 ulp'", "measured=3654"},
    {"e8m0-ceil-log2", "checks", 1, "'what=wrong codes, exponent and mantissa bits'", "measured=0"},
    {"e8m0-ceil-log2", "checks", 1, "'what=largest difference of two GELUs, floats'",
     "measured<1e-6"},
    {"e8m0-ceil-log2", "checks", 1, "'what=codes that differ behind them'", "measured>10"},
    {"e8m0-ceil-log2", "checks", 1, "'what=largest difference of codes'", "measured>=2"},
    {"e8m0-ceil-log2", "checks", 1, "'what=largest x where codes are that far apart'",
     "measured<-5"},

    {"fma-softmax", "rows", 1, "", "mixed_f_error_1e6>0.01"},
    {"fma-softmax", "rows", 1, "broken=true", "fma>0"},
    {"fma-softmax", "rows", 0, "policy!=fastmath", "stored_f_wrong=0"},
    {"fma-softmax", "rows", 0, "policy=off",
     "broken=false product_f_error_3.3e6=0 product_inf_3.3e9=0"},
    {"fma-softmax", "rows", 0, "policy=reassoc",
     "broken=false product_f_error_3.3e6=0 product_inf_3.3e9=0"},
    {"fma-softmax", "rows", 0, "policy=fast",
     "broken=true product_f_error_3.3e6>0.12 product_f_error_3.3e6<0.14 product_inf_3.3e9>0.02 "
     "product_inf_3.3e9<0.09"},
    {"fma-softmax", "rows", 0, "policy=fastmath",
     "broken=true product_f_error_3.3e6>0.12 product_f_error_3.3e6<0.14 product_inf_3.3e9>0.02 "
     "product_inf_3.3e9<0.09"},
    {"fma-softmax", "tables", 4, "", "caption"},
    {"fma-softmax", "curves", 2, "", "title"},

    /* linspace gives code 0 to so many entries, and another code than theirs to so many */
    {"int8-table-domain", "tables.0.rows", 6, "", "clamped_wrong=0"},
    {"int8-table-domain", "tables.0.rows", 1, "'name=full range'", "zeros=1 wrong_codes=0"},
    {"int8-table-domain", "tables.0.rows", 1, "'name=reported: qmin = -127'",
     "zeros=2 wrong_codes=127 wrong=71"},
    {"int8-table-domain", "tables.0.rows", 1, "'name=one code less at the top'",
     "zeros=2 wrong_codes=126"},
    {"int8-table-domain", "tables.0.rows", 1, "'name=four bits'", "zeros=33 wrong_codes=253"},
    {"int8-table-domain", "checks", 1, "'what=lookups unlike the table, every ISA'", "measured=0"},

    {"lane-order", "rows", 1, "", "means_that_differ>=0"},
    {"lane-order", "rows", 0, "algorithm=twopass isa=avx2", "means_that_differ>0.5"},
    {"lane-order", "rows", 0, "algorithm=invariant isa=avx2", "means_that_differ=0"},

    {"link-ftz", "rows", 1, "", "before=0x1f80"},
    {"link-ftz", "rows", 0, "product=0", "after=0x9fc0 ldmxcsr>0 linked!=-shared"},
    {"link-ftz", "rows", 0, "product=0 subnormal_before>0", "subnormal_after=0"},
    {"link-ftz", "rows", 0, "product!=0", "after=0x1f80 ldmxcsr=0"},
    {"link-ftz", "rows", 0, "product!=0 subnormal_before>0", "subnormal_after>0"},

    {"masked-tail", "rows", 1, "policy=off", "split=0 broken=false"},
    {"masked-tail", "rows", 0, "policy=reassoc", "split=0 broken=false"},
    {"masked-tail", "rows", 0, "isa=scalar", "split=0 broken=false"},
    {"masked-tail", "rows", 0, "broken=true", "fma>0 mul>0"},

    {"nan-check-deleted", "rows", 1, "policy=fastmath", "broken=true found_by_expression=0"},
    {"nan-check-deleted", "rows", 1, "policy!=fastmath",
     "broken=false found_by_expression=1 found_by_intrinsics=1"},

    {"tuning-changes-bits", "rows", 0, "cc=gcc-12 tune=znver3", "fma=0 mul=2 lanes>0.1 plain>0.1"},

    {"twosum-vanishes", "rows", 0, "policy=reassoc", "broken=true compensated_u>1.5"},
    {"twosum-vanishes", "rows", 0, "policy=fastmath", "broken=true compensated_u>1.5"},
    {"twosum-vanishes", "rows", 1, "policy!=reassoc policy!=fastmath",
     "broken=false compensated_u<=1.01"},
};
enum { FOUND = sizeof found / sizeof *found };

/* -ffast-math deletes instructions, which are gone from the machine code. */
static void assert_deleted(const json_t *record, const char *instructions)
{
    const json_t *rows = json_object_get(record, "rows");
    if (!fact_count(rows, "isa=avx2 policy=off") || !fact_count(rows, "isa=avx2 policy=fastmath"))
        return;
    const json_t *strict = fact_find(rows, "isa=avx2 policy=off");
    const json_t *fast = fact_find(rows, "isa=avx2 policy=fastmath");
    assert_true(record_number(fast, instructions) < record_number(strict, instructions));
}

/* *state: the case's first line of the table. */
static void the_case_finds_it(void **state)
{
    const struct found *first = *state;
    json_t *record = case_run(first->name, "--quick", NULL);
    if (!case_is_reproduced(record)) skip();
    assert_facts(record, "price!=");
    for (const struct found *f = first; f < found + FOUND && !strcmp(f->name, first->name); f++) {
        const json_t *list = fact_at(record, f->list);
        size_t count = fact_count(list, "%s", f->which);
        if (count < f->least || fact_count(list, "%s %s", f->which, f->facts) != count)
            fail_msg("%s: %s with %s: not all of %zu have %s", f->name, f->list, f->which, count,
                     f->facts);
    }
    if (!strcmp(first->name, "twosum-vanishes")) assert_deleted(record, "additions");
    if (!strcmp(first->name, "nan-check-deleted")) assert_deleted(record, "comparisons");
}

__attribute__((constructor)) static void register_cases(void)
{
    for (size_t i = 0; i < FOUND; i++)
        if (!i || strcmp(found[i].name, found[i - 1].name))
            test_add_with(found[i].name, the_case_finds_it, &found[i]);
}
