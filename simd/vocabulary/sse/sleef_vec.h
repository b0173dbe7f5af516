// SPDX-License-Identifier: MIT
/* SLEEF's functions for 4 lanes without FMA: at most 1.0 ulp, 3.5 where the name says u35. SLEEF is
 * linked as a library that was compiled with contraction off, so that no policy changes it. */
#ifndef SLEEF_VEC_H
#define SLEEF_VEC_H

#include <sleef.h>

#include "vec.h"

static inline vf sleefnofma_exp(vf x) { return Sleef_cinz_expf4_u10sse4(x); }
static inline vf sleefnofma_log(vf x) { return Sleef_cinz_logf4_u10sse4(x); }
static inline vf sleefnofma_log2(vf x) { return Sleef_cinz_log2f4_u10sse4(x); }
static inline vf sleefnofma_erf(vf x) { return Sleef_cinz_erff4_u10sse4(x); }
static inline vf sleefnofma_exp2(vf x) { return Sleef_cinz_exp2f4_u10sse4(x); }
static inline vf sleefnofma_expm1(vf x) { return Sleef_cinz_expm1f4_u10sse4(x); }
static inline vf sleefnofma_log1p(vf x) { return Sleef_cinz_log1pf4_u10sse4(x); }
static inline vf sleefnofma_tanh(vf x) { return Sleef_cinz_tanhf4_u10sse4(x); }
static inline vf sleefnofma_sin(vf x) { return Sleef_cinz_sinf4_u10sse4(x); }
static inline vf sleefnofma_cos(vf x) { return Sleef_cinz_cosf4_u10sse4(x); }
static inline vf sleefnofma_exp2_u35(vf x) { return Sleef_cinz_exp2f4_u35sse4(x); }
static inline vf sleefnofma_tanh_u35(vf x) { return Sleef_cinz_tanhf4_u35sse4(x); }
static inline vf sleefnofma_sin_u35(vf x) { return Sleef_cinz_sinf4_u35sse4(x); }
static inline vf sleefnofma_cos_u35(vf x) { return Sleef_cinz_cosf4_u35sse4(x); }

#endif
