// SPDX-License-Identifier: MIT
/* When a program starts, glibc chooses the code of its functions by the CPU: expf has one that uses
 * FMA and one that does not, and their results may differ. */
#ifndef ULPLAB_GLIBC_H
#define ULPLAB_GLIBC_H

/* Returns the version, and what glibc has been told to do without: "2.36", "2.36 without FMA,
 * AVX2". */
const char *glibc_chosen(void);

/* Starts this program anew with glibc's tunables if `hidden`, the ISAs of --hide-isa, contains
 * avx2, so that its functions are those of a CPU without AVX2 and FMA. Returns if they are already,
 * or if that failed, which glibc_chosen() shows. */
void glibc_hide(const char *hidden, char **argv);

#endif
