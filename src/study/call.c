// SPDX-License-Identifier: MIT
#include "study/call.h"

#include <ctype.h>
#include <string.h>

/* The names that people use for each role; the first is the lab's. */
static const char *const names[ROLE_COUNT] = {
    [ROLE_X] = "x in inp input src a data values logits gate",
    [ROLE_Y] = "y out output dst res result results o",
    [ROLE_N] = "n size len length count dim cols c k width",
    [ROLE_BYTES] = "bytes",
    [ROLE_ROWS] = "rows m nrows batch",
    [ROLE_X_STRIDE] = "x_stride ldx stride",
    [ROLE_Y_STRIDE] = "y_stride ldy",
    [ROLE_GAMMA] = "gamma weight weights w g",
    [ROLE_BETA] = "beta bias b",
    [ROLE_EPS] = "eps epsilon",
    [ROLE_SCALE] = "scale",
    [ROLE_MEAN] = "mean",
    [ROLE_VARIANCE] = "variance var",
    [ROLE_RSTD] = "rstd",
    [ROLE_ONE] = "one",
    [ROLE_ZERO] = "zero",
    [ROLE_NULL] = "null",
    [ROLE_SECOND] = "x2 up mask",
    [ROLE_THIRD] = "x3",
    [ROLE_FOURTH] = "x4",
};

const char *role_names(enum role r)
{
    return names[r];
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
    return strstr(type, "float") != NULL || strstr(type, "double") != NULL;
}

static unsigned lanes_of(const char *type)
{
    return is_pointer(type)         ? 0
           : strstr(type, "__m512") ? 16
           : strstr(type, "__m256") ? 8
           : strstr(type, "__m128") ? 4
           : is_real(type)          ? 1
                                    : 0;
}

/* Returns whether a parameter of that type may have the role: a batch `B`, say, is no bias. */
static bool may_be(enum role r, const char *type)
{
    switch (r) {
    case ROLE_X:
        return is_pointer(type) || lanes_of(type);
    case ROLE_N:
    case ROLE_BYTES:
    case ROLE_ROWS:
    case ROLE_X_STRIDE:
    case ROLE_Y_STRIDE:
        return !is_pointer(type) && !is_real(type);
    case ROLE_EPS:
    case ROLE_SCALE:
        return !is_pointer(type) && is_real(type);
    case ROLE_ONE:
    case ROLE_ZERO:
        return !is_pointer(type);
    default:
        return is_pointer(type);
    }
}

static enum role role_of(const char *name, const char *type)
{
    char lower[sizeof((struct argument *)0)->name];
    size_t i = 0;
    for (; name[i]; i++) lower[i] = (char)tolower((unsigned char)name[i]);
    lower[i] = '\0';
    enum role r = 0;
    while (r < ROLE_COUNT && (!has_word(names[r], lower) || !may_be(r, type))) r++;
    return r;
}

const struct argument *call_argument(const struct call *c, enum role role)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->arguments[i].role == role) return &c->arguments[i];
    return NULL;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_name_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == ':';
}

/* Copies the text [from, to) without white space at its ends. */
static void copy_trimmed(char *to, size_t size, const char *from, const char *end)
{
    while (from < end && isspace((unsigned char)*from)) from++;
    while (from < end && isspace((unsigned char)end[-1])) end--;
    size_t length = (size_t)(end - from) < size ? (size_t)(end - from) : size - 1;
    memmove(to, from, length); /* they may overlap */
    to[length] = '\0';
}

/* Splits "const float *restrict x[]" into its type and its name, which is the last word unless that
 * belongs to the type. */
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

static bool is_written(const struct argument *a)
{
    return is_pointer(a->type) && !strstr(a->type, "const");
}

/* Gives roles to parameters whose names say nothing: the first array that is not written is x; the
 * first that is written is y, or x in place where there is no x; the last integer is n. */
static void roles_by_type(struct call *c)
{
    for (size_t i = 0; i < c->count; i++) {
        struct argument *a = &c->arguments[i];
        if (a->role != ROLE_COUNT || !is_pointer(a->type) || !is_real(a->type)) continue;
        enum role role = is_written(a) ? ROLE_Y : ROLE_X;
        if (!call_argument(c, role)) a->role = role;
    }
    for (size_t i = c->count; i-- > 0;) {
        struct argument *a = &c->arguments[i];
        if (a->role != ROLE_COUNT || is_pointer(a->type)) continue;
        if (!is_real(a->type) && !call_argument(c, ROLE_N))
            a->role = ROLE_N;
        else if (c->count == 1)
            a->role = ROLE_X;
    }
}

/* Makes an array that is y by its name the row in place where no parameter is x. */
static void settle_in_place(struct call *c)
{
    if (!call_argument(c, ROLE_X) && call_argument(c, ROLE_Y) && !c->value)
        for (size_t i = 0; i < c->count; i++)
            if (c->arguments[i].role == ROLE_Y) c->arguments[i].role = ROLE_X;
    const struct argument *x = call_argument(c, ROLE_X);
    c->in_place = x && is_written(x) && !c->value && !call_argument(c, ROLE_Y) &&
                  !call_argument(c, ROLE_MEAN) && !call_argument(c, ROLE_VARIANCE);
}

static int ask_for(struct error *e, const struct call *c, const char *what)
{
    return fail(
        e, EXIT_USAGE,
        "--call: %s: %s; say it by the names of a declaration, for example --call 'void "
        "%s(const float *x, float *y, int n)' (names: x, y, n, bytes, rows, x_stride, y_stride, "
        "gamma, beta, eps, scale, mean, variance, rstd, x2, x3, x4, one, zero, null)",
        c->name[0] ? c->name : "the function", what, c->name[0] ? c->name : "f");
}

static int check(const struct call *c, struct error *e)
{
    char what[200];
    for (size_t i = 0; i < c->count; i++) {
        const struct argument *a = &c->arguments[i];
        if (a->role == ROLE_COUNT) {
            snprintf(what, sizeof what, "what is its parameter '%s%s%s'?", a->type,
                     a->name[0] ? " " : "", a->name);
            return ask_for(e, c, what);
        }
        for (size_t k = 0; k < i; k++)
            if (a->role <= ROLE_RSTD && c->arguments[k].role == a->role) {
                snprintf(what, sizeof what, "its parameters '%s' and '%s' are both %.*s",
                         c->arguments[k].name, a->name, (int)strcspn(names[a->role], " "),
                         names[a->role]);
                return ask_for(e, c, what);
            }
    }
    if (!call_argument(c, ROLE_X)) return ask_for(e, c, "which parameter is the input?");
    if (!c->lanes && !call_argument(c, ROLE_N) && !call_argument(c, ROLE_BYTES))
        return ask_for(e, c, "which parameter is the length of a row?");
    if (c->lanes && !c->value) return ask_for(e, c, "it takes a number and returns none");
    if (!c->lanes && !c->value && !c->in_place && !call_argument(c, ROLE_Y) &&
        !call_argument(c, ROLE_MEAN))
        return ask_for(e, c, "which parameter is the output?");
    return 0;
}

static int add_argument(struct call *c, const char *from, const char *end, struct error *e)
{
    if (c->count == CALL_ARGUMENTS_MAX) return ask_for(e, c, "more than 16 parameters");
    struct argument *a = &c->arguments[c->count++];
    split_parameter(from, end, a->type, sizeof a->type, a->name, sizeof a->name);
    plain_type(a->type);
    a->role = a->name[0] ? role_of(a->name, a->type) : ROLE_COUNT;
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
    *c = (struct call){.operands = 1};
    const char *open = strchr(declaration, '('), *close = open ? strrchr(declaration, ')') : NULL;
    if (!close || close < open) return ask_for(e, c, "a declaration has parameters in parentheses");
    split_parameter(declaration, open, c->returns, sizeof c->returns, c->name, sizeof c->name);
    plain_type(c->returns);
    if (!c->name[0]) return ask_for(e, c, "the declaration names no function");
    c->value = strcmp(c->returns, "void") != 0 && lanes_of(c->returns) > 0;
    c->row_by_row = strstr(close, "per row") != NULL;
    int code = read_arguments(c, open, close, e);
    if (code) return code;
    if (by_type) roles_by_type(c);
    settle_in_place(c);
    const struct argument *x = call_argument(c, ROLE_X);
    c->lanes = x ? lanes_of(x->type) : 0;
    for (enum role r = ROLE_SECOND; r <= ROLE_FOURTH; r++)
        if (call_argument(c, r)) c->operands = r - ROLE_SECOND + 2;
    return check(c, e);
}

void call_print(const struct call *c, FILE *out)
{
    fprintf(out, "%s %s(", c->returns, c->name);
    for (size_t i = 0; i < c->count; i++) {
        const struct argument *a = &c->arguments[i];
        const char *role = names[a->role];
        fprintf(out, "%s%s%s%.*s", i ? ", " : "", a->type,
                a->type[strlen(a->type) - 1] == '*' ? "" : " ", (int)strcspn(role, " "), role);
    }
    fprintf(out, ")%s", c->row_by_row ? " per row" : "");
}
