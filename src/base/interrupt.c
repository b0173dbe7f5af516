// SPDX-License-Identifier: MIT
#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "base/error.h"

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
