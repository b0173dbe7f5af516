// SPDX-License-Identifier: MIT
/* Wall-clock seconds for time-outs and estimates; what is published is timed by machine/clock.h. */
#ifndef ULPLAB_MONOTONIC_H
#define ULPLAB_MONOTONIC_H

/* CLOCK_MONOTONIC, in seconds. */
double monotonic_s(void);

#endif
