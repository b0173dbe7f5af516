// SPDX-License-Identifier: MIT
#include "build/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OBJECT_MAX_BYTES = 1 << 28 };

static int elf_malformed(const struct elf *elf, const char *why, struct error *e)
{
    return fail(e, EXIT_BAD_INPUT, "bad object: %s: %s; run make clean, then make", elf->path, why);
}

/* ---- The file -------------------------------------------------------------------------------- */

static int read_file(struct elf *elf, struct error *e)
{
    struct stat st;
    FILE *in = fopen(elf->path, "rbe");
    if (!in || fstat(fileno(in), &st) != 0) {
        int why = errno;
        if (in) fclose(in);
        return elf_malformed(elf, strerror(why), e);
    }
    if (!S_ISREG(st.st_mode) || st.st_size > OBJECT_MAX_BYTES) {
        fclose(in);
        return elf_malformed(elf, "not a file of at most 256 MiB", e);
    }
    elf->size = (size_t)st.st_size;
    elf->bytes = malloc(elf->size + 1);
    size_t got = elf->bytes ? fread(elf->bytes, 1, elf->size, in) : 0;
    fclose(in);
    return got == elf->size ? 0 : elf_malformed(elf, "could not be read as a whole", e);
}

static bool inside(const struct elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset;
}

static int check_header(const struct elf *elf, Elf64_Ehdr *h, struct error *e)
{
    if (elf->size < sizeof *h) return elf_malformed(elf, "shorter than an ELF header", e);
    memcpy(h, elf->bytes, sizeof *h);
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_X86_64 ||
        (h->e_type != ET_REL && h->e_type != ET_DYN))
        return elf_malformed(elf, "not a relocatable or shared ELF64 object for x86-64", e);
    /* Objects with extended numbering of sections are refused: a kernel has a few dozen. */
    if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum == 0 || h->e_shstrndx >= h->e_shnum ||
        !inside(elf, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
        return elf_malformed(elf, "its section table lies outside the file", e);
    return 0;
}

/* ---- Sections -------------------------------------------------------------------------------- */

static int load_section(const struct elf *elf, const Elf64_Shdr *h, struct elf_section *s,
                        struct error *e)
{
    *s = (struct elf_section){
        .name = "",
        .type = h->sh_type,
        .link = h->sh_link,
        .info = h->sh_info,
        .flags = h->sh_flags,
        .size = h->sh_size,
    };
    if (h->sh_type == SHT_NULL || h->sh_type == SHT_NOBITS) return 0;
    if (!inside(elf, h->sh_offset, h->sh_size))
        return elf_malformed(elf, "a section reaches past the end of the file", e);
    s->data = elf->bytes + h->sh_offset;
    return 0;
}

/* Returns the string at `offset` of a string table; NULL if it does not end inside. */
static const char *string_at(const struct elf_section *table, uint64_t offset)
{
    if (table->type != SHT_STRTAB || offset >= table->size) return NULL;
    const char *s = (const char *)table->data + offset;
    return memchr(s, '\0', table->size - offset) ? s : NULL;
}

static int load_sections(struct elf *elf, const Elf64_Ehdr *header, struct error *e)
{
    const unsigned char *table = elf->bytes + header->e_shoff;
    Elf64_Shdr h;
    int code = 0;
    elf->section_count = header->e_shnum;
    elf->sections = calloc(elf->section_count, sizeof *elf->sections);
    if (!elf->sections) return elf_malformed(elf, "out of memory", e);
    for (size_t i = 0; i < elf->section_count && !code; i++) {
        memcpy(&h, table + i * sizeof h, sizeof h);
        code = load_section(elf, &h, &elf->sections[i], e);
    }
    for (size_t i = 0; i < elf->section_count && !code; i++) {
        memcpy(&h, table + i * sizeof h, sizeof h);
        elf->sections[i].name = string_at(&elf->sections[header->e_shstrndx], h.sh_name);
        if (!elf->sections[i].name) code = elf_malformed(elf, "a section without a name", e);
    }
    return code;
}

int elf_open(struct elf *elf, const char *path, struct error *e)
{
    *elf = (struct elf){.path = path};
    Elf64_Ehdr header;
    int code = read_file(elf, e);
    if (!code) code = check_header(elf, &header, e);
    if (!code) code = load_sections(elf, &header, e);
    if (code) elf_close(elf);
    return code;
}

void elf_close(struct elf *elf)
{
    free(elf->sections);
    free(elf->bytes);
    *elf = (struct elf){0};
}

/* ---- Relocations and their symbols ----------------------------------------------------------- */

static int load_symbol(const struct elf *elf, const struct elf_section *table, size_t i,
                       struct elf_symbol *symbol, struct error *e)
{
    if (table->type != SHT_SYMTAB || i >= table->size / sizeof(Elf64_Sym) ||
        table->link >= elf->section_count)
        return elf_malformed(elf, "a relocation against no symbol", e);
    Elf64_Sym s;
    memcpy(&s, table->data + i * sizeof s, sizeof s);
    *symbol = (struct elf_symbol){
        .name = string_at(&elf->sections[table->link], s.st_name),
        .section = s.st_shndx,
        .value = s.st_value,
    };
    if (!symbol->name) return elf_malformed(elf, "a symbol without a name", e);
    if (symbol->section < SHN_LORESERVE && symbol->section >= elf->section_count)
        return elf_malformed(elf, "a symbol in no section", e);
    return 0;
}

size_t elf_relocation_count(const struct elf_section *table)
{
    return table->type == SHT_RELA ? table->size / sizeof(Elf64_Rela) : 0;
}

int elf_relocation(const struct elf *elf, const struct elf_section *table, size_t i,
                   struct elf_relocation *relocation, struct error *e)
{
    if (i >= elf_relocation_count(table) || table->link >= elf->section_count)
        return elf_malformed(elf, "a relocation table without its symbols", e);
    Elf64_Rela r;
    memcpy(&r, table->data + i * sizeof r, sizeof r);
    *relocation = (struct elf_relocation){
        .offset = r.r_offset,
        .type = (uint32_t)ELF64_R_TYPE(r.r_info),
        .addend = r.r_addend,
    };
    return load_symbol(elf, &elf->sections[table->link], ELF64_R_SYM(r.r_info), &relocation->symbol,
                       e);
}

/* ---- Copying --------------------------------------------------------------------------------- */

/* Gives a symbol the name at this offset of its string table. Returns that table's number, or 0. */
static size_t rename_symbol(struct elf *elf, const char *from)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct elf_section *table = &elf->sections[i];
        if (table->type != SHT_SYMTAB || table->link >= elf->section_count) continue;
        const struct elf_section *names = &elf->sections[table->link];
        for (size_t k = 0; k < table->size / sizeof(Elf64_Sym); k++) {
            unsigned char *at = elf->bytes + (table->data - elf->bytes) + k * sizeof(Elf64_Sym);
            Elf64_Sym symbol;
            memcpy(&symbol, at, sizeof symbol);
            const char *name = string_at(names, symbol.st_name);
            if (!name || strcmp(name, from) != 0) continue;
            symbol.st_name = (Elf64_Word)names->size;
            memcpy(at, &symbol, sizeof symbol);
            return table->link;
        }
    }
    return 0;
}

int elf_write_renamed(struct elf *elf, const char *path, const char *from, const char *to,
                      struct error *e)
{
    size_t number = rename_symbol(elf, from);
    if (!number) return elf_malformed(elf, "it has no symbol of its kernel", e);
    /* The symbol's names are written once more, at the end of the file, with the new one behind
     * them. */
    Elf64_Ehdr header;
    Elf64_Shdr h;
    memcpy(&header, elf->bytes, sizeof header);
    unsigned char *at = elf->bytes + header.e_shoff + number * sizeof h;
    const size_t size = strlen(to) + 1;
    memcpy(&h, at, sizeof h);
    h.sh_offset = elf->size;
    h.sh_size += size;
    memcpy(at, &h, sizeof h);
    const struct elf_section *names = &elf->sections[number];
    FILE *out = fopen(path, "wbe");
    bool written = out && fwrite(elf->bytes, 1, elf->size, out) == elf->size &&
                   fwrite(names->data, 1, names->size, out) == names->size &&
                   fwrite(to, 1, size, out) == size;
    if (out && fclose(out) != 0) written = false;
    return written ? 0 : fail(e, EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
}
