// SPDX-License-Identifier: MIT
/* A library that `make campaign` preloads (LD_PRELOAD): it counts the calls that a program makes of
 * each class, or lets one of them fail.
 *
 * FAULT_COUNTS=FILE leaves in FILE a line per class: its name, the number of calls, and the numbers
 * of those calls that came from a new place in the program.
 *
 * FAULT="CLASS N ERRNO ROLE" lets the Nth call of CLASS fail with ERRNO. ROLE lab: in the program
 * itself; ROLE child: in each process that it starts. FAULT_FIRED=FILE is made then.
 *
 * FAULT_CLOCK=back: the clock steps back. FAULT_SLOW=MS: the disk is slow. FAULT_ADVICE=ERRNO:
 * madvise fails, which makes FAULT_FIRED, too.
 *
 * Nothing here allocates memory or uses stdio, which are what is let fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum class {
    MEMORY,
    MMAP,
    OPEN,
    READ,
    WRITE,
    SHORT,
    SYNC,
    RENAME,
    RENAMED, /* renames, but reports a failure: NFS whose answer was lost */
    FORK,
    PIPE,
    WAIT,
    RESIZE,
    CLASSES
};
static const char *const class_names[CLASSES] = {"memory", "mmap", "open",   "read",    "write",
                                                 "short",  "sync", "rename", "renamed", "fork",
                                                 "pipe",   "wait", "resize"};

enum { PLACES_MAX = 8192, FRAMES = 10, OWN_FRAMES = 2 };
static struct counted {
    _Atomic unsigned long calls;
    size_t places;
    uint64_t place[PLACES_MAX];
    unsigned long first[PLACES_MAX];
} counted[CLASSES];

static struct {
    bool armed, counting;
    enum class class;
    unsigned long nth;
    int error;
    const char *counts, *fired;
} fault;
static pid_t first_process;
static _Thread_local bool inside; /* backtrace() allocates the first time it is called */

/* ---- Which call it is ------------------------------------------------------------------------ */

static uint64_t place_of_call(void)
{
    void *frames[FRAMES + OWN_FRAMES];
    int count = backtrace(frames, FRAMES + OWN_FRAMES);
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = OWN_FRAMES; i < count; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * 0x100000001b3u;
    return hash;
}

static void note_place(struct counted *c, unsigned long number)
{
    uint64_t place = place_of_call();
    for (size_t i = 0; i < c->places; i++)
        if (c->place[i] == place) return;
    if (c->places == PLACES_MAX) return;
    c->place[c->places] = place;
    c->first[c->places++] = number;
}

static void say_fired(void)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, fault.fired, O_WRONLY | O_CREAT, 0666);
    if (fd < 0) return;
    void *frames[32];
    inside = true;
    backtrace_symbols_fd(frames, backtrace(frames, 32), fd);
    inside = false;
    syscall(SYS_close, fd);
}

/* Counts a call of a class. Returns the errno that it is to fail with, or 0. */
static int fails(enum class class)
{
    if (inside || (!fault.counting && !(fault.armed && fault.class == class))) return 0;
    struct counted *c = &counted[class];
    unsigned long number = atomic_fetch_add(&c->calls, 1) + 1;
    if (fault.counting && syscall(SYS_getpid) == first_process) {
        inside = true;
        note_place(c, number);
        inside = false;
    }
    if (!fault.armed || number != fault.nth) return 0;
    if (fault.fired) say_fired();
    return fault.error;
}

/* ---- The beginning and the end --------------------------------------------------------------- */

static enum class class_named(const char *name, size_t length) {
    size_t i = 0; while (i < CLASSES && (strlen(class_names[i]) != length ||
                                         strncmp(class_names[i], name, length))) i++;
    return (enum class)i;
}

static void arm(const char *text, bool is_child)
{
    size_t length = strcspn(text, " ");
    char *rest = NULL;
    enum class class = class_named(text, length);
    unsigned long nth = strtoul(text + length, &rest, 10);
    int error = (int)strtol(rest, &rest, 10);
    if (class == CLASSES || !nth || !error) return;
    fault.class = class;
    fault.nth = nth;
    fault.error = error;
    fault.armed = (strstr(rest, "child") != NULL) == is_child;
}

static void in_forked_child(void)
{
    const char *text = getenv("FAULT");
    fault.counting = fault.armed = false;
    if (!text) return;
    for (size_t i = 0; i < CLASSES; i++) counted[i].calls = 0;
    arm(text, true);
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment)
{
    (void)environment;
    const char *text = getenv("FAULT");
    void *frame[1];
    inside = true;
    backtrace(frame, 1);
    inside = false;
    first_process = (pid_t)syscall(SYS_getpid);
    bool is_worker = argc == 2 && !strcmp(argv[1], "bench-worker");
    fault.fired = getenv("FAULT_FIRED");
    fault.counts = is_worker ? NULL : getenv("FAULT_COUNTS");
    fault.counting = fault.counts != NULL;
    if (text) arm(text, is_worker);
}

static void put(int fd, const char *format, ...)
{
    char line[64];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    syscall(SYS_write, fd, line, (size_t)length);
}

__attribute__((destructor)) static void end(void)
{
    if (!fault.counting || syscall(SYS_getpid) != first_process) return;
    fault.counting = false;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, fault.counts, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) return;
    for (size_t c = 0; c < CLASSES; c++) {
        put(fd, "%s %lu", class_names[c], (unsigned long)counted[c].calls);
        for (size_t i = 0; i < counted[c].places; i++) put(fd, " %lu", counted[c].first[i]);
        put(fd, "\n");
    }
    syscall(SYS_close, fd);
}

/* The next definition of a function in the search order: the one that this library replaces. */
#define NEXT(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

/* ---- A clock that steps back: an hour each time that it is asked
 * -------------------------------------------------------------------------------------------- */

static time_t behind(void)
{
    static _Atomic time_t hours;
    enum { HOUR_S = 3600 };
    return getenv("FAULT_CLOCK") ? HOUR_S * atomic_fetch_add(&hours, 1) : 0;
}
int clock_gettime(clockid_t clock, struct timespec *t)
{
    static __typeof__(&clock_gettime) next;
    if (!next) next = NEXT(clock_gettime);
    int code = next(clock, t);
    if (clock == CLOCK_REALTIME && code == 0) t->tv_sec -= behind();
    return code;
}
time_t time(time_t *result)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

/* ---- Memory: glibc's own names, since looking up malloc allocates ---------------------------- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

#define UNLESS(class, otherwise)                                                                   \
    do {                                                                                           \
        int why = fails(class);                                                                    \
        if (why) {                                                                                 \
            errno = why;                                                                           \
            return otherwise;                                                                      \
        }                                                                                          \
    } while (0)

void *malloc(size_t size)
{
    UNLESS(MEMORY, NULL);
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    UNLESS(MEMORY, NULL);
    return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size)
{
    UNLESS(MEMORY, NULL);
    return __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
    UNLESS(MEMORY, NULL);
    return __libc_memalign(alignment, size);
}
int posix_memalign(void **place, size_t alignment, size_t size)
{
    int why = fails(MEMORY);
    if (why) return why;
    void *made = __libc_memalign(alignment, size);
    if (made) *place = made;
    return made ? 0 : ENOMEM;
}

/* ---- System calls ---------------------------------------------------------------------------- */

/* Each function below counts the call and passes it on to the next definition of its name. */

/* PASS(result type, name, result of a failure, class, parameters, arguments) defines one of them.
 */
#define PASS(type, name, failure, class, parameters, arguments)                                    \
    type name parameters                                                                           \
    {                                                                                              \
        UNLESS(class, failure);                                                                    \
        static __typeof__(&name) next;                                                             \
        if (!next) next = NEXT(name);                                                              \
        return next arguments;                                                                     \
    }

PASS(void *, mmap, MAP_FAILED, MMAP, (void *a, size_t n, int p, int f, int d, off_t o),
     (a, n, p, f, d, o))
PASS(void *, mmap64, MAP_FAILED, MMAP, (void *a, size_t n, int p, int f, int d, off64_t o),
     (a, n, p, f, d, o))
PASS(int, memfd_create, -1, OPEN, (const char *name, unsigned flags), (name, flags))
PASS(FILE *, fopen, NULL, OPEN, (const char *restrict path, const char *restrict mode),
     (path, mode))
PASS(FILE *, fopen64, NULL, OPEN, (const char *restrict path, const char *restrict mode),
     (path, mode))
PASS(int, mkdir, -1, OPEN, (const char *path, mode_t mode), (path, mode))
PASS(ssize_t, read, -1, READ, (int d, void *data, size_t n), (d, data, n))
PASS(ssize_t, pread, -1, READ, (int d, void *data, size_t n, off_t o), (d, data, n, o))
PASS(ssize_t, pread64, -1, READ, (int d, void *data, size_t n, off64_t o), (d, data, n, o))
PASS(int, pipe, -1, PIPE, (int ends[2]), (ends))
PASS(int, pipe2, -1, PIPE, (int ends[2], int flags), (ends, flags))
PASS(pid_t, waitpid, -1, WAIT, (pid_t p, int *status, int options), (p, status, options))
PASS(int, poll, -1, WAIT, (struct pollfd * p, nfds_t n, int ms), (p, n, ms))
PASS(int, ftruncate, -1, RESIZE, (int d, off_t n), (d, n))
PASS(int, ftruncate64, -1, RESIZE, (int d, off64_t n), (d, n))

/* FAULT_SLOW=MS simulates a slow disk: MS milliseconds per write, five times as many per fsync.
 * Pipes keep their speed. */
static void wait_for_disk(int d, long times)
{
    const char *slow = getenv("FAULT_SLOW");
    struct stat st;
    if (!slow || (d >= 0 && (fstat(d, &st) != 0 || !S_ISREG(st.st_mode)))) return;
    long ns = strtol(slow, NULL, 10) * times * 1000000;
    const struct timespec t = {ns / 1000000000, ns % 1000000000};
    syscall(SYS_nanosleep, &t, NULL);
}
int fsync(int d)
{
    UNLESS(SYNC, -1);
    wait_for_disk(d, 5);
    return (int)syscall(SYS_fsync, d);
}
int fdatasync(int d)
{
    UNLESS(SYNC, -1);
    wait_for_disk(d, 5);
    return (int)syscall(SYS_fdatasync, d);
}
int rename(const char *from, const char *to)
{
    UNLESS(RENAME, -1);
    int why = fails(RENAMED);
    wait_for_disk(-1, 1);
    if (syscall(SYS_rename, from, to) != 0) return -1;
    if (why) errno = why;
    return why ? -1 : 0;
}

int renameat2(int from_d, const char *from, int to_d, const char *to, unsigned flags)
{
    UNLESS(RENAME, -1);
    int why = fails(RENAMED);
    wait_for_disk(-1, 1);
    if (syscall(SYS_renameat2, from_d, from, to_d, to, flags) != 0) return -1;
    if (why) errno = why;
    return why ? -1 : 0;
}

/* FAULT_ADVICE=ERRNO lets every madvise() fail. */
int madvise(void *place, size_t size, int advice)
{
    const char *why = getenv("FAULT_ADVICE");
    if (!why) return (int)syscall(SYS_madvise, place, size, advice);
    if (fault.fired) say_fired();
    errno = (int)strtol(why, NULL, 10);
    return -1;
}

pid_t fork(void)
{
    UNLESS(FORK, -1);
    static __typeof__(&fork) next;
    if (!next) next = NEXT(fork);
    pid_t child = next();
    if (child == 0) in_forked_child();
    return child;
}

/* The C library reads and writes a stream by internal calls that cannot be replaced; its error flag
 * can be set. */
static void spoil(FILE *stream)
{
    stream->_flags |= _IO_ERR_SEEN;
}
static ssize_t line_or_fail(char **restrict line, size_t *restrict room, int end, FILE *restrict in)
{
    static __typeof__(&getdelim) next;
    int why = fails(READ);
    if (why) spoil(in), errno = why;
    if (!next) next = NEXT(getdelim);
    return why ? -1 : next(line, room, end, in);
}
ssize_t getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict in)
{
    return line_or_fail(line, room, end, in);
}
/* The function that the C library's header replaces getline() by. */
ssize_t __getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict in)
{
    return line_or_fail(line, room, end, in);
}
size_t fread(void *restrict data, size_t size, size_t count, FILE *restrict stream)
{
    static __typeof__(&fread) next;
    int why = fails(READ);
    if (why) spoil(stream), errno = why;
    if (!next) next = NEXT(fread);
    return why ? 0 : next(data, size, count, stream);
}
int fflush(FILE *stream)
{
    static __typeof__(&fflush) next;
    /* A stream in memory (open_memstream) has no descriptor, and cannot run out of disk. */
    int why = stream && fileno(stream) >= 0 ? fails(WRITE) : 0;
    if (why) spoil(stream), errno = why;
    if (!next) next = NEXT(fflush);
    return why ? EOF : next(stream);
}

static ssize_t write_or_fail(int d, const void *data, size_t n, off64_t at, bool placed)
{
    UNLESS(WRITE, -1);
    if (n > 1 && fails(SHORT)) n /= 2;
    wait_for_disk(d, 1);
    return placed ? syscall(SYS_pwrite64, d, data, n, at) : syscall(SYS_write, d, data, n);
}
ssize_t write(int d, const void *data, size_t n)
{
    return write_or_fail(d, data, n, 0, false);
}
ssize_t pwrite(int d, const void *data, size_t n, off_t at)
{
    return write_or_fail(d, data, n, at, true);
}
ssize_t pwrite64(int d, const void *data, size_t n, off64_t at)
{
    return write_or_fail(d, data, n, at, true);
}

static int open_or_fail(int folder, const char *path, int flags, mode_t mode)
{
    UNLESS(OPEN, -1);
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}
#define OPENS(name)                                                                                \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;             \
        va_end(arguments);                                                                         \
        return open_or_fail(AT_FDCWD, path, flags, mode);                                          \
    }
OPENS(open)
OPENS(open64)
