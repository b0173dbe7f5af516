/* The machine, its limits and the doctor's findings; what is missing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "publish/site/html_page.h"
#include "publish/render/markup.h"

static bool is_list_of_words(const json_t *value)
{
    size_t i;
    const json_t *item;
    json_array_foreach(value, i, item) if (!json_is_string(item)) return false;
    return json_is_array(value);
}

/* A value as text: strings as they are, numbers short, anything deeper as JSON. */
static void write_value(const struct html_page *p, const json_t *value)
{
    if (json_is_string(value)) {
        markup(p->out, "%s", json_string_value(value));
    } else if (json_is_real(value)) {
        markup(p->out, "%.6g", json_real_value(value));
    } else if (!value || json_is_null(value)) {
        fputs("\xe2\x80\x93", p->out);
    } else if (is_list_of_words(value)) {
        for (size_t i = 0; i < json_array_size(value); i++)
            markup(p->out, "%s%s", i ? ", " : "", json_string_value(json_array_get(value, i)));
    } else {
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        markup(p->out, "%s", text);
        free(text);
    }
}

/* ---- The machine ------------------------------------------------------------------------------
 */

/* What it says of itself, objects in it one level deep. */
static void write_facts(const struct html_page *p, json_t *object, const char *prefix)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (json_is_object(value) && !*prefix) {
            write_facts(p, value, key);
            continue;
        }
        markup(p->out, "<div><dt>%s%s%s</dt><dd>", prefix, *prefix ? " " : "", key);
        write_value(p, value);
        fputs("</dd></div>\n", p->out);
    }
}

static void write_limits(const struct html_page *p)
{
    size_t i;
    const json_t *record;
    fputs("<h3>Limits, measured in the same run</h3>\n<div class=\"scroll\"><table "
          "class=\"sortable\"><thead><tr>"
          "<th scope=\"col\">limit</th><th scope=\"col\">ISA</th><th scope=\"col\">level</th>"
          "<th scope=\"col\">value</th><th scope=\"col\">unit</th></tr></thead><tbody>\n",
          p->out);
    json_array_foreach(p->r->timing, i, record)
    {
        if (strcmp(page_text(record, "record"), "limit") != 0) continue;
        const json_t *value = json_object_get(record, "value");
        markup(p->out,
               "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%.4g</td><td>%s</td></tr>\n",
               page_text(record, "name"), page_text(record, "isa"), page_text(record, "level"),
               json_is_number(value) ? json_number_value(value) : NAN, page_text(record, "unit"));
    }
    fputs("</tbody></table></div>\n", p->out);
}

/* The class of a severity that this report knows, "" for others: a record names no class itself. */
static const char *severity_class(const char *severity)
{
    static const char *const known[] = {"ok", "note", "warn", "fail"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i], severity)) return known[i];
    return "";
}

static void write_findings(const struct html_page *p)
{
    size_t i;
    const json_t *finding;
    fputs("<h3>Is it fit to measure?</h3>\n<div class=\"scroll\"><table "
          "class=\"sortable\"><thead><tr>"
          "<th scope=\"col\">check</th><th scope=\"col\">verdict</th><th scope=\"col\">value</th>"
          "<th scope=\"col\">remedy</th></tr></thead><tbody>\n",
          p->out);
    json_array_foreach(json_object_get(p->r->machine, "findings"), i, finding)
    {
        const char *severity = page_text(finding, "severity");
        markup(p->out,
               "<tr><th scope=\"row\">%s</th><td><span class=\"mark %s\">%s</span></td><td "
               "class=\"text\">",
               page_text(finding, "check"), severity_class(severity), severity);
        write_value(p, json_object_get(finding, "value"));
        markup(p->out, "</td><td class=\"text\">%s</td></tr>\n", page_text(finding, "remedy"));
    }
    fputs("</tbody></table></div>\n", p->out);
}

void html_machine(const struct html_page *p)
{
    section_open(p, "machine", "The machine");
    write_findings(p);
    write_limits(p);
    fputs("<h3>What it is</h3>\n<dl class=\"facts\">\n", p->out);
    write_facts(p, json_object_get(p->r->machine, "machine"), "");
    fputs("</dl>\n", p->out);
    section_close(p);
}

/* ---- What is missing --------------------------------------------------------------------------
 */

enum { REASONS_MAX = 200 };

/* Rows that are not ok, alike in what became of them and why. */
struct reason {
    const char *status, *why, *example;
    size_t rows;
};

static size_t add_reason(struct reason *reasons, size_t count, const json_t *record)
{
    const char *status = page_text(record, "status"), *why = page_text(record, "reason");
    if (!strcmp(status, "ok")) return count;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(reasons[i].status, status) && !strcmp(reasons[i].why, why)) {
            reasons[i].rows++;
            return count;
        }
    if (count == REASONS_MAX) return count; /* counted, not listed */
    reasons[count] = (struct reason){status, why, page_text(record, "id"), 1};
    return count + 1;
}

void html_missing(const struct html_page *p)
{
    struct reason reasons[REASONS_MAX];
    size_t count = 0, bad = 0, all = 0;
    const json_t *record;
    for (; (record = results_answered(p->r, all)); all++) {
        bad += strcmp(page_text(record, "status"), "ok") != 0;
        count = add_reason(reasons, count, record);
    }
    section_open(p, "missing", "What was not measured, and what fell");
    markup(p->out, "<p>%zu rows of results, %zu of them not <code>ok</code>.</p>\n", all, bad);
    if (count)
        fputs("<div class=\"scroll\"><table class=\"sortable\"><thead><tr><th "
              "scope=\"col\">status</th>"
              "<th scope=\"col\">rows</th><th scope=\"col\">why</th><th scope=\"col\">for "
              "example</th></tr></thead>"
              "<tbody>\n",
              p->out);
    for (size_t i = 0; i < count; i++)
        markup(p->out,
               "<tr><th scope=\"row\">%s</th><td>%zu</td><td class=\"text\">%s</td><td "
               "class=\"text\"><code>%s</code></td></tr>\n",
               reasons[i].status, reasons[i].rows,
               *reasons[i].why ? reasons[i].why : "the record does not say", reasons[i].example);
    if (count) fputs("</tbody></table></div>\n", p->out);
    if (count == REASONS_MAX)
        markup(p->out, "<p class=\"note\">The first %d reasons; all are in the .jsonl files.</p>\n",
               REASONS_MAX);
    section_close(p);
}
