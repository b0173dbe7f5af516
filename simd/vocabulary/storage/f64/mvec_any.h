// SPDX-License-Identifier: MIT
/* glibc's vector functions (libmvec) of doubles, by the names of the x86-64 vector ABI, which the
 * including file makes of a function's. glibc promises 4 ulp. */
#ifndef MVEC_ANY_H
#define MVEC_ANY_H

#define MVEC_ONE(name, symbol)                                                                     \
    vf symbol(vf);                                                                                 \
    static inline vf mvec_##name(vf x) { return symbol(x); }
MVEC_ONE(exp, MVEC(exp))
MVEC_ONE(exp2, MVEC(exp2))
MVEC_ONE(expm1, MVEC(expm1))
MVEC_ONE(log, MVEC(log))
MVEC_ONE(log2, MVEC(log2))
MVEC_ONE(log1p, MVEC(log1p))
MVEC_ONE(tanh, MVEC(tanh))
MVEC_ONE(erf, MVEC(erf))
MVEC_ONE(sin, MVEC(sin))
MVEC_ONE(cos, MVEC(cos))

#endif
