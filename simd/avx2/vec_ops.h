/* Instructions of those of the vocabulary's operations that are several (include/kernel.h: ops). */
#ifndef VEC_OPS_H
#define VEC_OPS_H

enum {
    SCALE_MUL = 2, SCALE_OTHER = 7, /* a conversion, a half, a rest, two biases, two shifts */
    SCALE_DOWN_MUL = 2, SCALE_DOWN_OTHER = 3,
    FREXP_MUL = 1, FREXP_ADD = 1, FREXP_OTHER = 8,
};

#endif
