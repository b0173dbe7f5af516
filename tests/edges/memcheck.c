// SPDX-License-Identifier: MIT
/* Requests to valgrind; they do nothing if its header was missing when this file was compiled. */
#include "edges.h"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>

bool memcheck_runs(void)
{
    return RUNNING_ON_VALGRIND;
}
void memcheck_no_access(const void *p, size_t bytes)
{
    (void)VALGRIND_MAKE_MEM_NOACCESS(p, bytes);
}
void memcheck_undefined(const void *p, size_t bytes)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(p, bytes);
}
void memcheck_open(const void *p, size_t bytes)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(p, bytes);
}
bool memcheck_is_defined(const void *p, size_t bytes)
{
    return bytes == 0 || VALGRIND_CHECK_MEM_IS_DEFINED(p, bytes) == 0;
}
size_t memcheck_errors(void)
{
    return VALGRIND_COUNT_ERRORS;
}

#else

bool memcheck_runs(void)
{
    return false;
}
void memcheck_no_access(const void *p, size_t bytes)
{
    (void)p, (void)bytes;
}
void memcheck_undefined(const void *p, size_t bytes)
{
    (void)p, (void)bytes;
}
void memcheck_open(const void *p, size_t bytes)
{
    (void)p, (void)bytes;
}
bool memcheck_is_defined(const void *p, size_t bytes)
{
    (void)p, (void)bytes;
    return true;
}
size_t memcheck_errors(void)
{
    return 0;
}

#endif
