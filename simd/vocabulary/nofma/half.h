/* The conversions in one lane are integer operations. */
#include "../scalar/half.h"
