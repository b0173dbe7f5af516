// SPDX-License-Identifier: MIT
/* `ulplab run` from outside: its files, its determinism, its interruption and its resumption. */
// test: 38 s of a core
#include <errno.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "build.h"
#include "drive.h"
#include "facts.h"
#include "filtered.h"
#include "model/record.h"
#include "scratch.h"

#define CELLS "op=moments algorithm=invariant,welford dtype=f32 isa=avx2 policy=off,fast"
#define FEW "--filter '" CELLS "'"
/* Asserts the exit code of a command line, and what it says. */
#define says(...) assert_says(drive_program("ulplab"), __VA_ARGS__)

/* A run without what takes most of the time of a run of a few cells: the CPU's limits, and a case
 * study of AVX-512 with 2^32 inputs. */
#define RUN "run --quick --no-limits --hide-isa avx512 " FEW " --out %s"

static size_t lines(const char *path)
{
    json_t *records;
    struct error e;
    if (record_read(path, false, &records, &e) != 0) fail_msg("%s", e.text);
    return json_array_size(keep(records));
}

TEST(a_run_leaves_its_files_and_says_where_the_report_is)
{
    says(EXIT_DONE, "a/report.md\n", "run --quick " FEW " --out %s", scratch_path("a"));
    static const char *const files[] = {"a/codegen.jsonl", "a/accuracy.jsonl", "a/diverge.jsonl",
                                        "a/timing.jsonl"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_true(lines(scratch_path(files[i])) > 0);
    assert_scratch_says("a/report.md", true, "## The answer");
    assert_scratch_says("a/report.md", true, "| moments |");
    assert_scratch_says("a/report.html", true, "<h2>What bits depend on</h2>");
    assert_scratch_says("a/report.html", true, "<h2>Measured over proven bound</h2>");
}

/* Every softmax kernel is also a log_softmax kernel: an operation like others, with the same
 * machine code. */
TEST(a_run_has_log_softmax)
{
    const char *cc = build_compilers[0].cc;
    char id[120], cell[160];
    snprintf(id, sizeof id, "log_softmax/invariant/dtype=f32/isa=avx2/cc=%s/policy=off", cc);
    snprintf(cell, sizeof cell, "\"%s/rows=2/n=64/threads=1\"", id);
    says(EXIT_DONE, "",
         "run --quick --shapes 2x64 --no-limits --hide-isa avx512 --out %s --filter "
         "'op=softmax,log_softmax algorithm=invariant dtype=f32 isa=avx2 cc=%s policy=off'",
         scratch_path("log"), cc);
    const bool can = cpu_runs("avx2");
    assert_scratch_says("log/timing.jsonl", true, cell);
    assert_scratch_says("log/report.html", can, "log_softmax</th><td>avx2</td><td>2x64</td>");
    assert_scratch_says("log/codegen.jsonl", true, id);
    assert_scratch_says("log/accuracy.jsonl", true, id);
    assert_scratch_says("log/timing.jsonl", true, id);
    assert_scratch_says("log/diverge.jsonl", can, id);
    /* The records of both operations have the same code hash. */
    says(EXIT_DONE, "\n2,1,16\n",
         "sql %s --csv 'SELECT count(*), count(DISTINCT hash), length(hash) FROM codes'",
         scratch_path("log"));
}

/* The accuracy records of a run without the run's identity. */
static char *accuracy_of(const char *name)
{
    struct error e;
    char path[40], *text;
    snprintf(path, sizeof path, "%s/machine.json", name);
    json_t *machine = keep(json_load_file(scratch_path(path), 0, NULL));
    snprintf(path, sizeof path, "%s/accuracy.jsonl", name);
    text = scratch_read(path);
    size_t size = strlen(text), before = size;
    if (record_run_unstamp_text(record_run_of(machine), path, text, &size, &e))
        fail_msg("%s", e.text);
    assert_true(size < before);
    text[size] = '\0';
    return text;
}

TEST(two_runs_have_the_same_accuracy_to_the_byte)
{
    says(EXIT_DONE, "", RUN, scratch_path("b"));
    assert_string_equal(accuracy_of("a"), accuracy_of("b"));
}

TEST(an_interrupted_run_keeps_what_there_is_and_resumes)
{
    char begun[200], again[200];
    snprintf(begun, sizeof begun, "%s", scratch_path("c/accuracy.jsonl"));
    snprintf(again, sizeof again, "'ulplab run --resume --out %s' goes on", scratch_path("c"));
    const struct drive d = {.program = drive_program("ulplab"),
                            .arguments = {"run", "--quick", "--no-limits", "--hide-isa", "avx512",
                                          "--filter", CELLS, "--out", scratch_path("c")},
                            .interrupt_at = begun};
    struct outcome o = drive(&d);
    const int code = o.code;
    const bool told = strstr(o.err, "interrupted: ") && strstr(o.err, again);
    if (code == EXIT_DONE) skip(); /* the signal came too late */
    assert_int_equal(code, EXIT_SIGINT);
    assert_true(told);

    /* A line cut in the middle, as after a power failure. */
    FILE *f = fopen(scratch_path("c/accuracy.jsonl"), "ab");
    assert_non_null(f);
    fputs("{\"record\":\"accuracy\",\"id\":\"mom", f);
    fclose(f);

    /* The options are the folder's where none is given. */
    says(EXIT_DONE, "", "run --resume --out %s", scratch_path("c"));
    assert_string_equal(accuracy_of("a"), accuracy_of("c"));
    assert_int_equal(lines(scratch_path("b/timing.jsonl")), lines(scratch_path("c/timing.jsonl")));
}

#define OTHER "not a run of this build with the same options"

TEST(another_request_cannot_resume)
{
    says(EXIT_BAD_INPUT, OTHER ": seed there: 1, here: 7", "run --resume --quick --seed 7 --out %s",
         scratch_path("a"));
    says(EXIT_BAD_INPUT, OTHER, "run --resume --quick " FEW " --hide-isa avx512 --out %s",
         scratch_path("a"));
}

/* Rows that were skipped on one processor are not taken over on another. */
TEST(another_machine_cannot_resume)
{
    must_format("cp -r '%s' '%s'", scratch_path("b"), scratch_path("moved"));
    json_t *document = keep(json_load_file(scratch_path("moved/machine.json"), 0, NULL));
    json_t *machine = json_object_get(document, "machine");
    assert_int_equal(json_object_set_new(machine, "slug", json_string("another-1-2-3")), 0);
    assert_int_equal(json_dump_file(document, scratch_path("moved/machine.json"), 0), 0);
    says(EXIT_BAD_INPUT, OTHER ": that one is of another CPU", RUN " --resume",
         scratch_path("moved"));
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
        struct outcome o = drive_line(drive_program("ulplab"), RUN, scratch_path("unread"));
        unsetenv("LD_PRELOAD");
        unsetenv("FAULT");
        told = strstr(o.err, "/proc/self/exe: cannot be read: Input/output error") != NULL;
        if (told) assert_int_equal(o.code, EXIT_BAD_INPUT);
        if (o.code == EXIT_DONE)
            assert_scratch_says("unread/machine.json", false, "\"program\": null");
    }
    assert_true(told);
}

TEST(a_second_run_into_the_folder_is_refused)
{
    struct error e;
    int lock;
    assert_int_equal(folder_make(scratch_path("held"), &e), 0);
    assert_int_equal(folder_lock(scratch_path("held"), &lock, &e), 0);
    says(EXIT_BAD_INPUT, "another run writes here", RUN, scratch_path("held"));
    folder_unlock(lock);
}

TEST(rows_beyond_the_memory_are_refused)
{
    says(EXIT_USAGE, "over half of the memory", "run --quick --shapes 999999999x4096 --out %s",
         scratch_path("huge"));
}

TEST(a_folder_of_a_long_name_is_refused)
{
    char name[1200];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    static const char *const commands[] = {"report", "policy", "export"};
    for (size_t i = 0; i < 3; i++)
        says(EXIT_USAGE, "longer than 1023 bytes", "%s %s", commands[i], name);
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
        .arguments = {"run", "--quick", "--quiet", "--filter", CELLS, "--out",
                      scratch_path("full")},
        .file_limit = (rlim_t)(before + whole) / 2,
    };
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_BAD_INPUT, "accuracy.jsonl");
    assert_true(lines(scratch_path("full/accuracy.jsonl")) > 0);
}

/* The constraint `stable` of policy uses the results of diverge. */
TEST(policy_knows_what_is_stable)
{
    json_t *document =
        drive_json(drive_program("ulplab"), EXIT_DONE, "policy %s --json", scratch_path("a"));
    assert_every(json_object_get(document, "policies"), 1, "stable.threads=true");
}

/* A run keeps the adversarial inputs with which it began, whatever `search` finds meanwhile. */
TEST(new_adversarial_inputs_are_no_resumption)
{
    char out[200];
    snprintf(out, sizeof out, "%s", scratch_path("found"));
    says(EXIT_DONE, "", RUN, out);
    says(EXIT_DONE, "", "search moments --evaluations 1 --n 9 --quiet " FEW " --out %s", out);
    says(EXIT_BAD_INPUT, "the same options: adversarial there: ", RUN " --resume", out);
    says(EXIT_DONE, "", RUN, out);
    assert_scratch_says("found/accuracy.jsonl", true,
                        "\"family\":\"adversarial\",\"n\":9,\"inputs\":");
    assert_scratch_says("found/report.html", true, "<h2>Worst inputs found</h2>");
}

TEST(an_unwritable_folder_is_said)
{
    says(EXIT_BAD_INPUT, "/proc/nowhere", "run --quick --out /proc/nowhere");
}

TEST(a_report_is_made_again_from_files_alone)
{
    char *first = scratch_read("a/report.md");
    assert_int_equal(unlink(scratch_path("a/report.md")), 0);
    says(EXIT_DONE, "", "report %s", scratch_path("a"));
    assert_string_equal(first, scratch_read("a/report.md"));
}

TEST(malformed_records_are_named_by_file_and_line)
{
    assert_int_equal(mkdir(scratch_path("bad"), 0777), 0);
    scratch_write("bad/machine.json", "{\"machine\": {}}");
    static const char *const bad[] = {
        "{\"a\":1,\"a\":2}\n", "[1]\n",         "{\"record\":\"accuracy\"}\n",
        "nonsense\n",          "{\"a\":NaN}\n", "{\"record\":\"accuracy\",\"id\":17}\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scratch_write("bad/accuracy.jsonl", bad[i]);
        says(EXIT_BAD_INPUT, "accuracy.jsonl", "report %s", scratch_path("bad"));
    }
}

TEST_GROUP(scratch_open, scratch_close)
