// SPDX-License-Identifier: MIT
/* Floating-point arrays in NumPy's .npy files, format versions 1.0, 2.0 and 3.0
 * (numpy/lib/format.py). */
#ifndef ULPLAB_NPY_H
#define ULPLAB_NPY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct npy {
    float *data; /* [rows, cols], C order */
    /* [rows, cols], doubles as a file of '<f8' has them, or which are written as '<f8'; NULL: there
     * are only floats. */
    double *doubles;
    size_t rows, cols;
    int ndim;  /* 2, or 1: then rows is 1 */
    bool half; /* '<f2' in the file, in which every value must then be exact */
    /* The conversion on reading: the dtype in the file, "" if nothing was converted; the number of
     * values that fp32 does not have, and of those beyond its largest. */
    char converted[16];
    size_t rounded, overflowed;
};

/* Reads fp32, fp16 and fp64 of either byte order, C order, 1-D or 2-D; fp64 is rounded to fp32, and
 * kept as it is, too. EXIT_BAD_INPUT on any other file, and on one that is shorter or longer than
 * its header says. The caller frees. */
int npy_read(const char *path, struct npy *array, struct error *e);
/* Writes a line on what was converted; "" if nothing was. */
void npy_note(const char *path, const struct npy *array, char *text, size_t size);
void npy_free(struct npy *array);

/* Writes version 1.0, whole or not at all (file_write_parts). */
int npy_write(const char *path, const struct npy *array, struct error *e);

#endif
