// SPDX-License-Identifier: MIT
/* The origin of a folder of results. */
#ifndef ULPLAB_ORIGIN_H
#define ULPLAB_ORIGIN_H

#include "publish/load/results.h"

/* Borrowed from the results; "" or NAN where the folder does not say. */
struct origin {
    const char *slug, *label, *brand;
    const char *core; /* its design, "Zen 5" */
    const char *version, *commit;
    double schema, seed;
};
struct origin origin_of(const struct results *r);

/* When the run began, as "2026-11-21T06:00:00Z": what machine.json says ("started"); "" where it
 * says nothing, as those of earlier versions. No file's time stands for it: a copy has another. */
const char *origin_started(const struct results *r);
/* Return what stands for an unknown time: NULL for JSON, "unknown" for people. */
const char *started_or_null(const char *started);
const char *started_text(const char *started);

/* "results/x (slug), ulplab 0.1.0 commit 0123456789ab, 2026-11-21T06:00:00Z": for a comment. */
void origin_describe(const struct results *r, const char *folder, char *text, size_t size);

#endif
