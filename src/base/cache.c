// SPDX-License-Identifier: MIT
#include "base/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

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
