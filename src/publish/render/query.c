// SPDX-License-Identifier: MIT
#include "publish/render/query.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/render/markup.h"

enum { COLUMNS = 64, ACROSS = 256, NAME_ROOM = 120, FORMAT_ROOM = 2400 };

/* ---- Names of columns ------------------------------------------------------------------------ */

enum kind { WORDS, NOTE, ITEM, HEADING, PAGE, DATA, CHART, CURVE, FOLD, EACH, END, TABLE };

/* Parts that are not tables, in each dialect. %1 is the first column of the row, * the format with
 * the later columns. */
static const struct {
    const char *name, *text[3];
    size_t indent; /* at a terminal, of its other lines */
} kinds[TABLE] = {
    [WORDS] = {"words", {"*\n\n", "<p>*</p>\n", "*"}, 0},
    [NOTE] = {"note", {"*\n\n", "<p>*</p>\n", "*"}, 2},
    [ITEM] = {"item", {"- *\n", "<li>*</li>\n", "- *"}, 2},
    [HEADING] = {"heading", {"### *\n\n", "<h3>*</h3>\n", "*"}, 0},
    [PAGE] = {"page", {"[%2](%1)\n\n", "<p><a href=\"%1\">%2</a></p>\n"}, 0},
    [DATA] = {.name = "data",
              .text[HTML] = "<div class=\"scroll tall\"><table "
                            "class=\"sortable\" id=\"%1\"></table></div>\n"},
    [CHART] = {.name = "chart",
               .text[HTML] =
                   "<figure class=\"chart\" id=\"chart-%1\" hidden><div class=\"controls\"></div>"
                   "<div class=\"canvas\"><canvas role=\"img\" aria-label=\"%2\"></canvas></div>"
                   "<figcaption></figcaption></figure>\n"},
    [CURVE] = {.name = "curve",
               .text[HTML] = "<figure class=\"curve\"><svg viewBox=\"-2 -2 %1 %2\" role=\"img\" "
                             "aria-label=\"%3\">"
                             "<polyline fill=\"none\" stroke=\"var(--%4)\" stroke-width=\"1.5\" "
                             "points=\"%5\"/>"
                             "<polyline fill=\"none\" stroke=\"var(--%6)\" stroke-width=\"1.5\" "
                             "points=\"%7\"/>"
                             "</svg><figcaption>*</figcaption></figure>\n"},
    [FOLD] = {.name = "fold", .text[HTML] = "<details><summary>*</summary>\n"},
    [EACH] = {.name = "each"},
    [END] = {.name = "end"},
};

/* HEADING|FORMAT|EXPLANATION, cut apart; line breaks with their indents are single spaces. */
struct name {
    enum kind kind;
    char heading[NAME_ROOM], class[24], explanation[NAME_ROOM];
    char format[FORMAT_ROOM];
    bool is_shaded;  /* by its first column */
    bool is_percent; /* %P */
    bool is_shown;
    int at, takes; /* columns: the first, and how many */
};

static const char *copy_part(const char *from, char *to, size_t size, char end)
{
    size_t used = 0;
    for (; *from && *from != end; from++) {
        const bool blank = *from == ' ' || *from == '\n';
        if (*from == '\n') from += strspn(from, "\n ") - 1;
        if (used + 1 < size) to[used++] = blank ? ' ' : *from;
    }
    to[used] = '\0';
    return *from ? from + 1 : from;
}

static void name_read(sqlite3_stmt *s, int at, struct name *n)
{
    char format[FORMAT_ROOM], *own = format;
    const char *text = sqlite3_column_name(s, at);
    *n = (struct name){.kind = TABLE, .at = at, .is_shown = *text != '?'};
    text = copy_part(text + !n->is_shown, n->heading, sizeof n->heading, '|');
    for (enum kind k = 0; k < TABLE && at == 0; k++)
        if (!strcmp(n->heading, kinds[k].name)) n->kind = k;
    text = copy_part(text, format, sizeof format, n->kind == TABLE ? '|' : '\0');
    copy_part(text, n->explanation, sizeof n->explanation, '\0');
    if (*format == '{' && strchr(format, '}')) {
        own = (char *)(uintptr_t)copy_part(format + 1, n->class, sizeof n->class, '}');
        n->is_shaded = !*n->class;
    }
    n->is_percent = !strcmp(own, "%P");
    snprintf(n->format, sizeof n->format, "%s", n->is_percent ? "%.0f" : *own ? own : "%s");
    n->takes = n->is_shaded + (int)dialect_conversions(n->format);
    if (!n->takes) n->takes = 1;
}

/* ---- Statements ------------------------------------------------------------------------------ */

/* A row of `each`, within those around it. */
struct scope {
    const struct scope *outer;
    sqlite3_stmt *row;
};
struct asking {
    const struct doc *d; /* NULL: only finds out whether there are rows */
    const struct lab_db *l;
    enum dialect dialect;
    FILE *out;       /* the document's, or the cells of a terminal's table, each ended by '\0' */
    struct error *e; /* of the first failure; NULL: it is written where it happens */
    int code;        /* of that failure */
    const char *id, *title, *words; /* of a section, until it has a part */
    size_t left_out;                /* rows or items */
    bool in_list, in_fold, has_rows;
};

static void bind(const struct asking *q, sqlite3_stmt *s, const struct scope *scope)
{
    const struct terminal *terminal = q->d ? q->d->terminal : NULL;
    for (int i = 1; i <= sqlite3_bind_parameter_count(s); i++) {
        const char *name = sqlite3_bind_parameter_name(s, i) + 1;
        if (!strcmp(name, "html")) sqlite3_bind_int(s, i, q->dialect == HTML);
        if (!strcmp(name, "drawn"))
            sqlite3_bind_int(s, i, q->dialect == HTML && !(q->d && q->d->still));
        if (!strcmp(name, "document")) sqlite3_bind_int(s, i, q->dialect != PLAIN);
        if (!strcmp(name, "screen")) sqlite3_bind_int(s, i, terminal && terminal->columns);
        if (!strcmp(name, "brief")) sqlite3_bind_int(s, i, q->d && q->d->brief);
        for (const struct scope *in = scope; in; in = in->outer)
            for (int k = 0; k < sqlite3_column_count(in->row); k++)
                if (!strcmp(sqlite3_column_name(in->row, k), name))
                    sqlite3_bind_value(s, i, sqlite3_column_value(in->row, k));
    }
}

static struct dialect_value query_value_of(sqlite3_value *v)
{
    const char *text = (const char *)sqlite3_value_text(v);
    const bool none = sqlite3_value_type(v) == SQLITE_NULL;
    return (struct dialect_value){text ? text : "", none ? (double)NAN : sqlite3_value_double(v)};
}

/* Writes a part of a page or of Markdown, of which a terminal has nothing. */
static void query_put(const struct asking *q, const char *html, const char *markdown)
{
    if (q->dialect != PLAIN) fputs(q->dialect == HTML ? html : markdown, q->out);
}

/* Returns whether the document is full: the row or item is then counted instead of written. */
static bool leaves_out(struct asking *q)
{
    const bool full =
        q->dialect == MARKDOWN && q->d->most_bytes && ftell(q->out) > q->d->most_bytes;
    q->left_out += full;
    return full;
}

/* Ends a list or a table. */
static void end_with(struct asking *q, const char *what, const char *html)
{
    if (q->left_out) fprintf(q->out, "\n%zu more %s: report.html has all.\n", q->left_out, what);
    q->left_out = 0;
    query_put(q, html, "\n");
}

/* Writes a row of a part that is not a table. */
static void write_kind(const struct asking *q, enum kind kind, const char *format,
                       const struct dialect_value *values, size_t indent)
{
    char *line = NULL;
    size_t size = 0;
    int column = 0;
    const char *at = kinds[kind].text[q->dialect];
    if (!at || ((kind == CHART || kind == DATA) && q->d->still)) return;
    FILE *out = q->dialect == PLAIN ? memory_text(&line, &size) : q->out;
    for (; *at; at++)
        if (*at == '*')
            dialect_put(out, q->dialect, format, values + column);
        else if (*at == '%')
            markup_text(out, values[(column = *++at - '0') - 1].text);
        else
            putc(*at, out);
    if (q->dialect != PLAIN) return;
    memory_text_close(out);
    write_prose(q->out, *q->d->terminal, indent, "%s", line);
    free(line);
}

/* There are rows: a section begins with the first. */
static void query_begin(struct asking *q)
{
    q->has_rows = true;
    if (!q->title) return;
    if (q->dialect == HTML)
        markup(q->out, "<section id=\"%s\">\n<h2>%s</h2>\n", q->id, q->title);
    else
        fprintf(q->out, q->dialect == PLAIN ? "%s\n" : "## %s\n\n", q->title);
    q->title = NULL;
    if (*q->words) write_kind(q, WORDS, "%s", &(struct dialect_value){q->words, 0}, 0);
}

/* Says that rows are missing where the last step failed. */
static void check_step(struct asking *q, int state)
{
    if (state == SQLITE_ROW || state == SQLITE_DONE) return;
    const struct dialect_value why = {sqlite3_errmsg(q->l->db), 0};
    if (q->e)
        q->code = lab_failed(q->l, q->e);
    else if (q->d)
        write_kind(q, WORDS, "**Not known**: %s.", &why, 0);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

enum special { LINE, OP, CC, STYLE, TINT, HREF, ACROSS_IT, PLACE, SPECIALS };
static const char *const specials[SPECIALS] = {"line", "row_op", "row_cc", "style",
                                               "tint", "href",   "across", "place"};

struct grid {
    struct name names[COLUMNS];
    int count;             /* of names */
    int own;               /* of these, those before `across` */
    int columns;           /* of the query */
    int special[SPECIALS]; /* columns; -1: none */
    sqlite3_value **values;
    size_t rows;
    sqlite3_value **heads[ACROSS]; /* a row with each value of `across`, in their order */
    size_t head_count;
    /* The columns of the table. head: that of `across`, or NULL. */
    struct shown {
        const struct name *name;
        sqlite3_value **head;
    } * shown;
    size_t shown_count;
};

static const char *query_text_of(sqlite3_value *value)
{
    return (const char *)sqlite3_value_text(value);
}

/* Returns the text of a row's special column; NULL where it is NULL or the query has no such
 * column. */
static const char *special_of(const struct grid *t, sqlite3_value **row, enum special k)
{
    return t->special[k] < 0 ? NULL : query_text_of(row[t->special[k]]);
}

static void read_names(struct grid *t, sqlite3_stmt *s)
{
    t->columns = sqlite3_column_count(s);
    for (int k = 0; k < SPECIALS; k++) t->special[k] = -1;
    for (int i = 0; i < t->columns && t->count < COLUMNS;) {
        int k = 0;
        while (k < SPECIALS && strcmp(sqlite3_column_name(s, i), specials[k]) != 0) k++;
        if (k == SPECIALS || (k == PLACE && t->special[ACROSS_IT] < 0)) {
            name_read(s, i, &t->names[t->count]);
            i += t->names[t->count++].takes;
        } else {
            t->special[k] = i++;
            if (k == ACROSS_IT) t->own = t->count;
        }
    }
    if (t->special[ACROSS_IT] < 0) t->own = t->count;
}

static bool same(const char *a, const char *b)
{
    return !a || !b ? a == b : !strcmp(a, b);
}

static double query_place_of(const struct grid *t, sqlite3_value **row)
{
    return t->special[PLACE] < 0 ? 0 : sqlite3_value_double(row[t->special[PLACE]]);
}

/* Returns whether the row belongs to the column. Two may have one heading, at different places. */
static bool is_of_head(const struct grid *t, sqlite3_value **head, sqlite3_value **row)
{
    return same(special_of(t, head, ACROSS_IT), special_of(t, row, ACROSS_IT)) &&
           query_place_of(t, row) == query_place_of(t, head);
}

static void remember_head(struct grid *t, sqlite3_value **row)
{
    size_t to = t->head_count;
    for (size_t i = 0; i < t->head_count; i++)
        if (is_of_head(t, t->heads[i], row)) return;
    if (t->head_count == ACROSS) return;
    for (; to && query_place_of(t, t->heads[to - 1]) > query_place_of(t, row); to--)
        t->heads[to] = t->heads[to - 1];
    t->heads[to] = row;
    t->head_count++;
}

static sqlite3_value **query_row_of(const struct grid *t, size_t i)
{
    return t->values + i * (size_t)t->columns;
}

/* The statement stands at its first row. Returns what the last step did. */
static int read_rows(struct grid *t, sqlite3_stmt *s)
{
    size_t room = 0;
    int state;
    do {
        if (t->rows == room)
            t->values = memory_grow(t->values, (room = 2 * room + 16) * (size_t)t->columns *
                                                   sizeof(sqlite3_value *));
        for (int i = 0; i < t->columns; i++)
            query_row_of(t, t->rows)[i] = sqlite3_value_dup(sqlite3_column_value(s, i));
        for (int k = 0; k < t->count; k++)
            t->names[k].is_shown |= sqlite3_column_type(s, t->names[k].at) != SQLITE_NULL;
        t->rows++;
    } while ((state = sqlite3_step(s)) == SQLITE_ROW);
    for (size_t i = 0; i < t->rows && t->special[ACROSS_IT] >= 0; i++)
        remember_head(t, query_row_of(t, i));
    return state;
}

static void show_columns(struct grid *t)
{
    t->shown = memory_new((size_t)t->count * (t->head_count + 1) * sizeof *t->shown);
    for (int k = 0; k < t->own; k++)
        if (t->names[k].is_shown) t->shown[t->shown_count++] = (struct shown){&t->names[k], NULL};
    for (size_t h = 0; h < t->head_count; h++)
        for (int k = t->own; k < t->count; k++)
            if (t->names[k].is_shown)
                t->shown[t->shown_count++] = (struct shown){&t->names[k], t->heads[h]};
}

static void end_cell(const struct asking *q, const char *html, const char *markdown)
{
    query_put(q, html, markdown);
    if (q->dialect == PLAIN) putc('\0', q->out);
}

/* row: NULL for a dash. The first cell of a line is its head. href: NULL for no link. */
static void write_cell(const struct asking *q, const struct name *n, sqlite3_value **row,
                       bool first, const char *href)
{
    struct dialect_value given[COLUMNS] = {{"", (double)NAN}};
    sqlite3_value **values = row ? row + n->at + n->is_shaded : NULL;
    const bool known = row && sqlite3_value_type(*values) != SQLITE_NULL;
    const bool html = q->dialect == HTML, percent = n->is_percent && html;
    for (int i = 0; known && i < n->takes - n->is_shaded; i++) given[i] = query_value_of(values[i]);
    const char *class = n->is_shaded && known ? query_value_of(values[-1]).text : n->class;
    query_put(q, first ? "<th scope=\"row\"" : "<td", " ");
    if (known && percent)
        fprintf(q->out, " class=\"meter\" style=\"--p:%.0f\"", fmax(0, fmin(100, given[0].number)));
    else if (known && html && *class)
        markup(q->out, " class=\"%s\"", class);
    query_put(q, ">", "");
    if (html && href) markup(q->out, "<a href=\"%s\">", href);
    dialect_put(q->out, q->dialect, !known ? "%f" : percent ? "%.0f%%" : n->format, given);
    if (html && href) query_put(q, "</a>", "");
    end_cell(q, first ? "</th>" : "</td>", " |");
}

static void write_head(const struct asking *q, const struct grid *t, const struct shown *column)
{
    char text[2 * NAME_ROOM];
    const struct name *n = column->name;
    const char *head = column->head ? special_of(t, column->head, ACROSS_IT) : NULL;
    const struct dialect_value value = {text, 0};
    if (!head) head = "";
    snprintf(text, sizeof text, "%.*s%s%s", NAME_ROOM - 4, head, *n->heading && *head ? ": " : "",
             n->heading);
    query_put(q, "<th scope=\"col\"", "| ");
    if (q->dialect == HTML && *n->explanation) markup(q->out, " title=\"%s\"", n->explanation);
    query_put(q, ">", "");
    dialect_put(q->out, q->dialect, "%s", &value);
    end_cell(q, "</th>", " ");
}

static void write_heads(const struct asking *q, const struct grid *t)
{
    const char *style = special_of(t, t->values, STYLE);
    query_put(q, q->in_fold ? "<div class=\"scroll tall\"><template>" : "<div class=\"scroll\">",
              "");
    if (q->dialect == HTML)
        markup(q->out, "<table class=\"%s\"><thead><tr>", style ? style : "sortable");
    for (size_t i = 0; i < t->shown_count; i++) write_head(q, t, &t->shown[i]);
    query_put(q, "</tr></thead>\n<tbody>\n", "|\n");
    for (size_t i = 1; i <= t->shown_count; i++)
        query_put(q, "", i < t->shown_count ? "|---" : "|---|\n");
}

/* Returns whether the rows are of one line of the table. */
static bool share_line(const struct grid *t, sqlite3_value **a, sqlite3_value **b)
{
    bool equal = t->special[ACROSS_IT] >= 0;
    for (int i = 0; i < t->special[ACROSS_IT] && equal; i++)
        equal = same(query_text_of(a[i]), query_text_of(b[i]));
    return equal;
}

/* Writes the line of `rows` rows. */
static void write_line(const struct asking *q, const struct grid *t, size_t first, size_t rows)
{
    sqlite3_value **row = query_row_of(t, first), **of = row;
    const char *op = special_of(t, row, OP), *cc = special_of(t, row, CC);
    const char *tint = special_of(t, row, TINT);
    query_put(q, "<tr", "|");
    if (q->dialect == PLAIN) fprintf(q->out, "%s%c", tint ? tint : "", '\0');
    if (q->dialect == HTML && op)
        markup(q->out, *op == '+' ? " data-op=\"%s\" hidden" : " data-op=\"%s\"", op);
    if (q->dialect == HTML && cc) markup(q->out, " data-cc=\"%s\"", cc);
    query_put(q, ">", "");
    for (size_t k = 0; k < t->shown_count; k++) {
        sqlite3_value **head = t->shown[k].head;
        if (head && (k == 0 || head != t->shown[k - 1].head)) {
            of = NULL;
            for (size_t i = first; i < first + rows && !of; i++)
                if (is_of_head(t, head, query_row_of(t, i))) of = query_row_of(t, i);
        }
        const bool leads = t->special[ACROSS_IT] < 0 ? k == 0 : head != NULL;
        write_cell(q, t->shown[k].name, of, k == 0, of && leads ? special_of(t, of, HREF) : NULL);
    }
    query_put(q, "</tr>\n", "\n");
}

/* Returns whether a row makes a column and no line. */
static bool announces(const struct grid *t, size_t i)
{
    bool nothing = t->special[ACROSS_IT] > 0;
    for (int k = 0; k < t->special[ACROSS_IT]; k++)
        nothing &= sqlite3_value_type(query_row_of(t, i)[k]) == SQLITE_NULL;
    return nothing;
}

static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && !*end;
}

/* Aligns a table at a terminal. cells: its heads, then for each line a tint and its cells, all
 * ended by '\0'. Without digits in the formats the rightmost columns are left out first. */
static void query_print_table(const struct asking *q, const struct grid *t, const char *cells,
                              const char *end)
{
    struct column columns[COLUMNS_MAX];
    const char *line[COLUMNS_MAX];
    struct table table;
    uint32_t gathered = 0;
    bool says = false;
    for (size_t i = 0; i < t->shown_count; i++, cells += strlen(cells) + 1) {
        const char *form = t->shown[i].name->class;
        const int dispensable =
            isalpha((unsigned char)*form) ? 0 : atoi(form + strcspn(form, "123456789"));
        columns[i] = (struct column){cells, strchr(form, '>') != NULL, dispensable};
        says |= dispensable > 0;
        gathered |= (uint32_t)(strchr(form, '!') != NULL) << i;
    }
    for (int i = 3; i < (int)t->shown_count && !says; i++) columns[i].dispensable = i;
    table_begin(&table, columns, t->shown_count);
    table.gathered = gathered;
    while (cells < end) {
        const enum tint tint = (enum tint)atoi(cells);
        cells += strlen(cells) + 1;
        for (size_t i = 0; i < t->shown_count; i++, cells += strlen(cells) + 1) {
            line[i] = cells;
            columns[i].right |= !table.rows && is_number(cells);
        }
        table_add(&table, tint, line);
    }
    table_end(&table, q->out, *q->d->terminal);
}

/* The statement stands at its first row. Returns what the last step did. */
static int query_write_table(struct asking *q, sqlite3_stmt *s)
{
    struct grid *t = memory_zeroed(1, sizeof *t);
    char *cells = NULL;
    size_t size = 0;
    read_names(t, s);
    const int state = read_rows(t, s);
    show_columns(t);
    if (q->dialect == PLAIN) {
        q->out = memory_text(&cells, &size);
        if (t->shown_count > COLUMNS_MAX) t->shown_count = COLUMNS_MAX;
    }
    write_heads(q, t);
    for (size_t i = 0, rows; i < t->rows; i += rows) {
        rows = 1;
        if (announces(t, i)) continue;
        while (i + rows < t->rows && share_line(t, query_row_of(t, i), query_row_of(t, i + rows)))
            rows++;
        if (!leaves_out(q)) write_line(q, t, i, rows);
    }
    end_with(q, "rows",
             q->in_fold ? "</tbody></table></template></div>\n" : "</tbody></table></div>\n");
    if (q->dialect == PLAIN) {
        memory_text_close(q->out);
        q->out = q->d->out;
        query_print_table(q, t, cells, cells + size);
    }
    for (size_t i = 0; i < t->rows * (size_t)t->columns; i++) sqlite3_value_free(t->values[i]);
    free(cells);
    free(t->values);
    free(t->shown);
    free(t);
    return state;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static void end_list(struct asking *q)
{
    if (q->in_list) end_with(q, "items", "</ul>\n");
    q->in_list = false;
}

/* Writes the current row of a part that is not a table; nothing for a note that is NULL. */
static void write_row(struct asking *q, sqlite3_stmt *s, const struct name *n)
{
    struct dialect_value given[COLUMNS] = {{"", 0}};
    const int count = sqlite3_column_count(s);
    const bool item = n->kind == ITEM;
    if (item && !q->in_list) query_put(q, "<ul>\n", "");
    q->in_list = item;
    if (item && leaves_out(q)) return;
    if (n->kind == NOTE && sqlite3_column_type(s, 0) == SQLITE_NULL) return;
    for (int i = 0; i < count && i < COLUMNS; i++)
        given[i] = query_value_of(sqlite3_column_value(s, i));
    const bool says = n->kind == NOTE && count > n->takes;
    write_kind(q, n->kind, n->format, given,
               says ? (size_t)given[n->takes].number : kinds[n->kind].indent);
}

/* Writes a part that is no block. */
static void write_part(struct asking *q, sqlite3_stmt *s, const struct name *n)
{
    if (n->kind != ITEM) end_list(q);
    int state = sqlite3_step(s);
    if (state != SQLITE_DONE) query_begin(q);
    if (state == SQLITE_ROW && q->d && n->kind == TABLE) state = query_write_table(q, s);
    for (; state == SQLITE_ROW && q->d && n->kind != TABLE; state = sqlite3_step(s))
        write_row(q, s, n);
    check_step(q, state);
}

static const char *query_write_parts(struct asking *q, const char *sql, const struct scope *scope,
                                     bool skips);

/* Writes the parts up to `end`, for each row or folded. Returns the text after `end`. */
static const char *write_block(struct asking *q, const char *sql, sqlite3_stmt *s,
                               const struct name *n, const struct scope *scope)
{
    const struct scope inner = {scope, s};
    const bool is_fold = n->kind == FOLD;
    int state = SQLITE_DONE;
    end_list(q);
    while ((q->dialect == HTML || !is_fold) && (q->d || !q->has_rows) &&
           (state = sqlite3_step(s)) == SQLITE_ROW) {
        q->in_fold |= is_fold;
        if (q->d && is_fold) query_begin(q);
        if (q->d) write_row(q, s, n);
        query_write_parts(q, sql, &inner, false);
        q->in_fold &= !is_fold;
        if (is_fold && q->d) query_put(q, "</details>\n", "");
    }
    check_step(q, state);
    return query_write_parts(q, sql, scope, true);
}

/* Writes the statements up to `end` and returns the text after it; skips: does not write them. */
static const char *query_write_parts(struct asking *q, const char *sql, const struct scope *scope,
                                     bool skips)
{
    struct name *n = memory_new(sizeof *n);
    bool ended = false;
    while (!ended && !q->code && (q->d || skips || !q->has_rows)) {
        sqlite3_stmt *s = NULL;
        if (sqlite3_prepare_v2(q->l->db, sql, -1, &s, &sql) != SQLITE_OK) {
            check_step(q, SQLITE_ERROR);
            q->has_rows = true;
            break;
        }
        if (!s) break;                  /* comments behind the last */
        if (!sqlite3_column_count(s)) { /* creates a table for later statements */
            if (!skips) check_step(q, sqlite3_step(s));
            sqlite3_finalize(s);
            continue;
        }
        name_read(s, 0, n);
        ended = n->kind == END;
        bind(q, s, scope);
        if (n->kind == EACH || n->kind == FOLD)
            sql = skips ? query_write_parts(q, sql, scope, true) : write_block(q, sql, s, n, scope);
        else if (!ended && !skips)
            write_part(q, s, n);
        sqlite3_finalize(s);
    }
    if (!skips) end_list(q);
    free(n);
    return sql;
}

static struct asking asking_of(const struct doc *d, const struct lab_db *l)
{
    const enum dialect dialect = d->html ? HTML : d->terminal ? PLAIN : MARKDOWN;
    return (struct asking){.d = d, .l = l, .dialect = dialect, .out = d->out};
}

void query_write(const struct doc *d, const struct lab_db *l, const char *sql)
{
    struct asking q = asking_of(d, l);
    query_write_parts(&q, sql, NULL, false);
}

int query_print(const struct lab_db *l, const char *sql, bool brief, FILE *out, struct error *e)
{
    const struct terminal terminal = terminal_of(out);
    const struct doc d = {.out = out, .terminal = &terminal, .brief = brief};
    struct asking q = asking_of(&d, l);
    q.e = e;
    query_write_parts(&q, sql, NULL, false);
    return q.code;
}

bool query_section(const struct doc *d, const struct lab_db *l, const char *id, const char *title,
                   const char *words, const char *sql)
{
    struct asking q = asking_of(d, l);
    q.id = id, q.title = title, q.words = words;
    query_write_parts(&q, sql, NULL, false);
    if (q.has_rows) query_put(&q, "</section>\n", "");
    return q.has_rows;
}

bool query_has_rows(const struct lab_db *l, const char *sql, bool html)
{
    struct asking q = {.l = l, .dialect = html ? HTML : MARKDOWN};
    query_write_parts(&q, sql, NULL, false);
    return q.has_rows;
}
