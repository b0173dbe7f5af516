// SPDX-License-Identifier: MIT
/* The commands and their options are the same in --help, in the man page, and in the completions
 * for bash (which is run) and for zsh; and the installed program works without its sources. */
// test: 25 s of a core
#include <jansson.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cmd/options.h"

#include "drive.h"

enum { WORDS_MAX = 64, WORD_MAX = 40 };

struct words {
    char items[WORDS_MAX][WORD_MAX];
    size_t count;
};

static char folder[] = "/tmp/ulplab-manual-XXXXXX";
static struct words command_names;
static char *man, *zsh;

#define run(...)                                                                                   \
    drive(&(struct drive){.program = drive_program("ulplab"), .arguments = {__VA_ARGS__}})

static int sh(const char *format, const char *a, const char *b)
{
    char command[1024], line[1200];
    snprintf(command, sizeof command, format, a, b);
    snprintf(line, sizeof line, "unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES; %s", command);
    return system(line);
}

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
    struct outcome o = run(command_names.items[i], "--help");
    assert_int_equal(o.code, EXIT_DONE);
    first_words(o.out, "\noptions:", "--", &of[i]);
    assert_true(of[i].count >= 2);
    drive_free(&o);
    return &of[i];
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    struct outcome help = run("--help"), page = run("--man"), z = run("--completion", "zsh");
    first_words(help.out, "\ncommands:", "", &command_names);
    man = strdup(page.out);
    zsh = strdup(z.out);
    drive_free(&help);
    drive_free(&page);
    drive_free(&z);
    return sh("%s --completion bash >%s/bash", drive_program("ulplab"), folder) ||
           sh("%s --man >%s/man", drive_program("ulplab"), folder) ||
           sh("%s --completion zsh >%s/zsh", drive_program("ulplab"), folder);
}

static int tear_down(void **state)
{
    (void)state;
    free(man);
    free(zsh);
    return sh("rm -r '%s%s'", folder, "");
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
            assert_non_null(strstr(e.text, "is no option of this command"));
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

/* Returns the text between a mark and the next `end`; the caller frees it. */
static char *part(const char *text, const char *mark, const char *end)
{
    const char *begin = strstr(text, mark), *stop = begin ? strstr(begin + 1, end) : NULL;
    if (!begin) fail_msg("no '%s'", mark);
    return strndup(begin, stop ? (size_t)(stop - begin) : strlen(begin));
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
        free(own);
        free(common);
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
        free(own);
    }
}

/* Lists what bash offers to complete each of these lines, in one bash: they are words of bash. */
static void complete(char lines[][WORD_MAX], size_t count, struct words *offered)
{
    char path[100], command[120];
    snprintf(path, sizeof path, "%s/asks", folder);
    snprintf(command, sizeof command, "bash %s", path);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, ". %s/bash\n", folder);
    for (size_t i = 0; i < count; i++)
        fprintf(out,
                "COMP_WORDS=(%s) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()\n_ulplab\n"
                "printf '%%s ' \"${COMPREPLY[@]}\" ,\n",
                lines[i]);
    assert_int_equal(fclose(out), 0);
    FILE *in = popen(command, "r");
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
    assert_int_equal(sh("bash -n %s/%s", folder, "bash"), 0);
    assert_int_equal(sh("! command -v zsh >/dev/null || zsh -n %s/%s", folder, "zsh"), 0);
    assert_int_equal(
        sh("! command -v mandoc >/dev/null || mandoc -Tlint -W warning %s/%s", folder, "man"), 0);
    assert_int_equal(sh("! command -v man >/dev/null || man -l %s/%s >/dev/null", folder, "man"),
                     0);
}

/* The version is that of every JSON document, with its commit and a compiler. */
TEST(the_version_is_the_documents)
{
    struct outcome version = run("--version"), list = run("list", "--json");
    json_t *document = json_loads(list.out, 0, NULL);
    const json_t *tool = json_object_get(document, "tool");
    char line[200];
    snprintf(line, sizeof line, "ulplab %s, commit %s\ncompilers: ",
             json_string_value(json_object_get(tool, "version")),
             json_string_value(json_object_get(tool, "commit")));
    assert_int_equal(version.code, EXIT_DONE);
    assert_int_equal(strncmp(version.out, line, strlen(line)), 0);
    assert_true(strlen(version.out) > strlen(line));
    json_decref(document);
    drive_free(&version);
    drive_free(&list);
}

TEST(another_shell_is_refused)
{
    struct outcome o = run("--completion", "fish");
    assert_one_error(&o, EXIT_USAGE, "fish");
    drive_free(&o);
    o = run("--completion");
    assert_one_error(&o, EXIT_USAGE, "bash or zsh");
    drive_free(&o);
}

/* ---- Installed ------------------------------------------------------------------------------- */

/* Installs by make, from a build folder with the program alone, which cannot be rebuilt there. */
#define MAKE "make -s -o all -o lib BUILD=%s/build DESTDIR=%s/root PREFIX='/my own' "

TEST(what_is_installed_works_elsewhere)
{
    char line[1200];
    snprintf(line, sizeof line, "mkdir '%s/build' && cp '%s' '%s/build/ulplab'", folder,
             drive_program("ulplab"), folder);
    must(line);
    snprintf(line, sizeof line, "cp -r '%s' '%s/build/litmus'", drive_program("litmus"), folder);
    must(line);
    snprintf(line, sizeof line, "cp -r '%s' '%s/build/lib'", drive_program("lib"), folder);
    must(line);
    assert_int_equal(sh(MAKE "install >/dev/null", folder, folder), 0);
    static const char *const files[] = {"bin/ulplab",
                                        "share/man/man1/ulplab.1",
                                        "share/bash-completion/completions/ulplab",
                                        "share/zsh/site-functions/_ulplab",
                                        "lib/libulp.so.1",
                                        "include/ulp.h"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(line, sizeof line, "test -s '%s/root/my own/%s'", folder, files[i]);
        must(line);
    }
    snprintf(
        line, sizeof line,
        "mkdir -p %s/elsewhere && cd %s/elsewhere && mv ../build ../gone && "
        "'../root/my own/bin/ulplab' run --quick --quiet --no-limits --hide-isa avx512 --filter "
        "moments/twopass/dtype=f32/isa=avx2/.*=off >out 2>err && "
        "test -s results/local/*/report.html && '../root/my own/bin/ulplab' codegen --filter "
        "moments/twopass/dtype=f32/isa=avx2/.*=off | grep -q moments/twopass; code=$?; mv ../gone "
        "../build; exit $code",
        folder, folder);
    must(line);
    assert_int_equal(sh(MAKE "uninstall >/dev/null", folder, folder), 0);
    assert_int_equal(sh("test -z \"$(find %s/root -type f%s)\"", folder, ""), 0);
}

TEST(a_tarball_needs_no_git)
{
    if (access(".git", F_OK) != 0) skip(); /* a tree without .git is such a tarball */
    assert_int_equal(sh("make -s dist BUILD=%s/build DIST=%s >/dev/null", folder, folder), 0);
    assert_int_equal(sh("mkdir %s/again && make -s dist DIST=%s/again >/dev/null", folder, folder),
                     0);
    assert_int_equal(sh("cmp %s/ulplab-*.tar.gz %s/again/ulplab-*.tar.gz", folder, folder), 0);
    assert_int_equal(sh("grep -qxF \"version: $(basename %s/ulplab-*.tar.gz .tar.gz | cut -d- "
                        "-f2)\" CITATION.cff%s",
                        folder, ""),
                     0);
    assert_int_equal(sh("cd %s && tar xzf ulplab-*.tar.gz && cd ulplab-[0-9]*/ && "
                        "make -n all BUILD=%s/tarball >/dev/null 2>&1",
                        folder, folder),
                     0);
    assert_int_equal(sh("grep -qxE '[0-9a-f]{7,}' %s/tarball/commit%s", folder, ""), 0);
}

TEST_GROUP(set_up, tear_down)
