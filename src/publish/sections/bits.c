/* Who agrees bit for bit, from the hashes of the accuracy records: per operation a matrix of
 * letters, and what it means in words. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "publish/sections/sections.h"

enum { BUILDS_MAX = 256, HUES = 8 };

/* The compilers and policies under which an operation's studied kernels were built. */
struct columns {
    struct build items[BUILDS_MAX];
    size_t count;
};

/* A kernel of one build (a library's) has nobody to agree with. */
static bool is_studied(const struct report *r, size_t first)
{
    return kernel_end(&r->summaries, first) - first > 1 &&
           bit_classes_of_kernel(&r->summaries, &r->bits, first) > 0;
}

/* The next studied kernel of an operation from `first` on; the count of summaries behind the last.
 */
static size_t next_kernel(const struct report *r, const char *op, size_t first)
{
    while (first < r->summaries.count &&
           (strcmp(r->summaries.items[first].axes.group, op) || !is_studied(r, first)))
        first = kernel_end(&r->summaries, first);
    return first;
}

/* The head of a loop over the studied kernels of an operation: `first` is where each begins. */
#define EACH_KERNEL(first, r, op)                                                                  \
    size_t first = next_kernel(r, op, 0);                                                          \
    first < (r)->summaries.count;                                                                  \
    first = next_kernel(r, op, kernel_end(&(r)->summaries, first))

static bool has_column(const struct report *r, const char *op, struct build column)
{
    for (EACH_KERNEL(first, r, op))
        for (size_t i = first, end = kernel_end(&r->summaries, first); i < end; i++)
            if (!strcmp(r->summaries.items[i].axes.cc, column.cc) &&
                !strcmp(r->summaries.items[i].axes.policy, column.policy))
                return true;
    return false;
}

static void collect_columns(const struct report *r, const char *op, struct columns *columns)
{
    columns->count = 0;
    for (size_t c = 0; c < r->present.ccs.count; c++)
        for (size_t k = 0; k < r->present.policies.count; k++) {
            struct build column = {r->present.ccs.items[c], r->present.policies.items[k]};
            if (columns->count < BUILDS_MAX && has_column(r, op, column))
                columns->items[columns->count++] = column;
        }
}

/* "threepass", "threepass bf16". */
static void write_kernel_name(FILE *out, const struct axes *a)
{
    bool usual = !strcmp(a->dtype, "f32");
    fprintf(out, "%s%s%s", a->algorithm, usual ? "" : " ", usual ? "" : a->dtype);
}

/* ---- In words ---------------------------------------------------------------------------------
 */

static void say_kernels_of_one(const struct report *r, const char *op, FILE *out)
{
    size_t all = 0, one = 0;
    for (EACH_KERNEL(first, r, op)) {
        all++;
        if (bit_classes_of_kernel(&r->summaries, &r->bits, first) != 1) continue;
        if (one++) fputs(", ", out);
        write_kernel_name(out, &r->summaries.items[first].axes);
    }
    if (one)
        fprintf(out, " %s one bit pattern on every ISA, under every compiler and policy",
                one == 1 ? "gives" : "give");
    else
        fprintf(out, "None of its %zu kernels has one bit pattern everywhere", all);
}

/* How many kernels do not depend on an axis. */
static void say_stability(const struct report *r, const char *op, const char *axis,
                          const char *policy, const char *words, FILE *out)
{
    size_t stable = 0, all = 0;
    for (EACH_KERNEL(first, r, op)) {
        size_t pairs = 0;
        bool holds = bits_stable_over(&r->summaries, &r->bits, first, axis, policy, &pairs);
        all += pairs > 0;
        stable += pairs > 0 && holds;
    }
    if (all) fprintf(out, "; %zu of %zu %s", stable, all, words);
}

/* "gcc-12 default = gcc-12 fast; ..": builds that agree in every kernel on every ISA. */
static void say_equal_columns(const struct report *r, const char *op, const struct columns *columns,
                              FILE *out)
{
    bool told[BUILDS_MAX] = {false};
    size_t groups = 0;
    for (size_t i = 0; i < columns->count; i++) {
        const struct build a = columns->items[i];
        size_t members = 1;
        for (size_t k = i + 1; k < columns->count && !told[i]; k++) {
            const struct build b = columns->items[k];
            if (told[k] || !bits_columns_agree(&r->summaries, &r->bits, op, a, b)) continue;
            if (members++ == 1)
                fprintf(out, "%s%s %s",
                        groups++ ? "; " : " The same bits in every kernel on every ISA: ", a.cc,
                        a.policy);
            fprintf(out, " = %s %s", b.cc, b.policy);
            told[k] = true;
        }
    }
    fputs(groups ? "." : " No two builds agree in every kernel.", out);
}

static void write_meaning(const struct report *r, struct doc *d, const char *op,
                          const struct columns *columns)
{
    static const char *const questions[][3] = {
        {"isa", NULL, "do not depend on the ISA"},
        {"policy", NULL, "do not depend on the policy"},
        {"cc", "off", "do not depend on the compiler under off"},
        {"cc", "default", "do not depend on the compiler under its default"}};
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text(&text, &size);
    say_kernels_of_one(r, op, out);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        say_stability(r, op, questions[i][0], questions[i][1], questions[i][2], out);
    fputc('.', out);
    say_equal_columns(r, op, columns, out);
    memory_text_close(out);
    doc_text(d, "%s", text);
    free(text);
}

/* ---- The matrix -------------------------------------------------------------------------------
 */

static void write_class(const struct report *r, struct doc *d, const struct axes *like,
                        const char *isa, struct build column)
{
    struct axes key = *like;
    snprintf(key.isa, sizeof key.isa, "%s", isa);
    snprintf(key.cc, sizeof key.cc, "%s", column.cc);
    snprintf(key.policy, sizeof key.policy, "%s", column.policy);
    const struct summary *v = summaries_find(&r->summaries, &key);
    int class = v ? r->bits.of[v - r->summaries.items] : BITS_UNKNOWN;
    char shade[16];
    snprintf(shade, sizeof shade, "k%d%s", class % HUES, class < HUES ? "" : " again");
    if (class < 0)
        doc_cell(d, "\xc2\xb7");
    else if (class < 26)
        doc_shaded(d, shade, "%c", 'A' + class);
    else
        doc_shaded(d, shade, "%d", class + 1);
}

static bool kernel_has_isa(const struct report *r, size_t first, const char *isa)
{
    for (size_t i = first, end = kernel_end(&r->summaries, first); i < end; i++)
        if (!strcmp(r->summaries.items[i].axes.isa, isa)) return true;
    return false;
}

static void write_kernel(const struct report *r, struct doc *d, size_t first,
                         const struct columns *columns)
{
    const struct axes *a = &r->summaries.items[first].axes;
    bool usual = !strcmp(a->dtype, "f32");
    for (size_t k = 0; k < r->present.isas.count; k++) {
        const char *isa = r->present.isas.items[k];
        if (!kernel_has_isa(r, first, isa)) continue;
        doc_row_of(d, a->group, NULL);
        doc_cell(d, "%s%s%s ~%zu~", a->algorithm, usual ? "" : " ", usual ? "" : a->dtype,
                 bit_classes_of_kernel(&r->summaries, &r->bits, first));
        doc_cell(d, "%s", isa);
        for (size_t c = 0; c < columns->count; c++) write_class(r, d, a, isa, columns->items[c]);
        doc_row_end(d);
    }
}

/* Of a kernel of one bit pattern there is nothing to show that the words have not said. */
static bool has_patterns(const struct report *r, size_t first)
{
    return bit_classes_of_kernel(&r->summaries, &r->bits, first) > 1;
}

static void write_matrix(const struct report *r, struct doc *d, const char *op,
                         const struct columns *columns)
{
    static const size_t room = 96;
    size_t shown = 0;
    for (EACH_KERNEL(first, r, op)) shown += has_patterns(r, first);
    if (!shown) return;
    char *names = memory_zeroed(columns->count, room);
    const char **heads = memory_zeroed(columns->count + 3, sizeof *heads);
    for (size_t c = 0; c < columns->count; c++) {
        heads[2 + c] = names + c * room;
        snprintf(names + c * room, room, "%s %s", columns->items[c].cc, columns->items[c].policy);
    }
    if (names && heads) {
        heads[0] = "kernel";
        heads[1] = "ISA";
        doc_table_styled(d, "classes", heads);
        for (EACH_KERNEL(first, r, op))
            if (has_patterns(r, first)) write_kernel(r, d, first, columns);
        doc_table_end(d);
    }
    free(names);
    free(heads);
}

void section_bits(const struct report *r, struct doc *d)
{
    doc_text(d,
             "Builds of a kernel with the same letter (and colour) gave equal bits in every "
             "accuracy cell: every input family, every row length. `A` is what the first build "
             "under the most conservative policy gives; the small number is how many bit "
             "patterns the kernel has; those of one are named and have no row. A dot: not measured "
             "in every cell.");
    for (size_t o = 0; o < r->present.ops.count; o++) {
        const char *op = r->present.ops.items[o];
        struct columns columns;
        collect_columns(r, op, &columns);
        if (!columns.count) continue;
        doc_heading(d, op);
        write_meaning(r, d, op, &columns);
        write_matrix(r, d, op, &columns);
    }
}
