/* No half arithmetic: F16C. */
#include "fp16_lanes.h"
