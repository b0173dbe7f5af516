// SPDX-License-Identifier: MIT
#include "study/trial.h"

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
#include "study/glue.h"

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

/* Takes the policies that were named, and off, with which the others are compared; without names
 * all. `yours` means the user's own flags by every compiler, and so does an earlier version. */
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

static bool optimises(const struct words *flags)
{
    for (size_t i = 0; i < flags->count; i++)
        if (!strncmp(flags->items[i], "-O", 2)) return true;
    return false;
}

/* Copies the user's flags without the floating-point flags, which a policy chooses. */
static void unopinionated(struct words *to, const struct words *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!strcmp(from->items[i], "-Ofast"))
            words_add(to, "-O3");
        else if (!fp_flag_is(from->items[i]))
            words_add(to, "%s", from->items[i]);
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

/* Copies the flags that the user's reference needs: paths of headers, and macros. Its arithmetic
 * is always strict. */
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

/* Writes a kernel file and adds make's variables for it: its flags, which are freed; the object
 * that it is linked with, or NULL; and the user's other files and libraries. */
static int add_kernel(struct trial *t, struct made *m, const struct glue *g, struct words *flags,
                      const char *object, struct error *e)
{
    char name[80], resolved[PATH_MAX];
    struct words of_reference = {0}, also = {0}, link = {0};
    words_add(flags, "-w");
    if (!g->cxx) words_add(flags, TRIAL_INLINE_IN_C);
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

/* Compiles the source by the command of the compilation database, and returns whether the object
 * exports the function: then that object is the user's own build. */
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

/* Adds the user's own build of a file, which has the function or an earlier version of it. */
static int add_yours(struct trial *t, struct made *m, const char *algorithm, const char *path,
                     struct error *e)
{
    char object[PATH_MAX + 32] = "", symbol[sizeof t->subject.symbol] = "";
    const size_t bytes = call_vector_bytes(&t->call);
    struct glue g = glue_of(t);
    struct words flags = {0};
    g.algorithm = algorithm;
    g.policies = TRIAL_YOURS;
    if (t->has_source) g.reference = NULL; /* the file of add_mine() has it */
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

/* Adds the user's reference, rewritten in the function's type: the plain loop with which a function
 * of the user's own operation is compared. */
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

/* Adds a build of the function for each guarantee that its callers may give. */
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

/* Returns whether a kernel of this build has the name of a file of trials, as after make KERNELS=
 * with a file that --keep wrote: the small lab can have only one of that name. */
static bool is_of_trial(const struct variant *v)
{
    return !strcmp(v->algorithm, TRIAL_MINE) || !strcmp(v->algorithm, TRIAL_YOURS) ||
           !strcmp(v->algorithm, TRIAL_BEFORE) || !strcmp(v->algorithm, TRIAL_COPY);
}

/* Adds the objects of the lab's kernels of the operation: for each kernel its build by the first
 * compiler under `off`, if there is one. */
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

/* Runs make for a goal in a small lab with these kernel files; frees them. */
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

/* Builds the user's reference alone first: if that fails, nothing else has to be built. */
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

/* Returns the operation's eps in this trial; 0: it has none. */
static double trial_eps(const struct trial *t)
{
    return !t->has.eps ? 0 : t->request->eps > 0 ? t->request->eps : parameters_default.eps;
}

/* Returns an array with an object per parameter: its role, the value that it gets, and the evidence
 * for the role. The last one is the return value. */
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

/* Opens the trial, and settles what is tried. */
static int prepare(struct trial *t, const struct trial_request *r, const struct cpu *cpu,
                   struct error *e)
{
    *t = (struct trial){.request = r, .cpu = cpu, .begun_s = monotonic_s()};
    t->document = json_object();
    int code = subject_open(&t->subject, &r->subject, e);
    t->has_source = t->subject.kind == SUBJECT_SOURCE;
    if (!code) code = workshop_open(&t->workshop, NULL, e);
    if (!code) code = find_compilers(t, e);
    if (!code) code = settle_policies(t, e);
    if (!code) code = trial_settle(t, e);
    t->by_each &= t->has_source;
    t->has_yours = !t->has_source || t->subject.built || t->by_each;
    return code;
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
