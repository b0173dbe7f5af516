// SPDX-License-Identifier: MIT
/* FNV-1a, 64 bits (Fowler, Noll, Vo): equal bytes have equal hashes on every machine. */
#ifndef ULPLAB_HASH_H
#define ULPLAB_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_BASIS 0xcbf29ce484222325u /* the hash of no bytes */

/* Continues a hash by these bytes. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ b[i]) * 0x100000001b3u;
    return hash;
}

#endif
