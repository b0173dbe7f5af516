// SPDX-License-Identifier: MIT
/* accuracy: the errors of variants against the oracle, by input family. */
#include "measure/accuracy.h"
#include "measure/peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "cmd/parameters.h"
#include "model/losses.h"
#include "model/npy.h"
#include "model/record.h"
#include "oracle/oracle.h"
#include "publish/render/table.h"

enum { ROWS_SHOWN = 120 };

static struct number_text accuracy_figure(double value)
{
    bool far = value != 0 && (fabs(value) >= 1e5 || fabs(value) < 1e-3);
    struct number_text text = far ? number_digits(value, 3) : number_decimals(value, 3);
    return number_marked(text, value, NAN);
}

static const struct {
    struct column column;
    const char *key; /* key of a number; NULL: a part of the id, or a text */
    double factor;
} columns[] = {
    {{"op", false, 0}, NULL, 0},
    {{"algorithm", false, 0}, NULL, 0},
    {{"dtype", false, 0}, NULL, 0},
    {{"isa", false, 0}, NULL, 0},
    {{"cc", false, 0}, NULL, 0},
    {{"policy", false, 0}, NULL, 0},
    {{"family", false, 0}, NULL, 0},
    {{"n", true, 0}, NULL, 0},
    {{"max ulp", true, 0}, "max_ulp", 1},
    {{"lost", true, 0}, "lost", 1},
    {{"mean ulp", true, 3}, "mean_ulp", 1},
    {{"bias", true, 7}, "bias_ulp", 1},
    {{"p99", true, 6}, "p99_ulp", 1},
    {{"misrounded %", true, 4}, "misrounded", 100},
    {{"scaled", true, 2}, "scaled_error", 1},
    {{"/bound", true, 5}, "bound_ratio", 1},
    {{"flushed", true, 8}, "flushed", 1},
    {{"verdict", false, 0}, NULL, 0},
};
enum { COLUMNS = sizeof columns / sizeof *columns, ID_PARTS = 6, FAMILY = 6, N = 7 };

/* Returns a cell's text: counts are whole, and there is no maximum if results were lost. */
static struct number_text accuracy_cell_of(const json_t *row, size_t column)
{
    const char *key = columns[column].key;
    const json_t *counts = json_object_get(row, "counts");
    double lost = record_number(row, "lost");
    if (!strcmp(key, "lost")) return number_digits(lost, 15);
    if (!strcmp(key, "flushed")) return number_digits(record_number(counts, "flushed"), 15);
    if (!strcmp(key, "max_ulp"))
        return accuracy_figure(lost > 0 ? INFINITY : record_number(row, key));
    return accuracy_figure(columns[column].factor * record_figure(row, key));
}

static void accuracy_add_row(struct table *t, const json_t *row)
{
    char id[256], n[24] = "-", *save = NULL, *part = NULL;
    struct number_text figures[COLUMNS];
    const char *cells[COLUMNS], *status = text_or_dash(row, "status");
    const char *verdict = text_or_dash(row, "verdict");
    snprintf(id, sizeof id, "%s", text_or_dash(row, "id"));
    for (size_t c = 0; c < ID_PARTS; c++) {
        part = strtok_r(c ? NULL : id, "/", &save);
        const char *equals = part ? strchr(part, '=') : NULL;
        cells[c] = equals ? equals + 1 : part ? part : "";
    }
    double length = record_number(row, "n");
    if (!isnan(length)) snprintf(n, sizeof n, "%.0f", length);
    cells[FAMILY] = text_or_dash(row, "family");
    cells[N] = n;
    for (size_t c = N + 1; c + 1 < COLUMNS; c++) {
        figures[c] = accuracy_cell_of(row, c);
        cells[c] = figures[c].text;
    }
    cells[COLUMNS - 1] = *verdict == '-' ? status : verdict;
    table_add(t, strcmp(status, "ok") ? TINT_BAD : TINT_NONE, cells);
}

static bool is_worse(const json_t *a, const json_t *b)
{
    bool a_ok = !strcmp(text_or_dash(a, "status"), "ok"),
         b_ok = !strcmp(text_or_dash(b, "status"), "ok");
    if (a_ok != b_ok) return b_ok;
    double a_lost = record_number(a, "lost"), b_lost = record_number(b, "lost");
    if (a_lost != b_lost) return a_lost > b_lost;
    return record_number(a, "max_ulp") > record_number(b, "max_ulp") ||
           isnan(record_number(b, "max_ulp"));
}

/* Returns each variant's worst row. */
static json_t *worst_rows(const json_t *rows, const struct registry *r)
{
    json_t *worst = json_object(), *chosen = json_array();
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        const json_t *known = json_object_get(worst, text_or_dash(row, "id"));
        if (!known || is_worse(row, known))
            json_object_set(worst, text_or_dash(row, "id"), (json_t *)(uintptr_t)row);
    }
    for (i = 0; i < r->count; i++) {
        json_t *found = json_object_get(worst, r->variants[i].id);
        if (found) json_array_append(chosen, found);
    }
    json_decref(worst);
    return chosen;
}

static void accuracy_print_table(const json_t *rows, const struct registry *r)
{
    bool all = json_array_size(rows) <= ROWS_SHOWN;
    struct terminal terminal = terminal_of(stdout);
    struct column titles[COLUMNS];
    struct table table;
    json_t *shown = all ? json_incref((json_t *)(uintptr_t)rows) : worst_rows(rows, r), *row;
    size_t i;
    for (i = 0; i < COLUMNS; i++) titles[i] = columns[i].column;
    if (!all) titles[FAMILY].title = "worst on";
    table_begin(&table, titles, COLUMNS);
    table.gathered = (1U << (N + 1)) - 1;
    json_array_foreach(shown, i, row) accuracy_add_row(&table, row);
    table_end(&table, stdout, terminal);
    print_reasons(rows, terminal);
    json_decref(shown);
}

/* Prints the source of the exact values, if it is not the lab. */
static void print_references(const json_t *rows)
{
    json_t *told = json_object();
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *file = json_string_value(json_object_get(row, "reference")), *id;
        if (!file || json_object_get(told, file)) continue;
        json_object_set_new(told, file, json_true());
        id = text_or_dash(row, "id");
        printf("%.*s: against the reference in %s: its author's word, certified by nobody\n",
               (int)strcspn(id, "/"), id, file);
    }
    json_decref(told);
    char line[256];
    for (i = 0; oracle_unused(i, line, sizeof line); i++)
        if (line[0]) puts(line);
}

/* Chooses the families. `adversarial` denotes files and is no function that makes rows, so that
 * enum family lacks it. */
static int choose_families(const struct options *o, enum family *families,
                           struct accuracy_request *plan, bool *adversarial, struct error *e)
{
    *adversarial = !o->n.count && !o->families.count && !o->samples;
    for (size_t i = 0; i < o->families.count; i++) {
        enum family f = family_find(o->families.items[i]);
        if (f < FAMILY_COUNT)
            families[plan->family_count++] = f;
        else if (!strcmp(o->families.items[i], ADVERSARIAL))
            *adversarial = true;
        else
            return fail(e, EXIT_USAGE, "--family: '%s': not a family; see --help",
                        o->families.items[i]);
    }
    plan->families = families;
    plan->adversarial_alone = o->families.count && !plan->family_count;
    return 0;
}

enum { FOLDER_MAX = 1024 };

static int open_adversarial(const struct options *o, char folder[FOLDER_MAX], struct adversarial *a,
                            struct error *e)
{
    int code = finds_folder(o, folder, FOLDER_MAX, e);
    if (!code) code = adversarial_open(folder, a, e);
    if (!code && o->families.count && !a->count) {
        adversarial_close(a);
        code = fail(e, EXIT_USAGE,
                    "--family: adversarial: %s/" ADVERSARIAL " has no inputs; run 'ulplab search'",
                    folder);
    }
    return code;
}

static void accuracy_print_line(void *context, const char *sentence)
{
    (void)context;
    write_prose(stdout, terminal_of(stdout), 2, "%s", sentence);
}

/* Prints how many rows have each verdict, or no result. */
static void print_sum(const json_t *rows, const struct tally *sum)
{
    size_t of[VERDICT_COUNT] = {0}, i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        for (enum row_verdict v = 0; v < VERDICT_COUNT; v++)
            of[v] += !strcmp(text_or_dash(row, "verdict"), row_verdict_name(v));
    }
    printf("%zu rows kept their promises, %zu broke one, no promise bounds %zu, %zu skipped, %zu "
           "died\n",
           of[VERDICT_KEPT], of[VERDICT_BROKEN], of[VERDICT_MEASURED], sum->skipped, sum->failed);
}

static int measure_and_print(const struct options *o, const struct registry *r,
                             const struct cpu *cpu, const struct accuracy_request *plan,
                             const struct npy *input, struct error *e)
{
    json_t *rows = json_array();
    struct tally sum;
    int code = accuracy_run(plan, r, record_sink_array(rows), &sum, e);
    note_nothing_measured("accuracy", sum.skipped, json_array_size(rows), "rows");
    if (o->json) {
        json_t *document = new_document(cpu);
        json_object_set_new(document, "grid", accuracy_grid_record());
        json_object_set_new(document, "parameters", given_record(&plan->parameters));
        json_object_set_new(document, "input", input_record(o, input));
        json_object_set(document, ADVERSARIAL,
                        plan->adversarial ? plan->adversarial->names : json_null());
        json_object_set(document, "rows", rows);
        code = print_document(document, code, e);
    } else if (json_array_size(rows)) {
        accuracy_print_table(rows, r);
        losses_tell(rows, "results", accuracy_print_line, NULL);
        if (!o->quiet) print_references(rows);
        if (!o->quiet) print_sum(rows, &sum);
    }
    json_decref(rows);
    return code;
}

/* --out names the folder whose adversarial inputs are replayed. */
static int check_folder(const struct options *o, bool adversarial, struct error *e)
{
    if (!o->out || adversarial) return 0;
    return fail(
        e, EXIT_USAGE,
        "accuracy: --out: %s: none of its inputs are replayed here; leave --out out, or add "
        "--family adversarial",
        o->out);
}

/* gamma and beta have one length; rows of the grid have several. */
static int accuracy_check_given(const struct options *o, const struct registry *r,
                                const struct given *g, const struct npy *input, struct error *e)
{
    if ((g->gamma.data || g->beta.data) && !o->input)
        return fail(e, EXIT_USAGE, "--param: gamma, beta: rows of one length; give --input too");
    int code = o->input ? given_length(g, input->cols, e) : 0;
    for (size_t i = 0; i < r->count && !code; i++) code = given_fits(o, &r->variants[i], e);
    return code;
}

static int check_beside(const char *id, const struct registry *r, struct error *e)
{
    for (size_t i = 0; id && i < r->count; i++)
        if (!strcmp(r->variants[i].id, id)) return 0;
    if (!id) return 0;
    return fail(e, EXIT_USAGE, "--beside: '%s': not the id of a variant that is measured here", id);
}

int cmd_accuracy(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    struct npy input = {0};
    struct given given = {.gamma = {0}};
    struct adversarial found = {0};
    enum family families[LIST_MAX];
    struct accuracy_request plan = accuracy_default();
    char folder[FOLDER_MAX] = "";
    bool adversarial = false;
    int code = choose_families(o, families, &plan, &adversarial, e);
    if (!code) code = check_folder(o, adversarial, e);
    if (!code) code = given_parse(o, &given, e);
    if (!code && adversarial && !o->input) code = open_adversarial(o, folder, &found, e);
    if (!code && o->input) code = npy_read(o->input, &input, e);
    if (!code) code = open_all_variants(o, &cpu, &r, e);
    if (!code) {
        if (o->input) note_conversion(o->input, &input, &r);
        code = accuracy_check_given(o, &r, &given, &input, e);
        if (!code) code = check_beside(o->beside, &r, e);
        plan.parameters = given.p;
        plan.seed = o->seed;
        plan.threads = o->threads;
        plan.n = o->n.items;
        plan.n_count = o->n.count;
        plan.adversarial = found.names ? &found : NULL;
        plan.elements = o->samples;
        if (o->timeout) plan.silence_s = (double)o->timeout;
        plan.input = input.data;
        plan.input_f64 = input.doubles;
        plan.input_rows = input.rows;
        plan.input_n = input.cols;
        plan.beside = o->beside;
        plan.quiet = o->quiet;
        if (!code && found.count && !o->json && !o->quiet)
            note("family adversarial: %zu rows that searches found, of %s/" ADVERSARIAL,
                 json_array_size(found.names), folder);
        if (!code) code = measure_and_print(o, &r, &cpu, &plan, &input, e);
        registry_close(&r);
    }
    adversarial_close(&found);
    given_free(&given);
    npy_free(&input);
    return code;
}
