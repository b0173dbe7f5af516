/* Figures of a comparison as the cells of its tables. */
#ifndef ULPLAB_COMPARE_TEXT_H
#define ULPLAB_COMPARE_TEXT_H

#include "publish/compare/compare_types.h"

enum { COMPARE_SCREEN_ROWS = 40 }; /* more than these are cut on a terminal */

/* "=" where every cell has equal bits; else how many of how many. */
void compare_bits_text(const struct compare_accuracy *a, char *text, size_t size);
/* "1.020 [0.990, 1.050]"; "-" where there is no ratio. */
void compare_interval_text(double ratio, double low, double high, char *text, size_t size);
/* How many results a and b lose; "-" where no cell is common. */
void compare_lost_text(const struct compare_accuracy *a, char *text, size_t size);
/* Errors of a and of b. */
void compare_pair_text(const double values[2], char *text, size_t size);

#endif
