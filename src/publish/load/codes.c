// SPDX-License-Identifier: MIT
#include "publish/load/codes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"

static const char peer_prefix[] = "/peer-";

size_t variant_id(const struct axes *a, char id[VARIANT_ID_MAX])
{
    int length = snprintf(id, VARIANT_ID_MAX, "%s/%s/dtype=%s/isa=%s/cc=%s/policy=%s", a->op,
                          a->algorithm, a->dtype, a->isa, a->cc, a->policy);
    return length < VARIANT_ID_MAX ? (size_t)length : VARIANT_ID_MAX - 1;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct code *)a)->id, ((const struct code *)b)->id);
}

int codes_read(const struct results *r, struct codes *c, struct error *e)
{
    const json_t *record;
    size_t i;
    *c = (struct codes){
        .items = calloc(json_array_size(r->codegen) + 1, sizeof *c->items),
        .libraries = json_object_get(json_object_get(r->machine, "request"), "peers"),
    };
    if (!c->items)
        return fail(e, EXIT_PARTIAL, "out of memory: %zu records of machine code; free some",
                    json_array_size(r->codegen));
    json_array_foreach(r->codegen, i, record)
    {
        struct code code = {record_text(record, "id"), record_text(record, "code_hash")};
        if (*code.id && *code.text) c->items[c->count++] = code;
    }
    qsort(c->items, c->count, sizeof *c->items, by_id);
    return 0;
}

void codes_free(struct codes *c)
{
    free(c->items);
    *c = (struct codes){0};
}

/* The version of the library in "softmax/peer-onednn/..". */
static const char *library_version(const struct codes *c, const char *peer)
{
    char name[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(peer, "/"), peer);
    return record_text(c->libraries, name);
}

const char *code_of(const struct codes *c, const char *id)
{
    const char *peer = strstr(id, peer_prefix);
    if (peer) return library_version(c, peer + sizeof peer_prefix - 1);
    const struct code key = {id, NULL},
                      *found = bsearch(&key, c->items, c->count, sizeof key, by_id);
    return found ? found->text : "";
}
