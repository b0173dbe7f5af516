/* What a kernel says of its instructions (include/kernel.h: ops), against the machine code of its
 * hot loops: the innermost loops with the most loads, one per pass, and where rows are written the
 * leanest loop that stores. */
#include <elf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include "build/elf.h"
#include "model/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* last: its fail() is a macro */

enum { CODE_MAX = 1 << 16, LOOPS_MAX = 256 };

struct step {
    uint64_t at, target; /* target: of a jump back, else UINT64_MAX */
    double mul, add, max;
    unsigned loads, stores;
};

struct loop {
    size_t first, last;
    double mul, add, max; /* mul: and FMA, which start where multiplications do */
    unsigned loads, stores;
};

/* ---- Decoding -------------------------------------------------------------------------------- */

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static void classify(struct step *s, const char *name)
{
    bool packed = strlen(name) > 2 && !strcmp(name + strlen(name) - 2, "ps");
    if (!packed || name[0] != 'v') return;
    s->mul = begins(name, "vmul") || begins(name, "vfmadd") || begins(name, "vfmsub") ||
             begins(name, "vfnmadd") || begins(name, "vfnmsub");
    s->add = begins(name, "vadd") || begins(name, "vsub");
    s->max = begins(name, "vmax") || begins(name, "vmin");
}

/* Whole vectors alone: constants and spills stand at rip and rsp. */
static void look_at_memory(struct step *s, const ZydisDecodedOperand *o, size_t place)
{
    if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->size < 256) return;
    if (o->mem.base == ZYDIS_REGISTER_RIP || o->mem.base == ZYDIS_REGISTER_RSP) return;
    if (place == 0)
        s->stores++;
    else
        s->loads++;
}

static size_t decode(const struct elf_section *code, struct step *steps)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    size_t count = 0;
    for (size_t at = 0; at < code->size && count < CODE_MAX; at += i.length) {
        struct step s = {.at = at, .target = UINT64_MAX};
        if (!ZYAN_SUCCESS(
                ZydisDecoderDecodeFull(&decoder, code->data + at, code->size - at, &i, operands)))
            break;
        if (i.meta.category == ZYDIS_CATEGORY_COND_BR && operands[0].imm.is_relative) {
            uint64_t target = at + i.length + (uint64_t)operands[0].imm.value.s;
            if (target <= at) s.target = target;
        }
        classify(&s, ZydisMnemonicGetString(i.mnemonic));
        for (size_t o = 0; o < i.operand_count_visible; o++) look_at_memory(&s, &operands[o], o);
        steps[count++] = s;
    }
    return count;
}

/* ---- Loops ----------------------------------------------------------------------------------- */

static struct loop loop_of(const struct step *steps, size_t last)
{
    size_t first = last;
    while (first > 0 && steps[first].at > steps[last].target) first--;
    struct loop l = {.first = first, .last = last};
    for (size_t i = first; i <= last; i++) {
        l.mul += steps[i].mul;
        l.add += steps[i].add;
        l.max += steps[i].max;
        l.loads += steps[i].loads;
        l.stores += steps[i].stores;
    }
    return l;
}

/* A jump back within which there is no other. */
static size_t innermost(const struct step *steps, size_t count, struct loop *loops)
{
    size_t found = 0;
    for (size_t i = 0; i < count && found < LOOPS_MAX; i++) {
        if (steps[i].target == UINT64_MAX) continue;
        struct loop l = loop_of(steps, i);
        bool inner = true;
        for (size_t k = l.first; k < i; k++) inner = inner && steps[k].target == UINT64_MAX;
        if (inner && l.loads) loops[found++] = l;
    }
    return found;
}

static void add_per_vector(struct vector_ops *sum, const struct loop *l)
{
    unsigned vectors = l->stores ? l->stores : l->loads; /* gamma and beta are loads too */
    sum->mul += l->mul / vectors;
    sum->add += l->add / vectors;
    sum->max += l->max / vectors;
}

/* The one without gamma and beta, where there are several. */
static bool is_leaner(const struct loop *a, const struct loop *b)
{
    if (a->loads != b->loads) return a->loads < b->loads;
    return a->last - a->first < b->last - b->first;
}

static struct vector_ops of_hot_loops(const struct loop *loops, size_t count)
{
    struct vector_ops sum = {0};
    const struct loop *lean = NULL;
    unsigned most = 0;
    for (size_t i = 0; i < count; i++) {
        if (!loops[i].stores && loops[i].loads > most) most = loops[i].loads;
        if (loops[i].stores && (!lean || is_leaner(&loops[i], lean))) lean = &loops[i];
    }
    for (size_t i = 0; i < count; i++)
        if (!loops[i].stores && loops[i].loads == most) add_per_vector(&sum, &loops[i]);
    if (lean) add_per_vector(&sum, lean);
    return sum;
}

/* ---- The check ------------------------------------------------------------------------------- */

static struct vector_ops counted(const char *path)
{
    struct elf elf;
    struct error e;
    struct vector_ops sum = {0};
    struct step *steps = calloc(CODE_MAX, sizeof *steps);
    struct loop *loops = calloc(LOOPS_MAX, sizeof *loops);
    assert_true(steps && loops);
    if (elf_open(&elf, path, &e) != 0) fail_msg("%s", e.text);
    for (size_t i = 0; i < elf.section_count; i++) {
        const struct elf_section *s = &elf.sections[i];
        if (!(s->flags & SHF_EXECINSTR) || !s->data) continue;
        struct vector_ops here = of_hot_loops(loops, innermost(steps, decode(s, steps), loops));
        sum.mul += here.mul;
        sum.add += here.add;
        sum.max += here.max;
    }
    elf_close(&elf);
    free(steps);
    free(loops);
    return sum;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void check(const struct variant *v)
{
    const struct vector_ops *o = &v->kernel->ops;
    struct vector_ops code = counted(v->build->object);
    bool fused = v->build->counts.fma > 0;
    double mul = o->fma + o->mad + o->mul, add = o->add + (fused ? 0 : o->mad);
    if (!near(code.mul, mul) || !near(code.add, add) || !near(code.max, o->max))
        fail_msg("%s: its loops have %g mul or fma, %g add, %g max per vector; it says %g, %g, %g",
                 v->id, code.mul, code.add, code.max, mul, add, o->max);
}

/* Under what may regroup, the compiler counts for itself; a lane is no vector, and elements of
 * other types are loaded as parts of one. */
static bool is_checked(const struct variant *v)
{
    const struct vector_ops *o = v->kernel ? &v->kernel->ops : NULL;
    return o && !v->peer && o->fma + o->mad + o->mul + o->add + o->max > 0 &&
           strcmp(v->isa, "scalar") && policy_promises(v->policy) != PROMISES_NOTHING &&
           strcmp(v->policy, "O2") && !strcmp(v->dtype, "f32") &&
           access(v->build->object, R_OK) == 0;
}

static void kernels_count_their_instructions(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* its checks stand in the loops */
#endif
    struct cpu cpu;
    struct registry r;
    struct error e;
    size_t checked = 0;
    assert_int_equal(cpu_detect(&cpu, NULL, &e), 0);
    assert_int_equal(registry_open(&r, &cpu, NULL, 0, &e), 0);
    for (size_t i = 0; i < r.count; i++)
        if (is_checked(&r.variants[i])) {
            check(&r.variants[i]);
            checked++;
        }
    registry_close(&r);
    assert_true(checked > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_count_their_instructions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
