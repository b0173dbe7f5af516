// SPDX-License-Identifier: MIT
#include "measure/adversarial.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/record.h"

enum { FILES_MAX = 4096 };

/* ---- Names ----------------------------------------------------------------------------------- */

static uint64_t hash(uint64_t h, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) h = (h ^ bytes[i]) * 0x100000001b3u;
    return h;
}
static const uint64_t hash_begin = 0xcbf29ce484222325u;

static void adversarial_name_of(const char *op, const struct npy *rows, char name[ADVERSARIAL_NAME])
{
    uint64_t shape[2] = {rows->rows, rows->cols}, h = hash(hash_begin, shape, sizeof shape);
    h = hash(h, rows->data, rows->rows * rows->cols * sizeof *rows->data);
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

/* ---- The folder ------------------------------------------------------------------------------ */

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

static int adversarial_add_rows(struct adversarial *a, const char *op, const char *name,
                                const struct npy *file, struct error *e)
{
    struct adversarial_block *b = block_for(a, op, file->cols);
    float *x = realloc(b->x, (b->rows + file->rows) * b->n * sizeof *x + 1);
    if (!x) return fail(e, EXIT_PARTIAL, "out of memory: adversarial/%s; remove some", name);
    b->x = x;
    memcpy(x + b->rows * b->n, file->data, file->rows * b->n * sizeof *x);
    uint64_t h = b->rows ? strtoull(b->hash, NULL, 16) : hash_begin;
    snprintf(b->hash, sizeof b->hash, "%016" PRIx64, hash(h, name, strlen(name)));
    b->rows += file->rows;
    json_array_append_new(a->names, json_string(name));
    return 0;
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
        code = adversarial_add_rows(a, op, name, &file, e);
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
    *a = (struct adversarial){.names = json_array()};
    int count = scandir(folder, &files, is_array, adversarial_by_name), code = 0;
    if (count < 0 && errno != ENOENT)
        code = fail(e, EXIT_BAD_INPUT, "cannot read: %s: %s; make it readable", folder,
                    strerror(errno));
    else if (count > FILES_MAX)
        code = fail(e, EXIT_BAD_INPUT, "too many inputs: %s: %d files; keep at most %d", folder,
                    count, FILES_MAX);
    else if (!(a->blocks = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof *a->blocks)))
        code = fail(e, EXIT_PARTIAL, "out of memory: %s; remove some", folder);
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
