/* What AVX-512 and what policies buy on each CPU, each within its own run. */
#ifndef ULPLAB_CPUS_GAINS_H
#define ULPLAB_CPUS_GAINS_H

#include "publish/sections/performance_parts.h"

/* `gains` and `speeds` of the page's data (cpus_data.c). The caller releases them. */
json_t *cpu_gains(const struct machines *m);
json_t *cpu_speeds(const struct machines *m);

#endif
