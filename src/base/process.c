// SPDX-License-Identifier: MIT
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "base/error.h"

enum { TRIES = 20, NAP_US = 50000 };

static bool may_pass(void)
{
    return errno == EAGAIN || errno == ENOMEM || errno == EMFILE || errno == ENFILE;
}

pid_t process_fork(void)
{
    pid_t child = fork();
    for (int i = 1; i < TRIES && child < 0 && may_pass(); i++) {
        usleep(NAP_US);
        child = fork();
    }
    return child;
}

bool process_pipe(int ends[2])
{
    bool made = pipe2(ends, O_CLOEXEC) == 0;
    for (int i = 1; i < TRIES && !made && may_pass(); i++) {
        usleep(NAP_US);
        made = pipe2(ends, O_CLOEXEC) == 0;
    }
    return made;
}

bool write_all(int fd, const void *data, size_t size)
{
    for (const char *p = data; size;) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

bool read_all(int fd, void *data, size_t size)
{
    for (char *p = data; size;) {
        ssize_t n = read(fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

/* dup2() of a descriptor onto itself would leave it to be closed. */
bool descriptor_give(int from, int to)
{
    return from == to ? fcntl(from, F_SETFD, 0) == 0 : dup2(from, to) == to;
}

/* ---- Interruption ---------------------------------------------------------------------------- */

/* The only state that a signal handler can reach. */
static volatile sig_atomic_t requested;

static void on_signal(int sig)
{
    requested = sig == SIGTERM ? EXIT_SIGTERM : EXIT_SIGINT;
}

void interrupt_install(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* write() then fails, and the lab can report it */
}

int interrupt_requested(void)
{
    return requested;
}

void interrupt_reset(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGILL,  SIGSEGV, SIGBUS,
                                  SIGFPE, SIGABRT, SIGALRM, SIGPIPE, SIGTRAP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    requested = 0;
}

/* ---- Time ------------------------------------------------------------------------------------ */

double monotonic_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
