// SPDX-License-Identifier: MIT
/* A site of static pages: for each CPU and operation a page at a permanent address, SLUG/OP.html;
 * for each CPU report.html; for all CPUs flags, compilers, cases and vector math; and index.html,
 * which links all and has a search by script. No page loads anything. */
#ifndef ULPLAB_SITE_H
#define ULPLAB_SITE_H

#include <stddef.h>

#include "publish/sections/report.h"

enum { TOPICS = 4 };

struct site {
    const char *folder;
    struct lab_db index; /* temp.pages and temp.site_runs (site_index.sql) */
    struct site_topic {
        char *text;
        size_t size;
        FILE *out;
    } topics[TOPICS];
};

/* EXIT_BAD_INPUT where the folder cannot be made. Else site_end() afterwards. */
int site_begin(struct site *s, const char *folder, struct error *e);
/* Adds a run. Of several runs of a CPU the first that has an operation, or a section, fills its
 * page. */
int site_add(struct site *s, const struct report *r, struct error *e);
/* Adds a page that the folder already has. */
int site_add_page(struct site *s, const char *file, const char *title, struct error *e);
/* Writes the common pages of all CPUs, unless `code` is an error, which it returns. */
int site_end(struct site *s, int code, struct error *e);

/* report.html: all sections with charts, in one file that loads nothing, and next to it
 * vector-math.html: every library's build of each unary function. Sections are written here;
 * scripts make the tables of all variants, errors and times and the charts from the page's data
 * (report_page.sql, vector_page.sql). */

/* Writes report.html into `into`, completely or not at all, and vector-math.html if there is a
 * whole scan; `path` receives the report's path. Without Chart.js (frame.h) pages only have tables,
 * and say so. */
int html_write(const struct report *r, const char *into, char *path, size_t path_size,
               struct error *e);

/* history.html: the series of an archive's cells with their change points, from the tables of
 * history_make(). */
int html_write_history(const struct lab_db *l, const char *path, struct error *e);

#endif
