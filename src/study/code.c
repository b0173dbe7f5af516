// SPDX-License-Identifier: MIT
#include "study/code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "base/memory.h"

/* ---- Decoding -------------------------------------------------------------------------------- */

static void add_operand(struct op *op, const ZydisDecodedOperand *o)
{
    if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type != ZYDIS_MEMOP_TYPE_MEM) return;
    op->memory_bytes = o->size / 8;
    op->loads |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    op->stores |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

/* Returns whether the result depends on no operand and is made without a pipe, as that of xor r, r.
 */
static bool is_made_of_nothing(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o)
{
    static const char *const names[] = {"xor",    "vxorps", "vxorpd", "vpxor",
                                        "vpxord", "vpxorq", "sub",    "vpsubd"};
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
    for (unsigned k = 0; k < i.operand_count; k++) add_operand(&op, &operands[k]);
    op.tests_flags = i.cpu_flags && i.cpu_flags->tested;
    op.sets_flags =
        i.cpu_flags && (i.cpu_flags->modified | i.cpu_flags->set_0 | i.cpu_flags->set_1);
    op.calls = i.meta.category == ZYDIS_CATEGORY_CALL || i.meta.category == ZYDIS_CATEGORY_RET;
    if (op.branch || !can_be_measured(&i) || !form_of_decoded(&i, operands, op.form))
        op.form[0] = '\0';
    op.computes = !only_moves(&op) && !is_made_of_nothing(&i, operands);
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
    *c = (struct code){.ops = NULL, .steps = memory_new((t->count + 1) * sizeof *c->steps)};
    for (size_t i = 0; i < t->count; i++) {
        uintptr_t at = t->steps[i];
        size_t place = slot_of(table, TABLE, c->ops, at);
        if (!table[place]) {
            if (c->count == OPS_MAX) break;
            if (!(c->count & (c->count - 1)))
                c->ops = memory_grow(c->ops, (c->count ? 2 * c->count : 1) * sizeof *c->ops);
            c->ops[c->count] = decode(&decoder, at);
            c->ops[c->count].library = at < (uintptr_t)__executable_start || at >= (uintptr_t)etext;
            table[place] = (uint32_t)++c->count;
        }
        c->steps[c->step_count++] = table[place] - 1;
    }
    for (size_t i = 1; i < c->step_count; i++) {
        struct op *op = &c->ops[c->steps[i]], *before = &c->ops[c->steps[i - 1]];
        if (op->branch && op->tests_flags && before->sets_flags &&
            before->at + before->length == op->at)
            op->fused = true;
    }
    free(table);
}

void code_free(struct code *c)
{
    free(c->ops);
    free(c->steps);
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

/* Returns the cycles that an instruction takes alone, or else `guess`. */
static double cycles_or(const struct instruction *x, double guess)
{
    return x && x->status == STATUS_OK ? x->cycles : guess;
}

static void cost_op(struct op *op, const struct instruction_table *t)
{
    const struct instruction *x = op->form[0] ? instructions_find(t, op->form) : NULL;
    const struct instruction *load = op->loads ? instructions_find(t, load_form(op)) : NULL;
    const struct instruction *store = op->stores ? instructions_find(t, store_form(op)) : NULL;
    const bool there = x && x->status == STATUS_OK, is_memory = !op->computes && there;
    op->measured = there || op->branch || !op->computes;
    op->latency = there && op->computes && !op->branch ? x->latency : NAN;
    op->use = op->computes && there && x->bits ? x->use : (struct pipe_use){.set = 0};
    /* A move that the core need not execute takes no latency, and no pipe; a branch that is fused
     * with a comparison takes that one's. */
    const bool executes =
        !op->fused && (!there || (strcmp(op->form, "nop") && !(x->latency <= 0.5)));
    op->general =
        op->computes && executes && (there ? !x->bits : !op->form[0]) ? cycles_or(x, 0.5) : 0;
    op->load = op->loads ? cycles_or(is_memory ? x : load, 0.5) : 0;
    op->store = op->stores ? cycles_or(is_memory ? x : store, 1) : 0;
}

void code_cost(struct code *c, const struct instruction_table *table)
{
    for (size_t i = 0; i < c->count; i++) cost_op(&c->ops[i], table);
}
