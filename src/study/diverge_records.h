// SPDX-License-Identifier: MIT
/* The records of one operation's divergence. */
#ifndef ULPLAB_DIVERGE_RECORDS_H
#define ULPLAB_DIVERGE_RECORDS_H

#include "model/record.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "study/experiments.h"
#include "study/partition.h"

/* The findings about the variants of an operation and dtype. */
struct findings {
    const struct oracle *oracle;
    const struct variant **variants;
    size_t count;
    struct partition *partitions; /* one for each block of inputs */
    size_t partition_count;
    struct finding (*findings)[EXPERIMENTS]; /* [count] */
    bool experiments;                        /* records have all of the experiments */
    enum status *died;                       /* [count]; STATUS_OK for those that did not */
    size_t paired; /* classes that have pair records, the largest; 0: all */
};

/* Puts the records that diverge.h lists; adds to *classes how many there are of equal bits. */
int diverge_put_records(const struct findings *, struct record_sink, size_t *classes,
                        struct error *);

#endif
