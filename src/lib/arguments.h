/* Which arguments make sense. */
#ifndef ULP_LIB_ARGUMENTS_H
#define ULP_LIB_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

/* `rows` rows of `columns` elements, `stride` elements from one to the next; element_bytes is a
 * power of two. */
struct matrix {
    const void *data;
    size_t rows, columns, stride, element_bytes;
};

/* enum ulp_status: of one matrix; and of what is read and what is written. `in_place`: x may be y,
 * and whether it is. NULL: it must not. */
int ulp_check_matrix(const struct matrix *m);
int ulp_check_overlap(const struct matrix *x, const struct matrix *y, bool *in_place);

#endif
