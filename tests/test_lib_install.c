// SPDX-License-Identifier: MIT
/* libulp and the program as installed: scripts/test-lib builds against it as a user would. */
// test: 29 s of a core
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static void test_check(void **state)
{
    enum { SKIPPED = 77 };
    const char *build = getenv("BUILD"), *check = *state;
    char prefix[512], command[1200];
    snprintf(prefix, sizeof prefix, "%s/tests/prefix", build ? build : "build");
    if (access(prefix, F_OK) != 0) {
        print_message("skipped: a build with SAN=1 installs no library\n");
        skip();
    }
    snprintf(command, sizeof command, "scripts/test-lib \"$PWD/%s\" %s", prefix, check);
    if (*prefix == '/')
        snprintf(command, sizeof command, "scripts/test-lib \"%s\" %s", prefix, check);
    int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) skip();
    assert_int_equal(status, 0);
}

int main(void)
{
    static const char *const checks[] = {"exports", "sonames", "c",      "cxx",  "static",
                                         "threads", "python",  "bits",   "peer", "staged",
                                         "cmake",   "program", "removed"};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        test_add_with(checks[i], test_check, checks[i]);
    return test_run();
}
