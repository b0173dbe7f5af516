// SPDX-License-Identifier: MIT
#define STEPS 1030
#define NAME "steps1030"
#include "steps.h"
