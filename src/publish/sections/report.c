#include "publish/sections/report.h"

#include "model/record.h"
#include "publish/analyse/narrow.h"

int report_open(const char *folder, const char *const *filters, size_t filter_count, double bar,
                struct report *r, struct error *e)
{
    *r = (struct report){.cases = NULL};
    int code = results_read(folder, &r->results, e);
    if (code) return code;
    code = results_narrow(&r->results, filters, filter_count, e);
    if (!code) code = record_read_from(folder, "cases.jsonl", true, &r->cases, e);
    if (!code) code = identical_measure(&r->results, &r->identical, e);
    if (!code) code = unsteady_find(&r->results, &r->unsteady, e);
    if (!code) code = summaries_make(&r->results, bar, &r->summaries, e);
    if (!code) code = bit_classes_make(&r->results, &r->summaries, &r->bits, e);
    if (!code) code = field_make(&r->results, &r->summaries, &r->field, e);
    if (!code) code = losses_find(&r->results, &r->summaries, &r->losses, e);
    if (!code) code = vectors_make(&r->results, &r->summaries, &r->vectors, e);
    if (code)
        report_close(r);
    else
        axes_collect(&r->summaries, &r->present);
    return code;
}

void report_close(struct report *r)
{
    vectors_free(&r->vectors);
    losses_free(&r->losses);
    field_free(&r->field);
    bit_classes_free(&r->bits);
    summaries_free(&r->summaries);
    json_decref(r->cases);
    results_free(&r->results);
}
