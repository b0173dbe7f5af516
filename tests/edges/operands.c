// SPDX-License-Identifier: MIT
/* The operands of every kernel, and the rows that it is called with. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/random.h"
#include "edges.h"
#include "int8_map.h"
#include "measure/cell.h"
#include "model/dtype.h"
#include "oracle/oracle.h"
#include "scaledforms.h"

/* ---- What there is to read and to write ------------------------------------------------------ */

static const struct int8_map map = {
    .in = {1.0f / 16, 0, -128, 127}, .out = {1.0f / 256, -128, -128, 127}, .table = {1, -2, 3}};
static const struct scaled_request request = {.form = FORM_MIXED};
static const float limit = 0x1p15f;

/* The operands of kernels for case studies, as their files say: of one algorithm, or (NULL) of all
 * of an operation. */
static const struct {
    const char *op, *algorithm;
    struct operands operands;
} studies[] = {
    {"e8m0", NULL, {.x_bytes = 4, .y_bytes = 1}},
    {"int8sigmoid", NULL, {.x_bytes = 1, .y_bytes = 1, .operand = &map}},
    {"litmus", "nancheck", {.x_bytes = 4, .y_bytes = 4, .width = 2}},
    {"litmus", "twosum", {.x_bytes = 4, .y_bytes = 4, .width = 2}},
    {"litmus", NULL, {.x_bytes = 4, .y_bytes = 4}},
    {"erfgelu", NULL, {.x_bytes = 4, .y_bytes = 4}},
    {"expkappa", NULL, {.x_bytes = 4, .y_bytes = 4}},
    {"logsumexp", NULL, {.x_bytes = 2, .y_bytes = 2, .width = 1}},
    {"softplus", "halflimit", {.x_bytes = 2, .y_bytes = 2, .operand = &limit}},
    {"softmax", "scaledforms", {.x_bytes = 4, .y_bytes = 4, .operand = &request}},
};
enum { STUDIES = sizeof studies / sizeof *studies };

static bool study_operands(const struct variant *v, struct operands *o)
{
    for (size_t i = 0; i < STUDIES; i++)
        if (!strcmp(v->op, studies[i].op) &&
            (!studies[i].algorithm || !strcmp(v->algorithm, studies[i].algorithm))) {
            *o = studies[i].operands;
            return true;
        }
    return false;
}

bool operands_of(const struct variant *v, struct operands *o)
{
    if (v->study) {
        const bool known = study_operands(v, o);
        o->computed = sizeof(float);
        return known;
    }
    const struct oracle *oracle = oracle_find(v->op);
    if (!oracle) return false;
    size_t width = oracle_columns(v->kernel->op, SIZE_MAX);
    *o = (struct operands){.x_bytes = dtype_of(v->kernel)->bytes,
                           .y_bytes = cell_output_bytes(v->kernel),
                           .computed = dtype_computed(dtype_of(v->kernel))->bytes,
                           .width = width == SIZE_MAX ? PER_ELEMENT : width,
                           /* statistics that not all libraries return */
                           .stats = oracle_is_affine(oracle) && !v->peer ? oracle->columns : 0,
                           .gamma = oracle_is_affine(oracle),
                           .beta = oracle_has_beta(oracle)};
    return true;
}

/* ---- What is read ---------------------------------------------------------------------------- */

/* Two sources. In that of scalar code at lengths that tell nothing new no row is of subnormal
 * numbers alone, on which it takes ten times as long. */
static float floats[2][ROWS_MAX][N_MAX];
static float affine[N_MAX];
static double affine_f64[N_MAX];
static char stored[2][ROWS_MAX * N_MAX * sizeof(double)]; /* in another type */

/* Every third element of row r is special, beginning at another element in each row. */
static float number(size_t r, size_t i, bool mixed, uint64_t *state)
{
    static const float odd[] = {NAN, INFINITY, 0x1p127f, -INFINITY, -0.0f};
    enum { PLAIN = 6, ODD = sizeof odd / sizeof *odd };
    float x = (float)(8 * random_unit(state) - 4);
    size_t kind = r % (PLAIN + ODD);
    if (kind == 1) return -INFINITY;
    if (kind == 2) return mixed && i % 7 ? x : 0x1p-130f * x;
    if (kind < PLAIN) return x;
    return i % 7 == r % 7 || i % 67 == 0 ? odd[kind - PLAIN] : x;
}

static void fill_source(void)
{
    if (affine[0] != 0) return;
    for (size_t mixed = 0; mixed < 2; mixed++) {
        uint64_t state = 28;
        for (size_t r = 0; r < ROWS_MAX; r++)
            for (size_t i = 0; i < N_MAX; i++) floats[mixed][r][i] = number(r, i, mixed, &state);
    }
    for (size_t i = 0; i < N_MAX; i++) affine_f64[i] = affine[i] = 0.5f + (float)(i % 13) * 0.25f;
}

const void *source_rows(const struct variant *v, const struct operands *o, size_t n)
{
    static const struct dtype *last[2];
    const struct dtype *type = dtype_of(v->kernel);
    const size_t mixed = !strcmp(v->isa, "scalar") && !is_telling(n);
    fill_source();
    if (o->x_bytes != 2 && o->x_bytes != 8) return floats[mixed]; /* any byte is a valid value */
    if (type != last[mixed]) type->narrow(&floats[mixed][0][0], stored[mixed], ROWS_MAX * N_MAX);
    last[mixed] = type;
    return stored[mixed];
}

const void *source_affine(size_t computed)
{
    fill_source();
    return computed == sizeof *affine_f64 ? (const void *)affine_f64 : affine;
}
