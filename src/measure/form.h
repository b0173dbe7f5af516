// SPDX-License-Identifier: MIT
/* Forms of instructions: a mnemonic and the kinds of its operands, as text ("vfmadd231ps zmm{k} zmm
 * m512"), from which code is assembled and to which decoded code is reduced.
 *
 *   xmm ymm zmm   a vector          {k} {z}   behind the first operand: under a mask, zeroing
 *   k             a mask register   r32 r64   a general register
 *   i             an immediate      m512      memory of so many bits
 *   [zmm]         memory at a vector of indices (gathers)
 */
#ifndef ULPLAB_FORM_H
#define ULPLAB_FORM_H

#include <stdbool.h>
#include <stddef.h>

enum { FORM_TEXT_MAX = 72, FORM_OPERANDS_MAX = 4, INSTRUCTION_BYTES_MAX = 15 };

enum operand_kind {
    OPERAND_VECTOR,
    OPERAND_MASK,
    OPERAND_GENERAL,
    OPERAND_IMMEDIATE,
    OPERAND_MEMORY,
    OPERAND_GATHER,
};

struct form {
    char text[FORM_TEXT_MAX];
    unsigned mnemonic; /* Zydis's */
    bool masked, zeroing;
    unsigned count;
    struct form_operand {
        enum operand_kind kind;
        unsigned bits; /* of the register or of the memory; for a gather, of its indices */
        bool read, written;
    } operands[FORM_OPERANDS_MAX];
};

/* false where the text is no form, or one that cannot be encoded. */
bool form_parse(const char *text, struct form *f);

/* The registers of one instruction of a form, numbered as the hardware does. */
struct form_registers {
    unsigned number[FORM_OPERANDS_MAX]; /* for memory, of its base; for a gather, of its indices */
    unsigned mask;
    int index;        /* for memory: a general register; -1: none */
    unsigned base;    /* for a gather */
    int displacement; /* for memory, in bytes */
    long long value;  /* of an immediate */
};
/* Writes the instruction; returns its bytes, 0 where it cannot be encoded. */
size_t form_encode(const struct form *f, const struct form_registers *r,
                   unsigned char code[INSTRUCTION_BYTES_MAX]);

/* Decoded code as Zydis has it. */
struct ZydisDecodedInstruction_;
struct ZydisDecodedOperand_;
/* Writes the instruction's form, with a register in place of memory that it loads from, since a
 * load is an operation of its own; pure loads and stores keep theirs. Returns false if it has an
 * operand that no form has. */
bool form_of_decoded(const struct ZydisDecodedInstruction_ *instruction,
                     const struct ZydisDecodedOperand_ *operands, char text[FORM_TEXT_MAX]);

#endif
