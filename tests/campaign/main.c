// SPDX-License-Identifier: MIT
/* make campaign: what the program does where calls of the system fail, where it is killed, and
 * where the disk, the clock or the machine is not what it should be.
 *
 *   campaign [--short] [--seconds S] [--seed N] [--record FILE] PROGRAM SHIM.so
 *   campaign --tables FILE
 *
 * Prints the tables of docs/reliability.md, and leaves in FILE the records that they are made of:
 * one per job and class of calls, one per kind of harm. --tables prints them of such a file.
 * Exit 1 where a promise did not hold; each is a line on standard error. */
#include <getopt.h>
#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "campaign.h"

/* The share of the time that goes to harming runs; failing calls get the rest, or at least as much.
 */
static const double brief_s = 35, full_s = 1800, brief_kills = 0.25, full_kills = 0.6;

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

/* A run without what takes most of its time and writes few records: the CPU's limits, and a case
 * study of AVX-512 with 2^32 inputs. */
static void run_of(const char *filter, const char *folder, bool resume,
                   const char *arguments[ARGUMENTS_MAX])
{
    const char *const all[ARGUMENTS_MAX] = {"run",
                                            "--quick",
                                            "--no-limits",
                                            "--hide-isa",
                                            "avx512",
                                            "--quiet",
                                            "--filter",
                                            filter,
                                            "--out",
                                            folder,
                                            resume ? "--resume" : NULL};
    memcpy(arguments, all, sizeof all);
}

void run_arguments(const char *folder, bool resume, const char *arguments[ARGUMENTS_MAX])
{
    run_of("op=moments algorithm=twopass,welford dtype=f32 isa=avx2 policy=off", folder, resume,
           arguments);
}

void short_run(const char *folder, bool resume, const char *arguments[ARGUMENTS_MAX])
{
    run_of("op=moments algorithm=twopass dtype=f32 isa=avx2 policy=off", folder, resume, arguments);
}

void progress(const struct campaign *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "campaign: %4.0f s: ", now_s() - c->begin);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void note_harm(struct campaign *c, const char *harm, size_t tried, size_t broken)
{
    json_array_append_new(c->lines,
                          json_pack("{s:s, s:s, s:I, s:I}", "record", "harm", "harm", harm, "tried",
                                    (json_int_t)tried, "broken", (json_int_t)broken));
}

static bool make_run(struct campaign *c, const char *const *arguments)
{
    struct outcome o = program_run(c, arguments, NULL, NULL);
    if (o.code) broken(c, "run: exit %d: %s", o.code, o.err ? o.err : "");
    bool made = o.code == 0;
    outcome_free(&o);
    return made;
}

/* Makes a run of another build: a copy of this program's file with one byte appended. */
static bool make_older(struct campaign *c)
{
    const char *brief[ARGUMENTS_MAX];
    struct campaign other = *c;
    char line[2 * PLACE_MAX];
    snprintf(line, sizeof line, "cp '%s' other && printf x >>other && chmod +x other", c->program);
    command(c, line);
    place_of(c, "other", other.program);
    short_run("older", false, brief);
    const bool made = make_run(&other, brief);
    c->broken = other.broken;
    return made;
}

bool can_resume(const struct campaign *c)
{
    char pattern[PLACE_MAX];
    glob_t found;
    if (is_there(c, "work/machine.json") &&
        !same_file(c, "older/machine.json", "work/machine.json"))
        return true;
    place_of(c, ".work.unfinished-*/machine.json", pattern);
    const bool begun = glob(pattern, 0, NULL, &found) == 0;
    if (begun) globfree(&found);
    return begun;
}

/* Makes the records that all jobs read, and those of the shorter run. */
static bool make_base(struct campaign *c)
{
    const char *usual[ARGUMENTS_MAX], *brief[ARGUMENTS_MAX];
    run_arguments("base", false, usual);
    short_run("short", false, brief);
    bool made = make_run(c, usual) && make_run(c, brief) && make_older(c);
    if (made) command(c, "rm -f base/report.md base/report.html base/summary.json");
    return made;
}

static json_t *read_record(const char *path)
{
    json_t *lines = json_array(), *line;
    FILE *in = fopen(path, "rb");
    while (in && (line = json_loadf(in, JSON_DISABLE_EOF_CHECK, NULL)))
        json_array_append_new(lines, line);
    if (in) fclose(in);
    if (json_array_size(lines)) return lines;
    fprintf(stderr, "campaign: %s: no records of a campaign\n", path);
    exit(EXIT_FAILURE);
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

/* Every kind of harm has one record. */
static void print_harms(const struct campaign *c)
{
    size_t i;
    const json_t *line;
    puts("| what was done | times | broken |\n|---|---|---|");
    json_array_foreach(c->lines, i, line)
    {
        const char *harm = json_string_value(json_object_get(line, "harm"));
        if (harm)
            printf("| %s | %" JSON_INTEGER_FORMAT " | %" JSON_INTEGER_FORMAT " |\n", harm,
                   json_integer_value(json_object_get(line, "tried")),
                   json_integer_value(json_object_get(line, "broken")));
    }
}

/* A job's records are consecutive. */
static void print_jobs(const struct campaign *c)
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

/* The last line of the record holds the totals. */
static void print_tables(const struct campaign *c)
{
    const json_t *whole = json_array_get(c->lines, json_array_size(c->lines) - 1);
    printf("%.0f s of it: %zu calls let fail, %zu times harm done, %" JSON_INTEGER_FORMAT
           " promises broken.\n\n",
           json_number_value(json_object_get(whole, "seconds")), sum_of(c, "faults"),
           sum_of(c, "tried"), json_integer_value(json_object_get(whole, "promises_broken")));
    print_harms(c);
    putchar('\n');
    print_jobs(c);
}

static void read_options(struct campaign *c, int argc, char **argv, const char **record)
{
    static const struct option known[] = {
        {"short", no_argument, NULL, 's'},        {"seconds", required_argument, NULL, 't'},
        {"seed", required_argument, NULL, 'r'},   {"record", required_argument, NULL, 'o'},
        {"tables", required_argument, NULL, 'p'}, {0}};
    for (int o; (o = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (o == 's') c->brief = true;
        if (o == 't') c->seconds = atof(optarg);
        if (o == 'r') c->state = strtoull(optarg, NULL, 10);
        if (o == 'o') *record = optarg;
        if (o == 'p') c->lines = read_record(optarg);
        if (o == '?') exit(2);
    }
    if (c->lines) return;
    if (!c->seconds) c->seconds = c->brief ? brief_s : full_s;
    if (argc - optind == 2 && realpath(argv[optind], c->program) &&
        realpath(argv[optind + 1], c->shim))
        return;
    fputs("campaign [--short] [--seconds S] [--seed N] [--record FILE] PROGRAM SHIM.so\n"
          "campaign --tables FILE\n",
          stderr);
    exit(2);
}

int main(int argc, char **argv)
{
    static struct campaign c = {.folder = "/tmp/ulplab-campaign-XXXXXX", .state = 1};
    const char *record = NULL;
    read_options(&c, argc, argv, &record);
    if (c.lines) return print_tables(&c), EXIT_SUCCESS;
    c.lines = json_array();
    if (!mkdtemp(c.folder)) return perror(c.folder), EXIT_FAILURE;
    c.begin = now_s();
    if (make_base(&c)) {
        progress(&c, "runs are harmed");
        double kills_s = c.seconds * (c.brief ? brief_kills : full_kills);
        campaign_of_kills(&c, now_s() + kills_s);
        campaign_of_surroundings(&c);
        campaign_of_faults(&c, fmax(c.begin + c.seconds, now_s() + kills_s / 2));
    }
    command(&c, "cd / && rm -rf \"$OLDPWD\"");
    json_array_append_new(c.lines, json_pack("{s:s, s:f, s:I}", "record", "campaign", "seconds",
                                             round(now_s() - c.begin), "promises_broken",
                                             (json_int_t)c.broken));
    if (record) write_record(&c, record);
    print_tables(&c);
    int code = c.broken ? EXIT_FAILURE : EXIT_SUCCESS;
    json_decref(c.lines);
    return code;
}
