#include <stdio.h>

#include "cmd/commands.h"
#include "cmd/folder.h"
#include "publish/export/export.h"
#include "publish/analyse/narrow.h"

int cmd_export(const struct options *o, struct error *e)
{
    char folder[1024];
    struct results r;
    int code = 0;
    if (o->positional.count > 1)
        return fail(e, EXIT_USAGE, "export: %zu folders; give one", o->positional.count);
    if (o->positional.count)
        snprintf(folder, sizeof folder, "%s", o->positional.items[0]);
    else
        code = results_folder(o, folder, sizeof folder, e);
    if (!code) code = results_read(folder, &r, e);
    if (code) return code;
    code = results_narrow(&r, o->filters.items, o->filters.count, e);
    if (!code) code = export_write(&r, folder, o->format ? o->format : "jsonl", stdout, e);
    results_free(&r);
    return code;
}
