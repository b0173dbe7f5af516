// SPDX-License-Identifier: MIT
#include "model/date.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

void date_now(char date[DATE_SIZE])
{
    time_t now = time(NULL);
    struct tm utc;
    date[0] = '\0';
    if (gmtime_r(&now, &utc)) strftime(date, DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* Returns whether the text is a date in that format and no more, and one that the calendar has. */
static bool is_date(const char *text, const char *format)
{
    struct tm said = {.tm_mday = 1};
    const char *end = strptime(text, format, &said);
    if (!end || *end || strlen(text) < strlen("2026")) return false;
    struct tm same = said;
    timegm(&same); /* 31 November becomes 1 December */
    char again[40];
    strftime(again, sizeof again, format, &same);
    return !strcmp(again, text); /* each number in its full width */
}

int date_check(const char *what, const char *text, struct error *e)
{
    static const char *const formats[] = {
        "%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (is_date(text, formats[i])) return 0;
    return fail(e, EXIT_USAGE, "%s: '%s': no date; write it as 2026-11-21 or 2026-11-21T06:00:00Z",
                what, text);
}

const char *date_text(const char *date)
{
    return *date ? date : "unknown";
}
