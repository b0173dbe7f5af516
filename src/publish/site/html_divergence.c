/* Who agrees bit for bit: a coloured matrix per operation, and what it means in words. */
#include <stdlib.h>
#include <string.h>

#include "publish/site/html_page.h"
#include "publish/render/markup.h"

enum { COLUMNS_MAX = 256, HUES = 8 };

/* The compilers and policies under which an operation's studied kernels were built. */
struct columns {
    struct column items[COLUMNS_MAX];
    size_t count;
};

/* A kernel of one build (a library's) has nobody to agree with. */
static bool is_studied(const struct html_page *p, size_t first)
{
    return kernel_end(p->s, first) - first > 1 && bit_classes_of_kernel(p->s, p->bits, first) > 0;
}

static bool has_column(const struct html_page *p, const char *op, struct column column)
{
    for (size_t first = 0, end; first < p->s->count; first = end) {
        end = kernel_end(p->s, first);
        if (strcmp(p->s->items[first].axes.group, op) || !is_studied(p, first)) continue;
        for (size_t i = first; i < end; i++)
            if (!strcmp(p->s->items[i].axes.cc, column.cc) &&
                !strcmp(p->s->items[i].axes.policy, column.policy))
                return true;
    }
    return false;
}

static void collect_columns(const struct html_page *p, const char *op, struct columns *columns)
{
    columns->count = 0;
    for (size_t c = 0; c < p->present.ccs.count; c++)
        for (size_t k = 0; k < p->present.policies.count; k++) {
            struct column column = {p->present.ccs.items[c], p->present.policies.items[k]};
            if (columns->count < COLUMNS_MAX && has_column(p, op, column))
                columns->items[columns->count++] = column;
        }
}

/* ---- In words ---------------------------------------------------------------------------------
 */

static void write_kernels_of_one(const struct html_page *p, const char *op)
{
    size_t all = 0, one = 0;
    for (size_t first = 0; first < p->s->count; first = kernel_end(p->s, first)) {
        if (strcmp(p->s->items[first].axes.group, op) || !is_studied(p, first)) continue;
        all++;
        if (bit_classes_of_kernel(p->s, p->bits, first) != 1) continue;
        fputs(one++ ? ", <b>" : "<b>", p->out);
        page_kernel(p, &p->s->items[first].axes);
        fputs("</b>", p->out);
    }
    if (one)
        markup(p->out, " %s one bit pattern on every ISA, under every compiler and policy",
               one == 1 ? "gives" : "give");
    else
        markup(p->out, "None of its %zu kernels has one bit pattern everywhere", all);
}

/* How many kernels do not depend on an axis. */
static void write_stability(const struct html_page *p, const char *op, const char *axis,
                            const char *policy, const char *words)
{
    size_t stable = 0, all = 0;
    for (size_t first = 0; first < p->s->count; first = kernel_end(p->s, first)) {
        if (strcmp(p->s->items[first].axes.group, op) || !is_studied(p, first)) continue;
        size_t pairs = 0;
        bool holds = bits_stable_over(p->s, p->bits, first, axis, policy, &pairs);
        all += pairs > 0;
        stable += pairs > 0 && holds;
    }
    if (all) markup(p->out, "; %zu of %zu %s", stable, all, words);
}

/* "gcc-12 default = gcc-12 fast; ..": builds that agree in every kernel on every ISA. */
static void write_equal_columns(const struct html_page *p, const char *op,
                                const struct columns *columns)
{
    bool told[COLUMNS_MAX] = {false};
    size_t groups = 0;
    for (size_t i = 0; i < columns->count; i++) {
        size_t members = 1;
        for (size_t k = i + 1; k < columns->count && !told[i]; k++) {
            if (told[k] ||
                !bits_columns_agree(p->s, p->bits, op, columns->items[i], columns->items[k]))
                continue;
            if (members++ == 1)
                markup(p->out, "%s%s <code>%s</code>",
                       groups++ ? "; " : " The same bits in every kernel on every ISA: ",
                       columns->items[i].cc, columns->items[i].policy);
            markup(p->out, " = %s <code>%s</code>", columns->items[k].cc, columns->items[k].policy);
            told[k] = true;
        }
    }
    fputs(groups ? "." : " No two builds agree in every kernel.", p->out);
}

static void write_meaning(const struct html_page *p, const char *op, const struct columns *columns)
{
    fputs("<p class=\"meaning\">", p->out);
    write_kernels_of_one(p, op);
    write_stability(p, op, "isa", NULL, "do not depend on the ISA");
    write_stability(p, op, "policy", NULL, "do not depend on the policy");
    write_stability(p, op, "cc", "off", "do not depend on the compiler under off");
    write_stability(p, op, "cc", "default", "do not depend on the compiler under its default");
    fputs(".", p->out);
    write_equal_columns(p, op, columns);
    fputs("</p>\n", p->out);
}

/* ---- The matrix -------------------------------------------------------------------------------
 */

static void write_heads(const struct html_page *p, const struct columns *columns)
{
    fputs("<thead><tr><th rowspan=\"2\" scope=\"col\">kernel</th><th rowspan=\"2\" "
          "scope=\"col\">ISA</th>",
          p->out);
    for (size_t i = 0, end; i < columns->count; i = end) {
        for (end = i;
             end < columns->count && !strcmp(columns->items[end].cc, columns->items[i].cc);)
            end++;
        markup(p->out, "<th colspan=\"%zu\" scope=\"colgroup\">%s</th>", end - i,
               columns->items[i].cc);
    }
    fputs("</tr><tr>", p->out);
    for (size_t i = 0; i < columns->count; i++)
        markup(p->out, "<th scope=\"col\"><code>%s</code></th>", columns->items[i].policy);
    fputs("</tr></thead>\n", p->out);
}

static void write_class(const struct html_page *p, const struct axes *like, const char *isa,
                        struct column column)
{
    struct axes key = *like;
    snprintf(key.isa, sizeof key.isa, "%s", isa);
    snprintf(key.cc, sizeof key.cc, "%s", column.cc);
    snprintf(key.policy, sizeof key.policy, "%s", column.policy);
    const struct summary *v = summaries_find(p->s, &key);
    int class = v ? p->bits->of[v - p->s->items] : BITS_UNKNOWN;
    if (class < 0) {
        fputs("<td class=\"none\">\xc2\xb7</td>", p->out);
        return;
    }
    markup(p->out, "<td class=\"k%d%s\" data-v=\"%zu\">", class % HUES,
           class < HUES ? "" : " again", (size_t)(v - p->s->items));
    if (class < 26)
        markup(p->out, "%c</td>", 'A' + class);
    else
        markup(p->out, "%d</td>", class + 1);
}

static bool kernel_has_isa(const struct html_page *p, size_t first, const char *isa)
{
    for (size_t i = first, end = kernel_end(p->s, first); i < end; i++)
        if (!strcmp(p->s->items[i].axes.isa, isa)) return true;
    return false;
}

static void write_kernel(const struct html_page *p, size_t first, const struct columns *columns)
{
    const struct axes *a = &p->s->items[first].axes;
    size_t isas = 0, written = 0;
    for (size_t k = 0; k < p->present.isas.count; k++)
        isas += kernel_has_isa(p, first, p->present.isas.items[k]);
    fputs("<tbody>\n", p->out);
    for (size_t k = 0; k < p->present.isas.count; k++) {
        const char *isa = p->present.isas.items[k];
        if (!kernel_has_isa(p, first, isa)) continue;
        fputs("<tr>", p->out);
        if (!written++) {
            markup(p->out, "<th scope=\"rowgroup\" rowspan=\"%zu\">", isas);
            page_kernel(p, a);
            markup(p->out, "<small>%zu</small></th>", bit_classes_of_kernel(p->s, p->bits, first));
        }
        markup(p->out, "<th scope=\"row\">%s</th>", isa_title(isa));
        for (size_t c = 0; c < columns->count; c++) write_class(p, a, isa, columns->items[c]);
        fputs("</tr>\n", p->out);
    }
    fputs("</tbody>\n", p->out);
}

static void write_operation(const struct html_page *p, const char *op)
{
    struct columns columns;
    collect_columns(p, op, &columns);
    if (!columns.count) return;
    markup(p->out, "<div data-op=\"%s\"><h3>%s</h3>\n", op, op);
    write_meaning(p, op, &columns);
    fputs("<div class=\"scroll\"><table class=\"classes\">", p->out);
    write_heads(p, &columns);
    for (size_t first = 0; first < p->s->count; first = kernel_end(p->s, first))
        if (!strcmp(p->s->items[first].axes.group, op) && is_studied(p, first))
            write_kernel(p, first, &columns);
    fputs("</table></div></div>\n", p->out);
}

void html_divergence(const struct html_page *p)
{
    section_open(p, "bits", "Who agrees bit for bit");
    fputs("<p>Builds of a kernel with the same letter (and colour) gave equal bits in every "
          "accuracy cell: "
          "every input family, every row length. <code>A</code> is what the first build under the "
          "most conservative policy gives; "
          "the small number is how many bit patterns the kernel has. A dot: not measured in every "
          "cell.</p>\n",
          p->out);
    for (size_t o = 0; o < p->present.ops.count; o++) write_operation(p, p->present.ops.items[o]);
    section_close(p);
}
