// SPDX-License-Identifier: MIT
#include "study/litmus.h"

#include <stdio.h>
#include <string.h>

#include "measure/isolate.h"
#include "model/registry.h"
#include "study/expectation.h"

static const struct field {
    const char *name;
    size_t offset; /* in struct probe_result */
} fields[] = {
#define FIELD(name)                                                                                \
    {                                                                                              \
#name, offsetof(struct probe_result, name)                                                 \
    }
    FIELD(contracts),
    FIELD(contracts_in_expression),
    FIELD(contracts_across_statements),
    FIELD(reassociates),
    FIELD(deletes_rounding),
    FIELD(honours_nan),
    FIELD(honours_nan_in_expression),
    FIELD(honours_subnormals),
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof *fields, SILENCE_S = 10 };

static bool litmus_value_of(const struct probe_result *r, const struct field *f)
{
    return *(const bool *)((const char *)r + f->offset);
}

const struct build_record *litmus_regime(const char *cc, const char *isa, const char *policy)
{
    for (size_t i = 0; i < probe_record_count; i++) {
        const struct build_record *b = &probe_records[i];
        if (!strcmp(b->cc, cc) && !strcmp(b->isa, isa) && !strcmp(b->policy, policy)) return b;
    }
    return NULL;
}

static void run_in_child(void *context, int channel)
{
    const struct litmus *litmus = context;
    struct probe_result result;
    litmus->regime->probe->run(&result);
    isolate_send(channel, &result, sizeof result);
}

static void litmus_receive(void *context, const void *message, size_t size)
{
    struct litmus *litmus = context;
    if (size == sizeof litmus->observed) memcpy(&litmus->observed, message, size);
}

/* Writes where the observation differs from the table; "" where it agrees, or where the table says
 * nothing. */
static void litmus_compare(struct litmus *litmus)
{
    size_t used = 0;
    for (size_t i = 0; i < FIELDS && litmus->known && used < sizeof litmus->disagreement; i++) {
        bool observed = litmus_value_of(&litmus->observed, &fields[i]);
        if (observed == litmus_value_of(&litmus->expected, &fields[i])) continue;
        used += (size_t)snprintf(litmus->disagreement + used, sizeof litmus->disagreement - used,
                                 "%s%s: expected %s, observed %s", used ? "; " : "", fields[i].name,
                                 observed ? "false" : "true", observed ? "true" : "false");
    }
}

void litmus_run(const struct build_record *regime, const char *skip_reason, struct litmus *litmus)
{
    *litmus = (struct litmus){.regime = regime};
    litmus->known = expectation_of(regime->cc, expectation_version(regime->cc), regime->isa,
                                   regime->policy, &litmus->expected);
    if (!regime->probe) {
        litmus->status =
            status_of_unbuilt(regime->build_error, litmus->reason, sizeof litmus->reason);
    } else if (skip_reason) {
        litmus->status = STATUS_SKIPPED;
        snprintf(litmus->reason, sizeof litmus->reason, "%s", skip_reason);
    } else {
        litmus->status = isolate_run(run_in_child, litmus_receive, litmus, SILENCE_S);
        if (litmus->status == STATUS_OK) litmus_compare(litmus);
    }
}

static json_t *result_record(const struct probe_result *r, bool known)
{
    if (!known) return json_null();
    json_t *object = json_object();
    for (size_t i = 0; i < FIELDS; i++)
        json_object_set_new(object, fields[i].name, json_boolean(litmus_value_of(r, &fields[i])));
    return object;
}

json_t *litmus_observed(const struct litmus *litmus)
{
    return result_record(&litmus->observed, litmus->status == STATUS_OK);
}

json_t *litmus_record(const struct litmus *l)
{
    const struct build_record *r = l->regime;
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:s}", "record", "litmus", "isa",
        r->isa, "cc", r->cc, "version", expectation_version(r->cc), "policy", r->policy, "status",
        status_name(l->status), "reason", l->reason, "observed", litmus_observed(l), "expected",
        result_record(&l->expected, l->known), "expectation", knowledge_name(l->known),
        "consistent",
        l->status == STATUS_OK ? json_boolean(l->known != LISTED || !l->disagreement[0])
                               : json_null(),
        "why", l->disagreement);
}
