#include "publish/render/doc.h"

#include <math.h>
#include <stdarg.h>

#include "publish/render/markup.h"

enum { TEXT = 4096 };

/* In Markdown a bar would end a cell and a line break a table. */
static void write_text(const struct doc *d, const char *text)
{
    if (d->html) {
        markup(d->out, "%s", text);
        return;
    }
    for (; *text; text++) {
        if (*text == '|' || *text == '<' || *text == '`' || *text == '*' || *text == '_')
            fputc('\\', d->out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, d->out);
    }
}

#define FORMAT(text, format)                                                                       \
    char text[TEXT];                                                                               \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    vsnprintf(text, sizeof text, format, arguments);                                               \
    va_end(arguments)

void doc_section(const struct doc *d, const char *id, const char *title)
{
    if (d->html)
        markup(d->out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
    else
        fprintf(d->out, "## %s\n\n", title);
}

void doc_section_end(const struct doc *d)
{
    if (d->html) fputs("</section>\n", d->out);
}

void doc_heading(const struct doc *d, const char *title)
{
    if (d->html)
        markup(d->out, "<h3>%s</h3>\n", title);
    else
        fprintf(d->out, "### %s\n\n", title);
}

void doc_text(const struct doc *d, const char *format, ...)
{
    FORMAT(text, format);
    if (d->html) fputs("<p>", d->out);
    write_text(d, text);
    fputs(d->html ? "</p>\n" : "\n\n", d->out);
}

void doc_table(const struct doc *d, const char *const *heads)
{
    if (d->html) fputs("<div class=\"scroll\"><table><thead><tr>", d->out);
    for (size_t i = 0; heads[i]; i++) {
        if (d->html)
            markup(d->out, "<th scope=\"col\">%s</th>", heads[i]);
        else
            fprintf(d->out, "| %s ", heads[i]);
    }
    if (d->html) {
        fputs("</tr></thead>\n<tbody>\n", d->out);
        return;
    }
    fputs("|\n", d->out);
    for (size_t i = 0; heads[i]; i++) fputs("|---", d->out);
    fputs("|\n", d->out);
}

void doc_row(const struct doc *d)
{
    fputs(d->html ? "<tr>" : "|", d->out);
}

static void cell(const struct doc *d, const char *shade, const char *text)
{
    if (d->html && *shade)
        markup(d->out, "<td class=\"%s\">", shade);
    else
        fputs(d->html ? "<td>" : " ", d->out);
    write_text(d, text);
    fputs(d->html ? "</td>" : " |", d->out);
}

void doc_cell(const struct doc *d, const char *format, ...)
{
    FORMAT(text, format);
    cell(d, "", text);
}

void doc_shaded(const struct doc *d, const char *shade, const char *format, ...)
{
    FORMAT(text, format);
    cell(d, shade, text);
}

void doc_number(const struct doc *d, double value)
{
    if (isnan(value))
        doc_cell(d, "-");
    else
        doc_cell(d, value < 1e4 ? "%.3g" : "%.1e", value);
}

void doc_row_end(const struct doc *d)
{
    fputs(d->html ? "</tr>\n" : "\n", d->out);
}

void doc_table_end(const struct doc *d)
{
    fputs(d->html ? "</tbody></table></div>\n" : "\n", d->out);
}

bool doc_fold(const struct doc *d, const char *summary)
{
    if (d->html) markup(d->out, "<details><summary>%s</summary>\n", summary);
    return d->html;
}

void doc_fold_end(const struct doc *d)
{
    if (d->html) fputs("</details>\n", d->out);
}
