#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/folder.h"
#include "publish/html.h"
#include "publish/report.h"

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

int cmd_report(const struct options *o, struct error *e)
{
    const struct format *format = find_format(o->format ? o->format : "md");
    if (!format)
        return fail(e, EXIT_USAGE, "report: --format %s: unknown; known: md, html", o->format);
    char folder[1024], path[1100];
    int code = 0;
    for (size_t i = 0; !code && (i < o->positional.count || i == 0); i++) {
        if (o->positional.count)
            snprintf(folder, sizeof folder, "%s", o->positional.items[i]);
        else
            code = results_folder(o, folder, sizeof folder, e);
        if (!code) code = format->write(folder, path, sizeof path, e);
        if (!code) puts(path);
    }
    return code;
}
