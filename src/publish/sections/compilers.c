/* What the compilers did: fused multiply-adds by disassembly, and what a litmus observed. */
#include <string.h>

#include "model/record.h"
#include "publish/sections/sections.h"

static const char *yes_no(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "-";
}

/* One compiler under one policy. */
struct compiled {
    size_t fused[AXIS_MAX], all[AXIS_MAX]; /* by ISA: kernels whose arithmetic the policy decides */
    size_t inconsistent, records;
    const json_t *observed;
};

static void add_record(const struct report *r, struct compiled *c, const struct axes *a,
                       const json_t *record)
{
    bool decided = !strcmp(record_text(record, "arithmetic"), "policy");
    c->records++;
    c->inconsistent += json_is_false(json_object_get(record, "consistent"));
    if (!c->observed || !strcmp(a->isa, "avx2")) c->observed = json_object_get(record, "observed");
    for (size_t k = 0; decided && k < r->present.isas.count; k++)
        if (!strcmp(a->isa, r->present.isas.items[k])) {
            c->all[k]++;
            c->fused[k] += json_number_value(json_object_get(record, "fma")) > 0;
        }
}

static struct compiled collect(const struct report *r, const char *cc, const char *policy)
{
    struct compiled c = {.records = 0};
    const json_t *record;
    size_t i;
    json_array_foreach(r->results.codegen, i, record)
    {
        struct axes a;
        if (!strcmp(record_text(record, "record"), "codegen") &&
            axes_parse(record_text(record, "id"), &a) && !strcmp(a.cc, cc) &&
            !strcmp(a.policy, policy))
            add_record(r, &c, &a, record);
    }
    return c;
}

static void write_row(const struct report *r, struct doc *d, const char *cc, const char *policy)
{
    static const char *const questions[] = {"contracts", "reassociates", "honours_nan",
                                            "honours_subnormals"};
    struct compiled c = collect(r, cc, policy);
    if (!c.records) return;
    doc_row_of(d, NULL, cc);
    doc_cell(d, "%s", cc);
    doc_cell(d, "`%s`", policy);
    for (size_t k = 0; k < r->present.isas.count; k++)
        doc_cell(d, "%zu / %zu", c.fused[k], c.all[k]);
    for (size_t k = 0; k < 4; k++) doc_cell(d, "%s", yes_no(c.observed, questions[k]));
    if (c.inconsistent)
        doc_shaded(d, "d3", "**no**: %zu in codegen.jsonl", c.inconsistent);
    else
        doc_cell(d, "yes");
    doc_row_end(d);
}

void section_compilers(const struct report *r, struct doc *d)
{
    static const char *const observed[] = {"contracts", "reassociates", "honours NaN",
                                           "honours subnormals", "as expected"};
    const char *heads[AXIS_MAX + 8] = {"compiler", "policy"};
    size_t count = 2;
    for (size_t k = 0; k < r->present.isas.count; k++) heads[count++] = r->present.isas.items[k];
    for (size_t k = 0; k < 5; k++) heads[count++] = observed[k];
    doc_text(d, "Kernels whose machine code has fused multiply-adds, of those whose arithmetic the "
                "policy decides, by disassembly and ISA (with any / all); and what a litmus "
                "observed by values.");
    doc_table(d, heads);
    for (size_t c = 0; c < r->present.ccs.count; c++)
        for (size_t k = 0; k < r->present.policies.count; k++)
            write_row(r, d, r->present.ccs.items[c], r->present.policies.items[k]);
    doc_table_end(d);
}
