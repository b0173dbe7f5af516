#include "publish/sections/sections.h"

static size_t always(const struct report *r)
{
    (void)r;
    return 1;
}
static size_t count_variants(const struct report *r)
{
    return r->summaries.count;
}
static size_t count_times(const struct report *r)
{
    return r->results.timing_count;
}
static size_t count_accuracies(const struct report *r)
{
    return r->results.accuracy_count;
}
static size_t count_codegen(const struct report *r)
{
    return json_array_size(r->results.codegen);
}
static size_t count_cases(const struct report *r)
{
    return json_array_size(r->cases);
}

enum { PAGE_ONLY = false, BOTH = true };
const struct section sections[] = {
    {"answer", "The answer", "Answer", BOTH, always, section_answer},
    {"own", "Your own kernels", "Yours", BOTH, own_records, section_own},
    {"kernels", "Operation by operation", "Kernels", BOTH, always, section_kernels},
    {"field", "Against the field", "Field", BOTH, field_records, section_field},
    {"vectors", "Vector math", "Vector math", BOTH, vectors_records, section_vectors},
    {"policy", "What the policy costs and buys", "Policies", BOTH, count_variants,
     section_policies},
    {"contraction", "What contraction is worth", NULL, BOTH, contraction_records,
     section_contraction},
    {"isa", "What the ISA buys", "ISA", BOTH, count_times, section_isas},
    {"compilers", "What the compilers did", "Compilers", BOTH, count_codegen, section_compilers},
    {"reach", "How near to the limit", "Limits", BOTH, reach_records, section_reach},
    {"limits", "Beside what the machine allows", NULL, PAGE_ONLY, limits_records, section_limits},
    {"speed", "Speed by size", "Speed by size", PAGE_ONLY, count_times, section_speed},
    {"errors", "The error distribution", "Errors", PAGE_ONLY, count_accuracies, section_errors},
    {"variants", "All variants", "All variants", PAGE_ONLY, count_variants, section_variants},
    {"bits", "Who agrees bit for bit", "Bits", PAGE_ONLY, count_accuracies, section_bits},
    {"divergence", "What bits depend on", NULL, PAGE_ONLY, divergence_records, section_divergence},
    {"invariant", "What equal bits cost", NULL, PAGE_ONLY, invariant_records, section_invariant},
    {"bounds", "Measured over proven bound", "Bounds", PAGE_ONLY, bounds_records, section_bounds},
    {"search", "Worst inputs found", NULL, PAGE_ONLY, searches_records, section_searches},
    {"scan", "Every fp32 input", "Scans", PAGE_ONLY, scans_records, section_scans},
    {"certificate", "The oracle's own error", NULL, PAGE_ONLY, certificate_records,
     section_certificate},
    {"ways", "Which way rows go", NULL, PAGE_ONLY, ways_records, section_ways},
    {"cores", "All cores", "Cores", PAGE_ONLY, cores_records, section_cores},
    {"cases", "Case studies", "Cases", PAGE_ONLY, count_cases, section_cases},
    {"machine", "The machine", "Machine", BOTH, always, section_machine},
    {"missing", "What was not measured, and what fell", "Missing", BOTH, always, section_missing},
    {0},
};

sqlite3_stmt *section_ask(const struct report *r, struct doc *d, const char *sql)
{
    sqlite3_stmt *s = NULL;
    struct error e;
    if (lab_prepare(&r->db, sql, &s, &e)) doc_text(d, "%s", e.text);
    return s;
}

void section_write(const struct section *s, const struct report *r, struct doc *d)
{
    if (!s->count_records(r)) return;
    doc_section(d, s->id, s->title);
    s->write(r, d);
    doc_section_end(d);
}
