// SPDX-License-Identifier: MIT
/* Time: R fresh processes, in each of which the cells of a block are sampled in turn, round by
 * round. The limits are measured in the same processes on the same core (docs/measurement.md,
 * "Time" and "Ratios"). */
#ifndef ULPLAB_BENCH_H
#define ULPLAB_BENCH_H

#include <jansson.h>

#include "base/error.h"
#include "base/progress.h"
#include "measure/bench_plan.h"
#include "measure/ratio.h"
#include "model/record.h"

/* Reads the topology, calibrates the clock and takes the caches' nominal sizes for the effective
 * ones. The calling thread must not be pinned. What it returns 0 for, bench_close() frees. */
int bench_open(struct bench_setup *s, const struct cpu *cpu, struct error *e);
/* Finds the effective sizes by a bandwidth sweep; its points go to `sink` as limit records.
 * `done`: the records of a run that was cut, whose points are not measured again, or NULL. */
int bench_sweep(struct bench_setup *s, const json_t *done, struct record_sink sink,
                struct progress *progress, struct error *e);
void bench_close(struct bench_setup *s);

/* Measures what `done` (may be NULL) does not hold yet. Raw records go to `sink` as they come:
 *
 *   {"record": "samples", "process", "id", "variant", "family", "rows", "n", "threads",
 *    "residency", "working_set", "status", "reason", "block", "calls", "ns" [per call],
 *    "at_us" [when each sample was taken, since the worker began], "round" [of each sample],
 *    "cycles" [per call: the median of the samples], "cycles_source", "x_offset", "y_offset",
 *    "thp", "environment" (bytes of padding), "moved", "migrated", "mxcsr_changed", "flops",
 *    "bytes" (per row, declared), "compute_limit", "memory_limit" (names)}
 *
 * and where there are any
 *
 *   {"ports" {limit: instructions per row},
 *    "instructions" {"lanes", and of a vector "mul" (and FMA), "add", "max", "other"},
 *    "shapes" ("default", "huge", "models": which named shape this is),
 *    "control" true (the second timing of a cell),
 *    "outputs" (a hash of what was written, where the plan asks for it)}
 *   {"record": "limit", "process", "name", "kind", "isa", "value", "unit", "threads", "bytes"}
 *
 * A crash, a hang or an illegal instruction becomes that cell's status, and the worker goes on
 * behind it. Variants that cannot run on this CPU get one record with their status. Returns 0, the
 * sink's code, EXIT_PARTIAL if no worker can be started, or 130 or 143 when interrupted. The
 * program's main must answer BENCH_WORKER_COMMAND with bench_worker(). */
int bench_run(const struct bench_plan *p, const struct bench_setup *s, const json_t *done,
              struct record_sink sink, struct progress *progress, struct error *e);

/* Additional processes for cells that the planned ones do not resolve: a run that was disturbed
 * measures the affected cells again. */
struct bench_goal {
    /* The 95% half-width to reach, a share; 0: only the planned processes. It applies to every
     * cell's time relative to its block's, or else to most controls of a block relative to the
     * cells that they repeat: their code, and with it memory layout, is the same, so that the rest
     * is what disturbs a comparison. */
    double half_width;
    bool of_every_cell;
    double
        hopeless; /* a block that misses even this half-width gets no more processes; 0: all do */
    size_t processes;  /* at most, with the planned ones */
    double more_s;     /* for processes beyond those that were planned */
    double more_share; /* or this share of the planned processes' time, if that is more */
};

/* bench_run(), then more processes of the blocks that miss the goal, until all reach it or time is
 * up; without the limits, and without cells that crashed or hung. p->processes becomes how many
 * were run. How well each cell and control is known, bench_summarise() says. */
int bench_run_until(struct bench_plan *p, const struct bench_setup *s, const json_t *done,
                    const struct bench_goal *goal, struct record_sink sink,
                    struct progress *progress, struct error *e);

/* The precision of each cell and control while bench_run_until() runs. */
struct precision;
struct precision *precision_open(const struct bench_plan *p);
void precision_close(struct precision *);
/* Notes an item's "samples" record of a process. */
void precision_note(struct precision *, size_t item, size_t process, const json_t *record);
/* Marks the blocks, by number, that reach the goal, or are too far from it, in left_out[]; true
 * where all are. */
bool precision_judge(struct precision *, const struct bench_goal *goal, bool *left_out);

/* Makes of all "samples" records, by id and family, a row per cell and a control per cell that was
 * timed twice: `timing` and `control` of docs/contract.md. `limits`: as limits_summarise() made
 * them. *partial: some cell crashed or hung. */
int bench_summarise(const json_t *records, const json_t *limits, struct record_sink sink,
                    bool *partial, struct error *e);
/* The values of a row's `low_ns`, which the caller frees. */
struct by_process bench_low_ns(const json_t *row);

#endif
