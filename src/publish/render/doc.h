// SPDX-License-Identifier: MIT
/* A document that is written once and rendered as Markdown or as HTML: sections, paragraphs, lists
 * and tables. Formats are the program's own and may say `code`, **bold** and ~small~; what
 * comes from records is text in both, never markup (dialect.h). */
#ifndef ULPLAB_DOC_H
#define ULPLAB_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "publish/render/places.h"

/* The tables of folds, which the page's script builds: an array of {heads, rows}; a cell is a place
 * in `cells`, where a text or [shade, text] stands. */
struct doc_folds {
    json_t *tables;
    struct places cells;
};

struct doc {
    FILE *out; /* Markdown: a stream that ftell() knows, if most_bytes is set */
    bool html;
    long most_bytes; /* Markdown: beyond them rows and items are counted, not written; 0: none */
    struct doc_folds *folds; /* HTML; NULL: tables of folds are written where they stand */

    /* doc.c's own */
    size_t left_out;
    bool skips_row, in_fold, at_row_start;
    json_t *rows, *row; /* of the table of a fold */
};

/* Those that end with _of take the values of their format as an array (dialect.h). */
struct dialect_value;

void doc_section(struct doc *d, const char *id, const char *title);
void doc_section_end(struct doc *d);
void doc_heading(struct doc *d, const char *title);
void doc_heading_of(struct doc *d, const char *format, const struct dialect_value *);
void doc_text_of(struct doc *d, const char *format, const struct dialect_value *);
void doc_text(struct doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A paragraph that is a link to a page beside this one. */
void doc_page(struct doc *d, const char *file, const char *text);
void doc_list(struct doc *d);
void doc_item_of(struct doc *d, const char *format, const struct dialect_value *);
void doc_item(struct doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
void doc_list_end(struct doc *d);

/* Room for a chart and for a table that the page's script draws; nothing in Markdown. `label` is
 * what a screen reader says. */
void doc_chart(struct doc *d, const char *name, const char *label);
void doc_data_table(struct doc *d, const char *id);

/* heads: ends with NULL. */
void doc_table(struct doc *d, const char *const *heads);
/* style: classes of report.css ("sortable" is what doc_table() says); explanations: of each head,
 * "" for none; NULL: there are none. */
void doc_table_explained(struct doc *d, const char *style, const char *const *heads,
                         const char *const *explanations);
void doc_row(struct doc *d);
/* A row about one operation, or one compiler: the page hides it where filters want others. NULL:
 * about all. */
void doc_row_of(struct doc *d, const char *op, const char *cc);
/* shade: a class of report.css, "" for none; Markdown has no colours. */
void doc_cell_of(struct doc *d, const char *shade, const char *format,
                 const struct dialect_value *);
void doc_cell(struct doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A cell whose text is long and may be folded into lines. */
void doc_words(struct doc *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A share of a limit: a whole number, in HTML with a bar behind it; a dash for NAN. */
void doc_percent(struct doc *d, double percent);
void doc_row_end(struct doc *d);
void doc_table_end(struct doc *d);

/* Begins a part that is too long for a page: folded away in HTML. Returns false in Markdown: leave
 * it out. */
bool doc_fold_of(struct doc *d, const char *format, const struct dialect_value *);
void doc_fold_end(struct doc *d);

#endif
