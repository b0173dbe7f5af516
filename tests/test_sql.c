// SPDX-License-Identifier: MIT
/* ulplab sql: the questions of src/publish/sql/ are those of docs/sql.md, and their answers on a
 * few dozen rows can be checked by hand; a query can only read, and one that runs too long is
 * stopped. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "publish/db/db.h"
#include "publish/sql/ask.h"
#include "scratch.h"
#include "synthetic.h"

#include "drive.h" /* last: its macro fail() hides the lab's function */

#define VARIANT(isa, cc, policy) "softmax/threepass/dtype=f32/isa=" isa "/cc=" cc "/policy=" policy
#define OFF VARIANT("avx2", "gcc-12", "off")
enum { NIGHTS = 3 };
static char folders[NIGHTS][300], archive[300], selected[320];

static void add_kernel(const char *folder, const char *variant, double ns, const char *code,
                       const char *bits, double max_ulp)
{
    char low[80];
    snprintf(low, sizeof low, ", \"low_ns\": [%g, %g, %g]", ns, ns, ns);
    add_timing(
        folder, variant,
        (struct timing_facts){
            .rows = 64, .n = 64, .processes = 3, .ns_per_row = ns, .spread = 0.02, .more = low});
    add_codegen(folder, variant, "gcc-12", "-ffp-contract=off", code, 0, 0);
    add_accuracy(folder, variant,
                 (struct accuracy_facts){.max_ulp = max_ulp, .mean_ulp = 0.25, .bits = bits});
}

/* ns: the time of the plain kernel under gcc-12 on AVX2, from which the other times follow. */
static void make_night(const char *folder, const char *slug, const char *date, const char *commit,
                       const char *code, const char *bits, double ns)
{
    char command[600];
    make_folder(folder, (struct run_facts){.slug = slug, .commit = commit});
    snprintf(command, sizeof command,
             "sed -i 's/2026-11-21T06/%sT06/; s/\"findings\"/\"run\": \"%.4s%.10s\", &/' "
             "%s/machine.json",
             date, slug, date, folder);
    if (system(command) != 0) fail_msg("%s", command);
    add_kernel(folder, OFF, ns, code, bits, 1.5);
    add_kernel(folder, VARIANT("avx2", "gcc-13", "off"), 0.5 * ns, "13", "b13", 2.5);
    add_kernel(folder, VARIANT("avx512", "gcc-12", "off"), 0.25 * ns, "z", "bz", 1.75);
    add_kernel(folder, VARIANT("avx2", "gcc-12", "fast"), 0.8 * ns, "f", "bf", 1.5);
    add_kernel(folder, VARIANT("avx512", "gcc-12", "fast"), 0.2 * ns, "z", "bz", 1.75);
    append(folder, "accuracy.jsonl",
           "{\"record\": \"accuracy\", \"id\": \"" OFF "\", \"family\": \"wide\", \"n\": 64, "
           "\"status\": \"ok\", \"measure\": 2, \"lost\": 0, \"hazard\": false, \"max_ulp\": 1}");
    append(
        folder, "accuracy.jsonl",
        "{\"record\": \"accuracy\", \"id\": \"" VARIANT(
            "avx2", "gcc-12", "fast") "\", \"family\": \"wide\", \"n\": 64, \"status\": \"wrong\","
                                      " \"measure\": 2, \"lost\": 7, \"hazard\": false}");
    append(folder, "timing.jsonl",
           "{\"record\": \"limit\", \"name\": \"flops-ymm\", \"isa\": \"avx2\", \"value\": 1.5e11,"
           " \"unit\": \"FLOP/s\", \"threads\": 1}");
    append(folder, "cases.jsonl",
           "{\"record\": \"case\", \"name\": \"fma-softmax\", \"verdict\": \"reproduced\"}");
}

static struct outcome run(const char *a, const char *b, const char *c, const char *d, const char *f)
{
    return drive(&(struct drive){.program = drive_program("ulplab"),
                                 .arguments = {"sql", a, b, c, d, f, NULL}});
}

static int make_nights(void **state)
{
    if (scratch_open(state)) return -1;
    for (size_t i = 0; i < NIGHTS; i++) {
        char name[20];
        snprintf(name, sizeof name, "night%zu", i);
        snprintf(folders[i], sizeof folders[i], "%s", scratch_path(name));
    }
    make_night(folders[0], "made-up", "2026-11-21", "aaaa", "c1", "b1", 100);
    make_night(folders[1], "made-up", "2026-11-22", "bbbb", "c2", "b2", 110);
    make_night(folders[2], "other", "2026-11-22", "bbbb", "c2", "b3", 50);
    snprintf(archive, sizeof archive, "%s", scratch_path("lab.db"));
    snprintf(selected, sizeof selected, "%s:date=2026", archive);
    char command[2000];
    snprintf(command, sizeof command, "'%s' archive add %s %s %s --to %s >/dev/null",
             drive_program("ulplab"), folders[0], folders[1], folders[2], archive);
    return system(command);
}

/* ---- The questions --------------------------------------------------------------------------- */

/* A row of each answer, as CSV; MEMORY: its columns are not stored in an archive's file, but read
 * from its records. */
enum where { EVERYWHERE, MEMORY };
static const struct {
    const char *name, *row;
    enum where where;
} answers[] = {
    {"fastest", "other,softmax/threepass/dtype=f32/isa=avx512/cc=gcc-12/policy=fast,0.15625,1.75\n",
     EVERYWHERE},
    {"policies", "made-up,gcc-12,fast,1.25,1.25,1.25,1,1\n", MEMORY},
    {"lost", "made-up,softmax,threepass,avx2,gcc-12,fast,wide,7\n", EVERYWHERE},
    {"compilers", "made-up,softmax,2,0.5\n", EVERYWHERE},
    {"avx512", "other,softmax,2,4\n", EVERYWHERE},
    {"nearest", ",64,64,L1,50\n", EVERYWHERE},
    {"changed_code", "made-up," OFF "\n", EVERYWHERE},
    {"over_time", "2026-11-21T06:00:00Z,aaaa,1.5625,", EVERYWHERE},
    {"changed_bits", "made-up," OFF ",2026-11-21T06:00:00Z,2026-11-22T06:00:00Z\n", EVERYWHERE},
    {"other_bits", OFF ",made-up,other\n", EVERYWHERE},
    {"limits", "other,flops-ymm,,avx2,1.5e+11,FLOP/s\n", EVERYWHERE},
    {"cases", "fma-softmax,made-up,reproduced,2\n", EVERYWHERE},
};
enum { ANSWERS = sizeof answers / sizeof *answers };

static const char *sql_of(const char *name)
{
    const struct question *q = questions;
    while (q->name && strcmp(q->name, name) != 0) q++;
    if (!q->name) fail_msg("no question %s", name);
    return q->sql;
}

static char *answer_of(const char *const *places, size_t count, const char *sql)
{
    struct lab_db l;
    struct error e = {""};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int code = count == 1 && !strcmp(places[0], archive) ? db_open(&l, archive, LAB_READ, &e)
                                                         : db_read(&l, places, count, &e);
    if (!code) code = ask(&l, sql, ANSWER_CSV, ASK_SECONDS, out, &e);
    if (code) fail_msg("%s: %s", sql, e.text);
    lab_close(&l);
    fclose(out);
    return text;
}

/* Folders, runs of an archive, and an archive opened directly give the same answer. */
static void every_question_has_its_answer(void **state)
{
    (void)state;
    const char *const all[] = {folders[0], folders[1], folders[2]}, *const runs[] = {selected},
                      *const file[] = {archive};
    size_t count = 0;
    while (questions[count].name) count++;
    assert_int_equal(count, ANSWERS);
    for (size_t i = 0; i < ANSWERS; i++) {
        const char *sql = sql_of(answers[i].name);
        char *from_folders = answer_of(all, 3, sql), *from_runs = answer_of(runs, 1, sql),
             *from_file = answer_of(file, 1, sql);
        if (!strstr(from_folders, answers[i].row))
            fail_msg("%s:\n%s\n%s", answers[i].name, sql, from_folders);
        assert_string_equal(from_runs, from_folders);
        if (answers[i].where == EVERYWHERE) assert_string_equal(from_file, from_folders);
        free(from_folders);
        free(from_runs);
        free(from_file);
    }
}

static void the_page_has_the_questions(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0, blocks = 0;
    FILE *in = fopen("docs/sql.md", "r"), *copy = open_memstream(&text, &size);
    assert_non_null(in);
    for (int c; (c = getc(in)) != EOF;) putc(c, copy);
    fclose(in);
    fclose(copy);
    for (const struct question *q = questions; q->name; q++)
        if (!strstr(text, q->sql)) fail_msg("docs/sql.md lacks %s", q->name);
    for (const char *at = text; (at = strstr(at, "```sql\n")); at += 7) blocks++;
    assert_int_equal(blocks, ANSWERS);
    free(text);
}

/* ---- The command ----------------------------------------------------------------------------- */

static void answers_have_three_forms(void **state)
{
    (void)state;
    static const char sql[] = "SELECT DISTINCT machine, NULL AS none, 9e999 AS much, 0.5 AS half, "
                              "'=1+1' AS text FROM timings";
    struct outcome o = run(folders[0], sql, "--csv", NULL, NULL);
    assert_int_equal(o.code, 0);
    assert_string_equal(o.out, "machine,none,much,half,text\nmade-up,,inf,0.5,'=1+1\n");
    drive_free(&o);
    o = run(folders[0], sql, "--json", NULL, NULL);
    json_t *document = json_loads(o.out, 0, NULL);
    const json_t *row = json_array_get(json_object_get(document, "rows"), 0);
    assert_string_equal(json_string_value(json_object_get(row, "machine")), "made-up");
    assert_true(json_is_null(json_object_get(row, "none")) &&
                json_is_null(json_object_get(row, "much")));
    assert_string_equal(json_string_value(json_array_get(json_object_get(row, "infinite"), 0)),
                        "much");
    json_decref(document);
    drive_free(&o);
    o = run(folders[0], sql, NULL, NULL, NULL);
    assert_non_null(strstr(o.out, "made-up"));
    drive_free(&o);
    o = run(folders[0], folders[2], "SELECT count(DISTINCT machine) AS machines FROM timings",
            "--csv", NULL);
    assert_string_equal(o.out, "machines\n2\n");
    drive_free(&o);
    o = run(folders[0], "src/publish/sql/limits.sql", "--csv", NULL, NULL);
    assert_non_null(strstr(o.out, "made-up,flops-ymm,,avx2,1.5e+11,FLOP/s\n"));
    drive_free(&o);
    o = run(folders[0], NULL, NULL, NULL, NULL);
    assert_non_null(strstr(o.out, "CREATE TABLE cells("));
    assert_non_null(strstr(o.out, sql_of("policies")));
    drive_free(&o);
}

static void a_query_only_reads(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "DELETE FROM runs",
        "CREATE TABLE t (x)",
        "ATTACH '/tmp/ulplab-other.db' AS other",
        "PRAGMA user_version = 7",
        "PRAGMA journal_mode = DELETE",
        "SELECT load_extension ('x')",
        "SELECT * FROM nothing",
        " -- nothing",
    };
    const char *const places[] = {folders[0], archive, selected};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
            struct outcome o = run(places[k], refused[i], NULL, NULL, NULL);
            assert_one_error(&o, EXIT_USAGE, "sql: ");
            drive_free(&o);
        }
    struct outcome o = run(archive, "SELECT 1; SELECT 2", "--csv", NULL, NULL);
    assert_one_error(&o, EXIT_USAGE, "more than one query");
    drive_free(&o);
    o = run(archive, "SELECT count(*) FROM runs ", "--csv", NULL, NULL);
    assert_string_equal(o.out, "count(*)\n3\n");
    drive_free(&o);
    o = run(archive, "PRAGMA table_info (runs)", "--csv", NULL, NULL);
    assert_int_equal(o.code, 0);
    drive_free(&o);
}

static void a_query_that_runs_away_is_stopped(void **state)
{
    (void)state;
    static const char endless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                                  "SELECT count(*) FROM n";
    struct lab_db l;
    struct error e = {""};
    const char *const places[] = {folders[0]};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (db_read(&l, places, 1, &e)) fail_msg("%s", e.text);
    for (enum answer_format f = ANSWER_TABLE; f <= ANSWER_JSON; f += 2) {
        assert_int_equal(ask(&l, endless, f, 1, out, &e), EXIT_PARTIAL);
        assert_non_null(strstr(e.text, "stopped after 1 s"));
    }
    fclose(out);
    assert_int_equal(size, 0);
    free(text);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_question_has_its_answer),
        cmocka_unit_test(the_page_has_the_questions),
        cmocka_unit_test(answers_have_three_forms),
        cmocka_unit_test(a_query_only_reads),
        cmocka_unit_test(a_query_that_runs_away_is_stopped),
    };
    return cmocka_run_group_tests_name("sql", tests, make_nights, scratch_close);
}
