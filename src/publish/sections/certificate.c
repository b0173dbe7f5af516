/* The oracle's own worst error, as `make certify` measured it against MPFR. */
#include <math.h>
#include <string.h>

#include "model/record.h"

#include "publish/sections/sections.h"

size_t certificate_records(const struct report *r)
{
    return json_array_size(r->results.certificate);
}

static void write_row(struct doc *d, const json_t *record)
{
    double beyond = record_number(record, "beyond");
    doc_row(d);
    doc_cell(d, "%s", record_text(record, "op"));
    doc_cell(d, "%s", record_text(record, "family"));
    doc_cell(d, "%.0f", record_number(record, "rows"));
    doc_cell(d, "%.0f", record_number(record, "values"));
    doc_cell(d, "%.2e", record_number(record, "max_ulp"));
    doc_cell(d, "%s", record_text(record, "at"));
    doc_shaded(d, beyond > 0 ? "d2" : "", "%.0f", beyond);
    doc_shaded(d, json_is_true(json_object_get(record, "certified")) ? "" : "d3", "%s",
               json_is_true(json_object_get(record, "certified")) ? "yes" : "NO");
    doc_row_end(d);
}

void section_certificate(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"operation", "family",           "rows",
                                        "values",    "worst error, ulp", "at",
                                        "beyond",    "certified",        NULL};
    double worst = 0, values = 0, beyond = 0;
    size_t i, refused = 0;
    const json_t *record;
    json_array_foreach(r->results.certificate, i, record)
    {
        worst = fmax(worst, record_number(record, "max_ulp"));
        values += record_number(record, "values");
        beyond += record_number(record, "beyond");
        refused += !json_is_true(json_object_get(record, "certified"));
    }
    doc_text(
        d,
        "The oracle against MPFR with %.0f bits (make certify): over %.0f values its worst "
        "error is %.2e fp32 ulp; the promise is 2^-10 = 9.77e-04. %.0f rows say themselves "
        "that they are beyond the oracle, and are in no figure of this report. %s",
        record_number(json_array_get(r->results.certificate, 0), "bits"), values, worst, beyond,
        refused ? "NOT every line is certified: see the last column." : "Every line is certified.");
    doc_table(d, heads);
    json_array_foreach(r->results.certificate, i, record) write_row(d, record);
    doc_table_end(d);
    write_other_builds(r, r->results.certificate, d);
}
