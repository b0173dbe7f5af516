// SPDX-License-Identifier: MIT
#include "measure/peers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "machine/mxcsr.h"
#include "measure/isolate.h"
#include "peer.h"

/* ---- In the process that loads --------------------------------------------------------------- */

static const struct peer_library *library_of(const struct peer_order *order, struct error *e)
{
    if (order->variable[0]) setenv(order->variable, order->value, 1);
    void *object = dlopen(order->path, RTLD_NOW | RTLD_LOCAL);
    _mm_setcsr(MXCSR_DEFAULT); /* a library linked with -ffast-math changes it when it is loaded */
    const struct peer_library *l = object ? dlsym(object, PEER_SYMBOL) : NULL;
    if (!l) {
        const char *why = dlerror();
        fail(e, EXIT_PARTIAL, "cannot load: %s; rebuild it with 'make peers'",
             why ? why : order->path);
        return NULL;
    }
    if (l->abi == PEER_ABI && l->job_layout == PEER_JOB) return l;
    fail(e, EXIT_PARTIAL,
         "cannot load: %s: built for another version of the lab; remove it and 'make peers'",
         order->path);
    return NULL;
}

void (*peer_load(const struct peer_order *order, const char *op,
                 struct error *e))(const struct job *)
{
    const struct peer_library *l = library_of(order, e);
    for (const struct peer_kernel *k = l ? l->kernels : NULL; k && k->op; k++)
        if (!strcmp(k->op, op)) return k->run;
    if (l) fail(e, EXIT_PARTIAL, "cannot load: %s: has no %s; leave it out", order->path, op);
    return NULL;
}

struct kernel variant_kernel(const struct variant *v)
{
    struct kernel k = *v->kernel;
    struct error e = {.text = ""};
    if (!v->peer) return k;
    k.run = peer_load(&v->peer->order, v->op, &e);
    if (!k.run) {
        fprintf(stderr, "ulplab: %s\n", e.text);
        abort();
    }
    return k;
}

/* ---- Looking for peers ----------------------------------------------------------------------- */

/* The child's answer about its peer: for each operation "", or why it cannot run. */
struct answer {
    char version[64];
    char reasons[PEER_OPS_MAX][128];
};

struct probe_task {
    const struct peer *peer;
    struct answer answer;
    bool answered;
};

static void try_peer(void *context, int channel)
{
    const struct probe_task *t = context;
    struct answer a = {.version = ""};
    struct error e = {.text = ""};
    const struct peer_library *l = library_of(&t->peer->order, &e);
    for (size_t i = 0; i < PEER_OPS_MAX && t->peer->ops[i]; i++)
        if (!peer_load(&t->peer->order, t->peer->ops[i], &e))
            snprintf(a.reasons[i], sizeof a.reasons[i], "%.*s", (int)sizeof a.reasons[i] - 1,
                     e.text);
    if (l) snprintf(a.version, sizeof a.version, "%s", l->version());
    isolate_send(channel, &a, sizeof a);
}

static void peers_hear(void *context, const void *message, size_t size)
{
    struct probe_task *t = context;
    t->answered = size == sizeof t->answer;
    if (t->answered) memcpy(&t->answer, message, size);
}

static void note_outcome(struct variant *v, const struct probe_task *t, enum status status)
{
    size_t i = 0;
    while (strcmp(t->peer->ops[i], v->op) != 0) i++;
    if (status == STATUS_OK && !t->answered) status = STATUS_KILLED;
    if (status != STATUS_OK)
        snprintf(v->reason, sizeof v->reason,
                 "%s while it was loaded; rebuild it with 'make peers'", status_name(status));
    else
        snprintf(v->reason, sizeof v->reason, "%s", t->answer.reasons[i]);
    if (v->reason[0]) v->status = STATUS_SKIPPED;
}

static bool peers_is_wanted(const struct registry *r, const struct peer *p)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->variants[i].peer == p && r->variants[i].status == STATUS_OK) return true;
    return false;
}

void peers_probe(struct registry *r)
{
    const double patience_s = 30;
    for (size_t p = 0; p < r->peer_count; p++) {
        struct probe_task task = {.peer = &r->peers[p]};
        if (!peers_is_wanted(r, task.peer)) continue;
        enum status status = isolate_run(try_peer, peers_hear, &task, patience_s);
        if (status == STATUS_INTERRUPTED) return;
        memcpy(r->peers[p].version, task.answer.version, sizeof task.answer.version);
        for (size_t i = 0; i < r->count; i++)
            if (r->variants[i].peer == task.peer && r->variants[i].status == STATUS_OK)
                note_outcome(&r->variants[i], &task, status);
    }
}

/* ---- Constructors ---------------------------------------------------------------------------- */

/* Returns NULL if nothing of the object would run before main. A copy of a kernel is identified by
 * its code. */
static struct build_constructors *constructors_of(const struct kernel *k)
{
    for (size_t i = 0; i < build_constructors_count; i++)
        if (build_constructors[i].kernel->run == k->run) return &build_constructors[i];
    return NULL;
}

void kernel_construct(const struct kernel *k)
{
    static char name[] = "ulplab", *arguments[] = {name, NULL};
    struct build_constructors *c = constructors_of(k);
    if (!c) return;
#pragma omp critical(kernel_construct)
    if (!c->done) {
        const unsigned before = _mm_getcsr();
        for (size_t i = 0; c->begin + i < c->end; i++) c->begin[i](1, arguments, environ);
        c->mxcsr = _mm_getcsr() & ~(unsigned)MXCSR_STICKY;
        c->done = true;
        _mm_setcsr(before);
    }
}

unsigned kernel_modes(const struct kernel *k)
{
    const struct build_constructors *c = constructors_of(k);
    return c && c->done ? c->mxcsr : MXCSR_DEFAULT;
}
