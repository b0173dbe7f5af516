// SPDX-License-Identifier: MIT
#include "cmd/common.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/error.h"
#include "machine/machine.h"
#include "measure/peers.h"
#include "model/record.h"
#include "publish/db/names.h"
#include "publish/render/query.h"
#include "publish/render/rows.h"

int open_variants(const struct options *o, struct cpu *cpu, struct registry *r, struct error *e)
{
    int code = cpu_detect(cpu, o->hide_isa, e);
    return code ? code : registry_open(r, cpu, o->filters.items, o->filters.count, e);
}

int open_all_variants(const struct options *o, struct cpu *cpu, struct registry *r, struct error *e)
{
    struct error ignored;
    const char *const *filters = o->filters.items;
    int code = cpu_detect(cpu, o->hide_isa, e);
    if (code) return code;
    code = registry_open_peers(r, cpu, filters, o->filters.count, o->peers, e);
    if (code == EXIT_USAGE && !o->peers &&
        registry_open_peers(r, cpu, filters, o->filters.count, true, &ignored) == 0)
        code = 0;
    if (!code) peers_probe(r);
    return code;
}

void note_conversion(const char *path, const struct npy *array, const struct registry *r)
{
    char text[1100];
    bool rounds = !array->doubles || !r;
    for (size_t i = 0; r && i < r->count; i++)
        rounds = rounds || strcmp(r->variants[i].dtype, "f64") != 0;
    npy_note(path, array, text, sizeof text);
    if (text[0] && rounds) note("%s", text);
}

int read_array(const char *path, struct npy *array, struct error *e)
{
    int code = npy_read(path, array, e);
    if (!code) note_conversion(path, array, NULL);
    return code;
}

json_t *input_record(const struct options *o, const struct npy *array)
{
    if (!o->input) return json_null();
    uint64_t hash =
        hash_bytes(HASH_BASIS, array->data, array->rows * array->cols * sizeof *array->data);
    return json_pack("{s:s, s:I, s:I, s:o}", "file", o->input, "rows", (json_int_t)array->rows, "n",
                     (json_int_t)array->cols, "hash",
                     json_sprintf("%016llx", (unsigned long long)hash));
}

json_t *new_document(const struct cpu *cpu)
{
    return record_document(machine_record(cpu));
}

int print_document(json_t *document, int code, struct error *e)
{
    struct error unwritable = {""};
    int printed = record_print(document, &unwritable);
    if (!printed) return code;
    *e = unwritable;
    return printed;
}

int print_query(const struct options *o, const struct lab_db *l, const char *document,
                const char *text, struct error *e)
{
    if (!o->json) return query_print(l, text, o->quiet, stdout, e);
    json_t *found = rows_document(l, document, e);
    return found ? record_print(found, e) : EXIT_BAD_INPUT;
}

const char usual_gates[] = " error lost time promised ";

void gate_kinds(const struct options *o, char kinds[GATE_ROOM])
{
    if (!option_given(o, "gate")) {
        *kinds = '\0';
        return;
    }
    int used = snprintf(kinds, GATE_ROOM, "%s", o->gate.count ? " error lost " : usual_gates);
    for (size_t i = 0; i < o->gate.count; i++)
        if (!strstr(kinds, o->gate.items[i]))
            used += snprintf(kinds + used, GATE_ROOM - (size_t)used, "%s ", o->gate.items[i]);
}

void gate_kinds_of_threshold(const struct options *o, char kinds[GATE_ROOM])
{
    gate_kinds(o, kinds);
    if (!*kinds && o->threshold.given) snprintf(kinds, GATE_ROOM, "%s", usual_gates);
}

void note_nothing_measured(const char *command, size_t skipped, size_t all, const char *what)
{
    if (all && skipped == all)
        note("%s: nothing was measured and no promise checked: all %zu %s were skipped", command,
             all, what);
}

const char *text_or_dash(const json_t *row, const char *key)
{
    const char *text = record_text(row, key);
    return *text ? text : "-";
}

void short_name(const char *id, char name[SHORT_NAME_MAX])
{
    struct axes a;
    if (!axes_parse(id, &a)) {
        snprintf(name, SHORT_NAME_MAX, "%s", id);
        return;
    }
    bool usual = !strcmp(a.dtype, "f32");
    snprintf(name, SHORT_NAME_MAX, "%s%s%s %s %s %s", a.algorithm, usual ? "" : " ",
             usual ? "" : a.dtype, a.isa, a.cc, a.policy);
}
