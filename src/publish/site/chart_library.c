// SPDX-License-Identifier: MIT
#include "publish/site/chart_library.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

const char chart_library_notice[] =
    "<p class=\"notice\" id=\"no-charts\">There are no charts in this report: Chart.js "
    "was not found when it was written. Install the package <code>libjs-chart.js</code> "
    "and write it again with <code>ulplab report --format html</code>. The tables are "
    "complete.</p>";

/* "Chart.js v3.9.1" stands in the comment that every build of it begins with. */
static bool read_version(struct chart_library *library)
{
    static const char mark[] = "Chart.js v";
    const char *at = strstr(library->source, mark);
    if (!at) return false;
    at += sizeof mark - 1;
    size_t length = strspn(at, "0123456789.");
    snprintf(library->version, sizeof library->version, "%.*s", (int)length, at);
    return !strncmp(at, "3.", 2) || !strncmp(at, "4.", 2);
}

/* Reads the library, of at most 4 MiB. A file that is there and cannot be read is an error: a page
 * without charts would look as if the library were not installed. */
static int read_library(const char *path, struct chart_library *library, struct error *e)
{
    enum { MOST = 4 << 20 };
    FILE *in = fopen(path, "rbe");
    if (!in && (errno == ENOENT || errno == ENOTDIR)) return 0;
    if (!in) return file_cannot(e, "read", path, "try again");
    *library = (struct chart_library){.source = memory_new(MOST + 1)};
    library->size = fread(library->source, 1, MOST, in);
    library->source[library->size] = '\0';
    int code = ferror(in) ? file_cannot(e, "read", path, "try again") : 0;
    fclose(in);
    if (code || !read_version(library)) chart_library_free(library);
    return code;
}

int chart_library_find(struct chart_library *library, struct error *e)
{
    static const char *const places[] = {"/usr/share/javascript/chart.js/chart.min.js",
                                         "/usr/share/javascript/chart.js/chart.umd.js",
                                         "/usr/share/nodejs/chart.js/dist/chart.min.js",
                                         "/usr/share/nodejs/chart.js/dist/chart.umd.js"};
    *library = (struct chart_library){.source = NULL};
    const char *named = getenv("ULPLAB_CHART_JS");
    if (named) return read_library(named, library, e);
    int code = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places && !code && !library->source; i++)
        code = read_library(places[i], library, e);
    return code;
}

void chart_library_free(struct chart_library *library)
{
    free(library->source);
    *library = (struct chart_library){.source = NULL};
}
