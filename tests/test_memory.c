// SPDX-License-Identifier: MIT
/* Texts that are made in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void an_empty_text_is_a_text(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 1;
    memory_text_close(memory_text(&text, &size));
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    free(text);
}

static void a_long_text_is_whole(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_text_is_a_text),
        cmocka_unit_test(a_long_text_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
