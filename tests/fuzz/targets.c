#include <string.h>

#include "fuzz.h"

const struct fuzz_target fuzz_targets[] = {
    {"npy", fuzz_npy, FUZZ_BYTES, false},
    {"record", fuzz_record, FUZZ_RECORDS, false},
    {"machine", fuzz_machine, FUZZ_RECORDS, false},
    {"filter", fuzz_filter, FUZZ_BYTES, false},
    {"param", fuzz_param, FUZZ_BYTES, false},
    {"shapes", fuzz_shapes, FUZZ_BYTES, false},
    {"threshold", fuzz_threshold, FUZZ_BYTES, false},
    {"options", fuzz_options, FUZZ_BYTES, false},
    {"load", fuzz_load, FUZZ_RECORDS, false},
    {"policy", fuzz_policy, FUZZ_RECORDS, true},
    {"compare", fuzz_compare, FUZZ_RECORDS, true},
    {"compare-axis", fuzz_compare_axis, FUZZ_RECORDS, true},
    {"report-md", fuzz_report_md, FUZZ_RECORDS, true},
    {"report-html", fuzz_report_html, FUZZ_RECORDS, true},
    {"export-csv", fuzz_export_csv, FUZZ_RECORDS, true},
    {"export-jsonl", fuzz_export_jsonl, FUZZ_RECORDS, true},
    {"performance", fuzz_performance, FUZZ_RECORDS, true},
    {"cpus", fuzz_cpus, FUZZ_RECORDS, true},
    {0},
};

const struct fuzz_target *fuzz_find(const char *name)
{
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
        if (!strcmp(t->name, name)) return t;
    return NULL;
}
