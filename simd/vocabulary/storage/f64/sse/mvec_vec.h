// SPDX-License-Identifier: MIT
#include "vec.h"
#define MVEC(function) _ZGVbN2v_##function
#include "../mvec_any.h"
