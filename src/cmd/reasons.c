// SPDX-License-Identifier: MIT
#include "cmd/reasons.h"

#include <stdio.h>
#include <string.h>

#include "model/record.h"

/* told: {"status: reason": [first id, how many]}, in the order in which they were met. */
static void reasons_add(json_t *told, const char *id, const char *status, const char *reason)
{
    char words[1200];
    if (!*reason && (!*status || !strcmp(status, "ok"))) return;
    snprintf(words, sizeof words, "%s%s%s", status, *reason ? ": " : "", reason);
    json_t *known = json_object_get(told, words);
    if (!known)
        json_object_set_new(told, words, json_pack("[s, i]", id, 1));
    else
        json_array_set_new(known, 1,
                           json_integer(json_integer_value(json_array_get(known, 1)) + 1));
}

/* The row of a litmus kernel describes a regime. */
static void name_row(const json_t *row, char *name, size_t size)
{
    const char *id = record_text(row, "id");
    if (*id)
        snprintf(name, size, "%s", id);
    else
        snprintf(name, size, "%s %s %s", record_text(row, "isa"), record_text(row, "cc"),
                 record_text(row, "policy"));
}

static void print_and_free(json_t *told, const char *what, struct terminal terminal)
{
    const char *words;
    json_t *one;
    json_object_foreach(told, words, one)
    {
        const char *id = json_string_value(json_array_get(one, 0));
        const long long more = json_integer_value(json_array_get(one, 1)) - 1;
        char others[60] = "";
        if (more)
            snprintf(others, sizeof others, " and %lld more %s%s", more, what, more > 1 ? "s" : "");
        write_prose(stdout, terminal, 2, "%s%s: %s", id, others, words);
    }
    json_decref(told);
}

void print_reasons(const json_t *rows, struct terminal terminal)
{
    json_t *told = json_object();
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        char name[512];
        name_row(row, name, sizeof name);
        reasons_add(told, name, record_text(row, "status"), record_text(row, "reason"));
    }
    print_and_free(told, "row", terminal);
}

void print_left_out(const struct registry *r, const char *op, struct terminal terminal)
{
    json_t *told = json_object();
    for (size_t i = 0; i < r->count; i++) {
        const struct variant *v = &r->variants[i];
        if (v->status != STATUS_OK && (!op || !strcmp(v->op, op)))
            reasons_add(told, v->id, status_name(v->status), v->reason);
    }
    print_and_free(told, "variant", terminal);
}
