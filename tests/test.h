// SPDX-License-Identifier: MIT
/* What every test program includes. TEST(name) { .. } registers a test; they run in the order of
 * their file. main() stands in main.c; a program with one of its own calls test_run(). */
#ifndef ULPLAB_TEST_H
#define ULPLAB_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
/* CMocka's macro fail() hides the lab's function; fail_msg() does without it. */
#undef fail
#undef fail_msg
#define fail_msg(format, ...)                                                                      \
    do {                                                                                           \
        print_error("ERROR: " format "\n", ##__VA_ARGS__);                                         \
        _fail(__FILE__, __LINE__);                                                                 \
    } while (0)

#define TEST(name)                                                                                 \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void register_##name(void)                                 \
    {                                                                                              \
        test_add((struct CMUnitTest)cmocka_unit_test(name), __LINE__);                             \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

/* Registers a function as the test `name`, which finds `*data` through its argument. */
#define TEST_WITH(name, function, data)                                                            \
    __attribute__((constructor)) static void register_##name(void)                                 \
    {                                                                                              \
        test_add_with(#name, function, data);                                                      \
    }

/* Registers the set-up and the tear-down of all tests of the program, of which one may be NULL. */
#define TEST_GROUP(set_up, tear_down)                                                              \
    __attribute__((constructor)) static void register_group(void)                                  \
    {                                                                                              \
        test_group(set_up, tear_down);                                                             \
    }

void test_add(struct CMUnitTest test, int line);
/* Adds a test whose *state is `data`, behind those of TEST(). */
void test_add_with(const char *name, CMUnitTestFunction function, const void *data);
void test_group(CMFixtureFunction set_up, CMFixtureFunction tear_down);
/* Keeps what a test has allocated until its program ends, so that the test need not free it: what
 * the sanitizer reports as leaked is the lab's. Fails the test if it is NULL. Returns it. */
void *keep(void *memory);
/* Runs a line of shell; fails the test unless it exits with 0. */
void must(const char *line);
void must_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Runs all tests; returns the number of those that failed. */
int test_run(void);

#endif
