# SPDX-License-Identifier: MIT
# Fuzzing: the lab's parsers and reports under libFuzzer, ASan and UBSan of clang.
#
#   make fuzz FUZZ='--seconds 600'     all targets share the time (default: half an hour)
#   make fuzz FUZZ='--seconds 60 npy'  one of them
#   make fuzz FUZZ='--until-goal'      until each has had the executions that are wanted of it; may be interrupted
#
# FUZZ_CC: a clang with libFuzzer. It compiles the lab again, with one kernel, into $(FUZZ_BUILD).
# Unlike gcc, clang does not define __STDC_IEC_559__ by itself.

FUZZ_CC     ?= $(firstword $(filter clang%,$(CCS)) clang)
FUZZ_BUILD  ?= build-fuzz
FUZZ        ?=
# No trace-cmp, and no messages of UBSan: together they took a fifth of a parser's speed and two thirds of a page's. The
# hooks of memcmp() and strcmp() are there without trace-cmp, as long as these are calls. A trap shows where it is.
fuzz_flags   = -fsanitize=address,undefined -fsanitize-trap=undefined \
               -fsanitize-coverage=inline-8bit-counters,pc-table \
               -fno-builtin-memcmp -fno-builtin-strcmp -fno-builtin-strncmp \
               -fno-omit-frame-pointer -w -D__STDC_IEC_559__=1

.PHONY: fuzz
fuzz: packages
	@if scripts/setup fuzz && scripts/fuzz --check $(FUZZ_CC); then \
	    $(MAKE) --no-print-directory $(FUZZ_BUILD)/fuzzer BUILD=$(FUZZ_BUILD) LAB_CC=$(FUZZ_CC) LAB_AS=gcc \
	        CCS=$(FUZZ_CC) ISAS=avx2 POLICIES=off STORED_POLICIES= kernel_sources=simd/moments/moments_twopass.c progress= \
	        sanitize='$(fuzz_flags)' && \
	    scripts/fuzz --build $(FUZZ_BUILD) $(FUZZ); fi
