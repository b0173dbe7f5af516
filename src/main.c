/* ulplab: options in, one call, output; the one place that prints an error and exits. */
#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"
#include "cmd/commands.h"
#include "cmd/options.h"
#include "measure/bench_worker.h"

const struct command commands[] = {
    {"list", "", "All variants of this build, and whether they can run here",
     "ulplab list --filter 'op=softmax isa=avx2'", cmd_list},
    {"doctor", "", "Is this machine fit to measure?", "ulplab doctor", cmd_doctor},
    {"bench", "", "Time, beside the limits of this core",
     "ulplab bench --filter 'op=softmax isa=avx512' --shapes cache,64x4096", cmd_bench},
    {0},
};

static const struct command *find(const char *name)
{
    const struct command *c = commands;
    while (c->name && strcmp(c->name, name) != 0) c++;
    return c->name ? c : NULL;
}

/* Not a command: what bench starts anew for each sample of a memory layout. */
static bool is_worker(int argc, char **argv)
{
    return argc == 2 && !strcmp(argv[1], BENCH_WORKER_COMMAND);
}

static int dispatch(int argc, char **argv, struct error *e)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        options_help(NULL);
        return EXIT_DONE;
    }
    const struct command *command = find(name);
    if (!command)
        return fail(e, EXIT_USAGE, "unknown command: %s: not one of ulplab's; see 'ulplab --help'",
                    name);
    struct options o;
    int code = options_parse(argc, argv, command, &o, e);
    if (code) return code;
    if (o.help) {
        options_help(command);
        return EXIT_DONE;
    }
    interrupt_install();
    return command->run(&o, e);
}

int main(int argc, char **argv)
{
    struct error e = {.text = ""};
    if (is_worker(argc, argv)) return bench_worker();
    int code = dispatch(argc, argv, &e);
    if (e.text[0]) fprintf(stderr, "ulplab: %s\n", e.text);
    return code;
}
