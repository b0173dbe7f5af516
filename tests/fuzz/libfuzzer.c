// SPDX-License-Identifier: MIT
/* Runs one target under libFuzzer: the one that FUZZ_TARGET names, or lists the targets without it.
 * With FUZZ_SEEDS, the target's seeds are written to that folder first. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "fuzz.h"

/* The functions that libFuzzer calls, by their fixed names. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

static const struct fuzz_target *target;

static void write_seed(void *context, const uint8_t *data, size_t size)
{
    static int number;
    char path[1024];
    if (size > target->longest) return; /* libFuzzer would cut it off */
    snprintf(path, sizeof path, "%s/seed-%d", (const char *)context, number++);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(data, 1, size, out) != size || fclose(out) != 0) abort();
}

/* Prints a line per target: its name, its longest input, the wanted number of executions, what
 * takes it. */
static void list_targets(void)
{
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
        printf("%s %zu %d %s\n", t->name, t->longest, t->slow ? 100000 : 10000000, t->input);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const char *name = getenv("FUZZ_TARGET"), *folder = getenv("FUZZ_SEEDS");
    target = name ? fuzz_find(name) : NULL;
    if (!target) {
        if (name) fprintf(stderr, "FUZZ_TARGET=%s: not the name of a target\n", name);
        list_targets();
        exit(name ? 2 : 0);
    }
    if (folder) fuzz_each_seed(target, write_seed, (char *)(uintptr_t)folder);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    target->run(data, size);
    return 0;
}

/* libFuzzer's own mutations use the bytes that the lab compares with; the result is rarely valid
 * JSON. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t state = seed;
    bool by_value = target->kind == FUZZ_RECORDS && random_below(&state, 4);
    return by_value ? fuzz_mutate_records(data, size, room, &state)
                    : LLVMFuzzerMutate(data, size, room);
}
