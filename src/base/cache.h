// SPDX-License-Identifier: MIT
/* What an installed program builds for its user: $XDG_CACHE_HOME/ulplab, or ~/.cache/ulplab. */
#ifndef ULPLAB_CACHE_H
#define ULPLAB_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Parts of the cache that nothing used for so long are removed. */
enum { CACHE_DAYS = 30 };

/* Writes the folder's path, whether it is there or not; false where the environment names no home.
 */
bool cache_folder(char *path, size_t size);
/* Notes that the part `name` is in use, and removes those that were not for CACHE_DAYS. */
void cache_use(const char *name);
/* Returns the bytes of the files in a folder and below; counts its parts, folders right below it.
 */
double cache_bytes(const char *path, size_t *parts);
/* Removes a folder and all that is in it. */
void folder_remove(const char *path);

#endif
