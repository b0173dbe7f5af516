// SPDX-License-Identifier: MIT
#include "study/trial.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "model/fp_flags.h"
#include "model/record.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "study/glue.h"
#include "study/signature.h"

/* ---- The compilers --------------------------------------------------------------------------- */

/* Finds the compilers that `gcc` and `clang` name, by the name with the version. */
static int find_compilers(struct trial *t, struct error *e)
{
    char command[PATH_MAX + 64], line[64];
    snprintf(command, sizeof command, "cd '%s' && scripts/compilers --usual", t->workshop.root);
    FILE *in = popen(command, "re");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        words_add(&t->compilers, "%s", line);
    }
    if (in) pclose(in);
    if (t->compilers.count) return 0;
    return fail(e, EXIT_BAD_INPUT, "try: no gcc or clang on PATH: install one of them");
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

/* Runs a command in a folder; its messages are added to the workshop's log. */
static int run_in(const struct trial *t, const char *folder, const struct words *command)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_text(&text, &size);
    fprintf(out, "cd '%s' &&", folder);
    for (size_t i = 0; i < command->count; i++) {
        fputs(" '", out);
        for (const char *c = command->items[i]; *c; c++)
            if (*c == '\'')
                fputs("'\\''", out);
            else
                putc(*c, out);
        putc('\'', out);
    }
    fprintf(out, " >>'%s/compile.log' 2>&1", t->workshop.folder);
    memory_text_close(out);
    int status = system(text);
    free(text);
    return status;
}

/* Writes the first line of the workshop's log that names an error. */
static void first_error(const struct trial *t, char *line, size_t size)
{
    char path[PATH_MAX + 32], next[1024];
    snprintf(path, sizeof path, "%s/compile.log", t->workshop.folder);
    FILE *in = fopen(path, "re");
    snprintf(line, size, "the compiler failed");
    while (in && fgets(next, sizeof next, in))
        if (strstr(next, "error")) {
            next[strcspn(next, "\n")] = '\0';
            snprintf(line, size, "%.299s", next);
            break;
        }
    if (in) fclose(in);
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

/* Compiles the file for its debugging information alone. Returns NULL where that has nothing of the
 * function. */
static char *signature_of_source(const struct trial *t, const char *path, bool cxx,
                                 const char *function, struct error *e, int *code)
{
    char text[PATH_MAX + 600], probe[PATH_MAX + 64], object[PATH_MAX + 64], line[300];
    struct words command = {0};
    const char *cc = t->own_cc;
    *code = 0;
    snprintf(probe, sizeof probe, "%s/signature.%s", t->workshop.folder, cxx ? "cc" : "c");
    snprintf(object, sizeof object, "%s/signature.o", t->workshop.folder);
    int length = snprintf(text, sizeof text, "#include \"%s\"\n", path);
    if (strchr(function, '<')) /* of a template there is what somebody names */
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "auto *ulplab_named = &%s;\n", function);
    *code = file_write_atomic(probe, text, (size_t)length, e);
    if (*code) return NULL;
    words_add(&command, "%s", cc);
    for (size_t i = 0; i < t->subject.flags.count; i++)
        words_add(&command, "%s", t->subject.flags.items[i]);
    if (!t->subject.built) words_add(&command, "-march=native");
    for (const char *const *w = (const char *const[]){"-w", "-g", "-O0", "-fno-lto", "-c", NULL};
         *w; w++)
        words_add(&command, "%s", *w);
    if (!is_clang(cc)) {
        words_add(&command, "-fkeep-inline-functions");
        words_add(&command, "-fkeep-static-functions");
    }
    if (cxx) words_add(&command, "-xc++");
    words_add(&command, "%s", probe);
    words_add(&command, "-o");
    words_add(&command, "%s", object);
    bool failed = run_in(t, t->subject.directory[0] ? t->subject.directory : "/", &command) != 0;
    words_free(&command);
    if (failed) {
        first_error(t, line, sizeof line);
        *code = fail(e, EXIT_BAD_INPUT,
                     "try: %s: %s; give what it needs with --flags '-Iinc -DX' or --compdb", path,
                     line);
        return NULL;
    }
    return signature_read(object, function);
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

/* Returns over what errors are taken of an operation that the lab does not have: as the user says,
 * or as its name does; a function of one element has nothing else than its result. */
static int settle_scale(struct trial *t, struct error *e)
{
    static const struct {
        const char *in_name, *scale;
    } scales[] = {{"dot", "dot"}, {"mean", "mean"}, {"average", "mean"}, {"avg", "mean"},
                  {"sum", "sum"}, {"total", "sum"}, {"result", "result"}};
    enum { SCALES = sizeof scales / sizeof *scales };
    const char *wanted = t->request->scale;
    size_t i = 0;
    while (i < SCALES &&
           (wanted ? strcmp(scales[i].scale, wanted) != 0 : !strstr(t->op, scales[i].in_name)))
        i++;
    if (wanted && (i == SCALES || !t->request->reference))
        return fail(e, EXIT_USAGE, "--scale: '%s': want sum, dot, mean or result, with --ref",
                    wanted);
    if (i < SCALES) t->scale = scales[i].scale;
    if (!wanted && (t->unary || i == SCALES)) t->scale = t->unary ? "result" : NULL;
    return 0;
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
    if (!t->elementwise && t->call.lanes)
        return fail(e, EXIT_USAGE, "try: %s takes one number and %s takes a row; name another --op",
                    t->subject.function, t->op);
    return t->request->reference || t->request->scale ? settle_scale(t, e) : 0;
}

static void settle_isa(struct trial *t)
{
    static const char *const isas[] = {"avx512", "avx2"};
    char why[128];
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
                         .scale = t->scale};
}

static char *glue_text(const struct glue *g, size_t *size)
{
    char *text = NULL;
    FILE *out = memory_text(&text, size);
    glue_write(g, out);
    memory_text_close(out);
    return text;
}

char *trial_glue(const struct trial *t)
{
    size_t size;
    const struct glue g = glue_of(t);
    return glue_text(&g, &size);
}

/* Writes OP_ALGORITHM.c and adds it to the words of make. */
static int add_kernel(const struct trial *t, const struct glue *g, struct words *files,
                      struct words *names, struct error *e)
{
    char path[PATH_MAX + 80];
    size_t size;
    snprintf(path, sizeof path, "%s/%s_%s.%s", t->workshop.folder, t->op, g->algorithm,
             g->cxx ? "cc" : "c");
    char *text = glue_text(g, &size);
    int code = file_write_atomic(path, text, size, e);
    free(text);
    words_add(files, "%s", path);
    words_add(names, "%s_%s", t->op, g->algorithm);
    return code;
}

static char *joined(const struct words *w)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_text(&text, &size);
    for (size_t i = 0; i < w->count; i++) fprintf(out, "%s%s", i ? " " : "", w->items[i]);
    memory_text_close(out);
    return text;
}

/* Adds flags.NAME, also.NAME and so on of one file to make's variables. */
static int add_needs(const struct trial *t, struct words *make, const char *algorithm,
                     const struct words *flags, const char *object, struct error *e)
{
    char path[PATH_MAX + 80];
    struct words also = {0}, link = {0};
    snprintf(path, sizeof path, "%s/%s.flags", t->workshop.folder, algorithm);
    int code = words_write(flags, path, e);
    words_add(make, "flags.%s_%s=@%s", t->op, algorithm, path);
    if (object) words_add(&also, "%s", object);
    for (size_t i = 0; i < t->request->also_count && !code; i++) {
        char resolved[PATH_MAX];
        if (!realpath(t->request->also[i], resolved))
            code = fail(e, EXIT_BAD_INPUT, "--also: %s: %s; name a source, object or archive",
                        t->request->also[i], strerror(errno));
        else
            words_add(&also, "%s", resolved);
    }
    for (size_t i = 0; i < t->request->link_count; i++) flags_read(&link, t->request->link[i]);
    char *alsos = joined(&also), *links = joined(&link);
    words_add(make, "also.%s_%s=%s", t->op, algorithm, alsos);
    words_add(make, "link.%s_%s=%s", t->op, algorithm, links);
    words_add(make, "stubs.%s_%s=yes", t->op, algorithm);
    free(alsos);
    free(links);
    words_free(&also);
    words_free(&link);
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
    for (size_t i = 0; i < t->subject.command.count; i++)
        words_add(&command, "%s", t->subject.command.items[i]);
    words_add(&command, "%s", object);
    bool built =
        run_in(t, t->subject.directory, &command) == 0 &&
        !subject_find_symbol(object, t->subject.function, false, symbol, symbol_size, &ignored);
    words_free(&command);
    return built;
}

static int add_mine(struct trial *t, struct words *make, struct words *files, struct words *names,
                    struct error *e)
{
    struct glue g = glue_of(t);
    struct words flags = {0};
    g.policies = "off,on,fast,default,reassoc,fastmath";
    unopinionated(&flags, &t->subject.flags);
    words_add(&flags, "-w");
    int code = add_kernel(t, &g, files, names, e);
    if (!code) code = add_needs(t, make, TRIAL_MINE, &flags, NULL, e);
    words_free(&flags);
    return code;
}

static int add_yours(struct trial *t, struct words *make, struct words *files, struct words *names,
                     struct error *e)
{
    char object[PATH_MAX + 32] = "", symbol[sizeof t->subject.symbol] = "";
    struct glue g = glue_of(t);
    struct words flags = {0};
    g.algorithm = TRIAL_YOURS;
    g.policies = TRIAL_YOURS;
    if (t->has_source) g.reference = NULL; /* the other file has it */
    if (t->subject.kind != SUBJECT_SOURCE) snprintf(object, sizeof object, "%s", t->subject.path);
    if (t->subject.kind == SUBJECT_SOURCE) {
        if (build_own_object(t, object, sizeof object, symbol, sizeof symbol)) {
            g.include = NULL;
            g.symbol = symbol;
            g.cxx = false;
        } else {
            object[0] = '\0';
            if (!optimises(&t->subject.flags)) words_add(&flags, "-O2");
            for (size_t i = 0; i < t->subject.flags.count; i++)
                words_add(&flags, "%s", t->subject.flags.items[i]);
        }
    }
    if (!flags.count) words_add(&flags, "-O2");
    words_add(&flags, "-w");
    int code = add_kernel(t, &g, files, names, e);
    if (!code) code = add_needs(t, make, TRIAL_YOURS, &flags, object[0] ? object : NULL, e);
    words_free(&flags);
    return code;
}

static int add_copy(struct trial *t, struct words *files, struct words *names, struct error *e)
{
    struct glue g = glue_of(t);
    g.algorithm = TRIAL_COPY;
    g.policies = "off";
    g.copies = true;
    g.cxx = false;
    g.reference = NULL;
    return add_kernel(t, &g, files, names, e);
}

/* ---- The lab's own --------------------------------------------------------------------------- */

/* Adds the objects of the lab's kernels of the operation: of each kernel one build, of the first
 * compiler, under `off` where there is one. */
static void add_others(const struct trial *t, struct words *make)
{
    char filter[80];
    struct registry r;
    struct error ignored;
    struct words objects = {0};
    json_t *taken = json_object();
    snprintf(filter, sizeof filter, "op=%s isa=%s dtype=f32", t->op, t->isa);
    const char *filters[] = {filter};
    if (registry_open(&r, t->cpu, filters, 1, &ignored) == 0) {
        for (size_t i = 0; i < r.count; i++) {
            const struct variant *v = &r.variants[i];
            if (v->status != STATUS_OK || v->peer || v->study || v->kernel->hazard ||
                json_object_get(taken, v->algorithm))
                continue;
            if (strcmp(v->policy, "off") != 0 || strcmp(v->cc, t->compilers.items[0]) != 0)
                continue;
            json_object_set_new(taken, v->algorithm, json_true());
            words_add(&objects, "%s", v->build->object);
        }
        registry_close(&r);
    }
    char *list = joined(&objects);
    words_add(make, "OBJECTS=%s", list);
    free(list);
    words_free(&objects);
    json_decref(taken);
}

/* ---- Building -------------------------------------------------------------------------------- */

static int make_all(struct trial *t, struct error *e)
{
    struct words make = {0}, files = {0}, names = {0}, goals = {0};
    int code = 0;
    if (t->has_source) code = add_mine(t, &make, &files, &names, e);
    if (!code && t->has_yours) code = add_yours(t, &make, &files, &names, e);
    if (!code && t->call.in_place) code = add_copy(t, &files, &names, e);
    if (!code) {
        char *file_list = joined(&files), *name_list = joined(&names), *ccs = joined(&t->compilers);
        words_add(&make, "KERNELS=%s", file_list);
        words_add(&make, "kernel_sources=%s", file_list);
        words_add(&make, "kernel_names=%s", name_list);
        words_add(&make, "CCS=%s", ccs);
        words_add(&make, "ISAS=%s", t->isa);
        words_add(&make, "POLICIES=off on fast default reassoc fastmath%s",
                  t->has_yours ? " " TRIAL_YOURS : "");
        words_add(&make, "STORED_POLICIES=");
        words_add(&make, "policy." TRIAL_YOURS "=");
        words_add(&make, "alone." TRIAL_YOURS "=yes");
        words_add(&make, "ccs." TRIAL_YOURS "=%s", t->own_cc);
        add_others(t, &make);
        words_add(&goals, "ulplab");
        code = workshop_make(&t->workshop, &make, &goals, e);
        free(file_list);
        free(name_list);
        free(ccs);
    }
    words_free(&make);
    words_free(&files);
    words_free(&names);
    words_free(&goals);
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

static json_t *subject_record(const struct trial *t)
{
    static const char *const kinds[] = {"source", "object", "library"};
    char *text = NULL;
    size_t size;
    FILE *out = memory_text(&text, &size);
    call_print(&t->call, out);
    memory_text_close(out);
    char *flags = joined(&t->subject.flags), *glue = trial_glue(t);
    json_t *record = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:s, s:s, s:s, s:b, s:s?, s:s?}",
                               "file", t->subject.path, "function", t->subject.function, "kind",
                               kinds[t->subject.kind], "call", text, "op", t->op, "op_guessed",
                               !t->request->op && !t->request->reference, "isa", t->isa, "flags",
                               flags, "glue", glue, "in_place", t->call.in_place, "reference",
                               t->request->reference, "scale", t->scale);
    free(text);
    free(flags);
    free(glue);
    return record;
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
    if (code) return code;
    choose_own_compiler(t);
    code = read_call(t, e);
    if (!code && t->subject.kind == SUBJECT_SOURCE) settle_name(t);
    if (!code && r->reference && !r->reference_call)
        code = fail(e, EXIT_USAGE,
                    "--ref: write its declaration: --ref-call 'void ref(const double "
                    "*x, double *y, int n)'");
    if (!code && r->reference && !realpath(r->reference, t->reference_path))
        code = fail(e, EXIT_BAD_INPUT, "--ref: %s: %s; name the file of a function in double",
                    r->reference, strerror(errno));
    if (!code && r->reference) code = call_parse(&t->reference, r->reference_call, true, e);
    if (!code) code = settle_op(t, e);
    if (code) return code;
    settle_isa(t);
    t->has_source = t->subject.kind == SUBJECT_SOURCE;
    t->has_yours = !t->has_source || t->subject.built;
    return 0;
}

int trial_build(struct trial *t, const struct trial_request *r, const struct cpu *cpu,
                struct error *e)
{
    int code = prepare(t, r, cpu, e);
    if (!code) code = keep_glue(t, e);
    if (!code) code = make_all(t, e);
    if (code) return code;
    json_object_set_new(t->document, "subject", subject_record(t));
    json_object_set_new(t->document, "build_seconds", json_real(monotonic_s() - t->begun_s));
    return 0;
}

int trial_kernel_file(struct trial *t, const struct trial_request *r, const struct cpu *cpu,
                      char *path, size_t size, struct words *make, struct error *e)
{
    struct words files = {0}, names = {0};
    int code = prepare(t, r, cpu, e);
    if (!code && !t->has_source)
        code = fail(e, EXIT_USAGE, "flags: %s: no source: flags can only build one anew",
                    r->subject.path);
    if (!code) code = add_mine(t, make, &files, &names, e);
    if (!code) snprintf(path, size, "%s", files.items[0]);
    words_free(&files);
    words_free(&names);
    return code;
}

void trial_close(struct trial *t)
{
    subject_close(&t->subject);
    workshop_close(&t->workshop);
    words_free(&t->compilers);
    json_decref(t->document);
}
