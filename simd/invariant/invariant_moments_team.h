/* invariant_moments.h's long row among several threads: invariant_team.h says how. A chunk's sums are
 * kept as they are, lane by lane, and added up in the row's order by everyone who needs them. */
#ifndef INVARIANT_MOMENTS_TEAM_H
#define INVARIANT_MOMENTS_TEAM_H

#include "invariant_moments.h"
#include "invariant_team.h"

struct chunk {
    float e[LANES], q[LANES];
};
/* 128 bytes a chunk. */
static inline struct chunk *team_chunks(const struct job *j)
{
    return team_scratch(j, BLOCK / MOMENT_CHUNK * sizeof(struct chunk));
}

static inline int team_takes(const struct job *j) { return j->n && !holds(j, SHORT_ROW); }

/* A part's chunks' sums. */
static inline void team_sums(const struct job *j, size_t part, size_t parts)
{
    const element *x = row_in(j, 0);
    struct share s = share_of(j->n, part, parts);
    float c = row_open(x, j->n).c;
    struct chunk *chunks = team_chunks(j);
    for (size_t at = s.first; at < s.end; at += MOMENT_CHUNK) {
        vf e[PARTS], q[PARTS];
        row_chunk(x + at, chunk_length(at, j->n), c, e, q);
        for (size_t p = 0; p < PARTS; p++) {
            v_store(chunks[at / MOMENT_CHUNK].e + p * VL, e[p]);
            v_store(chunks[at / MOMENT_CHUNK].q + p * VL, q[p]);
        }
    }
}

/* What the chunks' sums are by now; not settled where the row has to be gone through again. */
static inline struct moments team_moments(const struct job *j)
{
    struct row_sums s = row_open(row_in(j, 0), j->n);
    const struct chunk *chunks = team_chunks(j);
    for (size_t at = 0; at < j->n; at += MOMENT_CHUNK) {
        vf e[PARTS], q[PARTS];
        for (size_t p = 0; p < PARTS; p++) {
            e[p] = v_load(chunks[at / MOMENT_CHUNK].e + p * VL);
            q[p] = v_load(chunks[at / MOMENT_CHUNK].q + p * VL);
        }
        s.e = wide_add(s.e, e);
        s.q = wide_add(s.q, q);
    }
    return row_moments_about(&s, j->n, near_enough);
}

#endif
