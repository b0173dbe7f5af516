#include "measure/isolate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/monotonic.h"
#include "base/process.h"
#include "base/transfer.h"

enum { MESSAGE_MAX = 64 * 1024 };

void isolate_send(int channel, const void *message, size_t size)
{
    uint32_t header = (uint32_t)size;
    if (!write_all(channel, &header, sizeof header) || !write_all(channel, message, size))
        _exit(EXIT_FAILURE); /* the parent stopped listening */
}

/* What the parent waits for, and since when nothing came. */
struct watch {
    int channel;
    double silence_s, heard;
};

/* STATUS_OK: there is something to read, or the stream has ended. Else why the parent stops
 * listening. */
static enum status wait_for_more(const struct watch *w)
{
    for (;;) {
        struct pollfd p = {.fd = w->channel, .events = POLLIN};
        int ready = poll(&p, 1, 100);
        if (interrupt_requested()) return STATUS_INTERRUPTED;
        if (ready > 0) return STATUS_OK;
        if (ready < 0 && errno != EINTR) return STATUS_KILLED;
        if (monotonic_s() - w->heard > w->silence_s) return STATUS_TIMEOUT;
    }
}

/* `size` bytes; *ended where the stream ends before. A child that is stopped within a message is
 * silent as any other. */
static enum status receive_all(struct watch *w, void *data, size_t size, bool *ended)
{
    for (char *p = data; size && !*ended;) {
        enum status status = wait_for_more(w);
        if (status != STATUS_OK) return status;
        ssize_t n = read(w->channel, p, size);
        if (n < 0 && errno == EINTR) continue;
        *ended = n <= 0;
        if (*ended) break;
        p += n;
        size -= (size_t)n;
    }
    w->heard = monotonic_s();
    return STATUS_OK;
}

/* STATUS_OK at the end of the stream. */
static enum status listen_to(struct watch *w, isolate_receiver receive, void *context)
{
    static _Alignas(64) char message[MESSAGE_MAX];
    for (bool ended = false;;) {
        uint32_t size = 0;
        enum status status = receive_all(w, &size, sizeof size, &ended);
        if (status != STATUS_OK || ended || size > MESSAGE_MAX) return status;
        status = receive_all(w, message, size, &ended);
        if (status != STATUS_OK || ended) return status;
        receive(context, message, size);
    }
}

/* A child that has closed its channel has `silence_s` to end. */
static enum status await_end(pid_t child, double silence_s, int *wait_status)
{
    enum { FIRST_NAP_US = 50, LONGEST_NAP_US = 20000 };
    double begin = monotonic_s();
    for (useconds_t nap = FIRST_NAP_US;; nap = nap < LONGEST_NAP_US ? 2 * nap : nap) {
        pid_t ended = waitpid(child, wait_status, WNOHANG);
        if (ended == child) return STATUS_OK;
        if (ended < 0 && errno != EINTR) return STATUS_KILLED;
        if (interrupt_requested()) return STATUS_INTERRUPTED;
        if (monotonic_s() - begin > silence_s) return STATUS_TIMEOUT;
        usleep(nap);
    }
}

enum status isolate_watch(pid_t child, int channel, isolate_receiver receive, void *context,
                          double silence_s)
{
    struct watch w = {.channel = channel, .silence_s = silence_s, .heard = monotonic_s()};
    int wait_status = 0;
    enum status status = listen_to(&w, receive, context);
    close(channel);
    if (status == STATUS_OK) status = await_end(child, silence_s, &wait_status);
    if (status != STATUS_OK) {
        kill(child, SIGKILL);
        while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
        }
        return status;
    }
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) return STATUS_OK;
    return status_from_wait(wait_status);
}

enum status isolate_run(void (*work)(void *context, int channel), isolate_receiver receive,
                        void *context, double silence_s)
{
    int ends[2];
    if (!process_pipe(ends)) return STATUS_KILLED;
    fflush(NULL);
    pid_t child = process_fork();
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
