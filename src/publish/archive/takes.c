#include "publish/archive/takes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

static void *room_for(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room) return items;
    *room = 2 * *room + 256;
    return memory_grow(items, *room * size);
}
/* A place for one more row. */
#define ADD(list)                                                                                  \
    ((list).items = room_for((list).items, (list).count, &(list).room, sizeof *(list).items),      \
     &(list).items[(list).count++])

/* The i-th of a record's ids. */
static struct slice id_of(const struct record_view *v, const struct scan_field *own, size_t i)
{
    return i ? v->also[i - 1] : own->text;
}

static int no_id(const struct row_reading *f, struct error *e)
{
    return fail(e, EXIT_BAD_INPUT, "bad record: %s/%s: row %zu has no variant id; measure again",
                f->folder, f->name, f->row);
}

/* What tells a run of an earlier version (publish/load/earlier.h). */
static void note_norm(struct rows *r, struct slice id, bool affine)
{
    if (!slice_is(id, "layernorm") && !slice_begins(id, "layernorm/")) return;
    r->norms++;
    r->affine += affine;
}

static bool has_log(struct slice id)
{
    static const char suffix[] = "/log=1";
    return memmem(id.at, id.size, suffix, sizeof suffix - 1) != NULL;
}

static bool was_tried(const struct scan_field *status)
{
    return !slice_is(status->text, "skipped") && !slice_is(status->text, "unbuilt");
}

/* ---- Accuracy ----------------------------------------------------------------------------------
 */

enum {
    A_ID,
    A_FAMILY,
    A_STATUS,
    A_N,
    A_HAZARD,
    A_MAX,
    A_MEAN,
    A_SCALED,
    A_LOST,
    A_MEASURE,
    A_VERDICT,
    A_ELEMENTS,
    A_INPUTS,
    A_BITS,
    A_AFFINE,
    A_KEYS
};
static const struct slice accuracy_keys[] = {
    [A_ID] = SLICE("id"),           [A_FAMILY] = SLICE("family"),
    [A_STATUS] = SLICE("status"),   [A_N] = SLICE("n"),
    [A_HAZARD] = SLICE("hazard"),   [A_MAX] = SLICE("max_ulp"),
    [A_MEAN] = SLICE("mean_ulp"),   [A_SCALED] = SLICE("scaled_error"),
    [A_LOST] = SLICE("lost"),       [A_MEASURE] = SLICE("measure"),
    [A_VERDICT] = SLICE("verdict"), [A_ELEMENTS] = SLICE("elements"),
    [A_INPUTS] = SLICE("inputs"),   [A_BITS] = SLICE("bits"),
    [A_AFFINE] = SLICE("affine"),
};

/* Where results were lost every figure of errors is infinite. */
static double error_of(const struct scan_field *figure, const struct scan_field *lost)
{
    return lost->number > 0 ? INFINITY : figure->number;
}

static int take_accuracy(void *context, const struct record_view *v, struct error *e)
{
    struct row_reading *f = context;
    struct rows *r = f->rows;
    const struct scan_field *of = v->fields;
    const size_t first = r->error_variants.count;
    for (size_t i = 0; i <= v->also_count; i++) {
        const struct slice id = id_of(v, &of[A_ID], i);
        f->row++;
        note_norm(r, id, of[A_AFFINE].is_true);
        const size_t variant = variants_place(&r->variants, id);
        if (variant == SIZE_MAX) return no_id(f, e);
        *ADD(r->error_variants) = variant;
    }
    if (!was_tried(&of[A_STATUS])) {
        r->error_variants.count = first;
        return 0;
    }
    struct error_row *row = ADD(r->errors);
    *row = (struct error_row){first,
                              v->also_count + 1,
                              record_view_count(&of[A_N]),
                              r->errors.count,
                              of[A_FAMILY].text,
                              of[A_INPUTS].text,
                              of[A_BITS].text,
                              of[A_VERDICT].text,
                              of[A_ELEMENTS].number,
                              error_of(&of[A_MAX], &of[A_LOST]),
                              error_of(&of[A_MEAN], &of[A_LOST]),
                              error_of(&of[A_SCALED], &of[A_LOST]),
                              of[A_LOST].number,
                              of[A_MEASURE].number,
                              of[A_HAZARD].is_true};
    return 0;
}

/* ---- Times and limits --------------------------------------------------------------------------
 */

enum {
    T_RECORD,
    T_ID,
    T_FAMILY,
    T_STATUS,
    T_ROWS,
    T_N,
    T_THREADS,
    T_NS,
    T_LOW,
    T_HIGH,
    T_SPREAD,
    T_PROCESSES,
    T_CYCLES,
    T_PERCENT,
    T_RESIDENCY,
    T_LOG,
    T_AFFINE,
    T_NAME,
    T_ISA,
    T_LEVEL,
    T_UNIT,
    T_VALUE,
    T_KEYS
};
static const struct slice timing_keys[] = {
    [T_RECORD] = SLICE("record"),
    [T_ID] = SLICE("id"),
    [T_FAMILY] = SLICE("family"),
    [T_STATUS] = SLICE("status"),
    [T_ROWS] = SLICE("rows"),
    [T_N] = SLICE("n"),
    [T_THREADS] = SLICE("threads"),
    [T_NS] = SLICE("ns_per_row"),
    [T_LOW] = SLICE("ci_low"),
    [T_HIGH] = SLICE("ci_high"),
    [T_SPREAD] = SLICE("spread"),
    [T_PROCESSES] = SLICE("processes"),
    [T_CYCLES] = SLICE("cycles_per_element"),
    [T_PERCENT] = SLICE("percent_of_limit"),
    [T_RESIDENCY] = SLICE("residency"),
    [T_LOG] = SLICE("log"),
    [T_AFFINE] = SLICE("affine"),
    [T_NAME] = SLICE("name"),
    [T_ISA] = SLICE("isa"),
    [T_LEVEL] = SLICE("level"),
    [T_UNIT] = SLICE("unit"),
    [T_VALUE] = SLICE("value"),
};

static int64_t integer_of(const struct scan_field *f)
{
    return f->is_integer ? (int64_t)f->number : 0;
}

/* A cell that crashed is a row without a time; one that was skipped is none. */
static void add_cell(struct rows *r, size_t variant, const struct scan_field *of)
{
    const size_t n = record_view_count(&of[T_N]);
    const double per_element =
        n && slice_is(of[T_STATUS].text, "ok") ? 1.0 / (double)n : (double)NAN;
    struct cell_row *row = ADD(r->cells);
    *row = (struct cell_row){.variant = variant,
                             .rows = record_view_count(&of[T_ROWS]),
                             .n = n,
                             .threads = record_view_count(&of[T_THREADS]),
                             .family = of[T_FAMILY].text,
                             .residency = of[T_RESIDENCY].text,
                             .ns = of[T_NS].number * per_element,
                             .low = of[T_LOW].number * per_element,
                             .high = of[T_HIGH].number * per_element,
                             .spread = of[T_SPREAD].number,
                             .cycles = of[T_CYCLES].number,
                             .percent = of[T_PERCENT].number,
                             .processes = integer_of(&of[T_PROCESSES])};
}

static void add_limit(struct rows *r, const struct scan_field *of)
{
    struct limit_row *row = ADD(r->limits);
    *row = (struct limit_row){of[T_NAME].text, of[T_ISA].text,     of[T_LEVEL].text,
                              of[T_UNIT].text, of[T_VALUE].number, integer_of(&of[T_THREADS])};
}

static int take_timing(void *context, const struct record_view *v, struct error *e)
{
    struct row_reading *f = context;
    struct rows *r = f->rows;
    const struct scan_field *of = v->fields;
    const bool timing = slice_is(of[T_RECORD].text, "timing"),
               limit = slice_is(of[T_RECORD].text, "limit");
    r->has_log |= of[T_LOG].is_true;
    for (size_t i = 0; i <= v->also_count; i++) {
        const struct slice id = id_of(v, &of[T_ID], i);
        f->row++;
        r->has_log |= has_log(id);
        note_norm(r, id, of[T_AFFINE].is_true);
        if (limit) add_limit(r, of);
        if (!timing) continue;
        const size_t variant = variants_place(&r->variants, id);
        if (variant == SIZE_MAX) return no_id(f, e);
        if (was_tried(&of[T_STATUS])) add_cell(r, variant, of);
    }
    return 0;
}

/* ---- Machine code, scans, case studies --------------------------------------------------------
 */

enum { C_ID, C_HASH, C_KEYS };
static const struct slice code_keys[] = {[C_ID] = SLICE("id"), [C_HASH] = SLICE("code_hash")};

static int take_code(void *context, const struct record_view *v, struct error *e)
{
    struct rows *r = ((struct row_reading *)context)->rows;
    (void)e;
    for (size_t i = 0; i <= v->also_count; i++) {
        const struct slice id = id_of(v, &v->fields[C_ID], i);
        note_norm(r, id, false);
        const size_t variant =
            v->fields[C_HASH].text.size ? variants_place(&r->variants, id) : SIZE_MAX;
        if (variant == SIZE_MAX) continue;
        *ADD(r->codes) = (struct code_row){variant, v->fields[C_HASH].text};
    }
    return 0;
}

enum { S_ID, S_RANGE, S_MAX, S_AT, S_MISROUNDED, S_LOST, S_MEASURE, S_VERDICT, S_KEYS };
static const struct slice scan_keys[] = {
    [S_ID] = SLICE("id"),
    [S_RANGE] = SLICE("range"),
    [S_MAX] = SLICE("max_ulp"),
    [S_AT] = SLICE("at"),
    [S_MISROUNDED] = SLICE("misrounded"),
    [S_LOST] = SLICE("lost"),
    [S_MEASURE] = SLICE("measure"),
    [S_VERDICT] = SLICE("verdict"),
};

static int take_scan(void *context, const struct record_view *v, struct error *e)
{
    struct rows *r = ((struct row_reading *)context)->rows;
    const struct scan_field *of = v->fields;
    (void)e;
    for (size_t i = 0; i <= v->also_count; i++) {
        const size_t variant = variants_place(&r->variants, id_of(v, &of[S_ID], i));
        if (variant == SIZE_MAX) continue;
        *ADD(r->scans) = (struct scan_row){variant,
                                           of[S_RANGE].text,
                                           of[S_AT].text,
                                           of[S_VERDICT].text,
                                           error_of(&of[S_MAX], &of[S_LOST]),
                                           of[S_MISROUNDED].number,
                                           of[S_LOST].number,
                                           of[S_MEASURE].number};
    }
    return 0;
}

enum { K_RECORD, K_NAME, K_VERDICT, K_PRICE, K_KEYS };
static const struct slice case_keys[] = {[K_RECORD] = SLICE("record"),
                                         [K_NAME] = SLICE("name"),
                                         [K_VERDICT] = SLICE("verdict"),
                                         [K_PRICE] = SLICE("price")};

static int take_case(void *context, const struct record_view *v, struct error *e)
{
    struct rows *r = ((struct row_reading *)context)->rows;
    const struct scan_field *of = v->fields;
    (void)e;
    for (size_t i = 0; slice_is(of[K_RECORD].text, "case") && i <= v->also_count; i++)
        *ADD(r->cases) = (struct case_row){of[K_NAME].text, of[K_VERDICT].text, of[K_PRICE].text};
    return 0;
}

/* ---- Files -------------------------------------------------------------------------------------
 */

/* A file without figures is read to see that it is sound. */
static int take_nothing(void *context, const struct record_view *v, struct error *e)
{
    (void)context;
    (void)v;
    (void)e;
    return 0;
}

const struct row_source row_sources[ROW_SOURCES] = {
    {"accuracy.jsonl", accuracy_keys, A_KEYS, take_accuracy, false},
    {"codegen.jsonl", code_keys, C_KEYS, take_code, false},
    {"timing.jsonl", timing_keys, T_KEYS, take_timing, true},
    {"scan.jsonl", scan_keys, S_KEYS, take_scan, true},
    {"cases.jsonl", case_keys, K_KEYS, take_case, true},
    {"diverge.jsonl", NULL, 0, take_nothing, false},
    {"search.jsonl", NULL, 0, take_nothing, false},
    {"certificate.jsonl", NULL, 0, take_nothing, false},
    {"log_softmax.jsonl", NULL, 0, take_nothing, true},
};
