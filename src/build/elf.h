// SPDX-License-Identifier: MIT
/* A relocatable (or shared) ELF64 x86-64 object in memory, with every offset checked before it is
 * followed. */
#ifndef ULPLAB_ELF_H
#define ULPLAB_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct elf_section {
    const char *name;
    uint32_t type, link, info; /* SHT_*; what link and info mean depends on the type */
    uint64_t flags;            /* SHF_* */
    const unsigned char *data; /* NULL where the file has no bytes of it (SHT_NOBITS) */
    size_t size;
};

struct elf_symbol {
    const char *name;
    uint16_t section; /* SHN_UNDEF: defined elsewhere */
    uint64_t value;   /* offset in its section */
};

struct elf_relocation {
    uint64_t offset; /* in the section that `info` of its table names */
    uint32_t type;   /* R_X86_64_* */
    int64_t addend;
    struct elf_symbol symbol;
};

struct elf {
    const char *path;
    unsigned char *bytes;
    size_t size;
    struct elf_section *sections; /* [0] is the empty one */
    size_t section_count;
};

/* Reads the file and checks its section table. EXIT_BAD_INPUT on anything malformed. `path` is
 * borrowed. */
int elf_open(struct elf *elf, const char *path, struct error *e);
void elf_close(struct elf *elf);

/* Reads relocation i of a table of type SHT_RELA, with its symbol. */
size_t elf_relocation_count(const struct elf_section *table);
int elf_relocation(const struct elf *elf, const struct elf_section *table, size_t i,
                   struct elf_relocation *relocation, struct error *e);

/* Writes the object to another file, with its symbol `from` named `to`. EXIT_BAD_INPUT if it has no
 * such symbol, or the file cannot be written. */
int elf_write_renamed(struct elf *elf, const char *path, const char *from, const char *to,
                      struct error *e);

#endif
