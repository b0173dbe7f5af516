// SPDX-License-Identifier: MIT
#include "study/trial.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "model/fp_flags.h"
#include "model/record.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "study/glue.h"
#include "study/subject.h"

/* ---- The compilers --------------------------------------------------------------------------- */

/* Takes the compilers that were named; else finds those that `gcc` and `clang` name, by the name
 * with the version. */
static int find_compilers(struct trial *t, struct error *e)
{
    const struct trial_request *r = t->request;
    char *const usual[] = {"env", "-C", t->workshop.root, "scripts/compilers", "--usual", NULL};
    size_t size;
    for (size_t i = 0; i < r->cc_count; i++) {
        if (!workshop_finds_program(r->ccs[i]))
            return fail(e, EXIT_USAGE, "--cc: '%s': no compiler of that name on PATH", r->ccs[i]);
        words_add(&t->compilers, "%s", r->ccs[i]);
    }
    if (r->cc_count) return 0;
    char *text = workshop_text(usual, 0, &size);
    words_split(&t->compilers, text);
    free(text);
    if (t->compilers.count) return 0;
    return fail(e, EXIT_BAD_INPUT, "try: no gcc or clang on PATH: install one of them");
}

/* Takes the policies that were named, and off, beside which the others stand; else all. `yours` is
 * its own flags by every compiler; who has an earlier version to stand beside it means these. */
static int settle_policies(struct trial *t, struct error *e)
{
    static const char *const known[] = {"off", "on", "fast", "default", "reassoc", "fastmath"};
    const struct trial_request *r = t->request;
    size_t found = 0;
    for (size_t k = 0; k < r->policy_count; k++)
        if (!strcmp(r->policies[k], TRIAL_YOURS)) t->by_each = true, found++;
    t->by_each |= r->before != NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool named = !r->policy_count || i == 0;
        for (size_t k = 0; k < r->policy_count; k++)
            if (!strcmp(r->policies[k], known[i])) named = true, found++;
        if (!named) continue;
        strcat(strcat(t->policies, i ? " " : ""), known[i]);
    }
    if (found >= r->policy_count) return 0;
    return fail(e, EXIT_USAGE,
                "--policy: want off, on, fast, default, reassoc, fastmath, or yours");
}

static bool is_clang(const char *compiler)
{
    return strstr(compiler, "clang") != NULL;
}

/* Chooses the compiler of the lab that stands for the user's own. */
static void choose_own_compiler(struct trial *t)
{
    const bool clang = is_clang(t->subject.compiler);
    size_t i = 0;
    while (i < t->compilers.count && is_clang(t->compilers.items[i]) != clang) i++;
    snprintf(t->own_cc, sizeof t->own_cc, "%s", t->compilers.items[i < t->compilers.count ? i : 0]);
}

/* Compiles the user's source, as its own command does; options: of this compilation, ending with
 * NULL. Returns whether the compiler took it. */
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

static bool optimises(const struct words *flags)
{
    for (size_t i = 0; i < flags->count; i++)
        if (!strncmp(flags->items[i], "-O", 2)) return true;
    return false;
}

/* Copies the user's flags without those that a policy chooses instead. */
static void unopinionated(struct words *to, const struct words *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!strcmp(from->items[i], "-Ofast"))
            words_add(to, "-O3");
        else if (!fp_flag_is(from->items[i]))
            words_add(to, "%s", from->items[i]);
}

/* ---- The signature --------------------------------------------------------------------------- */

/* Inline functions of C are defined where they are included: C99 leaves that to one file of a
 * program, which may not be this one. */
static const char inline_in_c[] = "-fgnu89-inline";

/* Compiles the file for its debugging information alone. Returns NULL where that has nothing of the
 * function. */
static char *signature_of_source(const struct trial *t, const char *path, bool cxx,
                                 const char *function, struct error *e, int *code)
{
    char probe[PATH_MAX + 64], object[PATH_MAX + 64], line[300];
    snprintf(probe, sizeof probe, "%s/signature.%s", t->workshop.folder, cxx ? "cc" : "c");
    snprintf(object, sizeof object, "%s/signature.o", t->workshop.folder);
    const bool is_template = strchr(function, '<') != NULL; /* it exists where somebody names it */
    char *text =
        memory_format("#include \"%s\"\n%s%s%s", path, is_template ? "auto *ulplab_named = &" : "",
                      is_template ? function : "", is_template ? ";\n" : "");
    *code = file_write_atomic(probe, text, strlen(text), e);
    free(text);
    if (*code) return NULL;
    const char *const of_gcc[] = {"-fkeep-inline-functions", "-fkeep-static-functions"};
    const bool gcc = !is_clang(t->own_cc);
    if (compile_source(t, (const char *const[]){"-w", "-g", "-O0", "-fno-lto", "-c",
                                                cxx ? "-xc++" : inline_in_c, probe, "-o", object,
                                                gcc ? of_gcc[0] : NULL, of_gcc[1], NULL}))
        return signature_read(object, function);
    snprintf(probe, sizeof probe, "%s/compile.log", t->workshop.folder);
    workshop_first_error(probe, line, sizeof line);
    *code = fail(e, EXIT_BAD_INPUT,
                 "try: %s: %s; give what it needs with --flags '-Iinc -DX -mavx2' or --compdb",
                 path, line);
    return NULL;
}

/* Returns the declaration that a name of the vector function ABI means, _ZGVdN8v_logf: ISA b, c, d
 * or e, N or M (with a mask), the lanes, v for each parameter; NULL where it is none, or has other
 * parameters than one vector of floats or doubles. Source: x86 Vector Function ABI, "Vector
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

/* Returns the declaration of a function of <math.h> whose name is an operation's, expf or exp; NULL
 * of others. The caller frees. */
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
        return fail(e, EXIT_USAGE,
                    "try: %s: nothing there says how '%s' is called; write its declaration: --call "
                    "'void %s(const float *x, float *y, int n)'",
                    r->subject.path, s->function, s->function);
    code = call_parse(&t->call, declaration, true, e);
    free(declaration);
    return code;
}

/* Settles the function's name: what the user wrote, not what a declaration says. */
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

/* Returns whether the function's name contains the operation's. log256 contains no log2: its number
 * goes on. */
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

/* Returns the operation of a normalisation that takes no weights. */
static const char *op_without_weights(const struct trial *t, const char *op)
{
    const bool weighs = call_argument(&t->call, ROLE_GAMMA) || call_argument(&t->call, ROLE_BETA);
    if (!weighs && !strcmp(op, "layernorm")) return "layernorm_bare";
    if (!weighs && !strcmp(op, "rmsnorm")) return "rmsnorm_bare";
    return op;
}

/* Returns an operation that the lab does not have, named after the function; names of the lab's own
 * references stay theirs. */
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

/* Settles over what errors are taken of an operation that the lab does not have: as the user says,
 * or as its name does for a result per row; a function of one element has nothing else than its
 * result; of others the reference tells it. */
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

/* Settles the parameters of the function by what the operation has. */
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

/* Reads how the user's reference is called, and settles it by itself. */
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

/* Checks what the user says that callers keep. */
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

/* Returns the ISA whose intrinsics stand in what the compiler reads of the source, headers of the
 * system left out; NULL where there are none, or it cannot be read. */
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

/* Returns the size of the vector that the function takes; of a row 0. */
static size_t vector_bytes(const struct call *c)
{
    return c->lanes * (c->in_double ? sizeof(double) : sizeof(float));
}

static void settle_isa(struct trial *t)
{
    static const char *const isas[] = {"avx512", "avx2"};
    char why[128];
    const size_t bytes = vector_bytes(&t->call);
    const char *named = bytes == 64                         ? "avx512"
                        : bytes == 32                       ? "avx2"
                        : t->subject.kind == SUBJECT_SOURCE ? isa_of_source(t)
                                                            : NULL;
    if (named && !t->request->isa && cpu_supports(t->cpu, named, why, sizeof why))
        snprintf(t->isa, sizeof t->isa, "%s", named);
    for (size_t i = 0; i < 2 && !t->isa[0]; i++)
        if (!t->request->isa && cpu_supports(t->cpu, isas[i], why, sizeof why))
            snprintf(t->isa, sizeof t->isa, "%s", isas[i]);
    if (t->request->isa) snprintf(t->isa, sizeof t->isa, "%s", t->request->isa);
}

/* ---- The files ------------------------------------------------------------------------------- */

static struct glue glue_of(const struct trial *t)
{
    const struct subject *s = &t->subject;
    return (struct glue){.op = t->op,
                         .algorithm = TRIAL_MINE,
                         .elementwise = t->elementwise,
                         .unary = t->unary,
                         .columns = t->columns,
                         .call = &t->call,
                         .include = s->kind == SUBJECT_SOURCE ? s->path : NULL,
                         .symbol = s->symbol,
                         .cxx = s->kind == SUBJECT_SOURCE && s->cxx,
                         .reference = t->request->reference ? &t->reference : NULL,
                         .reference_include = t->reference_path,
                         .scale = t->scale,
                         .step = t->request->step > 0 ? t->request->step : 1,
                         .aligned = (unsigned)t->request->aligned,
                         .multiple = (unsigned)t->request->multiple};
}

static char *glue_text(const struct glue *g)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_text(&text, &size);
    glue_write(g, out);
    memory_text_close(out);
    return text;
}

char *trial_glue(const struct trial *t)
{
    const struct glue g = glue_of(t);
    return glue_text(&g);
}

/* What make gets: its variables, and the kernel files that were written, with their names. */
struct made {
    struct words variables, files, names;
};

static void made_free(struct made *m)
{
    words_free(&m->variables);
    words_free(&m->files);
    words_free(&m->names);
}

/* Writes OP_ALGORITHM.c and adds it to what make gets. */
static int write_kernel(struct trial *t, struct made *m, const struct glue *g, struct error *e)
{
    char path[PATH_MAX + 80];
    snprintf(path, sizeof path, "%s/%s_%s.%s", t->workshop.folder, t->op, g->algorithm,
             g->cxx ? "cc" : "c");
    char *text = glue_text(g);
    int code = file_write_atomic(path, text, strlen(text), e);
    free(text);
    words_add(&m->files, "%s", path);
    words_add(&m->names, "%s_%s", t->op, g->algorithm);
    if (g->reference) snprintf(t->kernel, sizeof t->kernel, "%s", path);
    return code;
}

/* Copies what the user's reference needs of the flags: where headers are, and macros. It has its
 * own arithmetic. */
static void reference_flags(struct words *to, const struct words *from)
{
    static const char *const taken[] = {"-I", "-D", "-U", "-isystem", "-iquote", "-include"};
    for (size_t i = 0; i < from->count; i++)
        for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
            const size_t length = strlen(taken[k]);
            if (strncmp(from->items[i], taken[k], length) != 0) continue;
            words_add(to, "%s", from->items[i]);
            if (!from->items[i][length] && i + 1 < from->count)
                words_add(to, "%s", from->items[++i]);
            break;
        }
}

/* Writes flags to a file, and adds its name to make's variables. */
static int add_flags(const struct trial *t, struct made *m, const char *kind, const char *algorithm,
                     const struct words *flags, struct error *e)
{
    char path[PATH_MAX + 80];
    snprintf(path, sizeof path, "%s/%s.%s", t->workshop.folder, algorithm, kind);
    words_add(&m->variables, "%s.%s_%s=@%s", kind, t->op, algorithm, path);
    return words_write(flags, path, e);
}

/* Writes a kernel file and adds what it needs: its flags, which are freed; the object that it is
 * linked with, or NULL; and what every file gets that calls the user's function. */
static int add_kernel(struct trial *t, struct made *m, const struct glue *g, struct words *flags,
                      const char *object, struct error *e)
{
    char name[80], resolved[PATH_MAX];
    struct words of_reference = {0}, also = {0}, link = {0};
    words_add(flags, "-w");
    if (!g->cxx) words_add(flags, inline_in_c);
    reference_flags(&of_reference, flags);
    int code = write_kernel(t, m, g, e);
    if (!code) code = add_flags(t, m, "flags", g->algorithm, flags, e);
    if (!code) code = add_flags(t, m, "reference_flags", g->algorithm, &of_reference, e);
    words_free(flags);
    words_free(&of_reference);
    if (object) words_add(&also, "%s", object);
    for (size_t i = 0; i < t->request->also_count && !code; i++)
        if (realpath(t->request->also[i], resolved))
            words_add(&also, "%s", resolved);
        else
            code = fail(e, EXIT_BAD_INPUT, "--also: %s: %s; name a source, object or archive",
                        t->request->also[i], strerror(errno));
    for (size_t i = 0; i < t->request->link_count; i++) flags_read(&link, t->request->link[i]);
    snprintf(name, sizeof name, "also.%s_%s", t->op, g->algorithm);
    words_add_variable(&m->variables, name, &also);
    snprintf(name, sizeof name, "link.%s_%s", t->op, g->algorithm);
    words_add_variable(&m->variables, name, &link);
    words_add(&m->variables, "stubs.%s_%s=yes", t->op, g->algorithm);
    return code;
}

/* Compiles the source by its own command and returns whether the object exports the function: the
 * user's own build is then that object. */
static bool build_own_object(struct trial *t, char *object, size_t size, char *symbol,
                             size_t symbol_size)
{
    struct error ignored;
    if (!t->subject.command.count) return false;
    snprintf(object, size, "%s/own.o", t->workshop.folder);
    struct words command = {0};
    words_copy(&command, &t->subject.command);
    words_add(&command, "%s", object);
    bool built =
        workshop_compile(&t->workshop, t->subject.directory, &command) &&
        !subject_find_symbol(object, t->subject.function, false, symbol, symbol_size, &ignored);
    words_free(&command);
    return built;
}

static int add_mine(struct trial *t, struct made *m, struct error *e)
{
    struct glue g = glue_of(t);
    struct words flags = {0};
    g.policies = "off,on,fast,default,reassoc,fastmath";
    unopinionated(&flags, &t->subject.flags);
    return add_kernel(t, m, &g, &flags, NULL, e);
}

/* Adds the user's own build of a file: of his function, or of an earlier version of it. */
static int add_yours(struct trial *t, struct made *m, const char *algorithm, const char *path,
                     struct error *e)
{
    char object[PATH_MAX + 32] = "", symbol[sizeof t->subject.symbol] = "";
    const size_t bytes = vector_bytes(&t->call);
    struct glue g = glue_of(t);
    struct words flags = {0};
    g.algorithm = algorithm;
    g.policies = TRIAL_YOURS;
    if (t->has_source) g.reference = NULL; /* the other file has it */
    if (!t->has_source) {
        snprintf(object, sizeof object, "%s", path);
        if (bytes > 16) words_add(&flags, bytes == 32 ? "-mavx2" : "-mavx512f");
    } else if (!t->by_each && build_own_object(t, object, sizeof object, symbol, sizeof symbol)) {
        g.include = NULL;
        g.symbol = symbol;
        g.cxx = false;
    } else {
        object[0] = '\0';
        g.include = path;
        words_copy(&flags, &t->subject.flags);
    }
    if (!optimises(&flags) && !t->by_each) words_add(&flags, "-O2");
    return add_kernel(t, m, &g, &flags, object[0] ? object : NULL, e);
}

static int add_copy(struct trial *t, struct made *m, struct error *e)
{
    struct glue g = glue_of(t);
    g.algorithm = TRIAL_COPY;
    g.policies = "off";
    g.copies = true;
    g.cxx = false;
    g.reference = NULL;
    return write_kernel(t, m, &g, e);
}

static void narrow_type(char *type, size_t size, bool to_double)
{
    char *narrowed = narrowed_text(type, to_double);
    snprintf(type, size, "%s", narrowed);
    free(narrowed);
}

/* Adds the user's reference in the function's type, the plain loop beside an operation of the
 * user's own. */
static int add_plain(struct trial *t, struct made *m, struct error *e)
{
    enum { SOURCE_MOST = 1 << 24 };
    char path[PATH_MAX + 32], *text = NULL;
    size_t size;
    struct glue g = glue_of(t);
    struct call call = t->reference;
    struct words flags = {0};
    int code = file_read(t->reference_path, SOURCE_MOST, &text, &size, e);
    if (code || !text)
        return code ? code : file_cannot(e, "read", t->reference_path, "name a file");
    char *narrowed = narrowed_text(text, t->call.in_double);
    snprintf(path, sizeof path, "%s/reference_as_plain.c", t->workshop.folder);
    code = file_write_atomic(path, narrowed, strlen(narrowed), e);
    free(text);
    free(narrowed);
    if (code) return code;
    call.in_double = t->call.in_double;
    narrow_type(call.returns, sizeof call.returns, call.in_double);
    for (size_t i = 0; i < call.count; i++)
        narrow_type(call.arguments[i].type, sizeof call.arguments[i].type, call.in_double);
    g.algorithm = TRIAL_PLAIN;
    g.policies = "off";
    g.call = &call;
    g.include = path;
    g.cxx = false;
    g.reference = NULL;
    g.aligned = g.multiple = 0;
    reference_flags(&flags, &t->subject.flags);
    words_add(&flags, "-iquote%.*s", (int)(strrchr(t->reference_path, '/') - t->reference_path),
              t->reference_path);
    return add_kernel(t, m, &g, &flags, NULL, e);
}

const char *const trial_probes[4] = {"aligned", "padded", "both", "lengths"};

/* Adds a build of the function for each thing that its callers may keep. */
static int add_probes(struct trial *t, struct made *m, struct error *e)
{
    char name[40];
    int code = 0;
    for (unsigned i = 0; i < 4 && !code; i++) {
        struct glue g = glue_of(t);
        struct words flags = {0};
        snprintf(name, sizeof name, TRIAL_PROBE "%s", trial_probes[i]);
        g.algorithm = name;
        g.policies = t->has_source && !t->subject.built ? "off" : TRIAL_YOURS;
        g.reference = NULL;
        g.aligned = i == 1 ? 0 : 64;
        g.probe = true;
        g.padded = i == 1 || i == 2;
        g.multiple = i == 3 ? 16 : g.multiple;
        words_copy(&flags, &t->subject.flags);
        if (!optimises(&flags)) words_add(&flags, "-O2");
        code = add_kernel(t, m, &g, &flags, t->has_source ? NULL : t->subject.path, e);
    }
    return code;
}

/* ---- The lab's own --------------------------------------------------------------------------- */

/* Returns whether a kernel of this build has the name of one that the small lab gets: as after
 * make KERNELS= of a file that --keep wrote. */
static bool is_of_trial(const struct variant *v)
{
    return !strcmp(v->algorithm, TRIAL_MINE) || !strcmp(v->algorithm, TRIAL_YOURS) ||
           !strcmp(v->algorithm, TRIAL_BEFORE) || !strcmp(v->algorithm, TRIAL_COPY);
}

/* Adds the objects of the lab's kernels of the operation: of each kernel one build, of the first
 * compiler, under `off` where there is one. */
static int add_others(const struct trial *t, struct made *m, struct error *e)
{
    const char *axes[] = {t->compilers.items[0], t->isa, "off"};
    char filter[120];
    struct registry r;
    struct error ignored;
    struct words objects = {0};
    json_t *taken = json_object();
    snprintf(filter, sizeof filter, "op=%s isa=%s dtype=%s cc=%s policy=off", t->op, t->isa,
             t->call.in_double ? "f64" : "f32", axes[0]);
    const char *filters[] = {filter};
    if (registry_open(&r, t->cpu, filters, 1, &ignored) == 0) {
        for (size_t i = 0; i < r.count; i++) {
            const struct variant *v = &r.variants[i];
            if (v->status != STATUS_OK || v->peer || v->study || v->kernel->hazard ||
                is_of_trial(v) || json_object_get(taken, v->algorithm))
                continue;
            json_object_set_new(taken, v->algorithm, json_true());
            words_add(&objects, "%s", v->build->object);
        }
        registry_close(&r);
    }
    int code = workshop_lab_objects(&t->workshop, &objects, axes, e);
    words_add_variable(&m->variables, "OBJECTS", &objects);
    json_decref(taken);
    return code;
}

/* ---- Building -------------------------------------------------------------------------------- */

/* Makes a goal in a small lab of these kernel files, which are freed. */
static int make_goal(const struct trial *t, struct made *m, const char *goal, struct error *e)
{
    struct words goals = {0};
    char *ccs = words_joined(&t->compilers), *files = words_joined(&m->files);
    words_add(&m->variables, "KERNELS=%s", files);
    words_add(&m->variables, "CCS=%s", ccs);
    words_add(&m->variables, "ISAS=%s", t->isa);
    words_add(&m->variables, "POLICIES=%s%s", t->policies, t->has_yours ? " " TRIAL_YOURS : "");
    WORDS_ADD(&m->variables, "STORED_POLICIES=", "policy." TRIAL_YOURS "=");
    if (!t->by_each) words_add(&m->variables, "alone." TRIAL_YOURS "=yes");
    words_add(&m->variables, "ccs." TRIAL_YOURS "=%s", t->by_each ? ccs : t->own_cc);
    words_add_variable(&m->variables, "kernel_sources", &m->files);
    words_add_variable(&m->variables, "kernel_names", &m->names);
    free(files);
    free(ccs);
    words_add(&goals, "%s", goal);
    int code = workshop_make(&t->workshop, &m->variables, &goals, e);
    words_free(&goals);
    made_free(m);
    return code;
}

/* Builds the user's reference alone: where it does not build, nothing else needs to be. */
static int check_reference(const struct trial *t, const struct made *made, struct error *e)
{
    struct made m = {0};
    char goal[100], path[PATH_MAX + 160], line[300];
    struct stat st;
    if (!t->request->reference) return 0;
    const char *name = strrchr(t->kernel, '/') + 1;
    const int length = (int)strcspn(name, ".");
    snprintf(goal, sizeof goal, "reference/%.*s.o", length, name);
    words_copy(&m.variables, &made->variables);
    words_add(&m.files, "%s", t->kernel);
    words_add(&m.names, "%.*s", length, name);
    int code = make_goal(t, &m, goal, e);
    snprintf(path, sizeof path, "%s/%s", t->workshop.folder, goal);
    if (code || (stat(path, &st) == 0 && st.st_size > 0)) return code;
    strcat(path, ".log");
    workshop_first_error(path, line, sizeof line);
    return fail(e, EXIT_USAGE, "--ref: %s: it does not build as C: %s", t->request->reference,
                line);
}

static int make_all(struct trial *t, bool probes, struct error *e)
{
    struct made m = {0};
    int code = 0;
    if (t->has_source) code = add_mine(t, &m, e);
    if (!code && t->has_yours) code = add_yours(t, &m, TRIAL_YOURS, t->subject.path, e);
    if (!code && t->request->before && !probes) code = add_yours(t, &m, TRIAL_BEFORE, t->before, e);
    if (!code && t->call.in_place) code = add_copy(t, &m, e);
    if (!code && !probes) code = check_reference(t, &m, e);
    if (!code && t->request->reference) code = add_plain(t, &m, e);
    if (!code && probes) code = add_probes(t, &m, e);
    if (!code) code = add_others(t, &m, e);
    if (!code) code = make_goal(t, &m, "ulplab", e);
    made_free(&m);
    return code;
}

static int keep_glue(const struct trial *t, struct error *e)
{
    if (!t->request->keep) return 0;
    char *text = trial_glue(t);
    int code = file_write_atomic(t->request->keep, text, strlen(text), e);
    free(text);
    return code;
}

/* Returns the eps that the operation is held against; 0: it has none. */
static double trial_eps(const struct trial *t)
{
    return !t->has.eps ? 0 : t->request->eps > 0 ? t->request->eps : parameters_default.eps;
}

/* Returns what each parameter is, what it is called with, and why that is believed; then what it
 * returns. */
static json_t *operands_record(const struct trial *t)
{
    json_t *list = json_array();
    const struct call *c = &t->call;
    for (size_t i = 0; i < c->count; i++) {
        const struct parameter *a = &c->arguments[i];
        char filling[96], role[16];
        call_filling(c, a, filling, sizeof filling);
        if (a->role == ROLE_EPS) snprintf(filling, sizeof filling, "%g", trial_eps(t));
        snprintf(role, sizeof role, "%.*s", (int)strcspn(role_names(a->role), " "),
                 role_names(a->role));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", a->name, "type",
                                              a->type, "role",
                                              a->role == ROLE_VALUE   ? "constant"
                                              : a->role == ROLE_SPARE ? "spare"
                                                                      : role,
                                              "filled", filling, "why", a->why));
    }
    if (strcmp(c->returns, "void") != 0)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", "", "type", c->returns, "role",
                            c->value ? "result" : "returned", "filled",
                            c->value ? "the result" : "not looked at", "why",
                            c->value ? "it writes no result" : "what it writes is the result"));
    return list;
}

static json_t *subject_record(const struct trial *t)
{
    static const char *const kinds[] = {"source", "object", "library"};
    char *text = NULL;
    size_t size;
    FILE *out = memory_text(&text, &size);
    call_print(&t->call, out);
    memory_text_close(out);
    char *flags = words_joined(&t->subject.flags), *glue = trial_glue(t);
    json_t *record = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:s, s:s, s:s, s:b, s:s?, s:s?}",
                               "file", t->subject.path, "function", t->subject.function, "kind",
                               kinds[t->subject.kind], "call", text, "op", t->op, "op_guessed",
                               !t->request->op && !t->request->reference, "isa", t->isa, "flags",
                               flags, "glue", glue, "in_place", t->call.in_place, "reference",
                               t->request->reference, "scale", t->scale);
    json_object_set_new(record, "operands", operands_record(t));
    if (trial_eps(t) > 0) json_object_set_new(record, "eps", json_real(trial_eps(t)));
    if (t->request->aligned)
        json_object_set_new(record, "aligned", json_integer((json_int_t)t->request->aligned));
    if (t->request->multiple)
        json_object_set_new(record, "multiple", json_integer((json_int_t)t->request->multiple));
    if (t->request->steps)
        json_object_set_new(record, "steps", json_integer((json_int_t)t->request->steps));
    free(text);
    free(flags);
    free(glue);
    return record;
}

/* Finds the earlier version: one that lacks the function would be timed as a crash. */
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

/* Finds out what is called how. */
static int prepare(struct trial *t, const struct trial_request *r, const struct cpu *cpu,
                   struct error *e)
{
    *t = (struct trial){.request = r, .cpu = cpu, .begun_s = monotonic_s()};
    t->document = json_object();
    int code = subject_open(&t->subject, &r->subject, e);
    if (!code) code = workshop_open(&t->workshop, NULL, e);
    if (!code) code = find_compilers(t, e);
    if (!code) code = settle_policies(t, e);
    if (code) return code;
    choose_own_compiler(t);
    code = read_call(t, e);
    if (!code && t->subject.kind == SUBJECT_SOURCE) settle_name(t);
    if (!code) code = check_contract(r, e);
    if (!code) code = read_reference(t, e);
    if (!code) code = settle_op(t, e);
    if (!code && r->eps > 0 && !t->has.eps)
        code = fail(e, EXIT_USAGE, "--param: eps: %s has none; leave it out", t->op);
    if (code) return code;
    settle_isa(t);
    t->has_source = t->subject.kind == SUBJECT_SOURCE;
    t->by_each &= t->has_source;
    t->has_yours = !t->has_source || t->subject.built || t->by_each;
    return r->before ? read_before(t, e) : 0;
}

int trial_build(struct trial *t, const struct trial_request *r, const struct cpu *cpu,
                struct error *e)
{
    int code = prepare(t, r, cpu, e);
    if (!code) code = keep_glue(t, e);
    if (!code) code = make_all(t, false, e);
    if (code) return code;
    json_object_set_new(t->document, "subject", subject_record(t));
    json_object_set_new(t->document, "build_seconds", json_real(monotonic_s() - t->begun_s));
    return 0;
}

int trial_build_probes(struct trial *t, struct error *e)
{
    return make_all(t, true, e);
}

int trial_kernel_file(struct trial *t, const struct trial_request *r, const struct cpu *cpu,
                      char *path, size_t size, struct words *make, struct error *e)
{
    struct made m = {0};
    int code = prepare(t, r, cpu, e);
    if (!code && !t->has_source)
        code = fail(e, EXIT_USAGE, "flags: %s: no source: flags can only build one anew",
                    r->subject.path);
    if (!code) code = add_mine(t, &m, e);
    if (!code) code = check_reference(t, &m, e);
    if (!code) snprintf(path, size, "%s", m.files.items[0]);
    words_copy(make, &m.variables);
    made_free(&m);
    return code;
}

void trial_close(struct trial *t)
{
    subject_close(&t->subject);
    workshop_close(&t->workshop);
    words_free(&t->compilers);
    json_decref(t->document);
}
