/* The vector-math table: of each unary function what every build of every library does, over all
 * 2^32 inputs (whole scans of scan.jsonl), and how fast. */
#ifndef ULPLAB_VECTORS_H
#define ULPLAB_VECTORS_H

#include "publish/analyse/summary.h"
#include "publish/load/results.h"

/* Do the bits depend on an axis: is there a build that differs in it alone and has other results?
 */
enum depends { DEPENDS_NOT, DEPENDS, DEPENDS_UNKNOWN };
enum { VECTOR_AXES = 3 };
extern const char *const vector_axes[VECTOR_AXES]; /* "policy", "cc", "isa" */

struct vector_row {
    const char *id;
    struct axes axes; /* the algorithm is the library */
    const json_t *record;
    /* One thread, family normal, resident in L1, the longest rows; NULL: was not timed so. */
    const struct timing_result *time;
    double max_ulp, ns; /* NAN: unknown; INFINITY: results were lost */
    struct error_facts facts;
    bool own; /* computes by the lab's own code, and not a library's */
    bool hazard, wrong;
    bool candidate;                 /* advised, but perhaps not timed */
    bool front;                     /* no candidate of its function and ISA is as fast and as
                                       accurate, and better in one of both */
    const struct vector_row *ahead; /* an own one's: the fastest library's candidate of its function
                                       and ISA that is both faster and more accurate; or NULL */
    size_t same;                    /* the first row of equal machine code: itself or one before */
    enum depends depends[VECTOR_AXES];
};

struct vectors {
    struct vector_row *items; /* by function, library, ISA, compiler, policy */
    size_t count;
};

/* EXIT_PARTIAL where memory is short. The results must outlive it. */
int vectors_make(const struct results *, const struct summaries *, struct vectors *,
                 struct error *);
void vectors_free(struct vectors *);

/* "SLEEF 3.5.1" of the record's libraries; "" where no record says. */
void vector_version(const struct vector_row *, char *text, size_t size);

#endif
