#include "publish/sections/report.h"

#include "model/record.h"
#include "publish/analyse/narrow.h"
#include "publish/db/db.h"
#include "publish/load/codes.h"

/* Where there is nothing to choose from there are no policies. */
static int find_policies(const char *folder, double bar, struct report *r, struct error *e)
{
    const struct policy_constraints usual = {.max_ulp = bar};
    int code = policies_make(&r->results, &r->db, folder, &usual, &r->policies, e);
    if (code) r->policies = (struct policies){0};
    return code == EXIT_USAGE ? 0 : code;
}

/* The variants that may be advised, for questions: temp.advised. */
static int find_advised(struct report *r, struct error *e)
{
    sqlite3_stmt *s;
    int code = lab_execute(&r->db, "CREATE TEMP TABLE advised(variant INTEGER PRIMARY KEY)", e);
    if (!code)
        code = lab_prepare(
            &r->db, "INSERT OR IGNORE INTO advised SELECT id FROM variants WHERE variant = ?1", &s,
            e);
    if (code) return code;
    for (size_t i = 0; !code && i < r->summaries.count; i++) {
        char id[VARIANT_ID_MAX];
        if (!summary_is_advised(&r->summaries, &r->summaries.items[i])) continue;
        variant_id(&r->summaries.items[i].axes, id);
        lab_bind(s, "t", id);
        code = lab_step(&r->db, s, e);
    }
    sqlite3_finalize(s);
    return code;
}

int report_open(const char *folder, const char *const *filters, size_t filter_count, double bar,
                struct report *r, struct error *e)
{
    *r = (struct report){.cases = NULL};
    int code = results_read(folder, &r->results, e);
    if (code) return code;
    code = db_read(&r->db, &folder, 1, e);
    if (!code) code = results_narrow(&r->results, filters, filter_count, e);
    if (!code) code = db_narrow(&r->db, filters, filter_count, e);
    if (!code) code = facts_make(&r->db, bar, e);
    if (!code) code = record_read_from(folder, "cases.jsonl", true, &r->cases, e);
    if (!code) code = identical_measure(&r->results, &r->identical, e);
    if (!code) code = unsteady_find(&r->results, &r->unsteady, e);
    if (!code) code = summaries_make(&r->results, bar, &r->summaries, e);
    if (!code) code = bit_classes_make(&r->results, &r->summaries, &r->bits, e);
    if (!code) code = field_make(&r->results, &r->summaries, &r->field, e);
    if (!code) code = losses_find(&r->results, &r->summaries, &r->losses, e);
    if (!code) code = find_policies(folder, bar, r, e);
    if (!code) code = find_advised(r, e);
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
    policies_free(&r->policies);
    losses_free(&r->losses);
    field_free(&r->field);
    bit_classes_free(&r->bits);
    summaries_free(&r->summaries);
    json_decref(r->cases);
    lab_close(&r->db);
    results_free(&r->results);
}
