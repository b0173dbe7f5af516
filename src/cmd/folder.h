/* Where results live. */
#ifndef ULPLAB_FOLDER_H
#define ULPLAB_FOLDER_H

#include <stddef.h>

#include "cmd/options.h"

/* --out, or results/<slug of this CPU>. Does not make it. */
int results_folder(const struct options *o, char *folder, size_t size, struct error *e);

#endif
