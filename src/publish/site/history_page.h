// SPDX-License-Identifier: MIT
/* history.html: the series of an archive's cells with their change points. */
#ifndef ULPLAB_HISTORY_PAGE_H
#define ULPLAB_HISTORY_PAGE_H

#include "publish/history/history.h"

/* Whole or not at all. */
int history_write_page(const struct history *h, const char *path, struct error *e);

#endif
