# SPDX-License-Identifier: MIT
# Kernels with their operands at guard pages, and under valgrind's memcheck; each leaves a line of
# counts in $(BUILD)/edges.jsonl. `make test` has all of the first, and of the second whether it
# finds what is wrong on purpose (tests/test_edges.c).

# --few: some lengths of n = 0 .. 300. MEMCHECK='' takes all, MEMCHECK='--filter op=exp' some kernels.
MEMCHECK  ?= --few
edges_run  = $(BUILD)/edges --record $(BUILD)/edges.jsonl
# Partial loads are errors: a kernel has no right to the other part.
valgrind   = valgrind -q --partial-loads-ok=no

.PHONY: edges memcheck
edges: packages
	@$(MAKE) --no-print-directory SCOPE=here $(BUILD)/edges
	@$(edges_run)
	@$(edges_run) --peers || [ $$? = 3 ]
# valgrind has no AVX-512: it shows a CPU without, and kernels for it are left out. Its header may be newer than what
# was compiled without it.
memcheck: packages
	@if scripts/setup memcheck; then \
	    rm -f $(BUILD)/tests/edges/memcheck.o && $(MAKE) --no-print-directory SCOPE=here $(BUILD)/edges && \
	    $(valgrind) $(edges_run) --memcheck $(MEMCHECK); \
	else echo 'memcheck: skipped: no valgrind' >&2; fi

edges_parts := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard tests/edges/*.c)))
link_edges   = $(LAB_CC) $(strict) $(edges_parts) $(BUILD)/libtest.a $(LAB)/liblab.a $1 $(LAB)/liblab.a $(lab_libs) -o $2
$(BUILD)/edges: $(edges_parts) $(BUILD)/libtest.a $(LAB)/liblab.a $(BUILD)/kernels.o
	@$(call link_edges,$(BUILD)/kernels.o,$@)
