// SPDX-License-Identifier: MIT
/* The command line as its users meet it: exit codes, single error lines, documents. Drives the
 * built program (ULPLAB, or build/ulplab) as a child. */
// test: 33 s of a core
#include <sys/stat.h>

#include "base/error.h"
#include "drive.h"
#include "facts.h"
#include "scratch.h"

static char x_npy[64], y_npy[64], bad_npy[64];
static char variant[DRIVE_ID]; /* the id of a variant that can run here */

/* Runs the program with a command line. */
#define run(...) drive_line(drive_program("ulplab"), __VA_ARGS__)
#define says(...) assert_says(drive_program("ulplab"), __VA_ARGS__)
#define json(...) drive_json(drive_program("ulplab"), EXIT_DONE, __VA_ARGS__)
/* Evaluates `variant`, or another one. */
#define EVAL "eval --variant %s --in %s --out %s"

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
    return !drive_first_id(drive_program("ulplab"), "moments/twopass isa=avx2 policy=off", variant);
}

/* ---- Usage ----------------------------------------------------------------------------------- */

/* A command line, in which X is x.npy, OUT the scratch folder and V the variant, and what the one
 * error line must say. */
struct refusal {
    const char *line, *says;
};

static void assert_refused(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char line[1000] = "", text[300], *rest = text;
        snprintf(text, sizeof text, "%s", cases[i].line);
        for (const char *word; (word = next_word(&rest));) {
            const char *is = !strcmp(word, "X")     ? x_npy
                             : !strcmp(word, "OUT") ? scratch
                             : !strcmp(word, "V")   ? variant
                                                    : word;
            snprintf(line + strlen(line), sizeof line - strlen(line), "'%s' ", is);
        }
        struct outcome o = run("%s", line);
        assert_one_error(&o, EXIT_USAGE, cases[i].says);
        assert_string_equal(o.out, "");
    }
}

TEST(bad_usage)
{
    static const struct refusal cases[] = {
        {"frobnicate", "frobnicate"},
        {"--frobnicate", "--frobnicate"},
        {"list --frobnicate", "--frobnicate"},
        {"list --filter", "wants a value"},
        {"list --filter (", "regular expression"},
        {"list --filter op=nothing", "no variant matches"},
        {"list --hide-isa avx9", "'avx9'"},
        {"bench --threads 0", "at least 1"},
        {"bench --threads -1", "'-1'"},
        {"bench --seed 12x", "'12x'"},
        {"bench --threads 08000", "8000"}, /* decimal in spite of the leading 0 */
        {"bench --n=", "leave --n out"},
        {"bench --n 4,,8", "leave --n out"},
        {"bench --family normal,", "leave --family out"},
        {"bench --threads=", "leave --threads out"},
        {"policy --require=", "leave --require out"},
        {"run --out=", "leave --out out"},
        {"list --threads 2", "not an option of this command"},
        {"report --json", "not an option of this command"},
        {"list --variant x", "--variant"}, /* an option of another command */
        {"list everything", "'everything'"},
        {"codegen everything", "'everything'"},
        {"run --suite 9", "known: 1"},
        {"eval", "--variant"},
        {"eval --variant V", "--in"},
        {"eval --variant V --in X", "--out"},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

/* An option that would have no effect is refused. */
TEST(an_option_that_would_be_ignored_is_refused)
{
    static const struct refusal cases[] = {
        {"run --quick --full", "--quick"},
        {"case run --quick --full", "--quick"},
        {"try f.c f --quick --full", "--quick"},
        {"case list --quick", "--quick"},
        {"case list --filter isa=avx2", "--filter"},
        {"case --seed 2", "--seed"},
        {"accuracy --input X --n 4", "leave --n out"},
        {"accuracy --input X --family normal", "leave --family out"},
        {"accuracy --input X --samples 4", "leave --samples out"},
        {"accuracy --input X --seed 4", "leave --seed out"},
        {"accuracy --input X --out OUT", "leave --out out"},
        {"accuracy --n 4 --out OUT", "leave --out out"},
        {"bench --input X --n 4", "leave --n out"},
        {"bench --input X --rows 4", "leave --rows out"},
        {"bench --input X --shapes small", "leave --shapes out"},
        {"bench --input X --family tiny", "leave --family out"},
        {"diverge softmax --in X --got X --n 4", "leave --n out"},
        {"diverge softmax --in X", "--got"},
        {"search softmax --seconds 1 --evaluations 9", "--seconds"},
        {"policy --emit make --json", "--json"},
        {"policy OUT --out OUT", "leave --out out"},
        {"export OUT --out OUT", "leave --out out"},
        {"export OUT --format archive --filter isa=avx2", "--filter"},
        {"compare OUT OUT --out OUT", "leave --out out"},
        {"report OUT --filter isa=avx2", "--filter"},
        {"run --suite 1 --filter isa=avx2", "leave --filter out"},
        {"run --suite 1 --seed 2", "leave --seed out"},
        {"archive list lab.db --to lab.db", "--to"},
        {"fleet status --out OUT --quick", "--quick"},
        {"fleet submit --out OUT --to lab.db", "--to"},
    };
    assert_refused(cases, sizeof cases / sizeof *cases);
}

TEST(unknown_variant_names_the_nearest)
{
    char typo[sizeof variant];
    snprintf(typo, sizeof typo, "%s", variant);
    typo[strlen("moments/two")] = 'x';
    says(EXIT_USAGE, variant, EVAL, typo, x_npy, y_npy);
    /* A misspelt beginning of an id is compared with beginnings of ids, not with whole ones. */
    says(EXIT_USAGE, "similar ids: softmax/threepass/dtype=f32/", EVAL, "softmax/threepas", x_npy,
         y_npy);
}

TEST(parameters_of_eval)
{
    static const char *const refused[][2] = {
        {"scale", "'scale'"},       {"scale=", "'scale='"},
        {"scale=1x", "'scale=1x'"}, {"scale=nan", "'scale=nan'"},
        {"colour=1", "'colour=1'"}, {"scale=2", "takes no such parameter"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        says(EXIT_USAGE, refused[i][1], EVAL " --param %s", variant, x_npy, y_npy, refused[i][0]);
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
        struct outcome o = run("%s --help", name);
        char example[64];
        snprintf(example, sizeof example, "example:\n  ulplab %s", name);
        assert_int_equal(o.code, EXIT_DONE);
        assert_string_equal(o.err, "");
        if (!strstr(o.out, example)) fail_msg("%s --help has no example", name);
        commands++;
    }
    assert_true(commands >= 3);
}

/* ---- A user's own data ----------------------------------------------------------------------- */

TEST(accuracy_of_own_rows)
{
    json_t *document = json("accuracy --json --input %s --filter 'op=softmax,moments "
                            "algorithm=twopass,threepass isa=avx2 policy=off'",
                            x_npy);
    const json_t *rows = json_object_get(document, "rows");
    assert_every(rows, 3, "family=input n=3 max_ulp<4");
    /* softmax has a result per element, moments two per row. */
    assert_int_equal(fact_count(rows, "id~softmax/ elements=6") +
                         fact_count(rows, "id~moments/ elements=4"),
                     json_array_size(rows));
}

TEST(times_of_own_rows)
{
    json_t *document =
        json("bench --json --input %s --processes 3 --samples 3 --no-limits --filter "
             "'op=moments algorithm=twopass isa=avx2 policy=off'",
             x_npy);
    assert_facts(document, "input.file=%s input.rows=2 input.n=3", x_npy);
    assert_int_equal(strlen(json_string_value(fact_at(document, "input.hash"))), 16);
    assert_every(json_object_get(document, "rows"), 1, "family=input rows=2 n=3 ns_per_row>0");
    says(EXIT_BAD_INPUT, bad_npy, "bench --input %s", bad_npy);
}

/* A gate over skipped variants passes, but says that no promise was tested. */
TEST(a_gate_that_skipped_everything_says_so)
{
    says(EXIT_DONE, "no promise checked: all",
         "accuracy --hide-isa avx2,avx512 --filter isa=avx2 --n 4");
    struct outcome o = run("accuracy --filter 'op=moments isa=scalar,avx2 policy=off' --n 4");
    assert_null(strstr(o.err, "no promise checked"));
}

TEST(own_rows_that_cannot_be)
{
    says(EXIT_BAD_INPUT, bad_npy, "accuracy --input %s", bad_npy);
    says(EXIT_USAGE, "takes no", "accuracy --input %s --param scale=2 --filter op=softmax", x_npy);
    says(EXIT_BAD_INPUT, "/nonexistent.npy", "accuracy --param gamma=/nonexistent.npy");
    says(EXIT_BAD_INPUT, "6 values", "accuracy --input %s --filter op=layernorm --param gamma=%s",
         x_npy, x_npy);
}

/* The row (1, 2, 3) has mean 2 and rstd sqrt(3/2); gamma is 10 20 30, beta 1 2 3. */
TEST(gamma_and_beta_are_files)
{
    float tens[3] = {10, 20, 30}, ones[3] = {1, 2, 3};
    const struct npy g = {.data = tens, .rows = 1, .cols = 3, .ndim = 1};
    const struct npy b = {.data = ones, .rows = 1, .cols = 3, .ndim = 1};
    char gamma[80], beta[80], id[DRIVE_ID];
    struct error e;
    snprintf(gamma, sizeof gamma, "gamma=%s/g.npy", scratch);
    snprintf(beta, sizeof beta, "beta=%s/b.npy", scratch);
    assert_int_equal(npy_write(gamma + 6, &g, &e), 0);
    assert_int_equal(npy_write(beta + 5, &b, &e), 0);
    drive_first_id(drive_program("ulplab"), "op=layernorm algorithm=twopass isa=avx2 policy=off",
                   id);
    says(EXIT_DONE, "", EVAL " --param eps=0 --param %s --param %s", id, x_npy, y_npy, gamma, beta);
    const struct npy y = drive_npy(y_npy);
    const float want[3] = {1 - 12.247449f, 2, 3 + 36.742346f};
    for (size_t i = 0; i < 6; i++) assert_float_equal(y.data[i], want[i % 3], 1e-5);
    json_t *document =
        json("accuracy --json --input %s --filter 'op=layernorm isa=avx2 policy=off' "
             "--param %s --param %s",
             x_npy, gamma, beta);
    assert_facts(document, "parameters.gamma=true");
    assert_every(json_object_get(document, "rows"), 1, "scaled_error<4");
}

/* ---- Documents ------------------------------------------------------------------------------- */

#define HEAD "schema=1 tool.version tool.commit machine.slug"

TEST(json_is_one_document)
{
    static const struct {
        const char *line, *rows;
    } cases[] = {
        {"list --json", "variants"},
        {"codegen --json --filter moments/twopass", "variants"},
        {"eval --json --variant %s --in %s --out %s", "shape"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[600];
        snprintf(line, sizeof line, cases[i].line, variant, x_npy, y_npy);
        struct outcome o = run("%s", line);
        if (o.code) fail_msg("%s: exit %d: %s", line, o.code, o.err);
        assert_string_equal(o.err, "");
        json_t *document = keep(json_loads(o.out, JSON_REJECT_DUPLICATES, NULL));
        assert_facts(document, HEAD " %s %s!=#0", cases[i].rows, cases[i].rows);
    }
}

TEST(rows_have_the_contract_s_fields)
{
    static const char *const cases[][2] = {
        {"list",
         "id op algorithm dtype isa cc policy status reason arithmetic hazard command object"},
        {"codegen", "id fma mul add div ymm zmm declared witnessed observed consistent"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *document = json("%s --json --filter moments/twopass", cases[i][0]);
        assert_facts(document, HEAD);
        assert_every(json_object_get(document, "variants"), 1, "%s", cases[i][1]);
    }
}

TEST(eval_computes)
{
    says(EXIT_DONE, "", EVAL, variant, x_npy, y_npy);
    const struct npy y = drive_npy(y_npy);
    assert_true(y.ndim == 2 && y.rows == 2 && y.cols == 2);
    const float want[4] = {2, 2.0f / 3, 5, 2.0f / 3}; /* mean and variance of 1 2 3 and 4 5 6 */
    for (size_t i = 0; i < 4; i++) assert_float_equal(y.data[i], want[i], 1e-6);
}

/* Two rows are computed by one, two and five threads: the rows are divided, or each row is. */
TEST(eval_has_the_bits_of_one_thread)
{
    enum { N = 20011 };
    static const int threads[] = {1, 2, 5};
    static float data[2 * N];
    struct npy x = {.data = data, .rows = 2, .cols = N, .ndim = 2}, y[3];
    struct error e;
    char in[80], id[DRIVE_ID];
    snprintf(in, sizeof in, "%s/two_rows.npy", scratch);
    for (size_t i = 0; i < 2 * N; i++) data[i] = (float)(i * 7919 % 10007) * 0x1p-10f;
    assert_int_equal(npy_write(in, &x, &e), 0);
    const bool there = drive_first_id(drive_program("ulplab"),
                                      "^softmax/invariant isa=avx2 policy=off dtype=f32", id);
    for (size_t i = 0; i < 3 && there; i++) {
        says(EXIT_DONE, "", EVAL " --threads %d", id, in, y_npy, threads[i]);
        y[i] = drive_npy(y_npy);
        assert_memory_equal(y[i].data, y[0].data, 2 * N * sizeof(float));
    }
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
    struct npy x = {.data = data, .rows = 2, .cols = 3, .ndim = 2};
    struct error e;
    snprintf(in, sizeof in, "%s/third.npy", scratch);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int half = 0; half < 2; half++) {
            char filter[80], id[DRIVE_ID];
            x.half = half;
            assert_int_equal(npy_write(in, &x, &e), 0);
            snprintf(filter, sizeof filter, "^softmax/threepass isa=avx2 policy=off dtype=%s",
                     cases[i].dtype);
            if (!drive_first_id(drive_program("ulplab"), filter, id))
                continue; /* a variant that this build lacks */
            says(EXIT_DONE, "", EVAL, id, in, y_npy);
            const struct npy y = drive_npy(y_npy);
            assert_int_equal(y.half, cases[i].half);
            for (size_t k = 0; k < 6; k++)
                if (fabs((double)y.data[k] - cases[i].third) > 0x1p-24)
                    fail_msg("%s: %a", id, (double)y.data[k]);
            /* Two words for one question. */
            json_t *document = json("%s softmax --in %s --got %s --json --filter %s",
                                    half ? "identify" : "diverge", in, y_npy, id);
            assert_facts(document, "exact!=#0");
        }
}

/* ---- Bad input ------------------------------------------------------------------------------- */

/* What can be wrong with an array's header and its data: tests/test_npy.c. */
TEST(malformed_arrays)
{
    must_format("printf '\\223NUMPY\\001\\0\\020\\0not a dictionary' >%s", bad_npy);
    says(EXIT_BAD_INPUT, "header", EVAL, variant, bad_npy, y_npy);
    static const char *const nowhere[] = {"/nonexistent/x.npy", "/dev/zero", "/"};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
        says(EXIT_BAD_INPUT, nowhere[i], EVAL, variant, nowhere[i], y_npy);
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
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        says(EXIT_BAD_INPUT, "cannot write", EVAL, variant, x_npy, places[i]);
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
    }
}

/* The existing file stays intact, and no temporary file is left. */
TEST(full_disk_under_a_file)
{
    enum { ROWS = 4096, LIMIT = 8192 }; /* 32 KiB to write, with a limit of 8 KiB */
    static float data[ROWS];
    const struct npy big = {.data = data, .rows = ROWS, .cols = 1, .ndim = 2};
    struct error e;
    char big_npy[80];
    snprintf(big_npy, sizeof big_npy, "%s/big.npy", scratch);
    assert_int_equal(npy_write(big_npy, &big, &e), 0);

    says(EXIT_DONE, "", EVAL, variant, x_npy, y_npy);
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"eval", "--variant", variant, "--in", big_npy, "--out", y_npy},
                      .file_limit = LIMIT};
    struct outcome o = drive(&d);
    assert_one_error(&o, EXIT_BAD_INPUT, "cannot write");
    assert_int_equal(drive_npy(y_npy).rows, 2);
    must_format("! ls '%s' | grep tmp", scratch);
}

TEST(full_disk_under_a_device)
{
    struct stat st;
    says(EXIT_BAD_INPUT, "No space left", EVAL, variant, x_npy, "/dev/full");
    assert_true(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
}

/* ---- A machine without ----------------------------------------------------------------------- */

/* Asserts the status of every variant of an ISA in `list --hide-isa hidden`. */
static void assert_isa(const char *hidden, const char *isa, const char *status)
{
    json_t *document = json("list --json --hide-isa %s", hidden);
    const json_t *variants = json_object_get(document, "variants");
    assert_facts(document, HEAD);
    /* A library that is not installed has another reason. */
#define OF_ISA "isa=%s status!=unbuilt 'reason!^needs ' id!~/peer-"
    assert_int_equal(fact_count(variants, OF_ISA " status=%s %s", isa, status,
                                strcmp(status, "skipped") ? "reason=" : "reason!="),
                     fact_count(variants, OF_ISA, isa));
}

TEST(hidden_isas_are_skipped)
{
    assert_isa("avx512", "avx512", "skipped");
    assert_isa("avx512", "avx2", "ok");
    assert_isa("avx2", "avx512", "skipped"); /* AVX-512 needs AVX2 */
    assert_isa("avx2", "avx2", "skipped");
    assert_isa("avx2,avx512", "scalar", "ok");
    says(EXIT_USAGE, "hidden by --hide-isa avx2", EVAL " --hide-isa avx2", variant, x_npy, y_npy);
}

/* glibc prints which features it uses. */
TEST(a_hidden_isa_is_hidden_from_glibc)
{
    static const char *const hidden[] = {"avx512", "avx2", "avx512,avx2"};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        struct outcome o =
            run("doctor --json --hide-isa %s", hidden[i]); /* exits with 1 without AVX2 */
        assert_facts(keep(json_loads(o.out, JSON_REJECT_DUPLICATES, NULL)),
                     HEAD " 'machine.libraries.glibc%s without FMA, AVX2'", i ? "~" : "!~");
    }
}

TEST(codegen_without_the_isa)
{
    json_t *document = json("codegen --json --hide-isa avx2 --filter moments/twopass");
    const json_t *variants = json_object_get(document, "variants");
    assert_facts(document, HEAD);
    assert_every(variants, 1, "fma>=0"); /* read from the object */
    assert_int_equal(fact_count(variants, "status=ok observed!=null"),
                     fact_count(variants, "status=ok"));
    assert_int_equal(fact_count(variants, "status!=ok observed=null") +
                         fact_count(variants, "status!=ok !observed"),
                     fact_count(variants, "status!=ok"));
}

TEST_GROUP(set_up, scratch_close)
