// SPDX-License-Identifier: MIT
/* The interface between the parts of `make campaign`. */
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
    char folder[PLACE_MAX]; /* scratch folder, made and removed by the campaign */
    bool brief;
    double seconds; /* time budget of the campaign */
    uint64_t state; /* state of the random choices */
    json_t *lines;  /* where the record is written */
    double begin;   /* now_s() at the start */
    size_t broken;  /* promises that did not hold */
};

/* ---- A program, from outside (process.c) ----------------------------------------------------- */

/* The call of the system that is made to fail; class NULL: none is. */
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

/* Runs the program in the campaign's folder. The shim writes what it counted to `counts`, if not
 * NULL. */
struct outcome program_run(const struct campaign *c, const char *const *arguments,
                           const struct fault *fault, const char *counts);
/* Like program_run(), but `act` is called on the run after `seconds`, and again, up to `most`
 * times, until it ends. *done: how many calls of `act` found a process to act on. */
struct outcome program_harm(struct campaign *c, const char *const *arguments, double seconds,
                            bool (*act)(struct campaign *c, pid_t run), size_t most, size_t *done);
/* Returns a process that the run has started, chosen at random; 0 if there is none. */
pid_t worker_of(struct campaign *c, pid_t run);
void outcome_free(struct outcome *o);
/* Returns whether the call was made to fail; *in_library: whether a library made it that handles
 * failures in its own way. */
bool fault_fired(const struct campaign *c, bool *in_library);

/* ---- Files (files.c) ------------------------------------------------------------------------- */

/* Writes the path of file `name` in the campaign's folder to `place`. */
void place_of(const struct campaign *c, const char *name, char place[PLACE_MAX]);
/* The text of a file with the runs' identities, which differ between runs, removed; NULL if there
 * is no such file. The caller frees it. */
char *text_of(const struct campaign *c, const char *name, size_t *size);
bool same_file(const struct campaign *c, const char *a, const char *b);
bool is_there(const struct campaign *c, const char *name);
/* Runs a shell command in the campaign's folder. */
void command(const struct campaign *c, const char *line);
/* Returns whether folder b has all files of folder a unchanged; if not, `which` names one that
 * differs. */
bool keeps_files(const struct campaign *c, const char *a, const char *b, char which[PLACE_MAX]);
/* Returns whether every line of file a is also in file b. */
bool keeps_lines(const struct campaign *c, const char *a, const char *b);
/* Returns whether every record in the folder `work` belongs to the run that its machine.json names.
 */
bool is_one_run(const struct campaign *c);
/* Returns whether the folder has a file whose name ends like this. */
bool has_file_ending(const struct campaign *c, const char *folder, const char *ending);

/* ---- The parts ------------------------------------------------------------------------------- */

/* Prints a message that says which promise was broken, and counts it. */
void broken(struct campaign *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
double now_s(void);
double random_share(struct campaign *c); /* [0, 1) */

/* Prints a line on standard error from time to time: what is being done, and for how long. */
void progress(const struct campaign *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends to the record what was done to runs, how often, and how often a promise was broken. */
void note_harm(struct campaign *c, const char *harm, size_t tried, size_t broken);

/* Lets calls of every class fail, one after the other, until the time `until`. */
void campaign_of_faults(struct campaign *c, double until);
/* Harms runs and resumes them, until the time `until`. */
void campaign_of_kills(struct campaign *c, double until);
/* Tries each fault of the disk, the clock and the machine once. */
void campaign_of_surroundings(struct campaign *c);

/* ---- Parts of surroundings (surroundings.c, disks.c) ----------------------------------------- */

struct trial {
    struct campaign *c;
    const char *name;
    size_t tried, broken;
};
void trial_tell(struct trial *t, const char *wrong, const struct outcome *o);
/* Runs the program; it may exit with 0, or with `code` or `other` and a message. Returns its exit
 * code. */
int trial_take(struct trial *t, const char *const *arguments, int code, int other);
/* Runs into `work`, from the start or resumed; the result must be that of an undisturbed run. */
void trial_take_whole(struct trial *t, bool resume);

/* Gives the campaign a mount name space of its own: its disks disappear when it ends, however it
 * ends. */
void disks_unshare(void);
void disk_full(struct trial *t);
void disk_read_only(struct trial *t);
void disk_slow(struct trial *t);

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Write the arguments of the run that all jobs start from, into that folder; and those of a shorter
 * run, whose results are in the folder `short`. */
void run_arguments(const char *folder, bool resume, const char *arguments[ARGUMENTS_MAX]);
void short_run(const char *folder, bool resume, const char *arguments[ARGUMENTS_MAX]);
/* Returns whether `work`, or a folder beside it, has an unfinished run to resume. A run of another
 * program, such as `older`, is not one. */
bool can_resume(const struct campaign *c);
/* Returns whether `work` has the accuracy of `short` and each of its cells once; prints what is
 * missing. */
bool same_results(struct campaign *c, const char *after);

#endif
