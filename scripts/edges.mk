# SPDX-License-Identifier: MIT
# Kernels with their operands at guard pages, and under valgrind's memcheck; each leaves a line of
# counts in $(BUILD)/edges.jsonl. `make test` runs all of the former, and checks that the latter
# finds planted mistakes (tests/test_edges.c).

# --few tries some of the lengths n = 0 .. 300. MEMCHECK='' tries all, MEMCHECK='--filter op=exp'
# some kernels.
MEMCHECK  ?= --few
edges_run  = $(BUILD)/edges --record $(BUILD)/edges.jsonl
# Partial loads count as errors: a kernel may not read the bytes beyond its row.
valgrind   = valgrind -q --partial-loads-ok=no

.PHONY: edges memcheck
edges: packages
	@$(MAKE) --no-print-directory SCOPE=here $(BUILD)/edges
	@$(edges_run)
	@$(edges_run) --peers || [ $$? = 3 ]
# valgrind has no AVX-512: it emulates a CPU without it, and kernels that need it are left out.
# memcheck.o is compiled again, because valgrind's header may have been installed since.
memcheck: packages
	@if scripts/setup memcheck; then \
	    rm -f $(BUILD)/tests/edges/memcheck.o && $(MAKE) --no-print-directory SCOPE=here $(BUILD)/edges && \
	    $(valgrind) $(edges_run) --memcheck $(MEMCHECK); \
	else echo 'memcheck: skipped: no valgrind' >&2; fi
