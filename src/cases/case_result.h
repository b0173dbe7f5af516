// SPDX-License-Identifier: MIT
/* The findings of a case so far, in its own process. Cases use src/cases/case.h alone. */
#ifndef ULPLAB_CASE_RESULT_H
#define ULPLAB_CASE_RESULT_H

#include <jansson.h>

#include "cases/case.h"

struct case_result {
    char skip[200], price[600];
    json_t *checks, *rows, *tables, *curves;
};

void case_result_begin(struct case_result *);
/* {verdict, reason, price, expected, measured, checks, rows, tables, curves}. Takes over what the
 * result holds. */
json_t *case_result_record(struct case_result *);
/* Returns the result of a case that found nothing, without verdict and reason. */
json_t *case_result_nothing(void);

#endif
