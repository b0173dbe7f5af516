#include "publish/policy/policy_bits.h"

#include <string.h>

#include "publish/db/columns.h"
#include "publish/sql/sql.h"

int policy_stable(const struct lab_db *l, struct policies *p, struct error *e)
{
    sqlite3_stmt *s;
    int code = lab_prepare(l, sql_policy_stable, &s, e);
    while (!code && sqlite3_step(s) == SQLITE_ROW) {
        struct axes a;
        snprintf(a.op, sizeof a.op, "%s", column_text(s, 3));
        snprintf(a.algorithm, sizeof a.algorithm, "%s", column_text(s, 4));
        snprintf(a.dtype, sizeof a.dtype, "%s", column_text(s, 5));
        struct policy_row *row = policy_find(p, column_text(s, 1), column_text(s, 2));
        struct policy_kernel *kernel = row ? policy_kernel_find(row, &a) : NULL;
        const enum stable_over over = !strcmp(column_text(s, 0), "isa") ? OVER_ISA : OVER_CC;
        if (kernel) stability_join(&kernel->stable[over], sqlite3_column_int(s, 6));
    }
    sqlite3_finalize(s);
    return code;
}
