/* Dates as records have them, "2026-11-21T06:00:00Z", in UTC. As texts they stand in the order of
 * time, and so do their beginnings. */
#ifndef ULPLAB_DATE_H
#define ULPLAB_DATE_H

#include "base/error.h"

/* EXIT_USAGE where the text is neither a date nor a whole part of its beginning: a year, a month, a
 * day, a minute, a second. what: of which option or selector. */
int date_check(const char *what, const char *text, struct error *e);

#endif
