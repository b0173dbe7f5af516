/* The lab beside the libraries that people run, and beside what the machine allows. */
#include <math.h>
#include <string.h>

#include "publish/analyse/field.h"
#include "publish/site/html_page.h"
#include "publish/render/markup.h"

static void heads(const struct html_page *p, const char *id, const char *const *names)
{
    markup(p->out, "<div class=\"scroll tall\"><table class=\"sortable\" id=\"%s\"><thead><tr>",
           id);
    for (; *names; names++) markup(p->out, "<th scope=\"col\">%s</th>", *names);
    fputs("</tr></thead><tbody>\n", p->out);
}

static void write_place(const struct html_page *p, const struct field_cell *c)
{
    const struct timing_result *t = c->lab;
    markup(
        p->out,
        "<tr><th scope=\"row\">%s</th><td>%s</td><td>%zu\xc3\x97%zu</td><td>%s</td><td><b>%s</b> "
        "%s <code>%s</code></td><td>%.3f</td><td class=\"ci\">[%.3f, %.3f]</td>",
        t->axes.group, isa_title(c->isa), t->rows, t->n, t->residency, t->axes.algorithm,
        t->axes.cc, t->axes.policy, t->ns_per_element, t->low, t->high);
}

static void write_error(const struct html_page *p, double error, const char *op)
{
    fputs("<td>", p->out);
    markup_ulp(p->out, error);
    if (!isnan(error)) markup(p->out, " %s", error_unit(p->r, op));
    fputs("</td>", p->out);
}

static void write_peers(const struct html_page *p, const struct field *f)
{
    static const char *const names[] = {
        "Operation",  "ISA",       "Rows\xc3\x97n", "In",       "The lab\xe2\x80\x99s",
        "ns/element", "95%",       "Max error",     "Library",  "ns/element",
        "95%",        "Max error", "Library / lab", "Interval", NULL};
    fputs("<p>Per operation, ISA and shape, on one thread and in the same interleaved run: the "
          "lab\xe2\x80\x99s fastest variant that keeps its promises, the fastest library, and the "
          "library\xe2\x80\x99s time over the lab\xe2\x80\x99s, its interval from both "
          "intervals\xe2\x80\x99 far ends. Errors are over family <code>normal</code>. "
          "log_softmax is what softmax\xe2\x80\x99s kernels and libraries write when asked for "
          "logarithms (XNNPACK has none).</p>\n",
          p->out);
    heads(p, "field-table", names);
    for (size_t i = 0; i < f->count; i++) {
        const struct field_cell *c = &f->cells[i];
        if (isnan(c->ratio)) continue;
        write_place(p, c);
        write_error(p, c->lab_error, c->lab->axes.group);
        markup(p->out, "<td>%s</td><td>%.3f</td><td class=\"ci\">[%.3f, %.3f]</td>",
               peer_name(&c->peer->axes), c->peer->ns_per_element, c->peer->low, c->peer->high);
        write_error(p, c->peer_error, c->lab->axes.group);
        markup(p->out, "<td>%.2f</td><td class=\"ci\">[%.2f, %.2f]</td></tr>\n", c->ratio, c->low,
               c->high);
    }
    fputs("</tbody></table></div>\n<p>Geometric means over the shapes <code>default</code>; equal: "
          "the "
          "interval touches 1:",
          p->out);
    for (size_t i = 0; i < f->count; i++) {
        const char *op = field_op_of(&f->cells[i]), *isa = f->cells[i].isa;
        struct field_mean mean = field_mean_of(f, op, isa);
        if (field_ends_group(f, i) && mean.shapes)
            markup(p->out, " %s %s <b>%.2f</b> (of %zu: %zu faster, %zu equal, %zu slower).", op,
                   isa_title(isa), mean.ratio, mean.shapes, mean.faster, mean.equal, mean.slower);
    }
    fputs("</p>\n", p->out);
}

static void write_limits(const struct html_page *p, const struct field *f)
{
    static const char *const names[] = {"Operation", "ISA",        "Rows\xc3\x97n", "In",
                                        "Kernel",    "ns/element", "95%",           "% of limit",
                                        "Binds",     "Counted",    "Per vector",    NULL};
    fputs(
        "<h3>Beside what the machine allows</h3>\n<p>The fastest variant at each shape. Its limit "
        "is the largest of what its instructions need on the ports that execute them (where the "
        "kernel counts them, else its FLOPs) and its compulsory bytes at the measured bandwidth; "
        "counted: per element; per vector: the kernel\xe2\x80\x99s own count of its instructions, "
        "all "
        "passes together, and the lanes.</p>\n",
        p->out);
    heads(p, "limit-table", names);
    for (size_t i = 0; i < f->count; i++) {
        const struct field_cell *c = &f->cells[i];
        if (!c->lab) continue;
        write_place(p, c);
        double percent = c->lab->percent_of_limit;
        if (isnan(percent))
            fputs("<td>\xe2\x80\x93</td>", p->out);
        else
            markup(p->out, "<td class=\"meter\" style=\"--p:%.0f\">%.0f%%</td>",
                   fmax(0, fmin(100, percent)), percent);
        markup(p->out, "<td>%s</td><td>%s</td><td>%s</td></tr>\n", c->lab->limit,
               field_count_of(c->lab).text, field_instructions_of(c->lab).text);
    }
    fputs("</tbody></table></div>\n", p->out);
}

void html_field(const struct html_page *p)
{
    struct field f;
    struct error ignored = {.text = ""};
    if (field_make(p->r, p->s, &f, &ignored)) return;
    section_open(p, "field", "Against the field");
    if (f.compared)
        write_peers(p, &f);
    else
        markup(p->out, "<p>No library was timed in this run: %s.</p>\n",
               "make peers && ulplab run --peers");
    write_limits(p, &f);
    section_close(p);
    field_free(&f);
}
