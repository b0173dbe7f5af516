// SPDX-License-Identifier: MIT
/* When a program starts, glibc chooses the code of its functions by the CPU: expf has one that uses
 * FMA and one that does not, and their results may differ. */
#ifndef ULPLAB_GLIBC_H
#define ULPLAB_GLIBC_H

/* Returns the version, and what glibc has been told to do without: "2.36", "2.36 without FMA,
 * AVX2". */
const char *glibc_chosen(void);

/* Where `hidden`, the ISAs of --hide-isa, has avx2, starts this program anew with glibc's tunables,
 * so that its functions are those of a CPU that lacks it, and FMA. Returns if they are already, or
 * if it could not be done, which glibc_chosen() tells. */
void glibc_hide(const char *hidden, char **argv);

#endif
