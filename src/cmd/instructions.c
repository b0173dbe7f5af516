// SPDX-License-Identifier: MIT
/* instructions: latency, throughput and pipes of instructions on this core. */
#include "measure/instructions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/progress.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "model/record.h"
#include "publish/render/table.h"

enum { COLUMNS = 6, PATH_ROOM = 1400 };
static const struct column columns[COLUMNS] = {
    {"form", false, 0},         {"latency", true, 1},
    {"in a mix", true, 2},      {"cycles/instruction", true, 3},
    {"of subnormals", true, 4}, {"pipes", false, 0}};

static void show_progress(void *context, double share)
{
    progress_update(context, share, "");
}

static void instructions_add_row(struct table *t, const json_t *row)
{
    const char *pipes = text_or_dash(row, "pipes"), *status = record_text(row, "status");
    table_add(t, strcmp(status, "ok") ? TINT_BAD : TINT_NONE,
              (const char *const[]){record_text(row, "form"),
                                    number_decimals(record_number(row, "latency"), 1).text,
                                    number_decimals(record_number(row, "latency_mixed"), 1).text,
                                    number_decimals(record_number(row, "cycles"), 2).text,
                                    number_decimals(record_number(row, "cycles_subnormal"), 2).text,
                                    strcmp(status, "ok") ? status : pipes});
}

static void print_core(const json_t *core)
{
    printf(
        "%.1f instructions, of which %.1f of general registers, start in a cycle; a taken branch "
        "every %.1f cycles\n",
        record_number(core, "slots"), record_number(core, "general"),
        record_number(core, "branch_cycles"));
    if (record_number(core, "avx2_behind_wide") > 0)
        printf("right behind 2 ms of 512-bit FMAs: additions take %.3f of their time, scalar FMAs "
               "%.3f, 256-bit "
               "FMAs %.3f\n",
               record_number(core, "general_behind_wide"),
               record_number(core, "scalar_behind_wide"), record_number(core, "avx2_behind_wide"));
    const json_t *width, *pipes;
    const char *kind;
    size_t i;
    json_array_foreach(json_object_get(core, "vectors"), i, width)
    {
        printf("%3zu bits: %zu pipes;", record_count(width, "bits"), record_count(width, "pipes"));
        json_object_foreach((json_t *)json_object_get(width, "kinds"), kind, pipes)
            printf(" %s %s", kind, json_is_string(pipes) ? json_string_value(pipes) : "-");
        printf("\n");
    }
}

static void instructions_print_table(const json_t *records)
{
    struct table table;
    const json_t *row;
    size_t i;
    print_core(json_array_get(records, 0));
    table_begin(&table, columns, COLUMNS);
    json_array_foreach(records, i, row)
    {
        if (i) instructions_add_row(&table, row);
    }
    table_end(&table, stdout, terminal_of(stdout));
}

/* The whole table stays with the results of this CPU. */
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
                        "instructions: '%s': no form; a mnemonic and its operands, such as "
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
    if (!code && o->json) {
        json_t *document = new_document(&cpu), *core = json_array_get(records, 0);
        json_object_set(document, "core", core);
        json_array_remove(records, 0);
        json_object_set(document, "rows", records);
        code = print_document(document, code, e);
    } else if (!code)
        instructions_print_table(records);
    json_decref(records);
    return code;
}
