#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "machine/machine.h"
#include "measure/apply.h"
#include "measure/peers.h"
#include "model/nearest.h"
#include "model/npy.h"
#include "model/record.h"
#include "oracle/oracle.h"

/* ---- --param NAME=VALUE ---------------------------------------------------------------------- */

/* What the lab's own operations take; another operation takes everything. The first line that
 * matches holds. */
static bool takes(const struct variant *v, const char *name)
{
    static const struct {
        const char *op, *algorithm /* begins so */, *parameters;
    } table[] = {
        {"softmax", "scaled", " scale log "},
        {"softmax", "", " log "},
        {"layernorm", "", " eps "},
        {"logsumexp", "", ""},
        {"moments", "", ""},
        {"exp", "", ""},
        {"log", "", ""},
        {"log2", "", ""},
        {"sigmoid", "", ""},
        {"gelu", "", ""},
    };
    char word[16];
    snprintf(word, sizeof word, " %s ", name);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].op, v->op) &&
            !strncmp(table[i].algorithm, v->algorithm, strlen(table[i].algorithm)))
            return strstr(table[i].parameters, word);
    return true;
}

static void set_scale(struct apply_plan *plan, float value)
{
    plan->scale = value;
}
static void set_eps(struct apply_plan *plan, float value)
{
    plan->eps = value;
}
static void set_log(struct apply_plan *plan, float value)
{
    plan->log_output = value != 0;
}

static int set_parameter(struct apply_plan *plan, const char *text, struct error *e)
{
    static const struct {
        const char *name;
        void (*set)(struct apply_plan *, float);
    } parameters[] = {{"scale", set_scale}, {"eps", set_eps}, {"log", set_log}};
    char name[16] = "", *end = NULL;
    const char *equals = strchr(text, '=');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    float value = equals ? strtof(equals + 1, &end) : 0;
    if (!equals || end == equals + 1 || *end || !isfinite(value))
        return fail(e, EXIT_USAGE,
                    "--param: '%s': not NAME=VALUE with a finite number; e.g. "
                    "scale=0.5, eps=1e-5, log=1",
                    text);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        if (strcmp(parameters[i].name, name) != 0) continue;
        if (!takes(plan->variant, name))
            return fail(e, EXIT_USAGE, "--param: %s: %s/%s takes no such parameter; leave it out",
                        name, plan->variant->op, plan->variant->algorithm);
        parameters[i].set(plan, value);
        return 0;
    }
    return fail(e, EXIT_USAGE, "--param: '%s': unknown; known: scale, eps, log", text);
}

/* ---- What to run ----------------------------------------------------------------------------- */

static int unknown_variant(const struct registry *r, const char *id, struct error *e)
{
    const struct variant *near[2] = {NULL, NULL};
    nearest_variants(r, id, near, 2);
    return fail(e, EXIT_USAGE, "unknown variant: %.200s: not of this build; near: %s%s%s", id,
                near[0]->id, near[1] ? ", " : "", near[1] ? near[1]->id : "");
}

static int choose(const struct options *o, const struct registry *r, struct apply_plan *plan,
                  struct error *e)
{
    const struct variant *v = registry_find(r, o->variant);
    if (!v) return unknown_variant(r, o->variant, e);
    if (v->study)
        return fail(e, EXIT_USAGE, "cannot run: %s: case studies alone do; see 'ulplab case list'",
                    v->id);
    if (v->status != STATUS_OK)
        return fail(e, EXIT_USAGE, "cannot run: %s: %s: %s; choose one that 'ulplab list' calls ok",
                    v->id, status_name(v->status), v->reason);
    const struct oracle *op = oracle_find(v->op);
    if (o->stats && !(op && op->elementwise && op->columns))
        return fail(e, EXIT_USAGE, "--stats: %s: only layernorm has them; leave it out", v->id);
    *plan = (struct apply_plan){
        .variant = v,
        .scale = 1,
        .eps = 1e-5f, /* PyTorch's default */
        .stats = o->stats,
        .timeout_s = o->timeout ? (double)o->timeout : 600,
    };
    for (size_t i = 0; i < o->params.count; i++) {
        int code = set_parameter(plan, o->params.items[i], e);
        if (code) return code;
    }
    return 0;
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
    if (!o->json) {
        if (y->ndim == 1)
            printf("%s: shape (%zu,), %.3g s\n", o->out, y->cols, result->seconds);
        else
            printf("%s: shape (%zu, %zu), %.3g s\n", o->out, y->rows, y->cols, result->seconds);
        return 0;
    }
    json_t *document = record_document(machine_record(cpu)), *shape = json_array();
    if (y->ndim == 2) json_array_append_new(shape, json_integer((json_int_t)y->rows));
    json_array_append_new(shape, json_integer((json_int_t)y->cols));
    json_object_set_new(document, "id", json_string(o->variant));
    json_object_set_new(document, "shape", shape);
    json_object_set_new(document, "seconds", record_real(result->seconds));
    return record_print(document, e);
}

static int apply_and_write(const struct cpu *cpu, const struct options *o, struct apply_plan plan,
                           struct error *e)
{
    struct npy x;
    struct apply_result result;
    int code = npy_read(o->in, &x, e);
    if (code) return code;
    plan.x = &x;
    code = apply_run(&plan, &result, e);
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
    struct apply_plan plan;
    int code = check_usage(o, e);
    if (!code) code = cpu_detect(&cpu, o->hide_isa, e);
    if (!code) code = registry_open_peers(&r, &cpu, NULL, 0, strstr(o->variant, "/peer-"), e);
    if (code) return code;
    peers_probe(&r);
    code = choose(o, &r, &plan, e);
    if (!code) code = apply_and_write(&cpu, o, plan, e);
    registry_close(&r);
    return code;
}
