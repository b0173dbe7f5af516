// SPDX-License-Identifier: MIT
/* Variants of kernels that a test defines. */
#ifndef ULPLAB_TEST_PLANTED_H
#define ULPLAB_TEST_PLANTED_H

#include "model/registry.h"

/* Returns the variant of a kernel; the texts must outlive it. */
struct variant planted_variant(const struct kernel *k, const char *isa, const char *cc,
                               const char *policy);
/* Returns a registry of all these kernels, built by compiler `test` for scalar code under `off`. */
struct registry planted_registry(const struct kernel *kernels, size_t count);

/* Computes an operation correctly rounded: the oracle's values, with the job's parameters. */
void planted_rounded(const char *op, const struct job *j);

#endif
