#include "base/transfer.h"

#include <errno.h>
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
