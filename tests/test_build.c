/* The Makefile's promises: an object depends on its exact command line, a policy is one word on
 * the command line, a kernel is one file, no policy flag reaches a link line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define AXES "BUILD=build-axes SAN= ISAS=avx2 KERNELS= CCS=$(scripts/compilers | head -n 1) "

static int sh(const char *command)
{
    /* What an outer make passes down (a jobserver, SAN=1) is not for this one. */
    char line[1024];
    snprintf(line, sizeof line, "unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES; %s", command);
    return system(line);
}

static struct timespec changed(const char *policy)
{
    char command[256], path[256] = "";
    snprintf(command, sizeof command, "ls build-axes/obj/*/avx2/%s/moments_twopass.o", policy);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    assert_int_equal(fscanf(in, "%255s", path), 1);
    pclose(in);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mtim;
}

static int same(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static void test_editing_a_policy_rebuilds_its_objects_alone(void **state)
{
    (void)state;
    assert_int_equal(
        sh("make -s " AXES "POLICIES='off mine' policy.mine=-ffp-contract=fast >/dev/null"), 0);
    struct timespec off = changed("off"), mine = changed("mine");
    assert_int_equal(
        sh("make -s " AXES "POLICIES='off mine' policy.mine=-ffp-contract=fast >/dev/null"), 0);
    assert_true(same(mine, changed("mine")));
    assert_int_equal(
        sh("make -s " AXES
           "POLICIES='off mine' policy.mine='-ffp-contract=fast -mtune=znver3' >/dev/null"),
        0);
    assert_true(same(off, changed("off")));
    assert_false(same(mine, changed("mine")));
}

static void test_a_policy_of_ones_own_is_listed(void **state)
{
    (void)state;
    assert_int_equal(
        sh("make -s " AXES "POLICIES='off mine' policy.mine=-ffp-contract=fast >/dev/null"), 0);
    assert_int_equal(
        sh("build-axes/ulplab list --filter 'op=moments algorithm=twopass policy=mine' "
           "| grep -q 'policy=mine *ok'"),
        0);
}

static void test_an_unknown_policy_is_one_clear_line(void **state)
{
    (void)state;
    assert_int_equal(
        sh("make -n " AXES "POLICIES=nonesuch 2>&1 | grep -q \"policy 'nonesuch' is unknown\""), 0);
}

static void test_no_policy_flag_reaches_a_link_line(void **state)
{
    (void)state;
    assert_int_equal(sh("rm -f build-axes/ulplab && make -n " AXES "POLICIES='off fastmath' "
                        "| grep -- '-o build-axes/ulplab$' >build-axes/link-line"),
                     0);
    assert_int_equal(sh("grep -q . build-axes/link-line"), 0);
    assert_int_not_equal(
        sh("grep -qE 'fast-math|Ofast|unsafe-math|contract=fast' build-axes/link-line"), 0);
}

static int remove_build(void **state)
{
    (void)state;
    return sh("rm -rf build-axes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_editing_a_policy_rebuilds_its_objects_alone),
        cmocka_unit_test(test_a_policy_of_ones_own_is_listed),
        cmocka_unit_test(test_an_unknown_policy_is_one_clear_line),
        cmocka_unit_test(test_no_policy_flag_reaches_a_link_line),
    };
    return cmocka_run_group_tests(tests, NULL, remove_build);
}
