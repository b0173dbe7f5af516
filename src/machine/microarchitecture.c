// SPDX-License-Identifier: MIT
#include "machine/microarchitecture.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

/* Returns whether the design has a feature, by its LLVM name, as the designs' manuals list it.
 * Hybrid designs and the cores of their servers without AVX-512 have AVX2 alone. */
bool microarchitecture_has(const struct microarchitecture *m, const char *feature)
{
#define AVX512 " avx512f avx512cd avx512bw avx512dq avx512vl "
#define ICELAKE AVX512 "avx512ifma avx512vbmi avx512vbmi2 avx512vnni avx512bitalg gfni "
    static const char all[] = " sse4.1 popcnt avx avx2 fma f16c bmi2 ";
    static const struct {
        const char *llvm, *features;
    } more[] = {{"skylake-avx512", AVX512},
                {"cascadelake", AVX512 "avx512vnni "},
                {"cooperlake", AVX512 "avx512vnni avx512bf16 "},
                {"icelake-server", ICELAKE},
                {"icelake-client", ICELAKE},
                {"tigerlake", ICELAKE},
                {"rocketlake", ICELAKE},
                {"sapphirerapids", ICELAKE "avx512bf16 avx512fp16 avxvnni amx-tile amx-bf16 "},
                {"emeraldrapids", ICELAKE "avx512bf16 avx512fp16 avxvnni amx-tile amx-bf16 "},
                {"graniterapids", ICELAKE "avx512bf16 avx512fp16 avxvnni amx-tile amx-bf16 "},
                {"znver4", ICELAKE "avx512bf16 "},
                {"znver5", ICELAKE "avx512bf16 avxvnni "}};
#undef AVX512
#undef ICELAKE
    char word[40];
    snprintf(word, sizeof word, " %s ", feature);
    if (strstr(all, word)) return true;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (!strcmp(more[i].llvm, m->llvm)) return strstr(more[i].features, word);
    return false;
}
