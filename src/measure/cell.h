// SPDX-License-Identifier: MIT
/* A cell: one variant at one shape on one family of inputs, the limits that apply to it, and the
 * shapes that are timed. */
#ifndef ULPLAB_CELL_H
#define ULPLAB_CELL_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel.h"
#include "measure/limits.h"
#include "model/registry.h"

/* The machine as a plan needs it: bench_open() and bench_sweep() (measure/bench.h) fill it in. */
struct bench_setup {
    struct topology topology;
    struct clock clock;
    struct effective effective;
    enum width widest; /* that this CPU can run */
};

enum { CELL_ID_MAX = ID_MAX + 64, FAMILY_MAX = 24 };

struct cell {
    const struct variant *variant;
    size_t rows, n;
    unsigned threads;
    char family[FAMILY_MAX];
    size_t working_set; /* bytes of input and output together, gamma and beta included */
    enum level residency;
    size_t block;        /* cells of one block are compared with each other (cell_same_block()) */
    const char *program; /* another ulplab, whose variant of the same id is timed; NULL: this one */
    bool control;        /* timed a second time, to see how far two timings of one code differ */
};

/* Cells of one operation, storage type, shape, family and number of threads will be compared: they
 * form a block and are timed side by side. */
bool cell_same_block(const struct cell *a, const struct cell *b);
/* The block's name: "softmax/f32/8x512/threads=1/normal". */
void cell_block(const struct cell *c, char name[CELL_ID_MAX]);

/* <variant>/rows=64/n=4096/threads=1; another program's ends with /program=other, a control's with
 * /control=1. */
#define CONTROL_SUFFIX "/control=1"
#define PROGRAM_SUFFIX "/program=other"
void cell_id(const struct cell *c, char id[CELL_ID_MAX]);
/* Returns whether the kernel has a result per element, which is of its type; a result per row is as
 * the kernel computes, whatever its rows are stored as. */
bool cell_is_per_element(const struct kernel *k);
/* Returns the bytes of an output element. */
size_t cell_output_bytes(const struct kernel *k);
/* Input and output of one row. */
size_t cell_row_bytes(const struct kernel *k, size_t n);
/* Input, output, gamma and beta of a cell. */
size_t cell_working_set(const struct variant *v, size_t rows, size_t n);
/* The limits with which a cell's time is compared: of its arithmetic, and of its memory. */
struct limit_task cell_compute_limit(const struct cell *c, const struct bench_setup *s);
struct limit_task cell_memory_limit(const struct cell *c, const struct bench_setup *s);

/* A kernel's `ops` per vector of its ISA, with each v_mad as one instruction if the policy may fuse
 * and the code has FMA, otherwise as two. lanes 0: not counted, which includes kernels in scalar
 * code with other operations than mul and add, because their integers and choices may be no vector
 * instructions. */
struct instructions {
    unsigned lanes;
    double mul, add, max, other, permute; /* mul includes FMA, other includes permute */
};
/* Returns whether the kernel computes in vectors of double, which have half as many lanes, and so
 * half the rate of what limits count in fp32. */
bool variant_has_half_lanes(const struct variant *v);
/* Returns whether a build executes what its kernel's file counts, instructions and flops. */
bool variant_counts_hold(const struct variant *v);
struct instructions variant_instructions(const struct variant *v, const struct vector_ops *ops);

/* Returns a cell's job as one of its threads has it, without the rows themselves: with all that
 * kernels choose their paths by. */
struct job cell_job(const struct cell *c, const struct bench_setup *s);
/* Return the instruction counts of the path that a kernel takes with a job, and of a cell's kernel
 * with the cell's job. */
const struct vector_ops *job_ops(const struct kernel *k, const struct job *job);
const struct vector_ops *cell_ops(const struct cell *c, const struct bench_setup *s);

/* The limits of its ports, where its instructions are counted: how many of each set's kinds there
 * are in a row. */
struct port_load {
    struct limit_task task;
    double per_row;
};
size_t cell_ports(const struct cell *c, const struct bench_setup *s,
                  struct port_load loads[PORT_SETS]);

/* ---- Shapes: by the cache that they fill, by name, or given as ROWSxN ------------------------ */

struct shape {
    size_t rows, n; /* rows 0: there is no such shape here */
};

/* The shape that lives in a level of the memory; a row of its length where there is no kernel. */
struct shape shape_in(enum level level, const struct kernel *k, const struct bench_setup *s);

/* A named shape. A name ("default", "small", "cache", "memory", "huge", "models") denotes several
 * of these, in a fixed order. */
struct named_shape;
/* The next one of that name after `previous` (NULL: the first), or NULL. */
const struct named_shape *shape_named(const char *name, const struct named_shape *previous);
/* Returns the shape for one variant here: rows 0 if the operation is not timed at it, or if half of
 * the memory does not hold it. */
struct shape shape_resolve(const struct named_shape *named, const struct variant *v,
                           const struct bench_setup *s, unsigned threads);

/* Returns the shape of "64x4096"; rows 0 for any other text. */
struct shape shape_given(const char *text);
/* Returns whether input and output fit in half of the memory. */
bool shape_fits(struct shape shape, const struct bench_setup *s);
/* EXIT_USAGE if they do not, of a memory of so many bytes. */
int shape_check_memory(struct shape shape, double memory_bytes, struct error *e);

/* Returns the name (default, huge, models) of the shape of a cell on one thread, whoever asked for
 * the cell; or NULL. */
const char *cell_shapes(const struct cell *c);

/* EXIT_USAGE for a text that is neither a name nor ROWSxN, and for rows that half of the memory
 * does not hold. */
int bench_check_shapes(const char *const *shapes, size_t count, struct error *e);

#endif
