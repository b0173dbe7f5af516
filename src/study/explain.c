// SPDX-License-Identifier: MIT
#include "study/explain.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "base/memory.h"
#include "model/record.h"

/* ---- Kinds ----------------------------------------------------------------------------------- */

static const char *const kind_names[CODE_KINDS] = {
    "fma",     "mul",  "add",  "max",   "div",  "sqrt",    "compare", "convert",
    "permute", "bits", "load", "store", "move", "general", "branch"};

/* Kinds by the beginning of a vector mnemonic, after its v; the first that fits counts. */
static const struct {
    const char *begins;
    enum code_kind kind;
} beginnings[] = {
    {"fmadd", KIND_FMA},         {"fmsub", KIND_FMA},
    {"fnmadd", KIND_FMA},        {"fnmsub", KIND_FMA},
    {"dpbf16", KIND_FMA},        {"mul", KIND_MUL},
    {"add", KIND_ADD},           {"sub", KIND_ADD},
    {"hadd", KIND_ADD},          {"max", KIND_MAX},
    {"min", KIND_MAX},           {"div", KIND_DIV},
    {"sqrt", KIND_ROOT},         {"rsqrt", KIND_ROOT},
    {"rcp", KIND_DIV},           {"cmp", KIND_COMPARE},
    {"ucomi", KIND_COMPARE},     {"comi", KIND_COMPARE},
    {"pcmp", KIND_COMPARE},      {"ptest", KIND_COMPARE},
    {"cvt", KIND_CONVERT},       {"round", KIND_CONVERT},
    {"rndscale", KIND_CONVERT},  {"scalef", KIND_CONVERT},
    {"getexp", KIND_CONVERT},    {"getmant", KIND_CONVERT},
    {"reduce", KIND_CONVERT},    {"range", KIND_MAX},
    {"pmov", KIND_CONVERT},      {"perm", KIND_PERMUTE},
    {"shuf", KIND_PERMUTE},      {"pshuf", KIND_PERMUTE},
    {"unpck", KIND_PERMUTE},     {"punpck", KIND_PERMUTE},
    {"extract", KIND_PERMUTE},   {"insert", KIND_PERMUTE},
    {"broadcast", KIND_PERMUTE}, {"pbroadcast", KIND_PERMUTE},
    {"align", KIND_PERMUTE},     {"palign", KIND_PERMUTE},
    {"blend", KIND_PERMUTE},     {"pack", KIND_PERMUTE},
    {"movhl", KIND_PERMUTE},     {"movlh", KIND_PERMUTE},
    {"movsh", KIND_PERMUTE},     {"compress", KIND_PERMUTE},
    {"expand", KIND_PERMUTE},    {"gather", KIND_LOAD},
    {"mov", KIND_MOVE},
};

static enum code_kind explain_kind_of(const struct op *op)
{
    const char *name = ZydisMnemonicGetString((ZydisMnemonic)op->mnemonic);
    if (op->branch) return KIND_BRANCH;
    if (!op->computes && op->loads) return KIND_LOAD;
    if (!op->computes && op->stores) return KIND_STORE;
    if (!name || name[0] != 'v') return name && name[0] == 'k' ? KIND_BITS : KIND_GENERAL;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name + 1, beginnings[i].begins, strlen(beginnings[i].begins)))
            return beginnings[i].kind;
    return KIND_BITS;
}

static void op_text(const struct op *op, char *text, size_t size)
{
    ZydisDecoder decoder;
    ZydisFormatter formatter;
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const void *code = NULL;
    memcpy(&code, &op->at, sizeof code);
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, op->length, &i, operands)) ||
        !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &i, operands,
                                                      i.operand_count_visible, text, size,
                                                      ZYDIS_RUNTIME_ADDRESS_NONE, NULL)))
        snprintf(text, size, "?");
}

/* ---- Finding --------------------------------------------------------------------------------- */

static bool is_loop(const struct explained_loop *l, const struct op *head, const struct op *tail)
{
    return l->head == head->at && l->tail == tail->at;
}

/* Finds the loops of a trace: ranges from the target of a branch back to the branch. Innermost ones
 * have the smallest range. */
static size_t explain_find_loops(const struct code *c, struct explained_loop loops[LOOPS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i + 1 < c->step_count; i++) {
        const struct op *op = &c->ops[c->steps[i]], *next = &c->ops[c->steps[i + 1]];
        if (!op->branch || op->calls || next->at > op->at || next->library != op->library) continue;
        size_t k = 0;
        while (k < count && !is_loop(&loops[k], next, op)) k++;
        if (k == count && k < LOOPS_MAX)
            loops[count++] = (struct explained_loop){.head = next->at, .tail = op->at};
    }
    for (size_t i = 0; i < c->step_count; i++)
        for (size_t k = 0; k < count; k++)
            loops[k].passes += c->ops[c->steps[i]].at == loops[k].head;
    size_t kept = 0; /* a jump back that is taken once or twice is no loop worth a name */
    for (size_t k = 0; k < count; k++)
        if (loops[k].passes > 2) loops[kept++] = loops[k];
    return kept;
}

/* Returns the innermost loop around an address; `count` where it is in none. */
static size_t loop_around(const struct explained_loop *loops, size_t count, uintptr_t at)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (loops[i].head && at >= loops[i].head && at <= loops[i].tail &&
            (best == count || loops[i].tail - loops[i].head < loops[best].tail - loops[best].head))
            best = i;
    return best;
}

/* ---- A pass ---------------------------------------------------------------------------------- */

/* Returns by how many cycles the work on sets of these pipes exceeds what each of them has. */
static double busiest(const double *by_set, unsigned pipes, unsigned *which)
{
    double longest = 0;
    for (unsigned u = 1; u < 1u << pipes; u++) {
        double sum = 0;
        for (unsigned s = 1; s < 1u << pipes; s++)
            if (!(s & ~u)) sum += by_set[s];
        if (sum / __builtin_popcount(u) > longest + 1e-9) {
            longest = sum / __builtin_popcount(u);
            *which = u;
        }
    }
    return longest;
}

static int by_address(const void *a, const void *b, void *ops)
{
    const uint32_t *x = a, *y = b;
    const struct op *o = ops;
    return (o[*x].at > o[*y].at) - (o[*x].at < o[*y].at);
}

/* Fills in the contents of a pass. */
static void loop_describe(struct explained_loop *l, size_t place, const struct code *c,
                          const size_t *loop_of_step, const struct core *core)
{
    enum { SETS = 1 << PIPES_MAX };
    double by_set[SETS] = {0}, general = 0, load = 0, store = 0, slots = 0;
    char *seen = memory_zeroed(c->count, 1);
    l->ops = memory_new((c->count + 1) * sizeof *l->ops);
    for (size_t i = 0; i < c->step_count; i++) {
        const struct op *op = &c->ops[c->steps[i]];
        if (loop_of_step[i] != place) continue;
        l->counts[explain_kind_of(op)]++;
        l->instructions++;
        slots += !op->fused;
        if (op->loads) l->loaded += op->memory_bytes;
        if (op->stores) l->stored += op->memory_bytes;
        by_set[op->use.set] += op->use.work;
        by_set[op->use.hinders] += op->use.hindrance;
        general += op->general;
        load += op->load;
        store += op->store;
        if (!seen[c->steps[i]]) l->ops[l->op_count++] = c->steps[i];
        seen[c->steps[i]] = 1;
    }
    free(seen);
    qsort_r(l->ops, l->op_count, sizeof *l->ops, by_address, c->ops);
    const double passes = l->passes ? (double)l->passes : 1;
    by_set[0] = 0;
    l->pipes_cycles = busiest(by_set, PIPES_MAX, &l->busiest) / passes;
    for (size_t k = 0; k < CODE_KINDS; k++) l->counts[k] /= passes;
    l->share = l->instructions / (double)(c->step_count ? c->step_count : 1);
    l->instructions /= passes;
    l->loaded /= passes;
    l->stored /= passes;
    l->general_cycles = general / passes;
    l->load_cycles = load / passes;
    l->store_cycles = store / passes;
    l->slot_cycles = fmax(slots / core->slots / passes, l->passes ? core->branch_cycles : 0);
}

/* ---- A call ---------------------------------------------------------------------------------- */

/* Code of a library belongs to the loop that called it. */
static size_t *loops_of_steps(const struct explained *x)
{
    const struct code *c = &x->code;
    size_t *of_op = memory_new((c->count + 1) * sizeof *of_op);
    size_t *of_step = memory_new((c->step_count + 1) * sizeof *of_step);
    size_t caller = x->loop_count;
    for (size_t i = 0; i < c->count; i++)
        of_op[i] = loop_around(x->loops, x->loop_count, c->ops[i].at);
    for (size_t i = 0; i < c->step_count; i++) {
        if (!c->ops[c->steps[i]].library) caller = of_op[c->steps[i]];
        of_step[i] = caller;
    }
    free(of_op);
    return of_step;
}

/* The function that most steps outside of the program are in. */
static void name_library(struct explained *x)
{
    const struct code *c = &x->code;
    size_t *steps = memory_zeroed(c->count + 1, sizeof *steps), best = c->count;
    Dl_info info;
    for (size_t i = 0; i < c->step_count; i++)
        if (c->ops[c->steps[i]].library) steps[c->steps[i]]++;
    for (size_t i = 0; i < c->count; i++)
        if (steps[i] && (best == c->count || steps[i] > steps[best])) best = i;
    free(steps);
    if (best == c->count) return;
    const void *at = NULL;
    memcpy(&at, &c->ops[best].at, sizeof at);
    if (!dladdr(at, &info) || !info.dli_fname) return;
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(x->library, sizeof x->library, "%s", slash ? slash + 1 : info.dli_fname);
    snprintf(x->function, sizeof x->function, "%s", info.dli_sname ? info.dli_sname : "");
}

static int by_share(const void *a, const void *b)
{
    const struct explained_loop *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

void explain_code(struct explained *x, const struct core *core)
{
    const struct code *c = &x->code;
    size_t unmeasured = 0, library = 0;
    x->loop_count = explain_find_loops(c, x->loops);
    if (x->loop_count == LOOPS_MAX) x->loop_count--;
    x->loops[x->loop_count] = (struct explained_loop){.head = 0}; /* what is in no loop */
    size_t *of_step = loops_of_steps(x);
    for (size_t k = 0; k <= x->loop_count; k++) loop_describe(&x->loops[k], k, c, of_step, core);
    free(of_step);
    for (size_t i = 0; i < c->step_count; i++) {
        unmeasured += !c->ops[c->steps[i]].measured;
        library += c->ops[c->steps[i]].library;
    }
    const double steps = c->step_count ? (double)c->step_count : 1;
    x->unmeasured = (double)unmeasured / steps;
    x->library_share = (double)library / steps;
    x->loop_count++;
    qsort(x->loops, x->loop_count, sizeof *x->loops, by_share);
    name_library(x);
}

int explain_cell(struct explained *x, const struct cell *c, const struct bench_setup *s,
                 const struct cpu *cpu, struct instruction_table *table, struct error *e)
{
    struct trace t;
    *x = (struct explained){.rows = c->rows, .n = c->n};
    char *none[] = {NULL};
    int code = instructions_measure(table, cpu, none, NULL, NULL, e); /* the core */
    if (!code) code = trace_run(&t, c, s, cpu, table->core.nops, e);
    if (code) return code;
    x->cut = t.cut;
    x->ns = t.ns;
    x->cycles = t.cycles;
    x->cycles_flushed = t.cycles_flushed;
    x->elements = (double)t.rows * (double)c->n;
    code_decode(&x->code, &t);
    char **forms = code_forms(&x->code);
    code = instructions_measure(table, cpu, forms, NULL, NULL, e);
    for (size_t i = 0; forms[i]; i++) free(forms[i]);
    free(forms);
    if (!code) {
        code_cost(&x->code, table);
        explain_code(x, &table->core);
    }
    trace_free(&t);
    if (code) explain_free(x);
    return code;
}

void explain_free(struct explained *x)
{
    for (size_t k = 0; k < x->loop_count; k++) free(x->loops[k].ops);
    code_free(&x->code);
    x->loop_count = 0;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Returns an instruction of the hottest loop. */
static const struct op *op_at(const struct explained *x, size_t i)
{
    return &x->code.ops[x->loops[0].ops[i]];
}

/* Returns whether two instructions have the same mnemonic and operands; branches are alike. */
static bool are_alike(const struct op *a, const struct op *b)
{
    return explain_kind_of(a) == explain_kind_of(b) && !strcmp(a->form, b->form);
}

/* Returns whether two different instructions correspond to each other: an FMA corresponds to the
 * instructions that it fuses. */
static bool are_akin(const struct op *a, const struct op *b)
{
    const enum code_kind x = explain_kind_of(a), y = explain_kind_of(b);
    return x == y || (x <= KIND_ADD && y <= KIND_ADD);
}

/* Adds a line; NULL where one of the loops has nothing like it. */
static void put_line(json_t *lines, const struct op *a, const struct op *b)
{
    char left[96] = "", right[96] = "";
    if (a) op_text(a, left, sizeof left);
    if (b) op_text(b, right, sizeof right);
    const char *mark = !b ? "<" : !a ? ">" : are_alike(a, b) ? "" : "|";
    json_array_append_new(lines, json_pack("[s, s, s]", left, mark, right));
}

/* Adds a gap: `first` instructions of a from i on, and `second` of b from k on, none of them alike.
 */
static void put_gap(json_t *lines, const struct explained *a, size_t i, size_t first,
                    const struct explained *b, size_t k, size_t second)
{
    size_t done = 0;
    for (size_t right = 0; right < second; right++) {
        size_t left = done;
        while (left < first && !are_akin(op_at(a, i + left), op_at(b, k + right))) left++;
        if (left == first) {
            put_line(lines, NULL, op_at(b, k + right));
            continue;
        }
        for (; done < left; done++) put_line(lines, op_at(a, i + done), NULL);
        put_line(lines, op_at(a, i + done++), op_at(b, k + right));
    }
    for (; done < first; done++) put_line(lines, op_at(a, i + done), NULL);
}

json_t *explain_side_by_side(const struct explained *a, const struct explained *b)
{
    const size_t n = a->loop_count ? a->loops[0].op_count : 0,
                 m = b->loop_count ? b->loops[0].op_count : 0;
    unsigned *longest = memory_zeroed((n + 1) * (m + 1), sizeof *longest);
    json_t *lines = json_array();
#define LONGEST(i, k) longest[(i) * (m + 1) + (k)]
#define ALIKE(i, k) are_alike(op_at(a, i), op_at(b, k))
    for (size_t i = n; i-- > 0;)
        for (size_t k = m; k-- > 0;)
            LONGEST(i, k) = ALIKE(i, k)                             ? LONGEST(i + 1, k + 1) + 1
                            : LONGEST(i + 1, k) > LONGEST(i, k + 1) ? LONGEST(i + 1, k)
                                                                    : LONGEST(i, k + 1);
    for (size_t i = 0, k = 0; i < n || k < m;) {
        size_t first = i, second = k;
        while ((i < n || k < m) && !(i < n && k < m && ALIKE(i, k)))
            if (i < n && (k == m || LONGEST(i + 1, k) >= LONGEST(i, k + 1)))
                i++;
            else
                k++;
        put_gap(lines, a, first, i - first, b, second, k - second);
        for (; i < n && k < m && ALIKE(i, k); i++, k++) put_line(lines, op_at(a, i), op_at(b, k));
    }
#undef ALIKE
#undef LONGEST
    free(longest);
    return lines;
}

/* ---- What changed ---------------------------------------------------------------------------- */

double explain_count(const struct explained *x, enum code_kind kind, unsigned lanes)
{
    double sum = 0;
    for (size_t k = 0; k < x->loop_count; k++)
        sum += x->loops[k].counts[kind] * (x->loops[k].passes ? (double)x->loops[k].passes : 1);
    return sum * lanes / x->elements;
}

/* Returns how many pairs of a multiplication and an addition in a are FMAs in b. */
static double fused_pairs(const double a[CODE_KINDS], const double b[CODE_KINDS])
{
    return fmin(b[KIND_FMA] - a[KIND_FMA],
                fmin(a[KIND_MUL] - b[KIND_MUL], a[KIND_ADD] - b[KIND_ADD]));
}

json_t *explain_difference(const struct explained *a, unsigned a_lanes, const struct explained *b,
                           unsigned b_lanes)
{
    double first[CODE_KINDS], second[CODE_KINDS];
    char words[160] = "";
    json_t *counts = json_object();
    for (size_t k = 0; k < CODE_KINDS; k++) {
        first[k] = explain_count(a, (enum code_kind)k, a_lanes);
        second[k] = explain_count(b, (enum code_kind)k, b_lanes);
        if (first[k] > 0 || second[k] > 0)
            json_object_set_new(counts, kind_names[k], json_pack("[f, f]", first[k], second[k]));
    }
    double there = fused_pairs(first, second), back = fused_pairs(second, first);
    if (there >= 0.5)
        snprintf(words, sizeof words, "%.0f pair%s of a multiplication and an addition became %s",
                 there, there < 1.5 ? "" : "s", there < 1.5 ? "an FMA" : "FMAs");
    else if (back >= 0.5)
        snprintf(words, sizeof words, "%.0f FMA%s became %s of a multiplication and an addition",
                 back, back < 1.5 ? "" : "s", back < 1.5 ? "a pair" : "pairs");
    return json_pack("{s:o, s:o, s:o, s:s}", "counts", counts, "fused",
                     record_real(there >= 0.5  ? there
                                 : back >= 0.5 ? -back
                                               : 0),
                     "ratio", record_real(b->cycles / a->cycles), "words", words);
}

/* ---- Records --------------------------------------------------------------------------------- */

static void put_pipes(unsigned set, char text[PIPES_MAX + 1])
{
    size_t used = 0;
    for (unsigned i = 0; i < PIPES_MAX; i++)
        if (set >> i & 1) text[used++] = (char)('0' + i);
    text[used] = '\0';
}

static json_t *explain_instruction_record(const struct op *op)
{
    char code[96] = "", pipes[PIPES_MAX + 1] = "";
    op_text(op, code, sizeof code);
    put_pipes(op->use.set, pipes);
    return json_pack("{s:s, s:s, s:s, s:s?, s:o, s:b}", "code", code, "form", op->form, "kind",
                     kind_names[explain_kind_of(op)], "pipes", pipes[0] ? pipes : NULL, "latency",
                     record_real(op->latency), "measured", op->measured);
}

static json_t *loop_record(const struct explained_loop *l, const struct code *c)
{
    char pipes[PIPES_MAX + 1];
    json_t *counts = json_object(), *code = json_array();
    for (size_t k = 0; k < CODE_KINDS; k++)
        if (l->counts[k] > 0) json_object_set_new(counts, kind_names[k], json_real(l->counts[k]));
    for (size_t i = 0; i < l->op_count && l->head; i++)
        json_array_append_new(code, explain_instruction_record(&c->ops[l->ops[i]]));
    put_pipes(l->busiest, pipes);
    return json_pack("{s:b, s:I, s:f, s:f, s:f, s:f, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "loop", l->head != 0, "passes", (json_int_t)l->passes, "share", l->share,
                     "instructions", l->instructions, "loaded_bytes", l->loaded, "stored_bytes",
                     l->stored, "pipes_cycles", record_real(l->pipes_cycles), "pipes", pipes,
                     "load_cycles", record_real(l->load_cycles), "store_cycles",
                     record_real(l->store_cycles), "general_cycles", record_real(l->general_cycles),
                     "slot_cycles", record_real(l->slot_cycles), "counts", counts, "code", code);
}

json_t *explain_record(const struct explained *x, const struct cell *c)
{
    json_t *loops = json_array(), *counts = json_object();
    for (size_t k = 0; k < x->loop_count; k++)
        json_array_append_new(loops, loop_record(&x->loops[k], &x->code));
    for (size_t k = 0; k < CODE_KINDS; k++) {
        const double count = explain_count(x, (enum code_kind)k, isa_lanes(c->variant->isa));
        if (count > 0) json_object_set_new(counts, kind_names[k], json_real(count));
    }
    return json_pack(
        "{s:s, s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:f, s:s*, s:s*, s:f, s:I, s:b, s:o, "
        "s:o}",
        "record", "explain", "id", c->variant->id, "rows", (json_int_t)x->rows, "n",
        (json_int_t)x->n, "family", c->family, "ns", record_real(x->ns), "cycles",
        record_real(x->cycles), "cycles_flushed", record_real(x->cycles_flushed), "library_share",
        x->library_share, "library", x->library[0] ? x->library : NULL, "function",
        x->function[0] ? x->function : NULL, "unmeasured", x->unmeasured, "steps",
        (json_int_t)x->code.step_count, "cut", x->cut, "counts", counts, "loops", loops);
}
