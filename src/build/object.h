/* What one compiled object says of itself: read at build time (src/build/registry.c). */
#ifndef ULPLAB_OBJECT_H
#define ULPLAB_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "build.h"

struct object_facts {
    char *witnessed; /* the compiler's record of its command line, or NULL; the caller frees it */
    char *library;   /* what simd/libraries/header_library.h left, or NULL; the caller frees it */
    uint64_t code_hash;
    struct code_counts counts;
    bool constructs; /* some of it would run before main */
};

/* Reads an ELF64 x86-64 relocatable object. EXIT_BAD_INPUT where it is malformed.
 *
 * code_hash covers what runs: the bytes of code and of the constants it refers to, where their
 * relocations point, and which functions a kernel's descriptor names. Two compilations of one
 * source hash equal if and only if (but for a collision in 64 bits) they are the same machine code
 * over the same constants: the names of files and of symbols defined here, what a descriptor says
 * of the kernel (its promises, say), unwind tables and the compilers' own records do not enter it.
 * Sections are taken whole: a descriptor that shares one with a table that code reads does enter.
 */
int object_read(const char *path, struct object_facts *facts, struct error *e);

#endif
