// SPDX-License-Identifier: MIT
#include "measure/bench_process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "base/transfer.h"

enum { PADDING_MAX = 4095 };

size_t bench_process_padding(const struct bench_process *p)
{
    return p->layout >> 16 & PADDING_MAX;
}

void bench_process_kill(const struct bench_process *p)
{
    if (p->pid > 0) kill(p->pid, SIGKILL);
}

/* ---- The worker's orders --------------------------------------------------------------------- */

static struct work_order bench_process_order_of(const struct bench_plan *p, const struct step *step)
{
    struct work_order o = {.item = step->item, .block = step->block};
    const struct cell *c = bench_cell(p, step->item);
    if (!c) {
        o.is_limit = true;
        o.limit = p->limits[step->item - p->cell_count - p->control_count];
        return o;
    }
    snprintf(o.variant, sizeof o.variant, "%s", c->variant->id);
    if (c->program)
        snprintf(o.peer.program, sizeof o.peer.program, "%s", c->program);
    else if (c->variant->peer)
        o.peer = c->variant->peer->order;
    else
        o.kernel = bench_kernel_offset(variant_file_kernel(c->variant));
    snprintf(o.op, sizeof o.op, "%s", c->variant->op);
    o.width = width_of_isa(c->variant->isa);
    o.rows = c->rows;
    o.n = c->n;
    o.threads = c->threads;
    o.log_output = c->variant->kernel->log_output;
    memcpy(o.family, c->family, sizeof o.family);
    return o;
}

/* A file in memory, mapped here, with the worker's header, orders and input. A pipe would block
 * both sides once it is full, and the parent can read here what the worker wrote into the
 * header. */
struct orders {
    int fd;
    size_t bytes;
    struct work_header *header; /* NULL where memory is short */
};

static struct orders write_orders(const struct bench_process *p)
{
    const struct bench_plan *plan = p->plan;
    const size_t input_bytes = plan->input.rows * plan->input.n * sizeof(float);
    struct orders o = {.fd = memfd_create("ulplab-orders", MFD_CLOEXEC),
                       .bytes =
                           sizeof *o.header + p->count * sizeof(struct work_order) + input_bytes};
    void *mapped = MAP_FAILED;
    if (o.fd >= 0 && ftruncate(o.fd, (off_t)o.bytes) == 0)
        mapped = mmap(NULL, o.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, o.fd, 0);
    if (mapped == MAP_FAILED) return o;
    o.header = mapped;
    *o.header = (struct work_header){.orders = p->count,
                                     .current = NO_ITEM,
                                     .clock = p->setup->clock,
                                     .effective = p->setup->effective,
                                     .warmup_s = plan->warmup_s,
                                     .sample_s = plan->sample_s,
                                     .patience_s = plan->patience_s,
                                     .rounds = plan->rounds,
                                     .hashes_outputs = plan->hashes_outputs,
                                     .seed = plan->seed,
                                     .layout = p->layout,
                                     .parameters = plan->parameters,
                                     .input = plan->input};
    struct work_order *orders = (struct work_order *)(void *)(o.header + 1);
    for (size_t i = 0; i < p->count; i++) orders[i] = bench_process_order_of(plan, &p->steps[i]);
    if (input_bytes) memcpy(orders + p->count, plan->input.data, input_bytes);
    return o;
}

static void drop_orders(const struct orders *o)
{
    if (o->header) munmap(o->header, o->bytes);
    if (o->fd >= 0) close(o->fd);
}

/* ---- The worker's life ----------------------------------------------------------------------- */

/* In the child: executes this program again, its address space randomised even under a debugger,
 * its environment longer by `padding` bytes. The user's settings of OpenMP do not apply: the lab
 * binds each thread itself. */
static void become_worker(int orders, int channel, size_t padding)
{
    static char pad[PADDING_MAX + 1];
    memset(pad, 'x', padding);
    setpgid(0, 0);
    interrupt_reset();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a worker without a lab would disturb the next one */
    signal(SIGINT, SIG_IGN); /* a terminal's Ctrl-C goes to the parent, which ends the child */
    personality((unsigned long)personality(0xffffffff) & ~(unsigned long)ADDR_NO_RANDOMIZE);
    setenv("ULPLAB_PADDING", pad, 1);
    unsetenv("GOMP_CPU_AFFINITY");
    unsetenv("OMP_PLACES");
    unsetenv("OMP_WAIT_POLICY"); /* a thread that spins is there when the next call begins */
    unsetenv("GOMP_SPINCOUNT");
    setenv("OMP_PROC_BIND", "false", 1);
    unsetenv("OMP_THREAD_LIMIT"); /* "2 threads" are two */
    setenv("OMP_DYNAMIC", "false", 1);
    if (dup2(orders, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
        !descriptor_give(channel, WORK_MESSAGES))
        _exit(EXIT_FAILURE);
    execl("/proc/self/exe", "ulplab", BENCH_WORKER_COMMAND, (char *)NULL);
    _exit(EXIT_FAILURE);
}

enum status bench_process_run(struct bench_process *p, isolate_receiver receive, void *context)
{
    struct orders orders = write_orders(p);
    int ends[2] = {-1, -1};
    enum status status = STATUS_KILLED;
    p->current = NO_ITEM;
    if (orders.header && process_pipe(ends)) {
        fflush(NULL);
        p->pid = process_fork();
        if (p->pid == 0) become_worker(orders.fd, ends[1], bench_process_padding(p));
        if (p->pid > 0)
            setpgid(
                p->pid,
                p->pid); /* parent and child both set it, so that it is set whichever runs first */
        close(ends[1]);
        if (p->pid < 0)
            close(ends[0]);
        else
            status = isolate_watch(p->pid, ends[0], receive, context, p->plan->timeout_s);
        p->pid = 0;
        p->current = orders.header->current;
    }
    drop_orders(&orders);
    return status;
}
