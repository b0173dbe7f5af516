// SPDX-License-Identifier: MIT
/* Calls every kernel of the build with each of its operands at a guard page, n = 0 .. 300: it must
 * read and write nothing else, depend on nothing else, and leave the processor's modes alone (`make
 * edges` records the counts). The libraries that `make peers` built are tested as well, and faulty
 * kernels must be found. */
// test: 25 s of a core
#include <unistd.h>

#include "test.h"

static char said[1 << 16];

/* Runs `edges`: returns its exit status and what it printed; skips the test if the program was not
 * built (SAN=1). */
static int edges(const char *under, const char *program, const char *arguments)
{
    const char *named = getenv("BUILD"), *build = named ? named : "build";
    char command[1200];
    snprintf(command, sizeof command, "%s/%s", build, program);
    if (access(command, X_OK) != 0) skip();
    snprintf(command, sizeof command, "%s %s/%s %s 2>&1", under, build, program, arguments);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    size_t got = fread(said, 1, sizeof said - 1, out);
    said[got] = 0;
    while (fgetc(out) != EOF) continue;
    int status = pclose(out);
    return status < 0 ? status : status >> 8;
}

TEST(kernels_keep_to_their_operands)
{
    char arguments[256];
    const char *filter = getenv("ULPLAB_TEST_FILTER");
    snprintf(arguments, sizeof arguments, filter ? "--few --filter '%s'" : "%s",
             filter ? filter : "");
    int status = edges("", "edges", arguments);
    if (filter && strstr(said, "no variant matches")) skip();
    if (status != 0) fail_msg("%s", said);
}

TEST(libraries_do_too)
{
    enum { EXIT_NOTHING = 3 };
    int status = edges("", "edges", "--peers --few");
    if (status == EXIT_NOTHING) skip();
    if (status != 0) fail_msg("%s", said);
}

/* A complaint about one kernel; the array ends with algorithm NULL. */
struct finding {
    const char *algorithm, *says;
};

/* Asserts that `edges` complains about each of these kernels, and about no correct one. */
static void finds(const char *under, const char *arguments, const struct finding *found)
{
    char all[400];
    int length = snprintf(all, sizeof all, "%s --few --filter algorithm=twopass", arguments);
    for (const struct finding *f = found; f->algorithm; f++)
        length += snprintf(all + length, sizeof all - (size_t)length, ",%s", f->algorithm);
    assert_int_equal(edges(under, "faults/edges", all), 1);
    for (const struct finding *f = found; f->algorithm; f++) {
        char id[64];
        snprintf(id, sizeof id, "edges: moments/%s/", f->algorithm);
        const char *line = strstr(said, id), *says = line ? strstr(line, f->says) : NULL;
        if (!says || says > strchr(line, '\n')) fail_msg("%s: %s", f->algorithm, said);
    }
    assert_null(strstr(said, "moments/twopass/"));
}

TEST(kernels_that_do_not_are_found)
{
    static const struct finding found[] = {{"overread", "sigsegv"},
                                           {"underread", "sigsegv"},
                                           {"crash", "sigsegv"},
                                           {"quit", "ended its process"},
                                           {"padding", "its results depend on"},
                                           {"unwritten", "its results depend on"},
                                           {"beside", "wrote outside its rows of results"},
                                           {"ftz", "left MXCSR changed"},
                                           {"backwards", "left the direction flag set"},
                                           {"precision", "left the x87 control word changed"},
                                           {"mmx", "left x87 or MMX registers in use"},
                                           {0}};
    finds("", "", found);
}

TEST(memcheck_finds_them_too)
{
    static const struct finding found[] = {{"padding", "memcheck: see above"},
                                           {"unwritten", "depends on what is not defined"},
                                           {"beside", "memcheck: see above"},
                                           {0}};
    if (system("command -v valgrind >/dev/null") != 0) skip();
    if (access("/usr/include/valgrind/memcheck.h", R_OK) != 0) skip();
    finds("valgrind -q --partial-loads-ok=no", "--memcheck", found);
}
