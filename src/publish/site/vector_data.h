/* The data of vector-math.html (vector_data.c says their shape). */
#ifndef ULPLAB_VECTOR_DATA_H
#define ULPLAB_VECTOR_DATA_H

#include <jansson.h>

#include "publish/analyse/vectors.h"

/* bar: of advice (analyse/summary.h). The caller owns the document. */
json_t *vector_data(const struct vectors *, double bar);

#endif
