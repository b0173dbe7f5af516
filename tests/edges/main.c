// SPDX-License-Identifier: MIT
/* edges: calls every kernel of the build with each of its operands at a guard page, for n = 0 ..
 * 300 and some more, and says what it broke of include/kernel.h.
 *
 *   edges [--few] [--peers] [--memcheck] [--jobs N] [--filter TERMS].. [--record FILE]
 *
 * --few: 0 .. 70 and what surrounds multiples of 64. --peers: the libraries that `make peers` built
 * instead of kernels. --memcheck: of a process under valgrind's memcheck; kernels that it cannot
 * run are left out. Exit 1 where a promise is broken, each kernel a line on standard error; 3
 * where there is nothing to call. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "edges.h"
#include "machine/cpu.h"
#include "measure/isolate.h"
#include "measure/peers.h"

enum { FILTERS_MAX = 8, JOBS_MAX = 64, EACH = 300, EXIT_NOTHING = 3 };

/* Layouts with as many rows as kernels take side by side, too. */
static const struct layout layouts[] = {
    {1, 0, 0, false, false}, {1, 0, 0, true, true},  {3, 3, 5, false, true},
    {3, 5, 3, true, false},  {18, 0, 0, true, true}, {18, 7, 3, false, true},
    {18, 1, 0, true, false},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };
static const size_t longer[] = {511, 513, 1023, 1025, 2049, N_MAX};

/* The progress of one process, in memory that it shares with the child in which it calls kernels.
 */
struct progress {
    size_t variant, layout, n; /* the current call */
    size_t kernels, calls, broken;
};

struct edges {
    struct registry registry;
    const char *filters[FILTERS_MAX], *record;
    size_t filter_count, jobs, job;
    bool few, peers, memcheck;
    struct progress *progress; /* the progress of this process */
};

/* ---- In the child ---------------------------------------------------------------------------- */

/* Returns whether rows of n elements are tried. Libraries do not accept rows without elements. */
static bool is_wanted(const struct edges *e, size_t n)
{
    return (n || !e->peers) && (!e->few || is_telling(n) || n > EACH);
}

static bool takes_layout(const struct kernel *k, const struct layout *l)
{
    return l->rows < ROWS_MAX || k->paths;
}

static const char *try_lengths(struct edges *e, struct memory *m, const struct variant *v,
                               const struct kernel *k, const struct operands *o)
{
    struct progress *p = e->progress;
    size_t more = sizeof longer / sizeof *longer;
    for (size_t i = 0; i <= EACH + more; i++)
        for (p->layout = 0; p->layout < LAYOUTS; p->layout++) {
            p->n = i <= EACH ? i : longer[i - EACH - 1];
            if (!is_wanted(e, p->n) || !takes_layout(k, &layouts[p->layout])) continue;
            const char *why =
                try_call(m, v, k, o, &layouts[p->layout], p->n, e->memcheck, &p->calls);
            if (why) return why;
        }
    return NULL;
}

/* Returns whether an earlier variant of the same operation has the same code. */
static bool is_repeated(const struct edges *e, size_t i)
{
    const struct variant *v = e->registry.variants;
    for (size_t k = 0; k < i; k++)
        if (is_same_code(&v[k], &v[i]) && !strcmp(v[k].op, v[i].op)) return true;
    return false;
}

static bool is_called(const struct edges *e, size_t i)
{
    const struct variant *v = &e->registry.variants[i];
    return v->status == STATUS_OK && !v->peer == !e->peers && !is_repeated(e, i);
}

static void tell(const struct edges *e, const char *why)
{
    const struct layout *l = &layouts[e->progress->layout];
    fprintf(stderr, "edges: %s: %s: n=%zu, %zu rows, gaps %zu and %zu, at the %s%s\n",
            e->registry.variants[e->progress->variant].id, why, e->progress->n, l->rows, l->x_gap,
            l->y_gap, l->at_end ? "end" : "beginning", l->in_memory ? ", as in memory" : "");
}

/* Calls every variant from progress->variant on; of peers only one, since a process can load one
 * library. */
static void call_kernels(void *context, int channel)
{
    struct edges *e = context;
    static struct memory memory;
    size_t *at = &e->progress->variant;
    memory_open(&memory);
    for (; *at < e->registry.count; ++*at) {
        const struct variant *v = &e->registry.variants[*at];
        struct operands o;
        if (*at % e->jobs != e->job || !is_called(e, *at)) continue;
        struct kernel k = variant_kernel(v);
        const char *why = operands_of(v, &o) ? try_lengths(e, &memory, v, &k, &o)
                                             : "no operands are known (tests/edges/operands.c)";
        if (why) tell(e, why);
        e->progress->broken += why != NULL;
        e->progress->kernels++;
        isolate_send(channel, "", 1); /* a sign of life */
        if (!e->peers) continue;
        ++*at;
        return;
    }
}

/* ---- In the parent --------------------------------------------------------------------------- */

static void hear(void *context, const void *message, size_t size)
{
    (void)context, (void)message, (void)size;
}

/* A kernel that crashes has broken its promise; a new child goes on with the next variant. */
static void call_all(struct edges *e)
{
    const double silence_s = e->memcheck ? 600 : 60;
    struct progress *p = e->progress;
    while (p->variant < e->registry.count) {
        size_t before = p->kernels;
        enum status s = isolate_run(call_kernels, hear, e, silence_s);
        if (s == STATUS_INTERRUPTED) exit(EXIT_FAILURE);
        if (p->variant == e->registry.count || (s == STATUS_OK && p->kernels > before)) continue;
        tell(e, s == STATUS_OK ? "ended its process" : status_name(s));
        p->broken++;
        p->kernels++;
        p->variant++;
    }
}

static void share_work(struct edges *e, struct progress *all)
{
    for (e->job = 0; e->job < e->jobs; e->job++) {
        e->progress = &all[e->job];
        if (e->jobs == 1) return call_all(e);
        pid_t child = fork();
        if (child < 0) exit(EXIT_FAILURE);
        if (child) continue;
        call_all(e);
        exit(EXIT_SUCCESS);
    }
    for (int status; wait(&status) > 0;)
        if (status != 0) exit(EXIT_FAILURE);
}

static void read_options(struct edges *e, int argc, char **argv)
{
    static const struct option known[] = {{"few", no_argument, NULL, 'f'},
                                          {"peers", no_argument, NULL, 'p'},
                                          {"memcheck", no_argument, NULL, 'm'},
                                          {"jobs", required_argument, NULL, 'j'},
                                          {"filter", required_argument, NULL, 'i'},
                                          {"record", required_argument, NULL, 'o'},
                                          {0}};
    for (int o; (o = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (o == 'f') e->few = true;
        if (o == 'p') e->peers = true;
        if (o == 'm') e->memcheck = true;
        if (o == 'j') e->jobs = strtoul(optarg, NULL, 10);
        if (o == 'o') e->record = optarg;
        if (o == 'i' && e->filter_count < FILTERS_MAX) e->filters[e->filter_count++] = optarg;
        if (o == '?') exit(2);
    }
    if (!e->jobs) e->jobs = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (e->jobs > JOBS_MAX) e->jobs = JOBS_MAX;
}

static int open_all(struct edges *e)
{
    struct cpu cpu;
    struct error error = {""};
    int code = cpu_detect(&cpu, NULL, &error);
    if (!code)
        code =
            registry_open_peers(&e->registry, &cpu, e->filters, e->filter_count, e->peers, &error);
    if (code) fprintf(stderr, "edges: %s\n", error.text);
    if (code) return code;
    if (e->peers) peers_probe(&e->registry);
    for (size_t i = 0; i < e->registry.count; i++)
        if (is_called(e, i)) return 0;
    fprintf(stderr, "edges: skipped: of what matches, nothing is built that can run here\n");
    return EXIT_NOTHING;
}

/* Prints the totals as a line for people, and writes one for the record. */
static int finish(const struct edges *e, const struct progress *all, double seconds)
{
    struct progress sum = {0};
    for (size_t i = 0; i < e->jobs; i++) {
        sum.kernels += all[i].kernels;
        sum.calls += all[i].calls;
        sum.broken += all[i].broken;
    }
    printf("%zu kernels, %zu calls, %.0f s: %zu broke a promise\n", sum.kernels, sum.calls, seconds,
           sum.broken);
    FILE *out = e->record ? fopen(e->record, "ab") : NULL;
    if (out)
        fprintf(out,
                "{\"record\":\"edges\",\"what\":\"%s\",\"kernels\":%zu,\"calls\":%zu,"
                "\"seconds\":%.0f,\"broken\":%zu}\n",
                e->memcheck ? "memcheck"
                : e->peers  ? "peers"
                            : "guard pages",
                sum.kernels, sum.calls, seconds, sum.broken);
    if (e->record && (!out || fclose(out) != 0)) return EXIT_FAILURE;
    return sum.broken || !sum.kernels ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static struct edges e;
    read_options(&e, argc, argv);
    if (e.memcheck && !memcheck_runs()) {
        fputs("edges: --memcheck: no valgrind, or it was built without valgrind/memcheck.h\n",
              stderr);
        return 2;
    }
    int opened = open_all(&e);
    if (opened) return opened;
    struct progress *all = mmap(NULL, JOBS_MAX * sizeof *all, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return EXIT_FAILURE;
    double begin = monotonic_s();
    share_work(&e, all);
    int code = finish(&e, all, monotonic_s() - begin);
    registry_close(&e.registry);
    return code;
}
