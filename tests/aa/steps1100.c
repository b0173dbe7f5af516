// SPDX-License-Identifier: MIT
#define STEPS 1100
#define NAME "steps1100"
#include "steps.h"
