// SPDX-License-Identifier: MIT
#include "cmd/help.h"

#include <stdio.h>
#include <string.h>

#include "build.h"
#include "cmd/options_table.h"

enum { WIDTH = 79, COMMAND_MARGIN = 16, OPTION_MARGIN = 24 };

/* Wraps text at a margin, which the first line has already reached. */
static void print_wrapped(const char *text, size_t margin)
{
    size_t column = margin;
    while (*text) {
        size_t word = strcspn(text, " ");
        bool first = column == margin;
        if (!first && column + 1 + word > WIDTH) {
            printf("\n%*s", (int)margin, "");
            column = margin;
            first = true;
        }
        column += (size_t)printf("%s%.*s", first ? "" : " ", (int)word, text);
        text += word + (text[word] == ' ');
    }
    putchar('\n');
}

static void print_options(const struct command *command)
{
    for (const struct option_spec *s = option_specs; s->name; s++) {
        if (!option_applies(s, command)) continue;
        char left[64], help[OPTION_HELP_MAX];
        snprintf(left, sizeof left, "--%s %s", s->name, s->argument ? s->argument : "");
        printf("  %-*s", OPTION_MARGIN - 2, left);
        option_help(s, help, sizeof help);
        print_wrapped(help, OPTION_MARGIN);
    }
}

static void print_command(const struct command *command)
{
    printf("usage: ulplab %s %s[options]\n\n", command->name, command->arguments);
    print_wrapped(command->summary, 0);
    puts("\noptions:");
    print_options(command);
    printf("\nexample:\n  %s\n", command->example);
}

static void print_program(void)
{
    puts("usage: ulplab COMMAND [options]\n       ulplab --version\n\n"
         "Which compiler, floating-point policy and algorithm should ship on this CPU,\n"
         "and what does it cost in speed, in ULP, in reproducibility?\n\ncommands:");
    for (const struct command *c = commands; c->name; c++) {
        printf("  %-12s  ", c->name);
        print_wrapped(c->summary, COMMAND_MARGIN);
    }
    puts("\noptions of every command:");
    print_options(NULL);
    puts("\nexample:\n  ulplab run && ulplab accuracy --help\n\n"
         "exit codes: 0 done, 1 a gate fell, 2 usage, 3 partial, 4 bad input,\n"
         "130/143 interrupted");
}

void help_print(const struct command *command)
{
    if (command)
        print_command(command);
    else
        print_program();
}

void help_version(void)
{
    printf("ulplab %s, commit %s\ncompilers:", build_version, build_commit);
    for (size_t i = 0; i < build_compiler_count; i++)
        printf("%s %s %s", i ? "," : "", build_compilers[i].cc, build_compilers[i].version);
    putchar('\n');
}
