// SPDX-License-Identifier: MIT
/* Checks of a caller's matrices. */
#ifndef ULP_LIB_ARGUMENTS_H
#define ULP_LIB_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

/* `rows` rows of `columns` elements, `stride` elements between them; element_bytes is a power of
 * two. */
struct matrix {
    const void *data;
    size_t rows, columns, stride, element_bytes;
};

/* Return an enum ulp_status, for one matrix, and for a matrix that is read and one that is written.
 * in_place: receives whether y is x, which is then allowed; NULL: it is not. */
int ulp_check_matrix(const struct matrix *m);
int ulp_check_overlap(const struct matrix *x, const struct matrix *y, bool *in_place);

#endif
