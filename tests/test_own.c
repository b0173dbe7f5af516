// SPDX-License-Identifier: MIT
/* Users' kernels (make KERNELS=..): the examples of scripts/examples work with every command, and
 * each mistake that such a file can have (tests/own) gets a clear message and does not affect other
 * kernels. `make own` builds them into a program of their own. */
// test: 27 s of a core
#include "base/error.h"
#include "drive.h"
#include "facts.h"
#include "model/record.h"
#include "scratch.h"

static const char *program(void)
{
    return drive_program("own/ulplab");
}

static void need_the_build(void)
{
    if (access(program(), X_OK) != 0) skip(); /* not built with sanitizers (SAN=1) */
}

/* Runs a command line, which exits with `code`, and returns its document. */
#define json(code, ...) drive_json(program(), code, __VA_ARGS__)
/* Runs a command line, which succeeds. */
#define runs(...) assert_says(program(), EXIT_DONE, "", __VA_ARGS__)

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
    json_t *document = json(EXIT_DONE, "list --json"), *row;
    size_t i, met = 0;
    json_array_foreach(json_object_get(document, "variants"), i, row)
    {
        const struct mistake *m = mistake_of(row);
        const char *want = m ? m->listed : refused_by_clang(row) ? "unbuilt" : "ok";
        if (fact_holds(row, "status!=skipped", 0)) /* no AVX2 on this CPU */
            assert_facts(row, "status=%s", want);
        if (!strcmp(want, "unbuilt"))
            assert_facts(row, "\"reason~%s\"", m ? m->reason : "is not for clang");
        met += m != NULL;
    }
    assert_true(met >= MISTAKES);
}

/* The figures of two kernels with one id could not be told apart. */
TEST(two_kernels_of_one_id_are_refused)
{
    need_the_build();
    static const char *const asked[] = {"list", "run --quick", "accuracy --filter op=twin"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct outcome o = drive_line(drive_program("twins/ulplab"), "%s", asked[i]);
        assert_one_error(&o, EXIT_BAD_INPUT, "twin/copy");
        assert_non_null(strstr(o.err, "tests/twins/twin_copy.c"));
        assert_non_null(strstr(o.err, "tests/twins/othertwin_copy.c"));
    }
}

TEST(each_mistake_is_its_own_row)
{
    need_the_build();
    json_t *document = json(EXIT_PARTIAL, "accuracy --json --n 64 --family normal --samples 4096"),
           *row;
    size_t i, seen[MISTAKES] = {0}, good = 0;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const struct mistake *m = mistake_of(row);
        if (m) {
            assert_facts(row, "status=%s", m->measured);
            if (m->reason && strcmp(m->measured, "sigsegv") != 0)
                assert_facts(row, "\"reason~%s\"", m->reason);
            seen[m - mistakes]++;
        } else if (strncmp(record_text(row, "id"), "broken/", 7) != 0) {
            assert_facts(row, "status=ok");
            good++;
        }
    }
    for (i = 0; i < MISTAKES; i++) assert_true(seen[i] >= 2); /* once per policy */
    assert_true(good >= 2 * 4);                               /* three examples, and moments */
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
        json_t *document =
            json(EXIT_GATE, "accuracy --json --n 64 --family %s --samples 4096 --filter %s",
                 found[k].family, found[k].kernel);
        assert_every(json_object_get(document, "rows"), 2,
                     "verdict=broken 'reason~results are lost'");
    }
}

TEST(a_reference_is_blamed_for_its_own_crash)
{
    need_the_build();
    json_t *document =
        json(EXIT_PARTIAL, "accuracy --json --n 7,64 --family normal --filter op=crashref");
    assert_every(json_object_get(document, "rows"), 1,
                 "'reason~crashref_copy.c ended so, not the kernel'");
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
    char path[128], id[DRIVE_ID];
    snprintf(path, sizeof path, "%s/constructed", scratch);
    setenv("ULPLAB_CONSTRUCTED", path, 1);
    drive_first_id(program(), "op=moments algorithm=constructed policy=off", id);
    assert_int_equal(constructed(path), 0);
    if (!strstr(id, "/constructed/")) fail_msg("not listed: %s", id);

    /* The values are right only if all constructors ran, once, in their order. */
    static const char *const lines[] = {
        "accuracy --n 64 --family normal --samples 4096",
        "bench --shapes 2x64 --threads 1 --processes 2 --samples 3 --no-limits",
        "diverge --n 64 --family normal",
    };
    for (size_t i = 0, before = 0; i < sizeof lines / sizeof *lines; i++) {
        runs("%s --filter 'op=moments algorithm=constructed,linked'", lines[i]);
        size_t now = constructed(path);
        assert_true(now > before);
        before = now;
    }
    unsetenv("ULPLAB_CONSTRUCTED");
}

/* Mistakes that make reports before it builds: its arguments, and a part of the one error line. */
static void make_refuses(const char *kernels, const char *says)
{
    must_format("unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES; make -n BUILD='%s/build' "
                "KERNELS='%s' 2>&1 | grep -q \"%s\"",
                scratch, kernels, says);
}

TEST(make_names_what_cannot_be)
{
    make_refuses("/nonexistent/my_op.c", "no file /nonexistent/my_op.c");
    static const char *const names[][2] = {
        {"softmax_threepass.c", "softmax_threepass.c: a kernel file of that name"},
        {"my.op.c", "my.op.c: want a name of letters"}};
    for (size_t i = 0; i < 2; i++) {
        must_format("cp scripts/examples/dot_plain.c %s", scratch_path(names[i][0]));
        make_refuses(scratch_path(names[i][0]), names[i][1]);
    }
}

/* ---- The examples ---------------------------------------------------------------------------- */

#define EXAMPLES "--filter op=l2norm,dot,affine"

TEST(examples_are_measured_against_their_references)
{
    need_the_build();
    json_t *document = json(EXIT_DONE, "accuracy --json " EXAMPLES), *row;
    size_t i, count = 0;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const char *id = record_text(row, "id");
        assert_facts(row, "status=ok reference~%.*s_", (int)strcspn(id, "/"), id);
        /* The fused operation rounds once, the unfused ones twice. */
        if (fact_holds(row, "id~affine/", 0) && fact_holds(row, "family=normal", 0)) {
            const bool fused = strstr(id, "policy=fast");
            if (fused) assert_facts(row, "max_ulp<=0.5001");
            if (!fused && fact_holds(row, "n>=64", 0)) assert_facts(row, "max_ulp>1");
        }
        count++;
    }
    assert_true(count >= 3 * 2 * 26);
}

TEST(what_is_measured_says_whose_word_it_is)
{
    need_the_build();
    assert_says(program(), EXIT_DONE, "against the reference in dot_plain.c",
                "accuracy --filter op=dot --n 64 --family normal");
}

TEST(codegen_sees_what_the_policy_did)
{
    need_the_build();
    json_t *document = json(EXIT_DONE, "codegen --json --filter op=affine");
    const json_t *variants = json_object_get(document, "variants");
    assert_every(variants, 2, "consistent=true");
    assert_int_equal(fact_count(variants, "fma>0 id!~policy=fast"), 0);
    assert_int_equal(fact_count(variants, "fma=0 id~policy=fast"), 0);
}

TEST(a_unary_one_can_be_scanned)
{
    need_the_build();
    json_t *document =
        json(EXIT_DONE, "scan affine --json --range 1,1.001 --out %s", scratch_path("scan"));
    assert_every(json_object_get(document, "rows"), 2, "evaluated>=8388");
}

TEST(eval_gives_one_value_per_row)
{
    need_the_build();
    float data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct npy x = {.data = data, .rows = 2, .cols = 4, .ndim = 2};
    struct error e;
    assert_int_equal(npy_write(scratch_path("x.npy"), &x, &e), 0);
    char id[DRIVE_ID];
    drive_first_id(program(), "op=dot", id);
    runs("eval --variant %s --in %s --out %s", id, scratch_path("x.npy"), scratch_path("y.npy"));
    const struct npy y = drive_npy(scratch_path("y.npy"));
    assert_true(y.ndim == 1 && y.cols == 2);
    assert_float_equal(y.data[0], 1 * 3 + 2 * 4, 0);
    assert_float_equal(y.data[1], 5 * 7 + 6 * 8, 0);
}

TEST(eval_says_what_a_kernel_may_have_missed)
{
    need_the_build();
    float data[4] = {1, 2, 3, 4};
    const struct npy x = {.data = data, .rows = 1, .cols = 4, .ndim = 1};
    struct error e;
    assert_int_equal(npy_write(scratch_path("row.npy"), &x, &e), 0);
    char id[DRIVE_ID], line[700];
    drive_first_id(program(), "op=needsgamma", id);
    snprintf(line, sizeof line, "eval --variant %s --in %s --out %s", id, scratch_path("row.npy"),
             scratch_path("y.npy"));
    assert_says(program(), EXIT_PARTIAL, "sigsegv: ", "%s", line);
    assert_says(program(), EXIT_PARTIAL, "its gamma was NULL", "%s", line);
    runs("%s --param gamma=%s", line, scratch_path("row.npy"));
}

/* A whole run, and every command that reads its files. */
TEST(they_go_through_everything)
{
    need_the_build();
    const char *out = scratch_path("results");
    runs("run --quick --quiet --no-limits " EXAMPLES " --out %s", out);
    runs("report --format html %s", out);
    runs("policy %s", out);
    runs("compare %s --by policy", out);
    runs("diverge --quiet " EXAMPLES " --n 64");
    runs("export %s --format gbench", out);
    must_format("grep -q 'l2norm is measured against the reference in .l2norm_rows.c' %s/report.md "
                "&& grep -q l2norm_rows.c %s/report.html",
                out, out);
}

/* Only eval leaves out gamma and beta that nobody gave. */
TEST(norms_have_gamma_and_beta)
{
    need_the_build();
#define UNGUARDED "--filter 'op=layernorm algorithm=unguarded'"
    runs("accuracy --n 64 --family normal " UNGUARDED);
    runs("diverge --n 64 --family normal " UNGUARDED);
    runs("bench --shapes 2x64 --threads 1 --processes 2 --samples 3 " UNGUARDED);
}

/* sigmoid_templated.cc does not declare its bytes, flops and arithmetic. */
TEST(what_a_file_leaves_out_is_completed)
{
    need_the_build();
    static const char *const asked[][3] = {
        {"codegen --json --filter algorithm=templated", "variants", "consistent=true"},
        {"bench --json --filter 'algorithm=templated policy=off' --shapes 8x512 --processes 2 "
         "--samples 3 --no-limits",
         "rows", "gb_per_s>0"},
    };
    for (size_t i = 0; i < 2; i++) {
        json_t *document = json(EXIT_DONE, "%s", asked[i][0]), *row;
        const json_t *rows = json_object_get(document, asked[i][1]);
        size_t k;
        assert_true(json_array_size(rows) > 0);
        json_array_foreach(rows, k, row)
        {
            if (fact_holds(row, "status=ok", 0)) assert_facts(row, "%s", asked[i][2]);
        }
    }
}

TEST_GROUP(scratch_open, scratch_close)
