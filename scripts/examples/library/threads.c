// SPDX-License-Identifier: MIT
/* cc threads.c $(pkg-config --cflags --libs ulp_omp) && ./a.out */
#include <stdio.h>
#include <stdlib.h>
#include <ulp_omp.h>

int main(void)
{
    size_t rows = 1000, n = 3000, bytes = ulp_omp_workspace_bytes(2, n);
    float *x = calloc(rows * n, sizeof *x);
    void *workspace = malloc(bytes);
    int status = ulp_omp_softmax_f32(2, rows, n, x, n, x, n, workspace, bytes);
    printf("%a: %s\n", x[rows * n - 1], ulp_status_text(status));
    free(workspace), free(x);
    return status;
}
