// SPDX-License-Identifier: MIT
#define STEPS 1000
#define NAME "steps1000"
#include "steps.h"
