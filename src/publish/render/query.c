// SPDX-License-Identifier: MIT
#include "publish/render/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/render/dialect.h"
#include "publish/render/markup.h"

enum { COLUMNS = 64, ACROSS = 256, NAME_ROOM = 120, FORMAT_ROOM = 2400 };

/* ---- Names of columns ------------------------------------------------------------------------ */

/* What is no table. %1 is the first column of the row, * the format with those behind. */
static const struct kind {
    const char *name, *html, *markdown;
} kinds[] = {
    {"words", "<p>*</p>\n", "*\n\n"},
    {"item", "<li>*</li>\n", "- *\n"},
    {"heading", "<h3>*</h3>\n", "### *\n\n"},
    {"page", "<p><a href=\"%1\">%2</a></p>\n", "[%2](%1)\n\n"},
    {"data",
     "<p class=\"count\" hidden></p><div class=\"scroll tall\"><table class=\"sortable\" "
     "id=\"%1\"></table></div>\n",
     ""},
    {"chart",
     "<figure class=\"chart\" id=\"chart-%1\" hidden><div class=\"controls\"></div>"
     "<div class=\"canvas\"><canvas role=\"img\" aria-label=\"%2\"></canvas></div>"
     "<figcaption></figcaption></figure>\n",
     ""},
    {"curve",
     "<figure class=\"curve\"><svg viewBox=\"-2 -2 %1 %2\" role=\"img\" aria-label=\"%3\">"
     "<polyline fill=\"none\" stroke=\"var(--%4)\" stroke-width=\"1.5\" points=\"%5\"/>"
     "<polyline fill=\"none\" stroke=\"var(--%6)\" stroke-width=\"1.5\" points=\"%7\"/>"
     "</svg><figcaption>*</figcaption></figure>\n",
     ""},
    {"fold", "<details><summary>*</summary>\n", ""},
    {"each", "", ""},
    {"end", "", ""},
};

/* HEADING|FORMAT|EXPLANATION, cut apart; line breaks with their indents are single spaces. */
struct name {
    const struct kind *kind; /* NULL: a table's column */
    char heading[NAME_ROOM], shade[24], explanation[NAME_ROOM];
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

static bool is_kind(const struct name *n, const char *kind)
{
    return n->kind && !strcmp(n->kind->name, kind);
}

static void name_read(sqlite3_stmt *s, int at, struct name *n)
{
    char format[FORMAT_ROOM], *own = format;
    const char *text = sqlite3_column_name(s, at);
    *n = (struct name){.at = at, .is_shown = *text != '?'};
    text = copy_part(text + !n->is_shown, n->heading, sizeof n->heading, '|');
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && at == 0; i++)
        if (!strcmp(n->heading, kinds[i].name)) n->kind = &kinds[i];
    text = copy_part(text, format, sizeof format, n->kind ? '\0' : '|');
    copy_part(text, n->explanation, sizeof n->explanation, '\0');
    if (*format == '{' && strchr(format, '}')) {
        const size_t length = strcspn(format + 1, "}");
        n->is_shaded = !length;
        snprintf(n->shade, sizeof n->shade, "%.*s", (int)length, format + 1);
        own += length + 2;
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
    const struct doc *d; /* NULL: whether there are rows is all that is asked */
    const struct lab_db *l;
    bool html, in_list, in_fold, has_rows;
    size_t left_out;    /* rows or items */
    struct table table; /* at a terminal, with the texts of its present row */
    struct column columns[COLUMNS_MAX];
    char *texts[COLUMNS_MAX];
    size_t count;
};

static void bind(const struct asking *q, sqlite3_stmt *s, const struct scope *scope)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(s); i++) {
        const char *name = sqlite3_bind_parameter_name(s, i) + 1;
        if (!strcmp(name, "html")) sqlite3_bind_int(s, i, q->html);
        for (const struct scope *in = scope; in; in = in->outer)
            for (int k = 0; k < sqlite3_column_count(in->row); k++)
                if (!strcmp(sqlite3_column_name(in->row, k), name))
                    sqlite3_bind_value(s, i, sqlite3_column_value(in->row, k));
    }
}

static struct dialect_value value_of(sqlite3_value *v)
{
    const char *text = (const char *)sqlite3_value_text(v);
    const bool none = sqlite3_value_type(v) == SQLITE_NULL;
    return (struct dialect_value){text ? text : "", none ? (double)NAN : sqlite3_value_double(v)};
}

static enum dialect dialect_of(const struct doc *d)
{
    return d->html ? HTML : d->terminal ? PLAIN : MARKDOWN;
}

/* The text of a format without marks. The caller frees. */
static char *plain_text(const char *start, const char *format, const struct dialect_value *values)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text(&text, &size);
    fputs(start, out);
    dialect_put(out, PLAIN, format, values);
    memory_text_close(out);
    return text;
}

/* Keeps a text of the present row; beyond COLUMNS_MAX none. */
static void keep_text(struct asking *q, const char *format, const struct dialect_value *values)
{
    if (q->count < COLUMNS_MAX) q->texts[q->count++] = plain_text("", format, values);
}

/* The texts of the present row are the heads of a table, of which those on the right matter less.
 */
static void begin_table(struct asking *q)
{
    for (size_t i = 0; i < q->count; i++)
        q->columns[i] = (struct column){q->texts[i], false, i < 3 ? 0 : (int)i};
    table_begin(&q->table, q->columns, q->count);
    q->count = 0;
}

static void add_row(struct asking *q)
{
    table_add(&q->table, TINT_NONE, (const char *const *)q->texts);
    while (q->count) free(q->texts[--q->count]);
}

static void print_table(struct asking *q)
{
    const size_t count = q->table.count;
    table_end(&q->table, q->d->out, *q->d->terminal);
    for (size_t i = 0; i < count; i++) free((char *)(uintptr_t)q->columns[i].title);
}

/* Returns whether the document is full: the row or item is then counted instead of written. */
static bool leaves_out(struct asking *q)
{
    const bool full = !q->html && q->d->most_bytes && ftell(q->d->out) > q->d->most_bytes;
    q->left_out += full;
    return full;
}

/* Ends a list or a table. */
static void end_with(struct asking *q, const char *what, const char *html)
{
    if (q->left_out)
        fprintf(q->d->out, "\n%zu more %s: report.html has them all.\n", q->left_out, what);
    q->left_out = 0;
    fputs(q->html ? html : "\n", q->d->out);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

enum special { LINE, OP, CC, STYLE, ACROSS_IT, PLACE, SPECIALS };
static const char *const specials[SPECIALS] = {"line",  "row_op", "row_cc",
                                               "style", "across", "place"};

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
};

static const char *text_of(sqlite3_value *value)
{
    return (const char *)sqlite3_value_text(value);
}

/* Returns the text of a row's special column; NULL where it is NULL or the query has no such
 * column. */
static const char *special_of(const struct grid *t, sqlite3_value **row, enum special k)
{
    return t->special[k] < 0 ? NULL : text_of(row[t->special[k]]);
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

static double place_of(const struct grid *t, sqlite3_value **row)
{
    return t->special[PLACE] < 0 ? 0 : sqlite3_value_double(row[t->special[PLACE]]);
}

/* Returns whether the row belongs to the column. Two may have one heading, at different places. */
static bool is_of_head(const struct grid *t, sqlite3_value **head, sqlite3_value **row)
{
    return same(special_of(t, head, ACROSS_IT), special_of(t, row, ACROSS_IT)) &&
           place_of(t, row) == place_of(t, head);
}

static void remember_head(struct grid *t, sqlite3_value **row)
{
    size_t to = t->head_count;
    for (size_t i = 0; i < t->head_count; i++)
        if (is_of_head(t, t->heads[i], row)) return;
    if (t->head_count == ACROSS) return;
    for (; to && place_of(t, t->heads[to - 1]) > place_of(t, row); to--)
        t->heads[to] = t->heads[to - 1];
    t->heads[to] = row;
    t->head_count++;
}

static sqlite3_value **row_of(const struct grid *t, size_t i)
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
            row_of(t, t->rows)[i] = sqlite3_value_dup(sqlite3_column_value(s, i));
        for (int k = 0; k < t->count; k++)
            t->names[k].is_shown |= sqlite3_column_type(s, t->names[k].at) != SQLITE_NULL;
        t->rows++;
    } while ((state = sqlite3_step(s)) == SQLITE_ROW);
    for (size_t i = 0; i < t->rows && t->special[ACROSS_IT] >= 0; i++)
        remember_head(t, row_of(t, i));
    return state;
}

/* row: NULL for a dash. The first cell of a line is its head. */
static void write_cell(struct asking *q, const struct name *n, sqlite3_value **row, bool *first)
{
    FILE *out = q->d->out;
    struct dialect_value given[COLUMNS];
    sqlite3_value **values = row ? row + n->at + n->is_shaded : NULL;
    const bool known = row && sqlite3_value_type(*values) != SQLITE_NULL;
    for (int i = 0; known && i < n->takes - n->is_shaded; i++) given[i] = value_of(values[i]);
    const char *shade = !known         ? ""
                        : n->is_shaded ? value_of(values[-1]).text
                                       : n->shade,
               *format = n->is_percent && q->html ? "%.0f%%" : n->format;
    const struct dialect_value none = {"", (double)NAN}, *shown = known ? given : &none;
    if (!known) format = "%f";
    if (q->d->terminal) {
        keep_text(q, format, shown);
        return;
    }
    fputs(!q->html ? " " : *first ? "<th scope=\"row\"" : "<td", out);
    if (q->html && known && n->is_percent)
        fprintf(out, " class=\"meter\" style=\"--p:%.0f\"", fmax(0, fmin(100, given[0].number)));
    else if (q->html && *shade)
        markup(out, " class=\"%s\"", shade);
    if (q->html) putc('>', out);
    dialect_put(out, dialect_of(q->d), format, shown);
    fputs(!q->html ? " |" : *first ? "</th>" : "</td>", out);
    *first = false;
}

/* head: of `across`; NULL: none. */
static void write_head(struct asking *q, const struct name *n, const char *head)
{
    char text[2 * NAME_ROOM];
    if (!n->is_shown) return;
    if (!head) head = "";
    snprintf(text, sizeof text, "%.*s%s%s", NAME_ROOM - 4, head, *n->heading && *head ? ": " : "",
             n->heading);
    const struct dialect_value value = {text, 0};
    if (q->d->terminal) {
        keep_text(q, "%s", &value);
        return;
    }
    fputs(q->html ? "<th scope=\"col\"" : "| ", q->d->out);
    if (q->html && *n->explanation) markup(q->d->out, " title=\"%s\"", n->explanation);
    if (q->html) putc('>', q->d->out);
    dialect_put(q->d->out, dialect_of(q->d), "%s", &value);
    fputs(q->html ? "</th>" : " ", q->d->out);
}

static void write_heads(struct asking *q, const struct grid *t)
{
    FILE *out = q->d->out;
    size_t count = 0;
    const char *style = special_of(t, t->values, STYLE);
    if (q->html) {
        fputs(q->in_fold ? "<div class=\"scroll tall\"><template>" : "<div class=\"scroll\">", out);
        markup(out, "<table class=\"%s\"><thead><tr>", style ? style : "sortable");
    }
    for (int k = 0; k < t->own; k++) write_head(q, &t->names[k], NULL);
    for (size_t h = 0; h < t->head_count; h++)
        for (int k = t->own; k < t->count; k++)
            write_head(q, &t->names[k], special_of(t, t->heads[h], ACROSS_IT));
    if (q->d->terminal) {
        begin_table(q);
        return;
    }
    for (int k = 0; k < t->count; k++)
        count += t->names[k].is_shown * (k < t->own ? 1 : t->head_count);
    fputs(q->html ? "</tr></thead>\n<tbody>\n" : "|\n", out);
    for (size_t i = 0; !q->html && i < count; i++) fputs(i + 1 < count ? "|---" : "|---|\n", out);
}

/* Returns whether the rows are of one line of the table. */
static bool share_line(const struct grid *t, sqlite3_value **a, sqlite3_value **b)
{
    bool equal = t->special[ACROSS_IT] >= 0;
    for (int i = 0; i < t->special[ACROSS_IT] && equal; i++)
        equal = same(text_of(a[i]), text_of(b[i]));
    return equal;
}

/* Writes the line of `rows` rows. */
static void write_line(struct asking *q, const struct grid *t, size_t first, size_t rows)
{
    sqlite3_value **row = row_of(t, first);
    const char *op = special_of(t, row, OP), *cc = special_of(t, row, CC);
    bool is_first = true;
    if (!q->d->terminal) fputs(q->html ? "<tr" : "|", q->d->out);
    if (q->html && op) markup(q->d->out, " data-op=\"%s\"", op);
    if (q->html && cc) markup(q->d->out, " data-cc=\"%s\"", cc);
    if (q->html) putc('>', q->d->out);
    for (int k = 0; k < t->own; k++)
        if (t->names[k].is_shown) write_cell(q, &t->names[k], row, &is_first);
    for (size_t h = 0; h < t->head_count; h++) {
        sqlite3_value **of = NULL;
        for (size_t i = first; i < first + rows && !of; i++)
            if (is_of_head(t, t->heads[h], row_of(t, i))) of = row_of(t, i);
        for (int k = t->own; k < t->count; k++)
            if (t->names[k].is_shown) write_cell(q, &t->names[k], of, &is_first);
    }
    if (q->d->terminal)
        add_row(q);
    else
        fputs(q->html ? "</tr>\n" : "\n", q->d->out);
}

/* Returns whether a row makes a column and no line. */
static bool announces(const struct grid *t, size_t i)
{
    bool nothing = t->special[ACROSS_IT] > 0;
    for (int k = 0; k < t->special[ACROSS_IT]; k++)
        nothing &= sqlite3_value_type(row_of(t, i)[k]) == SQLITE_NULL;
    return nothing;
}

/* The statement stands at its first row. */
/* Returns what the last step did. */
static int write_table(struct asking *q, sqlite3_stmt *s)
{
    struct grid *t = memory_zeroed(1, sizeof *t);
    read_names(t, s);
    const int state = read_rows(t, s);
    write_heads(q, t);
    for (size_t i = 0, rows; i < t->rows; i += rows) {
        rows = 1;
        if (announces(t, i)) continue;
        while (i + rows < t->rows && share_line(t, row_of(t, i), row_of(t, i + rows))) rows++;
        if (!leaves_out(q)) write_line(q, t, i, rows);
    }
    if (q->d->terminal)
        print_table(q);
    else
        end_with(q, "rows",
                 q->in_fold ? "</tbody></table></template></div>\n" : "</tbody></table></div>\n");
    for (size_t i = 0; i < t->rows * (size_t)t->columns; i++) sqlite3_value_free(t->values[i]);
    free(t->values);
    free(t);
    return state;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static void end_list(struct asking *q)
{
    if (q->in_list && !q->d->terminal) end_with(q, "items", "</ul>\n");
    q->in_list = false;
}

static void print_prose(const struct doc *d, bool item, const char *format,
                        const struct dialect_value *values)
{
    char *text = plain_text(item ? "- " : "", format, values);
    write_prose(d->out, *d->terminal, item ? 2 : 0, "%s", text);
    free(text);
}

/* Writes what is no table, of a row. */
static void write_words(struct asking *q, sqlite3_stmt *s, const struct name *n)
{
    struct dialect_value given[COLUMNS] = {{"", 0}};
    int column = 0;
    const bool item = is_kind(n, "item");
    if (item && !q->in_list && q->html) fputs("<ul>\n", q->d->out);
    q->in_list = item;
    if (item && leaves_out(q)) return;
    for (int i = 0; i < sqlite3_column_count(s) && i < COLUMNS; i++)
        given[i] = value_of(sqlite3_column_value(s, i));
    if (q->d->terminal) {
        if (strchr(n->kind->markdown, '*')) print_prose(q->d, item, n->format, given);
        return;
    }
    for (const char *at = q->html ? n->kind->html : n->kind->markdown; *at; at++)
        if (*at == '*')
            dialect_put(q->d->out, dialect_of(q->d), n->format, given + column);
        else if (*at == '%')
            markup_text(q->d->out, given[(column = *++at - '0') - 1].text);
        else
            putc(*at, q->d->out);
}

static void put_paragraph(const struct doc *d, const char *format, const char *text)
{
    const struct dialect_value value = {text, 0};
    if (d->terminal) {
        print_prose(d, false, format, &value);
        return;
    }
    fputs(d->html ? "<p>" : "", d->out);
    dialect_put(d->out, dialect_of(d), format, &value);
    fputs(d->html ? "</p>\n" : "\n\n", d->out);
}

static void say_failed(const struct asking *q)
{
    if (q->d) put_paragraph(q->d, "**Not known**: %s.", sqlite3_errmsg(q->l->db));
}

/* Says that rows are missing where the last step failed. */
static void check_step(const struct asking *q, int state)
{
    if (state != SQLITE_ROW && state != SQLITE_DONE) say_failed(q);
}

/* Writes a part that is no block. */
static void write_part(struct asking *q, sqlite3_stmt *s, const struct name *n)
{
    if (!is_kind(n, "item")) end_list(q);
    int state = sqlite3_step(s);
    q->has_rows |= state != SQLITE_DONE;
    if (state == SQLITE_ROW && q->d && !n->kind) state = write_table(q, s);
    for (; state == SQLITE_ROW && q->d && n->kind; state = sqlite3_step(s)) write_words(q, s, n);
    check_step(q, state);
}

static const char *write_parts(struct asking *q, const char *sql, const struct scope *scope,
                               bool skips);

/* Writes the text up to `end` for each row, or folded away. Returns what follows. */
static const char *write_block(struct asking *q, const char *sql, sqlite3_stmt *s,
                               const struct name *n, const struct scope *scope)
{
    const struct scope inner = {scope, s};
    const bool is_fold = is_kind(n, "fold");
    int state = SQLITE_DONE;
    end_list(q);
    while ((q->html || !is_fold) && (q->d || !q->has_rows) &&
           (state = sqlite3_step(s)) == SQLITE_ROW) {
        q->in_fold |= is_fold;
        if (q->d) write_words(q, s, n);
        write_parts(q, sql, &inner, false);
        q->in_fold &= !is_fold;
        if (is_fold && q->d) fputs("</details>\n", q->d->out);
    }
    check_step(q, state);
    return write_parts(q, sql, scope, true);
}

/* Writes statements up to `end`, behind which what it returns begins; skips: reads over them. */
static const char *write_parts(struct asking *q, const char *sql, const struct scope *scope,
                               bool skips)
{
    struct name *n = memory_new(sizeof *n);
    bool ended = false;
    while (!ended && (q->d || skips || !q->has_rows)) {
        sqlite3_stmt *s = NULL;
        if (sqlite3_prepare_v2(q->l->db, sql, -1, &s, &sql) != SQLITE_OK) {
            say_failed(q);
            q->has_rows = true;
            break;
        }
        if (!s) break;                  /* comments behind the last */
        if (!sqlite3_column_count(s)) { /* makes a table for what follows */
            if (!skips) check_step(q, sqlite3_step(s));
            sqlite3_finalize(s);
            continue;
        }
        name_read(s, 0, n);
        ended = is_kind(n, "end");
        bind(q, s, scope);
        if (is_kind(n, "each") || is_kind(n, "fold"))
            sql = skips ? write_parts(q, sql, scope, true) : write_block(q, sql, s, n, scope);
        else if (!ended && !skips)
            write_part(q, s, n);
        sqlite3_finalize(s);
    }
    if (!skips) end_list(q);
    free(n);
    return sql;
}

void query_write(const struct doc *d, const struct lab_db *l, const char *sql)
{
    struct asking q = {.d = d, .l = l, .html = d->html};
    write_parts(&q, sql, NULL, false);
}

void query_section(const struct doc *d, const struct lab_db *l, const char *id, const char *title,
                   const char *words, const char *sql)
{
    if (d->html)
        markup(d->out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
    else
        fprintf(d->out, d->terminal ? "%s\n" : "## %s\n\n", title);
    if (*words) put_paragraph(d, "%s", words);
    query_write(d, l, sql);
    if (d->html) fputs("</section>\n", d->out);
}

bool query_has_rows(const struct lab_db *l, const char *sql, bool html)
{
    struct asking q = {.l = l, .html = html};
    write_parts(&q, sql, NULL, false);
    return q.has_rows;
}
