// SPDX-License-Identifier: MIT
#include "study/glue.h"

#include <string.h>

/* ---- What stands for a parameter ------------------------------------------------------------- */

struct value {
    const char *kernel, *reference; /* in a kernel's run(), in a reference's row() */
};
static const struct value values[ROLE_COUNT] = {
    [ROLE_X] = {"x", "v"},
    [ROLE_Y] = {"y", "w"},
    [ROLE_N] = {"n", "n"},
    [ROLE_BYTES] = {"n * sizeof(float)", "n * sizeof(float)"},
    [ROLE_ROWS] = {"rows", "1"},
    [ROLE_X_STRIDE] = {"j->x_stride", "n"},
    [ROLE_Y_STRIDE] = {"j->y_stride", "n"},
    [ROLE_GAMMA] = {"gamma", "gamma"},
    [ROLE_BETA] = {"beta", "beta"},
    [ROLE_EPS] = {"j->eps", "p->eps"},
    [ROLE_SCALE] = {"j->scale", "p->scale"},
    [ROLE_MEAN] = {"&mean", "&w[0]"},
    [ROLE_VARIANCE] = {"&variance", "&w[1]"},
    [ROLE_RSTD] = {"&rstd", "&w[2]"},
    [ROLE_ONE] = {"1", "1"},
    [ROLE_ZERO] = {"0", "0"},
    [ROLE_NULL] = {"0", "0"},
    [ROLE_SECOND] = {"x + n", "v + n"},
    [ROLE_THIRD] = {"x + 2 * n", "v + 2 * n"},
    [ROLE_FOURTH] = {"x + 3 * n", "v + 3 * n"},
};

static void put_call(FILE *out, const struct call *c, const char *name, bool reference)
{
    fprintf(out, "%s(", name);
    for (size_t i = 0; i < c->count; i++) {
        const struct argument *a = &c->arguments[i];
        const struct value *v = &values[a->role];
        const char *what = reference ? v->reference : v->kernel;
        if (c->in_place && a->role == ROLE_X) what = reference ? "w" : "y";
        bool by_reference = strchr(a->type, '&') != NULL;
        fprintf(out, "%s", i ? ", " : "");
        if (by_reference)
            fprintf(out, "*(%.*s *)(%s)", (int)strcspn(a->type, "&"), a->type, what);
        else
            fprintf(out, "(%s)(%s)", a->type, what);
    }
    fputs(")", out);
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
    fprintf(out, "%s ulplab_function(", c->returns);
    put_parameter_types(out, c);
    fputs(") __asm__(", out);
    put_quoted(out, g->symbol);
    fputs(");\n", out);
    return "ulplab_function";
}

/* ---- run() ----------------------------------------------------------------------------------- */

static void put_affine(FILE *out, const struct call *c)
{
    if (call_argument(c, ROLE_GAMMA) || call_argument(c, ROLE_BETA))
        fputs("    const float *gamma = j->gamma, *beta = j->beta;\n"
              "    for (size_t i = 0; !gamma && i < j->n; i++) j->scratch[i] = 1;\n"
              "    for (size_t i = 0; !beta && i < j->n; i++) j->scratch[j->n + i] = 0;\n"
              "    if (!gamma) gamma = j->scratch;\n"
              "    if (!beta) beta = j->scratch + j->n;\n",
              out);
}

/* Writes the call; several rows take one call where they stand without gaps. */
static void put_rows(FILE *out, const struct glue *g)
{
    const struct call *c = g->call;
    bool strides = call_argument(c, ROLE_X_STRIDE) && call_argument(c, ROLE_Y_STRIDE);
    bool columns = call_argument(c, ROLE_MEAN) || call_argument(c, ROLE_VARIANCE) ||
                   call_argument(c, ROLE_RSTD);
    bool takes_rows = call_argument(c, ROLE_ROWS) && !c->row_by_row && !columns && c->operands == 1;
    bool flat = g->unary && !c->row_by_row && !call_argument(c, ROLE_ROWS);
    char parts[32] = "";
    if (c->operands > 1) snprintf(parts, sizeof parts, " / %u", c->operands);
    fprintf(out, "    size_t n = j->n%s, rows = 1;\n", parts);
    if (takes_rows || flat) {
        fputs("    if (", out);
        if (takes_rows && strides)
            fputs("j->rows", out);
        else if (g->elementwise)
            fputs("j->x_stride == n && j->y_stride == n", out);
        else
            fprintf(out, "j->x_stride == n && j->y_stride == %u", g->columns);
        fprintf(out, ") %s;\n", flat ? "n *= rows = j->rows" : "rows = j->rows");
    }
}

static const char *load_of(unsigned lanes)
{
    return lanes == 16 ? "_mm512" : lanes == 8 ? "_mm256" : "_mm";
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
        fputs("        for (size_t i = 0; i < n; i++) y[i] = (float)", out);
        fprintf(out, "%s((%s)x[i]", function, c->arguments[0].type);
        fputs(");\n", out);
    } else if (c->lanes) {
        const char *m = load_of(c->lanes);
        fprintf(
            out,
            "        size_t i = 0;\n"
            "        for (; i + %u <= n; i += %u) %s_storeu_ps(y + i, %s(%s_loadu_ps(x + i)));\n"
            "        if (i < n) {\n"
            "            float t[%u] = {0};\n"
            "            memcpy(t, x + i, (n - i) * sizeof *t);\n"
            "            %s_storeu_ps(t, %s(%s_loadu_ps(t)));\n"
            "            memcpy(y + i, t, (n - i) * sizeof *t);\n        }\n",
            c->lanes, c->lanes, m, function, m, c->lanes, m, function, m);
    } else {
        fprintf(out, "        %s", c->value ? "y[0] = (float)" : "");
        put_call(out, c, function, false);
        fputs(";\n", out);
    }
}

static void put_columns(FILE *out, const struct glue *g, bool before)
{
    const struct call *c = g->call;
    bool mean = call_argument(c, ROLE_MEAN), variance = call_argument(c, ROLE_VARIANCE),
         rstd = call_argument(c, ROLE_RSTD);
    if (!mean && !variance && !rstd) return;
    if (before) {
        fputs("        float mean = 0, variance = 0, rstd = 0;\n", out);
        return;
    }
    fputs("        (void)mean, (void)variance, (void)rstd;\n", out);
    if (!g->elementwise)
        fputs("        y[0] = mean;\n        y[1] = variance;\n", out);
    else if (g->columns == 2)
        fputs("        if (j->stats) j->stats[2 * r] = mean, j->stats[2 * r + 1] = rstd;\n", out);
    else if (rstd)
        fputs("        if (j->stats) j->stats[r] = rstd;\n", out);
}

/* ---- The reference --------------------------------------------------------------------------- */

/* Writes the sum over which errors are taken, of what is finite; and of a result per row the sum of
 * squares, where fp32 may overflow. */
static void put_floor(FILE *out, const struct glue *g)
{
    if (!g->elementwise)
        fputs("    for (size_t i = 0; i < all; i++) facts->squares += (double)x[i] * x[i];\n", out);
    static const struct {
        const char *scale, *term, *per;
    } floors[] = {{"sum", "x[i]", ""},
                  {"dot", "(double)x[i] * x[(i + n) % all]", " / 2"},
                  {"mean", "x[i]", " / (double)n"}};
    for (size_t i = 0; g->scale && i < sizeof floors / sizeof *floors; i++)
        if (!strcmp(g->scale, floors[i].scale))
            fprintf(out,
                    "    double floor = 0;\n"
                    "    for (size_t i = 0; i < all; i++) {\n"
                    "        const double term = %s;\n"
                    "        if (term - term == 0) floor += term < 0 ? -term : term;\n    }\n"
                    "    for (size_t k = 0; k < OUTPUTS_MAX; k++) facts->floor[k] = floor%s;\n",
                    floors[i].term, floors[i].per);
}

static void put_reference(FILE *out, const struct glue *g)
{
    const struct call *c = g->reference;
    const struct argument *x = call_argument(c, ROLE_X);
    const char *wide = strstr(x->type, "__float128")    ? "__float128"
                       : strstr(x->type, "long double") ? "long double"
                       : strstr(x->type, "double")      ? "double"
                                                        : "float";
    const bool own_results = g->elementwise ? g->call->operands > 1 : g->columns != 1;
    fputs("#include <stdlib.h>\n#include ", out);
    put_quoted(out, g->reference_include);
    fprintf(out,
            "\n#include \"kernel_reference.h\"\n\n"
            "static size_t ulplab_results(size_t n)\n{\n    return %s%u;\n}\n"
            "static void ulplab_row(const float *x, size_t all, const struct parameters *p, double "
            "*y,\n"
            "                       struct oracle_row *facts)\n{\n"
            "    (void)p, (void)facts;\n"
            "    const size_t n = all / %u, results = ulplab_results(all);\n"
            "    typedef %s wide;\n"
            "    wide *v = (wide *)calloc(4 * all + results + 4, sizeof *v), *w = v + all;\n"
            "    wide *gamma = w + (all > results ? all : results) + 4, *beta = gamma + n;\n"
            "    if (!v) abort();\n"
            "    for (size_t i = 0; i < all; i++) v[i] = (wide)x[i];\n",
            g->elementwise ? "n / " : "(void)n, ", g->elementwise ? g->call->operands : g->columns,
            c->operands, wide);
    fputs("    for (size_t i = 0; i < n; i++) {\n"
          "        gamma[i] = p->gamma ? (wide)p->gamma[i] : 1;\n"
          "        beta[i] = p->beta ? (wide)p->beta[i] : 0;\n    }\n",
          out);
    if (c->lanes) {
        fprintf(out, "    for (size_t i = 0; i < n; i++) w[i] = %s(v[i]);\n", c->name);
    } else {
        if (c->in_place) fputs("    for (size_t i = 0; i < n; i++) w[i] = v[i];\n", out);
        fprintf(out, "    %s", c->value ? "w[0] = " : "");
        put_call(out, c, c->name, true);
        fputs(";\n", out);
    }
    put_floor(out, g);
    fprintf(out,
            "    for (size_t i = 0; i < results; i++) y[i] = (double)w[i];\n    free(v);\n}\n\n"
            "const struct oracle REFERENCE = {.op = \"%s\", ",
            g->op);
    if (own_results || g->elementwise)
        fprintf(out, ".outputs = {\"y\"}, .elementwise = true, .unary = %s,\n",
                g->unary ? "true" : "false");
    else
        fprintf(out, ".outputs = {\"y\"}, .columns = %u,\n", g->columns);
    fprintf(out, "    .domain = DOMAIN_MOMENTS, .sign_certain = %s, .row = ulplab_row%s};\n",
            g->scale && !strcmp(g->scale, "result") ? "true" : "false",
            own_results ? ", .results = ulplab_results" : "");
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
    const char *function = g->copies ? "" : put_function(out, g);
    if (c->lanes > 1) fputs("#include <immintrin.h>\n", out);
    fputs("#include <string.h>\n#include \"kernel.h\"\n", out);
    fputs("\nstatic void ulplab_run(const struct job *j)\n{\n", out);
    put_affine(out, c);
    put_rows(out, g);
    fputs("    for (size_t r = 0; r < j->rows; r += rows) {\n"
          "        const float *x = (const float *)j->x + r * j->x_stride;\n"
          "        float *y = (float *)j->y + r * j->y_stride;\n",
          out);
    put_columns(out, g, true);
    put_body(out, g, function);
    put_columns(out, g, false);
    fprintf(out,
            "    }\n}\n\n%sconst struct kernel KERNEL = {\n    .op = \"%s\", .algorithm = \"%s\", "
            ".dtype = \"f32\", .run = ulplab_run,\n};\n",
            g->cxx ? "extern \"C\" " : "", g->op, g->algorithm);
    if (g->reference) fputs("#endif\n", out);
}
