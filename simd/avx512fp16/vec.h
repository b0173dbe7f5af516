/* AVX-512 FP16 adds to AVX-512; its fp32 lanes are the same. */
#include "../avx512/vec.h"
