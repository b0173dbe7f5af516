// SPDX-License-Identifier: MIT
/* SLEEF's functions for 16 lanes: at most 1.0 ulp, 3.5 where the name says u35. finz is built with
 * FMA; cinz without, and gives the same bits on every CPU. SLEEF is linked as a library that was
 * compiled with contraction off, so that no policy changes it. */
#ifndef SLEEF_VEC_H
#define SLEEF_VEC_H

#include <sleef.h>

#include "vec.h"

static inline vf sleef_exp(vf x) { return Sleef_finz_expf16_u10avx512f(x); }
static inline vf sleef_log(vf x) { return Sleef_finz_logf16_u10avx512f(x); }
static inline vf sleefnofma_exp(vf x) { return Sleef_cinz_expf16_u10avx512fnofma(x); }
static inline vf sleefnofma_log(vf x) { return Sleef_cinz_logf16_u10avx512fnofma(x); }
static inline vf sleef_log2(vf x) { return Sleef_finz_log2f16_u10avx512f(x); }
static inline vf sleef_log2_u35(vf x) { return Sleef_finz_log2f16_u35avx512f(x); }
static inline vf sleef_log_u35(vf x) { return Sleef_finz_logf16_u35avx512f(x); }
static inline vf sleef_erf(vf x) { return Sleef_finz_erff16_u10avx512f(x); }
static inline vf sleefnofma_log2(vf x) { return Sleef_cinz_log2f16_u10avx512fnofma(x); }
static inline vf sleefnofma_erf(vf x) { return Sleef_cinz_erff16_u10avx512fnofma(x); }
static inline vf sleef_exp2(vf x) { return Sleef_finz_exp2f16_u10avx512f(x); }
static inline vf sleef_expm1(vf x) { return Sleef_finz_expm1f16_u10avx512f(x); }
static inline vf sleef_log1p(vf x) { return Sleef_finz_log1pf16_u10avx512f(x); }
static inline vf sleef_tanh(vf x) { return Sleef_finz_tanhf16_u10avx512f(x); }
static inline vf sleef_sin(vf x) { return Sleef_finz_sinf16_u10avx512f(x); }
static inline vf sleef_cos(vf x) { return Sleef_finz_cosf16_u10avx512f(x); }
static inline vf sleefnofma_exp2(vf x) { return Sleef_cinz_exp2f16_u10avx512fnofma(x); }
static inline vf sleefnofma_expm1(vf x) { return Sleef_cinz_expm1f16_u10avx512fnofma(x); }
static inline vf sleefnofma_log1p(vf x) { return Sleef_cinz_log1pf16_u10avx512fnofma(x); }
static inline vf sleefnofma_tanh(vf x) { return Sleef_cinz_tanhf16_u10avx512fnofma(x); }
static inline vf sleefnofma_sin(vf x) { return Sleef_cinz_sinf16_u10avx512fnofma(x); }
static inline vf sleefnofma_cos(vf x) { return Sleef_cinz_cosf16_u10avx512fnofma(x); }
static inline vf sleef_exp2_u35(vf x) { return Sleef_finz_exp2f16_u35avx512f(x); }
static inline vf sleef_tanh_u35(vf x) { return Sleef_finz_tanhf16_u35avx512f(x); }
static inline vf sleef_sin_u35(vf x) { return Sleef_finz_sinf16_u35avx512f(x); }
static inline vf sleef_cos_u35(vf x) { return Sleef_finz_cosf16_u35avx512f(x); }
static inline vf sleefnofma_exp2_u35(vf x) { return Sleef_cinz_exp2f16_u35avx512fnofma(x); }
static inline vf sleefnofma_tanh_u35(vf x) { return Sleef_cinz_tanhf16_u35avx512fnofma(x); }
static inline vf sleefnofma_sin_u35(vf x) { return Sleef_cinz_sinf16_u35avx512fnofma(x); }
static inline vf sleefnofma_cos_u35(vf x) { return Sleef_cinz_cosf16_u35avx512fnofma(x); }

#endif
