// SPDX-License-Identifier: MIT
/* Texts that are made in memory. */
#include "base/memory.h"

#include "test.h"

TEST(an_empty_text_is_a_text)
{
    char *text = NULL;
    size_t size = 1;
    memory_text_close(memory_text(&text, &size));
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    free(text);
}

TEST(a_long_text_is_whole)
{
    enum { LINES = 100000 };
    char *text = NULL;
    size_t size = 0, length = 0;
    FILE *out = memory_text(&text, &size);
    for (int i = 0; i < LINES; i++) length += (size_t)fprintf(out, "line %d\n", i);
    assert_int_equal(ftell(out), (long)length);
    fwrite("a\0b", 1, 3, out);
    memory_text_close(out);
    assert_int_equal(size, length + 3);
    assert_int_equal(strlen(text), length + 1);
    assert_memory_equal(text, "line 0\nline 1\n", 14);
    assert_memory_equal(text + length, "a\0b", 4);
    free(text);
}
