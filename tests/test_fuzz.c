// SPDX-License-Identifier: MIT
/* The short form of `make fuzz` (docs/reliability.md): the targets' seeds, inputs that once broke a
 * promise, and some thousand mutations of the seeds, the same ones each time. A target that finds
 * something ends the process. */
// test: 31 s of a core, long
#include "fuzz/fuzz.h"

#include <sys/wait.h>
#include <unistd.h>

#include "drive.h"

enum { ROOM = 1 << 18, QUICK = 2000, SLOW = 40 };

/* Runs `work` in a child, and fails the test if the child does not exit with 0. */
static void run_child(const struct fuzz_target *t, void (*work)(const struct fuzz_target *))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(300);
        work(t);
        fuzz_folders_remove();
        _exit(0);
    }
    int status = 0;
    assert_true(child > 0);
    while (waitpid(child, &status, 0) < 0) {
    }
    if (status) fail_msg("%s: ended with status %x; see the line above", t->name, status);
}

static void mutate_seed(void *context, const uint8_t *data, size_t size)
{
    static uint8_t input[ROOM];
    const struct fuzz_target *t = context;
    uint64_t state = 1;
    t->run(data, size);
    for (int i = 0; i < (t->slow ? SLOW : QUICK) && size <= ROOM; i++) {
        size_t length = size;
        memcpy(input, data, size);
        for (int k = 0; k < 1 + i % 4; k++)
            length = t->kind == FUZZ_RECORDS ? fuzz_mutate_records(input, length, ROOM, &state)
                                             : fuzz_mutate_bytes(input, length, ROOM, &state);
        t->run(input, length);
    }
}

static void run_seeds(const struct fuzz_target *t)
{
    fuzz_each_seed(t, mutate_seed, (void *)(uintptr_t)t);
}

TEST(seeds_and_mutations_are_survived)
{
    for (const struct fuzz_target *t = fuzz_targets; t->name; t++) run_child(t, run_seeds);
}

/* ---- Inputs that broke a promise ------------------------------------------------------------- */

static void replay_file(const struct fuzz_target *t, const char *path)
{
    static uint8_t input[ROOM];
    FILE *in = fopen(path, "rb");
    if (!in) abort();
    size_t size = fread(input, 1, ROOM, in);
    fclose(in);
    fprintf(stderr, "%s\n", path); /* the last line names the input that ends the process */
    t->run(input, size);
}

static void replay(const struct fuzz_target *t)
{
    char pattern[200];
    snprintf(pattern, sizeof pattern, "tests/fuzz/found/%s/*", t->name);
    const char *const patterns[] = {pattern, NULL};
    for (char **path = drive_glob(patterns); *path; path++) replay_file(t, *path);
}

TEST(what_was_found_stays_mended)
{
    static const char *const found[] = {"tests/fuzz/found/*", NULL};
    char **path = drive_glob(found);
    assert_non_null(*path);
    for (; *path; path++) {
        const struct fuzz_target *t = fuzz_find(strrchr(*path, '/') + 1);
        assert_non_null(t); /* a folder of such inputs has its target's name */
        run_child(t, replay);
    }
}

/* An input of nested parentheses: the C library's regcomp() would recurse as deep. */
static void open_parentheses(const struct fuzz_target *t)
{
    static uint8_t input[ROOM];
    memset(input, '(', sizeof input);
    t->run(input, sizeof input);
}

TEST(a_deep_filter_is_refused)
{
    run_child(fuzz_find("filter"), open_parentheses);
}

/* The table of docs/reliability.md must be that of results/fuzz.jsonl. */
TEST(the_page_is_made_of_the_record)
{
    must("sed -n '/^<!-- table of results.fuzz.jsonl -->$/,/^<!-- end -->$/{/^<!-- /!p}' "
         "docs/reliability.md | { scripts/fuzz --table results/fuzz.jsonl | diff - /dev/fd/3; } "
         "3<&0");
}
