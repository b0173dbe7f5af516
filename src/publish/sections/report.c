// SPDX-License-Identifier: MIT
#include "publish/sections/report.h"

#include "publish/db/columns.h"
#include "publish/db/db.h"
#include "publish/policy/policy.h"

static void name_machine(struct report *r)
{
    static const char sql[] = "SELECT coalesce(nullif(brand, ''), 'an unnamed machine'), ', ' || "
                              "microarchitecture(vendor, family, model, stepping) FROM machines";
    struct error e;
    sqlite3_stmt *s;
    if (lab_prepare(&r->db, sql, &s, &e)) return;
    if (sqlite3_step(s) == SQLITE_ROW) {
        snprintf(r->brand, sizeof r->brand, "%s", column_text(s, 0));
        snprintf(r->title, sizeof r->title, "%s%s", r->brand, column_text(s, 1));
    }
    sqlite3_finalize(s);
}

int report_open(const char *folder, double bar, struct report *r, struct error *e)
{
    const struct policy_constraints usual = {.max_ulp = bar};
    *r = (struct report){.bar = bar};
    int code = db_read(&r->db, &folder, 1, e);
    if (code) return code;
    code = facts_make(&r->db, bar, e);
    if (!code) code = policies_make(&r->db, &usual, e);
    if (code == EXIT_USAGE) code = 0; /* where there is nothing to choose from there are none */
    if (code)
        lab_close(&r->db);
    else
        name_machine(r);
    return code;
}
