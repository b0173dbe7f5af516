/* Who agrees bit for bit: variants of a kernel whose outputs are equal over all accuracy cells form
 * a class. No pair of outputs is compared here: the records carry hashes. */
#ifndef ULPLAB_BITS_H
#define ULPLAB_BITS_H

#include "publish/analyse/summary.h"

enum { BITS_UNKNOWN = -1 }; /* no accuracy record, or fewer cells than others of its kernel */

struct bit_classes {
    int *of; /* per summary: its class among its kernel's variants, from 0; BITS_UNKNOWN */
    size_t count;
};
int bit_classes_make(const struct results *r, const struct summaries *s, struct bit_classes *c,
                     struct error *e);
void bit_classes_free(struct bit_classes *c);

/* Summaries of one kernel (operation, algorithm, dtype) stand together: the index behind its last.
 */
size_t kernel_end(const struct summaries *s, size_t first);
/* How many classes the kernel that starts at `first` has; 0 where nothing is known. */
size_t bit_classes_of_kernel(const struct summaries *s, const struct bit_classes *c, size_t first);

/* Do all pairs of its variants that differ in `axis` alone agree? `pairs` receives their number. */
bool bits_stable_over(const struct summaries *s, const struct bit_classes *c, size_t first,
                      const char *axis, const char *policy, size_t *pairs);

/* What a build is of: a compiler and a policy. */
struct build {
    const char *cc, *policy;
};
/* Do two columns give the same bits in every kernel of an operation on every ISA (and do at least
 * two of its variants meet)? */
bool bits_columns_agree(const struct summaries *s, const struct bit_classes *c, const char *op,
                        struct build a, struct build b);

#endif
