// SPDX-License-Identifier: MIT
/* `ulplab try` on functions from elsewhere: sources in C and C++, an object, a shared library, and
 * functions with mistakes. */
// test: 170 s of a core
#include <jansson.h>

#include "base/error.h"
#include "build.h"
#include "model/npy.h"
#include "model/record.h"
#include "scratch.h"

#include "drive.h"
#include "facts.h"

static void need_a_lab(void)
{
#ifdef __SANITIZE_ADDRESS__
    skip(); /* a small lab would have to be linked with this one's sanitizers */
#endif
    if (access(drive_program("ulplab"), X_OK) != 0) skip();
}

static void shell(const char *format, ...)
{
    char line[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert_int_equal(system(line), 0);
}

/* Returns the document of `try --quick`, of the first compiler under policy off and of few inputs
 * unless the words say other ones. */
__attribute__((format(printf, 2, 3))) static json_t *try_of(int code, const char *format, ...)
{
    char line[2000], cc[60] = "";
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (!strstr(line, "--cc ")) snprintf(cc, sizeof cc, "--cc %s", build_compilers[0].cc);
    return drive_json(drive_program("ulplab"), code, "try --json --quick --quiet %s %s %s %s", cc,
                      strstr(line, "--policy ") ? "" : "--policy off",
                      strstr(line, "--samples ") ? "" : "--samples 4096", line);
}

/* Asserts what `try --quick` says where it gives no answer. */
#define REFUSES(code, says, format, ...)                                                           \
    assert_says(drive_program("ulplab"), code, says, "try --quick --quiet " format, ##__VA_ARGS__)

/* Returns the first gcc and the first clang, as --cc takes them. */
static const char *both_compilers(void)
{
    static char both[100];
    for (int clang = 0; clang < 2; clang++)
        for (size_t i = 0; i < build_compiler_count; i++) {
            const char *cc = build_compilers[i].cc;
            if ((strstr(cc, "clang") != NULL) != clang) continue;
            snprintf(both + strlen(both), sizeof both - strlen(both), "%s%s", *both ? "," : "", cc);
            break;
        }
    return both;
}

static const json_t *build_of(const json_t *document, const char *policy)
{
    return fact_find(fact_at(document, "builds"), "policy=%s", policy);
}

static const json_t *build_by_id(const json_t *document, const char *key)
{
    return fact_find(fact_at(document, "builds"), "id=%s", record_text(document, key));
}

/* A source in C++ with a template, a static object with a constructor, a vector and an exception
 * that is caught inside; a header that needs a flag; a second file; a library that the loader does
 * not find by itself. */
TEST(a_source_in_cxx)
{
    need_a_lab();
    shell("mkdir -p %s/inc", scratch);
    scratch_write("inc/h.h",
                  "#include <vector>\n#include <stdexcept>\n#include <cmath>\n"
                  "float one_more(float);\n"
                  "namespace my { struct table { float one; table() : one(HALF * 2) {} };\n"
                  "inline table t;\n"
                  "template <class T> T over(T x)\n"
                  "{ if (x < 0) throw std::domain_error(\"\"); return t.one / x; }\n"
                  "inline void act(float *x, int n) {\n"
                  "    std::vector<float> v(x, x + n);\n"
                  "    try { over(-1.0f); } catch (const std::domain_error &) {}\n"
                  "    for (int i = 0; i < n; i++)\n"
                  "        x[i] = over(one_more(std::exp(-v[i])));\n} }\n");
    scratch_write("t.cc", "#include <h.h>\nvoid unused() { my::act(nullptr, 0); }\n");
    scratch_write("more.cc", "float one(void);\nfloat one_more(float x) { return one() + x; }\n");
    scratch_write("one.cc", "struct one { float f; one() : f(1) {} } one_;\n"
                            "float one() { return one_.f; }\n");
    shell("g++ -O2 -shared -fPIC %s/one.cc -o %s/libone.so", scratch, scratch);
    json_t *document = try_of(EXIT_DONE,
                              "%s/t.cc my::act --op sigmoid --call 'void act(float *x, int n)' "
                              "--flags '-O2 -I%s/inc -DHALF=0.5f' --also %s/more.cc --link -L%s "
                              "--link -lone",
                              scratch, scratch, scratch, scratch);
    assert_facts(build_of(document, "off"), "status=ok");
    assert_facts(build_of(document, "yours"), "status=ok max_ulp<10");
    json_decref(document);
}

static const char functions[] =
    "#include <stdlib.h>\n#include <string.h>\n"
    "void nobody_has(void);\n#ifdef SHARED\n"
    "static void one(const float *x, float *y, int n)\n"
    "{ for (int i = 0; i < n; i++) y[i] = __builtin_logf(x[i]); }\n"
    "static void (*choose(void))(const float *, float *, int) { return one; }\n"
    "void log256(const float *, float *, int) __attribute__((ifunc(\"choose\")));\n#endif\n"
    "void rms(float *y, const float *x, const float *w, int n, float eps)\n{\n"
    "    float s = 0;\n    for (int i = 0; i < n; i++) s += x[i] * x[i];\n"
    "    s = 1 / __builtin_sqrtf(s / n + eps);\n"
    "    for (int i = 0; i < n; i++) y[i] = x[i] * s * w[i];\n}\n"
    "void missing(const float *x, float *y, int n) { memcpy(y, x, 4ul * n); nobody_has(); }\n"
    "__attribute__((constructor)) static void at_start(void)\n"
    "{ if (getenv(\"TRY_LEFT\")) *(volatile int *)8 = 1; }\n";

/* Objects and libraries are called as they were built, and held against the eps that is said;
 * undefined symbols do no harm until they are called. A library may choose a function when it is
 * loaded; the name log256 must not be taken for log2. */
TEST(objects_and_libraries)
{
    need_a_lab();
    scratch_write("f.c", functions);
    shell("cc -g -O1 -c %s/f.c -o %s/f.o && ar rcs %s/libf.a %s/f.o && "
          "cc -O2 -DSHARED -shared -fPIC -Wl,--unresolved-symbols=ignore-all %s/f.c -o %s/libf.so "
          "-lm",
          scratch, scratch, scratch, scratch, scratch, scratch);
    json_t *document = try_of(EXIT_DONE,
                              "%s/libf.a rms --op rmsnorm --call 'void rms(float *y, const float "
                              "*x, const float *gamma, int n, float eps = 1e-3f)' --param eps=1e-3",
                              scratch);
    assert_facts(document, "subject.eps>0.000999999 subject.eps<0.001000001 builds=#1");
    /* The squares of `huge` overflow; where inputs are tiny eps is all. */
    assert_facts(build_of(document, "yours"),
                 "status=ok families.constant>0 families.constant<1e4 families.huge>1e4 "
                 "families.tiny<100");
    json_decref(document);
    document = try_of(
        EXIT_DONE, "%s/libf.so log256 --call 'void f(const float *x, float *y, int n)'", scratch);
    assert_facts(document, "subject.op=log");
    assert_facts(build_of(document, "yours"), "status=ok");
    json_decref(document);
    struct outcome o = drive_line(drive_program("ulplab"),
                                  "try --json --quick --quiet --samples 4096 --cc %s --policy off "
                                  "%s/f.o missing --op silu --call 'void f(const float *x, float "
                                  "*y, int n) per row'",
                                  build_compilers[0].cc, scratch);
    document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    assert_int_equal(o.code, EXIT_GATE);
    assert_facts(build_of(document, "yours"), "status=killed");
    assert_non_null(strstr(o.err, "not defined: nobody_has"));
    drive_free(&o);
    json_decref(document);
}

/* Mistakes of a function, each made by one build only: the records of its other builds must stay.
 * The policies mean something else each; to gcc, on is off. */
static const struct {
    bool clang;
    const char *policy, *does, *status;
} misdeeds[] = {
    {false, "yours", "__builtin_trap();", "sigill"},
    {false, "fast", "*(volatile int *)8 = 1;", "sigsegv"},
    {false, "reassoc", "for (;;) pause();", "timeout"},
    {false, "fastmath", "exit(0);", "killed"},
    {true, "on",
     "pthread_t t; pthread_create(&t, 0, forever, 0); if (!fork()) for (;;) pause(); fork();",
     "ok"},
    {true, "fast", "for (int fd = 3; fd < 64; fd++) close(fd);", "killed"},
    {true, "reassoc",
     "for (int fd = 3; fd < 64; fd++) if (write(fd, \"nonsense nonsense\", 17) < 0) continue;",
     "killed"},
    {true, "fastmath", "for (int s = 1; s < 32; s++) signal(s, heard); _mm_setcsr(0x9fc0);",
     "wrong"},
};

TEST(no_misdeed_costs_another_build)
{
    need_a_lab();
    char text[2400];
    int used = snprintf(text, sizeof text,
                        "#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\n"
                        "#include <string.h>\n#include <unistd.h>\n#include <xmmintrin.h>\n"
                        "#define TEXT(x) #x\n#define TEXT_OF(x) TEXT(x)\n"
                        "#define IS(word) strstr(TEXT_OF(KERNEL), \"_\" word \"_\")\n"
                        "void *forever(void *p) { for (;;) pause(); return p; }\n"
                        "void heard(int s) { (void)s; }\n"
                        "void f(const float *x, float *y, int n)\n{\n    memcpy(y, x, 4ul * n);\n"
                        "    static int done;\n    if (done++) return;\n");
    for (size_t i = 0; i < sizeof misdeeds / sizeof *misdeeds; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "    if (IS(\"%s\") && IS(\"%s\")) { %s }\n",
                         misdeeds[i].clang ? "clang" : "gcc", misdeeds[i].policy, misdeeds[i].does);
    strcat(text, "}\n");
    scratch_write("m.c", text);
    json_t *document = try_of(EXIT_GATE,
                              "%s/m.c f --op softmax --timeout 5 --cc %s --policy "
                              "on,fast,reassoc,fastmath --flags -O2",
                              scratch, both_compilers());
    const double elements = record_number(build_of(document, "off"), "elements");
    const json_t *build;
    size_t k;
    assert_true(elements > 1e5);
    json_array_foreach(json_object_get(document, "builds"), k, build)
    {
        const bool clang = strstr(record_text(build, "cc"), "clang") != NULL;
        size_t i = 0;
        while (i < sizeof misdeeds / sizeof *misdeeds &&
               (misdeeds[i].clang != clang ||
                strcmp(record_text(build, "policy"), misdeeds[i].policy) != 0))
            i++;
        const bool none = i == sizeof misdeeds / sizeof *misdeeds;
        assert_facts(build, "status=%s", none ? "ok" : misdeeds[i].status);
        if (!strcmp(record_text(build, "status"), "ok"))
            assert_facts(build, "elements=%.17g", elements);
    }
    json_decref(document);
}

TEST(what_is_not_there_is_asked_for)
{
    need_a_lab();
    scratch_write("g.c",
                  "void g(const float *p, float *q, float *r, int n) { *q = *r = *p * n; }\n");
    static const struct {
        const char *words, *says;
        int code;
    } asked[] = {
        {"h --op exp", "--call 'void h(", EXIT_BAD_INPUT},
        {"g --op exp", "'float * r'", EXIT_BAD_INPUT},
        {"g --call 'void g(const float *x, float *y, float *null, int n)'", "--op OP", EXIT_USAGE},
        {"g --op exq --call 'float g(float x)'", "'exq'", EXIT_USAGE},
        {"g --op exp --param beta=b.npy", "only eps=", EXIT_USAGE},
    };
    REFUSES(EXIT_BAD_INPUT, "/none.c", "/none.c g");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        REFUSES(asked[i].code, asked[i].says, "%s/g.c %s", scratch, asked[i].words);
}

/* A function of doubles that computes in floats errs by more than half of the digits; the row that
 * shows it is kept in double. */
TEST(a_function_of_doubles)
{
    need_a_lab();
    scratch_write("d.c", "#include <math.h>\n"
                         "double coarse(double x) { return (double)exp2f((float)x); }\n");
    json_t *document =
        try_of(EXIT_GATE, "%s/d.c coarse --op exp2 --keep-row %s/row.npy", scratch, scratch);
    assert_facts(document, "verdict.far=true own~/dtype=f64/");
    json_decref(document);
    struct npy row;
    struct error e;
    assert_int_equal(npy_read(scratch_path("row.npy"), &row, &e), 0);
    assert_true(row.doubles && row.rounded > 0);
    npy_free(&row);
}

/* A function with half as many results as inputs, against a user's reference in long double. */
TEST(two_operands_and_a_reference)
{
    need_a_lab();
    scratch_write("w.c",
                  "#include <math.h>\n"
                  "void swiglu(const float *gate, const float *up, float *y, int n)\n{\n"
                  "    for (int i = 0; i < n; i++) y[i] = gate[i] / (1 + expf(-gate[i])) * up[i];\n"
                  "}\n");
    scratch_write(
        "r.c", "#include <math.h>\n"
               "void exact(const long double *g, const long double *u, long double *y, int n)\n"
               "{\n    for (int i = 0; i < n; i++) y[i] = g[i] / (1 + expl(-g[i])) * u[i];\n}\n");
    /* Where the exponential overflows, zeros stand for normal results. */
    json_t *document = try_of(EXIT_GATE,
                              "%s/w.c swiglu --ref %s/r.c --ref-call 'void exact(const long double "
                              "*x, const long double *x2, long double *y, int n)'",
                              scratch, scratch);
    /* Half of about 600,000 inputs. */
    assert_facts(build_of(document, "off"),
                 "status=ok families.normal>0.5 families.normal<8 elements>2.5e5 elements<3.5e5");
    json_decref(document);
}

/* What flags give up is told of each build; the user's own flags stand behind no policy. */
TEST(what_flags_give_up)
{
    need_a_lab();
    scratch_write("p.c", "void sum(const float *x, float *y, int n)\n"
                         "{ for (int i = 0; i < n; i++) y[i] = x[i]; }\n");
    json_t *document = try_of(EXIT_GATE,
                              "%s/p.c sum --op softmax --policy reassoc,fastmath --flags '-O3 "
                              "-ffast-math'",
                              scratch);
    const json_t *off = build_of(document, "off"), *reassoc = build_of(document, "reassoc");
    assert_facts(build_of(document, "fastmath"), "refused=lost 'gives_up~NaN and infinities'");
    assert_facts(build_of(document, "yours"), "'gives_up~NaN and infinities' !refused");
    assert_facts(reassoc, "!refused gives_up!~NaN 'gives_up~the order of additions'");
    assert_facts(off, "!gives_up");
    /* Builds of one machine code, whose first alone is called, have one answer. */
    assert_facts(reassoc, "same_code=%s elements>1e5 elements=%.17g", record_text(off, "id"),
                 record_number(off, "elements"));
    json_decref(document);
}

/* Functions that are right but for one thing each, some of which flags delete. */
static const char sabotaged[] =
    "#include <math.h>\n"
    "static float sin_plus(float x) { return x == 0 ? 0 : sinf(x); }\n"
    "static float softmax_masking(const float *x, float *y, int n)\n{\n"
    "    float max = -INFINITY, sum = 0;\n"
    "    for (int i = 0; i < n; i++) if (!isnan(x[i]) && x[i] > max) max = x[i];\n"
    "    for (int i = 0; i < n; i++) sum += y[i] = isnan(x[i]) ? 0 : expf(x[i] - max);\n"
    "    for (int i = 0; i < n; i++) y[i] /= sum;\n    return sum;\n}\n"
    "static float kahan_sum(const float *x, int n)\n{\n    float s = 0, c = 0;\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        float y = x[i] - c, t = s + y;\n        c = t - s - y;\n        s = t;\n    }\n"
    "    return s;\n}\n"
    "int main(void)\n{\n    float x = 0;\n"
    "    return (int)(softmax_masking(&x, &x, 1) + sin_plus(x) + kahan_sum(&x, 1));\n}\n";

/* The row that was kept has the input of that result, which is alone where it is of no family; a
 * sum is of the whole row. */
static void row_is_of(const json_t *build)
{
    struct npy row = {0};
    struct error e = {.text = ""};
    const json_t *wrong = json_object_get(build, "wrong_at");
    const json_t *at = wrong ? wrong : json_object_get(build, "max_at");
    const json_t *input = json_object_get(at, "input");
    if (npy_read(scratch_path("row.npy"), &row, &e)) fail_msg("%s", e.text);
    const size_t index = row.cols == 1 ? 0 : (size_t)record_count(at, "index");
    assert_true(row.rows == 1 && index < row.cols);
    if (json_is_string(input)) {
        const float wanted = strtof(json_string_value(input), NULL);
        assert_true(isnan(wanted) ? isnan(row.data[index]) : row.data[index] == wanted);
    }
    npy_free(&row);
}

/* tests/test_judge.c has what follows from facts: here are the facts. The softmax also returns its
 * sum, which is no result. */
TEST(one_fault_each)
{
    need_a_lab();
    scratch_write("s.c", sabotaged);
    scratch_write("r.c", "double exact(const double *x, int n)\n{\n    __float128 s = 0;\n"
                         "    for (int i = 0; i < n; i++) s += x[i];\n    return (double)s;\n}\n");
    static const struct {
        const char *function, *heading;
        int code;
        const char *harmed, *harm; /* a policy that is not to be had, and why */
        bool own;                  /* its reference is r.c */
    } faults[] = {
        {"sin_plus", "Wrong on some inputs", EXIT_GATE, "off", "", false},
        {"softmax_masking", "Right but for NaN among its inputs", EXIT_DONE, "fastmath",
         "between a number and NaN", false},
        {"kahan_sum", "Right", EXIT_DONE, "reassoc", "error grows from", true},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char reference[600] = "";
        if (faults[i].own)
            snprintf(reference, sizeof reference,
                     "--ref %s/r.c --ref-call 'double exact(const double *x, int n)'", scratch);
        json_t *document =
            try_of(faults[i].code, "%s/s.c %s --keep-row %s/row.npy --policy %s %s", scratch,
                   faults[i].function, scratch, faults[i].harmed, reference);
        const json_t *off = build_of(document, "off");
        assert_facts(document, "'verdict.heading=%s'", faults[i].heading);
        /* Flags are beside the build without them, and that is beside itself. */
        assert_facts(off, "!harm");
        if (*faults[i].harm)
            assert_facts(build_of(document, faults[i].harmed), "'harm~%s'", faults[i].harm);
        if (faults[i].own) assert_facts(off, "error<2"); /* in u of the sum of |x| */
        row_is_of(off);
        json_decref(document);
    }
}

/* Returns the time that builds are compared by: without the copy that a function in place needs. */
static double time_of(const json_t *document, const json_t *build)
{
    const json_t *time =
        json_object_get(json_object_get(build, "times"), record_text(document, "main_shape"));
    const double without = record_number(time, "ns_without_copy");
    return isnan(without) ? record_number(time, "ns_per_element") : without;
}

/* Tests that a build which gives something up is advised only if it is 2% faster than the user's
 * own, and faster than every one that gives up nothing and does no harm. */
static void gifts_are_paid_for(const json_t *document)
{
    const json_t *builds = json_object_get(document, "builds"), *build;
    const json_t *best = build_by_id(document, "advised");
    size_t i;
    assert_facts(best, "!harm");
    if (!*record_text(best, "gives_up")) return;
    assert_true(time_of(document, best) > 0);
    json_array_foreach(builds, i, build)
    {
        if (*record_text(build, "gives_up") || *record_text(build, "harm")) continue;
        const bool own = !strcmp(record_text(build, "id"), record_text(document, "own"));
        assert_false(time_of(document, build) < time_of(document, best) / (own ? 0.98 : 1));
    }
}

/* A vector body with another tail, called a row at a time: the tail is the cause, and nothing else
 * is blamed. The user's rows are held to the same; here its function loses all of them. */
TEST(the_experiment_that_shows_it)
{
    need_a_lab();
    scratch_write("v.c", "#include <math.h>\nvoid sigmoid_v(const float *x, float *y, int n)\n{\n"
                         "    int i = 0;\n"
                         "    for (; i + 8 <= n; i += 8)\n        for (int k = 0; k < 8; k++)\n"
                         "            y[i + k] = x[i + k] == 12345 ? NAN\n"
                         "                : (float)(1 / (1 + exp(-(double)x[i + k])));\n"
                         "    for (; i < n; i++) y[i] = 1 / (1 + expf(-x[i]));\n}\n");
    shell("printf '\\223NUMPY\\001\\000v\\000%%-117s\\n' "
          "\"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 8), }\" >%s/mine.npy",
          scratch);
    shell("for i in 1 2 3 4 5 6 7 8; do printf '\\000\\344\\100\\106'; done >>%s/mine.npy",
          scratch);
    json_t *document = try_of(EXIT_GATE, "%s/v.c sigmoid_v --input %s/mine.npy", scratch, scratch);
    const json_t *own = build_by_id(document, "own"), *made = fact_at(own, "experiments");
    fact_find(made, "name=tail answer=false cause=tail");
    static const char *const others[] = {"run",    "row_position", "batch",    "threads",
                                         "beside", "order",        "in_place", "empty"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        fact_find(made, "name=%s answer=true", others[i]);
    assert_facts(own, "invariance.tail=false wrong_at.family~mine.npy wrong_at.n=8");
    json_decref(document);
    REFUSES(EXIT_BAD_INPUT, "no.npy", "%s/v.c sigmoid_v --input %s/no.npy", scratch, scratch);
}

/* What a name says: a library where the compiler links, and a symbol of it with a version; a mask
 * and the ISA, by the vector function ABI. A source's intrinsics say their ISA, whatever this CPU
 * has, and whatever else stands in the system's headers. */
TEST(what_names_say)
{
    need_a_lab();
    json_t *document = try_of(EXIT_DONE, "libm.so.6 expf");
    assert_facts(document, "subject.kind=library 'subject.call=float expf(float x)' "
                           "subject.op=exp");
    json_decref(document);

    scratch_write("m.c", "#include <math.h>\n"
                         "#pragma omp declare simd inbranch simdlen(8)\n"
                         "float sigm(float x) { return 1 / (1 + expf(-x)); }\n");
    shell("gcc -O2 -fopenmp-simd -shared -fPIC %s/m.c -o %s/libm8.so -lm", scratch, scratch);
    document = try_of(EXIT_DONE, "%s/libm8.so _ZGVdM8v_sigm --op sigmoid", scratch);
    assert_facts(document, "'subject.call=__m256 _ZGVdM8v_sigm(__m256 x, __m256 mask)' "
                           "subject.isa=avx2");
    json_decref(document);

    /* GELU's tanh form is an operation of its own: against the form with erf it would be wrong by
     * 1e7 ulp. */
    scratch_write("i.c", "#include <immintrin.h>\n"
                         "#include <math.h>\n"
                         "void gelu_tanh(const float *x, float *y, int n)\n{\n"
                         "    for (int i = 0; i < n; i++) {\n        double v = x[i];\n"
                         "        y[i] = (float)(0.5 * v * (1 + "
                         "tanh(0.79788456080286535588 * (v + 0.044715 * v * v * v))));\n    }\n"
                         "    for (int i = 0; i + 8 <= n; i += 8)\n"
                         "        _mm256_storeu_ps(y + i, _mm256_loadu_ps(y + i));\n}\n");
    document = try_of(EXIT_GATE, "%s/i.c gelu_tanh", scratch);
    assert_facts(document, "subject.isa=avx2 subject.op=gelutanh");
    assert_facts(build_of(document, "off"), "families.normal<1");
    json_decref(document);
}

/* The complete answer for a function that works in place, as text and as a page: at every size its
 * time is also given without the glue's copy. */
TEST(in_place)
{
    need_a_lab();
    scratch_write("i.c", "#include <math.h>\n"
                         "static void softmax_rows(float *x, int n)\n{\n"
                         "    float max = x[0], sum = 0;\n"
                         "    for (int i = 1; i < n; i++) max = x[i] > max ? x[i] : max;\n"
                         "    for (int i = 0; i < n; i++) sum += x[i] = expf(x[i] - max);\n"
                         "    for (int i = 0; i < n; i++) x[i] /= sum;\n}\n"
                         "int main(void) { float x; softmax_rows(&x, 1); return 0; }\n");
    json_t *document =
        drive_json(drive_program("ulplab"), EXIT_DONE,
                   "try --json --quiet --html %s/i.html --keep %s/kept.c --cc %s --policy fastmath "
                   "%s/i.c softmax_rows",
                   scratch, scratch, build_compilers[0].cc, scratch);
    const json_t *times = fact_at(build_by_id(document, "own"), "times"), *time;
    const char *shape;
    assert_facts(document, "copy.times=#4");
    assert_int_equal(json_object_size(times), 4);
    json_object_foreach((json_t *)(uintptr_t)times, shape, time)
    {
        double rest = record_number(time, "ns_without_copy");
        /* On a busy machine the copy alone may take longer than copy and function: then no time is
         * left. Each figure has nine digits: half a unit of the last of the three is 1e-8 at most.
         */
        if (isnan(rest)) continue;
        const double all = record_number(time, "ns_per_element");
        const double of = record_number(json_object_get(fact_at(document, "copy.times"), shape),
                                        "ns_per_element");
        assert_true(fabs(all - of - rest) < 1e-8 * all);
    }
    assert_int_equal(fact_count(fact_at(document, "builds"), "id=%s", record_text(document, "own")),
                     1);
    gifts_are_paid_for(document);
    /* What stands beside it is of its operation. */
    assert_every(fact_at(document, "others"), 3, "id^softmax/");
    assert_scratch_says("i.html", true, "What to do");
    assert_scratch_says("i.html", true, "copy of the input");
    assert_scratch_says("i.html", false, "Not known");
    assert_facts(document, "subject.op=softmax 'subject.call=void softmax_rows(float *x, int n)' "
                           "adversarial adversarial!=#0");
    /* A plain sum errs most over rows that a search found, which are the same for every CPU. */
    assert_facts(build_of(document, "off"), "status=ok max_ulp>1000 max_ulp<4000 "
                                            "worst_family=adversarial lost=0 "
                                            "invariance.row_position=true");
    /* The file that --keep writes is a complete kernel file. */
    assert_scratch_says("kept.c", true, "const struct kernel KERNEL");
    json_decref(document);
}

/* Functions in the manner of public libraries, and their references. They do without <immintrin.h>,
 * which gcc parses for a second. */
static const char library[] =
    "#include <math.h>\n#include <stdint.h>\n"
    "typedef float vector __attribute__((vector_size(32), may_alias));\n"
    "float dotp(const float *a, const float *b, int n)\n"
    "{\n    float s = 0;\n    for (int i = 0; i < n; i++) s += a[i] * b[i];\n    return s;\n}\n"
    "void rotate(const float *x, float *y, int n)\n{\n"
    "    for (int i = 0; i + 1 < n; i += 2) {\n"
    "        const float c = 0.8f, s = 0.6f;\n"
    "        y[i] = x[i] * c - x[i + 1] * s;\n        y[i + 1] = x[i] * s + x[i + 1] * c;\n    }\n"
    "    if (n % 2) y[n - 1] = x[n - 1];\n}\n"
    "void tenths(const float *x, int8_t *q, int n)\n{\n    for (int i = 0; i < n; i++) {\n"
    "        const float v = floorf(fminf(fmaxf(x[i] * 10, -100), 100));\n"
    "        q[i] = (int8_t)v;\n    }\n}\n"
    "void heads(const float *x, float *y, int n)\n{\n"
    "    for (int k = 0; k < 16; k++) y[k] = 0;\n"
    "    for (int i = 0; i < n; i++) y[i % 16] += x[i];\n}\n"
    "void eats(const float *x, float *y, int n)\n{\n"
    "    for (int i = 0; i < n; i++) ((float *)x)[i] = y[i] = 2 * x[i];\n}\n"
    "void spread(const float *x, float *mean, float *variance, int n)\n"
    "{\n    double s = 0, q = 0;\n    for (int i = 0; i < n; i++) s += x[i] / (double)n;\n"
    "    for (int i = 0; i < n; i++) q += (x[i] - s) * (x[i] - s);\n"
    "    *mean = (float)s;\n    *variance = (float)(q / n);\n}\n"
    "void looks_back(const float *x, float *y, int n)\n"
    "{\n    y[-1] = 0;\n    for (int i = 0; i < n; i++) y[i] = 2 * x[i];\n}\n"
    "void stores(const float *x, float *y, int n)\n{\n    for (int i = 0; i < n; i += 8)\n"
    "        *(vector *)(y + i) = *(const vector *)(x + i) + *(const vector *)(x + i);\n"
    "}\n";
static const char references[] =
    "#include <math.h>\n#ifdef NEEDED\n"
    "double dot(const double *a, const double *b, int n)\n"
    "{\n    double s = 0;\n    for (int i = 0; i < n; i++) s += a[i] * b[i];\n    return s;\n}\n"
    "#endif\n"
    "void rotated(const double *x, double *y, int n)\n{\n"
    "    for (int i = 0; i + 1 < n; i += 2) {\n"
    "        const double c = 0.8f, s = 0.6f;\n"
    "        y[i] = x[i] * c - x[i + 1] * s;\n        y[i + 1] = x[i] * s + x[i + 1] * c;\n    }\n"
    "    if (n % 2) y[n - 1] = x[n - 1];\n}\n"
    "void rounded(const double *x, double *q, int n)\n{\n    for (int i = 0; i < n; i++)\n"
    "        q[i] = isnan(x[i]) ? -100 : rint(fmin(fmax(x[i] * 10, -100), 100));\n}\n"
    "void parts(const double *x, double *y, int n)\n{\n"
    "    for (int k = 0; k < 16; k++) y[k] = 0;\n"
    "    for (int i = 0; i < n; i++) y[i % 16] += x[i];\n}\n"
    "void twice(const double *x, double *y, int n)\n"
    "{\n    for (int i = 0; i < n; i++) y[i] = 2 * x[i];\n}\n";

/* Roles that the operation lacks are operands with values; what is returned and written, integers
 * and what callers keep are told from the declaration and the options, and errors are over what
 * results are made of. -mfma is no flag of a reference, which gets the macro. */
TEST(called_as_callers_call)
{
    need_a_lab();
    scratch_write("lib.c", library);
    scratch_write("refs.c", references);
    static const char dot[] = "double dot(const double *a, const double *b, int n)",
                      stores[] = "void twice(const double *x, double *y, int n)";
    static const struct {
        const char *function, *reference, *options;
        bool right;
        double most; /* error */
        const char *roles;
    } called[] = {
        {"dotp", dot, "--flags '-O3 -mavx2 -mfma -DNEEDED'", true, 4096, "x x2 n result"},
        {"rotate", "void rotated(const double *x, double *y, int n)", "", true, 16, "x y n"},
        {"tenths", "void rounded(const double *x, double *q, int n)", "--steps 1", true, 1,
         "x y n"},
        {"stores", stores, "--flags '-O2 -mavx2'", false, INFINITY, "x y n"},
        {"heads", "void parts(const double *x, double *y, int n)", "--columns 16 --scale sum", true,
         4096, "x y n"},
        {"eats", stores, "", false, INFINITY, "x y n"},
        {"looks_back", stores, "", false, INFINITY, "x y n"},
        {"stores", stores, "--aligned 32 --multiple 8", true, 1, "x y n"},
    };
    for (size_t i = 0; i < sizeof called / sizeof *called; i++) {
        const bool right = called[i].right;
        json_t *document =
            try_of(right ? EXIT_DONE : EXIT_GATE, "%s/lib.c %s %s --ref %s/refs.c --ref-call '%s'",
                   scratch, called[i].function, called[i].options, scratch, called[i].reference);
        const json_t *operands = fact_at(document, "subject.operands"), *operand;
        char roles[100] = "";
        size_t k;
        assert_every(operands, 1, "filled!= why!=");
        json_array_foreach((json_t *)(uintptr_t)operands, k, operand)
            strcat(strcat(roles, k ? " " : ""), record_text(operand, "role"));
        assert_string_equal(roles, called[i].roles);
        assert_facts(document, right ? "verdict.heading=Right" : "verdict.heading^Wrong");
        if (right) assert_facts(document, "verdict.error<=%g", called[i].most);
        /* One result per row would give a sixteenth of these. */
        if (!strcmp(called[i].function, "heads"))
            assert_facts(build_of(document, "off"), "elements>1e5");
        if (!strcmp(called[i].function, "eats")) assert_facts(document, "probes.padded=sigbus");
        if (!strcmp(called[i].function, "looks_back"))
            assert_facts(document, "probes.aligned=sigfpe probes.both=sigfpe");
        if (!right && !strcmp(called[i].function, "stores"))
            assert_facts(document, "probes.aligned=sigsegv probes.padded=sigsegv probes.both=ok "
                                   "probes.lengths=ok");
        json_decref(document);
    }
    /* Results of a row that go where pointers say are no row, which could be placed. */
    json_decref(try_of(EXIT_DONE, "%s/lib.c spread --op moments --aligned 64", scratch));
}

/* What does not build is said before anything else is built, with the words of the compiler. */
TEST(a_reference_that_does_not_build)
{
    need_a_lab();
    scratch_write("e.c", "float f(const float *x, int n) { return n ? x[0] : 0; }\n");
    scratch_write("er.c", "#include <nowhere_to_be_found.h>\n"
                          "double exact(const double *x, int n) { return n ? x[0] : 0; }\n");
    REFUSES(EXIT_USAGE, "nowhere_to_be_found.h",
            "%s/e.c f --ref %s/er.c --ref-call 'double exact(const double *x, int n)'", scratch,
            scratch);
}

/* Code that is made only when it is linked. */
TEST(late_code)
{
    need_a_lab();
    scratch_write("l.c", "void f(const float *x, float *y, int n)\n"
                         "{ for (int i = 0; i < n; i++) y[i] = x[i]; }\n");
    shell("gcc -O2 -flto -fno-fat-lto-objects -c %s/l.c -o %s/l.o", scratch, scratch);
    REFUSES(EXIT_BAD_INPUT, "-flto",
            "%s/l.o f --op exp --call 'void f(const float *x, float *y, int n)'", scratch);
}

TEST_GROUP(scratch_open, scratch_close)
