// SPDX-License-Identifier: MIT
#include "publish/render/doc.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/render/dialect.h"
#include "publish/render/markup.h"

static void write_text(const struct doc *d, const char *format, const struct dialect_value *values)
{
    dialect_put(d->html ? &dialect_html : &dialect_markdown, d->out, format, values);
}

/* The arguments of a function with `format` as its last named parameter, handed on. */
#define HAND_ON(call)                                                                              \
    do {                                                                                           \
        struct dialect_values v = {.letters = {{0}}};                                              \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        dialect_values(format, arguments, &v);                                                     \
        va_end(arguments);                                                                         \
        call;                                                                                      \
    } while (0)

/* ---- Sections and running text --------------------------------------------------------------- */

void doc_section(struct doc *d, const char *id, const char *title)
{
    if (d->html)
        markup(d->out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
    else
        fprintf(d->out, "## %s\n\n", title);
}

void doc_section_end(struct doc *d)
{
    if (d->html) fputs("</section>\n", d->out);
}

void doc_heading_of(struct doc *d, const char *format, const struct dialect_value *values)
{
    fputs(d->html ? "<h3>" : "### ", d->out);
    write_text(d, format, values);
    fputs(d->html ? "</h3>\n" : "\n\n", d->out);
}

/* A title may come from a record. */
void doc_heading(struct doc *d, const char *title)
{
    doc_heading_of(d, "%s", &(struct dialect_value){title, 0});
}

void doc_text_of(struct doc *d, const char *format, const struct dialect_value *values)
{
    if (d->html) fputs("<p>", d->out);
    write_text(d, format, values);
    fputs(d->html ? "</p>\n" : "\n\n", d->out);
}

void doc_text(struct doc *d, const char *format, ...)
{
    HAND_ON(doc_text_of(d, format, v.items));
}

void doc_page(struct doc *d, const char *file, const char *text)
{
    if (d->html)
        markup(d->out, "<p><a href=\"%s\">%s</a></p>\n", file, text);
    else
        fprintf(d->out, "[%s](%s)\n\n", text, file);
}

/* Returns whether the document is full: the row or item is then counted instead of written. */
static bool leaves_out(struct doc *d)
{
    bool full = !d->html && d->most_bytes && ftell(d->out) > d->most_bytes;
    d->left_out += full;
    return full;
}

static void tell_left_out(struct doc *d, const char *what)
{
    if (d->left_out)
        fprintf(d->out, "\n%zu more %s: report.html has them all.\n", d->left_out, what);
    d->left_out = 0;
}

void doc_list(struct doc *d)
{
    if (d->html) fputs("<ul>\n", d->out);
}

void doc_item_of(struct doc *d, const char *format, const struct dialect_value *values)
{
    if (leaves_out(d)) return;
    fputs(d->html ? "<li>" : "- ", d->out);
    write_text(d, format, values);
    fputs(d->html ? "</li>\n" : "\n", d->out);
}

void doc_item(struct doc *d, const char *format, ...)
{
    HAND_ON(doc_item_of(d, format, v.items));
}

void doc_list_end(struct doc *d)
{
    tell_left_out(d, "items");
    fputs(d->html ? "</ul>\n" : "\n", d->out);
}

/* ---- What the page's script fills ------------------------------------------------------------ */

void doc_chart(struct doc *d, const char *name, const char *label)
{
    if (d->html)
        markup(d->out,
               "<figure class=\"chart\" id=\"chart-%s\" hidden><div class=\"controls\"></div>"
               "<div class=\"canvas\"><canvas role=\"img\" aria-label=\"%s\"></canvas></div>"
               "<figcaption></figcaption></figure>\n",
               name, label);
}

void doc_data_table(struct doc *d, const char *id)
{
    if (d->html)
        markup(d->out,
               "<p class=\"count\" hidden></p><div class=\"scroll tall\"><table class=\"sortable\" "
               "id=\"%s\"></table></div>\n",
               id);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static bool is_collected(const struct doc *d)
{
    return d->in_fold && d->folds;
}

/* The script finds the table of a fold by its place in the array. */
static void collect_table(struct doc *d, const char *const *heads)
{
    json_t *table = json_pack("{s:[], s:[]}", "heads", "rows");
    markup(d->out, "<div class=\"scroll tall\" data-fold=\"%zu\"></div>\n",
           json_array_size(d->folds->tables));
    for (size_t i = 0; heads[i]; i++)
        json_array_append_new(json_object_get(table, "heads"), json_text(heads[i]));
    d->rows = json_object_get(table, "rows");
    json_array_append_new(d->folds->tables, table);
}

void doc_table_explained(struct doc *d, const char *style, const char *const *heads,
                         const char *const *explanations)
{
    if (is_collected(d)) {
        collect_table(d, heads);
        return;
    }
    if (d->html) markup(d->out, "<div class=\"scroll\"><table class=\"%s\"><thead><tr>", style);
    for (size_t i = 0; heads[i]; i++) {
        fputs(d->html ? "<th scope=\"col\"" : "| ", d->out);
        if (d->html && explanations && *explanations[i])
            markup(d->out, " title=\"%s\"", explanations[i]);
        if (d->html) putc('>', d->out);
        write_text(d, "%s", &(struct dialect_value){heads[i], 0});
        fputs(d->html ? "</th>" : " ", d->out);
    }
    if (d->html) {
        fputs("</tr></thead>\n<tbody>\n", d->out);
        return;
    }
    fputs("|\n", d->out);
    for (size_t i = 0; heads[i]; i++) fputs("|---", d->out);
    fputs("|\n", d->out);
}

void doc_table(struct doc *d, const char *const *heads)
{
    doc_table_explained(d, "sortable", heads, NULL);
}

void doc_row_of(struct doc *d, const char *op, const char *cc)
{
    d->at_row_start = true;
    if (is_collected(d)) {
        json_array_append_new(d->rows, d->row = json_array());
        return;
    }
    d->skips_row = leaves_out(d);
    if (d->skips_row) return;
    fputs(d->html ? "<tr" : "|", d->out);
    if (d->html && op) markup(d->out, " data-op=\"%s\"", op);
    if (d->html && cc) markup(d->out, " data-cc=\"%s\"", cc);
    if (d->html) putc('>', d->out);
}

void doc_row(struct doc *d)
{
    doc_row_of(d, NULL, NULL);
}

static void collect_cell(struct doc *d, const char *shade, const char *format,
                         const struct dialect_value *values)
{
    char *key = NULL;
    size_t size = 0;
    FILE *out = memory_text(&key, &size);
    fprintf(out, "%s:", shade);
    dialect_put(&dialect_plain, out, format, values);
    memory_text_close(out);
    json_t *text = json_text(key + strlen(shade) + 1);
    json_t *cell = *shade ? json_pack("[s, o]", shade, text) : text;
    json_array_append_new(d->row, places_put(&d->folds->cells, key, cell));
    free(key);
}

/* The first cell of a row is its head. */
static void write_cell(struct doc *d, const char *shade, const char *format,
                       const struct dialect_value *values)
{
    const char *tag = d->at_row_start ? "th" : "td";
    if (d->html) fprintf(d->out, "<%s%s", tag, d->at_row_start ? " scope=\"row\"" : "");
    if (d->html && *shade) markup(d->out, " class=\"%s\"", shade);
    fputs(d->html ? ">" : " ", d->out);
    write_text(d, format, values);
    if (d->html)
        fprintf(d->out, "</%s>", tag);
    else
        fputs(" |", d->out);
}

void doc_cell_of(struct doc *d, const char *shade, const char *format,
                 const struct dialect_value *values)
{
    if (is_collected(d))
        collect_cell(d, shade, format, values);
    else if (!d->skips_row)
        write_cell(d, shade, format, values);
    d->at_row_start = false;
}

void doc_cell(struct doc *d, const char *format, ...)
{
    HAND_ON(doc_cell_of(d, "", format, v.items));
}

void doc_words(struct doc *d, const char *format, ...)
{
    HAND_ON(doc_cell_of(d, "text", format, v.items));
}

void doc_percent(struct doc *d, double percent)
{
    bool shows_bar = d->html && !d->skips_row && !is_collected(d) && !isnan(percent);
    if (!shows_bar) {
        doc_cell(d, "%.0f", percent);
        return;
    }
    markup(d->out, "<td class=\"meter\" style=\"--p:%.0f\">%.0f%%</td>",
           fmax(0, fmin(100, percent)), percent);
    d->at_row_start = false;
}

void doc_row_end(struct doc *d)
{
    if (!is_collected(d) && !d->skips_row) fputs(d->html ? "</tr>\n" : "\n", d->out);
}

void doc_table_end(struct doc *d)
{
    if (is_collected(d)) return;
    tell_left_out(d, "rows");
    fputs(d->html ? "</tbody></table></div>\n" : "\n", d->out);
}

/* ---- Folds ----------------------------------------------------------------------------------- */

bool doc_fold_of(struct doc *d, const char *format, const struct dialect_value *values)
{
    if (!d->html) return false;
    fputs("<details><summary>", d->out);
    write_text(d, format, values);
    fputs("</summary>\n", d->out);
    return d->in_fold = true;
}

void doc_fold_end(struct doc *d)
{
    d->in_fold = false;
    fputs("</details>\n", d->out);
}
