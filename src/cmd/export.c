// SPDX-License-Identifier: MIT
/* export: results in the formats of other tools, and packed records. */
#include <stdio.h>
#include <string.h>

#include "cmd/common.h"
#include "model/record.h"
#include "model/record_archive.h"
#include "publish/db/db.h"
#include "publish/export/export.h"
#include "publish/sql/facts.h"

/* Packs the records in their own folder, for a commit, and writes the summary there. Prints the
 * names. */
static int pack_records(const struct options *o, const char *folder, struct error *e)
{
    if (o->filters.count)
        return fail(e, EXIT_USAGE,
                    "export: --filter: an archive holds all records; leave the filter out");
    struct lab_db l;
    json_t *cases;
    int code = db_read(&l, &folder, 1, e); /* first, because it refuses malformed records */
    if (code) return code;
    code = facts_make(&l, advice_bar, e);
    if (!code) code = summary_write(&l, folder, e);
    lab_close(&l);
    if (!code) code = record_read_from(folder, "cases.jsonl", true, &cases, e);
    if (!code) json_decref(cases);
    if (!code) code = record_archive_write(folder, NULL, e);
    if (!code) printf("%s/" RECORD_ARCHIVE "\n%s/summary.json\n", folder, folder);
    return code;
}

/* Keeps the records of one kind. */
static int keep_kind(const struct lab_db *l, const char *kind, struct error *e)
{
    return lab_run(l, e, "DELETE FROM records WHERE timed <> (? = 'timing')", "t", kind);
}

static int write_rows(const struct options *o, const char *folder, struct error *e)
{
    struct lab_db l;
    int code = db_read_whole(&l, folder, e);
    if (code) return code;
    if (lab_number(&l, "SELECT count(*) FROM runs") > 1)
        code = fail(e, EXIT_USAGE, "export: %s: names several runs; name one", folder);
    if (!code) code = db_narrow(&l, o->filters.items, o->filters.count, e);
    if (!code && o->record) code = keep_kind(&l, o->record, e);
    if (!code) code = export_write(&l, o->format ? o->format : "jsonl", stdout, e);
    lab_close(&l);
    return code;
}

int cmd_export(const struct options *o, struct error *e)
{
    char folder[1024];
    int code = named_folder("export", o, folder, sizeof folder, e);
    if (code) return code;
    bool archive = o->format && !strcmp(o->format, "archive");
    if (o->record && o->format && strcmp(o->format, "csv") != 0 && strcmp(o->format, "jsonl") != 0)
        return fail(e, EXIT_USAGE,
                    "export: --record: chooses rows of csv and jsonl; leave --record out");
    return archive ? pack_records(o, folder, e) : write_rows(o, folder, e);
}
