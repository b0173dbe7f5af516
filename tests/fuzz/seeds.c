#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* Short seeds, by target. */
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

/* Where the sources are: tests run in the root of the tree. */
static const char folder_seed[] = "tests/fuzz/seeds/folder.txt";

static char *read_folder_seed(size_t *size)
{
    enum { ROOM = 1 << 20 };
    FILE *in = fopen(folder_seed, "rb");
    char *text = calloc(1, ROOM);
    if (!in || !text) {
        perror(folder_seed);
        exit(EXIT_FAILURE);
    }
    *size = fread(text, 1, ROOM - 1, in);
    fclose(in);
    return text;
}

/* Of each file of the folder its first record, in place: what is loaded often should be short. */
static size_t shorten_folder(char *text)
{
    char *to = text;
    int lines = 0;
    for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
        lines = strncmp(at, "== ", 3) ? lines + 1 : 0;
        if (lines > 1) continue;
        memmove(to, at, (size_t)(end + 1 - at));
        to += end + 1 - at;
    }
    *to = '\0';
    return (size_t)(to - text);
}

/* The whole folder; of the targets of one file, that file. */
void fuzz_each_seed(const struct fuzz_target *target,
                    void (*take)(void *context, const uint8_t *data, size_t size), void *context)
{
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        if (!strcmp(seeds[i].target, target->name))
            take(context, (const uint8_t *)seeds[i].text, seeds[i].size);
    if (target->kind != FUZZ_RECORDS) return;
    size_t size;
    char *text = read_folder_seed(&size);
    if (!strcmp(target->name, "load")) size = shorten_folder(text);
    const char *begin = text, *end = text + size;
    if (!strcmp(target->name, "machine")) {
        begin = strchr(text, '\n') + 1;
        end = strchr(begin, '\n') + 1;
    } else if (!strcmp(target->name, "record")) { /* two lines */
        begin = strchr(strstr(text, "== accuracy.jsonl"), '\n') + 1;
        end = strchr(strchr(begin, '\n') + 1, '\n') + 1;
    }
    take(context, (const uint8_t *)begin, (size_t)(end - begin));
    free(text);
}
