// SPDX-License-Identifier: MIT
/* The abilities of this CPU: CPUID *and* the operating system's XCR0, decided before anything
 * runs. */
#ifndef ULPLAB_CPU_H
#define ULPLAB_CPU_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cpu {
    char vendor[13], brand[49];
    unsigned family, model, stepping;
    unsigned long long features; /* bit per cpu_feature_name */
    unsigned long long hidden;   /* bit per ISA that --hide-isa names */
};

/* hide_isa: comma-separated ISA names ("avx512,avx512fp16"), or NULL. EXIT_USAGE on an unknown one.
 */
int cpu_detect(struct cpu *cpu, const char *hide_isa, struct error *e);

/* Returns the features that the lab and its oracle are compiled for and this CPU (or its system)
 * lacks, such as "avx2"; NULL if none is missing. Only uses SSE2. */
const char *cpu_lacks(const struct cpu *cpu);

size_t cpu_feature_count(void);
const char *cpu_feature_name(size_t i); /* "avx512f", ... */
bool cpu_has(const struct cpu *cpu, const char *feature);

/* Returns whether code compiled for `isa` (scalar, avx2, avx512, avx512fp16) may run here. If not,
 * `reason` gets what is missing. */
bool cpu_supports(const struct cpu *cpu, const char *isa, char *reason, size_t reason_size);
/* Returns the fp32 lanes of its vectors; 0 for a name that is no ISA. */
unsigned isa_lanes(const char *isa);

/* Writes vendor-family-model-stepping-hash of the features: "amd-26-2-1-0a1b2c3d". */
void cpu_slug(const struct cpu *cpu, char *slug, size_t size);

/* When a program starts, glibc chooses the code of its functions by the CPU: expf has one that uses
 * FMA and one that does not, and their results may differ. */

/* Returns the version, and the features that glibc was told not to use: "2.36", "2.36 without FMA,
 * AVX2". */
const char *glibc_chosen(void);

/* If `hidden`, the ISAs of --hide-isa, contains avx2: restarts this program with glibc's tunables,
 * so that glibc's functions are those of a CPU without AVX2 and FMA. Returns if they already are,
 * or if that failed, which glibc_chosen() shows. */
void glibc_hide(const char *hidden, char **argv);

/* Names of core designs: "Zen 5", "Sapphire Rapids". */

struct microarchitecture {
    const char *name;
    const char *llvm; /* its model in LLVM (-mcpu=) */
};

/* Returns whether the design has a feature, even if the hypervisor's CPUID hides it: for the
 * features that distinguish ISAs of the lab, by their names in `struct feature`. */
bool microarchitecture_has(const struct microarchitecture *m, const char *feature);

/* Returns the design by CPUID's vendor, family, model and stepping; NULL if it is not in the
 * table. */
const struct microarchitecture *microarchitecture_of(const char *vendor, unsigned family,
                                                     unsigned model, unsigned stepping);

#endif
