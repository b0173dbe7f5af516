#include "measure/isolate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/monotonic.h"
#include "base/transfer.h"

enum { MESSAGE_MAX = 64 * 1024 };

void isolate_send(int channel, const void *message, size_t size)
{
    uint32_t header = (uint32_t)size;
    if (!write_all(channel, &header, sizeof header) || !write_all(channel, message, size))
        _exit(EXIT_FAILURE); /* the parent stopped listening */
}

/* STATUS_OK at the end of the stream, else why the parent stops listening. */
static enum status listen_to(int channel, isolate_receiver receive, void *context, double silence_s)
{
    static _Alignas(64) char message[MESSAGE_MAX];
    double heard = monotonic_s();
    for (;;) {
        struct pollfd p = {.fd = channel, .events = POLLIN};
        int ready = poll(&p, 1, 100);
        if (interrupt_requested()) return STATUS_INTERRUPTED;
        if (ready > 0) {
            uint32_t size;
            if (!read_all(channel, &size, sizeof size)) return STATUS_OK;
            if (size > MESSAGE_MAX || !read_all(channel, message, size)) return STATUS_OK;
            receive(context, message, size);
            heard = monotonic_s();
        } else if (monotonic_s() - heard > silence_s) {
            return STATUS_TIMEOUT;
        }
    }
}

enum status isolate_watch(pid_t child, int channel, isolate_receiver receive, void *context,
                          double silence_s)
{
    enum status status = listen_to(channel, receive, context, silence_s);
    close(channel);
    if (status != STATUS_OK) kill(child, SIGKILL);
    int wait_status = 0;
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
    }
    if (status != STATUS_OK) return status;
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) return STATUS_OK;
    return status_from_wait(wait_status);
}

enum status isolate_run(void (*work)(void *context, int channel), isolate_receiver receive,
                        void *context, double silence_s)
{
    int ends[2];
    if (pipe(ends) != 0) return STATUS_KILLED;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return STATUS_KILLED;
    }
    if (child == 0) {
        close(ends[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        interrupt_reset();
        signal(SIGINT, SIG_IGN); /* a terminal's Ctrl-C goes to the parent, which ends the child */
        if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) _exit(EXIT_FAILURE);
        work(context, ends[1]);
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    return isolate_watch(child, ends[0], receive, context, silence_s);
}
