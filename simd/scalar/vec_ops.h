/* Instructions of those of the vocabulary's operations that are several (include/kernel.h: ops), as
 * far as they go to a vector unit. Here a lane's integers, comparisons and choices need not: `other`
 * says only that there are some. */
#ifndef VEC_OPS_H
#define VEC_OPS_H

enum {
    SCALE_MUL = 2, SCALE_OTHER = 1,
    SCALE_DOWN_MUL = 2, SCALE_DOWN_OTHER = 1,
    FREXP_MUL = 0, FREXP_ADD = 0, FREXP_OTHER = 1,
};

#endif
