// SPDX-License-Identifier: MIT
/* Facts of one compiled object, read at build time (src/build/registry.c). */
#ifndef ULPLAB_OBJECT_H
#define ULPLAB_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "build.h"

struct object_facts {
    char *witnessed; /* the compiler's record of its command line, or NULL; the caller frees it */
    char *library;   /* the text of simd/libraries/header_library.h, or NULL; the caller frees it */
    uint64_t code_hash;
    struct code_counts counts;
    bool constructs; /* some of its functions would run before main */
};

/* Reads an ELF64 x86-64 relocatable object. EXIT_BAD_INPUT if it is malformed.
 *
 * code_hash covers what runs: the bytes of code and of the constants that it refers to, the targets
 * of their relocations, and the functions that a kernel's descriptor names. Two compilations of one
 * source have equal hashes if and only if (apart from a collision in 64 bits) they are the same
 * machine code over the same constants. The names of files and of symbols defined here, a
 * descriptor's statements about the kernel (such as its promises), unwind tables and the compilers'
 * own records do not enter it. Sections are taken whole: a descriptor that shares one with a table
 * that code reads does enter. */
int object_read(const char *path, struct object_facts *facts, struct error *e);

/* The instructions in an object's code that disappear if a compiler regroups additions. */
struct object_tricks {
    size_t subtractions; /* instructions that subtract numbers: of a compensated sum, too */
    bool rounds;         /* has a constant that rounds to an integer: 1.5 * 2^23, or 1.5 * 2^52 */
};
/* EXIT_BAD_INPUT as object_read(). */
int object_read_tricks(const char *path, struct object_tricks *tricks, struct error *e);

#endif
