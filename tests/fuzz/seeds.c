// SPDX-License-Identifier: MIT
/* The seeds of all targets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* Short seeds in memory, by target. */
static const struct {
    const char *target, *text;
    size_t size;
} seeds[] = {
#define SEED(target, text)                                                                         \
    {                                                                                              \
        target, text, sizeof text - 1                                                              \
    }
    SEED("npy",
         "\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), "
         "}         \n\0\0\200?\0\0\0@\0\0@@\0\0\200?\0\0\0@\0\0@@"),
    SEED("npy", "\x93NUMPY\x02\x00\x39\x00\x00\x00{'descr': '<f2', 'fortran_order': False, "
                "'shape': (2,), }\n\0<\0@"),
    SEED("record",
         "{\"record\":\"limit\",\"value\":6.6e10,\"also\":[\"a\",\"b\"]}\n"
         "{\"record\":\"timing\",\"id\":\"a/b\",\"n\":64,\"t\":[0.5,null,\"x\\u001b\"]}\n"),
    SEED("line", "{\"record\":\"accuracy\",\"id\":\"a/b\",\"n\":64,\"max_ulp\":-1.5e-3,\"status\":"
                 "\"ok\",\"counts\":{\"nan\":0},\"ok\":[true,null],\"also\":[\"c\",\"d\"]}\n"),
    SEED("machine", "{\"machine\":{\"slug\":\"a\",\"features\":[\"avx2\"],\"topology\":{\"caches\":"
                    "[{\"bytes\":32768}]}},\"request\":{\"seed\":1}}\n"),
    SEED("filter", "op=softmax,moments isa=avx2 policy=off"),
    SEED("filter", "^soft.*/(online|three)[a-z]+/ cc=gcc-12"),
    SEED("param", "scale=0.5"),
    SEED("param", "eps=1e-5"),
    SEED("param", "gamma=/nonexistent.npy"),
    SEED("shapes", "default,64x4096,models"),
    SEED("shapes", "1x1048576"),
    SEED("threshold", "2.5%"),
    SEED("threshold", "1e3"),
    SEED("options", "bench --filter op=exp --n 1,64 --rows=3 --threads 2 --precision 1%"),
    SEED("options", "compare a b --by cpu --threshold 5 --json --quiet"),
    SEED("options", "run --quick --shapes default,4x16 --seed 0x10 --out results/x --help"),
#undef SEED
};

/* Folders as seeds, by target; NULL: for all other targets. Paths are relative to the root of the
 * tree, where tests run. short.txt covers the same code as folder.txt with the fewest records and
 * values. */
static const struct {
    const char *target, *path;
} folders[] = {{"load", "tests/fuzz/seeds/load.txt"},   {"record", "tests/fuzz/seeds/folder.txt"},
               {"line", "tests/fuzz/seeds/folder.txt"}, {"machine", "tests/fuzz/seeds/folder.txt"},
               {NULL, "tests/fuzz/seeds/folder.txt"},   {NULL, "tests/fuzz/seeds/short.txt"}};

static char *read_folder_seed(const char *path, size_t *size)
{
    enum { ROOM = 1 << 20 };
    FILE *in = fopen(path, "rb");
    char *text = calloc(1, ROOM);
    if (!in || !text) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    *size = fread(text, 1, ROOM - 1, in);
    fclose(in);
    return text;
}

/* Takes the whole folder; for targets of a single file, that file. */
static void take_folder(const char *name, const char *path,
                        void (*take)(void *context, const uint8_t *data, size_t size),
                        void *context)
{
    size_t size;
    char *text = read_folder_seed(path, &size);
    const char *begin = text, *end = text + size;
    if (!strcmp(name, "machine")) {
        begin = strchr(text, '\n') + 1;
        end = strchr(begin, '\n') + 1;
    } else if (!strcmp(name, "record") || !strcmp(name, "line")) { /* two lines, then one */
        begin = strchr(strstr(text, "== accuracy.jsonl"), '\n') + 1;
        end = strchr(begin, '\n') + 1;
        if (!strcmp(name, "record")) end = strchr(end, '\n') + 1;
    }
    take(context, (const uint8_t *)begin, (size_t)(end - begin));
    free(text);
}

void fuzz_each_seed(const struct fuzz_target *target,
                    void (*take)(void *context, const uint8_t *data, size_t size), void *context)
{
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        if (!strcmp(seeds[i].target, target->name))
            take(context, (const uint8_t *)seeds[i].text, seeds[i].size);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (folders[i].target ? !strcmp(folders[i].target, target->name) : target->slow)
            take_folder(target->name, folders[i].path, take, context);
}
