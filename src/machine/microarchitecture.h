// SPDX-License-Identifier: MIT
/* Names of core designs: "Zen 5", "Sapphire Rapids". */
#ifndef ULPLAB_MICROARCHITECTURE_H
#define ULPLAB_MICROARCHITECTURE_H

#include <stdbool.h>

struct microarchitecture {
    const char *name;
    const char *llvm; /* its model in LLVM (-mcpu=) */
};

/* Returns whether the design has a feature, whatever CPUID says behind a hypervisor: for the
 * features that distinguish ISAs of the lab, by their names in machine/cpu.h. */
bool microarchitecture_has(const struct microarchitecture *m, const char *feature);

/* Returns the design by CPUID's vendor, family, model and stepping; NULL if it is not in the
 * table. */
const struct microarchitecture *microarchitecture_of(const char *vendor, unsigned family,
                                                     unsigned model, unsigned stepping);

#endif
