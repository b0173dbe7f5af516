// SPDX-License-Identifier: MIT
#include "publish/render/for_terminal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Copies a text of Markdown up to `end` (a line break, in a cell also a bar) without its marks.
 * Returns where it ended. */
static const char *copy_words(const char *at, const char *ends, FILE *out)
{
    for (; *at && !strchr(ends, *at); at++) {
        if (*at == '\\' && at[1] && at[1] != '\n')
            putc(*++at, out);
        else if (!strncmp(at, "**", 2))
            at++;
        else if (*at != '`')
            putc(*at, out);
    }
    return at;
}

static char *words_of(const char **at, const char *ends)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text(&text, &size);
    *at = copy_words(*at, ends, out);
    memory_text_close(out);
    while (size && text[size - 1] == ' ') text[--size] = '\0';
    return text;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

struct cells {
    char *text[COLUMNS_MAX];
    size_t count;
};

/* The cells of a line `| a | b |`; returns the line behind it. */
static const char *read_cells(const char *line, struct cells *cells)
{
    cells->count = 0;
    for (line++; *line && *line != '\n';) {
        line += strspn(line, " ");
        char *text = words_of(&line, "|\n");
        if (*line == '|' && cells->count < COLUMNS_MAX)
            cells->text[cells->count++] = text;
        else
            free(text);
        line += *line == '|';
    }
    return *line ? line + 1 : line;
}

static void free_cells(struct cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) free(cells->text[i]);
}

/* Writes a table of Markdown. Columns further right matter less. */
static const char *write_table(FILE *out, struct terminal terminal, const char *line)
{
    struct column columns[COLUMNS_MAX] = {{0}};
    struct table table;
    struct cells heads, row;
    line = read_cells(line, &heads);
    for (size_t i = 0; i < heads.count; i++)
        columns[i] = (struct column){heads.text[i], false, i < 3 ? 0 : (int)i};
    table_begin(&table, columns, heads.count);
    for (; *line == '|'; free_cells(&row)) {
        const bool rule = !strncmp(line, "|--", 3);
        line = read_cells(line, &row);
        if (!rule && row.count == heads.count)
            table_add(&table, TINT_NONE, (const char *const *)row.text);
    }
    table_end(&table, out, terminal);
    free_cells(&heads);
    return line;
}

/* ---- Running text ---------------------------------------------------------------------------- */

static const char *write_line(FILE *out, struct terminal terminal, const char *line)
{
    const size_t indent = !strncmp(line, "- ", 2) ? 2 : 0;
    if (*line == '#') line += strspn(line, "# ");
    char *text = words_of(&line, "\n");
    if (*text) write_prose(out, terminal, indent, "%s", text);
    free(text);
    return *line ? line + 1 : line;
}

static void print_lines(FILE *out, const char *text, size_t lines)
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

void write_for_terminal(FILE *out, struct terminal terminal, size_t lines, const char *markdown)
{
    char *text = NULL;
    size_t size = 0;
    FILE *all = memory_text(&text, &size);
    for (const char *line = markdown; *line;)
        line = *line == '|' ? write_table(all, terminal, line) : write_line(all, terminal, line);
    memory_text_close(all);
    print_lines(out, text, lines);
    free(text);
}
