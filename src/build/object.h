/* What one compiled object says of itself: read at build time (src/build/registry.c). */
#ifndef ULPLAB_OBJECT_H
#define ULPLAB_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "build.h"

struct object_facts {
    char *witnessed; /* the compiler's record of its command line, or NULL; the caller frees it */
    uint64_t code_hash;
    struct code_counts counts;
};

/* Reads an ELF64 x86-64 relocatable object. */
int object_read(const char *path, struct object_facts *facts, struct error *e);

#endif
