#include "measure/accuracy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "measure/accuracy_row.h"
#include "measure/battery.h"
#include "measure/limits.h"
#include "measure/peers.h"
#include "measure/score.h"
#include "measure/stage.h"

/* ---- What is measured ------------------------------------------------------------------------ */

enum { GRID_VERSION = 1, GRID_ELEMENTS = 1 << 16, ROWS_MIN = 2, N_MAX = 1 << 26 };

/* Each n has its purpose: no vector, less than one vector, whole vectors, a tail behind many, the
 * promises' limit, and a sum that is long. Every change of this table is a new GRID_VERSION. */
static const size_t every_n[] = {1, 7, 64, 1000, 4096, 65536}, some_n[] = {64, 1000};
static const struct {
    enum family family;
    const size_t *n;
    size_t n_count;
} grid[] = {
#define EVERY every_n, sizeof every_n / sizeof *every_n
#define SOME some_n, sizeof some_n / sizeof *some_n
    {FAMILY_NORMAL, EVERY},   {FAMILY_UNIFORM, SOME},     {FAMILY_LOGITS, SOME},
    {FAMILY_ATTENTION, SOME}, {FAMILY_OFFSET, SOME},      {FAMILY_ONEHOT, SOME},
    {FAMILY_CONSTANT, SOME},  {FAMILY_ALTERNATING, SOME}, {FAMILY_TINY, SOME},
    {FAMILY_WIDE, SOME},      {FAMILY_SORTED, SOME},
#undef EVERY
#undef SOME
};
enum {
    GRID_FAMILIES = sizeof grid / sizeof *grid,
    GRID_CELLS = GRID_FAMILIES * (sizeof every_n / sizeof *every_n) /* at most */
};

struct cell {
    enum family family; /* FAMILY_COUNT: the plan's input, or the block's */
    size_t rows, n;
    const struct adversarial_block *block; /* or NULL: every operation has the cell */
};

struct cells {
    struct cell *items;
    size_t count;
    int grid; /* version, or 0 */
};

struct accuracy_plan accuracy_plan_default(void)
{
    return (struct accuracy_plan){
        .seed = 1, .parameters = parameters_default, .caches = caches_nominal(), .silence_s = 20};
}

json_t *accuracy_grid_record(void)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < GRID_FAMILIES; i++) {
        json_t *list = json_array();
        for (size_t k = 0; k < grid[i].n_count; k++)
            json_array_append_new(list, json_integer((json_int_t)grid[i].n[k]));
        json_array_append_new(
            cells, json_pack("{s:s, s:o}", "family", family_name(grid[i].family), "n", list));
    }
    return json_pack("{s:i, s:i, s:o}", "version", GRID_VERSION, "elements", GRID_ELEMENTS, "cells",
                     cells);
}

static void add_cell(struct cells *c, enum family family, size_t n, size_t elements)
{
    size_t rows = n ? elements / n : ROWS_MIN;
    c->items[c->count++] = (struct cell){family, rows < ROWS_MIN ? ROWS_MIN : rows, n, NULL};
}

/* Those of a wanted n. */
static void add_adversarial(struct cells *c, const struct accuracy_plan *plan)
{
    for (size_t b = 0; b < plan->adversarial->count; b++) {
        const struct adversarial_block *block = &plan->adversarial->blocks[b];
        bool asked = plan->n_count == 0;
        for (size_t k = 0; k < plan->n_count; k++) asked = asked || plan->n[k] == block->n;
        if (asked) c->items[c->count++] = (struct cell){FAMILY_COUNT, block->rows, block->n, block};
    }
}

static int cells_of(const struct accuracy_plan *plan, struct cells *c, struct error *e)
{
    size_t elements = plan->elements ? plan->elements : GRID_ELEMENTS;
    bool chosen = plan->n_count || plan->family_count || plan->adversarial_alone;
    size_t blocks = plan->adversarial ? plan->adversarial->count : 0;
    const size_t *n = plan->n_count ? plan->n : every_n;
    size_t n_count = plan->n_count ? plan->n_count : sizeof every_n / sizeof *every_n;
    size_t families = plan->family_count        ? plan->family_count
                      : plan->adversarial_alone ? 0
                                                : GRID_FAMILIES;
    for (size_t k = 0; k < n_count; k++)
        if (n[k] > N_MAX)
            return fail(e, EXIT_USAGE, "--n: %zu: rows of at most %d elements; give fewer", n[k],
                        N_MAX);
    size_t most = families * n_count + GRID_CELLS + blocks;
    *c = (struct cells){.items = calloc(most, sizeof *c->items)};
    if (!c->items) return fail(e, EXIT_PARTIAL, "out of memory: the grid; choose fewer cells");
    if (plan->input) {
        c->items[c->count++] = (struct cell){FAMILY_COUNT, plan->input_rows, plan->input_n, NULL};
        return 0;
    }
    if (chosen) {
        for (size_t i = 0; i < families; i++)
            for (size_t k = 0; k < n_count; k++)
                add_cell(c, plan->family_count ? plan->families[i] : grid[i].family, n[k],
                         elements);
    } else {
        c->grid = plan->elements ? 0 : GRID_VERSION;
        for (size_t i = 0; i < GRID_FAMILIES; i++)
            for (size_t k = 0; k < grid[i].n_count; k++)
                add_cell(c, grid[i].family, grid[i].n[k], elements);
    }
    if (blocks) add_adversarial(c, plan);
    return 0;
}

/* ---- One operation and dtype: its variants over the cells
 * ----------------------------------------------- A peer's are an operation of their own: they run
 * in processes that load nothing else. */

/* Variants that agree in bits and stand under one bound have one score: it is computed once. Those
 * of equal machine code agree in bits without being run. */
struct known_score {
    const struct kernel *kernel;
    struct score score;
};
struct known_code {
    uint64_t hash;
    const struct known_score *score;
};

struct operation {
    const struct accuracy_plan *plan;
    const struct cells *cells;
    const struct oracle *oracle;
    const struct dtype *type;
    const struct variant **variants;
    size_t count;
    bool *done; /* [cells, variants] */

    /* The child's: the block that stands. */
    struct stage stage;
    struct exact exact;
    struct known_score *known;
    struct known_code *codes;
    size_t known_count, code_count;

    /* The parent's. */
    struct record_sink sink;
    struct accuracy_summary *summary;
    struct progress progress;
    double share_begin, share_each; /* of the whole run */
    char (*last_words)[64];         /* per variant: where it died */
};

static const char *cell_family(const struct cell *c)
{
    return c->block ? ADVERSARIAL : c->family == FAMILY_COUNT ? "input" : family_name(c->family);
}

static bool has_cell(const struct operation *o, const struct cell *c)
{
    return !c->block || !strcmp(c->block->op, o->oracle->op);
}

static bool wanted(void *context, size_t block, size_t variant)
{
    const struct operation *o = context;
    return has_cell(o, &o->cells->items[block]) && !o->done[block * o->count + variant];
}

static void fill_input(const struct operation *o, const struct cell *cell)
{
    const struct stage *s = &o->stage;
    const float *given = cell->block ? cell->block->x : o->plan->input;
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (size_t c = 0; c < s->chunks; c++) {
        float *x = stage_x(s, c);
        for (size_t r = 0; r < stage_chunk_rows(s, c); r++) {
            size_t row = c * s->chunk_rows + r;
            if (given)
                memcpy(x + r * s->n, given + row * s->n, s->n * sizeof *x);
            else
                inputs_row(cell->family, o->oracle->domain, o->plan->seed, row, s->n, x + r * s->n);
        }
    }
}

static int prepare(void *context, size_t block, struct error *e)
{
    struct operation *o = context;
    const struct cell *cell = &o->cells->items[block];
    stage_close(&o->stage);
    exact_close(&o->exact);
    o->known_count = o->code_count = 0;
    int code =
        stage_open_as(&o->stage, o->oracle, o->type, cell->rows, cell->n, o->plan->threads, e);
    if (code) return code;
    o->stage.caches = o->plan->caches;
    fill_input(o, cell);
    stage_lock_input(&o->stage, true);
    return exact_open(&o->exact, o->oracle, &o->plan->parameters, &o->stage, e);
}

static const struct known_score *score_of_code(const struct operation *o, const struct variant *v)
{
    for (size_t i = 0; v->build && i < o->code_count; i++)
        if (o->codes[i].hash == v->build->code_hash &&
            bounds_equal(o->codes[i].score->kernel, v->kernel))
            return o->codes[i].score;
    return NULL;
}

/* What stands on the stage, where its bits are not known yet. */
static const struct known_score *score_of_bits(struct operation *o, const struct kernel *k,
                                               uint64_t bits)
{
    size_t i = 0;
    while (i < o->known_count &&
           (o->known[i].score.bits != bits || !bounds_equal(o->known[i].kernel, k)))
        i++;
    struct known_score *known = &o->known[i];
    if (i < o->known_count) return known;
    struct error e;
    if (score_outputs(&known->score, o->oracle, k, &o->plan->parameters, &o->stage, &o->exact, &e))
        abort(); /* out of memory: the variant's row says `killed` */
    known->score.bits = bits;
    known->kernel = k;
    o->known_count++;
    return known;
}

static size_t measure(void *context, size_t block, size_t variant, void *result)
{
    (void)block;
    struct operation *o = context;
    const struct variant *v = o->variants[variant];
    const struct known_score *known = score_of_code(o, v);
    bool mxcsr_kept = true;
    if (!known) {
        const struct kernel runnable = variant_kernel(v);
        uint64_t bits;
        mxcsr_kept = stage_run(&o->stage, &runnable, &o->plan->parameters, &bits);
        known = score_of_bits(o, v->kernel, bits);
        /* Who breaks MXCSR is run again, each time it is met. */
        if (mxcsr_kept && v->build)
            o->codes[o->code_count++] = (struct known_code){v->build->code_hash, known};
    }
    struct score score = known->score;
    score.mxcsr_kept = mxcsr_kept;
    memcpy(result, &score, sizeof score);
    return sizeof score;
}

/* Promises are of the default parameters. */
static enum family promised_family(const struct operation *o, const struct cell *cell)
{
    const struct parameters *p = &o->plan->parameters, *d = &parameters_default;
    bool same = p->scale == d->scale && p->eps == d->eps && p->log_output == d->log_output &&
                p->gamma == d->gamma && p->beta == d->beta;
    return same ? cell->family : FAMILY_COUNT;
}

static void tally(struct accuracy_summary *s, enum status status)
{
    size_t *where = status == STATUS_OK         ? &s->ok
                    : status == STATUS_WRONG    ? &s->wrong
                    : status_is_partial(status) ? &s->failed
                                                : &s->skipped;
    ++*where;
}

static int take(void *context, size_t block, size_t variant, enum status status, bool here,
                const void *result, struct error *e)
{
    struct operation *o = context;
    const struct cell *cell = &o->cells->items[block];
    const struct variant *v = o->variants[variant];
    struct score score = {.bits = 0};
    char reason[128] = "";
    if (status == STATUS_OK) {
        memcpy(&score, result, sizeof score);
        if (!promises_kept(v, o->oracle, promised_family(o, cell), cell->n, &score, reason,
                           sizeof reason))
            status = STATUS_WRONG;
    } else if (here) {
        snprintf(o->last_words[variant], sizeof *o->last_words, "%s, n = %zu", cell_family(cell),
                 cell->n);
    } else if (o->last_words[variant][0]) {
        snprintf(reason, sizeof reason, "not run: it ended so on %s", o->last_words[variant]);
    } else { /* of no kernel: only a reference that is not the lab's can have done it */
        snprintf(reason, sizeof reason, "the reference of '%s' in %s ended so, not the kernel",
                 o->oracle->op, oracle_source(o->oracle));
    }
    tally(o->summary, status);
    progress_update(&o->progress,
                    o->share_begin + o->share_each * (double)(block * o->count + variant), v->id);
    json_t *record = accuracy_record(&(struct accuracy_row){
        .variant = v,
        .oracle = o->oracle,
        .family = cell_family(cell),
        .n = cell->n,
        .inputs = cell->block ? cell->block->hash : NULL,
        .seed = o->plan->seed,
        .log_output = o->plan->parameters.log_output,
        .grid = cell->block ? 0 : o->cells->grid,
        .status = status,
        .reason = reason,
        .score = status == STATUS_OK || status == STATUS_WRONG ? &score : NULL});
    return o->sink.put(o->sink.context, record, e);
}

/* ---- The run --------------------------------------------------------------------------------- */

/* Rows of a run that was cut, by id, family and n. */
static json_t *done_rows(const json_t *rows)
{
    json_t *keys = json_object();
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *id = json_string_value(json_object_get(row, "id"));
        const char *family = json_string_value(json_object_get(row, "family"));
        char key[300];
        snprintf(key, sizeof key, "%s %s %lld", id ? id : "", family ? family : "",
                 (long long)json_integer_value(json_object_get(row, "n")));
        json_object_set_new(keys, key, json_true());
    }
    return keys;
}

static bool is_done(const json_t *keys, const struct variant *v, const char *family, size_t n)
{
    char key[300];
    snprintf(key, sizeof key, "%s %s %lld", v->id, family, (long long)n);
    return json_object_get(keys, key) != NULL;
}

/* One row for a variant that no block is put to. */
static int put_aside(const struct operation *o, const struct variant *v, const json_t *done,
                     struct error *e)
{
    if (is_done(done, v, "", 0)) return 0;
    char reason[256];
    enum status status = v->status;
    snprintf(reason, sizeof reason, "%s", v->reason);
    if (!o->oracle && status == STATUS_OK) {
        status = STATUS_SKIPPED;
        oracle_missing(v->op, reason, sizeof reason);
    } else if (!o->type && status == STATUS_OK) {
        status = STATUS_SKIPPED;
        snprintf(reason, sizeof reason, "the dtype '%s' is unknown", v->dtype);
    }
    tally(o->summary, status);
    json_t *record =
        accuracy_record(&(struct accuracy_row){.variant = v,
                                               .oracle = o->oracle,
                                               .log_output = o->plan->parameters.log_output,
                                               .grid = o->cells->grid,
                                               .status = status,
                                               .reason = reason});
    return o->sink.put(o->sink.context, record, e);
}

static bool same_operation(const struct variant *a, const struct variant *b)
{
    return !strcmp(a->op, b->op) && !strcmp(a->dtype, b->dtype) && same_process(a, b);
}

/* The operation's variants that can be measured; what cannot has its row at once. */
static int collect(struct operation *o, const struct registry *r, const struct variant *like,
                   const json_t *done, struct error *e)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (v->study || !same_operation(v, like)) continue;
        if (o->oracle && o->type && v->status == STATUS_OK) {
            o->variants[o->count++] = v;
            continue;
        }
        int code = put_aside(o, v, done, e);
        if (code) return code;
    }
    for (size_t b = 0; b < o->cells->count; b++)
        for (size_t v = 0; v < o->count; v++) {
            const struct cell *c = &o->cells->items[b];
            o->done[b * o->count + v] = is_done(done, o->variants[v], cell_family(c), c->n);
        }
    return 0;
}

static int run_operation(struct operation *o, const struct registry *r, const struct variant *like,
                         const json_t *done, struct error *e)
{
    o->oracle = oracle_find(like->op);
    o->type = dtype_find(like->dtype);
    o->count = 0;
    memset(o->last_words, 0, r->count * sizeof *o->last_words);
    int code = collect(o, r, like, done, e);
    if (code || o->count == 0) return code;
    struct battery battery = {.blocks = o->cells->count,
                              .variants = o->count,
                              .silence_s = o->plan->silence_s,
                              .context = o,
                              .wanted = wanted,
                              .prepare = prepare,
                              .foreign = oracle_source(o->oracle) != NULL,
                              .measure = measure,
                              .take = take};
    code = battery_run(&battery, e);
    o->share_begin += o->share_each * (double)(o->cells->count * o->count);
    return code;
}

static bool seen_before(const struct registry *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_operation(&r->variants[k], &r->variants[i])) return true;
    return false;
}

static int verdict(const struct accuracy_summary *s, struct error *e)
{
    if (s->failed)
        return fail(e, EXIT_PARTIAL, "accuracy: %zu rows: their variants died; see their status",
                    s->failed);
    if (s->wrong)
        return fail(e, EXIT_GATE,
                    "accuracy: %zu rows: a promise of the kernel's file fell; see their reason",
                    s->wrong);
    return 0;
}

int accuracy_run(const struct accuracy_plan *plan, const struct registry *r,
                 struct record_sink sink, struct accuracy_summary *summary, struct error *e)
{
    *summary = (struct accuracy_summary){0};
    struct cells cells;
    int code = cells_of(plan, &cells, e);
    if (code) return code;
    struct operation o = {.plan = plan,
                          .cells = &cells,
                          .sink = sink,
                          .summary = summary,
                          .share_each = 1 / (double)(cells.count * r->count + 1),
                          .variants = calloc(r->count + 1, sizeof *o.variants),
                          .known = calloc(r->count + 1, sizeof *o.known),
                          .codes = calloc(r->count + 1, sizeof *o.codes),
                          .last_words = calloc(r->count + 1, sizeof *o.last_words),
                          .done = calloc(cells.count * r->count + 1, sizeof *o.done)};
    json_t *done = done_rows(plan->done);
    if (!o.variants || !o.known || !o.codes || !o.last_words || !o.done)
        code = fail(e, EXIT_PARTIAL, "out of memory: %zu variants; use --filter", r->count);
    progress_begin(&o.progress, "accuracy", plan->quiet);
    for (size_t i = 0; i < r->count && !code; i++)
        if (!seen_before(r, i)) code = run_operation(&o, r, &r->variants[i], done, e);
    progress_end(&o.progress);
    json_decref(done);
    free(o.variants);
    free(o.known);
    free(o.codes);
    free(o.last_words);
    free(o.done);
    free(cells.items);
    return code ? code : verdict(summary, e);
}
