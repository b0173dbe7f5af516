// SPDX-License-Identifier: MIT
/* Bytes through a pipe or into a file: all of them, however often a signal interrupts. */
#ifndef ULPLAB_TRANSFER_H
#define ULPLAB_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all bytes. Returns false, with errno, if it could not. */
bool write_all(int fd, const void *data, size_t size);
/* Reads all bytes. Returns false if the stream ends before that, or, with errno, on an error. */
bool read_all(int fd, void *data, size_t size);

/* Prepares an exec: the file of descriptor `from` becomes descriptor `to` of the new program. */
bool descriptor_give(int from, int to);

#endif
