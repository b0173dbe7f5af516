// SPDX-License-Identifier: MIT
/* What the build found out about each variant. The build's program registry-tool (src/build/)
 * writes it as build/registry.c; src/model/registry.c and src/study/ read it. */
#ifndef ULPLAB_BUILD_H
#define ULPLAB_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel;
struct probe;
struct oracle;

/* Counts of the instructions in an object's own code (its text sections), by disassembly. */
struct code_counts {
    unsigned fma, mul, add, div; /* floating point, packed and scalar */
    unsigned ymm, zmm;           /* instructions with an operand of that width */
    unsigned fma_scalar; /* the part of fma on one lane (ss, sd), which plain C compiles to */
    unsigned undecoded;  /* bytes of unknown instructions; unless 0, the counts are lower bounds */
    unsigned compare;    /* floating point, packed and scalar */
    unsigned mxcsr;      /* loads of the control register MXCSR */
    unsigned evex;       /* instructions of AVX-512, whatever their registers */
};

/* The beginning of build_error for a kernel that was not compiled because its library is not
 * installed (scripts/kernels.awk), or because its compiler does not know the ISA
 * (scripts/compile-kernel). */
#define BUILD_SKIPPED "skipped: "

/* The purpose of an object in a run that asks for nothing in particular (scripts/kernels.awk). */
enum build_use {
    USE_ON_REQUEST, /* none: it is left out */
    USE_SUPPORT,    /* suite 1, a case study or codegen needs it */
    USE_MEASURED,   /* the run measures it */
};

struct build_record {
    const struct kernel *kernel; /* NULL: the compiler refused the file, or never got it */
    const struct probe *probe;   /* in probe_records: the regime's probe; otherwise NULL */
    const char *source;          /* simd/softmax/softmax_threepass.c */
    const char *isa, *cc, *policy;
    const char *dtype;     /* the object's storage type: f32, or bf16 for NAME.bf16.o */
    const char *command;   /* the full compile command */
    const char *witnessed; /* what -frecord-gcc-switches left in the object, or "" */
    const char *library;   /* the header library that it is compiled from: "Highway 1.0.3", or "" */
    const char *object;    /* its path from the root of the repository */
    const char *build_error; /* the compiler's first error where kernel is NULL, or BUILD_SKIPPED
                                and what is missing; otherwise "" */
    uint64_t code_hash;      /* equal for objects with equal code and constants */
    struct code_counts counts;
    enum build_use use;
    const char *algorithm; /* NULL: the kernel's own; otherwise the name of another kernel of the
                              same text */
};

/* An object that this build could have and that nobody asked for. */
struct build_absence {
    const char *object, *isa, *cc, *policy, *dtype; /* as in struct build_record */
    const char *file;                               /* softmax_threepass */
    enum build_use use;
};
extern const struct build_absence build_absences[]; /* in the order of the axes */
extern const size_t build_absence_count;

extern const struct build_record build_records[];
extern const size_t build_record_count;
extern const struct build_record probe_records[]; /* one per {compiler, ISA, policy} */
extern const size_t probe_record_count;

/* The functions of a kernel's object that would run before main (C++'s initialisers of statics,
 * GNU's __attribute__((constructor))). The linker removes them from the program's own list, because
 * they may be compiled for an ISA that this CPU lacks. measure/peers.h runs them. */
struct build_constructors {
    const struct kernel *kernel;
    void (*const *begin)(int argc, char **argv, char **environment);
    void (*const *end)(int argc, char **argv, char **environment);
    bool done;      /* they have run in this process */
    unsigned mxcsr; /* and left this in MXCSR */
};
extern struct build_constructors build_constructors[];
extern const size_t build_constructors_count;

/* A reference that a user's kernel file contains (include/kernel_reference.h). */
struct reference_record {
    const struct oracle *oracle; /* NULL: not built */
    const char *source;          /* its file, without folders */
    const char *build_error;     /* why it was not built; otherwise "" */
};
extern const struct reference_record build_references[];
extern const size_t build_reference_count;

/* build_version: "0.1.0". build_commit: the commit (with "-dirty"), or "unknown". */
extern const char *const build_version, *const build_commit;
/* A compiler: its name in ids, its version, and what starts it: {"gcc-12", "12.2.0", "gcc-12"},
 * {"_opt_gcc-15", "15.1.0", "/opt/gcc-15"}. */
struct build_compiler {
    const char *cc, *version, *command;
};
extern const struct build_compiler build_compilers[];
extern const size_t build_compiler_count;
/* A floating-point policy: {"fast", "-ffp-contract=fast"}. */
struct build_policy {
    const char *policy, *flags; /* flags: words with one space between them; "" for none */
};
extern const struct build_policy build_policies[]; /* in the order of the axes */
extern const size_t build_policy_count;

#endif
