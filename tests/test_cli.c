// SPDX-License-Identifier: MIT
/* The command line as its users meet it: exit codes, single error lines, documents. Drives the
 * built program (ULPLAB, or build/ulplab) as a child. */
// test: 33 s of a core
#include <sys/stat.h>

#include <jansson.h>

#include "base/error.h"
#include "model/npy.h"
#include "scratch.h"

#include "drive.h"
#include "model/record.h"

static char x_npy[64], y_npy[64], bad_npy[64];
static char variant[256]; /* the id of a variant that can run here */

/* Runs the program with these arguments, NULL at their end. */
#define run(...)                                                                                   \
    drive(&(struct drive){.program = drive_program("ulplab"), .arguments = {__VA_ARGS__}})

static int set_up(void **state)
{
    float data[6] = {1, 2, 3, 4, 5, 6};
    const struct npy x = {.data = data, .rows = 2, .cols = 3, .ndim = 2};
    struct error e;
    if (scratch_open(state)) return -1;
    snprintf(x_npy, sizeof x_npy, "%s/x.npy", scratch);
    snprintf(y_npy, sizeof y_npy, "%s/y.npy", scratch);
    snprintf(bad_npy, sizeof bad_npy, "%s/bad.npy", scratch);
    if (npy_write(x_npy, &x, &e) != 0) return -1;

    struct outcome o = run("list", "--filter", "moments/twopass isa=avx2 policy=off");
    snprintf(variant, sizeof variant, "%.*s", (int)strcspn(o.out, " "), o.out);
    int code = o.code;
    drive_free(&o);
    return code;
}

/* ---- Usage ----------------------------------------------------------------------------------- */

/* Arguments, and what the one error line must say. */
struct refusal {
    const char *arguments[DRIVE_ARGUMENTS], *says;
};

static void assert_refused(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct drive d = {.program = drive_program("ulplab")};
        memcpy(d.arguments, cases[i].arguments, sizeof cases[i].arguments);
        struct outcome o = drive(&d);
        assert_one_error(&o, EXIT_USAGE, cases[i].says);
        assert_string_equal(o.out, "");
        drive_free(&o);
    }
}

TEST(bad_usage)
{
    const struct refusal cases[] = {
        {{"frobnicate"}, "frobnicate"},
        {{"--frobnicate"}, "--frobnicate"},
        {{"list", "--frobnicate"}, "--frobnicate"},
        {{"list", "--filter"}, "wants a value"},
        {{"list", "--filter", "("}, "regular expression"},
        {{"list", "--filter", "op=nothing"}, "no variant matches"},
        {{"list", "--hide-isa", "avx9"}, "'avx9'"},
        {{"bench", "--threads", "0"}, "at least 1"},
        {{"bench", "--threads", "-1"}, "'-1'"},
        {{"bench", "--seed", "12x"}, "'12x'"},
        {{"bench", "--threads", "08000"}, "8000"}, /* decimal in spite of the leading 0 */
        {{"bench", "--n="}, "leave --n out"},
        {{"bench", "--n", "4,,8"}, "leave --n out"},
        {{"bench", "--family", "normal,"}, "leave --family out"},
        {{"bench", "--threads="}, "leave --threads out"},
        {{"policy", "--require="}, "leave --require out"},
        {{"run", "--out="}, "leave --out out"},
        {{"list", "--threads", "2"}, "no option of this command"},
        {{"report", "--json"}, "no option of this command"},
        {{"list", "--variant", "x"}, "--variant"}, /* an option of another command */
        {{"list", "everything"}, "'everything'"},
        {{"codegen", "everything"}, "'everything'"},
        {{"run", "--suite", "9"}, "known: 1"},
        {{"eval"}, "--variant"},
        {{"eval", "--variant", variant}, "--in"},
        {{"eval", "--variant", variant, "--in", x_npy}, "--out"},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

/* An option that would have no effect is refused. */
TEST(an_option_that_would_be_ignored_is_refused)
{
    const struct refusal cases[] = {
        {{"run", "--quick", "--full"}, "--quick"},
        {{"case", "run", "--quick", "--full"}, "--quick"},
        {{"case", "list", "--quick"}, "--quick"},
        {{"case", "list", "--filter", "isa=avx2"}, "--filter"},
        {{"case", "--seed", "2"}, "--seed"},
        {{"accuracy", "--input", x_npy, "--n", "4"}, "leave --n out"},
        {{"accuracy", "--input", x_npy, "--family", "normal"}, "leave --family out"},
        {{"accuracy", "--input", x_npy, "--samples", "4"}, "leave --samples out"},
        {{"accuracy", "--input", x_npy, "--seed", "4"}, "leave --seed out"},
        {{"accuracy", "--input", x_npy, "--out", scratch}, "leave --out out"},
        {{"accuracy", "--n", "4", "--out", scratch}, "leave --out out"},
        {{"bench", "--input", x_npy, "--n", "4"}, "leave --n out"},
        {{"bench", "--input", x_npy, "--rows", "4"}, "leave --rows out"},
        {{"bench", "--input", x_npy, "--shapes", "small"}, "leave --shapes out"},
        {{"bench", "--input", x_npy, "--family", "tiny"}, "leave --family out"},
        {{"diverge", "softmax", "--in", x_npy, "--got", x_npy, "--n", "4"}, "leave --n out"},
        {{"diverge", "softmax", "--in", x_npy}, "--got"},
        {{"search", "softmax", "--seconds", "1", "--evaluations", "9"}, "--seconds"},
        {{"policy", "--emit", "make", "--json"}, "--json"},
        {{"policy", scratch, "--out", scratch}, "leave --out out"},
        {{"export", scratch, "--out", scratch}, "leave --out out"},
        {{"export", scratch, "--format", "archive", "--filter", "isa=avx2"}, "--filter"},
        {{"compare", scratch, scratch, "--out", scratch}, "leave --out out"},
        {{"report", scratch, "--filter", "isa=avx2"}, "--filter"},
        {{"run", "--suite", "1", "--filter", "isa=avx2"}, "leave --filter out"},
        {{"run", "--suite", "1", "--seed", "2"}, "leave --seed out"},
        {{"archive", "list", "lab.db", "--to", "lab.db"}, "--to"},
        {{"fleet", "status", "--out", scratch, "--quick"}, "--quick"},
        {{"fleet", "submit", "--out", scratch, "--to", "lab.db"}, "--to"},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

TEST(unknown_variant_names_the_nearest)
{
    char typo[sizeof variant];
    snprintf(typo, sizeof typo, "%s", variant);
    typo[strlen("moments/two")] = 'x';
    struct outcome o = run("eval", "--variant", typo, "--in", x_npy, "--out", y_npy);
    assert_one_error(&o, EXIT_USAGE, variant);
    drive_free(&o);
    /* A misspelt beginning of an id is compared with beginnings of ids, not with whole ones. */
    o = run("eval", "--variant", "softmax/threepas", "--in", x_npy, "--out", y_npy);
    assert_one_error(&o, EXIT_USAGE, "spelt most like it: softmax/threepass/dtype=f32/");
    drive_free(&o);
}

TEST(parameters_of_eval)
{
    static const char *const refused[][2] = {
        {"scale", "'scale'"},       {"scale=", "'scale='"},
        {"scale=1x", "'scale=1x'"}, {"scale=nan", "'scale=nan'"},
        {"colour=1", "'colour=1'"}, {"scale=2", "takes no such parameter"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct outcome o = run("eval", "--variant", variant, "--in", x_npy, "--out", y_npy,
                               "--param", refused[i][0]);
        assert_one_error(&o, EXIT_USAGE, refused[i][1]);
        drive_free(&o);
    }
}

TEST(every_command_helps)
{
    struct outcome all = run("--help");
    assert_int_equal(all.code, EXIT_DONE);
    const char *line = strstr(all.out, "commands:\n");
    assert_non_null(line);
    size_t commands = 0;
    char name[32];
    for (line += 10; *line == ' '; line = strchr(line, '\n') + 1) {
        if (line[2] == ' ') continue; /* a line that continues a summary */
        assert_int_equal(sscanf(line, " %31[a-z]", name), 1);
        struct outcome o = run(name, "--help");
        char example[64];
        snprintf(example, sizeof example, "example:\n  ulplab %s", name);
        assert_int_equal(o.code, EXIT_DONE);
        assert_string_equal(o.err, "");
        if (!strstr(o.out, example)) fail_msg("%s --help has no example", name);
        drive_free(&o);
        commands++;
    }
    assert_true(commands >= 3);
    drive_free(&all);
}

/* ---- A user's own data ----------------------------------------------------------------------- */

TEST(accuracy_of_own_rows)
{
    struct outcome o = run("accuracy", "--json", "--input", x_npy, "--filter",
                           "op=softmax,moments algorithm=twopass,threepass isa=avx2 policy=off");
    assert_int_equal(o.code, EXIT_DONE);
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL), *row;
    size_t i;
    assert_non_null(document);
    assert_true(json_array_size(json_object_get(document, "rows")) >= 3);
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        bool each = !strncmp(json_string_value(json_object_get(row, "id")), "softmax", 7);
        assert_string_equal(json_string_value(json_object_get(row, "family")), "input");
        assert_int_equal(json_integer_value(json_object_get(row, "n")), 3);
        assert_int_equal(json_integer_value(json_object_get(row, "elements")), each ? 6 : 4);
        assert_true(json_number_value(json_object_get(row, "max_ulp")) < 4);
    }
    json_decref(document);
    drive_free(&o);
}

TEST(times_of_own_rows)
{
    struct outcome o = run("bench", "--json", "--input", x_npy, "--filter",
                           "op=moments algorithm=twopass isa=avx2 policy=off", "--processes", "3",
                           "--samples", "3", "--no-limits");
    assert_int_equal(o.code, EXIT_DONE);
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL), *row;
    const json_t *input = json_object_get(document, "input");
    size_t i;
    assert_string_equal(json_string_value(json_object_get(input, "file")), x_npy);
    assert_int_equal(json_integer_value(json_object_get(input, "rows")), 2);
    assert_int_equal(json_integer_value(json_object_get(input, "n")), 3);
    assert_int_equal(strlen(json_string_value(json_object_get(input, "hash"))), 16);
    assert_true(json_array_size(json_object_get(document, "rows")) > 0);
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        assert_string_equal(json_string_value(json_object_get(row, "family")), "input");
        assert_int_equal(json_integer_value(json_object_get(row, "rows")), 2);
        assert_int_equal(json_integer_value(json_object_get(row, "n")), 3);
        assert_true(json_number_value(json_object_get(row, "ns_per_row")) > 0);
    }
    json_decref(document);
    drive_free(&o);
    o = run("bench", "--input", bad_npy);
    assert_one_error(&o, EXIT_BAD_INPUT, bad_npy);
    drive_free(&o);
}

/* A gate over skipped variants passes, but says that no promise was tested. */
TEST(a_gate_that_skipped_everything_says_so)
{
    struct outcome o =
        run("accuracy", "--hide-isa", "avx2,avx512", "--filter", "isa=avx2", "--n", "4");
    assert_int_equal(o.code, EXIT_DONE);
    assert_non_null(strstr(o.err, "no promise checked: all"));
    drive_free(&o);
    o = run("accuracy", "--filter", "op=moments isa=scalar,avx2 policy=off", "--n", "4");
    assert_null(strstr(o.err, "no promise checked"));
    drive_free(&o);
}

TEST(own_rows_that_cannot_be)
{
    const struct {
        const char *arguments[10], *says;
        int code;
    } cases[] = {
        {{"--input", bad_npy}, bad_npy, EXIT_BAD_INPUT},
        {{"--input", x_npy, "--param", "scale=2", "--filter", "op=softmax"},
         "takes no",
         EXIT_USAGE},
        {{"--param", "gamma=/nonexistent.npy"}, "/nonexistent.npy", EXIT_BAD_INPUT},
        {{"--input", x_npy, "--filter", "op=layernorm", "--param", NULL},
         "6 values",
         EXIT_BAD_INPUT},
    };
    char gamma[80];
    snprintf(gamma, sizeof gamma, "gamma=%s", x_npy);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drive d = {.program = drive_program("ulplab"), .arguments = {"accuracy"}};
        size_t n = 0;
        for (; cases[i].arguments[n]; n++) d.arguments[n + 1] = cases[i].arguments[n];
        if (cases[i].code == EXIT_BAD_INPUT && n == 5) d.arguments[n + 1] = gamma;
        struct outcome o = drive(&d);
        assert_one_error(&o, cases[i].code, cases[i].says);
        drive_free(&o);
    }
}

/* The row (1, 2, 3) has mean 2 and rstd sqrt(3/2); gamma is 10 20 30, beta 1 2 3. */
TEST(gamma_and_beta_are_files)
{
    float tens[3] = {10, 20, 30}, ones[3] = {1, 2, 3};
    const struct npy g = {.data = tens, .rows = 1, .cols = 3, .ndim = 1};
    const struct npy b = {.data = ones, .rows = 1, .cols = 3, .ndim = 1};
    char gamma[80], beta[80], filter[] = "op=layernorm algorithm=twopass isa=avx2 policy=off";
    struct error e;
    snprintf(gamma, sizeof gamma, "gamma=%s/g.npy", scratch);
    snprintf(beta, sizeof beta, "beta=%s/b.npy", scratch);
    assert_int_equal(npy_write(gamma + 6, &g, &e), 0);
    assert_int_equal(npy_write(beta + 5, &b, &e), 0);
    struct outcome list = run("list", "--filter", filter);
    char id[256];
    snprintf(id, sizeof id, "%.*s", (int)strcspn(list.out, " "), list.out);
    drive_free(&list);
    struct outcome o = run("eval", "--variant", id, "--in", x_npy, "--out", y_npy, "--param",
                           "eps=0", "--param", gamma, "--param", beta);
    assert_int_equal(o.code, EXIT_DONE);
    drive_free(&o);
    struct npy y;
    assert_int_equal(npy_read(y_npy, &y, &e), 0);
    const float want[3] = {1 - 12.247449f, 2, 3 + 36.742346f};
    for (size_t i = 0; i < 6; i++) assert_float_equal(y.data[i], want[i % 3], 1e-5);
    npy_free(&y);
    o = run("accuracy", "--json", "--input", x_npy, "--filter", "op=layernorm isa=avx2 policy=off",
            "--param", gamma, "--param", beta);
    assert_int_equal(o.code, EXIT_DONE);
    json_t *document = json_loads(o.out, 0, NULL), *row;
    size_t i;
    assert_true(json_is_true(json_object_get(json_object_get(document, "parameters"), "gamma")));
    json_array_foreach(json_object_get(document, "rows"), i, row)
        assert_true(json_number_value(json_object_get(row, "scaled_error")) < 4);
    json_decref(document);
    drive_free(&o);
}

/* ---- Documents ------------------------------------------------------------------------------- */

static json_t *document_of(const struct outcome *o)
{
    json_error_t why;
    json_t *d = json_loads(o->out, JSON_REJECT_DUPLICATES, &why);
    if (!d) fail_msg("stdout is not one JSON document: %s", why.text);
    assert_int_equal(json_integer_value(json_object_get(d, "schema")), 1);
    const json_t *tool = json_object_get(d, "tool"), *machine = json_object_get(d, "machine");
    assert_true(json_is_string(json_object_get(tool, "version")));
    assert_true(json_is_string(json_object_get(tool, "commit")));
    assert_true(json_is_string(json_object_get(machine, "slug")));
    return d;
}

TEST(json_is_one_document)
{
    const struct {
        const char *arguments[10], *rows;
    } cases[] = {
        {{"list", "--json"}, "variants"},
        {{"codegen", "--json", "--filter", "moments/twopass"}, "variants"},
        {{"eval", "--json", "--variant", variant, "--in", x_npy, "--out", y_npy}, "shape"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drive d = {.program = drive_program("ulplab")};
        memcpy(d.arguments, cases[i].arguments, sizeof cases[i].arguments);
        struct outcome o = drive(&d);
        if (o.code) fail_msg("%s: exit %d: %s", cases[i].arguments[0], o.code, o.err);
        assert_string_equal(o.err, "");
        json_t *document = document_of(&o);
        assert_true(json_array_size(json_object_get(document, cases[i].rows)) > 0);
        json_decref(document);
        drive_free(&o);
    }
}

TEST(rows_have_the_contract_s_fields)
{
    static const struct {
        const char *command, *fields[16];
    } cases[] = {
        {"list",
         {"id", "op", "algorithm", "dtype", "isa", "cc", "policy", "status", "reason", "arithmetic",
          "hazard", "command", "object"}},
        {"codegen",
         {"id", "fma", "mul", "add", "div", "ymm", "zmm", "declared", "witnessed", "observed",
          "consistent"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome o = run(cases[i].command, "--json", "--filter", "moments/twopass");
        json_t *document = document_of(&o), *row;
        size_t r;
        json_array_foreach(json_object_get(document, "variants"), r,
                           row) for (size_t f = 0; cases[i].fields[f];
                                     f++) if (!json_object_get(row, cases[i].fields[f]))
            fail_msg("%s: no field %s", cases[i].command, cases[i].fields[f]);
        json_decref(document);
        drive_free(&o);
    }
}

TEST(eval_computes)
{
    struct outcome o = run("eval", "--variant", variant, "--in", x_npy, "--out", y_npy);
    struct npy y;
    struct error e;
    assert_int_equal(o.code, EXIT_DONE);
    assert_int_equal(npy_read(y_npy, &y, &e), 0);
    assert_int_equal(y.ndim, 2);
    assert_int_equal(y.rows, 2);
    assert_int_equal(y.cols, 2);
    const float want[4] = {2, 2.0f / 3, 5, 2.0f / 3}; /* mean and variance of 1 2 3 and 4 5 6 */
    for (size_t i = 0; i < 4; i++) assert_float_equal(y.data[i], want[i], 1e-6);
    npy_free(&y);
    drive_free(&o);
}

/* Two rows are computed by one, two and five threads: the rows are divided, or each row is. */
TEST(eval_has_the_bits_of_one_thread)
{
    enum { N = 20011 };
    static const char *const threads[] = {"1", "2", "5"};
    struct npy x = {.data = calloc(2 * N, sizeof(float)), .rows = 2, .cols = N, .ndim = 2}, y[3];
    struct error e;
    char in[80], id[256];
    assert_non_null(x.data);
    snprintf(in, sizeof in, "%s/two_rows.npy", scratch);
    for (size_t i = 0; i < 2 * N; i++) x.data[i] = (float)(i * 7919 % 10007) * 0x1p-10f;
    assert_int_equal(npy_write(in, &x, &e), 0);
    struct outcome o = run("list", "--filter", "^softmax/invariant isa=avx2 policy=off dtype=f32");
    snprintf(id, sizeof id, "%.*s", (int)strcspn(o.out, " "), o.out);
    bool there = o.code == EXIT_DONE && strstr(o.out, " ok");
    drive_free(&o);
    for (size_t i = 0; i < 3 && there; i++) {
        o = run("eval", "--variant", id, "--in", in, "--out", y_npy, "--threads", threads[i]);
        if (o.code != EXIT_DONE) fail_msg("%s threads: %s", threads[i], o.err);
        drive_free(&o);
        assert_int_equal(npy_read(y_npy, &y[i], &e), 0);
        assert_memory_equal(y[i].data, y[0].data, 2 * N * sizeof(float));
    }
    for (size_t i = 0; i < 3 && there; i++) npy_free(&y[i]);
    free(x.data);
}

/* A kernel that stores 16 bits rounds its input; its fp16 results are written as float16. */
TEST(eval_of_stored)
{
    static const struct {
        const char *dtype;
        bool half;
        double third; /* softmax of three equal values */
    } cases[] = {{"f16", true, 0x1.554p-2}, {"bf16", false, 0x1.56p-2}, {"f32", false, 1.0f / 3}};
    float data[6] = {1, 1, 1, 0.1f, 0.1f, 0.1f};
    char in[80];
    struct npy x = {.data = data, .rows = 2, .cols = 3, .ndim = 2}, y;
    struct error e;
    snprintf(in, sizeof in, "%s/third.npy", scratch);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int half = 0; half < 2; half++) {
            char filter[80], id[256];
            x.half = half;
            assert_int_equal(npy_write(in, &x, &e), 0);
            snprintf(filter, sizeof filter, "^softmax/threepass isa=avx2 policy=off dtype=%s",
                     cases[i].dtype);
            struct outcome o = run("list", "--filter", filter);
            snprintf(id, sizeof id, "%.*s", (int)strcspn(o.out, " "), o.out);
            bool there = o.code == EXIT_DONE;
            drive_free(&o);
            if (!there) continue; /* a variant that this build lacks */
            o = run("eval", "--variant", id, "--in", in, "--out", y_npy);
            if (o.code != EXIT_DONE) fail_msg("%s: %s", id, o.err);
            drive_free(&o);
            assert_int_equal(npy_read(y_npy, &y, &e), 0);
            assert_int_equal(y.half, cases[i].half);
            for (size_t k = 0; k < 6; k++)
                if (fabs((double)y.data[k] - cases[i].third) > 0x1p-24)
                    fail_msg("%s: %a", id, (double)y.data[k]);
            npy_free(&y);
            /* Two words for one question. */
            o = run(half ? "identify" : "diverge", "softmax", "--in", in, "--got", y_npy, "--json",
                    "--filter", id);
            if (o.code != EXIT_DONE || !strstr(o.out, "\"exact\": [\n"))
                fail_msg("%s: identify: %s%.300s", id, o.err, o.out);
            drive_free(&o);
        }
}

/* ---- Bad input ------------------------------------------------------------------------------- */

/* Writes a version 1.0 file with this header and `bytes` of data. */
static void put_npy(const char *text, size_t bytes)
{
    unsigned char prefix[10] = "\x93NUMPY\x01";
    FILE *f = fopen(bad_npy, "wb");
    assert_non_null(f);
    prefix[8] = (unsigned char)strlen(text);
    fwrite(prefix, 1, sizeof prefix, f);
    fputs(text, f);
    while (bytes--) putc(0, f);
    fclose(f);
}

TEST(malformed_arrays)
{
    static const struct {
        const char *text;
        size_t bytes;
        const char *says;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 23, "truncated"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 30, "too long"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3), }", 48, "dtype"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24, "Fortran"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 1), }", 24, "3-D"},
        {"not a dictionary", 24, "header"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_npy(cases[i].text, cases[i].bytes);
        struct outcome o = run("eval", "--variant", variant, "--in", bad_npy, "--out", y_npy);
        assert_one_error(&o, EXIT_BAD_INPUT, cases[i].says);
        drive_free(&o);
    }
    static const char *const nowhere[] = {"/nonexistent/x.npy", "/dev/zero", "/"};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        struct outcome o = run("eval", "--variant", variant, "--in", nowhere[i], "--out", y_npy);
        assert_one_error(&o, EXIT_BAD_INPUT, nowhere[i]);
        drive_free(&o);
    }
}

TEST(nowhere_to_write)
{
    char under_a_file[80], closed[80];
    snprintf(under_a_file, sizeof under_a_file, "%s/y.npy", x_npy);
    snprintf(closed, sizeof closed, "%s/closed", scratch);
    mkdir(closed, 0555);
    snprintf(closed, sizeof closed, "%s/closed/y.npy", scratch);
    /* root may write into a read-only folder; nobody may create a file in /proc. */
    const char *const places[] = {under_a_file, "/proc/y.npy", scratch, "/nonexistent/y.npy",
                                  getuid() ? closed : scratch};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct outcome o = run("eval", "--variant", variant, "--in", x_npy, "--out", places[i]);
        assert_one_error(&o, EXIT_BAD_INPUT, "cannot write");
        drive_free(&o);
    }
}

TEST(full_disk_on_stdout)
{
    const char *const cases[][10] = {
        {"list"},
        {"list", "--json"},
        {"codegen", "--filter", "moments/twopass"},
        {"codegen", "--json", "--filter", "moments/twopass"},
        {"eval", "--json", "--variant", variant, "--in", x_npy, "--out", y_npy},
        {"--help"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drive d = {.program = drive_program("ulplab"), .output = "/dev/full"};
        memcpy(d.arguments, cases[i], sizeof cases[i]);
        struct outcome o = drive(&d);
        assert_one_error(&o, EXIT_BAD_INPUT, "No space left");
        drive_free(&o);
    }
}

/* The existing file stays intact, and no temporary file is left. */
TEST(full_disk_under_a_file)
{
    enum { ROWS = 4096, LIMIT = 8192 }; /* 32 KiB to write, with a limit of 8 KiB */
    struct npy y, big = {.rows = ROWS, .cols = 1, .ndim = 2};
    struct error e;
    char big_npy[80], leftovers[100];
    snprintf(big_npy, sizeof big_npy, "%s/big.npy", scratch);
    assert_non_null(big.data = calloc(ROWS, sizeof *big.data));
    assert_int_equal(npy_write(big_npy, &big, &e), 0);
    npy_free(&big);

    struct outcome small = run("eval", "--variant", variant, "--in", x_npy, "--out", y_npy);
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"eval", "--variant", variant, "--in", big_npy, "--out", y_npy},
                      .file_limit = LIMIT};
    struct outcome o = drive(&d);
    assert_int_equal(small.code, EXIT_DONE);
    assert_one_error(&o, EXIT_BAD_INPUT, "cannot write");
    assert_int_equal(npy_read(y_npy, &y, &e), 0);
    assert_int_equal(y.rows, 2);
    snprintf(leftovers, sizeof leftovers, "ls '%s' | grep -q tmp", scratch);
    assert_int_not_equal(system(leftovers), 0);
    npy_free(&y);
    drive_free(&small);
    drive_free(&o);
}

TEST(full_disk_under_a_device)
{
    struct outcome device = run("eval", "--variant", variant, "--in", x_npy, "--out", "/dev/full");
    struct stat st;
    assert_one_error(&device, EXIT_BAD_INPUT, "No space left");
    assert_true(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
    drive_free(&device);
}

/* ---- A machine without ----------------------------------------------------------------------- */

/* Asserts the status of every variant of an ISA in `list --hide-isa hidden`. */
static void assert_isa(const char *hidden, const char *isa, const char *status)
{
    struct outcome o = run("list", "--json", "--hide-isa", hidden);
    assert_int_equal(o.code, EXIT_DONE);
    json_t *document = document_of(&o), *row;
    size_t i;
    json_array_foreach(json_object_get(document, "variants"), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "isa")), isa) != 0) continue;
        const char *said = json_string_value(json_object_get(row, "status"));
        const char *reason = json_string_value(json_object_get(row, "reason"));
        if (!strcmp(said, "unbuilt")) continue;
        /* A library that is not installed has another reason. */
        if (strstr(json_string_value(json_object_get(row, "id")), "/peer-")) continue;
        if (!strncmp(reason, "needs ", 6)) continue;
        assert_string_equal(said, status);
        assert_int_equal(strcmp(status, "skipped") == 0, reason[0] != '\0');
    }
    json_decref(document);
    drive_free(&o);
}

TEST(hidden_isas_are_skipped)
{
    assert_isa("avx512", "avx512", "skipped");
    assert_isa("avx512", "avx2", "ok");
    assert_isa("avx2", "avx512", "skipped"); /* AVX-512 needs AVX2 */
    assert_isa("avx2", "avx2", "skipped");
    assert_isa("avx2,avx512", "scalar", "ok");

    struct outcome o =
        run("eval", "--variant", variant, "--in", x_npy, "--out", y_npy, "--hide-isa", "avx2");
    assert_one_error(&o, EXIT_USAGE, "hidden by --hide-isa avx2");
    drive_free(&o);
}

/* glibc prints which features it uses. */
TEST(a_hidden_isa_is_hidden_from_glibc)
{
    static const char *const hidden[] = {"avx512", "avx2", "avx512,avx2"};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        struct outcome o = run("doctor", "--json", "--hide-isa", hidden[i]);
        json_t *document = document_of(&o);
        const json_t *machine = json_object_get(document, "machine");
        const char *glibc = record_text(json_object_get(machine, "libraries"), "glibc");
        assert_int_equal(strstr(glibc, " without FMA, AVX2") != NULL, i > 0);
        json_decref(document);
        drive_free(&o);
    }
}

TEST(codegen_without_the_isa)
{
    struct outcome o =
        run("codegen", "--json", "--hide-isa", "avx2", "--filter", "moments/twopass");
    assert_int_equal(o.code, EXIT_DONE);
    json_t *document = document_of(&o), *row;
    size_t i;
    json_array_foreach(json_object_get(document, "variants"), i, row)
    {
        bool scalar = !strcmp(json_string_value(json_object_get(row, "status")), "ok");
        assert_int_equal(json_is_object(json_object_get(row, "observed")), scalar);
        assert_true(json_is_integer(json_object_get(row, "fma"))); /* read from the object */
    }
    json_decref(document);
    drive_free(&o);
}

TEST_GROUP(set_up, scratch_close)
