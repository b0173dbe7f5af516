// SPDX-License-Identifier: MIT
/* The estimates of llvm-mca, of the newest installed LLVM, for loops: cycles of a call on CPUs of
 * its choice, as far as these are spent in loops. */
#ifndef ULPLAB_MCA_H
#define ULPLAB_MCA_H

#include <stddef.h>

#include "study/explain_types.h"

enum { MCA_CPUS = 6 };
extern const char *const mca_cpus[MCA_CPUS]; /* LLVM's names */
/* Returns the one of mca_cpus[] whose timing model LLVM uses for a CPU of that name; NULL: none. */
const char *mca_model_of(const char *llvm);

struct mca {
    char program[32]; /* "llvm-mca-22"; "": none is installed */
    char version[32]; /* "22.1.8" */
};
/* Looks for the newest on PATH. */
struct mca mca_find(void);
/* NaN where that version does not know the CPU, or the CPU not the instructions. */
double mca_cycles(const struct mca *m, const char *cpu, const struct explained *x);

#endif
