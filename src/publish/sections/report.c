#include "publish/sections/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/analyse/choice.h"
#include "publish/analyse/effect.h"
#include "publish/sections/evidence.h"
#include "publish/analyse/field.h"
#include "publish/sections/report_cases.h"
#include "publish/load/results.h"
#include "publish/analyse/summary.h"

/* Where a section writes, and what it may read. */
struct page {
    FILE *out;
    const struct results *r;
    const struct summaries *s;
    const json_t *cases;    /* records of cases.jsonl */
    struct present present; /* the values of the axes */
};

/* "-" where there is no number. */
static const char *format(char *text, size_t size, const char *how, double value)
{
    if (isnan(value))
        snprintf(text, size, "-");
    else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, size, how, value);
#pragma GCC diagnostic pop
    return text;
}

/* An error in ULP: three digits, an exponent once it is too long to read. */
static const char *ulp(char *text, size_t size, double value)
{
    return format(text, size, value < 1e4 ? "%.3g" : "%.1e", value);
}

/* ---- The answer ------------------------------------------------------------------------------ */

static void write_choice(const struct page *p, const struct summary *v)
{
    char error[32];
    if (!v) {
        fputs(" - | - | - | - |", p->out);
        return;
    }
    fprintf(p->out, " `%s` %s %s `%s` | %.3f [%.3f, %.3f] | %.0f | %s %s |", v->axes.algorithm,
            v->axes.isa, v->axes.cc, v->axes.policy, v->home->ns_per_element, v->home->low,
            v->home->high, v->home->percent_of_limit, ulp(error, sizeof error, v->error),
            error_unit(p->r, v->axes.op));
}

/* One sentence per compiler, and one for the ISA: what the flags are worth over everything. */
static void write_headlines(const struct page *p)
{
    for (size_t c = 0; c < p->present.ccs.count; c++) {
        const char *cc = p->present.ccs.items[c];
        struct effect fast =
            effect_on_time(p->r, (struct effect_of){"policy", "off", "fast", .cc = cc});
        struct effect_bits plain =
            effect_on_bits(p->r, (struct effect_of){"policy", "off", "default", .cc = cc});
        struct effect_bits fused =
            effect_on_bits(p->r, (struct effect_of){"policy", "fast", "default", .cc = cc});
        if (!fast.pairs) continue;
        fprintf(p->out,
                "- **%s**: `fast` runs at %.3f times the speed of `off` (geometric mean over %zu "
                "pairs of cells, middle 90%% %.2f to %.2f).",
                cc, fast.geomean, fast.pairs, fast.p5, fast.p95);
        if (plain.pairs && fused.pairs)
            fprintf(
                p->out,
                " Its default gives the bits of `off` in %.0f%% and those of `fast` in %.0f%% of "
                "the accuracy cells.",
                100 * plain.same, 100 * fused.same);
        fputc('\n', p->out);
    }
    struct effect wide =
        effect_on_time(p->r, (struct effect_of){.axis = "isa", .from = "avx2", .to = "avx512"});
    if (wide.pairs)
        fprintf(
            p->out,
            "- **AVX-512** runs at %.2f times the speed of AVX2 (%zu pairs, middle 90%% %.2f to "
            "%.2f).\n",
            wide.geomean, wide.pairs, wide.p5, wide.p95);
    fputc('\n', p->out);
}

static void section_answer(const struct page *p)
{
    fputs("## The answer\n\n", p->out);
    write_headlines(p);
    fprintf(p->out,
            "Per operation, at %zu rows of %zu (hot in L1, one pinned thread, family `normal`): "
            "the fastest "
            "variant that keeps every promise its file makes, and the most accurate one. Where "
            "intervals "
            "touch, the more conservative policy is named. `reassoc` and `fastmath` promise "
            "nothing and are "
            "no candidates.\n\n"
            "| operation | fastest | ns/element [95%% interval] | %% of limit | max error | most "
            "accurate | "
            "ns/element [95%% interval] | %% of limit | max error "
            "|\n|---|---|---|---|---|---|---|---|---|\n",
            p->s->home_rows, p->s->home_n);
    for (size_t i = 0; i < p->present.ops.count; i++) {
        const char *op = p->present.ops.items[i];
        fprintf(p->out, "| %s |", op);
        write_choice(p, choose_fastest(p->s, op));
        write_choice(p, choose_most_accurate(p->s, op));
        fputc('\n', p->out);
    }
    fputs(
        "\nErrors are over family `normal`, every row length, against an fp64 oracle: in "
        "fractional ULP, "
        "or, where results come near zero and ULP is unbounded for everybody (logsumexp, moments, "
        "layernorm), in u = 2^-24 relative to the size of the inputs. Rows named bf16 and f16 are "
        "the same kernels with x and y stored so and fp32 arithmetic: their errors are in ulp and "
        "u "
        "of that type (moments stay fp32), they compete among themselves, and sums over all "
        "operations leave them out.\n\n",
        p->out);
    for (size_t i = 0; i < p->r->operation_count; i++)
        if (p->r->operations[i].reference)
            fprintf(p->out,
                    "%s is measured against the reference in `%s`: its author's word, which "
                    "nobody certified.\n\n",
                    p->r->operations[i].op, p->r->operations[i].reference);
}

/* ---- What each axis is worth ------------------------------------------------------------------
 */

static void write_effect(FILE *out, struct effect f)
{
    if (f.pairs)
        fprintf(out, " %.3f (%.2f..%.2f) |", f.geomean, f.p5, f.p95);
    else
        fputs(" - |", out);
}

static void header(const struct page *p, const char *first)
{
    fprintf(p->out, "%s", first);
    for (size_t k = 0; k < p->present.policies.count; k++)
        fprintf(p->out, " `%s` |", p->present.policies.items[k]);
    fputs("\n|---|---|", p->out);
    for (size_t k = 0; k < p->present.policies.count; k++) fputs("---|", p->out);
    fputc('\n', p->out);
}

static void section_contraction(const struct page *p)
{
    fputs("## What the policy costs and buys\n\n"
          "Speed relative to `off` of the same kernel, ISA, compiler and shape: geometric mean "
          "over the "
          "pairs (middle 90%), above 1 is faster than `off`.\n\n",
          p->out);
    header(p, "| operation | compiler |");
    for (size_t o = 0; o < p->present.ops.count; o++)
        for (size_t c = 0; c < p->present.ccs.count; c++) {
            fprintf(p->out, "| %s | %s |", p->present.ops.items[o], p->present.ccs.items[c]);
            for (size_t k = 0; k < p->present.policies.count; k++)
                if (!strcmp(p->present.policies.items[k], "off"))
                    fputs(" 1 |", p->out);
                else
                    write_effect(p->out, effect_on_time(p->r, (struct effect_of){
                                                                  "policy", "off",
                                                                  p->present.policies.items[k],
                                                                  .op = p->present.ops.items[o],
                                                                  .cc = p->present.ccs.items[c]}));
            fputc('\n', p->out);
        }
    fputs("\nLargest error on `normal` over the kernels of the operation (units as above, hazards "
          "left "
          "out), and "
          "the share of accuracy cells whose outputs are bit-identical to `off`.\n\n",
          p->out);
    header(p, "| operation | compiler |");
    for (size_t o = 0; o < p->present.ops.count; o++)
        for (size_t c = 0; c < p->present.ccs.count; c++) {
            fprintf(p->out, "| %s | %s |", p->present.ops.items[o], p->present.ccs.items[c]);
            for (size_t k = 0; k < p->present.policies.count; k++) {
                char error[32];
                double worst = worst_error(p->s, p->present.ops.items[o], p->present.ccs.items[c],
                                           p->present.policies.items[k]);
                struct effect_bits bits = effect_on_bits(
                    p->r, (struct effect_of){"policy", "off", p->present.policies.items[k],
                                             .op = p->present.ops.items[o],
                                             .cc = p->present.ccs.items[c]});
                fprintf(p->out, " %s", ulp(error, sizeof error, worst));
                if (bits.pairs) fprintf(p->out, " (%.0f%% same)", 100 * bits.same);
                fputs(" |", p->out);
            }
            fputc('\n', p->out);
        }
    fputc('\n', p->out);
}

static void section_isa(const struct page *p)
{
    static const char *const steps[][2] = {
        {"scalar", "avx2"}, {"avx2", "avx512"}, {"scalar", "avx512"}};
    fputs(
        "## What the ISA buys\n\nSpeed of the second relative to the first, same kernel, compiler, "
        "policy and shape: geometric mean (middle 90%).\n\n"
        "| operation | AVX2 / scalar | AVX-512 / AVX2 | AVX-512 / scalar |\n|---|---|---|---|\n",
        p->out);
    for (size_t o = 0; o < p->present.ops.count; o++) {
        fprintf(p->out, "| %s |", p->present.ops.items[o]);
        for (size_t k = 0; k < 3; k++)
            write_effect(p->out,
                         effect_on_time(p->r, (struct effect_of){"isa", steps[k][0], steps[k][1],
                                                                 .op = p->present.ops.items[o]}));
        fputc('\n', p->out);
    }
    fputc('\n', p->out);
}

/* ---- Throughput --------------------------------------------------------------------------------
 */

static int by_shape(const void *a, const void *b)
{
    const struct timing_result *x = *(const struct timing_result *const *)a;
    const struct timing_result *y = *(const struct timing_result *const *)b;
    int c = strcmp(x->axes.group, y->axes.group);
    if (!c) c = (x->threads > y->threads) - (x->threads < y->threads);
    if (!c) c = (x->rows * x->n > y->rows * y->n) - (x->rows * x->n < y->rows * y->n);
    if (!c) c = (x->n > y->n) - (x->n < y->n);
    if (!c) c = strcmp(x->family, y->family);
    if (!c) c = strcmp(x->axes.isa, y->axes.isa);
    if (!c) c = strcmp(x->axes.algorithm, y->axes.algorithm);
    if (!c) c = (x->ns_per_element > y->ns_per_element) - (x->ns_per_element < y->ns_per_element);
    return c;
}

static bool same_line(const struct timing_result *x, const struct timing_result *y)
{
    return !strcmp(x->axes.group, y->axes.group) && x->threads == y->threads &&
           x->rows == y->rows && x->n == y->n && !strcmp(x->family, y->family) &&
           !strcmp(x->axes.isa, y->axes.isa) && !strcmp(x->axes.algorithm, y->axes.algorithm);
}

static void section_throughput(const struct page *p)
{
    const struct timing_result **rows = calloc(p->r->timing_count + 1, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; rows && i < p->r->timing_count; i++)
        if (p->r->timings[i].ns_per_element > 0) rows[count++] = &p->r->timings[i];
    qsort(rows, count, sizeof *rows, by_shape);
    fputs(
        "## Throughput\n\nPer kernel and ISA the fastest build (any compiler, any policy) at each "
        "shape; "
        "every variant's row is in timing.jsonl. \"% of limit\" is the least time that this core's "
        "arithmetic or bandwidth allows, over the time taken; \"per vector\" are the "
        "instructions that the kernel counts, and its lanes.\n\n"
        "| operation | kernel | ISA | rows x n | family | threads | resident in | ns/element [95% "
        "interval] | "
        "% of limit | limit | per vector | build | max error "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        p->out);
    for (size_t i = 0; i < count; i++) {
        const struct timing_result *t = rows[i];
        if (i && same_line(t, rows[i - 1])) continue;
        const struct summary *v = summaries_find(p->s, &t->axes);
        char error[32], limit[32];
        fprintf(p->out,
                "| %s | `%s`%s | %s | %zux%zu | %s | %zu | %s | %.3f [%.3f, %.3f] | %s | %s | %s | "
                "%s `%s` | %s |\n",
                t->axes.group, t->axes.algorithm,
                v && v->hazard  ? " (hazard)"
                : v && v->wrong ? " (wrong)"
                                : "",
                t->axes.isa, t->rows, t->n, t->family, t->threads, t->residency, t->ns_per_element,
                t->low, t->high, format(limit, sizeof limit, "%.0f", t->percent_of_limit), t->limit,
                field_instructions_of(t).text, t->axes.cc, t->axes.policy,
                ulp(error, sizeof error, v ? v->error : NAN));
    }
    fputc('\n', p->out);
    free(rows);
}

/* ---- Accuracy ----------------------------------------------------------------------------------
 */

/* The largest value of a field over the rows of one kernel, ISA and policy (every compiler, n). */
static double worst_in(const struct page *p, const struct summary *v, const char *family)
{
    double worst = NAN;
    for (size_t i = 0; i < p->r->accuracy_count; i++) {
        const struct accuracy_result *a = &p->r->accuracies[i];
        if (!strcmp(a->family, family) && !strcmp(a->axes.algorithm, v->axes.algorithm) &&
            !strcmp(a->axes.group, v->axes.group) && !strcmp(a->axes.isa, v->axes.isa) &&
            !strcmp(a->axes.policy, v->axes.policy))
            worst = fmax(worst, a->max_ulp);
    }
    return worst;
}

static void section_accuracy(const struct page *p)
{
    struct axis_values families;
    families_collect(p->r, &families);
    fputs("## Accuracy\n\nLargest error in ULP by input family, over every row length and "
          "compiler. \"scaled\" "
          "is the largest error relative to the size of the inputs (numerically fair near zero), "
          "\"bound\" "
          "the largest measured error over its proven bound.\n\n| operation | kernel | ISA | "
          "policy |",
          p->out);
    for (size_t f = 0; f < families.count; f++) fprintf(p->out, " %s |", families.items[f]);
    fputs(" mean, normal | scaled | bound |\n|---|---|---|---|", p->out);
    for (size_t f = 0; f < families.count + 3; f++) fputs("---|", p->out);
    fputc('\n', p->out);
    for (size_t i = 0; i < p->s->count; i++) {
        const struct summary *v = &p->s->items[i];
        /* One line for all compilers: the widest ISA and what people choose between. */
        if (isnan(v->worst_ulp) || strcmp(v->axes.cc, p->present.ccs.items[0]) != 0 ||
            !strcmp(v->axes.isa, "scalar") ||
            (strcmp(v->axes.policy, "off") && strcmp(v->axes.policy, "fast")))
            continue;
        char text[32];
        fprintf(p->out, "| %s | `%s`%s | %s | `%s` |", v->axes.group, v->axes.algorithm,
                v->hazard ? " (hazard)" : "", v->axes.isa, v->axes.policy);
        for (size_t f = 0; f < families.count; f++)
            fprintf(p->out, " %s |", ulp(text, sizeof text, worst_in(p, v, families.items[f])));
        fprintf(p->out, " %s |", format(text, sizeof text, "%.3f", v->mean_ulp));
        fprintf(p->out, " %s |", ulp(text, sizeof text, v->worst_scaled));
        fprintf(p->out, " %s |\n", format(text, sizeof text, "%.2g", v->worst_bound));
    }
    fputc('\n', p->out);
}

/* ---- What the compilers did ---------------------------------------------------------------------
 */

static const char *yes_no(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "-";
}

static void section_codegen(const struct page *p)
{
    static const char *const isas[] = {"scalar", "avx2", "avx512"};
    fputs(
        "## What the compilers did\n\nFused multiply-adds in the machine code of the kernels whose "
        "arithmetic "
        "the policy decides, by disassembly (kernels with any / all), and what the litmus observed "
        "by values.\n\n"
        "| compiler | policy | scalar | AVX2 | AVX-512 | contracts | reassociates | honours NaN | "
        "honours subnormals | as expected |\n|---|---|---|---|---|---|---|---|---|---|\n",
        p->out);
    for (size_t c = 0; c < p->present.ccs.count; c++)
        for (size_t k = 0; k < p->present.policies.count; k++) {
            size_t fused[3] = {0}, all[3] = {0}, inconsistent = 0;
            const json_t *observed = NULL, *record;
            size_t i;
            json_array_foreach(p->r->codegen, i, record)
            {
                struct axes a;
                if (!axes_parse(record_text(record, "id"), &a) ||
                    strcmp(a.cc, p->present.ccs.items[c]) ||
                    strcmp(a.policy, p->present.policies.items[k]) ||
                    strcmp(record_text(record, "record"), "codegen"))
                    continue;
                inconsistent += json_is_false(json_object_get(record, "consistent"));
                for (size_t s = 0; s < 3; s++)
                    if (!strcmp(a.isa, isas[s]) &&
                        !strcmp(record_text(record, "arithmetic"), "policy")) {
                        all[s]++;
                        fused[s] += json_number_value(json_object_get(record, "fma")) > 0;
                    }
                if (!strcmp(a.isa, "avx2")) observed = json_object_get(record, "observed");
            }
            fprintf(p->out, "| %s | `%s` |", p->present.ccs.items[c], p->present.policies.items[k]);
            for (size_t s = 0; s < 3; s++) fprintf(p->out, " %zu / %zu |", fused[s], all[s]);
            fprintf(p->out, " %s | %s | %s | %s | %s |\n", yes_no(observed, "contracts"),
                    yes_no(observed, "reassociates"), yes_no(observed, "honours_nan"),
                    yes_no(observed, "honours_subnormals"),
                    inconsistent ? "**no**: see codegen.jsonl" : "yes");
        }
    fputc('\n', p->out);
}

/* ---- The machine --------------------------------------------------------------------------------
 */

static void section_machine(const struct page *p)
{
    const json_t *finding, *record;
    size_t i;
    fputs("## The machine\n\n| limit | ISA | level | value | unit |\n|---|---|---|---|---|\n",
          p->out);
    json_array_foreach(p->r->timing, i, record) if (!strcmp(record_text(record, "record"), "limit"))
        fprintf(p->out, "| %s | %s | %s | %.4g | %s |\n", record_text(record, "name"),
                record_text(record, "isa"), record_text(record, "level"),
                json_number_value(json_object_get(record, "value")), record_text(record, "unit"));
    fputs("\nIs it fit to measure? (`ulplab doctor`)\n\n| check | severity | value | remedy "
          "|\n|---|---|---|---|\n",
          p->out);
    json_array_foreach(json_object_get(p->r->machine, "findings"), i, finding)
        fprintf(p->out, "| %s | %s | %s | %s |\n", record_text(finding, "check"),
                record_text(finding, "severity"), record_text(finding, "value"),
                record_text(finding, "remedy"));
    fputs("\n", p->out);
}

static void section_cases(const struct page *p)
{
    report_cases(p->out, p->cases);
}

static void section_evidence(const struct page *p)
{
    evidence_write(&(struct evidence){p->r, p->s, &p->present}, &(struct doc){p->out, false});
}

static void section_field(const struct page *p)
{
    struct field f;
    struct error ignored = {.text = ""};
    if (field_make(p->r, p->s, &f, &ignored)) return;
    field_write(p->r, &f, p->out);
    field_free(&f);
}

/* Nothing is silently missing: what did not run, and why. */
static void section_missing(const struct page *p)
{
    size_t counts[2] = {0}, shown = 0;
    fputs("## What was not measured, and what fell\n\n", p->out);
    const json_t *record;
    for (size_t i = 0; (record = results_answered(p->r, i)); i++) {
        const char *status = record_text(record, "status");
        counts[0]++;
        if (!strcmp(status, "ok")) continue;
        counts[1]++;
        if (shown++ < 40)
            fprintf(p->out, "- `%s` %s: **%s** %s\n", record_text(record, "id"),
                    record_text(record, "family"), status, record_text(record, "reason"));
    }
    if (counts[1] > 40) fprintf(p->out, "- ... and %zu more in the .jsonl files\n", counts[1] - 40);
    fprintf(p->out, "%s%zu rows, %zu of them not `ok`.\n", counts[1] ? "\n" : "", counts[0],
            counts[1]);
}

static void write_page(struct page *p)
{
    const json_t *machine = json_object_get(p->r->machine, "machine");
    const json_t *tool = json_object_get(p->r->machine, "tool");
    axes_collect(p->s, &p->present);
    fprintf(p->out, "# ulplab on %s\n\nMachine `%s`; ulplab %s (%s); compilers:",
            record_text(machine, "brand"), record_text(machine, "slug"),
            record_text(tool, "version"), record_text(tool, "commit"));
    const char *cc;
    json_t *version;
    json_object_foreach(json_object_get(machine, "compilers"), cc, version)
        fprintf(p->out, " %s (%s)", cc, json_string_value(version));
    fputs(".\n\n", p->out);

    static void (*const sections[])(const struct page *) = {
        section_answer,     section_field,    section_contraction, section_isa,
        section_throughput, section_accuracy, section_evidence,    section_codegen,
        section_cases,      section_machine,  section_missing,
    };
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) sections[k](p);
}

int report_write(const char *folder, char *path, unsigned long path_size, struct error *e)
{
    struct results r;
    struct summaries s = {0};
    json_t *cases = NULL;
    int code = results_read(folder, &r, e);
    if (code) return code;
    code = record_read_from(folder, "cases.jsonl", true, &cases, e);
    if (!code) code = summaries_make(&r, &s, e);
    if (!code) {
        char *text = NULL;
        size_t size = 0;
        struct page page = {.out = open_memstream(&text, &size), .r = &r, .s = &s, .cases = cases};
        write_page(&page);
        fclose(page.out);
        snprintf(path, path_size, "%s/report.md", folder);
        code = file_write_atomic(path, text, size, e);
        free(text);
    }
    summaries_free(&s);
    json_decref(cases);
    results_free(&r);
    return code;
}
