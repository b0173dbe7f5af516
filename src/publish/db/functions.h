// SPDX-License-Identifier: MIT
/* Statistics for SQL. */
#ifndef ULPLAB_DB_FUNCTIONS_H
#define ULPLAB_DB_FUNCTIONS_H

#include "model/lab_db.h"

/* Each takes NULL as missing, and gives NULL where it has too few values. An array is JSON: [1.5,
 * null, 2], one value per process.
 *   quantile(x, q)          aggregate: 0 <= q <= 1, interpolated (Hyndman and Fan's type 7)
 *   geomean(x)              aggregate: the geometric mean
 *   ratio(a, b)             of b over a, formed in each process (measure/ratio.h); ratio_low and
 *                           ratio_high: its interval of 95%, ratio_p: that it is 1.
 *                           ratio(r), ..: of ratios that were formed in each process already
 *   by_process(a, b)        aggregate: in each process, the geometric mean of b over a, as an array
 *                           for ratio(); by_process(r): of such arrays
 *   mann_whitney(a, b)      p of the test of that name; shift(a, b), shift_low, shift_high: by how
 *                           much b lies above a (measure/evidence.h)
 *   bh(p) OVER (ORDER BY p DESC), with count(*): Benjamini and Hochberg's q of p among `count`
 *   microarchitecture(vendor, family, model, stepping)   "Zen 5", of a row of `machines`
 *   design_has(vendor, family, model, stepping, feature)   1, 0; whatever CPUID says
 *   beyond(error, base)     above 1: the error grew, by more than 1.5 times and half a unit
 *   is_gain(ratio, low)     1: that is faster, beyond its interval and by 1% or more
 *   figure(record, key)     a number of a record as JSON, infinite where its `infinite` names it
 *   flag_name(word)         "associative", of -fassociative-math and -fno-associative-math;
 *   flag_at_link(word)      1: on a link line it sets FTZ and DAZ (model/fp_flags.h)
 *   flags_give_up(line)     the guarantees that a command line gives up, a bit each
 *   size_text(bytes)        "1.25 MiB"
 *   hash_of(a, b, ..)       a number; digest(number): aggregate, one text for all in any order */
void db_functions_add(const struct lab_db *l);

#endif
