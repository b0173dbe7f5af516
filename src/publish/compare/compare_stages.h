/* The stages of a comparison, in the order in which they run: each fills in its own part of it
 * from the parts before. They return 0, or -1 where memory ran out. */
#ifndef ULPLAB_COMPARE_STAGES_H
#define ULPLAB_COMPARE_STAGES_H

#include "publish/compare/compare_cells.h"
#include "publish/compare/compare_types.h"

int compare_accuracies_make(struct comparison *c);
int compare_rows_make(struct comparison *c);
int compare_verdicts_make(struct comparison *c);
int compare_means_make(struct comparison *c);
int compare_classes_make(struct comparison *c);

/* May these cells of two sides, which have equal keys, be compared? BEYOND_NOT if so: values of an
 * axis and commits, whose code may differ, among them. */
enum beyond compare_beyond(const struct comparison *c, size_t from, const struct cell_entry *a,
                           size_t to, const struct cell_entry *b);

/* The accuracy of a cell's variant on the first side and on side `to`; NULL where none was
 * measured. */
const struct compare_accuracy *compare_accuracy_find(const struct comparison *c,
                                                     const struct cell_entry *entry, size_t to);

#endif
