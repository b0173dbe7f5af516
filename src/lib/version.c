// SPDX-License-Identifier: MIT
/* The library's version. */
#include "ulp.h"

/* ULP_RELEASE and ULP_COMMIT come from scripts/lib.mk. */
const char *ulp_version(void)
{
    return ULP_RELEASE " (" ULP_COMMIT ")";
}

const char *ulp_status_text(int status)
{
    static const char *const texts[] = {
        [ULP_OK] = "done",
        [ULP_NULL] = "a pointer is NULL where there is something to read or write",
        [ULP_STRIDE] = "a stride is shorter than its row",
        [ULP_ALIGNMENT] = "a pointer is not aligned to its element",
        [ULP_OVERLAP] = "x and y overlap, other than in place",
        [ULP_SIZE] = "a matrix exceeds PTRDIFF_MAX bytes",
        [ULP_WORKSPACE] = "the workspace is smaller than ulp_workspace_bytes(n)",
        [ULP_EPS] = "eps is negative or a NaN",
        [ULP_ISA] = "there is no such ISA on this CPU",
        [ULP_THREADS] = "the number of threads is negative",
    };
    int known = (int)(sizeof texts / sizeof *texts);
    return status >= 0 && status < known ? texts[status] : "no status of libulp";
}
