// SPDX-License-Identifier: MIT
#include "study/flags_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "model/registry.h"

/* The kernels that the cases study, and the cases that tell a broken build from a right one. */
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
static const char *const asked[] = {"fma-softmax", "e8m0-ceil-log2",    "int8-table-domain",
                                    "masked-tail", "nan-check-deleted", "twosum-vanishes"};
enum { STUDIED = sizeof studied / sizeof *studied, ASKED = sizeof asked / sizeof *asked };

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

static const char *key_of(flag_set set, char key[20])
{
    snprintf(key, 20, "%llx", (unsigned long long)set);
    return key;
}

/* The policy's name of a set. The cases compare builds with those under `off`, and ask for what
 * they call `fast` and `fastmath`. */
static void name_policy(const struct flags_cases *c, flag_set set, char *name, size_t size)
{
    const size_t contract = flag_find(c->table, "contract");
    if (!set)
        snprintf(name, size, "off");
    else if (set == c->table->all)
        snprintf(name, size, "fastmath");
    else if (contract < c->table->count && set == flag_bit(contract))
        snprintf(name, size, "fast");
    else
        snprintf(name, size, HELD_POLICY "%llx", (unsigned long long)set);
}

static int build(const struct flags_cases *c, const flag_set *sets, size_t count, struct error *e)
{
    struct words variables = {0}, goals = {0};
    char list[STUDIED * 60] = "", names[STUDIED * 40] = "", policies[FLAGS_MAX * 3 * 24] = "";
    for (size_t i = 0, used = 0; i < STUDIED; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s ", studied[i]);
    for (size_t i = 0, used = 0; i < count; i++) {
        char name[40], text[FLAGS_TEXT_ROOM];
        name_policy(c, sets[i], name, sizeof name);
        used += (size_t)snprintf(policies + used, sizeof policies - used, "%s ", name);
        flag_set_text(c->table, sets[i], false, text, sizeof text);
        words_add(&variables, "policy.%s=%s", name, text);
    }
    for (size_t i = 0, used = 0; i < STUDIED; i++) {
        const char *file = strrchr(studied[i], '/') + 1;
        const int length = (int)strcspn(file, ".");
        used += (size_t)snprintf(names + used, sizeof names - used, "%.*s ", length, file);
        words_add(&variables, "policies_of.%.*s=%s", length, file, policies);
    }
    words_add(&variables, "CCS=%s", workshop_compiler(c->cc));
    words_add(&variables, "ISAS=%s", c->isa);
    words_add(&variables, "POLICIES=%s", policies);
    words_add(&variables, "kernel_sources=%s", list);
    words_add(&variables, "kernel_names=%s", names);
    words_add(&variables, "STORED_POLICIES=");
    words_add(&variables, "OPTIMISE=");
    words_add(&variables, "DISTINCT=0");
    words_add(&goals, "ulplab");
    int code = workshop_make(&c->shop, &variables, &goals, e);
    words_free(&variables);
    words_free(&goals);
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

/* A case that was skipped, or died, says nothing of any set. */
static void take(struct flags_cases *c, const json_t *document, const flag_set *sets, size_t count)
{
    const json_t *study, *row;
    size_t i, k;
    for (size_t s = 0; s < count; s++) {
        char key[20], name[40];
        json_t *names = json_array();
        name_policy(c, sets[s], name, sizeof name);
        json_array_foreach(json_object_get(document, "cases"), i, study)
        {
            json_array_foreach(json_object_get(study, "rows"), k, row)
            {
                if (json_is_true(json_object_get(row, "broken")) &&
                    !strcmp(record_text(row, "policy"), name))
                    add_name(names, record_text(study, "name"));
            }
        }
        json_object_set_new(c->broken, key_of(sets[s], key), names);
    }
}

int flags_cases_judge(struct flags_cases *c, const flag_set *sets, size_t count, struct error *e)
{
    flag_set *fresh = calloc(count + 3, sizeof *fresh);
    const size_t contract = flag_find(c->table, "contract");
    /* The cases need these three beside whatever is asked. */
    const flag_set always[] = {0, c->table->all,
                               contract < c->table->count ? flag_bit(contract) : 0};
    char key[20];
    size_t n = 0;
    for (size_t i = 0; i < count + 3; i++) {
        const flag_set set = i < 3 ? always[i] : sets[i - 3];
        size_t k = 0;
        while (k < n && fresh[k] != set) k++;
        if (k == n && (i < 3 || !json_object_get(c->broken, key_of(set, key)))) fresh[n++] = set;
    }
    int code = 0;
    if (n > 3 || !json_object_size(c->broken)) {
        struct words command = {0};
        json_t *document = NULL;
        code = build(c, fresh, n, e);
        words_add(&command, "case");
        words_add(&command, "run");
        for (size_t i = 0; i < ASKED; i++) words_add(&command, "%s", asked[i]);
        words_add(&command, "--quick");
        words_add(&command, "--json");
        words_add(&command, "--quiet");
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
    char key[20];
    const json_t *its = c ? json_object_get(c->broken, key_of(set, key)) : NULL;
    const json_t *others = c ? json_object_get(c->broken, key_of(other, key)) : NULL;
    const json_t *name, *each;
    size_t i, k;
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
