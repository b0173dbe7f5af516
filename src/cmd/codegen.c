// SPDX-License-Identifier: MIT
/* codegen: analyses the machine code of variants. */
#include "study/codegen.h"

#include "cmd/common.h"
#include "publish/sql/sql.h"

int cmd_codegen(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    int code = open_variants(o, &cpu, &r, e);
    if (code) return code;

    json_t *records = json_array(), *document = new_document(&cpu);
    code = codegen_run(&r, record_sink_array(records), e);
    add_kind(document, "variants", records, "codegen");
    add_kind(document, "litmus", records, "litmus");
    json_decref(records);
    code = print_found(o, document, sql_found_codegen, code, e);
    registry_close(&r);
    return code;
}
