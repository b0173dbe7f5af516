// SPDX-License-Identifier: MIT

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "build.h"
#include "cmd/common.h"
#include "cmd/options.h"
#include "publish/render/table.h"

enum { COMMAND_MARGIN = 16, OPTION_MARGIN = 24, WORDS_ROOM = 400 };
static const struct terminal page = {.columns = 79};

static void print_options(const struct command *command)
{
    for (const struct option_spec *s = option_specs; s->name; s++) {
        if (!option_applies(s, command)) continue;
        char left[64], help[OPTION_HELP_MAX];
        snprintf(left, sizeof left, "--%s %s", s->name, s->argument ? s->argument : "");
        option_help(s, help, sizeof help);
        write_prose(stdout, page, OPTION_MARGIN, "  %-*s %s", OPTION_MARGIN - 3, left, help);
    }
}

static void print_command(const struct command *command)
{
    printf("usage: ulplab %s %s[options]\n\n", command->name, command->arguments);
    write_prose(stdout, page, 0, "%s", command->summary);
    puts("\noptions:");
    print_options(command);
    printf("\nexample:\n  %s\n", command->example);
}

static void print_program(void)
{
    puts("usage: ulplab COMMAND [options]\n       ulplab --version\n\n"
         "Which compiler, floating-point policy and algorithm should ship on this CPU,\n"
         "and what does it cost in speed, in ULP, in reproducibility?\n\ncommands:");
    for (const struct command *c = commands; c->name; c++)
        write_prose(stdout, page, COMMAND_MARGIN, "  %-12s  %s", c->name, c->summary);
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

/* ---- The man page and completion ------------------------------------------------------------ */

static bool manual_is_file(const struct option_spec *s)
{
    return s->argument && (strstr(s->argument, ".npy") || !strcmp(s->argument, "DIR"));
}

/* ---- man(7) ---------------------------------------------------------------------------------- */

/* Prints text, and escapes characters that roff would interpret. */
static void roff(const char *text)
{
    if (*text == '.' || *text == '\'') fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(*text);
    }
}

static void roff_line(const char *before, const char *text, const char *after)
{
    fputs(before, stdout);
    roff(text);
    puts(after);
}

static void roff_option(const struct option_spec *s)
{
    char help[OPTION_HELP_MAX];
    printf(".TP\n\\fB\\-\\-");
    roff(s->name);
    printf("\\fR");
    if (s->argument) {
        printf(" \\fI");
        roff(s->argument);
        printf("\\fR");
    }
    putchar('\n');
    option_help(s, help, sizeof help);
    roff_line("", help, ".");
}

/* Writes a command's own options; for NULL those of every command. */
static void roff_options(const struct command *c)
{
    for (const struct option_spec *s = option_specs; s->name; s++)
        if (option_applies(s, c) && !s->commands == !c) roff_option(s);
}

static void roff_command(const struct command *c)
{
    printf(".SS ");
    roff(c->name);
    printf("\n.B ulplab ");
    roff(c->name);
    if (c->arguments[0]) {
        putchar('\n');
        roff(c->arguments);
    }
    puts("\n.PP");
    roff_line("", c->summary, ".");
    roff_options(c);
    puts(".PP\nFor example:\n.PP\n.nf\n.RS");
    roff_line("", c->example, "");
    puts(".RE\n.fi");
}

/* SOURCE_DATE_EPOCH sets the day, so that equal sources give equal pages. */
static void put_date(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t now = epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm day;
    char text[32] = "";
    if (gmtime_r(&now, &day)) strftime(text, sizeof text, "%Y-%m-%d", &day);
    fputs(text, stdout);
}

void manual_page(void)
{
    printf(".TH ULPLAB 1 ");
    put_date();
    printf(" \"ulplab %s\" \"User Commands\"\n", build_version);
    puts(".SH NAME\n"
         "ulplab \\- speed, ULP and reproducibility of x86 SIMD kernels, compilers and policies\n"
         ".SH SYNOPSIS\n"
         ".B ulplab\n"
         ".I COMMAND\n"
         "[options]\n"
         ".SH DESCRIPTION\n"
         "Which compiler, floating\\-point policy and algorithm should ship on this CPU, and what "
         "does it\ncost in speed, in ULP, in reproducibility?\n"
         ".SH COMMANDS");
    for (const struct command *c = commands; c->name; c++) roff_command(c);
    puts(".SH OPTIONS\nEvery command takes:");
    roff_options(NULL);
    puts(".SH EXIT STATUS\n"
         "0 done, all gates hold; 1 a gate fell; 2 usage; 3 partial: something crashed or was cut; "
         "4 bad\ninput; 130 or 143 interrupted.\n"
         ".SH ENVIRONMENT\n"
         ".TP\n.B NO_COLOR\nDisables colours.\n"
         ".TP\n.B ULPLAB_CHART_JS\nThe Chart.js file that HTML reports include; by default that of "
         "the package libjs\\-chart.js.\n"
         ".SH FILES\n"
         ".TP\n.I results/local/<cpu>/\nUnder the current folder: machine.json, codegen.jsonl, "
         "accuracy.jsonl, timing.jsonl, report.md,\nreport.html; of several machines "
         "performance.md, performance.html; of scans vector-math.html.");
}

/* Writes the words that may follow a command, separated by spaces; "" if they are files. */
static void words_after(const struct command *c, char text[WORDS_ROOM])
{
    text[0] = '\0';
    if (!strcmp(c->name, "scan")) scan_words(text, WORDS_ROOM);
}

/* ---- bash ------------------------------------------------------------------------------------ */

/* Lines of a case statement on "COMMAND --OPTION": the option's possible values. */
static void bash_values(void)
{
    puts("    case \"$command $previous\" in");
    for (const struct command *c = commands; c->name; c++)
        for (const struct option_spec *s = option_specs; s->name; s++) {
            if (!option_applies(s, c) || !s->argument) continue;
            printf("    '%s --%s') ", c->name, s->name);
            if (s->values)
                printf("COMPREPLY=($(compgen -W '%s' -- \"$current\")); ", s->values);
            else if (manual_is_file(s))
                printf("COMPREPLY=($(compgen -f -- \"$current\")); ");
            puts("return ;;");
        }
    puts("    esac");
}

static void bash_completion(void)
{
    char words[WORDS_ROOM];
    puts("# bash completion for ulplab; written by ulplab --completion bash\n"
         "_ulplab() {\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    local command=${COMP_WORDS[1]} options=\n"
         "    COMPREPLY=()\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("        COMPREPLY=($(compgen -W '--help");
    for (const struct command *c = commands; c->name; c++) printf(" %s", c->name);
    puts("' -- \"$current\"))\n        return\n    fi");
    bash_values();
    puts("    case $command in");
    for (const struct command *c = commands; c->name; c++) {
        printf("    %s) options='", c->name);
        for (const struct option_spec *s = option_specs; s->name; s++)
            if (option_applies(s, c)) printf("--%s ", s->name);
        puts("' ;;");
    }
    puts("    esac\n"
         "    case $current in\n"
         "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")); return ;;\n"
         "    esac\n"
         "    case $command in");
    for (const struct command *c = commands; c->name; c++) {
        words_after(c, words);
        if (*words)
            printf("    %s) COMPREPLY=($(compgen -W '%s' -- \"$current\")) ;;\n", c->name, words);
    }
    puts("    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
         "    esac\n"
         "}\n"
         "complete -o filenames -F _ulplab ulplab");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Prints text between the brackets of '..[TEXT]..', with the characters that would end it
 * escaped. */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_option(const struct option_spec *s)
{
    char help[OPTION_HELP_MAX];
    option_help(s, help, sizeof help);
    printf(" \\\n            '*--%s[", s->name);
    zsh_text(help);
    putchar(']');
    if (s->argument) {
        fputs(s->kind == OPTIONAL_CHOICES ? "::" : ":", stdout);
        zsh_text(s->argument);
        if (s->values)
            printf(":(%s)", s->values);
        else
            fputs(manual_is_file(s) ? ":_files" : ": ", stdout);
    }
    putchar('\'');
}

static void zsh_completion(void)
{
    char words[WORDS_ROOM];
    puts("#compdef ulplab\n# zsh completion for ulplab; written by ulplab --completion zsh\n"
         "_ulplab() {\n    local -a commands=(");
    for (const struct command *c = commands; c->name; c++) {
        printf("        '%s:", c->name);
        zsh_text(c->summary);
        puts("'");
    }
    puts("    )\n"
         "    if (( CURRENT == 2 )); then\n"
         "        _describe command commands\n"
         "        return\n"
         "    fi\n"
         "    local command=$words[2]\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    case $command in");
    for (const struct command *c = commands; c->name; c++) {
        printf("    %s)\n        _arguments", c->name);
        for (const struct option_spec *s = option_specs; s->name; s++)
            if (option_applies(s, c)) zsh_option(s);
        words_after(c, words);
        printf(" \\\n            '*:%s%s%s'\n        ;;\n", *words ? "word:(" : "file:_files",
               words, *words ? ")" : "");
    }
    puts("    esac\n}\n_ulplab \"$@\"");
}

int manual_completion(const char *shell, struct error *e)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } shells[] = {{"bash", bash_completion}, {"zsh", zsh_completion}};
    for (size_t i = 0; shell && i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(shells[i].shell, shell)) return shells[i].print(), EXIT_DONE;
    return fail(e, EXIT_USAGE, "--completion: '%s': not a shell that is known; name bash or zsh",
                shell ? shell : "");
}
