/* The vector-math table in short: of each unary function the fastest, the most accurate, and ours.
 * The whole table has a page of its own (site/vectors.h). */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "model/record.h"
#include "publish/sections/sections.h"

size_t vectors_records(const struct report *r)
{
    return r->vectors.count;
}

static bool is_known_before(double a, double b)
{
    return isnan(b) ? !isnan(a) : a < b;
}

/* By time, then by error; what was not timed comes last. */
static bool is_faster(const struct vector_row *a, const struct vector_row *b)
{
    if (is_known_before(a->ns, b->ns) || is_known_before(b->ns, a->ns))
        return is_known_before(a->ns, b->ns);
    return a->max_ulp < b->max_ulp;
}

static bool is_more_accurate(const struct vector_row *a, const struct vector_row *b)
{
    return a->max_ulp < b->max_ulp || (!(b->max_ulp < a->max_ulp) && is_faster(a, b));
}

/* The first candidate by an order, of those from `begin` to `end`; NULL where there is none. */
static const struct vector_row *
best_of(const struct vector_row *begin, const struct vector_row *end, bool own,
        bool (*before)(const struct vector_row *, const struct vector_row *))
{
    const struct vector_row *best = NULL;
    for (const struct vector_row *row = begin; row < end; row++)
        if (row->candidate && (row->own || !own) && (!best || before(row, best))) best = row;
    return best;
}

static void write_choice(struct doc *d, const struct vector_row *row)
{
    if (!row) {
        doc_cell(d, "-");
        return;
    }
    const struct axes *a = &row->axes;
    const double cycles = row->time ? record_number(row->time->record, "cycles_per_element") : NAN;
    const char *ahead = row->ahead ? ", behind " : "";
    const char *library = row->ahead ? row->ahead->axes.algorithm : "";
    const struct number_text ulp =
        number_marked(number_decimals(row->max_ulp, 3), row->max_ulp, NAN);
    if (isnan(row->ns))
        doc_cell(d, "`%s` %s %s %s: %s ulp", a->algorithm, a->isa, a->cc, a->policy, ulp.text);
    else if (isnan(cycles))
        doc_cell(d, "`%s` %s %s %s: %.3f ns, %s ulp%s%s", a->algorithm, a->isa, a->cc, a->policy,
                 row->ns, ulp.text, ahead, library);
    else
        doc_cell(d, "`%s` %s %s %s: %.2f cycles, %s ulp%s%s", a->algorithm, a->isa, a->cc,
                 a->policy, cycles, ulp.text, ahead, library);
}

static void write_function(struct doc *d, const struct vector_row *begin,
                           const struct vector_row *end)
{
    const struct vector_row *fastest = best_of(begin, end, false, is_faster);
    const struct vector_row *accurate = best_of(begin, end, false, is_more_accurate);
    const struct vector_row *own = best_of(begin, end, true, is_faster);
    if (fastest && isnan(fastest->ns)) fastest = NULL; /* nothing was timed */
    doc_row_of(d, begin->axes.op, NULL);
    doc_cell(d, "%s", begin->axes.op);
    write_choice(d, fastest);
    if (accurate && accurate == fastest)
        doc_cell(d, "the same");
    else
        write_choice(d, accurate);
    if (own && own == fastest)
        doc_cell(d, "the fastest");
    else if (own && own == accurate)
        doc_cell(d, "the most accurate");
    else
        write_choice(d, own);
    doc_row_end(d);
}

void section_vectors(const struct report *r, struct doc *d)
{
    static const char *const heads[] = {"function", "fastest", "most accurate", "ours", NULL};
    const struct vector_row *end = r->vectors.items + r->vectors.count, *next;
    doc_page(d, "vector-math.html",
             "Every function, library, ISA, compiler and policy on a page of its own");
    doc_text(
        d,
        "Cycles per element of rows in L1, one thread; the largest error over all 2^32 "
        "inputs, which is at most %.3g. Of what keeps a promise. Behind: a library's build for "
        "that ISA is faster and more accurate. Where vector-math.html is not here, "
        "`ulplab report --format html` writes it.",
        r->summaries.bar);
    doc_table(d, heads);
    for (const struct vector_row *begin = r->vectors.items; begin < end; begin = next) {
        for (next = begin; next < end && !strcmp(next->axes.op, begin->axes.op);) next++;
        write_function(d, begin, next);
    }
    doc_table_end(d);
}
