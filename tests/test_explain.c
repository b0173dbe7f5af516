// SPDX-License-Identifier: MIT
/* ulplab explain and ulplab instructions: forms, pipes, loops and what they ask of made-up
 * cores; nothing here depends on a time. */
#include "base/memory.h"
#include "machine/cpu.h"
#include "measure/instructions.h"
#include "study/explain.h"

#include "facts.h"
#include "filtered.h"
#include "test.h"

/* ---- Forms ----------------------------------------------------------------------------------- */

TEST(forms_are_encoded)
{
    static const struct {
        const char *text;
        size_t count;
        bool first_read, first_written;
    } forms[] = {
        {"vaddps zmm zmm zmm", 3, false, true},
        {"vfmadd231ps xmm xmm xmm", 3, true, true},
        {"vaddps ymm{k} ymm ymm", 3, true, true},
        {"vaddps ymm{k}{z} ymm ymm", 3, false, true},
        {"vcmpps k zmm zmm i", 4, false, true},
        {"vmovups m512 zmm", 2, false, true},
        {"vgatherdps zmm{k} [zmm]", 2, true, true},
        {"cmp r64 r64", 2, true, false},
        {"nop", 0, false, false},
    };
    struct form f;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        assert_true(form_parse(forms[i].text, &f));
        assert_int_equal(f.count, forms[i].count);
        if (!f.count) continue;
        assert_int_equal(f.operands[0].read, forms[i].first_read);
        assert_int_equal(f.operands[0].written, forms[i].first_written);
    }
    static const char *const none[] = {"",
                                       "vaddps",
                                       "vaddps zmm",
                                       "vaddps zmm zmm q",
                                       "nothing ymm",
                                       "vaddps xmm ymm zmm",
                                       "vaddps m9999999 xmm xmm"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_false(form_parse(none[i], &f));
}

/* A CPU with all features. */
TEST(every_form_of_the_table_is_one)
{
    struct cpu cpu = {.features = ~0ull};
    struct form f;
    char **forms = keep(instruction_forms(&cpu));
    size_t count = 0;
    for (; forms[count]; count++) {
        keep(forms[count]);
        if (!form_parse(forms[count], &f)) fail_msg("no form: %s", forms[count]);
        for (size_t k = 0; k < count; k++) assert_string_not_equal(forms[k], forms[count]);
    }
    assert_true(count >= 150);
}

TEST(hidden_isas_have_no_forms)
{
    const struct cpu cpu = this_cpu("avx512");
    char **forms = keep(instruction_forms(&cpu));
    for (size_t i = 0; forms[i]; i++) {
        keep(forms[i]);
        assert_null(strstr(forms[i], "zmm"));
        assert_null(strstr(forms[i], "{k}"));
    }
}

/* ---- Pipes ----------------------------------------------------------------------------------- */

static double mix_of(unsigned a, double work_a, unsigned b, double work_b, unsigned pipes)
{
    return pipes_time((unsigned[]){a, b}, (double[]){work_a, work_b}, 2, pipes);
}

/* The measurements that a core with these pipes would give. */
static struct pipe_basis seen(const unsigned sets[PIPE_KINDS], unsigned pipes)
{
    struct pipe_basis b = {.pipes = pipes};
    for (size_t i = 0; i < PIPE_KINDS; i++) b.cycles[i] = 1.0 / __builtin_popcount(sets[i]);
    for (size_t i = 0; i < PIPE_KINDS; i++)
        for (size_t k = 0; k < PIPE_KINDS; k++)
            b.pair[i][k] = k > i ? mix_of(sets[i], pipes_copies(b.cycles[i], b.cycles[k]), sets[k],
                                          pipes_copies(b.cycles[k], b.cycles[i]), pipes)
                                 : NAN;
    return b;
}

/* Two of four pipes multiply and the others add (Zen), or two of three do both (Skylake). */
TEST(pipes_are_found_from_mixes)
{
    static const struct {
        unsigned pipes, sets[PIPE_KINDS];
    } cores[] = {{4, {0x3, 0xc, 0x6, 0x2, 0x6, 0x1}},
                 {4, {0x3, 0xc, 0xf, 0xa, 0xc, 0x1}},
                 {3, {0x3, 0x3, 0x4, 0x4, 0x3, 0x1}}};
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        const unsigned pipes = cores[i].pipes;
        struct pipe_basis b = seen(cores[i].sets, pipes);
        pipes_find_basis(&b);
        for (size_t k = 0; k < PIPE_KINDS; k++) {
            assert_int_equal(__builtin_popcount(b.kind[k].set),
                             __builtin_popcount(cores[i].sets[k]));
            assert_true(b.kind[k].misfit < 1e-9);
            for (size_t n = 0; n < k; n++)
                assert_int_equal(__builtin_popcount(b.kind[k].set & b.kind[n].set),
                                 __builtin_popcount(cores[i].sets[k] & cores[i].sets[n]));
        }
        /* A divider occupies one multiplying pipe for seven cycles. */
        unsigned divider = b.kind[0].set & -b.kind[0].set;
        struct pipe_mix mix[PIPE_KINDS];
        for (size_t k = 0; k < PIPE_KINDS; k++)
            mix[k] = (struct pipe_mix){.beside = 14,
                                       .cycles = mix_of(divider, 7, b.kind[k].set, 14, pipes)};
        struct pipe_use use = pipes_place(&b, 7, mix);
        assert_int_equal(__builtin_popcount(use.set), 1);
        assert_true(use.set & b.kind[0].set);
        assert_true(fabs(use.work - 7) < 1e-9 && use.misfit < 1e-9);
    }
}

/* ---- A made-up core and made-up code --------------------------------------------------------- */

enum { CODE_MAX = 1 << 16 };
struct program {
    unsigned char *code;
    size_t used;
    uintptr_t at[4096];
    size_t count;
};

static void put(struct program *p, const char *text, unsigned a, unsigned b, unsigned c)
{
    struct form f;
    const struct form_registers r = {.number = {a, b, c}, .index = -1, .value = 1};
    unsigned char code[INSTRUCTION_BYTES_MAX];
    assert_true(form_parse(text, &f));
    size_t size = form_encode(&f, &r, code);
    assert_true(size && p->used + size < CODE_MAX);
    memcpy(p->code + p->used, code, size);
    p->at[p->count++] = (uintptr_t)(p->code + p->used);
    p->used += size;
}

/* Appends dec rcx and jnz, a jump back to an instruction. */
static void put_back(struct program *p, size_t target)
{
    put(p, "dec r64", 1, 0, 0);
    unsigned char jump[6] = {0x0f, 0x85};
    int distance = (int)((intptr_t)p->at[target] - (intptr_t)(p->code + p->used + sizeof jump));
    memcpy(jump + 2, &distance, sizeof distance);
    memcpy(p->code + p->used, jump, sizeof jump);
    p->at[p->count++] = (uintptr_t)(p->code + p->used);
    p->used += sizeof jump;
}

static struct program program_new(void)
{
    return (struct program){.code = keep(memory_zeroed(1, CODE_MAX))};
}

/* Two pipes multiply and two add, as on Zen; six instructions are issued per cycle. */
static struct instruction_table made_up_core(void)
{
#define FORM(text, its_latency, its_cycles, ...)                                                   \
    {                                                                                              \
        .form = text, .latency = its_latency, .latency_mixed = its_latency, .cycles = its_cycles,  \
        __VA_ARGS__                                                                                \
    }
    static const struct instruction forms[] = {
        FORM("vmulps ymm ymm ymm", 3, 0.5, .bits = 256, .use = {.set = 3, .work = 1}),
        FORM("vaddps ymm ymm ymm", 3, 0.5, .bits = 256, .use = {.set = 12, .work = 1}),
        FORM("vfmadd231ps ymm ymm ymm", 4, 0.5, .bits = 256, .use = {.set = 3, .work = 1}),
        FORM("vdivps ymm ymm ymm", 13, 6, .bits = 256, .use = {.set = 1, .work = 6}),
        FORM("nop", NAN, 1. / 6, .bits = 0),
        FORM("dec r64", 1, 0.25, .bits = 0),
        FORM("lea r64 m64", 1, 0.25, .bits = 0),
        FORM("vmovups ymm m256", 7, 0.5, .bits = 256),
    };
    struct instruction_table t = {.core = {.slots = 6, .general = 4, .branch_cycles = 1},
                                  .items = keep(memory_new(sizeof forms)),
                                  .count = sizeof forms / sizeof *forms};
    memcpy(t.items, forms, sizeof forms);
    for (size_t i = 0; i < t.count; i++) t.items[i].status = STATUS_OK;
    return t;
}

enum { PASSES = 200 };

/* A loop of copies of some forms, and the cycles of a pass if nothing waits but for one part. */
static const struct made {
    struct {
        unsigned copies;
        const char *form;
    } lines[3];
    double pipes, load, general, slots;
    unsigned busiest;
    unsigned library; /* instructions of a pass, from the second one on, that are a library's */
} made[] = {
    {{{12, "vmulps ymm ymm ymm"}, {4, "vaddps ymm ymm ymm"}}, 6, 0, 0.25, 17. / 6, 3, 0},
    {{{1, "vdivps ymm ymm ymm"}, {1, "vmulps ymm ymm ymm"}}, 6, 0, 0.25, 1, 1, 0},
    {{{4, "vmulps ymm ymm ymm"}, {4, "vaddps ymm ymm ymm"}}, 2, 0, 0.25, 9. / 6, 3, 0},
    {{{8, "vmovups ymm m256"}}, 0, 4, 0.25, 9. / 6, 0, 0},
    {{{12, "lea r64 m64"}, {12, "nop"}}, 0, 0, 3.25, 25. / 6, 0, 0},
    {{{12, "vmulps ymm ymm ymm"}}, 6, 0, 0.25, 13. / 6, 3, 7},
};

/* Explains a trace of the body's passes. */
static struct explained *run(const struct program *p, const struct instruction_table *t,
                             unsigned library)
{
    struct explained *x = keep(memory_zeroed(1, sizeof *x));
    struct trace trace = {.steps = keep(memory_new(PASSES * p->count * sizeof *trace.steps))};
    for (size_t pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < p->count; i++) trace.steps[trace.count++] = p->at[i];
    code_decode(&x->code, &trace);
    code_cost(&x->code, t);
    for (size_t i = 0; i < x->code.count; i++) x->code.ops[i].library = i >= 1 && i <= library;
    x->elements = PASSES * 8;
    explain_code(x, &t->core);
    return x;
}

TEST(each_part_of_the_core_is_counted)
{
    struct instruction_table t = made_up_core();
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        const struct made *m = &made[i];
        struct program p = program_new();
        for (size_t k = 0; k < 3 && m->lines[k].form; k++)
            for (unsigned copy = 0; copy < m->lines[k].copies; copy++)
                put(&p, m->lines[k].form, 8 + copy % 4, strstr(m->lines[k].form, " m") ? 7 : 14,
                    15);
        put_back(&p, 0);
        struct explained *x = run(&p, &t, m->library);
        const struct explained_loop *l = &x->loops[0];
        assert_int_equal(x->loop_count, 2); /* the loop, and the code outside of loops */
        assert_int_equal(l->passes, PASSES);
        assert_true(l->share == 1 && x->unmeasured == 0);
        if (fabs(l->pipes_cycles - m->pipes) > 1e-9 || fabs(l->load_cycles - m->load) > 1e-9 ||
            fabs(l->general_cycles - m->general) > 1e-9 || fabs(l->slot_cycles - m->slots) > 1e-9 ||
            l->busiest != m->busiest)
            fail_msg("loop %zu: pipes %x %g, loads %g, general %g, slots %g", i, l->busiest,
                     l->pipes_cycles, l->load_cycles, l->general_cycles, l->slot_cycles);
        assert_true(fabs(x->library_share - m->library / (double)p.count) < 1e-9);
    }
}

/* ---- Loops ----------------------------------------------------------------------------------- */

/* Two nests of loops, with 4 passes of 5, and code around them: each instruction belongs to the
 * innermost loop. */
TEST(loops_are_found)
{
    struct program p = program_new();
    put(&p, "vmulps ymm ymm ymm", 0, 14, 15); /* 0 */
    put(&p, "vaddps ymm ymm ymm", 1, 14, 15); /* 1: outer */
    put(&p, "vaddps ymm ymm ymm", 2, 14, 15); /* 2: inner */
    put_back(&p, 2);                          /* 3, 4 */
    put_back(&p, 1);                          /* 5, 6 */
    put(&p, "vmulps ymm ymm ymm", 0, 14, 15); /* 7 */
    struct trace t = {.steps = keep(memory_new(400 * sizeof *t.steps))};
    t.steps[t.count++] = p.at[0];
    for (int outer = 0; outer < 4; outer++) {
        t.steps[t.count++] = p.at[1];
        for (int inner = 0; inner < 5; inner++)
            for (int i = 2; i < 5; i++) t.steps[t.count++] = p.at[i];
        for (int i = 5; i < 7; i++) t.steps[t.count++] = p.at[i];
    }
    t.steps[t.count++] = p.at[7];
    struct explained *x = keep(memory_zeroed(1, sizeof *x));
    struct instruction_table table = made_up_core();
    code_decode(&x->code, &t);
    code_cost(&x->code, &table);
    for (size_t i = 0; i < x->code.count; i++) x->code.ops[i].library = false;
    x->elements = 1;
    explain_code(x, &table.core);
    assert_int_equal(x->loop_count, 3);
    size_t found = 0;
    for (size_t i = 0; i < 3; i++) {
        const struct explained_loop *l = &x->loops[i];
        if (l->head == p.at[2]) {
            found++;
            assert_true(l->tail == p.at[4] && l->passes == 20 && l->op_count == 3);
            assert_true(l->counts[KIND_ADD] == 1 && l->instructions == 3);
        } else if (l->head == p.at[1]) {
            found++;
            assert_true(l->tail == p.at[6] && l->passes == 4 && l->op_count == 3);
        } else
            assert_true(!l->head && l->counts[KIND_MUL] == 2);
    }
    assert_int_equal(found, 2);
}

/* ---- Two ------------------------------------------------------------------------------------- */

static struct explained *polynomial(bool fused, struct program *p,
                                    const struct instruction_table *t)
{
    *p = program_new();
    for (unsigned i = 0; i < 4; i++)
        if (fused)
            put(p, "vfmadd231ps ymm ymm ymm", 0, 14, 15);
        else {
            put(p, "vmulps ymm ymm ymm", 1, 14, 15);
            put(p, "vaddps ymm ymm ymm", 0, 0, 1);
        }
    put(p, "vmulps ymm ymm ymm", 2, 0, 15);
    put_back(p, 0);
    return run(p, t, 0);
}

TEST(pairs_that_fused_are_counted)
{
    struct instruction_table t = made_up_core();
    struct program p, q;
    struct explained *a = polynomial(false, &p, &t), *b = polynomial(true, &q, &t);
    a->cycles = 4, b->cycles = 3;
    assert_facts(keep(explain_difference(a, 8, b, 8)), "fused=4 'words~4 pairs' ratio=0.75");
    assert_facts(keep(explain_difference(b, 8, a, 8)), "fused=-4");
    const json_t *lines = keep(explain_side_by_side(a, b));
    assert_int_equal(fact_count(lines, "1="), 3); /* the last product, and the jump back */
    assert_int_equal(fact_count(lines, "1=|"), 4);
    assert_int_equal(fact_count(lines, "1=<"), 4);
}

/* ---- A variant ------------------------------------------------------------------------------- */

/* Returns the first variant, under `off`, of a kernel that runs here. */
static const struct variant *find(const struct registry *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (v->status == STATUS_OK && !v->peer && !v->study &&
            v->kernel->arithmetic != ARITHMETIC_LIBRARY && !strcmp(v->policy, "off") &&
            isa_lanes(v->isa) == 8)
            return v;
    }
    return NULL;
}

/* The trace does not depend on time: a row twice as long has twice the passes in its hottest loop.
 */
TEST(a_variant_is_followed)
{
    struct cpu cpu;
    struct registry r = registry_of_filter(NULL);
    static struct bench_setup s;
    struct error e;
    struct instruction_table t = made_up_core();
    const struct variant *v = find(&r);
    if (!v) skip();
    assert_int_equal(bench_open(&s, &cpu, &e), 0);
    size_t passes[2] = {0};
    for (size_t i = 0; i < 2; i++) {
        struct cell c = {.variant = v, .rows = 1, .n = (size_t)4096 << i, .threads = 1};
        struct trace trace;
        struct explained *x = keep(memory_zeroed(1, sizeof *x));
        snprintf(c.family, sizeof c.family, "normal");
        assert_int_equal(trace_run(&trace, &c, &s, &cpu, 0, &e), 0);
        assert_true(trace.cycles > 0 && trace.cycles_flushed > 0 && !trace.cut);
        code_decode(&x->code, &trace);
        code_cost(&x->code, &t);
        x->elements = (double)c.n;
        explain_code(x, &t.core);
        for (size_t k = 0; k < x->loop_count; k++)
            if (x->loops[k].passes > passes[i]) passes[i] = x->loops[k].passes;
    }
    assert_true(passes[0] >= 4);
    assert_true(passes[1] >= 2 * passes[0] - 4 && passes[1] <= 2 * passes[0] + 4);
}

/* The forms that every supported CPU has are measured, and none kills its child. */
TEST(forms_are_measured)
{
    char *forms[] = {"vaddps ymm ymm ymm",
                     "vcmpps ymm ymm ymm i",
                     "vmovups ymm m256",
                     "mov m64 r64",
                     "vgatherdps ymm [ymm] ymm",
                     "vaddpd ymm ymm ymm",
                     NULL};
    const struct cpu cpu = this_cpu(NULL);
    struct error e;
    static struct instruction_table t;
    assert_int_equal(instructions_measure(&t, &cpu, forms, NULL, NULL, &e), 0);
    assert_int_equal(t.count, 6);
    for (size_t i = 0; i < t.count; i++) {
        assert_int_equal(t.items[i].status, STATUS_OK);
        assert_true(t.items[i].cycles > 0);
        /* Subnormal floats in the halves of doubles would hold the divider up for four cycles. */
        if (strstr(t.items[i].form, "addp")) assert_true(t.items[i].use.hindrance < 2);
    }
    assert_true(t.core.slots > 0 && t.core.basis[1].pipes > 0);
    assert_int_equal(json_array_size(keep(instructions_records(&t))), 7);
}

/* ---- Names ----------------------------------------------------------------------------------- */

TEST(cores_have_names)
{
    static const struct {
        const char *vendor;
        unsigned family, model, stepping;
        const char *name, *llvm;
    } cores[] = {{"AuthenticAMD", 25, 1, 1, "Zen 3", "znver3"},
                 {"AuthenticAMD", 25, 17, 1, "Zen 4", "znver4"},
                 {"AuthenticAMD", 26, 2, 1, "Zen 5", "znver5"},
                 {"GenuineIntel", 6, 207, 2, "Emerald Rapids", "emeraldrapids"},
                 {"GenuineIntel", 6, 85, 4, "Skylake-SP", "skylake-avx512"},
                 {"GenuineIntel", 6, 85, 7, "Cascade Lake", "cascadelake"}};
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        const struct microarchitecture *m = microarchitecture_of(cores[i].vendor, cores[i].family,
                                                                 cores[i].model, cores[i].stepping);
        assert_non_null(m);
        assert_string_equal(m->name, cores[i].name);
        assert_string_equal(m->llvm, cores[i].llvm);
    }
    assert_null(microarchitecture_of("AuthenticAMD", 6, 207, 2));
    assert_null(microarchitecture_of("GenuineIntel", 25, 1, 1));
}
