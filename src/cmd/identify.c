// SPDX-License-Identifier: MIT
/* identify: which variant computed given results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/common.h"
#include "cmd/parameters.h"
#include "cmd/reasons.h"
#include "model/npy.h"
#include "model/record.h"
#include "publish/render/table.h"
#include "study/identify.h"

enum { ROWS_SHOWN = 20 };

static json_t *row_record(const struct identify_row *row)
{
    bool ok = row->status == STATUS_OK;
    const struct distance *d = &row->distance;
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "id", row->variant->id, "status",
                     status_name(row->status), "mismatched",
                     ok ? record_real(distance_share(d, d->mismatched)) : json_null(),
                     "max_ulp_distance", ok ? json_integer((json_int_t)d->max_ulp) : json_null(),
                     "mismatched_nan", ok ? record_real(distance_share(d, d->nan)) : json_null());
}

static int identify_print_json(const struct cpu *cpu, const struct identification *f,
                               struct error *e)
{
    const struct {
        const char *key, *value;
    } axes[] = {{"algorithm", f->algorithm}, {"isa", f->isa}, {"cc", f->cc}, {"policy", f->policy}};
    json_t *document = new_document(cpu), *rows = json_array(), *exact = json_array(),
           *common = json_object();
    for (size_t i = 0; i < f->count; i++) json_array_append_new(rows, row_record(&f->rows[i]));
    for (size_t i = 0; i < f->exact; i++)
        json_array_append_new(exact, json_string(f->rows[i].variant->id));
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (axes[i].value) json_object_set_new(common, axes[i].key, json_string(axes[i].value));
    json_object_set_new(document, "rows", rows);
    json_object_set_new(document, "exact", exact);
    json_object_set_new(document, "common", common);
    json_object_set_new(document, "unit", json_string(f->unit));
    json_object_set_new(document, "sentence", json_string(f->sentence));
    return print_document(document, 0, e);
}

static void identify_add_row(struct table *t, const struct identify_row *row)
{
    const struct variant *v = row->variant;
    char share[32], distance[32] = "";
    bool ok = row->status == STATUS_OK;
    if (ok) {
        snprintf(share, sizeof share, "%.4g%%",
                 100 * distance_share(&row->distance, row->distance.mismatched));
        snprintf(distance, sizeof distance, "%llu", (unsigned long long)row->distance.max_ulp);
    } else {
        snprintf(share, sizeof share, "%s", status_name(row->status));
    }
    table_add(
        t,
        ok && !row->distance.mismatched ? TINT_GOOD
        : ok                            ? TINT_NONE
                                        : TINT_BAD,
        (const char *const[]){v->algorithm, v->dtype, v->isa, v->cc, v->policy, share, distance});
}

static void print_text(const struct identification *f, bool quiet)
{
    static const struct column columns[] = {
        {"algorithm", false, 0}, {"dtype", false, 0},     {"isa", false, 0},    {"cc", false, 0},
        {"policy", false, 0},    {"mismatched", true, 0}, {"max ulp", true, 0},
    };
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    table.gathered = 31;
    for (size_t i = 0; i < f->count && i < ROWS_SHOWN; i++) identify_add_row(&table, &f->rows[i]);
    table_end(&table, stdout, terminal_of(stdout));
    if (f->count > ROWS_SHOWN) printf("and %zu more: --json has them all\n", f->count - ROWS_SHOWN);
    if (!quiet) putchar('\n');
    if (!quiet) write_prose(stdout, terminal_of(stdout), 0, "%s", f->sentence);
}

static int identify(const struct options *o, const struct registry *r, const struct cpu *cpu,
                    const struct given *given, const struct identify_plan *request, struct error *e)
{
    struct npy in = {0}, got = {0};
    struct identify_plan plan = *request;
    struct identification found;
    int code = read_array(o->in, &in, e);
    if (!code) code = read_array(o->got, &got, e);
    if (!code) code = given_length(given, in.cols, e);
    plan.in = &in;
    plan.got = &got;
    if (!code) code = identify_run(&plan, r, &found, e);
    if (!code) {
        if (o->json)
            code = identify_print_json(cpu, &found, e);
        else
            print_text(&found, o->quiet);
        if (!o->json) print_left_out(r, plan.op, terminal_of(stdout));
        identification_close(&found);
    }
    npy_free(&in);
    npy_free(&got);
    return code;
}

int cmd_identify(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    if (o->positional.count != 1 || !o->in || !o->got)
        return fail(e, EXIT_USAGE,
                    "identify: wants an operation, --in X.npy and --got Y.npy; see --help");
    struct identify_plan plan = {
        .op = o->positional.items[0], .stat = o->stat, .silence_s = 600, .threads = o->threads};
    struct given given;
    int code = given_parse(o, &given, e);
    plan.parameters = given.p;
    if (!code) code = open_variants(o, &cpu, &r, e);
    if (!code) {
        code = identify(o, &r, &cpu, &given, &plan, e);
        registry_close(&r);
    }
    given_free(&given);
    return code;
}
