// SPDX-License-Identifier: MIT
#include "model/other_kernel.h"
#include "publish/sections/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/record.h"

/* The columns of the speed table: shapes of src/study/trial_measure.c. */
static const char *const shapes[] = {"8x512", "32x2048", "256x4096", "4096x4096"};
enum { SHAPES = sizeof shapes / sizeof *shapes, MAIN_SHAPE = 1 };

struct answer {
    const json_t *document, *subject, *builds, *others;
    const json_t *own; /* the build that the first part is about */
    const json_t *advised;
    struct doc *d;
};

/* ---- Asking the document --------------------------------------------------------------------- */

static bool is_ok(const json_t *of)
{
    return !strcmp(record_text(of, "status"), "ok");
}

static double time_at(const json_t *of, const char *shape)
{
    return record_number(json_object_get(json_object_get(of, "times"), shape), "ns_per_element");
}

static double limit_at(const json_t *of, const char *shape)
{
    return record_number(json_object_get(json_object_get(of, "times"), shape), "percent_of_limit");
}

static bool near_zero(const json_t *build)
{
    return json_is_true(json_object_get(build, "near_zero"));
}

static double error_of(const json_t *build)
{
    return record_number(build, near_zero(build) ? "scaled_error" : "max_ulp");
}

static const char *unit_of(const json_t *build)
{
    return near_zero(build) ? "u" : "ulp";
}

static const json_t *by_id(const json_t *list, const char *id)
{
    const json_t *row;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)list, i, row)
    {
        if (!strcmp(record_text(row, "id"), id)) return row;
    }
    return NULL;
}

/* Returns the function's own build; else what its first compiler does by default; else the first.
 */
static const json_t *own_build(const json_t *builds)
{
    const json_t *row, *plain = NULL;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)builds, i, row)
    {
        if (json_is_true(json_object_get(row, "yours"))) return row;
        if (!plain && is_ok(row) && !strcmp(record_text(row, "policy"), "default")) plain = row;
    }
    return plain ? plain : json_array_get(builds, 0);
}

struct name {
    char text[96];
};
static struct name build_name(const json_t *build)
{
    struct name name;
    if (json_is_true(json_object_get(build, "yours")))
        snprintf(name.text, sizeof name.text, "yours");
    else
        snprintf(name.text, sizeof name.text, "%s %s", record_text(build, "cc"),
                 record_text(build, "policy"));
    return name;
}

/* ---- Right or wrong -------------------------------------------------------------------------- */

static void write_worst(const struct answer *a, const json_t *build)
{
    const json_t *at = json_object_get(build, "max_at");
    const char *input = record_text(at, "input");
    if (!json_is_object(at)) return;
    doc_item(a->d, "Worst: %s%s%sgives %s, right is %s (family %s, n = %.0f, element %.0f).",
             *input ? "input " : "", input, *input ? " " : "", record_text(at, "got"),
             record_text(at, "want"), record_text(build, "worst_family"),
             record_number(build, "worst_n"), record_number(at, "index"));
}

static void write_lost(const struct answer *a, const json_t *build)
{
    const json_t *where = json_object_get(build, "lost_in"),
                 *counts = json_object_get(build, "counts");
    char families[200] = "", kinds[120] = "";
    const char *key;
    json_t *value;
    size_t used = 0;
    json_object_foreach((json_t *)(uintptr_t)where, key, value)
    {
        if (used + 40 < sizeof families)
            used += (size_t)snprintf(families + used, sizeof families - used, "%s%s %s",
                                     used ? ", " : "",
                                     number_count((uint64_t)json_number_value(value)).text, key);
    }
    used = 0;
    json_object_foreach((json_t *)(uintptr_t)counts, key, value)
    {
        if (json_number_value(value) > 0 && used + 40 < sizeof kinds)
            used += (size_t)snprintf(kinds + used, sizeof kinds - used, "%s%s %s", used ? ", " : "",
                                     number_count((uint64_t)json_number_value(value)).text, key);
    }
    doc_item(a->d, "**Lost**: %s of %s results have no distance from the right one: %s (%s).",
             number_count((uint64_t)record_number(build, "lost")).text,
             number_count((uint64_t)record_number(build, "elements")).text, families, kinds);
}

/* Writes what an ending means, and what to do. */
static void write_end(const struct answer *a, const json_t *build)
{
    const char *status = record_text(build, "status"), *reason = record_text(build, "reason");
    const char *family = record_text(build, "failed_family");
    static const struct {
        const char *status, *words;
    } known[] = {
        {"sigsegv", "it touched memory outside of its rows, or aligned loads met a row at 4, 12 or "
                    "28 bytes"},
        {"sigbus", "it touched memory that is not there"},
        {"sigill", "it has instructions that this CPU lacks"},
        {"sigfpe", "it divided an integer by zero"},
        {"timeout", "it did not come back"},
        {"killed", "it ended the process, wrote or closed the lab's channel, or called what is not "
                   "defined (standard error has its name)"},
        {"wrong", "it changed the modes of arithmetic"},
        {"unbuilt", "it does not build"},
    };
    const char *words = "";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(status, known[i].status)) words = known[i].words;
    doc_item(a->d, "**%s**: %s%s%s%s%s.", status, words, *reason ? ": " : "", reason,
             *family ? "; on family " : "", family);
}

static void write_places(const struct answer *a, const json_t *build)
{
    static const struct {
        const char *key, *depends_on;
    } answers[] = {{"run", "the run"},
                   {"threads", "the number of threads"},
                   {"row_position", "where a row stands in memory"},
                   {"batch", "the rows beside it in a call"},
                   {"tail", "the place in the row"}};
    const json_t *invariance = json_object_get(build, "invariance");
    char depends[160] = "";
    size_t used = 0;
    if (!invariance) return;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (json_is_false(json_object_get(invariance, answers[i].key)))
            used += (size_t)snprintf(depends + used, sizeof depends - used, "%s%s",
                                     used ? ", " : "", answers[i].depends_on);
    doc_item(a->d, "Its bits depend on %s.", used ? depends : "its inputs alone");
}

/* The families, those with the largest errors first. */
static void write_families(const struct answer *a, const json_t *build)
{
    enum { MOST = 16 };
    struct {
        const char *name;
        double error;
    } of[MOST];
    size_t count = 0, used = 0;
    const char *key;
    json_t *value;
    char text[400] = "";
    json_object_foreach(json_object_get(build, "families"), key, value)
    {
        size_t i = count < MOST ? count++ : MOST - 1;
        for (; i > 0 && of[i - 1].error < json_number_value(value); i--) of[i] = of[i - 1];
        of[i].name = key;
        of[i].error = json_number_value(value);
    }
    for (size_t i = 0; i < count && used + 40 < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", i ? ", " : "",
                                 of[i].name, number_digits(of[i].error, 2).text);
    if (count) doc_item(a->d, "By family of inputs: %s.", text);
}

/* Errors beyond half of the digits are wrong results, whatever they are called. */
static const char *title_of(const json_t *own)
{
    static const double half_of_the_digits = 4096;
    return !is_ok(own)                          ? "Wrong"
           : record_number(own, "lost") > 0     ? "Loses results"
           : error_of(own) > half_of_the_digits ? "Wrong on some inputs"
                                                : "Right";
}

static void write_right(const struct answer *a)
{
    const json_t *own = a->own;
    const bool ok = is_ok(own), lost = record_number(own, "lost") > 0;
    const char *unit = unit_of(own);
    doc_heading(a->d, title_of(own));
    doc_list(a->d);
    if (!ok) write_end(a, own);
    if (record_number(own, "elements") > 0) {
        doc_item(a->d, "**Error** of `%s`: at most %s %s, on average %s ulp, over %s results.",
                 build_name(own).text, number_digits(error_of(own), 3).text, unit,
                 number_digits(record_number(own, "mean_ulp"), 2).text,
                 number_count((uint64_t)record_number(own, "elements")).text);
        write_worst(a, own);
        write_families(a, own);
    }
    if (lost) write_lost(a, own);
    const json_t *scan = json_object_get(a->document, "scan");
    if (scan)
        doc_item(a->d,
                 "Every fp32 input: at most %s ulp, at %s; %s results lost%s%s. The other builds "
                 "were not scanned.",
                 number_digits(record_number(scan, "max_ulp"), 4).text, record_text(scan, "at"),
                 number_count((uint64_t)fmax(record_number(scan, "lost"), 0)).text,
                 *record_text(scan, "lost_at") ? ", the first at " : "",
                 record_text(scan, "lost_at"));
    else if (record_number(a->document, "scan_seconds") > 0)
        doc_item(a->d, "Not every input was tried: `--full` does, in about %.0f s.",
                 record_number(a->document, "scan_seconds"));
    if (ok)
        doc_item(a->d, "Rows at 4, 12 and 28 bytes, tails of 1 to 31, guard pages around each row, "
                       "MXCSR and x87: as they should be.");
    write_places(a, own);
    doc_list_end(a->d);
}

/* ---- Speed ----------------------------------------------------------------------------------- */

static const json_t *fastest(const json_t *others, bool (*is)(const json_t *))
{
    const json_t *row, *best = NULL;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)others, i, row)
    {
        double ns = time_at(row, shapes[MAIN_SHAPE]);
        if (is(row) && ns > 0 && (!best || ns < time_at(best, shapes[MAIN_SHAPE]))) best = row;
    }
    return best;
}

static void write_speed_row(const struct answer *a, const char *what, const char *name,
                            const json_t *of)
{
    if (!of || !json_object_get(of, "times")) return;
    doc_row(a->d);
    doc_cell(a->d, "%s%s%s", what, *name ? ": " : "", name);
    for (size_t i = 0; i < SHAPES; i++) {
        double ns = time_at(of, shapes[i]), limit = limit_at(of, shapes[i]);
        if (isnan(ns))
            doc_cell(a->d, "-");
        else if (isnan(limit))
            doc_cell(a->d, "%s", number_digits(ns, 3).text);
        else
            doc_cell(a->d, "%s (%.0f%%)", number_digits(ns, 3).text, limit);
    }
    doc_row_end(a->d);
}

static void write_speed(const struct answer *a)
{
    char heads_text[SHAPES][48];
    const char *heads[SHAPES + 2] = {"ns per element (% of limit)"};
    const json_t *copy = json_object_get(a->document, "copy");
    for (size_t i = 0; i < SHAPES; i++) {
        const json_t *at = json_object_get(json_object_get(a->own, "times"), shapes[i]);
        snprintf(heads_text[i], sizeof heads_text[i], "%s %s", shapes[i],
                 record_text(at, "residency"));
        heads[i + 1] = heads_text[i];
    }
    if (isnan(time_at(a->own, shapes[MAIN_SHAPE]))) return;
    doc_heading(a->d, "Speed");
    doc_table(a->d, heads);
    write_speed_row(a, build_name(a->own).text, "", a->own);
    if (a->advised && a->advised != a->own)
        write_speed_row(a, build_name(a->advised).text, "", a->advised);
    const struct {
        const char *what;
        const json_t *of;
    } beside[] = {{"plain loop", fastest(a->others, other_is_plain)},
                  {"the lab's fastest", fastest(a->others, other_is_lab)},
                  {"fastest library", fastest(a->others, other_is_library)}};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        write_speed_row(a, beside[i].what,
                        beside[i].of ? record_text(beside[i].of, "algorithm") : "", beside[i].of);
    write_speed_row(a, "of which the copy that in place needs here", "", copy);
    doc_table_end(a->d);
    if (limit_at(a->own, shapes[MAIN_SHAPE]) > 100 ||
        limit_at(a->advised, shapes[MAIN_SHAPE]) > 100)
        doc_text(a->d,
                 "Beyond 100%%: it computes less than the limit counts, which is what the lab's "
                 "kernels of this operation need.");
}

/* ---- Policies -------------------------------------------------------------------------------- */

static void write_build(const struct answer *a, const json_t *build, double reference)
{
    double ns = time_at(build, shapes[MAIN_SHAPE]), lost = record_number(build, "lost");
    const char *same = record_text(build, "same_code");
    const json_t *twin = *same ? by_id(a->builds, same) : NULL;
    doc_row(a->d);
    doc_cell(a->d, "%s%s", build_name(build).text, build == a->advised ? " *" : "");
    if (!is_ok(build)) {
        doc_cell(a->d, "%s", record_text(build, "status"));
        for (size_t i = 0; i < 4; i++) doc_cell(a->d, "-");
        doc_words(a->d, "%s", record_text(build, "reason"));
    } else {
        doc_cell(a->d, "%s", number_decimals(reference / ns, 2).text);
        doc_cell(a->d, "%s", number_digits(error_of(build), 3).text);
        doc_cell(a->d, "%s", number_digits(record_number(build, "mean_ulp"), 2).text);
        doc_cell(a->d, "%s", isnan(lost) ? "-" : number_count((uint64_t)lost).text);
        doc_cell(a->d, "%.0f", record_number(build, "bits"));
        doc_words(a->d, "%s%s", twin ? "= " : "", twin ? build_name(twin).text : "");
    }
    doc_row_end(a->d);
}

static void write_policies(const struct answer *a)
{
    static const char *const heads[] = {"build", "speed", "max",  "mean",
                                        "lost",  "bits",  "code", NULL};
    const json_t *build;
    size_t i;
    if (json_array_size(a->builds) < 2) return;
    doc_heading(a->d, "Compilers and policies");
    doc_table(a->d, heads);
    json_array_foreach((json_t *)(uintptr_t)a->builds, i, build)
    {
        write_build(a, build, time_at(a->own, shapes[MAIN_SHAPE]));
    }
    doc_table_end(a->d);
    if (time_at(a->own, shapes[MAIN_SHAPE]) > 0)
        doc_text(a->d, "Speed beside %s at %s; max in %s; equal numbers are equal bits.",
                 build_name(a->own).text, shapes[MAIN_SHAPE], unit_of(a->own));
    else
        doc_text(a->d, "Max in %s; equal numbers are equal bits.", unit_of(a->own));
}

/* ---- What to do ------------------------------------------------------------------------------ */

static void write_shipping(const struct answer *a)
{
    const json_t *own = a->own, *best = a->advised;
    double ns = time_at(own, shapes[MAIN_SHAPE]);
    if (!best && is_ok(own) && isnan(ns)) return; /* --quick */
    if (!best) {
        doc_item(a->d, "**Ship** none of these: %s.",
                 is_ok(own) ? "their times are not known" : "none ends as it should");
        return;
    }
    const double gain = ns / time_at(best, shapes[MAIN_SHAPE]);
    const char *what = record_number(best, "lost") > 0 ? "Least bad" : "Ship";
    if (best == own)
        doc_item(a->d,
                 "**%s**: %s as it is built (`%s`): no build that loses nothing more is over 2%% "
                 "faster.",
                 what, build_name(own).text, record_text(own, "flags"));
    else
        doc_item(a->d,
                 "**%s**: `%s`: %s times as fast as %s, error at most %s %s (%s), nothing lost "
                 "that another build computes.",
                 what, record_text(best, "flags"), number_decimals(gain, 2).text,
                 build_name(own).text, number_digits(error_of(best), 3).text, unit_of(best),
                 number_digits(error_of(own), 3).text);
}

/* The fastest build that is not advised, and what it gives up. */
static void write_given_up(const struct answer *a)
{
    const json_t *build, *faster = NULL;
    const char *shape = shapes[MAIN_SHAPE];
    size_t i;
    if (!a->advised) return;
    json_array_foreach((json_t *)(uintptr_t)a->builds, i, build)
    {
        if (is_ok(build) && time_at(build, shape) < 0.98 * time_at(a->advised, shape) &&
            (!faster || time_at(build, shape) < time_at(faster, shape)))
            faster = build;
    }
    if (!faster) return;
    const double lost = record_number(faster, "lost_here");
    doc_item(a->d, "Not advised: `%s`, %s times as fast as that: %s%s, error %s %s.",
             build_name(faster).text,
             number_decimals(time_at(a->advised, shape) / time_at(faster, shape), 2).text,
             lost > 0 ? number_count((uint64_t)lost).text : "it loses nothing more",
             lost > 0 ? " results lost that another build computes" : "",
             number_digits(error_of(faster), 3).text, unit_of(faster));
}

static void write_next(const struct answer *a)
{
    const char *shape = shapes[MAIN_SHAPE];
    const json_t *lab = fastest(a->others, other_is_lab),
                 *plain = fastest(a->others, other_is_plain);
    const json_t *mine = a->advised ? a->advised : a->own;
    const double ns = time_at(mine, shape);
    const json_t *invariance = json_object_get(mine, "invariance");
    if (!strcmp(record_text(a->own, "status"), "sigsegv"))
        doc_item(a->d, "**Next**: unaligned loads (loadu), or a copy of the tail; then try again.");
    else if (record_number(mine, "lost") > 0)
        doc_item(a->d,
                 "**Next**: handle the inputs of the families named above (docs/method.md says "
                 "what they are), then try again.");
    if (lab && ns > 1.2 * time_at(lab, shape))
        doc_item(a->d,
                 "The lab's %s takes %.0f%% of its time with the same inputs: docs/kernels.md "
                 "says how.",
                 record_text(lab, "algorithm"), 100 * time_at(lab, shape) / ns);
    if (plain && ns > 0.98 * time_at(plain, shape)) doc_item(a->d, "A plain loop is as fast.");
    if (json_is_false(json_object_get(invariance, "tail")))
        doc_item(a->d, "Its tail is computed by other code than its body, to other bits: a padded "
                       "vector instead of a loop would give the same.");
    else if (json_is_false(json_object_get(invariance, "row_position")))
        doc_item(a->d, "Unequal bits by place in memory: a loop that peels to alignment; results "
                       "do not repeat from run to run of a program.");
}

static void write_unanswered(const struct answer *a)
{
    const json_t *text;
    size_t i;
    json_array_foreach(json_object_get(a->document, "unanswered"), i, text)
    {
        doc_item(a->d, "Not answered: %s.", json_string_value(text));
    }
}

void trial_write(const json_t *document, struct doc *d)
{
    struct answer a = {.document = document,
                       .subject = json_object_get(document, "subject"),
                       .builds = json_object_get(document, "builds"),
                       .others = json_object_get(document, "others"),
                       .d = d};
    a.own = own_build(a.builds);
    a.advised = by_id(a.builds, record_text(document, "advised"));
    const char *reference = record_text(a.subject, "reference");
    doc_text(d, "`%s` as `%s`, ISA %s, against %s%s; built in %.1f s, all in %.0f s.",
             record_text(a.subject, "call"), record_text(a.subject, "op"),
             record_text(a.subject, "isa"), *reference ? "the reference in " : "the lab's oracle",
             reference, record_number(document, "build_seconds"),
             record_number(document, "seconds"));
    write_right(&a);
    write_speed(&a);
    write_policies(&a);
    doc_heading(d, "What to do");
    doc_list(d);
    write_shipping(&a);
    write_given_up(&a);
    write_next(&a);
    write_unanswered(&a);
    doc_list_end(d);
}
