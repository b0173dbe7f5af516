/* AVX-512 with VBMI, which permutes bytes: for what lookup.h does; the vocabulary is AVX-512's. */
#include "../avx512/vec.h"
