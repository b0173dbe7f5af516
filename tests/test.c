// SPDX-License-Identifier: MIT
#include "test.h"

#include <errno.h>
#include <limits.h>

enum { TESTS_MAX = 100 };
static struct CMUnitTest tests[TESTS_MAX];
static int lines[TESTS_MAX]; /* in ascending order: constructors may run in any */
static size_t count;
static CMFixtureFunction group[2];

void test_add(struct CMUnitTest test, int line)
{
    size_t i = count++;
    if (i == TESTS_MAX) abort();
    for (; i && lines[i - 1] > line; i--) {
        tests[i] = tests[i - 1];
        lines[i] = lines[i - 1];
    }
    tests[i] = test;
    lines[i] = line;
}

void test_add_with(const char *name, CMUnitTestFunction function, const void *data)
{
    test_add((struct CMUnitTest){name, function, NULL, NULL, (void *)(uintptr_t)data}, INT_MAX);
}

void test_group(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    group[0] = set_up;
    group[1] = tear_down;
}

void *keep(void *memory)
{
    static void **kept; /* the sanitizer finds through it what is still in use */
    static size_t kept_count;
    kept = realloc(kept, (kept_count + 1) * sizeof *kept);
    if (!kept || !memory) fail_msg("there is no memory, or nothing to keep");
    return kept[kept_count++] = memory;
}

void must(const char *line)
{
    const int status = system(line);
    if (status) fail_msg("status 0x%x: %s", (unsigned)status, line);
}

void must_format(const char *format, ...)
{
    char line[4096];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    must(line);
}

int test_run(void)
{
    return _cmocka_run_group_tests(program_invocation_short_name, tests, count, group[0], group[1]);
}
