/* No half arithmetic: AVX-512 F's conversions. */
#include "fp16_lanes.h"
