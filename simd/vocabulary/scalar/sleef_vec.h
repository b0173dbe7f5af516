// SPDX-License-Identifier: MIT
/* SLEEF's functions for one lane: at most 1.0 ulp, 3.5 where the name says u35. finz is built with
 * FMA; cinz without, and gives the same bits on every CPU. SLEEF is linked as a library that was
 * compiled with contraction off, so that no policy changes it. */
#ifndef SLEEF_VEC_H
#define SLEEF_VEC_H

#include <sleef.h>

#include "vec.h"

/* The header hides these from a compiler that does not announce FP_FAST_FMAF (clang). */
float Sleef_finz_expf1_u10purecfma(float);
float Sleef_finz_logf1_u10purecfma(float);
float Sleef_finz_log2f1_u10purecfma(float);
float Sleef_finz_log2f1_u35purecfma(float);
float Sleef_finz_logf1_u35purecfma(float);
float Sleef_finz_erff1_u10purecfma(float);
float Sleef_finz_exp2f1_u10purecfma(float);
float Sleef_finz_expm1f1_u10purecfma(float);
float Sleef_finz_log1pf1_u10purecfma(float);
float Sleef_finz_tanhf1_u10purecfma(float);
float Sleef_finz_sinf1_u10purecfma(float);
float Sleef_finz_cosf1_u10purecfma(float);
float Sleef_finz_exp2f1_u35purecfma(float);
float Sleef_finz_tanhf1_u35purecfma(float);
float Sleef_finz_sinf1_u35purecfma(float);
float Sleef_finz_cosf1_u35purecfma(float);

static inline vf sleef_exp(vf x) { return Sleef_finz_expf1_u10purecfma(x); }
static inline vf sleef_log(vf x) { return Sleef_finz_logf1_u10purecfma(x); }
static inline vf sleefnofma_exp(vf x) { return Sleef_cinz_expf1_u10purec(x); }
static inline vf sleefnofma_log(vf x) { return Sleef_cinz_logf1_u10purec(x); }
static inline vf sleef_log2(vf x) { return Sleef_finz_log2f1_u10purecfma(x); }
static inline vf sleef_log2_u35(vf x) { return Sleef_finz_log2f1_u35purecfma(x); }
static inline vf sleef_log_u35(vf x) { return Sleef_finz_logf1_u35purecfma(x); }
static inline vf sleef_erf(vf x) { return Sleef_finz_erff1_u10purecfma(x); }
static inline vf sleefnofma_log2(vf x) { return Sleef_cinz_log2f1_u10purec(x); }
static inline vf sleefnofma_erf(vf x) { return Sleef_cinz_erff1_u10purec(x); }
static inline vf sleef_exp2(vf x) { return Sleef_finz_exp2f1_u10purecfma(x); }
static inline vf sleef_expm1(vf x) { return Sleef_finz_expm1f1_u10purecfma(x); }
static inline vf sleef_log1p(vf x) { return Sleef_finz_log1pf1_u10purecfma(x); }
static inline vf sleef_tanh(vf x) { return Sleef_finz_tanhf1_u10purecfma(x); }
static inline vf sleef_sin(vf x) { return Sleef_finz_sinf1_u10purecfma(x); }
static inline vf sleef_cos(vf x) { return Sleef_finz_cosf1_u10purecfma(x); }
static inline vf sleefnofma_exp2(vf x) { return Sleef_cinz_exp2f1_u10purec(x); }
static inline vf sleefnofma_expm1(vf x) { return Sleef_cinz_expm1f1_u10purec(x); }
static inline vf sleefnofma_log1p(vf x) { return Sleef_cinz_log1pf1_u10purec(x); }
static inline vf sleefnofma_tanh(vf x) { return Sleef_cinz_tanhf1_u10purec(x); }
static inline vf sleefnofma_sin(vf x) { return Sleef_cinz_sinf1_u10purec(x); }
static inline vf sleefnofma_cos(vf x) { return Sleef_cinz_cosf1_u10purec(x); }
static inline vf sleef_exp2_u35(vf x) { return Sleef_finz_exp2f1_u35purecfma(x); }
static inline vf sleef_tanh_u35(vf x) { return Sleef_finz_tanhf1_u35purecfma(x); }
static inline vf sleef_sin_u35(vf x) { return Sleef_finz_sinf1_u35purecfma(x); }
static inline vf sleef_cos_u35(vf x) { return Sleef_finz_cosf1_u35purecfma(x); }
static inline vf sleefnofma_exp2_u35(vf x) { return Sleef_cinz_exp2f1_u35purec(x); }
static inline vf sleefnofma_tanh_u35(vf x) { return Sleef_cinz_tanhf1_u35purec(x); }
static inline vf sleefnofma_sin_u35(vf x) { return Sleef_cinz_sinf1_u35purec(x); }
static inline vf sleefnofma_cos_u35(vf x) { return Sleef_cinz_cosf1_u35purec(x); }

#endif
