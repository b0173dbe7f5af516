// SPDX-License-Identifier: MIT
/* Chart.js, which the page carries: the system's copy (Debian's package libjs-chart.js). */
#ifndef ULPLAB_CHART_LIBRARY_H
#define ULPLAB_CHART_LIBRARY_H

#include <stddef.h>

#include "base/error.h"

struct chart_library {
    char *source; /* NULL: none was found */
    size_t size;
    char version[32]; /* "3.9.1" */
};

/* The file that ULPLAB_CHART_JS names, or Debian's; none is taken but Chart.js 3 or 4, whose
 * interface the page's scripts speak. No such file is no error; one that cannot be read is. */
int chart_library_find(struct chart_library *library, struct error *e);
void chart_library_free(struct chart_library *library);

/* The notice of a page that was written without the library: a paragraph of HTML. */
extern const char chart_library_notice[];

#endif
