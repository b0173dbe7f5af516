// SPDX-License-Identifier: MIT
/* The short form of `make campaign` (docs/reliability.md): failing system calls, killed runs, and
 * disks and machines that misbehave. */
// test: 25 s of a core, long
#include <unistd.h>

#include "test.h"

TEST(nothing_is_lost_and_everything_is_said)
{
    const char *named = getenv("BUILD"), *build = named ? named : "build";
    char campaign[400];
    snprintf(campaign, sizeof campaign, "%s/campaign", build);
    if (access(campaign, X_OK) != 0) skip(); /* not built with sanitizers (SAN=1) */
    must_format("%s --short '%s/ulplab' '%s/shim.so'", campaign, build, build);
}

/* The tables of docs/reliability.md must be those of results/reliability.jsonl. */
TEST(the_page_is_made_of_the_record)
{
    const char *named = getenv("BUILD"), *build = named ? named : "build";
    char command[1200];
    snprintf(command, sizeof command, "%s/campaign", build);
    if (access(command, X_OK) != 0) skip();
    must_format("sed -n '/^<!-- tables of /,/^<!-- end -->/{/^<!-- /!p}' docs/reliability.md | "
                "{ %s/campaign --tables results/reliability.jsonl | diff - /dev/fd/3; } 3<&0",
                build);
}
