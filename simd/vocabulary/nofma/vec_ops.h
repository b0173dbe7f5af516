#include "../scalar/vec_ops.h"
