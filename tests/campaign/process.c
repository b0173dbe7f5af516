// SPDX-License-Identifier: MIT
/* Runs the program as a child, with faults or harm, and reads what it left. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "campaign.h"

enum { LIMIT_S = 120 };

static void set_faults(const struct campaign *c, const struct fault *fault, const char *counts)
{
    char text[160];
    setenv("ULPLAB_PEERS", "/nonexistent", 1); /* hides the libraries of this machine */
    if (counts) setenv("FAULT_COUNTS", counts, 1);
    if (fault && fault->class) {
        snprintf(text, sizeof text, "%s %lu %d %s", fault->class, fault->nth, fault->error,
                 fault->role);
        setenv("FAULT", text, 1);
        setenv("FAULT_FIRED", "fired", 1);
    }
    if (counts || (fault && fault->class)) setenv("LD_PRELOAD", c->shim, 1);
}

/* Starts the program without address randomisation, so that the places of calls are the same in
 * every run. */
static void become(const struct campaign *c, const char *const *arguments,
                   const struct fault *fault, const char *counts)
{
    const char *argv[ARGUMENTS_MAX + 1] = {c->program};
    for (size_t i = 0; i + 1 < ARGUMENTS_MAX && arguments[i]; i++) argv[i + 1] = arguments[i];
    if (chdir(c->folder) != 0) _exit(126);
    int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (out < 0 || err < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
        _exit(126);
    close(out);
    close(err);
    personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    set_faults(c, fault, counts);
    alarm(LIMIT_S);
    execv(c->program, (char *const *)(uintptr_t)argv);
    _exit(126);
}

static pid_t start(const struct campaign *c, const char *const *arguments,
                   const struct fault *fault, const char *counts)
{
    pid_t child = fork();
    if (child == 0) become(c, arguments, fault, counts);
    if (child > 0) return child;
    perror("campaign: fork");
    exit(EXIT_FAILURE);
}

static struct outcome end(const struct campaign *c, pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    struct outcome o = {.code = WIFEXITED(status) ? WEXITSTATUS(status)
                                                  : PROGRAM_SIGNALLED + WTERMSIG(status)};
    size_t err_size;
    o.out = text_of(c, "out", &o.out_size);
    o.err = text_of(c, "err", &err_size);
    return o;
}

struct outcome program_run(const struct campaign *c, const char *const *arguments,
                           const struct fault *fault, const char *counts)
{
    char fired[PLACE_MAX];
    place_of(c, "fired", fired);
    unlink(fired);
    return end(c, start(c, arguments, fault, counts));
}

/* The child is not reaped (WNOWAIT), so that its process id cannot be reused yet. */
static bool has_ended(pid_t child)
{
    siginfo_t ended = {0};
    waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
    return ended.si_pid != 0;
}

struct outcome program_harm(struct campaign *c, const char *const *arguments, double seconds,
                            bool (*act)(struct campaign *c, pid_t run), size_t most, size_t *done)
{
    const double pause_s = 0.2, look_s = 2e-3;
    pid_t child = start(c, arguments, NULL, NULL);
    usleep((useconds_t)(seconds * 1e6));
    for (*done = 0; *done < most && !has_ended(child);) {
        bool did = act(c, child);
        *done += did;
        usleep((useconds_t)(1e6 * (did ? pause_s * random_share(c) : look_s)));
    }
    return end(c, child);
}

static pid_t parent_of(pid_t process)
{
    char path[64];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *in = fopen(path, "r");
    if (in && fscanf(in, "%*d (%*[^)]) %*c %d", &parent) != 1) parent = 0;
    if (in) fclose(in);
    return parent;
}

pid_t worker_of(struct campaign *c, pid_t run)
{
    DIR *all = opendir("/proc");
    pid_t chosen = 0;
    size_t count = 0;
    for (const struct dirent *d; all && (d = readdir(all));) {
        pid_t process = (pid_t)strtol(d->d_name, NULL, 10);
        if (process <= 0 || parent_of(process) != run) continue;
        if (random_share(c) * (double)++count < 1) chosen = process;
    }
    if (all) closedir(all);
    return chosen;
}

void outcome_free(struct outcome *o)
{
    free(o->out);
    free(o->err);
}

/* The shim writes the chain of calls that led to the fault, innermost first, one a line:
 * OBJECT(NAME+..). */
bool fault_fired(const struct campaign *c, bool *in_library)
{
    static const char *const own[] = {"shim.so", "libc.so", "libjansson"};
    size_t size;
    char *text = text_of(c, "fired", &size), *save = NULL;
    *in_library = false;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        size_t i = 0, length = strcspn(line, "(");
        line[length] = '\0';
        while (i < sizeof own / sizeof *own && !strstr(line, own[i])) i++;
        if (i < sizeof own / sizeof *own) continue;
        *in_library = strstr(line, ".so") != NULL;
        break;
    }
    bool fired = text != NULL;
    free(text);
    return fired;
}
