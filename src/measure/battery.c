// SPDX-License-Identifier: MIT
#include "measure/battery.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "base/memory.h"
#include "measure/isolate.h"

enum step { HELLO, BEGUN, RESULT, FAILED };

struct message {
    enum step step;
    pid_t child; /* HELLO */
    size_t block, variant;
    _Alignas(16) char payload[BATTERY_MESSAGE_MAX];
};
static const size_t header_size = offsetof(struct message, payload);

/* The state of the parent and of the child, whose copy is from when it was forked. */
struct state {
    const struct battery *b;
    enum status *died;     /* per variant; STATUS_OK while alive */
    size_t block, variant; /* the next one to be taken */
    bool begun;            /* the child is measuring it */
    bool others;           /* the child has measured something before */
    pid_t child;
    int code; /* from take_outcome(), or from the child's prepare_block() */
    struct error *e;
};

/* ---- The child ------------------------------------------------------------------------------- */

static void send_step(int channel, enum step step, size_t block, size_t variant)
{
    struct message m = {.step = step, .child = getpid(), .block = block, .variant = variant};
    isolate_send(channel, &m, header_size);
}

static bool any_left(const struct state *s, size_t block, size_t from)
{
    for (size_t v = from; v < s->b->variants; v++)
        if (s->died[v] == STATUS_OK && s->b->has_work(s->b->context, block, v)) return true;
    return false;
}

static void measure_block(const struct state *s, size_t block, size_t from, int channel)
{
    static struct message m;
    const struct battery *b = s->b;
    for (size_t v = from; v < b->variants; v++) {
        if (s->died[v] != STATUS_OK || !b->has_work(b->context, block, v)) continue;
        send_step(channel, BEGUN, block, v);
        size_t size = b->measure_variant(b->context, block, v, m.payload);
        m.step = RESULT;
        m.block = block;
        m.variant = v;
        isolate_send(channel, &m, header_size + size);
    }
}

static void child(void *context, int channel)
{
    const struct state *s = context;
    /* The buffers of a block come and go: their pages stay. */
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    send_step(channel, HELLO, s->block, s->variant);
    for (size_t block = s->block; block < s->b->blocks; block++) {
        size_t from = block == s->block ? s->variant : 0;
        if (!any_left(s, block, from)) continue;
        struct error e = {.text = ""};
        int code = s->b->prepare_block(s->b->context, block, &e);
        if (code) {
            struct message m = {.step = FAILED, .block = (size_t)code};
            memcpy(m.payload, e.text, sizeof e.text);
            isolate_send(channel, &m, header_size + sizeof e.text);
            return;
        }
        measure_block(s, block, from, channel);
    }
}

/* ---- The parent ------------------------------------------------------------------------------ */

static void hand_over(struct state *s, enum status status, bool here, const void *result)
{
    s->code = s->b->take_outcome(s->b->context, s->block, s->variant, status, here, result, s->e);
}

static void advance(struct state *s)
{
    s->begun = false;
    if (++s->variant == s->b->variants) {
        s->variant = 0;
        s->block++;
    }
}

/* Reports outcomes up to (block, variant): a variant with work but no message had died before. */
static void catch_up(struct state *s, size_t block, size_t variant)
{
    while (!s->code && (s->block < block || (s->block == block && s->variant < variant))) {
        if (s->b->has_work(s->b->context, s->block, s->variant))
            hand_over(s, s->died[s->variant], false, NULL);
        advance(s);
    }
}

static void battery_receive(void *context, const void *data, size_t size)
{
    (void)size;
    struct state *s = context;
    const struct message *m = data;
    if (s->code) return;
    switch (m->step) {
    case HELLO:
        s->child = m->child;
        s->others = false;
        break;
    case FAILED:
        s->code = (int)m->block;
        memcpy(s->e->text, m->payload, sizeof s->e->text);
        break;
    case BEGUN:
        catch_up(s, m->block, m->variant);
        s->begun = true;
        break;
    case RESULT:
        hand_over(s, STATUS_OK, true, m->payload);
        advance(s);
        s->others = true;
        break;
    }
    if (s->code) kill(s->child, SIGKILL); /* its further results could not be kept */
}

static void bury(struct state *s, enum status status)
{
    s->died[s->variant] = status;
    hand_over(s, status, true, NULL);
    advance(s);
}

/* The child ended, not because of a kernel, and there is work left. */
static bool died_preparing(const struct state *s)
{
    for (size_t block = s->block; block < s->b->blocks; block++)
        if (any_left(s, block, block == s->block ? s->variant : 0)) return true;
    return false;
}

static void bury_all(struct state *s, enum status status)
{
    for (size_t v = 0; v < s->b->variants; v++)
        if (s->died[v] == STATUS_OK) s->died[v] = status == STATUS_OK ? STATUS_KILLED : status;
    catch_up(s, s->b->blocks, 0);
}

int battery_run(const struct battery *b, struct error *e)
{
    struct state s = {.b = b, .died = memory_zeroed(b->variants + 1, sizeof *s.died), .e = e};
    while (!s.code && s.block < b->blocks) {
        enum status status = isolate_run(child, battery_receive, &s, b->silence_s);
        if (s.code) break;
        if (status == STATUS_INTERRUPTED)
            s.code = interrupt_requested();
        else if (s.others && (s.begun || died_preparing(&s)))
            s.begun = false; /* a new child shows whether an earlier variant killed this one */
        else if (s.begun)    /* a kernel that calls exit() ends the child as surely as a signal */
            bury(&s, status == STATUS_OK ? STATUS_KILLED : status);
        else if (b->foreign && died_preparing(&s))
            bury_all(&s, status);
        else if (status == STATUS_OK)
            catch_up(&s, b->blocks, 0);
        else
            s.code =
                fail(e, EXIT_PARTIAL,
                     "the lab's own child process ended (%s) before any kernel ran; report this",
                     status_name(status));
    }
    free(s.died);
    return s.code;
}
