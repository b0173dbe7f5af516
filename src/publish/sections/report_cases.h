/* The case studies in report.md. */
#ifndef ULPLAB_REPORT_CASES_H
#define ULPLAB_REPORT_CASES_H

#include <jansson.h>
#include <stdio.h>

/* cases: records of cases.jsonl. Writes nothing where there are none. */
void report_cases(FILE *out, const json_t *cases);

#endif
