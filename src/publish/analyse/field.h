/* The lab's kernels beside what people have without it, libraries and the plain loop, and beside
 * what the machine allows: per operation, ISA and shape the fastest of each. From result files
 * alone. */
#ifndef ULPLAB_FIELD_H
#define ULPLAB_FIELD_H

#include <stdbool.h>
#include <stdio.h>

#include "publish/load/results.h"
#include "publish/analyse/summary.h"

/* Who the lab is compared with: a library; or C and C++ that anybody would write, the plain loop
 * and Eigen, compiled in the same run under whichever policy is fastest, fastmath too. */
enum rival_kind { RIVAL_LIBRARY, RIVAL_LOOP, RIVAL_KINDS };

struct rival {
    const struct timing_result *time; /* the fastest of its kind; NULL where none was timed */
    double ratio, low, high;          /* its time over the lab's; the interval is of both
                                         intervals' worst ends: wider than 95%. NAN: no rival */
    const char *flag;                 /* pair_flag() */
    bool tied;                        /* no ratio: as many processes say one thing as another */
    double error;                     /* largest on `normal`, in error_unit(op); NAN: unknown */
};

/* One operation at one shape, on one thread and family `normal`. */
struct field_cell {
    const char *isa;                 /* avx2 or avx512 */
    const struct timing_result *lab; /* the fastest that keeps its promises; NULL: none */
    double lab_error;                /* as a rival's */
    struct rival rivals[RIVAL_KINDS];
};

struct field {
    struct field_cell *cells; /* by operation, ISA, elements, row length */
    size_t count, compared;   /* compared: those with the lab and a rival */
};

int field_make(const struct results *r, const struct summaries *s, struct field *f,
               struct error *e);
void field_free(struct field *f);

/* The largest error of a variant or a library on family `normal`, in error_unit(); NAN
 * where none was measured. */
double field_error_of(const struct results *r, const struct axes *a);

/* Which named shape a timing's is: "default", "huge", "models"; "" for none of them. */
const char *field_shapes_of(const struct timing_result *t);

/* Geometric mean of the ratios to one kind of rival of one operation and ISA over the shapes
 * `default` (over all, where nothing was timed at those), and over how many: of them the lab is
 * faster, equal (the interval touches 1) and slower; left_out: shapes whose ratio is tied. */
struct field_mean {
    double ratio;
    size_t shapes, faster, equal, slower, left_out;
};
struct field_mean field_mean_of(const struct field *f, const char *op, const char *isa,
                                enum rival_kind kind);

/* "softmax", "softmax bf16". */
const char *field_op_of(const struct field_cell *c);
/* Is that cell the last of its operation and ISA? */
bool field_ends_group(const struct field *f, size_t i);

/* What the cell's limit was counted from: "0.81 instructions", "8 bytes", "23 flops", per element.
 */
struct field_count {
    char text[96];
};
struct field_count field_count_of(const struct timing_result *t);

/* "9 fma+mul, 3 add, 2 max, 2 other, 1 of it permuting / 16": instructions per vector, and its
 * lanes; "-" where they are not counted. */
struct field_count field_instructions_of(const struct timing_result *t);

/* "oneDNN"; "fastest of a kind" has no other name: the algorithm without its "peer-". */
const char *peer_name(const struct axes *a);

#endif
