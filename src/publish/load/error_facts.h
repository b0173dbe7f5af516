// SPDX-License-Identifier: MIT
/* What a record of `accuracy` or `scan` says of errors, whichever measure it was made by
 * (docs/method.md, "Error measure"). */
#ifndef ULPLAB_ERROR_FACTS_H
#define ULPLAB_ERROR_FACTS_H

#include <jansson.h>
#include <stddef.h>

/* Records of measure 1 do not say whether their kernel promises anything. A kernel that died has
 * broken its promise. */
enum promised { PROMISED_UNKNOWN, PROMISED_NOTHING, PROMISED_AND_KEPT, PROMISED_AND_BROKEN };

struct error_facts {
    int measure;    /* 1 where the record does not say */
    size_t lost;    /* results without a distance; of measure 1, wrong NaNs and infinities */
    size_t flushed; /* zeros for what is no zero; of measure 1 their error is in no figure */
    enum promised promised;
};
struct error_facts error_facts_of(const json_t *record);

/* A figure of errors as tables have it: INFINITY where results were lost, NAN where the record has
 * null. */
double error_figure(const json_t *record, const char *key);

#endif
