/* Many machines at once, hundreds of them, out of an archive's tables: what cpus.h and
 * performance.h do with whole records of a few would take gigabytes. Of each race of builds one
 * stands for all: a row with its distribution over machines. */
#ifndef ULPLAB_MANY_H
#define ULPLAB_MANY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/lab_db.h"
#include "publish/load/codes.h"

struct many_machine {
    int64_t run, machine, codegen, accuracy;
    char *slug, *brand, *commit, *started, *libraries, *caches;
    double cores;
    double load_l1, load_dram, flops; /* B/s, B/s, FLOP/s of one thread; NAN: not measured */
    size_t cells, compared;           /* timed; of the machine code that most machines ran */
};

struct many_variant {
    char *id; /* NULL: a filter leaves it out, or nobody timed it */
    struct axes axes;
    float *errors;   /* by machine; NAN: unknown */
    uint64_t *codes; /* by machine; 0: unknown */
    uint64_t usual;  /* the code that most machines ran; 0: unknown */
    double bytes;    /* read and written for an element, of those that a race shows; NAN: unknown */
    bool hazard;     /* on any machine */
};

/* A variant at one length, number of threads, family and level of memory. Of several numbers of
 * rows, a machine's fastest. */
struct many_line {
    size_t variant;
    int shape;                      /* of struct many's shapes */
    int level;                      /* of many_levels */
    size_t machines;                /* that have a time */
    double log_mean;                /* of their ns */
    float *ns;                      /* by machine; 0: none, or of other machine code */
    float *cycles;                  /* by machine, of the same time; 0: unknown */
    unsigned char *shares;          /* of the limit, percent, at most 254; 255: unknown */
    const struct many_line *narrow; /* of AVX-512: the same with AVX2; NULL for none */
};

struct many_shape {
    size_t n, threads;
    char family[24];
};

/* The builds of a kernel at one shape, and which of them stands for them. */
struct many_race {
    size_t first, end; /* lines */
    size_t line;
};

/* The lines of an operation, of one type ("softmax bf16"). */
struct many_op {
    const char *name;
    size_t first, end;
};

struct many {
    struct many_machine *machines; /* by slug */
    size_t machine_count;
    struct many_variant *variants; /* by the archive's number */
    size_t variant_count;
    struct many_shape *shapes;
    size_t shape_count;
    struct many_line *lines; /* by race */
    size_t line_count;
    struct many_op *ops;
    size_t op_count;
    struct many_race *races;
    size_t race_count;
};

extern const char *const many_levels[];
enum { MANY_LEVELS = 5 };

/* The newest run of each machine that the selector names, narrowed by the filters. Up to `least`
 * machines are left alone: *many is then NULL. EXIT_USAGE where no cell is left. */
int many_open(const struct lab_db *l, const char *selector, size_t least,
              const char *const *filters, size_t filter_count, struct many **many, struct error *e);
void many_free(struct many *m);

/* The stages of many_open(). */
int many_load(const struct lab_db *l, const char *const *filters, size_t filter_count,
              struct many *m, struct error *e);
int many_race_all(struct many *m, struct error *e);
int many_learn_bytes(const struct lab_db *l, struct many *m, struct error *e);

/* "fast 310, off 190": under which policy a race's fastest build is, on how many machines. */
void many_policies(const struct many *m, const struct many_race *r, char *text, size_t size);
/* The speed of AVX-512 over AVX2 on a machine: geometric mean over builds that differ in nothing
 * else; NAN where there is none. op: over that one's; NULL: over all. */
double many_gain(const struct many *m, size_t machine, const struct many_op *op);
/* Time of a machine over the machines' geometric mean, over the races that it ran; NAN for none. */
double many_pace(const struct many *m, size_t machine);
/* The line's times in order; how many. `sorted` has room for every machine. */
size_t many_sorted(const struct many *m, const struct many_line *line, float *sorted);

/* For the page, by race and then by machine, in base64: times, two bytes each; shares of the limit,
 * one each; clocks, one each, with machines' own as GHz in `own` and as [place, cycles] in `far`
 * what is too far from them. assets/many.js takes them apart. */
json_t *many_times(const struct many *m);
json_t *many_shares(const struct many *m);
json_t *many_clocks(const struct many *m, json_t *own, json_t *far);

/* performance.html and performance.md, whole or not at all. */
int many_write_page(const struct many *m, const char *path, struct error *e);
int many_write_text(const struct many *m, const char *path, struct error *e);

#endif
