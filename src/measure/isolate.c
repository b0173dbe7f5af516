// SPDX-License-Identifier: MIT
#include "measure/isolate.h"

#include <errno.h>
#include <link.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

enum { MESSAGE_MAX = 64 * 1024 };

/* The header of each message. Bytes that a kernel writes into the channel do not have its mark. */
struct header {
    uint32_t size, mark;
};
enum { MARK = 0x756c7021 };

/* ---- The child ------------------------------------------------------------------------------- */

static pid_t speaker; /* the process that may send; 0: any */

/* A loader's segments are mapped in pages; a step of less than a page misses none. AddressSanitizer
 * takes what lies between two constants for an overflow. */
__attribute__((no_sanitize_address)) static int touch_constants(struct dl_phdr_info *object,
                                                                size_t size, void *unused)
{
    enum { STEP = 4096 };
    (void)size;
    (void)unused;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || segment->p_flags != PF_R) continue;
        const volatile char *at = (const volatile char *)(object->dlpi_addr + segment->p_vaddr);
        for (size_t k = 0; k < segment->p_memsz; k += STEP) (void)at[k];
    }
    return 0;
}

/* An instruction whose mask lets none of a memory operand's elements through does not make the page
 * of that operand present: it takes a microcode assist instead, each time, until something else
 * touches the page (docs/tuning-log.md, "The lab itself"). So the constants of the program and of
 * its libraries are touched. */
void isolate_begin(void)
{
    speaker = getpid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    interrupt_reset();       /* a sanitizer's handlers would turn a fault into an exit */
    signal(SIGINT, SIG_IGN); /* a terminal's Ctrl-C goes to the parent, which ends the child */
    dl_iterate_phdr(touch_constants, NULL);
}

void isolate_send(int channel, const void *message, size_t size)
{
    struct header header = {(uint32_t)size, MARK};
    if (speaker && speaker != getpid()) _exit(EXIT_FAILURE); /* a kernel forked */
    if (!write_all(channel, &header, sizeof header) || !write_all(channel, message, size))
        _exit(EXIT_FAILURE); /* the parent stopped listening */
}

/* ---- The parent ------------------------------------------------------------------------------ */

/* The child that the parent waits for, and the time since its last message. */
struct watch {
    pid_t child;
    int channel;
    double silence_s, silent_s, stopped_s, looked;
};

/* Returns whether the child is stopped (WSTOPPED) or has ended (WEXITED), without consuming the
 * status of its end. Processes that it started may hold the channel open after it. */
static bool child_is(pid_t child, int state)
{
    siginfo_t news = {.si_pid = 0};
    return waitid(P_PID, (id_t)child, &news, state | WNOHANG | WNOWAIT) == 0 &&
           news.si_pid == child;
}

static void isolate_hear(struct watch *w)
{
    w->silent_s = w->stopped_s = 0;
    w->looked = monotonic_s();
}

/* Returns whether the child has been silent for too long; called several times a second. A stopped
 * child cannot send anything and will be continued by whoever stopped it; but a kernel may have
 * stopped itself. A longer time between two calls means that this process was stopped, and mostly
 * the child with it. */
static bool silent_too_long(struct watch *w)
{
    static const double longest_look_s = 1, longest_stop_s = 600;
    double now = monotonic_s(), since = now - w->looked;
    w->looked = now;
    *(child_is(w->child, WSTOPPED) ? &w->stopped_s : &w->silent_s) += fmin(since, longest_look_s);
    return w->silent_s > w->silence_s || w->stopped_s > longest_stop_s;
}

/* STATUS_OK: there is something to read, or the stream has ended, as it has with a child that
 * ended and left nothing. Else why the parent stops listening. */
static enum status wait_for_more(struct watch *w, bool *ended)
{
    for (;;) {
        struct pollfd p = {.fd = w->channel, .events = POLLIN};
        int ready = poll(&p, 1, 100);
        if (interrupt_requested()) return STATUS_INTERRUPTED;
        if (ready > 0) return STATUS_OK;
        if (ready == 0 && child_is(w->child, WEXITED) && poll(&p, 1, 0) == 0) {
            *ended = true;
            return STATUS_OK;
        }
        if (ready < 0 && errno != EINTR) return STATUS_KILLED;
        if (silent_too_long(w)) return STATUS_TIMEOUT;
    }
}

/* `size` bytes; *ended where the stream ends before. */
static enum status receive_all(struct watch *w, void *data, size_t size, bool *ended)
{
    for (char *p = data; size && !*ended;) {
        enum status status = wait_for_more(w, ended);
        if (status != STATUS_OK || *ended) return status;
        ssize_t n = read(w->channel, p, size);
        if (n < 0 && errno == EINTR) continue;
        *ended = n <= 0;
        if (*ended) break;
        p += n;
        size -= (size_t)n;
    }
    isolate_hear(w);
    return STATUS_OK;
}

/* STATUS_OK at the end of the stream. */
static enum status listen_to(struct watch *w, isolate_receiver receive, void *context)
{
    static _Alignas(64) char message[MESSAGE_MAX];
    for (bool ended = false;;) {
        struct header header = {.size = 0};
        enum status status = receive_all(w, &header, sizeof header, &ended);
        if (status != STATUS_OK || ended) return status;
        if (header.mark != MARK || header.size > MESSAGE_MAX) return STATUS_KILLED;
        status = receive_all(w, message, header.size, &ended);
        if (status != STATUS_OK || ended) return status;
        if (receive) receive(context, message, header.size);
    }
}

/* Waits for the end of a child that has closed its channel, for as long as it may be silent. */
static enum status await_end(struct watch *w, int *wait_status)
{
    enum { FIRST_NAP_US = 50, LONGEST_NAP_US = 20000 };
    isolate_hear(w);
    for (useconds_t nap = FIRST_NAP_US;; nap = nap < LONGEST_NAP_US ? 2 * nap : nap) {
        if (child_is(w->child, WEXITED)) {
            kill(-w->child,
                 SIGKILL); /* ends the processes that it started before its number is free again */
            return waitpid(w->child, wait_status, 0) == w->child ? STATUS_OK : STATUS_KILLED;
        }
        if (interrupt_requested()) return STATUS_INTERRUPTED;
        if (silent_too_long(w)) return STATUS_TIMEOUT;
        usleep(nap);
    }
}

enum status isolate_watch(pid_t child, int channel, isolate_receiver receive, void *context,
                          double silence_s)
{
    struct watch w = {.child = child, .channel = channel, .silence_s = silence_s};
    int wait_status = 0;
    setpgid(child, child); /* both set it, so that it is set whichever runs first */
    isolate_hear(&w);
    enum status status = listen_to(&w, receive, context);
    close(channel);
    if (status == STATUS_OK) status = await_end(&w, &wait_status);
    if (status != STATUS_OK) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
        while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
        }
        return status;
    }
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) return STATUS_OK;
    return status_from_wait(wait_status);
}

/* ---- A child that is forked ------------------------------------------------------------------ */

/* Touches the stack now: if the system refused it later, the SIGSEGV would look like the kernel's
 * own. */
static __attribute__((noinline)) void take_stack(void)
{
    enum { ROOM = 512 << 10, PAGE = 4096 };
    volatile char room[ROOM];
    for (size_t i = 0; i < ROOM; i += PAGE) room[i] = 0;
    (void)room[0];
}

/* Closes every descriptor that a kernel must not reach: all but the channel and the standard three.
 */
static void close_others(int channel)
{
    enum { FIRST = STDERR_FILENO + 1 };
    if (channel > FIRST) close_range(FIRST, (unsigned)channel - 1, 0);
    close_range((unsigned)channel + 1, ~0u, 0);
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
        setpgid(0, 0);
        isolate_begin();
        close_others(ends[1]);
        if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) _exit(EXIT_FAILURE);
        take_stack();
        work(context, ends[1]);
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    return isolate_watch(child, ends[0], receive, context, silence_s);
}
