// SPDX-License-Identifier: MIT
/* Published worst inputs of functions in double. */
#ifndef ULPLAB_F64_PUBLISHED_H
#define ULPLAB_F64_PUBLISHED_H

struct f64_published {
    const char *op;
    const char *library; /* whose error is large there */
    double x;
};
extern const struct f64_published f64_published[]; /* ends with a NULL op */

#endif
