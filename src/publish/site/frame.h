// SPDX-License-Identifier: MIT
/* The frame of every page: what stands in the head and in the bar, and the scripts that filters,
 * order, address, charts, dark and print come from. A page is its title, its body, its data and
 * what its own script adds. */
#ifndef ULPLAB_FRAME_H
#define ULPLAB_FRAME_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

enum { FRAME_SCRIPTS = 4, FRAME_LINKS = 40 };

struct frame {
    const char *title;   /* text */
    const char *without; /* HTML: what a reader has where scripts are off */
    const char *style;   /* CSS of its own; NULL: none */
    struct frame_link {
        const char *to, *name;
    } links[FRAME_LINKS]; /* of the bar: a section's id, or a file beside this one */
    size_t link_count;
    void (*write)(FILE *out, void *context); /* what stands between the bar and the scripts */
    void *context;
    json_t *(*data)(void *context);            /* for the scripts, behind the body; NULL: none */
    const char *const *scripts, *const *drawn; /* assets of its own; `drawn`: where charts can be
                                                  drawn; end with NULL, or are NULL */
};

/* The page into a file, whole or not at all. */
int frame_write(const struct frame *f, const char *path, struct error *e);

#endif
