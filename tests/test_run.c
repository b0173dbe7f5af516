// SPDX-License-Identifier: MIT
/* `ulplab run` from outside: its files, its determinism, its interruption and its resumption. */
// test: 38 s of a core
#include <errno.h>
#include <sys/stat.h>

#include <jansson.h>

#include "base/error.h"
#include "base/file.h"
#include "build.h"
#include "machine/cpu.h"
#include "model/record.h"
#include "scratch.h"

#include "drive.h"

static const char *const few =
    "op=moments algorithm=invariant,welford dtype=f32 isa=avx2 policy=off,fast";

/* Runs without what takes most of the time of a run of a few cells: the CPU's limits, and a case
 * study of AVX-512 with 2^32 inputs. */
static struct outcome run_into(const char *out, const char *more, const char *interrupt_at)
{
    const struct drive d = {
        .program = drive_program("ulplab"),
        .arguments = {"run", "--quick", "--no-limits", "--hide-isa", "avx512", "--filter", few,
                      "--out", out, more},
        .interrupt_at = interrupt_at,
    };
    return drive(&d);
}

static size_t lines(const char *path)
{
    json_t *records;
    struct error e;
    if (record_read(path, false, &records, &e) != 0) fail_msg("%s", e.text);
    size_t count = json_array_size(records);
    json_decref(records);
    return count;
}

TEST(a_run_leaves_its_files_and_says_where_the_report_is)
{
    const struct drive d = {
        .program = drive_program("ulplab"),
        .arguments = {"run", "--quick", "--filter", few, "--out", scratch_path("a")}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    assert_non_null(strstr(o.out, "a/report.md\n"));
    static const char *const files[] = {"a/codegen.jsonl", "a/accuracy.jsonl", "a/diverge.jsonl",
                                        "a/timing.jsonl"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_true(lines(scratch_path(files[i])) > 0);
    char *report = scratch_read("a/report.md");
    assert_non_null(strstr(report, "## The answer"));
    assert_non_null(strstr(report, "| moments |"));
    free(report);
    report = scratch_read("a/report.html");
    assert_non_null(strstr(report, "<h2>What bits depend on</h2>"));
    assert_non_null(strstr(report, "<h2>Measured over proven bound</h2>"));
    free(report);
    drive_free(&o);
}

/* Every softmax kernel is also a log_softmax kernel: an operation like others, with the same
 * machine code. */
TEST(a_run_has_log_softmax)
{
    const char *cc = build_compilers[0].cc;
    char filter[160], id[120];
    snprintf(filter, sizeof filter,
             "op=softmax,log_softmax algorithm=invariant dtype=f32 isa=avx2 cc=%s policy=off", cc);
    snprintf(id, sizeof id, "log_softmax/invariant/dtype=f32/isa=avx2/cc=%s/policy=off", cc);
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"run", "--quick", "--filter", filter, "--out",
                                    scratch_path("log"), "--shapes", "2x64", "--no-limits",
                                    "--hide-isa", "avx512"}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    drive_free(&o);
    struct cpu cpu;
    struct error e;
    char reason[128];
    bool can = cpu_detect(&cpu, NULL, &e) == 0 && cpu_supports(&cpu, "avx2", reason, sizeof reason);
    static const char *const files[] = {"codegen", "accuracy", "timing", "diverge"};
    char cell[160];
    snprintf(cell, sizeof cell, "\"%s/rows=2/n=64/threads=1\"", id);
    char *report = scratch_read("log/report.html"), *timing = scratch_read("log/timing.jsonl");
    assert_non_null(strstr(timing, cell));
    assert_int_equal(strstr(report, "log_softmax</th><td>avx2</td><td>2x64</td>") != NULL, can);
    free(report);
    free(timing);
    for (size_t i = 0; i < 4; i++) {
        char path[40];
        snprintf(path, sizeof path, "log/%s.jsonl", files[i]);
        char *text = scratch_read(path);
        assert_int_equal(strstr(text, id) != NULL, can || i != 3);
        free(text);
    }
    /* The records of both operations have the same code hash. */
    d = (struct drive){
        .program = drive_program("ulplab"),
        .arguments = {"sql", scratch_path("log"), "--csv",
                      "SELECT count(*), count(DISTINCT hash), length(hash) FROM codes"}};
    o = drive(&d);
    assert_non_null(strstr(o.out, "\n2,1,16\n"));
    drive_free(&o);
}

/* The accuracy records of a run without the run's identity; the caller frees the text. */
static char *accuracy_of(const char *name)
{
    struct error e;
    char path[40], *text;
    snprintf(path, sizeof path, "%s/machine.json", name);
    json_t *machine = json_load_file(scratch_path(path), 0, NULL);
    snprintf(path, sizeof path, "%s/accuracy.jsonl", name);
    text = scratch_read(path);
    size_t size = strlen(text), before = size;
    if (record_run_unstamp_text(record_run_of(machine), path, text, &size, &e))
        fail_msg("%s", e.text);
    assert_true(size < before);
    text[size] = '\0';
    json_decref(machine);
    return text;
}

TEST(two_runs_have_the_same_accuracy_to_the_byte)
{
    struct outcome o = run_into(scratch_path("b"), NULL, NULL);
    assert_int_equal(o.code, EXIT_DONE);
    char *a = accuracy_of("a"), *b = accuracy_of("b");
    assert_string_equal(a, b);
    free(a);
    free(b);
    drive_free(&o);
}

TEST(an_interrupted_run_keeps_what_there_is_and_resumes)
{
    char begun[200];
    snprintf(begun, sizeof begun, "%s", scratch_path("c/accuracy.jsonl"));
    struct outcome o = run_into(scratch_path("c"), NULL, begun);
    if (o.code == EXIT_DONE) { /* the signal came too late */
        drive_free(&o);
        skip();
    }
    assert_int_equal(o.code, EXIT_SIGINT);
    assert_non_null(strstr(o.err, "interrupted: "));
    char command[200];
    snprintf(command, sizeof command, "'ulplab run --resume --out %s' goes on", scratch_path("c"));
    assert_non_null(strstr(o.err, command));
    drive_free(&o);

    /* A line cut in the middle, as after a power failure. */
    FILE *f = fopen(scratch_path("c/accuracy.jsonl"), "ab");
    assert_non_null(f);
    fputs("{\"record\":\"accuracy\",\"id\":\"mom", f);
    fclose(f);

    /* The options are the folder's where none is given. */
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"run", "--resume", "--out", scratch_path("c")}};
    o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    char *a = accuracy_of("a"), *c = accuracy_of("c");
    assert_string_equal(a, c);
    assert_int_equal(lines(scratch_path("b/timing.jsonl")), lines(scratch_path("c/timing.jsonl")));
    free(a);
    free(c);
    drive_free(&o);
}

TEST(another_request_cannot_resume)
{
    struct drive d = {
        .program = drive_program("ulplab"),
        .arguments = {"run", "--resume", "--quick", "--seed", "7", "--out", scratch_path("a")}};
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_BAD_INPUT,
                     "not a run of this build with the same options: seed there: 1, here: 7");
    drive_free(&o);
    d = (struct drive){.program = drive_program("ulplab"),
                       .arguments = {"run", "--resume", "--quick", "--filter", few, "--hide-isa",
                                     "avx512", "--out", scratch_path("a")}};
    o = drive(&d);
    assert_one_error(&o, EXIT_BAD_INPUT, "not a run of this build with the same options");
    drive_free(&o);
}

/* Rows that were skipped on one processor are not taken over on another. */
TEST(another_machine_cannot_resume)
{
    char command[400];
    snprintf(command, sizeof command, "cp -r '%s' '%s'", scratch_path("b"), scratch_path("moved"));
    assert_int_equal(system(command), 0);
    json_t *document = json_load_file(scratch_path("moved/machine.json"), 0, NULL);
    json_t *machine = json_object_get(document, "machine");
    assert_int_equal(json_object_set_new(machine, "slug", json_string("another-1-2-3")), 0);
    assert_int_equal(json_dump_file(document, scratch_path("moved/machine.json"), 0), 0);
    json_decref(document);
    struct outcome o = run_into(scratch_path("moved"), "--resume", NULL);
    assert_one_error(&o, EXIT_BAD_INPUT,
                     "not a run of this build with the same options: that one is of another CPU");
    drive_free(&o);
}

/* Lets the n-th read fail, for growing n: one of them reads the program, whose hash --resume
 * compares. */
TEST(a_program_that_cannot_be_read_is_said)
{
    char shim[512], fault[32];
    bool told = false;
    snprintf(shim, sizeof shim, "%s", drive_program("shim.so"));
    if (access(shim, R_OK) != 0) skip(); /* not built with sanitizers */
    for (int nth = 100; nth < 400 && !told; nth += 25) {
        snprintf(fault, sizeof fault, "read %d %d lab", nth, EIO);
        setenv("LD_PRELOAD", shim, 1);
        setenv("FAULT", fault, 1);
        struct outcome o = run_into(scratch_path("unread"), NULL, NULL);
        unsetenv("LD_PRELOAD");
        unsetenv("FAULT");
        told = strstr(o.err, "/proc/self/exe: cannot be read: Input/output error") != NULL;
        if (told) {
            assert_int_equal(o.code, EXIT_BAD_INPUT);
        } else if (o.code == EXIT_DONE) {
            char *machine = scratch_read("unread/machine.json");
            assert_null(strstr(machine, "\"program\": null"));
            free(machine);
        }
        drive_free(&o);
    }
    assert_true(told);
}

TEST(a_second_run_into_the_folder_is_refused)
{
    struct error e;
    int lock;
    assert_int_equal(folder_make(scratch_path("held"), &e), 0);
    assert_int_equal(folder_lock(scratch_path("held"), &lock, &e), 0);
    struct outcome o = run_into(scratch_path("held"), NULL, NULL);
    assert_one_error(&o, EXIT_BAD_INPUT, "another run writes here");
    folder_unlock(lock);
    drive_free(&o);
}

TEST(rows_beyond_the_memory_are_refused)
{
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"run", "--quick", "--shapes", "999999999x4096", "--out",
                                    scratch_path("huge")}};
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_USAGE, "over half of the memory");
    drive_free(&o);
}

TEST(a_folder_of_a_long_name_is_refused)
{
    char name[1200];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    static const char *const commands[] = {"report", "policy", "export"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct drive d = {.program = drive_program("ulplab"), .arguments = {commands[i], name}};
        struct outcome o = drive(&d);
        assert_one_error(&o, EXIT_USAGE, "longer than 1023 bytes");
        drive_free(&o);
    }
}

static off_t size_of(const char *name)
{
    struct stat st;
    if (stat(scratch_path(name), &st) != 0) fail_msg("%s: %s", name, strerror(errno));
    return st.st_size;
}

/* The disk has room for codegen.jsonl, which is written first, but not for accuracy.jsonl. */
TEST(a_full_disk_is_said_and_finished_records_stay)
{
    off_t before = size_of("a/codegen.jsonl"), whole = size_of("a/accuracy.jsonl");
    assert_true(before < whole);
    struct drive d = {
        .program = drive_program("ulplab"),
        .arguments = {"run", "--quick", "--quiet", "--filter", few, "--out", scratch_path("full")},
        .file_limit = (rlim_t)(before + whole) / 2,
    };
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_BAD_INPUT, "accuracy.jsonl");
    assert_true(lines(scratch_path("full/accuracy.jsonl")) > 0);
    drive_free(&o);
}

/* The constraint `stable` of policy uses the results of diverge. */
TEST(policy_knows_what_is_stable)
{
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"policy", scratch_path("a"), "--json"}};
    struct outcome o = drive(&d);
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    const json_t *policies = json_object_get(document, "policies"), *row;
    size_t i;
    assert_true(json_array_size(policies) > 0);
    json_array_foreach(policies, i, row)
        assert_true(json_is_true(json_object_get(json_object_get(row, "stable"), "threads")));
    json_decref(document);
    drive_free(&o);
}

/* A run keeps the adversarial inputs with which it began, whatever `search` finds meanwhile. */
TEST(new_adversarial_inputs_are_no_resumption)
{
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"search", "moments", "--evaluations", "1", "--n", "9",
                                    "--quiet", "--filter", few, "--out", scratch_path("found")}};
    struct outcome o = run_into(scratch_path("found"), NULL, NULL);
    assert_int_equal(o.code, EXIT_DONE);
    drive_free(&o);
    o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    drive_free(&o);
    o = run_into(scratch_path("found"), "--resume", NULL);
    assert_one_error(&o, EXIT_BAD_INPUT, "the same options: adversarial there: ");
    drive_free(&o);
    o = run_into(scratch_path("found"), NULL, NULL);
    assert_int_equal(o.code, EXIT_DONE);
    char *accuracy = scratch_read("found/accuracy.jsonl");
    char *report = scratch_read("found/report.html");
    assert_non_null(strstr(accuracy, "\"family\":\"adversarial\",\"n\":9,\"inputs\":"));
    assert_non_null(strstr(report, "<h2>Worst inputs found</h2>"));
    free(accuracy);
    free(report);
    drive_free(&o);
}

TEST(an_unwritable_folder_is_said)
{
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"run", "--quick", "--out", "/proc/nowhere"}};
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_BAD_INPUT, "/proc/nowhere");
    drive_free(&o);
}

TEST(a_report_is_made_again_from_files_alone)
{
    char *first = scratch_read("a/report.md");
    assert_int_equal(unlink(scratch_path("a/report.md")), 0);
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"report", scratch_path("a")}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    char *again = scratch_read("a/report.md");
    assert_string_equal(first, again);
    free(first);
    free(again);
    drive_free(&o);
}

TEST(malformed_records_are_named_by_file_and_line)
{
    assert_int_equal(mkdir(scratch_path("bad"), 0777), 0);
    FILE *f = fopen(scratch_path("bad/machine.json"), "wb");
    fputs("{\"machine\": {}}", f);
    fclose(f);
    static const char *const bad[] = {
        "{\"a\":1,\"a\":2}\n", "[1]\n",         "{\"record\":\"accuracy\"}\n",
        "nonsense\n",          "{\"a\":NaN}\n", "{\"record\":\"accuracy\",\"id\":17}\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f = fopen(scratch_path("bad/accuracy.jsonl"), "wb");
        fputs(bad[i], f);
        fclose(f);
        struct drive d = {.program = drive_program("ulplab"),
                          .arguments = {"report", scratch_path("bad")}};
        struct outcome o = drive(&d);
        assert_one_error(&o, EXIT_BAD_INPUT, "accuracy.jsonl");
        drive_free(&o);
    }
}

TEST_GROUP(scratch_open, scratch_close)
