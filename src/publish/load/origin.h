/* Where a folder of results comes from, and whether two may be compared. */
#ifndef ULPLAB_ORIGIN_H
#define ULPLAB_ORIGIN_H

#include "publish/load/results.h"

/* Borrowed from the results; "" or NAN where the folder does not say. */
struct origin {
    const char *slug, *label, *brand;
    const char *version, *commit;
    double schema, seed;
};
struct origin origin_of(const struct results *r);

/* The name that a person would give the machine: its label, else its slug. */
const char *origin_name(const struct origin *o);

/* When the run began, as "2026-11-21T06:00:00Z": what machine.json says ("started"); "" where it
 * says nothing, as those of earlier versions. No file's time stands for it: a copy has another. */
const char *origin_started(const struct results *r);
/* Where that is unknown: NULL in its stead, for JSON; "unknown", for people. */
const char *started_or_null(const char *started);
const char *started_text(const char *started);

/* "results/x (slug), ulplab 0.1.0 commit 0123456789ab, 2026-11-21T06:00:00Z": for a comment. */
void origin_describe(const struct results *r, const char *folder, char *text, size_t size);

/* Were both measured on the same grid of inputs (families, lengths, elements)? True where a folder
 * does not say. */
bool origin_same_grid(const struct results *a, const struct results *b);

/* What the comparison is of. */
enum comparison_kind {
    COMPARE_RUNS,    /* one machine, two runs */
    COMPARE_AXIS,    /* flags, ISAs or compilers on one machine */
    COMPARE_CPUS,    /* machines */
    COMPARE_COMMITS, /* kernels that may have changed */
};

/* EXIT_BAD_INPUT where nothing of two results can be compared (docs/measurement.md): other schema,
 * other input seed, or machines that differ in a comparison of flags. Which cells compare is for
 * publish/load/codes.h to say. */
int origin_comparable(const struct results *a, const char *a_name, const struct results *b,
                      const char *b_name, enum comparison_kind kind, struct error *e);

#endif
