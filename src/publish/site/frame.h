// SPDX-License-Identifier: MIT
/* The frame of every page: what stands in the head and in the bar, and the scripts that filters,
 * order, address, charts, dark and print come from. A page is its title, its body, its data and
 * what its own script adds. It loads nothing: the system's Chart.js (Debian's package
 * libjs-chart.js, or the file that ULPLAB_CHART_JS names) is written into it, or it says that
 * charts are missing. */
#ifndef ULPLAB_FRAME_H
#define ULPLAB_FRAME_H

#include <jansson.h>

#include "base/error.h"

enum { FRAME_LINKS = 40 };

struct frame {
    const char *title;   /* text */
    const char *without; /* HTML: what a reader has where scripts are off */
    struct frame_link {
        const char *to, *name;
    } links[FRAME_LINKS];   /* of the bar: a section's id, or a file beside this one; ends with NULL
                             */
    char *body;             /* HTML behind the title; freed */
    json_t *data;           /* for the scripts; NULL: none; freed */
    const char *scripts[3]; /* of its own; ends with NULL */
    const char *drawn;      /* the script that draws charts; NULL: there are none */
};

/* The page into a file, whole or not at all. */
int frame_write(const struct frame *f, const char *path, struct error *e);

#endif
