/* Which machines, and what is said of each of them. */
#include "publish/site/many.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/load/results.h"

static int by_slug(const void *a, const void *b)
{
    const struct many_machine *x = a, *y = b;
    return strcmp(x->slug, y->slug);
}

static char *text_of(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return strdup(text ? text : "");
}

/* "L1 32 KiB, L2 1 MiB, L3 32 MiB", which machine.json alone has. */
static char *caches_of(const struct lab_db *l, int64_t run)
{
    char *text = NULL, line[200] = "";
    size_t size = 0, used = 0, i;
    struct error ignored; /* a run without it has no caches to show */
    if (lab_read(l, run, "machine.json", &text, &size, &ignored) || !text) return strdup("");
    json_t *document = json_loadb(text, size, 0, NULL), *machine, *cache;
    machine = json_object_get(document, "machine");
    json_array_foreach(json_object_get(json_object_get(machine, "topology"), "caches"), i, cache)
    {
        const double bytes = record_number(cache, "bytes");
        const bool mega = bytes >= 1024 * 1024;
        if (used < sizeof line && bytes > 0)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %g %s",
                                     used ? ", " : "", record_text(cache, "level"),
                                     bytes / (mega ? 1048576 : 1024), mega ? "MiB" : "KiB");
    }
    json_decref(document);
    free(text);
    return strdup(line);
}

static int read_machine(const struct lab_db *l, int64_t run, struct many_machine *machine,
                        struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(l,
                           "SELECT r.codegen, r.accuracy, m.slug, coalesce(m.label, m.brand), "
                           "r.\"commit\", r.started, r.libraries, m.cores FROM runs r "
                           "JOIN machines m ON m.id = r.machine WHERE r.id = ?",
                           &s, e);
    if (code) return code;
    lab_bind(s, "i", run);
    if (sqlite3_step(s) == SQLITE_ROW) {
        char **const texts[] = {&machine->slug, &machine->brand, &machine->commit,
                                &machine->started, &machine->libraries};
        machine->codegen = sqlite3_column_int64(s, 0);
        machine->accuracy = sqlite3_column_int64(s, 1);
        for (int i = 0; i < 5; i++) *texts[i] = text_of(s, 2 + i);
        machine->cores = lab_real(s, 7);
        machine->caches = caches_of(l, run);
    } else {
        code = lab_failed(l, e);
    }
    sqlite3_finalize(s);
    return code;
}

static double limit_of(const struct lab_db *l, int64_t run, const char *where)
{
    char sql[200];
    sqlite3_stmt *s = NULL;
    double value = NAN;
    snprintf(sql, sizeof sql,
             "SELECT max(value) FROM limits WHERE blob = (SELECT timing FROM runs WHERE id = ?) "
             "AND threads = 1 AND %s",
             where);
    if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) != SQLITE_OK) return NAN;
    lab_bind(s, "i", run);
    if (sqlite3_step(s) == SQLITE_ROW) value = lab_real(s, 0);
    sqlite3_finalize(s);
    return value;
}

/* Of each machine its newest run; the oldest stands first in `runs`. */
static int keep_newest(const struct lab_db *l, const int64_t *runs, size_t count, struct many *m,
                       struct error *e)
{
    sqlite3_stmt *s = NULL;
    int code = lab_prepare(l, "SELECT machine FROM runs WHERE id = ?", &s, e);
    for (size_t i = count; !code && i > 0; i--) {
        lab_bind(s, "i", runs[i - 1]);
        if (sqlite3_step(s) != SQLITE_ROW) code = lab_failed(l, e);
        const int64_t machine = code ? 0 : sqlite3_column_int64(s, 0);
        size_t k = 0;
        while (k < m->machine_count && m->machines[k].machine != machine) k++;
        if (!code && k == m->machine_count)
            m->machines[m->machine_count++] =
                (struct many_machine){.run = runs[i - 1], .machine = machine};
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return code;
}

static int read_machines(const struct lab_db *l, struct many *m, struct error *e)
{
    int code = 0;
    for (size_t i = 0; !code && i < m->machine_count; i++) {
        struct many_machine *machine = &m->machines[i];
        code = read_machine(l, machine->run, machine, e);
        machine->load_l1 = limit_of(l, machine->run, "level = 'L1' AND name LIKE 'load-%'");
        machine->load_dram = limit_of(l, machine->run, "level = 'DRAM' AND name LIKE 'load-%'");
        machine->flops = limit_of(l, machine->run, "unit = 'FLOP/s'");
    }
    if (!code) qsort(m->machines, m->machine_count, sizeof *m->machines, by_slug);
    return code;
}

int many_open(const struct lab_db *l, const char *selector, size_t least,
              const char *const *filters, size_t filter_count, struct many **many, struct error *e)
{
    int64_t *runs = NULL;
    size_t count = 0;
    *many = NULL;
    int code = lab_select(l, selector, &runs, &count, e);
    if (code) return code;
    struct many *m = calloc(1, sizeof *m);
    if (m) m->machines = calloc(count + 1, sizeof *m->machines);
    if (!m || !m->machines) code = fail(e, EXIT_PARTIAL, "report: out of memory; free some");
    if (!code) code = keep_newest(l, runs, count, m, e);
    free(runs);
    if (code || m->machine_count <= least) {
        many_free(m);
        return code;
    }
    code = read_machines(l, m, e);
    if (!code) code = many_load(l, filters, filter_count, m, e);
    if (!code) code = many_race_all(m, e);
    if (!code && !m->race_count)
        code = fail(e, EXIT_USAGE, "report: %s: no cell that two machines have; change --filter",
                    l->path);
    if (!code) code = many_learn_bytes(l, m, e);
    if (code)
        many_free(m);
    else
        *many = m;
    return code;
}

void many_free(struct many *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->machine_count; i++) {
        const struct many_machine *x = &m->machines[i];
        char *const texts[] = {x->slug, x->brand, x->commit, x->started, x->libraries, x->caches};
        for (size_t k = 0; k < 6; k++) free(texts[k]);
    }
    for (size_t i = 0; m->variants && i < m->variant_count; i++) {
        free(m->variants[i].id);
        free(m->variants[i].errors);
        free(m->variants[i].codes);
    }
    for (size_t i = 0; i < m->line_count; i++) {
        free(m->lines[i].ns);
        free(m->lines[i].cycles);
        free(m->lines[i].shares);
    }
    free(m->machines);
    free(m->variants);
    free(m->shapes);
    free(m->lines);
    free(m->ops);
    free(m->races);
    free(m);
}
