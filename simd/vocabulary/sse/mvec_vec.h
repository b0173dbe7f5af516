// SPDX-License-Identifier: MIT
/* glibc's vector functions (libmvec) for 4 lanes, by the names of the x86-64 vector ABI. glibc
 * promises 4 ulp. It has none for one lane, and so scalar has no such header. */
#ifndef MVEC_VEC_H
#define MVEC_VEC_H

#include "vec.h"

vf _ZGVbN4v_expf(vf);
vf _ZGVbN4v_logf(vf);
vf _ZGVbN4v_exp2f(vf);
vf _ZGVbN4v_expm1f(vf);
vf _ZGVbN4v_log1pf(vf);
vf _ZGVbN4v_tanhf(vf);
vf _ZGVbN4v_sinf(vf);
vf _ZGVbN4v_cosf(vf);
vf _ZGVbN4v_erff(vf);
vf _ZGVbN4v_log2f(vf);

static inline vf mvec_exp(vf x) { return _ZGVbN4v_expf(x); }
static inline vf mvec_log(vf x) { return _ZGVbN4v_logf(x); }
static inline vf mvec_exp2(vf x) { return _ZGVbN4v_exp2f(x); }
static inline vf mvec_expm1(vf x) { return _ZGVbN4v_expm1f(x); }
static inline vf mvec_log1p(vf x) { return _ZGVbN4v_log1pf(x); }
static inline vf mvec_tanh(vf x) { return _ZGVbN4v_tanhf(x); }
static inline vf mvec_sin(vf x) { return _ZGVbN4v_sinf(x); }
static inline vf mvec_cos(vf x) { return _ZGVbN4v_cosf(x); }
static inline vf mvec_erf(vf x) { return _ZGVbN4v_erff(x); }
static inline vf mvec_log2(vf x) { return _ZGVbN4v_log2f(x); }

#endif
