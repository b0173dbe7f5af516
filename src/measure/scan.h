// SPDX-License-Identifier: MIT
/* A scan: unary operations on every fp32 input there is, or on a range of them. */
#ifndef ULPLAB_SCAN_H
#define ULPLAB_SCAN_H

#include "measure/scan_store.h"

struct scan_request scan_default(const char *op);

/* "LO,HI": two numbers as strtof() reads them, hexadecimal ones too. EXIT_USAGE. */
int scan_parse_range(const char *text, struct scan_request *request, struct error *e);

/* The lab's functions that can be scanned, separated by spaces; those of users are not among them.
 */
void scan_function_names(char *text, size_t size);

/* Runs a scan. It puts one record ("record": "scan") per variant of the operation in the registry.
 * The oracle is evaluated once per block for all of them; variants of equal machine code are
 * evaluated once, and name the one that was ("same_code_as"); code whose results the folder has is
 * not evaluated at all ("kept": true). `seconds` is a variant's own time and its share of the
 * oracle's; "binades" are the figures of each power of two's inputs. The process must not have used
 * OpenMP before. What it counts is added to the summary, of which it returns the codes of
 * accuracy_run(). */
int scan_run(const struct scan_request *, const struct registry *, struct record_sink,
             struct scan_summary *, struct error *);

/* ---- In double ------------------------------------------------------------------------------- */

/* All 2^64 inputs cannot be tried, so that the figures of a scan in double are the largest that
 * were found, never maxima. Every variant gets the same numbers of every power of two, and the
 * published worst inputs (oracle/f64_published.h). Then each is searched for itself: next to the
 * places where its error jumps, and from the powers of two with the largest errors on, in ever
 * smaller parts. */

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

/* ---- Several functions ----------------------------------------------------------------------- */

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

/* Runs scan_run(), and f64_scan_run() unless the request is a range, for one function after the
 * other; the request's op is ignored. A broken promise of one function does not stop the others. An
 * interruption does, and earlier scans are kept in the request's folder. Returns the codes of
 * scan_run(), for all functions together. */
int scan_run_functions(const struct scan_request *, const struct scan_functions *,
                       const struct registry *, struct record_sink, struct scan_summary *,
                       struct error *);

#endif
