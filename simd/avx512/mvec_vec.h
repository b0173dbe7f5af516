/* glibc's vector functions (libmvec) for 16 lanes, by the names of the x86-64 vector ABI. glibc
 * promises 4 ulp. It has none for one lane, and so scalar has no such header. */
#ifndef MVEC_VEC_H
#define MVEC_VEC_H

#include "vec.h"

vf _ZGVeN16v_expf(vf);
vf _ZGVeN16v_logf(vf);

static inline vf mvec_exp(vf x) { return _ZGVeN16v_expf(x); }
static inline vf mvec_log(vf x) { return _ZGVeN16v_logf(x); }

#endif
