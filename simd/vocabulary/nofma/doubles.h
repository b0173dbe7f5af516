// SPDX-License-Identifier: MIT
#include "../scalar/doubles.h"
