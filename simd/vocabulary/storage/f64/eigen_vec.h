// SPDX-License-Identifier: MIT
/* Eigen's functions for a vector of doubles, as simd/libraries/eigen_vec.h has them for floats.
 * Eigen 3.4 has no more of them for packets of double. */
#ifndef EIGEN_VEC_H
#define EIGEN_VEC_H

#include <eigen3/Eigen/Core>

#include "header_library.h"
#include "vec.h"

HEADER_LIBRARY("Eigen", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);

using eigen_packet = Eigen::internal::packet_traits<double>::type;
static_assert(sizeof(eigen_packet) == sizeof(vf), "Eigen does not see this ISA in the flags");

#define EIGEN(name, function)                                                                      \
    static inline vf eigen_##name(vf x) { return Eigen::internal::function(eigen_packet(x)); }
EIGEN(exp, pexp)
EIGEN(log, plog)
EIGEN(log2, plog2)

#endif
