// SPDX-License-Identifier: MIT
#include "study/search_child.h"

#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "measure/isolate.h"

enum { PIECE_ELEMENTS = 8192 };

/* ROUND: the share of the work that is done; PIECE: some elements of the worst row; FOUND, or
 * FAILED: the end. */
enum message_kind { ROUND, PIECE, FOUND, FAILED };
struct message {
    enum message_kind kind;
    size_t first, count; /* PIECE */
    union {
        double share;
        struct search_found found;
        float piece[PIECE_ELEMENTS];
        struct error error;
    };
};

/* The state of the parent and of the child. */
struct state {
    struct variant_search *search;

    /* Members of the child. */
    struct scorer scorer;
    int channel;
    double share_begin; /* of this variant: guided and random search have half each */

    /* Members of the parent. */
    enum message_kind last;
    struct error error;
};

/* ---- The child ------------------------------------------------------------------------------- */

static void score(void *context, size_t island, const float *rows, double *scores)
{
    struct state *s = context;
    scorer_score(&s->scorer, island, rows, scores);
}

static void send_message(const struct state *s, const struct message *m, size_t payload)
{
    isolate_send(s->channel, m, offsetof(struct message, share) + payload);
}

static void send_round(void *context, double share)
{
    const struct state *s = context;
    struct message m = {.kind = ROUND, .share = s->share_begin + share / 2};
    send_message(s, &m, sizeof m.share);
}

static int hunt_with(struct state *s, bool guided, struct hunt_result *r, struct error *e)
{
    const struct search_plan *p = s->search->plan;
    s->share_begin = guided ? 0 : 0.5;
    const struct hunt_plan plan = {.n = p->n,
                                   .low = p->low,
                                   .high = p->high,
                                   .seed = p->seed,
                                   .evaluations = p->evaluations,
                                   .seconds = s->search->seconds,
                                   .threads = p->threads,
                                   .guided = guided,
                                   .score = score,
                                   .round = send_round,
                                   .context = s};
    return hunt_run(&plan, r, e);
}

static void send_row(const struct state *s, const float *row)
{
    size_t n = s->search->plan->n;
    for (size_t first = 0; first < n; first += PIECE_ELEMENTS) {
        size_t left = n - first;
        struct message m = {
            .kind = PIECE, .first = first, .count = left < PIECE_ELEMENTS ? left : PIECE_ELEMENTS};
        memcpy(m.piece, row + first, m.count * sizeof *row);
        send_message(s, &m, m.count * sizeof *row);
    }
}

static void search_in_child(void *context, int channel)
{
    struct state *s = context;
    const struct variant_search *v = s->search;
    struct message m = {.kind = FAILED};
    struct search_found found = {.worst = {0}};
    struct error e = {.text = ""};
    s->channel = channel;
    int code =
        scorer_open(&s->scorer, v->oracle, v->variant->kernel, v->plan->n, v->plan->threads, &e);
    if (!code) code = hunt_with(s, true, &found.guided, &e);
    if (!code) code = hunt_with(s, false, &found.random, &e);
    if (code) {
        m.error = e;
        send_message(s, &m, sizeof m.error);
        return;
    }
    found.worst = scorer_examine(&s->scorer, found.guided.best);
    send_row(s, found.guided.best);
    free(found.guided.best);
    free(found.random.best);
    scorer_close(&s->scorer);
    m.kind = FOUND;
    m.found = found;
    send_message(s, &m, sizeof m.found);
}

/* ---- The parent ------------------------------------------------------------------------------ */

static void search_child_receive(void *context, const void *data, size_t size)
{
    struct state *s = context;
    struct variant_search *v = s->search;
    static struct message m;
    memcpy(&m, data, size < sizeof m ? size : sizeof m);
    s->last = m.kind;
    if (m.kind == ROUND)
        progress_update(v->progress, v->share_begin + v->share_each * m.share, v->variant->id);
    else if (m.kind == PIECE)
        memcpy(v->row + m.first, m.piece, m.count * sizeof *v->row);
    else if (m.kind == FOUND)
        v->found = m.found;
    else
        s->error = m.error;
}

int variant_search_run(struct variant_search *v, enum status *status, struct error *e)
{
    struct state s = {.search = v, .last = ROUND};
    *status = isolate_run(search_in_child, search_child_receive, &s, v->plan->silence_s);
    if (*status == STATUS_INTERRUPTED) return interrupt_requested();
    if (*status == STATUS_OK && s.last == FAILED) {
        *e = s.error;
        return EXIT_PARTIAL;
    }
    if (*status == STATUS_OK && s.last != FOUND) *status = STATUS_KILLED; /* it called exit() */
    return 0;
}
