// SPDX-License-Identifier: MIT
#include "cmd/parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common.h"
#include "model/registry.h"
#include "model/record.h"

/* Returns whether the variant takes that parameter; a user's operation takes all. */
static bool parameters_takes(const struct variant *v, const char *name)
{
    static const struct {
        const char *name;
        enum argument argument;
    } parameters[] = {{"scale", ARGUMENT_SCALE},
                      {"eps", ARGUMENT_EPS},
                      {"gamma", ARGUMENT_GAMMA},
                      {"beta", ARGUMENT_BETA}};
    const struct oracle *o = oracle_find(v->op);
    if (!o || oracle_source(o)) return true;
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (!strcmp(parameters[i].name, name))
            return arguments_of(v->op, v->algorithm) & parameters[i].argument;
    return false;
}

static void parameters_name_of(const char *text, char name[16])
{
    snprintf(name, 16, "%.*s", (int)strcspn(text, "="), text);
}

static void set_scale(struct parameters *p, float value)
{
    p->scale = value;
}
static void set_eps(struct parameters *p, float value)
{
    p->eps = value;
}

static int set_number(struct given *g, const char *name, const char *text, struct error *e)
{
    static const struct {
        const char *name;
        void (*set)(struct parameters *, float);
    } numbers[] = {{"scale", set_scale}, {"eps", set_eps}};
    char *end = NULL;
    const char *equals = strchr(text, '=');
    float value = equals ? strtof(equals + 1, &end) : 0;
    if (!equals || end == equals + 1 || *end || !isfinite(value))
        return fail(e, EXIT_USAGE,
                    "--param: '%s': not NAME=VALUE with a finite number; e.g. scale=0.5, eps=1e-5, "
                    "gamma=FILE.npy",
                    text);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(numbers[i].name, name)) return numbers[i].set(&g->p, value), 0;
    if (!strcmp(name, "log"))
        return fail(e, EXIT_USAGE,
                    "--param: '%s': log_softmax is a separate operation; select it with --filter "
                    "op=log_softmax, or --variant log_softmax/..",
                    text);
    return fail(e, EXIT_USAGE, "--param: '%s': unknown; known: scale, eps, gamma, beta", text);
}

int given_parse(const struct options *o, struct given *g, struct error *e)
{
    *g = (struct given){.p = parameters_default};
    int code = 0;
    for (size_t i = 0; i < o->params.count && !code; i++) {
        const char *text = o->params.items[i], *equals = strchr(text, '=');
        char name[16];
        parameters_name_of(text, name);
        bool is_beta = !strcmp(name, "beta");
        if (equals && (is_beta || !strcmp(name, "gamma"))) {
            struct npy *array = is_beta ? &g->beta : &g->gamma;
            npy_free(array);
            code = read_array(equals + 1, array, e);
        } else {
            code = set_number(g, name, text, e);
        }
    }
    g->p.gamma = g->gamma.data;
    g->p.beta = g->beta.data;
    return code;
}

int given_eps(const struct options *o, double *eps, struct error *e)
{
    struct given given;
    for (size_t i = 0; i < o->params.count; i++)
        if (strncmp(o->params.items[i], "eps=", 4) != 0)
            return fail(e, EXIT_USAGE, "--param: '%s': only eps= is possible here",
                        o->params.items[i]);
    int code = given_parse(o, &given, e);
    *eps = o->params.count ? given.p.eps : 0;
    given_free(&given);
    return code;
}

int given_fits(const struct options *o, const struct variant *v, struct error *e)
{
    for (size_t i = 0; i < o->params.count; i++) {
        char name[16];
        parameters_name_of(o->params.items[i], name);
        if (!parameters_takes(v, name))
            return fail(e, EXIT_USAGE,
                        "--param: %s: %s/%s takes no such parameter; leave the parameter out, or "
                        "exclude the kernel with --filter",
                        name, v->op, v->algorithm);
    }
    return 0;
}

int given_length(const struct given *g, size_t n, struct error *e)
{
    const struct {
        const char *name;
        const struct npy *array;
    } arrays[] = {{"gamma", &g->gamma}, {"beta", &g->beta}};
    for (size_t i = 0; i < 2; i++) {
        const struct npy *a = arrays[i].array;
        if (a->data && a->rows * a->cols != n)
            return fail(
                e, EXIT_BAD_INPUT,
                "--param: %s: %zu values, but rows have %zu elements; give one value per element",
                arrays[i].name, a->rows * a->cols, n);
    }
    return 0;
}

json_t *given_record(const struct parameters *p)
{
    return json_pack("{s:o, s:o, s:b, s:b}", "scale", record_real((double)p->scale), "eps",
                     record_real((double)p->eps), "gamma", p->gamma != NULL, "beta",
                     p->beta != NULL);
}

void given_free(struct given *g)
{
    npy_free(&g->gamma);
    npy_free(&g->beta);
    *g = (struct given){.p = parameters_default};
}

/* ---- A user's function ---------------------------------------------------------------------- */

struct trial_request function_request(const struct options *o, const char *function,
                                      const char *isa)
{
    return (struct trial_request){
        .subject = {.path = o->positional.items[0],
                    .function = function,
                    .flags = o->flags,
                    .compdb = o->compdb},
        .op = o->op,
        .call = o->call,
        .also = o->also.items,
        .also_count = o->also.count,
        .link = o->link.items,
        .link_count = o->link.count,
        .isa = isa,
        .reference = o->ref,
        .reference_call = o->ref_call,
        .scale = o->scale,
        .steps = o->steps,
        .step = o->step.given ? o->step.value : 0,
        .aligned = o->aligned,
        .multiple = o->multiple,
        .columns = o->columns,
        .inputs = o->inputs.items,
        .input_count = o->inputs.count,
    };
}

/* ---- What is timed -------------------------------------------------------------------------- */

struct bench_request timing_options(const struct options *o, const struct npy *input)
{
    return (struct bench_request){.shapes = o->shapes.items,
                                  .shape_count = o->shapes.count,
                                  .n = o->n.items,
                                  .n_count = o->n.count,
                                  .rows = o->rows.items,
                                  .row_count = o->rows.count,
                                  .families = o->families.items,
                                  .family_count = o->families.count,
                                  .threads = (unsigned)o->threads,
                                  .processes = o->processes,
                                  .rounds = o->samples,
                                  .seed = o->seed,
                                  .input = {input->data, input->rows, input->cols}};
}

struct bench_request timing_options_at_one_shape(const struct options *o, const struct npy *input)
{
    static const char *const usual[] = {"2x2048"};
    struct bench_request request = timing_options(o, input);
    if (request.shape_count || request.n_count || request.row_count || input->data) return request;
    request.shapes = usual;
    request.shape_count = 1;
    return request;
}
