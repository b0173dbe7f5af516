/* As on AVX-512. */
#include "../avx512/half.h"
