/* The page's data: a table as columns of equal length; a text that recurs is a place in a list.
 *
 *   bar    of advice (analyse/summary.h)
 *   lists  op, library, isa, cc, policy, version
 *   rows   columns op, library, isa, cc, policy, version (places); cycles, ns, max, at, misrounded
 *          (a share), mean, nan, inf, sign, flushed, lost, as the records have them ("inf" for max
 * and mean where results were lost), null for what is not known; policies, compilers, isas: do the
 * bits depend on it (1, 0, null for not known); same: the first row of equal machine code; own,
 * hazard, wrong, candidate, front (0 or 1); ahead: the library that is faster and more accurate, or
 * null */
#include "publish/site/vector_data.h"

#include <math.h>
#include <string.h>

#include "publish/render/places.h"
#include "publish/site/columns.h"

enum list { OP, LIBRARY, ISA, CC, POLICY, VERSION, LISTS };
static const char *const list_names[LISTS] = {"op", "library", "isa", "cc", "policy", "version"};

/* A number, or a text, of a record: itself. */
static json_t *field(const json_t *record, const char *key)
{
    json_t *value = json_object_get(record, key);
    return json_is_number(value) || json_is_string(value) ? json_incref(value) : json_null();
}

static void put_figures(json_t *table, const struct vector_row *row)
{
    static const struct {
        const char *column, *key;
        bool is_error;
    } scanned[] = {{"max", "max_ulp", true},
                   {"at", "at", false},
                   {"misrounded", "misrounded", false},
                   {"mean", "mean_ulp", true}};
    static const struct {
        const char *column, *key;
    } timed[] = {{"cycles", "cycles_per_element"}, {"ns", "ns_per_element"}};
    static const char *const counts[] = {"nan", "inf", "sign", "flushed"};
    for (size_t i = 0; i < sizeof scanned / sizeof *scanned; i++)
        column_put(table, scanned[i].column,
                   scanned[i].is_error && row->facts.lost ? json_string("inf")
                                                          : field(row->record, scanned[i].key));
    column_put(table, "lost",
               isnan(row->max_ulp) ? json_null() : json_integer((json_int_t)row->facts.lost));
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        column_put(table, timed[i].column,
                   row->time ? field(row->time->record, timed[i].key) : json_null());
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        column_put(table, counts[i], field(json_object_get(row->record, "counts"), counts[i]));
}

static void put_bits(json_t *table, const struct vector_row *row)
{
    static const char *const columns[VECTOR_AXES] = {"policies", "compilers", "isas"};
    for (size_t k = 0; k < VECTOR_AXES; k++)
        column_put(table, columns[k],
                   row->depends[k] == DEPENDS_UNKNOWN ? json_null()
                                                      : json_integer(row->depends[k] == DEPENDS));
}

static void put_row(json_t *table, struct places lists[LISTS], const struct vector_row *row)
{
    char version[64];
    vector_version(row, version, sizeof version);
    const char *const texts[LISTS] = {row->axes.op, row->axes.algorithm, row->axes.isa,
                                      row->axes.cc, row->axes.policy,    version};
    const struct {
        const char *column;
        bool is;
    } flags[] = {{"own", row->own},
                 {"hazard", row->hazard},
                 {"wrong", row->wrong},
                 {"candidate", row->candidate},
                 {"front", row->front}};
    for (size_t i = 0; i < LISTS; i++)
        column_put(table, list_names[i], places_put_text(&lists[i], texts[i]));
    put_figures(table, row);
    put_bits(table, row);
    column_put(table, "same", json_integer((json_int_t)row->same));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        column_put(table, flags[i].column, json_integer(flags[i].is));
    column_put(table, "ahead", row->ahead ? json_text(row->ahead->axes.algorithm) : json_null());
}

json_t *vector_data(const struct vectors *v, double bar)
{
    struct places lists[LISTS];
    json_t *table = json_object(), *all = json_object();
    for (size_t i = 0; i < LISTS; i++) lists[i] = places_make();
    for (size_t i = 0; i < v->count; i++) put_row(table, lists, &v->items[i]);
    for (size_t i = 0; i < LISTS; i++)
        json_object_set_new(all, list_names[i], places_end(&lists[i]));
    return json_pack("{s:f, s:o, s:o}", "bar", bar, "lists", all, "rows", table);
}
