// SPDX-License-Identifier: MIT
/* codegen: what the machine code of variants does. */
#include "study/codegen.h"

#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/common.h"
#include "publish/render/table.h"

/* ---- For people: from the records alone ------------------------------------------------------ */

static const char *codegen_text_of(const json_t *record, const char *key)
{
    return json_string_value(json_object_get(record, key));
}

static bool is_kind(const json_t *record, const char *kind)
{
    return !strcmp(codegen_text_of(record, "record"), kind);
}

static const struct {
    struct column column;
    const char *observed; /* its field; NULL: a text of the record */
} litmus_columns[] = {
    {{"isa", false, 0}, NULL},
    {{"compiler", false, 0}, NULL},
    {{"policy", false, 0}, NULL},
    {{"v_mad", false, 0}, "contracts"},
    {{"a*b+c", false, 0}, "contracts_in_expression"},
    {{"a*b;t+c", false, 0}, "contracts_across_statements"},
    {{"TwoSum", false, 0}, "reassociates"},
    {{"magic", false, 0}, "deletes_rounding"},
    {{"unord", false, 0}, "honours_nan"},
    {{"x!=x", false, 0}, "honours_nan_in_expression"},
    {{"subnormals", false, 0}, "honours_subnormals"},
    {{"expectation", false, 1}, NULL},
};
enum { LITMUS_COLUMNS = sizeof litmus_columns / sizeof *litmus_columns };

/* Adds "listed", or the deviation from the list, or that nothing ran. */
static void add_litmus(struct table *t, const json_t *record)
{
    const json_t *observed = json_object_get(record, "observed");
    bool ran = json_is_object(observed);
    bool consistent = ran && json_is_true(json_object_get(record, "consistent"));
    const char *cells[LITMUS_COLUMNS];
    cells[0] = codegen_text_of(record, "isa");
    cells[1] = codegen_text_of(record, "cc");
    cells[2] = codegen_text_of(record, "policy");
    for (size_t i = 3; i + 1 < LITMUS_COLUMNS; i++)
        cells[i] = !ran                                                                  ? ""
                   : json_is_true(json_object_get(observed, litmus_columns[i].observed)) ? "yes"
                                                                                         : "-";
    cells[LITMUS_COLUMNS - 1] = !ran ? codegen_text_of(record, "status")
                                : consistent && !*codegen_text_of(record, "why")
                                    ? codegen_text_of(record, "expectation")
                                    : codegen_text_of(record, "why");
    for (size_t i = 0; i < LITMUS_COLUMNS; i++)
        if (!cells[i]) cells[i] = "";
    table_add(t, !ran ? TINT_FAINT : consistent ? TINT_NONE : TINT_BAD, cells);
}

static void print_litmuses(const json_t *records, struct terminal terminal)
{
    struct column columns[LITMUS_COLUMNS];
    struct table table;
    size_t i;
    json_t *record;
    for (i = 0; i < LITMUS_COLUMNS; i++) columns[i] = litmus_columns[i].column;
    write_prose(stdout, terminal, 2,
                "What the compilers do, by the values that their code computes. They fuse v_mad, "
                "a*b+c, t=a*b; t+c. They regroup TwoSum, delete the magic rounding number. They "
                "find NaN with v_unord, with x!=x; they keep subnormals.");
    table_begin(&table, columns, LITMUS_COLUMNS);
    table.gathered = 7;
    json_array_foreach(records, i, record) if (is_kind(record, "litmus"))
        add_litmus(&table, record);
    table_end(&table, stdout, terminal);
    json_array_foreach(records, i, record) if (is_kind(record, "litmus") &&
                                               json_is_false(json_object_get(record, "consistent")))
        write_prose(stdout, terminal, 2, "%s %s %s: %s", codegen_text_of(record, "isa"),
                    codegen_text_of(record, "cc"), codegen_text_of(record, "policy"),
                    codegen_text_of(record, "why"));
}

/* Returns the length of an id's part before "/policy=", which the cells of a row have in common. */
static size_t row_length(const char *id)
{
    const char *policy = strstr(id, "/policy=");
    return policy ? (size_t)(policy - id) : strlen(id);
}

static long codegen_count_of(const json_t *record, const char *key)
{
    return (long)json_integer_value(json_object_get(record, key));
}

/* "6 0 25" ("6s 0 25": every FMA is on one lane), or "=off" where the machine code is that of an
 * earlier cell of the row. */
static size_t codegen_print_cell(const json_t *records, size_t first, size_t at)
{
    const json_t *record = json_array_get(records, at);
    char cell[40];
    const char *hash = codegen_text_of(record, "code_hash");
    long fma = codegen_count_of(record, "fma");
    snprintf(cell, sizeof cell, "%ld%s %ld %ld", fma,
             fma && fma == codegen_count_of(record, "fma_scalar") ? "s" : "",
             codegen_count_of(record, "mul"), codegen_count_of(record, "add"));
    if (!hash) snprintf(cell, sizeof cell, "%s", codegen_text_of(record, "status"));
    for (size_t i = first; i < at && hash; i++) {
        const json_t *other = json_array_get(records, i);
        const char *other_hash = codegen_text_of(other, "code_hash"),
                   *id = codegen_text_of(other, "id");
        if (other_hash && !strcmp(hash, other_hash)) {
            snprintf(cell, sizeof cell, "=%s", id + row_length(id) + strlen("/policy="));
            break;
        }
    }
    const char *id = codegen_text_of(record, "id");
    int used = printf("  %s: %-9s%s", id + row_length(id) + strlen("/policy="), cell,
                      json_is_false(json_object_get(record, "consistent")) ? " (!)" : "");
    return (size_t)used;
}

static void codegen_print_counts(const json_t *records, struct terminal terminal)
{
    putchar('\n');
    write_prose(stdout, terminal, 2,
                "Instructions in each variant's own code (fma mul add; 6s: six, on one lane each; "
                "=P: the machine code of P):");
    enum { WIDEST_CELL = 28 };
    const char *row = "";
    size_t first = 0, column = 0, i;
    json_t *record;
    json_array_foreach(records, i, record)
    {
        if (!is_kind(record, "codegen")) continue;
        const char *id = codegen_text_of(record, "id");
        size_t length = row_length(id);
        bool fresh = length != row_length(row) || strncmp(row, id, length) != 0;
        if (fresh) printf("%s%.*s", *row ? "\n" : "", (int)length, id);
        if (fresh) first = i;
        if (fresh || (terminal.columns && column + WIDEST_CELL > terminal.columns))
            column = (size_t)printf("\n   ") - 1;
        row = id;
        column += codegen_print_cell(records, first, i);
    }
    putchar('\n');
}

static void print_inconsistencies(const json_t *records)
{
    size_t i, variants = 0, bad = 0, unlisted = 0, newer = 0;
    json_t *record;
    json_array_foreach(records, i, record)
    {
        if (!is_kind(record, "codegen")) continue;
        const char *expectation = codegen_text_of(record, "expectation");
        variants++;
        unlisted += expectation && !strcmp(expectation, "unlisted");
        newer += expectation && !strcmp(expectation, "newer");
        if (!json_is_false(json_object_get(record, "consistent"))) continue;
        if (!bad++) puts("\nInconsistent (!):");
        printf("%s: %s\n", codegen_text_of(record, "id"), codegen_text_of(record, "why"));
    }
    printf("\n%zu variants, %zu inconsistent, %zu of an unlisted compiler or policy\n", variants,
           bad, unlisted);
    if (newer)
        printf(
            "%zu are of a compiler newer than the table: it is compared with the newest known of "
            "its kind, and the litmus says what differs\n",
            newer);
}

/* ---- The command ----------------------------------------------------------------------------- */

static int print_records(const struct cpu *cpu, const json_t *records, int code, struct error *e)
{
    json_t *document = new_document(cpu), *record;
    json_t *variants = json_array(), *litmus = json_array();
    size_t i;
    json_array_foreach(records, i, record)
        json_array_append(is_kind(record, "litmus") ? litmus : variants, record);
    json_object_set_new(document, "variants", variants);
    json_object_set_new(document, "litmus", litmus);
    return print_document(document, code, e);
}

int cmd_codegen(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    int code = open_variants(o, &cpu, &r, e);
    if (code) return code;

    json_t *records = json_array();
    code = codegen_run(&r, record_sink_array(records), e);
    if (o->json) {
        code = print_records(&cpu, records, code, e);
    } else {
        struct terminal terminal = terminal_of(stdout);
        print_litmuses(records, terminal);
        codegen_print_counts(records, terminal);
        print_reasons(records, terminal);
        if (!o->quiet) print_inconsistencies(records);
    }
    json_decref(records);
    registry_close(&r);
    return code;
}
