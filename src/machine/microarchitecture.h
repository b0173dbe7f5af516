/* What people call a core: "Zen 5", "Sapphire Rapids". */
#ifndef ULPLAB_MICROARCHITECTURE_H
#define ULPLAB_MICROARCHITECTURE_H

struct microarchitecture {
    const char *name;
    const char *llvm; /* its model in LLVM (-mcpu=) */
};

/* By CPUID's vendor, family, model and stepping; NULL: not in the table. */
const struct microarchitecture *microarchitecture_of(const char *vendor, unsigned family,
                                                     unsigned model, unsigned stepping);

#endif
