// SPDX-License-Identifier: MIT
/* A scan in double. All 2^64 inputs cannot be tried, so its figures are the largest that were
 * found, never maxima. Every variant gets the same numbers of every power of two, and the published
 * worst inputs (oracle/f64_published.h). Then each is searched for itself: next to the places where
 * its error jumps, and from the powers of two with the largest errors on, in ever smaller parts. */
#ifndef ULPLAB_F64_SCAN_H
#define ULPLAB_F64_SCAN_H

#include "measure/scan_store.h"

/* Returns whether the registry has a variant in double of that function, of which the lab knows the
 * exact values in double. */
bool f64_scan_has(const struct registry *, const char *op);

/* Returns whether it has such variants, and none of fp32. */
bool f64_scan_alone(const struct registry *, const char *op);

/* Scans the variants in double of request->op as scan_run() does those of fp32: of the request,
 * samples (0: 2^24), searched, seconds, threads, silence_s, quiet, title and folder count. Records
 * are "record": "scan-f64"; their figures do not depend on threads. */
int f64_scan_run(const struct scan_request *, const struct registry *, struct record_sink,
                 struct scan_summary *, struct error *);

#endif
