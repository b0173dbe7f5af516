// SPDX-License-Identifier: MIT
#include "machine/glibc.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/platform/x86.h>
#include <unistd.h>

static const char *const told = "glibc.cpu.hwcaps=-AVX2,-FMA";

const char *glibc_chosen(void)
{
    static char text[64];
    const bool fma = CPU_FEATURE_ACTIVE(FMA), avx2 = CPU_FEATURE_ACTIVE(AVX2);
    snprintf(text, sizeof text, "%s%s%s%s%s", gnu_get_libc_version(),
             fma && avx2 ? "" : " without ", fma ? "" : "FMA", fma || avx2 ? "" : ", ",
             avx2 ? "" : "AVX2");
    return text;
}

static bool names(const char *list, const char *isa)
{
    const size_t length = strlen(isa);
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == length && !strncmp(list, isa, length)) return true;
    return false;
}

void glibc_hide(const char *hidden, char **argv)
{
    const char *before = getenv("GLIBC_TUNABLES");
    char tunables[1024];
    if (!hidden || !names(hidden, "avx2") || (before && strstr(before, told))) return;
    int length = snprintf(tunables, sizeof tunables, "%s%s%s", before ? before : "",
                          before ? ":" : "", told);
    if (length >= (int)sizeof tunables || setenv("GLIBC_TUNABLES", tunables, 1) != 0) return;
    execv("/proc/self/exe", argv);
}
