// SPDX-License-Identifier: MIT
/* A hash of results, fast enough for a scan of all 2^32 inputs: two records then show whether two
 * kernels give the same bits everywhere. Every NaN counts as the same one, since its payload is not
 * promised. The hash does not resist adversaries. */
#ifndef ULPLAB_OUTPUT_HASH_H
#define ULPLAB_OUTPUT_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the hash of y[0 .. count), the results of the inputs from the one numbered `first` on.
 * The hash of several rows is the sum of theirs, modulo 2^64, in any order, if rows are cut the
 * same way. nans: y may contain NaN; without it the hash is faster. */
uint64_t output_hash(const float *y, size_t count, uint64_t first, bool nans);

#endif
