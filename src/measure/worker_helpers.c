// SPDX-License-Identifier: MIT
#include "measure/worker_helpers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "base/transfer.h"

/* In the child: executes this program again, or the other one. A library that would start threads
 * of its own gets one thread: the lab distributes the rows. */
__attribute__((noreturn)) static void become_helper(const struct peer_order *p, int orders,
                                                    int results)
{
    if (p->variable[0]) setenv(p->variable, p->value, 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    if (dup2(orders, STDIN_FILENO) >= 0 && dup2(results, HELPER_RESULTS) >= 0)
        execl(p->program[0] ? p->program : "/proc/self/exe", "ulplab", BENCH_WORKER_COMMAND,
              (char *)NULL);
    _exit(EXIT_FAILURE);
}

/* The pipes' ends stand above HELPER_RESULTS, which dup2 would overwrite. */
static bool open_pipe(int ends[2])
{
    if (!process_pipe(ends)) return false;
    for (int i = 0; i < 2; i++) {
        int high = fcntl(ends[i], F_DUPFD_CLOEXEC, HELPER_RESULTS + 1);
        close(ends[i]);
        ends[i] = high;
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

static bool start_helper(struct helper *h, const struct work_header *work)
{
    int orders[2], results[2];
    if (!open_pipe(orders) || !open_pipe(results)) return false;
    h->pid = process_fork();
    if (h->pid == 0) become_helper(&h->peer, orders[0], results[1]);
    close(orders[0]);
    close(results[1]);
    h->orders = orders[1];
    h->results = results[0];
    struct work_header header = *work;
    header.orders = ORDERS_AS_THEY_COME;
    return h->pid > 0 && write_all(h->orders, &header, sizeof header) &&
           write_all(h->orders, work->input.data,
                     work->input.rows * work->input.n * sizeof *work->input.data);
}

static struct helper *helper_for(struct helpers *h, const struct work_header *work,
                                 const struct peer_order *p)
{
    for (size_t i = 0; i < h->count; i++)
        if (!memcmp(&h->all[i].peer, p, sizeof *p)) return &h->all[i];
    if (h->count == HELPERS_MAX) return NULL;
    struct helper *fresh = &h->all[h->count];
    fresh->peer = *p;
    if (!start_helper(fresh, work)) return NULL;
    h->count++;
    return fresh;
}

__attribute__((noreturn)) static void end_as(const struct helper *h)
{
    int status = 0;
    while (h && waitpid(h->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (h && WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(EXIT_FAILURE);
}

/* A helper that gave up has told the parent the reason, and the parent ends the run. */
struct visit_result helpers_visit(struct helpers *h, const struct work_header *work,
                                  const struct work_order *o, const struct visit *visit)
{
    struct helper *helper = helper_for(h, work, &o->peer);
    struct visit_result result;
    if (!helper || !write_all(helper->orders, o, sizeof *o) ||
        !write_all(helper->orders, visit, sizeof *visit) ||
        !read_all(helper->results, &result, sizeof result))
        end_as(helper);
    return result;
}

void helpers_end(struct helpers *h)
{
    for (size_t i = 0; i < h->count; i++) {
        close(h->all[i].orders); /* the end of its file: it ends */
        close(h->all[i].results);
        while (waitpid(h->all[i].pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}
