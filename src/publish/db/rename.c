// SPDX-License-Identifier: MIT
#include "publish/db/rename.h"

#include <stdio.h>
#include <string.h>

#include "publish/db/sql.h"

static int add_map(const struct lab_db *l, const char *map, struct error *e)
{
    char axis[8], old[40], new[40], end;
    const bool has_form = sscanf(map, "%7[^=]=%39[^:]:%39[^:]%c", axis, old, new, &end) == 3;
    if (!has_form ||
        (strcmp(axis, "cc") != 0 && strcmp(axis, "policy") != 0 && strcmp(axis, "isa") != 0))
        return fail(e, EXIT_USAGE,
                    "--map %s: want AXIS=OLD:NEW, such as cc=gcc-12:gcc-13; axes: cc, policy, isa",
                    map);
    return lab_run(l, e, "INSERT INTO temp.maps VALUES(?, ?, ?)", "ttt", axis, old, new);
}

int db_renames(const struct lab_db *l, const char *const *maps, size_t count, struct error *e)
{
    int code = lab_execute(l, "CREATE TEMP TABLE maps(axis TEXT, old TEXT, new TEXT)", e);
    for (size_t i = 0; !code && i < count; i++) code = add_map(l, maps[i], e);
    return code ? code : lab_run(l, e, db_rename_sql, "");
}

int db_rename(const struct lab_db *l, struct error *e)
{
    static const char *const tables[] = {"cells", "cell_details", "codes",      "controls",
                                         "scans", "searches",     "invariances"};
    int code =
        lab_execute(l,
                    "UPDATE error_variants SET variant = r.name FROM errors e, temp.renamed r "
                    "WHERE e.id = error_variants.error AND r.blob = e.blob AND r.variant = "
                    "error_variants.variant",
                    e);
    for (size_t i = 0; !code && i < sizeof tables / sizeof *tables; i++) {
        char sql[240];
        snprintf(sql, sizeof sql,
                 "UPDATE %s SET variant = r.name FROM temp.renamed r WHERE r.blob = %s.blob AND "
                 "r.variant = %s.variant",
                 tables[i], tables[i], tables[i]);
        code = lab_execute(l, sql, e);
    }
    return code;
}
