// SPDX-License-Identifier: MIT
/* history: synthetic nightly runs with known changes, what the command reports about them, its gate
 * and its page. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "model/record.h"
#include "publish/archive/archive.h"
#include "publish/db/db.h"
#include "publish/history/history.h"
#include "synthetic.h"

#include "page.h" /* last: its macro fail() hides the lab's function */

#define HOME "build-history/"
#define DB HOME "lab.db"
#define VARIANT(algorithm) "softmax/" algorithm "/dtype=f32/isa=avx2/cc=gcc-12/policy=off"
enum { NIGHTS = 14 };

/* The results of one night's run. The noise is a fixed pattern of 1%. */
struct night {
    int day;
    const char *machine, *code, *bits, *invariant_bits, *microcode, *glibc;
    double ns, max_ulp;
};

static void add_cell(const char *folder, const char *variant, double ns, const char *code,
                     const char *bits, double max_ulp)
{
    add_timing(folder, variant,
               (struct timing_facts){
                   .rows = 64, .n = 64, .processes = 5, .ns_per_row = ns, .spread = 0.01});
    add_codegen(folder, variant, "gcc-12", "-ffp-contract=off", code, 0, 0);
    add_accuracy(folder, variant,
                 (struct accuracy_facts){.max_ulp = max_ulp, .mean_ulp = 0.25, .bits = bits});
}

static void make_night(const char *folder, struct night n)
{
    char command[500];
    make_folder(folder, (struct run_facts){.slug = n.machine, .commit = n.code});
    snprintf(command, sizeof command,
             "sed -i 's/2026-11-21T06/2026-11-%02dT06/; s/\"findings\"/\"run\": \"%s%02d\", &/; "
             "s/\"features\"/\"microcode\": \"%s\", \"libraries\": {\"glibc\": \"%s\"}, &/' "
             "%s/machine.json",
             n.day, n.machine, n.day, n.microcode, n.glibc, folder);
    if (system(command) != 0) fail_msg("%s", command);
    double noise = 1 + 0.01 * ((n.day * 7 % 5) - 2) / 2;
    add_cell(folder, VARIANT("threepass"), n.ns * noise, n.code, n.bits, n.max_ulp);
    add_cell(folder, VARIANT("invariant"), 100 * noise, "same", n.invariant_bits, 1);
    add_cell(folder, VARIANT("online"), 100 / noise, "same", "same", 1);
}

/* Returns the results of a day. From day 9 on threepass has other code and takes 10% longer; on day
 * 11 its error grows; on day 12 the microcode changes, and the invariant kernel's bits do without a
 * change of its code. The other machine never changes. */
static struct night night_of(int day, bool other)
{
    return (struct night){.day = day,
                          .machine = other ? "other" : "made",
                          .code = !other && day >= 9 ? "bbbb" : "aaaa",
                          .bits = other       ? "x"
                                  : day >= 11 ? "b11"
                                  : day >= 9  ? "b9"
                                              : "b1",
                          .invariant_bits = !other && day >= 12 ? "i12" : "i1",
                          .glibc = !other && day >= 11 ? "2.37" : "2.36",
                          .microcode = !other && day >= 12 ? "0x2" : "0x1",
                          .ns = !other && day >= 9 ? 110 : 100,
                          .max_ulp = !other && day >= 11 ? 3 : 2};
}

static int make_nights(void **state)
{
    (void)state;
    struct lab_db l;
    struct error e = {""};
    struct archive_outcome outcome;
    if (system("rm -rf " HOME "; mkdir -p " HOME) != 0) return -1;
    assert_int_equal(db_open(&l, DB, LAB_WRITE, &e), 0);
    for (int i = 0; i < 2 * NIGHTS; i++) {
        make_night(HOME "night", night_of(1 + i / 2, i % 2));
        if (archive_add(&l, HOME "night", &outcome, &e)) fail_msg("%s", e.text);
        assert_int_equal(outcome.state, ADDED);
    }
    lab_close(&l);
    return 0;
}

static json_t *history_of(const char *options)
{
    char line[800];
    snprintf(line, sizeof line, "'%s' history " DB " --json %s >" HOME "out 2>" HOME "err",
             drive_program("ulplab"), options);
    assert_int_equal(system(line), 0);
    json_t *document = json_load_file(HOME "out", 0, NULL);
    assert_non_null(document);
    return document;
}

/* Returns the n-th change of a kind in a cell whose name contains the words; NULL if there is none.
 */
static const json_t *change_of(const json_t *document, const char *kind, const char *words)
{
    const json_t *change;
    size_t i;
    json_array_foreach(json_object_get(document, "changes"), i, change)
    {
        if (!strcmp(record_text(change, "kind"), kind) &&
            strstr(record_text(change, "cell"), words))
            return change;
    }
    return NULL;
}

static void every_change_is_found_and_nothing_else(void **state)
{
    (void)state;
    json_t *d = history_of("");
    assert_int_equal(json_array_size(json_object_get(d, "changes")), 4);
    assert_int_equal(json_integer_value(json_object_get(d, "runs")), 2 * NIGHTS);
    assert_int_equal(json_integer_value(json_object_get(d, "series")), 6);

    const json_t *time = change_of(d, "time", "threepass");
    assert_string_equal(record_text(time, "cell"), VARIANT("threepass") "/rows=64/n=64/threads=1");
    assert_string_equal(record_text(time, "run"), "made09");
    assert_string_equal(record_text(time, "before"), "made08");
    assert_string_equal(record_text(time, "machine"), "made");
    assert_string_equal(record_text(time, "with"), "kernel code");
    assert_true(record_number(time, "ratio") > 1.09 && record_number(time, "ratio") < 1.11);
    assert_true(record_number(time, "ci_low") < 1.1 && record_number(time, "ci_high") > 1.1);
    assert_true(json_is_true(json_object_get(time, "gates")));

    const json_t *error = change_of(d, "error", "threepass");
    assert_string_equal(record_text(error, "run"), "made11");
    assert_true(record_number(error, "old") == 2 && record_number(error, "new") == 3);
    assert_true(json_is_true(json_object_get(error, "gates")));
    assert_string_equal(record_text(error, "with"), "library");

    /* Bits changed with equal errors: on day 9 those of a kernel that promises nothing, on day 12
     * those of one that makes a promise. */
    const json_t *bits = change_of(d, "bits", "threepass");
    assert_string_equal(record_text(bits, "run"), "made09");
    assert_false(json_is_true(json_object_get(bits, "gates")));
    const json_t *invariant = change_of(d, "bits", "invariant");
    assert_string_equal(record_text(invariant, "run"), "made12");
    assert_string_equal(record_text(invariant, "with"), "microcode");
    assert_true(json_is_true(json_object_get(invariant, "gates")));
    json_decref(d);
}

static void runs_and_cells_can_be_chosen(void **state)
{
    (void)state;
    const struct {
        const char *options;
        size_t changes;
    } cases[] = {{"--machine other", 0},
                 {"--machine made", 4},
                 {"--since 2026-11-11", 2},
                 {"--filter algorithm=online", 0},
                 {"--filter algorithm=invariant", 1},
                 {"--last 4", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *d = history_of(cases[i].options);
        size_t count = json_array_size(json_object_get(d, "changes"));
        if (count != cases[i].changes) fail_msg("%s: %zu", cases[i].options, count);
        json_decref(d);
    }
}

static int exit_of(const char *options)
{
    char line[800];
    snprintf(line, sizeof line, "'%s' history " DB " --gate %s >" HOME "out 2>" HOME "err",
             drive_program("ulplab"), options);
    return WEXITSTATUS(system(line));
}

static void the_gate(void **state)
{
    (void)state;
    assert_int_equal(exit_of(""), EXIT_GATE);
    assert_int_equal(exit_of("--machine other"), EXIT_DONE);
    assert_int_equal(exit_of("--since 2026-11-13"), EXIT_DONE);
    assert_int_equal(exit_of("--filter algorithm=online"), EXIT_DONE);
    assert_int_equal(exit_of("--filter algorithm=invariant"), EXIT_GATE);
    /* A threshold of 25% allows a slowdown of 10%. */
    struct lab_db l;
    struct error e = {""};
    struct history h;
    assert_int_equal(db_open(&l, DB, LAB_READ, &e), 0);
    const struct history_request q = {.selector = "machine=made", .last = 200, .threshold = 0.25};
    assert_int_equal(history_open(&l, &q, &h, &e), 0);
    for (size_t i = 0; i < h.change_count; i++)
        if (h.changes[i].kind == HISTORY_TIME) assert_false(h.changes[i].gates);
    history_free(&h);
    lab_close(&l);
}

/* A gate over no cells fails. */
static void a_gate_that_looked_at_nothing(void **state)
{
    (void)state;
    static const char *const options[] = {"--filter op=sofmax", "--last 1",
                                          "--filter algorithm=online --last 1"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (exit_of(options[i]) != EXIT_GATE) fail_msg("%s", options[i]);
}

static void dates_are_dates(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "yesterday", "'last week'", "2026-13-45",  "2026-02-30", "2026-11-1",
        "26",        "''",          "2026-11-01x", "2027-01-01", "2026-11-14T25:00"};
    static const char *const right[] = {"2026", "2026-11", "2026-11-01", "2026-11-01T05:30",
                                        "2026-11-01T05:30:00Z"};
    char option[80];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(option, sizeof option, "--since %s", wrong[i]);
        if (exit_of(option) != EXIT_USAGE) fail_msg("%s", option);
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        snprintf(option, sizeof option, "--since %s", right[i]);
        if (exit_of(option) != EXIT_GATE) fail_msg("%s", option);
    }
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"archive", "list", DB ":date=2026-13", NULL}};
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_USAGE, "no date");
    drive_free(&o);
}

static void what_makes_no_sense_is_said(void **state)
{
    (void)state;
    assert_int_equal(exit_of("--machine nowhere"), EXIT_USAGE);
    struct drive d = {.program = drive_program("ulplab"), .arguments = {"history", HOME, NULL}};
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_USAGE, "name one archive");
    drive_free(&o);
}

static void a_page_in_no_folder(void **state)
{
    (void)state;
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"history", DB, "--machine", "other", "--page",
                                    HOME "nowhere/history.html", NULL}};
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_BAD_INPUT, "make its folder first");
    drive_free(&o);
}

static void the_page_in_a_browser(void **state)
{
    (void)state;
    assert_int_equal(exit_of("--machine other --page " HOME "history.html"), EXIT_DONE);
    assert_int_equal(exit_of("--page " HOME "history.html"), EXIT_GATE);
    if (system("! grep -qE 'https?://[^w]' " HOME "history.html") != 0)
        fail_msg("it loads something");
    page_in_a_browser(HOME "history.html", "tests/browser_history.js", "all");
}

/* Quick and full runs alternate; each is compared with the last one of its own grid. The bits
 * change on day 5 in full runs and on day 6 in quick ones; on day 8 only the measure of errors
 * changes. */
static void grids_may_take_turns(void **state)
{
    (void)state;
    struct lab_db l;
    struct error e = {""};
    struct archive_outcome outcome;
    struct history h;
    assert_int_equal(db_open(&l, HOME "turns.db", LAB_WRITE, &e), 0);
    for (int day = 1; day <= 8; day++) {
        char command[300];
        make_folder(HOME "turn", (struct run_facts){.slug = "turns"});
        snprintf(command, sizeof command,
                 "sed -i 's/2026-11-21T06/2026-11-%02dT06/; s/\"findings\"/\"run\": \"turn%02d\", "
                 "&/' " HOME "turn/machine.json",
                 day, day);
        assert_int_equal(system(command), 0);
        add_accuracy(HOME "turn", VARIANT("invariant"),
                     (struct accuracy_facts){.n = day % 2 ? 64 : 32,
                                             .max_ulp = day < 8 ? 1 : 1.5,
                                             .mean_ulp = 0.25,
                                             .bits = day < 5 ? "b1" : "b2"});
        add_timing(HOME "turn", VARIANT("invariant"),
                   (struct timing_facts){
                       .rows = 64, .n = 64, .processes = 5, .ns_per_row = 100, .spread = 0.01});
        if (archive_add(&l, HOME "turn", &outcome, &e)) fail_msg("%s", e.text);
    }
    const struct history_request q = {.selector = "", .last = 200, .threshold = 0.02};
    assert_int_equal(history_open(&l, &q, &h, &e), 0);
    assert_int_equal(h.change_count, 3); /* the newest run first */
    static const char *const runs[] = {"turn08", "turn06", "turn05"}, *const before[] = {"turn06",
                                                                                         "turn04",
                                                                                         "turn03"};
    static const enum history_kind kinds[] = {HISTORY_ERROR, HISTORY_BITS, HISTORY_BITS};
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(h.runs[h.changes[i].run].run, runs[i]);
        assert_string_equal(h.runs[h.changes[i].before].run, before[i]);
        assert_int_equal(h.changes[i].kind, kinds[i]);
        assert_true(h.changes[i].gates);
    }
    history_free(&h);
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_found_and_nothing_else),
        cmocka_unit_test(runs_and_cells_can_be_chosen),
        cmocka_unit_test(the_gate),
        cmocka_unit_test(a_gate_that_looked_at_nothing),
        cmocka_unit_test(dates_are_dates),
        cmocka_unit_test(grids_may_take_turns),
        cmocka_unit_test(what_makes_no_sense_is_said),
        cmocka_unit_test(a_page_in_no_folder),
        cmocka_unit_test(the_page_in_a_browser),
    };
    int failed = cmocka_run_group_tests(tests, make_nights, NULL);
    return failed || system("rm -rf " HOME);
}
