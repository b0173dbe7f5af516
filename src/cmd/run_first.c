// SPDX-License-Identifier: MIT
/* The findings of a run before it has timed anything: what the compilers made of one kernel, and
 * the errors of the kernels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/run_steps.h"
#include "base/memory.h"
#include "publish/analyse/summary.h"
#include "publish/load/results.h"
#include "publish/render/table.h"

/* The width of the answer, for terminals of any width. */
static const struct terminal narrow = {.columns = 80};

/* ---- Machine code ---------------------------------------------------------------------------- */

/* A well-known kernel, shown under every policy that its results can depend on. */
static const char *const shown = "softmax/threepass";

static void write_counts(FILE *out, const json_t *record)
{
    const size_t fma = record_count(record, "fma"), mul = record_count(record, "mul"),
                 add = record_count(record, "add");
    fprintf(out, "%zu fma %zu mul %zu add", fma, mul, add);
}

/* The policy of an earlier record of the same compiler and ISA with the same code, or NULL. */
static const char *same_code_as(json_t *const *records, const struct axes *axes, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(axes[k].cc, axes[i].cc) &&
            !strcmp(record_text(records[k], "code_hash"), record_text(records[i], "code_hash")))
            return axes[k].policy;
    return NULL;
}

enum { SHOWN_MAX = 64 };

static bool is_shown(const json_t *record, struct axes *a)
{
    const char *id = record_text(record, "id");
    return !strncmp(id, shown, strlen(shown)) && id[strlen(shown)] == '/' && axes_parse(id, a) &&
           !strcmp(a->dtype, "f32") && !strcmp(record_text(record, "status"), "ok");
}

static int width_of(const json_t *record)
{
    return record_count(record, "zmm") ? 2 : record_count(record, "ymm") ? 1 : 0;
}

/* The records of the kernel in the ISA of the widest vectors, in the order of the axes. */
static size_t find_shown(const json_t *codegen, json_t **records, struct axes *axes)
{
    size_t i, count = 0;
    int widest = -1;
    json_t *record;
    json_array_foreach((json_t *)(uintptr_t)codegen, i, record)
    {
        struct axes a;
        if (!is_shown(record, &a) || width_of(record) < widest) continue;
        if (width_of(record) > widest) count = 0;
        widest = width_of(record);
        if (count == SHOWN_MAX) break;
        records[count] = record;
        axes[count++] = a;
    }
    return count;
}

int run_show_codegen(struct run *run, const char *path, struct error *e)
{
    json_t *codegen, *records[SHOWN_MAX];
    struct axes axes[SHOWN_MAX];
    if (run->o->quiet || run->o->json) return 0;
    int code = record_read(path, false, &codegen, e);
    if (code) return code;
    size_t count = find_shown(codegen, records, axes), next;
    if (count) printf("What the compilers made of %s for %s:\n", shown, axes[0].isa);
    for (size_t first = 0; first < count; first = next) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = memory_text(&text, &size);
        fprintf(out, "  %s:", axes[first].cc);
        for (next = first; next < count && !strcmp(axes[next].cc, axes[first].cc); next++) {
            const char *same = same_code_as(records, axes, next);
            fprintf(out, "%s %s ", next > first ? "," : "", axes[next].policy);
            if (same)
                fprintf(out, "= %s", same);
            else
                write_counts(out, records[next]);
        }
        memory_text_close(out);
        write_prose(stdout, narrow, 4, "%s", text);
        free(text);
    }
    json_decref(codegen);
    return fflush(stdout), 0;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static bool is_compared(const struct summary *s, const char *group)
{
    return !strcmp(s->axes.group, group) && !s->hazard && !isnan(s->error) &&
           policy_promises(s->axes.policy) != PROMISES_NOTHING;
}

static void name_error(const struct results *r, const struct summary *s, char *text, size_t size)
{
    snprintf(text, size, "%.3g %s %s", s->error, error_unit(r, s->axes.group), s->axes.algorithm);
}

/* The summaries of one group are consecutive. Returns where the group ends. */
static size_t add_group(const struct results *r, const struct summaries *s, size_t first,
                        struct table *table)
{
    const struct summary *least = NULL, *most = NULL;
    const char *group = s->items[first].axes.group;
    size_t i = first;
    for (; i < s->count && !strcmp(s->items[i].axes.group, group); i++) {
        const struct summary *one = &s->items[i];
        if (!is_compared(one, group)) continue;
        if (!least || one->error < least->error) least = one;
        if (!most || one->error > most->error) most = one;
    }
    if (least && most) {
        char best[80], worst[80];
        name_error(r, least, best, sizeof best);
        name_error(r, most, worst, sizeof worst);
        table_add(table, TINT_NONE, (const char *const[]){group, best, worst});
    }
    return i;
}

int run_show_errors(struct run *run, struct error *e)
{
    static const struct column columns[] = {
        {.title = "largest error"}, {.title = "of the best kernel"}, {.title = "of the worst"}};
    struct results r;
    struct summaries s;
    struct table table;
    if (run->o->quiet || run->o->json) return 0;
    int code = results_read(run->folder, &r, e);
    if (code) return code;
    code = summaries_make(&r, advice_bar, &s, e);
    if (!code) {
        table_begin(&table, columns, sizeof columns / sizeof *columns);
        for (size_t i = 0; i < s.count;) i = add_group(&r, &s, i, &table);
        table_end(&table, stdout, narrow);
        summaries_free(&s);
    }
    results_free(&r);
    return fflush(stdout), code;
}
