// SPDX-License-Identifier: MIT
/* What a case study of the build says, as scripts see it. */
#ifndef ULPLAB_TEST_CASE_RUN_H
#define ULPLAB_TEST_CASE_RUN_H

#include <jansson.h>

/* The record of `ulplab case run NAME --quick --json`; NULL where it was skipped, which is said.
 * Fails the test where the case was not reproduced. */
json_t *case_run_quick(const char *name);

/* A number among the record's `measured`; fails the test where it is none. */
double case_measured(const json_t *record, const char *what);

#endif
