// SPDX-License-Identifier: MIT
/* performance.md and performance.html: only cells of equal machine code stand side by side, the
 * rest is counted; for folders and for an archive of many machines; the page works in a browser,
 * and texts from records appear as text. And `archive add` of many folders at once. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "publish/sql/facts.h"
#include "publish/db/db.h"
#include "publish/render/query.h"
#include "publish/site/machines.h"
#include "publish/sql/sql.h"

#include "synthetic.h"

#include "page.h"

#define HOME "build-machines/"
#define DB HOME "lab.db"
enum { MACHINES = 60, OTHER_CODE = 7, BYTES = 8 };

static char home[] = "/tmp/ulplab-cpus-XXXXXX";
static char folders[3][64];
static const char *const names[3] = {"one", "two", "three"};
enum { ONE, TWO, THREE };

#define ID(algorithm, isa, policy)                                                                 \
    "softmax/" algorithm "/dtype=f32/isa=" isa "/cc=gcc-12/policy=" policy
#define EVIL "</script><img src=x onerror=document.title='owned'>"

/* Makes the folder of a CPU whose run had oneDNN in that version. */
static void make_cpu(int cpu, const char *version)
{
    char path[100];
    make_folder(folders[cpu], (struct run_facts){.slug = names[cpu]});
    snprintf(path, sizeof path, "%s/machine.json", folders[cpu]);
    unlink(path);
    append(folders[cpu], "machine.json",
           "{\"schema\": 1, \"tool\": {\"version\": \"0.1.0\", \"commit\": \"c%d\"}, \"machine\": "
           "{\"slug\": \"%s\", \"brand\": \"%s\", \"topology\": {\"cores\": 2, \"caches\": "
           "[{\"level\": \"L1\", \"bytes\": 49152, \"shared_by\": 1}, {\"level\": \"L3\", "
           "\"bytes\": 33554432, \"shared_by\": 2}]}}, \"findings\": [], \"request\": {\"seed\": "
           "1, \"peers\": {\"onednn\": \"%s\"}}, \"started\": \"2026-11-21T06:00:00Z\"}",
           cpu, names[cpu], cpu == THREE ? EVIL : "A made-up CPU", version);
    append(folders[cpu], "timing.jsonl",
           "{\"record\": \"limit\", \"name\": \"fma-ymm\", \"isa\": \"avx2\", \"level\": \"\", "
           "\"value\": %d, \"unit\": \"FLOP/s\"}",
           100000000 * (cpu + 1));
}

static void add_to(const char *folder, const char *variant, const char *code, size_t rows,
                   double ns, double error)
{
    char more[64];
    snprintf(more, sizeof more, ", \"gb_per_s\": %.9g", BYTES / ns);
    add_codegen(folder, variant, "gcc-12", "", code, 0, 0);
    add_accuracy(folder, variant, (struct accuracy_facts){.max_ulp = error, .mean_ulp = 0.5});
    add_timing(folder, variant,
               (struct timing_facts){.rows = rows,
                                     .n = 100,
                                     .processes = 6,
                                     .ns_per_row = 100 * ns,
                                     .spread = 0.02,
                                     .more = more});
}

static void add(int cpu, const char *variant, const char *code, size_t rows, double ns)
{
    add_to(folders[cpu], variant, code, rows, ns, 2 + cpu);
}

static void shell(const char *command)
{
    if (system(command) != 0) fail_msg("%s", command);
}

/* Makes 60 machines: machine i takes 1 + i / 100 ns; AVX-512 is twice as fast; `fast` is faster
 * than `off` on a third of them; one machine ran other code. */
static void make_many(void)
{
    shell("rm -rf " HOME " && mkdir -p " HOME);
    for (int i = 0; i < MACHINES; i++) {
        char folder[64], slug[24], command[300];
        const double ns = 1 + i / 100.0;
        snprintf(folder, sizeof folder, HOME "run%02d", i);
        snprintf(slug, sizeof slug, "cpu%02d", i);
        make_folder(folder, (struct run_facts){.slug = slug});
        snprintf(command, sizeof command,
                 "sed -i 's/\"findings\"/\"run\": \"%016d\", &/' %s/machine.json", i, folder);
        shell(command);
        add_to(folder, ID("own", "avx2", "off"), i == OTHER_CODE ? "ffff" : "aaaa", 4, ns, 2);
        add_to(folder, ID("own", "avx2", "fast"), "bbbb", 4, i % 3 ? 1.5 * ns : 0.5 * ns, 2);
        add_to(folder, ID("own", "avx512", "off"), "cccc", 4, ns / 2, 2);
    }
}

/* Makes two CPUs with equal builds but different numbers of rows, and a third with another build
 * and another version of the library. The first is faster under `fast`, the second under `off`. */
static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(home)) return -1;
    for (int cpu = 0; cpu < 3; cpu++) {
        const bool third = cpu == THREE;
        const char *library = "softmax/peer-onednn/dtype=f32/isa=avx2/cc=lib/policy=lib";
        size_t rows = cpu == TWO ? 2 : 1;
        snprintf(folders[cpu], sizeof *folders, "%s/%s", home, names[cpu]);
        make_cpu(cpu, third ? "3.0" : "2.6");
        add(cpu, ID("own", "avx2", "off"), third ? "other" : "aa", rows, cpu == ONE ? 2 : 1);
        add(cpu, ID("own", "avx2", "fast"), third ? "another" : "bb", rows, cpu == ONE ? 1 : 2);
        add(cpu, ID("own", "avx512", "off"), "cc", 4, cpu == ONE ? 0.5 : 1);
        add(cpu, library, "", rows, 3);
    }
    add(ONE, ID("alone", "avx2", "off"), "dd", 1, 1);
    make_many();
    return 0;
}

static int tear_down(void **state)
{
    char command[80];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s' " HOME, home);
    return system(command);
}

/* ---- What stands side by side ---------------------------------------------------------------- */

static int open_some(struct machines *m, const char *const *places, size_t count,
                     const char *filter, struct error *e)
{
    const struct machines_request q = {places, count, &filter, filter != NULL, advice_bar};
    return machines_open(&q, m, e);
}

static struct machines open_places(const char *const *places, size_t count, const char *filter)
{
    struct machines m;
    struct error e = {""};
    if (open_some(&m, places, count, filter, &e)) fail_msg("%s", e.text);
    return m;
}

static struct machines open_three(void)
{
    return open_places((const char *const[]){folders[ONE], folders[TWO], folders[THREE]}, 3, NULL);
}

/* The first value of a query's first row as text; "" for NULL and where there is none. */
static const char *said_by(const struct machines *m, const char *sql)
{
    static char text[4000];
    sqlite3_stmt *s;
    struct error e = {""};
    if (lab_prepare(&m->l, sql, &s, &e)) fail_msg("%s", e.text);
    const char *value =
        sqlite3_step(s) == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : NULL;
    snprintf(text, sizeof text, "%s", value ? value : "");
    sqlite3_finalize(s);
    return text;
}

static double number_by(const struct machines *m, const char *sql)
{
    const char *text = said_by(m, sql);
    return *text ? strtod(text, NULL) : (double)NAN;
}

static char *written(const struct machines *m,
                     int (*write)(const struct machines *, const char *, struct error *))
{
    char path[100];
    struct error e = {""};
    snprintf(path, sizeof path, "%s/written", home);
    if (write(m, path, &e)) fail_msg("%s", e.text);
    return page_read(path);
}

static void only_equal_code_stands_side_by_side(void **state)
{
    (void)state;
    struct machines m = open_three();
    assert_string_equal(
        said_by(&m, "SELECT group_concat(cells || ' ' || compared || ' ' || code || ' ' || library "
                    "|| ' ' || alone, ', ') FROM temp.counts"),
        "5 4 0 0 1, 4 4 0 0 0, 4 1 2 1 0");
    /* The number of CPUs per line: own avx2 off, fast, avx512, the library, and a variant that only
     * one CPU timed. */
    assert_string_equal(
        said_by(&m,
                "SELECT group_concat(sides, ' ') FROM (SELECT sides FROM temp.lines ORDER BY 1)"),
        "1 2 2 2 3");
    /* Libraries have errors, too. */
    assert_true(
        number_by(
            &m,
            "SELECT count(*) FROM temp.lines JOIN temp.side_errors USING (variant) WHERE side = 0 "
            "AND error = 2") == 5);
    machines_close(&m);
}

static void what_avx512_buys(void **state)
{
    (void)state;
    static const char speed[] =
        "SELECT speed FROM temp.side_isas WHERE side = 0 AND op = 'softmax' AND level = 'L1'";
    struct machines m = open_three();
    /* AVX-512 was timed with other numbers of rows than AVX2. */
    assert_true(isnan(number_by(&m, speed)));
    machines_close(&m);
    add(ONE, ID("own", "avx512", "off"), "cc", 1, 0.5);
    m = open_three();
    assert_true(fabs(number_by(&m, speed) - 4) < 1e-3);
    machines_close(&m);
}

static void where_the_best_policy_differs(void **state)
{
    (void)state;
    struct machines m = open_three();
    char *text = written(&m, machines_write_text);
    static const char *const said[] = {
        "| softmax `own` | avx2 | gcc-12 | n=100 L1 | one | `fast` | 2.00 [2.00, 2.00] | two | "
        "`off` | 2.00 [2.00, 2.00] |"};
    page_says(text, said, 1);
    free(text);
    machines_close(&m);
    for (int cpu = ONE; cpu <= TWO; cpu++) {
        /* Two policies with the same machine code are one line, however much their times differ. */
        add(cpu, ID("twin", "avx2", "off"), "ee", 1, cpu == ONE ? 2 : 1);
        add(cpu, ID("twin", "avx2", "on"), "ee", 1, cpu == ONE ? 1 : 2);
        /* Times at different numbers of rows are not compared. */
        add(cpu, ID("near", "avx2", "off"), "ff", 1, cpu == ONE ? 2 : 1);
        add(cpu, ID("near", "avx2", "fast"), "gg", 2, cpu == ONE ? 1 : 2);
    }
    m = open_three();
    assert_true(query_has_rows(&m.l, sql_machines_differ, false));
    machines_close(&m);
}

static void other_inputs_are_said(void **state)
{
    (void)state;
    char command[300];
    struct machines m = open_three();
    char *page = written(&m, machines_write_page);
    assert_null(strstr(page, "tried different inputs"));
    free(page);
    machines_close(&m);
    snprintf(command, sizeof command,
             "sed -i 's/\"elements\": 65536/\"elements\": 4096/' %s/*.jsonl", folders[TWO]);
    shell(command);
    m = open_three();
    page = written(&m, machines_write_page);
    assert_non_null(strstr(page, "tried different inputs"));
    free(page);
    machines_close(&m);
}

static void runs_of_one_cpu_are_one_cpu(void **state)
{
    (void)state;
    struct machines m =
        open_places((const char *const[]){folders[ONE], folders[TWO], folders[ONE]}, 3, NULL);
    char *text = written(&m, machines_write_text);
    assert_non_null(strstr(text, "3 runs of 2 CPUs"));
    free(text);
    machines_close(&m);
}

static void nothing_in_common_is_refused(void **state)
{
    (void)state;
    struct machines m;
    struct error e = {""};
    assert_int_equal(
        open_some(&m, (const char *const[]){folders[ONE], folders[THREE]}, 2, "isa=avx2", &e),
        EXIT_USAGE);
    assert_non_null(strstr(e.text, "no cell in common"));
    /* It suffices if two CPUs have the same version of a library. */
    m = open_places((const char *const[]){folders[ONE], folders[TWO]}, 2, "algorithm=peer-onednn");
    machines_close(&m);
}

static void it_loads_nothing_and_records_stay_text(void **state)
{
    (void)state;
    struct machines m = open_three();
    char *page = written(&m, machines_write_page);
    static const char *const never[] = {"http://", "https://", "<link", "<img", "<script src"};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(page, never[i])) fail_msg("%s in the page", never[i]);
    assert_non_null(strstr(page, "&lt;/script&gt;&lt;img src=x"));
    free(page);
    machines_close(&m);
}

/* ---- Of an archive --------------------------------------------------------------------------- */

static struct outcome run_program(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "%s %s", drive_program("ulplab"), arguments);
    struct drive d = {.program = "/bin/sh", .arguments = {"-c", command, NULL}};
    return drive(&d);
}

/* Several processes add the folders; the rows come in the folders' order, and adding them again
 * changes nothing. */
static void many_folders_are_added_at_once(void **state)
{
    (void)state;
    struct outcome o = run_program("archive add " HOME "run* --to " DB);
    assert_int_equal(o.code, 0);
    const char *at = o.out;
    for (int i = 0; i < MACHINES; i++) {
        char line[64];
        snprintf(line, sizeof line, "%016d added: cpu%02d", i, i);
        assert_non_null(at = strstr(at, line));
    }
    drive_free(&o);
    o = run_program("archive add " HOME "run* --to " DB);
    assert_int_equal(o.code, 0);
    assert_null(strstr(o.out, "added"));
    assert_non_null(strstr(o.out, "is there already: cpu59"));
    drive_free(&o);
}

/* The folders before the one that fails have been added. */
static void the_first_that_fails_is_said(void **state)
{
    (void)state;
    struct outcome o = run_program("archive add " HOME "run00 " HOME "nowhere " HOME
                                   "run01 --to " HOME "other.db");
    assert_one_error(&o, EXIT_BAD_INPUT, HOME "nowhere");
    drive_free(&o);
    o = run_program("archive list " HOME "other.db");
    assert_non_null(strstr(o.out, "cpu00"));
    drive_free(&o);
    o = run_program("archive add \"$(printf '" HOME "no\\377name')\" --to " HOME "other.db");
    assert_one_error(&o, EXIT_BAD_INPUT, HOME "no?name");
    drive_free(&o);
}

/* Means over few machines keep all values, those over many are packed; both give the same figures.
 */
static void figures_are_those_of_the_runs(void **state)
{
    (void)state;
    struct machines m = open_places((const char *const[]){DB}, 1, NULL);
    assert_true(m.sides == MACHINES && !m.few);
    assert_string_equal(
        said_by(
            &m,
            "SELECT group_concat(cells || ' ' || compared || ' ' || code) FROM temp.counts WHERE "
            "side IN (0, 7)"),
        "3 3 0,3 2 1");
    assert_string_equal(
        said_by(&m,
                "SELECT group_concat(sides, ' ') FROM (SELECT sides FROM temp.lines ORDER BY 1)"),
        "59 60 60");
    assert_true(
        fabs(number_by(&m, "SELECT gains ->> '$[0]' FROM temp.side_gains WHERE op = 'softmax'") -
             2) < 1e-4);
    assert_true(
        isnan(number_by(&m, "SELECT gains ->> '$[7]' FROM temp.side_gains WHERE op = 'softmax'")));
    assert_true(fabs(number_by(&m, "SELECT max(bytes) FROM temp.bytes") - BYTES) < 1e-6);
    /* `fast` is the faster one on 20 of 60 machines; the machine with other code has no other. */
    assert_string_equal(said_by(&m, "SELECT winners(policy, cells) FROM temp.builds JOIN "
                                    "temp.lines USING (line) WHERE isa = "
                                    "'avx2'"),
                        "off 39, fast 21");
    machines_close(&m);
    m = open_places((const char *const[]){DB}, 1, "policy=off");
    assert_true(fabs(number_by(&m, "SELECT (SELECT pace FROM temp.paces WHERE side = 50) / (SELECT "
                                   "pace FROM temp.paces "
                                   "WHERE side = 0)") -
                     1.5) < 1e-3);
    machines_close(&m);
}

static void the_command(void **state)
{
    (void)state;
    char command[500], expected[400];
    snprintf(command, sizeof command, "report %s %s --format html --out %s", folders[ONE],
             folders[TWO], home);
    struct outcome o = run_program(command);
    snprintf(expected, sizeof expected,
             "%s/report.html\n%s/report.html\n%s/performance.html\n%s/performance.md\n",
             folders[ONE], folders[TWO], home, home);
    assert_string_equal(o.out, expected);
    drive_free(&o);
    o = run_program("report " DB " --format html --out " HOME "out");
    assert_string_equal(o.out, HOME "out/performance.html\n" HOME "out/performance.md\n");
    drive_free(&o);
    char *text = page_read(HOME "out/performance.md");
    assert_non_null(strstr(text, "60 machines"));
    assert_non_null(strstr(text, "| 0.5 | "));
    assert_true(strlen(text) < 8000);
    free(text);
}

static void in_a_browser(void **state)
{
    (void)state;
    char page[100];
    for (int many = 0; many < 2; many++) {
        snprintf(page, sizeof page, "%s/performance.html", many ? HOME "out" : home);
        page_in_a_browser(page, "tests/browser_machines.js", "all");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_equal_code_stands_side_by_side),
        cmocka_unit_test(what_avx512_buys),
        cmocka_unit_test(where_the_best_policy_differs),
        cmocka_unit_test(other_inputs_are_said),
        cmocka_unit_test(runs_of_one_cpu_are_one_cpu),
        cmocka_unit_test(nothing_in_common_is_refused),
        cmocka_unit_test(it_loads_nothing_and_records_stay_text),
        cmocka_unit_test(many_folders_are_added_at_once),
        cmocka_unit_test(the_first_that_fails_is_said),
        cmocka_unit_test(figures_are_those_of_the_runs),
        cmocka_unit_test(the_command),
        cmocka_unit_test(in_a_browser),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
