#include "publish/site/chart_library.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* At most 4 MiB. */
static bool read_library(const char *path, struct chart_library *library)
{
    enum { MOST = 4 << 20 };
    FILE *in = fopen(path, "rbe");
    *library = (struct chart_library){.source = in ? malloc(MOST + 1) : NULL};
    if (library->source) {
        library->size = fread(library->source, 1, MOST, in);
        library->source[library->size] = '\0';
    }
    if (in) fclose(in);
    if (library->source && read_version(library)) return true;
    chart_library_free(library);
    return false;
}

struct chart_library chart_library_find(void)
{
    static const char *const places[] = {"/usr/share/javascript/chart.js/chart.min.js",
                                         "/usr/share/javascript/chart.js/chart.umd.js",
                                         "/usr/share/nodejs/chart.js/dist/chart.min.js",
                                         "/usr/share/nodejs/chart.js/dist/chart.umd.js"};
    struct chart_library library = {.source = NULL};
    const char *named = getenv("ULPLAB_CHART_JS");
    if (named)
        read_library(named, &library);
    else
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            if (read_library(places[i], &library)) break;
    return library;
}

void chart_library_free(struct chart_library *library)
{
    free(library->source);
    *library = (struct chart_library){.source = NULL};
}
