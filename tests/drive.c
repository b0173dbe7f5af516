// SPDX-License-Identifier: MIT
#include "drive.h"

#include <glob.h>

#include "facts.h"

enum { DRIVE_LIMIT_S = 300 };

const char *drive_program(const char *under_build)
{
    static char path[512];
    const char *named = getenv("ULPLAB"), *build = getenv("BUILD");
    if (named && !strcmp(under_build, "ulplab")) return named;
    snprintf(path, sizeof path, "%s/%s", build ? build : "build", under_build);
    return path;
}

const char *drive_small_program(void)
{
    const char *named = getenv("ULPLAB"), *small = drive_program("faults/ulplab");
    return !named && access(small, X_OK) == 0 ? small : drive_program("ulplab");
}

char *drive_slurp(FILE *f)
{
    rewind(f);
    char *text = NULL;
    size_t size = 0;
    FILE *copy = open_memstream(&text, &size);
    for (int c; (c = getc(f)) != EOF;) putc(c, copy);
    fclose(copy);
    fclose(f);
    return keep(text);
}

char *drive_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s: cannot be read", path);
    return drive_slurp(f);
}

struct npy drive_npy(const char *path)
{
    struct npy a;
    struct error e;
    if (npy_read(path, &a, &e)) fail_msg("%s", e.text);
    if (a.data) keep(a.data);
    if (a.doubles) keep(a.doubles);
    return a;
}

char **drive_glob(const char *const *patterns)
{
    glob_t *files = keep(calloc(1, sizeof *files));
    files->gl_pathv = keep(calloc(1, sizeof *files->gl_pathv)); /* where nothing matches */
    for (int flags = 0; *patterns; patterns++)
        if (glob(*patterns, flags, NULL, files) == 0) flags = GLOB_APPEND;
    return files->gl_pathv;
}

static void drive_child(const struct drive *d, int out, int err)
{
    const char *argv[DRIVE_ARGUMENTS + 1] = {d->program};
    for (size_t i = 0; i + 1 < DRIVE_ARGUMENTS && d->arguments[i]; i++)
        argv[i + 1] = d->arguments[i];
    if (d->output) out = open(d->output, O_WRONLY | O_CREAT, 0666);
    if (d->file_limit) setrlimit(RLIMIT_FSIZE, &(struct rlimit){d->file_limit, d->file_limit});
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    /* The child must not inherit the test's signal handlers and masks. */
    for (int sig = 1; sig < 32; sig++) signal(sig, SIG_DFL);
    alarm(DRIVE_LIMIT_S);
    execv(d->program, (char **)(uintptr_t)argv);
    _exit(127);
}

/* Returns whether a SIGINT can be sent: the program handles it and d->interrupt_at exists, or the
 * program has ended. */
static bool drive_can_interrupt(const struct drive *d, pid_t child)
{
    siginfo_t ended = {.si_pid = 0};
    if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid)
        return true;
    char path[64], line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) sscanf(line, "SigCgt: %llx", &caught);
    if (f) fclose(f);
    return caught >> (SIGINT - 1) & 1 && access(d->interrupt_at, F_OK) == 0;
}

void drive_keep(const char *command, const char *document)
{
    static int count;
    const char *folder = getenv("ULPLAB_DOCUMENTS");
    char path[512], name[40] = "", word[20] = "";
    if (!folder || !strstr(command, " --json") || strpbrk(command, "|>;") || *command == '-' ||
        *document != '{')
        return; /* a shell's command, `-c ..`, is none of the program's */
    sscanf(command, "%39s %19s", name, word);
    const bool two = !strcmp(name, "archive") || !strcmp(name, "fleet");
    snprintf(path, sizeof path, "%s/%s%s%s.%d.%d", folder, name, two ? "-" : "", two ? word : "",
             (int)getpid(), count++);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(document, out);
    assert_int_equal(fclose(out), 0);
}

struct outcome drive(const struct drive *d)
{
    FILE *out = tmpfile(), *err = tmpfile();
    assert_non_null(out);
    assert_non_null(err);
    pid_t child = fork();
    if (child == 0) drive_child(d, fileno(out), fileno(err));
    assert_true(child > 0);
    int status = 0;
    if (d->interrupt_at) {
        while (!drive_can_interrupt(d, child)) usleep(1000);
        kill(child, SIGINT);
    }
    while (waitpid(child, &status, 0) < 0) {
    }
    struct outcome o = {
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status),
        .out = drive_slurp(out),
        .err = drive_slurp(err),
    };
    char command[4096] = "";
    for (size_t i = 0, used = 0; d->arguments[i] && used < sizeof command; i++)
        used += (size_t)snprintf(command + used, sizeof command - used, "%s ", d->arguments[i]);
    drive_keep(command, o.out);
    return o;
}

void drive_free(struct outcome *o)
{
    free(o->out);
    free(o->err);
}

void assert_one_error(const struct outcome *o, int code, const char *needle)
{
    if (o->code != code || strncmp(o->err, "ulplab: ", 8) != 0 || !strstr(o->err, needle) ||
        strchr(o->err, '\n') != o->err + strlen(o->err) - 1)
        fail_msg("want exit %d and one line with '%s'; got exit %d: %s", code, needle, o->code,
                 o->err);
}

static struct outcome drive_words(const char *program, const char *format, va_list values)
{
    char line[4096], *rest = line;
    struct drive d = {.program = program};
    vsnprintf(line, sizeof line, format, values);
    for (size_t i = 0; i + 1 < DRIVE_ARGUMENTS && (d.arguments[i] = next_word(&rest)); i++) {
    }
    assert_null(next_word(&rest));
    return drive(&d);
}

struct outcome drive_line(const char *program, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    struct outcome o = drive_words(program, format, values);
    va_end(values);
    return o;
}

json_t *drive_json(const char *program, int code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    struct outcome o = drive_words(program, format, values);
    va_end(values);
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    if (o.code != code || !document)
        fail_msg("%s: exit %d, want %d and a document: %s", format, o.code, code, o.err);
    return keep(document);
}

void assert_says(const char *program, int code, const char *says, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    struct outcome o = drive_words(program, format, values);
    va_end(values);
    if (code)
        assert_one_error(&o, code, says);
    else if (o.code || !(strstr(o.out, says) || strstr(o.err, says)))
        fail_msg("%s: exit %d, '%s' is not said: %s%s", format, o.code, says, o.out, o.err);
}

bool drive_first_id(const char *program, const char *filter, char id[DRIVE_ID])
{
    struct outcome o = drive_line(program, "list --filter '%s'", filter);
    snprintf(id, DRIVE_ID, "%.*s", (int)strcspn(o.out, " "), o.out);
    return o.code == 0 && strstr(o.out, " ok");
}
