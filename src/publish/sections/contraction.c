/* What contraction is worth: on the kernels whose arithmetic the policy decides, and beside those
 * that write their FMAs out, which no policy reaches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "model/registry.h"
#include "publish/analyse/effect.h"
#include "publish/sections/sections.h"

/* What a kernel's codegen record calls its arithmetic: "policy", "explicit", "library"; or "". */
static const char *arithmetic_of(const struct results *r, const struct axes *a)
{
    const json_t *record;
    size_t i;
    json_array_foreach(r->codegen, i, record)
    {
        struct axes other;
        const char *name = record_text(record, "arithmetic");
        if (*name && axes_parse(record_text(record, "id"), &other) &&
            !strcmp(other.group, a->group) && !strcmp(other.algorithm, a->algorithm))
            return name;
    }
    return "";
}

/* By kernel, looked up once. */
struct known {
    struct {
        char group[44], algorithm[40];
        const char *arithmetic;
    } kernels[256];
    size_t count;
    const struct results *results;
};

static const char *look_up(struct known *k, const struct axes *a)
{
    size_t i = 0;
    while (i < k->count &&
           (strcmp(k->kernels[i].group, a->group) || strcmp(k->kernels[i].algorithm, a->algorithm)))
        i++;
    if (i < k->count) return k->kernels[i].arithmetic;
    const char *arithmetic = arithmetic_of(k->results, a);
    if (i < sizeof k->kernels / sizeof *k->kernels) {
        snprintf(k->kernels[i].group, sizeof k->kernels[i].group, "%s", a->group);
        snprintf(k->kernels[i].algorithm, sizeof k->kernels[i].algorithm, "%s", a->algorithm);
        k->kernels[i].arithmetic = arithmetic;
        k->count++;
    }
    return arithmetic;
}

struct reached {
    struct known *known;
    const char *isa;
};

static bool is_reached(const void *context, const struct axes *a)
{
    const struct reached *reached = context;
    return !strcmp(a->isa, reached->isa) && !strcmp(look_up(reached->known, a), "policy");
}

/* The fastest at the home shape; policy NULL: any that promises something. */
static const struct summary *fastest(const struct report *r, struct known *known, const char *op,
                                     const char *isa, const char *arithmetic, const char *policy)
{
    const struct summary *best = NULL;
    for (size_t i = 0; i < r->summaries.count; i++) {
        const struct summary *v = &r->summaries.items[i];
        bool asked = policy ? !strcmp(v->axes.policy, policy)
                            : policy_promises(v->axes.policy) != PROMISES_NOTHING;
        if (!asked || strcmp(v->axes.group, op) || strcmp(v->axes.isa, isa) ||
            !summary_keeps_promises(v) || !v->home || !(v->home->ns_per_element > 0) ||
            strcmp(look_up(known, &v->axes), arithmetic))
            continue;
        if (!best || v->home->ns_per_element < best->home->ns_per_element) best = v;
    }
    return best;
}

static void write_fastest(struct doc *d, const struct summary *v)
{
    if (v)
        doc_cell(d, "%.3f %s %s", v->home->ns_per_element, v->axes.algorithm, v->axes.cc);
    else
        doc_cell(d, "-");
}

static double time_of(const struct summary *v)
{
    return v ? v->home->ns_per_element : NAN;
}

static void write_row(const struct report *r, struct known *known, const char *op, const char *isa,
                      struct doc *d)
{
    struct reached reached = {known, isa};
    struct effect worth = effect_on_time(&r->results, (struct effect_of){.axis = "policy",
                                                                         .from = "off",
                                                                         .to = "fast",
                                                                         .op = op,
                                                                         .takes = is_reached,
                                                                         .context = &reached});
    const struct summary *off = fastest(r, known, op, isa, "policy", "off");
    const struct summary *fast = fastest(r, known, op, isa, "policy", "fast");
    const struct summary *proof = fastest(r, known, op, isa, "explicit", NULL);
    if (!worth.pairs && !proof) return;
    doc_row(d);
    doc_cell(d, "%s", op);
    doc_cell(d, "%s", isa);
    if (worth.pairs)
        doc_cell(d, "%.3f%s (%.2f to %.2f; %zu%s)", worth.geomean, effect_interval(&worth).text,
                 worth.p5, worth.p95, worth.pairs, effect_left_out(&worth).text);
    else
        doc_cell(d, "-");
    write_fastest(d, off);
    write_fastest(d, fast);
    doc_number(d, time_of(off) / time_of(fast));
    write_fastest(d, proof);
    doc_number(d, time_of(off) / time_of(proof));
    doc_number(d, time_of(fast) / time_of(proof));
    doc_row_end(d);
}

size_t contraction_records(const struct report *r)
{
    struct known *known = memory_zeroed(1, sizeof *known);
    size_t count = 0;
    known->results = &r->results;
    for (size_t i = 0; !count && i < r->results.timing_count; i++)
        count += !strcmp(look_up(known, &r->results.timings[i].axes), "policy");
    free(known);
    return count;
}

void section_contraction(const struct report *r, struct doc *d)
{
    static const char *const isas[] = {"scalar", "avx2", "avx512"};
    static const char *const heads[] = {"operation",
                                        "ISA",
                                        "fast / off [95%] (middle 90%; pairs)",
                                        "fastest under off",
                                        "fastest under fast",
                                        "gain",
                                        "policy-proof",
                                        "against off",
                                        "against fast",
                                        NULL};
    struct known *known = memory_zeroed(1, sizeof *known);
    known->results = &r->results;
    doc_text(d,
             "Of the kernels whose multiplications and additions the policy may fuse: the speed "
             "under fast over that under off, over every shape and compiler; and at the shape of "
             "the first table (%zu rows of %zu) the fastest of them under either, in ns per "
             "element, and what fusing gains its users. Beside them the fastest kernel that "
             "writes its FMAs out: no policy fuses or splits them, so that it is as fast under "
             "off, and its speed over that of the two.",
             r->summaries.home_rows, r->summaries.home_n);
    doc_table(d, heads);
    for (size_t o = 0; o < r->present.ops.count; o++)
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
            write_row(r, known, r->present.ops.items[o], isas[i], d);
    doc_table_end(d);
    free(known);
}
