// SPDX-License-Identifier: MIT
#include "model/fp_flags.h"

#include <stdio.h>
#include <string.h>

/* A set of flags is written in this order. -ffast-math of gcc is the parts that gcc knows, that of
 * clang those that clang knows: `ulplab flags` compares the machine code of all of them with that
 * of -ffast-math. */
const struct fp_flag fp_flags[] = {
    {"-ffp-contract=fast", .name = "contract", .gives = FP_CONTRACTION,
     .words = "a product and a sum are rounded once: other bits"},
    {"-funsafe-math-optimizations", "-fno-unsafe-math-optimizations", "unsafe",
     .gives = FP_EXACTNESS | FP_ORDER | FP_QUOTIENTS | FP_ZERO_SIGN | FP_EXCEPTIONS,
     .at_link = true, .covers = "associative reciprocal no-signed-zeros no-trapping approx",
     .words = "approximations in the place of exact operations, and all that it switches on"},
    {"-fassociative-math", "-fno-associative-math", "associative", .gives = FP_ORDER,
     .needs = "no-signed-zeros no-trapping",
     .words = "the order of additions: other bits, and compensation terms are deleted"},
    {"-freciprocal-math", "-fno-reciprocal-math", "reciprocal", .gives = FP_QUOTIENTS,
     .words = "quotients are rounded twice"},
    {"-fno-signed-zeros", "-fsigned-zeros", "no-signed-zeros", .gives = FP_ZERO_SIGN,
     .words = "the sign of a zero"},
    {"-ffinite-math-only", "-fno-finite-math-only", "finite", .gives = FP_SPECIALS,
     .words = "NaN and infinities"},
    {"-fno-trapping-math", "-ftrapping-math", "no-trapping", "gcc", .gives = FP_EXCEPTIONS,
     .words = "the sticky flags of floating-point exceptions"},
    /* clang does not trap by itself, and -ftrapping-math would ask it for more than that. */
    {"-fno-trapping-math", NULL, "no-trapping", "clang", .gives = FP_EXCEPTIONS,
     .words = "the sticky flags of floating-point exceptions"},
    {"-fno-math-errno", "-fmath-errno", "no-errno", .gives = FP_ERRNO,
     .words = "errno after functions of libm"},
    {"-fno-rounding-math", "-frounding-math", "no-rounding", .gives = FP_ROUNDING,
     .words = "other rounding modes than to nearest"},
    {"-fno-signaling-nans", "-fsignaling-nans", "no-signaling", .gives = FP_SIGNALING,
     .words = "signaling NaNs"},
    {"-fexcess-precision=fast", .name = "excess", .gives = FP_EXCESS,
     .words = "nothing in SSE arithmetic"},
    {"-fcx-limited-range", "-fno-cx-limited-range", "complex", .gives = FP_COMPLEX,
     .words = "complex products beyond the range"},
    {"-fapprox-func", "-fno-approx-func", "approx", .gives = FP_FUNCTIONS,
     .words = "functions of libm become approximations"},
    /* Headers test this macro, which a compiler defines where most parts are given: glibc declares
     * its vector functions, libmvec, by it. */
    {"-D__FAST_MATH__", "-U__FAST_MATH__", "macro", "gcc", .gives = FP_FUNCTIONS,
     .defined = "unsafe no-signed-zeros finite no-trapping no-errno",
     .words = "functions of libm become those of libmvec, of up to 4 ulp"},
    {"-D__FAST_MATH__", "-U__FAST_MATH__", "macro", "clang", .gives = FP_FUNCTIONS,
     .defined = "associative reciprocal no-signed-zeros finite no-errno",
     .words = "functions of libm become those of libmvec, of up to 4 ulp"},

    {"-mrecip", "-mno-recip", "recip", .kind = FP_OTHER, .gives = FP_QUOTIENTS,
     .needs = "unsafe finite", .words = "quotients and roots become approximations"},
    {"-fveclib=libmvec", .name = "veclib", .kind = FP_OTHER, .gives = FP_FUNCTIONS,
     .needs = "no-errno", .words = "functions of libm become those of libmvec, of up to 4 ulp"},
    {"-ffp-model=precise", .name = "model-precise", .kind = FP_OTHER, .gives = FP_CONTRACTION,
     .restores = FP_ALL, .words = "as contract"},
    {"-ffp-model=strict", .name = "model-strict", .kind = FP_OTHER, .restores = FP_ALL},
    {"-ffp-model=fast", .name = "model-fast", .kind = FP_OTHER, .gives = FP_ALL,
     .words = "as -ffast-math"},

    {"-ffast-math", "-fno-fast-math", .kind = FP_SUM, .gives = FP_ALL & ~FP_CONTRACTION,
     .at_link = true},
    {"-Ofast", .kind = FP_SUM, .gives = FP_ALL & ~FP_CONTRACTION, .at_link = true},
    {"-fno-honor-nans", "-fhonor-nans", .of = "clang", .kind = FP_SUM, .gives = FP_SPECIALS},
    {"-fno-honor-infinities", "-fhonor-infinities", .of = "clang", .kind = FP_SUM,
     .gives = FP_SPECIALS},
    {"-ffp-contract=on", .kind = FP_SUM, .gives = FP_CONTRACTION},
    {"-ffp-contract=off", .kind = FP_SUM, .restores = FP_CONTRACTION},
    {"-fexcess-precision=standard", .kind = FP_SUM, .restores = FP_EXCESS},
};
const size_t fp_flag_count = sizeof fp_flags / sizeof *fp_flags;

/* Returns whether the word sets the same option: "-mrecip=all" that of "-mrecip", and
 * "-ffp-contract=on" that of "-ffp-contract=fast". */
static bool is_same_option(const char *word, const char *flag)
{
    const size_t length = strcspn(flag, "=");
    return !strncmp(word, flag, length) && (word[length] == '=' || !strcmp(word, flag));
}

bool fp_flag_is(const char *word)
{
    for (size_t i = 0; i < fp_flag_count; i++)
        if (is_same_option(word, fp_flags[i].flag) ||
            (fp_flags[i].opposite && !strcmp(word, fp_flags[i].opposite)))
            return true;
    return false;
}

static const struct fp_flag *fp_flags_find(const char *word)
{
    for (size_t i = 0; i < fp_flag_count; i++)
        if (!strcmp(word, fp_flags[i].flag) ||
            (fp_flags[i].opposite && !strcmp(word, fp_flags[i].opposite)))
            return &fp_flags[i];
    return NULL;
}

const char *fp_flag_name(const char *word)
{
    const struct fp_flag *f = fp_flags_find(word);
    return f ? f->name : NULL;
}

bool fp_flag_at_link(const char *word)
{
    const struct fp_flag *f = fp_flags_find(word);
    return f && f->at_link && !strcmp(word, f->flag);
}

unsigned fp_flag_apply(unsigned given, const char *word)
{
    const struct fp_flag *f = fp_flags_find(word);
    if (!f) return given;
    return strcmp(word, f->flag) ? given & ~f->gives : (given & ~f->restores) | f->gives;
}

const char *line_next_word(const char *line, char word[WORD_MAX])
{
    line += strspn(line, " ");
    const size_t length = strcspn(line, " ");
    snprintf(word, WORD_MAX, "%.*s", (int)length, line);
    return length ? line + length : NULL;
}

unsigned fp_line_gives_up(const char *line)
{
    char word[WORD_MAX];
    unsigned given = 0;
    while ((line = line_next_word(line, word))) given = fp_flag_apply(given, word);
    return given;
}

void fp_line_at_link(const char *line, char *words, size_t size)
{
    char word[WORD_MAX];
    size_t used = 0;
    words[0] = '\0';
    while ((line = line_next_word(line, word)))
        if (fp_flag_at_link(word) && used < size)
            used += (size_t)snprintf(words + used, size - used, "%s%s", used ? " " : "", word);
}
