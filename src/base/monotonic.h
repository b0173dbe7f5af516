/* Wall-clock seconds for time-outs and estimates; what is published is timed by machine/clock.h. */
#ifndef ULPLAB_MONOTONIC_H
#define ULPLAB_MONOTONIC_H

/* Of CLOCK_MONOTONIC. */
double monotonic_s(void);

#endif
