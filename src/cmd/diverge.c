// SPDX-License-Identifier: MIT
/* diverge: which variants agree bit for bit; with --got, which variant computed given results, for
 * which `identify` is another word. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/commands.h"
#include "cmd/common.h"
#include "cmd/parameters.h"
#include "model/npy.h"
#include "model/record.h"
#include "publish/render/table.h"
#include "study/diverge.h"
#include "study/identify.h"

enum { CLASSES_SHOWN = 24, ROWS_SHOWN = 20 };

/* ---- Records by their kind ------------------------------------------------------------------- */

struct documents {
    json_t *meanings, *classes, *pairs, *invariance;
};

static int sort_record(void *context, json_t *record, struct error *e)
{
    struct documents *d = context;
    const struct {
        const char *kind;
        json_t *array;
    } arrays[] = {{"meaning", d->meanings},
                  {"class", d->classes},
                  {"diverge", d->pairs},
                  {"invariance", d->invariance}};
    const char *kind = json_string_value(json_object_get(record, "record"));
    (void)e;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!strcmp(arrays[i].kind, kind)) json_array_append(arrays[i].array, record);
    json_decref(record);
    return 0;
}

/* ---- For people ------------------------------------------------------------------------------ */

static size_t count_of(const json_t *row, const char *key)
{
    return (size_t)json_integer_value(json_object_get(row, key));
}

/* Returns the colour for a share of elements that differ; "" for none. */
static const char *shade(double share)
{
    static const struct {
        double above;
        const char *colour;
    } shades[] = {{0.1, "\033[41;97m"}, {0.01, "\033[43;30m"}, {0, "\033[42;30m"}};
    for (size_t i = 0; i < sizeof shades / sizeof *shades; i++)
        if (share > shades[i].above) return shades[i].colour;
    return "";
}

static void print_cell(const json_t *pair, bool colour)
{
    double share = json_number_value(json_object_get(pair, "mismatched"));
    size_t ulp = count_of(pair, "max_ulp_distance");
    char distance[16];
    snprintf(distance, sizeof distance, ulp < 10000 ? "%.0f" : "%.0e", (double)ulp);
    printf(" %s%3.0f%% %-5s%s", colour ? shade(share) : "", ceil(100 * share), distance,
           colour && *shade(share) ? "\033[0m" : "");
}

static const json_t *find_pair(const json_t *pairs, const json_t *a, const json_t *b)
{
    size_t i;
    const json_t *pair;
    json_array_foreach(pairs, i, pair)
    {
        if (!strcmp(record_text(pair, "a"), record_text(a, "representative")) &&
            !strcmp(record_text(pair, "b"), record_text(b, "representative")))
            return pair;
    }
    return NULL;
}

static int larger_first(const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    size_t m = count_of(x, "size"), n = count_of(y, "size");
    return m != n ? (m < n) - (m > n)
                  : (count_of(x, "class") > count_of(y, "class")) -
                        (count_of(x, "class") < count_of(y, "class"));
}

/* Prints columns [first, end) of the matrix, as many as the terminal has room for. */
static void print_block(const json_t **classes, size_t first, size_t end, const json_t *pairs,
                        bool colour)
{
    fputs("    ", stdout);
    for (size_t b = first; b < end; b++) printf(" %-10zu", b + 1);
    putchar('\n');
    for (size_t a = 0; a + 1 < end; a++) {
        printf("%3zu ", a + 1);
        for (size_t b = first; b < end; b++) {
            const json_t *pair = b <= a ? NULL : find_pair(pairs, classes[a], classes[b]);
            if (!pair && b > a) pair = find_pair(pairs, classes[b], classes[a]);
            if (pair)
                print_cell(pair, colour);
            else
                printf(" %-10s", b <= a ? "" : "?");
        }
        putchar('\n');
    }
}

/* Prints how far the largest classes are apart: share of elements that differ, largest distance in
 * ulp. */
static void print_matrix(const json_t **classes, size_t count, const json_t *pairs, bool colour)
{
    if (count < 2) return;
    enum { MARGIN = 4, CELL = 11 };
    size_t shown = count < CLASSES_SHOWN ? count : CLASSES_SHOWN;
    size_t width = terminal_of(stdout).columns;
    size_t fits = width >= MARGIN + CELL ? (width - MARGIN) / CELL : shown;
    printf("\nelements that differ, and the largest distance in ulp:\n");
    for (size_t first = 1; first < shown; first += fits) {
        size_t end = first + fits < shown ? first + fits : shown;
        print_block(classes, first, end, pairs, colour);
    }
}

static void print_classes(const json_t **classes, size_t count)
{
    for (size_t k = 0; k < count && k < CLASSES_SHOWN; k++)
        printf("%3zu  %4zu  %s\n", k + 1, count_of(classes[k], "size"),
               record_text(classes[k], "label"));
    if (count > CLASSES_SHOWN)
        printf("     and %zu smaller classes: --json has them all, --filter narrows them\n",
               count - CLASSES_SHOWN);
}

static void print_operation(const json_t *meaning, const struct documents *d, bool colour)
{
    const json_t **classes = memory_zeroed(json_array_size(d->classes) + 1, sizeof *classes),
                 *class;
    size_t i, count = 0;
    json_array_foreach(d->classes, i, class)
    {
        if (!strcmp(record_text(class, "op"), record_text(meaning, "op")) &&
            !strcmp(record_text(class, "dtype"), record_text(meaning, "dtype")))
            classes[count++] = class;
    }
    qsort(classes, count, sizeof(const json_t *), larger_first);
    write_prose(stdout, terminal_of(stdout), 0, "%s%s%s %s: %s", colour ? "\033[1m" : "",
                record_text(meaning, "op"), colour ? "\033[0m" : "", record_text(meaning, "dtype"),
                record_text(meaning, "sentence"));
    putchar('\n');
    print_classes(classes, count);
    print_matrix(classes, count, d->pairs, colour);
    free(classes);
}

/* Prints the variants whose own bits change where nothing should matter. */
static void print_unstable(const json_t *invariance)
{
    static const char *const questions[] = {"run", "threads", "row_position", "batch", "tail"};
    size_t i, m;
    const json_t *each;
    const json_t *row;
    json_array_foreach(invariance, i, row)
    {
        for (size_t k = 0; k < sizeof questions / sizeof *questions; k++)
            if (json_is_false(json_object_get(row, questions[k])))
                printf("%s: bits depend on: %s\n", record_text(row, "id"), questions[k]);
        json_array_foreach(json_object_get(row, "experiments"), m, each)
        {
            const bool no = json_is_false(json_object_get(each, "answer"));
            const char *words = record_text(each, "words"), *tried = record_text(each, "tried");
            printf("%s: %s: %s: %s%s%s\n", record_text(row, "id"), record_text(each, "name"),
                   no       ? "other bits"
                   : *words ? "not asked"
                            : "equal bits",
                   words, *words && *tried ? "; tried: " : "", tried);
        }
    }
}

static void print_all(const struct documents *d)
{
    bool colour = terminal_of(stdout).colour;
    size_t i;
    const json_t *meaning;
    json_array_foreach(d->meanings, i, meaning)
    {
        print_operation(meaning, d, colour);
        putchar('\n');
    }
    print_unstable(d->invariance);
}

/* ---- diverge --got: what computed given results ---------------------------------------------- */

static json_t *identify_row_record(const struct identify_row *row)
{
    bool ok = row->status == STATUS_OK;
    const struct distance *d = &row->distance;
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "id", row->variant->id, "status",
                     status_name(row->status), "mismatched",
                     ok ? record_real(distance_share(d, d->mismatched)) : json_null(),
                     "max_ulp_distance", ok ? json_integer((json_int_t)d->max_ulp) : json_null(),
                     "mismatched_nan", ok ? record_real(distance_share(d, d->nan)) : json_null());
}

static int identify_print_json(const struct cpu *cpu, const struct identification *f,
                               struct error *e)
{
    const struct {
        const char *key, *value;
    } axes[] = {{"algorithm", f->algorithm}, {"isa", f->isa}, {"cc", f->cc}, {"policy", f->policy}};
    json_t *document = new_document(cpu), *rows = json_array(), *exact = json_array(),
           *common = json_object();
    for (size_t i = 0; i < f->count; i++)
        json_array_append_new(rows, identify_row_record(&f->rows[i]));
    for (size_t i = 0; i < f->exact; i++)
        json_array_append_new(exact, json_string(f->rows[i].variant->id));
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (axes[i].value) json_object_set_new(common, axes[i].key, json_string(axes[i].value));
    json_object_set_new(document, "rows", rows);
    json_object_set_new(document, "exact", exact);
    json_object_set_new(document, "common", common);
    json_object_set_new(document, "unit", json_string(f->unit));
    json_object_set_new(document, "sentence", json_string(f->sentence));
    return print_document(document, 0, e);
}

static void identify_add_row(struct table *t, const struct identify_row *row)
{
    const struct variant *v = row->variant;
    char share[32], distance[32] = "";
    bool ok = row->status == STATUS_OK;
    if (ok) {
        snprintf(share, sizeof share, "%.4g%%",
                 100 * distance_share(&row->distance, row->distance.mismatched));
        snprintf(distance, sizeof distance, "%llu", (unsigned long long)row->distance.max_ulp);
    } else {
        snprintf(share, sizeof share, "%s", status_name(row->status));
    }
    table_add(
        t,
        ok && !row->distance.mismatched ? TINT_GOOD
        : ok                            ? TINT_NONE
                                        : TINT_BAD,
        (const char *const[]){v->algorithm, v->dtype, v->isa, v->cc, v->policy, share, distance});
}

static void identify_print_text(const struct identification *f, bool quiet)
{
    static const struct column columns[] = {
        {"algorithm", false, 0}, {"dtype", false, 0},     {"isa", false, 0},    {"cc", false, 0},
        {"policy", false, 0},    {"mismatched", true, 0}, {"max ulp", true, 0},
    };
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    table.gathered = 31;
    for (size_t i = 0; i < f->count && i < ROWS_SHOWN; i++) identify_add_row(&table, &f->rows[i]);
    table_end(&table, stdout, terminal_of(stdout));
    if (f->count > ROWS_SHOWN) printf("and %zu more: --json has them all\n", f->count - ROWS_SHOWN);
    if (!quiet) putchar('\n');
    if (!quiet) write_prose(stdout, terminal_of(stdout), 0, "%s", f->sentence);
}

static int identify_and_print(const struct options *o, const struct registry *r,
                              const struct cpu *cpu, const struct identify_plan *plan,
                              struct error *e)
{
    struct identification found;
    int code = identify_run(plan, r, &found, e);
    if (code) return code;
    if (o->json)
        code = identify_print_json(cpu, &found, e);
    else {
        identify_print_text(&found, o->quiet);
        print_left_out(r, plan->op, terminal_of(stdout));
    }
    identification_close(&found);
    return code;
}

int cmd_identify(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    struct npy in = {0}, got = {0};
    struct given given;
    if (o->positional.count != 1 || !o->in || !o->got)
        return fail(e, EXIT_USAGE,
                    "--got: wants an operation, --in X.npy and --got Y.npy; see 'ulplab diverge "
                    "--help'");
    int code = given_parse(o, &given, e);
    const struct identify_plan plan = {.op = o->positional.items[0],
                                       .in = &in,
                                       .got = &got,
                                       .stat = o->stat,
                                       .parameters = given.p,
                                       .silence_s = 600,
                                       .threads = o->threads};
    if (!code) code = open_variants(o, &cpu, &r, e);
    if (!code) {
        code = read_array(o->in, &in, e);
        if (!code) code = read_array(o->got, &got, e);
        if (!code) code = given_length(&given, in.cols, e);
        if (!code) code = identify_and_print(o, &r, &cpu, &plan, e);
        npy_free(&in);
        npy_free(&got);
        registry_close(&r);
    }
    given_free(&given);
    return code;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int diverge_and_print(const struct options *o, const struct registry *r,
                             const struct cpu *cpu, const struct diverge_plan *plan,
                             struct error *e)
{
    struct documents d = {json_array(), json_array(), json_array(), json_array()};
    struct diverge_summary sum;
    int code = diverge_run(plan, r, (struct record_sink){sort_record, &d}, &sum, e);
    bool complete = !code || code == EXIT_PARTIAL;
    if (o->json && complete) {
        json_t *document = new_document(cpu);
        json_object_set(document, "meanings", d.meanings);
        json_object_set(document, "classes", d.classes);
        json_object_set(document, "pairs", d.pairs);
        json_object_set(document, "invariance", d.invariance);
        code = print_document(document, code, e);
    } else if (complete) {
        print_all(&d);
        print_reasons(d.invariance, terminal_of(stdout));
        print_left_out(r, NULL, terminal_of(stdout));
        if (!o->quiet)
            printf("%zu variants in %zu classes of equal bits\n", sum.variants, sum.classes);
    }
    json_decref(d.meanings);
    json_decref(d.classes);
    json_decref(d.pairs);
    json_decref(d.invariance);
    return code;
}

int cmd_diverge(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct registry r;
    struct diverge_plan plan = diverge_plan_default();
    enum family families[LIST_MAX];
    if (o->positional.count || o->in || o->got || o->stat || o->params.count)
        return cmd_identify(o, e);
    for (size_t i = 0; i < o->families.count; i++) {
        families[i] = family_find(o->families.items[i]);
        if (families[i] == FAMILY_COUNT)
            return fail(e, EXIT_USAGE, "--family: '%s': not a family; see --help",
                        o->families.items[i]);
    }
    int code = open_all_variants(o, &cpu, &r, e);
    if (code) return code;
    plan.seed = o->seed;
    plan.threads = o->threads;
    plan.quiet = o->quiet;
    plan.experiment_s = (double)o->seconds;
    if (o->samples) plan.elements = o->samples;
    if (o->n.count) plan.n = o->n.items, plan.n_count = o->n.count;
    plan.tails = !o->samples && !o->n.count && !o->families.count;
    if (o->families.count) plan.families = families, plan.family_count = o->families.count;
    code = diverge_and_print(o, &r, &cpu, &plan, e);
    registry_close(&r);
    return code;
}
