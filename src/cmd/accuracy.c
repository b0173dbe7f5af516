// SPDX-License-Identifier: MIT
/* accuracy: the errors of variants against the oracle, by input family. */
#include "measure/accuracy.h"
#include "measure/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd/common.h"
#include "cmd/parameters.h"
#include "model/npy.h"
#include "model/record.h"
#include "oracle/oracle.h"
#include "publish/sql/sql.h"

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

static int measure_and_print(const struct options *o, const struct registry *r,
                             const struct cpu *cpu, const struct accuracy_request *plan,
                             const struct npy *input, struct error *e)
{
    json_t *rows = json_array();
    struct tally sum;
    int code = accuracy_run(plan, r, record_sink_array(rows), &sum, e);
    note_nothing_measured("accuracy", sum.skipped, json_array_size(rows), "rows");
    json_t *document = new_document(cpu);
    char line[256];
    for (size_t i = 0; json_array_size(rows) && oracle_unused(i, line, sizeof line); i++)
        if (line[0]) add_note(o, document, "%s", line);
    json_object_set_new(document, "grid", accuracy_grid_record());
    json_object_set_new(document, "parameters", given_record(&plan->parameters));
    json_object_set_new(document, "input", input_record(o, input));
    json_object_set(document, ADVERSARIAL,
                    plan->adversarial ? plan->adversarial->names : json_null());
    json_object_set(document, "rows", rows);
    code = print_found(o, document, sql_found_accuracy, code, e);
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
    return fail(e, EXIT_USAGE, "--beside: '%s': not the id of a measured variant", id);
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
            note("family adversarial: %zu rows that searches found, from %s/" ADVERSARIAL,
                 json_array_size(found.names), folder);
        if (!code) code = measure_and_print(o, &r, &cpu, &plan, &input, e);
        registry_close(&r);
    }
    adversarial_close(&found);
    given_free(&given);
    npy_free(&input);
    return code;
}
