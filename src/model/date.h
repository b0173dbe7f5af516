// SPDX-License-Identifier: MIT
/* Dates as records have them, "2026-11-21T06:00:00Z", in UTC. The order of their texts is the order
 * of time, also for their beginnings. */
#ifndef ULPLAB_DATE_H
#define ULPLAB_DATE_H

#include "base/error.h"

enum { DATE_SIZE = 32 };
/* Writes the date of now. */
void date_now(char date[DATE_SIZE]);

/* EXIT_USAGE unless the text is a date or a whole part of its beginning: a year, a month, a day, a
 * minute, a second. what: the option or selector, for the message. */
int date_check(const char *what, const char *text, struct error *e);

/* Returns the date, or "unknown" for "": a run of an earlier version has none. */
const char *date_text(const char *date);

#endif
