// SPDX-License-Identifier: MIT
#include "publish/load/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/load/earlier.h"

static bool read_accuracy(const json_t *record, struct accuracy_result *row)
{
    *row = (struct accuracy_result){
        .family = record_text(record, "family"),
        .status = record_text(record, "status"),
        .n = record_count(record, "n"),
        .hazard = json_is_true(json_object_get(record, "hazard")),
        .max_ulp = error_figure(record, "max_ulp"),
        .mean_ulp = error_figure(record, "mean_ulp"),
        .scaled_error = error_figure(record, "scaled_error"),
        .bound_ratio =
            isnan(record_number(record, "bound_ratio")) ? NAN : error_figure(record, "bound_ratio"),
        .facts = error_facts_of(record),
        .record = record,
    };
    return axes_parse(record_text(record, "id"), &row->axes);
}

/* Into *values, which moves on. */
static struct by_process read_processes(const json_t *record, double **values)
{
    const json_t *array = json_object_get(record, "low_ns");
    struct by_process processes = {*values, json_array_size(array)};
    for (size_t i = 0; i < processes.count; i++) {
        const json_t *value = json_array_get(array, i);
        *(*values)++ = json_is_number(value) ? json_number_value(value) : NAN;
    }
    return processes;
}

/* Makes the room for all of them. */
static double *process_values(const json_t *timing)
{
    size_t count = 0, i;
    const json_t *record;
    json_array_foreach(timing, i, record) count +=
        json_array_size(json_object_get(record, "low_ns"));
    return calloc(count + 1, sizeof(double));
}

/* Returns whether no mode has more than half of the processes. */
static bool is_tied(const json_t *record)
{
    const json_t *modes = json_object_get(record, "modes"), *mode;
    size_t i, most = 0, all = 0;
    json_array_foreach(modes, i, mode)
    {
        size_t processes = record_count(mode, "processes");
        all += processes;
        if (processes > most) most = processes;
    }
    return modes && 2 * most <= all;
}

static bool read_timing(const json_t *record, double **values, struct timing_result *row)
{
    size_t n = record_count(record, "n");
    double per_element = n ? 1.0 / (double)n : NAN;
    *row = (struct timing_result){
        .family = record_text(record, "family"),
        .status = record_text(record, "status"),
        .residency = record_text(record, "residency"),
        .limit = record_text(record, "limit"),
        .rows = record_count(record, "rows"),
        .n = n,
        .threads = record_count(record, "threads"),
        .ns_per_element = record_number(record, "ns_per_row") * per_element,
        .low = record_number(record, "ci_low") * per_element,
        .high = record_number(record, "ci_high") * per_element,
        .percent_of_limit = record_number(record, "percent_of_limit"),
        .block = record_text(record, "block"),
        .processes = read_processes(record, values),
        .unsteady = record_has_flag(record, "unsteady"),
        .two_modes = json_object_get(record, "modes") != NULL,
        .tied = is_tied(record),
        .record = record,
    };
    return axes_parse(record_text(record, "id"), &row->axes);
}

/* Returns whether `op`, or the group that begins with it, is that operation. */
static bool is_operation(const char *op, const char *name)
{
    size_t length = strcspn(op, " ");
    return strlen(name) == length && !strncmp(op, name, length);
}

/* Old records do not have the field, but only the lab's own operations. */
static bool comes_near_zero(const json_t *record, const char *op)
{
    static const char *const known[] = {"logsumexp", "log_softmax", "moments", "layernorm",
                                        "layernorm_bare"};
    const json_t *said = json_object_get(record, "near_zero");
    if (json_is_boolean(said)) return json_is_true(said);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_operation(op, known[i])) return true;
    return false;
}

static const struct operation_facts *facts_of(const struct results *r, const char *op)
{
    for (size_t i = 0; i < r->operation_count; i++)
        if (is_operation(op, r->operations[i].op)) return &r->operations[i];
    return NULL;
}

static void learn(struct results *r, const struct accuracy_result *row)
{
    const char *op = row->axes.op;
    if (!row->family[0] || facts_of(r, op) || r->operation_count == OPERATIONS_MAX) return;
    struct operation_facts *f = &r->operations[r->operation_count++];
    snprintf(f->op, sizeof f->op, "%s", op);
    f->near_zero = comes_near_zero(row->record, op);
    f->reference = json_string_value(json_object_get(row->record, "reference"));
}

const char *error_unit(const struct results *r, const char *op)
{
    const struct operation_facts *f = facts_of(r, op);
    return (f ? f->near_zero : comes_near_zero(NULL, op)) ? "u" : "ulp";
}

/* The parts of both tables, in their order. */
enum part { OWN, PEERS, PARTS };

static enum part part_of(const struct axes *a)
{
    return axes_are_of_library(a) ? PEERS : OWN;
}

const json_t *results_answered(const struct results *r, size_t i)
{
    if (i < r->accuracy_count) return r->accuracies[i].record;
    i -= r->accuracy_count;
    return i < r->timing_count ? r->timings[i].record : NULL;
}

void results_count(struct results *r, size_t accuracies, size_t timings)
{
    size_t *const of_accuracies[PARTS] = {&r->accuracy_count, &r->peer_accuracy_count};
    size_t *const of_timings[PARTS] = {&r->timing_count, &r->peer_timing_count};
    for (enum part p = OWN; p < PARTS; p++) *of_accuracies[p] = *of_timings[p] = 0;
    for (size_t i = 0; i < accuracies; i++) ++*of_accuracies[part_of(&r->accuracies[i].axes)];
    for (size_t i = 0; i < timings; i++) ++*of_timings[part_of(&r->timings[i].axes)];
}

/* Within a part, rows keep their order. */
static int part_tables(const char *folder, struct results *r, struct error *e)
{
    const size_t accuracies = r->accuracy_count, timings = r->timing_count;
    struct accuracy_result *a = calloc(accuracies + 1, sizeof *a);
    struct timing_result *t = calloc(timings + 1, sizeof *t);
    if (!a || !t) {
        free(a);
        free(t);
        return fail(e, EXIT_PARTIAL, "out of memory: %s: %zu records; free some", folder,
                    accuracies + timings);
    }
    size_t put = 0, timed = 0;
    for (enum part p = OWN; p < PARTS; p++) {
        for (size_t i = 0; i < accuracies; i++)
            if (part_of(&r->accuracies[i].axes) == p) a[put++] = r->accuracies[i];
        for (size_t i = 0; i < timings; i++)
            if (part_of(&r->timings[i].axes) == p) t[timed++] = r->timings[i];
    }
    free(r->accuracies);
    free(r->timings);
    r->accuracies = a;
    r->timings = t;
    results_count(r, accuracies, timings);
    return 0;
}

static const char no_id[] = "bad record: %s/%s: row %zu has no variant id; measure again";

static int read_accuracies(const char *folder, struct results *r, struct error *e)
{
    for (size_t i = 0; i < json_array_size(r->accuracy); i++) {
        struct accuracy_result *row = &r->accuracies[r->accuracy_count++];
        if (!read_accuracy(json_array_get(r->accuracy, i), row))
            return fail(e, EXIT_BAD_INPUT, no_id, folder, "accuracy.jsonl", i + 1);
        learn(r, row);
    }
    return 0;
}

static int read_timings(const char *folder, struct results *r, struct error *e)
{
    double *values = r->process_values;
    for (size_t i = 0; i < json_array_size(r->timing); i++) {
        const json_t *record = json_array_get(r->timing, i);
        if (strcmp(record_text(record, "record"), "timing") != 0) continue; /* limits, controls */
        if (!read_timing(record, &values, &r->timings[r->timing_count++]))
            return fail(e, EXIT_BAD_INPUT, no_id, folder, "timing.jsonl", i + 1);
    }
    return 0;
}

static int read_tables(const char *folder, struct results *r, struct error *e)
{
    size_t accuracies = json_array_size(r->accuracy);
    size_t timings = json_array_size(r->timing);
    r->accuracies = calloc(accuracies + 1, sizeof *r->accuracies);
    r->timings = calloc(timings + 1, sizeof *r->timings);
    r->process_values = process_values(r->timing);
    if (!r->accuracies || !r->timings || !r->process_values)
        return fail(e, EXIT_PARTIAL, "out of memory: %s: %zu records; free some", folder,
                    accuracies + timings);
    int code = read_accuracies(folder, r, e);
    if (!code) code = read_timings(folder, r, e);
    return code ? code : part_tables(folder, r, e);
}

static int read_files(const char *folder, struct results *r, struct error *e)
{
    json_t *log_softmax = NULL; /* of an earlier version */
    struct {
        const char *name;
        json_t **records;
    } files[] = {{"codegen.jsonl", &r->codegen},     {"accuracy.jsonl", &r->accuracy},
                 {"timing.jsonl", &r->timing},       {"diverge.jsonl", &r->diverge},
                 {"search.jsonl", &r->search},       {"scan.jsonl", &r->scan},
                 {"log_softmax.jsonl", &log_softmax}};
    int code = record_read_machine(folder, &r->machine, e);
    for (size_t i = 0; i < sizeof files / sizeof *files && !code; i++)
        code = record_read_from(folder, files[i].name, true, files[i].records, e);
    if (!code) code = earlier_log_softmax(r->codegen, r->accuracy, r->timing, log_softmax, e);
    json_decref(log_softmax);
    json_t *const all[] = {r->codegen, r->accuracy, r->timing, r->diverge, r->search};
    if (!code) earlier_layernorm(r->accuracy, r->timing, all, sizeof all / sizeof *all);
    if (!code) earlier_modes(r->timing);
    return code ? code : read_tables(folder, r, e);
}

int results_read(const char *folder, struct results *r, struct error *e)
{
    *r = (struct results){0};
    int code = read_files(folder, r, e);
    if (code) results_free(r);
    return code;
}

void results_free(struct results *r)
{
    free(r->accuracies);
    free(r->timings);
    free(r->process_values);
    json_decref(r->machine);
    json_decref(r->codegen);
    json_decref(r->accuracy);
    json_decref(r->timing);
    json_decref(r->diverge);
    json_decref(r->search);
    json_decref(r->scan);
    *r = (struct results){0};
}
