// SPDX-License-Identifier: MIT
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <time.h>

#include "base/memory.h"
#include "base/process.h"

int file_cannot(struct error *e, const char *what, const char *path, const char *remedy)
{
    return fail(e, EXIT_BAD_INPUT, "cannot %s: %s: %s; %s", what, path, strerror(errno), remedy);
}

FILE *file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return NULL;
    FILE *in = fcntl(fd, F_SETFL, 0) == 0 ? fdopen(fd, "rb") : NULL;
    int why = errno;
    if (!in) close(fd), errno = why;
    return in;
}

int file_read(const char *path, size_t most, char **text, size_t *size, struct error *e)
{
    struct stat st;
    FILE *in = file_open(path);
    *text = NULL;
    *size = 0;
    if (!in && errno == ENOENT) return 0;
    if (!in) return file_cannot(e, "read", path, "name another, or try again");
    bool whole = fstat(fileno(in), &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size <= most;
    if (whole) {
        *size = (size_t)st.st_size;
        *text = memory_new(*size + 1);
        whole = fread(*text, 1, *size, in) == *size;
        (*text)[*size] = '\0';
    }
    int code =
        ferror(in) ? file_cannot(e, "read", path, "see whether its disk works, then try again") : 0;
    fclose(in);
    if (whole) return 0;
    free(*text);
    *text = NULL;
    if (code) return code;
    const bool large = most >> 30;
    return fail(e, EXIT_BAD_INPUT,
                "cannot read: %s: no file of at most %zu %s that stays the same; name another, or "
                "wait for the run",
                path, most >> (large ? 30 : 20), large ? "GiB" : "MiB");
}

/* Writes all parts. Returns false, with errno, if it could not. */
static bool base_file_write_parts(int fd, const struct iovec *parts, int count)
{
    bool whole = true;
    for (int i = 0; i < count && whole; i++)
        whole = write_all(fd, parts[i].iov_base, parts[i].iov_len);
    return whole;
}

static void sync_folder_of(const char *path)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", path);
    int dir = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) return;
    fsync(dir);
    close(dir);
}

/* Returns whether the path is a device or a pipe, which cannot be replaced by a renamed file. A
 * link to one is replaced, because it may have come with a stranger's results: only /dev/stdout and
 * its like are followed. */
static bool is_special(const char *path)
{
    struct stat st;
    bool system = !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
    int code = system ? stat(path, &st) : lstat(path, &st);
    return code == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode);
}

/* Opens the temporary file. A file that has its name already, left by a killed process or put there
 * to be followed, is removed first. */
static int open_for_writing(const char *path, bool special)
{
    if (special) return open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    unlink(path);
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* Returns the remedy for a file that could not be written, by errno. */
static const char *remedy_for(int why)
{
    switch (why) {
    case ENOENT:
    case ENOTDIR:
        return "make its folder first, or choose another place";
    case EACCES:
    case EPERM:
    case EROFS:
        return "choose another place";
    default:
        return "free some space, or choose another place";
    }
}

int file_write_parts(const char *path, const struct iovec *parts, int count, struct error *e)
{
    bool special = is_special(path);
    char temporary[1100];
    snprintf(temporary, sizeof temporary, special ? "%s" : "%s.%d.tmp", path, (int)getpid());

    int fd = open_for_writing(temporary, special);
    if (fd < 0) return file_cannot(e, "write", path, remedy_for(errno));
    bool good = base_file_write_parts(fd, parts, count) && (special || fsync(fd) == 0);
    int why = errno;
    if (close(fd) != 0 && good) good = false, why = errno;
    if (good && !special && rename(temporary, path) != 0) good = false, why = errno;
    if (!good) {
        if (!special) unlink(temporary);
        errno = why;
        return file_cannot(e, "write", path, remedy_for(why));
    }
    if (!special) sync_folder_of(path);
    return 0;
}

static struct {
    char path[1100];
    pid_t writer;
} unfinished;

void file_unfinished(const char *path)
{
    unfinished.writer = path ? getpid() : 0;
    snprintf(unfinished.path, sizeof unfinished.path, "%s", path ? path : "");
}

void file_abandon(void)
{
    if (unfinished.writer == getpid()) unlink(unfinished.path);
}

int file_write_atomic(const char *path, const char *text, size_t size, struct error *e)
{
    /* struct iovec has no const pointer, because it serves reading, too. */
    const struct iovec part = {(char *)(uintptr_t)text, size};
    return file_write_parts(path, &part, 1, e);
}

int folder_make(const char *path, struct error *e)
{
    char partial[1024];
    snprintf(partial, sizeof partial, "%s", path);
    for (char *slash = partial + 1;; slash++) {
        if (*slash && *slash != '/') continue;
        char end = *slash;
        *slash = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return file_cannot(e, "write", path, "choose another folder with --out");
        if (!end) break;
        *slash = end;
    }
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) || access(path, W_OK) != 0)
        return file_cannot(e, "write", path, "choose another folder with --out");
    return 0;
}

int folder_exchange(const char *a, const char *b)
{
    if (renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) != 0) return -1;
    sync_folder_of(b);
    return 0;
}

/* Takes the lock. A child of a lab that was just killed may hold the folder for a moment longer. */
static bool take_lock(int lock)
{
    enum { TRIES = 20, NAP_US = 50000 };
    for (int i = 0; i < TRIES; i++) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return true; /* a file system without locks */
        usleep(NAP_US);
    }
    return false;
}

/* Returns whether the path still names the folder that is locked, or was exchanged meanwhile. */
static bool is_at(int lock, const char *path)
{
    struct stat held, named;
    return fstat(lock, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

int folder_lock(const char *path, int *lock, struct error *e)
{
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0) return file_cannot(e, "read", path, "choose another folder with --out");
    if (take_lock(*lock) && is_at(*lock, path)) return 0;
    folder_unlock(*lock);
    *lock = -1;
    return fail(e, EXIT_BAD_INPUT,
                "cannot write: %s: another run writes here; wait for it, or choose another folder "
                "with --out",
                path);
}

void folder_unlock(int lock)
{
    if (lock >= 0) close(lock);
}

/* ---- A user's cache -------------------------------------------------------------------------- */

bool cache_folder(char *path, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/') return snprintf(path, size, "%s/ulplab", cache) < (int)size;
    return home && *home == '/' && snprintf(path, size, "%s/.cache/ulplab", home) < (int)size;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

void folder_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Calls back for each part of the cache with its path. */
static void each_part(const char *folder, void (*call)(const char *path, const char *name, void *),
                      void *context)
{
    char path[PATH_MAX];
    DIR *d = opendir(folder);
    for (const struct dirent *entry; d && (entry = readdir(d));) {
        struct stat st;
        if (*entry->d_name == '.') continue;
        snprintf(path, sizeof path, "%.3000s/%.900s", folder, entry->d_name);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) call(path, entry->d_name, context);
    }
    if (d) closedir(d);
}

static void refresh_or_remove(const char *path, const char *name, void *used)
{
    struct stat st;
    if (!strcmp(name, used))
        utimensat(AT_FDCWD, path, NULL, 0);
    else if (stat(path, &st) == 0 && time(NULL) - st.st_mtime > CACHE_DAYS * 24 * 3600L)
        folder_remove(path);
}

void cache_use(const char *name)
{
    char folder[PATH_MAX], used[NAME_MAX + 1];
    snprintf(used, sizeof used, "%s", name);
    if (cache_folder(folder, sizeof folder)) each_part(folder, refresh_or_remove, used);
}

static void count_part(const char *path, const char *name, void *parts)
{
    (void)path, (void)name;
    ++*(size_t *)parts;
}

/* nftw() hands its function no context. */
static double bytes;

static int add_bytes(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)path, (void)place;
    if (type == FTW_F) bytes += (double)status->st_size;
    return 0;
}

double cache_bytes(const char *path, size_t *parts)
{
    *parts = 0;
    bytes = 0;
    each_part(path, count_part, parts);
    nftw(path, add_bytes, 16, FTW_PHYS);
    return bytes;
}
