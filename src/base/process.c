// SPDX-License-Identifier: MIT
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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
