// SPDX-License-Identifier: MIT
/* The commands and their options are the same in --help, in the man page, and in the completions
 * for bash (which is run) and for zsh; and the installed program works without its sources. */
// test: 56 s of a core

#include "base/error.h"
#include "cmd/options.h"

#include "drive.h"
#include "scratch.h"

enum { WORDS_MAX = 64, WORD_MAX = 40 };

struct words {
    char items[WORDS_MAX][WORD_MAX];
    size_t count;
};

static struct words command_names;
static char *man, *zsh;

/* Lines of shell, in which $T is the test's folder and $ULPLAB the program. */
#define run(...) drive_line(drive_program("ulplab"), __VA_ARGS__)

/* Reads the first word of each line that begins with two blanks and `with`, from the line that
 * begins with `from` to the next empty line. */
static void first_words(const char *text, const char *from, const char *with, struct words *words)
{
    words->count = 0;
    const char *line = strstr(text, from);
    assert_non_null(line);
    for (line = strchr(line, '\n'); line && line[1] && line[1] != '\n'; line = strchr(line, '\n')) {
        line++;
        if (strncmp(line, "  ", 2) || line[2] == ' ' || strncmp(line + 2, with, strlen(with)))
            continue;
        assert_true(words->count < WORDS_MAX);
        snprintf(words->items[words->count++], WORD_MAX, "%.*s", (int)strcspn(line + 2, " \n"),
                 line + 2);
    }
}

static bool has(const struct words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(words->items[i], word)) return true;
    return false;
}

/* Returns the options that --help of the i-th command has. */
static const struct words *options_of(size_t i)
{
    static struct words of[WORDS_MAX];
    if (of[i].count) return &of[i];
    struct outcome o = run("%s --help", command_names.items[i]);
    assert_int_equal(o.code, EXIT_DONE);
    first_words(o.out, "\noptions:", "--", &of[i]);
    assert_true(of[i].count >= 2);
    return &of[i];
}

static int set_up(void **state)
{
    if (scratch_open(state)) return -1;
    static const char *const passed[] = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES"};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) unsetenv(passed[i]);
    setenv("T", scratch, 1);
    setenv("ULPLAB", drive_program("ulplab"), 1);
    struct outcome help = run("--help");
    first_words(help.out, "\ncommands:", "", &command_names);
    must("$ULPLAB --completion bash >$T/bash && $ULPLAB --man >$T/man && "
         "$ULPLAB --completion zsh >$T/zsh");
    man = scratch_read("man");
    zsh = scratch_read("zsh");
    return 0;
}

/* ---- One table ------------------------------------------------------------------------------- */

/* An option of another command is refused even if it could be an abbreviation of one of the
 * command's own. */
TEST(a_command_refuses_what_its_help_has_not)
{
    size_t refused = 0;
    for (size_t i = 0; i < command_names.count; i++) {
        const struct command command = {.name = command_names.items[i]};
        const struct words *own = options_of(i);
        for (const struct option_spec *s = option_specs; s->name; s++) {
            char word[WORD_MAX];
            snprintf(word, sizeof word, "--%s", s->name);
            char *arguments[] = {"ulplab", command_names.items[i], word, "5", NULL};
            struct options o;
            struct error e;
            if (has(own, word)) continue;
            assert_int_equal(options_parse(4, arguments, &command, &o, &e), EXIT_USAGE);
            assert_non_null(strstr(e.text, "is not an option of this command"));
            options_free(&o);
            refused++;
        }
    }
    assert_true(refused > 100);
}

/* Writes an option as roff has it: --max-ulp becomes \-\-max\-ulp. */
static void in_roff(const char *word, char *roff, size_t size)
{
    size_t at = 0;
    for (; *word && at + 3 < size; word++) {
        if (*word == '-') roff[at++] = '\\';
        roff[at++] = *word;
    }
    roff[at] = '\0';
}

/* Returns the text between a mark and the next `end`. */
static char *part(const char *text, const char *mark, const char *end)
{
    const char *begin = strstr(text, mark), *stop = begin ? strstr(begin + 1, end) : NULL;
    if (!begin) fail_msg("no '%s'", mark);
    return keep(strndup(begin, stop ? (size_t)(stop - begin) : strlen(begin)));
}

TEST(the_manual_has_every_command_and_option)
{
    assert_true(command_names.count >= 13);
    for (size_t i = 0; i < command_names.count; i++) {
        char mark[64], roff[2 * WORD_MAX];
        snprintf(mark, sizeof mark, "\n.SS %s\n", command_names.items[i]);
        char *own = part(man, mark, "\n.S"), *common = part(man, "\n.SH OPTIONS\n", "\n.SH ");
        const struct words *options = options_of(i);
        for (size_t k = 0; k < options->count; k++) {
            in_roff(options->items[k], roff, sizeof roff);
            if (!strstr(own, roff) && !strstr(common, roff))
                fail_msg("the man page has no %s of %s", options->items[k], command_names.items[i]);
        }
    }
}

TEST(zsh_has_every_command_and_option)
{
    for (size_t i = 0; i < command_names.count; i++) {
        char mark[64];
        snprintf(mark, sizeof mark, "\n        '%s:", command_names.items[i]);
        assert_non_null(strstr(zsh, mark));
        snprintf(mark, sizeof mark, "\n    %s)\n", command_names.items[i]);
        char *own = part(zsh, mark, "\n        ;;");
        const struct words *options = options_of(i);
        for (size_t k = 0; k < options->count; k++) {
            snprintf(mark, sizeof mark, "'*%s[", options->items[k]);
            if (!strstr(own, mark))
                fail_msg("zsh has no %s of %s", options->items[k], command_names.items[i]);
        }
    }
}

/* Lists what bash offers to complete each of these lines, in one bash: they are words of bash. */
static void complete(char lines[][WORD_MAX], size_t count, struct words *offered)
{
    FILE *out = fopen(scratch_path("asks"), "w");
    assert_non_null(out);
    fputs(". $T/bash\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out,
                "COMP_WORDS=(%s) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()\n_ulplab\n"
                "printf '%%s ' \"${COMPREPLY[@]}\" ,\n",
                lines[i]);
    assert_int_equal(fclose(out), 0);
    FILE *in = popen("bash $T/asks", "r");
    assert_non_null(in);
    for (size_t i = 0; i < count; i++) {
        char word[WORD_MAX];
        offered[i].count = 0;
        while (fscanf(in, "%39s", word) == 1 && strcmp(word, ",") != 0) {
            assert_true(offered[i].count < WORDS_MAX);
            strcpy(offered[i].items[offered[i].count++], word);
        }
    }
    assert_int_equal(pclose(in), 0);
}

TEST(bash_offers_every_command_and_option)
{
    static struct words offered[WORDS_MAX];
    char lines[WORDS_MAX][WORD_MAX] = {"ulplab \"\""};
    for (size_t i = 0; i < command_names.count; i++)
        snprintf(lines[i + 1], WORD_MAX, "ulplab %.20s --", command_names.items[i]);
    complete(lines, command_names.count + 1, offered);
    assert_int_equal(offered[0].count, command_names.count + 1); /* the commands and --help */
    for (size_t i = 0; i < command_names.count; i++) {
        const struct words *options = options_of(i), *shown = &offered[i + 1];
        assert_true(has(&offered[0], command_names.items[i]));
        assert_int_equal(shown->count, options->count);
        for (size_t k = 0; k < options->count; k++) assert_true(has(shown, options->items[k]));
    }
}

TEST(bash_offers_values_and_files)
{
    static const struct {
        const char *line;
        int count; /* -1: several */
        const char *has;
    } asked[] = {{"acc", 1, "accuracy"},
                 {"accuracy --family on", 1, "onehot"},
                 {"accuracy --family adv", 1, "adversarial"},
                 {"bench --family adv", 0, NULL},
                 {"list --hide-isa avx512v", 1, "avx512vbmi"},
                 {"policy --emit \"\"", 5, NULL},
                 {"scan al", 1, "all"},
                 {"scan all exp", -1, "exp"},
                 {"eval --in READ", -1, "README.md"}};
    enum { ASKED = sizeof asked / sizeof *asked };
    static struct words offered[ASKED];
    char lines[ASKED][WORD_MAX];
    for (size_t i = 0; i < ASKED; i++) snprintf(lines[i], WORD_MAX, "ulplab %s", asked[i].line);
    complete(lines, ASKED, offered);
    for (size_t i = 0; i < ASKED; i++) {
        if (asked[i].count >= 0 && offered[i].count != (size_t)asked[i].count)
            fail_msg("%s: %zu words", asked[i].line, offered[i].count);
        if (asked[i].has && !has(&offered[i], asked[i].has)) fail_msg("%s", asked[i].line);
        assert_false(has(&offered[i], "expand"));
    }
}

TEST(shells_and_man_can_read_them)
{
    must("bash -n $T/bash");
    must("! command -v zsh >/dev/null || zsh -n $T/zsh");
    must("! command -v mandoc >/dev/null || mandoc -Tlint -W warning $T/man");
    must("! command -v man >/dev/null || man -l $T/man >/dev/null");
}

/* The version is that of every JSON document, with its commit and a compiler. */
TEST(the_version_is_the_documents)
{
    struct outcome version = run("--version");
    json_t *document = drive_json(drive_program("ulplab"), EXIT_DONE, "list --json");
    const json_t *tool = json_object_get(document, "tool");
    char line[200];
    snprintf(line, sizeof line, "ulplab %s, commit %s\ncompilers: ",
             json_string_value(json_object_get(tool, "version")),
             json_string_value(json_object_get(tool, "commit")));
    assert_int_equal(version.code, EXIT_DONE);
    assert_int_equal(strncmp(version.out, line, strlen(line)), 0);
    assert_true(strlen(version.out) > strlen(line));
}

TEST(another_shell_is_refused)
{
    assert_says(drive_program("ulplab"), EXIT_USAGE, "fish", "--completion fish");
    assert_says(drive_program("ulplab"), EXIT_USAGE, "bash or zsh", "--completion");
}

/* ---- Installed ------------------------------------------------------------------------------- */

/* Installs by make, from a build folder with the program alone, which cannot be rebuilt there. */
#define MAKE "make -s -o all -o lib BUILD=$T/build DESTDIR=$T/root PREFIX='/my own' "

TEST(what_is_installed_works_elsewhere)
{
    must_format("mkdir $T/build && cp $ULPLAB $T/build/ulplab && cp -r '%s' $T/build/litmus",
                drive_program("litmus"));
    must_format("cp -r '%s' $T/build/lib", drive_program("lib"));
    must(MAKE "install >/dev/null");
    must("cd \"$T/root/my own\" && for f in bin/ulplab share/man/man1/ulplab.1 "
         "share/bash-completion/completions/ulplab share/zsh/site-functions/_ulplab "
         "lib/libulp.so.1 include/ulp.h; do test -s $f || exit 1; done");
    must("mkdir -p $T/elsewhere && cd $T/elsewhere && mv ../build ../gone && "
         "'../root/my own/bin/ulplab' run --quick --quiet --no-limits --hide-isa avx512 --filter "
         "moments/twopass/dtype=f32/isa=avx2/.*=off >out 2>err && "
         "test -s results/local/*/report.html && '../root/my own/bin/ulplab' codegen --filter "
         "moments/twopass/dtype=f32/isa=avx2/.*=off | grep -q moments/twopass; code=$?; mv ../gone "
         "../build; exit $code");
    must(MAKE "uninstall >/dev/null");
    must("test -z \"$(find $T/root -type f)\"");
}

TEST(a_tarball_needs_no_git)
{
    if (access(".git", F_OK) != 0) skip(); /* a tree without .git is such a tarball */
    must("make -s dist BUILD=$T/build DIST=$T >/dev/null");
    must("mkdir $T/again && make -s dist DIST=$T/again >/dev/null");
    must("cmp $T/ulplab-*.tar.gz $T/again/ulplab-*.tar.gz");
    must(
        "grep -qxF \"version: $(basename $T/ulplab-*.tar.gz .tar.gz | cut -d- -f2)\" CITATION.cff");
    must("cd $T && tar xzf ulplab-*.tar.gz && cd ulplab-[0-9]*/ && "
         "make -n all BUILD=$T/tarball >/dev/null 2>&1");
    must("grep -qxE '[0-9a-f]{7,}' $T/tarball/commit");
}

TEST_GROUP(set_up, scratch_close)
