// SPDX-License-Identifier: MIT
#include "study/workshop.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "build.h"
#include "model/npy.h"

/* ---- Words ----------------------------------------------------------------------------------- */

void words_add(struct words *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->items = memory_grow(w->items, (w->count + 2) * sizeof *w->items);
    w->items[w->count++] = memory_format_list(format, arguments);
    va_end(arguments);
    w->items[w->count] = NULL;
}

void words_add_each(struct words *w, const char *const *items)
{
    for (; items && *items; items++) words_add(w, "%s", *items);
}

void words_copy(struct words *to, const struct words *from)
{
    words_add_each(to, (const char *const *)from->items);
}

void words_free(struct words *w)
{
    for (size_t i = 0; i < w->count; i++) free(w->items[i]);
    free(w->items);
    *w = (struct words){0};
}

char *words_joined(const struct words *w)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_text(&text, &size);
    for (size_t i = 0; i < w->count; i++) fprintf(out, "%s%s", i ? " " : "", w->items[i]);
    memory_text_close(out);
    return text;
}

void words_add_variable(struct words *w, const char *name, struct words *words)
{
    char *text = words_joined(words);
    words_add(w, "%s=%s", name, text);
    free(text);
    words_free(words);
}

/* ---- Children -------------------------------------------------------------------------------- */

/* The targets of a child's output: descriptors, or -1 for the lab's own. */
struct outputs {
    int out, err;
};

static void run_child(char *const *words, struct outputs o)
{
    static const char *const of_make[] = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"};
    for (size_t i = 0; i < sizeof of_make / sizeof *of_make; i++) unsetenv(of_make[i]);
    setpgid(0, 0);
    interrupt_reset();
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    if ((o.out >= 0 && dup2(o.out, STDOUT_FILENO) < 0) ||
        (o.err >= 0 && dup2(o.err, STDERR_FILENO) < 0))
        _exit(EXIT_FAILURE);
    execvp(words[0], words);
    fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/* Starts a program; returns -1 if the system has no process left. */
static pid_t start(char *const *words, struct outputs o)
{
    fflush(NULL);
    pid_t child = process_fork();
    if (child == 0) run_child(words, o);
    if (child > 0) setpgid(child, child); /* both set it: either may run first */
    return child;
}

/* Waits for a child, and returns its wait status, or -1 if there is no child. If the lab is asked
 * to stop, it passes that on to the child's group. */
static int wait_for(pid_t child)
{
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        if (interrupt_requested()) kill(-child, SIGTERM);
    return status;
}

int workshop_run(char *const *words)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int status = wait_for(start(words, (struct outputs){nothing, nothing}));
    if (nothing >= 0) close(nothing);
    return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Appends the output from `from` to `text` until its end, the limit, an error or an interruption;
 * returns whether the end was reached. */
static bool output_collect(int from, double limit_s, FILE *text)
{
    char piece[1 << 16];
    const double end = monotonic_s() + (limit_s > 0 ? limit_s : 1e9);
    while (!interrupt_requested()) {
        struct pollfd p = {.fd = from, .events = POLLIN};
        const double left = end - monotonic_s();
        int ready = left > 0 ? poll(&p, 1, left < 1 ? (int)(1000 * left) + 1 : 1000) : 0;
        if (left <= 0) return false;
        ssize_t size = ready > 0 ? read(from, piece, sizeof piece) : -1;
        if (size == 0) return true;
        if (size < 0 && ready > 0 && errno != EINTR) return false;
        if (size > 0) fwrite(piece, 1, (size_t)size, text);
    }
    return false;
}

/* Returns the output of a program; NULL if it was not read to its end. err: the target of its
 * stderr; -1: the lab's own. *status: its wait status, -1 if it was not started. */
static char *text_of(char *const *words, double limit_s, int err, size_t *size, int *status)
{
    int ends[2];
    char *text = NULL;
    FILE *out = memory_text(&text, size);
    pid_t child = -1;
    bool whole = false;
    if (process_pipe(ends)) {
        child = start(words, (struct outputs){ends[1], err});
        close(ends[1]);
        if (child > 0) whole = output_collect(ends[0], limit_s, out);
        close(ends[0]);
    }
    memory_text_close(out);
    /* A program whose output was not read to its end is asked to end. */
    if (child > 0 && (!whole || limit_s > 0)) kill(-child, SIGTERM);
    *status = wait_for(child);
    if (child > 0) kill(-child, SIGKILL); /* processes that it left */
    if (!whole) free(text), text = NULL;
    return text;
}

char *workshop_text(char *const *words, double limit_s, size_t *size)
{
    int status;
    char *text = text_of(words, limit_s, -1, size, &status);
    return text ? text : memory_zeroed(1, 1);
}

static json_t *document_of(char *const *words, double limit_s, int err, int *status)
{
    size_t size = 0;
    char *text = text_of(words, limit_s, err, &size, status);
    if (!text) return NULL;
    json_t *document = json_loadb(text, size, 0, NULL);
    free(text);
    return document;
}

bool workshop_finds_program(const char *name)
{
    char command[100];
    snprintf(command, sizeof command, "command -v '%.64s' >/dev/null", name);
    return !strpbrk(name, "/'") && system(command) == 0;
}

json_t *workshop_document(char *const *words, double limit_s)
{
    int status;
    return document_of(words, limit_s, -1, &status);
}

json_t *workshop_answer(char *const *words, char *said, size_t size, int *code)
{
    char line[1200];
    FILE *err = tmpfile();
    int status;
    *said = '\0';
    json_t *document = document_of(words, 0, err ? fileno(err) : -1, &status);
    if (err) rewind(err);
    while (err && fgets(line, sizeof line, err)) {
        fputs(line, stderr);
        snprintf(said, size, "%.*s", (int)strcspn(line, "\n"), line);
    }
    if (err) fclose(err);
    *code = status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return document;
}

/* ---- The folders ----------------------------------------------------------------------------- */

static const char sources_variable[] = "ULPLAB_SOURCES";

static bool is_there(const char *folder, const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

static bool is_source(const char *folder)
{
    return is_there(folder, "Makefile") && is_there(folder, "simd/probe.c");
}

/* Cuts a path down to its folder. */
static void cut_name(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) *(slash == path ? slash + 1 : slash) = '\0';
}

static void find_program(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[length > 0 ? length : 0] = '\0';
    cut_name(folder);
}

/* Finds the sources of an installed program: PREFIX/share/ulplab of PREFIX/bin/ulplab. */
static bool find_installed(char root[PATH_MAX])
{
    char prefix[PATH_MAX];
    find_program(prefix);
    cut_name(prefix);
    snprintf(root, PATH_MAX, "%.4000s/share/ulplab", prefix);
    return is_source(root);
}

/* Writes the path of this program's part of the user's cache, which depends on the version and the
 * compiler. */
static bool find_cache(char *path, size_t size)
{
    static char version[40];
    char folder[PATH_MAX];
    size_t length;
    char *const ask[] = {"gcc", "-dumpfullversion", NULL};
    if (!*version) {
        char *text = workshop_text(ask, 10, &length);
        snprintf(version, sizeof version, "%.*s", (int)strcspn(text, "\n"), text);
        free(text);
    }
    return cache_folder(folder, sizeof folder) &&
           snprintf(path, size, "%.3000s/%s-%.40s-gcc-%s", folder, build_version, build_commit,
                    version) < (int)size;
}

void workshop_beside(const char *name, char *path, size_t size)
{
    char folder[PATH_MAX];
    if (find_installed(folder) && find_cache(folder, sizeof folder)) {
        snprintf(path, size, "%s/%s", folder, name);
        return;
    }
    find_program(folder);
    snprintf(path, size, "%s-%s", folder, name);
}

const char *workshop_compiler(const char *name)
{
    for (size_t i = 0; i < build_compiler_count; i++)
        if (!strcmp(build_compilers[i].cc, name)) return build_compilers[i].command;
    return name;
}

bool workshop_sources(char root[PATH_MAX])
{
    const char *named = getenv(sources_variable);
    if (!named || !is_source(named) || !realpath(named, root)) {
        if (find_installed(root)) return true;
        if (!getcwd(root, PATH_MAX)) root[0] = '\0';
    }
    while (!is_source(root) && strlen(root) > 1) cut_name(root);
    if (is_source(root)) return true;
    find_program(root);
    while (!is_source(root) && strlen(root) > 1) cut_name(root);
    return is_source(root);
}

/* ---- Building -------------------------------------------------------------------------------- */

bool workshop_compile(const struct workshop *w, const char *folder, const struct words *command)
{
    struct words words = {0};
    char log[PATH_MAX + 16];
    snprintf(log, sizeof log, "%s/compile.log", w->folder);
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    WORDS_ADD(&words, "env", "-C", folder);
    words_copy(&words, command);
    int status = wait_for(start(words.items, (struct outputs){fd, fd}));
    if (fd >= 0) close(fd);
    words_free(&words);
    return status == 0;
}

void workshop_first_error(const char *log, char *line, size_t size)
{
    char next[1024];
    FILE *in = file_open(log);
    snprintf(line, size, "the compiler failed");
    while (in && fgets(next, sizeof next, in))
        if (strstr(next, "error")) {
            snprintf(line, size, "%.*s", (int)strcspn(next, "\n"), next);
            break;
        }
    if (in) fclose(in);
}

/* Writes the last line of the log that does not begin with "make"; if all do, the first. */
static void last_line(const char *log, char *line, size_t size)
{
    char next[1024];
    FILE *in = file_open(log);
    line[0] = '\0';
    while (in && fgets(next, sizeof next, in)) {
        next[strcspn(next, "\n")] = '\0';
        if (next[0] && (!line[0] || strncmp(next, "make", 4) != 0))
            snprintf(line, size, "%.299s", next);
    }
    if (in) fclose(in);
}

int workshop_make(const struct workshop *w, const struct words *variables,
                  const struct words *goals, struct error *e)
{
    struct words words = {0};
    char log[PATH_MAX + 16], line[300];
    snprintf(log, sizeof log, "%s/make.log", w->folder);
    WORDS_ADD(&words, "make", "--no-print-directory", "-C", w->root, "progress=");
    words_add(&words, "BUILD=%s", w->folder);
    words_add(&words, "LAB=%s", w->lab);
    words_copy(&words, variables);
    for (size_t i = 0; i < goals->count; i++)
        words_add(&words, "%s/%s", w->folder, goals->items[i]);
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        words_free(&words);
        return file_cannot(e, "write", log, "choose another folder");
    }
    int status = wait_for(start(words.items, (struct outputs){fd, fd}));
    close(fd);
    words_free(&words);
    if (interrupt_requested()) return interrupt_requested();
    if (status == 0) return 0;
    last_line(log, line, sizeof line);
    if (w->temporary) return fail(e, EXIT_PARTIAL, "workshop: make: %s", line);
    return fail(e, EXIT_PARTIAL, "workshop: make: %s; %s has all that it said", line, log);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Builds the lab's objects in the user's cache if they do not exist yet; another process waits. */
static int build_in_cache(struct workshop *w, struct error *e)
{
    struct workshop lab = *w;
    struct words goals = {0}, variables = {0};
    char path[PATH_MAX + 16];
    int code = folder_make(w->lab, e);
    if (code) return code;
    snprintf(path, sizeof path, "%s/lock", w->lab);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || flock(fd, LOCK_EX) != 0)
        code = file_cannot(e, "build in", w->lab, "choose another folder with XDG_CACHE_HOME");
    cache_use(strrchr(w->lab, '/') + 1);
    if (!code && !is_there(w->lab, "liblab.a"))
        note(
            "building the lab's own objects in %s, once: minutes; 'ulplab doctor' names the folder",
            w->lab);
    snprintf(lab.folder, sizeof lab.folder, "%s", w->lab);
    words_add(&goals, "liblab.a");
    words_add(&goals, "src/%s.o", "main");
    if (!code) code = workshop_make(&lab, &variables, &goals, e);
    words_free(&goals);
    words_free(&variables);
    if (fd >= 0) close(fd);
    return code;
}

/* Returns whether the workshop uses an installed program's sources. */
static bool is_installed(const struct workshop *w)
{
    char installed[PATH_MAX];
    return find_installed(installed) && !strcmp(installed, w->root);
}

static int find_lab(struct workshop *w, struct error *e)
{
    if (is_installed(w) && find_cache(w->lab, sizeof w->lab)) return build_in_cache(w, e);
    snprintf(w->lab, sizeof w->lab, "%.4000s/build", w->root);
    return 0;
}

int workshop_open(struct workshop *w, const char *folder, struct error *e)
{
    char path[PATH_MAX + 64];
    const char *temporary = getenv("TMPDIR");
    const char *other =
        folder ? "choose another folder with --out" : "choose another folder with TMPDIR";
    *w = (struct workshop){.root = ""};
    find_program(w->lab);
    if (!workshop_sources(w->root))
        return fail(e, EXIT_BAD_INPUT,
                    "workshop: the lab's sources are not here: they are what a small lab is built "
                    "from; run this in a clone of the repository");
    setenv(sources_variable, w->root, 1);
    snprintf(path, sizeof path, "%s", folder ? folder : temporary ? temporary : "/tmp");
    w->temporary = !folder;
    if (w->temporary) strncat(path, "/ulplab-XXXXXX", sizeof path - strlen(path) - 1);
    /* A program without objects beside it shares another build's. */
    int code = 0;
    if (!is_there(w->lab, "liblab.a")) code = find_lab(w, e);
    if (!code && folder) code = folder_make(path, e);
    if (code) return code;
    if ((!folder && !mkdtemp(path)) || !realpath(path, w->folder))
        return file_cannot(e, "build in", path, other);
    if (strpbrk(w->folder, " \t$#%:'\"\\"))
        return fail(e, EXIT_BAD_INPUT, "workshop: %s: make takes no such letters in a name; %s",
                    w->folder, other);
    return 0;
}

void workshop_close(struct workshop *w)
{
    if (w->temporary && w->folder[0]) folder_remove(w->folder);
    *w = (struct workshop){.root = ""};
}

int workshop_lab_objects(const struct workshop *w, struct words *objects, const char *axes[3],
                         struct error *e)
{
    struct workshop lab = *w;
    struct words goals = {0}, variables = {0};
    if (!is_installed(w)) return 0;
    for (size_t i = 0; i < objects->count; i++) {
        const char *object = strstr(objects->items[i], "obj/");
        words_add(&goals, "%s", object ? object : objects->items[i]);
    }
    static const char *const names[] = {"CCS", "ISAS", "POLICIES"};
    for (size_t i = 0; i < 3; i++) words_add(&variables, "%s=%s", names[i], axes[i]);
    words_add(&variables, "STORED_POLICIES=");
    snprintf(lab.folder, sizeof lab.folder, "%s", w->lab);
    int code = goals.count ? workshop_make(&lab, &variables, &goals, e) : 0;
    words_free(objects);
    for (size_t i = 0; i < goals.count; i++) words_add(objects, "%s/%s", w->lab, goals.items[i]);
    words_free(&goals);
    words_free(&variables);
    return code;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

int workshop_ask(const struct workshop *w, const struct words *command, double limit_s,
                 json_t **document, struct error *e)
{
    struct words words = {0};
    words_add(&words, "%s/ulplab", w->folder);
    words_copy(&words, command);
    char log[PATH_MAX + 16];
    snprintf(log, sizeof log, "%s/program.log", w->folder);
    int fd = w->temporary ? -1 : open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int status;
    *document = document_of(words.items, limit_s, fd, &status);
    words_free(&words);
    if (fd >= 0) close(fd);
    if (*document) return 0;
    if (interrupt_requested()) return interrupt_requested();
    return fail(e, EXIT_PARTIAL, "workshop: %s/ulplab %s: it printed no document%s%s", w->folder,
                command->count ? command->items[0] : "",
                fd < 0 ? "" : "; why: ", fd < 0 ? "" : log);
}

/* ---- Special inputs ------------------------------------------------------------------------- */

int specials_write(const char *path, bool in_double, struct error *e)
{
    static const double floats[] = {NAN,      INFINITY,  -INFINITY, 0.0,      -0.0,
                                    0x1p-149, -0x1p-130, FLT_MAX,   -FLT_MAX, (double)88.8f},
                        doubles[] = {NAN,       INFINITY,   -INFINITY, 0.0,      -0.0,
                                     0x1p-1074, -0x1p-1030, DBL_MAX,   -DBL_MAX, 709.9};
    enum { KINDS = sizeof floats / sizeof *floats, N = 37, ROWS = 2 * KINDS };
    const double *specials = in_double ? doubles : floats;
    double wide[ROWS * N];
    float x[ROWS * N];
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < N; i++) {
            bool special = r >= KINDS || i == 5 || i == N - 1;
            wide[r * N + i] = special ? specials[r % KINDS] : (double)((i * 37 + r) % 64) / 16 - 2;
            x[r * N + i] = (float)wide[r * N + i];
        }
    const struct npy array = {
        .data = x, .doubles = in_double ? wide : NULL, .rows = ROWS, .cols = N, .ndim = 2};
    return npy_write(path, &array, e);
}
