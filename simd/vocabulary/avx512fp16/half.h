// SPDX-License-Identifier: MIT
/* The storage conversions are those of AVX-512. */
#include "../avx512/half.h"
