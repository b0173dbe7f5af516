# SPDX-License-Identifier: MIT
# ThreadSanitizer over what works with threads: `make tsan`. The lab, some of its kernels, and libulp but for its kernels are
# compiled for it by TSAN_CC, a clang whose OpenMP runtime has Archer (scripts/tsan), into $(TSAN_BUILD). Kernels that
# share a row among threads are among them, in plain C too, whose every access is watched.

TSAN_CC     ?= $(firstword $(filter clang%,$(CCS)) clang)
TSAN_BUILD  ?= build-tsan
# Macros that gcc defines by itself, and clang does not.
tsan_flags   = -fsanitize=thread -w -D__STDC_IEC_559__=1 -D__SANITIZE_THREAD__=1
tsan_kernels = simd/moments/moments_twopass.c $(patsubst %,simd/invariant/%_invariant.c,$(lib_ops))
tsan_tests   = test_mxcsr test_lib test_lib_calls test_invariant_paths

.PHONY: tsan
tsan: packages
	@if scripts/setup tsan && scripts/tsan $(TSAN_CC); then \
	    $(MAKE) --no-print-directory $(TSAN_BUILD)/ulplab $(tsan_tests:%=$(TSAN_BUILD)/tests/%) BUILD=$(TSAN_BUILD) \
	        LAB_CC=$(TSAN_CC) LAB_AS=gcc LIB_CC=$(TSAN_CC) CCS=$(TSAN_CC) ISAS='scalar avx2' POLICIES=off \
	        STORED_POLICIES=off kernel_sources='$(tsan_kernels)' progress= sanitize='$(tsan_flags)' && \
	    scripts/tsan $(TSAN_CC) $(TSAN_BUILD) $(tsan_tests); fi
