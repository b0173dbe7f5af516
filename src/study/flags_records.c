// SPDX-License-Identifier: MIT
#include "study/flags_records.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "build.h"
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
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "file",
                     slash ? slash + 1 : file, "record", kind, "op", k->op, "algorithm",
                     k->algorithm, "isa", lab->isa, "cc", lab->cc, "version", version, "base",
                     q->base, "all", q->all, "shapes", lab->shapes, "commit", build_commit);
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

/* Returns where an error grows most. The input of a row operation is a whole row, which its seed
 * makes again. */
static json_t *worst_of(const json_t *row)
{
    const json_t *at = json_object_get(row, "max_at");
    json_t *worst = json_pack("{s:s, s:O, s:O}", "family", record_text(row, "family"), "n",
                              json_object_get(row, "n"), "lost", json_object_get(row, "lost"));
    if (json_is_object(at)) json_object_update(worst, (json_t *)(uintptr_t)at);
    return worst;
}

static void put_effect(json_t *record, const struct flags_effect *f)
{
    put(record, "bits", f->known ? json_boolean(f->bits) : json_null());
    put(record, "specials", f->known ? json_boolean(f->special) : json_null());
    put(record, "broken", f->known ? json_boolean(f->broken) : json_null());
    put(record, "lost", f->known ? json_integer((json_int_t)f->lost) : json_null());
    put(record, "flushed", f->known ? json_integer((json_int_t)f->flushed) : json_null());
    record_put_figure(record, "error", f->error);
    record_put_figure(record, "error_of_base", f->of_base);
    put(record, "unit", json_string(f->unit));
    put(record, "worst", f->worst ? worst_of(f->worst) : json_null());
}

static json_t *names_of(const struct flag_table *t, flag_set set)
{
    json_t *names = json_array();
    for (size_t i = 0; i < t->count; i++)
        if (set & flag_bit(i)) json_array_append_new(names, json_string(t->rows[i].name));
    return names;
}

static json_t *text_of(const struct flag_table *t, flag_set set)
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
    const struct flags_effect effect = flags_search_effect(lab, alone);
    json_t *record = head_of(lab, q, "flag", version);
    put(record, "name", json_string(f->name));
    put(record, "kind", json_string(flag_kind_name(f->kind)));
    put(record, "flag", json_string(f->said ? f->said : f->flags));
    put(record, "needs", text_of(t, alone & ~flag_bit(row)));
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
    put_effect(record, &effect);
    put(record, "breaks", flags_cases_beyond(cases, alone, 0));
    put(record, "mends", left_out ? flags_cases_beyond(cases, all, rest) : json_null());
    return record;
}

json_t *flags_allow_record(const struct flags_allowance *a)
{
    return json_pack("[s*, s*]", a->lost ? "lost" : NULL, a->bits ? NULL : "no-bits");
}

static json_t *set_record(const struct flags_lab *lab, const struct flags_found *found,
                          const struct flags_request *q, const char *version,
                          const struct flags_cases *cases)
{
    const struct flag_table *t = &lab->table;
    const struct flags_choice *c = &found->choice;
    char sentence[600];
    json_t *record = head_of(lab, q, "flag-set", version);
    put(record, "keep", record_real(q->wish.keep));
    put(record, "allow", flags_allow_record(&q->wish.allowed));
    put(record, "pays", json_boolean(c->pays));
    put(record, "names", names_of(t, c->set));
    put(record, "flags", text_of(t, c->set));
    put(record, "best", text_of(t, c->best));
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
    put_effect(record, &c->effect);
    put(record, "breaks", flags_cases_beyond(cases, c->set, 0));
    put(record, "all_lost",
        c->all_effect.known ? json_integer((json_int_t)c->all_effect.lost) : json_null());
    put(record, "all_broken",
        c->all_effect.known ? json_boolean(c->all_effect.broken) : json_null());
    put(record, "all_bits", c->all_effect.known ? json_boolean(c->all_effect.bits) : json_null());
    flags_sentence(record, sentence, sizeof sentence);
    put(record, "sentence", json_string(sentence));
    return record;
}

json_t *flags_records(const struct flags_lab *lab, const struct flags_found *found,
                      const struct flags_request *request, const char *version,
                      const struct flags_cases *cases)
{
    json_t *records = json_array();
    for (size_t i = 0; i < lab->table.count; i++)
        if ((lab->table.known & flag_bit(i)) && lab->table.rows[i].kind != FLAG_WHOLE)
            json_array_append_new(records, flag_record(lab, found, request, version, cases, i));
    json_array_append_new(records, set_record(lab, found, request, version, cases));
    return records;
}

/* ---- In words -------------------------------------------------------------------------------- */

/* Writes what a set does harm: "lost 14 results and breaks a promise", or "". */
static void harm_of(const json_t *set, char *text, size_t size)
{
    const double lost = record_number(set, "all_lost");
    const bool broken = json_is_true(json_object_get(set, "all_broken"));
    text[0] = '\0';
    if (lost > 0)
        snprintf(text, size, "loses %s results%s", number_digits(lost, 15).text,
                 broken ? " and breaks a promise" : "");
    else if (broken)
        snprintf(text, size, "breaks a promise");
}

void flags_sentence(const json_t *set, char *text, size_t size)
{
    char harm[80];
    const char *all = record_text(set, "all"), *flags = record_text(set, "flags");
    const double speed = record_number(set, "speed"), whole = record_number(set, "all_speed");
    harm_of(set, harm, sizeof harm);
    if (json_is_true(json_object_get(set, "pays")))
        snprintf(text, size,
                 "`%s`: %s times as fast as %s, %.0f%% of the gain that may be had%s%s; %s: %s "
                 "times%s%s",
                 flags, number_digits(speed, 3).text, record_text(set, "base"),
                 100 * record_number(set, "kept"),
                 json_is_true(json_object_get(set, "bits")) ? ", with other bits"
                                                            : ", with the same bits",
                 record_number(set, "lost") > 0 ? ", and results lost" : "", all,
                 number_digits(whole, 3).text, *harm ? ", and " : "", harm);
    else
        snprintf(text, size, "no flag: none that may be had is faster than %s; %s: %s times%s%s",
                 record_text(set, "base"), all, number_digits(whole, 3).text, *harm ? ", and " : "",
                 harm);
}
