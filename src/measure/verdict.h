// SPDX-License-Identifier: MIT
/* The verdict on a ratio, in words. */
#ifndef ULPLAB_VERDICT_H
#define ULPLAB_VERDICT_H

#include "measure/ratio.h"

enum verdict { VERDICT_FASTER, VERDICT_SLOWER, VERDICT_SAME, VERDICT_UNKNOWN, VERDICTS };
/* "faster", "slower", "same", "unknown". */
const char *verdict_name(enum verdict v);

/* ratio: time over the time compared with. q: its p, corrected for the number of cells. noise: how
 * far identical code is apart (a share); 0 where that is not known. margin: a ratio within this of
 * 1 is no difference. SAME: the whole interval lies within the margin. */
enum verdict verdict_of(struct ratio ratio, double q, double noise, double margin);

#endif
