// SPDX-License-Identifier: MIT
/* The code that the compilers made: declared flags, witnessed flags, instruction counts and the
 * litmus of each variant, and whether these four agree. */
#ifndef ULPLAB_CODEGEN_H
#define ULPLAB_CODEGEN_H

#include "model/record.h"
#include "model/registry.h"

/* Runs the litmus of every regime that the variants stand under and puts a record "litmus" for
 * each, then a record "codegen" for each variant (docs/contract.md; fma_scalar, undecoded,
 * arithmetic, code_hash, expectation, status, reason and why are added).
 *
 * A variant is inconsistent, and says why, when the compiler's own record lacks a flag that was
 * declared or has another of the decisive ones; when its regime's litmus is not what
 * study/litmus.c says; or when its instructions are not those that the table and the
 * arithmetic declared by its kernel lead to.
 *
 * EXIT_GATE, with a line in e, where a variant is inconsistent, after all records were put;
 * EXIT_PARTIAL where a litmus crashed; 130 or 143 when interrupted. */
int codegen_run(const struct registry *r, struct record_sink sink, struct error *e);

#endif
