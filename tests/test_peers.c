// SPDX-License-Identifier: MIT
/* Peers: a fake library (tests/peers/fake.c) shows how libraries are found, loaded, capped, timed
 * and survived; those that `make peers` built, if any, show that their shims are correct. */
#include "base/error.h"
#include "drive.h"
#include "facts.h"
#include "filtered.h"
#include "model/npy.h"
#include "model/record.h"
#include "oracle/oracle.h"
#include "scratch.h"

/* Runs a command line of the program, which exits with `code`, and returns its document. */
#define json(code, ...) drive_json(drive_program("ulplab"), code, __VA_ARGS__)

/* Makes the program find one library under the name `peer`: the fake of that name, or none (NULL).
 */
static void choose_fake_as(const char *peer, const char *fake)
{
    char link[96], target[128], absolute[4096];
    snprintf(link, sizeof link, "%s/%s.so", scratch, peer);
    unlink(link);
    setenv("ULPLAB_PEERS", scratch, 1);
    if (!fake) return;
    snprintf(target, sizeof target, "tests/peers/%s.so", fake);
    assert_non_null(realpath(drive_program(target), absolute));
    assert_int_equal(symlink(absolute, link), 0);
}

static void choose_fake(const char *fake)
{
    choose_fake_as("onednn", fake);
}

#define PEER_OF(op, isa) #op "/peer-onednn/dtype=f32/isa=" #isa "/cc=lib/policy=lib"
#define AVX2_SOFTMAX PEER_OF(softmax, avx2)
#define AVX512_SOFTMAX PEER_OF(softmax, avx512)

/* ---- list ------------------------------------------------------------------------------------ */

static const struct {
    const char *fake, *status, *says;
} listed[] = {
    {NULL, "skipped", "'make peers' installs libdnnl-dev"},
    {"good", "ok", ""},
    {"crash", "ok", ""}, /* it crashes only when it is called */
    {"foreign", "skipped", "built for another version of the lab"},
    {"abort", "skipped", "while it was loaded"},
    {"empty", "skipped", "cannot load"},
};

TEST(list_says_what_is_there)
{
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
        choose_fake(listed[i].fake);
        json_t *document = json(EXIT_DONE, "list --json --filter algorithm=peer-onednn");
        const json_t *row = fact_find(json_object_get(document, "variants"), "id^" AVX2_SOFTMAX);
        assert_facts(row, "status=%s \"reason~%s\" arithmetic=library", listed[i].status,
                     listed[i].says);
        if (fact_holds(row, "status=ok", 0)) assert_facts(row, "'version=fake 7.8'");
    }
}

/* Without --peers, libraries are not looked for, unless a filter asks for nothing else; commands
 * that read the build's own code ignore them. */
TEST(they_are_no_variants_unless_asked_for)
{
    choose_fake("good");
    assert_says(drive_program("ulplab"), EXIT_USAGE, "libraries",
                "run --filter algorithm=peer-onednn");
    assert_says(drive_program("ulplab"), EXIT_USAGE, "libraries",
                "codegen --filter algorithm=peer-onednn");
}

/* ---- eval ------------------------------------------------------------------------------------ */

static float evaluated(const char *id)
{
    float data[4] = {1, 2, 3, 4};
    struct npy x = {.data = data, .rows = 2, .cols = 2, .ndim = 2};
    struct error e;
    assert_int_equal(npy_write(scratch_path("x.npy"), &x, &e), 0);
    assert_says(drive_program("ulplab"), EXIT_DONE, "", "eval --variant %s --in %s --out %s", id,
                scratch_path("x.npy"), scratch_path("y.npy"));
    const struct npy y = drive_npy(scratch_path("y.npy"));
    float first = y.data[0];
    for (size_t i = 0; i < 4; i++) assert_true(y.data[i] == first);
    return first;
}

TEST(caps_hold_for_the_library)
{
    choose_fake("good");
    assert_true(evaluated(AVX2_SOFTMAX) == 2);
    if (cpu_runs("avx512")) assert_true(evaluated(AVX512_SOFTMAX) == 5);
}

/* ---- bench and accuracy ---------------------------------------------------------------------- */

/* A library is timed with the lab's kernels in one run; the capped child dies of its library, the
 * others continue. */
TEST(bench_survives_a_peer)
{
    choose_fake("crash");
    json_t *document =
        json(EXIT_PARTIAL, "bench --peers --json --quiet --shapes 2x64 --processes 2 "
                           "--samples 2 --no-limits --filter 'algorithm=peer-onednn,"
                           "threepass op=softmax isa=avx2,avx512 policy=off,lib'");
    const json_t *rows = json_object_get(document, "rows");
    const size_t own = fact_count(rows, "id!~/peer- status=ok ns_per_row>0");
    assert_true(own > 0);
    assert_int_equal(own + fact_count(rows, "id!~/peer- status=skipped"),
                     fact_count(rows, "id!~/peer-"));
    fact_find(rows, "id^" AVX2_SOFTMAX " status=killed");
    fact_find(rows, "id^" AVX512_SOFTMAX " %s",
              cpu_runs("avx512") ? "status=ok processes=2" : "status=skipped");
}

TEST(accuracy_measures_a_peer)
{
    choose_fake("crash");
    json_t *document = json(EXIT_PARTIAL, "accuracy --peers --json --quiet --n 8 --family normal "
                                          "--filter 'algorithm=peer-onednn op=softmax,layernorm'");
    const json_t *rows = json_object_get(document, "rows");
    fact_find(rows, "id^" AVX2_SOFTMAX " status=killed");
    if (cpu_runs("avx512")) /* the result 5 is no probability */
        fact_find(rows, "id^" AVX512_SOFTMAX " status=ok max_ulp>1e6");
    fact_find(rows, "id^" PEER_OF(layernorm, avx2) " status=ok");
}

/* Two processes, one for each cap: their bits are compared with each other and with the lab's. */
TEST(diverge_compares_peers)
{
    choose_fake("good");
    json_t *document = json(EXIT_DONE, "diverge --json --quiet --n 8 --family normal --filter "
                                       "'algorithm=peer-onednn op=softmax'");
    const size_t classes = cpu_runs("avx512") ? 2 : 1;
    assert_facts(document, "classes=#%zu pairs=#%zu", classes, classes - 1);
    if (classes > 1) assert_facts(document, "pairs.0.mismatched=1");
    fact_find(json_object_get(document, "invariance"),
              "id^" AVX2_SOFTMAX " status=ok row_position=true");
}

TEST(scan_measures_a_peer)
{
    choose_fake_as("ggml", "good");
    json_t *document =
        json(EXIT_DONE, "scan silu --json --quiet --filter algorithm=peer-ggml --range 1,1.5");
    /* The result 1 is not silu(1.5). */
    fact_find(json_object_get(document, "rows"),
              "id^silu/peer-ggml/dtype=f32/isa=avx2 status=ok max_ulp>1e6");
    choose_fake_as("ggml", NULL);
}

TEST(what_is_missing_is_skipped)
{
    choose_fake(NULL);
    json_t *document =
        json(EXIT_DONE, "bench --peers --json --quiet --filter policy=lib --shapes 2x64 "
                        "--processes 1 --no-limits");
    assert_every(json_object_get(document, "rows"), 10, "status=skipped ns_per_row=null");
}

/* A library that runs a graph for each call is left out of jobs so small that the call would
 * dominate the time. */
/* Of every library the time of an empty call is told, and cells that it decides are flagged. */
TEST(cells_that_a_call_decides_are_flagged)
{
    choose_fake_as("onnxruntime", "dear");
    json_t *document =
        json(EXIT_DONE, "bench --peers --json --quiet --filter "
                        "'algorithm=peer-onnxruntime op=softmax' --shapes 2x64,1x65536 "
                        "--threads 1 --processes 1 --samples 2 --no-limits");
#define ORT "id^softmax/peer-onnxruntime/dtype=f32/isa=auto/cc=lib/policy=lib"
    const json_t *rows = json_object_get(document, "rows");
    const json_t *bound = fact_find(rows, ORT "/rows=2/ status=ok flags~call-bound");
    assert_true(record_number(bound, "call_ns") > 0.2 * 2 * record_number(bound, "ns_per_row"));
    fact_find(rows, ORT "/rows=1/ status=ok flags!~call-bound call_ns>0 ns_per_row>6e7");
    choose_fake_as("onnxruntime", NULL);
}

/* ---- The shims, where `make peers` built them ------------------------------------------------ */

/* The errors of every peer are within the known range of its library, so no shim mixes up its
 * arguments. The lengths include tails, single elements and one long row; for moments also one
 * element. */
TEST(the_shims_compute)
{
    unsetenv("ULPLAB_PEERS");
    char id[DRIVE_ID];
    if (!drive_first_id(drive_program("ulplab"), "policy=lib", id)) {
        print_message("no peer is built; 'make peers' builds them\n");
        skip();
    }
    json_t *document = json(EXIT_DONE, "accuracy --peers --json --quiet --filter policy=lib "
                                       "--n 1,7,64,1000 --family normal"),
           *row;
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        if (fact_holds(row, "status!=skipped", 0)) assert_facts(row, "status=ok scaled_error<64");
    }
}

TEST_GROUP(scratch_open, scratch_close)
