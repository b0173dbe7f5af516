// SPDX-License-Identifier: MIT
/* vector-math.html: of each unary function what every library's build does, on a page that loads
 * nothing: its table and chart are made by its script from the data in it. It stands beside
 * report.html. */
#ifndef ULPLAB_VECTOR_PAGE_H
#define ULPLAB_VECTOR_PAGE_H

#include "publish/sections/report.h"

/* Writes the page into the folder, whole or not at all; nothing where there is no whole scan. */
int vector_page_write(const struct report *, const char *folder, struct error *);

#endif
