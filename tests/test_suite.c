// SPDX-License-Identifier: MIT
/* Suites are frozen: the hashes of their machine code (tests/suites/N, by compiler and version) and
 * their cells do not change, so that a run of today can be compared with one of next year. If this
 * test fails after a change of a suite's kernel, of the vocabulary that it includes or of the
 * flags, give the changed kernel another name and put it into a later suite. */
#include "measure/bench_plan.h"
#include "model/suite.h"

#include "drive.h"

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static struct cpu cpu;
static struct registry registry;

static int open_registry(void **state)
{
    struct error e = {""};
    (void)state;
    return cpu_detect(&cpu, NULL, &e) || registry_open(&registry, &cpu, NULL, 0, &e);
}

static const char *version_of(const char *cc)
{
    for (size_t i = 0; i < build_compiler_count; i++)
        if (!strcmp(build_compilers[i].cc, cc)) return build_compilers[i].version;
    return "";
}

/* Returns the hash that tests/suites/1 has for this variant's compiler, version, ISA, kernel and
 * policy; 0: it has none. */
static unsigned long long frozen_hash(const char *lines, const struct variant *v)
{
    char key[200];
    unsigned long long off, fast;
    snprintf(key, sizeof key, "\n%.*s %s %s %s/%s ", (int)strcspn(v->cc, "-"), v->cc,
             version_of(v->cc), v->isa, v->op, v->algorithm);
    const char *line = strstr(lines, key);
    if (!line) return 0;
    assert_int_equal(sscanf(line + strlen(key), "%llx %llx", &off, &fast), 2);
    return !strcmp(v->policy, "off") ? off : !strcmp(v->policy, "fast") ? fast : 0;
}

TEST(the_code_does_not_change)
{
    size_t seen = 0, changed = 0;
    if (SANITIZED) skip();
    const char *lines = drive_read("tests/suites/1");
    for (size_t i = 0; i < registry.count; i++) {
        const struct variant *v = &registry.variants[i];
        const unsigned long long hash = suite_has(suite_find(1), v) ? frozen_hash(lines, v) : 0;
        if (!hash) continue;
        seen++;
        if (v->build->code_hash == hash) continue;
        changed++;
        print_error("%s: %016llx is now %016llx\n", v->id, hash,
                    (unsigned long long)v->build->code_hash);
    }
    if (!seen) print_message("no compiler here has a line in tests/suites/1\n");
    assert_int_equal(changed, 0);
    if (!seen) skip();
}

static void hash_text(uint64_t *hash, const char *text)
{
    for (; *text; text++)
        if (*text != ' ') *hash = (*hash ^ (unsigned char)*text) * 0x100000001b3u;
}

/* The kernels, policies and shapes of a suite are frozen, too. */
TEST(what_it_times_does_not_change)
{
    static const uint64_t frozen[] = {0, 0xa3db7d9667cd6e08ull};
    uint64_t hash = 0xcbf29ce484222325u;
    const struct suite *s = suite_find(1);
    hash_text(&hash, s->kernels);
    hash_text(&hash, s->policies);
    for (size_t i = 0; i < s->shape_count; i++) {
        char shape[64];
        snprintf(shape, sizeof shape, "%zux%zu", s->shapes[i].rows, s->shapes[i].n);
        hash_text(&hash, shape);
    }
    if (hash != frozen[1]) fail_msg("0x%016llx", (unsigned long long)hash);
    assert_null(suite_find(2));
}

/* Each kernel that a suite names exists, under every policy of the suite that this build has. */
TEST(every_name_is_a_kernel)
{
    const struct suite *s = suite_find(1);
    char *names = keep(strdup(s->kernels)), *save = NULL;
    for (char *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        size_t found = 0;
        for (size_t k = 0; k < registry.count; k++) {
            char kernel[80];
            snprintf(kernel, sizeof kernel, "%s/%s", registry.variants[k].op,
                     registry.variants[k].algorithm);
            found += !strcmp(kernel, name) && suite_has(s, &registry.variants[k]);
        }
        if (!found) fail_msg("%s: no such kernel", name);
    }
}

static const struct bench_setup setup = {
    .topology = {.cores = 2, .memory_bytes = (size_t)8 << 30},
    .effective = {{32u << 10, 1u << 20, 32u << 20}},
};

/* A run of a suite alone has its kernels at its shapes and nothing else; a default run includes the
 * suite, with no cell twice. */
TEST(it_is_planned_alone_and_in_every_full_run)
{
    struct bench_plan alone, whole;
    const struct suite *s = suite_find(1);
    size_t variants = 0, shared = 0;
    for (size_t i = 0; i < registry.count; i++) variants += suite_has(s, &registry.variants[i]);
    struct run_request q = {.effort = BENCH_QUICK, .seed = 1, .suite = s};
    bench_plan_run(&alone, &registry, &setup, &q);
    assert_int_equal(alone.cell_count, variants * s->shape_count);
    q = (struct run_request){.effort = BENCH_FULL, .seed = 1};
    bench_plan_run(&whole, &registry, &setup, &q);
    for (size_t i = 0; i < alone.cell_count; i++) {
        char id[CELL_ID_MAX], other[CELL_ID_MAX];
        size_t times = 0;
        cell_id(&alone.cells[i], id);
        for (size_t k = 0; k < whole.cell_count; k++) {
            if (strcmp(whole.cells[k].variant->id, alone.cells[i].variant->id) != 0) continue;
            cell_id(&whole.cells[k], other);
            times += !strcmp(id, other) && !strcmp(whole.cells[k].family, "normal");
        }
        shared += times == 1;
    }
    assert_int_equal(shared, alone.cell_count);
    bench_plan_free(&alone);
    bench_plan_free(&whole);
}

static void check_first_shape(enum bench_effort effort)
{
    struct bench_plan plan;
    const struct suite *s = suite_find(1);
    const struct run_request q = {.effort = effort, .seed = 1};
    size_t wanted = 0, found = 0, beyond = 0;
    for (size_t i = 0; i < registry.count; i++)
        wanted +=
            suite_has(s, &registry.variants[i]) && !strcmp(registry.variants[i].policy, "off");
    bench_plan_run(&plan, &registry, &setup, &q);
    for (size_t i = 0; i < plan.cell_count; i++) {
        const struct cell *c = &plan.cells[i];
        const bool of_suite =
            !c->control && suite_has(s, c->variant) && !strcmp(c->variant->policy, "off");
        found += of_suite && c->rows == s->shapes[0].rows && c->n == s->shapes[0].n;
        beyond += c->rows == s->shapes[2].rows && c->n == s->shapes[2].n;
    }
    assert_true(wanted > 0);
    assert_int_equal(found, wanted);
    assert_int_equal(beyond, 0);
    bench_plan_free(&plan);
}

/* Every other run has every kernel of the suite, under `off`, at its first shape: the cells that
 * any two runs share, as docs/contract.md says. */
TEST(other_runs_have_its_first_shape)
{
    check_first_shape(BENCH_QUICK);
    check_first_shape(BENCH_DEFAULT);
}

TEST_GROUP(open_registry, NULL)
