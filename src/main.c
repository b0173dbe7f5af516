/* ulplab: options in, one call, output; the one place that prints an error and exits. */
#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"
#include "cmd/commands.h"
#include "cmd/options.h"

const struct command commands[] = {
    {"list", "", "All variants of this build, and whether they can run here",
     "ulplab list --filter 'op=softmax isa=avx2'", cmd_list},
    {"compare", "A B [C ..] | [DIR] [VALUE ..] --by isa|policy|cc ",
     "Folders of results, or values of an axis in one: which is faster, and are the bits equal",
     "ulplab compare results/old results/new --threshold 5", cmd_compare},
    {"policy", "[DIR] ", "Which compiler and which floating-point policy to ship, and why",
     "ulplab policy --max-ulp 2 --emit cmake", cmd_policy},
    {"export", "[DIR] ",
     "Results for other tools, on stdout: google-benchmark JSON, CSV, JSON Lines",
     "ulplab export results/mine --format gbench >mine.json", cmd_export},
    {0},
};

static const struct command *find(const char *name)
{
    const struct command *c = commands;
    while (c->name && strcmp(c->name, name) != 0) c++;
    return c->name ? c : NULL;
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
    int code = dispatch(argc, argv, &e);
    if (e.text[0]) fprintf(stderr, "ulplab: %s\n", e.text);
    return code;
}
