// SPDX-License-Identifier: MIT
#include "study/flags_records.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "build.h"
#include "model/fp_flags.h"
#include "model/record.h"

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

/* Puts the fields of an effect under their names behind a prefix: "" or "all_". */
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

/* Returns the part of the answer's set that its words have; all of it where they are all flags. */
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
    /* Linking with -ffast-math comes on top of all its parts. */
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
    /* The cost without the macro that headers test as well: the flag's worth where no libmvec is
     * called. */
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
    /* Whether the parts together have the machine code of --all as it was written. */
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
