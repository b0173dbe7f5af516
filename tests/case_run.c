// SPDX-License-Identifier: MIT
#include "case_run.h"

#include <string.h>

#include "drive.h"

static const char *verdict_of(const json_t *record)
{
    const char *verdict = json_string_value(json_object_get(record, "verdict"));
    return verdict ? verdict : "";
}

json_t *case_run_quick(const char *name)
{
    struct outcome o =
        drive(&(struct drive){.program = drive_program("ulplab"),
                              .arguments = {"case", "run", name, "--quick", "--quiet", "--json"}});
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    json_t *record = json_incref(json_array_get(json_object_get(document, "cases"), 0));
    json_decref(document);
    if (o.code || !record) {
        char *checks = json_dumps(json_object_get(record, "checks"), JSON_INDENT(1));
        fail_msg("%s: exit %d: %s%s", name, o.code, o.err, checks ? checks : "");
    }
    drive_free(&o);
    if (!strcmp(verdict_of(record), "reproduced")) return record;
    print_message("%s: %s: %s\n", name, verdict_of(record),
                  json_string_value(json_object_get(record, "reason")));
    json_decref(record);
    return NULL;
}

double case_measured(const json_t *record, const char *what)
{
    const json_t *value = json_object_get(json_object_get(record, "measured"), what);
    if (!json_is_number(value)) fail_msg("no number measured: %s", what);
    return json_number_value(value);
}
