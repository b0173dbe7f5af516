// SPDX-License-Identifier: MIT
#include "build/disassemble.h"

#include <stdbool.h>
#include <string.h>

#include <Zydis/Zydis.h>

/* Operations by the beginning of their mnemonics without AVX's `v`: vfnmadd231ss, addsubpd. Square
 * roots and reciprocal estimates are none of these. */
static const struct operation {
    const char *begins;
    size_t counter; /* offset in struct code_counts */
} operations[] = {
    {"fmadd", offsetof(struct code_counts, fma)},
    {"fmsub", offsetof(struct code_counts, fma)},
    {"fnmadd", offsetof(struct code_counts, fma)},
    {"fnmsub", offsetof(struct code_counts, fma)},
    {"mul", offsetof(struct code_counts, mul)},
    {"add", offsetof(struct code_counts, add)},
    {"sub", offsetof(struct code_counts, add)},
    {"hadd", offsetof(struct code_counts, add)},
    {"hsub", offsetof(struct code_counts, add)},
    {"div", offsetof(struct code_counts, div)},
    {"cmp", offsetof(struct code_counts, compare)},
    {"ucomi", offsetof(struct code_counts, compare)},
    {"comi", offsetof(struct code_counts, compare)},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Returns whether the mnemonic ends like a floating-point instruction: packed or scalar, single,
 * double or half precision. */
static bool is_floating(const char *mnemonic)
{
    size_t length = strlen(mnemonic);
    return length > 2 && strchr("ps", mnemonic[length - 2]) && strchr("sdh", mnemonic[length - 1]);
}

static void count_operation(const char *mnemonic, struct code_counts *counts)
{
    const char *name = mnemonic + (mnemonic[0] == 'v');
    if (!strcmp(name, "ldmxcsr")) counts->mxcsr++;
    if (!is_floating(mnemonic)) return;
    for (size_t i = 0; i < OPERATIONS; i++)
        if (!strncmp(name, operations[i].begins, strlen(operations[i].begins))) {
            unsigned *counter = (unsigned *)((char *)counts + operations[i].counter);
            (*counter)++;
            if (counter == &counts->fma && mnemonic[strlen(mnemonic) - 2] == 's')
                counts->fma_scalar++;
            return;
        }
}

static bool operand_is(const ZydisDecodedOperand *o, ZydisRegisterClass class)
{
    switch (o->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        return ZydisRegisterGetClass(o->reg.value) == class;
    case ZYDIS_OPERAND_TYPE_MEMORY: /* a gather's index is a vector */
        return ZydisRegisterGetClass(o->mem.index) == class;
    default:
        return false;
    }
}

static bool touches(const ZydisDecodedOperand *operands, size_t n, ZydisRegisterClass class)
{
    for (size_t i = 0; i < n; i++)
        if (operand_is(&operands[i], class)) return true;
    return false;
}

void disassemble_count(const unsigned char *code, size_t size, struct code_counts *counts)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = 0; at < size;) {
        ZyanStatus status =
            ZydisDecoderDecodeFull(&decoder, code + at, size - at, &instruction, operands);
        if (!ZYAN_SUCCESS(status)) {
            counts->undecoded++;
            at++;
            continue;
        }
        size_t visible = instruction.operand_count_visible;
        count_operation(ZydisMnemonicGetString(instruction.mnemonic), counts);
        counts->ymm += touches(operands, visible, ZYDIS_REGCLASS_YMM);
        counts->zmm += touches(operands, visible, ZYDIS_REGCLASS_ZMM);
        counts->evex += instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
        at += instruction.length;
    }
}

size_t disassemble_subtractions(const unsigned char *code, size_t size)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    size_t found = 0;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = 0; at < size; at += instruction.length) {
        const ZyanStatus status =
            ZydisDecoderDecodeInstruction(&decoder, NULL, code + at, size - at, &instruction);
        if (!ZYAN_SUCCESS(status)) {
            instruction.length = 1;
            continue;
        }
        const char *mnemonic = ZydisMnemonicGetString(instruction.mnemonic);
        found += !strncmp(mnemonic + (mnemonic[0] == 'v'), "sub", 3) && is_floating(mnemonic);
    }
    return found;
}
