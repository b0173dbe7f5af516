// SPDX-License-Identifier: MIT
#include "base/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool write_all(int fd, const void *data, size_t size)
{
    for (const char *p = data; size;) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

bool read_all(int fd, void *data, size_t size)
{
    for (char *p = data; size;) {
        ssize_t n = read(fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

/* dup2() of a descriptor onto itself would leave it to be closed. */
bool descriptor_give(int from, int to)
{
    return from == to ? fcntl(from, F_SETFD, 0) == 0 : dup2(from, to) == to;
}
