// SPDX-License-Identifier: MIT
/* `ulplab archive add`. */
#ifndef ULPLAB_ARCHIVE_ADD_H
#define ULPLAB_ARCHIVE_ADD_H

#include "cmd/options.h"

/* Adds the folders, each as a whole or not at all, in several processes: reading and packing them
 * takes long, and one at a time writes. Stops at the first, in their order, that fails; of those
 * after it some may be there by then. */
int archive_add_folders(const struct options *o, struct error *e);

#endif
