// SPDX-License-Identifier: MIT
/* flags: which compiler flag pays, which breaks. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "build.h"
#include "cmd/common.h"
#include "cmd/parameters.h"
#include "measure/cell.h"
#include "model/record.h"
#include "publish/policy/policy.h"
#include "publish/db/db.h"
#include "publish/sections/sections.h"
#include "publish/sql/judge.h"
#include "study/flags.h"
#include "study/trial.h"

/* ---- What is asked --------------------------------------------------------------------------- */

/* Writes the words of --allow, each once and in one order. */
static void allow(json_t *allowed, const struct strings *words)
{
    static const char *const known[] = {"lost", "errors", "no-bits"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t i = 0;
        while (i < words->count && strcmp(words->items[i], known[k]) != 0) i++;
        if (i < words->count) json_array_append_new(allowed, json_string(known[k]));
    }
}

/* Chooses the widest ISA that all kernels are built for and this CPU has. */
static int choose_isa(const struct options *o, const struct cpu *cpu, const char **isa,
                      struct error *e)
{
    static const char *const widest[] = {"avx512", "avx2", "scalar"};
    char why[128] = "";
    if (o->isa && cpu_supports(cpu, o->isa, why, sizeof why)) return *isa = o->isa, 0;
    if (o->isa) return fail(e, EXIT_USAGE, "--isa: %s: %s; choose another", o->isa, why);
    for (size_t i = 0; i < 3; i++)
        if (cpu_supports(cpu, widest[i], why, sizeof why)) return *isa = widest[i], 0;
    return fail(e, EXIT_USAGE, "flags: %s", why);
}

struct asked {
    struct flags_plan plan;
    const char *ccs[LIST_MAX];
    char folder[PATH_MAX], out[1000];
    json_t *allow;
};

static int flags_ask_for(const struct options *o, const struct cpu *cpu, struct asked *a,
                         struct error *e)
{
    struct flags_plan *p = &a->plan;
    *p = flags_plan_default();
    p->cpu = cpu;
    p->kernels = o->positional.items;
    p->kernel_count = o->positional.count;
    p->own = o->own_flags.items;
    p->own_count = o->own_flags.count;
    p->every = o->full;
    p->cases = o->cases;
    p->quiet = o->quiet;
    p->folder = a->folder;
    p->judge = judge_flags;
    p->request.wish.allow = a->allow = json_array();
    p->ccs = o->ccs.count ? o->ccs.items : a->ccs;
    p->cc_count = o->ccs.count;
    for (size_t i = 0; !o->ccs.count && i < build_compiler_count && i < LIST_MAX; i++)
        a->ccs[p->cc_count++] = build_compilers[i].cc;
    for (size_t i = 0; i < p->cc_count; i++)
        if (strchr(p->ccs[i], '/'))
            return fail(
                e, EXIT_USAGE,
                "--cc: '%s': not the name of a compiler; build with make CCS='%s', and name it "
                "as 'ulplab list' does",
                p->ccs[i], p->ccs[i]);
    if (o->base) p->request.base = o->base;
    if (o->all) p->request.all = o->all;
    if (o->processes) p->request.wish.processes = o->processes;
    if (o->kept_gain.given) p->request.wish.keep = o->kept_gain.value / 100;
    if (o->shapes.count) p->shapes = o->shapes.items[0];
    if (o->shapes.count > 1)
        return fail(e, EXIT_USAGE, "flags: --shapes: give one; all of its sizes are timed");
    if (!(p->request.wish.keep > 0 && p->request.wish.keep <= 1))
        return fail(e, EXIT_USAGE, "--gain: %g: want a share above 0 and up to 100",
                    o->kept_gain.value);
    if (p->request.wish.processes < 3)
        return fail(e, EXIT_USAGE, "flags: --processes: an interval needs 3 or more");
    workshop_beside("flags", a->folder, sizeof a->folder);
    allow(a->allow, &o->allow);
    int code = bench_check_shapes(&p->shapes, 1, e);
    if (!code) code = choose_isa(o, cpu, &p->isa, e);
    return code ? code : results_folder(o, a->out, sizeof a->out, e);
}

/* ---- The records ----------------------------------------------------------------------------- */

/* The records of flags.jsonl in the folder, and those of this call. */
struct store {
    const char *folder;
    json_t *kept, *found;
};

/* Takes a record, and writes the file anew when that is a cell's last one, its answer. */
static int keep(void *context, json_t *record, struct error *e)
{
    static const char *const keys[] = {"op",  "algorithm", "isa",      "cc", "base",
                                       "all", "file",      "function", NULL};
    struct store *s = context;
    char path[1100];
    json_array_append_new(s->found, record);
    if (strcmp(record_text(record, "record"), "flag-set") != 0) return 0;
    json_t *cell = json_array(), *each, *old = s->kept;
    size_t i;
    json_array_foreach(s->found, i, each)
    {
        if (records_agree(each, record, keys)) json_array_append(cell, each);
    }
    s->kept = records_replaced(old, cell, keys);
    json_decref(old);
    json_decref(cell);
    snprintf(path, sizeof path, "%s/flags.jsonl", s->folder);
    return record_write_file(path, s->kept, e);
}

static int open_store(struct store *s, const char *folder, struct error *e)
{
    *s = (struct store){.folder = folder, .found = json_array()};
    int code = folder_make(folder, e);
    if (!code) code = record_read_from(folder, "flags.jsonl", true, &s->kept, e);
    return code;
}

/* ---- Somebody's function --------------------------------------------------------------------- */

struct function {
    struct trial_request request;
    struct trial trial;
    struct words make;
    char path[PATH_MAX], labs[PATH_MAX + 8];
    const char *kernel;
};

/* The function's kernel file is the only kernel that is measured. */
static int take_function(const struct options *o, const struct cpu *cpu, struct function *f,
                         struct flags_plan *p, struct error *e)
{
    f->request = function_request(o, o->function, p->isa);
    if (o->positional.count != 1)
        return fail(e, EXIT_USAGE, "flags: --function: name the one file that has it");
    int code = trial_kernel_file(&f->trial, &f->request, cpu, f->path, sizeof f->path, &f->make, e);
    f->kernel = f->path;
    /* The small labs go with the kernel file: the next one has another path. */
    snprintf(f->labs, sizeof f->labs, "%s/labs", f->trial.workshop.folder);
    p->folder = f->labs;
    p->kernels = &f->kernel;
    p->needs = &f->make;
    p->of = o->positional.items[0];
    p->function = o->function;
    return code;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Prints the report's two sections of flags, of these records. */
static int print_sections(const json_t *document, const json_t *records, struct error *e)
{
    static const char *const wanted[] = {"flags", "flag_sets"};
    const struct terminal terminal = terminal_of(stdout);
    const struct doc d = {.out = stdout, .terminal = &terminal};
    struct report r = {.bar = advice_bar};
    int code =
        db_read_records(&r.db, document, "flags.jsonl", (const json_t *const[]){records}, 1, e);
    if (code) return code;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (const struct section *s = sections; s->id; s++)
            if (!strcmp(s->id, wanted[i])) section_write(s, &r, &d);
    lab_close(&r.db);
    return 0;
}

static int flags_show(const struct options *o, const struct cpu *cpu, json_t *records,
                      struct error *e)
{
    if (o->emit) return flags_emit(records, o->emit, stdout, e);
    json_t *document = new_document(cpu);
    if (!o->json) {
        int code = print_sections(document, records, e);
        json_decref(document);
        return code;
    }
    json_object_set(document, "records", records);
    return print_document(document, 0, e);
}

int cmd_flags(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct asked a = {.allow = NULL};
    struct store s;
    struct function *function = NULL;
    int code = cpu_detect(&cpu, o->hide_isa, e);
    if (!code) code = flags_ask_for(o, &cpu, &a, e);
    if (!code) code = open_store(&s, a.out, e);
    if (code) {
        json_decref(a.allow);
        return code;
    }
    json_t *done = o->resume ? json_copy(s.kept) : NULL;
    a.plan.done = done;
    if (o->function) {
        function = memory_zeroed(1, sizeof *function);
        code = take_function(o, &cpu, function, &a.plan, e);
    }
    if (!code) code = flags_run(&a.plan, (struct record_sink){keep, &s}, e);
    if (function) {
        trial_close(&function->trial);
        words_free(&function->make);
        free(function);
    }
    if (!code) code = flags_show(o, &cpu, s.found, e);
    json_decref(done);
    json_decref(a.allow);
    json_decref(s.kept);
    json_decref(s.found);
    return code;
}
