// SPDX-License-Identifier: MIT
/* The storage conversions are the integer operations of the one-lane vocabulary. */
#include "../scalar/half.h"
