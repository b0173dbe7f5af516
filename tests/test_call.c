// SPDX-License-Identifier: MIT
/* How `try` calls a user's function: from declarations, and from the debugging information of
 * objects. */
#include "base/error.h"
#include "study/call.h"
#include "study/glue.h"
#include "study/subject.h"
#include "scratch.h"

#include "drive.h"

/* What operations have, by which roles are settled. */
static struct call reference_of_two, reference_of_one, reference_of_value;
static const struct call_op
    softmax = {.name = "softmax", .elementwise = true, .scale = true},
    layernorm = {.name = "layernorm",
                 .elementwise = true,
                 .gamma = true,
                 .beta = true,
                 .eps = true,
                 .mean = true,
                 .rstd = true},
    logsumexp = {.name = "logsumexp", .columns = 1},
    moments = {.name = "moments", .columns = 2, .mean = true, .variance = true},
    two = {.name = "two", .elementwise = true, .own = true, .reference = &reference_of_two},
    dot = {.name = "dot", .columns = 1, .own = true, .reference = &reference_of_two},
    total = {.name = "total", .columns = 1, .own = true, .reference = &reference_of_value},
    own = {.name = "own", .elementwise = true, .own = true, .reference = &reference_of_one},
    quanta = {.name = "quanta",
              .elementwise = true,
              .own = true,
              .reference = &reference_of_one,
              .steps = true},
    alone = {.name = "the reference", .own = true};

struct told {
    const char *declaration;
    const struct call_op *op;
    const char *roles; /* the parameters' roles; NULL: the declaration is refused */
    bool by_type, in_place, value;
    unsigned lanes, operands;
    const char *asks; /* what the message of the refusal names */
};
static const struct told tolds[] = {
    {"void f(const float *x, float *y, int n)", &softmax, "x y n", .operands = 1},
    {"void f(float *x, int n)", &softmax, "x n", .in_place = true, .operands = 1},
    {"void f(float* out, const float* in, const float* weight, int size)", &layernorm,
     "y x gamma n", .operands = 1},
    {"void f(const float *x, float *y, size_t rows, size_t n, size_t x_stride, size_t y_stride)",
     &softmax, "x y rows n x_stride y_stride", .operands = 1},
    {"float f(float x)", &own, "x", .value = true, .lanes = 1, .operands = 1},
    {"__m256 f(__m256 x)", &own, "x", .value = true, .lanes = 8, .operands = 1},
    {"__m256 f(__m256 x, __m256 mask)", &own, "x mask", .value = true, .lanes = 8, .operands = 1},
    {"__m512 f(__m512 x, unsigned mask)", &own, "x mask", .value = true, .lanes = 16,
     .operands = 1},
    {"void f(const float *x, float *y, int n, unsigned mask)", &own, NULL,
     .asks = "'unsigned mask'"},
    {"float f(const float *x, unsigned long n) per row", &logsumexp, "x n", .value = true,
     .operands = 1},
    {"void f(int n, float *__restrict__ y, const float x[], float eps)", &layernorm, "n y x eps",
     .operands = 1},
    {"void f(const float *p, float *q, int z)", &softmax, "x y n", .by_type = true, .operands = 1},
    {"void f(const float *p, float *q, int z)", &softmax, NULL, .asks = "const float * p"},
    {"void f(float *y, float *mean, float *rstd, const float *x, int B, int T, int C)", &layernorm,
     NULL, .asks = "'int B'"},
    {"void f(float *out, float *mean, float *rstd, float *inp, float *weight, float *bias, int B, "
     "int T, int C)",
     &layernorm, NULL, .by_type = true,
     .asks = "float *gamma, float *beta, int B = 1, int T = 1, int n)"},
    {"void f(float *input, int n, float temp, int stride, float *output)", &softmax, NULL,
     .by_type = true, .asks = "(float *x, int n, float temp = 1, int stride = 1, float *y)"},
    {"void f(const float *x, int ldx, float *y, int ldy, int m, int n)", &softmax,
     "x x_stride y y_stride rows n", .operands = 1},
    {"void f(const float *x, float *y, float *tmp, int n)", &softmax, NULL,
     .asks = "float *y, float *scratch, int n)"},
    {"void f(const float *x, float *y, float *scratch, int n)", &softmax, "x y spare n",
     .operands = 1},
    {"void f(const float *x, float *y)", &softmax, NULL, .asks = "length of a row"},
    {"void f(const float *x, int n)", &softmax, NULL, .asks = "output"},
    {"void nn::f<float, 2>(const float *x, float *y, size_t n)", &softmax, "x y n", .operands = 1},
    {"void f(const float *x, const float *in, float *y, int n)", &softmax, NULL, .asks = "both x"},

    /* Short names say something where the operation has it, and nothing else can be meant. */
    {"void f(const float *x, float *y, const float *w, const float *b, int c)", &layernorm,
     "x y gamma beta n", .operands = 1},
    {"void f(const float *x, const float *w, float *y, int n)", &softmax, NULL,
     .asks = "float * w"},
    {"void f(const float *x, float *y, int m, int n)", &softmax, "x y rows n", .operands = 1},
    {"void f(const float *x, float *y, int m)", &softmax, "x y n", .operands = 1},
    {"void f(const float *x, float *y, int n, int k)", &softmax, NULL, .asks = "'int k'"},
    {"float f(const float *W, const float *x, int m, int n)", &dot, NULL, .asks = "'int m'"},

    /* What the operation lacks is another operand where its reference has one, else asked for. */
    {"float f(const float *a, const float *b, int n)", &dot, "x x2 n", .value = true,
     .operands = 2},
    {"float f(const float *b, const float *a, int n)", &dot, "x2 x n", .value = true,
     .operands = 2},
    {"float f(const float *g, const float *w, int n)", &dot, "x x2 n", .value = true,
     .operands = 2},
    {"float f(const float *gate, const float *up, int n)", &dot, "x x2 n", .value = true,
     .operands = 2},
    {"float f(const float *x, const float *y, int n)", &dot, "x x2 n", .value = true,
     .operands = 2},
    {"float f(const float *x, int n)", &dot, NULL, .asks = "1 operands, and the reference has 2"},
    {"void f(const float *x, const float *mask, float *y, int n)", &softmax, NULL,
     .asks = "softmax has no x2"},
    {"void f(const float *x, float *y, int n, float eps)", &softmax, NULL,
     .asks = "softmax has no eps"},
    {"void f(const float *x, float *y, int n, float eps = 1e-3f, int mode = 2)", &softmax,
     "x y n constant constant", .operands = 1},
    {"void f(const float *x, float *y, int n, float scale)", &own, NULL,
     .asks = "own has no scale"},

    /* Value, output, or both. */
    {"float f(const float *x, float *y, int n)", &softmax, "x y n", .operands = 1},
    {"float f(float *x, int n)", &softmax, "x n", .in_place = true, .operands = 1},
    {"float f(const float *x, int n)", &softmax, NULL, .asks = "a result per element"},
    {"float f(const float *x, float *y, int n)", &logsumexp, "x spare n", .value = true,
     .operands = 1},
    {"float f(const float *x, float *y, int n)", &total, "x spare n", .value = true, .operands = 1},
    {"float f(const float *x, int n)", &moments, NULL, .asks = "2 numbers"},
    {"void f(const float *x, int n, float *mu, float *var)", &moments, "x n mean variance",
     .by_type = true, .operands = 1},
    {"void f(const float *x, int n, float *p, float *var)", &moments, NULL, .by_type = true,
     .asks = "float *mean, float *variance)"},
    {"int f(const float *x, float *y, int n)", &softmax, "x y n", .operands = 1},
    {"int f(const float *x, int n)", &logsumexp, NULL, .asks = "--steps"},

    /* Elements. */
    {"void f(const int8_t *x, float *y, int n)", &softmax, NULL, .asks = "int8_t"},
    {"void f(const float *x, int8_t *y, int n)", &own, NULL, .asks = "--steps"},
    {"void f(const float *x, int8_t *y, int n)", &quanta, "x y n", .operands = 1},
    {"float f(char *a, long n, long stride)", &total, NULL, .by_type = true,
     .asks = "long stride = 4"},
    {"void f(int8_t *x, int n)", &quanta, NULL, .by_type = true, .asks = "int8_t"},
    {"float f(void *x, long n, long stride = 4)", &total, "x n constant", .value = true,
     .operands = 1},
    {"void f(const float complex *x, float complex *y, int n)", &own, NULL, .asks = "complex"},
    {"void f(const double *x, double *y, int n)", &softmax, "x y n", .operands = 1},
    {"void f(const double *x, float *y, int n)", &softmax, NULL, .asks = "double"},
    {"void f(const float *x, double *y, int n)", &softmax, NULL, .asks = "float"},
    {"double f(double x)", &own, "x", .value = true, .lanes = 1, .operands = 1},
    {"__m256d f(__m256d x)", &own, "x", .value = true, .lanes = 4, .operands = 1},
    {"void f(const float **x, float *y, int n)", &softmax, NULL, .asks = "float *"},
    {"void f(const _Float16 *x, float *y, int n)", &softmax, NULL, .asks = "Float16"},
    {"void f(const float *x, float *y, int n, const struct * p)", &softmax, NULL, .asks = "struct"},

    /* References. */
    {"double exact(const double *a, const double *b, int n)", &alone, "x x2 n", .by_type = true,
     .value = true, .operands = 2},
    {"void exact(const long double *x, const long double *x2, long double *y, int n)", &alone,
     "x x2 y n", .by_type = true, .operands = 2},
    {"double exact(const float *x, int n)", &alone, "x n", .by_type = true, .value = true,
     .operands = 1},
    {"float exact(const float *x, int n)", &alone, NULL, .by_type = true, .asks = "more exact"},
    {"void exact(const double *x, float *y, int n)", &alone, NULL, .by_type = true,
     .asks = "more exact"},
};

static void must_settle(struct call *c, const char *declaration)
{
    struct error e = {.text = ""};
    if (call_parse(c, declaration, true, &e) || call_settle(c, &alone, &e)) fail_msg("%s", e.text);
}

static const char *role_of(const struct parameter *a)
{
    static char name[16];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(role_names(a->role), " "),
             role_names(a->role));
    return a->role == ROLE_VALUE ? "constant" : a->role == ROLE_SPARE ? "spare" : name;
}

/* What a question says to type is an answer, for a reference of as many operands where it names
 * one. */
static void must_be_answered(const struct told *t, const char *question)
{
    static const char before[] = "such as --call '";
    char text[400];
    struct call c;
    struct error e = {.text = ""};
    const char *from = strstr(question, before);
    if (!from) return;
    const struct call_op *op = strstr(question, "' with --ref") ? &two : t->op;
    from += sizeof before - 1;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(from, "'"), from);
    if (call_parse(&c, text, false, &e) || call_settle(&c, op, &e))
        fail_msg("%s: %s: %s", question, text, e.text);
}

TEST(declarations_are_read)
{
    must_settle(&reference_of_two, "double exact(const double *a, const double *b, int n)");
    must_settle(&reference_of_one, "void exact(const double *x, double *y, int n)");
    must_settle(&reference_of_value, "double exact(const double *x, int n)");
    for (size_t i = 0; i < sizeof tolds / sizeof *tolds; i++) {
        const struct told *t = &tolds[i];
        struct call c;
        struct error e = {.text = ""};
        char roles[200] = "";
        int code = call_parse(&c, t->declaration, t->by_type, &e);
        if (code) fail_msg("%s: %s", t->declaration, e.text);
        code = call_settle(&c, t->op, &e);
        if (!t->roles) {
            if (code != EXIT_BAD_INPUT) fail_msg("%s: exit %d", t->declaration, code);
            if (!strstr(e.text, t->asks)) fail_msg("%s: %s", t->declaration, e.text);
            must_be_answered(t, e.text);
            continue;
        }
        if (code) fail_msg("%s: %s", t->declaration, e.text);
        for (size_t k = 0; k < c.count; k++) {
            size_t used = strlen(roles);
            snprintf(roles + used, sizeof roles - used, "%s%s", k ? " " : "",
                     role_of(&c.arguments[k]));
            if (!c.arguments[k].why[0]) fail_msg("%s: no reason", t->declaration);
        }
        if (strcmp(roles, t->roles) != 0) fail_msg("%s: %s", t->declaration, roles);
        if (c.in_place != t->in_place || c.value != t->value || c.lanes != t->lanes ||
            c.operands != t->operands)
            fail_msg("%s: %s%s, %u lanes, %u operands", t->declaration,
                     c.in_place ? "in place" : "", c.value ? "a value" : "", c.lanes, c.operands);
    }
}

/* What is no declaration is a fault of the command line. */
TEST(what_is_no_declaration)
{
    static const char *const texts[] = {"f", "<int>(const float *x, float *y, int n)"};
    struct call c;
    struct error e;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(call_parse(&c, texts[i], false, &e), EXIT_USAGE);
}

/* A reference in float is the plain loop beside a function: its types, constants and functions are
 * float's; comments, strings and what it includes stay. */
TEST(references_are_narrowed)
{
    static const struct {
        const char *wide, *narrow;
    } texts[] = {
        {"#include <math.h>\n", "#include <math.h>\n"},
        {"long double f(double x) { return expl(x) + 1.5; }",
         "float f(float x) { return expf(x) + 1.5f; }"},
        {"__float128 s = 1e-3Q, t = 0x1p-3;", "float s = 1e-3f, t = 0x1p-3f;"},
        {"int n = 0xff, m = 7; /* double */", "int n = 0xff, m = 7; /* double */"},
        {"doubles = exp + my_exp(1.f) + DBL_MAX;", "doubles = exp + my_exp(1.f) + FLT_MAX;"},
        {"puts(\"double 1.5\");", "puts(\"double 1.5\");"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *narrow = narrowed_text(texts[i].wide, false);
        assert_string_equal(narrow, texts[i].narrow);
        free(narrow);
    }
}

static const char source[] = "#include <stddef.h>\n"
                             "namespace my { typedef float real;\n"
                             "void scale(const real *x, real *__restrict y, size_t n)\n"
                             "{ for (size_t i = 0; i < n; i++) y[i] = 2 * x[i]; }\n"
                             "float half(float x) { return x / 2; } }\n";

TEST(objects_say_how_they_are_called)
{
    char line[400], symbol[64];
    struct error e;
    scratch_write("f.cc", source);
    snprintf(line, sizeof line, "g++ -g -c %s/f.cc -o %s/f.o", scratch, scratch);
    if (system(line) != 0) skip(); /* no C++ compiler */
    char *scale = signature_read(scratch_path("f.o"), "my::scale"),
         *half = signature_read(scratch_path("f.o"), "half");
    assert_string_equal(scale, "void my::scale(const float * x, float * y, long unsigned int n)");
    assert_string_equal(half, "float my::half(float x)");
    assert_null(signature_read(scratch_path("f.o"), "none"));
    free(scale);
    free(half);
    assert_int_equal(
        subject_find_symbol(scratch_path("f.o"), "my::half", false, symbol, sizeof symbol, &e), 0);
    assert_string_equal(symbol, "_ZN2my4halfEf");
    assert_int_equal(
        subject_find_symbol(scratch_path("f.o"), "third", false, symbol, sizeof symbol, &e),
        EXIT_USAGE);
    assert_non_null(strstr(e.text, "my::half(float)"));
}

/* A library's symbol has a version behind its name, and an older version is another symbol. */
TEST(versions_are_no_names)
{
    char line[400], symbol[64];
    struct error e;
    scratch_write("v.c",
                  "float older(float x) { return x; }\nfloat newer(float x) { return 2 * x; }\n"
                  "__asm__(\".symver older, half@V1\\n.symver newer, half@@V2\");\n");
    scratch_write("v.map", "V1 { global: half; local: *; };\nV2 { global: half; } V1;\n");
    snprintf(line, sizeof line, "gcc -shared -fPIC %s/v.c -Wl,--version-script=%s/v.map -o %s/v.so",
             scratch, scratch, scratch);
    assert_int_equal(system(line), 0);
    assert_int_equal(
        subject_find_symbol(scratch_path("v.so"), "half", true, symbol, sizeof symbol, &e), 0);
    assert_string_equal(symbol, "half");
}

TEST(commands_are_split_as_a_shell_does)
{
    struct words w = {0};
    words_split(&w, "cc  -DX='a b' -DY=\\\"1\\\" \"-I/x y\" -c f.c");
    static const char *const wanted[] = {"cc", "-DX=a b", "-DY=\"1\"", "-I/x y", "-c", "f.c"};
    assert_int_equal(w.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < w.count; i++) assert_string_equal(w.items[i], wanted[i]);
    words_free(&w);
}

TEST_GROUP(scratch_open, scratch_close)
