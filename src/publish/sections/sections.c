#include "publish/sections/sections.h"
#include "publish/sql/sql.h"

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
static size_t count_cases(const struct report *r)
{
    return json_array_size(r->cases);
}

static const char own_words[] =
    "Kernels of your own (KERNELS=), at the shape that most of their builds were timed at; errors "
    "are over all families.";
static const struct query_column own_columns[] = {{"kernel", CELL_KERNEL},
                                                  {"build", CELL_BUILD},
                                                  {"status", CELL_STATUS},
                                                  {"rows", CELL_SHAPE},
                                                  {"ns/element", CELL_TIME},
                                                  {"% of limit", CELL_PERCENT},
                                                  {"time / fastest advised", CELL_NUMBER},
                                                  {"max error", CELL_ERROR},
                                                  {"lost", CELL_TEXT},
                                                  {NULL, CELL_TEXT}};
static const char compiler_words[] =
    "Kernels whose machine code has fused multiply-adds, of those whose arithmetic the policy "
    "decides, by disassembly and ISA (with any / all); and what a litmus observed by values.";
static const struct query_column compiler_columns[] = {{"compiler", CELL_COMPILER},
                                                       {"policy", CELL_CODE},
                                                       {"scalar", CELL_TEXT},
                                                       {"avx2", CELL_TEXT},
                                                       {"avx512", CELL_TEXT},
                                                       {"avx512fp16", CELL_TEXT},
                                                       {"avx512vbmi", CELL_TEXT},
                                                       {"contracts", CELL_TEXT},
                                                       {"reassociates", CELL_TEXT},
                                                       {"honours NaN", CELL_TEXT},
                                                       {"honours subnormals", CELL_TEXT},
                                                       {"as expected", CELL_PROMISE},
                                                       {NULL, CELL_TEXT}};
static const struct query_column certificate_columns[] = {{"operation", CELL_TEXT},
                                                          {"family", CELL_TEXT},
                                                          {"rows", CELL_COUNT},
                                                          {"values", CELL_COUNT},
                                                          {"worst error, ulp", CELL_SMALL},
                                                          {"at", CELL_TEXT},
                                                          {"beyond", CELL_NONE_EXPECTED},
                                                          {"certified", CELL_PROMISE},
                                                          {NULL, CELL_TEXT}};

static const char feature_words[] =
    "Speeds are over the same kernels in scalar code, which fuses: fp32, one thread, rows that "
    "live in that level, "
    "geometric means over kernels and compilers. \"hidden\": the core has it, and what it runs "
    "under does not show "
    "it. VBMI, FP16 and BF16 have kernels of their own, which no scalar code stands beside.";
static const struct query_column feature_columns[] = {{"feature", CELL_TEXT},
                                                      {"here", CELL_TEXT},
                                                      {"FMA results/cycle", CELL_NUMBER},
                                                      {"speed in L1", CELL_NUMBER},
                                                      {"L2", CELL_NUMBER},
                                                      {"L3", CELL_NUMBER},
                                                      {"DRAM", CELL_NUMBER},
                                                      {"per clock, L1", CELL_NUMBER},
                                                      {"kernels built for it", CELL_COUNT},
                                                      {NULL, CELL_TEXT}};
static const struct query_column instruction_columns[] = {{"form", CELL_CODE},
                                                          {"latency", CELL_NUMBER},
                                                          {"cycles, 128 bits", CELL_NUMBER},
                                                          {"256", CELL_NUMBER},
                                                          {"512", CELL_NUMBER},
                                                          {"no vector", CELL_NUMBER},
                                                          {"of subnormals", CELL_NUMBER},
                                                          {"pipes", CELL_TEXT},
                                                          {NULL, CELL_TEXT}};

enum { PAGE_ONLY = false, BOTH = true };
#define WRITTEN(counts, writes) .count_records = (counts), .write = (writes)
#define ASKED(said, sql, shown) .words = (said), .query = (sql), .columns = (shown)
const struct section sections[] = {
    {"answer", "The answer", "Answer", BOTH, WRITTEN(always, section_answer)},
    {"own", "Your own kernels", "Yours", BOTH, ASKED(own_words, sql_own_kernels, own_columns)},
    {"kernels", "Operation by operation", "Kernels", BOTH, WRITTEN(always, section_kernels)},
    {"field", "Against the field", "Field", BOTH, WRITTEN(field_records, section_field)},
    {"vectors", "Vector math", "Vector math", BOTH, WRITTEN(vectors_records, section_vectors)},
    {"policy", "What the policy costs and buys", "Policies", BOTH,
     WRITTEN(count_variants, section_policies)},
    {"contraction", "What contraction is worth", NULL, BOTH,
     WRITTEN(contraction_records, section_contraction)},
    {"isa", "What the ISA buys", "ISA", BOTH, WRITTEN(count_times, section_isas)},
    {"features", "What each feature buys", "Features", PAGE_ONLY,
     ASKED(feature_words, sql_features, feature_columns)},
    {"compilers", "What the compilers did", "Compilers", BOTH,
     ASKED(compiler_words, sql_code_by_policy, compiler_columns)},
    {"reach", "How near to the limit", "Limits", BOTH, WRITTEN(reach_records, section_reach)},
    {"limits", "Beside what the machine allows", NULL, PAGE_ONLY,
     WRITTEN(limits_records, section_limits)},
    {"speed", "Speed by size", "Speed by size", PAGE_ONLY, WRITTEN(count_times, section_speed)},
    {"errors", "The error distribution", "Errors", PAGE_ONLY,
     WRITTEN(count_accuracies, section_errors)},
    {"variants", "All variants", "All variants", PAGE_ONLY,
     WRITTEN(count_variants, section_variants)},
    {"bits", "Who agrees bit for bit", "Bits", PAGE_ONLY, WRITTEN(count_accuracies, section_bits)},
    {"divergence", "What bits depend on", NULL, PAGE_ONLY,
     WRITTEN(divergence_records, section_divergence)},
    {"invariant", "What equal bits cost", NULL, PAGE_ONLY,
     WRITTEN(invariant_records, section_invariant)},
    {"bounds", "Measured over proven bound", "Bounds", PAGE_ONLY,
     WRITTEN(bounds_records, section_bounds)},
    {"search", "Worst inputs found", NULL, PAGE_ONLY, WRITTEN(searches_records, section_searches)},
    {"scan", "Every fp32 input", "Scans", PAGE_ONLY, WRITTEN(scans_records, section_scans)},
    {"certificate", "The oracle's own error", NULL, PAGE_ONLY,
     ASKED(NULL, sql_certificate, certificate_columns)},
    {"instructions", "Instructions of this core", "Instructions", PAGE_ONLY,
     ASKED(NULL, sql_instructions, instruction_columns)},
    {"ways", "Which way rows go", NULL, PAGE_ONLY, WRITTEN(ways_records, section_ways)},
    {"cores", "All cores", "Cores", PAGE_ONLY, WRITTEN(cores_records, section_cores)},
    {"cases", "Case studies", "Cases", PAGE_ONLY, WRITTEN(count_cases, section_cases)},
    {"machine", "The machine", "Machine", BOTH, WRITTEN(always, section_machine)},
    {"missing", "What was not measured, and what fell", "Missing", BOTH,
     WRITTEN(always, section_missing)},
    {0},
};

sqlite3_stmt *section_ask(const struct report *r, struct doc *d, const char *sql)
{
    sqlite3_stmt *s = NULL;
    struct error e;
    if (lab_prepare(&r->db, sql, &s, &e)) doc_text(d, "%s", e.text);
    return s;
}

bool section_has_records(const struct section *s, const struct report *r)
{
    return s->query ? query_rows(&r->db, s->query) > 0 : s->count_records(r) > 0;
}

void section_write(const struct section *s, const struct report *r, struct doc *d)
{
    if (!section_has_records(s, r)) return;
    doc_section(d, s->id, s->title);
    if (s->words) doc_text(d, "%s", s->words);
    if (s->query)
        query_write(d, &r->db, s->query, s->columns);
    else
        s->write(r, d);
    doc_section_end(d);
}
