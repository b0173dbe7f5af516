// SPDX-License-Identifier: MIT
#include "cmd/common.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "cmd/run_place.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#include "measure/accuracy.h"
#include "measure/peers.h"
#include "model/record.h"
#include "publish/db/names.h"
#include "publish/render/query.h"
#include "publish/render/rows.h"
#include "publish/sql/found.h"
#include "study/workshop.h"

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

int open_one(const char *what, const char *text, const struct cpu *cpu, bool peers,
             struct registry *r, const struct variant **v, struct error *e)
{
    int code = registry_open_peers(r, cpu, &text, 1, peers, e);
    if (code) return code;
    *v = registry_find(r, text);
    if (!*v && r->count == 1) *v = &r->variants[0];
    if (!*v)
        code = fail(e, EXIT_USAGE,
                    "%s: '%s': matches %zu variants, such as %s; give one id of 'ulplab list'",
                    what, text, r->count, r->variants[0].id);
    else if ((*v)->status != STATUS_OK)
        code = fail(e, EXIT_USAGE, "%s: %s: %s: %s; choose one that can run here", what, (*v)->id,
                    status_name((*v)->status), (*v)->reason);
    if (code) registry_close(r);
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

int print_found(const struct options *o, json_t *document, const char *sql, int code,
                struct error *e)
{
    struct lab_db l;
    struct error unprinted = {""};
    if (o->json) return print_document(document, code, e);
    int printed = found_open(&l, document, &unprinted);
    json_decref(document);
    if (!printed) {
        printed = query_print(&l, sql, o->quiet, stdout, &unprinted);
        lab_close(&l);
    }
    if (printed) *e = unprinted;
    return printed ? printed : code;
}

void add_kind(json_t *document, const char *list, const json_t *records, const char *kind)
{
    json_t *record, *added = json_array();
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)records, i, record)
    {
        if (!strcmp(record_text(record, "record"), kind)) json_array_append(added, record);
    }
    json_object_set_new(document, list, added);
}

/* Returns the document's list of that name, which is made where it is not there. */
static json_t *list_of(json_t *document, const char *name)
{
    if (!json_object_get(document, name)) json_object_set_new(document, name, json_array());
    return json_object_get(document, name);
}

void add_note(const struct options *o, json_t *document, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!o->json) json_array_append_new(list_of(document, "notes"), json_vsprintf(format, args));
    va_end(args);
}

void add_left_out(const struct options *o, json_t *document, const struct registry *r,
                  const char *op)
{
    for (size_t i = 0; i < r->count && !o->json; i++) {
        const struct variant *v = &r->variants[i];
        if (v->status != STATUS_OK && (!op || !strcmp(v->op, op)))
            json_array_append_new(list_of(document, "left_out"),
                                  json_pack("{s:s, s:s, s:s}", "id", v->id, "status",
                                            status_name(v->status), "reason", v->reason));
    }
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

/* ---- Folders of results --------------------------------------------------------------------- */

int folder_word(const char *what, const char *word, char *folder, size_t size, struct error *e)
{
    if ((size_t)snprintf(folder, size, "%s", word) < size) return 0;
    return fail(e, EXIT_USAGE, "%s: %.40s..: longer than %zu bytes; name a shorter path", what,
                word, size - 1);
}

/* The path exists, but is not a folder of results. */
static bool is_something_else(const char *word, bool values)
{
    struct stat st;
    if (values && !strchr(word, '/')) return false;
    return !record_is_folder(word) && stat(word, &st) == 0;
}

int keep_result_folders(const char *command, bool values, const struct strings *words,
                        struct strings *kept, struct error *e)
{
    *kept = (struct strings){.count = 0};
    for (size_t i = 0; i < words->count; i++)
        if (words->count > 1 && is_something_else(words->items[i], values))
            note("skipped: %s: no folder of results", words->items[i]);
        else
            kept->items[kept->count++] = words->items[i];
    if (kept->count || !words->count) return 0;
    return fail(e, EXIT_BAD_INPUT,
                "%s: none of %zu names is a folder of results; 'ulplab run' makes one", command,
                words->count);
}

/* The places of this CPU's results under the current folder. */
struct places {
    char local[100], published[100];
};

static int find_places(struct places *p, struct error *e)
{
    struct cpu cpu;
    char slug[64];
    int code = cpu_detect(&cpu, NULL, e);
    if (code) return code;
    machine_slug(&cpu, slug, sizeof slug);
    snprintf(p->local, sizeof p->local, "results/local/%s", slug);
    snprintf(p->published, sizeof p->published, "results/%s", slug);
    return 0;
}

static bool folder_is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Reads the start of the folder's run; "" if it is unknown or lies in the future. Returns false if
 * there is no run. */
static bool began(const char *folder, char date[DATE_SIZE])
{
    struct error none;
    json_t *machine;
    char now[DATE_SIZE];
    const bool there = record_read_machine(folder, &machine, &none) == 0;
    snprintf(date, DATE_SIZE, "%s", there ? record_text(machine, "started") : "");
    date_now(now);
    if (strcmp(date, now) > 0) date[0] = '\0';
    json_decref(machine);
    return there;
}

static const char *newest(const struct places *p)
{
    char local[DATE_SIZE], published[DATE_SIZE];
    const bool has_local = began(p->local, local), has_published = began(p->published, published);
    const bool newer = has_published && (!has_local || strcmp(published, local) > 0);
    return newer ? p->published : p->local;
}

int results_folder(const struct options *o, char *folder, size_t size, struct error *e)
{
    struct places p;
    if (o->out) return folder_word("--out", o->out, folder, size, e);
    int code = find_places(&p, e);
    if (code) return code;
    if (!folder_is_there(p.local) && folder_is_there(p.published))
        code = record_outliving_copy(p.published, p.local, e);
    snprintf(folder, size, "%s", p.local);
    return code;
}

int results_to_read(const struct options *o, char *folder, size_t size, struct error *e)
{
    struct places p;
    if (o->out) return folder_word("--out", o->out, folder, size, e);
    int code = find_places(&p, e);
    if (!code) snprintf(folder, size, "%s", newest(&p));
    return code;
}

/* A name relative to the current folder, where that is the lab's, is the same on every machine. */
static int finds_of_the_lab(char *folder, size_t size, struct error *e)
{
    char root[PATH_MAX], path[PATH_MAX + 16], here[PATH_MAX];
    const bool elsewhere =
        workshop_sources(root) && (!getcwd(here, sizeof here) || strcmp(root, here) != 0);
    snprintf(path, sizeof path, "%s%sresults", elsewhere ? root : "", elsewhere ? "/" : "");
    return folder_word("the lab's sources", path, folder, size, e);
}

int finds_folder(const struct options *o, char *folder, size_t size, struct error *e)
{
    return o->out ? folder_word("--out", o->out, folder, size, e)
                  : finds_of_the_lab(folder, size, e);
}

int finds_to_replay(const struct options *o, char *folder, size_t size, struct error *e)
{
    char path[PATH_MAX];
    int code = finds_folder(o, folder, size, e);
    snprintf(path, sizeof path, "%s/" ADVERSARIAL, folder);
    return !code && o->out && !folder_is_there(path) ? finds_of_the_lab(folder, size, e) : code;
}

int refuse_second_folder(const char *command, const struct options *o, const char *word,
                         struct error *e)
{
    if (!o->out) return 0;
    return fail(e, EXIT_USAGE, "%s: --out: %s is the folder of results; leave --out out", command,
                word);
}

int named_folder(const char *command, const struct options *o, char *folder, size_t size,
                 struct error *e)
{
    struct strings words;
    int code = keep_result_folders(command, false, &o->positional, &words, e);
    if (code) return code;
    if (words.count > 1)
        return fail(e, EXIT_USAGE, "%s: %zu folders; give one", command, words.count);
    code = words.count ? folder_word(command, words.items[0], folder, size, e)
                       : results_to_read(o, folder, size, e);
    if (!code && words.count) code = refuse_second_folder(command, o, folder, e);
    if (!code && !o->quiet) run_place_note(folder);
    return code;
}
