// SPDX-License-Identifier: MIT
/* A small curve beside others: lines in an SVG picture that needs no script. */
#ifndef ULPLAB_CURVE_H
#define ULPLAB_CURVE_H

#include <stdbool.h>
#include <stdio.h>

struct curve {
    FILE *out;

    /* curve.c's own: points of one height in a row are written as the first and the last */
    bool in_line, has_last, is_last_written;
    double last_x, last_y;
};

/* label: what a screen reader says. */
void curve_begin(struct curve *c, FILE *out, int width, int height, const char *label);
/* Begins a line. colour: a variable of report.css, "accent". */
void curve_line(struct curve *c, const char *colour);
/* Adds a point, in units of the picture, from its top left. */
void curve_point(struct curve *c, double x, double y);
struct dialect_value;
/* Ends the curve, with a caption. */
void curve_end(struct curve *c, const char *format, const struct dialect_value *);

#endif
