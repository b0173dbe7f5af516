#include "publish/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

static bool grow(struct table *t)
{
    size_t room = t->room ? 2 * t->room : 64;
    char **cells = realloc(t->cells, room * t->count * sizeof *cells);
    if (cells) t->cells = cells;
    enum tint *tints = realloc(t->tints, room * sizeof *tints);
    if (tints) t->tints = tints;
    if (cells && tints) t->room = room;
    return cells && tints;
}

void table_add(struct table *t, enum tint tint, const char *const *cells)
{
    if (t->rows == t->room && !grow(t)) return;
    for (size_t i = 0; i < t->count; i++) t->cells[t->rows * t->count + i] = strdup(cells[i]);
    t->tints[t->rows++] = tint;
}

/* Columns on the screen: bytes that do not continue a UTF-8 character. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static const char *cell(const struct table *t, size_t row, size_t column)
{
    const char *text = t->cells[row * t->count + column];
    return text ? text : "";
}

/* The width of each column, 0 for one that stays out. */
static void fit(const struct table *t, size_t limit, size_t *widths)
{
    size_t total = 0;
    for (size_t c = 0; c < t->count; c++) {
        widths[c] = width_of(t->columns[c].title);
        for (size_t r = 0; r < t->rows; r++) {
            size_t width = width_of(cell(t, r, c));
            if (width > widths[c]) widths[c] = width;
        }
        total += widths[c] + 2;
    }
    while (limit && total > limit + 2) {
        size_t out = t->count;
        for (size_t c = 0; c < t->count; c++)
            if (widths[c] && t->columns[c].dispensable &&
                (out == t->count || t->columns[c].dispensable > t->columns[out].dispensable))
                out = c;
        if (out == t->count) return;
        total -= widths[out] + 2;
        widths[out] = 0;
    }
}

static void put(FILE *out, const char *text, size_t width, bool right, bool last)
{
    int pad = (int)(width - width_of(text));
    if (right)
        fprintf(out, "%*s%s", pad, "", text);
    else
        fprintf(out, "%s%*s", text, last ? 0 : pad, "");
}

static void put_row(const struct table *t, FILE *out, const size_t *widths, size_t row)
{
    size_t last = 0;
    bool first = true;
    for (size_t c = 0; c < t->count; c++)
        if (widths[c]) last = c;
    for (size_t c = 0; c < t->count; c++) {
        if (!widths[c]) continue;
        if (!first) fputs("  ", out);
        put(out, row == t->rows ? t->columns[c].title : cell(t, row, c), widths[c],
            t->columns[c].right, c == last);
        first = false;
    }
}

void table_end(struct table *t, FILE *out, struct terminal terminal)
{
    static const char *const starts[] = {"", "\033[32m", "\033[31m", "\033[2m"};
    size_t widths[COLUMNS_MAX];
    fit(t, terminal.columns, widths);
    if (terminal.colour) fputs("\033[1m", out);
    put_row(t, out, widths, t->rows);
    fputs(terminal.colour ? "\033[0m\n" : "\n", out);
    for (size_t r = 0; r < t->rows; r++) {
        bool tinted = terminal.colour && t->tints[r] != TINT_NONE;
        if (tinted) fputs(starts[t->tints[r]], out);
        put_row(t, out, widths, r);
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

struct cell_text cell_fixed(double value, int decimals)
{
    struct cell_text cell = {"-"};
    if (!isnan(value)) snprintf(cell.text, sizeof cell.text, "%.*f", decimals, value);
    return cell;
}

struct cell_text cell_ulp(double value)
{
    struct cell_text cell = {"-"};
    if (!isnan(value))
        snprintf(cell.text, sizeof cell.text, fabs(value) < 1e4 ? "%.3g" : "%.1e", value);
    return cell;
}
