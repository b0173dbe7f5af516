// SPDX-License-Identifier: MIT
/* Peers: a fake library (tests/peers/fake.c) shows how libraries are found, loaded, capped, timed
 * and survived; those that `make peers` built, if any, show that their shims are correct. */
#include <jansson.h>

#include "base/error.h"
#include "machine/cpu.h"
#include "model/npy.h"
#include "model/record.h"
#include "oracle/oracle.h"
#include "scratch.h"

#include "drive.h"

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

static bool has_avx512(void)
{
    struct cpu cpu;
    struct error e;
    char reason[128];
    return cpu_detect(&cpu, NULL, &e) == 0 && cpu_supports(&cpu, "avx512", reason, sizeof reason);
}

/* ---- Rows of a document ---------------------------------------------------------------------- */

/* Runs a command and returns its document; the caller frees it. */
static json_t *document_of(const struct drive *d, int code)
{
    struct outcome o = drive(d);
    if (o.code != code) fail_msg("exit %d, want %d: %s", o.code, code, o.err);
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    drive_free(&o);
    return document;
}

static const json_t *row_of(const json_t *document, const char *list, const char *id)
{
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(document, list), i, row)
    {
        if (!strncmp(record_text(row, "id"), id, strlen(id))) return row;
    }
    fail_msg("no row of %s", id);
    return NULL;
}

static const char avx2_softmax[] = "softmax/peer-onednn/dtype=f32/isa=avx2/cc=lib/policy=lib";
static const char avx512_softmax[] = "softmax/peer-onednn/dtype=f32/isa=avx512/cc=lib/policy=lib";

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
        const struct drive d = {
            .program = drive_program("ulplab"),
            .arguments = {"list", "--json", "--filter", "algorithm=peer-onednn"}};
        json_t *document = document_of(&d, EXIT_DONE);
        const json_t *row = row_of(document, "variants", avx2_softmax);
        assert_string_equal(record_text(row, "status"), listed[i].status);
        assert_non_null(strstr(record_text(row, "reason"), listed[i].says));
        assert_string_equal(record_text(row, "arithmetic"), "library");
        if (!strcmp(listed[i].status, "ok"))
            assert_string_equal(record_text(row, "version"), "fake 7.8");
        json_decref(document);
    }
}

/* Without --peers, libraries are not looked for, unless a filter asks for nothing else; commands
 * that read the build's own code ignore them. */
TEST(they_are_no_variants_unless_asked_for)
{
    choose_fake("good");
    const char *const commands[] = {"run", "codegen"};
    for (size_t i = 0; i < 2; i++) {
        struct drive d = {.program = drive_program("ulplab"),
                          .arguments = {commands[i], "--filter", "algorithm=peer-onednn"}};
        struct outcome o = drive(&d);
        assert_one_error(&o, EXIT_USAGE, "libraries");
        drive_free(&o);
    }
}

/* ---- eval ------------------------------------------------------------------------------------ */

static float evaluated(const char *id)
{
    char x_path[80], y_path[80];
    float data[4] = {1, 2, 3, 4};
    struct npy x = {.data = data, .rows = 2, .cols = 2, .ndim = 2}, y;
    struct error e;
    snprintf(x_path, sizeof x_path, "%s/x.npy", scratch);
    snprintf(y_path, sizeof y_path, "%s/y.npy", scratch);
    assert_int_equal(npy_write(x_path, &x, &e), 0);
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"eval", "--variant", id, "--in", x_path, "--out", y_path}};
    struct outcome o = drive(&d);
    assert_int_equal(o.code, EXIT_DONE);
    drive_free(&o);
    assert_int_equal(npy_read(y_path, &y, &e), 0);
    float first = y.data[0];
    for (size_t i = 0; i < 4; i++) assert_true(y.data[i] == first);
    npy_free(&y);
    return first;
}

TEST(caps_hold_for_the_library)
{
    choose_fake("good");
    assert_true(evaluated(avx2_softmax) == 2);
    if (has_avx512()) assert_true(evaluated(avx512_softmax) == 5);
}

/* ---- bench and accuracy ---------------------------------------------------------------------- */

/* A library is timed with the lab's kernels in one run; the capped child dies of its library, the
 * others continue. */
TEST(bench_survives_a_peer)
{
    choose_fake("crash");
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"bench", "--peers", "--json", "--quiet", "--filter",
                                    "algorithm=peer-onednn,threepass op=softmax "
                                    "isa=avx2,avx512 policy=off,lib",
                                    "--shapes", "2x64", "--processes", "2", "--samples", "2",
                                    "--no-limits"}};
    json_t *document = document_of(&d, EXIT_PARTIAL), *row;
    size_t i, own = 0;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        if (strstr(record_text(row, "id"), "/peer-")) continue;
        bool ran = !strcmp(record_text(row, "status"), "ok");
        assert_true(ran || !strcmp(record_text(row, "status"), "skipped"));
        own += ran && json_number_value(json_object_get(row, "ns_per_row")) > 0;
    }
    assert_true(own > 0);
    assert_string_equal(record_text(row_of(document, "rows", avx2_softmax), "status"), "killed");
    const json_t *free_row = row_of(document, "rows", avx512_softmax);
    assert_string_equal(record_text(free_row, "status"), has_avx512() ? "ok" : "skipped");
    if (has_avx512())
        assert_int_equal(json_integer_value(json_object_get(free_row, "processes")), 2);
    json_decref(document);
}

TEST(accuracy_measures_a_peer)
{
    choose_fake("crash");
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"accuracy", "--peers", "--json", "--quiet", "--filter",
                                    "algorithm=peer-onednn op=softmax,layernorm", "--n", "8",
                                    "--family", "normal"}};
    json_t *document = document_of(&d, EXIT_PARTIAL);
    assert_string_equal(record_text(row_of(document, "rows", avx2_softmax), "status"), "killed");
    const json_t *row = row_of(document, "rows", avx512_softmax);
    if (has_avx512()) { /* the result 5 is no probability */
        assert_string_equal(record_text(row, "status"), "ok");
        assert_true(json_number_value(json_object_get(row, "max_ulp")) > 1e6);
    }
    row = row_of(document, "rows", "layernorm/peer-onednn/dtype=f32/isa=avx2/cc=lib/policy=lib");
    assert_string_equal(record_text(row, "status"), "ok");
    json_decref(document);
}

/* Two processes, one for each cap: their bits are compared with each other and with the lab's. */
TEST(diverge_compares_peers)
{
    choose_fake("good");
    const struct drive d = {.program = drive_program("ulplab"),
                            .arguments = {"diverge", "--json", "--quiet", "--filter",
                                          "algorithm=peer-onednn op=softmax", "--n", "8",
                                          "--family", "normal"}};
    json_t *document = document_of(&d, EXIT_DONE);
    const size_t classes = has_avx512() ? 2 : 1;
    assert_int_equal(json_array_size(json_object_get(document, "classes")), classes);
    assert_int_equal(json_array_size(json_object_get(document, "pairs")), classes - 1);
    const json_t *pair = json_array_get(json_object_get(document, "pairs"), 0);
    if (pair) assert_true(json_number_value(json_object_get(pair, "mismatched")) == 1);
    const json_t *row = row_of(document, "invariance", avx2_softmax);
    assert_string_equal(record_text(row, "status"), "ok");
    assert_true(json_is_true(json_object_get(row, "row_position")));
    json_decref(document);
}

TEST(scan_measures_a_peer)
{
    choose_fake_as("ggml", "good");
    const struct drive d = {.program = drive_program("ulplab"),
                            .arguments = {"scan", "silu", "--json", "--quiet", "--filter",
                                          "algorithm=peer-ggml", "--range", "1,1.5"}};
    json_t *document = document_of(&d, EXIT_DONE);
    const json_t *row = row_of(document, "rows", "silu/peer-ggml/dtype=f32/isa=avx2");
    assert_string_equal(record_text(row, "status"), "ok");
    assert_true(record_number(row, "max_ulp") > 1e6); /* the result 1 is not silu(1.5) */
    json_decref(document);
    choose_fake_as("ggml", NULL);
}

TEST(what_is_missing_is_skipped)
{
    choose_fake(NULL);
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"bench", "--peers", "--json", "--quiet", "--filter",
                                    "policy=lib", "--shapes", "2x64", "--processes", "1",
                                    "--no-limits"}};
    json_t *document = document_of(&d, EXIT_DONE), *row;
    size_t i, rows = 0;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        assert_string_equal(record_text(row, "status"), "skipped");
        assert_true(json_is_null(json_object_get(row, "ns_per_row")));
        rows++;
    }
    assert_true(rows >= 10);
    json_decref(document);
}

/* A library that runs a graph for each call is left out of jobs so small that the call would
 * dominate the time. */
/* Of every library the time of an empty call is told, and cells that it decides are flagged. */
TEST(cells_that_a_call_decides_are_flagged)
{
    choose_fake_as("onnxruntime", "dear");
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"bench", "--peers", "--json", "--quiet", "--filter",
                                    "algorithm=peer-onnxruntime op=softmax", "--shapes",
                                    "2x64,1x65536", "--threads", "1", "--processes", "1",
                                    "--samples", "2", "--no-limits"}};
    json_t *document = document_of(&d, EXIT_DONE);
    static const char id[] = "softmax/peer-onnxruntime/dtype=f32/isa=auto/cc=lib/policy=lib";
    char few[128], many[128];
    snprintf(few, sizeof few, "%s/rows=2/", id);
    snprintf(many, sizeof many, "%s/rows=1/", id);
    const json_t *bound = row_of(document, "rows", few), *timed = row_of(document, "rows", many);
    assert_string_equal(record_text(bound, "status"), "ok");
    assert_true(record_has_flag(bound, "call-bound"));
    assert_true(record_number(bound, "call_ns") > 0.2 * 2 * record_number(bound, "ns_per_row"));
    assert_string_equal(record_text(timed, "status"), "ok");
    assert_false(record_has_flag(timed, "call-bound"));
    assert_true(record_number(timed, "call_ns") > 0);
    assert_true(json_number_value(json_object_get(timed, "ns_per_row")) > 6e7);
    json_decref(document);
    choose_fake_as("onnxruntime", NULL);
}

/* ---- The shims, where `make peers` built them ------------------------------------------------ */

/* The errors of every peer are within the known range of its library, so no shim mixes up its
 * arguments. The lengths include tails, single elements and one long row; for moments also one
 * element. */
TEST(the_shims_compute)
{
    unsetenv("ULPLAB_PEERS");
    struct drive list = {.program = drive_program("ulplab"),
                         .arguments = {"list", "--filter", "policy=lib"}};
    struct outcome o = drive(&list);
    bool any = o.code == EXIT_DONE && strstr(o.out, " ok");
    drive_free(&o);
    if (!any) {
        print_message("no peer is built; 'make peers' builds them\n");
        skip();
    }
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"accuracy", "--peers", "--json", "--quiet", "--filter",
                                    "policy=lib", "--n", "1,7,64,1000", "--family", "normal"}};
    json_t *document = document_of(&d, EXIT_DONE), *row;
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        if (!strcmp(record_text(row, "status"), "skipped")) continue;
        assert_string_equal(record_text(row, "status"), "ok");
        double scaled = json_number_value(json_object_get(row, "scaled_error"));
        if (!(scaled < 64)) fail_msg("%s: scaled error %g", record_text(row, "id"), scaled);
    }
    json_decref(document);
}

TEST_GROUP(scratch_open, scratch_close)
