// SPDX-License-Identifier: MIT
#include "study/flags_lab.h"

#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <unistd.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "build/object.h"
#include "measure/bench.h"
#include "model/record.h"
#include "model/registry.h"
#include "oracle/oracle.h"
#include "study/workshop.h"

static void name_held(const struct flag_table *t, flag_set set, char name[FLAGS_NAME_ROOM])
{
    (void)t;
    snprintf(name, FLAGS_NAME_ROOM, HELD_POLICY "%llx", (unsigned long long)set);
}

char *flags_add_axes(struct words *variables, const struct flag_table *t, const char *cc,
                     const char *isa, const flag_set *sets, size_t count, flags_namer *name)
{
    char text[FLAGS_TEXT_ROOM], policy[FLAGS_NAME_ROOM];
    struct words policies = {0};
    words_add(variables, "CCS=%s", workshop_compiler(cc));
    words_add(variables, "ISAS=%s", isa);
    WORDS_ADD(variables, "STORED_POLICIES=", "OPTIMISE=", "DISTINCT=0");
    for (size_t i = 0; i < count; i++) {
        name(t, sets[i], policy);
        words_add(&policies, "%s", policy);
        flag_set_text(t, sets[i], false, text, sizeof text);
        words_add(variables, "policy.%s=%s", policy, text);
    }
    char *all = words_joined(&policies);
    words_add_variable(variables, "POLICIES", &policies);
    return all;
}

int flags_lab_open(struct flags_lab *lab, const char *folder, struct error *e)
{
    lab->documents = json_array();
    return workshop_open(&lab->shop, folder, e);
}

void flags_lab_close(struct flags_lab *lab)
{
    workshop_close(&lab->shop);
    free(lab->builds);
    words_free(&lab->table.texts);
    json_decref(lab->documents);
    lab->builds = NULL;
    lab->count = 0;
}

size_t flags_lab_find(const struct flags_lab *lab, flag_set set)
{
    size_t i = 0;
    while (i < lab->count && lab->builds[i].set != set) i++;
    return i;
}

bool flags_lab_same(const struct flags_lab *lab, flag_set a, flag_set b)
{
    const size_t i = flags_lab_find(lab, a), k = flags_lab_find(lab, b);
    return i < lab->count && k < lab->count && lab->builds[i].built && lab->builds[k].built &&
           lab->builds[i].same_as == lab->builds[k].same_as;
}

/* ---- Building -------------------------------------------------------------------------------- */

/* Runs make for goals in a small lab with this kernel under these sets; frees the goals. */
static int flags_lab_make(const struct flags_lab *lab, const flag_set *sets, size_t count,
                          struct words *goals, struct error *e)
{
    const struct flags_kernel *k = lab->kernel;
    const bool made = !strncmp(k->file, FLAGS_MADE_KERNELS, strlen(FLAGS_MADE_KERNELS));
    const bool doubles = strstr(k->name, ".f64") != NULL;
    struct words words = {0};
    char *all = flags_add_axes(&words, &lab->table, lab->cc, lab->isa, sets, count, name_held);
    words_add(&words, "kernel_sources=%s%s%s", made ? lab->shop.folder : "", made ? "/" : "",
              k->file);
    words_add(&words, "kernel_names=%s", doubles ? "" : k->name);
    if (doubles) words_add(&words, "stored_names=%s", k->name);
    if (doubles) words_add(&words, "isas_of.%s=%s", k->name, lab->isa);
    words_add(&words, "policies_of.%s=%s", k->name, all);
    if (k->own) words_add(&words, "KERNELS=%s", k->file);
    if (k->needs) words_copy(&words, k->needs);
    free(all);
    int code = workshop_make(&lab->shop, &words, goals, e);
    words_free(&words);
    words_free(goals);
    return code;
}

/* Writes the path of a build's object in the small lab. */
static void name_object(const struct flags_lab *lab, flag_set set, char *path, size_t size)
{
    char name[FLAGS_NAME_ROOM];
    name_held(&lab->table, set, name);
    snprintf(path, size, "obj/%s/%s/%s/%s.o", lab->cc, lab->isa, name, lab->kernel->name);
}

static int flags_lab_read_object(struct flags_lab *lab, struct flags_build *b, struct error *e)
{
    char name[PATH_MAX], path[2 * PATH_MAX];
    struct stat st;
    struct object_facts facts;
    name_object(lab, b->set, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", lab->shop.folder, name);
    b->built = stat(path, &st) == 0 && st.st_size > 0;
    if (!b->built) return 0;
    int code = object_read(path, &facts, e);
    b->hash = facts.code_hash;
    free(facts.witnessed);
    free(facts.library);
    return code;
}

int flags_lab_compile(struct flags_lab *lab, const flag_set *sets, size_t count, struct error *e)
{
    struct words goals = {0};
    flag_set *fresh = memory_zeroed(count + 1, sizeof *fresh);
    char object[PATH_MAX];
    size_t fresh_count = 0;
    int code = 0;
    for (size_t i = 0; i < count; i++) {
        if (flags_lab_find(lab, sets[i]) < lab->count) continue;
        lab->builds = memory_grow(lab->builds, (lab->count + 1) * sizeof *lab->builds);
        lab->builds[lab->count++] = (struct flags_build){.set = sets[i], .reason = ""};
        fresh[fresh_count++] = sets[i];
        name_object(lab, sets[i], object, sizeof object);
        words_add(&goals, "%s", object);
    }
    if (fresh_count) code = flags_lab_make(lab, fresh, fresh_count, &goals, e);
    for (size_t i = lab->count - fresh_count; i < lab->count && !code; i++) {
        struct flags_build *b = &lab->builds[i];
        code = flags_lab_read_object(lab, b, e);
        while (b->same_as < i &&
               (!lab->builds[b->same_as].built || lab->builds[b->same_as].hash != b->hash))
            b->same_as++;
    }
    free(fresh);
    return code;
}

/* Writes the sets whose machine code differs, one for each code; returns their number. */
static size_t distinct(const struct flags_lab *lab, const flag_set *sets, size_t count,
                       bool (*wanted)(const struct flags_build *), flag_set *found)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct flags_build *b = &lab->builds[flags_lab_find(lab, sets[i])];
        const struct flags_build *first = &lab->builds[b->same_as];
        size_t k = 0;
        while (k < n && found[k] != first->set) k++;
        if (b->built && k == n && (!wanted || wanted(first))) found[n++] = first->set;
    }
    return n;
}

/* Links the program with these builds. */
static int link_builds(const struct flags_lab *lab, const flag_set *sets, size_t count,
                       struct error *e)
{
    struct words goals = {0};
    words_add(&goals, "ulplab");
    return flags_lab_make(lab, sets, count, &goals, e);
}

/* Runs a command of the program on the kernel; frees its words. */
static int flags_lab_ask(struct flags_lab *lab, struct words *command, json_t **document,
                         struct error *e)
{
    WORDS_ADD(command, "--json", "--quiet", "--filter");
    words_add(command, "op=%s algorithm=%s", lab->kernel->op, lab->kernel->algorithm);
    int code = workshop_ask(&lab->shop, command, 0, document, e);
    words_free(command);
    if (!code) json_array_append_new(lab->documents, *document);
    return code;
}

/* Returns the build of a variant's id, by its policy; lab->count if it is not of this lab. */
static size_t build_of_id(const struct flags_lab *lab, const char *id)
{
    const char *policy = strstr(id, "policy=" HELD_POLICY);
    return policy ? flags_lab_find(lab, strtoull(policy + strlen("policy=" HELD_POLICY), NULL, 16))
                  : lab->count;
}

/* Learns the baseline's id, and the operation and algorithm that a user's struct kernel names. */
static int learn_names(struct flags_lab *lab, struct error *e)
{
    struct flags_kernel *k = lab->kernel;
    struct words command = {0};
    const json_t *variant;
    json_t *document;
    size_t i;
    if (lab->base_id[0]) return 0;
    WORDS_ADD(&command, "list", "--json");
    int code = workshop_ask(&lab->shop, &command, 0, &document, e);
    words_free(&command);
    if (code) return code;
    json_array_foreach(json_object_get(document, "variants"), i, variant)
    {
        const size_t build = build_of_id(lab, record_text(variant, "id"));
        if (build == lab->count || lab->builds[build].set != 0) continue;
        snprintf(lab->base_id, sizeof lab->base_id, "%s", record_text(variant, "id"));
        snprintf(k->op, sizeof k->op, "%s", record_text(variant, "op"));
        snprintf(k->algorithm, sizeof k->algorithm, "%s", record_text(variant, "algorithm"));
        snprintf(k->dtype, sizeof k->dtype, "%s", record_text(variant, "dtype"));
    }
    json_decref(document);
    return 0;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Appends the rows of the baseline and of builds whose errors were not known before. */
static void take_errors(struct flags_lab *lab, const json_t *document, json_t *rows)
{
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const size_t index = build_of_id(lab, record_text(row, "id"));
        struct flags_build *b = &lab->builds[index];
        if (index == lab->count || (b->asked && b->set)) continue;
        json_array_append(rows, (json_t *)(uintptr_t)row);
        if (strcmp(record_text(row, "status"), "ok") && strcmp(record_text(row, "status"), "wrong"))
            b->reason = record_text(row, "status");
    }
}

static int flags_lab_decide(struct flags_lab *lab, json_t *rows, struct error *e)
{
    json_t *effects, *effect;
    const char *id;
    json_t *document = json_pack("{s:{s:O, s:s, s:O*}}", "facts", "accuracy", rows, "base",
                                 lab->base_id, "allow", lab->allow);
    int code = lab->judge("effects", document, &effects, e);
    json_decref(document);
    if (code) return code;
    json_array_append_new(lab->documents, effects);
    lab->unknown = json_object_get(effects, "");
    json_object_foreach(effects, id, effect)
    {
        const size_t build = build_of_id(lab, id);
        if (build < lab->count) lab->builds[build].effect = effect;
    }
    return 0;
}

static bool is_unknown(const struct flags_build *b)
{
    return !b->asked;
}

/* Measures errors of the linked builds and of the baseline, over the default grid and for special
 * inputs. */
static int ask_errors(struct flags_lab *lab, json_t *rows, struct error *e)
{
    char specials[PATH_MAX + 32];
    json_t *document;
    snprintf(specials, sizeof specials, "%s/specials.npy", lab->shop.folder);
    int code = specials_write(specials, !strcmp(lab->kernel->dtype, "f64"), e);
    for (int special = 0; special < 2 && !code; special++) {
        struct words command = {0};
        WORDS_ADD(&command, "accuracy", "--beside", lab->base_id);
        if (special) WORDS_ADD(&command, "--input", specials);
        code = flags_lab_ask(lab, &command, &document, e);
        if (!code) take_errors(lab, document, rows);
    }
    return code;
}

int flags_lab_judge(struct flags_lab *lab, const flag_set *sets, size_t count, struct error *e)
{
    flag_set *unknown = memory_zeroed(count + 2, sizeof *unknown);
    size_t n = distinct(lab, sets, count, is_unknown, unknown);
    json_t *rows = json_array();
    bool with_base = false;
    for (size_t i = 0; i < n; i++) with_base |= unknown[i] == 0;
    if (n && !with_base) unknown[n++] = 0;
    int code = n ? link_builds(lab, unknown, n, e) : 0;
    if (!code && n) code = learn_names(lab, e);
    if (!code && n) code = ask_errors(lab, rows, e);
    if (!code && n) code = flags_lab_decide(lab, rows, e);
    for (size_t i = 0; i < n && !code; i++)
        lab->builds[flags_lab_find(lab, unknown[i])].asked = true;
    json_decref(rows);
    free(unknown);
    return code;
}

/* ---- Times ----------------------------------------------------------------------------------- */

int flags_lab_time(struct flags_lab *lab, const flag_set *sets, size_t count, size_t processes,
                   json_t **times, struct error *e)
{
    if (lab->time) return lab->time(lab, sets, count, processes, times, e);
    flag_set *timed = memory_zeroed(count + 1, sizeof *timed);
    const size_t n = distinct(lab, sets, count, NULL, timed);
    struct words command = {0};
    json_t *document;
    if (n < 2) { /* the same machine code: nothing to compare */
        *times = json_array();
        free(timed);
        return 0;
    }
    int code = link_builds(lab, timed, n, e);
    WORDS_ADD(&command, "bench", "--no-limits", "--shapes", lab->shapes, "--processes");
    words_add(&command, "%zu", processes);
    *times = NULL;
    if (code)
        words_free(&command);
    else
        code = flags_lab_ask(lab, &command, &document, e);
    if (!code) *times = json_incref(json_object_get(document, "rows"));
    free(timed);
    return code;
}

/* Returns the row of times for this build's code and the shape of `like`. */
static const json_t *time_of(const struct flags_lab *lab, const json_t *times, size_t build,
                             const json_t *like)
{
    const json_t *row;
    size_t i;
    json_array_foreach(times, i, row)
    {
        const size_t index = build_of_id(lab, record_text(row, "id"));
        if (index < lab->count && lab->builds[index].same_as == lab->builds[build].same_as &&
            record_number(row, "rows") == record_number(like, "rows") &&
            record_number(row, "n") == record_number(like, "n"))
            return row;
    }
    return NULL;
}

struct ratio flags_lab_speed(const struct flags_lab *lab, const json_t *times, flag_set a,
                             flag_set b)
{
    const size_t from = flags_lab_find(lab, a), to = flags_lab_find(lab, b);
    static const struct ratio none = {.value = NAN, .low = NAN, .high = NAN, .p = NAN};
    struct ratio_mean mean = {.ratios = 0};
    const json_t *row;
    size_t i;
    if (from == lab->count || to == lab->count || !lab->builds[from].built ||
        !lab->builds[to].built)
        return none;
    if (flags_lab_same(lab, a, b)) return (struct ratio){.value = 1, .low = 1, .high = 1, .p = 1};
    json_array_foreach(times, i, row)
    {
        const size_t index = build_of_id(lab, record_text(row, "id"));
        if (index == lab->count || lab->builds[index].same_as != lab->builds[from].same_as)
            continue;
        const json_t *other = time_of(lab, times, to, row);
        struct by_process slow = bench_low_ns(row), fast = bench_low_ns(other);
        ratio_mean_add(&mean, fast, slow);
        free((void *)slow.values);
        free((void *)fast.values);
    }
    return mean.ratios ? ratio_mean_value(&mean) : none;
}

/* ---- The kernels ---------------------------------------------------------------------------- */

/* The kernels that are measured if none is named: the plain loops, and one kernel of each operation
 * that people ship. */
static const char *const usual[] = {
    "*/plain",         "*/glibc",           "*/own",           "softmax/threepass",
    "moments/twopass", "layernorm/twopass", "rmsnorm/twopass", "logsumexp/twopass",
};

static const char double_ending[] = ".f64";

/* Makes it the kernel in double, which is another object. */
static void flags_kernel_of_doubles(struct flags_kernel *k)
{
    strncat(k->name, double_ending, sizeof k->name - strlen(k->name) - 1);
    snprintf(k->dtype, sizeof k->dtype, "f64");
}

/* Makes the kernel of a file with the name <op>_<algorithm>.c, or .f64.c if it only exists in
 * double; returns false if the file has another name. */
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

/* Returns whether the kernel also exists in double, as its line `// build:` says. */
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

/* Returns whether a word names the kernel and its type; "softmax" names all kernels of softmax. If
 * the word asks for double and the file at `path` has both types, k becomes the kernel in double.
 */
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

/* Adds users' kernels of this build (KERNELS=) that the word names by their struct kernel; returns
 * their number. */
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
