// SPDX-License-Identifier: MIT
#include "vec.h"
#define MVEC(function) _ZGVeN8v_##function
#include "../mvec_any.h"
