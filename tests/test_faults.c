// SPDX-License-Identifier: MIT
/* Kernels that crash, hang and lie (tests/fixtures, built by `make faults`): each gets a status in
 * its row, and the lab goes on. */
// test: 24 s of a core
#include <sys/stat.h>

#include <jansson.h>

#include "base/error.h"
#include "model/npy.h"
#include "scratch.h"

#include "drive.h"

static char x_npy[64], y_npy[64];

static const char *program(void)
{
    return drive_program("faults/ulplab");
}

static int set_up(void **state)
{
    float data[6] = {1, 2, 3, 4, 5, 6};
    const struct npy x = {.data = data, .rows = 2, .cols = 3, .ndim = 2};
    struct error e;
    if (scratch_open(state)) return -1;
    snprintf(x_npy, sizeof x_npy, "%s/x.npy", scratch);
    snprintf(y_npy, sizeof y_npy, "%s/y.npy", scratch);
    return npy_write(x_npy, &x, &e);
}

static void need_the_build(void)
{
    if (access(program(), X_OK) != 0) skip(); /* not built with sanitizers (SAN=1) */
}

/* ---- list ------------------------------------------------------------------------------------ */

TEST(list_says_what_a_compiler_refused)
{
    need_the_build();
    struct drive d = {.program = program(), .arguments = {"list", "--json"}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL), *row;
    size_t i, unbuilt = 0;
    assert_non_null(document);
    json_array_foreach(json_object_get(document, "variants"), i, row)
    {
        const char *status = json_string_value(json_object_get(row, "status"));
        const char *cc = json_string_value(json_object_get(row, "cc"));
        const char *algorithm = json_string_value(json_object_get(row, "algorithm"));
        if (!strcmp(cc, "lib")) continue; /* peers belong to the machine, not to this build */
        bool refused = !strcmp(algorithm, "uncompilable") && !strstr(cc, "clang");
        assert_string_equal(status, refused ? "unbuilt" : "ok");
        unbuilt += refused;
        if (refused)
            assert_non_null(strstr(json_string_value(json_object_get(row, "reason")),
                                   "this kernel is not for gcc"));
    }
    if (strstr(o.out, "cc=gcc")) assert_true(unbuilt > 0);
    json_decref(document);
    drive_free(&o);
}

/* ---- One run per fixture --------------------------------------------------------------------- */

/* Writes the id of a fixture's first variant. */
static void id_of(const char *algorithm, char *id, size_t size)
{
    char filter[64];
    snprintf(filter, sizeof filter, "algorithm=%s", algorithm);
    struct drive d = {.program = program(), .arguments = {"list", "--filter", filter}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    snprintf(id, size, "%.*s", (int)strcspn(o.out, " "), o.out);
    drive_free(&o);
}

/* The result of `eval` on each fixture; says: what its error line names, NULL if it succeeds.
 * `eval` cannot see a wrong result, nor a read past the row if there is no guard page: accuracy
 * can. */
static const struct {
    const char *algorithm;
    int code;
    const char *says;
} evals[] = {
    {"twopass", EXIT_DONE, NULL},
    {"wrong", EXIT_DONE, NULL},
    {"overread", EXIT_DONE, NULL},
    {"illegal", EXIT_PARTIAL, "sigill"},
    {"construct", EXIT_PARTIAL, "sigill"},
    {"crash", EXIT_PARTIAL, "sigsegv"},
    {"divide", EXIT_PARTIAL, "sigfpe"},
    {"quit", EXIT_PARTIAL, "killed"},
    {"hang", EXIT_PARTIAL, "timeout"},
    {"ftz", EXIT_PARTIAL, "MXCSR"},
    {"mmx", EXIT_PARTIAL, "MMX"},
    {"loud", EXIT_DONE, NULL},
    {"forks", EXIT_DONE, NULL},
    {"closes", EXIT_PARTIAL, "killed"},
    {"writes", EXIT_PARTIAL, "killed"},
    {"threads", EXIT_DONE, NULL},
    {"signals", EXIT_DONE, NULL},
};

TEST(eval_survives)
{
    need_the_build();
    for (size_t i = 0; i < sizeof evals / sizeof *evals; i++) {
        char id[256];
        const bool hangs = !strcmp(evals[i].algorithm, "hang");
        id_of(evals[i].algorithm, id, sizeof id);
        unlink(y_npy);
        struct drive d = {.program = program(),
                          .arguments = {"eval", "--variant", id, "--in", x_npy, "--out", y_npy,
                                        "--timeout", hangs ? "1" : "60"}};
        struct outcome o = drive(&d);
        if (evals[i].says) {
            assert_one_error(&o, evals[i].code, evals[i].says);
            assert_non_null(strstr(o.err, id));
        } else {
            assert_int_equal(o.code, evals[i].code);
        }
        /* The output is complete, or does not exist. */
        assert_int_equal(access(y_npy, F_OK) == 0, evals[i].code == EXIT_DONE);
        drive_free(&o);
    }
}

TEST(eval_refuses_the_unbuilt)
{
    need_the_build();
    char id[256];
    id_of("uncompilable", id, sizeof id);
    if (strstr(id, "clang")) skip(); /* only clang can build it */
    struct drive d = {.program = program(),
                      .arguments = {"eval", "--variant", id, "--in", x_npy, "--out", y_npy}};
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_USAGE, "unbuilt");
    drive_free(&o);
}

TEST(eval_is_interrupted)
{
    need_the_build();
    char id[256];
    id_of("hang", id, sizeof id);
    struct drive d = {.program = program(),
                      .arguments = {"eval", "--variant", id, "--in", x_npy, "--out", y_npy},
                      .interrupt_at = "/"};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_SIGINT);
    drive_free(&o);
}

/* ---- Commands that make rows: a status per fixture ------------------------------------------- */

/* The status that each fixture's rows must have, and the exit code of the run. Slow commands get
 * little to do. */
#define ACCURACY(fixture)                                                                          \
    {                                                                                              \
        "accuracy", "--json", "--n", "64", "--family", "normal", "--samples", "4096", "--filter",  \
            "algorithm=" fixture                                                                   \
    }
#define BENCH(fixture)                                                                             \
    {                                                                                              \
        "bench", "--json", "--filter", "algorithm=twopass," fixture, "--shapes", "2x64",           \
            "--threads", "1", "--processes", "2", "--samples", "3", "--no-limits"                  \
    }
static const struct run_case {
    const char *arguments[16];
    const char *algorithm, *status; /* the fixture whose rows are looked at, and their status */
    int code;
} runs[] = {
    {{"codegen", "--json", "--filter", "algorithm=illegal"}, "illegal", "ok", EXIT_DONE},
    {ACCURACY("twopass"), "twopass", "ok", EXIT_DONE},
    {ACCURACY("illegal"), "illegal", "sigill", EXIT_PARTIAL},
    {ACCURACY("construct"), "construct", "sigill", EXIT_PARTIAL},
    {ACCURACY("crash"), "crash", "sigsegv", EXIT_PARTIAL},
    {ACCURACY("overread"), "overread", "sigsegv", EXIT_PARTIAL}, /* reads into the guard page */
    {ACCURACY("divide"), "divide", "sigfpe", EXIT_PARTIAL},
    {ACCURACY("quit"), "quit", "killed", EXIT_PARTIAL},
    {ACCURACY("wrong"), "wrong", "wrong", EXIT_GATE},
    {ACCURACY("ftz"), "ftz", "wrong", EXIT_GATE},
    {ACCURACY("mmx"), "mmx", "wrong", EXIT_GATE},
    {ACCURACY("loud"), "loud", "ok", EXIT_DONE},
    {ACCURACY("forks"), "forks", "ok", EXIT_DONE},
    {ACCURACY("closes"), "closes", "killed", EXIT_PARTIAL},
    {ACCURACY("writes"), "writes", "killed", EXIT_PARTIAL},
    {ACCURACY("threads"), "threads", "ok", EXIT_DONE},
    {ACCURACY("signals"), "signals", "ok", EXIT_DONE},
    /* Cells of other kernels in the same run have a time. */
    {BENCH("forks"), "forks", "ok", EXIT_DONE},
    {BENCH("forks"), "twopass", "ok", EXIT_DONE},
    {BENCH("closes"), "closes", "killed", EXIT_PARTIAL},
    {BENCH("closes"), "twopass", "ok", EXIT_PARTIAL},
    {BENCH("writes"), "writes", "killed", EXIT_PARTIAL},
    {BENCH("writes"), "twopass", "ok", EXIT_PARTIAL},
    {BENCH("threads"), "twopass", "ok", EXIT_DONE},
    {BENCH("signals"), "signals", "ok", EXIT_DONE},
    {BENCH("signals"), "twopass", "ok", EXIT_DONE},
    {{"bench", "--json", "--filter", "algorithm=loud", "--shapes", "2x64", "--threads", "1",
      "--processes", "2", "--samples", "3", "--no-limits"},
     "loud",
     "ok",
     EXIT_DONE},
    {{"bench", "--json", "--filter", "algorithm=mmx", "--shapes", "2x64", "--threads", "1",
      "--processes", "2", "--samples", "3", "--no-limits"},
     "mmx",
     "wrong",
     EXIT_GATE},
};

TEST(rows_have_their_status)
{
    need_the_build();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct drive d = {.program = program()};
        memcpy(d.arguments, runs[i].arguments, sizeof runs[i].arguments);
        struct outcome o = drive(&d);
        json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL), *row;
        if (o.code != runs[i].code || !document)
            fail_msg("%s: exit %d: %s", runs[i].arguments[0], o.code, o.err);
        const json_t *rows = json_object_get(document, "rows");
        if (!rows) rows = json_object_get(document, "variants");
        size_t k, met = 0;
        json_array_foreach(rows, k, row)
        {
            char part[64];
            snprintf(part, sizeof part, "/%s/", runs[i].algorithm);
            if (!strstr(json_string_value(json_object_get(row, "id")), part)) continue;
            assert_string_equal(json_string_value(json_object_get(row, "status")), runs[i].status);
            met++;
        }
        assert_true(met > 0);
        json_decref(document);
        drive_free(&o);
    }
}

/* A thread that a kernel leaves behind ends the process while another kernel is measured. */
TEST(what_ends_the_process_later_costs_no_other)
{
    need_the_build();
    static const struct drive asked[] = {
        {.arguments = {"accuracy", "--json", "--quiet", "--n", "64,1000", "--family", "normal",
                       "--filter", "algorithm=later,twopass,threads"}},
        {.arguments = {"diverge", "--json", "--quiet", "--n", "64", "--family", "normal",
                       "--filter", "algorithm=later,twopass,threads"}},
        {.arguments = BENCH("later,threads")},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct drive d = asked[i];
        d.program = program();
        struct outcome o = drive(&d);
        json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL), *row;
        if (!document || (o.code != EXIT_DONE && o.code != EXIT_PARTIAL))
            fail_msg("%s: exit %d: %s", d.arguments[0], o.code, o.err);
        const char *key = !strcmp(d.arguments[0], "diverge") ? "invariance" : "rows";
        size_t k, met = 0;
        json_array_foreach(json_object_get(document, key), k, row)
        {
            if (strstr(json_string_value(json_object_get(row, "id")), "/later/")) continue;
            assert_string_equal(json_string_value(json_object_get(row, "status")), "ok");
            met++;
        }
        assert_true(met >= 2);
        json_decref(document);
        drive_free(&o);
    }
}

/* A duel in which a cell died has no ratio, and is no success. */
TEST(a_duel_says_what_died)
{
    need_the_build();
    struct drive d = {.program = program(),
                      .arguments = {"duel", program(), "--filter", "algorithm=crash", "--shapes",
                                    "2x64", "--processes", "2", "--samples", "3"}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_PARTIAL);
    assert_non_null(strstr(o.out, "No cell has a time in both programs"));
    assert_non_null(strstr(o.out, "sigsegv: it ended so in process 1, on rows of 64 elements"));
    drive_free(&o);
}

/* A kernel crashes, so the step is partial, and the disk is too small for its summary: the run ends
 * there, and makes no report of an earlier summary. */
TEST(an_unwritable_summary_ends_the_run)
{
    need_the_build();
    assert_int_equal(mkdir(scratch_path("unsaid"), 0777), 0);
    assert_int_equal(mkdir(scratch_path("unsaid/timing.jsonl"), 0777), 0);
    struct drive d = {.program = program(),
                      .arguments = {"run", "--quick", "--quiet", "--filter",
                                    "op=moments algorithm=crash,twopass", "--out",
                                    scratch_path("unsaid")}};
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_BAD_INPUT, "timing.jsonl");
    assert_int_equal(access(scratch_path("unsaid/report.md"), F_OK), -1);
    drive_free(&o);
}

TEST_GROUP(set_up, scratch_close)
