// SPDX-License-Identifier: MIT
/* scan: functions of one element on every fp32 input, and on many in double. */
#include "measure/scan.h"

#include <stdio.h>
#include <string.h>

#include "cmd/common.h"
#include "model/record.h"
#include "publish/sql/sql.h"

enum { WORDS_MAX = 300 };

static int scan_and_print(const struct options *o, const struct scan_request *request,
                          const struct cpu *cpu, const struct registry *r, struct error *e)
{
    struct scan_functions functions;
    struct scan_summary sum;
    int code = scan_functions_find(o->positional.items, o->positional.count, r, &functions, e);
    if (code) return code;
    json_t *rows = json_array();
    code = scan_run_functions(request, &functions, r, record_sink_array(rows), &sum, e);
    json_t *document = new_document(cpu);
    json_object_set(document, "rows", rows);
    if (sum.kept)
        add_note(o, document,
                 "%zu rows are kept from an earlier scan of the same machine code in %s; --force "
                 "scans again",
                 sum.kept, request->folder);
    code = print_found(o, document, sql_found_scan, code, e);
    json_decref(rows);
    return code;
}

void scan_words(char *text, size_t size)
{
    char names[WORDS_MAX];
    scan_function_names(names, sizeof names);
    snprintf(text, size, "all %s", names);
}

int cmd_scan(const struct options *o, struct error *e)
{
    if (!o->positional.count)
        return fail(e, EXIT_USAGE, "scan: want a function, or all; see 'ulplab scan --help'");
    struct scan_request request = scan_default(o->positional.items[0]);
    request.threads = o->threads;
    request.samples = o->samples;
    request.quiet = o->quiet;
    request.resume = o->resume;
    request.force = o->force;
    struct cpu cpu;
    struct registry r;
    char folder[1000];
    request.folder = folder;
    int code = o->range ? scan_parse_range(o->range, &request, e) : 0;
    if (!code) code = results_folder(o, folder, sizeof folder, e);
    if (request.samples) request.folder = NULL; /* other scans' rows stay */
    if (!code) code = open_all_variants(o, &cpu, &r, e);
    if (code) return code;
    code = scan_and_print(o, &request, &cpu, &r, e);
    registry_close(&r);
    return code;
}
