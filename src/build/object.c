// SPDX-License-Identifier: MIT
#include "build/object.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <Zydis/Zydis.h>

#include "base/hash.h"
#include "base/memory.h"
#include "build/elf.h"

/* ---- Instructions ---------------------------------------------------------------------------- */

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

/* Adds the instructions of a section of code to the counts. Bytes that do not decode are skipped
 * one by one and counted as such: the other figures are then lower bounds. *subtractions: those of
 * floating-point numbers among `add`. */
static void count_instructions(const struct elf_section *s, struct code_counts *counts,
                               size_t *subtractions)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = 0; at < s->size;) {
        ZyanStatus status =
            ZydisDecoderDecodeFull(&decoder, s->data + at, s->size - at, &instruction, operands);
        if (!ZYAN_SUCCESS(status)) {
            counts->undecoded++;
            at++;
            continue;
        }
        const size_t visible = instruction.operand_count_visible;
        const char *mnemonic = ZydisMnemonicGetString(instruction.mnemonic);
        count_operation(mnemonic, counts);
        *subtractions +=
            !strncmp(mnemonic + (mnemonic[0] == 'v'), "sub", 3) && is_floating(mnemonic);
        counts->ymm += touches(operands, visible, ZYDIS_REGCLASS_YMM);
        counts->zmm += touches(operands, visible, ZYDIS_REGCLASS_ZMM);
        counts->evex += instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
        at += instruction.length;
    }
}

/* ---- Witnessed ------------------------------------------------------------------------------- */

/* Writes a word of a command line without the folders of this machine: /home/me/x.c becomes x.c,
 * and -I/home/me/include -Iinclude. Relative paths are those of the build and stay. */
static void object_put_word(FILE *out, const char *word, size_t length)
{
    const char *end = word + length, *start = word;
    if (length > 2 && word[0] == '-') {
        const char *equals = memchr(word, '=', length);
        start = equals ? equals + 1 : word + 2;
    }
    fwrite(word, 1, (size_t)(start - word), out);
    if (start < end && *start == '/')
        for (const char *c = start; c < end; c++)
            if (*c == '/') start = c + 1;
    fwrite(start, 1, (size_t)(end - start), out);
}

/* Returns the compiler's record of its command line. gcc writes one string, clang several, which
 * are joined with single spaces. */
static char *witness(const struct elf_section *s)
{
    char *text = NULL;
    size_t size = 0, words = 0;
    FILE *out = memory_text(&text, &size);
    for (size_t i = 0; i < s->size;) {
        const char *word = (const char *)s->data + i;
        size_t length = 0;
        while (i + length < s->size && !memchr(" \n", word[length], 3)) length++;
        if (length) {
            if (words++) putc(' ', out);
            object_put_word(out, word, length);
        }
        i += length + 1;
    }
    memory_text_close(out);
    return text;
}

/* ---- The hash of the code -------------------------------------------------------------------- */

static void hash_number(uint64_t *hash, uint64_t number)
{
    *hash = hash_bytes(*hash, &number, sizeof number);
}

static void hash_string(uint64_t *hash, const char *s)
{
    *hash = hash_bytes(*hash, s, strlen(s) + 1);
}

/* Returns whether the section is loaded and is neither an unwind table nor a note. */
static bool loaded(const struct elf_section *s)
{
    return (s->flags & SHF_ALLOC) && s->size && s->type != SHT_NOTE &&
           strncmp(s->name, ".eh_frame", 9) != 0 && strncmp(s->name, ".note", 5) != 0;
}

/* Returns whether the section's functions run before or after main, for which no code needs to
 * refer to them. */
static bool starts_itself(const struct elf_section *s)
{
    return s->type == SHT_INIT_ARRAY || s->type == SHT_FINI_ARRAY || s->type == SHT_PREINIT_ARRAY ||
           !strncmp(s->name, ".ctors", 6) || !strncmp(s->name, ".dtors", 6);
}

/* Hashes what a relocation refers to: a symbol that is defined here by its place, whatever its
 * name, and one from elsewhere by its name. */
static void hash_target(uint64_t *hash, const struct elf *elf, const struct elf_relocation *r)
{
    bool here = r->symbol.section != SHN_UNDEF && r->symbol.section < SHN_LORESERVE;
    hash_string(hash, here ? elf->sections[r->symbol.section].name : r->symbol.name);
    hash_number(hash, (uint64_t)r->addend + (here ? r->symbol.value : 0));
}

/* Returns the loaded section that a relocation table belongs to; NULL if there is none. */
static const struct elf_section *relocated_by(const struct elf *elf,
                                              const struct elf_section *table)
{
    if (table->type != SHT_RELA || table->info >= elf->section_count) return NULL;
    const struct elf_section *s = &elf->sections[table->info];
    return loaded(s) ? s : NULL;
}

/* Marks the sections that code refers to, directly or through others: those run. The others
 * describe the kernel to the lab, its name and its promises, which may change without a change of
 * what is computed. */
static int mark_what_runs(const struct elf *elf, bool *runs, struct error *e)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct elf_section *s = &elf->sections[i];
        runs[i] = loaded(s) && ((s->flags & SHF_EXECINSTR) || starts_itself(s));
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < elf->section_count; i++) {
            const struct elf_section *table = &elf->sections[i];
            if (!relocated_by(elf, table) || !runs[table->info]) continue;
            for (size_t k = 0; k < elf_relocation_count(table); k++) {
                struct elf_relocation r;
                int code = elf_relocation(elf, table, k, &r, e);
                if (code) return code;
                size_t target = r.symbol.section;
                if (target >= elf->section_count || runs[target] || !loaded(&elf->sections[target]))
                    continue;
                runs[target] = more = true;
            }
        }
    }
    return 0;
}

/* Hashes relocations: for a section that runs, where its references point and from where; for
 * another, only which code it names, in its order, because a kernel with a different entry computes
 * something else. */
static int hash_relocations(uint64_t *hash, const struct elf *elf, const struct elf_section *table,
                            bool runs, struct error *e)
{
    for (size_t i = 0; i < elf_relocation_count(table); i++) {
        struct elf_relocation r;
        int code = elf_relocation(elf, table, i, &r, e);
        if (code) return code;
        size_t target = r.symbol.section;
        bool code_named =
            target < elf->section_count && (elf->sections[target].flags & SHF_EXECINSTR);
        if (!runs && !code_named) continue;
        if (runs) hash_number(hash, r.offset);
        hash_number(hash, r.type);
        hash_target(hash, elf, &r);
    }
    return 0;
}

static int hash_sections(const struct elf *elf, const bool *runs, uint64_t *hash, struct error *e)
{
    *hash = HASH_BASIS;
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct elf_section *s = &elf->sections[i];
        if (runs[i]) {
            hash_string(hash, s->name);
            hash_number(hash, s->size);
            if (s->data) *hash = hash_bytes(*hash, s->data, s->size);
        } else if (relocated_by(elf, s)) {
            int code = hash_relocations(hash, elf, s, runs[s->info], e);
            if (code) return code;
        }
    }
    return 0;
}

static int hash_object(const struct elf *elf, uint64_t *hash, struct error *e)
{
    bool *runs = memory_zeroed(elf->section_count, sizeof *runs);
    int code = mark_what_runs(elf, runs, e);
    if (!code) code = hash_sections(elf, runs, hash, e);
    free(runs);
    return code;
}

int object_read(const char *path, struct object_facts *facts, struct error *e)
{
    struct elf elf;
    size_t subtractions = 0;
    *facts = (struct object_facts){0};
    int code = elf_open(&elf, path, e);
    if (code) return code;
    code = hash_object(&elf, &facts->code_hash, e);
    for (size_t i = 0; i < elf.section_count && !code; i++) {
        const struct elf_section *s = &elf.sections[i];
        if ((s->flags & SHF_EXECINSTR) && s->data)
            count_instructions(s, &facts->counts, &subtractions);
        if (s->size && starts_itself(s)) facts->constructs = true;
        if (!facts->witnessed && s->data && !strcmp(s->name, ".GCC.command.line"))
            facts->witnessed = witness(s);
        if (!facts->library && s->data && !strcmp(s->name, ".ulplab.library"))
            facts->library = strndup((const char *)s->data, s->size);
    }
    elf_close(&elf);
    return code;
}

static bool has_bytes(const struct elf_section *s, const char *bytes, size_t size)
{
    return memmem(s->data, s->size, bytes, size) != NULL;
}

int object_read_tricks(const char *path, struct object_tricks *tricks, struct error *e)
{
    struct elf elf;
    struct code_counts counts = {0};
    *tricks = (struct object_tricks){0};
    int code = elf_open(&elf, path, e);
    if (code) return code;
    for (size_t i = 0; i < elf.section_count; i++) {
        const struct elf_section *s = &elf.sections[i];
        if (!(s->flags & SHF_ALLOC) || !s->data) continue;
        if (s->flags & SHF_EXECINSTR) count_instructions(s, &counts, &tricks->subtractions);
        tricks->rounds |=
            has_bytes(s, "\0\0\x40\x4b", 4) || has_bytes(s, "\0\0\0\0\0\0\x38\x43", 8);
    }
    elf_close(&elf);
    return 0;
}
