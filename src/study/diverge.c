// SPDX-License-Identifier: MIT
#include "study/diverge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/progress.h"
#include "measure/accuracy.h"
#include "measure/battery.h"
#include "measure/peers.h"
#include "measure/stage.h"
#include "model/dtype.h"
#include "study/agreement.h"
#include "study/experiments.h"

enum { ELEMENTS = 1 << 14, LONGEST = 8209, STATS_MAX = 2 };
static const size_t usual_n[] = {7, 33, 1000, 8209};
static const enum family usual_families[] = {FAMILY_NORMAL, FAMILY_LOGITS, FAMILY_OFFSET};

struct diverge_plan diverge_plan_default(void)
{
    return (struct diverge_plan){.seed = 1,
                                 .n = usual_n,
                                 .n_count = sizeof usual_n / sizeof *usual_n,
                                 .families = usual_families,
                                 .family_count = sizeof usual_families / sizeof *usual_families,
                                 .tails = true,
                                 .elements = ELEMENTS,
                                 .longest = LONGEST,
                                 .silence_s = 60};
}

/* ---- State, on both sides of the fork -------------------------------------------------------- */

/* The variants of an operation and dtype, and the findings about them. */
struct study {
    const struct diverge_plan *plan;
    const struct oracle *oracle;
    const struct variant **variants;
    size_t count;
    struct partition *partitions; /* one for each block of inputs */
    size_t partition_count;
    struct finding (*findings)[EXPERIMENTS]; /* [count] */
    enum status *died;                       /* [count]; STATUS_OK for those that did not */
    size_t *same_as; /* [variants]: the first of equal code, which is run for it */
    /* A process holds the lab's own variants, or those of one library under one cap. */
    const struct peer *peer;
    /* The outputs of the classes' representatives, which all processes share:
     * [partitions][variants] of `kept_room` bytes. A process does not run another one's variants
     * to have them. */
    char *kept;
    size_t kept_room;
    size_t *at;     /* shared with the child: the length that an experiment is at */
    bool libraries; /* several processes need a partition's outputs, one after the other */

    /* Members of the child: the current block. */
    struct stage stage;
    size_t per_element, per_row; /* values that a variant writes there: first those, then these */

    struct progress *progress;
    double share_begin, share_each;
    size_t shown; /* outcomes of this operation */
};

/* The child's message about a variant on a partition's inputs: its class, and for a new class its
 * distance to each class before it. */
struct verdict {
    uint64_t bits;
    uint64_t class;
    struct distance to[];
};
enum {
    CLASSES_MAX = (BATTERY_MESSAGE_MAX - sizeof(struct verdict)) / sizeof(struct distance),
};

/* Returns whether the block is a partition. Behind the partitions lies a block for each experiment
 * on what a variant's own bits depend on. */
static bool is_partition(const struct study *s, size_t block)
{
    return block < s->partition_count;
}

static enum experiment experiment_of(const struct study *s, size_t block)
{
    return (enum experiment)(block - s->partition_count);
}

/* ---- The child ------------------------------------------------------------------------------- */

/* Returns the memory for what a variant computes on a block. */
static char *kept_of(const struct study *s, size_t block, size_t variant)
{
    return s->kept + (block * s->count + variant) * s->kept_room;
}

static void keep_outputs(const struct study *s, char *y)
{
    const struct stage *g = &s->stage;
    char *stats = y + s->per_element * g->computed->bytes;
    for (size_t c = 0; c < g->chunks; c++) {
        size_t bytes = stage_chunk_rows(g, c) * g->computed->bytes;
        memcpy(y, stage_y(g, c), bytes * g->columns);
        y += bytes * g->columns;
        if (g->stats_columns) memcpy(stats, stage_stats(g, c), bytes * g->stats_columns);
        stats += bytes * g->stats_columns;
    }
}

static void fill_inputs(const struct study *s, const struct partition *p)
{
    const struct stage *g = &s->stage;
    enum domain domain = s->oracle->domain;
#pragma omp parallel for schedule(static) num_threads(g->threads)
    for (size_t k = 0; k < g->chunks; k++)
        for (size_t r = 0; r < stage_chunk_rows(g, k); r++) {
            const size_t row = k * g->chunk_rows + r;
            if (g->computed == &dtype_f64)
                f64_inputs_row(p->family, domain, s->plan->seed, row, p->n,
                               (double *)stage_x(g, k) + r * p->n);
            else
                inputs_row(p->family, domain, s->plan->seed, row, p->n,
                           (float *)stage_x(g, k) + r * p->n);
        }
    stage_lock_input(g, true);
}

/* Gives back the whole pages of the partitions before this one, which no process reads again. */
static void forget_before(const struct study *s, size_t block)
{
    const size_t page = 4096, bytes = (size_t)(kept_of(s, block, 0) - s->kept);
    madvise(s->kept, bytes / page * page, MADV_REMOVE);
}

static int prepare_block(void *context, size_t block, struct error *e)
{
    struct study *s = context;
    stage_close(&s->stage);
    if (!is_partition(s, block)) return 0;
    if (!s->libraries) forget_before(s, block);
    const struct partition *p = &s->partitions[block];
    const struct dtype *type = dtype_of(s->variants[0]->kernel);
    int code = stage_open(&s->stage, s->oracle, type, p->rows, p->n, s->plan->threads, true, e);
    if (code) return code;
    s->per_element = p->rows * s->stage.columns;
    s->per_row = p->rows * s->stage.stats_columns;
    fill_inputs(s, p);
    return 0;
}

/* Returns the distance of two variants' outputs. Results per row are of the type that is computed
 * in, whatever x and y are stored in. */
static struct distance distance_of_outputs(const struct study *s, const char *a, const char *b)
{
    const struct stage *g = &s->stage;
    const size_t stats = s->per_element * g->computed->bytes;
    struct distance d = distance_between(a, b, s->per_element, g->ytype);
    const struct distance rows = distance_between(a + stats, b + stats, s->per_row, g->computed);
    distance_add(&d, &rows);
    return d;
}

static size_t find_class(struct study *s, size_t block, size_t variant, struct verdict *v)
{
    struct partition *p = &s->partitions[block];
    const struct kernel k = variant_kernel(s->variants[variant]);
    stage_run(&s->stage, &k, &parameters_default, &v->bits);
    size_t class = partition_find(p, v->bits), sent = 0;
    v->class = class;
    if (class == p->class_count) {
        if (class == CLASSES_MAX) abort();
        char *ours = kept_of(s, block, variant);
        keep_outputs(s, ours);
        for (; sent < class; sent++)
            v->to[sent] = distance_of_outputs(s, kept_of(s, block, p->representative[sent]), ours);
        partition_add_class(p, variant, v->bits, v->to);
    }
    return sizeof *v + sent * sizeof *v->to;
}

static size_t measure_variant(void *context, size_t block, size_t variant, void *result)
{
    struct study *s = context;
    if (is_partition(s, block)) return find_class(s, block, variant, result);
    const struct kernel k = variant_kernel(s->variants[variant]);
    const struct experiments_plan plan = {.kernel = &k,
                                          .oracle = s->oracle,
                                          .seed = s->plan->seed,
                                          .longest = s->plan->longest,
                                          .eps = s->plan->eps,
                                          .at = s->at,
                                          .deep = s->plan->experiment_s > 0,
                                          .seconds = s->plan->experiment_s};
    struct finding *findings = s->findings[variant];
    const enum experiment e = experiment_of(s, block);
    findings[e] = experiment_make(&plan, e, findings);
    memcpy(result, &findings[e], sizeof *findings);
    return sizeof *findings;
}

/* ---- The parent ------------------------------------------------------------------------------ */

static bool has_work(void *context, size_t block, size_t variant)
{
    const struct study *s = context;
    if (!is_partition(s, block) && !(s->plan->experiment_s > 0) &&
        !experiment_is_usual(experiment_of(s, block)))
        return false;
    return s->same_as[variant] == variant && s->variants[variant]->peer == s->peer;
}

static int take_outcome(void *context, size_t block, size_t variant, enum status status, bool here,
                        const void *result, struct error *e)
{
    (void)e;
    struct study *s = context;
    const bool usual = is_partition(s, block) || experiment_is_usual(experiment_of(s, block));
    progress_update(s->progress, s->share_begin + s->share_each * (double)++s->shown,
                    s->variants[variant]->id);
    /* A crash in an optional experiment does not affect the variant's other results. */
    if (status != STATUS_OK && usual) s->died[variant] = status;
    if (status != STATUS_OK) {
        struct finding *f = s->findings[variant];
        if (here && !is_partition(s, block))
            f[experiment_of(s, block)] = (struct finding){
                .answer = ANSWER_NONE, .status = status, .error = NAN, .worst_n = *s->at};
        *s->at = 0;
        return 0;
    }
    if (!is_partition(s, block)) {
        memcpy(&s->findings[variant][experiment_of(s, block)], result, sizeof **s->findings);
        return 0;
    }
    struct partition *p = &s->partitions[block];
    const struct verdict *v = result;
    if (v->class == p->class_count) partition_add_class(p, variant, v->bits, v->to);
    p->class_of[variant] = (size_t)v->class;
    return 0;
}

/* Copies a variant's findings to those of equal code. */
static void share_findings(struct study *s)
{
    for (size_t v = 0; v < s->count; v++) {
        size_t first = s->same_as[v];
        s->died[v] = s->died[first];
        memcpy(s->findings[v], s->findings[first], sizeof s->findings[v]);
        for (size_t k = 0; k < s->partition_count; k++)
            s->partitions[k].class_of[v] = s->partitions[k].class_of[first];
    }
}

/* ---- Records -------------------------------------------------------------------------------- */

/* Classes of equal bits over all partitions. Returns their number; first[class] stands for the
 * class. */
static size_t classify(const struct study *s, size_t *class_of, size_t *first)
{
    size_t count = 0;
    for (size_t v = 0; v < s->count; v++) {
        class_of[v] = NO_CLASS;
        if (s->died[v] != STATUS_OK) continue;
        for (size_t k = 0; k < count && class_of[v] == NO_CLASS; k++) {
            bool same = true;
            for (size_t p = 0; p < s->partition_count; p++)
                same = same && s->partitions[p].class_of[v] == s->partitions[p].class_of[first[k]];
            if (same) class_of[v] = k;
        }
        if (class_of[v] != NO_CLASS) continue;
        first[count] = v;
        class_of[v] = count++;
    }
    return count;
}

static size_t outputs_of(const struct study *s, const struct partition *p)
{
    size_t columns = oracle_values(s->oracle, p->n);
    return p->rows * columns;
}

static struct distance distance_of(const struct study *s, size_t a, size_t b)
{
    struct distance all = {0};
    for (size_t i = 0; i < s->partition_count; i++) {
        const struct partition *p = &s->partitions[i];
        struct distance same = {.elements = outputs_of(s, p)};
        bool differ = p->class_of[a] != p->class_of[b];
        distance_add(&all, differ ? partition_distance(p, p->class_of[a], p->class_of[b]) : &same);
    }
    return all;
}

static json_t *pair_record(const struct study *s, size_t a, size_t b, size_t class_a,
                           size_t class_b)
{
    struct distance d = distance_of(s, a, b);
    const struct dtype *type = dtype_of(s->variants[a]->kernel);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:I, s:s, s:o, s:o, s:o}", "record", "diverge",
        "op", s->oracle->op, "a", s->variants[a]->id, "b", s->variants[b]->id, "class_a",
        (json_int_t)class_a, "class_b", (json_int_t)class_b, "elements", (json_int_t)d.elements,
        "mismatched", record_real(distance_share(&d, d.mismatched)), "max_ulp_distance",
        (json_int_t)d.max_ulp, "unit", (s->oracle->elementwise ? type : dtype_computed(type))->name,
        "mismatched_bf16", record_real(distance_share(&d, d.bf16)), "mismatched_fp16",
        record_real(distance_share(&d, d.fp16)), "mismatched_nan",
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

static json_t *experiment_record(enum experiment e, const struct finding *f)
{
    json_t *record =
        json_pack("{s:s, s:o, s:s, s:b, s:s, s:s, s:s, s:s}", "name", experiment_name(e), "answer",
                  answer_json(f->status == STATUS_OK ? f->answer : ANSWER_NO), "status",
                  status_name(f->status), "cut", f->cut_at > 0, "cause", f->cause, "tried",
                  f->tried, "lengths", f->lengths, "words", f->words);
    if (f->worst_n)
        json_object_update_new(record,
                               json_pack("{s:o, s:I, s:I}", "error", record_real(f->error), "wrong",
                                         (json_int_t)f->wrong, "worst_n", (json_int_t)f->worst_n));
    return record;
}

static json_t *invariance_record(const struct study *s, const struct agreement *g, size_t v)
{
    json_t *record = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "record", "invariance", "id",
                               s->variants[v]->id, "status", status_name(s->died[v]), "isa",
                               answer_json(agreement_along(g, v, AXIS_ISA)), "cc",
                               answer_json(agreement_along(g, v, AXIS_CC)), "policy",
                               answer_json(agreement_along(g, v, AXIS_POLICY)));
    json_t *all = json_array();
    for (enum experiment e = 0; e < EXPERIMENTS; e++) {
        const struct finding *f = &s->findings[v][e];
        if (experiment_is_usual(e))
            json_object_set_new(record, experiment_name(e),
                                answer_json(s->died[v] == STATUS_OK ? f->answer : ANSWER_NONE));
        json_array_append_new(all, experiment_record(e, f));
    }
    if (s->plan->experiment_s > 0) json_object_set(record, "experiments", all);
    json_decref(all);
    return record;
}

static json_t *meaning_record(const struct study *s, const struct agreement *g, size_t classes)
{
    size_t elements = 0, variants = 0;
    for (size_t p = 0; p < s->partition_count; p++) elements += outputs_of(s, &s->partitions[p]);
    for (size_t v = 0; v < s->count; v++) variants += g->class_of[v] != NO_CLASS;
    char *sentence = agreement_sentence(g);
    json_t *record = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:s}", "record", "meaning", "op",
                               s->oracle->op, "dtype", s->variants[0]->dtype, "variants",
                               (json_int_t)variants, "classes", (json_int_t)classes, "elements",
                               (json_int_t)elements, "sentence", sentence ? sentence : "");
    free(sentence);
    return record;
}

/* Chooses the classes that are compared in pairs: those with the most variants. */
static bool *choose_paired(const struct study *s, const struct agreement *g, size_t classes)
{
    size_t *size = memory_zeroed(classes + 1, sizeof *size), left = s->plan->paired;
    bool *paired = memory_zeroed(classes + 1, sizeof *paired);
    for (size_t v = 0; v < s->count; v++)
        if (g->class_of[v] != NO_CLASS) size[g->class_of[v]]++;
    for (size_t k = 0; k < classes; k++) paired[k] = left == 0;
    for (; left; left--) {
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
    int code = 0;
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

static int put_records(const struct study *s, struct record_sink sink, struct error *e)
{
    size_t *class_of = memory_zeroed(s->count + 1, sizeof *class_of);
    size_t *first = memory_zeroed(s->count + 1, sizeof *first);
    size_t count = classify(s, class_of, first);
    struct agreement g = {s->variants, class_of, s->count};
    int code = put_all(s, &g, first, count, sink, e);
    free(class_of);
    free(first);
    return code;
}

/* ---- One operation --------------------------------------------------------------------------- */

static size_t kept_bytes(const struct study *s)
{
    return s->partition_count * s->count * s->kept_room;
}

/* Opens room that processes share; NULL where memory is short. A page is only there once it has
 * been written. */
static void *open_shared(size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

static bool open_kept(struct study *s)
{
    for (size_t v = 0; v < s->count; v++) s->libraries |= s->variants[v]->peer != NULL;
    for (size_t k = 0; k < s->partition_count; k++) {
        const size_t n = s->partitions[k].n, room = oracle_values(s->oracle, n) + STATS_MAX;
        const size_t bytes = s->partitions[k].rows * room * sizeof(double);
        if (bytes > s->kept_room) s->kept_room = bytes;
    }
    s->at = open_shared(sizeof *s->at);
    if (kept_bytes(s)) s->kept = open_shared(kept_bytes(s));
    return s->at && (s->kept || !kept_bytes(s));
}

static void study_close(struct study *s)
{
    for (size_t i = 0; i < s->partition_count; i++) partition_close(&s->partitions[i]);
    free(s->partitions);
    free(s->variants);
    free(s->findings);
    free(s->died);
    free(s->same_as);
    if (s->kept) munmap(s->kept, kept_bytes(s));
    if (s->at) munmap(s->at, sizeof *s->at);
}

static size_t partitions_of(const struct diverge_plan *p)
{
    return p->n_count * p->family_count + (p->tails ? TAIL_LENGTHS : 0);
}

static void allocate_study(struct study *s, size_t variants)
{
    s->variants = memory_zeroed(variants + 1, sizeof *s->variants);
    s->findings = memory_zeroed(variants + 1, sizeof *s->findings);
    for (size_t k = 0; k < variants * EXPERIMENTS; k++)
        s->findings[k / EXPERIMENTS][k % EXPERIMENTS].answer = ANSWER_NONE;
    s->died = memory_zeroed(variants + 1, sizeof *s->died);
    s->partitions = memory_zeroed(partitions_of(s->plan) + 1, sizeof *s->partitions);
    s->same_as = memory_zeroed(variants + 1, sizeof *s->same_as);
}

/* Collects the variants of the model's operation and dtype that can run, the lab's own first. */
static void collect_variants(struct study *s, const struct registry *r, const struct variant *model)
{
    for (size_t i = 0; i < 2 * r->count; i++) {
        const struct variant *v = &r->variants[i % r->count];
        bool runs_here = v->status == STATUS_OK && !v->study && !v->peer == (i < r->count);
        if (runs_here && !strcmp(v->op, model->op) && !strcmp(v->dtype, model->dtype))
            s->variants[s->count++] = v;
    }
    for (size_t v = 0; v < s->count; v++) s->same_as[v] = first_of_same_code(s->variants, v);
}

static void open_partitions(struct study *s)
{
    const struct diverge_plan *p = s->plan;
    for (size_t k = 0; k < p->family_count; k++)
        for (size_t l = 0; l < p->n_count; l++)
            partition_open(&s->partitions[s->partition_count++], p->families[k], p->n[l],
                           stage_rows(p->elements, p->n[l]), s->count);
    for (size_t l = 0; p->tails && l < TAIL_LENGTHS; l++)
        partition_open(&s->partitions[s->partition_count++], FAMILY_NORMAL, tail_lengths[l],
                       tail_rows(tail_lengths[l]), s->count);
}

static int study_open(struct study *s, const struct registry *r, const struct variant *model,
                      struct error *e)
{
    allocate_study(s, r->count);
    s->oracle = oracle_find(model->op);
    collect_variants(s, r, model);
    if (!s->count || !s->oracle) return 0;
    open_partitions(s);
    return open_kept(s) ? 0 : fail(e, EXIT_PARTIAL, "out of memory: %s; use --filter", model->op);
}

static int run_operation(struct study *s, const struct registry *r, const struct variant *model,
                         struct record_sink sink, size_t *died, struct error *e)
{
    int code = study_open(s, r, model, e);
    if (!code && s->count && s->oracle) {
        struct battery battery = {.blocks = s->partition_count + EXPERIMENTS,
                                  .variants = s->count,
                                  .silence_s = s->plan->silence_s,
                                  .context = s,
                                  .has_work = has_work,
                                  .prepare_block = prepare_block,
                                  .measure_variant = measure_variant,
                                  .take_outcome = take_outcome};
        const struct variant *const *of = s->variants;
        for (size_t v = 0; v < s->count && !code; v++) {
            if (v && of[v]->peer == of[v - 1]->peer) continue;
            s->peer = of[v]->peer;
            code = battery_run(&battery, e);
        }
        share_findings(s);
        s->share_begin += s->share_each * (double)((s->partition_count + EXPERIMENTS) * s->count);
        for (size_t v = 0; v < s->count && !code; v++) *died += s->died[v] != STATUS_OK;
        if (!code) code = put_records(s, sink, e);
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

int diverge_run(const struct diverge_plan *plan, const struct registry *r, struct record_sink sink,
                struct error *e)
{
    struct progress progress;
    size_t died = 0;
    double blocks = (double)(partitions_of(plan) + EXPERIMENTS);
    struct study s = {.plan = plan, .progress = &progress};
    int code = stage_check_lengths(plan->n, plan->n_count, e);
    if (code) return code;
    progress_begin(&progress, "diverge", plan->quiet);
    for (size_t i = 0; i < r->count && !code; i++) {
        if (seen_before(r, i)) continue;
        s = (struct study){.plan = plan,
                           .progress = &progress,
                           .share_begin = s.share_begin,
                           .share_each = 1 / (blocks * (double)r->count)};
        code = run_operation(&s, r, &r->variants[i], sink, &died, e);
    }
    progress_end(&progress);
    if (!code && died)
        code =
            fail(e, EXIT_PARTIAL, "diverge: %zu variants crashed or hung; see their status", died);
    return code;
}
