/* report.html: the same answer as report.md with pictures, in one file that loads nothing: its
 * tables are written here and readable without scripts, its charts are drawn by Chart.js, which is
 * inlined from the system's copy. From files alone. */
#ifndef ULPLAB_HTML_H
#define ULPLAB_HTML_H

#include <stddef.h>

#include "base/error.h"

/* Reads a folder of results (and its cases.jsonl, where there is one) and writes report.html into
 * it, atomically; `path` receives where. Chart.js is the file that ULPLAB_CHART_JS names, or
 * Debian's (libjs-chart.js); without one the report says so and has its tables alone. */
int html_write(const char *folder, char *path, size_t path_size, struct error *e);

#endif
