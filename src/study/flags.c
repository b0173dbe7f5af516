// SPDX-License-Identifier: MIT
#include "study/flags.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/progress.h"
#include "build.h"
#include "model/fp_flags.h"
#include "model/record.h"
#include "model/registry.h"

struct flags_plan flags_plan_default(void)
{
    return (struct flags_plan){.request = {.base = "-O3 -ffp-contract=off",
                                           .all = "-ffast-math",
                                           .wish = {.keep = 0.95, .processes = 6}},
                               .shapes = "2x2048"};
}

struct flags_job {
    const struct flags_plan *plan;
    struct workshop shop; /* for the place of the sources */
    struct flags_kernels kernels;
    struct progress progress;
    size_t cells, cell; /* of the plan; the one in work */
    char what[200];
    size_t measured, skipped;
};

static void flags_tell(void *context, double share, const char *what)
{
    struct flags_job *j = context;
    char detail[300];
    snprintf(detail, sizeof detail, "%s: %s", j->what, what);
    progress_update(&j->progress, ((double)j->cell + share) / (double)j->cells, detail);
}

/* Writes the compiler's version, in the form that the build records. */
static void version_of(const char *cc, char *version, size_t size)
{
    char *question = strstr(cc, "clang") ? "-dumpversion" : "-dumpfullversion";
    char *words[] = {(char *)(uintptr_t)workshop_compiler(cc), question, NULL};
    size_t length;
    char *text = workshop_text(words, 10, &length);
    snprintf(version, size, "%.*s", (int)strcspn(text, "\n"), text);
    free(text);
}

/* Returns whether a record of an earlier run of this program belongs to the cell. A user's file may
 * have changed since: its operation is "" here, which no record has. */
static bool is_of_cell(const struct flags_job *j, const struct flags_kernel *k, const char *cc,
                       const json_t *record)
{
    const struct flags_plan *p = j->plan;
    const char *const same[][2] = {{"op", k->op},
                                   {"algorithm", k->algorithm},
                                   {"isa", p->isa},
                                   {"cc", cc},
                                   {"base", p->request.base},
                                   {"all", p->request.all},
                                   {"commit", build_commit},
                                   {"shapes", p->shapes},
                                   {"function", ""}};
    /* Earlier versions had only fp32, and no such field. */
    const char *dtype = record_text(record, "dtype");
    size_t m = 0;
    if (strcmp(*dtype ? dtype : "f32", k->dtype) != 0) return false;
    while (m < sizeof same / sizeof *same && !strcmp(record_text(record, same[m][0]), same[m][1]))
        m++;
    return m == sizeof same / sizeof *same;
}

/* Returns whether the cell's answer is among the records of an earlier run of this program that
 * asked the same question. */
static bool is_done(const struct flags_job *j, const struct flags_kernel *k, const char *cc)
{
    const struct flags_plan *p = j->plan;
    const json_t *record;
    size_t i;
    json_array_foreach(p->done, i, record)
    {
        if (strcmp(record_text(record, "record"), "flag-set") != 0) continue;
        const bool asked = json_equal(p->request.wish.allow, json_object_get(record, "allow")) &&
                           (!p->cases || json_is_array(json_object_get(record, "breaks"))) &&
                           record_number(record, "keep") == p->request.wish.keep;
        if (asked && is_of_cell(j, k, cc, record)) return true;
    }
    return false;
}

static int flags_put_all(json_t *records, struct record_sink sink, int code, struct error *e)
{
    json_t *record;
    size_t i;
    json_array_foreach(records, i, record)
    {
        if (!code) code = sink.put(sink.context, json_incref(record), e);
    }
    json_decref(records);
    return code;
}

/* Puts a cell's records of an earlier run, which answer this one, too. */
static int put_done(const struct flags_job *j, const struct flags_kernel *k, const char *cc,
                    struct record_sink sink, struct error *e)
{
    json_t *records = json_array(), *record;
    size_t i;
    json_array_foreach(j->plan->done, i, record)
    {
        if (is_of_cell(j, k, cc, record)) json_array_append(records, record);
    }
    return flags_put_all(records, sink, 0, e);
}

/* Measures a cell, and puts its records. */
static int measure_cell(struct flags_job *j, const struct flag_table *table, struct flags_kernel *k,
                        const char *cc, const char *version, struct flags_cases *cases,
                        struct record_sink sink, struct error *e)
{
    char folder[PATH_MAX + 200];
    struct flags_lab lab = {.kernel = k,
                            .cc = cc,
                            .isa = j->plan->isa,
                            .shapes = j->plan->shapes,
                            .judge = j->plan->judge};
    struct flags_found found;
    lab.table = *table;
    snprintf(folder, sizeof folder, "%s/%s-%s-%s", j->plan->folder, k->name, cc, lab.isa);
    int code = flags_lab_open(&lab, folder, e);
    if (code) return code;
    code =
        flags_search(&lab, &j->plan->request.wish, (struct flags_watch){flags_tell, j}, &found, e);
    if (!code) {
        if (cases) code = flags_cases_judge(cases, &found.choice.set, 1, e);
        json_t *records = NULL;
        if (!code)
            code = flags_records(&lab, &found, &j->plan->request, version, cases, &records, e);
        code = flags_put_all(records, sink, code, e);
        flags_found_free(&found);
        j->measured++;
    }
    flags_lab_close(&lab);
    return code;
}

/* Runs the case studies under each flag alone, and under all without it. */
static int run_cases(struct flags_job *j, struct flags_cases *c, struct error *e)
{
    const struct flag_table *t = c->table;
    char folder[PATH_MAX + 200];
    flag_set sets[2 * FLAGS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (!(t->known & flag_bit(i)) || t->rows[i].kind == FLAG_WHOLE) continue;
        sets[count++] = flag_with_needs(t, i);
        if (t->rows[i].kind == FLAG_LINK) sets[count++] = t->all | flag_bit(i);
        if (t->all & flag_bit(i)) sets[count++] = t->all & ~flag_bit(i);
    }
    snprintf(folder, sizeof folder, "%s/cases-%s-%s", j->plan->folder, c->cc, c->isa);
    snprintf(j->what, sizeof j->what, "%s", c->cc);
    flags_tell(j, 0, "case studies");
    int code = flags_cases_open(c, folder, e);
    return code ? code : flags_cases_judge(c, sets, count, e);
}

/* Measures all kernels with one compiler, whose table of flags is made for the first one. A kernel
 * that cannot be built does not stop the others. */
static int measure_compiler(struct flags_job *j, const char *cc, struct record_sink sink,
                            struct error *e)
{
    const struct flags_plan *p = j->plan;
    char version[60];
    struct flag_table *table = memory_zeroed(1, sizeof *table);
    struct flags_cases cases = {.table = table, .cc = cc, .isa = p->isa};
    int code = 0;
    for (size_t i = 0; i < j->kernels.count && !code; i++, j->cell++) {
        struct flags_kernel *k = &j->kernels.items[i];
        if (is_done(j, k, cc)) {
            code = put_done(j, k, cc, sink, e);
            continue;
        }
        snprintf(j->what, sizeof j->what, "%s %s", k->name, cc);
        if (!table->base) {
            code = flag_table_make(table, p->cpu, cc, p->request.base, p->request.all, p->own,
                                   p->own_count, e);
            version_of(cc, version, sizeof version);
        }
        if (!code && p->cases && !cases.broken) code = run_cases(j, &cases, e);
        if (!code) code = measure_cell(j, table, k, cc, version, p->cases ? &cases : NULL, sink, e);
        if (code != EXIT_PARTIAL || j->cells == 1) continue;
        note("%s", e->text);
        j->skipped++;
        code = 0;
    }
    if (cases.broken) flags_cases_close(&cases);
    free(table);
    return code;
}

int flags_run(const struct flags_plan *plan, struct record_sink sink, struct error *e)
{
    struct flags_job j = {.plan = plan};
    int code = workshop_open(&j.shop, plan->folder, e);
    if (!code)
        code = flags_kernels_find(&j.shop, plan->kernels, plan->kernel_count, plan->every,
                                  &j.kernels, e);
    if (code) return code;
    for (size_t i = 0; i < j.kernels.count; i++)
        if (plan->of) {
            struct flags_kernel *k = &j.kernels.items[i];
            k->needs = plan->needs;
            k->of = plan->of;
            k->function = plan->function;
        }
    j.cells = j.kernels.count * plan->cc_count;
    progress_begin(&j.progress, "flags", plan->quiet);
    for (size_t i = 0; i < plan->cc_count && !code; i++)
        code = measure_compiler(&j, plan->ccs[i], sink, e);
    progress_end(&j.progress);
    if (!code && j.skipped && !j.measured)
        code = fail(e, EXIT_PARTIAL, "flags: none of %zu kernels could be measured", j.cells);
    flags_kernels_free(&j.kernels);
    return code;
}

/* ---- The records ---------------------------------------------------------------------------- */

static void put(json_t *record, const char *key, json_t *value)
{
    json_object_set_new(record, key, value);
}

static json_t *head_of(const struct flags_lab *lab, const struct flags_request *q, const char *kind,
                       const char *version)
{
    const struct flags_kernel *k = lab->kernel;
    const char *file = k->of ? k->of : k->file, *slash = strrchr(file, '/');
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s*}", "file",
                     slash ? slash + 1 : file, "record", kind, "op", k->op, "algorithm",
                     k->algorithm, "dtype", k->dtype, "isa", lab->isa, "cc", lab->cc, "version",
                     version, "base", q->base, "all", q->all, "shapes", lab->shapes, "commit",
                     build_commit, "function", k->function);
}

/* Puts a ratio as the fields key, key_low and key_high. */
static void put_ratio(json_t *record, const char *key, struct ratio r)
{
    const struct {
        const char *ending;
        double value;
    } parts[] = {{"", r.value}, {"_low", r.low}, {"_high", r.high}};
    for (size_t i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s%s", key, parts[i].ending);
        put(record, name, record_real(parts[i].value));
    }
}

/* Puts the fields of an effect, with a prefix before their names: "" or "all_". */
static void put_effect(json_t *record, const char *prefix, const json_t *effect)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)effect, key, value)
    {
        char name[40];
        snprintf(name, sizeof name, "%s%s", prefix, key);
        if (strcmp(key, "infinite") != 0)
            put(record, name, json_incref(value));
        else if (json_array_size(value)) /* JSON has no infinity */
            snprintf(name, sizeof name, "%s%s", prefix, "error"),
                record_put_figure(record, name, INFINITY);
    }
}

static json_t *names_of(const struct flag_table *t, flag_set set)
{
    json_t *names = json_array();
    for (size_t i = 0; i < t->count; i++)
        if (set & flag_bit(i)) json_array_append_new(names, json_string(t->rows[i].name));
    return names;
}

/* Returns the flags of the answer's set that its words name; all of them if the words are --all. */
static flag_set spelt(const struct flag_table *t, const struct flags_choice *c)
{
    char words[FLAGS_TEXT_ROOM + 2], flag[FLAGS_TEXT_ROOM + 2];
    flag_set set = c->set;
    snprintf(words, sizeof words, " %s ", c->words);
    for (size_t i = 0; i < t->count; i++) {
        snprintf(flag, sizeof flag, " %s ", t->rows[i].flags);
        if (!c->is_all && !strstr(words, flag)) set &= ~flag_bit(i);
    }
    return set;
}

static json_t *flags_records_text_of(const struct flag_table *t, flag_set set)
{
    char text[FLAGS_TEXT_ROOM];
    flag_set_text(t, set, true, text, sizeof text);
    return json_string(text);
}

static json_t *flag_record(const struct flags_lab *lab, const struct flags_found *found,
                           const struct flags_request *q, const char *version,
                           const struct flags_cases *cases, size_t row)
{
    const struct flag_table *t = &lab->table;
    const struct flag *f = &t->rows[row];
    const size_t macro = flag_find(t, "macro");
    /* Linking with -ffast-math is measured on top of all its parts. */
    const bool linked = f->kind == FLAG_LINK, left_out = linked || (t->all & flag_bit(row));
    const flag_set all = linked ? t->all | flag_bit(row) : t->all;
    const flag_set alone = flag_with_needs(t, row), rest = all & ~flag_bit(row);
    const flag_set bare = macro < t->count ? t->all & ~flag_bit(macro) : t->all;
    const struct flags_build *b = &lab->builds[flags_lab_find(lab, alone)];
    json_t *record = head_of(lab, q, "flag", version);
    put(record, "name", json_string(f->name));
    put(record, "kind", json_string(flag_kind_name(f->kind)));
    put(record, "flag", json_string(f->said ? f->said : f->flags));
    put(record, "needs", flags_records_text_of(t, alone & ~flag_bit(row)));
    put(record, "gives_up", f->gives_up ? json_string(f->gives_up) : json_null());
    put(record, "status",
        json_string(!b->built                         ? "unbuilt"
                    : *lab->builds[b->same_as].reason ? lab->builds[b->same_as].reason
                                                      : "ok"));
    put(record, "code", b->built ? json_boolean(!flags_lab_same(lab, alone, 0)) : json_null());
    put_ratio(record, "gain", flags_lab_speed(lab, found->alone, 0, alone));
    const struct ratio none = {.value = NAN, .low = NAN, .high = NAN};
    put(record, "left_out_code",
        left_out ? json_boolean(!flags_lab_same(lab, rest, all)) : json_null());
    put_ratio(record, "cost", left_out ? flags_lab_speed(lab, found->alone, rest, all) : none);
    /* The cost if the macro is left out, too, which headers test: without calls of libmvec. */
    put_ratio(record, "cost_without_macro",
              left_out && !linked && row != macro
                  ? flags_lab_speed(lab, found->alone, bare & ~flag_bit(row), bare)
                  : none);
    put_effect(record, "", flags_search_effect(lab, alone));
    put(record, "breaks", flags_cases_beyond(cases, alone, 0));
    put(record, "mends", left_out ? flags_cases_beyond(cases, all, rest) : json_null());
    return record;
}

static json_t *set_record(const struct flags_lab *lab, const struct flags_found *found,
                          const struct flags_request *q, const char *version,
                          const struct flags_cases *cases)
{
    const struct flag_table *t = &lab->table;
    const struct flags_choice *c = &found->choice;
    char linked[FLAGS_TEXT_ROOM];
    json_t *record = head_of(lab, q, "flag-set", version);
    fp_line_at_link(c->words, linked, sizeof linked);
    put(record, "keep", record_real(q->wish.keep));
    put(record, "allow", json_deep_copy(q->wish.allow));
    put(record, "pays", json_boolean(c->pays));
    put(record, "names", names_of(t, spelt(t, c)));
    put(record, "flags", json_string(c->words));
    put(record, "is_all", json_boolean(c->is_all));
    put(record, "at_link", json_string(linked));
    put(record, "best", flags_records_text_of(t, c->best));
    put_ratio(record, "speed", c->speed);
    put_ratio(record, "best_speed", c->best_speed);
    put_ratio(record, "all_speed", c->all_speed);
    put(record, "kept", record_real(c->kept));
    put(record, "processes", json_integer((json_int_t)c->processes));
    put(record, "explains", names_of(t, c->explains));
    put(record, "explained", record_real(c->explained));
    /* Whether the parts together give the machine code of --all as written. */
    put(record, "parts_are_all",
        t->whole ? json_boolean(flags_lab_same(lab, t->whole, t->all)) : json_null());
    put_effect(record, "", c->effect);
    put_effect(record, "all_", c->all_effect);
    put(record, "breaks", flags_cases_beyond(cases, c->set, 0));
    return record;
}

int flags_records(const struct flags_lab *lab, const struct flags_found *found,
                  const struct flags_request *request, const char *version,
                  const struct flags_cases *cases, json_t **answer, struct error *e)
{
    json_t *records = *answer = json_array(), *sentence = NULL;
    for (size_t i = 0; i < lab->table.count; i++)
        if ((lab->table.known & flag_bit(i)) && lab->table.rows[i].kind != FLAG_WHOLE)
            json_array_append_new(records, flag_record(lab, found, request, version, cases, i));
    json_t *set = set_record(lab, found, request, version, cases);
    json_array_append_new(records, set);
    int code = lab->judge("sentence", set, &sentence, e);
    if (!code) json_object_update(set, sentence);
    json_decref(sentence);
    return code;
}

/* ---- Case studies under sets of flags ------------------------------------------------------- */

/* The kernels of the case studies, and those studies that tell a broken build from a correct one.
 */
static const char *const studied[] = {
    "simd/softmax/softmax_scaledforms.c",
    "simd/softmax/softmax_scaledsafe.c",
    "simd/studies/e8m0_bits.c",
    "simd/studies/e8m0_libm.c",
    "simd/studies/e8m0_own.c",
    "simd/studies/int8sigmoid_compute.c",
    "simd/studies/int8sigmoid_lookup.c",
    "simd/studies/litmus_maskedtail.c",
    "simd/studies/litmus_plaintail.c",
    "simd/studies/litmus_nancheck.c",
    "simd/studies/litmus_twosum.c",
};
static const char *const studies[] = {"fma-softmax", "e8m0-ceil-log2",    "int8-table-domain",
                                      "masked-tail", "nan-check-deleted", "twosum-vanishes",
                                      NULL};
enum { STUDIED = sizeof studied / sizeof *studied };

int flags_cases_open(struct flags_cases *c, const char *folder, struct error *e)
{
    c->broken = json_object();
    return workshop_open(&c->shop, folder, e);
}

void flags_cases_close(struct flags_cases *c)
{
    workshop_close(&c->shop);
    json_decref(c->broken);
    c->broken = NULL;
}

/* Writes the name of a set's policy. The case studies compare builds with those under `off`, and
 * ask for policies called `fast` and `fastmath`. */
static void name_policy(const struct flag_table *t, flag_set set, char name[FLAGS_NAME_ROOM])
{
    const size_t contract = flag_find(t, "contract");
    const bool fast = contract < t->count && set == flag_bit(contract);
    if (!set || set == t->all || fast)
        snprintf(name, FLAGS_NAME_ROOM, "%s", !set ? "off" : set == t->all ? "fastmath" : "fast");
    else
        snprintf(name, FLAGS_NAME_ROOM, HELD_POLICY "%llx", (unsigned long long)set);
}

static int build(const struct flags_cases *c, const flag_set *sets, size_t count, struct error *e)
{
    struct words variables = {0}, goals = {0}, list = {0}, names = {0};
    char *policies = flags_add_axes(&variables, c->table, c->cc, c->isa, sets, count, name_policy);
    for (size_t i = 0; i < STUDIED; i++) {
        const char *file = strrchr(studied[i], '/') + 1;
        const int length = (int)strcspn(file, ".");
        words_add(&list, "%s", studied[i]);
        words_add(&names, "%.*s", length, file);
        words_add(&variables, "policies_of.%.*s=%s", length, file, policies);
    }
    words_add_variable(&variables, "kernel_sources", &list);
    words_add_variable(&variables, "kernel_names", &names);
    words_add(&goals, "ulplab");
    int code = workshop_make(&c->shop, &variables, &goals, e);
    words_free(&variables);
    words_free(&goals);
    free(policies);
    return code;
}

static void add_name(json_t *names, const char *name)
{
    const json_t *each;
    size_t i;
    json_array_foreach(names, i, each)
    {
        if (!strcmp(json_string_value(each), name)) return;
    }
    json_array_append_new(names, json_string(name));
}

/* Notes for each set the cases that are broken under it. A case that was skipped, or crashed, is
 * not broken. */
static void take(struct flags_cases *c, const json_t *document, const flag_set *sets, size_t count)
{
    const json_t *study, *row;
    size_t i, k;
    for (size_t s = 0; s < count; s++) {
        char name[FLAGS_NAME_ROOM];
        json_t *names = json_array();
        name_policy(c->table, sets[s], name);
        json_array_foreach(json_object_get(document, "cases"), i, study)
        {
            json_array_foreach(json_object_get(study, "rows"), k, row)
            {
                if (json_is_true(json_object_get(row, "broken")) &&
                    !strcmp(record_text(row, "policy"), name))
                    add_name(names, record_text(study, "name"));
            }
        }
        json_object_set_new(c->broken, name, names);
    }
}

int flags_cases_judge(struct flags_cases *c, const flag_set *sets, size_t count, struct error *e)
{
    flag_set *fresh = calloc(count + 3, sizeof *fresh);
    const size_t contract = flag_find(c->table, "contract");
    /* The cases always need these three. */
    const flag_set always[] = {0, c->table->all,
                               contract < c->table->count ? flag_bit(contract) : 0};
    char name[FLAGS_NAME_ROOM];
    size_t n = 0;
    for (size_t i = 0; i < count + 3; i++) {
        const flag_set set = i < 3 ? always[i] : sets[i - 3];
        size_t k = 0;
        while (k < n && fresh[k] != set) k++;
        name_policy(c->table, set, name);
        if (k == n && (i < 3 || !json_object_get(c->broken, name))) fresh[n++] = set;
    }
    int code = 0;
    if (n > 3 || !json_object_size(c->broken)) {
        struct words command = {0};
        json_t *document = NULL;
        code = build(c, fresh, n, e);
        WORDS_ADD(&command, "case", "run");
        words_add_each(&command, studies);
        WORDS_ADD(&command, "--quick", "--json", "--quiet");
        if (!code) code = workshop_ask(&c->shop, &command, 0, &document, e);
        if (!code) take(c, document, fresh, n);
        words_free(&command);
        json_decref(document);
    }
    free(fresh);
    return code;
}

json_t *flags_cases_beyond(const struct flags_cases *c, flag_set set, flag_set other)
{
    char name_of_set[FLAGS_NAME_ROOM], name_of_other[FLAGS_NAME_ROOM];
    const json_t *name, *each;
    size_t i, k;
    if (!c) return json_null();
    name_policy(c->table, set, name_of_set);
    name_policy(c->table, other, name_of_other);
    const json_t *its = json_object_get(c->broken, name_of_set);
    const json_t *others = json_object_get(c->broken, name_of_other);
    if (!its || !others) return json_null();
    json_t *beyond = json_array();
    json_array_foreach(its, i, name)
    {
        bool has = false;
        json_array_foreach(others, k, each) has |= json_equal(each, name);
        if (!has) json_array_append(beyond, (json_t *)(uintptr_t)name);
    }
    return beyond;
}
