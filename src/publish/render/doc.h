/* Sections that stand in both reports, written once: titles, paragraphs and tables as Markdown or
 * as HTML. What comes from records is text in both: nothing of it is ever markup. */
#ifndef ULPLAB_DOC_H
#define ULPLAB_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct doc {
    FILE *out;
    bool html;
};

void doc_section(const struct doc *d, const char *id, const char *title);
void doc_section_end(const struct doc *d);
void doc_heading(const struct doc *d, const char *title);
void doc_text(const struct doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* heads: ends with NULL. */
void doc_table(const struct doc *d, const char *const *heads);
void doc_row(const struct doc *d);
void doc_cell(const struct doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* shade: a class of report.css, "" for none; Markdown has no colours. */
void doc_shaded(const struct doc *d, const char *shade, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* An error or a ratio: three digits, a dash for NAN. */
void doc_number(const struct doc *d, double value);
void doc_row_end(const struct doc *d);
void doc_table_end(const struct doc *d);

/* What is too long for a page: folded away in HTML. False in Markdown: leave it out. */
bool doc_fold(const struct doc *d, const char *summary);
void doc_fold_end(const struct doc *d);

#endif
