# SPDX-License-Identifier: MIT
# Kernels: what there is, for scripts/kernels.awk, which writes the rules of their objects; and the program's table of
# variants. Objects lie in $(BUILD)/obj/CC/ISA/POLICY; an object's name ends with its type unless that is f32
# (softmax_online.bf16.o).

# Kernels that only call a function of a library are made from a table.
library_kernels := $(BUILD)/simd/libraries
own_id := $(shell scripts/library-kernels simd/libraries/functions $(library_kernels) && echo $$PPID)
$(if $(own_id),,$(error simd/libraries/functions has a wrong row))
kernel_folders := $(sort $(patsubst %/,%,$(dir $(wildcard simd/*/*.c simd/*/*.cc))) $(library_kernels))
kernel_files   := $(sort $(wildcard $(kernel_folders:%=%/*.c))) $(sort $(wildcard $(kernel_folders:%=%/*.cc)))
kernel_sources := $(kernel_files) $(KERNELS)
# Types in which the same sources can be stored, by another storage.h; own_types are computed in themselves.
stored_types := $(filter-out f32,$(notdir $(patsubst %/,%,$(wildcard simd/vocabulary/storage/*/))))
own_types    := $(foreach t,$(stored_types),$(if $(wildcard simd/vocabulary/storage/$t/scalar/vec.h),$t))
# 0: every object is compiled, those that would be copies, too.
DISTINCT ?= 1

# Libraries that a kernel names as its needs: of headers, which a kernel in C++ calls, or an archive, whose functions
# become part of the kernel's object and local to it. Without its file the kernel is skipped.
package.eigen      := libeigen3-dev
package.highway    := libhwy-dev
package.xsimd      := libxsimd-dev
package.llvmlibc   := libllvmlibc-22-dev
file.eigen         := /usr/include/eigen3/Eigen/Core
file.highway       := /usr/include/hwy/contrib/math/math-inl.h
file.xsimd         := /usr/include/xsimd/xsimd.hpp
file.llvmlibc      := /usr/lib/llvm-22/lib/libllvmlibc.a
# Who installs them, but for `make peers`.
installer.llvmlibc := make setup

# alone.POLICY=yes: its kernels are compiled with the policy's flags and their own, and nothing else; ccs.POLICY: by
# these compilers alone. A user's kernel NAME.c may have flags.NAME, also.NAME, link.NAME, stubs.NAME.
variables_of = $(filter $(addsuffix .%,$1),$(.VARIABLES))
of_axis      = $(sort $(patsubst $1.%,%,$(call variables_of,$1)))
compilers    := $(foreach c,$(CCS),$(call name,$c)=$(call version,$c)=$c)
known.isa     = $(call of_axis,isa)
known.policy  = $(call of_axis,policy)
known.package = $(call of_axis,package)
there         = $(wildcard $(foreach v,$(call variables_of,file also),$($v)))
lab_files     = $(notdir $(kernel_files))
search_paths  = $(foreach v,CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH COMPILER_PATH GCC_EXEC_PREFIX,$v=$($v))
# Axes that the command line sets.
named_axes    = $(foreach v,CCS ISAS,$(if $(call named,$v),$v))
reference     = $(LAB_CC) -std=gnu11 -O2 -g -Wall -Wextra -ffp-contract=off -mno-fma -Iinclude \
                -include src/base/strict.h $(sanitize)
settings     := BUILD LAB CCS ISAS POLICIES STORED_POLICIES KERNELS OBJECTS DISTINCT SCOPE common OPTIMISE sanitize \
    named_isas kernel_sources kernel_names stored_names stored_types own_types known.isa known.policy known.package \
    there lab_files search_paths named_axes reference asked run_ccs run_ops run_scalar run_but run_not run_cases \
    named_by_tests run_f64 run_f64_libraries run_f64_under \
    $(call variables_of,isa policy alone ccs named_for package file installer version \
    defaults identity isas_of policies_of flags reference_flags also link stubs)
settings     := $(foreach v,$(settings),$(if $(filter undefined,$(origin $v)),,$v $(strip $($v))$(newline)))\
    $(foreach i,$(ISAS),$(foreach t,f32 $(stored_types),includes.$i.$t $(call includes,$i,$t)$(newline)))
# Makes that run at once have settings and rules of their own, and take turns with what else is written.
$(file >$(BUILD)/settings.$(own_id),$(settings))
answer := $(shell flock $(BUILD)/turn awk -f scripts/kernels.awk $(BUILD)/settings.$(own_id) || rm $(BUILD)/*.$(own_id))
$(if $(filter made,$(answer)),,$(error $(or $(wordlist 2,$(words $(answer)),$(answer)),scripts/kernels.awk failed)))
$(eval $(file <$(BUILD)/kernels.mk.$(own_id)))
$(shell cd $(BUILD) && mv kernels.mk.$(own_id) kernels.mk && mv settings.$(own_id) settings)
$(twins): | $(BUILD)/registry-tool
	@$(BUILD)/registry-tool --copy $(BUILD)/kernels.table $@

# ---- The table of variants ---------------------------------------------------------------------
# .commit: the hash that git archive wrote into an archive.
commit := $(or $(if $(filter $(abspath $(BUILD)),$(abspath $(LAB))),,$(file <$(LAB)/commit)),\
          $(if $(wildcard .git),$(shell git describe --always --dirty --abbrev=12 2>/dev/null)),\
          $(filter-out %$$,$(shell cut -c 1-12 .commit 2>/dev/null)),unknown)
$(call keep,$(BUILD)/references.list,$(references))
$(call keep,$(BUILD)/compilers.list,$(compilers))
$(call keep,$(BUILD)/policies.list,$(foreach p,$(POLICIES),policy=$p $(policy.$p)))
$(call keep,$(BUILD)/commit,$(commit))

tool_sources := $(sort $(wildcard src/build/*.c)) src/base/error.c src/base/memory.c
$(BUILD)/registry-tool: $(tool_sources:%.c=$(LAB)/%.o)
	@$(LAB_CC) $(strict) $^ $(lab_libs) -o $@
.PHONY: FORCE
FORCE: ;
# The list of objects changes with what is asked for; goals other than the program leave it as it is.
$(BUILD)/objects.list: FORCE
	@$(keep_asked)cmp -s $(BUILD)/wanted.list $@ || cp $(BUILD)/wanted.list $@
# Reads every object, copies those that policies or kernels share, and writes the table of variants, the list of objects
# to link, and where their static constructors go: none of them runs before main (struct build_constructors).
registry_lists := $(addprefix $(BUILD)/,objects.list kernels.table references.list compilers.list policies.list \
                                        commit)
$(BUILD)/registry.c: $(BUILD)/registry-tool $(registry_lists) $(objects) $(OBJECTS) $(references)
	@$< $(registry_lists) $@ $(BUILD)/link.list $(BUILD)/constructors.ld
$(BUILD)/registry.o: $(BUILD)/registry.c
	@$(LAB_CC) $(strict) -c $< -o $@
$(BUILD)/kernels.o: $(BUILD)/registry.o
	@ld -r -T $(BUILD)/constructors.ld $< @$(BUILD)/link.list -o $@
