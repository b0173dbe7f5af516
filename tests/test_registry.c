// SPDX-License-Identifier: MIT
/* The registry: complete, honestly named, and filtered as docs/contract.md says. */
#include <glob.h>

#include "model/registry.h"

#include "test.h"

static struct registry open_all(const char *hide_isa)
{
    struct cpu cpu;
    struct registry r;
    struct error e;
    assert_int_equal(cpu_detect(&cpu, hide_isa, &e), 0);
    assert_int_equal(registry_open(&r, &cpu, NULL, 0, &e), 0);
    return r;
}

/* The number of variants that one filter leaves; *code: the result of registry_open(). */
static size_t count_of(const char *filter, int *code)
{
    struct cpu cpu;
    struct registry r = {0};
    struct error e = {.text = ""};
    assert_int_equal(cpu_detect(&cpu, NULL, &e), 0);
    *code = registry_open(&r, &cpu, &filter, 1, &e);
    assert_true((*code != 0) == (e.text[0] != '\0'));
    size_t count = *code ? 0 : r.count;
    if (!*code) registry_close(&r);
    return count;
}

static bool agrees(const char *want, const char *is)
{
    return !want || !strcmp(want, is);
}

/* The number of build records that agree with every argument that is not NULL. */
static size_t records_as(const char *dtype, const char *source, const char *cc, const char *isa,
                         const char *policy)
{
    size_t count = 0;
    for (size_t i = 0; i < build_record_count; i++) {
        const struct build_record *b = &build_records[i];
        count += agrees(dtype, b->dtype) && agrees(source, b->source) && agrees(cc, b->cc) &&
                 agrees(isa, b->isa) && agrees(policy, b->policy);
    }
    return count;
}

/* The number of records and of objects that could be built, likewise. */
static size_t listed_as(const char *dtype, const char *source, const char *cc, const char *isa,
                        const char *policy)
{
    size_t count = records_as(dtype, source, cc, isa, policy);
    char file[100];
    const char *base = strrchr(source, '/') + 1;
    snprintf(file, sizeof file, "%.*s", (int)strcspn(base, "."), base);
    for (size_t i = 0; i < build_absence_count; i++) {
        const struct build_absence *a = &build_absences[i];
        count += agrees(dtype, a->dtype) && agrees(file, a->file) && agrees(cc, a->cc) &&
                 agrees(isa, a->isa) && agrees(policy, a->policy);
    }
    return count;
}

/* How many variants: a record whose kernel has a second operation is two. */
static size_t variants_with(const char *cc, const char *isa, const char *policy)
{
    size_t count = 0;
    for (size_t i = 0; i < build_record_count; i++) {
        const struct build_record *b = &build_records[i];
        bool is = (!cc || !strcmp(b->cc, cc)) && (!isa || !strcmp(b->isa, isa)) &&
                  (!policy || !strcmp(b->policy, policy));
        count += is ? 1 + (b->kernel && b->kernel->also) : 0;
    }
    return count;
}

/* ---- Complete -------------------------------------------------------------------------------- */

/* Returns whether this kernel's file restricts its ISAs or policies, or whether kernels must name
 * this ISA ("isa.NAME"). */
static bool is_restricted(const char *name)
{
    char path[512], word[100];
    const char *build = getenv("BUILD");
    bool found = false;
    snprintf(path, sizeof path, "%s/restricted.list", build ? build : "build");
    FILE *list = fopen(path, "r");
    assert_non_null(list);
    while (!found && fscanf(list, "%99s", word) == 1) found = !strcmp(word, name);
    fclose(list);
    return found;
}

static bool is_restricted_source(const char *source)
{
    char name[100];
    const char *base = strrchr(source, '/') + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
    return is_restricted(name);
}

static bool is_restricted_isa(const char *isa)
{
    char name[100];
    snprintf(name, sizeof name, "isa.%s", isa);
    return is_restricted(name);
}

static void kernel_files(glob_t *files)
{
    assert_int_equal(glob("simd/*.c", 0, NULL, files), 0);
    assert_int_equal(glob("simd/*/*.c", GLOB_APPEND, NULL, files), 0);
}

/* The probes are the regimes of this build: one per {compiler, ISA, policy}. A kernel could be
 * built once in each. It is built for every ISA, and by every compiler under every policy. */
TEST(test_every_kernel_in_every_regime)
{
    glob_t files;
    size_t kernels = 0, whole = 0;
    kernel_files(&files);
    for (size_t p = 0; p < probe_record_count; p++)
        whole += !is_restricted_isa(probe_records[p].isa);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        const char *file = files.gl_pathv[f];
        if (!strcmp(file, "simd/probe.c") || is_restricted_source(file)) continue;
        const char *dtype = strstr(file, ".f64.") ? "f64" : "f32";
        kernels++;
        for (size_t p = 0; p < probe_record_count; p++) {
            const struct build_record *g = &probe_records[p];
            size_t count = listed_as(dtype, file, g->cc, g->isa, g->policy);
            size_t want = !is_restricted_isa(g->isa);
            if (count != want)
                print_error("%s cc=%s isa=%s policy=%s: %zu times\n", file, g->cc, g->isa,
                            g->policy, count);
            assert_int_equal(count, want);
            if (want) assert_true(records_as(dtype, file, NULL, g->isa, NULL) > 0);
            assert_true(records_as(dtype, file, g->cc, NULL, g->policy) > 0);
        }
        assert_true(records_as(dtype, file, NULL, NULL, NULL) <= whole);
    }
    globfree(&files);
    assert_true(kernels > 0);
    assert_true(build_record_count + build_absence_count >= kernels * whole);
}

/* A restricted kernel is built once, not twice, in every regime to which it is restricted. */
TEST(test_restricted_kernels_are_built)
{
    glob_t files;
    kernel_files(&files);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        if (!is_restricted_source(files.gl_pathv[f])) continue;
        for (size_t p = 0; p < probe_record_count; p++) {
            const struct build_record *g = &probe_records[p];
            assert_true(records_as("f32", files.gl_pathv[f], g->cc, g->isa, g->policy) <= 1);
        }
    }
    globfree(&files);
}

/* A kernel stored in another type also exists as f32, unless its file is of that type alone, and
 * its record names the type. */
TEST(test_stored_kernels)
{
    for (size_t i = 0; i < build_record_count; i++) {
        const struct build_record *b = &build_records[i];
        if (!strcmp(b->dtype, "f32")) continue;
        char of_type[24];
        snprintf(of_type, sizeof of_type, ".%s.", b->dtype);
        if (strstr(b->source, of_type))
            assert_int_equal(records_as("f32", b->source, NULL, NULL, NULL), 0);
        else
            assert_int_equal(listed_as("f32", b->source, b->cc, b->isa, b->policy), 1);
        assert_non_null(strstr(b->command, b->dtype));
        if (b->kernel) assert_string_equal(b->kernel->dtype, b->dtype);
    }
}

/* Returns whether a command is that of its policy. A kernel may have the command of an earlier
 * policy if the compiler says that both mean the same. */
static bool is_command_of(const struct build_record *b, const struct build_record *probe)
{
    const char *flags = strstr(probe->command, " -O"),
               *end = strstr(flags, " -Isimd") + strlen(" -Isimd");
    char part[512];
    snprintf(part, sizeof part, "%.*s", (int)(end - flags), flags);
    return strstr(b->command, part) != NULL;
}

static const struct build_record *probe_of(const struct build_record *b, const char *policy)
{
    for (size_t p = 0; p < probe_record_count; p++) {
        const struct build_record *g = &probe_records[p];
        if (!strcmp(g->cc, b->cc) && !strcmp(g->isa, b->isa) && !strcmp(g->policy, policy))
            return g;
    }
    fail_msg("%s: no probe of %s", b->object, policy);
    return NULL;
}

/* Returns the record of the same kernel, compiler and ISA under another policy, or NULL. */
static const struct build_record *under(const struct build_record *a, const char *policy)
{
    for (size_t i = 0; i < build_record_count; i++) {
        const struct build_record *b = &build_records[i];
        if (!strcmp(b->policy, policy) && !strcmp(b->cc, a->cc) && !strcmp(b->isa, a->isa) &&
            !strcmp(b->source, a->source) && !strcmp(b->dtype, a->dtype))
            return b;
    }
    return NULL;
}

/* A kernel's object may be shared with another policy that the compiler does not tell apart. The
 * probes, which are always compiled, show that this is true; `make distinct` compiles everything.
 */
TEST(test_shared_objects_are_of_policies_that_mean_the_same)
{
    size_t shared = 0;
    for (size_t i = 0; i < build_record_count; i++) {
        const struct build_record *b = &build_records[i], *earlier = NULL;
        const struct build_record *probe = probe_of(b, b->policy);
        if (is_command_of(b, probe)) continue;
        for (size_t p = 0; p < probe_record_count && !earlier; p++)
            if (!strcmp(probe_records[p].cc, b->cc) && !strcmp(probe_records[p].isa, b->isa) &&
                is_command_of(b, &probe_records[p]))
                earlier = &probe_records[p];
        if (!earlier) fail_msg("%s: no policy has the command %s", b->object, b->command);
        if (probe->code_hash != earlier->code_hash)
            fail_msg("%s: %s and %s are not the same policy", b->object, b->policy,
                     earlier->policy);
        assert_true(under(b, earlier->policy)->code_hash == b->code_hash);
        shared++;
    }
    if (!shared) skip(); /* only one policy, or no policies that mean the same */
}

static bool is_same_regime(const struct build_record *a, const struct build_record *b)
{
    return !strcmp(a->cc, b->cc) && !strcmp(a->isa, b->isa) && !strcmp(a->policy, b->policy) &&
           !strcmp(a->dtype, b->dtype);
}

/* A kernel whose file says same= is another kernel's object under its own name. */
TEST(test_aliases)
{
    size_t aliases = 0;
    for (size_t i = 0; i < build_record_count; i++) {
        const struct build_record *b = &build_records[i];
        if (!b->algorithm || !b->kernel) continue;
        char source[128];
        const char *slash = strrchr(b->source, '/');
        snprintf(source, sizeof source, "%.*s/%s_%s.c", (int)(slash - b->source), b->source,
                 b->kernel->op, b->kernel->algorithm);
        size_t originals = 0;
        for (size_t k = 0; k < build_record_count; k++) {
            const struct build_record *original = &build_records[k];
            if (strcmp(original->source, source) != 0 || !is_same_regime(original, b)) continue;
            assert_true(original->code_hash == b->code_hash);
            originals++;
        }
        if (originals != 1) fail_msg("%s: %zu objects of %s", b->object, originals, source);
        aliases++;
    }
    assert_true(aliases > 0); /* the lab has such kernels */
}

/* Each ISA has a probe by every compiler, under every policy or (SCOPE=elsewhere) under one. */
TEST(test_regimes_are_a_full_product)
{
    size_t ccs = 0, policies = 0;
    for (size_t p = 0; p < probe_record_count; p++) {
        bool cc = true, policy = true; /* whether it is the first of its name */
        for (size_t q = 0; q < p; q++) {
            cc &= strcmp(probe_records[p].cc, probe_records[q].cc) != 0;
            policy &= strcmp(probe_records[p].policy, probe_records[q].policy) != 0;
        }
        ccs += cc, policies += policy;
    }
    assert_int_equal(ccs, build_compiler_count);
    for (size_t p = 0; p < probe_record_count; p++) {
        size_t of_isa = 0;
        for (size_t q = 0; q < probe_record_count; q++)
            of_isa += !strcmp(probe_records[p].isa, probe_records[q].isa);
        if (of_isa != ccs) assert_int_equal(of_isa, ccs * policies);
        char why[128] = "";
        if (!probe_records[p].probe) /* a compiler older than the ISA */
            assert_int_equal(status_of_unbuilt(probe_records[p].build_error, why, sizeof why),
                             STATUS_SKIPPED);
    }
}

TEST(test_no_bundled_kernel_is_unbuilt)
{
    for (size_t i = 0; i < build_record_count; i++) {
        const struct build_record *b = &build_records[i];
        if (strncmp(b->source, "simd/", 5) != 0) continue; /* a user's may be rejected */
        if (!strncmp(b->build_error, BUILD_SKIPPED, strlen(BUILD_SKIPPED))) continue;
        if (!b->kernel) print_error("%s: %s\n", b->object, b->build_error);
        assert_non_null(b->kernel);
        assert_string_equal(b->build_error, "");
    }
}

/* ---- Named ----------------------------------------------------------------------------------- */

TEST(test_names_agree_with_files)
{
    for (size_t i = 0; i < build_record_count; i++) {
        const struct build_record *b = &build_records[i];
        const char *slash = strrchr(b->source, '/');
        char file[128];
        if (!b->kernel) continue;
        /* A library's functions in double are files of their own. */
        snprintf(file, sizeof file, "%s_%s%s.c", b->kernel->op,
                 b->algorithm ? b->algorithm : b->kernel->algorithm,
                 strstr(b->source, ".f64.c") ? ".f64" : "");
        /* without .c or .cc */
        assert_int_equal(strncmp(slash ? slash + 1 : b->source, file, strlen(file)), 0);
        assert_non_null(b->kernel->run);
    }
}

TEST(test_ids)
{
    struct registry r = open_all(NULL);
    for (size_t i = 0; i < r.count; i++) {
        const struct variant *v = &r.variants[i];
        char id[ID_MAX];
        snprintf(id, sizeof id, "%s/%s/dtype=%s/isa=%s/cc=%s/policy=%s", v->op, v->algorithm,
                 v->dtype, v->isa, v->cc, v->policy);
        assert_string_equal(v->id, id);
        assert_ptr_equal(registry_find(&r, id), v); /* the first of that id, so it is unique */
    }
    assert_null(registry_find(&r, ""));
    assert_null(registry_find(&r, "softmax"));
    registry_close(&r);
}

/* A kernel's second operation is a variant as well, with the same code but with counts and promises
 * of its own. */
TEST(test_second_operations)
{
    struct registry r = open_all(NULL);
    size_t firsts = 0, seconds = 0, softmaxes = 0;
    for (size_t i = 0; i < r.count; i++) {
        const struct variant *v = &r.variants[i], *second;
        char id[ID_MAX + 24];
        if (!v->kernel) continue;
        bool is_second = v->kernel != v->build->kernel;
        seconds += is_second;
        assert_int_equal(v->kernel->log_output, !strcmp(v->op, "log_softmax"));
        assert_ptr_equal(variant_file_kernel(v), v->build->kernel);
        softmaxes += !is_second && !strcmp(v->op, "softmax") && !v->study;
        if (is_second || !v->kernel->also) continue;
        firsts++;
        softmaxes -= !strcmp(v->op, "softmax");
        snprintf(id, sizeof id, "%s%s", v->kernel->also->op, v->id + strlen(v->op));
        assert_non_null(second = registry_find(&r, id));
        assert_ptr_equal(second->build, v->build);
        assert_int_equal(second->status, v->status);
        const struct kernel *a = v->kernel, *b = second->kernel;
        assert_string_equal(b->op, a->also->op);
        assert_string_equal(second->op, a->also->op);
        assert_true(b->run == a->run && b->hazard == a->hazard && b->bytes == a->bytes);
        assert_true(b->flops == a->also->flops && b->bound == BOUND_NONE && !b->also);
        assert_memory_equal(&b->promise, &a->also->promise, sizeof b->promise);
        assert_memory_equal(&b->ops, &a->also->ops, sizeof b->ops);
        assert_true(b->hazard || b->promise.specials);
    }
    assert_int_equal(softmaxes, 0); /* every softmax is a log_softmax, too */
    assert_int_equal(firsts, seconds);
    assert_true(firsts > 0);
    registry_close(&r);
}

/* ---- Filtered -------------------------------------------------------------------------------- */

TEST(test_filters)
{
    struct registry r = open_all(NULL);
    const struct variant *v = &r.variants[0];
    size_t in_isa = variants_with(NULL, v->isa, NULL), in_cc = variants_with(v->cc, NULL, NULL);
    size_t in_both = variants_with(v->cc, v->isa, NULL), all = r.count;
    char isa[64], isa_prefix[64], list[80], both[128], regex[ID_MAX + 2], slashed[64];
    snprintf(isa, sizeof isa, "isa=%s", v->isa);
    snprintf(isa_prefix, sizeof isa_prefix, "isa=%.2s", v->isa);
    snprintf(list, sizeof list, "isa=nosuch,%s", v->isa);
    snprintf(both, sizeof both, "  isa=%s   cc=%s ", v->isa, v->cc);
    snprintf(regex, sizeof regex, "^%s$", v->id);
    snprintf(slashed, sizeof slashed, "isa=%.3s.*/cc=", v->isa);

    const struct {
        const char *filter;
        size_t count; /* 0: EXIT_USAGE */
    } cases[] = {
        {"", all},
        {" ", all},
        {isa, in_isa},
        {isa_prefix, 0},
        {list, in_isa},
        {"isa=nosuch", 0},
        {"op=", 0},
        {both, in_both},
        {regex, 1},
        {"nosuchthing", 0},
        {"nosuch=1", 0},
        {"policy=", 0},
        {"*", 0},
        {"(", 0},
        {"[", 0},
        {"a{2", 0},
        {".", all},
        {"op=. isa=.", 0},
        {"^(.*)/dtype=", all},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code;
        size_t count = count_of(cases[i].filter, &code);
        if (count != cases[i].count)
            print_error("'%s': %zu variants, want %zu\n", cases[i].filter, count, cases[i].count);
        assert_int_equal(count, cases[i].count);
        assert_int_equal(code, cases[i].count ? 0 : EXIT_USAGE);
    }
    int code;
    assert_true(count_of(slashed, &code) >= in_isa); /* with a '/' it is a regex */
    assert_true(in_cc >= in_both);
    registry_close(&r);
}

/* A variant must match all --filter options. */
TEST(test_filters_add_up)
{
    struct registry all = open_all(NULL), r;
    const struct variant *v = &all.variants[all.count - 1];
    struct cpu cpu;
    struct error e;
    char cc[64], policy[64];
    snprintf(cc, sizeof cc, "cc=%s", v->cc);
    snprintf(policy, sizeof policy, "policy=%s", v->policy);
    const char *const filters[] = {cc, policy};
    assert_int_equal(cpu_detect(&cpu, NULL, &e), 0);
    assert_int_equal(registry_open(&r, &cpu, filters, 2, &e), 0);
    assert_int_equal(r.count, variants_with(v->cc, NULL, v->policy));
    for (size_t i = 0; i < r.count; i++) {
        assert_string_equal(r.variants[i].cc, v->cc);
        assert_string_equal(r.variants[i].policy, v->policy);
    }
    registry_close(&r);
    registry_close(&all);
}

/* ---- Hidden ---------------------------------------------------------------------------------- */

static void check_hidden(const char *list, const char *const *hidden)
{
    struct registry r = open_all(list), plain = open_all(NULL);
    assert_int_equal(r.count, plain.count);
    for (size_t i = 0; i < r.count; i++) {
        const struct variant *v = &r.variants[i];
        bool is_hidden = false;
        for (size_t k = 0; hidden[k]; k++) is_hidden |= !strcmp(v->isa, hidden[k]);
        enum status before = plain.variants[i].status;
        if (is_hidden && before == STATUS_OK) {
            assert_int_equal(v->status, STATUS_SKIPPED);
            assert_non_null(strstr(v->reason, "--hide-isa"));
        } else {
            assert_int_equal(v->status, before);
        }
        assert_true((v->status == STATUS_OK) == (v->reason[0] == '\0'));
    }
    registry_close(&plain);
    registry_close(&r);
}

TEST(test_hide_isa)
{
    check_hidden("avx512", (const char *const[]){"avx512", "avx512vbmi", "avx512fp16", NULL});
    check_hidden("avx512vbmi", (const char *const[]){"avx512vbmi", NULL});
    check_hidden("avx512fp16", (const char *const[]){"avx512fp16", NULL});
    check_hidden("avx512,avx512fp16",
                 (const char *const[]){"avx512", "avx512vbmi", "avx512fp16", NULL});
    check_hidden("avx2", (const char *const[]){"avx2", "avx512", "avx512vbmi", "avx512fp16", NULL});
    struct cpu cpu;
    struct error e;
    assert_int_equal(cpu_detect(&cpu, "avx3", &e), EXIT_USAGE);
    assert_int_equal(cpu_detect(&cpu, "avx512,,avx2", &e), EXIT_USAGE);
}

static bool promises_something(const struct promise *p)
{
    return p->ulp_off > 0 || p->ulp_fused > 0 || p->specials || p->bound;
}

/* A kernel of this repository without a promise could be advised although nothing is required of
 * it, so it must be marked as a hazard. A user's kernel need not be. */
TEST(test_kernels_promise_or_are_hazards)
{
    struct registry r = open_all(NULL);
    for (size_t i = 0; i < r.count; i++) {
        const struct variant *v = &r.variants[i];
        if (v->kernel && !v->study && !strncmp(v->build->source, "simd/", 5) &&
            !v->kernel->hazard && !promises_something(&v->kernel->promise))
            fail_msg("%s promises nothing and is no hazard", v->id);
    }
    registry_close(&r);
}

TEST(test_policies_promise)
{
    assert_int_equal(policy_promises("off"), PROMISES_OFF);
    assert_int_equal(policy_promises("on"), PROMISES_FUSED);
    assert_int_equal(policy_promises("fast"), PROMISES_FUSED);
    assert_int_equal(policy_promises("default"), PROMISES_FUSED);
    assert_int_equal(policy_promises("reassoc"), PROMISES_NOTHING);
    assert_int_equal(policy_promises("fastmath"), PROMISES_NOTHING);
    assert_int_equal(policy_promises("mine"), PROMISES_NOTHING);
}
