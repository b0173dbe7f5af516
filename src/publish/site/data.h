/* What the page's script reads: one JSON document inside the page (data.c says its shape). */
#ifndef ULPLAB_DATA_H
#define ULPLAB_DATA_H

#include "publish/render/doc.h"
#include "publish/sections/report.h"

/* folds: taken over. The caller releases what it returns. */
json_t *page_data(const struct report *r, struct doc_folds *folds);

#endif
