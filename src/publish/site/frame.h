// SPDX-License-Identifier: MIT
/* The frame of every page: its head, its bar, and the scripts for filters, order, address, charts,
 * dark mode and printing. A page consists of its title, its body, its data and its own script. It
 * loads nothing: the system's Chart.js (Debian's package libjs-chart.js, or the file that
 * ULPLAB_CHART_JS names) is included, or the page says that charts are missing. */
#ifndef ULPLAB_FRAME_H
#define ULPLAB_FRAME_H

#include <jansson.h>

#include "base/error.h"

enum { FRAME_LINKS = 40 };

struct frame {
    const char *title;   /* text */
    const char *without; /* HTML: the text for readers without scripts */
    struct frame_link {
        const char *to, *name;
    } links[FRAME_LINKS];   /* links of the bar: a section's id, or a file in the same folder; ends
                             * with NULL
                             */
    char *body;             /* HTML after the title; freed */
    json_t *data;           /* for the scripts; NULL: none; freed */
    const char *scripts[3]; /* of its own; ends with NULL */
    const char *drawn;      /* the script that draws charts; NULL: there are none */
};

/* Writes the page into a file, completely or not at all. */
int frame_write(const struct frame *f, const char *path, struct error *e);

#endif
