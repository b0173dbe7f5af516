// SPDX-License-Identifier: MIT
/* check: what falls against a baseline, what a check file may say, and whole checks of an object
 * and of a function whose callers keep something. */
// test: 112 s of a core
#include <jansson.h>

#include "build.h"
#include "model/npy.h"
#include "publish/db/functions.h"
#include "publish/sql/sql.h"
#include "scratch.h"

#include "drive.h"
#include "base/error.h"

#define run(...)                                                                                   \
    drive(&(struct drive){.program = drive_program("ulplab"), .arguments = {__VA_ARGS__}})

static void put(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static const char *at(const char *name)
{
    static char paths[4][300];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

/* ---- What falls ------------------------------------------------------------------------------ */

/* A function f as gcc-12 builds it now, and its baseline by `base_cc`. */
static const struct judged {
    const char *function, *build, *base_cc, *base, *verdict, *says;
} judged[] = {
    {"", "'error': 1.0", NULL, NULL, "new", NULL},
    {"",
     "'error': 1.0, 'wrong': 2, 'wrong_at': {'input': 'nan', 'got': '0x1p+0', 'want': 'nan', "
     "'family': "
     "'special', 'n': 7}",
     NULL, NULL, "falls",
     "2 results are wrong, 0 in the baseline; the first: input nan gives 0x1p+0 where nan is"},
    {"'allow': ['lost'],", "'error': 1.0, 'wrong': 2", NULL, NULL, "new", NULL},
    {"'max_ulp': 0.75,", "'error': 1.0", NULL, NULL, "falls", "above the bar of 0.75"},
    {"", "'error': 1.0, 'wrong': 2", "gcc-12", "'error': 1.0, 'wrong': 2", "holds", NULL},
    {"", "'error': 2.0", "gcc-12", "'error': 1.0", "holds", NULL},
    {"", "'error': 2.1", "gcc-12", "'error': 1.0", "falls", "grew from 1 to 2.1 ulp"},
    {"'allow': ['errors'],", "'error': 2.1", "gcc-12", "'error': 1.0", "holds", NULL},
    {"", "'error': 1.0, 'results': 'aa', 'elements': 9", "gcc-12",
     "'error': 1.0, 'results': 'bb', 'elements': 9", "falls", "its bits differ"},
    {"", "'error': 1.0, 'results': 'aa', 'elements': 9, 'results_of': {'tiny': 'a', 'wide': 'b'}",
     "gcc-12",
     "'error': 1.0, 'results': 'bb', 'elements': 9, 'results_of': {'tiny': 'a', 'wide': 'c'}",
     "falls", "baseline's (gcc-12 in the baseline), on inputs of wide"},
    {"'allow': ['bits'],", "'error': 1.0, 'results': 'aa', 'elements': 9", "gcc-12",
     "'error': 1.0, 'results': 'bb', 'elements': 9", "holds", NULL},
    /* Bits are compared if the inputs are the same, also where fewer results are finite. */
    {"", "'error': 1.0, 'results': 'aa', 'elements': 9, 'inputs': 'i'", "gcc-12",
     "'error': 1.0, 'results': 'bb', 'elements': 8, 'inputs': 'i'", "falls", "its bits differ"},
    {"", "'error': 1.0, 'results': 'aa', 'elements': 9, 'inputs': 'i'", "gcc-12",
     "'error': 1.0, 'results': 'bb', 'elements': 9, 'inputs': 'j'", "holds", NULL},
    /* The bits of other inputs say nothing. */
    {"", "'error': 1.0, 'results': 'aa', 'elements': 9", "gcc-12",
     "'error': 1.0, 'results': 'bb', 'elements': 8", "holds", NULL},
    /* After an upgrade the baseline's compiler of the family counts; another family does not. */
    {"", "'error': 1.0, 'results': 'aa', 'elements': 9", "gcc-11",
     "'error': 1.0, 'results': 'bb', 'elements': 9", "falls", "gcc-11 in the baseline"},
    {"", "'error': 1.0, 'results': 'aa', 'elements': 9", "clang-14",
     "'error': 1.0, 'results': 'bb', 'elements': 9", "new", NULL},
    {"", "'error': 1.0, 'counts': {'flushed': 3}", "gcc-12", "'error': 1.0, 'flushed': 2", "falls",
     "3 subnormal results"},
    /* A time beyond doubt above the bar, a time that may be below it, and no bar. */
    {"'max_slower': 1.1,", "'error': 1.0, 'before': {'ratio': 1.2, 'low': 1.15, 'high': 1.3}", NULL,
     NULL, "falls", "takes 1.2 [1.15, 1.3] times as long"},
    {"'max_slower': 1.1,", "'error': 1.0, 'before': {'ratio': 1.2, 'low': 1.05, 'high': 1.3}", NULL,
     NULL, "new", NULL},
    {"'max_slower': 1.1,", "'error': 1.0}], 'others': [{'kind': 'before'", NULL, NULL, "unanswered",
     "could not be compared"},
    {"", "'error': 1.0, 'before': {'ratio': 2.0, 'low': 1.9, 'high': 2.1}", NULL, NULL, "new",
     NULL},
    {"", "'error': 1.0, 'status': 'sigsegv', 'reason': 'at a page'", NULL, NULL, "falls",
     "sigsegv: at a page"},
    {"'cc': ['gcc-12', 'clang-22'],", "'error': 1.0", NULL, NULL, "new,unanswered",
     "is it installed"},
    /* What was not measured is no yes: a bar without anything to be timed beside, an operation
     * without an oracle, a reference that crashed, no result, a question that was cut. */
    {"'max_slower': 1.1,", "'error': 1.0", "gcc-12", "'error': 1.0", "unanswered", "needs --base"},
    {"", "'status': 'skipped', 'reason': 'no reference'", NULL, NULL, "unanswered",
     ": no reference"},
    {"", "'status': 'sigsegv', 'reason': 'the reference of f in r.c ended so, not the kernel'",
     NULL, NULL, "unanswered", "the reference of f"},
    {"", "'error': null", NULL, NULL, "unanswered", "no result could be compared"},
    {"", "'error': 1.0}], 'unanswered': ['diverge: it printed no document'], 'x': [{", "gcc-12",
     "'error': 1.0", "unanswered", "incompletely: diverge"},
    {"'max_ulp': 0.75,", "'error': 1.0}], 'unanswered': ['diverge'], 'x': [{", NULL, NULL, "falls",
     "above the bar"},
    /* A function that only the baseline has, one that no longer compiles, one of which try said
       nothing. */
    {"", "'error': 1.0", "gcc-12", "'error': 1.0}}, 'g': {'gcc-12': {'error': 1.0",
     "holds,unanswered", "is in the baseline"},
    {"", "'error': 1.0}], 'builds': [], 'refused': 'f.c: error', 'own': true, 'x': [{", "gcc-12",
     "'error': 1.0", "falls", "f.c: error"},
    {"", "'error': 1.0}], 'builds': [], 'refused': 'make: error', 'own': false, 'x': [{", "gcc-12",
     "'error': 1.0", "unanswered", "make: error"},
    /* What its experiments find is new, is known, or is allowed. */
    {"", "'error': 1.0, 'fault': 'it ended'", "gcc-12", "'error': 1.0", "falls", "it ended"},
    {"", "'error': 1.0, 'fault': 'it ended'", "gcc-12", "'error': 1.0, 'fault': 'it ended'",
     "holds", NULL},
    {"'allow': ['lost'],", "'error': 1.0, 'fault': 'it ended'", NULL, NULL, "new", NULL},
};

TEST(what_falls)
{
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
        const struct judged *j = &judged[i];
        char text[2000], verdicts[80] = "", says[400] = "";
        struct lab_db l;
        struct error e;
        sqlite3_stmt *s;
        snprintf(text, sizeof text,
                 "{'functions': [{%s 'name': 'f', 'try': {'subject': {'kind': 'source'}, 'builds': "
                 "[{'status': 'ok', 'cc': "
                 "'gcc-12', 'policy': 'yours', 'yours': true, 'unit': 'ulp', %s}]}}], "
                 "'baseline': {'functions': {'f': "
                 "{'%s': {%s}}}}}",
                 j->function, j->build, j->base_cc ? j->base_cc : "icc", j->base ? j->base : "");
        for (char *c = text; *c; c++) *c = *c == '\'' ? '"' : *c;
        assert_int_equal(lab_connect(&l, ":memory:", LAB_WRITE, &e), 0);
        db_functions_add(&l);
        /* The later of two fields of a name counts. */
        json_t *given = json_loads(text, 0, NULL);
        assert_non_null(given);
        char *plain = json_dumps(given, 0);
        assert_int_equal(lab_run(&l, &e,
                                 "CREATE TABLE given(document TEXT); INSERT INTO given VALUES(?)",
                                 "t", plain),
                         0);
        assert_int_equal(lab_run(&l, &e, sql_check, ""), 0);
        assert_int_equal(
            lab_prepare(
                &l, "SELECT group_concat(verdict), coalesce(group_concat(why), '') FROM checked",
                &s, &e),
            0);
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        snprintf(verdicts, sizeof verdicts, "%s", (const char *)sqlite3_column_text(s, 0));
        snprintf(says, sizeof says, "%s", (const char *)sqlite3_column_text(s, 1));
        sqlite3_finalize(s);
        lab_close(&l);
        free(plain);
        json_decref(given);
        if (strcmp(verdicts, j->verdict) != 0 || !strstr(says, j->says ? j->says : "") ||
            (!j->says && *says))
            fail_msg("case %zu: %s (%s), want %s (%s)", i, verdicts, says, j->verdict,
                     j->says ? j->says : "");
    }
}

/* ---- Check files ----------------------------------------------------------------------------- */

TEST(a_file_is_refused)
{
    static const char *const files[][2] = {
        {"{", "write valid JSON"},
        {"{\"functions\": []}", "no function in the list"},
        {"{\"functions\": [{\"name\": \"f\", \"file\": \"f.c\"}]}", "without 'function'"},
        {"{\"functions\": [{\"name\": \"f\", \"colour\": 1}]}", "colour"},
        {"{\"functions\": [{\"name\": \"f\", \"file\": 1}]}", "want a text"},
        {"{\"functions\": [{\"name\": \"f\", \"file\": \"f\", \"function\": \"f\", \"allow\": "
         "[\"all\"]}]}",
         "want lost"},
        {"{\"functions\": [{\"name\": \"f\", \"file\": \"f\", \"function\": \"f\"}, "
         "{\"name\": \"f\", \"file\": \"g\", \"function\": \"g\"}]}",
         "two functions with the name 'f'"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        put("bad.json", files[i][0]);
        struct outcome o = run("check", at("bad.json"));
        assert_one_error(&o, EXIT_BAD_INPUT, files[i][1]);
        drive_free(&o);
    }
    put("bad.json", "{\"functions\": [{\"name\": \"f\", \"file\": \"f\", \"function\": \"f\"}]}");
    put("bad.baseline.json", "{\"schema\": 2, \"functions\": {}}");
    struct outcome o = run("check", at("bad.json"));
    assert_one_error(&o, EXIT_BAD_INPUT, "its schema is not 1");
    drive_free(&o);
    o = run("check", at("none.json"));
    assert_one_error(&o, EXIT_BAD_INPUT, "none.json");
    drive_free(&o);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void compile(const char *sum)
{
    char command[700];
    put("f.c", "#include <math.h>\nvoid f(const float *x, float *y, long n)\n{\n    for (long i = "
               "0; i < n; i++)\n"
               "        y[i] = RESULT;\n}\n");
    snprintf(command, sizeof command,
             "cd '%s' && gcc -g -O2 -ffp-contract=off -DRESULT='%s' -c f.c -o f.o", scratch, sum);
    assert_int_equal(system(command), 0);
}

TEST(an_object_is_checked)
{
    put("c.json",
        "{\"functions\": [{\"name\": \"sig\\u0001moid\", \"file\": \"f.o\", \"function\": "
        "\"f\", \"op\": \"sigmoid\", \"samples\": 4096}]}");
    compile("(float)(1 / (1 + exp(-(double)x[i])))");
    struct outcome o =
        run("check", at("c.json"), "--update", "--json", "--quiet", "--junit", at("c.xml"));
    json_t *document = json_loads(o.out, 0, NULL);
    if (o.code || !document) fail_msg("exit %d: %s%s", o.code, o.out, o.err);
    const json_t *row = json_array_get(json_object_get(document, "rows"), 0);
    assert_string_equal(json_string_value(json_object_get(row, "verdict")), "new");
    assert_true(json_number_value(json_object_get(row, "error")) <= 0.51);
    json_decref(document);
    drive_free(&o);
    /* 1 / (1 + e) in floats has other bits, and may err by more. */
    compile("1 / (1 + (float)exp(-(double)x[i]))");
    o = run("check", at("c.json"), "--quiet", "--junit", at("c.xml"), "--markdown", at("c.md"));
    assert_int_equal(o.code, EXIT_GATE);
    assert_non_null(strstr(o.out, "differ"));
    drive_free(&o);
    char command[900];
    snprintf(command, sizeof command,
             "python3 -c \"import sys, xml.etree.ElementTree as t; r = "
             "t.parse(sys.argv[1]).getroot(); assert "
             "(r.get('tests'), r.get('failures')) == ('1', '1') and 'bits differ' in "
             "r[0][0].get('message')\" '%s' && "
             "grep -q '^| sig *moid | .* | falls |' '%s'",
             at("c.xml"), at("c.md"));
    assert_int_equal(system(command), 0);
}

/* The flags of a source are its build's: what they lose is found, by each compiler. Beside itself
 * it takes as long. */
TEST(flags_of_a_source_are_checked)
{
    put("twice.c",
        "#include <math.h>\nvoid twice(const float *x, float *y, long n)\n{\n    for (long "
        "i = 0; i < n; i++)\n        y[i] = isnan(x[i]) ? 0.f : x[i] * 2;\n}\n");
    put("ref.c", "double ref(double x) { return x == x ? 2 * x : 0; }\n");
#define TWICE                                                                                      \
    "\"file\": \"twice.c\", \"function\": \"twice\", \"ref\": \"ref.c\", \"ref_call\": \"double "  \
    "ref(double x)\", \"samples\": 4096"
    put("twice.json", "{\"functions\": [{\"name\": \"kept\", " TWICE
                      "}, {\"name\": \"lost\", " TWICE ", \"flags\": \"-O2 -ffast-math\"}]}");
    struct outcome o = run("check", at("twice.json"), "--json", "--quiet", "--base", scratch);
    json_t *document = json_loads(o.out, 0, NULL), *row;
    size_t i, rows[2] = {0};
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const bool lost = !strcmp(json_string_value(json_object_get(row, "function")), "lost");
        assert_string_equal(json_string_value(json_object_get(row, "verdict")),
                            lost ? "falls" : "new");
        assert_int_equal(json_integer_value(json_object_get(row, "ratio")), 1);
        rows[lost]++;
    }
    assert_int_equal(o.code, EXIT_GATE);
    assert_true(rows[0] >= 1 && rows[0] == rows[1]);
    json_decref(document);
    drive_free(&o);
}

/* A row of one's own is three steps off, of which one is allowed; a function that faults at other
 * rows than its callers keep has two results per row. Without any of the fields this is another
 * answer. */
TEST(every_field_is_an_option)
{
    float row[16] = {12345};
    struct error e;
    char text[600];
    assert_int_equal(
        npy_write(at("mine.npy"), &(struct npy){.data = row, .rows = 1, .cols = 16, .ndim = 2}, &e),
        0);
    put("q.c", "#include <math.h>\n#include <stdint.h>\n"
               "static float quantum(float v)\n"
               "{ return fabsf(v) < 0x1p20f ? rintf(v * 4) / 4 : v; }\n"
               "void extremes(const float *x, float *y, int n)\n{\n"
               "    if ((uintptr_t)x % 32 || n % 8) *(volatile int *)8 = 1;\n"
               "    float high = x[0], low = x[0];\n"
               "    for (int i = 0; i < n; i++) {\n"
               "        if (x[i] > high) high = x[i];\n        if (x[i] < low) low = x[i];\n    }\n"
               "    y[0] = quantum(high) + (high == 12345 ? 0.75f : 0);\n"
               "    y[1] = quantum(low);\n}\n");
    put("r.c", "#include <math.h>\n"
               "static double quantum(double v)\n"
               "{ return fabs(v) < 0x1p20 ? rint(v * 4) / 4 : v; }\n"
               "void exact(const double *x, double *y, int n)\n{\n"
               "    double high = x[0], low = x[0];\n"
               "    for (int i = 0; i < n; i++) {\n"
               "        if (x[i] > high) high = x[i];\n        if (x[i] < low) low = x[i];\n    }\n"
               "    y[0] = quantum(high);\n    y[1] = quantum(low);\n}\n");
    snprintf(
        text, sizeof text,
        "{\"functions\": [{\"name\": \"extremes\", \"file\": \"q.c\", \"function\": "
        "\"extremes\", \"ref\": \"r.c\", \"ref_call\": \"void exact(const double *x, double *y, "
        "int n)\", \"cc\": [\"%s\"], \"columns\": 2, \"samples\": 4096, \"steps\": 1, \"step\": "
        "0.25, "
        "\"aligned\": 32, \"multiple\": 8, \"input\": [\"mine.npy\"], \"max_ulp\": 1}]}",
        build_compilers[0].cc);
    put("fields.json", text);
    struct outcome o = run("check", at("fields.json"), "--json", "--quiet");
    json_t *document = json_loads(o.out, 0, NULL);
    if (o.code != EXIT_GATE || !document) fail_msg("exit %d: %s%s", o.code, o.out, o.err);
    const json_t *found = json_array_get(json_object_get(document, "rows"), 0);
    assert_string_equal(json_string_value(json_object_get(found, "status")), "ok");
    assert_true(json_number_value(json_object_get(found, "error")) == 3);
    assert_int_equal(json_integer_value(json_object_get(found, "wrong")), 0);
    assert_non_null(strstr(json_string_value(json_object_get(found, "why")), "above the bar of 1"));
    json_decref(document);
    drive_free(&o);
}

TEST_GROUP(scratch_open, scratch_close)
