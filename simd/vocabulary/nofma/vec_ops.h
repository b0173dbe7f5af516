// SPDX-License-Identifier: MIT
#include "../scalar/vec_ops.h"
