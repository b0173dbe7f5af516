// SPDX-License-Identifier: MIT
/* Litmus objects that cases load or read, and the compilers of this build. */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/object.h"
#include "cases/case.h"
#include "study/expectation.h"

/* Relative to the program: in the build folder, and where `make install` puts them. */
static const char *const places[] = {"litmus", "../lib/ulplab/litmus"};

bool case_litmus_path(const char *cc, const char *name, char *path, size_t size)
{
    char self[1024];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    const char *folder = dirname(self);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct stat st;
        int length_needed = snprintf(path, size, "%s/%s/%s/%s", folder, places[i], cc, name);
        if (length_needed > 0 && (size_t)length_needed < size && stat(path, &st) == 0 &&
            st.st_size > 0)
            return true;
    }
    return false;
}

struct code_counts case_litmus_counts(const char *path)
{
    struct object_facts facts;
    struct error e;
    if (object_read(path, &facts, &e) != 0) {
        fprintf(stderr, "ulplab: %s\n", e.text);
        _Exit(EXIT_PARTIAL);
    }
    free(facts.witnessed);
    return facts.counts;
}

int case_cc_major(const char *cc)
{
    return atoi(expectation_version(cc));
}

bool case_cc_is(const char *cc, const char *family)
{
    const char *found = strstr(cc, "clang") ? "clang" : strstr(cc, "gcc") ? "gcc" : "";
    return !strcmp(found, family);
}
