// SPDX-License-Identifier: MIT
/* Synthetic folders of results: their contents are known, and so is what the lab must print. */
#ifndef ULPLAB_SYNTHETIC_H
#define ULPLAB_SYNTHETIC_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The properties of a run; a field that is zero stands for a default. */
struct run_facts {
    const char *slug, *commit, *run, *date;
    int schema, seed;
    const char *more; /* further fields of the machine, each after a comma */
};

__attribute__((format(printf, 3, 4))) static inline void
append(const char *folder, const char *file, const char *format, ...)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *out = fopen(path, "a");
    if (!out) abort();
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fputc('\n', out);
    fclose(out);
}

static inline void make_folder(const char *folder, struct run_facts facts)
{
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s' && mkdir -p '%s'", folder, folder);
    if (system(command) != 0) abort();
    char run[80] = "";
    if (facts.run) snprintf(run, sizeof run, " \"run\": \"%s\",", facts.run);
    append(
        folder, "machine.json",
        "{\"schema\": %d, \"tool\": {\"version\": \"0.1.0\", \"commit\": \"%s\"},"
        " \"machine\": {\"slug\": \"%s\", \"brand\": \"A made-up CPU\", \"features\": [\"avx2\"],"
        " \"compilers\": {\"gcc-12\": \"12.2.0\", \"clang-14\": \"14.0.6\"},"
        " \"topology\": {\"processors\": 2, \"caches\": [{\"level\": \"L1\", \"bytes\": 49152,"
        " \"shared_by\": 2}]}, \"clocks\": {\"tsc_mhz\": 2600.0, \"tsc_invariant\": true, "
        "\"core_cycles\": \"estimated\"}%s},%s"
        " \"findings\": [], \"request\": {\"mode\": \"default\", \"seed\": %d},"
        " \"started\": \"%sT06:00:00Z\"}",
        facts.schema ? facts.schema : 1, facts.commit ? facts.commit : "0123456789ab",
        facts.slug ? facts.slug : "made-up", facts.more ? facts.more : "", run,
        facts.seed ? facts.seed : 1, facts.date ? facts.date : "2026-11-21");
}

/* The fields of a timing record. In this struct and the next, a field that is zero stands for what
 * the comment calls its default. */
struct timing_facts {
    size_t rows, n, processes;
    size_t threads; /* default: 1 */
    double ns_per_row;
    double spread; /* of the processes' medians, relative to the time; default: 0.02 */
    const char *residency, *status;
    double percent;    /* percent of the limit; default: 50 */
    const char *limit; /* default: fma-avx2 */
    const char *more;  /* further fields of the record, each after a comma */
};

/* Adds a timing record whose processes' medians are spaced evenly over the spread. */
static inline void add_timing(const char *folder, const char *variant, struct timing_facts f)
{
    const size_t threads = f.threads ? f.threads : 1;
    char medians[2048];
    size_t length = 0;
    for (size_t i = 0; i < f.processes; i++) {
        double place = f.processes > 1 ? (double)i / (double)(f.processes - 1) - 0.5 : 0;
        length += (size_t)snprintf(medians + length, sizeof medians - length, "%s%.9g",
                                   i ? ", " : "", f.ns_per_row * (1 + f.spread * place));
    }
    append(
        folder, "timing.jsonl",
        "{\"record\": \"timing\", \"id\": \"%s/rows=%zu/n=%zu/threads=%zu\", \"variant\": \"%s\","
        " \"family\": \"normal\", \"rows\": %zu, \"n\": %zu, \"threads\": %zu,"
        " \"residency\": \"%s\", \"status\": \"%s\", \"ns_per_row\": %.9g, \"ci_low\": %.9g,"
        " \"ci_high\": %.9g, \"min\": %.9g, \"ns_per_element\": %.9g, \"cycles_per_element\": %.9g,"
        " \"cycles_source\": \"estimated\", \"limit\": \"%s\", \"percent_of_limit\": %.9g,"
        " \"flags\": [\"noisy\"], \"process_medians_ns\": [%s]%s}",
        variant, f.rows, f.n, threads, variant, f.rows, f.n, threads,
        f.residency ? f.residency : "L1", f.status ? f.status : "ok", f.ns_per_row,
        f.ns_per_row * (1 - f.spread / 2), f.ns_per_row * (1 + f.spread / 2),
        f.ns_per_row * (1 - f.spread / 2), f.ns_per_row / (double)f.n,
        4 * f.ns_per_row / (double)f.n, f.limit ? f.limit : "fma-avx2",
        f.percent > 0 ? f.percent : 50.0, medians, f.more ? f.more : "");
}

struct accuracy_facts {
    const char *family; /* default: normal */
    size_t n;           /* default: 64 */
    double max_ulp, mean_ulp;
    const char *bits;
    int hazard;
    const char *status;
    int grid;            /* default: 1 */
    double scaled;       /* default: max_ulp */
    size_t nan, flushed; /* the record's counts */
    const char *verdict; /* makes a record of measure 2, which counts NaNs as lost; default: 1 */
};

static inline void add_accuracy(const char *folder, const char *variant, struct accuracy_facts f)
{
    char measure[96] = "";
    if (f.verdict)
        snprintf(measure, sizeof measure, " \"measure\": 2, \"lost\": %zu, \"verdict\": \"%s\",",
                 f.nan, f.verdict);
    append(
        folder, "accuracy.jsonl",
        "{\"record\": \"accuracy\", \"id\": \"%s\", \"family\": \"%s\", \"n\": %zu,"
        " \"elements\": 65536, \"grid\": %d, \"status\": \"%s\", \"hazard\": %s, \"max_ulp\": %.9g,"
        " \"mean_ulp\": %.9g, \"scaled_error\": %.9g,%s \"bits\": \"%s\","
        " \"max_at\": {\"row\": 3, \"input\": \"0x1p+0\"},"
        " \"counts\": {\"nan\": %zu, \"inf\": 0, \"sign\": 0, \"flushed\": %zu}}",
        variant, f.family ? f.family : "normal", f.n ? f.n : 64, f.grid ? f.grid : 1,
        f.status ? f.status : "ok", f.hazard ? "true" : "false", f.max_ulp, f.mean_ulp,
        f.scaled > 0 ? f.scaled : f.max_ulp, measure, f.bits ? f.bits : "00", f.nan, f.flushed);
}

/* Adds a codegen record; flags are those of the policy only. */
static inline void add_codegen(const char *folder, const char *variant, const char *cc,
                               const char *flags, const char *code_hash, int contracts,
                               int reassociates)
{
    append(folder, "codegen.jsonl",
           "{\"record\": \"codegen\", \"id\": \"%s\", \"status\": \"ok\", \"declared\":"
           " \"%s -std=gnu11 -O3 -mavx2 -mfma %s -Isimd/avx2\", \"code_hash\": \"%s\","
           " \"observed\": {\"contracts\": %s, \"reassociates\": %s, \"honours_nan\": %s,"
           " \"honours_subnormals\": true}, \"consistent\": true}",
           variant, cc, flags, code_hash, contracts ? "true" : "false",
           reassociates ? "true" : "false", reassociates ? "false" : "true");
}

#endif
