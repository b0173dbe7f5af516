// SPDX-License-Identifier: MIT
/* bfloat16 arithmetic: fp32 operations, each rounded to bf16. */
#ifndef BF16_H
#define BF16_H

#include "storage/bf16/storage.h"

static inline vf rounded(vf a) { return bf16_widen(bf16_narrow(a)); }

#include "rounded.h"

#endif
