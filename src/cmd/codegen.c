#include "study/codegen.h"

#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "machine/machine.h"

/* ---- For people: from the records alone ------------------------------------------------------ */

static const char *text_of(const json_t *record, const char *key)
{
    return json_string_value(json_object_get(record, key));
}

static bool is(const json_t *record, const char *kind)
{
    return !strcmp(text_of(record, "record"), kind);
}

static void print_litmus(const json_t *record)
{
    static const struct {
        const char *field;
        int width;
    } columns[] = {{"contracts", 7},
                   {"contracts_in_expression", 7},
                   {"contracts_across_statements", 9},
                   {"reassociates", 9},
                   {"deletes_rounding", 8},
                   {"honours_nan", 9},
                   {"honours_nan_in_expression", 6},
                   {"honours_subnormals", 11}};
    const json_t *observed = json_object_get(record, "observed");
    printf("%-8s %-10s %-9s", text_of(record, "isa"), text_of(record, "cc"),
           text_of(record, "policy"));
    for (size_t i = 0; i < sizeof columns / sizeof *columns && json_is_object(observed); i++)
        printf("%-*s", columns[i].width,
               json_is_true(json_object_get(observed, columns[i].field)) ? "yes" : "-");
    if (!json_is_object(observed))
        printf("%s: %s", text_of(record, "status"), text_of(record, "reason"));
    else
        printf("%s", json_is_true(json_object_get(record, "consistent"))
                         ? text_of(record, "expectation")
                         : text_of(record, "why"));
    putchar('\n');
}

static void print_litmuses(const json_t *records)
{
    size_t i;
    json_t *record;
    puts("What the compilers do, by the values that their code computes:\n"
         "                             fuses                  regroups         finds NaN      "
         "keeps\n"
         "isa      compiler   policy   v_mad  a*b+c  a*b;t+c  TwoSum   magic   v_unord  x!=x  "
         "subnormals expectation");
    json_array_foreach(records, i, record) if (is(record, "litmus")) print_litmus(record);
}

/* The part of an id before "/policy=", by which the cells of a row are alike. */
static size_t row_length(const char *id)
{
    const char *policy = strstr(id, "/policy=");
    return policy ? (size_t)(policy - id) : strlen(id);
}

static long count_of(const json_t *record, const char *key)
{
    return (long)json_integer_value(json_object_get(record, key));
}

/* "6 0 25" ("6s 0 25": every FMA is on one lane), or "=off" where the machine code is that of an
 * earlier cell of the row. */
static void print_cell(const json_t *records, size_t first, size_t at)
{
    const json_t *record = json_array_get(records, at);
    char cell[40];
    const char *hash = text_of(record, "code_hash");
    long fma = count_of(record, "fma");
    snprintf(cell, sizeof cell, "%ld%s %ld %ld", fma,
             fma && fma == count_of(record, "fma_scalar") ? "s" : "", count_of(record, "mul"),
             count_of(record, "add"));
    if (!hash) snprintf(cell, sizeof cell, "%s", text_of(record, "status"));
    for (size_t i = first; i < at && hash; i++) {
        const json_t *other = json_array_get(records, i);
        const char *other_hash = text_of(other, "code_hash"), *id = text_of(other, "id");
        if (other_hash && !strcmp(hash, other_hash)) {
            snprintf(cell, sizeof cell, "=%s", id + row_length(id) + strlen("/policy="));
            break;
        }
    }
    const char *id = text_of(record, "id");
    printf("  %s: %-9s%s", id + row_length(id) + strlen("/policy="), cell,
           json_is_false(json_object_get(record, "consistent")) ? " (!)" : "");
}

static void print_counts(const json_t *records)
{
    puts("\nInstructions in each variant's own code (fma mul add; 6s: six, on one lane each; "
         "=P: the machine code of P):");
    const char *row = "";
    size_t first = 0, i;
    json_t *record;
    json_array_foreach(records, i, record)
    {
        if (!is(record, "codegen")) continue;
        const char *id = text_of(record, "id");
        size_t length = row_length(id);
        if (length != row_length(row) || strncmp(row, id, length) != 0) {
            printf("%s%.*s\n   ", *row ? "\n" : "", (int)length, id);
            first = i;
        }
        row = id;
        print_cell(records, first, i);
    }
    putchar('\n');
}

static void print_inconsistencies(const json_t *records)
{
    size_t i, variants = 0, bad = 0, unlisted = 0;
    json_t *record;
    json_array_foreach(records, i, record)
    {
        if (!is(record, "codegen")) continue;
        const char *expectation = text_of(record, "expectation");
        variants++;
        unlisted += expectation && !strcmp(expectation, "unlisted");
        if (!json_is_false(json_object_get(record, "consistent"))) continue;
        if (!bad++) puts("\nInconsistent (!):");
        printf("%s: %s\n", text_of(record, "id"), text_of(record, "why"));
    }
    printf("\n%zu variants, %zu inconsistent, %zu of an unlisted compiler or policy\n", variants,
           bad, unlisted);
}

/* ---- The command ----------------------------------------------------------------------------- */

static int print_document(const struct cpu *cpu, const json_t *records, struct error *e)
{
    json_t *document = record_document(machine_record(cpu)), *record;
    json_t *variants = json_array(), *litmus = json_array();
    size_t i;
    json_array_foreach(records, i, record)
        json_array_append(is(record, "litmus") ? litmus : variants, record);
    json_object_set_new(document, "variants", variants);
    json_object_set_new(document, "litmus", litmus);
    return record_print(document, e);
}

int cmd_codegen(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    int code = cpu_detect(&cpu, o->hide_isa, e);
    if (!code) code = registry_open(&r, &cpu, o->filters.items, o->filters.count, e);
    if (code) return code;

    json_t *records = json_array();
    code = codegen_run(&r, record_sink_array(records), e);
    if (o->json) {
        struct error printing;
        int printed = print_document(&cpu, records, &printing);
        if (printed) *e = printing, code = printed;
    } else {
        print_litmuses(records);
        print_counts(records);
        if (!o->quiet) print_inconsistencies(records);
    }
    json_decref(records);
    registry_close(&r);
    return code;
}
