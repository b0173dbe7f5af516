#include "study/diverge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "measure/battery.h"
#include "measure/distance.h"
#include "measure/stage.h"
#include "study/agreement.h"
#include "study/invariance.h"

enum { ELEMENTS = 1 << 14, LONGEST = 8209, ROWS_MIN = 2, N_MAX = 1 << 26 };
static const size_t usual_n[] = {33, 1000, 8209};
static const enum family usual_families[] = {FAMILY_NORMAL, FAMILY_LOGITS, FAMILY_OFFSET};

struct diverge_plan diverge_plan_default(void)
{
    return (struct diverge_plan){.seed = 1,
                                 .n = usual_n,
                                 .n_count = sizeof usual_n / sizeof *usual_n,
                                 .families = usual_families,
                                 .family_count = sizeof usual_families / sizeof *usual_families,
                                 .elements = ELEMENTS,
                                 .longest = LONGEST,
                                 .silence_s = 60};
}

/* ---- State, on both sides of the fork -------------------------------------------------------- */

/* A family at an n. What agrees here is a class here; class 0 is the first variant's. */
struct cell {
    enum family family;
    size_t n, rows;
    size_t *class_of;       /* [variants], NO_CLASS where it did not run */
    size_t *representative; /* [class_count] variants */
    uint64_t *bits;         /* [class_count] hashes */
    struct distance *pairs; /* [variants, variants], the upper triangle of the classes' */
    size_t class_count;
};

struct study {
    const struct diverge_plan *plan;
    const struct oracle *oracle;
    const struct variant **variants;
    size_t count;
    struct cell *cells;
    size_t cell_count;
    size_t *same_as;               /* [variants]: the first of equal code, which is run for it */
    struct invariance *invariance; /* [variants] */
    enum status *died;             /* [variants] */

    /* The child's: the cell that stands, and the outputs of its representatives. */
    struct stage stage;
    size_t outputs;
    float **copies; /* [class_count][outputs] */

    struct progress *progress;
    double share_begin, share_each;
};

/* What a cell's measure() sends: the distances are those to the classes before a new one. */
struct verdict {
    uint64_t bits;
    uint64_t class;
    struct distance to[];
};
enum {
    CLASSES_MAX = (BATTERY_MESSAGE_MAX - sizeof(struct verdict)) / sizeof(struct distance),
};

static struct distance *pair_of(const struct study *s, const struct cell *c, size_t a, size_t b)
{
    return &c->pairs[(a < b ? a : b) * s->count + (a < b ? b : a)];
}

/* The variants' own questions come behind the cells. */
static bool is_cell(const struct study *s, size_t block)
{
    return block < s->cell_count;
}

static void add_class(const struct study *s, struct cell *c, size_t variant, uint64_t bits,
                      const struct distance *to)
{
    size_t class = c->class_count++;
    c->representative[class] = variant;
    c->bits[class] = bits;
    for (size_t k = 0; k < class; k++) *pair_of(s, c, k, class) = to[k];
}

/* ---- The child ------------------------------------------------------------------------------- */

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    if (!p) abort(); /* the variant's status says so */
    return p;
}

static float *copy_outputs(const struct study *s)
{
    const struct stage *g = &s->stage;
    float *copy = allocate(s->outputs, sizeof *copy), *to = copy;
    for (size_t c = 0; c < g->chunks; c++) {
        size_t rows = stage_chunk_rows(g, c);
        memcpy(to, stage_y(g, c), rows * g->columns * sizeof *to);
        to += rows * g->columns;
        if (g->stats_columns) memcpy(to, stage_stats(g, c), rows * g->stats_columns * sizeof *to);
        to += rows * g->stats_columns;
    }
    return copy;
}

static void forget_copies(struct study *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->copies[i]);
        s->copies[i] = NULL;
    }
}

static int prepare(void *context, size_t block, struct error *e)
{
    struct study *s = context;
    stage_close(&s->stage);
    forget_copies(s);
    if (!is_cell(s, block)) return 0;
    struct cell *c = &s->cells[block];
    const struct dtype *type = dtype_of(s->variants[0]->kernel);
    int code = stage_open_as(&s->stage, s->oracle, type, c->rows, c->n, s->plan->threads, e);
    if (code) return code;
    const struct stage *g = &s->stage;
    s->outputs = c->rows * (g->columns + g->stats_columns);
#pragma omp parallel for schedule(static) num_threads(g->threads)
    for (size_t k = 0; k < g->chunks; k++)
        for (size_t r = 0; r < stage_chunk_rows(g, k); r++)
            inputs_row(c->family, s->oracle->domain, s->plan->seed, k * g->chunk_rows + r, c->n,
                       stage_x(g, k) + r * c->n);
    stage_lock_input(g, true);
    /* The classes that a child before this one found, which died later. */
    for (size_t k = 0; k < c->class_count; k++) {
        stage_run(g, s->variants[c->representative[k]]->kernel, &parameters_default, NULL);
        s->copies[k] = copy_outputs(s);
    }
    return 0;
}

static size_t measure_cell(struct study *s, struct cell *c, size_t variant, struct verdict *v)
{
    stage_run(&s->stage, s->variants[variant]->kernel, &parameters_default, &v->bits);
    size_t class = 0, sent = 0;
    while (class < c->class_count && c->bits[class] != v->bits) class ++;
    v->class = class;
    if (class == c->class_count) {
        if (class == CLASSES_MAX) abort();
        s->copies[class] = copy_outputs(s);
        for (; sent < class; sent++)
            v->to[sent] = distance_between(s->copies[sent], s->copies[class], s->outputs);
        add_class(s, c, variant, v->bits, v->to);
    }
    return sizeof *v + sent * sizeof *v->to;
}

static size_t measure(void *context, size_t block, size_t variant, void *result)
{
    struct study *s = context;
    if (is_cell(s, block)) return measure_cell(s, &s->cells[block], variant, result);
    struct invariance v =
        invariance_of(s->variants[variant]->kernel, s->oracle, s->plan->seed, s->plan->longest);
    memcpy(result, &v, sizeof v);
    return sizeof v;
}

/* ---- The parent ------------------------------------------------------------------------------ */

static bool wanted(void *context, size_t block, size_t variant)
{
    (void)block;
    const struct study *s = context;
    return s->same_as[variant] == variant;
}

static int take(void *context, size_t block, size_t variant, enum status status, bool here,
                const void *result, struct error *e)
{
    (void)here, (void)e;
    struct study *s = context;
    progress_update(s->progress,
                    s->share_begin + s->share_each * (double)(block * s->count + variant),
                    s->variants[variant]->id);
    if (status != STATUS_OK) {
        s->died[variant] = status;
        return 0;
    }
    if (!is_cell(s, block)) {
        memcpy(&s->invariance[variant], result, sizeof *s->invariance);
        return 0;
    }
    struct cell *c = &s->cells[block];
    const struct verdict *v = result;
    if (v->class == c->class_count) add_class(s, c, variant, v->bits, v->to);
    c->class_of[variant] = (size_t)v->class;
    return 0;
}

/* What was found of a variant holds for those of equal code. */
static void share_findings(struct study *s)
{
    for (size_t v = 0; v < s->count; v++) {
        size_t first = s->same_as[v];
        s->died[v] = s->died[first];
        s->invariance[v] = s->invariance[first];
        for (size_t c = 0; c < s->cell_count; c++)
            s->cells[c].class_of[v] = s->cells[c].class_of[first];
    }
}

/* ---- What it says ---------------------------------------------------------------------------- */

/* Classes over all cells. Returns their number; first[class] is the representative. */
static size_t classify(const struct study *s, size_t *class_of, size_t *first)
{
    size_t count = 0;
    for (size_t v = 0; v < s->count; v++) {
        class_of[v] = NO_CLASS;
        if (s->died[v] != STATUS_OK) continue;
        for (size_t k = 0; k < count && class_of[v] == NO_CLASS; k++) {
            bool same = true;
            for (size_t c = 0; c < s->cell_count; c++)
                same = same && s->cells[c].class_of[v] == s->cells[c].class_of[first[k]];
            if (same) class_of[v] = k;
        }
        if (class_of[v] != NO_CLASS) continue;
        first[count] = v;
        class_of[v] = count++;
    }
    return count;
}

static size_t outputs_of(const struct study *s, const struct cell *c)
{
    size_t columns = s->oracle->columns + (s->oracle->elementwise ? c->n : 0);
    return c->rows * columns;
}

static struct distance distance_of(const struct study *s, size_t a, size_t b)
{
    struct distance all = {0};
    for (size_t i = 0; i < s->cell_count; i++) {
        const struct cell *c = &s->cells[i];
        struct distance same = {.elements = outputs_of(s, c)};
        bool differ = c->class_of[a] != c->class_of[b];
        distance_add(&all, differ ? pair_of(s, c, c->class_of[a], c->class_of[b]) : &same);
    }
    return all;
}

static json_t *pair_record(const struct study *s, size_t a, size_t b, size_t class_a,
                           size_t class_b)
{
    struct distance d = distance_of(s, a, b);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:I, s:o, s:o, s:o}", "record", "diverge", "op",
        s->oracle->op, "a", s->variants[a]->id, "b", s->variants[b]->id, "class_a",
        (json_int_t)class_a, "class_b", (json_int_t)class_b, "elements", (json_int_t)d.elements,
        "mismatched", record_real(distance_share(&d, d.mismatched)), "max_ulp_distance",
        (json_int_t)d.max_ulp, "mismatched_bf16", record_real(distance_share(&d, d.bf16)),
        "mismatched_fp16", record_real(distance_share(&d, d.fp16)), "mismatched_nan",
        record_real(distance_share(&d, d.nan)));
}

static json_t *class_record(const struct study *s, const struct agreement *g, size_t class,
                            size_t first)
{
    json_t *members = json_array();
    for (size_t v = 0; v < s->count; v++)
        if (g->class_of[v] == class)
            json_array_append_new(members, json_string(s->variants[v]->id));
    char *label = agreement_members(g, class);
    json_t *record =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:o}", "record", "class", "op",
                  s->oracle->op, "dtype", s->variants[first]->dtype, "class", (json_int_t) class,
                  "size", (json_int_t)json_array_size(members), "representative",
                  s->variants[first]->id, "label", label ? label : "", "members", members);
    free(label);
    return record;
}

static json_t *answer_json(enum answer a)
{
    return a == ANSWER_NONE ? json_null() : json_boolean(a == ANSWER_YES);
}

static json_t *invariance_record(const struct study *s, const struct agreement *g, size_t v)
{
    static const struct invariance unknown = {ANSWER_NONE, ANSWER_NONE, ANSWER_NONE, ANSWER_NONE,
                                              ANSWER_NONE};
    const struct invariance *i = s->died[v] == STATUS_OK ? &s->invariance[v] : &unknown;
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "record",
                     "invariance", "id", s->variants[v]->id, "status", status_name(s->died[v]),
                     "run", answer_json(i->run), "threads", answer_json(i->threads), "row_position",
                     answer_json(i->row_position), "batch", answer_json(i->batch), "tail",
                     answer_json(i->tail), "isa", answer_json(agreement_along(g, v, AXIS_ISA)),
                     "cc", answer_json(agreement_along(g, v, AXIS_CC)), "policy",
                     answer_json(agreement_along(g, v, AXIS_POLICY)));
}

static json_t *meaning_record(const struct study *s, const struct agreement *g, size_t classes)
{
    size_t elements = 0, variants = 0;
    for (size_t c = 0; c < s->cell_count; c++) elements += outputs_of(s, &s->cells[c]);
    for (size_t v = 0; v < s->count; v++) variants += g->class_of[v] != NO_CLASS;
    char *sentence = agreement_sentence(g);
    json_t *record = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:s}", "record", "meaning", "op",
                               s->oracle->op, "dtype", s->variants[0]->dtype, "variants",
                               (json_int_t)variants, "classes", (json_int_t)classes, "elements",
                               (json_int_t)elements, "sentence", sentence ? sentence : "");
    free(sentence);
    return record;
}

/* Of the classes that stand for most variants. */
static bool *choose_paired(const struct study *s, const struct agreement *g, size_t classes)
{
    size_t *size = calloc(classes + 1, sizeof *size), left = s->plan->paired;
    bool *paired = calloc(classes + 1, sizeof *paired);
    for (size_t v = 0; size && paired && v < s->count; v++)
        if (g->class_of[v] != NO_CLASS) size[g->class_of[v]]++;
    for (size_t k = 0; paired && k < classes; k++) paired[k] = left == 0;
    for (; size && paired && left; left--) {
        size_t top = classes;
        for (size_t k = 0; k < classes; k++)
            if (!paired[k] && (top == classes || size[k] > size[top])) top = k;
        if (top < classes) paired[top] = true;
    }
    free(size);
    return paired;
}

static int put_pairs(const struct study *s, const struct agreement *g, const size_t *first,
                     size_t classes, struct record_sink sink, struct error *e)
{
    bool *paired = choose_paired(s, g, classes);
    int code = paired ? 0 : fail(e, EXIT_PARTIAL, "out of memory: %zu classes", classes);
    for (size_t k = 0; k < classes && !code; k++)
        for (size_t l = k + 1; l < classes && !code; l++)
            if (paired[k] && paired[l])
                code = sink.put(sink.context, pair_record(s, first[k], first[l], k, l), e);
    free(paired);
    return code;
}

static int put_all(const struct study *s, const struct agreement *g, const size_t *first,
                   size_t classes, struct record_sink sink, struct error *e)
{
    int code = sink.put(sink.context, meaning_record(s, g, classes), e);
    for (size_t k = 0; k < classes && !code; k++)
        code = sink.put(sink.context, class_record(s, g, k, first[k]), e);
    if (!code) code = put_pairs(s, g, first, classes, sink, e);
    for (size_t v = 0; v < s->count && !code; v++)
        code = sink.put(sink.context, invariance_record(s, g, v), e);
    return code;
}

static int put_study(const struct study *s, struct record_sink sink, struct diverge_summary *sum,
                     struct error *e)
{
    size_t *class_of = calloc(s->count + 1, sizeof *class_of);
    size_t *first = calloc(s->count + 1, sizeof *first);
    int code = 0;
    if (!class_of || !first) {
        code = fail(e, EXIT_PARTIAL, "out of memory: %zu variants; use --filter", s->count);
    } else {
        size_t classes = classify(s, class_of, first);
        struct agreement g = {s->variants, class_of, s->count};
        sum->classes += classes;
        for (size_t v = 0; v < s->count; v++) {
            sum->variants += s->died[v] == STATUS_OK;
            sum->died += s->died[v] != STATUS_OK;
        }
        code = put_all(s, &g, first, classes, sink, e);
    }
    free(class_of);
    free(first);
    return code;
}

/* ---- One operation --------------------------------------------------------------------------- */

static void study_close(struct study *s)
{
    for (size_t i = 0; s->cells && i < s->cell_count; i++) {
        free(s->cells[i].class_of);
        free(s->cells[i].representative);
        free(s->cells[i].bits);
        free(s->cells[i].pairs);
    }
    free(s->cells);
    free(s->variants);
    free(s->same_as);
    free(s->invariance);
    free(s->died);
    free(s->copies);
}

static bool open_cell(struct cell *c, enum family family, size_t n, const struct study *s)
{
    size_t rows = n ? s->plan->elements / n : ROWS_MIN;
    *c = (struct cell){.family = family,
                       .n = n,
                       .rows = rows < ROWS_MIN ? ROWS_MIN : rows,
                       .class_of = calloc(s->count, sizeof *c->class_of),
                       .representative = calloc(s->count, sizeof *c->representative),
                       .bits = calloc(s->count, sizeof *c->bits),
                       .pairs = calloc(s->count * s->count, sizeof *c->pairs)};
    return c->class_of && c->representative && c->bits && c->pairs;
}

static size_t first_of_same_code(const struct study *s, size_t variant)
{
    const struct variant *v = s->variants[variant];
    for (size_t k = 0; k < variant; k++) {
        const struct variant *w = s->variants[k];
        if (v->build && w->build && v->build->code_hash &&
            v->build->code_hash == w->build->code_hash && !strcmp(v->isa, w->isa))
            return k;
    }
    return variant;
}

static int study_open(struct study *s, const struct registry *r, const struct variant *model,
                      struct error *e)
{
    const struct diverge_plan *p = s->plan;
    s->oracle = oracle_find(model->op);
    s->variants = calloc(r->count + 1, sizeof *s->variants);
    s->cells = calloc(p->n_count * p->family_count + 1, sizeof *s->cells);
    s->invariance = calloc(r->count + 1, sizeof *s->invariance);
    s->same_as = calloc(r->count + 1, sizeof *s->same_as);
    s->died = calloc(r->count + 1, sizeof *s->died);
    s->copies = calloc(r->count + 1, sizeof *s->copies);
    bool memory = s->variants && s->cells && s->invariance && s->same_as && s->died && s->copies;
    for (size_t i = 0; i < r->count && memory; i++) {
        const struct variant *v = &r->variants[i];
        /* A peer needs a process of its own. */
        bool here = v->status == STATUS_OK && !v->study && !v->peer;
        if (here && !strcmp(v->op, model->op) && !strcmp(v->dtype, model->dtype))
            s->variants[s->count++] = v;
    }
    for (size_t v = 0; v < s->count && memory; v++) s->same_as[v] = first_of_same_code(s, v);
    for (size_t f = 0; f < p->family_count; f++)
        for (size_t k = 0; k < p->n_count && memory && s->count; k++)
            memory = open_cell(&s->cells[s->cell_count++], p->families[f], p->n[k], s);
    return memory ? 0 : fail(e, EXIT_PARTIAL, "out of memory: %s; use --filter", model->op);
}

static int run_operation(struct study *s, const struct registry *r, const struct variant *model,
                         struct record_sink sink, struct diverge_summary *sum, struct error *e)
{
    int code = study_open(s, r, model, e);
    if (!code && s->count && s->oracle) {
        struct battery battery = {.blocks = s->cell_count + 1,
                                  .variants = s->count,
                                  .silence_s = s->plan->silence_s,
                                  .context = s,
                                  .wanted = wanted,
                                  .prepare = prepare,
                                  .measure = measure,
                                  .take = take};
        code = battery_run(&battery, e);
        share_findings(s);
        s->share_begin += s->share_each * (double)((s->cell_count + 1) * s->count);
        if (!code) code = put_study(s, sink, sum, e);
    }
    study_close(s);
    return code;
}

static bool seen_before(const struct registry *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(r->variants[k].op, r->variants[i].op) &&
            !strcmp(r->variants[k].dtype, r->variants[i].dtype))
            return true;
    return false;
}

static int check(const struct diverge_plan *p, struct error *e)
{
    for (size_t k = 0; k < p->n_count; k++)
        if (p->n[k] > N_MAX)
            return fail(e, EXIT_USAGE, "--n: %zu: rows of at most %d elements; give fewer", p->n[k],
                        N_MAX);
    return 0;
}

int diverge_run(const struct diverge_plan *plan, const struct registry *r, struct record_sink sink,
                struct diverge_summary *sum, struct error *e)
{
    *sum = (struct diverge_summary){0};
    struct progress progress;
    double blocks = (double)(plan->n_count * plan->family_count + 1);
    struct study s = {.plan = plan, .progress = &progress};
    int code = check(plan, e);
    if (code) return code;
    progress_begin(&progress, "diverge", plan->quiet);
    for (size_t i = 0; i < r->count && !code; i++) {
        if (seen_before(r, i)) continue;
        s = (struct study){.plan = plan,
                           .progress = &progress,
                           .share_begin = s.share_begin,
                           .share_each = 1 / (blocks * (double)r->count)};
        code = run_operation(&s, r, &r->variants[i], sink, sum, e);
    }
    progress_end(&progress);
    if (!code && sum->died)
        code = fail(e, EXIT_PARTIAL, "diverge: %zu variants died; see their status", sum->died);
    return code;
}
