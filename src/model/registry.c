// SPDX-License-Identifier: MIT
#include "model/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>

#include "base/memory.h"
#include "model/filter.h"

static int registry_order_places(const void *a, const void *b)
{
    const struct variant *x = a, *y = b;
    int c = strcmp(x->op, y->op);
    if (!c) c = strcmp(x->algorithm, y->algorithm);
    if (!c) c = !strcmp(y->dtype, "f32") - !strcmp(x->dtype, "f32"); /* f32 goes first */
    if (!c) c = strcmp(x->dtype, y->dtype);
    /* Variants of a kernel are in the Makefile's order of the axes. */
    if (!c && !x->peer && !y->peer) c = x->build < y->build ? -1 : x->build > y->build;
    if (!c) c = strcmp(x->isa, y->isa);
    return c;
}

/* Sets op and algorithm of an unbuilt kernel from its file's name, <op>_<algorithm>.c. */
static void name_from_source(struct variant *v, const char *source)
{
    const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source;
    size_t op = strcspn(base, "_.");
    snprintf(v->op, sizeof v->op, "%.*s", op ? (int)op : 7, op ? base : "unnamed");
    base += op + (base[op] == '_');
    int length = (int)strcspn(base, ".");
    snprintf(v->algorithm, sizeof v->algorithm, "%.*s", length ? length : 7,
             length ? base : "unnamed");
}

static bool is_name(const char *s, size_t room)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    return s && s[0] && s[strspn(s, letters)] == '\0' && strlen(s) < room;
}

/* Returns the fault in a struct kernel, or NULL. */
static const char *kernel_fault(const struct kernel *k)
{
    const struct variant *v = NULL;
    if (!k->op && !k->run) return "its KERNEL is empty: want constants, not a constructor's values";
    if (!is_name(k->op, sizeof v->op)) return "its .op: want 1 to 23 of a-z 0-9 _ -";
    if (!is_name(k->algorithm, sizeof v->algorithm))
        return "its .algorithm: want 1 to 39 of a-z 0-9 _ -";
    if (!is_name(k->dtype, 16)) return "its .dtype is missing: want f32";
    if (!k->run) return "its .run is missing";
    return NULL;
}

static const char *registry_algorithm_of(const struct build_record *b)
{
    return b->algorithm ? b->algorithm : b->kernel->algorithm;
}

static bool same_regime(const struct build_record *a, const struct build_record *b)
{
    return !strcmp(a->isa, b->isa) && !strcmp(a->cc, b->cc) && !strcmp(a->policy, b->policy);
}

/* Returns a kernel as its second operation: the same code under another name, with counts and
 * promises of its own. */
static struct kernel second_kernel(const struct kernel *k)
{
    struct kernel second = *k;
    second.op = k->also->op;
    second.log_output = !strcmp(second.op, "log_softmax");
    second.flops = k->also->flops;
    second.promise = k->also->promise;
    second.ops = k->also->ops;
    second.bound = BOUND_NONE;
    second.also = NULL;
    return second;
}

/* Returns the least value of `what` among the kernels of the operation; `none` if none states
 * it. */
static double least_of(const char *op, size_t what, double none)
{
    double least = none;
    bool said = false;
    for (size_t i = 0; i < build_record_count; i++) {
        const struct kernel *k = build_records[i].kernel;
        if (!k || !k->op || strcmp(k->op, op) != 0) continue;
        double its = *(const double *)(const void *)((const char *)k + what);
        if (its > 0 && (!said || its < least)) least = its, said = true;
    }
    return least;
}

/* Returns the record of the same file, compiler and ISA under `off`; NULL: there is none. */
static const struct build_record *record_under_off(const struct build_record *b)
{
    for (size_t i = 0; i < build_record_count; i++) {
        const struct build_record *off = &build_records[i];
        if (off->kernel && !strcmp(off->source, b->source) && !strcmp(off->cc, b->cc) &&
            !strcmp(off->isa, b->isa) && policy_promises(off->policy) == PROMISES_OFF)
            return off;
    }
    return NULL;
}

/* Returns the kind of arithmetic seen in the code: FMAs under `off` are explicit in the source, and
 * code without arithmetic calls a library. A single build has no policy to compare with. */
static enum arithmetic arithmetic_seen(const struct build_record *b)
{
    const struct build_record *off = record_under_off(b);
    const struct code_counts *c = off ? &off->counts : NULL;
    return !c || (!c->fma && c->mul + c->add + c->div == 0) ? ARITHMETIC_LIBRARY
           : c->fma                                         ? ARITHMETIC_EXPLICIT
                                                            : ARITHMETIC_POLICY;
}

/* Returns a kernel with the values that its file leaves out. A file that does not state its bytes
 * does not state its arithmetic either: they are taken from the other kernels of its operation, and
 * from its code. */
static struct kernel completed_kernel(const struct build_record *b)
{
    struct kernel k = *b->kernel;
    k.bytes = least_of(k.op, offsetof(struct kernel, bytes), 2 * sizeof(float));
    if (k.flops <= 0) k.flops = least_of(k.op, offsetof(struct kernel, flops), 0);
    if (k.arithmetic == ARITHMETIC_POLICY) k.arithmetic = arithmetic_seen(b);
    k.expressions = true;
    return k;
}

static bool has_op(const struct kernel *k, const char *op)
{
    return !strcmp(k->op, op) || (k->also && !strcmp(k->also->op, op));
}

/* Returns the file whose kernel has that name already, or NULL. The records of one regime (ISA,
 * compiler, policy) are consecutive. */
static const char *namesake(const struct build_record *b, const char *op)
{
    for (const struct build_record *a = b; a-- > build_records && same_regime(a, b);)
        if (a->kernel && !kernel_fault(a->kernel) && has_op(a->kernel, op) &&
            !strcmp(registry_algorithm_of(a), registry_algorithm_of(b)) &&
            !strcmp(a->kernel->dtype, b->kernel->dtype))
            return a->source;
    return NULL;
}

/* Refuses two kernels of one name: the figures of one would be shown as the other's. */
static int refuse_namesake(const struct build_record *b, const char *op, struct error *e)
{
    const char *other = namesake(b, op);
    if (!other) return 0;
    return fail(e, EXIT_BAD_INPUT,
                "two kernels with the same id: %s/%s: %s and %s; give one of them another .op or "
                ".algorithm, and build again",
                op, registry_algorithm_of(b), other, b->source);
}

enum status status_of_unbuilt(const char *build_error, char *why, size_t size)
{
    const size_t prefix = strlen(BUILD_SKIPPED);
    bool skipped = !strncmp(build_error, BUILD_SKIPPED, prefix);
    snprintf(why, size, "%s", skipped ? build_error + prefix : build_error);
    return skipped ? STATUS_SKIPPED : STATUS_UNBUILT;
}

/* Returns whether the policy brought AVX-512 into a build for an ISA without it (-march=x86-64-v4).
 * Code that is there without the policy is chosen when the program runs. */
static bool needs_more(const struct build_record *b)
{
    if (!b->counts.evex || !strncmp(b->isa, "avx512", 6)) return false;
    const struct build_record *off = record_under_off(b);
    return !off || !off->counts.evex;
}

static void name_variant(struct variant *v)
{
    snprintf(v->id, sizeof v->id, "%s/%s/dtype=%s/isa=%s/cc=%s/policy=%s", v->op, v->algorithm,
             v->dtype, v->isa, v->cc, v->policy);
}

/* Returns a record's variant without a name, by its kernel; NULL: it has none. */
static struct variant begin_variant(const struct build_record *b, const struct kernel *k)
{
    return (struct variant){.dtype = k ? k->dtype : b->dtype,
                            .isa = b->isa,
                            .cc = b->cc,
                            .policy = b->policy,
                            .use = b->use,
                            .build = b,
                            .kernel = k};
}

/* Marks it as skipped unless this CPU can run code for the ISA. */
static void check_cpu_runs(struct variant *v, const struct cpu *cpu, const char *isa)
{
    if (!cpu_supports(cpu, isa, v->reason, sizeof v->reason)) v->status = STATUS_SKIPPED;
}

/* Returns a record's variant by its kernel `k`: its file's, or the same as its second operation;
 * NULL if it is unbuilt. */
static struct variant variant_of(const struct build_record *b, const struct kernel *k,
                                 const struct cpu *cpu)
{
    const char *wrong = k ? kernel_fault(k) : b->build_error;
    struct variant v = begin_variant(b, wrong ? NULL : k);
    if (wrong) {
        name_from_source(&v, b->source);
        v.status = status_of_unbuilt(wrong, v.reason, sizeof v.reason);
    } else {
        snprintf(v.op, sizeof v.op, "%s", k->op);
        snprintf(v.algorithm, sizeof v.algorithm, "%s", registry_algorithm_of(b));
        v.study = k->study;
        check_cpu_runs(&v, cpu, needs_more(b) ? "avx512" : b->isa);
    }
    name_variant(&v);
    return v;
}

static struct variant variant_unmade(const struct build_record *b, const struct cpu *cpu)
{
    struct variant v = begin_variant(b, NULL);
    name_from_source(&v, b->source);
    check_cpu_runs(&v, cpu, b->isa);
    name_variant(&v);
    return v;
}

static struct variant variant_of_peer(const struct peer *p, size_t op, const struct cpu *cpu)
{
    struct variant v = begin_variant(&p->build, &p->kernels[op]);
    v.use = USE_MEASURED;
    v.peer = p;
    snprintf(v.op, sizeof v.op, "%s", p->ops[op]);
    snprintf(v.algorithm, sizeof v.algorithm, "%s", p->algorithm);
    /* A library that chooses its own code needs at least AVX2, as the lab does. */
    check_cpu_runs(&v, cpu, strcmp(p->isa, "auto") != 0 ? p->isa : "avx2");
    if (v.status == STATUS_OK && !peer_is_built(p, v.reason, sizeof v.reason))
        v.status = STATUS_SKIPPED;
    name_variant(&v);
    return v;
}

/* The requested variants, and the CPU. */
struct asked {
    const struct cpu *cpu;
    const char *const *filters;
    size_t count;
};

/* Adds the variant where it matches the filters. */
static int registry_add_matching(struct variant *variants, size_t *count, const struct variant *v,
                                 const struct asked *a, struct error *e)
{
    bool match;
    const struct place place = {v->id, v->op, v->algorithm, v->dtype, v->isa, v->cc, v->policy};
    int code = filter_matches(&place, a->filters, a->count, &match, e);
    if (!code && match) variants[(*count)++] = *v;
    return code;
}

/* Adds the matching variants of a library. */
static int add_peer(struct variant *variants, size_t *count, const struct peer *p,
                    const struct asked *a, struct error *e)
{
    int code = 0;
    for (size_t op = 0; op < PEER_OPS_MAX && p->ops[op] && !code; op++) {
        const struct variant v = variant_of_peer(p, op, a->cpu);
        code = registry_add_matching(variants, count, &v, a, e);
    }
    return code;
}

/* ---- What this build lacks ------------------------------------------------------------------- */

int absences_open(struct absences *a, const struct cpu *cpu, const char *const *filters,
                  size_t filter_count, struct error *e)
{
    /* Operations as which a kernel is measured, too (struct second_form). */
    static const char *const seconds[][2] = {{"softmax", "log_softmax"},
                                             {"layernorm", "layernorm_bare"}};
    const struct asked asked = {cpu, filters, filter_count};
    int code = 0;
    *a = (struct absences){.variants =
                               memory_zeroed(2 * build_absence_count + 1, sizeof *a->variants),
                           .builds = memory_zeroed(build_absence_count + 1, sizeof *a->builds)};
    for (size_t i = 0; i < build_absence_count && !code; i++) {
        const struct build_absence *absence = &build_absences[i];
        a->builds[i] = (struct build_record){.source = absence->file,
                                             .isa = absence->isa,
                                             .cc = absence->cc,
                                             .policy = absence->policy,
                                             .dtype = absence->dtype,
                                             .object = absence->object,
                                             .use = absence->use};
        struct variant v = variant_unmade(&a->builds[i], cpu);
        if (!strcmp(v.op, "probe")) continue;
        code = registry_add_matching(a->variants, &a->count, &v, &asked, e);
        for (size_t k = 0; k < sizeof seconds / sizeof *seconds && !code; k++) {
            if (strcmp(seconds[k][0], v.op) != 0) continue;
            snprintf(v.op, sizeof v.op, "%s", seconds[k][1]);
            name_variant(&v);
            code = registry_add_matching(a->variants, &a->count, &v, &asked, e);
        }
    }
    if (code) absences_close(a);
    return code;
}

void absences_close(struct absences *a)
{
    free(a->variants);
    free(a->builds);
    *a = (struct absences){0};
}

/* ---- What it has ----------------------------------------------------------------------------- */

/* Reports the matches of the filters that a command does not take: variants that are not built, and
 * libraries, which a command without --peers leaves out. */
static int tell_none_matches(const struct asked *asked, struct error *e)
{
    struct absences a;
    struct error ignored;
    int code = absences_open(&a, asked->cpu, asked->filters, asked->count, e);
    const size_t unbuilt = a.count;
    if (code) return code;
    absences_close(&a);
    if (unbuilt)
        return fail(
            e, EXIT_USAGE,
            "--filter: the %zu variants that match are not built, because the build was not asked "
            "for them; 'make' builds all, 'make run RUN=..' those that the run needs",
            unbuilt);
    size_t peer_count, libraries = 0;
    struct peer *peers = peers_all(&peer_count);
    struct variant *found = memory_zeroed(PEER_OPS_MAX * peer_count + 1, sizeof *found);
    for (size_t p = 0; p < peer_count; p++) add_peer(found, &libraries, &peers[p], asked, &ignored);
    free(found);
    free(peers);
    if (libraries)
        return fail(e, EXIT_USAGE,
                    "--filter: the %zu variants that match are libraries, whose code is not in "
                    "this build: only accuracy, bench, scan, diverge, eval and run take them",
                    libraries);
    return fail(e, EXIT_USAGE, "--filter: no variant matches; 'ulplab list' shows them all");
}

static int registry_collect_variants(struct registry *r, const struct asked *a, struct error *e)
{
    int code = 0;
    for (size_t i = 0; i < build_record_count && !code; i++) {
        const struct build_record *b = &build_records[i];
        const struct kernel *k = b->kernel;
        if (k && !kernel_fault(k) && k->bytes <= 0 && !k->study) {
            r->seconds[r->second_count] = completed_kernel(b);
            k = &r->seconds[r->second_count++];
        }
        struct variant v = variant_of(b, k, a->cpu);
        const size_t before = r->count;
        code = registry_add_matching(r->variants, &r->count, &v, a, e);
        if (!code && v.kernel && r->count > before) code = refuse_namesake(b, v.op, e);
        if (code || !v.kernel || !v.kernel->also) continue;
        /* A file of that name that has the operation already takes precedence. */
        if (namesake(b, v.kernel->also->op)) continue;
        r->seconds[r->second_count] = second_kernel(b->kernel);
        v = variant_of(b, &r->seconds[r->second_count++], a->cpu);
        code = registry_add_matching(r->variants, &r->count, &v, a, e);
    }
    for (size_t p = 0; p < r->peer_count && !code; p++)
        code = add_peer(r->variants, &r->count, &r->peers[p], a, e);
    return code || r->count ? code : tell_none_matches(a, e);
}

int registry_open_peers(struct registry *r, const struct cpu *cpu, const char *const *filters,
                        size_t filter_count, bool peers, struct error *e)
{
    const struct asked asked = {cpu, filters, filter_count};
    *r = (struct registry){0};
    if (peers) r->peers = peers_all(&r->peer_count);
    size_t room = 2 * build_record_count + PEER_OPS_MAX * r->peer_count;
    r->variants = memory_zeroed(room + 1, sizeof *r->variants);
    r->seconds = memory_zeroed(2 * build_record_count + 1, sizeof *r->seconds);
    int code = registry_collect_variants(r, &asked, e);
    if (code) return registry_close(r), code;
    qsort(r->variants, r->count, sizeof *r->variants, registry_order_places);
    return 0;
}

int registry_open(struct registry *r, const struct cpu *cpu, const char *const *filters,
                  size_t filter_count, struct error *e)
{
    return registry_open_peers(r, cpu, filters, filter_count, false, e);
}

void registry_close(struct registry *r)
{
    free(r->variants);
    free(r->seconds);
    free(r->peers);
    *r = (struct registry){0};
}

bool is_same_code(const struct variant *a, const struct variant *b)
{
    return a->status == STATUS_OK && b->status == STATUS_OK && a->build && b->build &&
           a->build->code_hash && a->build->code_hash == b->build->code_hash &&
           !strcmp(a->isa, b->isa);
}

size_t first_of_same_code(const struct variant *const *variants, size_t i)
{
    size_t first = 0;
    while (first < i && !is_same_code(variants[first], variants[i])) first++;
    return first;
}

const struct kernel *variant_file_kernel(const struct variant *v)
{
    return v->build && v->build->kernel ? v->build->kernel : v->kernel;
}

const struct variant *registry_find(const struct registry *r, const char *id)
{
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->variants[i].id, id)) return &r->variants[i];
    return NULL;
}

enum promise_class policy_promises(const char *policy)
{
    static const struct {
        const char *policy;
        enum promise_class class;
    } table[] = {{"off", PROMISES_OFF},
                 {"O2", PROMISES_OFF},
                 {"on", PROMISES_FUSED},
                 {"default", PROMISES_FUSED},
                 {"fast", PROMISES_FUSED}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].policy, policy)) return table[i].class;
    return strncmp(policy, HELD_POLICY, strlen(HELD_POLICY)) ? PROMISES_NOTHING : PROMISES_FUSED;
}

bool is_held_to_promises(const struct variant *v)
{
    return !v->kernel->hazard && policy_promises(v->policy) != PROMISES_NOTHING;
}

/* ---- Arguments of operations ----------------------------------------------------------------- */

enum {
    SOFTMAX = ARGUMENT_LOG_OUTPUT,
    LAYERNORM = ARGUMENT_EPS | ARGUMENT_GAMMA | ARGUMENT_BETA | ARGUMENT_STATS,
};

/* The first row that matches holds; other operations have none. */
static const struct {
    const char *op, *algorithm; /* the beginning of the algorithm's name */
    unsigned arguments;
} table[] = {
    {"softmax", "scaled", SOFTMAX | ARGUMENT_SCALE},
    {"softmax", "", SOFTMAX},
    {"log_softmax", "scaled", SOFTMAX | ARGUMENT_SCALE},
    {"log_softmax", "", SOFTMAX},
    {"layernorm", "", LAYERNORM},
    /* The code of layernorm, called without gamma and beta. */
    {"layernorm_bare", "", ARGUMENT_EPS | ARGUMENT_STATS},
    {"rmsnorm", "", LAYERNORM & ~ARGUMENT_BETA},
    {"rmsnorm_bare", "", ARGUMENT_EPS | ARGUMENT_STATS},
};

unsigned arguments_of(const char *op, const char *algorithm)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].op, op) &&
            !strncmp(table[i].algorithm, algorithm, strlen(table[i].algorithm)))
            return table[i].arguments;
    return 0;
}

/* ---- Suggestions for a mistyped id ----------------------------------------------------------- */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t nearest_distance(const char *a, const char *b)
{
    size_t row[ID_MAX], rows = strnlen(a, ID_MAX - 1), columns = strnlen(b, ID_MAX - 1);
    for (size_t j = 0; j <= columns; j++) row[j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t above = row[j];
            row[j] = smaller(smaller(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[columns];
}

/* Returns the distance of `words` to an id, or if that has more words to its beginning of as
 * many. */
static size_t distance_to(const char *words, const char *id)
{
    char beginning[ID_MAX];
    size_t slashes = 1, length = 0;
    for (const char *c = words; *c; c++) slashes += *c == '/';
    while (id[length] && (id[length] != '/' || --slashes)) length++;
    snprintf(beginning, sizeof beginning, "%.*s", (int)length, id);
    return nearest_distance(words, beginning);
}

size_t nearest_variants(const struct registry *r, const char *id, const struct variant **found,
                        size_t count)
{
    size_t distances[8], held = 0;
    count = smaller(count, sizeof distances / sizeof *distances);
    for (size_t i = 0; i < r->count && count; i++) {
        size_t distance = distance_to(id, r->variants[i].id);
        if (held == count && distance >= distances[held - 1]) continue;
        size_t at = held < count ? held++ : held - 1;
        for (; at > 0 && distances[at - 1] > distance; at--) {
            distances[at] = distances[at - 1];
            found[at] = found[at - 1];
        }
        distances[at] = distance;
        found[at] = &r->variants[i];
    }
    return held;
}
