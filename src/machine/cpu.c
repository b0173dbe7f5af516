// SPDX-License-Identifier: MIT
#include "machine/cpu.h"

#include <cpuid.h>
#include <gnu/libc-version.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/platform/x86.h>
#include <unistd.h>

#include "base/list.h"

enum { EAX, EBX, ECX, EDX };
/* The registers that the operating system saves on a context switch (XCR0). */
enum { SAVES_NOTHING = 0, SAVES_YMM = 0x6, SAVES_ZMM = 0xe6, SAVES_AMX = 0x60000 };

static const struct feature {
    const char *name;
    unsigned leaf, subleaf;
    int reg, bit;
    unsigned xcr0;
} features[] = {
    {"sse4.1", 1, 0, ECX, 19, SAVES_NOTHING},   {"popcnt", 1, 0, ECX, 23, SAVES_NOTHING},
    {"avx", 1, 0, ECX, 28, SAVES_YMM},          {"fma", 1, 0, ECX, 12, SAVES_YMM},
    {"f16c", 1, 0, ECX, 29, SAVES_YMM},         {"avx2", 7, 0, EBX, 5, SAVES_YMM},
    {"bmi2", 7, 0, EBX, 8, SAVES_NOTHING},      {"avx512f", 7, 0, EBX, 16, SAVES_ZMM},
    {"avx512dq", 7, 0, EBX, 17, SAVES_ZMM},     {"avx512cd", 7, 0, EBX, 28, SAVES_ZMM},
    {"avx512bw", 7, 0, EBX, 30, SAVES_ZMM},     {"avx512vl", 7, 0, EBX, 31, SAVES_ZMM},
    {"avx512ifma", 7, 0, EBX, 21, SAVES_ZMM},   {"avx512vbmi", 7, 0, ECX, 1, SAVES_ZMM},
    {"avx512vbmi2", 7, 0, ECX, 6, SAVES_ZMM},   {"avx512vnni", 7, 0, ECX, 11, SAVES_ZMM},
    {"avx512bitalg", 7, 0, ECX, 12, SAVES_ZMM}, {"avx512fp16", 7, 0, EDX, 23, SAVES_ZMM},
    {"avx512bf16", 7, 1, EAX, 5, SAVES_ZMM},    {"avxvnni", 7, 1, EAX, 4, SAVES_YMM},
    {"amx-tile", 7, 0, EDX, 24, SAVES_AMX},     {"amx-bf16", 7, 0, EDX, 22, SAVES_AMX},
    {"gfni", 7, 0, ECX, 8, SAVES_NOTHING},
};
enum { FEATURES = sizeof features / sizeof *features };

#define AVX2_NEEDS "avx avx2 fma f16c"
#define AVX512_NEEDS AVX2_NEEDS " avx512f avx512bw avx512dq avx512vl"
/* An ISA of the Makefile, the fp32 lanes of its vectors, and the features that its -m flags let the
 * compiler use. */
static const struct isa {
    const char *name;
    unsigned lanes;
    const char *needs;
} isas[] = {
    {"scalar", 1, "sse4.1 avx fma"},
    {"sse", 4, "sse4.1 popcnt"}, /* CPUs that have both have SSE4.2, too */
    {"avx2", 8, AVX2_NEEDS},
    {"avx512", 16, AVX512_NEEDS},
    {"avx512fp16", 16, AVX512_NEEDS " avx512fp16"},
    {"avx512vbmi", 16, AVX512_NEEDS " avx512vbmi"},
};
enum { ISAS = sizeof isas / sizeof *isas };

static uint64_t xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static void detect_identity(struct cpu *cpu)
{
    unsigned r[4];
    __cpuid(0, r[EAX], r[EBX], r[ECX], r[EDX]);
    memcpy(cpu->vendor, &r[EBX], 4);
    memcpy(cpu->vendor + 4, &r[EDX], 4);
    memcpy(cpu->vendor + 8, &r[ECX], 4);

    __cpuid(1, r[EAX], r[EBX], r[ECX], r[EDX]);
    unsigned family = r[EAX] >> 8 & 15, model = r[EAX] >> 4 & 15;
    cpu->stepping = r[EAX] & 15;
    cpu->family = family == 15 ? family + (r[EAX] >> 20 & 255) : family;
    cpu->model = family == 6 || family == 15 ? model | (r[EAX] >> 12 & 0xf0) : model;

    __cpuid(0x80000000, r[EAX], r[EBX], r[ECX], r[EDX]);
    if (r[EAX] < 0x80000004) return;
    for (unsigned i = 0; i < 3; i++) {
        __cpuid(0x80000002 + i, r[EAX], r[EBX], r[ECX], r[EDX]);
        memcpy(cpu->brand + 16 * i, r, 16);
    }
}

static void detect_features(struct cpu *cpu)
{
    unsigned r[4];
    __cpuid(1, r[EAX], r[EBX], r[ECX], r[EDX]);
    uint64_t saved = r[ECX] >> 27 & 1 ? xcr0() : 0; /* OSXSAVE */
    for (size_t i = 0; i < FEATURES; i++) {
        const struct feature *f = &features[i];
        if (!__get_cpuid_count(f->leaf, f->subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX])) continue;
        if (f->subleaf > 0) { /* a subleaf beyond the last one repeats another's bits */
            unsigned top[4];
            __cpuid_count(f->leaf, 0, top[EAX], top[EBX], top[ECX], top[EDX]);
            if (top[EAX] < f->subleaf) continue;
            __cpuid_count(f->leaf, f->subleaf, r[EAX], r[EBX], r[ECX], r[EDX]);
        }
        if ((r[f->reg] >> f->bit & 1) && (saved & f->xcr0) == f->xcr0) cpu->features |= 1ull << i;
    }
}

/* Returns the ISA of that name, of which the first `length` bytes count; ISAS if there is none. */
static size_t find_isa(const char *name, size_t length)
{
    size_t i = 0;
    while (i < ISAS && (strlen(isas[i].name) != length || strncmp(isas[i].name, name, length))) i++;
    return i;
}

static int refuse_isa(const char *name, size_t length, struct error *e)
{
    char known[200] = "";
    for (size_t i = 0, used = 0; i < ISAS && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 isas[i].name);
    return fail(e, EXIT_USAGE, "--hide-isa: '%.*s': not an ISA; known: %s", (int)length, name,
                known);
}

static int hide(struct cpu *cpu, const char *list, struct error *e)
{
    while (*list) {
        size_t length = strcspn(list, ","), i = find_isa(list, length);
        if (i == ISAS) return refuse_isa(list, length, e);
        cpu->hidden |= 1ull << i;
        list += length + (list[length] == ',');
    }
    return 0;
}

int cpu_detect(struct cpu *cpu, const char *hide_isa, struct error *e)
{
    *cpu = (struct cpu){0};
    detect_identity(cpu);
    detect_features(cpu);
    return hide_isa ? hide(cpu, hide_isa, e) : 0;
}

size_t cpu_feature_count(void)
{
    return FEATURES;
}

const char *cpu_feature_name(size_t i)
{
    return features[i].name;
}

static size_t find_feature(const char *name, size_t length)
{
    size_t i = 0;
    while (i < FEATURES &&
           (strlen(features[i].name) != length || memcmp(features[i].name, name, length) != 0))
        i++;
    return i;
}

bool cpu_has(const struct cpu *cpu, const char *feature)
{
    return cpu->features >> find_feature(feature, strlen(feature)) & 1;
}

/* Returns the first of these features that the CPU lacks, or NULL. */
static const char *first_lacking(const struct cpu *cpu, const char *needs)
{
    for (size_t length; *needs; needs += length + (needs[length] == ' ')) {
        length = strcspn(needs, " ");
        const size_t i = find_feature(needs, length);
        if (!(cpu->features >> i & 1)) return features[i].name;
    }
    return NULL;
}

const char *cpu_lacks(const struct cpu *cpu)
{
    return first_lacking(cpu, "sse4.1 popcnt avx avx2 fma f16c");
}

/* Returns whether hiding one ISA hides the other: one that needs all features of the hidden one, as
 * a machine without AVX2 has no AVX-512 either. */
static bool hides(const struct isa *hidden, const struct isa *isa)
{
    const char *need = hidden->needs;
    while (*need && list_has_part(isa->needs, ' ', need, strcspn(need, " ")))
        need += strcspn(need, " "), need += *need == ' ';
    return !*need;
}

bool cpu_supports(const struct cpu *cpu, const char *isa, char *reason, size_t reason_size)
{
    const size_t i = find_isa(isa, strlen(isa));
    const char *lab = cpu_lacks(cpu), *lacks = i < ISAS ? first_lacking(cpu, isas[i].needs) : NULL;
    if (i == ISAS) return snprintf(reason, reason_size, "unknown ISA '%s'", isa), false;
    if (lab || lacks)
        return snprintf(reason, reason_size, "this CPU (or its system) lacks %s%s",
                        lab ? lab : lacks, lab ? ", which the lab needs" : ""),
               false;
    for (size_t h = 0; h < ISAS; h++)
        if ((cpu->hidden >> h & 1) && hides(&isas[h], &isas[i]))
            return snprintf(reason, reason_size, "hidden by --hide-isa %s", isas[h].name), false;
    return true;
}

unsigned isa_lanes(const char *isa)
{
    size_t i = find_isa(isa, strlen(isa));
    return i < ISAS ? isas[i].lanes : 0;
}

void cpu_slug(const struct cpu *cpu, char *slug, size_t size)
{
    static const char *const vendors[][2] = {{"GenuineIntel", "intel"}, {"AuthenticAMD", "amd"}};
    const char *vendor = "x86";
    for (size_t i = 0; i < 2; i++)
        if (!strcmp(cpu->vendor, vendors[i][0])) vendor = vendors[i][1];
    uint32_t hash = 2166136261u; /* FNV-1a over the names of the features present */
    for (size_t i = 0; i < FEATURES; i++)
        if (cpu->features >> i & 1)
            for (const char *c = features[i].name; *c; c++) hash = (hash ^ (uint8_t)*c) * 16777619u;
    snprintf(slug, size, "%s-%u-%u-%u-%08x", vendor, cpu->family, cpu->model, cpu->stepping, hash);
}

/* ---- The C library --------------------------------------------------------------------------- */

static const char *const told = "glibc.cpu.hwcaps=-AVX2,-FMA";

const char *glibc_chosen(void)
{
    static char text[64];
    const bool fma = CPU_FEATURE_ACTIVE(FMA), avx2 = CPU_FEATURE_ACTIVE(AVX2);
    snprintf(text, sizeof text, "%s%s%s%s%s", gnu_get_libc_version(),
             fma && avx2 ? "" : " without ", fma ? "" : "FMA", fma || avx2 ? "" : ", ",
             avx2 ? "" : "AVX2");
    return text;
}

void glibc_hide(const char *hidden, char **argv)
{
    const char *before = getenv("GLIBC_TUNABLES");
    char tunables[1024];
    if (!hidden || !list_has(hidden, ',', "avx2") || (before && strstr(before, told))) return;
    int length = snprintf(tunables, sizeof tunables, "%s%s%s", before ? before : "",
                          before ? ":" : "", told);
    if (length >= (int)sizeof tunables || setenv("GLIBC_TUNABLES", tunables, 1) != 0) return;
    execv("/proc/self/exe", argv);
}

/* ---- Names of designs ------------------------------------------------------------------------ */

enum { ANY_STEPPING = 15 };

/* Ranges of models, both ends included. AMD gives sixteen models to each design; Intel numbers
 * designs one by one. */
static const struct range {
    const char *vendor;
    unsigned family, first, last, last_stepping;
    struct microarchitecture is;
} ranges[] = {
    {"AuthenticAMD", 0x17, 0x00, 0x2f, ANY_STEPPING, {"Zen", "znver1"}},
    {"AuthenticAMD", 0x17, 0x30, 0xff, ANY_STEPPING, {"Zen 2", "znver2"}},
    {"AuthenticAMD", 0x19, 0x00, 0x0f, ANY_STEPPING, {"Zen 3", "znver3"}},
    {"AuthenticAMD", 0x19, 0x10, 0x1f, ANY_STEPPING, {"Zen 4", "znver4"}},
    {"AuthenticAMD", 0x19, 0x20, 0x5f, ANY_STEPPING, {"Zen 3", "znver3"}},
    {"AuthenticAMD", 0x19, 0x60, 0xaf, ANY_STEPPING, {"Zen 4", "znver4"}},
    {"AuthenticAMD", 0x1a, 0x00, 0x4f, ANY_STEPPING, {"Zen 5", "znver5"}},
    {"AuthenticAMD", 0x1a, 0x60, 0x7f, ANY_STEPPING, {"Zen 5", "znver5"}},
    {"GenuineIntel", 6, 0x3c, 0x3c, ANY_STEPPING, {"Haswell", "haswell"}},
    {"GenuineIntel", 6, 0x3f, 0x3f, ANY_STEPPING, {"Haswell", "haswell"}},
    {"GenuineIntel", 6, 0x45, 0x46, ANY_STEPPING, {"Haswell", "haswell"}},
    {"GenuineIntel", 6, 0x3d, 0x3d, ANY_STEPPING, {"Broadwell", "broadwell"}},
    {"GenuineIntel", 6, 0x47, 0x47, ANY_STEPPING, {"Broadwell", "broadwell"}},
    {"GenuineIntel", 6, 0x4f, 0x4f, ANY_STEPPING, {"Broadwell", "broadwell"}},
    {"GenuineIntel", 6, 0x56, 0x56, ANY_STEPPING, {"Broadwell", "broadwell"}},
    {"GenuineIntel", 6, 0x4e, 0x4e, ANY_STEPPING, {"Skylake", "skylake"}},
    {"GenuineIntel", 6, 0x5e, 0x5e, ANY_STEPPING, {"Skylake", "skylake"}},
    {"GenuineIntel", 6, 0x8e, 0x8e, ANY_STEPPING, {"Kaby Lake", "skylake"}},
    {"GenuineIntel", 6, 0x9e, 0x9e, ANY_STEPPING, {"Kaby Lake", "skylake"}},
    {"GenuineIntel", 6, 0xa5, 0xa6, ANY_STEPPING, {"Comet Lake", "skylake"}},
    {"GenuineIntel", 6, 0x55, 0x55, 4, {"Skylake-SP", "skylake-avx512"}},
    {"GenuineIntel", 6, 0x55, 0x55, 9, {"Cascade Lake", "cascadelake"}},
    {"GenuineIntel", 6, 0x55, 0x55, ANY_STEPPING, {"Cooper Lake", "cooperlake"}},
    {"GenuineIntel", 6, 0x6a, 0x6c, ANY_STEPPING, {"Ice Lake", "icelake-server"}},
    {"GenuineIntel", 6, 0x7d, 0x7e, ANY_STEPPING, {"Ice Lake", "icelake-client"}},
    {"GenuineIntel", 6, 0x8c, 0x8d, ANY_STEPPING, {"Tiger Lake", "tigerlake"}},
    {"GenuineIntel", 6, 0xa7, 0xa7, ANY_STEPPING, {"Rocket Lake", "rocketlake"}},
    {"GenuineIntel", 6, 0x97, 0x9a, ANY_STEPPING, {"Alder Lake", "alderlake"}},
    {"GenuineIntel", 6, 0xb7, 0xbf, ANY_STEPPING, {"Raptor Lake", "raptorlake"}},
    {"GenuineIntel", 6, 0xaa, 0xac, ANY_STEPPING, {"Meteor Lake", "meteorlake"}},
    {"GenuineIntel", 6, 0x8f, 0x8f, ANY_STEPPING, {"Sapphire Rapids", "sapphirerapids"}},
    {"GenuineIntel", 6, 0xcf, 0xcf, ANY_STEPPING, {"Emerald Rapids", "emeraldrapids"}},
    {"GenuineIntel", 6, 0xad, 0xae, ANY_STEPPING, {"Granite Rapids", "graniterapids"}},
    {"GenuineIntel", 6, 0xaf, 0xaf, ANY_STEPPING, {"Sierra Forest", "sierraforest"}},
    {"GenuineIntel", 6, 0xbd, 0xbd, ANY_STEPPING, {"Lunar Lake", "lunarlake"}},
    {"GenuineIntel", 6, 0xc5, 0xc6, ANY_STEPPING, {"Arrow Lake", "arrowlake"}},
};

const struct microarchitecture *microarchitecture_of(const char *vendor, unsigned family,
                                                     unsigned model, unsigned stepping)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const struct range *r = &ranges[i];
        if (!strcmp(r->vendor, vendor) && r->family == family && model >= r->first &&
            model <= r->last && stepping <= r->last_stepping)
            return &r->is;
    }
    return NULL;
}

/* The features of designs beyond AVX2, as their manuals list them. Hybrid designs and the cores of
 * their servers without AVX-512 have AVX2 alone. */
#define AVX512 "avx512f avx512cd avx512bw avx512dq avx512vl "
#define ICELAKE AVX512 "avx512ifma avx512vbmi avx512vbmi2 avx512vnni avx512bitalg gfni "
#define SAPPHIRE_RAPIDS ICELAKE "avx512bf16 avx512fp16 avxvnni amx-tile amx-bf16"
static const struct {
    const char *llvm, *features;
} beyond_avx2[] = {{"skylake-avx512", AVX512},
                   {"cascadelake", AVX512 "avx512vnni"},
                   {"cooperlake", AVX512 "avx512vnni avx512bf16"},
                   {"icelake-server", ICELAKE},
                   {"icelake-client", ICELAKE},
                   {"tigerlake", ICELAKE},
                   {"rocketlake", ICELAKE},
                   {"sapphirerapids", SAPPHIRE_RAPIDS},
                   {"emeraldrapids", SAPPHIRE_RAPIDS},
                   {"graniterapids", SAPPHIRE_RAPIDS},
                   {"znver4", ICELAKE "avx512bf16"},
                   {"znver5", ICELAKE "avx512bf16 avxvnni"}};

bool microarchitecture_has(const struct microarchitecture *m, const char *feature)
{
    if (list_has("sse4.1 popcnt avx avx2 fma f16c bmi2", ' ', feature)) return true;
    for (size_t i = 0; i < sizeof beyond_avx2 / sizeof *beyond_avx2; i++)
        if (!strcmp(beyond_avx2[i].llvm, m->llvm))
            return list_has(beyond_avx2[i].features, ' ', feature);
    return false;
}
