// SPDX-License-Identifier: MIT
/* AVX-512 FP16 adds half arithmetic (fp16.h). The fp32 vocabulary is AVX-512's. */
#include "../avx512/vec.h"
