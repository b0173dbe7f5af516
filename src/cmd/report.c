#include <libgen.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/folder.h"
#include "model/record.h"
#include "publish/site/html.h"
#include "publish/sections/performance.h"
#include "publish/sections/report.h"

/* Several machines also get a page together, beside the first folder or in --out. */
static int write_together(const struct options *o, struct error *e)
{
    char parent[1024], path[1100];
    snprintf(parent, sizeof parent, "%s", o->positional.items[0]);
    snprintf(path, sizeof path, "%s/performance.md", o->out ? o->out : dirname(parent));
    int code = o->out ? folder_make(o->out, e) : 0;
    if (!code)
        code = performance_write_file(o->positional.items, o->positional.count, o->filters.items,
                                      o->filters.count, path, e);
    if (!code) puts(path);
    return code;
}

static const struct format {
    const char *name;
    int (*write)(const char *folder, char *path, size_t path_size, struct error *e);
} formats[] = {{"md", report_write}, {"html", html_write}};

static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(formats[i].name, name)) return &formats[i];
    return NULL;
}

/* --out and --filter are for the page of several machines. */
static int check_options(const struct options *o, struct error *e)
{
    if (o->positional.count > 1) return 0;
    if (o->filters.count)
        return fail(e, EXIT_USAGE,
                    "report: --filter: a report of one machine has all its variants; leave the "
                    "filter out");
    return o->positional.count ? refuse_second_folder("report", o, o->positional.items[0], e) : 0;
}

int cmd_report(const struct options *o, struct error *e)
{
    const struct format *format = find_format(o->format ? o->format : "md");
    if (!format)
        return fail(e, EXIT_USAGE, "report: --format %s: unknown; known: md, html", o->format);
    char folder[1024], path[1100];
    int code = check_options(o, e);
    for (size_t i = 0; !code && (i < o->positional.count || i == 0); i++) {
        if (o->positional.count)
            snprintf(folder, sizeof folder, "%s", o->positional.items[i]);
        else
            code = results_folder(o, folder, sizeof folder, e);
        if (!code) code = format->write(folder, path, sizeof path, e);
        if (!code) puts(path);
    }
    if (!code && o->positional.count > 1) code = write_together(o, e);
    return code;
}
