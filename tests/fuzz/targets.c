// SPDX-License-Identifier: MIT
#include <string.h>

#include "fuzz.h"

const struct fuzz_target fuzz_targets[] = {
    {"npy", ".npy", fuzz_npy, FUZZ_BYTES, 300, false},
    {"record", "a file of records", fuzz_record, FUZZ_RECORDS, 300, false},
    {"line", "a record cut without a parser (`archive add`)", fuzz_line, FUZZ_RECORDS, 300, false},
    {"machine", "machine.json", fuzz_machine, FUZZ_RECORDS, 300, false},
    {"filter", "`--filter`", fuzz_filter, FUZZ_BYTES, 60, false},
    {"param", "`--param`", fuzz_param, FUZZ_BYTES, 100, false},
    {"shapes", "`--shapes`", fuzz_shapes, FUZZ_BYTES, 60, false},
    {"threshold", "`--threshold`", fuzz_threshold, FUZZ_BYTES, 30, false},
    {"options", "a whole command line", fuzz_options, FUZZ_BYTES, 150, false},
    {"load", "loading a folder: every kind of record", fuzz_load, FUZZ_RECORDS, 3000, false},
    {"policy", "`policy`", fuzz_policy, FUZZ_RECORDS, 16000, true},
    {"compare", "`compare A B`", fuzz_compare, FUZZ_RECORDS, 16000, true},
    {"compare-axis", "`compare --by isa`, `cc`, `policy`", fuzz_compare_axis, FUZZ_RECORDS, 16000,
     true},
    {"report-md", "report.md", fuzz_report_md, FUZZ_RECORDS, 16000, true},
    {"report-html", "report.html", fuzz_report_html, FUZZ_RECORDS, 16000, true},
    {"export-csv", "`export --format csv`", fuzz_export_csv, FUZZ_RECORDS, 16000, true},
    {"export-jsonl", "`export --format jsonl` and `gbench`", fuzz_export_jsonl, FUZZ_RECORDS, 16000,
     true},
    {"performance", "performance.md", fuzz_performance, FUZZ_RECORDS, 16000, true},
    {"cpus", "performance.html", fuzz_cpus, FUZZ_RECORDS, 16000, true},
    {0},
};

const struct fuzz_target *fuzz_find(const char *name)
{
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
        if (!strcmp(t->name, name)) return t;
    return NULL;
}
