// SPDX-License-Identifier: MIT
/* Users' kernels (make KERNELS=..): the examples of scripts/examples work with every command, and
 * each mistake that such a file can have (tests/own) gets a clear message and does not affect other
 * kernels. `make own` builds them into a program of their own. */
// test: 27 s of a core
#include <jansson.h>

#include "base/error.h"
#include "model/npy.h"
#include "model/record.h"
#include "scratch.h"

#include "drive.h"

static const char *program(void)
{
    return drive_program("own/ulplab");
}

static void need_the_build(void)
{
    if (access(program(), X_OK) != 0) skip(); /* not built with sanitizers (SAN=1) */
}

/* Runs a command with --json and asserts its exit code; returns the document. */
static json_t *ask(const struct drive *d, int code)
{
    struct outcome o = drive(d);
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    if (o.code != code || !document)
        fail_msg("%s: exit %d, not %d: %s", d->arguments[0], o.code, code, o.err);
    drive_free(&o);
    return document;
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

static const struct mistake {
    const char *variant;  /* op/algorithm; the name of the file if it has no kernel */
    const char *listed;   /* status in `list` */
    const char *measured; /* status in `accuracy` */
    const char *reason;   /* a part of the reason; NULL: the status is enough */
} mistakes[] = {
    {"empty/file", "unbuilt", "unbuilt", "has no 'const struct kernel KERNEL'"},
    {"unnamed/nameless", "unbuilt", "unbuilt", "has no 'const struct kernel KERNEL'"},
    {"missing/everything", "unbuilt", "unbuilt", "has no 'const struct kernel KERNEL'"},
    {"missing/symbol", "unbuilt", "unbuilt", "has no 'const struct kernel KERNEL'"},
    {"missing/call", "unbuilt", "unbuilt", "no library of the lab has: nonesuch"},
    {"missing/run", "unbuilt", "unbuilt", "its .run is missing"},
    {"early/init", "unbuilt", "unbuilt", "would run in the lab's own process"},
    {"huge/table", "unbuilt", "unbuilt", "1024 MiB of static data"},
    {"noref/copy", "ok", "skipped", "no reference for 'noref'"},
    {"badref/copy", "ok", "skipped", "badref_copy.c was not built"},
    {"halfref/copy", "ok", "skipped", "its .outputs must name"},
    {"earlyref/copy", "ok", "skipped", "its reference has constructors"},
    {"crashref/copy", "ok", "sigsegv", "the reference of 'crashref' in crashref_copy.c"},
    {"quitref/copy", "ok", "killed", "the reference of 'quitref' in quitref_copy.c"},
    {"overread/copy", "ok", "sigsegv", NULL},
    {"needsgamma/copy", "ok", "sigsegv", NULL},
    {"wrong/copy", "ok", "wrong", "promised 1"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

static const struct mistake *mistake_of(const json_t *row)
{
    const char *id = record_text(row, "id");
    for (size_t i = 0; i < MISTAKES; i++) {
        size_t length = strlen(mistakes[i].variant);
        if (!strncmp(id, mistakes[i].variant, length) && id[length] == '/') return &mistakes[i];
    }
    return NULL;
}

static bool refused_by_clang(const json_t *row)
{
    return !strncmp(record_text(row, "id"), "broken/", 7) &&
           strstr(record_text(row, "id"), "/cc=clang");
}

TEST(list_tells_what_was_not_built)
{
    need_the_build();
    struct drive d = {.program = program(), .arguments = {"list", "--json"}};
    json_t *document = ask(&d, EXIT_DONE), *row;
    size_t i, met = 0;
    json_array_foreach(json_object_get(document, "variants"), i, row)
    {
        const struct mistake *m = mistake_of(row);
        const char *want = m ? m->listed : refused_by_clang(row) ? "unbuilt" : "ok";
        if (strcmp(record_text(row, "status"), "skipped") != 0) /* no AVX2 on this CPU */
            assert_string_equal(record_text(row, "status"), want);
        if (!strcmp(want, "unbuilt"))
            assert_non_null(strstr(record_text(row, "reason"), m ? m->reason : "is not for clang"));
        met += m != NULL;
    }
    assert_true(met >= MISTAKES);
    json_decref(document);
}

/* The figures of two kernels with one id could not be told apart. */
TEST(two_kernels_of_one_id_are_refused)
{
    need_the_build();
    static const struct {
        const char *arguments[3];
    } asked[] = {{{"list"}}, {{"run", "--quick"}}, {{"accuracy", "--filter", "op=twin"}}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct drive d = {.program = drive_program("twins/ulplab")};
        memcpy(d.arguments, asked[i].arguments, sizeof asked[i].arguments);
        struct outcome o = drive(&d);
        assert_one_error(&o, EXIT_BAD_INPUT, "twin/copy");
        assert_non_null(strstr(o.err, "tests/twins/twin_copy.c"));
        assert_non_null(strstr(o.err, "tests/twins/othertwin_copy.c"));
        drive_free(&o);
    }
}

TEST(each_mistake_is_its_own_row)
{
    need_the_build();
    struct drive d = {.program = program(),
                      .arguments = {"accuracy", "--json", "--n", "64", "--family", "normal",
                                    "--samples", "4096"}};
    json_t *document = ask(&d, EXIT_PARTIAL), *row;
    size_t i, seen[MISTAKES] = {0}, good = 0;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const struct mistake *m = mistake_of(row);
        if (m) {
            assert_string_equal(record_text(row, "status"), m->measured);
            if (m->reason && strcmp(m->measured, "sigsegv") != 0)
                assert_non_null(strstr(record_text(row, "reason"), m->reason));
            seen[m - mistakes]++;
        } else if (strncmp(record_text(row, "id"), "broken/", 7) != 0) {
            assert_string_equal(record_text(row, "status"), "ok");
            good++;
        }
    }
    for (i = 0; i < MISTAKES; i++) assert_true(seen[i] >= 2); /* once per policy */
    assert_true(good >= 2 * 4);                               /* three examples, and moments */
    json_decref(document);
}

/* Each of these is found by one family alone: a NaN in every row that begins with masked elements,
 * and a NaN in the input that is missing in the result. */
TEST(what_one_family_finds)
{
    need_the_build();
    static const struct {
        const char *family, *kernel;
    } found[] = {{"masked", "algorithm=lazy"}, {"special", "algorithm=deaf"}};
    for (size_t k = 0; k < sizeof found / sizeof *found; k++) {
        struct drive d = {.program = program(),
                          .arguments = {"accuracy", "--json", "--n", "64", "--family",
                                        found[k].family, "--samples", "4096", "--filter",
                                        found[k].kernel}};
        json_t *document = ask(&d, EXIT_GATE), *row;
        size_t i;
        json_array_foreach(json_object_get(document, "rows"), i, row)
        {
            assert_string_equal(record_text(row, "verdict"), "broken");
            assert_non_null(strstr(record_text(row, "reason"), "results are lost"));
        }
        assert_true(i >= 2);
        json_decref(document);
    }
}

TEST(a_reference_is_blamed_for_its_own_crash)
{
    need_the_build();
    struct drive d = {.program = program(),
                      .arguments = {"accuracy", "--json", "--n", "7,64", "--family", "normal",
                                    "--filter", "op=crashref"}};
    json_t *document = ask(&d, EXIT_PARTIAL), *row;
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, row) assert_non_null(
        strstr(record_text(row, "reason"), "crashref_copy.c ended so, not the kernel"));
    json_decref(document);
}

/* Returns how many objects of the constructed kernels were made so far. None may be made by the
 * lab's own process, whose parent is this one. */
static size_t constructed(const char *path)
{
    int parent;
    size_t count = 0;
    FILE *in = fopen(path, "r");
    while (in && fscanf(in, "%d", &parent) == 1) {
        assert_int_not_equal(parent, getpid());
        count++;
    }
    if (in) fclose(in);
    return count;
}

TEST(constructors_run_in_workers_alone)
{
    need_the_build();
    char path[128], id[256];
    snprintf(path, sizeof path, "%s/constructed", scratch);
    setenv("ULPLAB_CONSTRUCTED", path, 1);
    struct drive list = {
        .program = program(),
        .arguments = {"list", "--filter", "op=moments algorithm=constructed policy=off"}};
    struct outcome o = drive(&list);
    assert_int_equal(o.code, EXIT_DONE);
    snprintf(id, sizeof id, "%.*s", (int)strcspn(o.out, " "), o.out);
    drive_free(&o);
    assert_int_equal(constructed(path), 0);
    if (!strstr(id, "/constructed/")) fail_msg("not listed: %s", id);

    /* The values are right only if all constructors ran, once, in their order. */
    const char *filter = "op=moments algorithm=constructed,linked";
    struct drive runs[] = {
        {.arguments = {"accuracy", "--n", "64", "--family", "normal", "--samples", "4096",
                       "--filter", filter}},
        {.arguments = {"bench", "--shapes", "2x64", "--threads", "1", "--processes", "2",
                       "--samples", "3", "--no-limits", "--filter", filter}},
        {.arguments = {"diverge", "--n", "64", "--family", "normal", "--filter", filter}},
    };
    for (size_t i = 0, before = 0; i < sizeof runs / sizeof *runs; i++) {
        runs[i].program = program();
        o = drive(&runs[i]);
        if (o.code != EXIT_DONE) fail_msg("%s: %s", runs[i].arguments[0], o.err);
        drive_free(&o);
        size_t now = constructed(path);
        assert_true(now > before);
        before = now;
    }
    unsetenv("ULPLAB_CONSTRUCTED");
}

/* Mistakes that make reports before it builds: its arguments, and a part of the one error line. */
static void make_refuses(const char *kernels, const char *says)
{
    char line[512];
    snprintf(
        line, sizeof line,
        "unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES; make -n BUILD='%s/build' KERNELS='%s' "
        "2>&1 | grep -q \"%s\"",
        scratch, kernels, says);
    if (system(line) != 0) fail_msg("make KERNELS='%s' does not say: %s", kernels, says);
}

TEST(make_names_what_cannot_be)
{
    make_refuses("/nonexistent/my_op.c", "no file /nonexistent/my_op.c");
    char path[128], copy[300];
    snprintf(path, sizeof path, "%s/softmax_threepass.c", scratch);
    snprintf(copy, sizeof copy, "cp scripts/examples/dot_plain.c %s", path);
    assert_int_equal(system(copy), 0);
    make_refuses(path, "softmax_threepass.c: a kernel file of that name");
    snprintf(path, sizeof path, "%s/my.op.c", scratch);
    snprintf(copy, sizeof copy, "cp scripts/examples/dot_plain.c %s", path);
    assert_int_equal(system(copy), 0);
    make_refuses(path, "my.op.c: want a name of letters");
}

/* ---- The examples ---------------------------------------------------------------------------- */

#define EXAMPLES "op=l2norm,dot,affine"

TEST(examples_are_measured_against_their_references)
{
    need_the_build();
    struct drive d = {.program = program(),
                      .arguments = {"accuracy", "--json", "--filter", EXAMPLES}};
    json_t *document = ask(&d, EXIT_DONE), *row;
    size_t i, count = 0;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const char *id = record_text(row, "id");
        assert_string_equal(record_text(row, "status"), "ok");
        char file[64];
        snprintf(file, sizeof file, "%.*s_", (int)strcspn(id, "/"), id);
        assert_int_equal(strncmp(record_text(row, "reference"), file, strlen(file)), 0);
        /* The fused operation rounds once, the unfused ones twice. */
        if (!strncmp(id, "affine/", 7) && !strcmp(record_text(row, "family"), "normal")) {
            bool fused = strstr(id, "policy=fast") != NULL;
            if (fused) assert_true(record_number(row, "max_ulp") <= 0.5001);
            if (!fused && record_number(row, "n") >= 64)
                assert_true(record_number(row, "max_ulp") > 1);
        }
        count++;
    }
    assert_true(count >= 3 * 2 * 26);
    json_decref(document);
}

TEST(what_is_measured_says_whose_word_it_is)
{
    need_the_build();
    struct drive d = {
        .program = program(),
        .arguments = {"accuracy", "--filter", "op=dot", "--n", "64", "--family", "normal"}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    assert_non_null(strstr(o.out, "dot: against the reference in dot_plain.c"));
    drive_free(&o);
}

TEST(codegen_sees_what_the_policy_did)
{
    need_the_build();
    struct drive d = {.program = program(),
                      .arguments = {"codegen", "--json", "--filter", "op=affine"}};
    json_t *document = ask(&d, EXIT_DONE), *row;
    size_t i, count = 0;
    json_array_foreach(json_object_get(document, "variants"), i, row)
    {
        bool fast = strstr(record_text(row, "id"), "policy=fast") != NULL;
        assert_true((record_number(row, "fma") > 0) == fast);
        assert_true(json_is_true(json_object_get(row, "consistent")));
        count++;
    }
    assert_true(count >= 2);
    json_decref(document);
}

TEST(a_unary_one_can_be_scanned)
{
    need_the_build();
    struct drive d = {.program = program(),
                      .arguments = {"scan", "affine", "--json", "--range", "1,1.001", "--out",
                                    scratch_path("scan")}};
    json_t *document = ask(&d, EXIT_DONE), *row;
    size_t i;
    assert_true(json_array_size(json_object_get(document, "rows")) >= 2);
    json_array_foreach(json_object_get(document, "rows"), i, row)
        assert_true(record_number(row, "evaluated") >= 8388);
    json_decref(document);
}

static void first_id(const char *filter, char *id, size_t size)
{
    struct drive d = {.program = program(), .arguments = {"list", "--filter", filter}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    snprintf(id, size, "%.*s", (int)strcspn(o.out, " "), o.out);
    drive_free(&o);
}

TEST(eval_gives_one_value_per_row)
{
    need_the_build();
    float data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct npy x = {.data = data, .rows = 2, .cols = 4, .ndim = 2};
    struct npy y;
    struct error e;
    assert_int_equal(npy_write(scratch_path("x.npy"), &x, &e), 0);
    char id[256];
    first_id("op=dot", id, sizeof id);
    struct drive d = {.program = program(),
                      .arguments = {"eval", "--variant", id, "--in", scratch_path("x.npy"), "--out",
                                    scratch_path("y.npy")}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    drive_free(&o);
    assert_int_equal(npy_read(scratch_path("y.npy"), &y, &e), 0);
    assert_int_equal(y.ndim, 1);
    assert_int_equal(y.cols, 2);
    assert_float_equal(y.data[0], 1 * 3 + 2 * 4, 0);
    assert_float_equal(y.data[1], 5 * 7 + 6 * 8, 0);
    npy_free(&y);
}

TEST(eval_says_what_a_kernel_may_have_missed)
{
    need_the_build();
    float data[4] = {1, 2, 3, 4};
    const struct npy x = {.data = data, .rows = 1, .cols = 4, .ndim = 1};
    struct error e;
    assert_int_equal(npy_write(scratch_path("row.npy"), &x, &e), 0);
    char id[256], gamma[200];
    first_id("op=needsgamma", id, sizeof id);
    snprintf(gamma, sizeof gamma, "gamma=%s", scratch_path("row.npy"));
    struct drive d = {.program = program(),
                      .arguments = {"eval", "--variant", id, "--in", scratch_path("row.npy"),
                                    "--out", scratch_path("y.npy")}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_PARTIAL);
    assert_non_null(strstr(o.err, "sigsegv: "));
    assert_non_null(strstr(o.err, "its gamma was NULL"));
    drive_free(&o);
    d.arguments[7] = "--param";
    d.arguments[8] = gamma;
    o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    drive_free(&o);
}

/* A whole run, and every command that reads its files. */
TEST(they_go_through_everything)
{
    need_the_build();
    const char *out = scratch_path("results");
    const struct drive drives[] = {
        {.arguments = {"run", "--quick", "--quiet", "--no-limits", "--filter", EXAMPLES, "--out",
                       out}},
        {.arguments = {"report", "--format", "html", out}},
        {.arguments = {"policy", out}},
        {.arguments = {"compare", out, "--by", "policy"}},
        {.arguments = {"diverge", "--quiet", "--filter", EXAMPLES, "--n", "64"}},
        {.arguments = {"export", out, "--format", "gbench"}},
    };
    for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
        struct drive d = drives[i];
        d.program = program();
        struct outcome o = drive(&d);
        if (o.code != EXIT_DONE) fail_msg("%s: exit %d: %s", d.arguments[0], o.code, o.err);
        drive_free(&o);
    }
    char command[300];
    snprintf(command, sizeof command,
             "grep -q 'l2norm is measured against the reference in .l2norm_rows.c' %s/report.md "
             "&& grep -q l2norm_rows.c %s/report.html",
             out, out);
    assert_int_equal(system(command), 0);
}

/* Only eval leaves out gamma and beta that nobody gave. */
TEST(norms_have_gamma_and_beta)
{
    need_the_build();
    const char *filter = "op=layernorm algorithm=unguarded";
    struct drive runs[] = {
        {.arguments = {"accuracy", "--n", "64", "--family", "normal", "--filter", filter}},
        {.arguments = {"diverge", "--n", "64", "--family", "normal", "--filter", filter}},
        {.arguments = {"bench", "--shapes", "2x64", "--threads", "1", "--processes", "2",
                       "--samples", "3", "--filter", filter}},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        runs[i].program = program();
        struct outcome o = drive(&runs[i]);
        if (o.code != EXIT_DONE) fail_msg("%s: %s", runs[i].arguments[0], o.err);
        drive_free(&o);
    }
}

/* sigmoid_templated.cc does not declare its bytes, flops and arithmetic. */
TEST(what_a_file_leaves_out_is_completed)
{
    need_the_build();
    static const struct drive d[] = {
        {.arguments = {"codegen", "--json", "--filter", "algorithm=templated"}},
        {.arguments = {"bench", "--json", "--filter", "algorithm=templated policy=off", "--shapes",
                       "8x512", "--processes", "2", "--samples", "3", "--no-limits"}},
    };
    for (size_t i = 0; i < 2; i++) {
        struct drive asked = d[i];
        asked.program = program();
        json_t *document = ask(&asked, EXIT_DONE), *row;
        const json_t *rows = json_object_get(document, i ? "rows" : "variants");
        size_t k;
        assert_true(json_array_size(rows) > 0);
        json_array_foreach(rows, k, row)
        {
            if (strcmp(record_text(row, "status"), "ok") != 0) continue; /* not on this CPU */
            if (i)
                assert_true(record_number(row, "gb_per_s") > 0);
            else
                assert_true(json_is_true(json_object_get(row, "consistent")));
        }
        json_decref(document);
    }
}

TEST_GROUP(scratch_open, scratch_close)
