// SPDX-License-Identifier: MIT
/* history.html: the series of an archive's cells with their change points. */
#ifndef ULPLAB_HISTORY_PAGE_H
#define ULPLAB_HISTORY_PAGE_H

#include "model/lab_db.h"

/* Whole or not at all, of what history_make() has made. */
int history_write_page(const struct lab_db *l, const char *path, struct error *e);

#endif
