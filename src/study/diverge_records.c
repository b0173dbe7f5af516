// SPDX-License-Identifier: MIT
#include "study/diverge_records.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/dtype.h"
#include "study/agreement.h"

/* Classes of equal bits over all partitions. Returns their number; first[class] stands for the
 * class. */
static size_t classify(const struct findings *s, size_t *class_of, size_t *first)
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

static size_t outputs_of(const struct findings *s, const struct partition *p)
{
    size_t columns = oracle_values(s->oracle, p->n);
    return p->rows * columns;
}

static struct distance distance_of(const struct findings *s, size_t a, size_t b)
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

static json_t *pair_record(const struct findings *s, size_t a, size_t b, size_t class_a,
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

static json_t *class_record(const struct findings *s, const struct agreement *g, size_t class,
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
    return json_pack("{s:s, s:o, s:s, s:b, s:s, s:s, s:s, s:s}", "name", experiment_name(e),
                     "answer", answer_json(f->status == STATUS_OK ? f->answer : ANSWER_NO),
                     "status", status_name(f->status), "cut", f->cut_at > 0, "cause", f->cause,
                     "tried", f->tried, "lengths", f->lengths, "words", f->words);
}

static json_t *invariance_record(const struct findings *s, const struct agreement *g, size_t v)
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
    if (s->experiments) json_object_set(record, "experiments", all);
    json_decref(all);
    return record;
}

static json_t *meaning_record(const struct findings *s, const struct agreement *g, size_t classes)
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

/* Chooses the classes that are compared in pairs: those that stand for most variants. */
static bool *choose_paired(const struct findings *s, const struct agreement *g, size_t classes)
{
    size_t *size = memory_zeroed(classes + 1, sizeof *size), left = s->paired;
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

static int put_pairs(const struct findings *s, const struct agreement *g, const size_t *first,
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

static int put_all(const struct findings *s, const struct agreement *g, const size_t *first,
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

int diverge_put_records(const struct findings *s, struct record_sink sink, size_t *classes,
                        struct error *e)
{
    size_t *class_of = memory_zeroed(s->count + 1, sizeof *class_of);
    size_t *first = memory_zeroed(s->count + 1, sizeof *first);
    size_t count = classify(s, class_of, first);
    struct agreement g = {s->variants, class_of, s->count};
    *classes += count;
    int code = put_all(s, &g, first, count, sink, e);
    free(class_of);
    free(first);
    return code;
}
