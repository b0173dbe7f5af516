// SPDX-License-Identifier: MIT
#include "study/litmus.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "measure/isolate.h"
#include "model/registry.h"

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

/* ---- Expectations --------------------------------------------------------------------------- */

/* Liberties that a compiler may take with arithmetic; strict IEEE arithmetic allows none of
 * them. */
enum liberty {
    STRICT = 0,
    FUSES_EXPRESSIONS = 1, /* a * b + c as one expression of plain C becomes one FMA */
    FUSES_STATEMENTS = 2,  /* t = a * b; t + c, too */
    FUSES_INTRINSICS = 4,  /* _mm256_add_ps(_mm256_mul_ps(a, b), c), too */
    FUSES = FUSES_EXPRESSIONS | FUSES_STATEMENTS | FUSES_INTRINSICS,
    REGROUPS = 8,               /* additions, in plain C and in intrinsics */
    LOSES_NAN_EXPRESSIONS = 16, /* x != x is taken to be false */
    LOSES_NAN_INTRINSICS = 32,  /* _mm256_cmp_ps(x, x, _CMP_UNORD_Q), too */
    LOSES_NAN = LOSES_NAN_EXPRESSIONS | LOSES_NAN_INTRINSICS,
};

/* The expectations with -std=gnu11. `from` and `to` are major versions. gcc 11.3 and 12.2, clang
 * 13.0.1, 14.0.6, 16.0.6, 19.1.7 and 22.1.8 were measured; the versions between are assumed to
 * agree. */
static const struct line {
    const char *family;
    int from, to;
    const char *policy;
    unsigned liberties;
} table[] = {
    {"gcc", 11, 12, "off", STRICT},
    {"gcc", 11, 12, "O2", STRICT},
    {"gcc", 11, 12, "v1", STRICT},
    {"gcc", 11, 12, "on", STRICT}, /* documented: the same as off */
    {"gcc", 11, 12, "fast", FUSES},
    {"gcc", 11, 12, "default", FUSES},
    {"gcc", 11, 12, "reassoc", REGROUPS},
    {"gcc", 11, 12, "fastmath", FUSES | REGROUPS | LOSES_NAN_EXPRESSIONS},
    {"clang", 13, 22, "off", STRICT},
    {"clang", 13, 22, "O2", STRICT},
    {"clang", 13, 22, "v1", STRICT},
    {"clang", 13, 22, "on", FUSES_EXPRESSIONS},
    {"clang", 13, 22, "fast", FUSES},
    {"clang", 13, 13, "default", STRICT}, /* LLVM 14 made it the same as on */
    {"clang", 14, 22, "default", FUSES_EXPRESSIONS},
    {"clang", 13, 22, "reassoc", REGROUPS},
    {"clang", 13, 22, "fastmath", FUSES | REGROUPS | LOSES_NAN},
};

static struct probe_result result_of(unsigned liberties, bool scalar)
{
    bool fuses_expressions = liberties & FUSES_EXPRESSIONS;
    bool finds_nan_in_expression = !(liberties & LOSES_NAN_EXPRESSIONS);
    bool finds_nan_in_intrinsics = !(liberties & LOSES_NAN_INTRINSICS);
    /* The scalar vocabulary is plain C: v_mad is an expression, v_unord a comparison. */
    return (struct probe_result){
        .contracts = scalar ? fuses_expressions : (liberties & FUSES_INTRINSICS) != 0,
        .contracts_in_expression = fuses_expressions,
        .contracts_across_statements = liberties & FUSES_STATEMENTS,
        .reassociates = liberties & REGROUPS,
        .deletes_rounding = liberties & REGROUPS,
        .honours_nan = scalar ? finds_nan_in_expression : finds_nan_in_intrinsics,
        .honours_nan_in_expression = finds_nan_in_expression,
        /* FTZ and DAZ come with a flag on the link line, and policies are flags of compilations. */
        .honours_subnormals = true,
    };
}

/* The line of that version, or where it is newer than all, the newest; NULL. */
static const struct line *find_line(const char *family, int major, const char *policy)
{
    const struct line *newest = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct line *l = &table[i];
        if (strcmp(l->family, family) || strcmp(l->policy, policy)) continue;
        if (l->from <= major && major <= l->to) return l;
        if (!newest || l->to > newest->to) newest = l;
    }
    return newest && major > newest->to ? newest : NULL;
}

enum knowledge expectation_of(const char *cc, const char *version, const char *isa,
                              const char *policy, struct probe_result *expected)
{
    const char *family = strstr(cc, "clang") ? "clang" : strstr(cc, "gcc") ? "gcc" : "";
    const int major = atoi(version);
    const struct line *l = find_line(family, major, policy);
    if (!l) return UNLISTED;
    const bool sse = !strcmp(isa, "sse"); /* which has no FMA */
    *expected =
        result_of(sse ? l->liberties & ~(unsigned)FUSES : l->liberties, !strcmp(isa, "scalar"));
    /* gcc takes SSE's intrinsics of comparison for comparisons in C. */
    if (sse && !strcmp(family, "gcc")) expected->honours_nan = expected->honours_nan_in_expression;
    return major > l->to ? NEWER : LISTED;
}

int expectation_newest(const char *family)
{
    int newest = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].family, family) && table[i].to > newest) newest = table[i].to;
    return newest;
}

const char *knowledge_name(enum knowledge k)
{
    static const char *const names[] = {"unlisted", "newer", "listed"};
    return names[k];
}

bool default_fuses_expressions(const char *cc)
{
    struct probe_result r;
    return !expectation_of(cc, expectation_version(cc), "scalar", "default", &r) ||
           r.contracts_in_expression;
}

const char *expectation_version(const char *cc)
{
    for (size_t i = 0; i < build_compiler_count; i++)
        if (!strcmp(build_compilers[i].cc, cc)) return build_compilers[i].version;
    return "";
}
