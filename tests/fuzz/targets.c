#include <string.h>

#include "fuzz.h"

const struct fuzz_target fuzz_targets[] = {
    {"npy", fuzz_npy, FUZZ_BYTES, 300, false},
    {"record", fuzz_record, FUZZ_RECORDS, 300, false},
    {"machine", fuzz_machine, FUZZ_RECORDS, 300, false},
    {"filter", fuzz_filter, FUZZ_BYTES, 60, false},
    {"param", fuzz_param, FUZZ_BYTES, 100, false},
    {"shapes", fuzz_shapes, FUZZ_BYTES, 60, false},
    {"threshold", fuzz_threshold, FUZZ_BYTES, 30, false},
    {"options", fuzz_options, FUZZ_BYTES, 150, false},
    {"load", fuzz_load, FUZZ_RECORDS, 3000, false},
    {"policy", fuzz_policy, FUZZ_RECORDS, 16000, true},
    {"compare", fuzz_compare, FUZZ_RECORDS, 16000, true},
    {"compare-axis", fuzz_compare_axis, FUZZ_RECORDS, 16000, true},
    {"report-md", fuzz_report_md, FUZZ_RECORDS, 16000, true},
    {"report-html", fuzz_report_html, FUZZ_RECORDS, 16000, true},
    {"export-csv", fuzz_export_csv, FUZZ_RECORDS, 16000, true},
    {"export-jsonl", fuzz_export_jsonl, FUZZ_RECORDS, 16000, true},
    {"performance", fuzz_performance, FUZZ_RECORDS, 16000, true},
    {"cpus", fuzz_cpus, FUZZ_RECORDS, 16000, true},
    {0},
};

const struct fuzz_target *fuzz_find(const char *name)
{
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
        if (!strcmp(t->name, name)) return t;
    return NULL;
}
