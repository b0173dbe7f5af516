// SPDX-License-Identifier: MIT
#include "measure/loop_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/stats.h"

enum {
    CODE_BYTES = 1 << 16,
    DATA_BYTES = 1 << 16,
    VECTORS = 32,
    VECTOR_BYTES = 64,
    PROBE_BYTES = 4096,
};

typedef void loop_function(void *base, const void *values, void *unused, size_t passes);

struct loop_code {
    struct clock clock;
    bool wide; /* whether the CPU has zmm and mask registers */
    unsigned char *code, *data;
    unsigned char *chain, *nops; /* probes of the core, behind the loops' code */
    double unshared; /* nops per cycle while no other thread uses the core; 0: not known */
    double patience_s;
    size_t begin, used; /* where the body begins */
    bool full;
    _Alignas(VECTOR_BYTES) unsigned char values[VECTORS * VECTOR_BYTES];
};

/* ---- Assembling ------------------------------------------------------------------------------ */

static void put_bytes(struct loop_code *l, const void *bytes, size_t size)
{
    if (l->used + size > CODE_BYTES - 2 * PROBE_BYTES)
        l->full = true;
    else {
        memcpy(l->code + l->used, bytes, size);
        l->used += size;
    }
}
#define PUT(l, ...)                                                                                \
    put_bytes(l, (const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__}))

int loop_put(struct loop_code *l, const struct form *f, const struct form_registers *r)
{
    unsigned char code[INSTRUCTION_BYTES_MAX];
    size_t size = form_encode(f, r, code);
    put_bytes(l, code, size);
    return size > 0 && !l->full;
}

static void loop_code_put_text(struct loop_code *l, const char *text, struct form_registers r)
{
    struct form f;
    if (!form_parse(text, &f) || !loop_put(l, &f, &r)) l->full = true;
}

/* Saves the registers that the calling convention preserves, and fills all registers. */
static void put_prologue(struct loop_code *l, bool vectors)
{
    static const unsigned general[] = {0, 2, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15};
    PUT(l, 0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57); /* push rbx, rbp, r12-15 */
    for (unsigned i = 0; vectors && i < (l->wide ? VECTORS : VECTORS / 2); i++) {
        loop_code_put_text(l, l->wide ? "vmovups zmm m512" : "vmovups ymm m256",
                           (struct form_registers){.number = {i, 6}, .index = -1});
        PUT(l, 0x48, 0x83, 0xc6, VECTOR_BYTES); /* add rsi, 64 */
    }
    if (vectors && l->wide) {
        PUT(l, 0xb8, 0x55, 0x55, 0x55, 0x55); /* mov eax, 0x55555555 */
        for (unsigned k = 1; k < 8; k++)
            loop_code_put_text(l, "kmovd k r32", (struct form_registers){.number = {k, 0}});
    }
    for (size_t i = 0; i < sizeof general / sizeof *general; i++)
        loop_code_put_text(l, "xor r32 r32",
                           (struct form_registers){.number = {general[i], general[i]}});
}

static void put_epilogue(struct loop_code *l)
{
    PUT(l, 0x48, 0xff, 0xc9); /* dec rcx */
    int distance = (int)l->begin - (int)(l->used + 6);
    unsigned char jump[6] = {0x0f, 0x85}; /* jnz */
    memcpy(jump + 2, &distance, sizeof distance);
    put_bytes(l, jump, sizeof jump);
    PUT(l, 0xc5, 0xf8, 0x77); /* vzeroupper */
    PUT(l, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3);
}

static void loop_code_begin(struct loop_code *l, bool vectors)
{
    static const unsigned char nop = 0x90;
    l->used = 0;
    l->full = false;
    put_prologue(l, vectors);
    while (l->used % 64) put_bytes(l, &nop, 1);
    l->begin = l->used;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Near 1, with bits everywhere in the fraction's end, so that no divider is done early; and the
 * subnormals, of which products with it, sums and roots are inexact. */
static void fill_values(struct loop_code *l, enum loop_type type, enum loop_values values)
{
    static const struct {
        size_t bytes;
        unsigned long long value[3]; /* by enum loop_values */
    } patterns[] = {
        [TYPE_F32] = {4, {0x3f800153, 0x00012345}},
        [TYPE_F64] = {8, {0x3ff0000000015353, 0x0000012345678901}},
        [TYPE_F16] = {2, {0x3c03, 0x0123}},
        [TYPE_BF16] = {2, {0x3f83, 0x0023}},
    };
    for (size_t at = 0; at < sizeof l->values; at += patterns[type].bytes)
        memcpy(l->values + at, &patterns[type].value[values], patterns[type].bytes);
}

void loop_begin(struct loop_code *l, enum loop_type type, enum loop_values values)
{
    mprotect(l->code, CODE_BYTES, PROT_READ | PROT_WRITE);
    memset(l->data, 0, VECTOR_BYTES); /* an earlier loop stored there */
    fill_values(l, type, values);
    loop_code_begin(l, true);
}

/* ---- Running --------------------------------------------------------------------------------- */

enum { PROBE_LENGTH = 64, CHAIN_PASSES = 400, NOPS_PASSES = 200 };

static double loop_code_ticks_of(const struct loop_code *l, const unsigned char *code,
                                 size_t passes)
{
    loop_function *run = NULL;
    memcpy(&run, &code, sizeof run);
    uint64_t start = clock_now();
    run(l->data, l->values, NULL, passes);
    return (double)(clock_now() - start) - l->clock.floor_ticks;
}

static double ticks_per_cycle(const struct loop_code *l)
{
    return loop_code_ticks_of(l, l->chain, CHAIN_PASSES) / (PROBE_LENGTH * CHAIN_PASSES);
}

double loop_quartile(double *values, size_t count)
{
    stats_sort(values, count);
    return values[count / 4];
}

static double nops_per_cycle(const struct loop_code *l, double one_cycle)
{
    return PROBE_LENGTH * NOPS_PASSES * one_cycle / loop_code_ticks_of(l, l->nops, NOPS_PASSES);
}

double loop_nops_per_cycle(const struct loop_code *l)
{
    enum { PROBES = 200 };
    const double pause_s = 3e-3;
    double found[PROBES];
    for (size_t i = 0; i < PROBES; i++) {
        found[i] = nops_per_cycle(l, ticks_per_cycle(l));
        clock_pause(&l->clock, pause_s);
    }
    stats_sort(found, PROBES);
    return found[PROBES * 9 / 10];
}

void loop_wait_for_core(struct loop_code *l, double unshared)
{
    l->unshared = unshared;
}

struct loop_sample loop_sample(struct loop_code *l, double (*run)(void *context), void *context)
{
    const double most_of_it = 0.95;
    for (;;) {
        uint64_t begin = clock_now();
        double before = ticks_per_cycle(l), ticks = run(context);
        double one_cycle = fmin(before, ticks_per_cycle(l));
        if (l->patience_s <= 0 || nops_per_cycle(l, one_cycle) >= most_of_it * l->unshared)
            return (struct loop_sample){.ticks = ticks, .cycles = ticks / one_cycle};
        l->patience_s -= (double)(clock_now() - begin) / l->clock.tsc_hz;
    }
}

struct passes {
    const struct loop_code *l;
    size_t count;
};

static double loop_code_run_passes(void *context)
{
    const struct passes *p = context;
    return loop_code_ticks_of(p->l, p->l->code, p->count);
}

/* Cycles of a run, of several the middle of the faster half: what else the machine does makes
 * samples slower, and the core's clock, which may change between a run and its chain, either. */
static double run_cycles(struct loop_code *l, size_t passes, size_t samples)
{
    enum { SAMPLES_MAX = 64 };
    double cycles[SAMPLES_MAX] = {0};
    struct passes p = {l, passes};
    if (samples > SAMPLES_MAX) samples = SAMPLES_MAX;
    for (size_t i = 0; i < samples; i++)
        cycles[i] = loop_sample(l, loop_code_run_passes, &p).cycles;
    return loop_quartile(cycles, samples);
}

size_t loop_close(struct loop_code *l, double seconds)
{
    enum { WARM = 16 };
    put_epilogue(l);
    if (l->full || mprotect(l->code, CODE_BYTES, PROT_READ | PROT_EXEC) != 0) return 0;
    loop_code_ticks_of(l, l->code, WARM);
    double pass_s = loop_code_ticks_of(l, l->code, WARM) / WARM / l->clock.tsc_hz;
    return pass_s * 8 < seconds ? (size_t)(seconds / pass_s) : 8;
}

double loop_again(const struct loop_code *l, size_t passes)
{
    return loop_code_ticks_of(l, l->code, passes);
}

/* Returns the cycles of one pass. A run of a single pass is subtracted, because it contains the
 * code around the loop. */
double loop_cycles(struct loop_code *l, size_t samples)
{
    const size_t passes = loop_close(l, 20e-6);
    if (!passes) return NAN;
    loop_code_ticks_of(l, l->code, passes);
    double all = run_cycles(l, passes + 1, samples), around = run_cycles(l, 1, samples / 2);
    return (all - around) / (double)passes;
}

/* ---- Room ------------------------------------------------------------------------------------ */

/* Appends a loop of copies of one instruction to the code. */
static void put_probe(struct loop_code *l, unsigned char *to, const char *form)
{
    loop_code_begin(l, false);
    for (int i = 0; i < PROBE_LENGTH; i++)
        loop_code_put_text(l, form, (struct form_registers){.number = {0, 2}});
    put_epilogue(l);
    memcpy(to, l->code, l->used);
}

struct loop_code *loop_new(const struct cpu *cpu, const struct clock *clock)
{
    struct loop_code *l = aligned_alloc(VECTOR_BYTES, sizeof *l);
    unsigned char *room = mmap(NULL, CODE_BYTES + DATA_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!l || room == MAP_FAILED) {
        if (room != MAP_FAILED) munmap(room, CODE_BYTES + DATA_BYTES);
        free(l);
        return NULL;
    }
    *l = (struct loop_code){.clock = *clock,
                            .wide = cpu_has(cpu, "avx512f") && cpu_has(cpu, "avx512bw"),
                            .code = room,
                            .data = room + CODE_BYTES,
                            .chain = room + CODE_BYTES - PROBE_BYTES,
                            .nops = room + CODE_BYTES - 2 * PROBE_BYTES,
                            .patience_s = 5};
    memset(l->data, 0, DATA_BYTES);
    put_probe(l, l->chain, "add r64 r64");
    put_probe(l, l->nops, "nop");
    mprotect(l->code, CODE_BYTES, PROT_READ | PROT_EXEC);
    return l;
}

void loop_free(struct loop_code *l)
{
    if (l) munmap(l->code, CODE_BYTES + DATA_BYTES);
    free(l);
}
