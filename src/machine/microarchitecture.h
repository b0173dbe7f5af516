/* What people call a core: "Zen 5", "Sapphire Rapids". */
#ifndef ULPLAB_MICROARCHITECTURE_H
#define ULPLAB_MICROARCHITECTURE_H

#include <stdbool.h>

struct microarchitecture {
    const char *name;
    const char *llvm; /* its model in LLVM (-mcpu=) */
};

/* Does the design have it, whatever CPUID says behind a hypervisor? Of the features that tell ISAs
 * of the lab apart, by their names in machine/cpu.h. */
bool microarchitecture_has(const struct microarchitecture *m, const char *feature);

/* By CPUID's vendor, family, model and stepping; NULL: not in the table. */
const struct microarchitecture *microarchitecture_of(const char *vendor, unsigned family,
                                                     unsigned model, unsigned stepping);

#endif
