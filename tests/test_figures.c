// SPDX-License-Identifier: MIT
/* Figures in README.md and docs/ that name a run must be those of its records in results/. */
// test: 76 s of a core
#include "scratch.h"
#include "test.h"

static int status_of(const char *command)
{
    const int status = system(command);
    return status < 0 ? -1 : status >> 8;
}

/* The script runs once over the pages, which must be right, and over copies of two pages with a
 * wrong digit in a table and in a sentence, which must be rejected. */
TEST(pages_say_what_the_records_say)
{
    char command[1024];
    if (status_of("command -v python3 >/dev/null") != 0) {
        puts("skipped: no python3 here");
        skip();
    }
    snprintf(command, sizeof command,
             "sed '/^| softmax /s/[0-9]\\.[0-9]*/&1/' README.md >%s/README.md && "
             "sed 's/is 81\\.4%% of/is 75.9%% of/' docs/one-cell.md >%s/one-cell.md",
             scratch, scratch);
    assert_int_equal(status_of(command), 0);
    snprintf(command, sizeof command,
             "scripts/readme-figures --check README.md docs/results.md docs/vector-math.md "
             "docs/one-cell.md "
             "docs/sql.md docs/tuning-log.md docs/library.md docs/archive.md docs/measurement.md "
             "docs/correct.md "
             "%s/README.md %s/one-cell.md >%s/said 2>&1",
             scratch, scratch, scratch);
    assert_int_equal(status_of(command), 1);
    char *said = scratch_read("said"), page[200];
    snprintf(page, sizeof page, "%s/README.md:", scratch);
    if (!strstr(said, page)) fail_msg("not seen: a wrong table of %s in:\n%s", page, said);
    /* The figure in the place of which the sentence has another one. */
    snprintf(page, sizeof page, "%s/one-cell.md:", scratch);
    const char *sentence = strstr(said, page);
    if (!sentence || !strstr(sentence, "81.4%")) fail_msg("not seen: 81.4%% in:\n%s", said);
    for (const char *line = said; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, "README", 6) || !strncmp(line, "docs/", 5) || !strncmp(line, "Trace", 5))
            fail_msg("%s", said);
    }
}

/* A program that shares nothing with the lab computes the same figures of CPUs from the records,
 * and sees a wrong digit. */
TEST(figures_of_cpus_are_computed_twice)
{
    char command[1024];
    snprintf(command, sizeof command,
             "command -v python3 zstd >/dev/null && { %s/ulplab report results/suite-1/* --out %s "
             "&& scripts/recompute %s/performance.md; } >%s/said 2>&1",
             getenv("BUILD") ? getenv("BUILD") : "build", scratch, scratch, scratch);
    const int code = status_of(command);
    char *said = scratch_read("said");
    if (code == 1 && !*said) {
        puts("skipped: no python3 or no zstd here");
        skip();
    }
    if (code) fail_msg("%s", said);
    snprintf(command, sizeof command,
             "sed -i '/^| Zen 3 | 1/s/[*][*]1[.]/**2./' %s/performance.md && scripts/recompute "
             "%s/performance.md >%s/said 2>&1",
             scratch, scratch, scratch);
    assert_int_equal(status_of(command), 1);
    said = scratch_read("said");
    if (!strstr(said, "Zen 3")) fail_msg("%s", said);
}

TEST_GROUP(scratch_open, scratch_close)
