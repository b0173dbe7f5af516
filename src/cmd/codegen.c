// SPDX-License-Identifier: MIT
/* codegen: what the machine code of variants does. */
#include "study/codegen.h"

#include <string.h>

#include "cmd/common.h"
#include "publish/sql/sql.h"

int cmd_codegen(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    int code = open_variants(o, &cpu, &r, e);
    if (code) return code;

    json_t *records = json_array(), *record, *document = new_document(&cpu);
    json_t *variants = json_array(), *litmus = json_array();
    size_t i;
    code = codegen_run(&r, record_sink_array(records), e);
    json_array_foreach(records, i, record) json_array_append(
        !strcmp(record_text(record, "record"), "litmus") ? litmus : variants, record);
    json_decref(records);
    json_object_set_new(document, "variants", variants);
    json_object_set_new(document, "litmus", litmus);
    code = print_found(o, document, sql_found_codegen, code, e);
    registry_close(&r);
    return code;
}
