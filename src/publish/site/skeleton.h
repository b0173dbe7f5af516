/* A page's skeleton, whose {{places}} are filled by functions. */
#ifndef ULPLAB_SKELETON_H
#define ULPLAB_SKELETON_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/* The list ends with a NULL name. */
struct skeleton_place {
    const char *name;
    void (*write)(void *context);
};

/* Writes the skeleton; what a place's function writes stands where the skeleton names it. A name
 * that the list lacks leaves nothing. */
void skeleton_write(FILE *out, const char *skeleton, size_t size,
                    const struct skeleton_place *places, void *context);

/* The element that page.js reads the data from. */
void skeleton_data(FILE *out, const json_t *data);
void skeleton_script(FILE *out, const char *source, size_t size);

#endif
