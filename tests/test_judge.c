// SPDX-License-Identifier: MIT
/* What `ulplab try` concludes from facts that are known: functions that are right, each with one
 * fault, by heading, advice, document, exit code and words. */
#include <jansson.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/lab_db.h"
#include "model/record.h"
#include "publish/db/functions.h"
#include "publish/sections/sections.h"
#include "publish/sql/judge.h"

#include "drive.h"
#include "facts.h"

/* ---- Facts ----------------------------------------------------------------------------------- */

/* The builds: the unflagged one, the user's own, and two under flags that give something up. */
enum { OFF, OWN, REASSOC, FASTMATH, BUILDS, PLAIN = BUILDS };
static const struct {
    const char *policy, *flags;
    double ns;
} builds[BUILDS + 1] = {{"off", "gcc-12 -O3 -ffp-contract=off", 4},
                        {"default", "gcc-12 -O3", 4},
                        {"reassoc", "gcc-12 -O3 -fassociative-math -fno-signed-zeros", 2},
                        {"fastmath", "gcc-12 -O3 -ffast-math", 1},
                        {"plain", NULL, 6}};
enum { FAMILIES = 3 };
static const char *const families[FAMILIES] = {"normal", "wide", "special"};

/* The builds that a change is of. */
static const struct {
    const char *name;
    unsigned builds; /* a mask */
} groups[] = {{"all", (1 << BUILDS) - 1},
              {"others", (1 << BUILDS) - 1 - (1 << OFF)},
              {"unflagged", 1 << OFF | 1 << OWN},
              {"flagged", 1 << REASSOC | 1 << FASTMATH},
              {"own", 1 << OWN},
              {"fastmath", 1 << FASTMATH}};

static const char *dtype = "f32"; /* of the builds */

static json_t *text_id(size_t build)
{
    return json_sprintf("f/%s/dtype=%s/isa=avx2/cc=gcc-12/policy=%s",
                        build == PLAIN ? "plain" : "mine", dtype, builds[build].policy);
}

static void set(json_t *row, const char *field, double value)
{
    const char *dot = strchr(field, '.');
    if (dot) {
        char outer[40];
        snprintf(outer, sizeof outer, "%.*s", (int)(dot - field), field);
        set(json_object_get(row, outer), dot + 1, value);
    } else if (!strcmp(field, "status")) {
        json_object_set_new(row, "status", json_string("sigsegv"));
        json_object_set_new(row, "bits", json_null());
    } else if (value != value) {
        json_object_set_new(row, field, json_null());
    } else {
        json_object_set_new(row, field,
                            value == (double)(long)value ? json_integer((long)value)
                                                         : json_real(value));
    }
}

/* An error of 2 with a mean of 0.5; a row is wrong where a change says so. */
static json_t *accuracy_of(size_t build, size_t family, bool near_zero)
{
    return json_pack(
        "{s:o, s:s, s:i, s:s, s:b, s:i, s:i, s:i, s:i, s:i, s:{s:i, s:i, s:i, s:i, s:i}, s:f, s:f,"
        " s:f, s:f, s:f, s:s, s:s, s:{s:o, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f}, s:n}",
        "id", text_id(build), "family", families[family], "n", 64, "status", "ok", "near_zero",
        near_zero, "elements", 1000, "compared", 900, "lost", 0, "wrong", 0, "answered", 0,
        "counts", "nan", 0, "inf", 0, "sign", 0, "zero", 0, "flushed", 0, "error", 2.0,
        "mean_error", 0.5, "max_ulp", 2.0, "mean_ulp", 0.5, "scaled_error", 2.0, "bits",
        builds[build].policy, "numbers", "same", "beside", "id", text_id(OFF), "wrong", 0, "nan", 0,
        "inf", 0, "zero", 0, "error", 2.0, "of_base", 2.0, "mean", 0.5, "mean_of_base", 0.5,
        "max_at");
}

static json_t *bench_of(size_t build)
{
    return json_pack("{s:o, s:s, s:i, s:i, s:f, s:f, s:f, s:n, s:n, s:s, s:[]}", "variant",
                     text_id(build), "status", "ok", "rows", 32, "n", 2048, "ns_per_element",
                     builds[build].ns, "ci_low", 8000.0, "ci_high", 8200.0, "percent_of_limit",
                     "limit", "residency", "L2", "flags");
}

/* Every fp32 input, in two powers of two and NaN. */
static json_t *scan_record(void)
{
    return json_pack("{s:s, s:I, s:s, s:f, s:s, s:i, s:n, s:{s:i, s:i, s:i, s:i, s:i},"
                     " s:{s:[sss], s:[f, f, n], s:[s, s, n], s:[f, f, n], s:[i, i, i]}}",
                     "range", "all", "evaluated", (json_int_t)1 << 32, "status", "ok", "max_ulp",
                     0.75, "at", "0x1p+0", "lost", 0, "lost_at", "counts", "nan", 0, "inf", 0,
                     "sign", 0, "zero", 0, "flushed", 0, "binades", "from", "0x1p+0", "0x1p+1",
                     "inf", "max_ulp", 0.75, 0.75, "at", "0x1p+0", "0x1.8p+1", "mean_ulp", 0.25,
                     0.25, "lost", 0, 0, 0);
}

/* Changes a figure of the scan; of binades the last number's. */
static void change_scan(json_t *scan, const char *field, double value)
{
    if (strncmp(field, "binades.", 8) != 0) {
        set(scan, field, value);
        return;
    }
    json_t *column = json_object_get(json_object_get(scan, "binades"), field + 8);
    const bool nan = !strcmp(field, "binades.lost");
    json_array_set_new(column, nan ? 2 : 1, nan ? json_integer((long)value) : json_real(value));
}

static bool is_of(const json_t *row, size_t group, const char *key)
{
    bool is = false;
    for (size_t b = 0; b < BUILDS && !is; b++) {
        json_t *id = text_id(b);
        is = groups[group].builds >> b & 1 && !strcmp(record_text(row, key), json_string_value(id));
        json_decref(id);
    }
    return is;
}

/* Leaves a group of builds unbuilt, the user's own: nothing is found of them. */
static void unbuild(const json_t *document, size_t group)
{
    static const char *const kinds[][2] = {{"accuracy", "id"}, {"bench", "variant"}};
    json_t *row;
    size_t i;
    json_array_foreach(json_object_get(document, "builds"), i, row)
    {
        if (!is_of(row, group, "id")) continue;
        json_object_set_new(row, "yours", json_true());
        json_object_set_new(row, "status", json_string("unbuilt"));
        json_object_set_new(row, "reason",
                            json_string("too wide; write a line into it: // build:"));
    }
    for (size_t k = 0; k < 2; k++) {
        json_t *rows = json_object_get(json_object_get(document, "facts"), kinds[k][0]);
        for (i = json_array_size(rows); i-- > 0;)
            if (is_of(json_array_get(rows, i), group, kinds[k][1])) json_array_remove(rows, i);
    }
}

/* Changes a field of the rows of a group of builds: of a family ("*": of each), of times (bench),
 * of their code; or of the scan; or builds none of them (list). */
static void change(const json_t *document, const char *group, const char *family, const char *field,
                   double value)
{
    const json_t *facts = json_object_get(document, "facts");
    const bool bench = !strcmp(family, "bench"), code = !strcmp(family, "code");
    const json_t *rows = code ? json_object_get(document, "builds")
                              : json_object_get(facts, bench ? "bench" : "accuracy");
    json_t *row;
    size_t i, g = 0;
    while (strcmp(groups[g].name, group) != 0) assert_true(++g < sizeof groups / sizeof *groups);
    if (!strcmp(family, "scan"))
        change_scan(json_object_get(facts, "scan"), field, value);
    else if (!strcmp(family, "list"))
        unbuild(document, g);
    else
        json_array_foreach(rows, i, row)
        {
            const bool there = bench || code || !strcmp(family, "*") ||
                               !strcmp(family, record_text(row, "family"));
            if (there && is_of(row, g, bench ? "variant" : "id")) set(row, field, value);
        }
}

/* Makes changes, "GROUP FAMILY FIELD=VALUE; ..". */
static void change_all(const json_t *document, const char *changes)
{
    char group[16], family[16], field[40];
    double value;
    int length = 0;
    for (; *changes; changes += length + (changes[length] == ';')) {
        const int read =
            sscanf(changes, " %15s %15s %39[^=]=%lf%n", group, family, field, &value, &length);
        if (read != 4) fail_msg("not a change: %s", changes);
        change(document, group, family, field, value);
    }
}

enum kind { UNARY, ROW, SUM }; /* exp, softmax or layernorm, a sum of one's own */

static json_t *document_of(enum kind kind, bool timed)
{
    json_t *listed = json_array(), *accuracy = json_array(), *bench = json_array();
    for (size_t b = 0; b <= BUILDS - (kind == SUM); b++) {
        if (b < BUILDS)
            json_array_append_new(listed,
                                  json_pack("{s:o, s:s, s:s, s:b, s:s, s:s, s:s, s:i, s:b}", "id",
                                            text_id(b), "cc", "gcc-12", "policy", builds[b].policy,
                                            "yours", 0, "status", "ok", "reason", "", "flags",
                                            builds[b].flags, "subtractions", 12, "rounds", 1));
        for (size_t f = 0; f < FAMILIES; f++)
            json_array_append_new(accuracy, accuracy_of(b, f, kind == SUM));
        if (timed) json_array_append_new(bench, bench_of(b));
    }
    json_t *id = text_id(OFF);
    json_t *facts = json_pack("{s:b, s:[], s:O, s:o, s:o, s:[], s:o?}", "unary", kind == UNARY,
                              "allow", "base", id, "accuracy", accuracy, "bench", bench,
                              "invariance", "scan", kind == UNARY ? scan_record() : NULL);
    json_decref(id);
    return json_pack(
        "{s:{s:s, s:s, s:s, s:s, s:b, s:s?}, s:O?, s:s, s:[], s:o, s:[{s:o, s:s, s:s, s:s}], s:{},"
        " s:o, s:f, s:f}",
        "subject", "function", "f", "call", "f(x)", "op", "f", "isa", "avx2", "op_guessed", 0,
        "reference", kind == SUM ? "r.c" : NULL, "scan", json_object_get(facts, "scan"),
        "main_shape", "32x2048", "unanswered", "builds", listed, "others", "id", text_id(PLAIN),
        "algorithm", "plain", "arithmetic", "plain", "kind", "plain", "copy", "facts", facts,
        "seconds", 1.0, "build_seconds", 1.0);
}

/* ---- What is concluded ----------------------------------------------------------------------- */

static char *words_of(const json_t *document)
{
    struct lab_db l;
    struct error e;
    char *text = NULL, *json = json_dumps(document, JSON_COMPACT);
    size_t size;
    const struct doc d = {.out = memory_text(&text, &size)};
    assert_int_equal(lab_connect(&l, ":memory:", LAB_WRITE, &e), 0);
    db_functions_add(&l);
    assert_int_equal(lab_run(&l, &e,
                             "CREATE TABLE given(document TEXT); INSERT INTO given VALUES(?)", "t",
                             json),
                     0);
    query_write(&d, &l, sql_section_trial);
    lab_close(&l);
    memory_text_close(d.out);
    free(json);
    return text;
}

/* Judges a trial; returns what is said of it, in which no sentence has a hole. */
static char *judged(const char *name, json_t *document)
{
    static const char *const holes[] = {"Not known", "()", ":  ",  "  times", "  u",
                                        "  ulp",     " ,", "in ;", ": :"};
    struct error e;
    if (judge_trial("verdict", document, &e)) fail_msg("%s: %s", name, e.text);
    char *text = words_of(document);
    for (size_t i = 0; i < sizeof holes / sizeof *holes; i++)
        if (strstr(text, holes[i])) fail_msg("%s: '%s' in %s", name, holes[i], text);
    return text;
}

static const json_t *row_of(const json_t *document, int build)
{
    return json_array_get(json_object_get(document, "builds"), (size_t)build);
}

/* Judges a trial, and asserts its heading, what it advises (NULL: nothing) and what it says. */
static void assert_answer(const char *name, json_t *document, const char *heading,
                          const char *advice, int advised, bool partial, const char *says)
{
    char *text = judged(name, document);
    const bool falls = strncmp(heading, "Right", 5) != 0;
    assert_facts(document, "'verdict.heading=%s' verdict.falls=%s verdict.partial=%s", heading,
                 falls ? "true" : "false", partial ? "true" : "false");
    assert_facts(document, "'verdict.advice=%s' advised=%s", advice ? advice : "null",
                 advised < 0 ? "null" : record_text(row_of(document, advised), "id"));
    if (!strstr(text, heading) || !strstr(text, says) || (falls && strstr(text, "Ship")))
        fail_msg("%s: %s", name, text);
    free(text);
}

static const struct {
    const char *name;
    enum kind kind;
    const char *heading, *advice; /* NULL: none */
    int advised;                  /* a build; -1: none */
    const char *says;             /* a part of the text */
    const char *changes;          /* "BUILDS FAMILY FIELD=VALUE; .." */
} cases[] = {
    {"right exp", UNARY, "Right", "Ship", REASSOC, "Every fp32 input", ""},
    {"right sum", SUM, "Right", "Ship", REASSOC, "u is 2^-24 of the result", ""},

    /* A scan knows better than the grid. */
    {"exp, NaN at one input", UNARY, "Wrong on some inputs", NULL, -1, "1 lost",
     "all scan lost=1; all scan counts.nan=1"},
    {"exp, 1,435 ulp at one input", UNARY, "Wrong on some inputs", NULL, -1,
     "far beyond all near it", "all scan max_ulp=1435; all scan binades.max_ulp=1435"},
    {"exp, far off on a power of two", UNARY, "Wrong on some inputs", NULL, -1, "at most 9000 ulp",
     "all scan max_ulp=9000; all scan binades.max_ulp=9000; all scan binades.mean_ulp=900"},
    {"exp, a wrong zero", UNARY, "Wrong on some inputs", NULL, -1, "1 zeros for normal numbers",
     "all scan counts.zero=1"},
    {"sin, +0 at -0", UNARY, "Wrong on some inputs", NULL, -1, "1 of wrong sign",
     "all scan counts.sign=1"},
    {"an early return where pointers repeat", UNARY, "Wrong", NULL, -1, "4,187,246,594 lost",
     "all scan lost=4187246594"},
    {"results flushed", UNARY, "Right but for subnormal results", "Ship", REASSOC,
     "where subnormal results may be zero", "all scan counts.flushed=121263"},
    {"NaN answered by the scan", UNARY, "Right but for NaN among its inputs", "Ship", REASSOC,
     "--ref", "all scan lost=8388607; all scan binades.lost=8388607"},
    {"some NaN answered: bf16 by adding 0x7fff", UNARY, "Wrong on some inputs", NULL, -1,
     "65,536 lost", "all scan lost=65536; all scan binades.lost=65536"},

    /* The grid. */
    {"softmax, NaN at one input", ROW, "Wrong on some inputs", "Least bad", REASSOC,
     "1 of 3,000 results", "all normal wrong=1; all normal lost=1"},
    {"layernorm, a wrong number alone", ROW, "Wrong on some inputs", "Least bad", REASSOC,
     "1 of 3,000 results", "all wide wrong=1; all wide counts.zero=1"},
    {"layernorm, 1,435 u at one input", ROW, "Wrong on some inputs", "Least bad", REASSOC,
     "1.4e+03", "all wide error=1435; all wide beside.error=1435; all wide beside.of_base=1435"},
    {"softmax, wrong on most", ROW, "Wrong", NULL, -1, "", "all * wrong=600"},
    {"softmax, one family only", ROW, "Wrong on some inputs", "Least bad", REASSOC, "",
     "all wide error=9e5; all wide mean_error=4e5"},
    {"softmax, flushed", ROW, "Right but for subnormal results", "Ship", REASSOC, "3,000 of them",
     "all * counts.flushed=1000"},
    {"softmax that masks NaN", ROW, "Right but for NaN among its inputs", "Ship", REASSOC, "--ref",
     "unflagged special wrong=300; unflagged special answered=300; unflagged special lost=300"},
    {"nothing to compare", ROW, "Nothing to compare", NULL, -1, "no finite, nonzero",
     "all * compared=0"},
    {"NaN where numbers are right", ROW, "Wrong", NULL, -1, "of its 3,000 results",
     "all * compared=0; all * wrong=1000; all * lost=1000; all * error=nan; all * mean_error=nan"},
    {"not built", ROW, "Not built", "Right instead", REASSOC, "too wide.", "own list status=0"},
    {"a crash of one build", ROW, "Right", "Ship", REASSOC, "sigsegv", "own * status=0"},
    {"a crash", ROW, "Wrong", NULL, -1, "sigsegv", "all wide status=0"},

    /* Flags beside the unflagged build. */
    {"softmax, a deleted check", ROW, "Right but for NaN among its inputs", "Ship", OWN,
     "300 results change between a number and NaN",
     "unflagged special wrong=300; unflagged special answered=300; flagged special beside.nan=300"},
    {"a sum, its compensation deleted", SUM, "Right", "Ship", OWN, "removed all subtractions",
     "flagged normal error=5; flagged normal beside.error=5; flagged code subtractions=0"},
    {"exp, its rounding constant deleted", ROW, "Right", "Ship", OWN,
     "removed the constant that rounds",
     "flagged normal error=5; flagged normal beside.error=5; flagged code rounds=0"},
    {"a sum that errs, its subtractions being there", SUM, "Right", "Ship", OWN,
     "from 2 to 5 u on family normal; it gives up",
     "flagged normal error=5; flagged normal beside.error=5"},
    {"a constant that is gone where regrouping alone does no harm", SUM, "Right", "Ship", REASSOC,
     "from 2 to 5 u on family normal; it gives up",
     "fastmath normal error=5; fastmath normal beside.error=5; fastmath code rounds=0"},
    {"a check that the user's own flags delete", ROW, "Right", "Ship", REASSOC,
     "The flags of its own build do harm", "own special beside.nan=300"},
    {"a growth within the rule", SUM, "Right", "Ship", REASSOC, "",
     "flagged normal error=3.5; flagged normal beside.error=3.5"},
    {"the mean alone", SUM, "Right", "Ship", OWN, "the mean error grows from 0.5 to 1.3 u",
     "flagged wide mean_error=1.3"},
    {"a rounding constant where all are wrong on one family", ROW, "Wrong on some inputs", NULL, -1,
     "grows from 2 to 4.65e+06", "all wide error=6e46; flagged normal error=4.65e6"},
    {"what is accurate without flags", ROW, "Wrong on some inputs", NULL, -1,
     "accurate without the flags", "all wide error=6e46; flagged wide beside.error=500"},
    {"which results are lost, not how many", ROW, "Wrong on some inputs", NULL, -1,
     "7 results are wrong that are right without",
     "all special wrong=7; flagged special beside.wrong=7"},

    /* Least bad is faster, and in nothing worse: whatever a refused build does. */
    {"all lose the same, fastmath fewer", ROW, "Wrong on some inputs", "Least bad", REASSOC,
     "2.00 times",
     "all special wrong=180; all special lost=180; fastmath special wrong=5; fastmath special "
     "beside.wrong=5"},
    {"slower", ROW, "Wrong on some inputs", NULL, -1, "None of these",
     "all special wrong=180; flagged bench ns_per_element=4.1"},
    {"worse", ROW, "Wrong on some inputs", NULL, -1, "None of these",
     "all special wrong=180; flagged normal error=2.5"},
    {"wrong by the user's own flags", ROW, "Wrong on some inputs", "Right instead", OFF, "",
     "others special wrong=180; others special beside.wrong=180"},
};

/* Puts experiments to the builds of a group: of each a name, a status, an error, wrong results. */
static void put_experiment(const json_t *document, unsigned mask, const char *name,
                           const char *status, double error, int wrong)
{
    for (int b = 0; b < BUILDS; b++)
        if (mask >> b & 1)
            json_object_set_new((json_t *)(uintptr_t)row_of(document, b), "experiments",
                                json_pack("[{s:s, s:s, s:f, s:i, s:i}]", "name", name, "status",
                                          status, "error", error, "wrong", wrong, "worst_n", 1021));
}

/* What experiments find is judged by the errors of family normal, whose largest is 2 and whose mean
 * is 0.5: up to 16 + 16 is a difference that is told. A question that was not answered is no yes,
 * and takes nothing back. */
TEST(experiments_and_questions_change_the_answer)
{
    static const struct {
        const char *name, *status;
        double error;
        int wrong;
        unsigned of; /* the builds that it is of */
        bool unanswered;
        const char *heading, *says, *advice;
        int advised;
    } found[] = {
        {"tail", "ok", 31, 0, 1 << OWN, false, "Right", "Ship", "Ship", REASSOC},
        {"tail", "ok", 33, 0, 1 << OWN, false, "Wrong on some inputs",
         "33 ulp, at n = 1021 (experiment tail)", "Right instead", REASSOC},
        {"tail", "ok", 33, 0, 1 << OWN | 1 << REASSOC, false, "Wrong on some inputs", "33 ulp",
         "Right instead", OFF},
        {"tail", "ok", 33, 0, 1 << REASSOC, false, "Right", "Ship", "Ship", OWN},
        {"batch", "ok", 2, 3, 1 << OWN, false, "Wrong on some inputs",
         "3 results are wrong, at n = 1021 (experiment batch)", "Right instead", REASSOC},
        {"run", "sigsegv", 0, 0, 1 << OWN, false, "Wrong on some inputs",
         "sigsegv, at n = 1021 (experiment run)", "Right instead", REASSOC},
        {"in_place", "sigsegv", 0, 0, 1 << OWN, false, "Right", "in_place`: sigsegv", "Ship",
         REASSOC},
        {"empty", "timeout", 0, 0, 1 << OWN, false, "Right", "empty`: timeout", "Ship", REASSOC},
        {"run", "ok", 0, 0, 0, true, "Right as far as it was measured", "Not answered: bench.",
         "Ship", REASSOC},
        {"run", "ok", 99, 0, 1 << OWN, true, "Wrong on some inputs", "Not answered: bench.",
         "Right instead", REASSOC},
    };
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        json_t *document = document_of(ROW, true);
        put_experiment(document, found[i].of, found[i].name, found[i].status, found[i].error,
                       found[i].wrong);
        if (found[i].unanswered)
            json_array_append_new(json_object_get(document, "unanswered"), json_string("bench"));
        const bool falls = !strncmp(found[i].heading, "Wrong", 5);
        assert_answer(found[i].name, document, found[i].heading, found[i].advice, found[i].advised,
                      found[i].unanswered && !falls, found[i].says);
        json_decref(document);
    }
}

/* Where the reference crashed, in whose place the kernel stands, nothing is compared. */
TEST(a_reference_that_crashes)
{
    json_t *document = document_of(SUM, true), *row;
    size_t i;
    change_all(document, "all * status=0");
    json_array_foreach(json_object_get(json_object_get(document, "facts"), "accuracy"), i, row)
        json_object_set_new(row, "reason",
                            json_string("the reference of 'f' in r.c ended so, not the kernel"));
    char *text = judged("a reference that crashes", document);
    assert_facts(document, "'verdict.heading=Nothing to compare'");
    assert_non_null(strstr(text, "r.c ended so, not the kernel"));
    assert_null(strstr(text, "memory"));
    free(text);
    json_decref(document);
}

TEST(faults_change_the_answer)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *document = document_of(cases[i].kind, true);
        change_all(document, cases[i].changes);
        assert_answer(cases[i].name, document, cases[i].heading, cases[i].advice, cases[i].advised,
                      false, cases[i].says);
        json_decref(document);
    }
}

/* The cause of a fault is what its probes leave: a row elsewhere ends well, or with room behind it,
 * or the input was another afterwards. A fault at a length that they lack has none. */
TEST(a_fault_has_its_cause)
{
    static const struct {
        const char *aligned, *padded, *both, *lengths, *says;
        int n; /* where it ended, on family normal; 0: on family wide */
    } probed[] = {
        {"ok", "sigsegv", "ok", "ok", "with rows at multiples of 64 bytes it does not", 7},
        {"sigsegv", "ok", "ok", "ok", "with 64 more elements behind each", 7},
        /* Rows that are read beyond their end lie in such room, too. */
        {"ok", "ok", "ok", "ok", "with 64 more elements behind each", 7},
        {"ok", "ok", "ok", "ok", "for some lengths or inputs only", 17},
        {"ok", "ok", "ok", "ok", "for some lengths or inputs only", 0},
        {"sigsegv", "sigsegv", "ok", "ok", "guarantee both, add --aligned 64", 7},
        {"sigsegv", "sigsegv", "sigsegv", "ok", "only works for lengths", 7},
        {"sigsegv", "sigsegv", "sigsegv", "sigsegv", "far from its rows", 7},
        {"sigbus", "sigbus", "sigbus", "sigbus", "it writes into its input", 7},
        {"sigfpe", "ok", "sigfpe", "sigfpe", "before the beginning of a row", 7},
    };
    for (size_t i = 0; i < sizeof probed / sizeof *probed; i++) {
        json_t *document = document_of(ROW, true);
        change_all(document, probed[i].n ? "all normal status=0" : "all wide status=0");
        json_t *rows = json_object_get(json_object_get(document, "facts"), "accuracy"), *row;
        size_t k;
        json_array_foreach(rows, k, row)
            json_object_set_new(row, "n", json_integer(probed[i].n ? probed[i].n : 7));
        json_object_set_new(document, "probes",
                            json_pack("{s:s, s:s, s:s, s:s}", "aligned", probed[i].aligned,
                                      "padded", probed[i].padded, "both", probed[i].both, "lengths",
                                      probed[i].lengths));
        char *text = judged(probed[i].says, document);
        if (!strstr(text, probed[i].says)) fail_msg("%s: %s", probed[i].says, text);
        free(text);
        json_decref(document);
    }
}

/* Without times nothing is advised, and what may be is named. */
TEST(without_times)
{
    json_t *document = document_of(ROW, false);
    change_all(document, "flagged normal beside.nan=3");
    char *text = judged("without times", document);
    assert_facts(document, "advised=null");
    assert_non_null(strstr(text, "gcc-12 reassoc, gcc-12 fastmath: 3 results change"));
    assert_non_null(strstr(text, "gcc-12 off, gcc-12 default, which do no harm"));
    free(text);
    json_decref(document);
}

/* In double half of the digits are 2^26 ulp; a scan says how many of 2^64 inputs it tried. */
TEST(in_double)
{
    static const struct {
        const char *changes, *heading, *says;
    } doubles[] = {
        {"", "Right", "9,000,000 of 2^64 inputs"},
        {"all scan largest_ulp=60000000", "Right", "the largest error found is 6e+07 ulp"},
        {"all scan largest_ulp=70000000", "Wrong on some inputs", "7e+07 ulp"},
        {"all normal error=60000000", "Right", "6e+07"},
        {"all normal error=70000000", "Wrong on some inputs", "7e+07"},
        {"all scan lost=9; all scan nans.answered=9", "Right but for NaN among its inputs",
         "--ref"},
        {"all scan lost=8; all scan nans.answered=8", "Wrong on some inputs", "8 lost"},
    };
    dtype = "f64";
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
        json_t *document = document_of(UNARY, true);
        json_object_set_new(
            json_object_get(document, "facts"), "scan",
            json_pack("{s:s, s:I, s:s, s:f, s:s, s:i, s:n, s:{s:i, s:i}, s:{s:i, s:i, s:i}}",
                      "range", "f64", "tried", (json_int_t)9000000, "status", "ok", "largest_ulp",
                      0.75, "at", "0x1p+0", "lost", 0, "lost_at", "nans", "tried", 9, "answered", 0,
                      "counts", "sign", 0, "zero", 0, "flushed", 0));
        json_object_set(document, "scan",
                        json_object_get(json_object_get(document, "facts"), "scan"));
        change_all(document, doubles[i].changes);
        char *text = judged(doubles[i].says, document);
        assert_facts(document, "'verdict.heading=%s'", doubles[i].heading);
        if (!strstr(text, doubles[i].says)) fail_msg("no '%s' in %s", doubles[i].says, text);
        free(text);
        json_decref(document);
    }
    dtype = "f32";
}

/* A build whose flags give up NaN is the user's own, or has to be allowed. */
TEST(what_flags_give_up_is_allowed_or_refused)
{
    static const struct {
        const char *allow; /* a word of --allow; NULL: none */
        bool yours;        /* the flags are the user's own */
        const char *refused;
    } asked[] = {{NULL, false, "lost"}, {"lost", false, ""}, {NULL, true, ""}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct error e = {.text = ""};
        json_t *document = document_of(ROW, true);
        json_object_set_new(json_object_get(document, "facts"), "allow",
                            json_pack("[s*]", asked[i].allow));
        json_object_set_new((json_t *)(uintptr_t)row_of(document, FASTMATH), "yours",
                            json_boolean(asked[i].yours));
        if (judge_trial("verdict", document, &e)) fail_msg("%s", e.text);
        /* Who is not refused has no such field. */
        assert_facts(row_of(document, FASTMATH),
                     "%s%s 'gives_up=NaN and infinities, the order of "
                     "additions, the sign of a zero'",
                     *asked[i].refused ? "refused=" : "!refused", asked[i].refused);
        assert_facts(row_of(document, REASSOC),
                     "'gives_up=the order of additions, the sign of a zero'");
        assert_facts(document, "advised=%s",
                     record_text(row_of(document, *asked[i].refused ? REASSOC : FASTMATH), "id"));
        json_decref(document);
    }
}

/* The mean is infinite where results are lost, equal numbers are equal bits but for NaN's, and the
 * same figures are the builds' of the document. */
TEST(a_document)
{
    struct error e;
    json_t *document = document_of(ROW, true), *row;
    json_t *lost = json_pack("{s:i, s:i, s:n, s:[s], s:s, s:{s:i, s:{s:s, s:i, s:i}, s:i,"
                             " s:{s:s, s:i, s:i}}, s:{s:s, s:i}}",
                             "lost", 4, "wrong", 4, "mean_error", "infinite", "mean_error",
                             "numbers", "others", "beside", "wrong", 4, "at", "got", "nan", "row",
                             3, "index", 5, "payloads", 2, "payload_at", "got", "-nan", "row", 7,
                             "index", 9, "wrong_at", "input", "nan(0x7fc00001)", "row", 3);
    size_t i;
    json_array_foreach(fact_at(document, "facts.accuracy"), i, row)
    {
        if (strstr(record_text(row, "id"), "fastmath") && i % FAMILIES == 1)
            json_object_update_recursive(row, lost);
    }
    json_decref(lost);
    char *text = judged("a document", document);
    const json_t *off = row_of(document, OFF), *fast = row_of(document, FASTMATH);
    const size_t numbers = record_count(row_of(document, OWN), "numbers"),
                 bits = record_count(row_of(document, OWN), "bits");
    assert_facts(off, "mean_error=0.5 error=2 !beside_at numbers=%zu bits!=%zu", numbers, bits);
    assert_facts(fast, "!mean_error wrong=4 lost_in.wide=4 'wrong_at.input=nan(0x7fc00001)' "
                       "wrong_at.family=wide numbers=2 beside_at.row=3 payload_at.family=wide "
                       "payloads=2");
    assert_true(record_figure(fast, "mean_error") > 1e300);
    assert_non_null(strstr(text, "is nan (family wide, n = 64, row 3, element 5)"));
    assert_non_null(strstr(text, "is -nan (family wide, n = 64, row 7, element 9)"));
    free(text);
    /* Asked again, as after its times, it says the same. */
    json_t *again = json_deep_copy(document);
    assert_int_equal(judge_trial("verdict", again, &e), 0);
    assert_true(json_equal(again, document));
    json_decref(again);
    json_decref(document);
}
