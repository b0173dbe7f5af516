/* The lines of the page of several CPUs: a cell of each CPU that timed it. */
#ifndef ULPLAB_CPUS_LINES_H
#define ULPLAB_CPUS_LINES_H

#include "publish/sections/performance_parts.h"

struct cpu_cell {
    const struct timing_result *t;
    size_t cpu;  /* of struct machines */
    bool beyond; /* of other machine code than the others', or another version of the library */
    bool taken;  /* by a line */
};
/* A variant at a row length n and level of memory. The number of rows follows from each machine's
 * caches: where a CPU has several, the one that most others have stands beside theirs. */
struct cpu_line {
    size_t cell[MACHINES_MAX]; /* place in cells; SIZE_MAX for none */
    size_t compared;           /* CPUs whose cells are not beyond */
};
struct cpu_lines {
    struct cpu_cell *cells; /* by kernel, ISA, compiler, shape, policy; those of a line apart */
    struct cpu_line *lines; /* likewise */
    size_t cell_count, line_count;
};

/* EXIT_PARTIAL where memory is short; cpu_lines_free() afterwards. */
int cpu_lines_make(const struct machines *m, struct cpu_lines *lines, struct error *e);
void cpu_lines_free(struct cpu_lines *lines);

/* The line's first cell, for what all have in common. */
const struct timing_result *cpu_line_any(const struct cpu_lines *l, const struct cpu_line *line);
/* Are they at one n and level, and builds that differ at most in the policy? */
bool cpu_lines_of_one_build(const struct cpu_lines *l, const struct cpu_line *a,
                            const struct cpu_line *b);

#endif
