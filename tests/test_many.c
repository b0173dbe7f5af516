/* performance.html of many machines of an archive: which times stand side by side, what they are,
 * and that a browser finds its way. And archive add of many folders at once. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "publish/db/db.h"
#include "publish/site/many.h"
#include "synthetic.h"

#include "page.h" /* last: cmocka's fail() is a macro */

#define HOME "build-many/"
#define DB HOME "lab.db"
#define ID(isa, policy) "softmax/own/dtype=f32/isa=" isa "/cc=gcc-12/policy=" policy
enum { MACHINES = 60, OTHER_CODE = 7, BYTES = 8, GHZ = 4 /* of synthetic.h */ };

static void shell(const char *command)
{
    if (system(command) != 0) fail_msg("%s", command);
}

static void add(const char *folder, const char *variant, const char *code, double ns)
{
    add_codegen(folder, variant, "gcc-12", "", code, 0, 0);
    add_accuracy(folder, variant, (struct accuracy_facts){.max_ulp = 2, .mean_ulp = 0.5});
    char more[64];
    snprintf(more, sizeof more, ", \"gb_per_s\": %.9g", BYTES / ns);
    add_timing(folder, variant,
               (struct timing_facts){.rows = 4,
                                     .n = 100,
                                     .processes = 6,
                                     .ns_per_row = 100 * ns,
                                     .spread = 0.02,
                                     .more = more});
}

/* Machine i takes 1 + i / 100 ns; AVX-512 is twice as fast; `fast` is faster than `off` on a third
 * of them; one machine ran other code. */
static int set_up(void **state)
{
    (void)state;
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
        add(folder, ID("avx2", "off"), i == OTHER_CODE ? "ffff" : "aaaa", ns);
        add(folder, ID("avx2", "fast"), "bbbb", i % 3 ? 1.5 * ns : 0.5 * ns);
        add(folder, ID("avx512", "off"), "cccc", ns / 2);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    shell("rm -rf " HOME);
    return 0;
}

static struct outcome run_program(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "%s %s", drive_program("ulplab"), arguments);
    struct drive d = {.program = "/bin/sh", .arguments = {"-c", command, NULL}};
    return drive(&d);
}

/* Several processes add them; the rows come in the folders' order, and again nothing happens. */
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

/* What stands before the one that fails is there. */
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

static struct many *open_many(size_t least, const char *filter)
{
    struct lab_db l;
    struct many *m;
    struct error e = {""};
    assert_int_equal(db_open(&l, DB, LAB_READ, &e), 0);
    if (many_open(&l, "", least, &filter, filter != NULL, &m, &e)) fail_msg("%s", e.text);
    lab_close(&l);
    return m;
}

static void figures_are_those_of_the_runs(void **state)
{
    (void)state;
    assert_null(open_many(MACHINES, NULL));
    struct many *m = open_many(MACHINES - 1, "policy=off");
    assert_int_equal(m->machine_count, MACHINES);
    assert_int_equal(m->race_count, 2);
    const struct many_line *line = &m->lines[m->races[0].line];
    assert_string_equal(m->variants[line->variant].id, ID("avx2", "off"));
    assert_int_equal(line->machines, MACHINES - 1);
    assert_true(line->ns[OTHER_CODE] == 0);
    assert_int_equal(m->machines[OTHER_CODE].cells, 2);
    assert_int_equal(m->machines[OTHER_CODE].compared, 1);
    assert_true(fabs(many_gain(m, 0, NULL) - 2) < 1e-6);
    assert_true(isnan(many_gain(m, OTHER_CODE, NULL)));
    assert_int_equal(m->op_count, 1);
    assert_string_equal(m->ops[0].name, "softmax");
    assert_true(fabs(many_gain(m, 0, &m->ops[0]) - 2) < 1e-6);
    assert_true(fabs((double)(line->cycles[50] / line->ns[50]) - GHZ) < 1e-5);
    assert_true(line->cycles[OTHER_CODE] == 0);
    assert_true(fabs(m->variants[line->variant].bytes - BYTES) < 1e-6);
    assert_true(fabs(many_pace(m, 50) / many_pace(m, 0) - 1.5) < 1e-6);
    many_free(m);
}

/* A clock that is near the machine's own is a byte, another one stands by itself. */
static void cycles_are_kept(void **state)
{
    (void)state;
    enum { FAR = 5, UNKNOWN = 6 };
    struct many *m = open_many(0, "policy=off");
    const struct many_line *line = &m->lines[m->races[0].line];
    json_t *own = json_array(), *far = json_array();
    line->cycles[FAR] /= 3;
    line->cycles[UNKNOWN] = 0;
    json_t *text = many_clocks(m, own, far);
    assert_int_equal(json_array_size(own), MACHINES);
    assert_true(fabs(json_number_value(json_array_get(own, 0)) - GHZ) < 1e-3);
    /* Two races of 60 machines: 120 bytes are 160 digits. A clock that is the machine's own is 128,
     * which begins with the digit of 32; the three that are not are 0. */
    assert_int_equal(json_string_length(text), 160);
    assert_memory_equal(json_string_value(text), "gICAgIAAAACA", 12);
    assert_int_equal(json_array_size(far), 1);
    const json_t *one = json_array_get(far, 0);
    assert_int_equal(json_integer_value(json_array_get(one, 0)), FAR);
    assert_true(fabs(json_number_value(json_array_get(one, 1)) - GHZ * 1.05 / 3) < 1e-3);
    json_decref(text);
    json_decref(own);
    json_decref(far);
    many_free(m);
}

/* Each policy with the machines on which its build is the fastest. */
static void policies_are_counted(void **state)
{
    (void)state;
    struct many *m = open_many(0, "isa=avx2");
    char text[100];
    assert_int_equal(m->race_count, 1);
    many_policies(m, &m->races[0], text, sizeof text);
    /* Of 60 machines 20 are faster under `fast`; the one of other code has that build alone. */
    assert_string_equal(text, "off 39, fast 21");
    many_free(m);
}

static void the_page_in_a_browser(void **state)
{
    (void)state;
    enum { SKIPPED = 77 };
    struct outcome o = run_program("report " DB " --format html --out " HOME "out");
    assert_int_equal(o.code, 0);
    drive_free(&o);
    char *text = page_read(HOME "out/performance.md");
    assert_non_null(strstr(text, "# 60 machines"));
    assert_non_null(strstr(text, "| 0.5 | "));
    assert_true(strlen(text) < 8000);
    free(text);
    int status =
        system("CHECKS=tests/browser_many.js scripts/test-html " HOME "out/performance.html all");
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) skip();
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_folders_are_added_at_once),
        cmocka_unit_test(the_first_that_fails_is_said),
        cmocka_unit_test(figures_are_those_of_the_runs),
        cmocka_unit_test(cycles_are_kept),
        cmocka_unit_test(policies_are_counted),
        cmocka_unit_test(the_page_in_a_browser),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
