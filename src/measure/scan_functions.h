// SPDX-License-Identifier: MIT
/* Several functions in one scan. */
#ifndef ULPLAB_SCAN_FUNCTIONS_H
#define ULPLAB_SCAN_FUNCTIONS_H

#include "measure/scan.h"

enum { SCAN_FUNCTIONS_MAX = 64 };

struct scan_functions {
    const char *names[SCAN_FUNCTIONS_MAX]; /* borrowed from the words, or from the registry */
    size_t count;
};

/* Finds the functions that the words name, each once. The word "all" is every unary function of
 * which the registry has a variant, of fp32 or in double, that is not a case study's alone.
 * EXIT_USAGE if there is none. */
int scan_functions_find(const char *const *words, size_t count, const struct registry *,
                        struct scan_functions *, struct error *);

/* scan_run(), and f64_scan_run() where the plan is no range, of one function after the other, as
 * the plan says but for its op: what one of them breaks does not stop the others. An interruption
 * does, and what was scanned before is kept in the plan's folder. Codes as of scan_run(), the
 * verdict on all. */
int scan_run_functions(const struct scan_plan *, const struct scan_functions *,
                       const struct registry *, struct record_sink, struct scan_summary *,
                       struct error *);

#endif
