// SPDX-License-Identifier: MIT
/* list: all variants, and why one cannot run here. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/common.h"
#include "measure/peers.h"
#include "measure/work.h"
#include "model/coverage.h"
#include "model/record.h"
#include "model/registry.h"
#include "publish/render/table.h"

/* Returns the version of the library that the variant calls or is compiled from; "" if the lab does
 * not know it. */
static const char *list_version_of(const struct variant *v)
{
    return v->peer ? v->peer->version : v->build->library;
}

static json_t *list_row_of(const struct variant *v)
{
    static const char *const arithmetics[] = {[ARITHMETIC_POLICY] = "policy",
                                              [ARITHMETIC_EXPLICIT] = "explicit",
                                              [ARITHMETIC_LIBRARY] = "library"};
    const struct kernel *k = v->kernel;
    const char *version = list_version_of(v);
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, v->build->code_hash);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:s?, s:s?}", "id",
        v->id, "op", v->op, "algorithm", v->algorithm, "dtype", v->dtype, "isa", v->isa, "cc",
        v->cc, "policy", v->policy, "status", status_name(v->status), "reason", v->reason,
        "arithmetic", k ? json_string(arithmetics[k->arithmetic]) : json_null(), "hazard",
        k ? json_boolean(k->hazard) : json_null(), "command", v->build->command, "object",
        v->build->object, "version", version[0] ? version : NULL, "code_hash",
        v->build->code_hash ? hash : NULL);
}

/* Prints the objects that this build lacks because it was not asked for them, a line for each axis.
 */
static void print_absences(const struct registry *r, const struct absences *a)
{
    struct gap gaps[GAPS_MAX];
    const size_t count = coverage_gaps(r, r->count, a, gaps);
    if (count)
        printf("%zu more are not built, because the build was not asked for them. 'make' builds "
               "all, 'make run RUN=--full' those that this CPU can run:\n",
               a->count);
    for (size_t i = 0; i < count; i++)
        printf("  %zu of %s%s%s%s\n", gaps[i].variants, gaps[i].what, *gaps[i].values ? "=" : "",
               gaps[i].values, gaps[i].runs_here ? "" : ", which this CPU cannot run");
}

static json_t *absence_ids(const struct absences *a)
{
    json_t *ids = json_array();
    for (size_t i = 0; i < a->count; i++)
        json_array_append_new(ids, json_string(a->variants[i].id));
    return ids;
}

int cmd_list(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    int code = cpu_detect(&cpu, o->hide_isa, e);
    if (!code) code = registry_open_peers(&r, &cpu, o->filters.items, o->filters.count, true, e);
    if (code) return code;
    struct absences absences;
    code = absences_open(&absences, &cpu, o->filters.items, o->filters.count, e);
    if (code) return registry_close(&r), code;
    peers_probe(&r);

    if (o->json) {
        json_t *document = new_document(&cpu), *variants = json_array();
        for (size_t i = 0; i < r.count; i++)
            json_array_append_new(variants, list_row_of(&r.variants[i]));
        json_object_set_new(document, "variants", variants);
        json_object_set_new(document, "not_built", absence_ids(&absences));
        json_object_set_new(document, "bench_protocol", json_integer(WORK_PROTOCOL));
        code = record_print(document, e);
    } else {
        struct terminal terminal = terminal_of(stdout);
        if (!terminal.columns) terminal.columns = SIZE_MAX; /* in a pipe no line is wrapped */
        size_t runnable = 0;
        for (size_t i = 0; i < r.count; i++) {
            const struct variant *v = &r.variants[i];
            const char *more = v->reason[0] ? v->reason : list_version_of(v);
            write_prose(stdout, terminal, 4, "%-76s %s%s%s", v->id, status_name(v->status),
                        more[0] ? ": " : "", more);
            runnable += v->status == STATUS_OK;
        }
        if (!o->quiet) printf("%zu variants, %zu can run here\n", r.count, runnable);
        if (!o->quiet) print_absences(&r, &absences);
    }
    absences_close(&absences);
    registry_close(&r);
    return code;
}
