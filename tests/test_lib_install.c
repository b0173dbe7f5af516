// SPDX-License-Identifier: MIT
/* libulp and the program as installed: scripts/test-lib builds against it as a user would. */
// test: 29 s of a core
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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
    static char exports[] = "exports", sonames[] = "sonames", c[] = "c", cxx[] = "cxx",
                linked[] = "static", threads[] = "threads", python[] = "python", bits[] = "bits",
                peer[] = "peer", staged[] = "staged", cmake[] = "cmake", program[] = "program",
                removed[] = "removed";
    const struct CMUnitTest tests[] = {
        {"exports", test_check, NULL, NULL, exports},
        {"sonames", test_check, NULL, NULL, sonames},
        {"C", test_check, NULL, NULL, c},
        {"C++", test_check, NULL, NULL, cxx},
        {"static", test_check, NULL, NULL, linked},
        {"threads", test_check, NULL, NULL, threads},
        {"Python", test_check, NULL, NULL, python},
        {"bits", test_check, NULL, NULL, bits},
        {"peer", test_check, NULL, NULL, peer},
        {"staged", test_check, NULL, NULL, staged},
        {"cmake", test_check, NULL, NULL, cmake},
        {"program", test_check, NULL, NULL, program},
        {"removed", test_check, NULL, NULL, removed},
    };
    return cmocka_run_group_tests_name("libulp, installed", tests, NULL, NULL);
}
