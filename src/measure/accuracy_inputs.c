// SPDX-License-Identifier: MIT
#include "measure/accuracy.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "measure/cache_sizes.h"
#include "measure/stage.h"
#include "model/record.h"

enum { FILES_MAX = 4096 };

/* ---- Finds: their names ---------------------------------------------------------------------- */

static void adversarial_name_of(const char *op, const struct npy *rows, char name[ADVERSARIAL_NAME])
{
    uint64_t shape[2] = {rows->rows, rows->cols}, h = hash_bytes(HASH_BASIS, shape, sizeof shape);
    h = hash_bytes(h, rows->data, rows->rows * rows->cols * sizeof *rows->data);
    snprintf(name, ADVERSARIAL_NAME, "%.23s-%016" PRIx64 ".npy", op, h);
}

int adversarial_keep(const char *results, const char *op, const struct npy *rows,
                     char name[ADVERSARIAL_NAME], struct error *e)
{
    char folder[1100], path[1200];
    adversarial_name_of(op, rows, name);
    snprintf(folder, sizeof folder, "%s/" ADVERSARIAL, results);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int code = folder_make(folder, e);
    if (code || access(path, F_OK) == 0) return code;
    return npy_write(path, rows, e);
}

/* ---- Finds: their folder --------------------------------------------------------------------- */

static int is_array(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && length < ADVERSARIAL_NAME && entry->d_name[0] != '.' &&
           !strcmp(entry->d_name + length - 4, ".npy");
}

static int adversarial_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static struct adversarial_block *block_for(struct adversarial *a, const char *op, size_t n)
{
    size_t k = 0;
    while (k < a->count && (strcmp(a->blocks[k].op, op) != 0 || a->blocks[k].n != n)) k++;
    struct adversarial_block *b = &a->blocks[k];
    if (k == a->count) {
        *b = (struct adversarial_block){.n = n};
        snprintf(b->op, sizeof b->op, "%.23s", op);
        a->count++;
    }
    return b;
}

static void adversarial_add_rows(struct adversarial *a, const char *op, const char *name,
                                 const struct npy *file)
{
    struct adversarial_block *b = block_for(a, op, file->cols);
    b->x = memory_grow(b->x, (b->rows + file->rows) * b->n * sizeof *b->x + 1);
    memcpy(b->x + b->rows * b->n, file->data, file->rows * b->n * sizeof *b->x);
    uint64_t h = b->rows ? strtoull(b->hash, NULL, 16) : HASH_BASIS;
    snprintf(b->hash, sizeof b->hash, "%016" PRIx64, hash_bytes(h, name, strlen(name)));
    b->rows += file->rows;
    json_array_append_new(a->names, json_string(name));
}

static int adversarial_add_file(struct adversarial *a, const char *folder, const char *name,
                                struct error *e)
{
    char path[1400], op[ADVERSARIAL_NAME], true_name[ADVERSARIAL_NAME];
    struct npy file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int code = npy_read(path, &file, e);
    if (code) return code;
    snprintf(op, sizeof op, "%.*s", (int)strcspn(name, "-"), name);
    adversarial_name_of(op, &file, true_name);
    if (strcmp(name, true_name) != 0)
        code = fail(e, EXIT_BAD_INPUT,
                    "not what its name says: %s: its bits make it %s; remove it and search again",
                    path, true_name);
    else
        adversarial_add_rows(a, op, name, &file);
    npy_free(&file);
    return code;
}

static int by_op_and_n(const void *a, const void *b)
{
    const struct adversarial_block *x = a, *y = b;
    int c = strcmp(x->op, y->op);
    return c ? c : (x->n > y->n) - (x->n < y->n);
}

int adversarial_open(const char *results, struct adversarial *a, struct error *e)
{
    char folder[1100];
    struct dirent **files = NULL;
    snprintf(folder, sizeof folder, "%s/" ADVERSARIAL, results);
    int count = scandir(folder, &files, is_array, adversarial_by_name), code = 0;
    const int unreadable = errno;
    *a = (struct adversarial){
        .names = json_array(),
        .blocks = memory_zeroed((size_t)(count > 0 ? count : 0) + 1, sizeof *a->blocks)};
    if (count < 0 && unreadable != ENOENT)
        code = fail(e, EXIT_BAD_INPUT, "cannot read: %s: %s; make it readable", folder,
                    strerror(unreadable));
    else if (count > FILES_MAX)
        code = fail(e, EXIT_BAD_INPUT, "too many inputs: %s: %d files; keep at most %d", folder,
                    count, FILES_MAX);
    for (int i = 0; i < count; i++) {
        if (!code) code = adversarial_add_file(a, folder, files[i]->d_name, e);
        free(files[i]);
    }
    free(files);
    if (code)
        adversarial_close(a);
    else
        qsort(a->blocks, a->count, sizeof *a->blocks, by_op_and_n);
    return code;
}

void adversarial_close(struct adversarial *a)
{
    for (size_t k = 0; k < a->count; k++) free(a->blocks[k].x);
    free(a->blocks);
    json_decref(a->names);
    *a = (struct adversarial){0};
}

/* ---- The grid, and its replacements ---------------------------------------------------------- */

enum { GRID_VERSION = 5, GRID_ELEMENTS = 1 << 16 };

/* The grid's row lengths: no whole vector, less than one vector, whole vectors, a tail behind many,
 * the promises' limit, and a long sum; every tail; and for each family the two lengths at which a
 * run times most, of which fewer rows do. Any change of these tables, or of the number of rows that
 * they lead to, needs a new GRID_VERSION. */
static const size_t every_n[] = {1, 7, 64, 1000, 2048, 4096, 65536},
                    some_n[] = {64, 1000, 2048, 4096};
const size_t tail_lengths[TAIL_LENGTHS] = {16, 17, 18, 19, 20, 21, 22, 23,  24,
                                           25, 26, 27, 28, 29, 30, 31, 1001};
enum { EVERY_N = sizeof every_n / sizeof *every_n, SOME_N = sizeof some_n / sizeof *some_n };
enum { FEW_ROWS_FROM = 2048 };

size_t tail_rows(size_t n)
{
    return stage_rows(n < 1001 ? 1 << 12 : 1 << 14, n);
}

static size_t plan_usual_rows(size_t n)
{
    return stage_rows(GRID_ELEMENTS, n);
}

static size_t family_rows(size_t n)
{
    return stage_rows(n < FEW_ROWS_FROM ? GRID_ELEMENTS : GRID_ELEMENTS / 4, n);
}

/* Families are in the order of their enum; family normal has two lines. The error of a constant
 * row depends on that one number: it has more rows than others. */
static const struct {
    enum family family;
    const size_t *n;
    size_t n_count;
    size_t (*rows)(size_t n);
} grid[] = {
    {FAMILY_NORMAL, every_n, EVERY_N, plan_usual_rows},
    {FAMILY_NORMAL, tail_lengths, TAIL_LENGTHS, tail_rows},
    {FAMILY_UNIFORM, some_n, SOME_N, family_rows},
    {FAMILY_LOGITS, some_n, SOME_N, family_rows},
    {FAMILY_ATTENTION, some_n, SOME_N, family_rows},
    {FAMILY_OFFSET, some_n, SOME_N, family_rows},
    {FAMILY_ONEHOT, some_n, SOME_N, family_rows},
    {FAMILY_CONSTANT, some_n, SOME_N, plan_usual_rows},
    {FAMILY_ALTERNATING, some_n, SOME_N, family_rows},
    {FAMILY_TINY, some_n, SOME_N, family_rows},
    {FAMILY_WIDE, some_n, SOME_N, family_rows},
    {FAMILY_SORTED, some_n, SOME_N, family_rows},
    {FAMILY_MASKED, some_n, SOME_N, family_rows},
    {FAMILY_BELOW, some_n, SOME_N, family_rows},
    {FAMILY_OUTLIER, some_n, SOME_N, family_rows},
    {FAMILY_HUGE, some_n, SOME_N, family_rows},
    {FAMILY_SPECIAL, some_n, SOME_N, family_rows},
};
enum { GRID_LINES = sizeof grid / sizeof *grid };

struct accuracy_request accuracy_default(void)
{
    return (struct accuracy_request){
        .seed = 1, .parameters = parameters_default, .caches = caches_nominal(), .silence_s = 20};
}

json_t *accuracy_grid_record(void)
{
    json_t *cells = json_array();
    for (size_t i = 0; i < GRID_LINES; i++) {
        json_t *list = json_array(), *rows = json_array();
        for (size_t k = 0; k < grid[i].n_count; k++) {
            size_t n = grid[i].n[k];
            json_array_append_new(list, json_integer((json_int_t)n));
            json_array_append_new(rows, json_integer((json_int_t)grid[i].rows(n)));
        }
        json_array_append_new(cells,
                              json_pack("{s:s, s:o, s:o}", "family", family_name(grid[i].family),
                                        "n", list, "rows", rows));
    }
    return json_pack("{s:i, s:i, s:o}", "version", GRID_VERSION, "elements", GRID_ELEMENTS, "cells",
                     cells);
}

const char *input_block_family(const struct input_block *b)
{
    if (b->adversarial) return ADVERSARIAL;
    return b->family == FAMILY_COUNT ? INPUT_FAMILY : family_name(b->family);
}

static void add_block(struct input_blocks *b, enum family family, size_t n, size_t rows)
{
    b->items[b->count++] = (struct input_block){family, rows, n, NULL};
}

static void add_grid(struct input_blocks *b, const struct accuracy_request *p)
{
    const size_t lines = p->first ? 1 : GRID_LINES;
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < grid[i].n_count; k++) {
            size_t n = grid[i].n[k];
            size_t rows = grid[i].rows(n), asked = stage_rows(p->elements, n);
            bool other = p->elements > GRID_ELEMENTS || (p->elements && asked < rows);
            add_block(b, grid[i].family, n, other ? asked : rows);
        }
}

/* Adds every chosen family at every chosen length, or those of the grid if none is chosen. */
static void add_chosen(struct input_blocks *b, const struct accuracy_request *p)
{
    const size_t *n = p->n_count ? p->n : every_n;
    size_t n_count = p->n_count ? p->n_count : EVERY_N;
    size_t families = p->family_count ? p->family_count : FAMILY_COUNT;
    size_t elements = p->elements ? p->elements : GRID_ELEMENTS;
    for (size_t i = 0; i < families; i++)
        for (size_t k = 0; k < n_count; k++)
            add_block(b, p->family_count ? p->families[i] : (enum family)i, n[k],
                      stage_rows(elements, n[k]));
}

/* The adversarial blocks of the chosen lengths. */
static void add_adversarial(struct input_blocks *b, const struct accuracy_request *p)
{
    for (size_t i = 0; i < p->adversarial->count; i++) {
        const struct adversarial_block *found = &p->adversarial->blocks[i];
        bool chosen = p->n_count == 0;
        for (size_t k = 0; k < p->n_count; k++) chosen = chosen || p->n[k] == found->n;
        if (!chosen) continue;
        b->items[b->count++] = (struct input_block){FAMILY_COUNT, found->rows, found->n, found};
    }
}

/* Returns an upper limit of the number of blocks, whatever the plan chooses. */
static size_t room_for(const struct accuracy_request *p)
{
    size_t families = p->family_count > FAMILY_COUNT ? p->family_count : FAMILY_COUNT;
    size_t lengths = p->n_count > EVERY_N ? p->n_count : EVERY_N;
    return families * lengths + TAIL_LENGTHS + (p->adversarial ? p->adversarial->count : 0);
}

int input_blocks_of(const struct accuracy_request *p, struct input_blocks *b, struct error *e)
{
    int code = stage_check_lengths(p->n, p->n_count, e);
    if (code) return code;
    *b = (struct input_blocks){.items = memory_zeroed(room_for(p), sizeof *b->items)};
    if (p->input) {
        b->items[b->count++] = (struct input_block){FAMILY_COUNT, p->input_rows, p->input_n, NULL};
        return 0;
    }
    bool made = !p->adversarial_alone, chosen = p->n_count || p->family_count;
    if (made) b->grid = GRID_VERSION;
    if (made && chosen) add_chosen(b, p);
    if (made && !chosen) add_grid(b, p);
    if (p->adversarial) add_adversarial(b, p);
    return 0;
}
