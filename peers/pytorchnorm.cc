// SPDX-License-Identifier: MIT
// PyTorch's mean and variance as its layer normalization computes them (RowwiseMoments): pytorch.cc
// with the other of its two forms of moments.
#define MOMENTS layernorm_statistics
#include "pytorch.cc"
