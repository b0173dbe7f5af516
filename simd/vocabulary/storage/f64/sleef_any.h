// SPDX-License-Identifier: MIT
/* SLEEF's functions of doubles: at most 1.0 ulp, 3.5 where the name says u35. The including file
 * names them for its ISA, SLEEF_FMA(f, ulp): those built with FMA. SLEEF is linked as a library
 * that was compiled with contraction off, so that no policy changes it. */
#ifndef SLEEF_ANY_H
#define SLEEF_ANY_H

#define SLEEF_ONE(name, symbol)                                                                    \
    vf symbol(vf);                                                                                 \
    static inline vf name(vf x) { return symbol(x); }
#define SLEEF_U10(name, function) SLEEF_ONE(sleef_##name, SLEEF_FMA(function, u10))
#define SLEEF_U35(name, function) SLEEF_ONE(sleef_##name##_u35, SLEEF_FMA(function, u35))

SLEEF_U10(exp, exp)
SLEEF_U10(exp2, exp2)
SLEEF_U10(expm1, expm1)
SLEEF_U10(log, log)
SLEEF_U10(log2, log2)
SLEEF_U10(log1p, log1p)
SLEEF_U10(tanh, tanh)
SLEEF_U10(erf, erf)
SLEEF_U10(sin, sin)
SLEEF_U10(cos, cos)
SLEEF_U35(exp2, exp2)
SLEEF_U35(log, log)
SLEEF_U35(log2, log2)
SLEEF_U35(tanh, tanh)
SLEEF_U35(sin, sin)
SLEEF_U35(cos, cos)

#endif
