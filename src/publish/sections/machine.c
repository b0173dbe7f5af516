/* The machine: the doctor's findings, the limits that were measured, what it is. */
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/sections/case_text.h"
#include "publish/sections/sections.h"

enum { VALUE_MAX = 2000 };

/* A value as text: lists of words as words, anything deeper as JSON. */
static const char *value_text(const json_t *value, char text[VALUE_MAX])
{
    size_t i, used = 0;
    const json_t *item;
    text[0] = '\0';
    json_array_foreach(value, i, item)
    {
        if (!json_is_string(item)) return case_cell(value, text, VALUE_MAX);
        if (used < VALUE_MAX)
            used += (size_t)snprintf(text + used, VALUE_MAX - used, "%s%s", i ? ", " : "",
                                     json_string_value(item));
    }
    return json_is_array(value) ? text : case_cell(value, text, VALUE_MAX);
}

/* The class of a severity that this report knows, "" for others: a record names no class itself. */
static const char *severity_class(const char *severity)
{
    static const char *const known[] = {"ok", "note", "warn", "fail"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i], severity)) return known[i];
    return "";
}

static void write_findings(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"check", "severity", "value", "remedy", NULL};
    char text[VALUE_MAX];
    const json_t *finding;
    size_t i;
    doc_heading(d, "Is it fit to measure? (ulplab doctor)");
    doc_table(d, heads);
    json_array_foreach(json_object_get(r->results.machine, "findings"), i, finding)
    {
        const char *severity = record_text(finding, "severity");
        doc_row(d);
        doc_cell(d, "%s", record_text(finding, "check"));
        doc_shaded(d, severity_class(severity), "%s", severity);
        doc_words(d, "%s", value_text(json_object_get(finding, "value"), text));
        doc_words(d, "%s", record_text(finding, "remedy"));
        doc_row_end(d);
    }
    doc_table_end(d);
}

static void write_limits(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"limit", "ISA", "level", "value", "unit", NULL};
    const json_t *record;
    size_t i;
    doc_heading(d, "Limits, measured in the same run");
    doc_table(d, heads);
    json_array_foreach(r->results.timing, i, record)
    {
        if (strcmp(record_text(record, "record"), "limit") != 0) continue;
        doc_row(d);
        doc_cell(d, "%s", record_text(record, "name"));
        doc_cell(d, "%s", record_text(record, "isa"));
        doc_cell(d, "%s", record_text(record, "level"));
        doc_cell(d, "%.4g", record_number(record, "value"));
        doc_cell(d, "%s", record_text(record, "unit"));
        doc_row_end(d);
    }
    doc_table_end(d);
}

/* Objects in it one level deep. */
static void write_facts(struct doc *d, json_t *object, const char *prefix)
{
    char text[VALUE_MAX];
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (json_is_object(value) && !*prefix) {
            write_facts(d, value, key);
            continue;
        }
        doc_row(d);
        doc_cell(d, "%s%s%s", prefix, *prefix ? " " : "", key);
        doc_words(d, "%s", value_text(value, text));
        doc_row_end(d);
    }
}

void section_machine(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"fact", "value", NULL};
    write_findings(r, d);
    doc_heading(d, "What it is");
    doc_table(d, heads);
    write_facts(d, json_object_get(r->results.machine, "machine"), "");
    doc_table_end(d);
    write_limits(r, d);
}
