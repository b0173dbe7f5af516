// SPDX-License-Identifier: MIT
/* Compares the numbers of instructions that a kernel declares (include/kernel.h: ops) with those
 * that it executes. The kernel is single-stepped through rows of two lengths: the difference is the
 * cost of the additional vectors, over all passes, whatever the compiler unrolled, inlined, called
 * or fused. */
// test: 43 s of a core
#include <signal.h>
#include <ucontext.h>

#include <Zydis/Zydis.h>

#include "build.h"
#include "filtered.h"
#include "test.h"
#include "measure/bench_plan.h"
#include "model/registry.h"
#include "oracle/oracle.h"

/* ---- Stepping -------------------------------------------------------------------------------- */

extern const char __executable_start[], etext[]; /* defined by the linker */

/* How often the instruction at each address was executed, times `weight`, and the addresses whose
 * count was 0 before, once or twice each; global, because the signal handler counts. Instructions
 * of libraries, outside of the program, are not counted. */
static int32_t *reached, weight;
static uint32_t touched[1 << 16];
static size_t touched_count;

static void count_step(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    uintptr_t begin = (uintptr_t)__executable_start, end = (uintptr_t)etext;
    if (at < begin || at >= end) return;
    if (reached[at - begin] == 0 && touched_count++ < sizeof touched / sizeof *touched)
        touched[touched_count - 1] = (uint32_t)(at - begin);
    reached[at - begin] += weight;
}

/* Sets or clears the trap flag: while it is set, the CPU raises SIGTRAP after every instruction. */
static inline void trap(bool on)
{
    if (on)
        __asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
    else
        __asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
}

static void step_through(const struct kernel *k, const struct job *j, int32_t times)
{
    k->run(j); /* resolves symbols that are bound lazily */
    weight = times;
    trap(true);
    k->run(j);
    trap(false);
}

/* Steps through one thread's share of a row divided into `parts`, after all parts have run once. */
static void step_through_share(const struct kernel *k, const struct job *j, size_t parts,
                               int32_t times)
{
    for (unsigned stage = 0; stage < k->stages; stage++)
        for (size_t part = 0; part < parts; part++) k->stage(j, stage, part, parts);
    weight = times;
    for (unsigned stage = 0; stage < k->stages; stage++) {
        trap(true);
        k->stage(j, stage, 0, parts);
        trap(false);
    }
}

/* ---- Classifying ----------------------------------------------------------------------------- */

struct executed {
    double fma, mul, add, max, other, permute; /* permute: a part of other */
};

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static bool ends(const char *name, const char *with)
{
    size_t n = strlen(name), m = strlen(with);
    return n >= m && !strcmp(name + n - m, with);
}

static bool is_vector(const ZydisDecodedOperand *o)
{
    if (o->type != ZYDIS_OPERAND_TYPE_REGISTER) return false;
    ZydisRegisterClass c = ZydisRegisterGetClass(o->reg.value);
    return c == ZYDIS_REGCLASS_YMM || c == ZYDIS_REGCLASS_ZMM || c == ZYDIS_REGCLASS_XMM;
}

/* Returns whether an instruction only moves data, so that it needs no arithmetic port: loads,
 * stores, broadcasts from memory, register moves. A masked move counts as a blend. */
static bool only_moves(const char *name, const ZydisDecodedInstruction *i,
                       const ZydisDecodedOperand *o)
{
    if (!begins(name, "vmov") && !begins(name, "vbroadcast") && !begins(name, "vlddqu"))
        return false;
    bool memory = false;
    for (size_t k = 0; k < i->operand_count_visible; k++)
        memory = memory || o[k].type == ZYDIS_OPERAND_TYPE_MEMORY;
    if (memory) return true;
    bool masked =
        i->avx.mask.mode == ZYDIS_MASK_MODE_MERGING || i->avx.mask.mode == ZYDIS_MASK_MODE_ZEROING;
    return (begins(name, "vmova") || begins(name, "vmovu") || begins(name, "vmovdq")) && !masked;
}

/* vxorps a, b, b, which gives zero without a port. */
static bool zeroes(const char *name, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
    return (begins(name, "vxorp") || begins(name, "vpxor")) && i->operand_count_visible >= 3 &&
           o[i->operand_count_visible - 1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           o[i->operand_count_visible - 1].reg.value == o[i->operand_count_visible - 2].reg.value;
}

/* Returns whether an instruction permutes by a vector of indices across lanes. */
static bool is_lookup(const char *name)
{
    return begins(name, "vpermd") || begins(name, "vpermps") || begins(name, "vpermi2") ||
           begins(name, "vpermt2");
}

/* Adds one instruction to its class. In a kernel with vectors, scalar arithmetic counts as `other`.
 */
static void classify(struct executed *sum, double times, bool scalar,
                     const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
    const char *name = ZydisMnemonicGetString(i->mnemonic);
    bool vector = false,
         real = ends(name, scalar ? "ss" : "ps") || ends(name, scalar ? "sd" : "pd");
    for (size_t k = 0; k < i->operand_count_visible; k++) vector = vector || is_vector(&o[k]);
    if (!vector || name[0] != 'v' || begins(name, "vzero") || only_moves(name, i, o) ||
        zeroes(name, i, o))
        return;
    if (real && (begins(name, "vfmadd") || begins(name, "vfmsub") || begins(name, "vfnmadd") ||
                 begins(name, "vfnmsub")))
        sum->fma += times;
    else if (real && begins(name, "vmul"))
        sum->mul += times;
    else if (real && (begins(name, "vadd") || begins(name, "vsub")))
        sum->add += times;
    else if (real && (begins(name, "vmax") || begins(name, "vmin")))
        sum->max += times;
    else {
        sum->other += times;
        if (is_lookup(name)) sum->permute += times;
    }
}

/* Adds up all instructions that were executed. */
static struct executed executed_all(double scale, bool scalar)
{
    struct executed sum = {0};
    ZydisDecoder decoder;
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    size_t size = (size_t)(etext - __executable_start);
    assert_true(touched_count <= sizeof touched / sizeof *touched);
    for (; touched_count > 0; touched_count--) {
        const size_t at = touched[touched_count - 1];
        int32_t times = reached[at];
        if (times == 0) continue;
        reached[at] = 0;
        assert_true(ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(&decoder, __executable_start + at, size - at, &i, operands)));
        classify(&sum, times * scale, scalar, &i, operands);
    }
    return sum;
}

/* ---- The check ------------------------------------------------------------------------------- */

/* Vectors per row: MANY for kernels that use another code path in rows of FEW. Each step is an
 * exception, which is slow in a virtual machine. SHORT_ROW is shorter than an octet, and a quad
 * longer than two virtual registers. */
enum { FEW = 16, MANY = 64, LONGEST = 4 * MANY * 16, SHORT_ROW = 96 };

struct rows {
    float x[LONGEST], y[LONGEST + 2], gamma[LONGEST], scratch[2 * LONGEST + 256];
};

static unsigned lanes_of(const struct variant *v)
{
    return width_lanes(width_of_isa(v->isa));
}

/* Rows have a multiple of so many elements: a kernel's lanes, or those of a vector. */
static size_t unit_of(const struct variant *v)
{
    return v->kernel->lanes > lanes_of(v) ? v->kernel->lanes : lanes_of(v);
}

/* Fills rows with values for which no kernel takes a path for special values: positive ones for a
 * logarithm. */
static void fill(struct rows *rows, const struct variant *v)
{
    float least = strcmp(v->op, "log") ? -2 : 1;
    for (size_t i = 0; i < LONGEST; i++)
        rows->x[i] = rows->gamma[i] = (float)(i * 2654435761u % 4096) / 1024 + least;
}
static bool has_affine(const struct variant *v)
{
    return oracle_is_affine(oracle_find(v->op));
}

static struct executed executed(const struct variant *v, struct rows *rows, size_t shorter,
                                size_t longer)
{
    fill(rows, v);
    struct job j = {.rows = 1,
                    .x = rows->x,
                    .y = rows->y,
                    .scale = 1.0f,
                    .log_output = v->kernel->log_output,
                    .eps = 1e-5f,
                    .gamma = has_affine(v) ? rows->gamma : NULL,
                    .beta = has_affine(v) ? rows->gamma : NULL,
                    .scratch = rows->scratch};
    for (int32_t times = 1; times >= -1; times -= 2) {
        j.n = j.x_stride = j.y_stride = times > 0 ? longer : shorter;
        step_through(v->kernel, &j, times);
    }
    return executed_all((double)lanes_of(v) / (double)(longer - shorter), lanes_of(v) == 1);
}

/* A row so long that stepping through all of it would take minutes: instead, a share of two blocks
 * is compared with a share of one. */
enum { BLOCK = 4096, BLOCKS = 1024, LONG_ROW = BLOCKS * BLOCK };
struct long_row {
    float x[LONG_ROW], y[LONG_ROW], scratch[2 * LONG_ROW + 256];
};
static struct executed executed_in_shares(const struct variant *v, struct long_row *row)
{
    struct job j = {.rows = 1,
                    .n = LONG_ROW,
                    .x = row->x,
                    .y = row->y,
                    .log_output = v->kernel->log_output,
                    .gamma = has_affine(v) ? row->x : NULL,
                    .beta = has_affine(v) ? row->x : NULL,
                    .scratch = row->scratch};
    j.x_stride = j.y_stride = LONG_ROW;
    for (int32_t blocks = 1; blocks <= 2; blocks++)
        step_through_share(v->kernel, &j, (size_t)(BLOCKS / blocks), blocks == 2 ? 1 : -1);
    return executed_all((double)lanes_of(v) / BLOCK, lanes_of(v) == 1);
}

/* Declared counts are a lower bound of the time, so a kernel must not declare more than it
 * executes. It may declare a little less: for instructions that are executed once in many vectors,
 * or where a compiler computes a product twice in order to fuse it, or adds blends and copies.
 * Scalar work that a compiler fails to remove (clang-14 keeps unused sums) is not counted against a
 * kernel. */
struct slack {
    double share, arithmetic, other;
};

static struct slack slack_of(const struct variant *v)
{
    return lanes_of(v) > 1 ? (struct slack){0.08, 0.15, 4} : (struct slack){2, 2, 8};
}

static bool covers(double code, double declared, double share, double more)
{
    return code >= declared - 1e-9 && code <= declared * (1 + share) + more + 1e-9;
}

static bool agrees(const struct variant *v, const struct vector_ops *o, struct executed code)
{
    const struct slack s = slack_of(v);
    struct instructions said = variant_instructions(v, o);
    double fused = code.fma - o->fma; /* each fused instruction replaces an addition */
    return covers(code.fma + code.mul, said.mul, s.share, s.arithmetic) &&
           covers(code.add + fused, o->add + o->mad, s.share, s.arithmetic) &&
           code.add >= said.add - 1e-9 && covers(code.max, said.max, s.share, 0) &&
           covers(code.other, said.other, s.share, s.other) &&
           covers(code.permute, said.permute, s.share, s.other) && fused > -1e-9;
}

static bool holds(const struct variant *v, const struct vector_ops *o, struct executed code)
{
    struct instructions said = variant_instructions(v, o);
    if (agrees(v, o, code)) return true;
    print_error("%s: executes %g fma, %g mul, %g add, %g max, %g other (%g permuting) per vector; "
                "it says %g fma or mul, %g add, %g max, %g other (%g permuting)\n",
                v->id, code.fma, code.mul, code.add, code.max, code.other, code.permute, said.mul,
                said.add, said.max, said.other, said.permute);
    return false;
}

/* Counts are declared for the code that gcc 12 and clang 14 generate. If another compiler needs an
 * instruction less, the test prints that. */
static bool is_declared_for(const struct variant *v)
{
    for (size_t i = 0; i < build_compiler_count; i++) {
        const struct build_compiler *c = &build_compilers[i];
        if (!strcmp(c->cc, v->cc))
            return !strncmp(c->version, strncmp(c->cc, "gcc", 3) ? "14." : "12.", 3);
    }
    return false;
}

/* Returns whether a variant is checked. */
static bool is_checked(const struct variant *v)
{
    return v->kernel && !v->peer && !v->study && v->status == STATUS_OK &&
           variant_instructions(v, &v->kernel->ops).lanes && !strcmp(v->dtype, "f32");
}

/* Equal machine code is stepped through once. */
static bool is_first(const struct registry *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (is_checked(&r->variants[k]) && !strcmp(r->variants[k].op, r->variants[i].op) &&
            r->variants[k].build->code_hash == r->variants[i].build->code_hash)
            return false;
    return true;
}

TEST(kernels_count_their_instructions)
{
#ifdef __SANITIZE_ADDRESS__
    skip(); /* the sanitizers' checks would be counted */
#endif
    struct registry r = registry_of_filter(NULL);
    struct sigaction action = {.sa_sigaction = count_step, .sa_flags = SA_SIGINFO};
    struct rows *rows = aligned_alloc(64, (sizeof *rows + 63) / 64 * 64);
    struct long_row *row = aligned_alloc(64, (sizeof *row + 63) / 64 * 64);
    size_t checked = 0, short_rows = 0, long_rows = 0, logs = 0, wrong = 0;
    reached = calloc((size_t)(etext - __executable_start), sizeof *reached);
    assert_true(rows && row && reached);
    memset(row, 0, sizeof *row);
    assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
    for (size_t i = 0; i < r.count; i++)
        if (is_checked(&r.variants[i]) && is_first(&r, i)) {
            const struct variant *v = &r.variants[i];
            const bool log = v->kernel->log_output;
            const struct job short_job = {.rows = 1, .n = SHORT_ROW, .log_output = log};
            const struct job long_job = {.rows = 1, .n = LONG_ROW, .log_output = log};
            const struct vector_ops *ops = &v->kernel->ops,
                                    *short_ops = job_ops(v->kernel, &short_job),
                                    *long_ops = job_ops(v->kernel, &long_job);
            const size_t unit = unit_of(v), few = 2 * unit * FEW, many = 2 * unit * MANY;
            bool right = agrees(v, ops, executed(v, rows, few, 2 * few)) ||
                         holds(v, ops, executed(v, rows, many, 2 * many));
            checked++;
            logs += log;
            if (short_ops != ops) {
                right &= holds(v, short_ops, executed(v, rows, 2 * unit, SHORT_ROW));
                short_rows++;
            }
            if (long_ops != ops && lanes_of(v) > 1) {
                right &= holds(v, long_ops, executed_in_shares(v, row));
                long_rows++;
            }
            wrong += !right && is_declared_for(v);
        }
    free(reached);
    free(rows);
    free(row);
    assert_true(checked > 0 && short_rows > 0 && long_rows > 0 && logs > 0);
    assert_int_equal(wrong, 0);
}

/* Every operation for which the lab has vectorised kernels. */
TEST(every_own_kernel_counts)
{
    static const char *const ops[] = {
        "softmax", "log_softmax", "logsumexp", "moments",       "layernorm", "rmsnorm",
        "exp",     "log",         "log2",      "sigmoid",       "gelu",      "exp2",
        "expm1",   "log1p",       "tanh",      "erf",           "silu",      "softplus",
        "sin",     "cos",         "rsqrt",     "layernorm_bare"};
    struct registry r = registry_of_filter(NULL);
    for (size_t i = 0; i < r.count; i++) {
        const struct variant *v = &r.variants[i];
        bool known = false;
        for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
            known = known || !strcmp(v->op, ops[k]);
        if (known && v->kernel && !v->study && variant_counts_hold(v) && lanes_of(v) > 1 &&
            strcmp(v->algorithm, "correct") != 0 && /* what it does depends on the data */
            v->kernel->lanes > 1 && v->kernel->arithmetic != ARITHMETIC_LIBRARY &&
            !variant_instructions(v, &v->kernel->ops).lanes)
            fail_msg("%s: declares no instructions", v->id);
    }
}
