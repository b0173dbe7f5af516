// SPDX-License-Identifier: MIT
/* eval: one variant on a user's data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common.h"
#include "cmd/parameters.h"
#include "measure/apply.h"
#include "measure/limits.h"
#include "measure/peers.h"
#include "model/registry.h"
#include "model/npy.h"
#include "model/record.h"
#include "oracle/oracle.h"

/* ---- What to run ----------------------------------------------------------------------------- */

static int unknown_variant(const struct registry *r, const char *id, struct error *e)
{
    const struct variant *near[2] = {NULL, NULL};
    nearest_variants(r, id, near, 2);
    return fail(e, EXIT_USAGE, "unknown variant: %.120s: not in this build; similar ids: %s%s%s",
                id, near[0]->id, near[1] ? ", " : "", near[1] ? near[1]->id : "");
}

static int choose_variant(const struct options *o, const struct registry *r,
                          const struct given *given, struct apply_plan *plan, struct error *e)
{
    const struct variant *v = registry_find(r, o->variant);
    if (!v) return unknown_variant(r, o->variant, e);
    if (v->study)
        return fail(e, EXIT_USAGE,
                    "cannot run: %s: only case studies run it; see 'ulplab case list'", v->id);
    if (v->status != STATUS_OK)
        return fail(e, EXIT_USAGE,
                    "cannot run: %s: %s: %s; choose one with status ok in 'ulplab list'", v->id,
                    status_name(v->status), v->reason);
    const struct oracle *op = oracle_find(v->op);
    if (o->stats && !(op && op->elementwise && op->columns))
        return fail(e, EXIT_USAGE,
                    "--stats: %s: only layernorm and rmsnorm have them; leave it out", v->id);
    *plan = (struct apply_plan){
        .variant = v,
        .parameters = given->p,
        .caches = caches_nominal(),
        .stats = o->stats,
        .threads = (unsigned)o->threads,
        .timeout_s = o->timeout ? (double)o->timeout : 600,
    };
    return given_fits(o, v, e);
}

static int check_usage(const struct options *o, struct error *e)
{
    const struct {
        const char *name, *value;
    } needs[] = {{"--variant", o->variant}, {"--in", o->in}, {"--out", o->out}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (!needs[i].value)
            return fail(e, EXIT_USAGE, "eval: %s: is missing; see 'ulplab eval --help'",
                        needs[i].name);
    return 0;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int print_result(const struct cpu *cpu, const struct options *o,
                        const struct apply_result *result, struct error *e)
{
    const struct npy *y = &result->y;
    if (!o->json && o->quiet) return 0;
    if (!o->json) {
        if (y->ndim == 1)
            printf("%s: shape (%zu,), %.3g s\n", o->out, y->cols, result->seconds);
        else
            printf("%s: shape (%zu, %zu), %.3g s\n", o->out, y->rows, y->cols, result->seconds);
        return 0;
    }
    json_t *document = new_document(cpu), *shape = json_array();
    if (y->ndim == 2) json_array_append_new(shape, json_integer((json_int_t)y->rows));
    json_array_append_new(shape, json_integer((json_int_t)y->cols));
    json_object_set_new(document, "id", json_string(o->variant));
    json_object_set_new(document, "shape", shape);
    json_object_set_new(document, "seconds", record_real(result->seconds));
    return record_print(document, e);
}

static int apply_and_write(const struct cpu *cpu, const struct options *o,
                           const struct given *given, struct apply_plan plan, struct error *e)
{
    struct npy x;
    struct apply_result result;
    int code = read_array(o->in, &x, e);
    if (code) return code;
    plan.x = &x;
    code = given_length(given, x.cols, e);
    if (!code) code = apply_run(&plan, &result, e);
    npy_free(&x);
    if (code) return code;
    code = npy_write(o->out, &result.y, e);
    if (!code) code = print_result(cpu, o, &result, e);
    apply_free(&result);
    return code;
}

int cmd_eval(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    struct apply_plan plan = {.variant = NULL};
    struct given given;
    int code = check_usage(o, e);
    if (!code) code = cpu_detect(&cpu, o->hide_isa, e);
    if (!code) code = registry_open_peers(&r, &cpu, NULL, 0, strstr(o->variant, "/peer-"), e);
    if (code) return code;
    peers_probe(&r);
    code = given_parse(o, &given, e);
    if (!code) code = choose_variant(o, &r, &given, &plan, e);
    if (!code) code = apply_and_write(&cpu, o, &given, plan, e);
    given_free(&given);
    registry_close(&r);
    return code;
}
