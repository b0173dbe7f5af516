// SPDX-License-Identifier: MIT
/* Records of case studies for a terminal. */
#ifndef ULPLAB_CASE_TEXT_H
#define ULPLAB_CASE_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* cases: array of records (src/cases/case.h says what is in them). brief: the verdicts alone. */
void case_text(FILE *out, const json_t *cases, bool brief);

#endif
