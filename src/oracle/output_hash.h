/* A hash of results, fast enough for a scan of all 2^32 inputs: whether two kernels give the same
 * bits everywhere can then be read from two records. Every NaN counts as the same one, since
 * nothing is promised of its payload. Not for adversaries. */
#ifndef ULPLAB_OUTPUT_HASH_H
#define ULPLAB_OUTPUT_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of y[0 .. count), the results of the inputs from the one numbered `first` on. The hash of several
 * rows is the sum of theirs, modulo 2^64: whoever adds them, in whatever order, has the same. Rows
 * have to be cut the same way. nans: may there be one among them? Without it is faster. */
uint64_t output_hash(const float *y, size_t count, uint64_t first, bool nans);

#endif
