// SPDX-License-Identifier: MIT
/* LLVM libc's functions of one float. They become part of a kernel's object and local to it
 * (scripts/kernels.mk), so that the C library's functions of the same names stay what they
 * are. */
#ifndef LLVMLIBC_VEC_H
#define LLVMLIBC_VEC_H

#include "header_library.h"
#include "vec.h"

HEADER_SECTION("LLVM libc 22");

float expf(float);
float exp2f(float);
float expm1f(float);
float logf(float);
float log2f(float);
float log1pf(float);
float sinf(float);
float cosf(float);
float tanhf(float);
float erff(float);
float rsqrtf(float);

#endif
