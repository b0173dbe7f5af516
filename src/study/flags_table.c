// SPDX-License-Identifier: MIT
#include "study/flags_table.h"

#include <stdio.h>
#include <string.h>

#include "model/fp_flags.h"

/* Flags beside those of the floating-point table (model/fp_flags.h). */
static const struct flag known_flags[] = {
    {"link", "-include flush_subnormals.h", FLAG_LINK, .said = "-ffast-math when linking",
     .gives_up = "subnormal numbers (FTZ, DAZ), in the whole process"},

    {"O2", "-O2", .kind = FLAG_TUNE},
    {"O3", "-O3", .kind = FLAG_TUNE},
    {"unroll", "-funroll-loops", .kind = FLAG_TUNE},
    {"tune-native", "-mtune=native", .kind = FLAG_TUNE},
    {"tune-znver3", "-mtune=znver3", .kind = FLAG_TUNE},
    {"width-128", "-mprefer-vector-width=128", .kind = FLAG_TUNE},
    {"width-256", "-mprefer-vector-width=256", .kind = FLAG_TUNE},
    {"width-512", "-mprefer-vector-width=512", .kind = FLAG_TUNE},
    /* These replace the ISA's own flags, which stand before them. */
    {"x86-64", "-march=x86-64 -mno-sse3", .kind = FLAG_TUNE},
    {"x86-64-v2", "-march=x86-64-v2 -mno-avx", .kind = FLAG_TUNE},
    {"x86-64-v3", "-march=x86-64-v3 -mno-avx512f", .kind = FLAG_TUNE},
    {"x86-64-v4", "-march=x86-64-v4", FLAG_TUNE, .feature = "avx512vl"},
};

static const char fast_math[] = "-ffast-math";

const char *flag_kind_name(enum flag_kind kind)
{
    static const char *const names[FLAG_KINDS] = {"part", "tune", "other", "link", "whole"};
    return names[kind];
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Calls for each word of a list; returns where the next one begins, NULL at the end. */
static const char *next_name(const char *list, size_t *length)
{
    if (!list) return NULL;
    list += strspn(list, " ");
    *length = strcspn(list, " ");
    return *length ? list : NULL;
}

static size_t find_name(const struct flag_table *t, const char *name, size_t length)
{
    size_t i = 0;
    while (i < t->count &&
           (strlen(t->rows[i].name) != length || strncmp(t->rows[i].name, name, length) != 0))
        i++;
    return i;
}

size_t flag_find(const struct flag_table *t, const char *name)
{
    return find_name(t, name, strlen(name));
}

static flag_set set_of(const struct flag_table *t, const char *names)
{
    flag_set set = 0;
    size_t length;
    for (const char *name = names; (name = next_name(name, &length)); name += length) {
        size_t row = find_name(t, name, length);
        if (row < t->count) set |= flag_bit(row);
    }
    return set;
}

flag_set flag_with_needs(const struct flag_table *t, size_t row)
{
    return flag_bit(row) | (set_of(t, t->rows[row].needs) & t->known);
}

size_t flag_set_size(flag_set set)
{
    return (size_t)__builtin_popcountll(set);
}

flag_set flag_set_of_words(struct flag_table *t, const char *words)
{
    size_t i = 0;
    while (i < t->texts.count && strcmp(t->texts.items[i], words) != 0) i++;
    if (i == t->texts.count) words_add(&t->texts, "%s", words);
    return FLAG_WORDS | i;
}

/* ---- Command lines --------------------------------------------------------------------------- */

static void add_words(char *text, size_t size, const char *words)
{
    size_t used = strlen(text);
    if (words && *words) snprintf(text + used, size - used, "%s%s", used ? " " : "", words);
}

/* A flag that others of the set switch on, and that the set leaves out, is switched off after all
 * of them. */
void flag_set_text(const struct flag_table *t, flag_set set, bool alone, char *text, size_t size)
{
    flag_set covered = 0, defined = 0;
    text[0] = '\0';
    if (!alone) add_words(text, size, t->base);
    if (set & FLAG_WORDS) {
        add_words(text, size, t->texts.items[set & ~FLAG_WORDS]);
        return;
    }
    for (size_t i = 0; i < t->count; i++) {
        if (!(set & flag_bit(i))) continue;
        add_words(text, size, t->rows[i].flags);
        covered |= set_of(t, t->rows[i].covers);
    }
    for (size_t i = 0; i < t->count; i++) {
        const flag_set parts = set_of(t, t->rows[i].defined) & t->known;
        if (parts && !(parts & ~set)) defined |= flag_bit(i);
    }
    for (size_t i = 0; i < t->count; i++)
        if ((covered | defined) & t->known & ~set & flag_bit(i))
            add_words(text, size, t->rows[i].without);
}

/* ---- What a compiler takes ------------------------------------------------------------------- */

static bool takes(const char *cc, const struct flag_table *t, flag_set set)
{
    char text[FLAGS_TEXT_ROOM];
    struct words words = {0};
    size_t length;
    flag_set_text(t, set, false, text, sizeof text);
    words_add(&words, "%s", workshop_compiler(cc));
    words_add(&words, "-Werror");
    for (const char *word = text; (word = next_name(word, &length)); word += length)
        words_add(&words, "%.*s", (int)length, word);
    for (size_t i = 0; i < 5; i++)
        words_add(&words, "%s",
                  (const char *const[]){"-S", "-xc", "/dev/null", "-o", "/dev/null"}[i]);
    bool taken = workshop_run(words.items) == 0;
    words_free(&words);
    return taken;
}

static int flags_table_add_row(struct flag_table *t, struct flag row, struct error *e)
{
    if (t->count == FLAGS_MAX)
        return fail(e, EXIT_USAGE, "flags: more than %d flags; give fewer", FLAGS_MAX);
    t->rows[t->count++] = row;
    return 0;
}

/* Returns the row of a user's flag: that of the table, if it has the flag, else one of its own,
 * found by its text. */
static size_t row_of_flags(const struct flag_table *t, const char *flags)
{
    size_t i = 0;
    while (i < t->count && strcmp(t->rows[i].flags, flags) != 0) i++;
    return i;
}

static int add_own(struct flag_table *t, const char *cc, const char *flags, struct error *e)
{
    size_t row = row_of_flags(t, flags);
    if (!flags[strspn(flags, " ")]) return fail(e, EXIT_USAGE, "--also: '%s': name a flag", flags);
    if (row == t->count) {
        int code = flags_table_add_row(t, (struct flag){flags, flags, .kind = FLAG_OTHER}, e);
        if (code) return code;
        if (takes(cc, t, flag_bit(row))) t->known |= flag_bit(row);
    }
    if (t->known & flag_bit(row)) return 0;
    return fail(e, EXIT_USAGE, "flags: %s does not take '%s' on top of '%s'; leave it out", cc,
                flags, t->base);
}

/* Takes the words of --all: flags of the table, -ffast-math, and others, which become rows. */
static int take_all(struct flag_table *t, const char *cc, const char *all, struct error *e)
{
    char *save = NULL;
    bool fast = false;
    int code = 0;
    snprintf(t->words, sizeof t->words, "%s", all);
    for (char *word = strtok_r(t->words, " ", &save); word && !code;
         word = strtok_r(NULL, " ", &save)) {
        if (!strcmp(word, fast_math)) {
            fast = true;
            for (size_t i = 0; i < t->count; i++)
                if (t->rows[i].kind == FLAG_PART) t->all |= flag_bit(i);
        } else {
            code = add_own(t, cc, word, e);
            if (!code) t->all |= flag_bit(row_of_flags(t, word));
        }
    }
    t->all &= t->known;
    /* The baseline's -ffp-contract=off would stay in force. */
    snprintf(t->whole_flags, sizeof t->whole_flags, "%s%s", fast ? "-ffp-contract=fast " : "", all);
    if (!code)
        code = flags_table_add_row(t, (struct flag){"all", t->whole_flags, .kind = FLAG_WHOLE}, e);
    if (!code && takes(cc, t, flag_bit(t->count - 1))) t->whole = flag_bit(t->count - 1);
    return code;
}

int flag_table_make(struct flag_table *t, const struct cpu *cpu, const char *cc, const char *base,
                    const char *all, const char *const *own, size_t own_count, struct error *e)
{
    *t = (struct flag_table){.base = base};
    if (!takes(cc, t, 0))
        return fail(e, EXIT_USAGE, "flags: %s does not take '%s'; choose another --base or --cc",
                    cc, base);
    const char *family = strstr(cc, "clang") ? "clang" : "gcc";
    for (size_t i = 0; i < fp_flag_count; i++) {
        const struct fp_flag *f = &fp_flags[i];
        if (f->name && (!f->of || !strcmp(f->of, family)))
            t->rows[t->count++] =
                (struct flag){f->name,     f->flag,   f->kind == FP_PART ? FLAG_PART : FLAG_OTHER,
                              f->needs,    f->covers, f->defined,
                              f->opposite, f->words,  .feature = NULL};
    }
    for (size_t i = 0; i < sizeof known_flags / sizeof *known_flags; i++)
        t->rows[t->count++] = known_flags[i];
    for (size_t i = 0; i < t->count; i++) {
        const struct flag *f = &t->rows[i];
        if (f->feature && !cpu_has(cpu, f->feature)) continue;
        if (f->kind == FLAG_LINK || takes(cc, t, flag_bit(i) | set_of(t, f->needs)))
            t->known |= flag_bit(i);
    }
    int code = 0;
    for (size_t i = 0; i < own_count && !code; i++) code = add_own(t, cc, own[i], e);
    return code ? code : take_all(t, cc, all, e);
}
