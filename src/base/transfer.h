/* Bytes through a pipe or into a file: all of them, however often a signal interrupts. */
#ifndef ULPLAB_TRANSFER_H
#define ULPLAB_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>

/* False, with errno, where not all could be written. */
bool write_all(int fd, const void *data, size_t size);
/* False where the stream ends before, or with errno. */
bool read_all(int fd, void *data, size_t size);

/* Before exec: what `from` is open on becomes the descriptor `to` of the new program. */
bool descriptor_give(int from, int to);

#endif
