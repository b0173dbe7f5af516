# SPDX-License-Identifier: MIT
# Litmus objects, which are not kernels: case studies load them to see what a flag does. Beside each
# .so is its .o, for the disassembler. If a compiler refuses a flag, the object is empty, and the
# case says so.

litmus_flags    := -O3 -mavx2 -mfma -mtune=generic -fno-tree-vectorize -fno-tree-slp-vectorize -fPIC
# CC/FILE-FLAGS.so is compiled with $(compiled.FLAGS), and linked with $(linked.FLAGS).
compiled.gnu11  := -std=gnu11
compiled.c11    := -std=c11
compiled.znver3 := -std=gnu11 -mtune=znver3
linked.fastmath := -ffast-math
litmus_of  = $(foreach c,$(CCS),$(1:%=$(BUILD)/litmus/$(call name,$c)/%))
litmus_dot     := $(call litmus_of,dot-gnu11.o dot-c11.o dot-znver3.o)
litmus_linked  := $(call litmus_of,linked-strict.o linked-fastmath.o)
litmus_objects := $(patsubst %.o,%.so,$(litmus_dot) $(litmus_linked))
# The compiler of an object's folder, and the last word of its name.
litmus_cc   = $(foreach c,$(CCS),$(if $(filter $(call name,$c),$(notdir $(@D))),$c))
litmus_word = $(lastword $(subst -, ,$(basename $(@F))))
$(litmus_dot): litmus/dot.c
$(litmus_linked): litmus/empty.c
$(litmus_dot) $(litmus_linked): Makefile scripts/litmus.mk
	@mkdir -p $(@D)
	@$(litmus_cc) $(litmus_flags) $(compiled.$(litmus_word)) -c $(filter %.c,$^) -o $@ 2>$@.log || : >$@
$(litmus_objects): %.so: %.o
	@if [ -s $< ]; then $(litmus_cc) -shared $(linked.$(litmus_word)) $< -o $@; else : >$@; fi
.PHONY: litmuses
litmuses: $(litmus_objects)
