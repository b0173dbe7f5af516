// SPDX-License-Identifier: MIT
/* The data of report.html and of vector-math.html, which their scripts draw from. */
#ifndef ULPLAB_SITE_DATA_H
#define ULPLAB_SITE_DATA_H

#include <jansson.h>

#include "publish/render/doc.h"
#include "publish/sections/report.h"

/* folds: what the sections left, which it takes. */
json_t *page_data(const struct report *r, struct doc_folds *folds);
json_t *vector_data(const struct report *r);

#endif
