/* How many bytes an element of a kernel reads and writes, which the records of times say and an
 * archive's tables do not: it is the same on every machine, so that few runs need be read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record_views.h"
#include "publish/site/many.h"

enum { B_VARIANT, B_GB, B_NS, B_KEYS };
static const struct slice keys[] = {
    [B_VARIANT] = SLICE("variant"), [B_GB] = SLICE("gb_per_s"), [B_NS] = SLICE("ns_per_element")};

struct known {
    const char *id;
    struct many_variant *variant;
};
struct learning {
    struct known *items; /* the variants of races, by id */
    size_t count;
};

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct known *)a)->id, ((const struct known *)b)->id);
}

/* A GB/s is a byte in a nanosecond. */
static int take(void *context, const struct record_view *v, struct error *e)
{
    const struct learning *of = context;
    const struct scan_field *f = v->fields;
    const double bytes = f[B_GB].number * f[B_NS].number;
    char id[VARIANT_ID_MAX];
    (void)e;
    if (!(bytes > 0) || f[B_VARIANT].text.size >= sizeof id) return 0;
    memcpy(id, f[B_VARIANT].text.at, f[B_VARIANT].text.size);
    id[f[B_VARIANT].text.size] = '\0';
    const struct known key = {id, NULL};
    const struct known *found = bsearch(&key, of->items, of->count, sizeof key, by_id);
    if (found && isnan(found->variant->bytes)) found->variant->bytes = bytes;
    return 0;
}

static int read_run(const struct lab_db *l, int64_t run, struct learning *of, struct error *e)
{
    char *text = NULL;
    size_t size = 0;
    int code = lab_read(l, run, "timing.jsonl", &text, &size, e);
    if (!code && text) {
        json_t *kept = json_array();
        const struct record_views views = {text, l->path, size, kept, take, of};
        code = record_views_read(&views, keys, B_KEYS, e);
        json_decref(kept);
    }
    free(text);
    return code;
}

/* Of the lines of races the first that a machine ran and whose bytes are unknown. */
static bool machine_has_unknown(const struct many *m, size_t machine, const bool *tried)
{
    for (size_t i = 0; i < m->race_count; i++) {
        const struct many_line *line = &m->lines[m->races[i].line];
        if (line->ns[machine] > 0 && isnan(m->variants[line->variant].bytes) &&
            !tried[line->variant])
            return true;
    }
    return false;
}

int many_learn_bytes(const struct lab_db *l, struct many *m, struct error *e)
{
    struct learning of = {memory_zeroed(m->race_count + 1, sizeof *of.items), 0};
    bool *tried = memory_zeroed(m->variant_count + 1, sizeof *tried);
    int code = 0;
    for (size_t i = 0; i < m->race_count; i++) {
        struct many_variant *v = &m->variants[m->lines[m->races[i].line].variant];
        of.items[of.count++] = (struct known){v->id, v};
    }
    qsort(of.items, of.count, sizeof *of.items, by_id);
    for (size_t machine = 0; !code && machine < m->machine_count; machine++) {
        if (!machine_has_unknown(m, machine, tried)) continue;
        code = read_run(l, m->machines[machine].run, &of, e);
        /* What it ran and does not say, no other run is asked for. */
        for (size_t i = 0; i < m->race_count; i++) {
            const struct many_line *line = &m->lines[m->races[i].line];
            if (line->ns[machine] > 0) tried[line->variant] = true;
        }
    }
    free(of.items);
    free(tried);
    return code;
}
