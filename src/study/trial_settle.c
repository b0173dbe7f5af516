// SPDX-License-Identifier: MIT
/* Settles what a trial is of: the function's declaration, its operation and its ISA. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "study/trial.h"

static bool is_clang(const char *compiler)
{
    return strstr(compiler, "clang") != NULL;
}

/* Chooses the lab's compiler that takes the place of the user's: clang for clang, else gcc. */
static void choose_own_compiler(struct trial *t)
{
    const bool clang = is_clang(t->subject.compiler);
    size_t i = 0;
    while (i < t->compilers.count && is_clang(t->compilers.items[i]) != clang) i++;
    snprintf(t->own_cc, sizeof t->own_cc, "%s", t->compilers.items[i < t->compilers.count ? i : 0]);
}

/* Runs the user's compiler with his flags, where his command runs. options: what to compile and
 * how, ending with NULL. Returns whether it succeeded. */
static bool compile_source(const struct trial *t, const char *const *options)
{
    struct words command = {0};
    words_add(&command, "%s", t->own_cc);
    words_copy(&command, &t->subject.flags);
    if (!t->subject.built) words_add(&command, "-march=native");
    words_add_each(&command, options);
    const bool built = workshop_compile(
        &t->workshop, t->subject.directory[0] ? t->subject.directory : "/", &command);
    words_free(&command);
    return built;
}

/* ---- The signature --------------------------------------------------------------------------- */

/* Compiles the file for its debugging information. Returns the function's declaration; NULL if the
 * information does not contain the function, or with *code if the file does not compile. */
static char *signature_of_source(const struct trial *t, const char *path, bool cxx,
                                 const char *function, struct error *e, int *code)
{
    char probe[PATH_MAX + 64], object[PATH_MAX + 64], line[300];
    snprintf(probe, sizeof probe, "%s/signature.%s", t->workshop.folder, cxx ? "cc" : "c");
    snprintf(object, sizeof object, "%s/signature.o", t->workshop.folder);
    const bool is_template = strchr(function, '<') != NULL; /* it is instantiated by a use */
    char *text =
        memory_format("#include \"%s\"\n%s%s%s", path, is_template ? "auto *ulplab_named = &" : "",
                      is_template ? function : "", is_template ? ";\n" : "");
    *code = file_write_atomic(probe, text, strlen(text), e);
    free(text);
    if (*code) return NULL;
    const char *const of_gcc[] = {"-fkeep-inline-functions", "-fkeep-static-functions"};
    const bool gcc = !is_clang(t->own_cc);
    if (compile_source(t, (const char *const[]){"-w", "-g", "-O0", "-fno-lto", "-c",
                                                cxx ? "-xc++" : TRIAL_INLINE_IN_C, probe, "-o",
                                                object, gcc ? of_gcc[0] : NULL, of_gcc[1], NULL}))
        return signature_read(object, function);
    snprintf(probe, sizeof probe, "%s/compile.log", t->workshop.folder);
    workshop_first_error(probe, line, sizeof line);
    *code = fail(e, EXIT_BAD_INPUT,
                 "try: %s: %s; give what it needs with --flags '-Iinc -DX -mavx2' or --compdb",
                 path, line);
    return NULL;
}

/* Returns the declaration that a name of the vector function ABI implies, such as _ZGVdN8v_logf:
 * the ISA b, c, d or e; N, or M for a mask; the number of lanes; v for each parameter. NULL for
 * other names, and for parameters other than one vector. Source: x86 Vector Function ABI, "Vector
 * Function Name Mangling". The caller frees. */
static char *declaration_of_vector_name(const char *name)
{
    static const struct {
        char isa;
        unsigned lanes;
        const char *type, *mask;
    } vectors[] = {{'b', 4, "__m128", "__m128"},   {'c', 8, "__m256", "__m256"},
                   {'d', 8, "__m256", "__m256"},   {'e', 16, "__m512", "unsigned"},
                   {'b', 2, "__m128d", "__m128d"}, {'c', 4, "__m256d", "__m256d"},
                   {'d', 4, "__m256d", "__m256d"}, {'e', 8, "__m512d", "unsigned"}};
    char isa, masked;
    unsigned lanes;
    int used = 0;
    if (sscanf(name, "_ZGV%c%c%u%n", &isa, &masked, &lanes, &used) != 3 ||
        strncmp(name + used, "v_", 2) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (vectors[i].isa == isa && vectors[i].lanes == lanes)
            return memory_format("%s %s(%s x%s%s%s)", vectors[i].type, name, vectors[i].type,
                                 masked == 'M' ? ", " : "", masked == 'M' ? vectors[i].mask : "",
                                 masked == 'M' ? " mask" : "");
    return NULL;
}

/* Returns the declaration of a function of <math.h> that is named after an operation, such as expf
 * or exp; NULL for other functions. The caller frees. */
static char *declaration_of_math(const struct subject *s)
{
    const struct oracle *o;
    char name[40];
    for (size_t i = 0; s->kind == SUBJECT_LIBRARY && (o = oracle_at(i)) != NULL; i++) {
        snprintf(name, sizeof name, "%sf", o->op);
        const bool in_double = !strcmp(o->op, s->function);
        if (!o->unary || (!in_double && strcmp(name, s->function) != 0)) continue;
        const char *real = in_double ? "double" : "float";
        return memory_format("%s %s(%s x)", real, s->function, real);
    }
    return NULL;
}

static int read_call(struct trial *t, struct error *e)
{
    const struct trial_request *r = t->request;
    struct subject *s = &t->subject;
    int code = 0;
    if (r->call) return call_parse(&t->call, r->call, false, e);
    char *declaration = s->kind == SUBJECT_SOURCE
                            ? signature_of_source(t, s->path, s->cxx, s->function, e, &code)
                            : signature_read(s->path, s->function);
    if (code) return code;
    if (!declaration) declaration = declaration_of_vector_name(s->function);
    if (!declaration) declaration = declaration_of_math(s);
    if (!declaration)
        return fail(e, EXIT_BAD_INPUT,
                    "try: %s: nothing there says how '%s' is called; write its declaration: --call "
                    "'void %s(const float *x, float *y, int n)'",
                    r->subject.path, s->function, s->function);
    code = call_parse(&t->call, declaration, true, e);
    free(declaration);
    return code;
}

/* Makes the function's name in the call that which the user wrote, whatever the declaration says.
 */
static void settle_name(struct trial *t)
{
    snprintf(t->call.name, sizeof t->call.name, "%s%s",
             t->subject.cxx && strncmp(t->subject.function, "::", 2) != 0 &&
                     strstr(t->subject.function, "::")
                 ? "::"
                 : "",
             t->subject.function);
}

/* ---- The operation --------------------------------------------------------------------------- */

/* Returns whether the function's name contains the operation's. log256 does not contain log2: a
 * number is taken whole. */
static bool is_named(const char *function, const char *op)
{
    const size_t n = strlen(op);
    const char *at = strstr(function, op);
    while (at && isdigit((unsigned char)op[n - 1]) && isdigit((unsigned char)at[n]))
        at = strstr(at + 1, op);
    return at != NULL;
}

/* Returns the longest name of an operation that the function's name contains. */
static const char *op_by_name(const char *function)
{
    char plain[128];
    size_t length = 0;
    const char *best = NULL;
    for (const char *c = function; *c && length + 1 < sizeof plain; c++)
        if (*c != '_' && *c != ':') plain[length++] = (char)tolower((unsigned char)*c);
    plain[length] = '\0';
    const struct oracle *o;
    for (size_t i = 0; (o = oracle_at(i)) != NULL; i++) {
        char name[32];
        size_t n = 0;
        for (const char *c = o->op; *c; c++)
            if (*c != '_') name[n++] = *c;
        name[n] = '\0';
        if (is_named(plain, name) && (!best || n > strlen(best))) best = o->op;
    }
    return best;
}

static int no_such_op(const struct trial *t, struct error *e)
{
    char known[300] = "";
    size_t used = 0;
    const struct oracle *o;
    for (size_t i = 0; (o = oracle_at(i)) != NULL && used + 32 < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", o->op);
    if (t->request->op)
        return fail(e, EXIT_USAGE,
                    "--op: '%s': no operation of the lab (%s); --ref FILE FUNCTION brings a "
                    "reference of your own",
                    t->request->op, known);
    return fail(e, EXIT_USAGE, "try: which operation is %s? --op OP: one of %s; or --ref",
                t->subject.function, known);
}

/* Returns the operation without weights if the function is a normalisation that takes none. */
static const char *op_without_weights(const struct trial *t, const char *op)
{
    const bool weighs = call_argument(&t->call, ROLE_GAMMA) || call_argument(&t->call, ROLE_BETA);
    if (!weighs && !strcmp(op, "layernorm")) return "layernorm_bare";
    if (!weighs && !strcmp(op, "rmsnorm")) return "rmsnorm_bare";
    return op;
}

/* Names the user's own operation after --op or the function; "yours" if the lab has an operation of
 * that name. */
static const char *own_op(const struct trial *t, char *name, size_t size)
{
    const char *from = t->request->op ? t->request->op : t->subject.function;
    const char *colon = strrchr(from, ':');
    size_t length = 0;
    for (const char *c = colon ? colon + 1 : from; *c && length + 1 < size; c++)
        if (isalnum((unsigned char)*c) || *c == '_')
            name[length++] = (char)tolower((unsigned char)*c);
    name[length] = '\0';
    return length && !oracle_find(name) ? name : "yours";
}

/* Returns whether a name has a word: "kahan_sum" has "sum", and "sumsq" does not. */
static bool has_part(const char *name, const char *part)
{
    const size_t length = strlen(part);
    for (const char *at = name; *at; at += strspn(at, "_")) {
        const size_t its = strcspn(at, "_");
        if (its == length && !strncmp(at, part, length)) return true;
        at += its;
    }
    return false;
}

/* Settles the scale of errors (study/glue.h) for the user's own operation: --steps or --scale; else
 * for one result per row what its name says, for a function of one element the result, for others
 * what the reference in double can show. */
static int settle_scale(struct trial *t, struct error *e)
{
    static const struct {
        const char *part, *scale;
        unsigned operands;
    } scales[] = {{"dot", "dot", 2}, {"dotp", "dot", 2},  {"mean", "mean", 1},   {"avg", "mean", 1},
                  {"sum", "sum", 1}, {"total", "sum", 1}, {"average", "mean", 1}};
    static const char *const known[] = {"dot", "mean", "sum", "abs", "moved", "result"};
    const char *wanted = t->request->scale;
    char input[96];
    if (t->request->steps && !t->request->reference)
        return fail(e, EXIT_USAGE, "--steps: the lab's operations have no quanta: want --ref, too");
    t->scale = t->request->steps ? "steps" : NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known && !t->scale && wanted; i++)
        if (!strcmp(known[i], wanted)) t->scale = known[i];
    if (wanted && (!t->scale || t->request->steps || !t->request->reference))
        return fail(e, EXIT_USAGE,
                    "--scale: '%s': want sum, dot, mean, abs, moved or result, with --ref and "
                    "without --steps",
                    wanted);
    if (t->scale || !t->request->reference) return 0;
    call_element(call_argument(&t->reference, ROLE_X)->type, input, sizeof input);
    for (size_t i = 0; i < sizeof scales / sizeof *scales && !t->elementwise && t->columns == 1;
         i++)
        if (has_part(t->op, scales[i].part) && t->reference.operands == scales[i].operands)
            t->scale = scales[i].scale;
    if (t->unary) t->scale = "result";
    if (!t->scale && strcmp(input, "float") != 0) t->scale = "moved";
    return 0;
}

/* Settles the roles of the function's parameters by those that the operation has. */
static int settle_calls(struct trial *t, struct error *e)
{
    const struct oracle *o = t->request->reference ? NULL : oracle_find(t->op);
    const unsigned has = o ? arguments_of(t->op, "scaled") : 0;
    t->has = (struct call_op){.name = t->op,
                              .elementwise = t->elementwise,
                              .columns = t->columns,
                              .gamma = has & ARGUMENT_GAMMA,
                              .beta = has & ARGUMENT_BETA,
                              .eps = o ? has & ARGUMENT_EPS
                                       : call_argument(&t->reference, ROLE_EPS) != NULL,
                              .scale = has & ARGUMENT_SCALE,
                              .own = o == NULL,
                              .reference = o ? NULL : &t->reference,
                              .steps = t->request->steps > 0};
    for (size_t i = 0; o && i < OUTPUTS_MAX && o->outputs[i]; i++) {
        t->has.mean |= !strcmp(o->outputs[i], "mean");
        t->has.variance |= !strcmp(o->outputs[i], "variance");
        t->has.rstd |= !strcmp(o->outputs[i], "rstd");
    }
    return call_settle(&t->call, &t->has, e);
}

/* Reads the declaration of the user's reference, and settles the roles of its parameters. */
static int read_reference(struct trial *t, struct error *e)
{
    const struct trial_request *r = t->request;
    const struct call_op alone = {.name = "the reference", .eps = true, .own = true};
    if (!r->reference) return 0;
    if (!r->reference_call)
        return fail(e, EXIT_USAGE,
                    "--ref: write its declaration: --ref-call 'void ref(const double "
                    "*x, double *y, int n)'");
    if (!realpath(r->reference, t->reference_path))
        return fail(e, EXIT_BAD_INPUT, "--ref: %s: %s; name the file of a function in double",
                    r->reference, strerror(errno));
    int code = call_parse(&t->reference, r->reference_call, true, e);
    return code ? code : call_settle(&t->reference, &alone, e);
}

/* Checks the guarantees of --aligned and --multiple. */
static int check_contract(const struct trial_request *r, struct error *e)
{
    if (r->aligned & (r->aligned - 1) || r->aligned > 256 || (r->aligned && r->aligned < 4))
        return fail(e, EXIT_USAGE, "--aligned: %zu: want a power of two of bytes, 8 to 256",
                    r->aligned);
    if (r->multiple & (r->multiple - 1) || r->multiple > 64)
        return fail(e, EXIT_USAGE, "--multiple: %zu: want a power of two of elements, up to 64",
                    r->multiple);
    return 0;
}

/* Checks that a reference is more exact than the function's type. */
static int check_precision(const struct trial *t, struct error *e)
{
    const struct call *c = &t->reference;
    char element[96];
    if (!t->request->reference || !t->call.in_double) return 0;
    call_element(call_result(c), element, sizeof element);
    if (strcmp(element, "double") != 0) return 0;
    return fail(e, EXIT_USAGE,
                "--ref: %s gives double, as the function does: results in double are held against "
                "long double or __float128",
                c->name);
}

static int settle_op(struct trial *t, struct error *e)
{
    char own[sizeof t->op];
    const char *op = t->request->op ? t->request->op : op_by_name(t->subject.function);
    if (t->request->reference) {
        op = own_op(t, own, sizeof own);
        t->elementwise = !t->reference.value || t->reference.lanes;
        t->unary = t->reference.lanes == 1;
        t->columns = t->elementwise ? 0 : 1;
        if (t->request->columns) {
            t->elementwise = t->unary = false;
            t->columns = (unsigned)t->request->columns;
        }
    } else {
        if (op) op = op_without_weights(t, op);
        const struct oracle *o = op ? oracle_find(op) : NULL;
        if (!o) return no_such_op(t, e);
        t->elementwise = o->elementwise;
        t->unary = o->unary;
        t->columns = o->columns;
    }
    snprintf(t->op, sizeof t->op, "%s", op);
    int code = settle_calls(t, e);
    if (!code) code = check_precision(t, e);
    if (!code && !t->elementwise && t->call.lanes)
        code = fail(e, EXIT_USAGE, "try: %s takes one number and %s takes a row; name another --op",
                    t->subject.function, t->op);
    return code ? code : settle_scale(t, e);
}

/* Returns the widest ISA whose intrinsics the preprocessed source contains, without the system's
 * headers; NULL if there are none. */
static const char *isa_of_source(const struct trial *t)
{
    static const struct {
        const char *word, *isa;
    } words[] = {
        {"__m512", "avx512"}, {"_mm512_", "avx512"}, {"__m256", "avx2"}, {"_mm256_", "avx2"}};
    char *line = NULL, output[PATH_MAX + 32];
    size_t size = 0;
    const char *isa = NULL;
    bool of_system = false;
    snprintf(output, sizeof output, "%s/preprocessed", t->workshop.folder);
    compile_source(t, (const char *const[]){"-w", "-E", t->subject.cxx ? "-xc++" : "-xc",
                                            t->subject.path, "-o", output, NULL});
    FILE *in = fopen(output, "re");
    while (in && getline(&line, &size, in) > 0) {
        /* # 12 "immintrin.h" 1 3: the 3 marks a header of the system. A pragma is no such line. */
        const char *end = !strncmp(line, "# ", 2) ? strrchr(line, '"') : NULL;
        if (end) of_system = strchr(end, '3') != NULL;
        for (size_t i = 0; !end && !of_system && i < sizeof words / sizeof *words; i++)
            if (strstr(line, words[i].word) && (!isa || !strcmp(words[i].isa, "avx512")))
                isa = words[i].isa;
    }
    if (in) fclose(in);
    free(line);
    return isa;
}

static void settle_isa(struct trial *t)
{
    static const char *const isas[] = {"avx512", "avx2"};
    char why[128];
    const size_t bytes = call_vector_bytes(&t->call);
    const char *named = bytes == 64     ? "avx512"
                        : bytes == 32   ? "avx2"
                        : t->has_source ? isa_of_source(t)
                                        : NULL;
    if (named && !t->request->isa && cpu_supports(t->cpu, named, why, sizeof why))
        snprintf(t->isa, sizeof t->isa, "%s", named);
    for (size_t i = 0; i < 2 && !t->isa[0]; i++)
        if (!t->request->isa && cpu_supports(t->cpu, isas[i], why, sizeof why))
            snprintf(t->isa, sizeof t->isa, "%s", isas[i]);
    if (t->request->isa) snprintf(t->isa, sizeof t->isa, "%s", t->request->isa);
}

/* Resolves the path of the earlier version, and checks that it has the function: else its crash
 * would be measured. */
static int read_before(struct trial *t, struct error *e)
{
    int code = 0;
    const char *path = t->request->before;
    if (!realpath(path, t->before))
        return fail(e, EXIT_BAD_INPUT, "--before: %s: %s; name an earlier version of %s", path,
                    strerror(errno), t->subject.path);
    if (!t->has_source) return 0;
    char *found = signature_of_source(t, t->before, t->subject.cxx, t->subject.function, e, &code);
    if (!found && !code)
        code = fail(e, EXIT_BAD_INPUT, "--before: %s: no function '%s'; name an earlier version",
                    path, t->subject.function);
    free(found);
    return code;
}

int trial_settle(struct trial *t, struct error *e)
{
    const struct trial_request *r = t->request;
    choose_own_compiler(t);
    int code = read_call(t, e);
    if (!code && t->has_source) settle_name(t);
    if (!code) code = check_contract(r, e);
    if (!code) code = read_reference(t, e);
    if (!code) code = settle_op(t, e);
    if (!code && r->eps > 0 && !t->has.eps)
        code = fail(e, EXIT_USAGE, "--param: eps: %s has none; leave it out", t->op);
    if (code) return code;
    settle_isa(t);
    return r->before ? read_before(t, e) : 0;
}
