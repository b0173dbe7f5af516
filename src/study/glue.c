// SPDX-License-Identifier: MIT
#include "study/glue.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ---- What stands for a parameter ------------------------------------------------------------- */

struct value {
    const char *kernel, *reference; /* in a kernel's run(), in a reference's row() */
};
static const struct value values[ROLE_COUNT] = {
    [ROLE_X] = {"x", "v"},
    [ROLE_Y] = {"y", "w"},
    [ROLE_N] = {"n", "n"},
    [ROLE_BYTES] = {"n * sizeof *x", "n * sizeof(float)"},
    [ROLE_ROWS] = {"rows", "1"},
    [ROLE_X_STRIDE] = {"j->x_stride", "n"},
    [ROLE_Y_STRIDE] = {"j->y_stride", "n"},
    [ROLE_GAMMA] = {"gamma", "0"}, /* only the lab's operations have it */
    [ROLE_BETA] = {"beta", "0"},
    [ROLE_EPS] = {"j->eps", "p->eps"},
    [ROLE_SCALE] = {"j->scale", "p->scale"},
    [ROLE_MEAN] = {"&mean", "&w[0]"},
    [ROLE_VARIANCE] = {"&variance", "&w[1]"},
    [ROLE_RSTD] = {"&rstd", "&w[2]"},
    [ROLE_SPARE] = {"(ulplab_real *)j->scratch", "spare"},
    [ROLE_ONE] = {"1", "1"},
    [ROLE_ZERO] = {"0", "0"},
    [ROLE_NULL] = {"0", "0"},
    [ROLE_SECOND] = {"x + n", "v + n"},
    [ROLE_THIRD] = {"x + 2 * n", "v + 2 * n"},
    [ROLE_FOURTH] = {"x + 3 * n", "v + 3 * n"},
    [ROLE_MASK] = {"0", "0"}, /* put_body() writes it */
};

static bool is_row(enum role r)
{
    return r == ROLE_X || r == ROLE_GAMMA || r == ROLE_BETA ||
           (r >= ROLE_SECOND && r <= ROLE_FOURTH);
}

/* Returns whether rows are filled up to a length that callers guarantee, as those of a function of
 * one element can be: the surplus results are ignored. */
static bool fills(const struct glue *g)
{
    return g->multiple && g->unary && !g->call->lanes;
}

static bool places(const struct glue *g)
{
    return g->aligned || g->probe || fills(g);
}

/* Writes an argument of the call; if rows have to be placed, an operand is a copy. */
static void put_argument(FILE *out, const struct glue *g, const struct call *c,
                         const struct parameter *a, bool reference)
{
    const struct value *v = &values[a->role];
    const char *what = reference ? v->reference : v->kernel, *amp = strchr(a->type, '&');
    char placed[128];
    char length[96];
    if (a->role == ROLE_VALUE) what = a->value;
    if (!reference && fills(g) && (a->role == ROLE_N || a->role == ROLE_BYTES)) {
        snprintf(length, sizeof length, "(n + %u) / %u * %u%s", g->multiple - 1, g->multiple,
                 g->multiple, a->role == ROLE_N ? "" : " * sizeof *x");
        what = length;
    }
    if (c->in_place && a->role == ROLE_X)
        what = reference ? "w" : "y";
    else if (!reference && c->integers && !c->value && a->role == ROLE_Y)
        what = "integers";
    else if (!reference && places(g) && is_row(a->role)) {
        snprintf(placed, sizeof placed, "ulplab_place(%u, %s, n)", (unsigned)a->role, what);
        what = placed;
    }
    if (amp)
        fprintf(out, "*(%.*s *)(%s)", (int)(amp - a->type), a->type, what);
    else
        fprintf(out, "(%s)(%s)", a->type, what);
}

/* Writes the arguments of the call. first: replaces the first argument, unless it is NULL. */
static void put_arguments(FILE *out, const struct glue *g, const struct call *c, const char *first,
                          bool reference)
{
    if (first) fprintf(out, "((%s)%s", c->arguments[0].type, first);
    for (size_t i = first != NULL; i < c->count; i++) {
        fputs(i ? ", " : "(", out);
        put_argument(out, g, c, &c->arguments[i], reference);
    }
    fputs(c->count ? ")" : "()", out);
}

static void put_parameter_types(FILE *out, const struct call *c)
{
    for (size_t i = 0; i < c->count; i++) fprintf(out, "%s%s", i ? ", " : "", c->arguments[i].type);
    if (!c->count) fputs("void", out);
}

/* ---- Where the function is ------------------------------------------------------------------- */

/* Writes a text as a C string. */
static void put_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putc('\\', out);
        putc(*text, out);
    }
    putc('"', out);
}

static const char *put_function(FILE *out, const struct glue *g)
{
    const struct call *c = g->call;
    if (g->include) {
        fputs("#include ", out);
        put_quoted(out, g->include);
        fputs("\n", out);
        return c->name;
    }
    fputs("#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n", out);
    fprintf(out, "%s ulplab_function(", c->returns);
    put_parameter_types(out, c);
    fputs(") __asm__(", out);
    put_quoted(out, g->symbol);
    fputs(");\n", out);
    return "ulplab_function";
}

/* Writes assertions on element types that have a name of the user's. */
static void put_checks(FILE *out, const struct glue *g)
{
    char element[96];
    const char *real = call_real(g->call);
    for (size_t i = 0; i < g->call->count; i++) {
        const struct parameter *a = &g->call->arguments[i];
        call_element(a->type, element, sizeof element);
        if (call_knows(element) || !is_row(a->role)) continue;
        if (g->cxx)
            fprintf(out, "static_assert(sizeof(%s) == sizeof(%s), \"'%s' is not %s\");\n", element,
                    real, element, real);
        else
            fprintf(out,
                    "_Static_assert(_Generic((%s){0}, %s: 1, default: 0), \"'%s' is not "
                    "%s\");\n",
                    element, real, element, real);
    }
}

/* Writes the macros of include/called_places.h. */
static void put_places(FILE *out, const struct glue *g)
{
    if (!places(g)) return;
    fprintf(out, "#define ULPLAB_ROOMS %d\n#define ULPLAB_ALIGNED %u\n", ROLE_COUNT,
            g->aligned ? g->aligned : 4);
    if (fills(g))
        fprintf(out, "#define ULPLAB_FILLED(n) ((n) %% %u)\n", g->multiple);
    else
        fprintf(out, "#define ULPLAB_FILLED(n) %d\n", g->probe);
    fprintf(out,
            "#define ULPLAB_PROBE %d\n#define ULPLAB_SHIFT %d\n#define ULPLAB_GUARDED %d\n"
            "#include \"called_places.h\"\n",
            g->probe, g->probe && !g->aligned, g->probe && !g->padded);
}

/* ---- run() ----------------------------------------------------------------------------------- */

static void put_affine(FILE *out, const struct call *c)
{
    if (!call_argument(c, ROLE_GAMMA) && !call_argument(c, ROLE_BETA)) return;
    fputs("    const ulplab_real *gamma = (const ulplab_real *)j->gamma;\n"
          "    const ulplab_real *beta = (const ulplab_real *)j->beta;\n",
          out);
    if (call_argument(c, ROLE_SPARE)) /* the function writes into the job's scratch */
        fputs("    static __thread ulplab_real *room;\n"
              "    if (!gamma || !beta)\n"
              "        room = (ulplab_real *)realloc(room, 2 * j->n * sizeof *room);\n"
              "    if ((!gamma || !beta) && !room) abort();\n",
              out);
    else
        fputs("    ulplab_real *room = (ulplab_real *)j->scratch;\n", out);
    fputs("    for (size_t i = 0; !gamma && i < j->n; i++) room[i] = 1;\n"
          "    for (size_t i = 0; !beta && i < j->n; i++) room[j->n + i] = 0;\n"
          "    if (!gamma) gamma = room;\n"
          "    if (!beta) beta = room + j->n;\n",
          out);
}

/* Writes how many rows a call takes: all of them if the function takes rows and they have no gaps.
 */
static void put_rows(FILE *out, const struct glue *g)
{
    const struct call *c = g->call;
    bool strides = call_argument(c, ROLE_X_STRIDE) && call_argument(c, ROLE_Y_STRIDE);
    bool columns = call_argument(c, ROLE_MEAN) || call_argument(c, ROLE_VARIANCE) ||
                   call_argument(c, ROLE_RSTD);
    bool alone = c->row_by_row || g->aligned || g->probe || g->multiple;
    bool takes_rows = call_argument(c, ROLE_ROWS) && !alone && !columns && c->operands == 1;
    char parts[32] = "";
    if (c->operands > 1) snprintf(parts, sizeof parts, " / %u", c->operands);
    fprintf(out, "    size_t n = j->n%s, rows = 1;\n", parts);
    if (takes_rows) {
        fputs("    if (", out);
        if (strides)
            fputs("j->rows", out);
        else if (g->elementwise)
            fputs("j->x_stride == n && j->y_stride == n", out);
        else
            fprintf(out, "j->x_stride == n && j->y_stride == %u", g->columns);
        fputs(") rows = j->rows;\n", out);
    }
}

static const char *load_of(const struct call *c)
{
    const size_t bytes = call_vector_bytes(c);
    return bytes == 64 ? "_mm512" : bytes == 32 ? "_mm256" : "_mm";
}

/* Writes the call of a function of rows. Results that are integers, or have to be placed, are
 * copied behind it. */
static void put_row_call(FILE *out, const struct glue *g, const char *function)
{
    const struct call *c = g->call;
    const bool integers = c->integers && !c->value;
    const bool moved = places(g) && !c->value && !c->integers &&
                       (g->elementwise || call_argument(c, ROLE_Y) || c->in_place);
    char element[96], count[24];
    snprintf(count, sizeof count, g->elementwise ? "n" : "%u", g->columns);
    if (integers) {
        call_element(call_argument(c, ROLE_Y)->type, element, sizeof element);
        fprintf(out, "        %s *integers = (%s *)j->scratch;\n", element, element);
    }
    if (moved)
        fprintf(out,
                "        ulplab_real *results = y;\n"
                "        y = ulplab_begin(%d, y, n, j->n, %s);\n",
                ROLE_Y, c->in_place ? "x" : "0");
    fprintf(out, "        %s%s", c->value ? "y[0] = (ulplab_real)" : "", function);
    put_arguments(out, g, c, NULL, false);
    fputs(";\n", out);
    if (g->probe) fputs("        ulplab_kept(n);\n", out);
    if (integers)
        fprintf(out, "        for (size_t i = 0; i < %s; i++) y[i] = (ulplab_real)integers[i];\n",
                count);
    if (moved) fprintf(out, "        ulplab_end(y, j->n, results, %s);\n", count);
}

static void put_body(FILE *out, const struct glue *g, const char *function)
{
    const struct call *c = g->call;
    if (g->copies || c->in_place)
        fputs("        for (size_t i = 0; i < rows; i++)\n            memcpy(y + i * j->y_stride, "
              "x + "
              "i * j->x_stride, j->n * sizeof *x);\n",
              out);
    if (g->copies) return;
    if (c->lanes == 1) {
        fprintf(out, "        for (size_t i = 0; i < n; i++) y[i] = (ulplab_real)%s", function);
        put_arguments(out, g, c, "x[i]", false);
        fputs(";\n", out);
    } else if (c->lanes) {
        const char *m = load_of(c), *s = c->in_double ? "pd" : "ps";
        const struct parameter *mask = call_argument(c, ROLE_MASK);
        char all[160] = "", some[160] = "";
        if (mask && strstr(mask->type, "__m")) {
            snprintf(all, sizeof all, ", %s_loadu_%s((const ulplab_real *)all)", m, s);
            snprintf(some, sizeof some, ", %s_loadu_%s((const ulplab_real *)some)", m, s);
        } else if (mask) {
            snprintf(all, sizeof all, ", (%s)%uu", mask->type, (1U << c->lanes) - 1);
            snprintf(some, sizeof some, ", (%s)((1u << (n - i)) - 1)", mask->type);
        }
        fprintf(
            out,
            "        size_t i = 0;\n"
            "        ulplab_real all[%u], some[%u] = {0};\n"
            "        memset(all, 255, sizeof all);\n"
            "        for (; i + %u <= n; i += %u) %s_storeu_%s(y + i, %s(%s_loadu_%s(x + i)%s));\n"
            "        if (i < n) {\n"
            "            ulplab_real t[%u] = {0};\n"
            "            memset(some, 255, (n - i) * sizeof *some);\n"
            "            memcpy(t, x + i, (n - i) * sizeof *t);\n"
            "            %s_storeu_%s(t, %s(%s_loadu_%s(t)%s));\n"
            "            memcpy(y + i, t, (n - i) * sizeof *t);\n        }\n",
            c->lanes, c->lanes, c->lanes, c->lanes, m, s, function, m, s, all, c->lanes, m, s,
            function, m, s, some);
    } else {
        put_row_call(out, g, function);
    }
}

/* Writes that rows of a length that callers never pass have NaN as results. */
static void put_lengths(FILE *out, const struct glue *g)
{
    if (!g->multiple || g->call->lanes || fills(g)) return;
    const char *results = g->elementwise ? "n" : "j->y_stride < 3 ? j->y_stride : 3";
    fprintf(out,
            "        if (n %% %u) {\n"
            "            for (size_t i = 0; i < (%s); i++) y[i] = __builtin_nanf(\"\");\n"
            "            continue;\n        }\n",
            g->multiple, results);
}

static void put_columns(FILE *out, const struct glue *g, bool before)
{
    const struct call *c = g->call;
    bool mean = call_argument(c, ROLE_MEAN), variance = call_argument(c, ROLE_VARIANCE),
         rstd = call_argument(c, ROLE_RSTD);
    if (!mean && !variance && !rstd) return;
    if (before) {
        fputs("        ulplab_real mean = 0, variance = 0, rstd = 0;\n", out);
        return;
    }
    fputs("        (void)mean, (void)variance, (void)rstd;\n", out);
    if (!g->elementwise)
        fputs("        y[0] = mean;\n        y[1] = variance;\n", out);
    else if (g->columns == 2)
        fputs("        ulplab_real *stats = (ulplab_real *)j->stats;\n"
              "        if (stats) stats[2 * r] = mean, stats[2 * r + 1] = rstd;\n",
              out);
    else if (rstd)
        fputs("        if (j->stats) ((ulplab_real *)j->stats)[r] = rstd;\n", out);
}

/* ---- The reference --------------------------------------------------------------------------- */

/* Writes the macros of include/called_reference.h, and the reference. */
static void put_reference(FILE *out, const struct glue *g)
{
    const struct call *c = g->reference;
    const bool results = g->elementwise ? g->call->operands > 1 : g->columns != 1;
    char in[96], to[96];
    call_element(call_argument(c, ROLE_X)->type, in, sizeof in);
    call_element(call_result(c), to, sizeof to);
    fputs("#include ", out);
    put_quoted(out, g->reference_include);
    fprintf(out,
            "\n#define ULPLAB_REAL %s\n#define ULPLAB_IN %s\n#define ULPLAB_OUT %s\n"
            "#define ULPLAB_OPERANDS %u\n#define ULPLAB_RESULTS %s%u\n"
            "#define ULPLAB_PER_ELEMENT %d\n#define ULPLAB_SCALE ulplab_%s\n"
            "#define ULPLAB_STEP %a\n#define ULPLAB_CALL ",
            call_real(g->call), in, to, c->operands, g->elementwise ? "all / " : "",
            g->elementwise ? g->call->operands : g->columns, g->elementwise,
            g->scale ? g->scale : "result", g->step);
    if (c->lanes || c->in_place)
        fprintf(out, "for (size_t i = 0; i < n; i++) w[i] = %s%s", c->lanes ? c->name : "v[i]; ",
                c->lanes ? "" : c->name);
    else
        fprintf(out, "%s%s", c->value ? "w[0] = " : "", c->name);
    put_arguments(out, g, c, c->lanes ? "v[i]" : NULL, true);
    fprintf(out,
            "\n#include \"called_reference.h\"\n\n"
            "const struct oracle REFERENCE = {.op = \"%s\", .outputs = {\"y\"}, ",
            g->op);
    if (results || g->elementwise)
        fprintf(out, ".elementwise = true, .unary = %s,\n", g->unary ? "true" : "false");
    else
        fprintf(out, ".columns = %u,\n", g->columns);
    fprintf(out, "    .domain = DOMAIN_MOMENTS, .sign_certain = %s, .row = ulplab_row%s%s};\n",
            g->scale && !strcmp(g->scale, "result") ? "true" : "false",
            results ? ", .results = ulplab_results" : "",
            g->call->in_double ? ", .row_f64 = ulplab_row_f64" : "");
}

void glue_write(const struct glue *g, FILE *out)
{
    const struct call *c = g->call;
    fputs("/* Written by 'ulplab try': ", out);
    call_print(c, out);
    fprintf(out, "\n * make KERNELS=THIS.%s RUN='--filter op=%s' takes it from here. */\n",
            g->cxx ? "cc" : "c", g->op);
    if (g->policies) fprintf(out, "// build: policies=%s\n", g->policies);
    if (g->reference) {
        fputs("#ifdef REFERENCE\n", out);
        put_reference(out, g);
        fputs("#else\n", out);
    }
    if (c->lanes > 1) fputs("#include <immintrin.h>\n", out);
    const char *function = g->copies ? "" : put_function(out, g);
    fprintf(out,
            "#include <stdlib.h>\n#include <string.h>\n#include \"kernel.h\"\n"
            "typedef %s ulplab_real;\n",
            call_real(c));
    if (!g->copies) put_checks(out, g);
    put_places(out, g);
    fputs("\nstatic void ulplab_run(const struct job *j)\n{\n", out);
    put_affine(out, c);
    put_rows(out, g);
    fputs("    for (size_t r = 0; r < j->rows; r += rows) {\n"
          "        const ulplab_real *x = (const ulplab_real *)j->x + r * j->x_stride;\n"
          "        ulplab_real *y = (ulplab_real *)j->y + r * j->y_stride;\n",
          out);
    put_lengths(out, g);
    put_columns(out, g, true);
    put_body(out, g, function);
    put_columns(out, g, false);
    fprintf(out,
            "    }\n}\n\n%sconst struct kernel KERNEL = {\n    .op = \"%s\", .algorithm = \"%s\", "
            ".dtype = \"%s\", .run = ulplab_run,\n};\n",
            g->cxx ? "extern \"C\" " : "", g->op, g->algorithm, c->in_double ? "f64" : "f32");
    if (g->reference) fputs("#endif\n", out);
}

/* ---- A reference in another type ------------------------------------------------------------ */

/* The type that replaces wider ones: its name, the suffix of its constants and functions, the
 * prefix of its limits. */
struct narrow {
    const char *type, *suffix, *limit;
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the length of a comment, a string or an #include line, which are not changed; else 0. */
static size_t untouched(const char *at)
{
    if (at[0] == '/' && at[1] == '/') return strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? (size_t)(end - at) + 2 : strlen(at);
    }
    if (*at == '"' || *at == '\'') {
        size_t i = 1;
        while (at[i] && at[i] != *at) i += at[i] == '\\' && at[i + 1] ? 2 : 1;
        return at[i] ? i + 1 : i;
    }
    if (*at != '#') return 0;
    const char *word = at + 1 + strspn(at + 1, " \t");
    return strncmp(word, "include", 7) ? 0 : strcspn(at, "\n");
}

/* Writes a number, with the type's suffix if it has a fraction or an exponent. Returns its length.
 */
static size_t put_number(const struct narrow *to, const char *at, FILE *out)
{
    size_t length = 0;
    const bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    bool real = false;
    for (; is_letter(at[length]) || at[length] == '.'; length++) {
        const bool exponent = strchr(hex ? "pP" : "eE", at[length]) != NULL;
        real = real || exponent || at[length] == '.';
        if (exponent && (at[length + 1] == '+' || at[length + 1] == '-')) length++;
    }
    size_t digits = length;
    while (real && digits && strchr("lLqQfF", at[digits - 1]) && !(hex && !strpbrk(at, "pP")))
        digits--;
    fprintf(out, "%.*s%s", (int)digits, at, real ? to->suffix : "");
    return length;
}

static bool is_word(const char *word, size_t length, const char *other)
{
    return strlen(other) == length && !strncmp(word, other, length);
}

/* Returns the length of a libm function's name without its suffix; 0 if the word is none. */
static size_t libm_name(const char *word, size_t length)
{
    static const char *const names[] = {
        "exp",  "exp2",  "expm1", "log",  "log2",  "log1p", "log10", "sqrt",      "cbrt",
        "fabs", "fmax",  "fmin",  "fma",  "pow",   "hypot", "sin",   "cos",       "tan",
        "sinh", "cosh",  "tanh",  "asin", "acos",  "atan",  "atan2", "erf",       "erfc",
        "ceil", "floor", "trunc", "rint", "round", "fmod",  "ldexp", "nearbyint", "copysign"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        if (is_word(word, length, names[i]) ||
            (length == n + 1 && !strncmp(word, names[i], n) && strchr("lq", word[n])))
            return n;
    }
    return 0;
}

/* Writes a word, or two for `long double`; returns their length. */
static size_t put_word(const struct narrow *to, const char *at, FILE *out)
{
    static const char *const wide[] = {"double", "__float128", "_Float128", "_Float64x"};
    size_t length = 0;
    while (is_letter(at[length])) length++;
    const char *next = at + length + strspn(at + length, " \t\n");
    if (is_word(at, length, "long") && !strncmp(next, "double", 6) && !is_letter(next[6]))
        return fputs(to->type, out), (size_t)(next - at) + 6;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (is_word(at, length, wide[i])) return fputs(to->type, out), length;
    const size_t name = *next == '(' ? libm_name(at, length) : 0;
    const size_t limit = !strncmp(at, "DBL_", 4) ? 4 : !strncmp(at, "LDBL_", 5) ? 5 : 0;
    if (name)
        fprintf(out, "%.*s%s", (int)name, at, to->suffix);
    else
        fprintf(out, "%s%.*s", limit ? to->limit : "", (int)(length - limit), at + limit);
    return length;
}

char *narrowed_text(const char *text, bool to_double)
{
    const struct narrow to =
        to_double ? (struct narrow){"double", "", "DBL_"} : (struct narrow){"float", "f", "FLT_"};
    char *narrowed = NULL;
    size_t size, length;
    FILE *out = memory_text(&narrowed, &size);
    for (const char *at = text; *at; at += length) {
        length = untouched(at);
        if (length)
            fwrite(at, 1, length, out);
        else if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
            length = put_number(&to, at, out);
        else if (is_letter(*at))
            length = put_word(&to, at, out);
        else
            length = 1, putc(*at, out);
    }
    memory_text_close(out);
    return narrowed;
}
