// SPDX-License-Identifier: MIT
#include "measure/instructions.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/topology.h"
#include "measure/isolate.h"
#include "measure/loop_code.h"
#include "model/record.h"

/* ---- Which forms ----------------------------------------------------------------------------- */

static const struct row {
    const char *narrow, *wide, *form;
} rows[] = {
#define FORMS(narrow, wide, form) {narrow, wide, form},
#include "measure/instruction_forms.def"
#undef FORMS
};
enum { ROWS = sizeof rows / sizeof *rows, WIDTHS_OF_VECTORS = 3 };

/* Gathers use up their mask: their loops have an instruction more. */
static bool is_gather(const char *text)
{
    return !strncmp(text, "vgather", 7) || !strncmp(text, "vpgather", 8);
}

/* Copies the text with V, H, M replaced. */
static void expand(const char *text, size_t width, char form[FORM_TEXT_MAX])
{
    static const char *const vectors[] = {"xmm", "ymm", "zmm"};
    size_t used = 0;
    for (; *text && used + 8 < FORM_TEXT_MAX; text++)
        if (*text == 'V')
            used += (size_t)sprintf(form + used, "%s", vectors[width]);
        else if (*text == 'H')
            used += (size_t)sprintf(form + used, "%s", vectors[width ? width - 1 : 0]);
        else if (*text == 'M')
            used += (size_t)sprintf(form + used, "m%u", 128u << width);
        else
            form[used++] = *text;
    form[used] = '\0';
}

/* --hide-isa hides all of AVX-512. */
static bool has_feature(const struct cpu *cpu, const char *feature)
{
    char why[128];
    return cpu_has(cpu, feature) &&
           (strncmp(feature, "avx512", 6) != 0 || cpu_supports(cpu, "avx512", why, sizeof why));
}

static void expand_gather(const struct cpu *cpu, size_t width, char form[FORM_TEXT_MAX])
{
    static const char vectors[] = "xyz";
    bool masks = width == 2 || has_feature(cpu, "avx512vl");
    char v = vectors[width];
    snprintf(form, FORM_TEXT_MAX,
             masks ? "vgatherdps %cmm{k} [%cmm]" : "vgatherdps %cmm [%cmm] %cmm", v, v, v);
}

/* "avx ymm": the CPU has AVX, and the form needs at least that width. */
static bool has_width(const struct cpu *cpu, const struct row *row, size_t width)
{
    const char *need = width == 2 ? row->wide : row->narrow;
    char feature[24];
    sscanf(need, "%23s", feature);
    if (!strchr(row->form, 'V')) return width == 0 && (!need[0] || has_feature(cpu, feature));
    if (!need[0] || (width == 0 && strstr(need, " ymm"))) return false;
    bool evex = !strncmp(need, "avx512", 6) && width < 2;
    return has_feature(cpu, feature) && (!evex || cpu_has(cpu, "avx512vl"));
}

char **instruction_forms(const struct cpu *cpu)
{
    char **forms = memory_zeroed(ROWS * WIDTHS_OF_VECTORS + 1, sizeof *forms);
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t width = 0; width < WIDTHS_OF_VECTORS; width++) {
            char form[FORM_TEXT_MAX];
            if (!has_width(cpu, &rows[i], width)) continue;
            if (is_gather(rows[i].form))
                expand_gather(cpu, width, form);
            else
                expand(rows[i].form, width, form);
            forms[count++] = memory_copy(form);
        }
    return forms;
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

enum {
    RESULTS = 12,  /* registers that results go to, one after the other */
    SOURCES = 13,  /* from here on: registers that nothing writes */
    UNROLLED = 48, /* instructions in a body */
    SAMPLES = 24,
};
/* General registers except rsp, rdi (the base) and rcx (the count); the last one is only read. */
static const unsigned general_results[] = {0, 2, 3, 5, 8, 9, 10, 11, 12, 13, 14};
enum { GENERAL_RESULTS = sizeof general_results / sizeof *general_results, GENERAL_SOURCE = 15 };

static enum loop_type type_of(const char *form)
{
    size_t length = strcspn(form, " ");
    const char *end = form + length - 2;
    if (!strncmp(form, "vdpbf16", 7)) return TYPE_BF16;
    if (!strncmp(end, "ph", 2) || !strncmp(end, "sh", 2) || !strncmp(form, "vcvtph2", 7))
        return TYPE_F16;
    if (!strncmp(form, "vcvtpd2", 7) || !strncmp(form, "vcvtsd2", 7)) return TYPE_F64;
    if (!strncmp(form, "vcvt", 4)) return TYPE_F32;
    return !strncmp(end, "pd", 2) || !strncmp(end, "sd", 2) ? TYPE_F64 : TYPE_F32;
}

/* The registers of copy i of a form, none of which waits for another one unless it overwrites what
 * it reads. */
static struct form_registers registers_of(const struct form *f, size_t i)
{
    struct form_registers r = {.mask = 1, .index = -1, .base = LOOP_BASE, .value = 1};
    for (unsigned k = 0; k < f->count; k++) {
        bool result = k == 0 && f->operands[0].written;
        switch (f->operands[k].kind) {
        case OPERAND_VECTOR:
            r.number[k] = result ? (unsigned)(i % RESULTS) : SOURCES + (k + 2) % 3;
            break;
        case OPERAND_GATHER:
            r.number[k] = SOURCES;
            break;
        case OPERAND_MASK:
            r.number[k] = result ? 2 + (unsigned)(i % 6) : 1;
            break;
        case OPERAND_GENERAL:
            r.number[k] = result ? general_results[i % GENERAL_RESULTS] : GENERAL_SOURCE;
            break;
        case OPERAND_MEMORY:
            r.number[k] = LOOP_BASE;
            break;
        case OPERAND_IMMEDIATE:
            break;
        }
    }
    return r;
}

static int instructions_put(struct loop_code *l, const char *text, struct form_registers r)
{
    struct form f;
    return form_parse(text, &f) && loop_put(l, &f, &r);
}

/* Prepares a gather: sets the mask to all ones, the indices to 0. */
static int prepare_gather(struct loop_code *l, const struct form *f, const struct form_registers *r)
{
    if (f->count == 2)
        return instructions_put(l, "kxnorw k k k", (struct form_registers){.number = {1, 1, 1}});
    unsigned m = r->number[2];
    return instructions_put(l, "vpcmpeqd ymm ymm ymm",
                            (struct form_registers){.number = {m, m, m}});
}

static int put_copy(struct loop_code *l, const struct form *f, const struct form_registers *r)
{
    return (!is_gather(f->text) || prepare_gather(l, f, r)) && loop_put(l, f, r);
}

static void begin_loop(struct loop_code *l, const struct form *f, enum loop_values values)
{
    loop_begin(l, type_of(f->text), is_gather(f->text) ? VALUES_ZERO : values);
}

/* Returns the bytes that a form's memory operand has; 0: none. */
static unsigned memory_bytes(const struct form *f)
{
    for (unsigned i = 0; i < f->count; i++)
        if (f->operands[i].kind == OPERAND_MEMORY) return f->operands[i].bits / 8;
    return 0;
}

/* Puts copies that access neighbouring memory, each with `nops` behind it: banks of a cache may
 * serve fewer accesses to one place. Returns false if the form has no code. */
static bool put_copies(struct loop_code *l, const struct form *f, enum loop_values values,
                       size_t copies, unsigned nops)
{
    enum { PLACES = 16 };
    begin_loop(l, f, values);
    for (size_t i = 0; i < copies; i++) {
        struct form_registers r = registers_of(f, i);
        r.displacement = (int)(i % PLACES * memory_bytes(f));
        if (!put_copy(l, f, &r)) return false;
        for (unsigned k = 0; k < nops; k++) instructions_put(l, "nop", r);
    }
    return true;
}

/* Some cores choose an instruction's pipe when it starts, by the load at that moment: one of two
 * pipes may then get three instructions out of four for the whole loop. If the time depends on the
 * arrangement of the loop, the least over many arrangements counts. */
static double instructions_cycles_of(struct loop_code *l, const struct form *f,
                                     enum loop_values values)
{
    enum { NOPS = 3, FEWER = 4 };
    const double the_same = 1.02;
    const unsigned most = f->text[0] == 'v' ? NOPS * FEWER : 1;
    double least = NAN, longest = NAN;
    for (unsigned i = 0; i < most && (i != NOPS || longest > the_same * least); i++) {
        const size_t copies = UNROLLED - i / NOPS;
        if (!put_copies(l, f, values, copies, i % NOPS)) return NAN;
        double cycles = loop_cycles(l, SAMPLES) / (double)copies;
        least = fmin(least, cycles);
        longest = fmax(longest, cycles);
    }
    return least;
}

/* ---- Latency --------------------------------------------------------------------------------- */

enum { CHAIN = 16 };

/* Returns the kind of register that links the chain through an operand. For memory that is its
 * address, a general register. */
static enum operand_kind link_of(const struct form_operand *o)
{
    return o->kind == OPERAND_MEMORY   ? OPERAND_GENERAL
           : o->kind == OPERAND_GATHER ? OPERAND_VECTOR
                                       : o->kind;
}

/* The form that carries a value from one kind of register to another. */
static const char *carrier(enum operand_kind from, enum operand_kind to)
{
    static const char *const carriers[3][3] = {
        [OPERAND_VECTOR] = {[OPERAND_MASK] = "vpmovd2m k zmm", [OPERAND_GENERAL] = "vmovd r32 xmm"},
        [OPERAND_MASK] = {[OPERAND_VECTOR] = "vpmovm2d zmm k", [OPERAND_GENERAL] = "kmovw r32 k"},
        [OPERAND_GENERAL] = {[OPERAND_VECTOR] = "vmovd xmm r32", [OPERAND_MASK] = "kmovw k r32"},
    };
    return carriers[from][to];
}

/* The chain's registers: vector 0, mask 2, general 0. */
static unsigned link_register(enum operand_kind kind)
{
    return kind == OPERAND_MASK ? 2 : 0;
}

static void set_link(struct form_registers *r, const struct form *f, unsigned operand)
{
    if (f->operands[operand].kind == OPERAND_MEMORY)
        r->index = (int)link_register(OPERAND_GENERAL);
    else
        r->number[operand] = link_register(link_of(&f->operands[operand]));
}

/* Returns the cycles of `first` and `second` (NULL: none) in a chain in which each waits for the
 * one before, `first` through its operand `source`. */
static double chain_cycles(struct loop_code *l, const struct form *first, unsigned source,
                           const char *second)
{
    struct form f;
    if (second && !form_parse(second, &f)) return NAN;
    begin_loop(l, first, VALUES_NORMAL);
    for (size_t i = 0; i < CHAIN; i++) {
        struct form_registers r = registers_of(first, i);
        set_link(&r, first, 0);
        set_link(&r, first, source);
        if (is_gather(first->text)) { /* result and indices may not be one register */
            r.number[0] = (unsigned)(i + 1) % 2;
            r.number[1] = (unsigned)i % 2;
        }
        if (!put_copy(l, first, &r)) return NAN;
        if (!second) continue;
        struct form_registers back = registers_of(&f, i);
        set_link(&back, &f, 0);
        set_link(&back, &f, 1);
        if (!loop_put(l, &f, &back)) return NAN;
    }
    return loop_cycles(l, SAMPLES) / CHAIN;
}

/* Returns the latency of one of two carriers: half of what both take. */
static double carrier_latency(struct loop_code *l, const char *there, const char *back)
{
    struct form f;
    return there && back && form_parse(there, &f) ? chain_cycles(l, &f, 1, back) / 2 : NAN;
}

static double latency_through(struct loop_code *l, const struct form *f, unsigned source)
{
    enum operand_kind from = link_of(&f->operands[source]), to = link_of(&f->operands[0]);
    if (from == to) return chain_cycles(l, f, source, NULL);
    const char *there = carrier(from, to), *back = carrier(to, from);
    if (!back) return NAN;
    double both = chain_cycles(l, f, source, back);
    return !strcmp(there, f->text) ? both / 2 : both - carrier_latency(l, there, back);
}

/* Returns the latency from a store to a load of what it wrote. */
static double forward_latency(struct loop_code *l, const struct form *store)
{
    char load[FORM_TEXT_MAX];
    struct form f;
    snprintf(load, sizeof load, "%.*s %s m%u", (int)strcspn(store->text, " "), store->text,
             strrchr(store->text, ' ') + 1, store->operands[0].bits);
    if (store->masked || !form_parse(load, &f)) return NAN;
    loop_begin(l, TYPE_F32, VALUES_NORMAL);
    for (size_t i = 0; i < CHAIN; i++) {
        struct form_registers out = registers_of(store, 0), in = registers_of(&f, 0);
        out.number[1] = in.number[0] = 0;
        if (!loop_put(l, store, &out) || !loop_put(l, &f, &in)) return NAN;
    }
    return loop_cycles(l, SAMPLES) / CHAIN;
}

/* The slowest way through a form. */
static double latency_of(struct loop_code *l, const struct form *f)
{
    double slowest = NAN;
    if (!f->count || !f->operands[0].written) return NAN;
    if (f->operands[0].kind == OPERAND_MEMORY) return forward_latency(l, f);
    for (unsigned i = 0; i < f->count; i++)
        if (f->operands[i].kind != OPERAND_IMMEDIATE && (f->operands[i].read || i) &&
            !(is_gather(f->text) && i != 1))
            slowest = fmax(slowest, latency_through(l, f, i));
    return slowest;
}

/* Returns the latency in a chain that alternates with multiplications. */
static double mixed_latency_of(struct loop_code *l, const struct form *f, double own)
{
    char multiply[FORM_TEXT_MAX];
    struct form m;
    if (isnan(own) || f->count < 2 || f->operands[0].kind != OPERAND_VECTOR ||
        f->operands[1].kind != OPERAND_VECTOR)
        return own;
    expand(type_of(f->text) == TYPE_F64 ? "vmulpd V V V" : "vmulps V V V",
           f->operands[0].bits / 256, multiply);
    if (!form_parse(multiply, &m)) return own;
    double both = chain_cycles(l, f, 1, multiply);
    return both - chain_cycles(l, &m, 1, NULL);
}

/* ---- Mixes ----------------------------------------------------------------------------------- */

static const char *const kind_forms[PIPE_KINDS] = {"vmulps V V V",    "vaddps V V V",
                                                   "vshufps V V V i", "vpermps V V V",
                                                   "vpslld V V i",    "vdivps V V V"};

/* Finds the form of a kind. Vectors of one lane have no permutation across lanes: a shuffle by
 * indices takes its place. */
static bool kind_form(size_t kind, size_t width, struct form *f)
{
    char text[FORM_TEXT_MAX];
    expand(kind == 3 && width == 0 ? "vpshufb V V V" : kind_forms[kind], width, text);
    return form_parse(text, f);
}

/* Returns the cycles of one `f` and `beside` instructions of `other`, whose results go to a
 * register that nothing reads. The others are of fp32, and a double's lower half may be a subnormal
 * float, which some cores divide slowly: a form of doubles gets pairs of normal floats, which are
 * normal doubles. */
static double mix_cycles(struct loop_code *l, const struct form *f, const struct form *other,
                         unsigned beside)
{
    size_t copies = UNROLLED / (1 + beside) + 1;
    begin_loop(l, type_of(f->text) == TYPE_F64 ? other : f, VALUES_NORMAL);
    for (size_t i = 0; i < copies; i++) {
        struct form_registers r = registers_of(f, i);
        if (!put_copy(l, f, &r)) return NAN;
        for (unsigned k = 0; k < beside; k++) {
            struct form_registers o = registers_of(other, 0);
            o.number[0] = RESULTS;
            if (!loop_put(l, other, &o)) return NAN;
        }
    }
    return loop_cycles(l, SAMPLES) / (double)copies;
}

static struct pipe_basis measure_basis(struct loop_code *l, const struct cpu *cpu, size_t width)
{
    static const char *const free_forms[] = {"vpaddd V V V", "vandps V V V", "vpandd V V V"};
    struct pipe_basis b = {.pipes = 0};
    bool there = has_feature(cpu, width == 2 ? "avx512f" : "avx2");
    double least = NAN;
    struct form f, g;
    for (size_t i = 0; i < sizeof free_forms / sizeof *free_forms && there; i++) {
        char text[FORM_TEXT_MAX];
        expand(free_forms[i], width, text);
        if (i == 2 && !cpu_has(cpu, "avx512vl")) continue;
        if (form_parse(text, &f)) least = fmin(least, instructions_cycles_of(l, &f, VALUES_NORMAL));
    }
    for (size_t i = 0; i < PIPE_KINDS; i++) {
        bool has = there && kind_form(i, width, &f);
        b.cycles[i] = has ? instructions_cycles_of(l, &f, VALUES_NORMAL) : NAN;
        least = fmin(least, b.cycles[i]);
    }
    for (size_t i = 0; i < PIPE_KINDS; i++)
        for (size_t k = 0; k < PIPE_KINDS; k++) {
            bool slower = b.cycles[i] > b.cycles[k]; /* there is one of it */
            bool has = k > i && b.cycles[i] > 0 && b.cycles[k] > 0;
            size_t one = slower ? i : k, more = slower ? k : i;
            b.pair[i][k] = has && kind_form(one, width, &f) && kind_form(more, width, &g)
                               ? mix_cycles(l, &f, &g, pipes_copies(b.cycles[more], b.cycles[one]))
                               : NAN;
        }
    if (isnan(least)) return b;
    b.pipes = (unsigned)lround(1 / least);
    if (b.pipes < 1) b.pipes = 1;
    if (b.pipes > PIPES_MAX) b.pipes = PIPES_MAX;
    pipes_find_basis(&b);
    return b;
}

static double core_rate(struct loop_code *l, const char *text)
{
    struct form f;
    return form_parse(text, &f) ? 1 / instructions_cycles_of(l, &f, VALUES_NORMAL) : NAN;
}

/* Returns how many instructions that do work start in a cycle: the most of some mixes of
 * comparisons of general registers, products, sums and loads, in which nothing waits. What a core
 * drops or pairs before it starts, as nops and moves, says nothing about other instructions. */
static double core_slots(struct loop_code *l)
{
    enum { PARTS = 4, LENGTH = 4 * UNROLLED, PLACES = 16 };
    static const char *const parts[PARTS] = {"cmp r64 r64", "vmulps xmm xmm xmm",
                                             "vaddps xmm xmm xmm", "vmovups xmm m128"};
    static const unsigned char mixes[][PARTS] = {{2, 1, 1, 0}, {2, 1, 1, 2}, {3, 1, 1, 1},
                                                 {3, 1, 1, 2}, {4, 1, 1, 0}, {4, 1, 1, 2},
                                                 {4, 2, 2, 0}};
    double most = NAN;
    for (size_t m = 0; m < sizeof mixes / sizeof *mixes; m++) {
        size_t count = 0;
        loop_begin(l, TYPE_F32, VALUES_NORMAL);
        for (size_t part = 0; count < LENGTH; part = (part + 1) % PARTS)
            for (size_t k = 0; k < mixes[m][part]; k++, count++) {
                struct form f;
                if (!form_parse(parts[part], &f)) return NAN;
                struct form_registers r = registers_of(&f, count);
                r.displacement = (int)(count % PLACES * memory_bytes(&f));
                if (!loop_put(l, &f, &r)) return NAN;
            }
        most = fmax(most, (double)count / loop_cycles(l, SAMPLES));
    }
    return most;
}

/* ---- The effect of wide vectors on other code ------------------------------------------------ */

/* Closes a loop of copies of the form; false if it has no code. */
static bool close_copies(struct loop_code *l, const char *text, double least_s)
{
    struct form f;
    return form_parse(text, &f) && put_copies(l, &f, VALUES_NORMAL, UNROLLED, 0) &&
           loop_close(l, least_s);
}

/* `wide` and `other` are closed loops. The clock of a core that lowers it for wide vectors stays
 * low for a millisecond at least, and is up again after ten. */
static double time_behind(const struct loop_code *wide, const struct loop_code *other,
                          const struct clock *clock)
{
    enum { ROUNDS = 15, SAMPLES_BEHIND = 8 };
    const double wide_s = 2e-3, rest_s = 10e-3, sample_s = 20e-6;
    double before[ROUNDS * SAMPLES_BEHIND], behind[ROUNDS * SAMPLES_BEHIND];
    size_t count = 0, passes = 1, all = 1;
    while (loop_again(other, passes) < sample_s * clock->tsc_hz) passes *= 2;
    while (loop_again(wide, all) < wide_s * clock->tsc_hz) all *= 2;
    for (size_t round = 0; round < ROUNDS; round++) {
        clock_pause(clock, rest_s);
        for (size_t i = 0; i < SAMPLES_BEHIND; i++) before[count + i] = loop_again(other, passes);
        loop_again(wide, all);
        for (size_t i = 0; i < SAMPLES_BEHIND; i++) behind[count + i] = loop_again(other, passes);
        count += SAMPLES_BEHIND;
    }
    return loop_quartile(behind, count) / loop_quartile(before, count);
}

static void measure_behind_wide(const struct cpu *cpu, const struct clock *clock, double times[3])
{
    static const char *const others[] = {"add r64 r64", "vfmadd231ss xmm xmm xmm",
                                         "vfmadd231ps ymm ymm ymm"};
    if (!has_feature(cpu, "avx512f")) return;
    struct loop_code *wide = loop_new(cpu, clock), *other = loop_new(cpu, clock);
    if (wide && other && close_copies(wide, "vfmadd231ps zmm zmm zmm", 1e-3))
        for (size_t i = 0; i < 3; i++)
            if (close_copies(other, others[i], 1e-5)) times[i] = time_behind(wide, other, clock);
    loop_free(wide);
    loop_free(other);
}

static struct core measure_core(struct loop_code *l, const struct cpu *cpu,
                                const struct clock *clock, bool looks_behind_wide)
{
    struct core c = {.nops = loop_nops_per_cycle(l)};
    loop_wait_for_core(l, c.nops);
    c.general = core_rate(l, "cmp r64 r64");
    c.slots = core_slots(l);
    for (size_t width = 0; width < WIDTHS_OF_VECTORS; width++)
        c.basis[width] = measure_basis(l, cpu, width);
    loop_begin(l, TYPE_F32, VALUES_NORMAL);
    c.branch_cycles = loop_cycles(l, SAMPLES);
    for (size_t i = 0; i < 3; i++) c.behind_wide[i] = NAN;
    if (looks_behind_wide) measure_behind_wide(cpu, clock, c.behind_wide);
    return c;
}

/* ---- One form -------------------------------------------------------------------------------- */

static unsigned widest(const struct form *f)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < f->count; i++)
        if ((f->operands[i].kind == OPERAND_VECTOR || f->operands[i].kind == OPERAND_GATHER) &&
            f->operands[i].bits > bits)
            bits = f->operands[i].bits;
    return bits;
}

static void measure_mixes(struct loop_code *l, const struct form *f, const struct pipe_basis *b,
                          struct instruction *x)
{
    struct form kind;
    for (size_t i = 0; i < PIPE_KINDS; i++) {
        x->mix[i].cycles = NAN;
        if (!(b->cycles[i] > 0) || !kind_form(i, x->bits / 256, &kind)) continue;
        x->mix[i].beside = pipes_copies(b->cycles[i], x->cycles);
        x->mix[i].cycles = mix_cycles(l, f, &kind, x->mix[i].beside);
    }
    x->use = pipes_place(b, x->cycles, x->mix);
}

static void measure_one(struct loop_code *l, const struct core *core, struct instruction *x)
{
    struct form f;
    if (!form_parse(x->form, &f)) return;
    x->bits = widest(&f);
    x->cycles = instructions_cycles_of(l, &f, VALUES_NORMAL);
    if (isnan(x->cycles)) return;
    x->status = STATUS_OK;
    x->latency = latency_of(l, &f);
    x->latency_mixed = mixed_latency_of(l, &f, x->latency);
    if (!x->bits || memory_bytes(&f)) return;
    x->cycles_subnormal = instructions_cycles_of(l, &f, VALUES_SUBNORMAL);
    measure_mixes(l, &f, &core->basis[x->bits / 256], x);
}

/* ---- In children ----------------------------------------------------------------------------- */

struct request {
    struct instruction_table *table;
    const struct cpu *cpu;
    const struct topology *topology;
    struct clock clock;
    size_t next; /* the first that is not measured */
    bool core_known;
    void (*progress)(void *context, double share);
    void *context;
};

static void instructions_work(void *context, int channel)
{
    struct request *q = context;
    struct error e;
    if (topology_pin(q->topology, topology_quiet_core(q->topology), &e)) return;
    struct loop_code *l = loop_new(q->cpu, &q->clock);
    if (!l) return;
    if (!q->core_known) {
        q->table->core = measure_core(l, q->cpu, &q->clock, q->table->looks_behind_wide);
        isolate_send(channel, &q->table->core, sizeof q->table->core);
    }
    loop_wait_for_core(l, q->table->core.nops);
    for (size_t i = q->next; i < q->table->count; i++) {
        measure_one(l, &q->table->core, &q->table->items[i]);
        isolate_send(channel, &q->table->items[i], sizeof q->table->items[i]);
    }
    loop_free(l);
}

static void instructions_receive(void *context, const void *message, size_t size)
{
    struct request *q = context;
    if (size == sizeof q->table->core && !q->core_known) {
        memcpy(&q->table->core, message, size);
        q->core_known = true;
    } else if (size == sizeof *q->table->items && q->next < q->table->count)
        memcpy(&q->table->items[q->next++], message, size);
    if (q->progress) q->progress(q->context, (double)q->next / (double)q->table->count);
}

/* Measures all forms. A child measures until a form crashes it; the next child continues after that
 * form. */
static int instructions_measure_all(struct request *q, struct error *e)
{
    const double silence_s = 60;
    while (!q->core_known || q->next < q->table->count) {
        size_t begin = q->next;
        enum status status = isolate_run(instructions_work, instructions_receive, q, silence_s);
        if (status == STATUS_INTERRUPTED) return fail(e, EXIT_PARTIAL, "instructions: interrupted");
        if (!q->core_known)
            return fail(e, EXIT_PARTIAL,
                        "instructions: the core's rates: %s; there is no memory for code, or the "
                        "system forbids executable memory",
                        status_name(status));
        if (q->next < q->table->count && status != STATUS_OK)
            q->table->items[q->next++].status = status;
        else if (q->next == begin && q->next < q->table->count)
            return fail(e, EXIT_PARTIAL, "instructions: the child ended early; see its messages");
    }
    return 0;
}

int instructions_measure(struct instruction_table *t, const struct cpu *cpu, char *const *forms,
                         void (*progress)(void *context, double share), void *context,
                         struct error *e)
{
    struct topology topology;
    int code = topology_read(&topology, e);
    if (code) return code;
    struct request q = {.table = t,
                        .cpu = cpu,
                        .topology = &topology,
                        .next = t->count,
                        .core_known = t->core.slots > 0,
                        .progress = progress,
                        .context = context};
    clock_calibrate(&q.clock, 0.02);
    for (; *forms; forms++) {
        if (instructions_find(t, *forms)) continue;
        t->items = memory_grow(t->items, (t->count + 1) * sizeof *t->items);
        struct instruction *x = &t->items[t->count++];
        *x = (struct instruction){.latency = NAN,
                                  .latency_mixed = NAN,
                                  .cycles = NAN,
                                  .cycles_subnormal = NAN,
                                  .status = STATUS_SKIPPED};
        snprintf(x->form, sizeof x->form, "%s", *forms);
    }
    code = instructions_measure_all(&q, e);
    topology_close(&topology);
    return code;
}

void instructions_free(struct instruction_table *t)
{
    free(t->items);
    *t = (struct instruction_table){.count = 0};
}

const struct instruction *instructions_find(const struct instruction_table *t, const char *form)
{
    for (size_t i = 0; i < t->count; i++)
        if (!strcmp(t->items[i].form, form)) return &t->items[i];
    return NULL;
}

/* ---- Records --------------------------------------------------------------------------------- */

static json_t *pipes_text(unsigned set)
{
    char text[PIPES_MAX + 1];
    size_t used = 0;
    for (unsigned i = 0; i < PIPES_MAX; i++)
        if (set >> i & 1) text[used++] = (char)('0' + i);
    text[used] = '\0';
    return used ? json_string(text) : json_null();
}

static json_t *core_record(const struct core *c)
{
    json_t *widths = json_array();
    for (size_t i = 0; i < WIDTHS_OF_VECTORS; i++) {
        if (!c->basis[i].pipes) continue;
        json_t *kinds = json_object();
        for (size_t k = 0; k < PIPE_KINDS; k++)
            json_object_set_new(kinds, pipe_kind_names[k], pipes_text(c->basis[i].kind[k].set));
        json_array_append_new(widths, json_pack("{s:i, s:i, s:o}", "bits", 128 << i, "pipes",
                                                (int)c->basis[i].pipes, "kinds", kinds));
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "record", "core", "slots",
                     record_real(c->slots), "general", record_real(c->general), "branch_cycles",
                     record_real(c->branch_cycles), "vectors", widths, "general_behind_wide",
                     record_real(c->behind_wide[0]), "scalar_behind_wide",
                     record_real(c->behind_wide[1]), "avx2_behind_wide",
                     record_real(c->behind_wide[2]));
}

static json_t *instructions_instruction_record(const struct instruction *x)
{
    return json_pack("{s:s, s:s, s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "record",
                     "instruction", "form", x->form, "bits", (int)x->bits, "status",
                     status_name(x->status), "latency", record_real(x->latency), "latency_mixed",
                     record_real(x->latency_mixed), "cycles", record_real(x->cycles),
                     "cycles_subnormal", record_real(x->cycles_subnormal), "pipes",
                     pipes_text(x->use.set), "work", record_real(x->use.set ? x->use.work : NAN),
                     "hinders", pipes_text(x->use.hinders), "hindrance",
                     record_real(x->use.hinders ? x->use.hindrance : NAN), "misfit",
                     record_real(x->use.set ? x->use.misfit : NAN));
}

json_t *instructions_records(const struct instruction_table *t)
{
    json_t *records = json_array();
    json_array_append_new(records, core_record(&t->core));
    for (size_t i = 0; i < t->count; i++)
        json_array_append_new(records, instructions_instruction_record(&t->items[i]));
    return records;
}
