#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/folder.h"
#include "publish/report.h"

int cmd_report(const struct options *o, struct error *e)
{
    if (o->format && strcmp(o->format, "md") != 0)
        return fail(e, EXIT_USAGE, "report: --format %s: unknown; known: md", o->format);
    char folder[1024], path[1100];
    int code = 0;
    for (size_t i = 0; !code && (i < o->positional.count || i == 0); i++) {
        if (o->positional.count)
            snprintf(folder, sizeof folder, "%s", o->positional.items[i]);
        else
            code = results_folder(o, folder, sizeof folder, e);
        if (!code) code = report_write(folder, path, sizeof path, e);
        if (!code) puts(path);
    }
    return code;
}
