// SPDX-License-Identifier: MIT
#include "study/call.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The types that a parameter of a role may have: a batch `B`, say, is no bias. */
enum type_kind { ARRAY, INTEGER, REAL, NUMBER, ROW, LANES };

/* The names that people use for each role; the first is the lab's. Names behind "|" are short, and
 * count only if the operation has the role and nothing else can be meant. filling: which value the
 * parameter gets; NULL: call_filling() says it. */
static const struct {
    const char *names;
    enum type_kind type;
    const char *filling;
} roles[ROLE_COUNT] = {
    [ROLE_X] = {"x in inp input src a data values logits gate", ROW, NULL},
    [ROLE_Y] = {"y out output dst res result results | o", ARRAY, "the results"},
    [ROLE_N] = {"n size len length count dim cols width | c k", INTEGER, "the elements of a row"},
    [ROLE_BYTES] = {"bytes", INTEGER, "the bytes of a row"},
    [ROLE_ROWS] = {"rows nrows batch | m", INTEGER, "rows that stand side by side, or 1"},
    [ROLE_X_STRIDE] = {"x_stride ldx stride", INTEGER, "elements from a row to the next"},
    [ROLE_Y_STRIDE] = {"y_stride ldy", INTEGER, "elements from a row of results to the next"},
    [ROLE_GAMMA] = {"gamma weight weights | w g", ARRAY, "1 + N(0, 1) / 8, the same for every row"},
    [ROLE_BETA] = {"beta bias | b", ARRAY, "N(0, 1) / 8, the same for every row"},
    [ROLE_EPS] = {"eps epsilon", REAL, "1e-5"},
    [ROLE_SCALE] = {"scale", REAL, "1"},
    [ROLE_MEAN] = {"mean | mu", ARRAY, "a result of the row"},
    [ROLE_VARIANCE] = {"variance var", ARRAY, "a result of the row"},
    [ROLE_RSTD] = {"rstd", ARRAY, "a result of the row"},
    [ROLE_SECOND] = {"x2 up mask", ARRAY, NULL},
    [ROLE_THIRD] = {"x3", ARRAY, NULL},
    [ROLE_FOURTH] = {"x4", ARRAY, NULL},
    [ROLE_MASK] = {"mask", LANES, "the lanes that are elements of the row"},
    [ROLE_ONE] = {"one", NUMBER, "1"},
    [ROLE_ZERO] = {"zero", NUMBER, "0"},
    [ROLE_NULL] = {"null", ARRAY, "no array"},
    [ROLE_VALUE] = {"", ARRAY, NULL},
    [ROLE_SPARE] = {"scratch", ARRAY, "an array that nobody looks at"},
};
static const enum role operands[] = {ROLE_X, ROLE_SECOND, ROLE_THIRD, ROLE_FOURTH};
enum { OPERANDS = sizeof operands / sizeof *operands };

const char *role_names(enum role r)
{
    return roles[r].names;
}

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; length && (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static bool is_pointer(const char *type)
{
    return strpbrk(type, "*&") != NULL;
}

static bool is_real(const char *type)
{
    return strstr(type, "float") != NULL || strstr(type, "double") != NULL ||
           strstr(type, "Float") != NULL;
}

static unsigned lanes_of(const char *type)
{
    return is_pointer(type)          ? 0
           : strstr(type, "__m512d") ? 8
           : strstr(type, "__m256d") ? 4
           : strstr(type, "__m128d") ? 2
           : strstr(type, "__m512")  ? 16
           : strstr(type, "__m256")  ? 8
           : strstr(type, "__m128")  ? 4
           : is_real(type)           ? 1
                                     : 0;
}

static bool may_be(enum role r, const char *type)
{
    const bool array = is_pointer(type), real = is_real(type);
    const unsigned lanes = lanes_of(type);
    const bool is[] = {[ARRAY] = array,
                       [INTEGER] = !array && !real,
                       [REAL] = !array && real,
                       [NUMBER] = !array,
                       [ROW] = array || lanes,
                       [LANES] = lanes > 1 || strstr(type, "unsigned") || strstr(type, "mmask")};
    return is[roles[r].type];
}

/* Gives a parameter the role that its name says; ROLE_COUNT if it says none. */
static void name_role(struct parameter *a)
{
    char lower[sizeof a->name];
    size_t i = 0;
    for (; a->name[i]; i++) lower[i] = (char)tolower((unsigned char)a->name[i]);
    lower[i] = '\0';
    a->role = 0;
    while (a->role < ROLE_COUNT &&
           (!has_word(role_names(a->role), lower) || !may_be(a->role, a->type)))
        a->role++;
    const char *bar = a->role < ROLE_COUNT ? strchr(role_names(a->role), '|') : NULL;
    a->weak = bar && has_word(bar, lower);
    a->why = a->role < ROLE_COUNT ? "its name" : "";
}

static struct parameter *argument_of(struct call *c, enum role role)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->arguments[i].role == role) return &c->arguments[i];
    return NULL;
}

const struct parameter *call_argument(const struct call *c, enum role role)
{
    return argument_of((struct call *)(uintptr_t)c, role);
}

/* ---- Refusing and asking --------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static int refuse(struct error *e, const struct call *c,
                                                        const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *what = memory_format_list(format, values);
    va_end(values);
    const int code = fail(e, EXIT_BAD_INPUT, "try: %s: %s", c->name, what);
    free(what);
    return code;
}

static bool is_written(const struct parameter *a)
{
    return is_pointer(a->type) && !strstr(a->type, "const");
}

/* Writes a parameter of a declaration with the first word of `name`. value: NULL if it has none. */
static void put_parameter(FILE *out, bool first, const char *type, const char *name,
                          const char *value)
{
    fprintf(out, "%s%s%s%.*s%s%s", first ? "" : ", ", type,
            type[strlen(type) - 1] == '*' ? "" : " ", (int)strcspn(name, " "), name,
            value ? " = " : "", value ? value : "");
}

static const char *first_name(enum role r, char name[16])
{
    snprintf(name, 16, "%.*s", (int)strcspn(role_names(r), " "), role_names(r));
    return name;
}

/* Returns whether the results of a row, which are statistics, go to parameters of their own. */
static bool has_apart(const struct call *c, const struct call_op *op)
{
    return !op->elementwise && op->columns > 1 &&
           (call_argument(c, ROLE_MEAN) || call_argument(c, ROLE_VARIANCE));
}

/* Writes the function's declaration as --call takes it. A parameter that has no role yet becomes:
 * an array, the first input or output that is missing, else a further operand or scratch; a number,
 * the row's length, else the constant 1. Returns whether there are further operands. */
static bool put_suggestion(const struct call *c, const struct call_op *op, FILE *out)
{
    bool taken[ROLE_COUNT + 1] = {false}, given[ROLE_COUNT + 1] = {false}, further = false;
    for (size_t i = 0; i < c->count; i++) taken[c->arguments[i].role] = true;
    fprintf(out, "%s %s(", c->returns, c->name);
    for (size_t i = 0; i < c->count; i++) {
        const struct parameter *a = &c->arguments[i];
        enum role role = a->role;
        if (role < ROLE_ONE && given[role]) role = ROLE_COUNT;
        if (role == ROLE_COUNT && is_written(a))
            role = has_apart(c, op) ? taken[ROLE_MEAN] ? ROLE_VARIANCE : ROLE_MEAN
                   : taken[ROLE_Y]  ? ROLE_SPARE
                                    : ROLE_Y;
        else if (role == ROLE_COUNT && is_pointer(a->type))
            for (size_t k = OPERANDS; k-- > 0;) role = taken[operands[k]] ? role : operands[k];
        else if (role == ROLE_COUNT && !is_real(a->type) && !taken[ROLE_N] && !taken[ROLE_BYTES])
            role = ROLE_N;
        taken[role] = true;
        given[role] = true;
        further |= role >= ROLE_SECOND && role <= ROLE_FOURTH;
        if (role == ROLE_VALUE || role == ROLE_COUNT)
            put_parameter(out, !i, a->type, *a->name ? a->name : "value",
                          role == ROLE_VALUE ? a->value : "1");
        else
            put_parameter(out, !i, a->type, role_names(role), NULL);
    }
    fputs(")", out);
    return further;
}

/* Fails with a question, and suggests a declaration. */
__attribute__((format(printf, 4, 5))) static int
ask_for(struct error *e, const struct call *c, const struct call_op *op, const char *format, ...)
{
    char *text = NULL;
    size_t size;
    va_list values;
    FILE *out = memory_text(&text, &size);
    const bool further = put_suggestion(c, op, out);
    memory_text_close(out);
    va_start(values, format);
    char *what = memory_format_list(format, values);
    va_end(values);
    const int code =
        fail(e, EXIT_BAD_INPUT,
             "--call: %s: %s; say it by the names of a declaration, such as --call '%s'%s (what "
             "stands behind = is a constant; 'ulplab try --help' has the names)",
             c->name, what, text,
             further && !op->own ? " with --ref FILE and --ref-call 'void exact(const double *x, "
                                   "const double *x2, double *y, int n)'"
                                 : "");
    free(what);
    free(text);
    return code;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_name_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == ':';
}

/* Copies the text [from, end) without white space at its ends. */
static void copy_trimmed(char *to, size_t size, const char *from, const char *end)
{
    while (from < end && isspace((unsigned char)*from)) from++;
    while (from < end && isspace((unsigned char)end[-1])) end--;
    size_t length = (size_t)(end - from) < size ? (size_t)(end - from) : size - 1;
    memmove(to, from, length); /* they may overlap */
    to[length] = '\0';
}

/* Copies the value behind `=`, and returns the end of the parameter before it. */
static const char *cut_value(const char *from, const char *end, char *value, size_t size)
{
    const char *equals = memchr(from, '=', (size_t)(end - from));
    if (equals) copy_trimmed(value, size, equals + 1, end);
    return equals ? equals : end;
}

/* Splits "const float *restrict x[]" into its type and its name: the last word, unless that belongs
 * to the type. */
static void split_parameter(const char *from, const char *end, char *type, size_t type_size,
                            char *name, size_t name_size)
{
    char text[160];
    copy_trimmed(text, sizeof text, from, end);
    char *bracket = strchr(text, '[');
    if (bracket) *bracket = '\0';
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1])) length--;
    size_t begin = length;
    int depth = 0; /* a name may end with the arguments of a template */
    while (begin && (depth || is_name_letter(text[begin - 1]) || text[begin - 1] == '>')) {
        begin--;
        depth += text[begin] == '>' ? 1 : text[begin] == '<' ? -1 : 0;
    }
    static const char keywords[] = "int long short unsigned signed float double char void const "
                                   "restrict __restrict __restrict__ size_t";
    snprintf(name, name_size, "%.*s", (int)(length - begin), text + begin);
    size_t type_end = begin;
    while (type_end && isspace((unsigned char)text[type_end - 1])) type_end--;
    if (!type_end || has_word(keywords, name)) {
        name[0] = '\0';
        type_end = length;
    }
    snprintf(type, type_size, "%.*s%s", (int)type_end, text, bracket ? " *" : "");
}

/* Removes the word from a type. */
static void drop_word(char *type, const char *word)
{
    size_t length = strlen(word);
    char *at = strstr(type, word);
    while (at && ((at > type && is_name_letter(at[-1])) || is_name_letter(at[length])))
        at = strstr(at + 1, word);
    if (!at) return;
    memmove(at, at + length, strlen(at + length) + 1);
    copy_trimmed(type, strlen(type) + 1, type, type + strlen(type));
}

static void plain_type(char *type)
{
    static const char *const words[] = {"__restrict__", "__restrict", "restrict",
                                        "static",       "inline",     "extern"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) drop_word(type, words[i]);
}

static int add_argument(struct call *c, const char *from, const char *end, struct error *e)
{
    if (c->count == CALL_ARGUMENTS_MAX) return refuse(e, c, "it has more than 16 parameters");
    struct parameter *a = &c->arguments[c->count++];
    end = cut_value(from, end, a->value, sizeof a->value);
    split_parameter(from, end, a->type, sizeof a->type, a->name, sizeof a->name);
    plain_type(a->type);
    name_role(a);
    if (a->value[0]) a->role = ROLE_VALUE, a->why = "said";
    return 0;
}

static int read_arguments(struct call *c, const char *open, const char *close, struct error *e)
{
    int depth = 0, code = 0;
    const char *from = open + 1;
    char all[16];
    copy_trimmed(all, sizeof all, from, close);
    if (!all[0] || !strcmp(all, "void")) return 0;
    for (const char *at = from; at <= close && !code; at++) {
        depth += *at == '(' || *at == '<' ? 1 : *at == '>' || (*at == ')' && at < close) ? -1 : 0;
        if (at < close && (*at != ',' || depth)) continue;
        code = add_argument(c, from, at, e);
        from = at + 1;
    }
    return code;
}

int call_parse(struct call *c, const char *declaration, bool by_type, struct error *e)
{
    *c = (struct call){.operands = 1, .by_type = by_type};
    const char *open = strchr(declaration, '('), *close = open ? strrchr(declaration, ')') : NULL;
    if (!close || close < open)
        return fail(e, EXIT_USAGE,
                    "--call: '%s': a declaration has parameters in parentheses: 'void f(const "
                    "float *x, float *y, int n)'",
                    declaration);
    split_parameter(declaration, open, c->returns, sizeof c->returns, c->name, sizeof c->name);
    plain_type(c->returns);
    if (!c->name[0])
        return fail(e, EXIT_USAGE, "--call: '%s': the declaration names no function", declaration);
    c->row_by_row = strstr(close, "per row") != NULL;
    return read_arguments(c, open, close, e);
}

/* ---- Settling -------------------------------------------------------------------------------- */

static bool is_operand(enum role r)
{
    return r == ROLE_X || (r >= ROLE_SECOND && r <= ROLE_FOURTH);
}

static void give(struct parameter *a, enum role role, const char *why)
{
    a->role = role;
    a->why = why;
}

/* Returns whether the operation has the role that a parameter's name says. Short names of lengths
 * are settled later: there may be a better one. */
static bool op_has(const struct call_op *op, const struct parameter *a)
{
    switch (a->role) {
    case ROLE_Y:
        return is_written(a);
    case ROLE_N:
    case ROLE_ROWS:
        return !a->weak;
    case ROLE_GAMMA:
        return op->gamma;
    case ROLE_BETA:
        return op->beta;
    case ROLE_EPS:
        return op->eps;
    case ROLE_SCALE:
        return op->scale;
    case ROLE_MEAN:
        return op->mean && is_written(a);
    case ROLE_VARIANCE:
        return op->variance && is_written(a);
    case ROLE_RSTD:
        return op->rstd && is_written(a);
    case ROLE_SECOND:
    case ROLE_THIRD:
    case ROLE_FOURTH:
        return op->own;
    default:
        return true;
    }
}

static bool has_name(const struct parameter *a, const char *name)
{
    size_t i = 0;
    while (a->name[i] && tolower((unsigned char)a->name[i]) == tolower((unsigned char)name[i])) i++;
    return i && a->name[i] == name[i];
}

/* Gives input arrays the operands of the user's own operation: first those that have the name of
 * one in the reference, then the others in their order. */
static void settle_operands(struct call *c, const struct call *reference)
{
    for (size_t i = 0; i < c->count; i++) {
        struct parameter *a = &c->arguments[i];
        if (!is_pointer(a->type) || (a->role != ROLE_COUNT && !is_operand(a->role))) continue;
        for (size_t k = 0; reference && k < reference->count; k++)
            if (is_operand(reference->arguments[k].role) &&
                has_name(a, reference->arguments[k].name))
                give(a, reference->arguments[k].role, "the reference's name");
    }
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_operand(c->arguments[i].role) && c->arguments[i].role == c->arguments[k].role)
                give(&c->arguments[i], ROLE_COUNT, "");
    for (size_t i = 0; i < c->count; i++) {
        struct parameter *a = &c->arguments[i];
        if (a->role != ROLE_COUNT || !is_pointer(a->type) || is_written(a)) continue;
        size_t k = 0;
        while (k < OPERANDS && call_argument(c, operands[k])) k++;
        if (k < OPERANDS) give(a, operands[k], "its place");
    }
}

/* Gives roles to arrays whose names say nothing: the first const one is x, the first other one is y
 * (or x in place if there is no x). Beside a mean or a variance the other one is to be named. A
 * number that is the only parameter is x. */
static void settle_by_type(struct call *c, const struct call_op *op)
{
    for (size_t i = 0; i < c->count; i++) {
        struct parameter *a = &c->arguments[i];
        if (a->role != ROLE_COUNT || !is_pointer(a->type)) continue;
        const enum role role = is_written(a) ? ROLE_Y : ROLE_X;
        if (role == ROLE_Y && has_apart(c, op)) continue;
        if (!call_argument(c, role)) give(a, role, "its type");
    }
    if (c->count == 1 && c->arguments[0].role == ROLE_COUNT && is_real(c->arguments[0].type))
        give(&c->arguments[0], ROLE_X, "its type");
}

/* Settles lengths: n is the only integer, else the one with a short name of it, else the last. The
 * short name of rows counts only in the lab's operations: in others m may be anything. */
static void settle_lengths(struct call *c, const struct call_op *op)
{
    struct parameter *only = NULL, *named = NULL, *last = NULL;
    size_t integers = 0, short_names = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct parameter *a = &c->arguments[i], as = *a;
        if (a->role != ROLE_COUNT || is_pointer(a->type) || is_real(a->type)) continue;
        name_role(&as);
        only = last = a;
        integers++;
        if (as.role == ROLE_N) named = a, short_names++;
    }
    if (call_argument(c, ROLE_N) == NULL && call_argument(c, ROLE_BYTES) == NULL) {
        if (integers == 1)
            give(only, ROLE_N, "the only integer");
        else if (short_names == 1)
            give(named, ROLE_N, "its name");
        else if (last && c->by_type)
            give(last, ROLE_N, "its place");
    }
    for (size_t i = 0; i < c->count && !op->own; i++) {
        struct parameter as = c->arguments[i];
        if (as.role != ROLE_COUNT) continue;
        name_role(&as);
        if (as.role == ROLE_ROWS && !call_argument(c, ROLE_ROWS))
            give(&c->arguments[i], ROLE_ROWS, "its name");
    }
    /* Without rows a stride may be anything, such as that of elements. */
    for (size_t i = 0; i < c->count && !call_argument(c, ROLE_ROWS); i++)
        if (c->arguments[i].role == ROLE_X_STRIDE || c->arguments[i].role == ROLE_Y_STRIDE)
            give(&c->arguments[i], ROLE_COUNT, "");
}

static bool is_integer(const char *type)
{
    static const char words[] = "char short int long unsigned signed bool _Bool int8_t uint8_t "
                                "int16_t uint16_t int32_t uint32_t int64_t uint64_t size_t";
    char element[96];
    call_element(type, element, sizeof element);
    for (char *word = strtok(element, " "); word; word = strtok(NULL, " "))
        if (has_word(words, word)) return true;
    return false;
}

/* Returns whether a type is double, or a vector of it. */
static bool is_double(const char *element)
{
    return !strcmp(element, "double") || (!strncmp(element, "__m", 3) && strchr(element, 'd'));
}

/* Settles where the results are: in the return value, in an output, or in x in place. */
static int settle_results(struct call *c, const struct call_op *op, struct error *e)
{
    const bool number = lanes_of(c->returns) > 0 || (op->steps && is_integer(c->returns));
    const bool is_void = !strcmp(c->returns, "void");
    if (!argument_of(c, ROLE_X) && argument_of(c, ROLE_Y))
        give(argument_of(c, ROLE_Y), ROLE_X, "the only array");
    const struct parameter *x = argument_of(c, ROLE_X);
    if (!x) return refuse(e, c, "none of its parameters is an input of floats");
    c->lanes = lanes_of(x->type);
    struct parameter *y = argument_of(c, ROLE_Y);
    const bool columns = call_argument(c, ROLE_MEAN) || call_argument(c, ROLE_VARIANCE);
    if (c->lanes) {
        if (!number) return refuse(e, c, "it takes a number and returns none");
        c->value = true;
    } else if (!op->reference && op->own) {
        c->value = number && !y;
    } else if (!op->elementwise && number && op->columns == 1 && !columns &&
               (!y || !op->reference || op->reference->value)) {
        c->value = true;
        if (y) give(y, ROLE_SPARE, "what it returns is the result");
    }
    c->in_place = is_written(x) && !c->value && !y && !columns;
    c->integers = c->value ? is_integer(c->returns) : y && is_integer(y->type);
    if (c->value || c->in_place || y || (columns && !op->elementwise)) return 0;
    if (is_void)
        return refuse(e, c, "no parameter is an output: all arrays are const, and it returns void");
    if (op->elementwise)
        return refuse(e, c,
                      "it returns one '%s' and writes nothing, and %s has a result per element",
                      c->returns, op->name);
    return refuse(e, c, "it returns one '%s', and the results of %s are %u numbers%s", c->returns,
                  op->name, op->columns,
                  is_integer(c->returns) ? "; integers take --steps, by which they are judged"
                                         : "");
}

/* ---- Types ----------------------------------------------------------------------------------- */

void call_element(const char *type, char *element, size_t size)
{
    snprintf(element, size, "%s", type);
    char *star = strpbrk(element, "*&");
    if (star && !strpbrk(star + 1, "*&")) *star = '\0';
    drop_word(element, "const");
    drop_word(element, "volatile");
    copy_trimmed(element, size, element, element + strlen(element));
}

bool call_knows(const char *element)
{
    return !strcmp(element, "float") || !strcmp(element, "double") || !strcmp(element, "void") ||
           !strncmp(element, "__m", 3) || is_integer(element);
}

const char *call_real(const struct call *c)
{
    return c->in_double ? "double" : "float";
}

/* Returns whether a type's name says that it is not the type of the rows. */
static bool is_other(const struct call *c, const char *element)
{
    static const char *const others[] = {"double",  "complex",  "_Complex", "Float16", "__fp16",
                                         "bf16",    "half",     "bfloat",   "struct",  "vector",
                                         "*",       "Float128", "float128", "__m128d", "__m256d",
                                         "__m512d", "__m128i",  "__m256i",  "__m512i", "enum"};
    if (c->in_double && is_double(element)) return false;
    if (c->in_double && !strcmp(element, "float")) return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(element, others[i])) return true;
    return is_integer(element);
}

size_t call_vector_bytes(const struct call *c)
{
    return c->lanes * (c->in_double ? sizeof(double) : sizeof(float));
}

const char *call_result(const struct call *c)
{
    const struct parameter *y = call_argument(c, ROLE_Y);
    return c->value ? c->returns : (y ? y : call_argument(c, ROLE_X))->type;
}

static bool is_wide(const char *element)
{
    return strstr(element, "double") || strstr(element, "float128") || strstr(element, "Float128");
}

static int call_check_reference(const struct call *c, struct error *e)
{
    char element[96], input[96];
    call_element(call_argument(c, ROLE_X)->type, input, sizeof input);
    call_element(call_result(c), element, sizeof element);
    if (!is_wide(element) || (!is_wide(input) && strcmp(input, "float") != 0))
        return refuse(e, c,
                      "the reference takes '%s' and gives '%s': results are held against double, "
                      "long double or __float128, which are more exact than they are",
                      input, element);
    for (size_t i = 0; i < c->count; i++) {
        const struct parameter *a = &c->arguments[i];
        call_element(a->type, element, sizeof element);
        if (is_operand(a->role) && strcmp(element, input) != 0)
            return refuse(e, c, "the reference's operands are '%s' and '%s': want one type", input,
                          element);
    }
    return 0;
}

/* Checks the element types of the arrays with a role. Bytes of floats, as in loops over strides,
 * are declared as void by --call. */
static int check_elements(const struct call *c, const struct call_op *op, struct error *e)
{
    char element[96];
    for (size_t i = 0; i < c->count; i++) {
        const struct parameter *a = &c->arguments[i];
        call_element(a->type, element, sizeof element);
        if (!(is_pointer(a->type) ? a->role < ROLE_ONE || a->role == ROLE_SPARE
                                  : a->role == ROLE_X))
            continue;
        if (!is_other(c, element)) continue;
        if (a->role == ROLE_Y && is_integer(a->type) && !strchr(element, '*') && op->steps)
            continue;
        return refuse(
            e, c, "its parameter '%s %s' has no %s: the lab calls it with rows of that alone%s",
            a->type, a->name, call_real(c),
            a->role == ROLE_Y && is_integer(a->type)
                ? "; integers that stand for numbers take --steps N with --ref: how far they "
                  "may be off"
            : !strcmp(element, "char")
                ? "; if these are the bytes of floats, say so by --call with void in the place "
                  "of char, and strides in bytes (long stride = 4)"
                : "; write a function around it that converts, and try that");
    }
    return 0;
}

static int check_returned(const struct call *c, const struct call_op *op, struct error *e)
{
    char element[96];
    call_element(c->returns, element, sizeof element);
    return c->value && c->lanes && is_other(c, element) && !(op->steps && is_integer(element))
               ? refuse(e, c, "it returns '%s', and its numbers are %s", c->returns, call_real(c))
               : 0;
}

static int check(const struct call *c, const struct call_op *op, struct error *e)
{
    char name[16];
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < i; k++)
            if (c->arguments[i].role < ROLE_ONE && c->arguments[k].role == c->arguments[i].role)
                return ask_for(e, c, op, "its parameters '%s' and '%s' are both %s",
                               c->arguments[k].name, c->arguments[i].name,
                               first_name(c->arguments[i].role, name));
    if (!c->lanes && !call_argument(c, ROLE_N) && !call_argument(c, ROLE_BYTES))
        return refuse(e, c,
                      "no parameter is the length of a row: write a function around it that "
                      "takes one, and try that");
    if (op->reference && op->reference->operands != c->operands)
        return refuse(e, c,
                      "it has %u operands, and the reference has %u: want as many, x, x2 .. in "
                      "--call and in --ref-call",
                      c->operands, op->reference->operands);
    if (!op->reference && op->own) return call_check_reference(c, e);
    int code = check_elements(c, op, e); /* the only array may have got another role */
    return code ? code : check_returned(c, op, e);
}

/* Asks for the role of the first parameter that has none. */
static int ask_unknown(const struct call *c, const struct call_op *op, struct error *e)
{
    char name[16];
    size_t i = 0;
    while (i < c->count && c->arguments[i].role != ROLE_COUNT) i++;
    if (i == c->count) return 0;
    const struct parameter *a = &c->arguments[i];
    struct parameter as = *a;
    name_role(&as);
    if (strstr(a->type, "struct"))
        return refuse(e, c,
                      "its parameter '%s %s' is a struct, which the lab cannot fill: write a "
                      "function around it that takes arrays and numbers, and try that",
                      a->type, a->name);
    if (as.role < ROLE_ONE && as.role != ROLE_Y && !op_has(op, &as) && !as.weak)
        return ask_for(e, c, op, "%s has no %s: what is its parameter '%s %s'?", op->name,
                       first_name(as.role, name), a->type, a->name);
    return ask_for(e, c, op, "what is its parameter '%s%s%s'?", a->type, a->name[0] ? " " : "",
                   a->name);
}

/* Settles whether rows are of double, by the type of x or of the only array. */
static void settle_type(struct call *c)
{
    char element[96] = "";
    const struct parameter *x = call_argument(c, ROLE_X);
    if (!x) x = call_argument(c, ROLE_Y);
    if (x) call_element(x->type, element, sizeof element);
    c->in_double = is_double(element);
}

int call_settle(struct call *c, const struct call_op *op, struct error *e)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->arguments[i].role < ROLE_COUNT &&
            (!op_has(op, &c->arguments[i]) ||
             (c->arguments[i].role == ROLE_MASK && lanes_of(c->returns) < 2)))
            give(&c->arguments[i], ROLE_COUNT, "");
    if (op->own) settle_operands(c, op->reference);
    if (op->own || c->by_type) settle_by_type(c, op);
    settle_lengths(c, op);
    settle_type(c);
    int code = op->own && !op->reference ? 0 : check_elements(c, op, e);
    if (!code) code = ask_unknown(c, op, e);
    if (!code) code = settle_results(c, op, e);
    if (code) return code;
    for (enum role r = ROLE_SECOND; r <= ROLE_FOURTH; r++)
        if (call_argument(c, r)) c->operands = r - ROLE_SECOND + 2;
    for (size_t i = 0; i < c->count && !c->by_type; i++)
        if (!strcmp(c->arguments[i].why, "its name")) c->arguments[i].why = "said";
    return check(c, op, e);
}

void call_filling(const struct call *c, const struct parameter *a, char *text, size_t size)
{
    if (is_operand(a->role) && c->operands > 1)
        snprintf(text, size, "part %u of %u of each row of the input families",
                 a->role == ROLE_X ? 1u : (unsigned)a->role - ROLE_SECOND + 2, c->operands);
    else if (a->role == ROLE_X)
        snprintf(text, size, "%s of the input families%s", c->lanes ? "numbers" : "each row",
                 c->in_place ? ", in place" : "");
    else if (a->role == ROLE_N && c->operands > 1)
        snprintf(text, size, "the elements of a part");
    else
        snprintf(text, size, "%s", a->role == ROLE_VALUE ? a->value : roles[a->role].filling);
}

void call_print(const struct call *c, FILE *out)
{
    fprintf(out, "%s %s(", c->returns, c->name);
    for (size_t i = 0; i < c->count; i++) {
        const struct parameter *a = &c->arguments[i];
        const bool is_value = a->role == ROLE_VALUE;
        put_parameter(out, !i, a->type, is_value ? a->name : role_names(a->role),
                      is_value ? a->value : NULL);
    }
    fprintf(out, ")%s", c->row_by_row ? " per row" : "");
}
