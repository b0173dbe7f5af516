// SPDX-License-Identifier: MIT
/* Opens a library that lies beside the peer's own object, where scripts/peers has put it. */
#ifndef ULPLAB_PEERS_BESIDE_H
#define ULPLAB_PEERS_BESIDE_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns dlopen()'s handle of the library at `path`, relative to the folder of this object, with
 * `flags` besides RTLD_NOW. Ends the process if there is no such library. */
static inline void *open_beside(const char *path, int flags)
{
    static const char anchor = 0;
    Dl_info self;
    char whole[4096] = "";
    if (dladdr(&anchor, &self)) {
        const char *slash = strrchr(self.dli_fname, '/');
        int folder = slash ? (int)(slash - self.dli_fname) + 1 : 0;
        snprintf(whole, sizeof whole, "%.*s%s", folder, self.dli_fname, path);
    }
    void *library = dlopen(whole, RTLD_NOW | flags);
    if (library) return library;
    fprintf(stderr, "%s: %s\n", path, dlerror());
    abort();
}

#endif
