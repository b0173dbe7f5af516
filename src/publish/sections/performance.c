#include "publish/sections/performance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "model/registry.h"
#include "publish/compare/compare.h"
#include "publish/sections/evidence.h"
#include "publish/analyse/narrow.h"
#include "publish/analyse/summary.h"

struct machine {
    struct results results;
    struct summaries summaries;
    const char *folder;
    char name[80];
};

struct page {
    struct machine machines[MACHINES_MAX];
    size_t count;
    FILE *out;
};

static void heads(const struct page *p, const char *const *columns, size_t count)
{
    for (size_t m = 0; m < p->count; m++)
        for (size_t k = 0; k < count; k++)
            if (p->count > 1)
                fprintf(p->out, " %s: %s |", p->machines[m].name, columns[k]);
            else
                fprintf(p->out, " %s |", columns[k]);
    fputc('\n', p->out);
}

static void rule(const struct page *p, size_t columns)
{
    fputc('|', p->out);
    for (size_t k = 0; k < columns; k++) fputs("---|", p->out);
    fputc('\n', p->out);
}

/* ---- The machines and their limits ---------------------------------------------------------- */

static void section_machines(const struct page *p)
{
    fputs("# Performance and accuracy\n\n| machine | CPU | run |\n|---|---|---|\n", p->out);
    for (size_t m = 0; m < p->count; m++) {
        const struct machine *machine = &p->machines[m];
        char run[400];
        origin_describe(&machine->results, machine->folder, run, sizeof run);
        fprintf(p->out, "| %s | %s | %s |\n", machine->name, origin_of(&machine->results).brand,
                run);
    }
    fputc('\n', p->out);
}

/* A limit by what it is of: how many bytes it was measured on differs from machine to machine, and
 * stands in its name ("copy-ymm-24K-x2" is copy-ymm-x2). */
struct limit {
    char kind[40];
    const char *isa, *level, *unit; /* borrowed from the record */
    double value;
};
enum { LIMITS_MAX = 256 };

static void kind_of(const char *name, char *kind, size_t size)
{
    size_t used = 0;
    char copy[80], *save = NULL;
    snprintf(copy, sizeof copy, "%s", name);
    kind[0] = '\0';
    for (char *part = strtok_r(copy, "-", &save); part; part = strtok_r(NULL, "-", &save)) {
        bool bytes = part[0] >= '0' && part[0] <= '9';
        if (!bytes && used < size)
            used += (size_t)snprintf(kind + used, size - used, "%s%s", used ? "-" : "", part);
    }
}

/* False for what is no limit, the points of the bandwidth sweep among them. */
static bool limit_of(const json_t *record, struct limit *l)
{
    const char *name = record_text(record, "name");
    if (strcmp(record_text(record, "record"), "limit") || !strncmp(name, "sweep", 5)) return false;
    *l = (struct limit){.isa = record_text(record, "isa"),
                        .level = record_text(record, "level"),
                        .unit = record_text(record, "unit"),
                        .value = json_number_value(json_object_get(record, "value"))};
    kind_of(name, l->kind, sizeof l->kind);
    return true;
}

/* Sizes, then arithmetic, then each level's bandwidth, each from the narrowest ISA up. */
static int by_limit(const void *a, const void *b)
{
    static const char *const isas[] = {"", "scalar", "avx2", "avx512"};
    const struct limit *x = a, *y = b;
    int c = strcmp(x->unit, y->unit);
    if (!c) c = strcmp(x->level[0] == 'D' ? "M" : x->level, y->level[0] == 'D' ? "M" : y->level);
    int rank_x = 0, rank_y = 0;
    for (int i = 0; i < 4; i++) {
        if (!strcmp(isas[i], x->isa)) rank_x = i;
        if (!strcmp(isas[i], y->isa)) rank_y = i;
    }
    return c ? c : rank_x != rank_y ? rank_x - rank_y : strcmp(x->kind, y->kind);
}

/* Of several sizes of one kind and level, the best is the machine's. */
static double limit_value(const struct machine *machine, const struct limit *l)
{
    double best = NAN;
    struct limit other;
    const json_t *record;
    size_t i;
    json_array_foreach(machine->results.timing, i, record)
    {
        if (limit_of(record, &other) && !by_limit(&other, l)) best = fmax(best, other.value);
    }
    return best;
}

static void write_limit(const struct page *p, const struct limit *l)
{
    bool bytes = !strcmp(l->unit, "B");
    fprintf(p->out, "| %s | %s | %s | %s%s |", l->kind, l->isa, l->level, bytes ? "Ki" : "G",
            l->unit);
    for (size_t m = 0; m < p->count; m++)
        fprintf(
            p->out, " %s |",
            cell_fixed(limit_value(&p->machines[m], l) / (bytes ? 1024 : 1e9), bytes ? 0 : 1).text);
    fputc('\n', p->out);
}

static void section_limits(const struct page *p)
{
    struct limit *all = calloc(LIMITS_MAX, sizeof *all);
    size_t count = 0;
    fputs("## Limits, measured in the same runs\n\n| limit | ISA | level | unit |", p->out);
    heads(p, (const char *const[]){"value"}, 1);
    rule(p, 4 + p->count);
    for (size_t m = 0; all && m < p->count; m++) {
        const json_t *record;
        size_t i;
        json_array_foreach(p->machines[m].results.timing, i, record)
        {
            if (count < LIMITS_MAX && limit_of(record, &all[count])) count++;
        }
    }
    if (all) qsort(all, count, sizeof *all, by_limit);
    for (size_t i = 0; i < count; i++)
        if (!i || by_limit(&all[i - 1], &all[i])) write_limit(p, &all[i]);
    free(all);
    fputc('\n', p->out);
}

/* ---- What an ISA buys ----------------------------------------------------------------------- */

enum { STEPS = 3, LEVELS_OF_MEMORY = 4 };
static const char *const steps[STEPS][2] = {
    {"scalar", "avx2"}, {"avx2", "avx512"}, {"scalar", "avx512"}};
static const char *const residencies[LEVELS_OF_MEMORY] = {"L1", "L2", "L3", "DRAM"};

/* Two ISAs of one machine; false where they have no cell in common. */
static bool compare_isas(const struct machine *machine, const char *const isas[2],
                         struct compare_plan *plan, struct comparison *c)
{
    struct error ignored;
    *plan = (struct compare_plan){.kind = COMPARE_AXIS, .axis = "isa", .count = 2, .margin = 0.02};
    for (size_t s = 0; s < 2; s++)
        plan->sides[s] = (struct side){&machine->results, machine->folder, isas[s], isas[s]};
    return compare_make(plan, c, &ignored) == 0;
}

/* Mean of the share of the limit that an ISA's cells reach; NaN for none. */
static double share_of_limit(const struct machine *machine, const char *op, const char *residency,
                             const char *isa)
{
    double sum = 0;
    size_t cells = 0;
    for (size_t i = 0; i < machine->results.timing_count; i++) {
        const struct timing_result *t = &machine->results.timings[i];
        if (strcmp(t->axes.group, op) || strcmp(t->residency, residency) ||
            strcmp(t->axes.isa, isa) || isnan(t->percent_of_limit))
            continue;
        sum += t->percent_of_limit;
        cells++;
    }
    return sum / (double)cells;
}

static void write_step(FILE *out, const struct comparison *c, const char *op, const char *residency)
{
    struct compare_mean mean = compare_mean_of(c, 1, op, residency);
    if (isnan(mean.ratio))
        fputs(" - |", out);
    else if (isnan(mean.low))
        fprintf(out, " %.2f |", 1 / mean.ratio);
    else
        fprintf(out, " %.2f [%.2f, %.2f] |", 1 / mean.ratio, 1 / mean.high, 1 / mean.low);
}

static bool was_timed(const struct machine *machine, const char *op, const char *residency)
{
    for (size_t i = 0; i < machine->results.timing_count; i++)
        if (!strcmp(machine->results.timings[i].axes.group, op) &&
            !strcmp(machine->results.timings[i].residency, residency))
            return true;
    return false;
}

static void features_of(const struct page *p, const struct machine *machine, const char *const *ops,
                        size_t op_count)
{
    static const char *const isas[] = {"scalar", "avx2", "avx512"};
    struct compare_plan *plans = calloc(STEPS, sizeof *plans);
    struct comparison c[STEPS] = {0};
    bool made[STEPS] = {false};
    for (size_t k = 0; plans && k < STEPS; k++)
        made[k] = compare_isas(machine, steps[k], &plans[k], &c[k]);
    for (size_t o = 0; o < op_count; o++)
        for (size_t l = 0; l < LEVELS_OF_MEMORY; l++) {
            if (!was_timed(machine, ops[o], residencies[l])) continue;
            fprintf(p->out, "| %s | %s | %s |", ops[o], residencies[l], machine->name);
            for (size_t k = 0; k < STEPS; k++) write_step(p->out, &c[k], ops[o], residencies[l]);
            for (size_t i = 0; i < 3; i++) {
                double share = share_of_limit(machine, ops[o], residencies[l], isas[i]);
                fprintf(p->out, " %s |", cell_fixed(share, 0).text);
            }
            fputc('\n', p->out);
        }
    for (size_t k = 0; k < STEPS; k++)
        if (made[k]) compare_free(&c[k]);
    free(plans);
}

static void section_features(const struct page *p, const char *const *ops, size_t op_count)
{
    fputs("## What an ISA buys\n\nSpeed of the second over the first, same kernel, compiler, "
          "policy and "
          "shape: geometric mean [95% interval]; and how much of its limit each ISA's cells reach, "
          "on "
          "average.\n\n"
          "| operation | in | machine | AVX2 / scalar | AVX-512 / AVX2 | AVX-512 / scalar | "
          "scalar, % of "
          "limit | AVX2, % | AVX-512, % |\n",
          p->out);
    rule(p, 9);
    for (size_t m = 0; m < p->count; m++) features_of(p, &p->machines[m], ops, op_count);
    fputc('\n', p->out);
}

/* ---- How near to the limits ------------------------------------------------------------------ */

static void section_reach(const struct page *p)
{
    struct doc d = {p->out, false};
    doc_section(&d, "reach", "How near to the limit, by shape");
    doc_text(&d, "The fastest variant that keeps its promises, on one thread: the least time that "
                 "the machine allows as %% of its own. p: its instructions bind, m: its bytes do.");
    for (size_t m = 0; m < p->count; m++) {
        struct field f;
        struct error ignored = {.text = ""};
        if (field_make(&p->machines[m].results, &p->machines[m].summaries, &f, &ignored)) continue;
        doc_heading(&d, p->machines[m].name);
        reach_grid(&f, &d);
        reach_targets(&f, &d);
        field_free(&f);
    }
    doc_section_end(&d);
}

/* ---- A page per operation ------------------------------------------------------------------- */

/* What is one line: shapes of one row length and residency, since the number of rows follows from
 * each machine's caches. */
static int by_line(const void *a, const void *b)
{
    const struct timing_result *x = *(const struct timing_result *const *)a;
    const struct timing_result *y = *(const struct timing_result *const *)b;
    int c = strcmp(x->axes.group, y->axes.group);
    if (!c) c = strcmp(x->axes.algorithm, y->axes.algorithm);
    if (!c) c = !strcmp(y->axes.isa, "scalar") - !strcmp(x->axes.isa, "scalar"); /* goes first */
    if (!c) c = strcmp(x->axes.isa, y->axes.isa);
    if (!c) c = strcmp(x->axes.dtype, y->axes.dtype);
    if (!c) c = (x->threads > y->threads) - (x->threads < y->threads);
    if (!c) c = strcmp(x->family, y->family);
    if (!c) c = (x->n > y->n) - (x->n < y->n);
    return c ? c : strcmp(x->residency, y->residency);
}

static bool is_better(const struct timing_result *a, const struct timing_result *b)
{
    bool nothing_a = policy_promises(a->axes.policy) == PROMISES_NOTHING;
    bool nothing_b = policy_promises(b->axes.policy) == PROMISES_NOTHING;
    return nothing_a != nothing_b ? nothing_b : a->ns_per_element < b->ns_per_element;
}

/* The fastest build (compiler, policy, number of rows) of a line on one machine; one under a policy
 * that promises nothing stands here only where there is no other. */
static const struct timing_result *fastest(const struct machine *machine,
                                           const struct timing_result *line)
{
    const struct timing_result *best = NULL;
    for (size_t i = 0; i < machine->results.timing_count; i++) {
        const struct timing_result *t = &machine->results.timings[i];
        if (t->ns_per_element > 0 && !by_line(&t, &line) && (!best || is_better(t, best))) best = t;
    }
    return best;
}

/* What the measurement says against itself. */
static void write_flags(FILE *out, const json_t *record)
{
    const json_t *flags = json_object_get(record, "flags"), *flag;
    size_t i;
    json_array_foreach(flags, i, flag)
    {
        fprintf(out, "%s%s", i ? ", " : "; ",
                json_string_value(flag) ? json_string_value(flag) : "");
    }
}

static void write_machine(FILE *out, const struct machine *machine,
                          const struct timing_result *line)
{
    const struct timing_result *t = fastest(machine, line);
    if (!t) {
        fputs(" - | - | - | - | - |", out);
        return;
    }
    const json_t *clocks = json_object_get(t->record, "cycles_per_element");
    double per_ns = json_is_number(clocks) ? json_number_value(clocks) / t->ns_per_element : NAN;
    const struct summary *v = summaries_find(&machine->summaries, &t->axes);
    fprintf(out, " %s [%s, %s] | %s | %s %s | %s %s%s | %s `%s` %zux%zu",
            cell_fixed(t->ns_per_element * per_ns, 3).text, cell_fixed(t->low * per_ns, 3).text,
            cell_fixed(t->high * per_ns, 3).text, cell_fixed(t->ns_per_element, 3).text,
            cell_fixed(t->percent_of_limit, 0).text, t->limit, cell_ulp(v ? v->error : NAN).text,
            error_unit(&machine->results, t->axes.op),
            v && v->hazard  ? " (hazard)"
            : v && v->wrong ? " (wrong)"
                            : "",
            t->axes.cc, t->axes.policy, t->rows, t->n);
    write_flags(out, t->record);
    fputs(" |", out);
}

static void write_line(const struct page *p, const struct timing_result *line)
{
    fprintf(p->out, "| `%s` | %s | %zu | %s | %zu%s%s |", line->axes.algorithm, line->axes.isa,
            line->n, line->residency, line->threads, strcmp(line->family, "normal") ? ", " : "",
            strcmp(line->family, "normal") ? line->family : "");
    for (size_t m = 0; m < p->count; m++) write_machine(p->out, &p->machines[m], line);
    fputc('\n', p->out);
}

static void section_op(const struct page *p, const char *op,
                       const struct timing_result *const *rows, size_t count)
{
    static const char *const columns[] = {"clocks/element [95%]", "ns/element", "% of limit",
                                          "max error", "build, rows x n; flags"};
    fprintf(p->out, "## %s\n\n| kernel | ISA | n | in | threads |", op);
    heads(p, columns, 5);
    rule(p, 5 + 5 * p->count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i]->axes.group, op) && (!i || by_line(&rows[i - 1], &rows[i])))
            write_line(p, rows[i]);
    fputc('\n', p->out);
}

static void write_page(const struct page *p)
{
    size_t all = 0, count = 0, op_count = 0;
    const char *ops[64];
    for (size_t m = 0; m < p->count; m++) all += p->machines[m].results.timing_count;
    const struct timing_result **rows = calloc(all + 1, sizeof *rows);
    for (size_t m = 0; rows && m < p->count; m++)
        for (size_t i = 0; i < p->machines[m].results.timing_count; i++)
            if (p->machines[m].results.timings[i].ns_per_element > 0)
                rows[count++] = &p->machines[m].results.timings[i];
    if (rows) qsort(rows, count, sizeof *rows, by_line);
    for (size_t i = 0; i < count; i++)
        if ((!i || strcmp(rows[i - 1]->axes.group, rows[i]->axes.group) != 0) && op_count < 64)
            ops[op_count++] = rows[i]->axes.group;
    section_machines(p);
    section_limits(p);
    section_features(p, ops, op_count);
    section_reach(p);
    fputs(
        "Below: per kernel, ISA and row length the fastest build on each machine (of those under "
        "policies that promise something, where there is one; --filter chooses others); clocks are "
        "core cycles, intervals of 95% over fresh processes; % of the least time that the named "
        "limit allows; max error over "
        "family `normal`, of that very build, in ulp, or in u = 2^-24 of the inputs' size where "
        "results "
        "come near zero (logsumexp, moments, layernorm); flags are what the measurement says "
        "against "
        "itself.\n\n",
        p->out);
    for (size_t o = 0; o < op_count; o++)
        section_op(p, ops[o], (const struct timing_result *const *)rows, count);
    free(rows);
}

/* ---- Folders in ----------------------------------------------------------------------------- */

static int open_machine(struct page *p, const char *folder, const char *const *filters,
                        size_t filter_count, struct error *e)
{
    struct machine *machine = &p->machines[p->count];
    machine->folder = folder;
    int code = results_read(folder, &machine->results, e);
    if (code) return code;
    p->count++;
    code = results_narrow(&machine->results, filters, filter_count, e);
    if (!code) code = summaries_make(&machine->results, &machine->summaries, e);
    if (!code && p->count > 1)
        code = origin_comparable(&p->machines[0].results, p->machines[0].folder, &machine->results,
                                 folder, COMPARE_CPUS, e);
    return code;
}

/* A machine's label or slug names it, unless two runs of it stand here. */
static void name_machines(struct page *p)
{
    for (size_t m = 0; m < p->count; m++) {
        struct origin o = origin_of(&p->machines[m].results);
        bool again = false;
        for (size_t k = 0; k < p->count; k++) {
            struct origin other = origin_of(&p->machines[k].results);
            again |= k != m && !strcmp(origin_name(&o), origin_name(&other));
        }
        snprintf(p->machines[m].name, sizeof p->machines[m].name, "%.79s",
                 again ? p->machines[m].folder : origin_name(&o));
    }
}

int performance_write(const char *const *folders, size_t count, const char *const *filters,
                      size_t filter_count, FILE *out, struct error *e)
{
    struct page *p = calloc(1, sizeof *p);
    int code = !p                     ? fail(e, EXIT_PARTIAL, "report: out of memory; free some")
               : count > MACHINES_MAX ? fail(e, EXIT_USAGE, "report: %zu folders; give at most %d",
                                             count, MACHINES_MAX)
                                      : 0;
    for (size_t i = 0; !code && i < count; i++)
        code = open_machine(p, folders[i], filters, filter_count, e);
    if (!code) {
        p->out = out;
        name_machines(p);
        write_page(p);
    }
    for (size_t m = 0; p && m < p->count; m++) {
        summaries_free(&p->machines[m].summaries);
        results_free(&p->machines[m].results);
    }
    free(p);
    return code;
}

int performance_write_file(const char *const *folders, size_t count, const char *const *filters,
                           size_t filter_count, const char *path, struct error *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return fail(e, EXIT_PARTIAL, "report: out of memory: %s; free some", path);
    int code = performance_write(folders, count, filters, filter_count, out, e);
    if (fclose(out) != 0 && !code)
        code = fail(e, EXIT_PARTIAL, "report: out of memory: %s; free some", path);
    if (!code) code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}
