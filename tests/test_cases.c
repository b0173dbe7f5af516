// SPDX-License-Identifier: MIT
/* Case studies: the framework, with cases made up here; then the results that each case of the
 * build must have on this kind of machine. */
#include <signal.h>
#include <unistd.h>

#include "cases/case_run.h"
#include "study/litmus.h"

#include "drive.h"

/* Runs the program with these arguments, NULL at their end. */
#define run(...)                                                                                   \
    drive(&(struct drive){.program = drive_program("ulplab"), .arguments = {__VA_ARGS__}})

static const char *text_of(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool is_broken(const json_t *row)
{
    return json_is_true(json_object_get(row, "broken"));
}

/* ---- The framework --------------------------------------------------------------------------- */

static void find_it(const struct case_context *c, struct case_result *r)
{
    static const char *const columns[] = {"x=the x", "y=the y"};
    assert_int_equal(c->effort, CASE_QUICK);
    case_check_number(r, "one", 1, 1, 1);
    case_check_number(r, "between", 0.5, 0, 1);
    case_check_number(r, "at least", 5, 2, INFINITY);
    case_check(r, "words", "yes", json_string("yes"), true);
    case_price(r, "%d%%", 7);
    json_t *rows = case_table(r, "A table", columns, 2);
    json_array_append_new(rows, json_pack("{s:f, s:s}", "x", 0.25, "y", "a | b"));
    json_t *curves = case_curves(r, &(struct case_axes){"A curve", "x", "y", true, false});
    json_t *series = case_series(curves, "line");
    case_point(series, 1, 2);
    case_point(series, 2, NAN);
    case_point(series, 3, INFINITY);
}

static void find_something_else(const struct case_context *c, struct case_result *r)
{
    (void)c;
    case_check_number(r, "holds", 1, 1, 1);
    case_check_number(r, "does not", 2, 0, 1);
    case_check_number(r, "is no number", NAN, 0, 1);
}

static void find_nothing(const struct case_context *c, struct case_result *r)
{
    (void)c;
    (void)r;
}

static void leave_out(const struct case_context *c, struct case_result *r)
{
    (void)c;
    case_check_number(r, "whatever", 2, 0, 1);
    case_skip(r, "no %s here", "lanes");
}

static void crash(const struct case_context *c, struct case_result *r)
{
    (void)c;
    case_check_number(r, "one", 1, 1, 1);
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
    case_check_number(r, "one", 1, 1, 1);
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
    const struct cases_plan plan = {
        .cases = list, .count = 1, .context = {.effort = CASE_QUICK}, .quiet = true};
    struct cases_summary summary;
    json_t *records = json_array();
    e->text[0] = '\0';
    *code = cases_run(&plan, record_sink_array(records), &summary, e);
    assert_int_equal(json_array_size(records), 1);
    json_t *record = json_incref(json_array_get(records, 0));
    json_decref(records);
    return record;
}

TEST(a_record_has_the_fields_of_the_contract)
{
    int code;
    struct error e;
    json_t *record = record_of(find_it, &code, &e);
    assert_int_equal(code, 0);
    static const char *const fields[] = {"record", "name",     "title",    "verdict", "status",
                                         "reason", "reported", "remedy",   "price",   "mechanism",
                                         "rows",   "expected", "measured", "checks",  "tables",
                                         "curves", "seconds"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!json_object_get(record, fields[i])) fail_msg("no field %s", fields[i]);
    assert_string_equal(text_of(record, "record"), "case");
    assert_string_equal(text_of(record, "verdict"), "reproduced");
    assert_string_equal(text_of(record, "price"), "7%");
    const json_t *expected = json_object_get(record, "expected");
    assert_string_equal(text_of(expected, "one"), "1");
    assert_string_equal(text_of(expected, "between"), "0 to 1");
    assert_string_equal(text_of(expected, "at least"), "at least 2");
    json_t *tables = json_pack("[{s:s, s:[{s:s, s:s}, {s:s, s:s}], s:[{s:f, s:s}]}]", "caption",
                               "A table", "columns", "key", "x", "label", "the x", "key", "y",
                               "label", "the y", "rows", "x", 0.25, "y", "a | b");
    assert_true(json_equal(json_object_get(record, "tables"), tables));
    json_decref(tables);
    json_t *curve = json_array_get(json_object_get(record, "curves"), 0);
    json_t *line = json_array_get(json_object_get(curve, "series"), 0);
    assert_int_equal(json_array_size(json_object_get(line, "points")), 1);
    json_decref(record);
}

TEST(verdicts_follow_from_checks)
{
    static const struct {
        void (*go)(const struct case_context *, struct case_result *);
        int code;
        const char *verdict, *status, *says;
    } table[] = {
        {find_something_else, EXIT_GATE, "not-reproduced", "ok", "not reproduced"},
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
        assert_string_equal(text_of(record, "verdict"), table[i].verdict);
        assert_string_equal(text_of(record, "status"), table[i].status);
        assert_non_null(strstr(e.text, table[i].says));
        assert_true(json_is_array(json_object_get(record, "rows")));
        json_decref(record);
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
    assert_string_equal(text_of(last, "policy"), "fast");
    json_decref(record);
}

TEST(one_crash_spoils_no_other_case_and_done_ones_stay)
{
    const struct case_study a = study("a", crash), b = study("b", find_it), c = study("c", find_it);
    const struct case_study *const list[] = {&a, &b, &c};
    json_t *done = json_pack("[{s:s}]", "name", "c"), *records = json_array();
    const struct cases_plan plan = {
        .cases = list, .count = 3, .context = {.effort = CASE_QUICK}, .done = done, .quiet = true};
    struct cases_summary s;
    struct error e;
    assert_int_equal(cases_run(&plan, record_sink_array(records), &s, &e), EXIT_PARTIAL);
    assert_non_null(strstr(e.text, "case: a: "));
    assert_int_equal(json_array_size(records), 2);
    assert_int_equal(s.failed, 1);
    assert_int_equal(s.reproduced, 1);
    json_decref(records);
    json_decref(done);
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
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    size_t count = 0;
    while (case_studies[count]) count++;
    assert_int_equal(json_array_size(json_object_get(document, "cases")), count);
    json_decref(document);
    drive_free(&o);
    o = run("case", "run", "lane-ordr");
    assert_one_error(&o, EXIT_USAGE, "near: lane-order");
    drive_free(&o);
    o = run("case", "frobnicate");
    assert_one_error(&o, EXIT_USAGE, "neither list nor run");
    drive_free(&o);
}

/* The number of rows that a command has for kernels that only cases run. */
static size_t rows_of(const char *command, const char *rows, const char *filter)
{
    struct outcome o = run(command, "--json", "--quiet", "--filter", filter);
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    size_t count = json_array_size(json_object_get(document, rows));
    assert_int_equal(o.code, 0);
    json_decref(document);
    drive_free(&o);
    return count;
}

TEST(study_kernels_are_listed_and_not_measured)
{
    struct outcome o = run("list", "--filter", "op=litmus algorithm=twosum isa=avx2");
    if (o.code) { /* a kernel that this build lacks */
        drive_free(&o);
        skip();
    }
    const char *const all = "op=litmus";
    char id[200];
    snprintf(id, sizeof id, "%.*s", (int)strcspn(o.out, " "), o.out);
    drive_free(&o);
    assert_true(rows_of("list", "variants", all) > 0);
    assert_true(rows_of("codegen", "variants", all) > 0);
    assert_int_equal(rows_of("accuracy", "rows", all), 0);
    assert_int_equal(rows_of("diverge", "invariance", all), 0);
    o = run("eval", "--variant", id, "--in", "x.npy", "--out", "y.npy");
    assert_one_error(&o, EXIT_USAGE, "case studies alone do");
    drive_free(&o);
}

/* The kernel's file says `// build: isas=avx512`. */
TEST(a_kernel_can_be_built_for_one_isa)
{
    struct outcome all = run("list", "--filter", "op=litmus algorithm=maskedtail");
    struct outcome one = run("list", "--filter", "op=litmus algorithm=maskedtail isa=avx512");
    if (all.code) skip();
    assert_string_equal(all.out, one.out);
    drive_free(&all);
    drive_free(&one);
}

/* ---- The results that each case must have ---------------------------------------------------- */

/* Returns the record of a case of the build at --quick; NULL if it was skipped. */
static json_t *quick(const char *name)
{
    struct outcome o = run("case", "run", name, "--quick", "--quiet", "--json");
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    json_t *record = json_array_get(json_object_get(document, "cases"), 0);
    assert_non_null(record);
    json_incref(record);
    bool skipped = !strcmp(text_of(record, "verdict"), "skipped");
    if (o.code) {
        char *checks = json_dumps(json_object_get(record, "checks"), JSON_INDENT(1));
        fail_msg("%s: exit %d: %s%s", name, o.code, o.err, checks);
    }
    drive_free(&o);
    json_decref(document);
    if (!skipped) return record;
    print_message("%s: skipped: %s\n", name, text_of(record, "reason"));
    json_decref(record);
    return NULL;
}

/* Returns the row with these strings ("isa", "avx2", .., NULL), or NULL. */
static const json_t *row_with(const json_t *rows, const char *const *pairs)
{
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        bool all = true;
        for (size_t k = 0; pairs[k]; k += 2)
            all = all && !strcmp(text_of(row, pairs[k]), pairs[k + 1]);
        if (all) return row;
    }
    return NULL;
}
#define ROW(record, ...)                                                                           \
    row_with(json_object_get(record, "rows"), (const char *const[]){__VA_ARGS__, NULL})

TEST(lane_order)
{
    json_t *record = quick("lane-order");
    if (!record) skip();
    const json_t *two = ROW(record, "algorithm", "twopass", "isa", "avx2", "policy", "off");
    const json_t *one = ROW(record, "algorithm", "invariant", "isa", "avx2", "policy", "off");
    if (two) assert_true(json_number_value(json_object_get(two, "means_that_differ")) > 0.5);
    if (one) assert_true(json_number_value(json_object_get(one, "means_that_differ")) == 0);
    assert_true(two || one);
    json_decref(record);
}

TEST(fma_softmax)
{
    json_t *record = quick("fma-softmax");
    if (!record) skip();
    size_t i, broken = 0;
    const json_t *row;
    json_array_foreach(json_object_get(record, "rows"), i, row)
    {
        const char *policy = text_of(row, "policy");
        double f_error = number_of(row, "product_f_error_3.3e6");
        double inf = number_of(row, "product_inf_3.3e9");
        broken += is_broken(row);
        if (strcmp(policy, "fastmath") != 0) assert_true(number_of(row, "stored_f_wrong") == 0);
        assert_true(number_of(row, "mixed_f_error_1e6") > 0.01);
        if (!strcmp(policy, "off") || !strcmp(policy, "reassoc")) {
            assert_false(is_broken(row));
            assert_true(f_error == 0 && inf == 0);
        }
        if (strcmp(policy, "fast") != 0 && strcmp(policy, "fastmath") != 0) continue;
        assert_true(is_broken(row));
        assert_true(f_error > 0.12 && f_error < 0.14);
        assert_true(inf > 0.02 && inf < 0.09);
    }
    assert_true(broken > 0);
    assert_int_equal(json_array_size(json_object_get(record, "tables")), 4);
    assert_int_equal(json_array_size(json_object_get(record, "curves")), 2);
    json_decref(record);
}

/* Calls `judge` with every row of a case and its policy. */
static void each_row(const json_t *record, void (*judge)(const json_t *row, const char *policy))
{
    size_t i;
    const json_t *row, *rows = json_object_get(record, "rows");
    assert_true(json_array_size(rows) > 0);
    json_array_foreach(rows, i, row) judge(row, text_of(row, "policy"));
}

static void judge_twosum(const json_t *row, const char *policy)
{
    bool regroups = !strcmp(policy, "reassoc") || !strcmp(policy, "fastmath");
    assert_int_equal(is_broken(row), regroups);
    if (regroups)
        assert_true(number_of(row, "compensated_u") > 1.5);
    else
        assert_true(number_of(row, "compensated_u") <= 1.01);
}

TEST(twosum_vanishes)
{
    json_t *record = quick("twosum-vanishes");
    if (!record) skip();
    each_row(record, judge_twosum);
    const json_t *strict = ROW(record, "isa", "avx2", "policy", "off");
    const json_t *fast = ROW(record, "isa", "avx2", "policy", "fastmath");
    if (strict && fast) /* the additions are gone from the machine code, too */
        assert_true(number_of(fast, "additions") < number_of(strict, "additions"));
    json_decref(record);
}

static void judge_nan(const json_t *row, const char *policy)
{
    bool fastmath = !strcmp(policy, "fastmath");
    assert_int_equal(is_broken(row), fastmath);
    assert_true(number_of(row, "found_by_expression") == (fastmath ? 0 : 1));
    if (!fastmath) assert_true(number_of(row, "found_by_intrinsics") == 1);
}

TEST(nan_check_deleted)
{
    json_t *record = quick("nan-check-deleted");
    if (!record) skip();
    each_row(record, judge_nan);
    const json_t *strict = ROW(record, "isa", "avx2", "policy", "off");
    const json_t *fast = ROW(record, "isa", "avx2", "policy", "fastmath");
    if (strict && fast)
        assert_true(number_of(fast, "comparisons") < number_of(strict, "comparisons"));
    json_decref(record);
}

static void judge_tail(const json_t *row, const char *policy)
{
    bool strict = !strcmp(policy, "off") || !strcmp(policy, "reassoc");
    if (strict || !strcmp(text_of(row, "isa"), "scalar"))
        assert_true(number_of(row, "split") == 0 && !is_broken(row));
    if (is_broken(row)) assert_true(number_of(row, "fma") > 0 && number_of(row, "mul") > 0);
}

TEST(masked_tail)
{
    json_t *record = quick("masked-tail");
    if (!record) skip();
    each_row(record, judge_tail);
    json_decref(record);
}

static void judge_linked(const json_t *row, const char *policy)
{
    bool flushes = !strcmp(text_of(row, "product"), "0");
    (void)policy;
    assert_string_equal(text_of(row, "before"), "0x1f80");
    assert_string_equal(text_of(row, "after"), flushes ? "0x9fc0" : "0x1f80");
    assert_int_equal(number_of(row, "ldmxcsr") > 0, flushes);
    if (number_of(row, "subnormal_before") > 0)
        assert_int_equal(number_of(row, "subnormal_after") == 0, flushes);
    if (!strcmp(text_of(row, "linked"), "-shared")) assert_false(flushes);
}

TEST(link_ftz)
{
    json_t *record = quick("link-ftz");
    if (!record) skip();
    each_row(record, judge_linked);
    json_decref(record);
}

TEST(default_contracts)
{
    json_t *record = quick("default-contracts");
    if (!record) skip();
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(record, "rows"), i, row)
    {
        const char *cc = text_of(row, "cc");
        bool gcc = strstr(cc, "gcc"), c11 = !strcmp(text_of(row, "std"), "c11");
        bool fuses = gcc ? !c11 : default_fuses_expressions(cc);
        assert_int_equal(number_of(row, "fma") > 0, fuses);
        assert_int_equal(number_of(row, "lanes") > 0.1, gcc && !c11);
        assert_int_equal(number_of(row, "plain") > 0.1, fuses);
    }
    json_decref(record);
}

TEST(tuning_changes_bits)
{
    json_t *record = quick("tuning-changes-bits");
    if (!record) skip();
    const json_t *tuned = ROW(record, "cc", "gcc-12", "tune", "znver3");
    if (tuned) {
        assert_true(number_of(tuned, "fma") == 0 && number_of(tuned, "mul") == 2);
        assert_true(number_of(tuned, "lanes") > 0.1 && number_of(tuned, "plain") > 0.1);
    }
    json_decref(record);
}

TEST(nothing_to_show_is_skipped_not_failed)
{
    struct outcome o = run("case", "run", "lane-order", "--json", "--hide-isa", "avx512,avx2");
    assert_int_equal(o.code, 0);
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    const json_t *record = json_array_get(json_object_get(document, "cases"), 0);
    assert_string_equal(text_of(record, "verdict"), "skipped");
    assert_true(*text_of(record, "reason"));
    json_decref(document);
    drive_free(&o);
}
