// SPDX-License-Identifier: MIT
/* The declaration of a function, read from an object's debugging information. */
#ifndef ULPLAB_SIGNATURE_H
#define ULPLAB_SIGNATURE_H

#include "base/error.h"

/* "void my::f(const float *x, int n)", typedefs resolved, vectors as __m128, __m256 and __m512; the
 * caller frees. NULL where the object has no debugging information of such a function. `function`
 * may be qualified; its last part is enough. */
char *signature_read(const char *object, const char *function);

#endif
