// SPDX-License-Identifier: MIT
#include "publish/render/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/render/curve.h"
#include "publish/render/dialect.h"

enum { COLUMNS = 64, ACROSS = 256, NAME_ROOM = 120, FORMAT_ROOM = 2400 };

/* ---- Names of columns ------------------------------------------------------------------------ */

/* HEADING|FORMAT|EXPLANATION, cut apart; line breaks with their indents are single spaces. */
struct name {
    char heading[NAME_ROOM], shade[24], explanation[NAME_ROOM];
    char format[FORMAT_ROOM];
    bool is_shaded;  /* by its first column */
    bool is_percent; /* %P */
    bool may_lack;   /* left out where all its values are NULL */
    int takes;       /* columns */
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

/* Returns whether the part is no table. */
static bool is_wordy(const struct name *n)
{
    static const char *const kinds[] = {"words", "item", "heading", "page", "chart",
                                        "curve", "data", "fold",    "each", "end"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(n->heading, kinds[i])) return true;
    return false;
}

static void name_read(const char *text, struct name *n)
{
    char format[FORMAT_ROOM];
    *n = (struct name){.may_lack = *text == '?'};
    text = copy_part(text + n->may_lack, n->heading, sizeof n->heading, '|');
    text = copy_part(text, format, sizeof format, is_wordy(n) ? '\0' : '|');
    copy_part(text, n->explanation, sizeof n->explanation, '\0');
    const char *at = format, *close = *format == '{' ? strchr(format, '}') : NULL;
    if (close) {
        n->is_shaded = close == format + 1;
        snprintf(n->shade, sizeof n->shade, "%.*s", (int)(close - format - 1), format + 1);
        at = close + 1;
    }
    n->is_percent = !strcmp(at, "%P");
    snprintf(n->format, sizeof n->format, "%s", n->is_percent ? "%.0f" : *at ? at : "%s");
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
    struct doc *d; /* NULL: whether there are rows is all that is asked */
    const struct lab_db *l;
    bool html, in_list, has_rows;
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

/* ---- Tables ---------------------------------------------------------------------------------- */

struct row {
    sqlite3_value **values;
};
struct query_table {
    struct name names[COLUMNS];
    int at[COLUMNS]; /* the first column of each name */
    int count;       /* of names that are shown */
    int own;         /* of these, those before `across` */
    int columns, across, place, line, op, cc, style;
    struct row *rows;
    size_t row_count;
    sqlite3_value *heads[ACROSS]; /* of `across`, each once, in their order */
    double places[ACROSS];
    size_t head_count;
};

static int find_column(sqlite3_stmt *s, const char *name)
{
    for (int i = 0; i < sqlite3_column_count(s); i++)
        if (!strcmp(sqlite3_column_name(s, i), name)) return i;
    return -1;
}

static void read_names(struct query_table *t, sqlite3_stmt *s)
{
    t->columns = sqlite3_column_count(s);
    t->across = find_column(s, "across");
    t->place = find_column(s, "place");
    t->line = find_column(s, "line");
    t->op = find_column(s, "row_op");
    t->cc = find_column(s, "row_cc");
    t->style = find_column(s, "style");
    for (int i = 0; i < t->columns && t->count < COLUMNS;) {
        if (i == t->across) t->own = t->count;
        if (i == t->across || i == t->line || i == t->op || i == t->cc || i == t->style ||
            (i == t->place && t->across >= 0)) {
            i++;
            continue;
        }
        t->at[t->count] = i;
        name_read(sqlite3_column_name(s, i), &t->names[t->count]);
        i += t->names[t->count++].takes;
    }
    if (t->across < 0) t->own = t->count;
}

static bool same(sqlite3_value *a, sqlite3_value *b)
{
    const char *x = (const char *)sqlite3_value_text(a), *y = (const char *)sqlite3_value_text(b);
    return !x || !y ? x == y : !strcmp(x, y);
}

static double place_of(const struct query_table *t, const struct row *row)
{
    return t->place < 0 ? 0 : sqlite3_value_double(row->values[t->place]);
}

/* Returns whether the row belongs to the column. Two may have one heading, at different places. */
static bool is_of_head(const struct query_table *t, size_t head, const struct row *row)
{
    return same(t->heads[head], row->values[t->across]) && place_of(t, row) == t->places[head];
}

static void remember_head(struct query_table *t, const struct row *row)
{
    sqlite3_value *head = row->values[t->across];
    const double place = place_of(t, row);
    size_t to = 0;
    for (size_t i = 0; i < t->head_count; i++)
        if (is_of_head(t, i, row)) return;
    if (t->head_count == ACROSS) return;
    while (to < t->head_count && t->places[to] <= place) to++;
    memmove(t->heads + to + 1, t->heads + to, (t->head_count - to) * sizeof *t->heads);
    memmove(t->places + to + 1, t->places + to, (t->head_count - to) * sizeof *t->places);
    t->heads[to] = head;
    t->places[to] = place;
    t->head_count++;
}

static void read_rows(struct query_table *t, sqlite3_stmt *s)
{
    size_t room = 0;
    do {
        if (t->row_count == room)
            t->rows = memory_grow(t->rows, (room = 2 * room + 16) * sizeof *t->rows);
        struct row *row = &t->rows[t->row_count++];
        row->values = memory_zeroed((size_t)t->columns, sizeof(sqlite3_value *));
        for (int i = 0; i < t->columns; i++)
            row->values[i] = sqlite3_value_dup(sqlite3_column_value(s, i));
        if (t->across >= 0) remember_head(t, row);
    } while (sqlite3_step(s) == SQLITE_ROW);
}

static void drop_empty_names(struct query_table *t)
{
    for (int k = 0; k < t->count;) {
        bool filled = !t->names[k].may_lack;
        for (size_t i = 0; i < t->row_count && !filled; i++)
            filled = sqlite3_value_type(t->rows[i].values[t->at[k]]) != SQLITE_NULL;
        if (filled) {
            k++;
            continue;
        }
        memmove(t->names + k, t->names + k + 1, (size_t)(t->count - k - 1) * sizeof *t->names);
        memmove(t->at + k, t->at + k + 1, (size_t)(t->count - k - 1) * sizeof *t->at);
        t->count--;
        t->own -= k < t->own;
    }
}

static void write_cell(struct doc *d, const struct name *n, sqlite3_value **values)
{
    struct dialect_value given[COLUMNS];
    const char *shade = n->shade;
    if (n->is_shaded) shade = value_of(*values++).text;
    if (sqlite3_value_type(*values) == SQLITE_NULL) {
        doc_cell(d, "%f", (double)NAN); /* the dialect's dash */
        return;
    }
    for (int i = 0; i < n->takes - n->is_shaded; i++) given[i] = value_of(values[i]);
    if (n->is_percent)
        doc_percent(d, given[0].number);
    else
        doc_cell_of(d, shade, n->format, given);
}

static void write_heads(struct doc *d, const struct query_table *t)
{
    const size_t count = (size_t)t->own + t->head_count * (size_t)(t->count - t->own);
    const char **heads = memory_zeroed(count + 1, sizeof *heads),
               **explained = memory_zeroed(count + 1, sizeof *explained);
    char(*texts)[2 * NAME_ROOM] = memory_zeroed(count + 1, sizeof *texts);
    size_t used = 0;
    for (int k = 0; k < t->own; k++) {
        explained[used] = t->names[k].explanation;
        heads[used++] = t->names[k].heading;
    }
    for (size_t h = 0; h < t->head_count; h++)
        for (int k = t->own; k < t->count; k++, used++) {
            const char *head = value_of(t->heads[h]).text, *own = t->names[k].heading;
            snprintf(texts[used], sizeof *texts, "%.*s%s%s", NAME_ROOM - 4, head,
                     *own && *head ? ": " : "", own);
            explained[used] = t->names[k].explanation;
            heads[used] = texts[used];
        }
    doc_table_explained(d, t->style < 0 ? "sortable" : value_of(t->rows[0].values[t->style]).text,
                        heads, explained);
    free(heads);
    free(explained);
    free(texts);
}

/* Returns whether the rows are of one line of the table. */
static bool share_line(const struct query_table *t, const struct row *a, const struct row *b)
{
    bool equal = t->across >= 0;
    for (int i = 0; i < t->across && equal; i++) equal = same(a->values[i], b->values[i]);
    return equal;
}

/* Writes the line that begins with a row; returns how many rows it is of. */
static size_t write_line(struct doc *d, const struct query_table *t, size_t first)
{
    const struct row *row = &t->rows[first];
    size_t rows = 1;
    while (first + rows < t->row_count && share_line(t, row, &t->rows[first + rows])) rows++;
    doc_row_of(d, t->op < 0 ? NULL : (const char *)sqlite3_value_text(row->values[t->op]),
               t->cc < 0 ? NULL : (const char *)sqlite3_value_text(row->values[t->cc]));
    for (int k = 0; k < t->own; k++) write_cell(d, &t->names[k], row->values + t->at[k]);
    for (size_t h = 0; h < t->head_count; h++) {
        const struct row *of = NULL;
        for (size_t i = 0; i < rows && !of; i++)
            if (is_of_head(t, h, &row[i])) of = &row[i];
        for (int k = t->own; k < t->count; k++)
            if (of)
                write_cell(d, &t->names[k], of->values + t->at[k]);
            else
                doc_cell(d, "%f", (double)NAN);
    }
    doc_row_end(d);
    return rows;
}

static bool announces(const struct query_table *t, size_t i)
{
    bool nothing = t->across > 0;
    for (int k = 0; k < t->across; k++)
        nothing &= sqlite3_value_type(t->rows[i].values[k]) == SQLITE_NULL;
    return nothing;
}

/* The statement stands at its first row. */
static void write_table(struct doc *d, sqlite3_stmt *s)
{
    struct query_table *t = memory_zeroed(1, sizeof *t);
    read_names(t, s);
    read_rows(t, s);
    drop_empty_names(t);
    write_heads(d, t);
    for (size_t i = 0; i < t->row_count;) i += announces(t, i) ? 1 : write_line(d, t, i);
    doc_table_end(d);
    for (size_t i = 0; i < t->row_count; i++) {
        for (int k = 0; k < t->columns; k++) sqlite3_value_free(t->rows[i].values[k]);
        free(t->rows[i].values);
    }
    free(t->rows);
    free(t);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The points of one line: [[x, y], ..]. */
static void write_line_of_curve(struct curve *c, const char *colour, const char *points)
{
    curve_line(c, colour);
    for (char *end = NULL; (points = strpbrk(points, "-0123456789")); points = end) {
        const double x = strtod(points, &end), y = strtod(end + strcspn(end, "-0123456789"), &end);
        curve_point(c, x, y);
    }
}

static void write_curve(struct doc *d, const struct name *n, const struct dialect_value *given)
{
    struct curve c;
    if (!d->html) return;
    curve_begin(&c, d->out, (int)given[1].number, (int)given[2].number, given[0].text);
    for (int line = 3; line < 7; line += 2)
        if (*given[line].text) write_line_of_curve(&c, given[line].text, given[line + 1].text);
    curve_end(&c, n->format, given + 7);
}

static void write_words(struct asking *q, sqlite3_stmt *s, const struct name *n)
{
    struct dialect_value given[COLUMNS] = {{"", 0}};
    for (int i = 0; i < sqlite3_column_count(s) && i < COLUMNS; i++)
        given[i] = value_of(sqlite3_column_value(s, i));
    if (!strcmp(n->heading, "words"))
        doc_text_of(q->d, n->format, given);
    else if (!strcmp(n->heading, "item"))
        doc_item_of(q->d, n->format, given);
    else if (!strcmp(n->heading, "heading"))
        doc_heading_of(q->d, n->format, given);
    else if (!strcmp(n->heading, "page"))
        doc_page(q->d, given[0].text, given[1].text);
    else if (!strcmp(n->heading, "curve"))
        write_curve(q->d, n, given);
    else if (!strcmp(n->heading, "chart"))
        doc_chart(q->d, given[0].text, given[1].text);
    else
        doc_data_table(q->d, given[0].text);
}

static void end_list(struct asking *q)
{
    if (q->in_list && q->d) doc_list_end(q->d);
    q->in_list = false;
}

static void say_failed(struct asking *q)
{
    if (q->d) doc_text(q->d, "**Not known**: %s.", sqlite3_errmsg(q->l->db));
}

/* Writes a part that is no block. */
static void write_part(struct asking *q, sqlite3_stmt *s, const struct name *n)
{
    const bool item = !strcmp(n->heading, "item");
    if (!item) end_list(q);
    const int state = sqlite3_step(s);
    q->has_rows |= state != SQLITE_DONE;
    if (state != SQLITE_ROW && state != SQLITE_DONE) say_failed(q);
    if (state != SQLITE_ROW || !q->d) return;
    if (item && !q->in_list) doc_list(q->d);
    q->in_list = item;
    if (!is_wordy(n))
        write_table(q->d, s);
    else
        do write_words(q, s, n);
        while (sqlite3_step(s) == SQLITE_ROW);
}

static const char *write_parts(struct asking *q, const char *sql, const struct scope *scope,
                               bool skips);

/* Writes the text up to `end` for each row, or folded away. Returns what follows. */
static const char *write_block(struct asking *q, const char *sql, sqlite3_stmt *s,
                               const struct name *n, const struct scope *scope)
{
    const struct scope inner = {scope, s};
    const bool is_fold = !strcmp(n->heading, "fold");
    end_list(q);
    while (sqlite3_step(s) == SQLITE_ROW) {
        struct dialect_value given[COLUMNS];
        for (int i = 0; i < sqlite3_column_count(s) && i < COLUMNS; i++)
            given[i] = value_of(sqlite3_column_value(s, i));
        if (is_fold && !q->html) break;
        if (is_fold && q->d) doc_fold_of(q->d, n->format, given);
        write_parts(q, sql, &inner, false);
        if (is_fold && q->d) doc_fold_end(q->d);
        if (!q->d && q->has_rows) break;
    }
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
            if (!skips) sqlite3_step(s);
            sqlite3_finalize(s);
            continue;
        }
        name_read(sqlite3_column_name(s, 0), n);
        ended = !strcmp(n->heading, "end");
        bind(q, s, scope);
        if (!strcmp(n->heading, "each") || !strcmp(n->heading, "fold"))
            sql = skips ? write_parts(q, sql, scope, true) : write_block(q, sql, s, n, scope);
        else if (!ended && !skips)
            write_part(q, s, n);
        sqlite3_finalize(s);
    }
    if (!skips) end_list(q);
    free(n);
    return sql;
}

void query_write(struct doc *d, const struct lab_db *l, const char *sql)
{
    struct asking q = {.d = d, .l = l, .html = d->html};
    write_parts(&q, sql, NULL, false);
}

bool query_has_rows(const struct lab_db *l, const char *sql, bool html)
{
    struct asking q = {.l = l, .html = html};
    write_parts(&q, sql, NULL, false);
    return q.has_rows;
}
