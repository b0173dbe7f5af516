// SPDX-License-Identifier: MIT
#include "study/codegen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/memory.h"
#include "model/fp_flags.h"
#include "study/litmus.h"

enum { WHY_MAX = 300 };

/* ---- Declared against witnessed -------------------------------------------------------------- */

static bool codegen_has_word(const char *line, const char *word)
{
    char other[WORD_MAX];
    while ((line = line_next_word(line, other)))
        if (!strcmp(other, word)) return true;
    return false;
}

static bool begins(const char *word, const char *prefix)
{
    return !strncmp(word, prefix, strlen(prefix));
}

/* Returns whether the flag affects arithmetic. Flags that neither compiler records do not count. */
static bool is_code_flag(const char *word)
{
    static const char *const unrecorded[] = {"-frecord-", "-fsanitize", "-fno-sanitize"};
    for (size_t i = 0; i < sizeof unrecorded / sizeof *unrecorded; i++)
        if (begins(word, unrecorded[i])) return false;
    return begins(word, "-f") || begins(word, "-m") || begins(word, "-O") || begins(word, "-std=");
}

/* Returns whether a flag of the rest of the line overrides this one, as -mtune=X or -O2 do: gcc
 * keeps no record of it; for =native gcc records the CPU's name. */
static bool is_superseded(const char *word, const char *rest)
{
    char later[WORD_MAX];
    const char *equals = strchr(word, '=');
    const size_t option = begins(word, "-O") ? 2
                          : equals           ? (size_t)(equals + 1 - word)
                                             : strlen(word);
    if (!strcmp(word + option, "native")) return true;
    while (word[option] && (rest = line_next_word(rest, later)))
        if (!strncmp(later, word, option)) return true;
    return false;
}

/* Returns whether the word was witnessed; clang records its own names for two of gcc's flags. */
static bool was_witnessed(const char *witnessed, const char *word)
{
    static const char *const aliases[][2] = {
        {"-fno-tree-vectorize", "-fno-vectorize"},
        {"-fno-tree-slp-vectorize", "-fno-slp-vectorize"},
    };
    if (codegen_has_word(witnessed, word)) return true;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (!strcmp(aliases[i][0], word)) return codegen_has_word(witnessed, aliases[i][1]);
    return false;
}

/* Returns whether the flag is a contraction, and the build of a kernel that leaves nothing to fuse
 * has the object of an earlier policy, whose contraction was witnessed (scripts/compile-kernel). */
static bool is_of_shared_object(const struct variant *v, const char *word)
{
    const struct build_record *b = v->build, *o = build_records;
    const char *contraction = strstr(b->witnessed, "-ffp-contract");
    char own[WORD_MAX];
    if (!v->kernel || !contraction || !begins(word, "-ffp-contract") ||
        v->kernel->arithmetic != ARITHMETIC_EXPLICIT)
        return false;
    line_next_word(contraction, own);
    for (; o < build_records + build_record_count && o != b; o++)
        if (!strcmp(o->source, b->source) && !strcmp(o->dtype, b->dtype) &&
            !strcmp(o->isa, b->isa) && !strcmp(o->cc, b->cc) && o->code_hash == b->code_hash &&
            !strcmp(o->witnessed, b->witnessed) && codegen_has_word(o->command, own))
            return true;
    return false;
}

static bool declared_is_witnessed(const struct variant *v, const struct litmus *l, char *why)
{
    (void)l;
    char word[WORD_MAX];
    for (const char *line = v->build->command; (line = line_next_word(line, word));)
        if (is_code_flag(word) && !is_superseded(word, line) &&
            !was_witnessed(v->build->witnessed, word) && !is_of_shared_object(v, word)) {
            snprintf(why, WHY_MAX, "declared %s, which the compiler did not record", word);
            return false;
        }
    return true;
}

/* Returns whether the witnessed flags are the declared ones. An environment variable
 * (CCC_OVERRIDE_OPTIONS), a wrapper or a spec file can add others. */
static bool witnessed_is_declared(const struct variant *v, const struct litmus *l, char *why)
{
    (void)l;
    char word[WORD_MAX];
    for (const char *line = v->build->witnessed; (line = line_next_word(line, word));)
        if ((begins(word, "-O") || fp_flag_is(word)) &&
            !codegen_has_word(v->build->command, word) && !is_of_shared_object(v, word)) {
            snprintf(why, WHY_MAX, "recorded %s, which was not declared", word);
            return false;
        }
    return true;
}

/* ---- Observed, and the instructions themselves ----------------------------------------------- */

static bool litmus_is_expected(const struct variant *v, const struct litmus *l, char *why)
{
    (void)v;
    if (l->known != LISTED || !l->disagreement[0]) return true;
    snprintf(why, WHY_MAX, "litmus: %s", l->disagreement);
    return false;
}

static bool code_is_decoded(const struct variant *v, const struct litmus *l, char *why)
{
    (void)l;
    if (!v->build->counts.undecoded) return true;
    snprintf(why, WHY_MAX, "%u bytes of its code are unknown instructions: counts are too low",
             v->build->counts.undecoded);
    return false;
}

/* Returns whether this build's regime fuses no more than the one that `expected` belongs to. A
 * regime that regroups does not count: it makes FMAs where the source has none, as around an
 * approximate quotient. */
static bool fuses_no_more(const struct build_record *b, const struct probe_result *expected)
{
    struct probe_result other;
    return expectation_of(b->cc, expectation_version(b->cc), b->isa, b->policy, &other) &&
           !other.reassociates &&
           (expected->contracts_across_statements || !other.contracts_across_statements);
}

/* Returns whether any compiler, under a policy that fuses no more, finds something to fuse in this
 * source for this ISA. A compiler that fuses within expressions does not fuse a multiplication and
 * an addition in two statements. */
static bool has_something_to_fuse(const struct build_record *b, const struct probe_result *expected)
{
    for (size_t i = 0; i < build_record_count; i++)
        if (build_records[i].counts.fma && !strcmp(build_records[i].source, b->source) &&
            !strcmp(build_records[i].isa, b->isa) && fuses_no_more(&build_records[i], expected))
            return true;
    return false;
}

static bool policy_code_is_expected(const struct variant *v, const struct litmus *l, char *why)
{
    const struct code_counts *c = &v->build->counts;
    unsigned packed = c->fma - c->fma_scalar, written = v->kernel->written_fma * c->div;
    if (l->known != LISTED) return true;
    if (l->expected.contracts) {
        if (c->fma || !has_something_to_fuse(v->build, &l->expected)) return true;
        snprintf(why, WHY_MAX, "no FMA, though %s contracts under %s", v->cc, v->policy);
    } else if (!l->expected.contracts_in_expression) {
        if (c->fma <= written) return true;
        snprintf(why, WHY_MAX,
                 "%u FMA, though %s contracts nothing under %s; a kernel with explicit FMAs must "
                 "declare them: .arithmetic, .written_fma",
                 c->fma, v->cc, v->policy);
    } else {
        if (packed <= written || v->kernel->expressions) return true;
        snprintf(why, WHY_MAX, "%u packed FMA, though %s contracts no intrinsics under %s", packed,
                 v->cc, v->policy);
    }
    return false;
}

static bool explicit_code_is_expected(const struct variant *v, const struct litmus *l, char *why)
{
    (void)l;
    if (v->build->counts.fma) return true;
    snprintf(why, WHY_MAX, "no FMA, though the kernel declares explicit ones");
    return false;
}

static bool code_is_expected(const struct variant *v, const struct litmus *l, char *why)
{
    switch (v->kernel->arithmetic) {
    case ARITHMETIC_POLICY:
        return policy_code_is_expected(v, l, why);
    case ARITHMETIC_EXPLICIT:
        return explicit_code_is_expected(v, l, why);
    case ARITHMETIC_LIBRARY: /* the library that computes is not in this object */
        return true;
    }
    return true;
}

static bool is_consistent(const struct variant *v, const struct litmus *l, char *why)
{
    static bool (*const rules[])(const struct variant *, const struct litmus *, char *) = {
        declared_is_witnessed, witnessed_is_declared, litmus_is_expected,
        code_is_decoded,       code_is_expected,
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!rules[i](v, l, why)) return false;
    return true;
}

/* ---- Records --------------------------------------------------------------------------------- */

struct examination {
    struct litmus *litmuses; /* one per regime met, in the order of probe_records */
    bool *met;
    size_t inconsistent, crashed;
    char first[ID_MAX + WHY_MAX + 8]; /* the first inconsistency */
};

static json_t *unbuilt_record(const struct variant *v)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:n, s:n, s:n, s:n, s:n, s:n, s:s, s:s, s:n, s:n}",
                     "record", "codegen", "id", v->id, "status", status_name(v->status), "reason",
                     v->reason, "fma", "mul", "add", "div", "ymm", "zmm", "declared",
                     v->build->command, "witnessed", "", "observed", "consistent");
}

static json_t *variant_record(struct examination *s, const struct variant *v,
                              const struct litmus *l)
{
    static const char *const arithmetics[] = {[ARITHMETIC_POLICY] = "policy",
                                              [ARITHMETIC_EXPLICIT] = "explicit",
                                              [ARITHMETIC_LIBRARY] = "library"};
    const struct code_counts *c = &v->build->counts;
    char why[WHY_MAX] = "", hash[20];
    bool consistent = is_consistent(v, l, why);
    snprintf(hash, sizeof hash, "%016" PRIx64, v->build->code_hash);
    if (!consistent && !s->inconsistent++)
        snprintf(s->first, sizeof s->first, "%s: %s", v->id, why);
    json_t *record = json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "record", "codegen", "id",
        v->id, "status", status_name(v->status), "reason", v->reason, "fma", (int)c->fma, "mul",
        (int)c->mul, "add", (int)c->add, "div", (int)c->div, "ymm", (int)c->ymm, "zmm", (int)c->zmm,
        "fma_scalar", (int)c->fma_scalar, "undecoded", (int)c->undecoded);
    json_t *rest = json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:b, s:s}", "arithmetic",
                             arithmetics[v->kernel->arithmetic], "code_hash", hash, "declared",
                             v->build->command, "witnessed", v->build->witnessed, "observed",
                             litmus_observed(l), "expectation", knowledge_name(l->known),
                             "consistent", consistent, "why", why);
    json_object_update_new(record, rest);
    return record;
}

/* Returns the regime's litmus, which runs at the first use; for a regime whose litmus was not
 * built, as in a build of single objects, an empty one after all others. */
static const struct litmus *litmus_of(struct examination *s, const struct variant *v)
{
    const struct build_record *regime = litmus_regime(v->cc, v->isa, v->policy);
    const size_t i = regime ? (size_t)(regime - probe_records) : probe_record_count;
    if (!regime) s->litmuses[i].status = STATUS_UNBUILT;
    if (regime && !s->met[i]) {
        s->met[i] = true;
        litmus_run(regime, v->status == STATUS_SKIPPED ? v->reason : NULL, &s->litmuses[i]);
        s->crashed += status_is_partial(s->litmuses[i].status);
    }
    return &s->litmuses[i];
}

static int put_litmuses(struct examination *s, const struct registry *r, struct record_sink sink,
                        struct error *e)
{
    for (size_t i = 0; i < r->count && !interrupt_requested(); i++)
        if (r->variants[i].kernel && !r->variants[i].peer) litmus_of(s, &r->variants[i]);
    int code = interrupt_requested();
    for (size_t i = 0; i < probe_record_count && !code; i++)
        if (s->met[i]) code = sink.put(sink.context, litmus_record(&s->litmuses[i]), e);
    return code;
}

static int put_variants(struct examination *s, const struct registry *r, struct record_sink sink,
                        struct error *e)
{
    int code = 0;
    for (size_t i = 0; i < r->count && !code; i++) {
        const struct variant *v = &r->variants[i];
        if (v->peer) continue; /* a library is no code of this build */
        json_t *record = v->kernel ? variant_record(s, v, litmus_of(s, v)) : unbuilt_record(v);
        code = sink.put(sink.context, record, e);
    }
    return code;
}

static int codegen_verdict(const struct examination *s, struct error *e)
{
    if (s->inconsistent)
        return fail(e, EXIT_GATE, "codegen: %s (%zu such variants); 'ulplab codegen' lists them",
                    s->first, s->inconsistent);
    if (s->crashed)
        return fail(e, EXIT_PARTIAL, "codegen: %zu litmus kernels crashed; see their status",
                    s->crashed);
    return 0;
}

int codegen_run(const struct registry *r, struct record_sink sink, struct error *e)
{
    struct examination s = {.litmuses = memory_zeroed(probe_record_count + 1, sizeof *s.litmuses),
                            .met = memory_zeroed(probe_record_count + 1, sizeof *s.met)};
    int code = put_litmuses(&s, r, sink, e);
    if (!code) code = put_variants(&s, r, sink, e);
    if (!code) code = codegen_verdict(&s, e);
    free(s.litmuses);
    free(s.met);
    return code;
}
