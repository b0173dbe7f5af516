#include "build/object.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "build/disassemble.h"
#include "build/elf.h"

/* ---- Witnessed ------------------------------------------------------------------------------- */

/* A word of a command line without the folders of this machine: /home/me/x.c is x.c, and
 * -I/home/me/include is -Iinclude. Relative paths are the build's own and stay. */
static void put_word(FILE *out, const char *word, size_t length)
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

/* gcc writes one string, clang several: they are joined with single spaces. */
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
            put_word(out, word, length);
        }
        i += length + 1;
    }
    memory_text_close(out);
    return text;
}

/* ---- The hash of what runs ------------------------------------------------------------------- */

static void hash_number(uint64_t *hash, uint64_t number)
{
    *hash = hash_bytes(*hash, &number, sizeof number);
}

static void hash_string(uint64_t *hash, const char *s)
{
    *hash = hash_bytes(*hash, s, strlen(s) + 1);
}

/* Code and constants: what is loaded, but for unwind tables and notes. */
static bool runs(const struct elf_section *s)
{
    return (s->flags & SHF_ALLOC) && s->size && s->type != SHT_NOTE &&
           strncmp(s->name, ".eh_frame", 9) != 0 && strncmp(s->name, ".note", 5) != 0;
}

/* A symbol that is defined here is hashed by its place, whatever its name; one from elsewhere by
 * its name. */
static void hash_target(uint64_t *hash, const struct elf *elf, const struct elf_relocation *r)
{
    bool here = r->symbol.section != SHN_UNDEF && r->symbol.section < SHN_LORESERVE;
    hash_string(hash, here ? elf->sections[r->symbol.section].name : r->symbol.name);
    hash_number(hash, (uint64_t)r->addend + (here ? r->symbol.value : 0));
}

static int hash_relocations(uint64_t *hash, const struct elf *elf, const struct elf_section *table,
                            struct error *e)
{
    for (size_t i = 0; i < elf_relocation_count(table); i++) {
        struct elf_relocation r;
        int code = elf_relocation(elf, table, i, &r, e);
        if (code) return code;
        hash_number(hash, r.offset);
        hash_number(hash, r.type);
        hash_target(hash, elf, &r);
    }
    return 0;
}

static int hash_object(const struct elf *elf, uint64_t *hash, struct error *e)
{
    *hash = HASH_BASIS;
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct elf_section *s = &elf->sections[i];
        if (runs(s)) {
            hash_string(hash, s->name);
            hash_number(hash, s->size);
            if (s->data) *hash = hash_bytes(*hash, s->data, s->size);
        } else if (s->type == SHT_RELA && s->info < elf->section_count &&
                   runs(&elf->sections[s->info])) {
            int code = hash_relocations(hash, elf, s, e);
            if (code) return code;
        }
    }
    return 0;
}

int object_read(const char *path, struct object_facts *facts, struct error *e)
{
    struct elf elf;
    *facts = (struct object_facts){0};
    int code = elf_open(&elf, path, e);
    if (code) return code;
    code = hash_object(&elf, &facts->code_hash, e);
    for (size_t i = 0; i < elf.section_count && !code; i++) {
        const struct elf_section *s = &elf.sections[i];
        if ((s->flags & SHF_EXECINSTR) && s->data)
            disassemble_count(s->data, s->size, &facts->counts);
        if (!facts->witnessed && s->data && !strcmp(s->name, ".GCC.command.line"))
            facts->witnessed = witness(s);
    }
    elf_close(&elf);
    return code;
}
