// SPDX-License-Identifier: MIT
/* VBMI adds permutations of bytes, which lookup.h needs. The vocabulary is AVX-512's. */
#include "../avx512/vec.h"
