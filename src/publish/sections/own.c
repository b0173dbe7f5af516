/* The user's own kernels, wherever they stand. */
#include <math.h>

#include "base/number.h"
#include "publish/sections/sections.h"
#include "publish/sql/columns.h"
#include "publish/sql/sql.h"

enum {
    OP,
    ALGORITHM,
    ISA,
    CC,
    POLICY,
    STATUS,
    REASON,
    ROWS,
    N,
    NS,
    PERCENT,
    BESIDE,
    ERROR,
    LOST,
    UNIT
};

size_t own_records(const struct report *r)
{
    sqlite3_stmt *s;
    struct error ignored;
    if (lab_prepare(&r->db, sql_own_kernels, &s, &ignored)) return 0;
    const bool any = sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return any;
}

void section_own(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"kernel",
                                        "build",
                                        "status",
                                        "rows",
                                        "ns/element",
                                        "% of limit",
                                        "time / fastest advised",
                                        "max error",
                                        "lost",
                                        NULL};
    sqlite3_stmt *s = section_ask(r, d, sql_own_kernels);
    if (!s) return;
    doc_text(d, "Kernels of your own (`KERNELS=`), at the shape that most of their builds were "
                "timed at; errors are over all families.");
    doc_table(d, heads);
    while (sqlite3_step(s) == SQLITE_ROW) {
        doc_row_of(d, column_text(s, OP), column_text(s, CC));
        doc_cell(d, "%s `%s`", column_text(s, OP), column_text(s, ALGORITHM));
        doc_cell(d, "%s %s `%s`", column_text(s, ISA), column_text(s, CC), column_text(s, POLICY));
        doc_words(d, "%s%s%s", column_text(s, STATUS), *column_text(s, REASON) ? ": " : "",
                  column_text(s, REASON));
        if (*column_text(s, N))
            doc_cell(d, "%sx%s", column_text(s, ROWS), column_text(s, N));
        else
            doc_cell(d, "-");
        doc_cell(d, "%s", number_decimals(column_real(s, NS), 3).text);
        doc_percent(d, column_real(s, PERCENT));
        doc_cell(d, "%s", number_digits(column_real(s, BESIDE), 3).text);
        doc_error(d, column_real(s, LOST) > 0 ? INFINITY : column_real(s, ERROR),
                  column_text(s, UNIT));
        doc_cell(d, "%s", *column_text(s, LOST) ? column_text(s, LOST) : "-");
        doc_row_end(d);
    }
    doc_table_end(d);
    sqlite3_finalize(s);
}
