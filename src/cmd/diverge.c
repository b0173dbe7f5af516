// SPDX-License-Identifier: MIT
/* diverge: which variants agree bit for bit; with --got, which variant computed given results, for
 * which `identify` is another word. */
#include <stdlib.h>

#include "cmd/common.h"
#include "cmd/parameters.h"
#include "model/npy.h"
#include "model/record.h"
#include "publish/sql/sql.h"
#include "study/diverge.h"
#include "study/identify.h"

/* ---- diverge --got: what computed given results ---------------------------------------------- */

static json_t *identify_row_record(const struct identify_row *row)
{
    bool ok = row->status == STATUS_OK;
    const struct distance *d = &row->distance;
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "id", row->variant->id, "status",
                     status_name(row->status), "mismatched",
                     ok ? record_real(distance_share(d, d->mismatched)) : json_null(),
                     "max_ulp_distance", ok ? json_integer((json_int_t)d->max_ulp) : json_null(),
                     "mismatched_nan", ok ? record_real(distance_share(d, d->nan)) : json_null());
}

static json_t *identify_document(const struct cpu *cpu, const struct identification *f)
{
    json_t *document = new_document(cpu), *rows = json_array(), *exact = json_array(),
           *common = json_object();
    for (size_t i = 0; i < f->count; i++)
        json_array_append_new(rows, identify_row_record(&f->rows[i]));
    for (size_t i = 0; i < f->exact; i++)
        json_array_append_new(exact, json_string(f->rows[i].variant->id));
    for (enum axis a = 0; a < AXIS_COUNT; a++)
        if (f->common[a]) json_object_set_new(common, axis_names[a], json_string(f->common[a]));
    json_object_set_new(document, "rows", rows);
    json_object_set_new(document, "exact", exact);
    json_object_set_new(document, "common", common);
    json_object_set_new(document, "unit", json_string(f->unit));
    json_object_set_new(document, "sentence", json_string(f->sentence));
    return document;
}

static int identify_and_print(const struct options *o, const struct registry *r,
                              const struct cpu *cpu, const struct identify_plan *plan,
                              struct error *e)
{
    struct identification found;
    int code = identify_run(plan, r, &found, e);
    if (code) return code;
    json_t *document = identify_document(cpu, &found);
    add_left_out(o, document, r, plan->op);
    code = print_found(o, document, sql_found_identify, 0, e);
    identification_close(&found);
    return code;
}

int cmd_identify(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    struct npy in = {0}, got = {0};
    struct given given;
    if (o->positional.count != 1 || !o->in || !o->got)
        return fail(e, EXIT_USAGE,
                    "--got: wants an operation, --in X.npy and --got Y.npy; see 'ulplab diverge "
                    "--help'");
    int code = given_parse(o, &given, e);
    const struct identify_plan plan = {.op = o->positional.items[0],
                                       .in = &in,
                                       .got = &got,
                                       .stat = o->stat,
                                       .parameters = given.p,
                                       .silence_s = 600,
                                       .threads = o->threads};
    if (!code) code = open_variants(o, &cpu, &r, e);
    if (!code) {
        code = read_array(o->in, &in, e);
        if (!code) code = read_array(o->got, &got, e);
        if (!code) code = given_length(&given, in.cols, e);
        if (!code) code = identify_and_print(o, &r, &cpu, &plan, e);
        npy_free(&in);
        npy_free(&got);
        registry_close(&r);
    }
    given_free(&given);
    return code;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int diverge_and_print(const struct options *o, const struct registry *r,
                             const struct cpu *cpu, const struct diverge_plan *plan,
                             struct error *e)
{
    json_t *records = json_array(), *document = new_document(cpu);
    int code = diverge_run(plan, r, record_sink_array(records), e);
    add_kind(document, "meanings", records, "meaning");
    add_kind(document, "classes", records, "class");
    add_kind(document, "pairs", records, "diverge");
    add_kind(document, "invariance", records, "invariance");
    json_decref(records);
    add_left_out(o, document, r, NULL);
    if (!code || code == EXIT_PARTIAL) return print_found(o, document, sql_found_diverge, code, e);
    json_decref(document);
    return code;
}

int cmd_diverge(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    struct diverge_plan plan = diverge_plan_default();
    enum family families[LIST_MAX];
    if (o->positional.count || o->in || o->got || o->stat || (o->params.count && !o->seconds))
        return cmd_identify(o, e);
    for (size_t i = 0; i < o->families.count; i++) {
        families[i] = family_find(o->families.items[i]);
        if (families[i] == FAMILY_COUNT)
            return fail(e, EXIT_USAGE, "--family: '%s': not a family; see --help",
                        o->families.items[i]);
    }
    double eps;
    int code = given_eps(o, &eps, e);
    if (!code) code = open_all_variants(o, &cpu, &r, e);
    if (code) return code;
    plan.seed = o->seed;
    plan.eps = (float)eps;
    plan.threads = o->threads;
    plan.quiet = o->quiet;
    plan.experiment_s = (double)o->seconds;
    if (o->samples) plan.elements = o->samples;
    if (o->n.count) plan.n = o->n.items, plan.n_count = o->n.count;
    plan.tails = !o->samples && !o->n.count && !o->families.count;
    if (o->families.count) plan.families = families, plan.family_count = o->families.count;
    code = diverge_and_print(o, &r, &cpu, &plan, e);
    registry_close(&r);
    return code;
}
