// SPDX-License-Identifier: MIT
#include "study/explain_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "model/record.h"
#include "study/explain_binding.h"
#include "study/explain_loops.h"
#include "study/mca.h"

static void put_pipes(unsigned set, char text[PIPES_MAX + 1])
{
    size_t used = 0;
    for (unsigned i = 0; i < PIPES_MAX; i++)
        if (set >> i & 1) text[used++] = (char)('0' + i);
    text[used] = '\0';
}

/* Names what takes most cycles of a pass: the vector pipes, loads, stores, or general registers. */
static void ports_words(const struct explained_loop *l, char *text, size_t size)
{
    const struct {
        const char *what;
        double cycles;
    } others[] = {{"loads", l->load_cycles},
                  {"stores", l->store_cycles},
                  {"general registers", l->general_cycles}};
    char pipes[PIPES_MAX + 1];
    size_t most = 0;
    for (size_t i = 1; i < 3; i++)
        if (others[i].cycles > others[most].cycles) most = i;
    put_pipes(l->busiest, pipes);
    if (others[most].cycles > l->pipes_cycles)
        snprintf(text, size, "ports: %s take %.1f of its %.1f cycles", others[most].what,
                 others[most].cycles, l->facts.model);
    else
        snprintf(text, size,
                 "ports: what runs on vector pipes %s alone takes %.1f of its %.1f cycles", pipes,
                 l->pipes_cycles, l->facts.model);
}

/* Names what makes the code wait: a chain from pass to pass, or more waiting instructions than the
 * core has room for. */
static void latency_words(const struct binding_facts *f, double chain, const struct core *core,
                          char *text, size_t size)
{
    if (f->without_window < 0.9 * f->model && chain < 0.8 * f->model)
        snprintf(text, size,
                 "latency: instructions wait for each other, and the core has room for %.0f vector "
                 "instructions that wait and %.0f in all; with more room %.2f of the time",
                 core->scheduler, core->window, f->without_window / f->model);
    else
        snprintf(text, size,
                 "latency: a chain of instructions, each of which needs the one before, takes %.1f "
                 "of %.1f cycles",
                 chain, f->model);
}

static void together_words(const struct binding_facts *f, char *text, size_t size)
{
    snprintf(text, size,
             "nothing alone: without ports %.2f, without latency %.2f, without the front end %.2f "
             "of the time",
             f->without_ports / f->model, f->without_latency / f->model,
             f->without_front_end / f->model);
}

void explain_loop_words(const struct explained_loop *l, const struct core *core, char *text,
                        size_t size)
{
    switch (l->binds) {
    case BINDS_PORTS:
        ports_words(l, text, size);
        break;
    case BINDS_LATENCY:
        latency_words(&l->facts, l->chain_cycles, core, text, size);
        break;
    case BINDS_FRONT_END:
        snprintf(text, size, "front end: %.0f instructions, %.1f of which start in a cycle",
                 l->instructions, core->slots);
        break;
    default:
        together_words(&l->facts, text, size);
    }
}

static void memory_words(const struct explained *x, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "memory: lines of 64 bytes from");
    for (enum level l = LEVEL_L2; l < LEVELS && used < size; l++)
        if (x->lines[l] > 0)
            used +=
                (size_t)snprintf(text + used, size - used, " %s %.0f,", level_name(l), x->lines[l]);
    if (used < size)
        snprintf(text + used, size - used, " take %.0f cycles at best, the core %.0f",
                 x->facts.memory, x->facts.model);
}

void explain_words(const struct explained *x, const struct core *core, char *text, size_t size)
{
    switch (x->binds) {
    case BINDS_SUBNORMALS:
        snprintf(text, size, "subnormals: with them flushed to zero %.2f of the time",
                 x->facts.flushed / x->facts.measured);
        break;
    case BINDS_LIBRARY:
        snprintf(text, size, "library: %.0f%% of the time is in %s%s%s",
                 100 * x->facts.library_share,
                 x->library[0] ? x->library : "code outside of the program",
                 x->function[0] ? ", " : "", x->function);
        break;
    case BINDS_MEMORY:
        memory_words(x, text, size);
        break;
    default:
        if (x->loop_count && x->loops[0].binds == x->binds && x->loops[0].share > 0.5)
            explain_loop_words(&x->loops[0], core, text, size);
        else if (x->binds == BINDS_TOGETHER)
            together_words(&x->facts, text, size);
        else
            snprintf(text, size, "%s: without %.2f of the time", binding_name(x->binds),
                     (x->binds == BINDS_PORTS     ? x->facts.without_ports
                      : x->binds == BINDS_LATENCY ? x->facts.without_latency
                                                  : x->facts.without_front_end) /
                         x->facts.model);
    }
}

/* ---- Records --------------------------------------------------------------------------------- */

static json_t *facts_record(const struct binding_facts *f, double scale)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "model", record_real(scale * f->model),
                     "without_ports", record_real(scale * f->without_ports), "without_latency",
                     record_real(scale * f->without_latency), "without_front_end",
                     record_real(scale * f->without_front_end), "without_window",
                     record_real(scale * f->without_window));
}

static json_t *explain_words_instruction_record(const struct op *op)
{
    char code[96] = "", pipes[PIPES_MAX + 1] = "";
    op_text(op, code, sizeof code);
    if (op->compute.set < 1u << PIPES_MAX) put_pipes(op->compute.set, pipes);
    return json_pack("{s:s, s:s, s:s, s:s?, s:o, s:b}", "code", code, "form", op->form, "kind",
                     code_kind_name(kind_of(op)), "pipes", pipes[0] ? pipes : NULL, "latency",
                     record_real(op->computes && !op->branch ? op->latency : NAN), "measured",
                     op->measured);
}

static json_t *loop_record(const struct explained_loop *l, const struct code *c,
                           const struct core *core)
{
    char words[300], pipes[PIPES_MAX + 1];
    json_t *counts = json_object(), *code = json_array(), *record = facts_record(&l->facts, 1);
    for (size_t k = 0; k < CODE_KINDS; k++)
        if (l->counts[k] > 0)
            json_object_set_new(counts, code_kind_name((enum code_kind)k), json_real(l->counts[k]));
    for (size_t i = 0; i < l->op_count && l->head; i++)
        json_array_append_new(code, explain_words_instruction_record(&c->ops[l->ops[i]]));
    explain_loop_words(l, core, words, sizeof words);
    put_pipes(l->busiest, pipes);
    json_t *rest = json_pack(
        "{s:b, s:I, s:f, s:s, s:s, s:f, s:f, s:f, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "loop", l->head != 0, "passes", (json_int_t)l->passes, "share", l->share, "binds",
        binding_name(l->binds), "words", words, "instructions", l->instructions, "loaded_bytes",
        l->loaded, "stored_bytes", l->stored, "pipes_cycles", record_real(l->pipes_cycles), "pipes",
        pipes, "load_cycles", record_real(l->load_cycles), "store_cycles",
        record_real(l->store_cycles), "general_cycles", record_real(l->general_cycles),
        "slot_cycles", record_real(l->slot_cycles), "chain_cycles", record_real(l->chain_cycles),
        "counts", counts, "code", code);
    json_object_update(record, rest);
    json_decref(rest);
    return record;
}

static json_t *mca_record(const struct explained *x)
{
    json_t *cycles = json_object();
    if (!x->mca_version[0]) return json_null();
    for (size_t i = 0; i < MCA_CPUS; i++)
        json_object_set_new(cycles, mca_cpus[i], record_real(x->scale * x->mca_cycles[i]));
    return json_pack("{s:s, s:o}", "version", x->mca_version, "cycles", cycles);
}

json_t *explain_record(const struct explained *x, const struct cell *c, const struct core *core)
{
    char words[300];
    json_t *loops = json_array(), *lines = json_object(),
           *record = facts_record(&x->facts, x->scale);
    for (size_t k = 0; k < x->loop_count; k++)
        json_array_append_new(loops, loop_record(&x->loops[k], &x->code, core));
    for (enum level l = LEVEL_L1; l < LEVELS; l++)
        json_object_set_new(lines, level_name(l), json_real(x->scale * x->lines[l]));
    explain_words(x, core, words, sizeof words);
    json_t *rest = json_pack(
        "{s:s, s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:I, s:b, s:s, s:s, s:o, "
        "s:o, s:o}",
        "record", "explain", "id", c->variant->id, "rows", (json_int_t)x->rows, "n",
        (json_int_t)x->n, "family", c->family, "ns", record_real(x->ns), "cycles",
        record_real(x->scale * x->facts.measured), "cycles_flushed",
        record_real(x->scale * x->facts.flushed), "memory", record_real(x->scale * x->facts.memory),
        "predicted", record_real(x->cut ? NAN : x->scale * fmax(x->facts.model, x->facts.memory)),
        "library_share", x->facts.library_share, "unmeasured", x->unmeasured, "steps",
        (json_int_t)x->code.step_count, "cut", x->cut, "binds", binding_name(x->binds), "words",
        words, "lines", lines, "mca", mca_record(x), "loops", loops);
    json_object_update(record, rest);
    json_decref(rest);
    return record;
}
