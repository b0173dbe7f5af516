// SPDX-License-Identifier: MIT
/* Drives a program as a child: arguments in; exit code, stdout and stderr out. */
#ifndef ULPLAB_DRIVE_H
#define ULPLAB_DRIVE_H

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { DRIVE_ARGUMENTS = 32, DRIVE_LIMIT_S = 300 };

struct drive {
    const char *program;
    const char *arguments[DRIVE_ARGUMENTS]; /* ends with NULL */
    const char *output;       /* file that receives stdout; NULL: it is kept in memory */
    rlim_t file_limit;        /* limit for the size of a file in bytes, or 0 */
    const char *interrupt_at; /* the child gets a SIGINT once this path exists; NULL: none */
};

struct outcome {
    int code; /* exit status; 1000 + signal */
    char *out, *err;
};

/* The program under test: that of the environment variable ULPLAB, or that of this build. */
static inline const char *drive_program(const char *under_build)
{
    static char path[512];
    const char *named = getenv("ULPLAB"), *build = getenv("BUILD");
    if (named && !strcmp(under_build, "ulplab")) return named;
    snprintf(path, sizeof path, "%s/%s", build ? build : "build", under_build);
    return path;
}

/* A program with few kernels, which finds them, and runs, sooner; the whole one where there is no
 * such program. */
static inline const char *drive_small_program(void)
{
    const char *named = getenv("ULPLAB"), *small = drive_program("faults/ulplab");
    return !named && access(small, X_OK) == 0 ? small : drive_program("ulplab");
}

static inline char *drive_slurp(FILE *f)
{
    rewind(f);
    char *text = NULL;
    size_t size = 0;
    FILE *copy = open_memstream(&text, &size);
    for (int c; (c = getc(f)) != EOF;) putc(c, copy);
    fclose(copy);
    fclose(f);
    return text;
}

static inline void drive_child(const struct drive *d, int out, int err)
{
    const char *argv[DRIVE_ARGUMENTS + 1] = {d->program};
    for (size_t i = 0; i + 1 < DRIVE_ARGUMENTS && d->arguments[i]; i++)
        argv[i + 1] = d->arguments[i];
    if (d->output) out = open(d->output, O_WRONLY | O_CREAT, 0666);
    if (d->file_limit) setrlimit(RLIMIT_FSIZE, &(struct rlimit){d->file_limit, d->file_limit});
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    /* The child must not inherit the test's signal handlers and masks. */
    for (int sig = 1; sig < 32; sig++) signal(sig, SIG_DFL);
    alarm(DRIVE_LIMIT_S);
    execv(d->program, (char **)(uintptr_t)argv);
    _exit(127);
}

/* Returns whether a SIGINT can be sent: the program handles it and d->interrupt_at exists, or the
 * program has ended. */
static inline bool drive_can_interrupt(const struct drive *d, pid_t child)
{
    siginfo_t ended = {.si_pid = 0};
    if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid)
        return true;
    char path[64], line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) sscanf(line, "SigCgt: %llx", &caught);
    if (f) fclose(f);
    return caught >> (SIGINT - 1) & 1 && access(d->interrupt_at, F_OK) == 0;
}

/* Keeps a document that `command` printed with --json for tests/documents, which validates it:
 * scripts/test names a folder. */
static inline void drive_keep(const char *command, const char *document)
{
    static int count;
    const char *folder = getenv("ULPLAB_DOCUMENTS");
    char path[512], name[40] = "", word[20] = "";
    if (!folder || !strstr(command, " --json") || strpbrk(command, "|>;") || *document != '{')
        return;
    sscanf(command, "%39s %19s", name, word);
    const bool two = !strcmp(name, "archive") || !strcmp(name, "fleet");
    snprintf(path, sizeof path, "%s/%s%s%s.%d.%d", folder, name, two ? "-" : "", two ? word : "",
             (int)getpid(), count++);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(document, out);
    assert_int_equal(fclose(out), 0);
}

static inline struct outcome drive(const struct drive *d)
{
    FILE *out = tmpfile(), *err = tmpfile();
    assert_non_null(out);
    assert_non_null(err);
    pid_t child = fork();
    if (child == 0) drive_child(d, fileno(out), fileno(err));
    assert_true(child > 0);
    int status = 0;
    if (d->interrupt_at) {
        while (!drive_can_interrupt(d, child)) usleep(1000);
        kill(child, SIGINT);
    }
    while (waitpid(child, &status, 0) < 0) {
    }
    struct outcome o = {
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status),
        .out = drive_slurp(out),
        .err = drive_slurp(err),
    };
    char command[4096] = "";
    for (size_t i = 0, used = 0; d->arguments[i] && used < sizeof command; i++)
        used += (size_t)snprintf(command + used, sizeof command - used, "%s ", d->arguments[i]);
    drive_keep(command, o.out);
    return o;
}

static inline void drive_free(struct outcome *o)
{
    free(o->out);
    free(o->err);
}

/* Asserts the exit code and exactly one line on stderr, "ulplab: WHAT: ..", that contains `needle`.
 */
static inline void assert_one_error(const struct outcome *o, int code, const char *needle)
{
    if (o->code != code || strncmp(o->err, "ulplab: ", 8) != 0 || !strstr(o->err, needle) ||
        strchr(o->err, '\n') != o->err + strlen(o->err) - 1)
        fail_msg("want exit %d and one line with '%s'; got exit %d: %s", code, needle, o->code,
                 o->err);
}

#endif
