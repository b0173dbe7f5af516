#include "publish/analyse/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/registry.h"
#include "publish/render/table.h"

/* ---- Who competes where ---------------------------------------------------------------------- */

static bool is_vector_isa(const char *isa)
{
    return !strcmp(isa, "avx2") || !strcmp(isa, "avx512");
}

static bool was_measured(const struct timing_result *t)
{
    return timing_is_usable(t) && t->threads == 1;
}

static bool is_of(const struct accuracy_result *row, const struct axes *a)
{
    return !strcmp(row->axes.group, a->group) && !strcmp(row->axes.algorithm, a->algorithm) &&
           !strcmp(row->axes.isa, a->isa) && !strcmp(row->axes.cc, a->cc) &&
           !strcmp(row->axes.policy, a->policy);
}

/* What summaries know nothing of. */
static bool falls_as_log_softmax(const struct results *r, const struct axes *a)
{
    const struct accuracy_result *rows = r->accuracies + r->accuracy_count + r->peer_accuracy_count;
    for (size_t i = 0; i < r->log_accuracy_count; i++)
        if (is_of(&rows[i], a) && !strcmp(rows[i].status, "wrong")) return true;
    return false;
}

/* A variant that breaks promises, or makes none, is no answer to a library; nor is one that moves
 * half the bytes. */
static bool competes(const struct results *r, const struct summaries *s,
                     const struct timing_result *t)
{
    const struct summary *v = summaries_find(s, &t->axes);
    return is_vector_isa(t->axes.isa) && !strcmp(t->axes.dtype, "f32") && was_measured(t) && v &&
           !v->hazard && !v->wrong && policy_promises(t->axes.policy) != PROMISES_NOTHING &&
           !falls_as_log_softmax(r, &t->axes);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static bool same_place(const struct field_cell *c, const struct timing_result *t, const char *isa)
{
    const struct timing_result *have = c->lab ? c->lab : c->peer;
    return !strcmp(have->axes.group, t->axes.group) && have->rows == t->rows && have->n == t->n &&
           !strcmp(c->isa, isa);
}

static struct field_cell *cell_for(struct field *f, const struct timing_result *t, const char *isa)
{
    for (size_t i = 0; i < f->count; i++)
        if (same_place(&f->cells[i], t, isa)) return &f->cells[i];
    f->cells[f->count] = (struct field_cell){.isa = isa};
    return &f->cells[f->count++];
}

static void keep_faster(const struct timing_result **best, const struct timing_result *t)
{
    if (!*best || t->ns_per_element < (*best)->ns_per_element) *best = t;
}

/* Largest on `normal`; NAN where it was not measured. */
static double error_of(const struct results *r, const struct axes *a)
{
    bool in_ulp = !strcmp(error_unit(r, a->group), "ulp");
    double worst = NAN;
    for (size_t i = 0; i < r->accuracy_count + r->peer_accuracy_count + r->log_accuracy_count;
         i++) {
        const struct accuracy_result *row = &r->accuracies[i];
        if (is_of(row, a) && !strcmp(row->family, "normal"))
            worst = fmax(worst, in_ulp ? row->max_ulp : row->scaled_error);
    }
    return worst;
}

static void compare(struct field_cell *c, const struct results *r)
{
    c->ratio = c->low = c->high = NAN;
    c->lab_error = c->lab ? error_of(r, &c->lab->axes) : NAN;
    c->peer_error = c->peer ? error_of(r, &c->peer->axes) : NAN;
    if (!c->lab || !c->peer) return;
    c->ratio = c->peer->ns_per_element / c->lab->ns_per_element;
    c->low = c->peer->low / c->lab->high;
    c->high = c->peer->high / c->lab->low;
}

static int by_place(const void *a, const void *b)
{
    const struct field_cell *x = a, *y = b;
    const struct timing_result *s = x->lab ? x->lab : x->peer, *t = y->lab ? y->lab : y->peer;
    int c = strcmp(s->axes.group, t->axes.group);
    if (!c) c = strcmp(x->isa, y->isa);
    if (!c) c = (s->rows * s->n > t->rows * t->n) - (s->rows * s->n < t->rows * t->n);
    return c ? c : (s->n > t->n) - (s->n < t->n);
}

int field_make(const struct results *r, const struct summaries *s, struct field *f, struct error *e)
{
    size_t all = r->timing_count + r->peer_timing_count + r->log_timing_count;
    *f = (struct field){.cells = calloc(all + 1, sizeof *f->cells)};
    if (!f->cells) return fail(e, EXIT_PARTIAL, "out of memory: report: the field; free some");
    for (size_t i = 0; i < all; i++) {
        const struct timing_result *t = &r->timings[i];
        if (!axes_are_of_library(&t->axes) && competes(r, s, t))
            keep_faster(&cell_for(f, t, t->axes.isa)->lab, t);
        if (axes_are_of_library(&t->axes) && was_measured(t))
            keep_faster(&cell_for(f, t, library_isa(r, t))->peer, t);
    }
    for (size_t i = 0; i < f->count; i++) {
        compare(&f->cells[i], r);
        f->compared += !isnan(f->cells[i].ratio);
    }
    qsort(f->cells, f->count, sizeof *f->cells, by_place);
    return 0;
}

void field_free(struct field *f)
{
    free(f->cells);
    *f = (struct field){0};
}

const char *field_shapes_of(const struct timing_result *t)
{
    const char *shapes = json_string_value(json_object_get(t->record, "shapes"));
    return shapes ? shapes : "";
}

static struct field_mean mean_over(const struct field *f, const char *op, const char *isa,
                                   const char *shapes)
{
    double logs = 0;
    struct field_mean mean = {.ratio = NAN};
    for (size_t i = 0; i < f->count; i++) {
        const struct field_cell *c = &f->cells[i];
        if (isnan(c->ratio) || strcmp(c->isa, isa) || strcmp(c->lab->axes.group, op) ||
            (shapes && strcmp(field_shapes_of(c->lab), shapes)))
            continue;
        logs += log(c->ratio);
        mean.shapes++;
        mean.faster += c->low > 1;
        mean.slower += c->high < 1;
    }
    mean.equal = mean.shapes - mean.faster - mean.slower;
    if (mean.shapes) mean.ratio = exp(logs / (double)mean.shapes);
    return mean;
}

struct field_mean field_mean_of(const struct field *f, const char *op, const char *isa)
{
    struct field_mean mean = mean_over(f, op, isa, "default");
    return mean.shapes ? mean : mean_over(f, op, isa, NULL);
}

const char *field_op_of(const struct field_cell *c)
{
    return (c->lab ? c->lab : c->peer)->axes.group;
}

bool field_ends_group(const struct field *f, size_t i)
{
    if (i + 1 == f->count) return true;
    const struct field_cell *a = &f->cells[i], *b = &f->cells[i + 1];
    return strcmp(field_op_of(a), field_op_of(b)) || strcmp(a->isa, b->isa);
}

struct field_count field_count_of(const struct timing_result *t)
{
    static const struct {
        const char *limit, *unit;
    } units[] = {
        {"ports-", "instructions"}, {"flops-", "flops"}, {"load-", "bytes"}, {"copy-", "bytes"}};
    const json_t *count = json_object_get(t->record, "limit_count_per_element");
    struct field_count c = {"-"};
    for (size_t i = 0; i < sizeof units / sizeof *units && json_is_number(count); i++)
        if (!strncmp(t->limit, units[i].limit, strlen(units[i].limit)))
            snprintf(c.text, sizeof c.text, "%.3g %s", json_number_value(count), units[i].unit);
    return c;
}

struct field_count field_instructions_of(const struct timing_result *t)
{
    static const char *const keys[] = {"mul", "add", "max", "other", "permute"};
    static const char *const names[] = {"fma+mul", "add", "max", "other", "of it permuting"};
    const json_t *counted = json_object_get(t->record, "instructions");
    struct field_count c = {"-"};
    size_t used = 0;
    for (size_t i = 0; counted && i < sizeof keys / sizeof *keys; i++) {
        double count = json_number_value(json_object_get(counted, keys[i]));
        if (count > 0 && used < sizeof c.text)
            used += (size_t)snprintf(c.text + used, sizeof c.text - used, "%s%.4g %s",
                                     used ? ", " : "", count, names[i]);
    }
    if (used && used < sizeof c.text)
        snprintf(c.text + used, sizeof c.text - used, " / %d",
                 (int)json_integer_value(json_object_get(counted, "lanes")));
    return c;
}

const char *peer_name(const struct axes *a)
{
    static const char prefix[] = "peer-";
    bool named = !strncmp(a->algorithm, prefix, sizeof prefix - 1);
    return a->algorithm + (named ? sizeof prefix - 1 : 0);
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static void write_compared(const struct results *r, const struct field_cell *c, FILE *out)
{
    const struct timing_result *lab = c->lab, *peer = c->peer;
    const char *unit = error_unit(r, lab->axes.group);
    fprintf(
        out,
        "| %s | %s | %zux%zu | %s | `%s` %s `%s` | %.3f [%.3f, %.3f] | %s %s | %s | %.3f [%.3f, "
        "%.3f] | %s %s | %s%.2f%s [%.2f, %.2f]%s |\n",
        lab->axes.group, c->isa, lab->rows, lab->n, lab->residency, lab->axes.algorithm,
        lab->axes.cc, lab->axes.policy, lab->ns_per_element, lab->low, lab->high,
        cell_ulp(c->lab_error).text, unit, peer_name(&peer->axes), peer->ns_per_element, peer->low,
        peer->high, cell_ulp(c->peer_error).text, unit, c->high < 1 ? "**" : "", c->ratio,
        c->high < 1 ? "**" : "", c->low, c->high, c->low <= 1 && c->high >= 1 ? " equal" : "");
}

static bool same_variant(const struct timing_result *a, const struct timing_result *b)
{
    return !strcmp(a->axes.group, b->axes.group) && !strcmp(a->axes.algorithm, b->axes.algorithm) &&
           !strcmp(a->axes.isa, b->axes.isa);
}

/* Nothing is silently missing: a peer that was not timed, once, and why. */
static void write_absent(const struct results *r, FILE *out)
{
    const struct timing_result *peers = r->timings + r->timing_count;
    for (size_t i = 0; i < r->peer_timing_count; i++) {
        bool said = !strcmp(peers[i].status, "ok");
        for (size_t k = 0; k < i; k++)
            said = said || (strcmp(peers[k].status, "ok") && same_variant(&peers[k], &peers[i]));
        const char *reason = json_string_value(json_object_get(peers[i].record, "reason"));
        if (!said)
            fprintf(out, "- %s/%s, %s: **%s** %s\n", peers[i].axes.group, peers[i].axes.algorithm,
                    peers[i].axes.isa, peers[i].status, reason ? reason : "");
    }
}

static void write_peers(const struct results *r, const struct field *f, FILE *out)
{
    if (!r->peer_timing_count) return;
    fputs("## Against the field\n\nPer operation, ISA and shape, on one thread and in the same "
          "interleaved run: the lab's fastest variant that keeps every promise (no `reassoc`, no "
          "`fastmath`), the fastest library, and the library's time over the lab's. Intervals of "
          "times are 95% over fresh processes, those of ratios from both intervals' far ends, and "
          "so wider; a ratio in bold is below 1 with its whole interval, one whose interval "
          "touches 1 "
          "counts as equal. Means are over the shapes `default`. Errors are over family "
          "`normal`. log_softmax is what softmax's kernels and libraries write when asked for "
          "logarithms (XNNPACK has none). A library without a cap on its ISA stands beside the "
          "widest.\n\n",
          out);
    const char *name;
    const json_t *version;
    json_object_foreach((json_t *)json_object_get(json_object_get(r->machine, "request"), "peers"),
                        name, version) fprintf(out, "- %s: %s\n", name, json_string_value(version));
    write_absent(r, out);
    fputs("\n| operation | ISA | rows x n | in | the lab's | ns/element | max error | peer | "
          "ns/element | max error | peer / lab |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < f->count; i++) {
        const struct field_cell *c = &f->cells[i];
        if (!isnan(c->ratio)) write_compared(r, c, out);
        const char *op = field_op_of(c);
        struct field_mean mean = field_mean_of(f, op, c->isa);
        if (field_ends_group(f, i) && mean.shapes)
            fprintf(out,
                    "| %s | %s | geometric mean of %zu | | %zu faster, %zu equal, %zu slower | | | "
                    "| | | **%.2f** |\n",
                    op, c->isa, mean.shapes, mean.faster, mean.equal, mean.slower, mean.ratio);
    }
    if (!f->compared) fputs("| nothing was timed on both sides | | | | | | | | | | |\n", out);
    fputc('\n', out);
}

static void write_limits(const struct field *f, FILE *out)
{
    fputs("## Beside what the machine allows\n\nThe fastest variant at each shape, on one thread: "
          "its limit is the largest of the times that its instructions need on the ports that "
          "execute them (where the kernel counts them, else its FLOPs), and its compulsory bytes "
          "at the bandwidth measured on as many bytes; \"binds\" names the one, \"counted\" is "
          "what it was computed from, per element; \"per vector\" the kernel's own count of its "
          "instructions, all passes together, and the lanes of a vector.\n\n"
          "| operation | ISA | rows x n | in | kernel | ns/element | % of limit | binds | counted "
          "| per vector |\n|---|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < f->count; i++) {
        const struct timing_result *t = f->cells[i].lab;
        if (!t) continue;
        fprintf(out, "| %s | %s | %zux%zu | %s | `%s` %s `%s` | %.3f | %s | %s | %s | %s |\n",
                t->axes.group, t->axes.isa, t->rows, t->n, t->residency, t->axes.algorithm,
                t->axes.cc, t->axes.policy, t->ns_per_element,
                cell_fixed(t->percent_of_limit, 0).text, t->limit[0] ? t->limit : "-",
                field_count_of(t).text, field_instructions_of(t).text);
    }
    fputc('\n', out);
}

void field_write(const struct results *r, const struct field *f, FILE *out)
{
    write_peers(r, f, out);
    if (f->count) write_limits(f, out);
}
