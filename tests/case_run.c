// SPDX-License-Identifier: MIT
#include "case_run.h"

#include "drive.h"
#include "facts.h"
#include "model/record.h"

json_t *case_run(const char *name, ...)
{
    struct drive d = {.program = drive_program("ulplab"),
                      .arguments = {"case", "run", name, "--quiet", "--json"}};
    va_list arguments;
    va_start(arguments, name);
    for (size_t i = 5; (d.arguments[i] = va_arg(arguments, const char *)); i++) continue;
    va_end(arguments);
    struct outcome o = drive(&d);
    json_t *document = keep(json_loads(o.out, JSON_REJECT_DUPLICATES, NULL));
    json_t *record = json_array_get(json_object_get(document, "cases"), 0);
    if (o.code || !record) {
        char *checks = json_dumps(json_object_get(record, "checks"), JSON_INDENT(1));
        fail_msg("%s: exit %d: %s%s", name, o.code, o.err, checks ? checks : "");
    }
    return record;
}

bool case_is_reproduced(const json_t *record)
{
    if (!strcmp(record_text(record, "verdict"), "reproduced")) return true;
    assert_string_equal(record_text(record, "verdict"), "skipped");
    assert_true(*record_text(record, "reason"));
    print_message("%s: %s\n", record_text(record, "name"), record_text(record, "reason"));
    return false;
}

double case_measured(const json_t *record, const char *what)
{
    const json_t *value = json_object_get(json_object_get(record, "measured"), what);
    if (json_is_string(value)) return atof(json_string_value(value));
    if (!json_is_number(value)) fail_msg("no number measured: %s", what);
    return json_number_value(value);
}

const json_t *case_rows_of(const json_t *record, const char *caption)
{
    return fact_at(fact_find(json_object_get(record, "tables"), "'caption~%s'", caption), "rows");
}
