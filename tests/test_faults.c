// SPDX-License-Identifier: MIT
/* Kernels that crash, hang and lie (tests/fixtures, built by `make faults`): each gets a status in
 * its row, and the lab goes on. */
// test: 24 s of a core
#include <sys/stat.h>

#include "base/error.h"
#include "drive.h"
#include "facts.h"
#include "model/npy.h"
#include "scratch.h"

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
    json_t *document = drive_json(program(), EXIT_DONE, "list --json"), *row;
    const json_t *variants = json_object_get(document, "variants");
    size_t i, unbuilt = 0;
    json_array_foreach(variants, i, row)
    {
        if (fact_holds(row, "cc=lib", 0))
            continue; /* peers belong to the machine, not to this build */
        const bool refused =
            fact_holds(row, "algorithm=uncompilable", 0) && fact_holds(row, "cc!~clang", 0);
        assert_facts(row,
                     refused ? "status=unbuilt 'reason~this kernel is not for gcc'" : "status=ok");
        unbuilt += refused;
    }
    if (fact_count(variants, "id~cc=gcc")) assert_true(unbuilt > 0);
}

/* ---- One run per fixture --------------------------------------------------------------------- */

/* Finds the id of a fixture's first variant. */
static void id_of(const char *algorithm, char id[DRIVE_ID])
{
    char filter[64];
    snprintf(filter, sizeof filter, "algorithm=%s", algorithm);
    drive_first_id(program(), filter, id);
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
        char id[DRIVE_ID];
        id_of(evals[i].algorithm, id);
        unlink(y_npy);
        struct outcome o =
            drive_line(program(), "eval --variant %s --in %s --out %s --timeout %d", id, x_npy,
                       y_npy, strcmp(evals[i].algorithm, "hang") ? 60 : 1);
        if (evals[i].says) {
            assert_one_error(&o, evals[i].code, evals[i].says);
            assert_non_null(strstr(o.err, id));
        } else {
            assert_int_equal(o.code, evals[i].code);
        }
        /* The output is complete, or does not exist. */
        assert_int_equal(access(y_npy, F_OK) == 0, evals[i].code == EXIT_DONE);
    }
}

TEST(eval_refuses_the_unbuilt)
{
    need_the_build();
    char id[DRIVE_ID];
    id_of("uncompilable", id);
    if (strstr(id, "clang")) skip(); /* only clang can build it */
    assert_says(program(), EXIT_USAGE, "unbuilt", "eval --variant %s --in %s --out %s", id, x_npy,
                y_npy);
}

TEST(eval_is_interrupted)
{
    need_the_build();
    char id[DRIVE_ID];
    id_of("hang", id);
    struct drive d = {.program = program(),
                      .arguments = {"eval", "--variant", id, "--in", x_npy, "--out", y_npy},
                      .interrupt_at = "/"};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_SIGINT);
}

/* ---- Commands that make rows: a status per fixture ------------------------------------------- */

/* The status that each fixture's rows must have, and the exit code of the run. Slow commands get
 * little to do. */
#define ACCURACY "accuracy --json --n 64 --family normal --samples 4096 --filter algorithm="
#define BENCH                                                                                      \
    "bench --json --shapes 2x64 --threads 1 --processes 2 --samples 3 --no-limits --filter "       \
    "algorithm="
static const struct run_case {
    const char *command, *filter; /* of algorithms */
    const char *rows;             /* the fixtures whose rows are looked at, and their status */
    int code;
} runs[] = {
    {"codegen --json --filter algorithm=", "illegal", "illegal=ok", EXIT_DONE},
    {ACCURACY, "twopass,loud,forks,threads,signals",
     "twopass=ok loud=ok forks=ok threads=ok signals=ok", EXIT_DONE},
    {ACCURACY, "wrong,ftz,mmx", "wrong=wrong ftz=wrong mmx=wrong", EXIT_GATE},
    /* `overread` reads into the guard page. */
    {ACCURACY, "illegal,construct,crash,overread,divide,quit,closes,writes,twopass",
     "illegal=sigill construct=sigill crash=sigsegv overread=sigsegv divide=sigfpe quit=killed "
     "closes=killed writes=killed twopass=ok",
     EXIT_PARTIAL},
    /* Cells of other kernels in the same run have a time. */
    {BENCH, "twopass,forks", "forks=ok twopass=ok", EXIT_DONE},
    {BENCH, "twopass,closes", "closes=killed twopass=ok", EXIT_PARTIAL},
    {BENCH, "twopass,writes", "writes=killed twopass=ok", EXIT_PARTIAL},
    {BENCH, "twopass,threads", "twopass=ok", EXIT_DONE},
    {BENCH, "twopass,signals", "signals=ok twopass=ok", EXIT_DONE},
    {BENCH, "loud", "loud=ok", EXIT_DONE},
    {BENCH, "mmx", "mmx=wrong", EXIT_GATE},
};

TEST(rows_have_their_status)
{
    need_the_build();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        json_t *document =
            drive_json(program(), runs[i].code, "%s%s", runs[i].command, runs[i].filter);
        const json_t *rows = json_object_get(document, "rows");
        if (!rows) rows = json_object_get(document, "variants");
        char text[200], *rest = text;
        snprintf(text, sizeof text, "%s", runs[i].rows);
        for (char *fixture; (fixture = next_word(&rest));) {
            const char *status = strchr(fixture, '=') + 1;
            const int length = (int)(status - 1 - fixture);
            const size_t met = fact_count(rows, "id~/%.*s/", length, fixture);
            assert_true(met > 0);
            if (fact_count(rows, "id~/%.*s/ status=%s", length, fixture, status) != met)
                fail_msg("%s%s: not %s", runs[i].command, runs[i].filter, fixture);
        }
    }
}

/* A thread that a kernel leaves behind ends the process while another kernel is measured. */
TEST(what_ends_the_process_later_costs_no_other)
{
    need_the_build();
    static const char *const asked[][2] = {
        {"accuracy --json --quiet --n 64,1000 --family normal --filter "
         "algorithm=later,twopass,threads",
         "rows"},
        {"diverge --json --quiet --n 64 --family normal --filter algorithm=later,twopass,threads",
         "invariance"},
        {BENCH "twopass,later,threads", "rows"},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct outcome o = drive_line(program(), "%s", asked[i][0]);
        json_t *document = keep(json_loads(o.out, JSON_REJECT_DUPLICATES, NULL));
        if (!document || (o.code != EXIT_DONE && o.code != EXIT_PARTIAL))
            fail_msg("%s: exit %d: %s", asked[i][0], o.code, o.err);
        const json_t *rows = json_object_get(document, asked[i][1]);
        assert_true(fact_count(rows, "id!~/later/") >= 2);
        assert_int_equal(fact_count(rows, "id!~/later/ status=ok"),
                         fact_count(rows, "id!~/later/"));
    }
}

/* A duel in which a cell died has no ratio, and is no success. */
TEST(a_duel_says_what_died)
{
    need_the_build();
    struct outcome o = drive_line(
        program(), "duel %s --filter algorithm=crash --shapes 2x64 --processes 2 --samples 3",
        program());
    assert_int_equal(o.code, EXIT_PARTIAL);
    assert_non_null(strstr(o.out, "No cell has a time in both programs"));
    assert_non_null(strstr(o.out, "sigsegv: it ended so in process 1, on rows of 64 elements"));
}

/* A kernel crashes, so the step is partial, and the disk is too small for its summary: the run ends
 * there, and makes no report of an earlier summary. */
TEST(an_unwritable_summary_ends_the_run)
{
    need_the_build();
    assert_int_equal(mkdir(scratch_path("unsaid"), 0777), 0);
    assert_int_equal(mkdir(scratch_path("unsaid/timing.jsonl"), 0777), 0);
    assert_says(program(), EXIT_BAD_INPUT, "timing.jsonl",
                "run --quick --quiet --filter 'op=moments algorithm=crash,twopass' --out %s",
                scratch_path("unsaid"));
    assert_int_equal(access(scratch_path("unsaid/report.md"), F_OK), -1);
}

TEST_GROUP(set_up, scratch_close)
