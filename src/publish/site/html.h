// SPDX-License-Identifier: MIT
/* report.html: all sections with charts, in one file that loads nothing, and beside it
 * vector-math.html, what every library's build of each unary function does. Sections are written
 * here; the tables of every variant, error and time and the charts are made by scripts from the
 * data in the page (report_page.sql, vector_page.sql). */
#ifndef ULPLAB_HTML_H
#define ULPLAB_HTML_H

#include <stddef.h>

#include "publish/sections/report.h"

/* Writes report.html into `into`, whole or not at all, and vector-math.html where there is a whole
 * scan; `path` receives where the report is. Without Chart.js (frame.h) pages say so and have
 * their tables alone. */
int html_write(const struct report *r, const char *into, char *path, size_t path_size,
               struct error *e);

/* vector-math.html alone, where there is a whole scan. */
int html_write_vectors(const struct report *r, const char *into, struct error *e);

/* history.html: the series of an archive's cells with their change points, from the tables of
 * history_make(). */
int html_write_history(const struct lab_db *l, const char *path, struct error *e);

#endif
