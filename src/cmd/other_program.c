// SPDX-License-Identifier: MIT
#include "cmd/other_program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/work.h"
#include "model/record.h"
#include "study/workshop.h"

static int read_variants(struct other_program *o, const json_t *document, struct error *e)
{
    const json_t *variants = json_object_get(document, "variants"), *variant;
    double protocol = record_number(document, "bench_protocol");
    size_t i;
    if (!json_array_size(variants))
        return fail(e, EXIT_USAGE, "duel: %s: not a program of this lab; name a build/ulplab",
                    o->path);
    if (protocol != WORK_PROTOCOL)
        return fail(e, EXIT_USAGE,
                    "duel: %s: %s, and cannot be timed side by side with this one; rebuild it from "
                    "a newer commit, or compare two runs with 'ulplab compare'",
                    o->path,
                    protocol > WORK_PROTOCOL ? "measures by a newer protocol"
                                             : "measures by an older protocol");
    json_array_foreach(variants, i, variant)
    {
        if (!strcmp(record_text(variant, "status"), "ok"))
            json_object_set_new(o->ids, record_text(variant, "id"), json_true());
    }
    snprintf(o->commit, sizeof o->commit, "%s",
             record_text(json_object_get(document, "tool"), "commit"));
    return 0;
}

int other_open(struct other_program *o, const char *path, struct error *e)
{
    char resolved[PATH_MAX];
    *o = (struct other_program){.ids = json_object()};
    if (!realpath(path, resolved) || strlen(resolved) >= sizeof o->path)
        return fail(e, EXIT_USAGE, "duel: %s: %s; name the other build's program", path,
                    strerror(errno));
    memcpy(o->path, resolved, strlen(resolved) + 1);
    char *words[] = {o->path, "list", "--json", "--quiet", NULL};
    json_t *document = workshop_document(words, 60);
    int code = read_variants(o, document, e);
    json_decref(document);
    return code;
}

void other_close(struct other_program *o)
{
    json_decref(o->ids);
    *o = (struct other_program){.ids = NULL};
}

bool other_has(const void *context, const char *id)
{
    const struct other_program *o = context;
    return json_object_get(o->ids, id) != NULL;
}
