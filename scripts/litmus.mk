# SPDX-License-Identifier: MIT
# Litmus objects, which are not kernels: case studies load them to see what a flag does. Beside each
# .so is its .o, for the disassembler. If a compiler refuses a flag, the object is empty, and the
# case says so.

litmus.gnu11  := -std=gnu11
litmus.c11    := -std=c11
litmus.znver3 := -std=gnu11 -mtune=znver3
litmus_flags  := -O3 -mavx2 -mfma -mtune=generic -fno-tree-vectorize -fno-tree-slp-vectorize -fPIC
# $1 compiler, $2 its folder
define litmus
$2/dot-%.o: litmus/dot.c Makefile scripts/litmus.mk
	@mkdir -p $$(@D)
	@$1 $(litmus_flags) $$(litmus.$$*) -c $$< -o $$@ 2>$$@.log || : >$$@
$2/dot-%.so: $2/dot-%.o
	@if [ -s $$< ]; then $1 -shared $$< -o $$@; else : >$$@; fi
$2/linked-strict.so: litmus/empty.c Makefile scripts/litmus.mk
	@mkdir -p $$(@D)
	@$1 -fPIC -shared $$< -o $$@
$2/linked-fastmath.so: litmus/empty.c Makefile scripts/litmus.mk
	@mkdir -p $$(@D)
	@$1 -fPIC -c $$< -o $$(@:.so=.o)
	@$1 -shared -ffast-math $$(@:.so=.o) -o $$@
litmus_objects += $(foreach f,gnu11 c11 znver3,$2/dot-$f.so) $2/linked-strict.so $2/linked-fastmath.so
endef
$(foreach c,$(CCS),$(eval $(call litmus,$c,$(BUILD)/litmus/$(call name,$c))))
.PHONY: litmuses
litmuses: $(litmus_objects)
