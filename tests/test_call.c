// SPDX-License-Identifier: MIT
/* How `try` calls a user's function: from declarations, and from the debugging information of
 * objects. */
#include <stdbool.h>

#include "base/error.h"
#include "study/call.h"
#include "study/signature.h"
#include "study/subject.h"
#include "scratch.h"

#include "drive.h" /* last: its macro fail() hides the lab's function */

struct told {
    const char *declaration;
    const char *roles; /* the parameters' roles; NULL: the declaration is refused */
    bool by_type, in_place, value;
    unsigned lanes, operands;
    const char *asks; /* what the message of the refusal names */
};
static const struct told tolds[] = {
    {"void f(const float *x, float *y, int n)", "x y n", .operands = 1},
    {"void f(float *x, int n)", "x n", .in_place = true, .operands = 1},
    {"void f(float* out, const float* in, const float* weight, int size)", "y x gamma n",
     .operands = 1},
    {"void f(const float *x, float *y, size_t rows, size_t n, size_t x_stride, size_t y_stride)",
     "x y rows n x_stride y_stride", .operands = 1},
    {"float f(float x)", "x", .value = true, .lanes = 1, .operands = 1},
    {"__m256 f(__m256 x)", "x", .value = true, .lanes = 8, .operands = 1},
    {"float f(const float *x, unsigned long n) per row", "x n", .value = true, .operands = 1},
    {"void f(const float *gate, const float *up, float *y, int n)", "x x2 y n", .operands = 2},
    {"void f(int n, float *__restrict__ y, const float x[], float eps)", "n y x eps",
     .operands = 1},
    {"void f(const float *p, float *q, int z)", "x y n", .by_type = true, .operands = 1},
    {"void f(const float *p, float *q, int z)", NULL, .asks = "const float * p"},
    {"void f(float *y, float *mean, float *rstd, const float *x, int B, int T, int C)", NULL,
     .asks = "'int B'"},
    {"void f(const float *x, float *y)", NULL, .asks = "length of a row"},
    {"void f(const float *x, int n)", NULL, .asks = "output"},
    {"void nn::f<float, 2>(const float *x, float *y, size_t n)", "x y n", .operands = 1},
    {"f", NULL, .asks = "parentheses"},
    {"<int>(const float *x, float *y, int n)", NULL, .asks = "names no function"},
    {"void f(const float *x, const float *in, float *y, int n)", NULL, .asks = "both x"},
};

static void declarations_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tolds / sizeof *tolds; i++) {
        const struct told *t = &tolds[i];
        struct call c;
        struct error e = {.text = ""};
        char roles[200] = "";
        int code = call_parse(&c, t->declaration, t->by_type, &e);
        if (!t->roles) {
            assert_int_equal(code, EXIT_USAGE);
            if (!strstr(e.text, t->asks)) fail_msg("%s: %s", t->declaration, e.text);
            assert_non_null(strstr(e.text, "--call 'void"));
            continue;
        }
        if (code) fail_msg("%s: %s", t->declaration, e.text);
        for (size_t k = 0; k < c.count; k++) {
            const char *name = role_names(c.arguments[k].role);
            size_t used = strlen(roles);
            snprintf(roles + used, sizeof roles - used, "%s%.*s", k ? " " : "",
                     (int)strcspn(name, " "), name);
        }
        assert_string_equal(roles, t->roles);
        assert_int_equal(c.in_place, t->in_place);
        assert_int_equal(c.value, t->value);
        assert_int_equal(c.lanes, t->lanes);
        assert_int_equal(c.operands, t->operands);
    }
}

static const char source[] = "#include <stddef.h>\n"
                             "namespace my { typedef float real;\n"
                             "void scale(const real *x, real *__restrict y, size_t n)\n"
                             "{ for (size_t i = 0; i < n; i++) y[i] = 2 * x[i]; }\n"
                             "float half(float x) { return x / 2; } }\n";

static void objects_say_how_they_are_called(void **state)
{
    (void)state;
    char line[400], symbol[64];
    struct error e;
    FILE *out = fopen(scratch_path("f.cc"), "w");
    fputs(source, out);
    fclose(out);
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

static void commands_are_split_as_a_shell_does(void **state)
{
    (void)state;
    struct words w = {0};
    words_split(&w, "cc  -DX='a b' -DY=\\\"1\\\" \"-I/x y\" -c f.c");
    static const char *const wanted[] = {"cc", "-DX=a b", "-DY=\"1\"", "-I/x y", "-c", "f.c"};
    assert_int_equal(w.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < w.count; i++) assert_string_equal(w.items[i], wanted[i]);
    words_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations_are_read),
        cmocka_unit_test(objects_say_how_they_are_called),
        cmocka_unit_test(commands_are_split_as_a_shell_does),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
