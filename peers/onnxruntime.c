// SPDX-License-Identifier: MIT
/* ONNX Runtime, whose CPU kernels are MLAS: Softmax, LogSoftmax, ReduceLogSumExp,
 * LayerNormalization and SimplifiedLayerNormalization (rmsnorm), as models of one node, by the
 * library in the npm package onnxruntime-node. It runs on one thread, and values are kept from call
 * to call, as in an application. It uses the widest vectors that the CPU has; there is no cap.
 *
 * The package has no header. The interface is a table of functions whose order never changes
 * (onnxruntime_c_api.h); FUNCTIONS gives the place of each that is used. The models are written
 * here as protocol buffers; the numbers of their fields are those of onnx.proto3. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "peer.h"

/* ---- ONNX Runtime's interface ---------------------------------------------------------------- */

struct api_base {
    const void *(*get_api)(uint32_t version);
    const char *(*version)(void);
};
enum { API_VERSION = 17, LOG_ERRORS = 3, ARENA = 1, MEMORY_DEFAULT = 0, FLOAT = 1 };

/* The functions that are used. Each returns NULL, or a status that describes the error. */
#define FUNCTIONS(X)                                                                               \
    X(2, message, const char *, (const void *status))                                              \
    X(3, create_env, void *, (int level, const char *name, void **env))                            \
    X(8, create_session, void *,                                                                   \
      (const void *env, const void *model, size_t bytes, const void *options, void **session))     \
    X(9, run, void *,                                                                              \
      (void *session, const void *options, const char *const *inputs, const void *const *x,        \
       size_t x_count, const char *const *outputs, size_t y_count, void **y))                      \
    X(10, create_options, void *, (void **options))                                                \
    X(24, set_threads_within, void *, (void *options, int threads))                                \
    X(25, set_threads_between, void *, (void *options, int threads))                               \
    X(49, create_tensor, void *,                                                                   \
      (const void *memory, void *data, size_t bytes, const int64_t *shape, size_t dimensions,      \
       int type, void **value))                                                                    \
    X(69, create_memory, void *, (int allocator, int type, void **memory))                         \
    X(96, release_value, void, (void *value))

#define MEMBER(place, name, result, parameters) result(*name) parameters;
static struct {
    FUNCTIONS(MEMBER)
    const char *(*version)(void);
    void *env, *options, *memory;
} ort;

static void check(void *status, const char *what)
{
    if (!status) return;
    fprintf(stderr, "ONNX Runtime: %s: %s\n", what, ort.message(status));
    abort();
}

__attribute__((constructor)) static void load(void)
{
    const struct api_base *(*get_base)(void);
    void *found =
        dlsym(open_beside("onnxruntime/libonnxruntime.so.1", RTLD_LOCAL), "OrtGetApiBase");
    memcpy(&get_base, &found, sizeof found);
    const struct api_base *base = found ? get_base() : NULL;
    void *const *table = base ? base->get_api(API_VERSION) : NULL;
    if (!table) abort();
#define FIND(place, name, result, parameters) memcpy(&ort.name, &table[place], sizeof ort.name);
    FUNCTIONS(FIND)
    ort.version = base->version;
    check(ort.create_env(LOG_ERRORS, "ulplab", &ort.env), "environment");
    check(ort.create_options(&ort.options), "options");
    check(ort.set_threads_within(ort.options, 1), "threads");
    check(ort.set_threads_between(ort.options, 1), "threads");
    check(ort.create_memory(ARENA, MEMORY_DEFAULT, &ort.memory), "memory");
}

/* ---- Models ---------------------------------------------------------------------------------- */

/* A message of a protocol buffer: its fields, one after the other. */
struct message {
    unsigned char bytes[1024];
    size_t length;
};

static void put_varint(struct message *m, uint64_t value)
{
    for (; value > 127; value >>= 7) m->bytes[m->length++] = (unsigned char)(value | 128);
    m->bytes[m->length++] = (unsigned char)value;
}

enum { WIRE_VARINT = 0, WIRE_BYTES = 2, WIRE_FOUR_BYTES = 5 };
static void put_number(struct message *m, unsigned field, int64_t value)
{
    put_varint(m, field << 3 | WIRE_VARINT);
    put_varint(m, (uint64_t)value);
}

static void put_bytes(struct message *m, unsigned field, const void *bytes, size_t length)
{
    put_varint(m, field << 3 | WIRE_BYTES);
    put_varint(m, length);
    if (m->length + length > sizeof m->bytes) abort();
    memcpy(m->bytes + m->length, bytes, length);
    m->length += length;
}

static void put_text(struct message *m, unsigned field, const char *text)
{
    put_bytes(m, field, text, strlen(text));
}

static void put_message(struct message *m, unsigned field, const struct message *part)
{
    put_bytes(m, field, part->bytes, part->length);
}

static void put_float(struct message *m, unsigned field, float value)
{
    put_varint(m, field << 3 | WIRE_FOUR_BYTES);
    memcpy(m->bytes + m->length, &value, sizeof value);
    m->length += sizeof value;
}

enum { ATTRIBUTE_FLOAT = 1, ATTRIBUTE_INTEGER = 2, ATTRIBUTE_INTEGERS = 7 };

/* Adds an AttributeProto: name 1, f 2, i 3, ints 8, type 20. */
static void put_attribute(struct message *node, const char *name, int type, float f, int64_t i)
{
    struct message a = {.length = 0};
    put_text(&a, 1, name);
    if (type == ATTRIBUTE_FLOAT) put_float(&a, 2, f);
    if (type == ATTRIBUTE_INTEGER) put_number(&a, 3, i);
    if (type == ATTRIBUTE_INTEGERS) put_number(&a, 8, i);
    put_number(&a, 20, type);
    put_message(node, 5, &a);
}

/* Adds a ValueInfoProto: name 1, type 2; TypeProto: tensor_type 1; its elem_type 1, shape 2; a
 * dimension 1 of a name 2. */
static void put_value(struct message *graph, unsigned field, const char *name, size_t dimensions)
{
    static const char *const names[] = {"rows", "n"};
    struct message shape = {.length = 0}, tensor = {.length = 0}, type = {.length = 0},
                   v = {.length = 0};
    for (size_t i = 0; i < dimensions; i++) {
        struct message dimension = {.length = 0};
        char text[24];
        snprintf(text, sizeof text, "%s_%s", name, names[dimensions == 1 ? 1 : i]);
        put_text(&dimension, 2, text);
        put_message(&shape, 1, &dimension);
    }
    put_number(&tensor, 1, FLOAT);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&v, 1, name);
    put_message(&v, 2, &type);
    put_message(graph, field, &v);
}

enum op { SOFTMAX, LOG_SOFTMAX, LOGSUMEXP, LAYERNORM, RMSNORM };
static const struct operation {
    const char *node;
    int axis;             /* the type of the attribute axis or axes, whose value is the last one */
    bool scaled, shifted; /* its second and third input */
} operations[] = {
    [SOFTMAX] = {"Softmax", ATTRIBUTE_INTEGER, false, false},
    [LOG_SOFTMAX] = {"LogSoftmax", ATTRIBUTE_INTEGER, false, false},
    [LOGSUMEXP] = {"ReduceLogSumExp", ATTRIBUTE_INTEGERS, false, false},
    [LAYERNORM] = {"LayerNormalization", ATTRIBUTE_INTEGER, true, true},
    [RMSNORM] = {"SimplifiedLayerNormalization", ATTRIBUTE_INTEGER, true, false},
};
static const char *const input_names[] = {"x", "gamma", "beta"};
static const char *const output_names[] = {"y", "mean", "rstd"};

static size_t inputs_of(enum op op)
{
    return 1u + operations[op].scaled + operations[op].shifted;
}

/* Returns a ModelProto: ir_version 1, graph 7, opset_import 8; GraphProto: node 1, name 2, input
 * 11, output 12; NodeProto: input 1, output 2, op_type 4. */
static struct message model_of(enum op op, float eps, size_t outputs)
{
    const struct operation *o = &operations[op];
    enum { IR_VERSION = 8, OPSET = 17 };
    struct message model = {.length = 0}, graph = {.length = 0}, node = {.length = 0},
                   opset = {.length = 0};
    for (size_t i = 0; i < inputs_of(op); i++) put_text(&node, 1, input_names[i]);
    for (size_t i = 0; i < outputs; i++) put_text(&node, 2, output_names[i]);
    put_text(&node, 4, o->node);
    put_attribute(&node, o->axis == ATTRIBUTE_INTEGERS ? "axes" : "axis", o->axis, 0, -1);
    if (o->scaled) put_attribute(&node, "epsilon", ATTRIBUTE_FLOAT, eps, 0);
    put_message(&graph, 1, &node);
    put_text(&graph, 2, "one node");
    for (size_t i = 0; i < inputs_of(op); i++) put_value(&graph, 11, input_names[i], i ? 1 : 2);
    for (size_t i = 0; i < outputs; i++) put_value(&graph, 12, output_names[i], 2);
    put_text(&opset, 1, "");
    put_number(&opset, 2, OPSET);
    put_number(&model, 1, IR_VERSION);
    put_message(&model, 7, &graph);
    put_message(&model, 8, &opset);
    return model;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* An array as ONNX Runtime knows it; made anew for another address or size. */
struct value {
    const void *data;
    size_t rows, n;
    void *value;
};

static void *value_of(struct value *v, const void *data, size_t rows, size_t n)
{
    if (v->value && v->data == data && v->rows == rows && v->n == n) return v->value;
    if (v->value) ort.release_value(v->value);
    const int64_t matrix[] = {(int64_t)rows, (int64_t)n};
    *v = (struct value){data, rows, n, NULL};
    check(ort.create_tensor(ort.memory, (void *)(uintptr_t)data,
                            (rows ? rows : 1) * n * sizeof(float), rows ? matrix : matrix + 1,
                            rows ? 2 : 1, FLOAT, &v->value),
          "a value");
    return v->value;
}

/* An array that grows. */
static float *room_for(float **array, size_t n)
{
    *array = realloc(*array, n * sizeof **array);
    if (!*array) abort();
    return *array;
}

/* A session for each operation, eps, number of outputs, and thread. */
struct session {
    enum op op;
    float eps;
    size_t outputs; /* 1, or 3 with layernorm's statistics */
    void *session;
    struct value x, gamma, beta, y, mean, rstd;
    float *ones, *zeros; /* `filled` elements, for jobs without gamma or beta */
    float *means, *rstds;
    size_t filled;
    struct session *next;
};

static struct session *session_of(enum op op, float eps, size_t outputs)
{
    static _Thread_local struct session *sessions;
    if (!operations[op].scaled) eps = 0;
    for (struct session *s = sessions; s; s = s->next)
        if (s->op == op && s->eps == eps && s->outputs == outputs) return s;
    struct session *s = calloc(1, sizeof *s);
    if (!s) abort();
    *s = (struct session){.op = op, .eps = eps, .outputs = outputs, .next = sessions};
    struct message model = model_of(op, eps, outputs);
    check(ort.create_session(ort.env, model.bytes, model.length, ort.options, &s->session),
          "a model");
    return sessions = s;
}

static void fill(struct session *s, size_t n)
{
    if (n <= s->filled) return;
    room_for(&s->ones, n);
    room_for(&s->zeros, n);
    for (size_t i = 0; i < n; i++) {
        s->ones[i] = 1;
        s->zeros[i] = 0;
    }
    s->filled = n;
}

static void run_dense(enum op op, const struct job *j)
{
    struct session *s = session_of(op, j->eps, j->stats ? 3 : 1);
    const bool gamma = j->gamma, beta = j->beta;
    if (operations[op].scaled && (!gamma || !beta)) fill(s, j->n);
    const void *x[3] = {value_of(&s->x, j->x, j->rows, j->n)};
    if (operations[op].scaled) x[1] = value_of(&s->gamma, gamma ? j->gamma : s->ones, 0, j->n);
    if (operations[op].shifted) x[2] = value_of(&s->beta, beta ? j->beta : s->zeros, 0, j->n);
    void *y[3] = {value_of(&s->y, j->y, j->rows, op == LOGSUMEXP ? 1 : j->n)};
    if (j->stats) {
        y[1] = value_of(&s->mean, room_for(&s->means, j->rows), j->rows, 1);
        y[2] = value_of(&s->rstd, room_for(&s->rstds, j->rows), j->rows, 1);
    }
    check(ort.run(s->session, NULL, input_names, x, inputs_of(op), output_names, s->outputs, y),
          operations[op].node);
    for (size_t r = 0; j->stats && r < j->rows; r++) {
        j->stats[2 * r] = s->means[r];
        j->stats[2 * r + 1] = s->rstds[r];
    }
}

/* Calls the model for the rows, one by one if they are not dense, because ONNX Runtime's rows
 * are. */
static void run(enum op op, const struct job *j)
{
    const size_t outputs = op == LOGSUMEXP ? 1 : j->n;
    if (j->rows && j->n < outputs) abort(); /* it does not define logsumexp of an empty row */
    if (!j->rows || !j->n) return;
    if (j->rows == 1 || (j->x_stride == j->n && j->y_stride == outputs)) return run_dense(op, j);
    struct job one = *j;
    one.rows = 1;
    for (size_t r = 0; r < j->rows; r++) {
        one.x = (const float *)j->x + r * j->x_stride;
        one.y = (float *)j->y + r * j->y_stride;
        if (j->stats) one.stats = j->stats + 2 * r;
        run_dense(op, &one);
    }
}

static void softmax(const struct job *j)
{
    run(j->log_output ? LOG_SOFTMAX : SOFTMAX, j);
}
static void logsumexp(const struct job *j)
{
    run(LOGSUMEXP, j);
}
static void layernorm(const struct job *j)
{
    run(LAYERNORM, j);
}
/* Computes rmsnorm without rstd: as an output it would cost time that no other peer spends. */
static void rmsnorm(const struct job *j)
{
    struct job without_stats = *j;
    without_stats.stats = NULL;
    run(RMSNORM, &without_stats);
}

static const char *version(void)
{
    static char text[64];
    snprintf(text, sizeof text, "ONNX Runtime %s", ort.version());
    return text;
}

static const struct peer_kernel kernels[] = {{"softmax", softmax},
                                             {"log_softmax", softmax},
                                             {"logsumexp", logsumexp},
                                             {"layernorm", layernorm},
                                             {"layernorm_bare", layernorm},
                                             {"rmsnorm", rmsnorm},
                                             {NULL, NULL}};

const struct peer_library ulplab_peer = {PEER_ABI, PEER_JOB, version, kernels};
