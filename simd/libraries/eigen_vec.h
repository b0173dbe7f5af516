// SPDX-License-Identifier: MIT
/* Eigen's functions for a vector of the vocabulary, which is one of Eigen's packets. Eigen is a
 * library of headers, compiled here under each regime; the flags choose its ISA. */
#ifndef EIGEN_VEC_H
#define EIGEN_VEC_H

#include <eigen3/Eigen/Core>

#include "header_library.h"
#include "vec.h"

HEADER_LIBRARY("Eigen", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);

using eigen_packet = Eigen::internal::packet_traits<float>::type;
static_assert(sizeof(eigen_packet) == sizeof(vf), "Eigen does not see this ISA in the flags");

#define EIGEN(name, function)                                                                      \
    static inline vf eigen_##name(vf x) { return Eigen::internal::function(eigen_packet(x)); }
EIGEN(exp, pexp)
EIGEN(expm1, pexpm1)
EIGEN(log, plog)
EIGEN(log1p, plog1p)
EIGEN(log2, plog2)
EIGEN(tanh, ptanh)
EIGEN(sin, psin)
EIGEN(cos, pcos)
EIGEN(rsqrt, prsqrt)

static inline vf eigen_sigmoid(vf x)
{
    return Eigen::internal::scalar_logistic_op<float>().packetOp(eigen_packet(x));
}

#endif
