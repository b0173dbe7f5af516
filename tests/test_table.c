// SPDX-License-Identifier: MIT
/* Tables for people: complete if there is room, and never wider than the terminal. */
#include "base/error.h"
#include "publish/db/db.h"
#include "publish/policy/policy.h"
#include "model/record.h"
#include "publish/render/query.h"
#include "publish/render/table.h"
#include "publish/sql/sql.h"

#include "drive.h"

static const struct column columns[] = {
    {"op", false, 0}, {"kernel", false, 0},      {"isa", false, 0},
    {"ns", true, 0},  {"least needed", true, 9}, {"needed", true, 1},
};

/* Returns what a terminal of that width would show; 0: no terminal. */
static char *shown(size_t width, bool colour, uint32_t gathered)
{
    FILE *out = tmpfile();
    struct table t;
    assert_non_null(out);
    table_begin(&t, columns, sizeof columns / sizeof *columns);
    t.gathered = gathered;
    table_add(&t, TINT_NONE, (const char *const[]){"exp", "own", "avx2", "1.5", "x", "7.25"});
    table_add(&t, TINT_BAD,
              (const char *const[]){"exp", "a-kernel-of-a-long-name", "avx512", "12.5", "y", "8"});
    table_end(&t, out, (struct terminal){width, colour});
    return drive_slurp(out);
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    for (; *text; text += strcspn(text, "\n") + 1)
        if (strcspn(text, "\n") > longest) longest = strcspn(text, "\n");
    return longest;
}

TEST(a_pipe_has_everything)
{
    char *text = shown(0, false, 0);
    assert_string_equal(text, "op   kernel                   isa       ns  least needed  needed\n"
                              "exp  own                      avx2     1.5             x    7.25\n"
                              "exp  a-kernel-of-a-long-name  avx512  12.5             y       8\n");
}

/* First titles are folded, then the column that is needed least goes, then columns stand closer,
 * then text is cut. */
TEST(no_line_is_wider_than_the_terminal)
{
    static const struct {
        size_t width;
        const char *has, *lacks;
    } widths[] = {
        {60, " least  needed\n", "least needed"},
        {55, "7.25", "least"},
        {40, "exp a-kernel-of-a-long-name avx512 12.5", "least"},
        {30, "a-kernel-of-.. avx512 12.5", "-name"},
    };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const char *text = shown(widths[i].width, false, 0);
        if (!strstr(text, widths[i].has) || strstr(text, widths[i].lacks))
            fail_msg("%zu columns: %s", widths[i].width, text);
    }
    assert_int_equal(longest_line(shown(30, false, 0)), 30);
    for (size_t width = 28; width < 100; width++)
        for (uint32_t gathered = 0; gathered <= 7; gathered += 7)
            assert_in_range(longest_line(shown(width, false, gathered)), 1, width);
}

TEST(what_is_constant_is_told_once)
{
    char *text = shown(0, false, 7);
    assert_int_equal(strncmp(text, "In every row: op: exp.\nkernel ", 29), 0);
}

TEST(colour_is_for_terminals)
{
    char *plain = shown(80, false, 0), *colour = shown(80, true, 0);
    assert_null(strchr(plain, '\033'));
    assert_non_null(strstr(colour, "\033[31mexp"));
    FILE *file = tmpfile();
    struct terminal t = terminal_of(file);
    assert_int_equal(t.columns, 0);
    assert_false(t.colour);
    fclose(file);
}

/* Returns what a query gives as a terminal shows it. */
static char *query_shown(size_t width, size_t lines)
{
    static const char sql[] =
        "SELECT 'The answer' AS \"heading|%s\"; SELECT 'code' AS \"words|A **bold** word, `%s`, "
        "and "
        "~one~ that is long enough to be wrapped.\"; SELECT 'a|b' AS op, 1.5 AS \"error|%g *\" "
        "UNION "
        "ALL SELECT 'exp', 2; SELECT column1 AS item FROM (VALUES('an item'), ('another'));"
        "SELECT 0 AS \"fold|More\"; SELECT 1 AS x; SELECT 0 AS \"end\"";
    struct lab_db l;
    struct error e;
    const struct doc d = {.out = tmpfile(), .terminal = &(struct terminal){.columns = width}};
    assert_int_equal(db_read(&l, NULL, 0, &e), 0);
    query_write(&d, &l, sql);
    lab_close(&l);
    FILE *out = tmpfile();
    write_lines(out, drive_slurp(d.out), lines);
    return drive_slurp(out);
}

TEST(a_terminal_has_no_marks)
{
    char *text = query_shown(80, 25);
    assert_string_equal(text, "The answer\n"
                              "A bold word, code, and one that is long enough to be wrapped.\n"
                              "op   error\na|b  1.5 *\nexp  2 *\n- an item\n- another\n");
    text = query_shown(30, 25);
    assert_true(longest_line(text) <= 30);
}

static char *printed(const char *sql, bool brief, int wanted)
{
    struct lab_db l;
    struct error e = {""};
    FILE *out = tmpfile();
    assert_int_equal(db_read(&l, NULL, 0, &e), 0);
    assert_int_equal(query_print(&l, sql, brief, out, &e), wanted);
    lab_close(&l);
    return drive_slurp(out);
}

TEST(a_column_says_how_a_terminal_shows_it)
{
    char *text = printed(
        "SELECT 2 AS tint, 'exp' AS \"op|{!}\", 10.5 AS \"ns|{>}%.1f\", 'x' AS text, "
        "7 AS n UNION ALL SELECT 0, 'exp', NULL, 'yy', 12; "
        "SELECT NULL AS note; SELECT 'brief' AS words WHERE :brief; "
        "SELECT 'screen' AS words WHERE :screen; SELECT hex(zeroblob(48)) || ' told' AS note, 4",
        true, 0);
    assert_string_equal(text,
                        "In every row: op: exp.\n  ns  text   n\n10.5  x      7\n   -  yy    12\n"
                        "brief\n"
                        "000000000000000000000000000000000000000000000000"
                        "000000000000000000000000000000000000000000000000\n    told\n");
}

TEST(a_text_ends_where_a_statement_fails)
{
    char *text = printed("SELECT 'a' AS words; SELECT b FROM nowhere; SELECT 'c' AS words", false,
                         EXIT_BAD_INPUT);
    assert_string_equal(text, "a\n");
}

TEST(what_is_too_long_for_a_terminal_is_told)
{
    char *text = query_shown(80, 3);
    assert_string_equal(text, "The answer\n"
                              "A bold word, code, and one that is long enough to be wrapped.\n"
                              "(5 lines more: report.md)\n");
}

/* What `ulplab flags` found, to paste into a build: the flags of the base, then those of the set;
 * of C++ for C++, where flags of C would vanish; of a header, which no build compiles, with that
 * said. */
TEST(flags_are_pasted)
{
    static const struct {
        const char *format, *file, *function, *says;
    } pasted[] = {
        {"cmake", "root.c", "f",
         "set_property(SOURCE root.c APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=off "
         "-fno-math-errno)"},
        {"make", "root.c", "f", "-ffp-contract=off -fno-math-errno"},
        {"meson", "root.c", "f", "'-ffp-contract=off', '-fno-math-errno'"},
        {"bazel", "root.c", "f", "-fno-math-errno"},
        {"json", "root.c", "f", "-fno-math-errno"},
        {"cmake", "root.cc", "f", "CMAKE_CXX_COMPILER_ID"},
        {"make", "root.cc", "f", "root.o: CXXFLAGS += -O3"},
        {"meson", "root.cc", "f", "get_compiler('cpp')"},
        {"meson", "root.cc", "f", "cpp_args"},
        {"cmake", "root.h", "my::root", "CMAKE_CXX_COMPILER_ID"},
        {"make", "root.h", "f", "root.h is a header"},
        {"make", "root.h", "f", "root.o: CFLAGS += -O3"},
    };
    struct error e = {""};
    for (size_t i = 0; i < sizeof pasted / sizeof *pasted; i++) {
        FILE *out = tmpfile();
        json_t *records =
            keep(json_pack("[{s:s, s:s, s:s, s:s, s:s, s:s}]", "record", "flag-set", "cc", "gcc-12",
                           "file", pasted[i].file, "function", pasted[i].function, "base",
                           "-O3 -ffp-contract=off", "flags", "-fno-math-errno"));
        if (flags_emit(records, pasted[i].format, out, &e)) fail_msg("%s", e.text);
        const char *text = drive_slurp(out);
        if (!strstr(text, pasted[i].says)) fail_msg("%s: %s", pasted[i].says, text);
    }
    assert_int_equal(flags_emit(NULL, "make", stdout, &e), EXIT_GATE);
    /* Flags that set FTZ and DAZ on a link line are for the making of objects alone: CMake links
     * with CMAKE_C_FLAGS, too. */
    static const char *const whole[][3] = {
        {"make", "-ffast-math", "CC := gcc-12\n%.o: CFLAGS += -O3 -ffast-math\n"},
        {"make", "-fno-math-errno", "CC := gcc-12\nCFLAGS += -O3 -fno-math-errno\n"},
        {"cmake", "-ffast-math",
         "if(CMAKE_C_COMPILER_ID STREQUAL \"GNU\")\n"
         "  add_compile_options(\"$<$<COMPILE_LANGUAGE:C>:SHELL: -ffast-math>\")\nendif()\n"}};
    struct lab_db l;
    assert_int_equal(db_read(&l, NULL, 0, &e), 0);
    assert_int_equal(lab_run(&l, &e, sql_paste, ""), 0);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        char sql[80];
        assert_int_equal(lab_run(&l, &e,
                                 "DELETE FROM pastes; "
                                 "INSERT INTO pastes VALUES(1, 'gcc-12', '-O3', ?1, NULL, 0)",
                                 "t", whole[i][1]),
                         0);
        snprintf(sql, sizeof sql, "SELECT text FROM pasted WHERE format = '%s'", whole[i][0]);
        assert_string_equal(keep(lab_text(&l, sql, &e)), whole[i][2]);
    }
    lab_close(&l);
}
