// SPDX-License-Identifier: MIT
#include "publish/load/origin.h"

#include <stdio.h>

#include "machine/microarchitecture.h"
#include "model/record.h"

static const char *core_of(const json_t *machine)
{
    const struct microarchitecture *m = microarchitecture_of(
        record_text(machine, "vendor"), (unsigned)record_count(machine, "family"),
        (unsigned)record_count(machine, "model"), (unsigned)record_count(machine, "stepping"));
    return m ? m->name : "";
}

struct origin origin_of(const struct results *r)
{
    const json_t *machine = json_object_get(r->machine, "machine");
    const json_t *tool = json_object_get(r->machine, "tool");
    struct origin o = {
        .slug = record_text(machine, "slug"),
        .label = record_text(machine, "label"),
        .brand = record_text(machine, "brand"),
        .core = core_of(machine),
        .version = record_text(tool, "version"),
        .commit = record_text(tool, "commit"),
        .schema = record_number(r->machine, "schema"),
        .seed = record_number(json_object_get(r->machine, "request"), "seed"),
    };
    return o;
}

const char *origin_started(const struct results *r)
{
    return record_text(r->machine, "started");
}

const char *started_or_null(const char *started)
{
    return *started ? started : NULL;
}

const char *started_text(const char *started)
{
    return *started ? started : "unknown";
}

void origin_describe(const struct results *r, const char *folder, char *text, size_t size)
{
    struct origin o = origin_of(r);
    snprintf(text, size, "%s (%s), ulplab %s commit %s, %s", folder, o.slug, o.version,
             o.commit[0] ? o.commit : "unknown",
             origin_started(r)[0] ? origin_started(r) : "of an unknown date");
}
