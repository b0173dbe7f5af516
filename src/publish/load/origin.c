#include "publish/load/origin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"

struct origin origin_of(const struct results *r)
{
    const json_t *machine = json_object_get(r->machine, "machine");
    const json_t *tool = json_object_get(r->machine, "tool");
    struct origin o = {
        .slug = record_text(machine, "slug"),
        .label = record_text(machine, "label"),
        .brand = record_text(machine, "brand"),
        .version = record_text(tool, "version"),
        .commit = record_text(tool, "commit"),
        .schema = record_number(r->machine, "schema"),
        .seed = record_number(json_object_get(r->machine, "request"), "seed"),
    };
    return o;
}

const char *origin_name(const struct origin *o)
{
    return o->label[0] ? o->label : o->slug;
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

/* Every row of accuracy.jsonl has the grid's version (null: a grid of the user's own). */
bool origin_same_grid(const struct results *a, const struct results *b)
{
    static const char *const keys[] = {"grid", "elements"};
    if (!a->accuracy_count || !b->accuracy_count) return true;
    for (size_t i = 0; i < 2; i++) {
        const json_t *x = json_object_get(a->accuracies[0].record, keys[i]);
        const json_t *y = json_object_get(b->accuracies[0].record, keys[i]);
        if (x && y && !json_equal(x, y)) return false;
    }
    return true;
}

/* ---- The rules ---------------------------------------------------------------------------------
 */

static bool differ(double a, double b)
{
    return !isnan(a) && !isnan(b) && a != b;
}

int origin_comparable(const struct results *a, const char *a_name, const struct results *b,
                      const char *b_name, enum comparison_kind kind, struct error *e)
{
    struct origin x = origin_of(a), y = origin_of(b);
    if (differ(x.schema, y.schema))
        return fail(e, EXIT_BAD_INPUT,
                    "refused: %s and %s: schema %.0f against %.0f; measure one of them again",
                    a_name, b_name, x.schema, y.schema);
    if (kind == COMPARE_AXIS && strcmp(x.slug, y.slug) != 0)
        return fail(e, EXIT_BAD_INPUT,
                    "refused: %s and %s: different machines (%s, %s) say nothing about flags; give "
                    "one folder, or compare the CPUs with --by cpu",
                    a_name, b_name, x.slug, y.slug);
    if (differ(x.seed, y.seed))
        return fail(e, EXIT_BAD_INPUT,
                    "refused: %s and %s: inputs of seed %.0f against %.0f; measure again with one "
                    "--seed",
                    a_name, b_name, x.seed, y.seed);
    return 0;
}
