// SPDX-License-Identifier: MIT
/* report.html: all sections with charts, in one file that loads nothing. Its sections are written
 * here; the tables of every variant, error and time and the charts are made by its scripts from the
 * data in it (data.h). From files alone. */
#ifndef ULPLAB_HTML_H
#define ULPLAB_HTML_H

#include <stddef.h>

#include "publish/sections/report.h"

/* Writes report.html into `into`, atomically; `path` receives where. Without Chart.js
 * (chart_library.h) the page says so and has its tables alone. */
int html_write(const struct report *r, const char *into, char *path, size_t path_size,
               struct error *e);

#endif
