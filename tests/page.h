// SPDX-License-Identifier: MIT
/* Writes pages of the lab and reads what they say. */
#ifndef ULPLAB_TEST_PAGE_H
#define ULPLAB_TEST_PAGE_H

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "publish/sections/sections.h"

#include "drive.h"

/* Fails where a statement did: the page says so where its rows would stand. */
static inline char *page_whole(char *text)
{
    const char *at = strstr(text, "Not known");
    if (at) fail_msg("%.400s", at);
    return text;
}

/* Writes a page of a result folder by report_write() or html_write(), and returns it. */
static inline char *page_written(int (*write)(const struct report *, const char *, char *, size_t,
                                              struct error *),
                                 const char *folder)
{
    struct report r;
    char path[256];
    struct error e = {""};
    if (report_open(folder, advice_bar, &r, &e)) fail_msg("%s", e.text);
    if (write(&r, folder, path, sizeof path, &e)) fail_msg("%s", e.text);
    lab_close(&r.db);
    return page_whole(drive_read(path));
}

/* Every section of a folder as Markdown: those of report.md, and those that only the page has. */
static inline char *page_sections(const char *folder)
{
    struct report r;
    struct error e = {""};
    char *text = NULL;
    size_t size = 0;
    if (report_open(folder, advice_bar, &r, &e)) fail_msg("%s", e.text);
    struct doc d = {.out = open_memstream(&text, &size)};
    for (const struct section *s = sections; s->id; s++) section_write(s, &r, &d);
    fclose(d.out);
    lab_close(&r.db);
    return page_whole(keep(text));
}

/* Skips the test where Chart.js is not installed, for tests that look at charts. */
static inline void page_needs_charts(void)
{
    if (access("/usr/share/javascript/chart.js/chart.min.js", R_OK) != 0) {
        print_message("skipped: no Chart.js here (Debian's package: libjs-chart.js)\n");
        skip();
    }
}

/* Lets scripts/test-html open a page in a browser and run a script's checks; skips the test without
 * Chromium or Chart.js. The page must have been written with the real Chart.js. */
static inline void page_in_a_browser(const char *page, const char *script, const char *checks)
{
    enum { SKIPPED = 77 };
    char command[400];
    snprintf(command, sizeof command, "CHECKS=%s scripts/test-html %s %s", script, page, checks);
    const int status = system(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) skip();
    assert_int_equal(status, 0);
}

#endif
