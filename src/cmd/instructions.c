// SPDX-License-Identifier: MIT
/* instructions: latency, throughput and pipes of instructions on this core. */
#include "measure/instructions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/progress.h"
#include "cmd/common.h"
#include "model/record.h"
#include "publish/sql/sql.h"

enum { PATH_ROOM = 1400 };

static void show_progress(void *context, double share)
{
    progress_update(context, share, "");
}

/* The whole table is written into the results of this CPU. */
static int instructions_write_records(const struct options *o, json_t *records, struct error *e)
{
    char folder[PATH_ROOM - 32], path[PATH_ROOM];
    size_t i;
    json_t *record;
    int code = results_folder(o, folder, sizeof folder, e);
    if (!code) code = folder_make(folder, e);
    if (code) return code;
    json_array_foreach(records, i, record) record_built(record);
    snprintf(path, sizeof path, "%s/instructions.jsonl", folder);
    code = record_write_file(path, records, e);
    if (!code && !o->quiet) fprintf(stderr, "ulplab: wrote %s\n", path);
    return code;
}

static int check_forms(const struct options *o, struct error *e)
{
    struct form f;
    for (size_t i = 0; i < o->positional.count; i++)
        if (!form_parse(o->positional.items[i], &f))
            return fail(e, EXIT_USAGE,
                        "instructions: '%s': not a form; give a mnemonic and its operands, such as "
                        "'vfmadd231ps zmm zmm zmm', 'vmovups ymm m256', 'vcmpps k zmm zmm i'",
                        o->positional.items[i]);
    return 0;
}

static int cmd_instructions_measure(const struct options *o, const struct cpu *cpu,
                                    char *const *forms, json_t **records, struct error *e)
{
    struct instruction_table table = {.looks_behind_wide = !o->positional.count};
    struct progress progress;
    progress_begin(&progress, "instructions", o->quiet);
    int code = instructions_measure(&table, cpu, forms, show_progress, &progress, e);
    progress_end(&progress);
    *records = code ? json_array() : instructions_records(&table);
    instructions_free(&table);
    return code;
}

int cmd_instructions(const struct options *o, struct error *e)
{
    struct cpu cpu;
    json_t *records;
    const bool all = !o->positional.count;
    int code = cpu_detect(&cpu, o->hide_isa, e);
    if (!code) code = check_forms(o, e);
    if (code) return code;
    char **forms = all ? instruction_forms(&cpu) : NULL;
    code = cmd_instructions_measure(o, &cpu, all ? forms : (char *const *)o->positional.items,
                                    &records, e);
    for (size_t i = 0; forms && forms[i]; i++) free(forms[i]);
    free(forms);
    if (!code && all) code = instructions_write_records(o, records, e);
    if (!code) {
        json_t *document = new_document(&cpu), *core = json_array_get(records, 0);
        json_object_set(document, "core", core);
        json_array_remove(records, 0);
        json_object_set(document, "rows", records);
        code = print_found(o, document, sql_found_instructions, code, e);
    }
    json_decref(records);
    return code;
}
