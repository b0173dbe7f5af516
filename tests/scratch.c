// SPDX-License-Identifier: MIT
#include "scratch.h"

#include "drive.h"

char scratch[] = "/tmp/ulplab-test-XXXXXX";

int scratch_open(void **state)
{
    (void)state;
    return mkdtemp(scratch) ? 0 : -1;
}

int scratch_close(void **state)
{
    (void)state;
    char command[80];
    snprintf(command, sizeof command, "rm -r '%s'", scratch);
    return system(command);
}

const char *scratch_path(const char *name)
{
    static char paths[4][160];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", scratch, name);
    return path;
}

char *scratch_read(const char *name)
{
    return drive_read(scratch_path(name));
}

void scratch_put(const char *name, const void *bytes, size_t size)
{
    FILE *out = fopen(scratch_path(name), "wb");
    if (!out || fwrite(bytes, 1, size, out) != size || fclose(out))
        fail_msg("%s/%s: cannot be written", scratch, name);
}

void scratch_write(const char *name, const char *text)
{
    scratch_put(name, text, strlen(text));
}

void assert_scratch_says(const char *name, bool said, const char *text)
{
    char *whole = scratch_read(name);
    if (!strstr(whole, text) == said)
        fail_msg("%s %s '%s':\n%.9000s", name, said ? "lacks" : "says", text, whole);
}
