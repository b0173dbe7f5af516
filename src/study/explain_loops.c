// SPDX-License-Identifier: MIT
#include "study/explain_loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "base/memory.h"

/* ---- Kinds ----------------------------------------------------------------------------------- */

static const char *const kind_names[CODE_KINDS] = {
    "fma",     "mul",  "add",  "max",   "div",  "sqrt",    "compare", "convert",
    "permute", "bits", "load", "store", "move", "general", "branch"};

const char *code_kind_name(enum code_kind kind)
{
    return kind_names[kind];
}

/* Kinds by the beginning of a vector mnemonic, after its v; the first that fits counts. */
static const struct {
    const char *begins;
    enum code_kind kind;
} beginnings[] = {
    {"fmadd", KIND_FMA},         {"fmsub", KIND_FMA},
    {"fnmadd", KIND_FMA},        {"fnmsub", KIND_FMA},
    {"dpbf16", KIND_FMA},        {"mul", KIND_MUL},
    {"add", KIND_ADD},           {"sub", KIND_ADD},
    {"hadd", KIND_ADD},          {"max", KIND_MAX},
    {"min", KIND_MAX},           {"div", KIND_DIV},
    {"sqrt", KIND_ROOT},         {"rsqrt", KIND_ROOT},
    {"rcp", KIND_DIV},           {"cmp", KIND_COMPARE},
    {"ucomi", KIND_COMPARE},     {"comi", KIND_COMPARE},
    {"pcmp", KIND_COMPARE},      {"ptest", KIND_COMPARE},
    {"cvt", KIND_CONVERT},       {"round", KIND_CONVERT},
    {"rndscale", KIND_CONVERT},  {"scalef", KIND_CONVERT},
    {"getexp", KIND_CONVERT},    {"getmant", KIND_CONVERT},
    {"reduce", KIND_CONVERT},    {"range", KIND_MAX},
    {"pmov", KIND_CONVERT},      {"perm", KIND_PERMUTE},
    {"shuf", KIND_PERMUTE},      {"pshuf", KIND_PERMUTE},
    {"unpck", KIND_PERMUTE},     {"punpck", KIND_PERMUTE},
    {"extract", KIND_PERMUTE},   {"insert", KIND_PERMUTE},
    {"broadcast", KIND_PERMUTE}, {"pbroadcast", KIND_PERMUTE},
    {"align", KIND_PERMUTE},     {"palign", KIND_PERMUTE},
    {"blend", KIND_PERMUTE},     {"pack", KIND_PERMUTE},
    {"movhl", KIND_PERMUTE},     {"movlh", KIND_PERMUTE},
    {"movsh", KIND_PERMUTE},     {"compress", KIND_PERMUTE},
    {"expand", KIND_PERMUTE},    {"gather", KIND_LOAD},
    {"mov", KIND_MOVE},
};

enum code_kind kind_of(const struct op *op)
{
    const char *name = ZydisMnemonicGetString((ZydisMnemonic)op->mnemonic);
    if (op->branch) return KIND_BRANCH;
    if (!op->computes && op->loads) return KIND_LOAD;
    if (!op->computes && op->stores) return KIND_STORE;
    if (!name || name[0] != 'v') return name && name[0] == 'k' ? KIND_BITS : KIND_GENERAL;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name + 1, beginnings[i].begins, strlen(beginnings[i].begins)))
            return beginnings[i].kind;
    return KIND_BITS;
}

void op_text(const struct op *op, char *text, size_t size)
{
    ZydisDecoder decoder;
    ZydisFormatter formatter;
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const void *code = NULL;
    memcpy(&code, &op->at, sizeof code);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, op->length, &i, operands)) ||
        !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &i, operands,
                                                      i.operand_count_visible, text, size,
                                                      ZYDIS_RUNTIME_ADDRESS_NONE, NULL)))
        snprintf(text, size, "?");
}

/* ---- Finding --------------------------------------------------------------------------------- */

static bool is_loop(const struct explained_loop *l, const struct op *head, const struct op *tail)
{
    return l->head == head->at && l->tail == tail->at;
}

size_t explain_find_loops(const struct code *c, struct explained_loop loops[LOOPS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i + 1 < c->step_count; i++) {
        const struct op *op = &c->ops[c->steps[i]], *next = &c->ops[c->steps[i + 1]];
        if (!op->branch || op->calls || next->at > op->at || next->library != op->library) continue;
        size_t k = 0;
        while (k < count && !is_loop(&loops[k], next, op)) k++;
        if (k == count && k < LOOPS_MAX)
            loops[count++] = (struct explained_loop){.head = next->at, .tail = op->at};
    }
    for (size_t i = 0; i < c->step_count; i++)
        for (size_t k = 0; k < count; k++)
            loops[k].passes += c->ops[c->steps[i]].at == loops[k].head;
    size_t kept = 0; /* a jump back that is taken once or twice is no loop worth a name */
    for (size_t k = 0; k < count; k++)
        if (loops[k].passes > 2) loops[kept++] = loops[k];
    return kept;
}

/* The innermost loop around an address; `count` where it is in none. */
size_t loop_around(const struct explained_loop *loops, size_t count, uintptr_t at)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (loops[i].head && at >= loops[i].head && at <= loops[i].tail &&
            (best == count || loops[i].tail - loops[i].head < loops[best].tail - loops[best].head))
            best = i;
    return best;
}

/* ---- A pass ---------------------------------------------------------------------------------- */

/* Returns by how many cycles the work on sets of these pipes exceeds what each of them has. */
static double busiest(const double *by_set, unsigned pipes, unsigned *which)
{
    double longest = 0;
    for (unsigned u = 1; u < 1u << pipes; u++) {
        double sum = 0;
        for (unsigned s = 1; s < 1u << pipes; s++)
            if (!(s & ~u)) sum += by_set[s];
        if (sum / __builtin_popcount(u) > longest + 1e-9) {
            longest = sum / __builtin_popcount(u);
            *which = u;
        }
    }
    return longest;
}

static int by_address(const void *a, const void *b, void *ops)
{
    const uint32_t *x = a, *y = b;
    const struct op *o = ops;
    return (o[*x].at > o[*y].at) - (o[*x].at < o[*y].at);
}

void loop_describe(struct explained_loop *l, size_t place, const struct code *c,
                   const size_t *loop_of_step, const struct core *core)
{
    enum { SETS = 1 << PIPES_MAX };
    double by_set[SETS] = {0}, general = 0, load = 0, store = 0, slots = 0;
    char *seen = memory_zeroed(c->count, 1);
    l->ops = memory_new((c->count + 1) * sizeof *l->ops);
    for (size_t i = 0; i < c->step_count; i++) {
        const struct op *op = &c->ops[c->steps[i]];
        if (loop_of_step[i] != place) continue;
        l->counts[kind_of(op)]++;
        l->instructions++;
        slots += !op->fused;
        if (op->loads) l->loaded += op->memory_bytes;
        if (op->stores) l->stored += op->memory_bytes;
        if (op->compute.set < SETS)
            by_set[op->compute.set] += op->compute.work,
                by_set[op->hinders.set] += op->hinders.work;
        else
            general += op->compute.work / __builtin_popcount(op->compute.set);
        if (op->load.set) load += op->load.work / __builtin_popcount(op->load.set);
        if (op->store.set) store += op->store.work / __builtin_popcount(op->store.set);
        if (!seen[c->steps[i]]) l->ops[l->op_count++] = c->steps[i];
        seen[c->steps[i]] = 1;
    }
    free(seen);
    qsort_r(l->ops, l->op_count, sizeof *l->ops, by_address, c->ops);
    const double passes = l->passes ? (double)l->passes : 1;
    by_set[0] = 0;
    l->pipes_cycles = busiest(by_set, PIPES_MAX, &l->busiest) / passes;
    for (size_t k = 0; k < CODE_KINDS; k++) l->counts[k] /= passes;
    l->instructions /= passes;
    l->loaded /= passes;
    l->stored /= passes;
    l->general_cycles = general / passes;
    l->load_cycles = load / passes;
    l->store_cycles = store / passes;
    l->slot_cycles = fmax(slots / core->slots / passes, l->passes ? core->branch_cycles : 0);
}
