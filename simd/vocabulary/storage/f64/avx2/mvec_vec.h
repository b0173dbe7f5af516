// SPDX-License-Identifier: MIT
#include "vec.h"
#define MVEC(function) _ZGVdN4v_##function
#include "../mvec_any.h"
