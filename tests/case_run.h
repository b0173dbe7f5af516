// SPDX-License-Identifier: MIT
/* Runs a case study of the build and returns its record, as scripts get it. */
#ifndef ULPLAB_TEST_CASE_RUN_H
#define ULPLAB_TEST_CASE_RUN_H

#include <jansson.h>
#include <stdbool.h>

/* Returns the record of `ulplab case run NAME --quiet --json ARGUMENTS..`, NULL at their end. Fails
 * the test if the program fails, as it does where the case is not reproduced. */
json_t *case_run(const char *name, ...) __attribute__((sentinel));
/* Returns true if the case was reproduced; false, after a message, if it was skipped. */
bool case_is_reproduced(const json_t *record);

/* Returns the number `what` of the record's `measured`; fails the test if it is none. */
double case_measured(const json_t *record, const char *what);
/* Returns the rows of the table with this in its caption; fails the test if there is none. */
const json_t *case_rows_of(const json_t *record, const char *caption);

#endif
