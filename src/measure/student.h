// SPDX-License-Identifier: MIT
/* Student's t distribution. */
#ifndef ULPLAB_STUDENT_H
#define ULPLAB_STUDENT_H

/* Return the two-sided p of a t, and the t that has a two-sided p. */
double student_p(double t, double freedom);
double student_t(double p, double freedom);

#endif
