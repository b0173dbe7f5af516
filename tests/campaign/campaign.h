// SPDX-License-Identifier: MIT
/* What the parts of `make campaign` share. */
#ifndef CAMPAIGN_H
#define CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

enum { ARGUMENTS_MAX = 16, PLACE_MAX = 512, PROGRAM_SIGNALLED = 1000 };

struct campaign {
    char program[PLACE_MAX], shim[PLACE_MAX];
    char folder[PLACE_MAX]; /* of its own, made and removed */
    bool brief;
    double seconds; /* how long it may take */
    uint64_t state; /* of the random choices */
    json_t *lines;  /* the record */
    double begin;   /* now_s() then */
    size_t broken;  /* promises that did not hold */
};

/* ---- A program, from outside (process.c) ----------------------------------------------------- */

/* A call that is to fail; NULL class: none. */
struct fault {
    const char *class, *role;
    unsigned long nth;
    int error;
};
struct outcome {
    int code; /* exit status; PROGRAM_SIGNALLED + signal */
    char *out, *err;
    size_t out_size;
};

/* Runs it in the campaign's folder, where `counts` (or NULL) receives what the shim counted. */
struct outcome program_run(const struct campaign *c, const char *const *arguments,
                           const struct fault *fault, const char *counts);
/* The same, with something done to it after `seconds`, and again up to `most` times, until it ends.
 * *done: how often there was somebody to do it to. */
struct outcome program_harm(struct campaign *c, const char *const *arguments, double seconds,
                            bool (*act)(struct campaign *c, pid_t run), size_t most, size_t *done);
/* A process that the run has started, by chance which; 0 where there is none. */
pid_t worker_of(struct campaign *c, pid_t run);
void outcome_free(struct outcome *o);
/* Was the call let fail, and was it made within a library that has its own way to fail? */
bool fault_fired(const struct campaign *c, bool *in_library);

/* ---- Files (files.c) ------------------------------------------------------------------------- */

/* In the campaign's folder. */
void place_of(const struct campaign *c, const char *name, char place[PLACE_MAX]);
/* Without the runs' identities, which differ; NULL where there is no such file; the caller frees.
 */
char *text_of(const struct campaign *c, const char *name, size_t *size);
bool same_file(const struct campaign *c, const char *a, const char *b);
bool is_there(const struct campaign *c, const char *name);
/* Runs a shell's command in the campaign's folder. */
void command(const struct campaign *c, const char *line);
/* Are all files of folder a in folder b as they were? Else `which` names one that is not. */
bool keeps_files(const struct campaign *c, const char *a, const char *b, char which[PLACE_MAX]);
/* Are all lines of file a among those of file b? */
bool keeps_lines(const struct campaign *c, const char *a, const char *b);
/* Is each record of the folder `work` of the run that its machine.json names? */
bool is_one_run(const struct campaign *c);
/* Does a file of the folder end so? */
bool has_file_ending(const struct campaign *c, const char *folder, const char *ending);

/* ---- The parts ------------------------------------------------------------------------------- */

/* Says what did not hold, and counts it. */
void broken(struct campaign *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
double now_s(void);
double random_share(struct campaign *c); /* [0, 1) */

/* A line on standard error now and then: what it is at, and since when. */
void progress(const struct campaign *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Into the record: what was done to runs, how often, and how often a promise did not hold. */
void note_harm(struct campaign *c, const char *harm, size_t tried, size_t broken);

/* Every class of calls, one call after the other, until `until`. */
void campaign_of_faults(struct campaign *c, double until);
/* Runs that are harmed and resumed, until `until`. */
void campaign_of_kills(struct campaign *c, double until);
/* The disk, the clock and the machine are not what they should be: each once. */
void campaign_of_surroundings(struct campaign *c);

/* ---- Parts of surroundings (surroundings.c, disks.c) ----------------------------------------- */

struct trial {
    struct campaign *c;
    const char *name;
    size_t tried, broken;
};
void trial_tell(struct trial *t, const char *wrong, const struct outcome *o);
/* Runs it; it may end with 0, or with one of two other codes and a message. Returns its code. */
int trial_take(struct trial *t, const char *const *arguments, int code, int other);
/* A run into `work`, from the start or resumed, that has to end as an undisturbed one. */
void trial_take_whole(struct trial *t, bool resume);

/* Gives the campaign a name space of its own, so that no disk stays when it is ended. */
void disks_unshare(void);
void disk_full(struct trial *t);
void disk_read_only(struct trial *t);
void disk_slow(struct trial *t);

/* ---- Runs ------------------------------------------------------------------------------------ */

/* The arguments of the run that all jobs start from, into the folder of that name; and of a shorter
 * one, whose results are in the folder `short`. */
void run_arguments(const char *folder, bool resume, const char *arguments[ARGUMENTS_MAX]);
void short_run(const char *folder, bool resume, const char *arguments[ARGUMENTS_MAX]);
/* Is there something in or beside `work` to go on with? A run of another program, as `older` is, is
 * none. */
bool can_resume(const struct campaign *c);
/* Does `work` hold the accuracy of `short`, and each of its cells once? Says what it does not. */
bool same_results(struct campaign *c, const char *after);

#endif
