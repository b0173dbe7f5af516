// SPDX-License-Identifier: MIT
/* A function from int8 to int8, as a quantized network applies it: the operand of the kernels
 * int8sigmoid_* (job.operand). */
#ifndef ULPLAB_INT8_MAP_H
#define ULPLAB_INT8_MAP_H

#include <stdint.h>

/* A code q in [low, high], within [-128, 127], stands for scale (q - zero_point). */
struct quantization {
    float scale;
    int zero_point, low, high;
};

struct int8_map {
    struct quantization in, out;
    int8_t table[256]; /* table[128 + q]: the result for code q */
};

#endif
