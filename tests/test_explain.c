// SPDX-License-Identifier: MIT
/* ulplab explain and ulplab instructions: forms, pipes, the model and what limits it, on made-up
 * cores; nothing here depends on a time. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "machine/microarchitecture.h"
#include "measure/instructions.h"
#include "study/explain.h"
#include "study/explain_binding.h"
#include "study/explain_loops.h"
#include "study/explain_two.h"
#include "study/explain_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* last: its macro fail() hides the lab's function */

/* ---- Forms ----------------------------------------------------------------------------------- */

static void forms_are_encoded(void **state)
{
    (void)state;
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
static void every_form_of_the_table_is_one(void **state)
{
    (void)state;
    struct cpu cpu = {.features = ~0ull};
    struct form f;
    char **forms = instruction_forms(&cpu);
    size_t count = 0;
    for (; forms[count]; count++) {
        if (!form_parse(forms[count], &f)) fail_msg("no form: %s", forms[count]);
        for (size_t k = 0; k < count; k++) assert_string_not_equal(forms[k], forms[count]);
        free(forms[count]);
    }
    free(forms);
    assert_true(count >= 150);
}

static void hidden_isas_have_no_forms(void **state)
{
    (void)state;
    struct cpu cpu;
    struct error e;
    assert_int_equal(cpu_detect(&cpu, "avx512", &e), 0);
    char **forms = instruction_forms(&cpu);
    for (size_t i = 0; forms[i]; i++) {
        assert_null(strstr(forms[i], "zmm"));
        assert_null(strstr(forms[i], "{k}"));
        free(forms[i]);
    }
    free(forms);
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
static void pipes_are_found_from_mixes(void **state)
{
    (void)state;
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
    return (struct program){.code = memory_zeroed(1, CODE_MAX)};
}

/* Two pipes multiply and two add, as on Zen; six instructions are issued per cycle. */
static struct instruction_table made_up_core(void)
{
    static const struct instruction forms[] = {
        {.form = "vmulps ymm ymm ymm",
         .bits = 256,
         .latency = 3,
         .latency_mixed = 3,
         .cycles = 0.5,
         .use = {.set = 3, .work = 1}},
        {.form = "vaddps ymm ymm ymm",
         .bits = 256,
         .latency = 3,
         .latency_mixed = 3,
         .cycles = 0.5,
         .use = {.set = 12, .work = 1}},
        {.form = "vfmadd231ps ymm ymm ymm",
         .bits = 256,
         .latency = 4,
         .latency_mixed = 4,
         .cycles = 0.5,
         .use = {.set = 3, .work = 1}},
        {.form = "vdivps ymm ymm ymm",
         .bits = 256,
         .latency = 13,
         .latency_mixed = 13,
         .cycles = 6,
         .use = {.set = 1, .work = 6}},
        {.form = "dec r64", .latency = 1, .latency_mixed = 1, .cycles = 0.25},
        {.form = "lea r64 m64", .latency = 1, .latency_mixed = 1, .cycles = 0.25},
        {.form = "vmovups ymm m256", .bits = 256, .latency = 7, .latency_mixed = 7, .cycles = 0.5},
    };
    struct instruction_table t = {
        .core = {.slots = 6, .general = 4, .branch_cycles = 1, .window = 200, .scheduler = 60},
        .items = memory_new(sizeof forms),
        .count = sizeof forms / sizeof *forms};
    memcpy(t.items, forms, sizeof forms);
    for (size_t i = 0; i < t.count; i++) t.items[i].status = STATUS_OK;
    return t;
}

enum { PASSES = 200 };

/* Code that is made to be bound by something. Copies are independent, or one chain. */
struct made {
    enum binding binds;
    double cycles; /* of a pass, by the model of the core */
    struct {
        unsigned copies;
        const char *form;
        bool chained;
    } lines[4];
    unsigned library; /* instructions of a pass, from the second one on, that are a library's */
    double flushed;   /* time with subnormals flushed over the time without; 0: not measured */
    size_t caches[LEVEL_DRAM];
    double memory; /* cycles of a pass */
};

/* Explains a trace of the body's passes. Loads walk through memory, a line each. */
static struct explained *run_made(const struct program *p, const struct instruction_table *t,
                                  const struct made *m)
{
    static const double bytes_per_cycle[LEVELS] = {0, 32, 8, 2};
    struct explained *x = memory_zeroed(1, sizeof *x);
    struct trace trace = {.steps = memory_new(PASSES * p->count * sizeof *trace.steps)};
    uintptr_t line = 1 << 20;
    for (size_t pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < p->count; i++)
            trace.steps[trace.count++] =
                (struct trace_step){.at = p->at[i], .memory = m->memory > 0 ? line += 64 : 0};
    code_decode(&x->code, &trace);
    code_cost(&x->code, t);
    for (size_t i = 0; i < x->code.count; i++) x->code.ops[i].library = i >= 1 && i <= m->library;
    for (size_t i = 0; i < x->code.step_count; i++)
        if (!x->code.ops[x->code.steps[i]].loads) x->code.memory[i] = 0;
    x->elements = PASSES * 8;
    x->scale = 1;
    x->facts.measured = m->flushed > 0 ? 1 : NAN;
    x->facts.flushed = m->flushed > 0 ? m->flushed : NAN;
    if (m->memory > 0) explain_memory(x, m->caches, bytes_per_cycle);
    explain_code(x, &t->core);
    free(trace.steps);
    return x;
}

static struct explained *run(const struct program *p, const struct instruction_table *t)
{
    return run_made(p, t, &(struct made){.cycles = 0});
}

static struct program made_program(const struct made *m)
{
    struct program p = program_new();
    for (size_t i = 0; i < 4 && m->lines[i].form; i++)
        for (unsigned k = 0; k < m->lines[i].copies; k++) {
            const char *form = m->lines[i].form;
            const bool memory = strstr(form, " m256") || strstr(form, " m64");
            const unsigned result = m->lines[i].chained ? 12 : memory ? 8 + k % 4 : k % 12;
            put(&p, form, result, memory ? 7 : m->lines[i].chained ? 12 : 14, 15);
        }
    put_back(&p, 0);
    return p;
}

static const char *const mul = "vmulps ymm ymm ymm", *const add = "vaddps ymm ymm ymm",
                         *const fused = "vfmadd231ps ymm ymm ymm", *const load = "vmovups ymm m256",
                         *const division = "vdivps ymm ymm ymm", *const lea = "lea r64 m64";

static void each_name_is_found(void **state)
{
    (void)state;
    const struct made kernels[] = {
        {BINDS_PORTS, 6, .lines = {{12, mul, false}, {4, add, false}}},
        {BINDS_PORTS, 6, .lines = {{1, division, false}, {1, mul, false}}},
        {BINDS_PORTS, 4, .lines = {{8, load, false}}},
        {BINDS_LATENCY, 15, .lines = {{5, add, true}, {1, mul, false}}},
        {BINDS_LATENCY, 4, .lines = {{1, fused, true}}},
        {BINDS_LATENCY, 18, .lines = {{3, mul, true}, {3, add, true}}},
        {BINDS_FRONT_END, 25.0 / 6, .lines = {{24, "nop", false}}},
        {BINDS_FRONT_END, 25.0 / 6, .lines = {{12, lea, false}, {12, "nop", false}}},
        {BINDS_FRONT_END, 31.0 / 6,
         .lines = {{2, mul, false}, {2, load, false}, {8, lea, false}, {18, "nop", false}}},
        {BINDS_MEMORY, 2, .lines = {{4, load, false}}, .caches = {1024, 1 << 20, 1 << 22},
         .memory = 8},
        {BINDS_MEMORY, 2, .lines = {{4, load, false}}, .caches = {1024, 2048, 1 << 22},
         .memory = 32},
        {BINDS_MEMORY, 2, .lines = {{4, load, false}}, .caches = {1024, 2048, 4096}, .memory = 128},
        {BINDS_SUBNORMALS, 12, .lines = {{4, mul, true}}, .flushed = 0.1},
        {BINDS_SUBNORMALS, 4, .lines = {{8, add, false}}, .flushed = 0.5},
        {BINDS_SUBNORMALS, 2, .lines = {{4, load, false}}, .flushed = 0.85},
        {BINDS_LIBRARY, 60, .lines = {{20, add, true}}, .library = 19},
        {BINDS_LIBRARY, 36, .lines = {{6, division, false}}, .library = 5},
        {BINDS_LIBRARY, 6, .lines = {{12, mul, false}}, .library = 11},
        {BINDS_TOGETHER, 4, .lines = {{1, fused, true}, {7, mul, false}}},
        {BINDS_TOGETHER, 4, .lines = {{8, mul, false}, {15, "nop", false}}},
        {BINDS_TOGETHER, 4, .lines = {{1, fused, true}, {22, "nop", false}}},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const struct made *m = &kernels[i];
        struct instruction_table t = made_up_core();
        struct program p = made_program(m);
        struct explained *x = run_made(&p, &t, m);
        char words[300];
        assert_int_equal(x->loop_count, 2); /* the loop, and the code outside of loops */
        assert_int_equal(x->loops[0].passes, PASSES);
        assert_true(x->loops[0].share > 0.9);
        if (x->binds != m->binds || fabs(x->loops[0].facts.model / m->cycles - 1) > 0.02 ||
            fabs(x->facts.memory - m->memory * PASSES) > 1e-6)
            fail_msg("kernel %zu: %s at %g cycles, memory %g; expected %s at %g and %g", i,
                     binding_name(x->binds), x->loops[0].facts.model, x->facts.memory / PASSES,
                     binding_name(m->binds), m->cycles, m->memory);
        explain_words(x, &t.core, words, sizeof words);
        if (m->binds != BINDS_TOGETHER && m->binds != BINDS_LIBRARY)
            assert_int_equal(strncmp(words, binding_name(m->binds), strlen(binding_name(m->binds))),
                             0);
        explain_free(x);
        instructions_free(&t);
        free(x);
        free(p.code);
    }
}

static void room_binds(void **state)
{
    (void)state;
    /* Each pass starts a new dependency chain, so the limit is how many instructions may wait: a
     * pass of 30 instructions takes 120 cycles; 60 may wait, which are two passes. */
    struct program room = program_new();
    put(&room, "vmulps ymm ymm ymm", 0, 14, 15);
    for (unsigned i = 1; i < 30; i++) put(&room, "vfmadd231ps ymm ymm ymm", 0, 0, 15);
    put_back(&room, 0);
    struct instruction_table t = made_up_core();
    struct explained *x = run(&room, &t);
    assert_int_equal(x->binds, BINDS_LATENCY);
    assert_true(x->facts.without_window < 0.7 * x->facts.model);
    explain_free(x);
    instructions_free(&t);
    free(x);
    free(room.code);
}

/* The verdict depends on the facts alone, whatever they come from. */
static void other_things_bind(void **state)
{
    (void)state;
    const struct binding_facts core = {.model = 100,
                                       .without_ports = 80,
                                       .without_latency = 95,
                                       .without_front_end = 100,
                                       .without_window = 100,
                                       .measured = 105,
                                       .flushed = 104};
    struct binding_facts f = core;
    assert_int_equal(binding_of(&f), BINDS_PORTS);
    f.memory = 90;
    assert_int_equal(binding_of(&f), BINDS_PORTS);
    f.memory = 130;
    assert_int_equal(binding_of(&f), BINDS_MEMORY);
    f.library_share = 0.7;
    assert_int_equal(binding_of(&f), BINDS_LIBRARY);
    f.flushed = 20;
    assert_int_equal(binding_of(&f), BINDS_SUBNORMALS);
    f = core;
    f.without_ports = f.without_latency = 99;
    assert_int_equal(binding_of(&f), BINDS_TOGETHER);
    f.flushed = NAN;
    assert_int_equal(binding_of(&f), BINDS_TOGETHER);
}

/* ---- Loops ----------------------------------------------------------------------------------- */

/* Two nests of loops, with 4 passes of 5, and code around them: each instruction belongs to the
 * innermost loop. */
static void loops_are_found(void **state)
{
    (void)state;
    struct program p = program_new();
    put(&p, "vmulps ymm ymm ymm", 0, 14, 15); /* 0 */
    put(&p, "vaddps ymm ymm ymm", 1, 14, 15); /* 1: outer */
    put(&p, "vaddps ymm ymm ymm", 2, 14, 15); /* 2: inner */
    put_back(&p, 2);                          /* 3, 4 */
    put_back(&p, 1);                          /* 5, 6 */
    put(&p, "vmulps ymm ymm ymm", 0, 14, 15); /* 7 */
    struct trace t = {.steps = memory_new(400 * sizeof *t.steps)};
    t.steps[t.count++].at = p.at[0];
    for (int outer = 0; outer < 4; outer++) {
        t.steps[t.count++].at = p.at[1];
        for (int inner = 0; inner < 5; inner++)
            for (int i = 2; i < 5; i++) t.steps[t.count++].at = p.at[i];
        for (int i = 5; i < 7; i++) t.steps[t.count++].at = p.at[i];
    }
    t.steps[t.count++].at = p.at[7];
    struct explained *x = memory_zeroed(1, sizeof *x);
    struct instruction_table table = made_up_core();
    code_decode(&x->code, &t);
    code_cost(&x->code, &table);
    for (size_t i = 0; i < x->code.count; i++) x->code.ops[i].library = false;
    x->elements = x->scale = 1;
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
    explain_free(x);
    instructions_free(&table);
    free(x);
    free(t.steps);
    free(p.code);
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
    return run(p, t);
}

static void pairs_that_fused_are_counted(void **state)
{
    (void)state;
    struct instruction_table t = made_up_core();
    struct program p, q;
    struct explained *a = polynomial(false, &p, &t), *b = polynomial(true, &q, &t);
    json_t *d = explain_difference(a, 8, b, 8), *back = explain_difference(b, 8, a, 8);
    assert_true(json_real_value(json_object_get(d, "fused")) == 4);
    assert_non_null(strstr(json_string_value(json_object_get(d, "words")), "4 pairs"));
    assert_true(json_real_value(json_object_get(back, "fused")) == -4);
    assert_true(fabs(json_real_value(json_object_get(d, "model_ratio")) -
                     b->facts.model / a->facts.model) < 1e-9);
    struct explained_line *lines;
    size_t count = explain_align(a, b, &lines), both = 0, left = 0, changed = 0;
    for (size_t i = 0; i < count; i++) {
        both += lines[i].a >= 0 && lines[i].b >= 0 && !lines[i].changed;
        changed += lines[i].changed;
        left += lines[i].b < 0;
    }
    assert_int_equal(both, 3); /* the last product, and the jump back */
    assert_int_equal(changed, 4);
    assert_int_equal(left, 4);
    free(lines);
    json_decref(d);
    json_decref(back);
    explain_free(a);
    explain_free(b);
    free(a);
    free(b);
    free(p.code);
    free(q.code);
    instructions_free(&t);
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
static void a_variant_is_followed(void **state)
{
    (void)state;
    struct cpu cpu;
    struct registry r;
    struct bench_setup s;
    struct error e;
    struct instruction_table t = made_up_core();
    assert_int_equal(cpu_detect(&cpu, NULL, &e), 0);
    assert_int_equal(registry_open(&r, &cpu, NULL, 0, &e), 0);
    const struct variant *v = find(&r);
    if (!v) {
        registry_close(&r);
        instructions_free(&t);
        skip();
    }
    assert_int_equal(bench_open(&s, &cpu, &e), 0);
    size_t passes[2] = {0};
    for (size_t i = 0; i < 2; i++) {
        struct cell c = {.variant = v, .rows = 1, .n = (size_t)4096 << i, .threads = 1};
        struct trace trace;
        struct explained *x = memory_zeroed(1, sizeof *x);
        snprintf(c.family, sizeof c.family, "normal");
        assert_int_equal(trace_run(&trace, &c, &s, &cpu, 0, &e), 0);
        assert_true(trace.cycles > 0 && trace.cycles_flushed > 0 && !trace.cut);
        code_decode(&x->code, &trace);
        code_cost(&x->code, &t);
        x->elements = (double)c.n;
        explain_code(x, &t.core);
        for (size_t k = 0; k < x->loop_count; k++)
            if (x->loops[k].passes > passes[i]) passes[i] = x->loops[k].passes;
        explain_free(x);
        trace_free(&trace);
        free(x);
    }
    assert_true(passes[0] >= 4);
    assert_true(passes[1] >= 2 * passes[0] - 4 && passes[1] <= 2 * passes[0] + 4);
    bench_close(&s);
    registry_close(&r);
    instructions_free(&t);
}

/* The forms that every supported CPU has are measured, and none kills its child. */
static void forms_are_measured(void **state)
{
    (void)state;
    char *forms[] = {"vaddps ymm ymm ymm",
                     "vcmpps ymm ymm ymm i",
                     "vmovups ymm m256",
                     "mov m64 r64",
                     "vgatherdps ymm [ymm] ymm",
                     "vaddpd ymm ymm ymm",
                     NULL};
    struct cpu cpu;
    struct error e;
    struct instruction_table t = {.count = 0};
    assert_int_equal(cpu_detect(&cpu, NULL, &e), 0);
    assert_int_equal(instructions_measure(&t, &cpu, forms, NULL, NULL, &e), 0);
    assert_int_equal(t.count, 6);
    for (size_t i = 0; i < t.count; i++) {
        assert_int_equal(t.items[i].status, STATUS_OK);
        assert_true(t.items[i].cycles > 0);
        /* Subnormal floats in the halves of doubles would hold the divider up for four cycles. */
        if (strstr(t.items[i].form, "addp")) assert_true(t.items[i].use.hindrance < 2);
    }
    assert_true(t.core.slots > 0 && t.core.basis[1].pipes > 0);
    json_t *records = instructions_records(&t);
    assert_int_equal(json_array_size(records), 7);
    json_decref(records);
    instructions_free(&t);
}

/* ---- Names, and what others say -------------------------------------------------------------- */

static void cores_have_names(void **state)
{
    (void)state;
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
    assert_string_equal(mca_model_of("znver4"), "znver4");
    assert_string_equal(mca_model_of("emeraldrapids"), "sapphirerapids");
    assert_null(mca_model_of("haswell"));
    assert_null(microarchitecture_of("AuthenticAMD", 6, 207, 2));
    assert_null(microarchitecture_of("GenuineIntel", 25, 1, 1));
}

/* A program named llvm-mca that prints a report of 250 cycles for 100 passes, but rejects a CPU
 * that it does not know. */
static void llvm_mca_is_asked(void **state)
{
    (void)state;
    char folder[] = "/tmp/ulplab-mca-test-XXXXXX", path[80], was[4000], all[4200];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/llvm-mca-39", folder);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(
        out,
        "#!/bin/sh\ncase \"$*\" in\n*version*) echo '  LLVM version 39.0.1';;\n"
        "*znver5*) echo \"'znver5' is not a recognized processor\"; echo 'Total Cycles: 7';;\n"
        "*) grep -q vaddps \"$(echo \"$*\" | sed 's/.* //')\" && echo 'Total Cycles:      250';;\n"
        "esac\n");
    fclose(out);
    assert_int_equal(chmod(path, 0755), 0);
    snprintf(was, sizeof was, "%s", getenv("PATH"));
    snprintf(all, sizeof all, "%s:%s", folder, was);
    setenv("PATH", all, 1);
    struct mca m = mca_find();
    assert_string_equal(m.program, "llvm-mca-39");
    assert_string_equal(m.version, "39.0.1");
    struct program p = program_new();
    struct instruction_table t = made_up_core();
    put(&p, "vaddps ymm ymm ymm", 0, 0, 15);
    put_back(&p, 0);
    struct explained *x = run(&p, &t);
    assert_true(fabs(mca_cycles(&m, "znver3", x) - 2.5 * PASSES) < 1e-9);
    assert_true(isnan(mca_cycles(&m, "znver5", x)));
    setenv("PATH", folder, 1);
    unlink(path);
    m = mca_find();
    assert_string_equal(m.version, "");
    assert_true(isnan(mca_cycles(&m, "znver3", x)));
    setenv("PATH", was, 1);
    rmdir(folder);
    explain_free(x);
    instructions_free(&t);
    free(x);
    free(p.code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_encoded),
        cmocka_unit_test(every_form_of_the_table_is_one),
        cmocka_unit_test(hidden_isas_have_no_forms),
        cmocka_unit_test(pipes_are_found_from_mixes),
        cmocka_unit_test(each_name_is_found),
        cmocka_unit_test(room_binds),
        cmocka_unit_test(other_things_bind),
        cmocka_unit_test(loops_are_found),
        cmocka_unit_test(pairs_that_fused_are_counted),
        cmocka_unit_test(cores_have_names),
        cmocka_unit_test(llvm_mca_is_asked),
        cmocka_unit_test(a_variant_is_followed),
        cmocka_unit_test(forms_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
