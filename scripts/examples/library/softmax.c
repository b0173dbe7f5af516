// SPDX-License-Identifier: MIT
/* cc softmax.c $(pkg-config --cflags --libs ulp) && ./a.out */
#include <stdio.h>
#include <ulp.h>

int main(void)
{
    float x[2][3] = {{1, 2, 3}, {4, 6, 5}}, y[2][3];
    int status = ulp_softmax_f32(2, 3, x[0], 3, y[0], 3, NULL, 0);
    for (int r = 0; r < 2; r++) printf("%a %a %a\n", y[r][0], y[r][1], y[r][2]);
    return status;
}
