/* Instructions of those of the vocabulary's operations that are several (include/kernel.h: ops). */
#ifndef VEC_OPS_H
#define VEC_OPS_H

enum {
    SCALE_MUL = 0, SCALE_OTHER = 1,
    SCALE_DOWN_MUL = 0, SCALE_DOWN_OTHER = 1,
    FREXP_MUL = 0, FREXP_ADD = 1, FREXP_OTHER = 3, /* getmant, getexp, a comparison */
};

#endif
