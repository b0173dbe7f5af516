// SPDX-License-Identifier: MIT
#include "study/code_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "base/memory.h"

/* ---- Decoding -------------------------------------------------------------------------------- */

enum { FIRST_VECTOR = 16, FIRST_MASK = 48, FLAGS = 56 };

/* Returns the bit of a register; 0 where it has none. */
static uint64_t register_bit(ZydisRegister r)
{
    ZydisRegister all = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    if (all >= ZYDIS_REGISTER_RAX && all <= ZYDIS_REGISTER_R15)
        return 1ull << (all - ZYDIS_REGISTER_RAX);
    if (all >= ZYDIS_REGISTER_ZMM0 && all <= ZYDIS_REGISTER_ZMM31)
        return 1ull << (FIRST_VECTOR + all - ZYDIS_REGISTER_ZMM0);
    if (r > ZYDIS_REGISTER_K0 && r <= ZYDIS_REGISTER_K7)
        return 1ull << (FIRST_MASK + r - ZYDIS_REGISTER_K0);
    return 0;
}

static void add_operand(struct op *op, const ZydisDecodedInstruction *i,
                        const ZydisDecodedOperand *o, bool first)
{
    const bool merges = first && i->avx.mask.mode == ZYDIS_MASK_MODE_MERGING;
    if (o->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        uint64_t bit = register_bit(o->reg.value);
        if ((o->actions & ZYDIS_OPERAND_ACTION_MASK_READ) || merges) op->reads |= bit;
        if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) op->writes |= bit;
    } else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        op->address_reads |= register_bit(o->mem.base) | register_bit(o->mem.index);
        if (o->mem.type != ZYDIS_MEMOP_TYPE_MEM) {
            op->reads |= op->address_reads; /* lea */
            op->address_reads = 0;
            return;
        }
        op->memory_bytes = o->size / 8;
        op->loads |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
        op->stores |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    }
}

/* Returns whether the result depends on no operand, as that of xor r, r. */
static bool forgets_operands(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
    static const char *const names[] = {"xor",    "vxorps", "vxorpd", "vpxor",   "vpxord",
                                        "vpxorq", "sub",    "vpsubd", "vpcmpeqd"};
    const unsigned n = i->operand_count_visible;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(ZydisMnemonicGetString(i->mnemonic), names[k]))
            return n >= 2 && o[n - 1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                   o[n - 2].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                   o[n - 1].reg.value == o[n - 2].reg.value;
    return false;
}

static bool is_branch(const ZydisDecodedInstruction *i)
{
    return i->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE || i->meta.category == ZYDIS_CATEGORY_RET;
}

/* Returns whether the instruction can be measured: a loop of it alone does no harm, and its form
 * shows all operands. */
static bool can_be_measured(const ZydisDecodedInstruction *i)
{
    static const char *const general[] = {
        "add",    "sub",     "adc",    "sbb",     "and",    "or",    "xor",    "cmp",   "test",
        "lea",    "mov",     "movzx",  "movsxd",  "shl",    "shr",   "sar",    "imul",  "inc",
        "dec",    "neg",     "not",    "shlx",    "shrx",   "sarx",  "andn",   "bzhi",  "popcnt",
        "lzcnt",  "tzcnt",   "nop",    "cmovz",   "cmovnz", "cmovb", "cmovnb", "cmovl", "cmovnl",
        "cmovle", "cmovnle", "cmovbe", "cmovnbe", "cmovs",  "cmovns"};
    const char *name = ZydisMnemonicGetString(i->mnemonic);
    if (name[0] == 'k') return true;
    if (name[0] == 'v')
        return strncmp(name, "vzero", 5) && strcmp(name, "vldmxcsr") && strcmp(name, "vstmxcsr") &&
               strncmp(name, "vmaskmov", 8) && strncmp(name, "vscatter", 8);
    for (size_t k = 0; k < sizeof general / sizeof *general; k++)
        if (!strcmp(name, general[k])) return true;
    return false;
}

/* Returns whether the instruction only moves data between registers and memory. */
static bool only_moves(const struct op *op)
{
    const char *m = strpbrk(op->form, " ") ? strstr(op->form, " m") : NULL;
    return (op->loads || op->stores) && m && m[2] >= '0' && m[2] <= '9';
}

static struct op decode(const ZydisDecoder *decoder, uintptr_t at)
{
    struct op op = {.at = at, .length = 1};
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const void *code = NULL;
    memcpy(&code, &at, sizeof code);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, code, INSTRUCTION_BYTES_MAX, &i, operands)))
        return op;
    op.length = i.length;
    op.mnemonic = i.mnemonic;
    op.branch = is_branch(&i);
    for (unsigned k = 0; k < i.operand_count; k++) add_operand(&op, &i, &operands[k], k == 0);
    if (i.cpu_flags && i.cpu_flags->tested) op.reads |= 1ull << FLAGS;
    if (i.cpu_flags && (i.cpu_flags->modified | i.cpu_flags->set_0 | i.cpu_flags->set_1))
        op.writes |= 1ull << FLAGS;
    op.calls = i.meta.category == ZYDIS_CATEGORY_CALL || i.meta.category == ZYDIS_CATEGORY_RET;
    if (op.calls) op.reads = op.writes = 0; /* the stack's pointer is kept by the front end */
    if (!op.branch && can_be_measured(&i) && !form_of_decoded(&i, operands, op.form))
        op.form[0] = '\0';
    if (op.branch || !can_be_measured(&i)) op.form[0] = '\0';
    bool idiom = forgets_operands(&i, operands);
    if (idiom) op.reads = 0;
    op.computes =
        !only_moves(&op) && !(idiom && strcmp(ZydisMnemonicGetString(i.mnemonic), "vpcmpeqd"));
    return op;
}

/* ---- The trace ------------------------------------------------------------------------------- */

extern const char __executable_start[], etext[]; /* the linker's */

static size_t slot_of(const uint32_t *table, size_t size, const struct op *ops, uintptr_t at)
{
    size_t place = (at * 0x9e3779b97f4a7c15u >> 20) % size;
    while (table[place] && ops[table[place] - 1].at != at) place = (place + 1) % size;
    return place;
}

void code_decode(struct code *c, const struct trace *t)
{
    enum { TABLE = 1 << 18, OPS_MAX = TABLE / 2 };
    uint32_t *table = memory_zeroed(TABLE, sizeof *table);
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    *c = (struct code){.ops = NULL,
                       .steps = memory_new((t->count + 1) * sizeof *c->steps),
                       .memory = memory_new((t->count + 1) * sizeof *c->memory)};
    for (size_t i = 0; i < t->count; i++) {
        uintptr_t at = t->steps[i].at;
        size_t place = slot_of(table, TABLE, c->ops, at);
        if (!table[place]) {
            if (c->count == OPS_MAX) break;
            if (!(c->count & (c->count - 1)))
                c->ops = memory_grow(c->ops, (c->count ? 2 * c->count : 1) * sizeof *c->ops);
            c->ops[c->count] = decode(&decoder, at);
            c->ops[c->count].library = at < (uintptr_t)__executable_start || at >= (uintptr_t)etext;
            table[place] = (uint32_t)++c->count;
        }
        c->steps[c->step_count] = table[place] - 1;
        c->memory[c->step_count++] = t->steps[i].memory;
    }
    for (size_t i = 1; i < c->step_count; i++) {
        struct op *op = &c->ops[c->steps[i]], *before = &c->ops[c->steps[i - 1]];
        if (op->branch && (op->reads >> FLAGS & 1) && (before->writes >> FLAGS & 1) &&
            before->at + before->length == op->at)
            op->fused = true;
    }
    free(table);
}

void code_free(struct code *c)
{
    free(c->ops);
    free(c->steps);
    free(c->memory);
    *c = (struct code){.count = 0};
}

/* ---- Costs ----------------------------------------------------------------------------------- */

/* Returns the form that stands for the memory's half of an instruction. */
static const char *load_form(const struct op *op)
{
    return op->form[0] != 'v'      ? "mov r64 m64"
           : op->memory_bytes > 32 ? "vmovups zmm m512"
           : op->memory_bytes > 16 ? "vmovups ymm m256"
                                   : "vmovups xmm m128";
}

static const char *store_form(const struct op *op)
{
    return op->form[0] != 'v'      ? "mov m64 r64"
           : op->memory_bytes > 32 ? "vmovups m512 zmm"
           : op->memory_bytes > 16 ? "vmovups m256 ymm"
                                   : "vmovups m128 xmm";
}

char **code_forms(const struct code *c)
{
    char **forms = memory_zeroed(3 * c->count + 1, sizeof *forms);
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct op *op = &c->ops[i];
        const char *const needed[] = {op->form[0] ? op->form : NULL,
                                      op->loads ? load_form(op) : NULL,
                                      op->stores ? store_form(op) : NULL};
        for (size_t k = 0; k < 3; k++) {
            bool there = !needed[k];
            for (size_t n = 0; n < count && !there; n++) there = !strcmp(forms[n], needed[k]);
            if (!there) forms[count++] = memory_copy(needed[k]);
        }
    }
    return forms;
}

/* Returns the part that takes `cycles` on the first of some equal pipes; one that takes less than a
 * cycle occupies several pipes. */
static struct pipe_part code_model_part_of(double cycles, unsigned first, unsigned pipes)
{
    if (!(cycles > 0)) return (struct pipe_part){.set = 0};
    double at_once = fmax(1, fmin(pipes, round(1 / cycles)));
    return (struct pipe_part){.set = ((1u << (unsigned)at_once) - 1) << first,
                              .work = fmax(1, cycles)};
}

static double or_else(double value, double other)
{
    return value >= 0 ? value : other;
}

/* Rounds a measured latency, which is a little off, to whole cycles. */
static double whole_cycles(double latency)
{
    return fabs(latency - round(latency)) < 0.15 ? round(latency) : latency;
}

static void cost_op(struct op *op, const struct instruction_table *t)
{
    const double unknown_latency = op->form[0] == 'v' ? 3 : 1;
    const unsigned general = (unsigned)fmax(1, fmin(GENERAL_MAX, floor(t->core.general + 0.25)));
    const struct instruction *x = op->form[0] ? instructions_find(t, op->form) : NULL;
    const struct instruction *load = op->loads ? instructions_find(t, load_form(op)) : NULL;
    const struct instruction *store = op->stores ? instructions_find(t, store_form(op)) : NULL;
    bool there = x && x->status == STATUS_OK;
    op->measured = there || op->branch || !op->computes;
    op->latency = there ? or_else(x->latency, unknown_latency) : unknown_latency;
    op->latency_mixed = there ? or_else(x->latency_mixed, op->latency) : op->latency;
    op->load_latency = load ? or_else(load->latency, 5) : 5;
    op->forward_latency = store ? or_else(store->latency, 5) : 5;
    op->latency = whole_cycles(op->latency);
    op->latency_mixed = whole_cycles(op->latency_mixed);
    op->load_latency = whole_cycles(op->load_latency);
    op->forward_latency = whole_cycles(op->forward_latency);
    op->compute = op->hinders = op->load = op->store = (struct pipe_part){.set = 0};
    if (op->computes && there && x->bits) {
        op->compute = (struct pipe_part){x->use.set, x->use.work};
        op->hinders = (struct pipe_part){x->use.hinders, x->use.hindrance};
    } else if (op->computes && there && (op->reads | op->writes)) /* no nop */
        op->compute = x->latency > 0.5 || isnan(x->latency)
                          ? code_model_part_of(x->cycles, FIRST_GENERAL, general)
                          : (struct pipe_part){.set = 0};
    else if (op->computes && !op->form[0])
        op->compute = code_model_part_of(0.5, FIRST_GENERAL, general);
    const struct instruction *out = op->computes || !there ? store : x,
                             *in = op->computes || !there ? load : x;
    if (op->loads)
        op->load = code_model_part_of(in && in->status == STATUS_OK ? in->cycles : 0.5, FIRST_LOAD,
                                      LOADS_MAX);
    if (op->loads && !op->computes && there)
        op->load_latency = whole_cycles(or_else(x->latency, 5));
    if (op->stores)
        op->store = code_model_part_of(out && out->status == STATUS_OK ? out->cycles : 1,
                                       FIRST_STORE, STORES_MAX);
}

void code_cost(struct code *c, const struct instruction_table *table)
{
    for (size_t i = 0; i < c->count; i++) cost_op(&c->ops[i], table);
}

/* ---- Running --------------------------------------------------------------------------------- */

enum { RING = 1 << 15, REGISTERS = 57, FORWARDS = 1 << 12, ROOM_MAX = 2048 };

struct run {
    const struct code *code;
    const struct core *core;
    size_t window, scheduler;
    unsigned without;
    uint32_t busy[MODEL_PIPES][RING]; /* the cycle, plus one, in which a pipe was taken last */
    double used[MODEL_PIPES], debt[MODEL_PIPES], hindrance;
    struct {
        double ready, mixed; /* for what is like the producer, and for all others */
    } registers[REGISTERS];
    struct {
        uintptr_t line;
        double ready;
    } forwards[FORWARDS]; /* the last store to each 8 bytes */
    double retired[ROOM_MAX], last_retired, next_slot, next_fetch;
    size_t steps;
    double waiting[ROOM_MAX]; /* a heap: when the vector instructions that wait will start */
    size_t waiting_count;
};

static double pop_earliest(struct run *r)
{
    double first = r->waiting[0], last = r->waiting[--r->waiting_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < r->waiting_count; at = child) {
        if (child + 1 < r->waiting_count && r->waiting[child + 1] < r->waiting[child]) child++;
        if (r->waiting[child] >= last) break;
        r->waiting[at] = r->waiting[child];
    }
    r->waiting[at] = last;
    return first;
}

static void push(struct run *r, double start)
{
    size_t at = r->waiting_count++;
    for (; at && r->waiting[(at - 1) / 2] > start; at = (at - 1) / 2)
        r->waiting[at] = r->waiting[(at - 1) / 2];
    r->waiting[at] = start;
}

/* Returns the free pipe of a set that did least so far; MODEL_PIPES where none is free in that
 * cycle. */
static unsigned free_pipe(const struct run *r, unsigned set, uint32_t cycle)
{
    unsigned best = MODEL_PIPES;
    for (unsigned p = 0; p < MODEL_PIPES; p++)
        if ((set >> p & 1) && r->busy[p][cycle % RING] != cycle + 1 &&
            (best == MODEL_PIPES || r->used[p] < r->used[best]))
            best = p;
    return best;
}

/* Takes `work` cycles of the set's pipes from `ready` on; returns when the first one started. Parts
 * of cycles are carried over to the next instruction of that set. */
static double occupy(struct run *r, struct pipe_part part, double ready)
{
    if (!part.set || (r->without & WITHOUT_PORTS)) return ready;
    uint32_t cycle = (uint32_t)ceil(ready - 1e-6), start = 0;
    unsigned first = (unsigned)__builtin_ctz(part.set);
    double work = part.work + r->debt[first];
    double whole = fmax(1, floor(work + 0.05));
    r->debt[first] = fmax(-1, work - whole);
    bool begun = false;
    for (double done = 0; done < whole; cycle++)
        for (unsigned p; done < whole && (p = free_pipe(r, part.set, cycle)) < MODEL_PIPES;
             done++) {
            r->busy[p][cycle % RING] = cycle + 1;
            r->used[p]++;
            if (!begun) start = cycle;
            begun = true;
        }
    return fmax(start, ready);
}

/* Occupies the pipes for a cycle whenever the fractions of cycles add up to one. */
static void hinder(struct run *r, struct pipe_part part, double start)
{
    if (!part.set || (r->without & WITHOUT_PORTS)) return;
    r->hindrance += part.work;
    if (r->hindrance < 1) return;
    r->hindrance -= 1;
    occupy(r, (struct pipe_part){.set = part.set, .work = 1}, start);
}

static double registers_ready(const struct run *r, uint64_t set, bool alike)
{
    double ready = 0;
    for (; set; set &= set - 1) {
        int i = __builtin_ctzll(set);
        ready = fmax(ready, alike ? r->registers[i].ready : r->registers[i].mixed);
    }
    return ready;
}

/* Returns the cycle in which a slot of the front end takes the instruction in. */
static double code_model_dispatch(struct run *r, const struct op *op, bool taken)
{
    double at = fmax(r->next_slot, r->next_fetch);
    if (!(r->without & WITHOUT_WINDOW) && r->steps >= r->window)
        at = fmax(at, r->retired[(r->steps - r->window) % ROOM_MAX]);
    bool waits = op->compute.set && op->compute.set < 1u << PIPES_MAX;
    if (!(r->without & WITHOUT_WINDOW) && waits && r->waiting_count >= r->scheduler)
        at = fmax(at, pop_earliest(r));
    if (r->without & WITHOUT_FRONT_END) return at;
    if (!op->fused) r->next_slot = at + 1 / r->core->slots;
    if (taken) r->next_fetch = fmax(r->next_fetch + r->core->branch_cycles, floor(at));
    return at;
}

static double load_ready(struct run *r, const struct op *op, uintptr_t memory, double at)
{
    bool across = memory && memory % 64 + op->memory_bytes > 64;
    struct pipe_part part = op->load;
    if (across) part.work *= 2;
    double start = occupy(r, part, fmax(at, registers_ready(r, op->address_reads, true)));
    double latency = r->without & WITHOUT_LATENCY ? 0 : op->load_latency;
    double ready = start + latency;
    size_t place = memory / 8 % FORWARDS;
    if (memory && r->forwards[place].line == memory / 8)
        ready = fmax(ready, r->forwards[place].ready);
    return ready;
}

static void note_store(struct run *r, const struct op *op, uintptr_t memory, double ready)
{
    double latency = r->without & WITHOUT_LATENCY ? 0 : op->forward_latency;
    for (unsigned at = 0; memory && at < op->memory_bytes; at += 8) {
        size_t place = (memory + at) / 8 % FORWARDS;
        r->forwards[place].line = (memory + at) / 8;
        r->forwards[place].ready = ready + latency;
    }
}

static bool is_faster_alike(const struct op *op)
{
    return op->latency < op->latency_mixed - 0.5;
}

static void run_step(struct run *r, const struct op *op, uintptr_t memory, bool taken)
{
    double at = code_model_dispatch(r, op, taken), data = at, start = at;
    const bool no_latency = r->without & WITHOUT_LATENCY, alike = is_faster_alike(op);
    if (op->loads) data = load_ready(r, op, memory, at);
    double ready = fmax(data, registers_ready(r, op->reads, alike)), ends = ready;
    double latency = no_latency || !op->computes ? 0 : op->latency;
    double mixed = no_latency || !op->computes ? 0 : alike ? op->latency_mixed : op->latency;
    if (op->computes) {
        start = occupy(r, op->compute, ready);
        hinder(r, op->hinders, start);
        if (op->compute.set && op->compute.set < 1u << PIPES_MAX && r->waiting_count < ROOM_MAX - 1)
            push(r, start);
        ends = start + latency;
    } else
        mixed = 0, start = ready;
    if (op->stores) {
        double out = occupy(r, op->store, fmax(ends, registers_ready(r, op->address_reads, true)));
        note_store(r, op, memory, out);
        ends = fmax(ends, out);
    }
    for (uint64_t set = op->writes; set; set &= set - 1) {
        int i = __builtin_ctzll(set);
        r->registers[i].ready = start + latency;
        r->registers[i].mixed = start + fmax(latency, mixed);
    }
    r->last_retired = fmax(r->last_retired, ends);
    r->retired[r->steps++ % ROOM_MAX] = r->last_retired;
}

/* Returns the measured room; a core whose room was not found has the largest. */
static size_t code_model_room_of(double measured)
{
    return measured >= 1 && measured < ROOM_MAX ? (size_t)measured : ROOM_MAX - 1;
}

double code_cycles(const struct code *c, const struct core *core, unsigned without, float *by_step)
{
    enum { CALLS = 3 };
    struct run *r = memory_zeroed(1, sizeof *r);
    r->code = c;
    r->core = core;
    r->window = code_model_room_of(core->window);
    r->scheduler = code_model_room_of(core->scheduler);
    r->without = without;
    double begin = 0;
    for (int call = 0; call < CALLS; call++) {
        begin = r->last_retired;
        for (size_t i = 0; i < c->step_count; i++) {
            const struct op *op = &c->ops[c->steps[i]];
            const struct op *next = &c->ops[c->steps[i + 1 < c->step_count ? i + 1 : 0]];
            double before = r->last_retired;
            run_step(r, op, c->memory[i], op->branch && next->at != op->at + op->length);
            if (by_step) by_step[i] = (float)(r->last_retired - before);
        }
    }
    double cycles = r->last_retired - begin;
    free(r);
    return cycles;
}
