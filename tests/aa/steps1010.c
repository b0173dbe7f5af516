// SPDX-License-Identifier: MIT
#define STEPS 1010
#define NAME "steps1010"
#include "steps.h"
