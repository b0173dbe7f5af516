// SPDX-License-Identifier: MIT
/* The kernel contract: what a file in simd/ exports, and what its kernel is given.
 *
 * A kernel file exports one `const struct kernel KERNEL`. The command line chooses the symbol
 * (-DKERNEL=..), so that the same source exists once per compiler, ISA and policy in one program. A
 * kernel never learns its policy or its ISA's name: the vector vocabulary "vec.h" comes from the
 * include path, and so does "storage.h", by which a kernel can be stored in several types (its
 * file's `// build: stored=TYPE`). */
#ifndef ULPLAB_KERNEL_H
#define ULPLAB_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of one thread's data that each cache level holds, measured where possible
 * (src/measure/limits.h). 0: there is no such level, or its size is unknown. A kernel may choose
 * its code path by them, but never its bits. */
struct caches {
    size_t l1, l2, l3;
};

/* One call: `rows` rows of `n` elements. n = 0 and rows = 0 are valid, and so are any alignment (of
 * the element type) and any stride >= the row's length. A kernel reads nothing outside
 * x[r * x_stride .. + n) and writes nothing outside its outputs' rows; it neither allocates nor
 * fails. x and y never overlap. Members are appended, never moved.
 *
 * Every kernel has rows, n, x, y, their strides, scratch and caches. Of the other members an
 * operation has those in the table of src/model/registry.c, and ignores the rest
 * (tests/test_arguments.c). */
struct job {
    size_t rows;
    size_t n;
    const void *x;   /* [rows, n], elements of the kernel's dtype */
    size_t x_stride; /* elements from a row to the next */
    void *y;         /* [rows, n], elements of the kernel's dtype; of an operation with `columns`
                        (include/kernel_reference.h) alone [rows, columns], fp32 */
    size_t y_stride;
    float scale;         /* x is multiplied by it first */
    bool log_output;     /* the logarithm of the result instead (struct second_form) */
    float eps;           /* added to the variance, or to the mean of x^2, under the square root */
    const float *gamma;  /* [n], factors of the result; NULL: ones */
    const float *beta;   /* [n], added to the result; NULL: zeros */
    float *stats;        /* [rows, columns], statistics of each row; NULL: not wanted */
    float *scratch;      /* 2 n + 256 floats, 64-byte aligned, contents undefined */
    const void *operand; /* a second input, as the file of a kernel for case studies says */
    bool x_padded;       /* 64 bytes after the last row can be read: for libraries alone
                            (include/peer.h), kernels must not use it */
    struct caches caches;
};

/* Instructions per vector of a row by kind, added up over all passes, for the port bound
 * (src/measure/limits.h). Loads, stores and everything outside the hot loops are not counted. */
struct vector_ops {
    double fma; /* v_fma: fused whatever the policy */
    double mad; /* v_mad: one instruction, or a mul and an add, as the policy decides */
    double mul, add;
    double max;     /* and min */
    double other;   /* conversions, rounding, scaling, integers, blends, permutes */
    double permute; /* those of `other` that permute by a vector of indices: table lookups */
};

/* A condition by which a kernel chooses a code path, evaluated for a job. It holds if have <=
 * limit, or with `beyond` if have > limit. A path may have several conditions, and is taken if all
 * of them hold. Timing records show the conditions (docs/contract.md, `ways`). */
struct code_path {
    const char *name, *why;       /* the path, "together"; the reason for the limit */
    const char *what, *where;     /* the quantity, "a row"; the limit in words, "a quarter of L1" */
    const char *unit;             /* of have and limit: "bytes", "rows" or "elements" */
    size_t have, limit;           /* the quantity of this job, and the limit */
    bool beyond, taken;           /* taken: the condition holds */
    const struct vector_ops *ops; /* the instructions if it holds; NULL: the kernel's */
};
enum { CODE_PATHS_MAX = 8 };

/* The way in which a kernel's multiplications and additions become instructions. */
enum arithmetic {
    ARITHMETIC_POLICY,   /* v_mad: the policy decides whether they fuse */
    ARITHMETIC_EXPLICIT, /* v_fma throughout: no policy can split or fuse anything */
    ARITHMETIC_LIBRARY,  /* the numerically decisive part is a function of a library */
};

/* The proven bound that a kernel has to keep (docs/method.md, "Bounds"; src/oracle/bounds.c). */
enum bound {
    BOUND_NONE,
    BOUND_SOFTMAX,             /* shifted softmax, per component */
    BOUND_LOGSUMEXP_SHIFTED,   /* absolute */
    BOUND_LOGSUMEXP_UNSHIFTED, /* relative */
    BOUND_VARIANCE_TEXTBOOK,
    BOUND_VARIANCE_TWOPASS,
    BOUND_VARIANCE_CORRECTED,
    BOUND_VARIANCE_WELFORD,
    BOUND_VARIANCE_PAIRWISE,
    BOUND_VARIANCE_CASCADE,
    BOUND_RMS, /* rmsnorm, per component */
};

/* A kernel file's promise, in ULP (fractional, docs/method.md, "Error measure"). It covers the
 * whole domain of a unary kernel, and family `normal` with n <= 4096 of any other. 0 promises
 * nothing. The policies reassoc and fastmath are never held to a promise. */
struct promise {
    double ulp_off;   /* contraction off */
    double ulp_fused; /* contraction on, fast, or the compiler's default */
    bool specials;    /* NaN, infinities and empty rows give what struct kernel says below, and
                         subnormal inputs and results are not flushed to zero */
    bool bound;       /* measured / proven bound <= 1 */
};

/* A second operation of a kernel's code, chosen by the job, with its own counts and promise.
 * log_softmax is softmax's, with job.log_output; layernorm_bare is layernorm's, without gamma and
 * beta. The registry makes variants of a separate operation of it (src/model/registry.c), so that
 * nothing is compiled twice. */
struct second_form {
    const char *op;
    double flops;
    struct promise promise;
    struct vector_ops ops; /* all 0: not counted */
};

/* A kernel. The results of special inputs are PyTorch's:
 *
 * - softmax: NaN for a row that is all -inf, or has a +inf or a NaN;
 * - logsumexp: -inf for an empty row or one that is all -inf; NaN for one with a NaN; otherwise
 *   +inf for one with a +inf;
 * - moments: NaN and NaN for an empty row; the variance of one element is 0; a row with a NaN, or
 *   with infinities of both signs, gives NaN;
 * - rmsnorm: NaN for a row with a NaN; beside an infinity, which itself becomes NaN, finite
 *   elements become zeros;
 * - gelu: the form with erf; -0, its limit, at -inf;
 * - functions of one element: NaN for NaN; the limit at infinities and the ends of a domain:
 *   silu -0 and softplus 0 at -inf, log1p -inf at -1 and NaN below, sin and cos NaN at infinities.
 *   expm1, log1p, tanh, erf, silu and sin keep the sign of a zero. rsqrt is IEEE 754's rSqrt:
 *   infinite, with the zero's sign, at a zero; NaN below. */
struct kernel {
    const char *op; /* the operation: one of src/oracle/operations.c, or the file's own */
    const char
        *algorithm; /* threepass, cascade, ...: the file is simd/<folder>/<op>_<algorithm>.c */
    const char
        *dtype; /* f32, bf16, f16: the storage type of x and y (simd/vocabulary/storage); DTYPE */
    enum arithmetic arithmetic;
    bool expressions; /* some of its arithmetic is plain C around the vocabulary, where a compiler
                         that contracts only expressions (clang's default) fuses */
    unsigned written_fma; /* under ARITHMETIC_POLICY, the FMAs that are written out (v_fma) to
                             correct each division; the policy decides about all others */
    bool hazard;          /* wrong by design on some inputs: measured, never held to a promise */
    bool log_output; /* the value that job.log_output must have; set by the registry, not by a file
                      */
    double flops;    /* per element, fma = 2, as the algorithm counts them; 0: not counted */
    double bytes;    /* per element, compulsory: x read once and y written once */
    unsigned lanes;  /* VL of the vocabulary, for the height of the summation tree */
    unsigned chains; /* independent accumulators (vectors) of its sums; 0: sequential in n */
    double exp_ulp;  /* largest errors of its exp and log, measured by `scan`; 0: it uses none */
    double log_ulp;
    enum bound bound;
    struct promise promise;
    void (*run)(const struct job *);
    bool study; /* only case studies run it: `list` and `codegen` show it, other commands leave it
                   out. Its op needs no oracle, and its x and y may be of any type. */
    struct vector_ops ops;          /* all 0: not counted, and `flops` bounds the kernel */
    const struct second_form *also; /* its second operation; NULL: it has none */
    /* Writes the conditions by which run() chooses its code path for a job, in order, up to the
     * first that decides, and returns their number. They depend on rows, n, log_output and caches
     * alone. NULL: there is only one path. */
    size_t (*paths)(const struct job *, struct code_path[CODE_PATHS_MAX]);
    /* Computes one row by several threads, to the same bits as run(): stage 0, a barrier, stage 1,
     * and so on to the last of `stages`; each stage consists of parts 0 .. parts - 1. All threads
     * share the same job of one row, scratch included. 0 and NULL: not supported. */
    unsigned stages;
    void (*stage)(const struct job *, unsigned stage, size_t part, size_t parts);
};

#endif
