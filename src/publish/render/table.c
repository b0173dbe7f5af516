// SPDX-License-Identifier: MIT
#include "publish/render/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"

struct terminal terminal_of(FILE *stream)
{
    struct terminal terminal = {0};
    struct winsize size;
    if (!isatty(fileno(stream))) return terminal;
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    terminal.colour = !(no_colour && *no_colour) && !(term && !strcmp(term, "dumb"));
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0) terminal.columns = size.ws_col;
    return terminal;
}

void table_begin(struct table *t, const struct column *columns, size_t count)
{
    *t = (struct table){.columns = columns, .count = count};
}

void table_add(struct table *t, enum tint tint, const char *const *cells)
{
    if (t->rows == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->cells = memory_grow(t->cells, t->room * t->count * sizeof *t->cells);
        t->tints = memory_grow(t->tints, t->room * sizeof *t->tints);
    }
    for (size_t i = 0; i < t->count; i++) t->cells[t->rows * t->count + i] = memory_copy(cells[i]);
    t->tints[t->rows++] = tint;
}

/* Columns on the screen: bytes that do not continue a UTF-8 character. */
static size_t table_width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static const char *cell(const struct table *t, size_t row, size_t column)
{
    return t->cells[row * t->count + column];
}

struct layout {
    size_t widths[COLUMNS_MAX]; /* 0: stays out */
    size_t folded[COLUMNS_MAX]; /* with titles as narrow as they go */
    size_t gap;
};

/* Returns whether a column is printed only once because it has the same value in every row. */
static bool is_gathered(const struct table *t, size_t column)
{
    if (!(t->gathered >> column & 1)) return false;
    for (size_t r = 1; r < t->rows; r++)
        if (strcmp(cell(t, r, column), cell(t, 0, column)) != 0) return false;
    return t->rows > 1;
}

static size_t longest_word(const char *text)
{
    size_t longest = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (length > longest) longest = length;
        text += length + strspn(text + length, " ");
    }
    return longest;
}

/* The title in one line, or folded between words as narrow as it goes. */
static size_t width_of_column(const struct table *t, size_t column, bool folded)
{
    const char *title = t->columns[column].title;
    size_t width = folded ? longest_word(title) : table_width_of(title);
    for (size_t r = 0; r < t->rows; r++) {
        size_t own = table_width_of(cell(t, r, column));
        if (own > width) width = own;
    }
    return width;
}

static size_t total_of(const struct layout *l, size_t count)
{
    size_t total = 0;
    for (size_t c = 0; c < count; c++)
        if (l->widths[c]) total += l->widths[c] + (total ? l->gap : 0);
    return total;
}

/* The order in which columns are left out; 0: never. */
static size_t foldable(const struct table *t, const struct layout *l, size_t column)
{
    (void)t;
    return l->widths[column] > l->folded[column] ? l->widths[column] - l->folded[column] : 0;
}
static size_t dispensable(const struct table *t, const struct layout *l, size_t column)
{
    return l->widths[column] ? (size_t)t->columns[column].dispensable : 0;
}
static size_t wide_text(const struct table *t, const struct layout *l, size_t column)
{
    enum { NARROW = 8 };
    const bool wide = !t->columns[column].right && l->widths[column] > NARROW;
    return wide ? l->widths[column] : 0;
}

/* Takes a character, or all, from the column of which most may go, until the table fits. */
static void table_shrink(const struct table *t, size_t limit, struct layout *l, bool all,
                         size_t (*may_go)(const struct table *, const struct layout *,
                                          size_t column))
{
    while (total_of(l, t->count) > limit) {
        size_t most = 0, at = 0;
        for (size_t c = 0; c < t->count; c++) {
            const size_t own = may_go(t, l, c);
            if (own > most) at = c;
            if (own > most) most = own;
        }
        if (!most) return;
        l->widths[at] = all ? 0 : l->widths[at] - 1;
    }
}

static void fit(const struct table *t, size_t limit, struct layout *l)
{
    *l = (struct layout){.gap = 2};
    for (size_t c = 0; c < t->count; c++) {
        l->widths[c] = is_gathered(t, c) ? 0 : width_of_column(t, c, false);
        l->folded[c] = width_of_column(t, c, true);
    }
    if (!limit) return;
    table_shrink(t, limit, l, false, foldable);
    table_shrink(t, limit, l, true, dispensable);
    if (total_of(l, t->count) > limit) l->gap = 1;
    table_shrink(t, limit, l, false, wide_text);
}

/* A text that is too wide ends in "..". */
static void table_put(FILE *out, const char *text, size_t width, bool right, bool last)
{
    size_t own = table_width_of(text);
    if (own > width) {
        for (size_t i = 0; i + 2 < width; text++) {
            putc(*text, out);
            i += ((unsigned char)text[1] & 0xc0) != 0x80;
        }
        fputs("..", out);
        return;
    }
    int pad = (int)(width - own);
    if (right)
        fprintf(out, "%*s%s", pad, "", text);
    else
        fprintf(out, "%s%*s", text, last ? 0 : pad, "");
}

static void put_cells(const struct table *t, FILE *out, const struct layout *l,
                      const char *const *cells)
{
    size_t last = 0;
    bool first = true;
    for (size_t c = 0; c < t->count; c++)
        if (l->widths[c]) last = c;
    for (size_t c = 0; c < t->count; c++) {
        if (!l->widths[c]) continue;
        if (!first) fprintf(out, "%*s", (int)l->gap, "");
        table_put(out, cells[c], l->widths[c], t->columns[c].right, c == last);
        first = false;
    }
}

enum { TITLE_MAX = 128 };

/* Takes a line of at most `width` off a title, a word at least. */
static void take_line(const char **title, size_t width, char line[TITLE_MAX])
{
    size_t taken = 0;
    while ((*title)[taken]) {
        size_t word = taken + strspn(*title + taken, " ");
        word += strcspn(*title + word, " ");
        if (taken && word > width) break;
        taken = word;
    }
    snprintf(line, TITLE_MAX, "%.*s", (int)taken, *title);
    *title += taken;
    *title += strspn(*title, " ");
}

static void put_titles(const struct table *t, FILE *out, const struct layout *l,
                       struct terminal terminal)
{
    const char *left[COLUMNS_MAX], *cells[COLUMNS_MAX];
    char lines[COLUMNS_MAX][TITLE_MAX];
    bool more = true;
    for (size_t c = 0; c < t->count; c++) left[c] = t->columns[c].title;
    while (more) {
        more = false;
        for (size_t c = 0; c < t->count; c++) {
            take_line(&left[c], l->widths[c], lines[c]);
            cells[c] = lines[c];
            more = more || (l->widths[c] && *left[c]);
        }
        if (terminal.colour) fputs("\033[1m", out);
        put_cells(t, out, l, cells);
        fputs(terminal.colour ? "\033[0m\n" : "\n", out);
    }
}

static void put_gathered(const struct table *t, FILE *out, struct terminal terminal)
{
    char *text = NULL;
    size_t size = 0, said = 0;
    FILE *line = memory_text(&text, &size);
    for (size_t c = 0; c < t->count; c++)
        if (is_gathered(t, c) && cell(t, 0, c)[0])
            fprintf(line, "%s%s: %s", said++ ? "; " : "In every row: ", t->columns[c].title,
                    cell(t, 0, c));
    memory_text_close(line);
    if (said) write_prose(out, terminal, 2, "%s.", text);
    free(text);
}

void table_end(struct table *t, FILE *out, struct terminal terminal)
{
    static const char *const starts[] = {"", "\033[32m", "\033[31m", "\033[2m"};
    struct layout layout;
    fit(t, terminal.columns, &layout);
    put_gathered(t, out, terminal);
    put_titles(t, out, &layout, terminal);
    for (size_t r = 0; r < t->rows; r++) {
        bool tinted = terminal.colour && t->tints[r] != TINT_NONE;
        if (tinted) fputs(starts[t->tints[r]], out);
        put_cells(t, out, &layout, (const char *const *)t->cells + r * t->count);
        fputs(tinted ? "\033[0m\n" : "\n", out);
    }
    for (size_t i = 0; i < t->rows * t->count; i++) free(t->cells[i]);
    free(t->cells);
    free(t->tints);
    *t = (struct table){0};
}

void write_prose(FILE *out, struct terminal terminal, size_t indent, const char *format, ...)
{
    size_t limit = terminal.columns ? terminal.columns : 100, column = 0;
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *word = text; *word;) {
        size_t spaces = strspn(word, " "), length = strcspn(word + spaces, " ");
        if (column && column + spaces + length > limit) {
            column = indent;
            fprintf(out, "\n%*s", (int)indent, "");
        } else {
            column += spaces;
            fprintf(out, "%*s", (int)spaces, "");
        }
        fprintf(out, "%.*s", (int)length, word + spaces);
        column += length;
        word += spaces + length;
    }
    fputc('\n', out);
}

void write_lines(FILE *out, const char *text, size_t lines)
{
    size_t count = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) count++;
    for (size_t left = count > lines ? lines - 1 : lines; left && *text; left--) {
        size_t length = strcspn(text, "\n") + 1;
        fwrite(text, 1, length, out);
        text += length;
    }
    if (count > lines) fprintf(out, "(%zu lines more: report.md)\n", count - lines + 1);
}
