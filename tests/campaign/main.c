/* make campaign: what the program does where calls of the system fail and where it is killed.
 *
 *   campaign [--short] [--seconds S] [--seed N] [--record FILE] PROGRAM SHIM.so
 *
 * Prints a table for docs/reliability.md, and leaves a record per job and class of faults in FILE.
 * Exit 1 where a promise did not hold; each is a line on standard error. */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "campaign.h"

static const double brief_s = 60, full_s = 1800;

void broken(struct campaign *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("campaign: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    c->broken++;
}

double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double random_share(struct campaign *c)
{
    return (double)random_below(&c->state, 1u << 30) / (double)(1u << 30);
}

void run_arguments(const char *folder, bool resume, const char *arguments[ARGUMENTS_MAX])
{
    const char *const all[ARGUMENTS_MAX] = {
        "run",
        "--quick",
        "--quiet",
        "--filter",
        "op=moments algorithm=twopass,welford dtype=f32 isa=avx2 policy=off",
        "--out",
        folder,
        resume ? "--resume" : NULL};
    memcpy(arguments, all, sizeof all);
}

/* The records that all jobs read, without what jobs make of them. */
static bool make_base(struct campaign *c)
{
    const char *arguments[ARGUMENTS_MAX];
    run_arguments("base", false, arguments);
    struct outcome o = program_run(c, arguments, NULL, NULL);
    if (o.code) broken(c, "run: exit %d: %s", o.code, o.err ? o.err : "");
    bool made = o.code == 0;
    outcome_free(&o);
    if (made) command(c, "rm -f base/report.md base/report.html base/summary.json");
    return made;
}

static void write_record(const struct campaign *c, const char *path)
{
    FILE *out = fopen(path, "wb");
    size_t i;
    json_t *line;
    json_array_foreach(c->lines, i, line)
    {
        if (out && json_dumpf(line, out, JSON_COMPACT) == 0) putc('\n', out);
    }
    if (out && fclose(out) == 0) return;
    fprintf(stderr, "campaign: cannot write %s\n", path);
    exit(EXIT_FAILURE);
}

static size_t sum_of(const struct campaign *c, const char *key)
{
    size_t sum = 0, i;
    const json_t *line;
    json_array_foreach(c->lines, i, line) sum +=
        (size_t)json_integer_value(json_object_get(line, key));
    return sum;
}

/* A job's records are consecutive. */
static void print_table(const struct campaign *c)
{
    static const char *const columns[] = {"faults", "told", "unharmed", "libraries", "broken"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    size_t count = json_array_size(c->lines);
    puts("| job | faults | told | unharmed | in a library | broken |\n|---|---|---|---|---|---|");
    for (size_t i = 0, end; i < count; i = end) {
        const char *job = json_string_value(json_object_get(json_array_get(c->lines, i), "job"));
        json_int_t sums[COLUMNS] = {0};
        for (end = i; end < count; end++) {
            const json_t *line = json_array_get(c->lines, end);
            const char *its = json_string_value(json_object_get(line, "job"));
            if (end > i && !(job && its && !strcmp(job, its))) break;
            for (size_t k = 0; k < COLUMNS; k++)
                sums[k] += json_integer_value(json_object_get(line, columns[k]));
        }
        if (!job) continue;
        printf("| %s", job);
        for (size_t k = 0; k < COLUMNS; k++) printf(" | %" JSON_INTEGER_FORMAT, sums[k]);
        puts(" |");
    }
}

static void read_options(struct campaign *c, int argc, char **argv, const char **record)
{
    static const struct option known[] = {{"short", no_argument, NULL, 's'},
                                          {"seconds", required_argument, NULL, 't'},
                                          {"seed", required_argument, NULL, 'r'},
                                          {"record", required_argument, NULL, 'o'},
                                          {0}};
    for (int o; (o = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (o == 's') c->brief = true;
        if (o == 't') c->seconds = atof(optarg);
        if (o == 'r') c->state = strtoull(optarg, NULL, 10);
        if (o == 'o') *record = optarg;
        if (o == '?') exit(2);
    }
    if (!c->seconds) c->seconds = c->brief ? brief_s : full_s;
    if (argc - optind == 2 && realpath(argv[optind], c->program) &&
        realpath(argv[optind + 1], c->shim))
        return;
    fputs("campaign [--short] [--seconds S] [--seed N] [--record FILE] PROGRAM SHIM.so\n", stderr);
    exit(2);
}

int main(int argc, char **argv)
{
    static struct campaign c = {.folder = "/tmp/ulplab-campaign-XXXXXX", .state = 1};
    const char *record = NULL;
    read_options(&c, argc, argv, &record);
    c.lines = json_array();
    if (!mkdtemp(c.folder)) return perror(c.folder), EXIT_FAILURE;
    double begin = now_s();
    if (make_base(&c)) {
        campaign_of_kills(&c, begin + 0.25 * c.seconds);
        campaign_of_faults(&c, begin + c.seconds);
    }
    command(&c, "cd / && rm -rf \"$OLDPWD\"");
    if (record) write_record(&c, record);
    print_table(&c);
    printf("%zu faults, %zu kills, %zu broken promises, %.0f s\n", sum_of(&c, "faults"),
           sum_of(&c, "kills"), c.broken, now_s() - begin);
    json_decref(c.lines);
    return c.broken ? EXIT_FAILURE : EXIT_SUCCESS;
}
