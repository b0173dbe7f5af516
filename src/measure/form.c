// SPDX-License-Identifier: MIT
#include "measure/form.h"

#include <stdio.h>
#include <string.h>

#include <Zydis/Zydis.h>

/* ---- Text ------------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    enum operand_kind kind;
    unsigned bits;
    ZydisRegisterClass class; /* of the register, or of a gather's indices */
} kinds[] = {
    {"xmm", OPERAND_VECTOR, 128, ZYDIS_REGCLASS_XMM},
    {"ymm", OPERAND_VECTOR, 256, ZYDIS_REGCLASS_YMM},
    {"zmm", OPERAND_VECTOR, 512, ZYDIS_REGCLASS_ZMM},
    {"k", OPERAND_MASK, 64, ZYDIS_REGCLASS_MASK},
    {"r16", OPERAND_GENERAL, 16, ZYDIS_REGCLASS_GPR16},
    {"r32", OPERAND_GENERAL, 32, ZYDIS_REGCLASS_GPR32},
    {"r64", OPERAND_GENERAL, 64, ZYDIS_REGCLASS_GPR64},
    {"i", OPERAND_IMMEDIATE, 8, ZYDIS_REGCLASS_INVALID},
    {"[xmm]", OPERAND_GATHER, 128, ZYDIS_REGCLASS_XMM},
    {"[ymm]", OPERAND_GATHER, 256, ZYDIS_REGCLASS_YMM},
    {"[zmm]", OPERAND_GATHER, 512, ZYDIS_REGCLASS_ZMM},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool parse_operand(const char *word, struct form_operand *o)
{
    unsigned bits;
    char end;
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(word, kinds[i].text)) {
            *o = (struct form_operand){.kind = kinds[i].kind, .bits = kinds[i].bits};
            return true;
        }
    if (sscanf(word, "m%u%c", &bits, &end) != 1) return false;
    *o = (struct form_operand){.kind = OPERAND_MEMORY, .bits = bits};
    return true;
}

/* Removes `suffix` from the word's end. */
static bool cut(char *word, const char *suffix)
{
    char *at = strstr(word, suffix);
    if (at) memmove(at, at + strlen(suffix), strlen(at + strlen(suffix)) + 1);
    return at;
}

static bool find_mnemonic(const char *name, unsigned *mnemonic)
{
    for (*mnemonic = 1; *mnemonic <= ZYDIS_MNEMONIC_MAX_VALUE; ++*mnemonic) {
        const char *known = ZydisMnemonicGetString((ZydisMnemonic)*mnemonic);
        if (known && !strcmp(known, name)) return true;
    }
    return false;
}

static bool form_split(const char *text, struct form *f)
{
    char words[FORM_TEXT_MAX], *rest = words;
    *f = (struct form){.count = 0};
    if (snprintf(words, sizeof words, "%s", text) >= (int)sizeof words) return false;
    memcpy(f->text, words, sizeof words);
    const char *name = strtok_r(words, " ", &rest);
    if (!name || !find_mnemonic(name, &f->mnemonic)) return false;
    for (char *word; (word = strtok_r(NULL, " ", &rest));) {
        if (f->count == FORM_OPERANDS_MAX) return false;
        f->zeroing |= cut(word, "{z}");
        f->masked |= cut(word, "{k}");
        if (!parse_operand(word, &f->operands[f->count++])) return false;
    }
    return true;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

static ZydisRegister register_of(enum operand_kind kind, unsigned bits, unsigned number)
{
    size_t i = 0;
    while (kinds[i].kind != kind || kinds[i].bits != bits) i++;
    return ZydisRegisterEncode(kinds[i].class, (ZyanU8)number);
}

static ZydisEncoderOperand register_operand(ZydisRegister value)
{
    return (ZydisEncoderOperand){.type = ZYDIS_OPERAND_TYPE_REGISTER, .reg.value = value};
}

/* Returns the bytes of an element that a gather loads: vgatherdps loads floats, vgatherdpd
 * doubles. */
static unsigned short gathered_bytes(const struct form *f)
{
    const char *name = ZydisMnemonicGetString((ZydisMnemonic)f->mnemonic);
    return strchr("sd", name[strlen(name) - 1]) && name[strlen(name) - 2] != 'p' ? 4
           : name[strlen(name) - 1] == 'd' || name[strlen(name) - 1] == 'q'      ? 8
                                                                                 : 4;
}

static ZydisEncoderOperand operand_of(const struct form *f, unsigned i,
                                      const struct form_registers *r)
{
    const struct form_operand *o = &f->operands[i];
    ZydisEncoderOperand operand = {.type = ZYDIS_OPERAND_TYPE_MEMORY};
    switch (o->kind) {
    case OPERAND_VECTOR:
    case OPERAND_MASK:
    case OPERAND_GENERAL:
        operand = register_operand(register_of(o->kind, o->bits, r->number[i]));
        operand.reg.is4 = o->kind == OPERAND_VECTOR && i == 3; /* blends by a vector's signs */
        return operand;
    case OPERAND_IMMEDIATE:
        operand.type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
        operand.imm.s = r->value;
        return operand;
    case OPERAND_MEMORY:
        operand.mem.base = register_of(OPERAND_GENERAL, 64, r->number[i]);
        operand.mem.index = r->index < 0 ? ZYDIS_REGISTER_NONE
                                         : register_of(OPERAND_GENERAL, 64, (unsigned)r->index);
        operand.mem.scale = r->index < 0 ? 0 : 1;
        operand.mem.displacement = r->displacement;
        operand.mem.size = (ZyanU16)(o->bits / 8);
        return operand;
    case OPERAND_GATHER:
        operand.mem.base = register_of(OPERAND_GENERAL, 64, r->base);
        operand.mem.index = register_of(OPERAND_GATHER, o->bits, r->number[i]);
        operand.mem.scale = 4;
        operand.mem.size = gathered_bytes(f);
        return operand;
    }
    return operand;
}

/* Encodes the form. The mask is a separate operand after the first; instructions with EVEX's prefix
 * always have one, k0 if they are not masked. */
static size_t measure_form_encode(const struct form *f, const struct form_registers *r,
                                  bool with_mask, unsigned char code[INSTRUCTION_BYTES_MAX])
{
    ZydisEncoderRequest q = {.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
                             .mnemonic = (ZydisMnemonic)f->mnemonic,
                             .evex.zeroing_mask = f->zeroing};
    for (unsigned i = 0; i < f->count; i++) {
        if (q.operand_count == ZYDIS_ENCODER_MAX_OPERANDS) return 0;
        q.operands[q.operand_count++] = operand_of(f, i, r);
        if (i == 0 && with_mask)
            q.operands[q.operand_count++] =
                register_operand(ZYDIS_REGISTER_K0 + (f->masked ? (ZydisRegister)r->mask : 0));
    }
    ZyanUSize size = INSTRUCTION_BYTES_MAX;
    return ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&q, code, &size)) ? size : 0;
}

size_t form_encode(const struct form *f, const struct form_registers *r,
                   unsigned char code[INSTRUCTION_BYTES_MAX])
{
    size_t size = f->masked ? 0 : measure_form_encode(f, r, false, code);
    return size ? size : measure_form_encode(f, r, true, code);
}

/* Finds the operands that the instruction reads and writes, from its encoding. */
static bool learn_actions(struct form *f)
{
    const struct form_registers r = {
        .number = {0, 1, 2, 3}, .mask = 1, .index = -1, .base = 7, .value = 1};
    unsigned char code[INSTRUCTION_BYTES_MAX];
    size_t size = form_encode(f, &r, code);
    ZydisDecoder decoder;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!size || !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, size, &decoded, operands)))
        return false;
    unsigned shift = decoded.operand_count_visible > f->count; /* a mask's operand */
    for (unsigned i = 0; i < f->count && i + shift < decoded.operand_count; i++) {
        const ZydisDecodedOperand *o = &operands[i ? i + shift : 0];
        f->operands[i].read = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
        f->operands[i].written = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    }
    if (f->masked && !f->zeroing) f->operands[0].read = true;
    return true;
}

bool form_parse(const char *text, struct form *f)
{
    return form_split(text, f) && learn_actions(f);
}

/* ---- Decoded code ---------------------------------------------------------------------------- */

/* Moves are loads and stores themselves; so are broadcasts of memory, expansions and lookups by
 * index. */
static bool is_pure_move(const ZydisDecodedInstruction *i)
{
    const char *name = ZydisMnemonicGetString(i->mnemonic);
    return !strncmp(name, "vmov", 4) || !strncmp(name, "mov", 3) || !strncmp(name, "kmov", 4) ||
           !strncmp(name, "vlddqu", 6) || !strncmp(name, "vbroadcast", 10) ||
           !strncmp(name, "vpbroadcast", 11);
}

static unsigned vector_bits(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
    unsigned bits = 128;
    for (unsigned k = 0; k < i->operand_count_visible; k++)
        if (operands[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            ZydisRegisterGetClass(operands[k].reg.value) >= ZYDIS_REGCLASS_XMM &&
            ZydisRegisterGetClass(operands[k].reg.value) <= ZYDIS_REGCLASS_ZMM &&
            operands[k].size > bits)
            bits = operands[k].size;
    return bits;
}

/* Writes the register that replaces memory which an instruction of general or of vector registers
 * loads. An embedded broadcast fills a whole vector. */
static void put_loaded(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
                       const ZydisDecodedOperand *operands, char *word, size_t size)
{
    const char *name = ZydisMnemonicGetString(i->mnemonic);
    unsigned bits = i->avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID ? vector_bits(i, operands)
                    : o->size <= 128                                      ? 128u
                                                                          : o->size;
    if (name[0] == 'v' && strncmp(name, "vcvtsi", 6) != 0 && strncmp(name, "vpinsr", 6) != 0)
        snprintf(word, size, "%cmm", bits == 512 ? 'z' : bits == 256 ? 'y' : 'x');
    else
        snprintf(word, size, "r%u", o->size == 64 ? 64u : 32u);
}

static bool put_operand(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
                        const ZydisDecodedOperand *operands, char *word, size_t size)
{
    if (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        snprintf(word, size, "i");
        return true;
    }
    ZydisRegisterClass class =
        ZydisRegisterGetClass(o->type == ZYDIS_OPERAND_TYPE_REGISTER ? o->reg.value : o->mem.index);
    if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && class < ZYDIS_REGCLASS_XMM) {
        if (is_pure_move(i) || (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) ||
            o->mem.type != ZYDIS_MEMOP_TYPE_MEM)
            snprintf(word, size, "m%u", o->size);
        else
            put_loaded(i, o, operands, word, size);
        return true;
    }
    const bool gathers = o->type == ZYDIS_OPERAND_TYPE_MEMORY;
    for (size_t k = 0; k < KINDS; k++)
        if (class && kinds[k].class == class && (kinds[k].kind == OPERAND_GATHER) == gathers) {
            snprintf(word, size, "%s", kinds[k].text);
            return true;
        }
    return false;
}

bool form_of_decoded(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands,
                     char text[FORM_TEXT_MAX])
{
    size_t used = (size_t)snprintf(text, FORM_TEXT_MAX, "%s", ZydisMnemonicGetString(i->mnemonic));
    const char *mask = i->avx.mask.mode == ZYDIS_MASK_MODE_MERGING   ? "{k}"
                       : i->avx.mask.mode == ZYDIS_MASK_MODE_ZEROING ? "{k}{z}"
                       : i->avx.mask.mode == ZYDIS_MASK_MODE_CONTROL ? "{k}"
                                                                     : "";
    for (unsigned k = 0; k < i->operand_count_visible; k++) {
        char word[16];
        const ZydisDecodedOperand *o = &operands[k];
        bool is_mask = k == 1 && o->encoding == ZYDIS_OPERAND_ENCODING_MASK;
        if (is_mask) continue;
        if (!put_operand(i, o, operands, word, sizeof word)) return false;
        used +=
            (size_t)snprintf(text + used, FORM_TEXT_MAX - used, " %s%s", word, k == 0 ? mask : "");
        if (used >= FORM_TEXT_MAX) return false;
    }
    return true;
}
