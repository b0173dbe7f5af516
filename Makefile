# SPDX-License-Identifier: MIT
# ulplab measures SIMD kernels: each one in simd/ is compiled once per {compiler x ISA x policy}.
#
#   make setup      install what is missing, for the tests too
#   make run        install what is missing, build what that needs, measure this CPU, print the answer
#                   (RUN=--full: everything; RUN='--filter op=gelu': something else)
#   make publish-run  copy the last run to where git tracks it: results/<cpu>, for a suite
#                   results/suite-1/<cpu> (PUBLISH=DIR: another run)
#   make test       build, run the tests   (SAN=1: under ASan and UBSan)
#   make test-long  build, run the tests that take longest: failing calls, mutated inputs, hostile results,
#                   searches. .ci/run runs both
#   make            build only, everything, for other CPUs too
#   make campaign   let calls fail, kill runs, fill disks, for half an hour (CAMPAIGN=--short)
#   make edges      call every kernel with its operands at guard pages, n = 0 .. 300
#   make memcheck   the same under valgrind, which is told which bytes a kernel may read
#   make tsan       look for data races among the lab's threads, and libulp's
#   make fuzz       feed the parsers and the reports random input (FUZZ='--seconds 600')
#   make certify    check the oracle against MPFR
#   make distinct   check that policies which a compiler does not tell apart give the same code
#   make peers      install and build the libraries that the lab compares itself with
#                   (oneDNN, XNNPACK, PyTorch, ggml, ONNX Runtime), and an installed libulp
#   make lib        build libulp, the invariant kernels as a library   (docs/library.md)
#   make install    install the program, its manual and completions, and libulp
#                   (PREFIX=, DESTDIR=; make install-lib: libulp alone)
#   make clean      remove what was built
#   make format, format-check, cppcheck, shellcheck, dist, deb, uninstall
#
# The axes can be chosen and extended on the command line:
#   make CCS="gcc-12 clang-19" POLICIES="off fast mine" policy.mine="-ffp-contract=fast"
#   make KERNELS=/path/to/softmax_mine.c
#   make RUN=--quick run
# This file holds the axes; scripts/*.mk hold the rules, one purpose each.

MAKEFLAGS += --no-builtin-rules
# One job more than there are CPUs: one of them is always starting or writing. A make within a make
# shares the outer one's jobs.
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell expr $$(nproc) + 1)
endif
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

# ---- The axes ---------------------------------------------------------------------------------
ifeq ($(origin CCS),undefined)
compilers_here := $(shell scripts/compilers --both)
CCS      := $(filter-out usual:%,$(compilers_here))
endif
ISAS     ?= scalar sse avx2 avx512 avx512vbmi avx512fp16
POLICIES ?= off on fast default reassoc fastmath
# Policies under which kernels are also built with x and y stored in 16 bits. Their arithmetic is
# fp32 all the same, and two policies show what a policy does to it.
STORED_POLICIES ?= off fast
# Users' kernel files (flags.NAME, also.NAME and link.NAME have what NAME.c needs besides), and kernels'
# objects of another build, which are linked in as they are.
KERNELS  ?=
OBJECTS  ?=

# The flags that every kernel is compiled with. Functions and loops are aligned, so that a kernel's
# time does not depend on what the linker put in front of it.
OPTIMISE ?= -O3
place    := -falign-functions=64 -falign-loops=64
common   := -std=gnu11 -Wall -Wextra -frecord-gcc-switches $(place) -Iinclude

isa.scalar     := -mfma -mtune=generic -fno-tree-vectorize -fno-tree-slp-vectorize
# x86-64-v2: no FMA, and so no policy fuses.
isa.sse        := -msse4.2 -mpopcnt -mtune=generic
isa.avx2       := -mavx2 -mfma -mf16c -mtune=generic
isa.avx512     := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c -mtune=generic
isa.avx512vbmi := -mavx512vbmi $(isa.avx512)
isa.avx512fp16 := -mavx512fp16 $(isa.avx512)
# ISAs for which a kernel is built only if its file names them, or if it is listed here.
named_isas     := sse avx512vbmi avx512fp16
named_for.sse  := softmax_plain logsumexp_plain moments_plain layernorm_plain rmsnorm_plain

policy.off      := -ffp-contract=off
policy.on       := -ffp-contract=on
policy.fast     := -ffp-contract=fast
policy.default  :=
policy.reassoc  := -fassociative-math -fno-signed-zeros -fno-trapping-math -ffp-contract=off
policy.fastmath := -ffast-math
policy.O2       := -ffp-contract=off -O2
# x86-64-v1, of ISA sse: for plain loops (scripts/levels-page).
policy.v1       := -ffp-contract=off -march=x86-64 -mno-sse3

# ---- What `make run` measures ------------------------------------------------------------------
# It builds and measures these unless it is asked for more, by RUN=--full, by a --filter, or by axes
# that are named on the command line (scripts/kernels.awk): fp32, the compilers that `gcc` and `clang` name,
# and each ISA that this CPU has, but SSE. Kernels that write their arithmetic out are built under `off` alone.
run_ops    := softmax logsumexp moments layernorm rmsnorm exp log
# The kernels that it measures in scalar code.
run_scalar := %_plain %_glibc
run_but    := sse
# The kernels that it leaves out: correctly rounded ones, which a filter asks for (docs/correct.md).
run_not    := %_correct
run_cases  := fp16_lse_cliff e8m0_ceil_log2 layernorm_bf16 int8_table_domain fma_softmax

# A kernel that would make no sense, or nothing new, under some ISA or policy restricts itself in its file:
#   // build: isas=avx2,avx512 policies=off,fast stored=bf16,f16
# (scripts/kernels.awk has every key).

# ---- Where things go --------------------------------------------------------------------------
SAN ?=
ifneq ($(SAN),)
# A build with sanitizers finds bugs and measures nothing: one compiler, whose runtime is linked, and one policy.
BUILD    ?= build-san
CCS      := $(firstword $(filter gcc%,$(CCS)) gcc)
POLICIES := off
sanitize := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
BUILD    ?= build
endif

# The folder of the lab's own objects; a build of other kernels can share them.
LAB     ?= $(BUILD)
LAB_CC  ?= gcc
LAB_AS  ?= $(LAB_CC)
strict  := -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wconversion -Wno-sign-conversion \
           -ffp-contract=off -mno-fma -fopenmp -Iinclude -Isrc -include src/base/strict.h $(sanitize)
lab_libs = -lsleef -ljansson -lhwloc -lZydis -larchive -lsqlite3 -lzstd $(own_libs) -lm -ldl
# Users' kernels, and what belongs to them, may be in C++.
own_libs = $(if $(KERNELS),$(addprefix -Wl$(comma)--as-needed ,$(filter /%,$(shell gcc -print-file-name=libstdc++.so))))

# ---- The rules --------------------------------------------------------------------------------
.PHONY: all setup packages peers run distinct publish-run certify campaign test test-long clean help
all: $(BUILD)/ulplab litmuses

include scripts/functions.mk
include scripts/run.mk
include scripts/edges.mk
include scripts/fuzz.mk
include scripts/checks.mk
include scripts/install.mk
# These goals need no objects, or ask another make for them: they do without the table of kernels.
plain_goals := setup packages peers run distinct publish-run certify campaign test test-long clean help edges memcheck \
               fuzz format format-check cppcheck shellcheck dist deb
ifneq ($(filter-out $(plain_goals),$(or $(MAKECMDGOALS),all)),)
include scripts/progress.mk
include scripts/kernels.mk
include scripts/lab.mk
include scripts/litmus.mk
include scripts/lib.mk
include scripts/tests.mk
include scripts/tsan.mk
# Dependency files come with the objects and are never made for their own sake.
%.d: ;
-include $(filter-out $(twins:.o=.d),$(shell find $(BUILD) $(LAB)/src -name '*.d' 2>/dev/null))
endif

setup: packages
	@scripts/setup test || echo 'setup: some tests will be skipped' >&2
	@scripts/setup compare || echo 'setup: the kernels that call these will be skipped' >&2
packages:
	@scripts/setup
# Only this goal builds the peers; the lab lists those that are not built as skipped.
peers:
	@BUILD=$(BUILD) scripts/peers
# After the set-up a second make runs, which looks anew for compilers and headers. The program says which
# objects a run lacks; those that are already built stay.
run: packages
	@$(MAKE) --no-print-directory SCOPE=asked $(BUILD)/ulplab
	@$(BUILD)/ulplab run --lacking $(RUN) >>$(asked_list)
	@$(MAKE) --no-print-directory SCOPE=asked $(BUILD)/ulplab litmuses
	@$(BUILD)/ulplab run $(RUN)
publish-run:
	@BUILD=$(BUILD) scripts/publish-run $(PUBLISH)
# Checks that policies which a compiler does not tell apart give the same code, by building everything
# twice, once without copies. It takes a night.
distinct: packages
	@$(MAKE) --no-print-directory SCOPE=all $(BUILD)/ulplab
	@$(MAKE) --no-print-directory SCOPE=all DISTINCT=0 BUILD=build-distinct LAB=$(BUILD) build-distinct/ulplab
	@scripts/distinct $(BUILD) build-distinct
# Writes certificate.jsonl beside the results, for their next report.
certify: packages
	@$(MAKE) --no-print-directory SCOPE=here $(BUILD)/certify
	@$(BUILD)/certify $(CERTIFY)
# Writes a record, whose table is in docs/reliability.md.
campaign: packages
	@$(MAKE) --no-print-directory SCOPE=here $(BUILD)/ulplab $(BUILD)/campaign $(BUILD)/shim.so
	@$(BUILD)/campaign $(CAMPAIGN) --record $(BUILD)/campaign.jsonl $(BUILD)/ulplab $(BUILD)/shim.so
test test-long:
	@scripts/setup --check
	@$(MAKE) --no-print-directory SCOPE=$(if $(call named,SCOPE),$(SCOPE),tests) all built-tests
	@BUILD=$(BUILD) scripts/test $(if $(filter test-long,$@),--long)
clean:
	rm -rf build build-flags build-san build-fuzz build-tsan build-distinct build-levels
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile
