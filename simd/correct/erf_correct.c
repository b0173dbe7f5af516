// SPDX-License-Identifier: MIT
/* y = erf(x) = x p(x^2), correctly rounded: correct.h. */
#include "correct.h"

#define OP "erf"
#define KEEPS_SIGN
enum { LEAST_BITS = 0, MOST_BITS = 0x407adfa4 }; /* 3.9199, beyond which y is 1 or -1 */

/* erf(x) / x as a polynomial of x^2 - erf_middle, to 2^-54. */
static const double erf_middle = 0x1.ebb98c7e28240p2;
static const double erf_c[] = {
    0x1.7164fe350c92ep-2,   -0x1.801257dc00c95p-6,   0x1.29b7037aafebcp-9,
    -0x1.f8d4e4746bf67p-13, 0x1.b44d859e0235bp-16,   -0x1.730aba779c2ep-19,
    0x1.2fb7935fadf7p-22,   -0x1.d8098e5bcc8f8p-26,  0x1.59841c03deab8p-29,
    -0x1.daa26f2b8f62ep-33, 0x1.318fa06014b71p-36,   -0x1.70f29807c30b8p-40,
    0x1.a26011b01dd52p-44,  -0x1.be710e0022479p-48,  0x1.c14b996872411p-52,
    -0x1.ab6fa2647c69fp-56, 0x1.8147f11ba3ce8p-60,   -0x1.49d07cfebc9b9p-64,
    0x1.0cc16531d909fp-68,  -0x1.a14e8232ab647p-73,  0x1.34acc2dafefa6p-77,
    -0x1.b847b947f9c09p-82, 0x1.33d0db37461ecp-86,   -0x1.899190bd2df3dp-91,
    0x1.9ec0ce0725145p-96,  -0x1.15f4004ab9e63p-100, 0x1.17db7b6efe18cp-104,
    -0x1.18358479d78e4p-109};

static inline dr dr_value(dr x)
{
    return dr_mul(x, POLYNOMIAL(erf_c, dr_fma(x, x, dr_set1(-erf_middle))));
}
static inline vf y_elsewhere(vf x, vf y)
{
    (void)y;
    return vf_by_doubles(i_clamp(x, 3.9199f), dr_value);
}
#include "correct_unary.h"
