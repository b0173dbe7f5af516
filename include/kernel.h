/* The kernel contract: what a file in simd/ exports, and what its kernel is given.
 *
 * One file, one kernel: a single exported `const struct kernel KERNEL`, whose symbol the
 * command line chooses (-DKERNEL=..), so that the same source lives once per compiler, ISA
 * and policy in one program. A kernel never learns its policy or its ISA's name: the vector
 * vocabulary "vec.h" comes from the include path, and so does "storage.h", by which a kernel
 * can be stored in several types (its file's `// build: stored=TYPE`). */
#ifndef ULPLAB_KERNEL_H
#define ULPLAB_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

/* How much of one thread's data each cache level holds, in bytes, by measurement where there is one
 * (src/measure/limits.h). A kernel may choose its code path by these, but never its bits. 0: there
 * is no such level, or its size is unknown. */
struct caches {
    size_t l1, l2, l3;
};

/* One call: `rows` rows of `n` elements. n = 0 and rows = 0 are valid; any alignment (of the
 * element type), any stride >= the row's length. A kernel reads nothing outside
 * x[r * x_stride .. + n) and writes nothing outside its outputs' rows; it neither allocates
 * nor fails. x and y never overlap. */
struct job {
    size_t rows;
    size_t n;
    const void *x;   /* [rows, n], elements of the kernel's dtype */
    size_t x_stride; /* elements from a row to the next */
    void *y; /* softmax, layernorm, rmsnorm, unary: [rows, n], elements of the kernel's dtype too;
                logsumexp: [rows, 1], moments: [rows, 2] = (mean, variance with ddof 0), fp32
                whatever the dtype; a kernel for case studies: as its file says */
    size_t y_stride;
    float scale;         /* softmax scaled and scaledsafe: softmax(scale * x); others ignore it */
    bool log_output;     /* softmax: log_softmax instead (struct second_form) */
    float eps;           /* layernorm: rstd = 1 / sqrt(max(variance, 0) + eps); rmsnorm: the same of
                            the mean of x^2 */
    const float *gamma;  /* layernorm, rmsnorm: [n], or NULL for all ones */
    const float *beta;   /* layernorm: [n], or NULL for all zeros */
    float *stats;        /* layernorm: [rows, 2] = (mean, rstd); rmsnorm: [rows] = rstd; or NULL */
    float *scratch;      /* 2 n + 256 floats, 64-byte aligned, contents undefined */
    const void *operand; /* of kernels for case studies: a second input, as the file says */
    bool x_padded;       /* 64 bytes after the last row can be read. Kernels must not use this; some
                            libraries (include/peer.h) need it */
    struct caches caches;
};

/* Instructions per vector of a row, added up over all passes, by kind, for the port bound
 * (src/measure/limits.h). Loads, stores and everything outside the hot loops are not counted. */
struct vector_ops {
    double fma; /* v_fma: fused whatever the policy */
    double mad; /* v_mad: one instruction, or a mul and an add, as the policy decides */
    double mul, add;
    double max;     /* and min */
    double other;   /* conversions, rounding, scaling, integers, blends, permutes */
    double permute; /* those of `other` that permute by a vector of indices: table lookups */
};

/* A path through the code that a kernel may choose by the sizes of a job, described for people.
 * Taken if have <= limit (have > limit when `beyond`), both in `unit`, unless an earlier path was
 * decisive. */
struct code_path {
    const char *name, *why;   /* "together": "what a short row waits for, its neighbours fill" */
    const char *what, *where; /* "rows side by side", "a sixteenth of L2" */
    const char *unit;         /* "bytes", "rows", "elements" */
    size_t have, limit;
    bool beyond, taken;
    const struct vector_ops *ops; /* what it executes where it is taken; NULL: the kernel's */
};
enum { CODE_PATHS_MAX = 8 };

/* How the multiplications and additions of a kernel become instructions. */
enum arithmetic {
    ARITHMETIC_POLICY,   /* v_mad: the policy decides whether they fuse */
    ARITHMETIC_EXPLICIT, /* v_fma throughout: no policy can split or fuse anything */
    ARITHMETIC_LIBRARY,  /* the numerically decisive part is a library's function */
};

/* The proven bound (docs/method.md, "Bounds"; src/oracle/bounds.c) that a kernel has to keep. */
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

/* What a kernel file promises, in ULP (fractional, docs/method.md, "Error measure"). Unary kernels:
 * over their whole domain. Others: over family `normal`, n <= 4096. 0 promises nothing. The
 * policies reassoc and fastmath are never held to a promise. */
struct promise {
    double ulp_off;   /* contraction off */
    double ulp_fused; /* contraction on, fast, or the compiler's default */
    bool specials;    /* NaN, infinities and empty rows as struct kernel says below */
    bool bound;       /* measured / proven bound <= 1 */
};

/* A second operation of a kernel's code, chosen by the job: what it counts and promises there.
 * log_softmax is softmax's, with job.log_output; layernorm_bare is layernorm's, without gamma and
 * beta. The registry makes variants of an operation of its own of it (src/model/registry.c), so
 * that nothing is compiled twice. */
struct second_form {
    const char *op;
    double flops;
    struct promise promise;
    struct vector_ops ops; /* all 0: not counted */
};

/* Semantics (PyTorch's): softmax of a row that is all -inf, or has a +inf or a NaN, is NaN;
 * logsumexp of all -inf is -inf, with a +inf and no NaN +inf, with a NaN NaN, of an empty row
 * -inf; mean and variance of an empty row are NaN, the variance of one element is 0. rmsnorm of a
 * row with a NaN is NaN; beside an infinity, which itself becomes NaN, what is finite becomes a
 * zero. gelu is the form with erf, and -0, its limit, at -inf. Other unary functions: NaN gives
 * NaN, and infinities and the ends of a domain the limit: silu, x / (1 + exp(-x)), -0 at -inf;
 * softplus, log(1 + exp(x)), 0 at -inf; log1p -inf at -1 and NaN below; sin and cos NaN at
 * infinities. A zero keeps its sign in expm1, log1p, tanh, erf, silu and sin. rsqrt, 1 / sqrt(x),
 * is IEEE 754's rSqrt: infinite with the zero's sign at a zero, NaN below. */
struct kernel {
    const char *op; /* softmax, logsumexp, moments, layernorm, rmsnorm; unary: exp, exp2, expm1,
                       log, log2, log1p, tanh, erf, sigmoid, silu, gelu, softplus, sin, cos, rsqrt;
                       or one of a file's own */
    const char *algorithm; /* threepass, cascade, ...: the file is simd/<op>_<algorithm>.c */
    const char *dtype; /* f32, bf16, f16: how x and y are stored (simd/vocabulary/storage); DTYPE */
    enum arithmetic arithmetic;
    bool expressions; /* some of its arithmetic is plain C around the vocabulary, where a compiler
                         that contracts only expressions (clang's default) fuses */
    unsigned written_fma; /* for ARITHMETIC_POLICY: FMAs that are written out (v_fma) to correct
                             each division; the policy decides about all others */
    bool hazard;          /* wrong by design on some inputs: measured, never held to a promise */
    bool log_output;      /* what job.log_output has to be; the registry's to set, not a file's */
    double flops;         /* per element, fma = 2, as the algorithm counts them; 0: not counted */
    double bytes;         /* per element, compulsory: x read once and y written once */
    unsigned lanes;       /* VL of the vocabulary, for the height of the summation tree */
    unsigned chains;      /* independent accumulators (vectors) of its sums; 0: sequential in n */
    double exp_ulp;       /* errors of its exp and log, measured by `scan`; 0: it uses none */
    double log_ulp;
    enum bound bound;
    struct promise promise;
    void (*run)(const struct job *);
    bool study; /* only case studies run it: `list` and `codegen` show it, other commands leave it
                   out. Its op needs no oracle, its x and y may be of any type. */
    struct vector_ops ops;          /* all 0: not counted, and `flops` bounds the kernel */
    const struct second_form *also; /* its second operation; NULL: it has none */
    /* Writes the code paths that run() considers for a job, in order, up to the decisive one, and
     * returns their number. They depend on rows, n, log_output and caches alone. NULL: one path. */
    size_t (*paths)(const struct job *, struct code_path[CODE_PATHS_MAX]);
    /* Computes one row by several threads, to the same bits as run(): stage 0, a barrier, stage 1,
     * and so on to the last of `stages`; each stage consists of parts 0 .. parts - 1. All threads
     * share the same job of one row, scratch included. 0 and NULL: not supported. */
    unsigned stages;
    void (*stage)(const struct job *, unsigned stage, size_t part, size_t parts);
};

#endif
