// SPDX-License-Identifier: MIT
/* The answer of `ulplab try`, from its document: right or wrong, how fast, which flags, what next.
 */
#ifndef ULPLAB_TRIAL_SECTION_H
#define ULPLAB_TRIAL_SECTION_H

#include <jansson.h>

#include "base/error.h"
#include "publish/render/query.h"

extern const char sql_section_trial[];
int trial_write(const json_t *document, const struct doc *d, struct error *e);

#endif
