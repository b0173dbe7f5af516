// SPDX-License-Identifier: MIT
#include "study/flags_kernels.h"

#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "build.h"
#include "kernel.h"
#include "oracle/oracle.h"

/* The kernels that are asked about if none is named: the plain loops, and one kernel of each
 * operation that people ship. */
static const char *const usual[] = {
    "*/plain",         "*/glibc",           "*/own",           "softmax/threepass",
    "moments/twopass", "layernorm/twopass", "rmsnorm/twopass", "logsumexp/twopass",
};

static const char double_ending[] = ".f64";

/* Makes it the kernel of doubles: an object of its own. */
static void flags_kernel_of_doubles(struct flags_kernel *k)
{
    strncat(k->name, double_ending, sizeof k->name - strlen(k->name) - 1);
    snprintf(k->dtype, sizeof k->dtype, "f64");
}

/* Takes op and algorithm from the file's name, <op>_<algorithm>.c, or .f64.c where it exists in
 * double alone; returns false where it has no such name. */
static bool name_kernel(const char *path, struct flags_kernel *k)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    *k = (struct flags_kernel){.file = path, .dtype = "f32"};
    snprintf(k->name, sizeof k->name, "%.*s", (int)strcspn(base, "."), base);
    const char *bar = strchr(k->name, '_');
    if (!bar) return false;
    snprintf(k->op, sizeof k->op, "%.*s", (int)(bar - k->name), k->name);
    snprintf(k->algorithm, sizeof k->algorithm, "%.39s", bar + 1);
    if (strstr(base, ".f64.")) flags_kernel_of_doubles(k);
    return true;
}

/* Returns whether the kernel's text can be compiled with doubles, too, as its line `// build:`
 * says. */
static bool has_doubles(const char *path)
{
    bool found = false;
    char line[400];
    FILE *in = fopen(path, "r");
    while (in && !found && fgets(line, sizeof line, in))
        found = !strncmp(line, "// build:", 9) && strstr(line, "f64");
    if (in) fclose(in);
    return found;
}

/* Returns whether the word names the kernel, in its type; "softmax" names every kernel of it. path:
 * of its file. Where the word asks for the doubles of a text that has both, it becomes that. */
static bool matches(struct flags_kernel *k, const char *path, const char *word)
{
    char name[80], wanted[PATH_MAX];
    snprintf(wanted, sizeof wanted, "%s", word);
    char *ending = strrchr(wanted, '.');
    const bool doubles = ending && !strcmp(ending, double_ending);
    if (doubles) *ending = '\0';
    snprintf(name, sizeof name, "%s/%s", k->op, k->algorithm);
    const bool named = !strcmp(wanted, k->op) || !strcmp(word, k->name) ||
                       !strcmp(wanted, k->name) || fnmatch(wanted, name, 0) == 0;
    if (named && doubles && !strcmp(k->dtype, "f32") && has_doubles(path))
        flags_kernel_of_doubles(k);
    return named && doubles == !strcmp(k->dtype, "f64");
}

static void flags_kernels_add(struct flags_kernels *kernels, struct flags_kernel k)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (!strcmp(kernels->items[i].file, k.file) && !strcmp(kernels->items[i].name, k.name))
            return;
    k.file = memory_copy(k.file);
    kernels->items = memory_grow(kernels->items, (kernels->count + 1) * sizeof *kernels->items);
    kernels->items[kernels->count++] = k;
}

static bool is_file(const char *word)
{
    const char *ending = strrchr(word, '.');
    return ending && (!strcmp(ending, ".c") || !strcmp(ending, ".cc"));
}

static int add_file(struct flags_kernels *kernels, const char *root, const char *word,
                    struct error *e)
{
    char path[PATH_MAX];
    struct flags_kernel k;
    if (!realpath(word, path))
        return fail(e, EXIT_USAGE, "flags: %s: %s; name a kernel file", word, strerror(errno));
    size_t length = strlen(root);
    bool own = strncmp(path, root, length) != 0 || strncmp(path + length, "/simd/", 6) != 0;
    name_kernel(own ? path : path + length + 1, &k);
    k.own = own;
    if (own) k.op[0] = '\0'; /* its KERNEL says it */
    flags_kernels_add(kernels, k);
    return 0;
}

/* Kernels of this build that are a user's (KERNELS=), by what they call themselves. */
static size_t add_users(struct flags_kernels *kernels, const char *root, const char *word)
{
    size_t found = 0;
    for (size_t i = 0; i < build_record_count; i++) {
        const struct build_record *b = &build_records[i];
        char path[PATH_MAX];
        struct flags_kernel k;
        if (!b->kernel || !b->kernel->op || !strncmp(b->source, "simd/", 5)) continue;
        snprintf(path, sizeof path, "%s%s%s", b->source[0] == '/' ? "" : root,
                 b->source[0] == '/' ? "" : "/", b->source);
        if (!name_kernel(path, &k)) snprintf(k.name, sizeof k.name, "%.79s", b->source);
        snprintf(k.op, sizeof k.op, "%s", b->kernel->op);
        snprintf(k.algorithm, sizeof k.algorithm, "%s", b->kernel->algorithm);
        k.own = true;
        if (access(path, R_OK) != 0 || !matches(&k, path, word)) continue;
        flags_kernels_add(kernels, k);
        found++;
    }
    return found;
}

static int add_matching(struct flags_kernels *kernels, const struct workshop *shop,
                        const glob_t *files, const char *word, struct error *e)
{
    size_t found = 0;
    for (size_t i = 0; i < files->gl_pathc; i++) {
        struct flags_kernel k;
        const char *made = strstr(files->gl_pathv[i], "/" FLAGS_MADE_KERNELS);
        if (!name_kernel(made ? made + 1 : files->gl_pathv[i] + strlen(shop->root) + 1, &k))
            continue;
        if (!oracle_find(k.op) || !matches(&k, files->gl_pathv[i], word)) continue;
        flags_kernels_add(kernels, k);
        found++;
    }
    found += add_users(kernels, shop->root, word);
    return found ? 0
                 : fail(e, EXIT_USAGE,
                        "flags: %s: no kernel of that name; 'ulplab list' shows them, as "
                        "OPERATION/ALGORITHM, or name a file",
                        word);
}

int flags_kernels_find(const struct workshop *shop, const char *const *words, size_t count,
                       bool every, struct flags_kernels *kernels, struct error *e)
{
    static const char *const folders[] = {"simd/*.c", "simd/*/*.c", "simd/*/*/*.c", "simd/*/*.cc",
                                          FLAGS_MADE_KERNELS "*.c"};
    static const char *const all[] = {"*"};
    const char *const *asked = count ? words : every ? all : usual;
    const size_t asked_count = count ? count : every ? 1 : sizeof usual / sizeof *usual;
    char pattern[PATH_MAX + 16];
    glob_t files = {0};
    int code = 0;
    *kernels = (struct flags_kernels){0};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const bool made = !strncmp(folders[i], FLAGS_MADE_KERNELS, strlen(FLAGS_MADE_KERNELS));
        snprintf(pattern, sizeof pattern, "%s/%s", made ? shop->lab : shop->root, folders[i]);
        glob(pattern, files.gl_pathc ? GLOB_APPEND : 0, NULL, &files);
    }
    for (size_t i = 0; i < asked_count && !code; i++)
        code = is_file(asked[i]) ? add_file(kernels, shop->root, asked[i], e)
                                 : add_matching(kernels, shop, &files, asked[i], e);
    globfree(&files);
    if (code) flags_kernels_free(kernels);
    return code;
}

void flags_kernels_free(struct flags_kernels *kernels)
{
    for (size_t i = 0; i < kernels->count; i++) free((char *)(uintptr_t)kernels->items[i].file);
    free(kernels->items);
    *kernels = (struct flags_kernels){0};
}
