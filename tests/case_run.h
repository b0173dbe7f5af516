// SPDX-License-Identifier: MIT
/* Runs a case study of the build and returns its record, as scripts get it. */
#ifndef ULPLAB_TEST_CASE_RUN_H
#define ULPLAB_TEST_CASE_RUN_H

#include <jansson.h>

/* The record of `ulplab case run NAME --quick --json`; NULL, after a message, if the case was
 * skipped. Fails the test if the case was not reproduced. */
json_t *case_run_quick(const char *name);

/* Returns the number `what` of the record's `measured`; fails the test if it is none. */
double case_measured(const json_t *record, const char *what);

#endif
