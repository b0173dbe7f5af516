# SPDX-License-Identifier: MIT
# Kernels: one rule per flag regime {compiler, ISA, policy}; objects in $(BUILD)/obj/CC/ISA/POLICY.

# Parsing the vocabulary takes most of a small kernel's compile time, so it is precompiled in each regime
# that has at least three kernels of simd/, all of which include it; a user's kernel is compiled without it.
# While the rules of a regime are generated, built is its kernels. A type with vectors of its own has its
# own vocabulary, which comes first in any case, since it says what words mean (in double `float` is a macro, so
# that the files that exist in both types need no name for a lane's type: docs/architecture.md); others have fp32's.
vectors   = $(if $(filter $(type),$(own_types)),.$(type))
of_vectors = $(if $(vectors),$(filter %$(vectors),$(built)),$(filter $(kernel_names),$(built)))
header    = $(if $(word 3,$(filter-out $(user_names),$(of_vectors))),$(folder)/pre$(vectors).h.gch)
pch.gcc   = -include $(header:.gch=)
pch.clang = -include-pch $(header)
first_of  = $(if $(header),$(pch.$(call family,$(cc))),$(if $(vectors),-include vec.h))
family    = $(if $(findstring clang,$1),clang,gcc)

# Policies that mean the same to a compiler are compiled once, and so is a text that two kernels share
# (`// build: same=`). The file `options` of a regime has what its flags mean to the compiler
# (scripts/compiler-options); where that is the same for an earlier policy, compile-kernel copies its
# object. Contraction does not count for a kernel of the lab that writes its arithmetic out, and so
# leaves nothing to fuse. `make distinct` compiles all and compares.
DISTINCT ?= 1

# alone.POLICY=yes: its kernels are compiled with the policy's flags and their own, and nothing else;
# ccs.POLICY: by these compilers alone.
# While the rules of a regime are generated, cc, isa and policy are its axes, and type is a storage
# type, with which an object's name ends unless it is f32 (softmax_online.bf16.o).
folder   = $(BUILD)/obj/$(call name,$(cc))/$(isa)/$(policy)
compiler = $(cc) $(if $(alone.$(policy)),-Iinclude,$(common)$(if $(call defaults,$(cc)), $(call defaults,$(cc))) \
           $(OPTIMISE) $(isa.$(isa))) $(policy.$(policy))
# in_lab: the same regime of the build whose lab this one takes: equal flags mean the same there.
in_lab   = $(filter-out $(folder),$(folder:$(BUILD)/%=$(LAB)/%))
suffix   = $(patsubst %,.%,$(filter-out f32,$(type)))
# before WORD,LIST: the words of LIST before WORD.
before   = $(if $(filter-out $1,$(firstword $2)),$(firstword $2) $(call before,$1,$(wordlist 2,$(words $2),$2)))
earlier  = $(call before,$(policy),$(POLICIES))
# twins_of NAME,POLICIES: what compile-kernel may copy instead of compiling NAME, a kernel with or
# without a storage type. A probe is always compiled: it shows what the policies of its regime mean
# (tests/test_registry.c).
is_explicit = $(if $(filter-out $(user_names),$1),$(explicit.$1:%=explicit=%))
twins_of = $(if $(filter-out 0,$(DISTINCT)),$(if $(filter-out probe,$1),$(same.$1:%=same=%) $(is_explicit) \
           $(filter $(policies_of.$1),$2)))
twin_objects = $(patsubst same=%,$(folder)/%.o,$(filter same=%,$1)) \
               $(patsubst %,$(dir $(folder))%/$k.o,$(filter-out same=% explicit=%,$1))
# is_built NAME: not empty if this kernel is built in this regime.
is_built = $(and $(filter $(isa),$(isas_of.$1)),$(filter $(policy),$(policies_of.$1)),$(filter $(cc),$(or $(ccs.$(policy)),$(cc))))
# What a user's kernel NAME.c needs besides: flags.NAME (-I, -D), also.NAME (other files of its
# program: sources, objects, archives), link.NAME (-l, -L), stubs.NAME=yes (what nobody defines is
# bound to a function that names it when it is called). The policy's flags stand behind its own, too:
# -fno-associative-math would take back what the policy is about.
own_flags = $(if $(flags.$1), $(flags.$1)$(if $(filter-out $2,$(flags.$1)),$(if $2, $2)))
# A reference has its own arithmetic: of these flags it gets headers and macros alone.
reference_own = $(if $(or $(reference_flags.$1),$(flags.$1)), $(or $(reference_flags.$1),$(filter-out -m% -f% -O% @%,$(flags.$1))))
own_parts = $(patsubst %,also=%,$(also.$1) $(filter %.a,$(file.$(needs.$1$2)))) $(patsubst %,link=%,$(link.$1)) $(if $(stubs.$1),stubs=yes)
# compile FLAGS: the command of an object's rule; $$* is the kernel's name.
compile  = scripts/$$(if $$(call missing,$$*$(suffix)),skip,compile)-kernel $$@ $$< \
    '$(compiler) $(call includes,$(isa),$(type)) $(sanitize) $1$$(call own_flags,$$*,$(policy.$(policy)))' \
    -DKERNEL=kernel_$(call symbol,$(cc)_$(isa)_$(policy)$(suffix))_$$(subst -,_,$$*) \
    $$(or $$(call missing,$$*$(suffix)),$$(call own_parts,$$*,$(suffix)) $$(call twins_of,$$*$(suffix),$(earlier)))

# compile_cxx is `compile` for a kernel in C++.
# -fno-gnu-unique: a symbol that is unique in the whole program could not be made local to the object.
cxx_flags = -x c++ -std=gnu++17 -Wno-extra -Wno-missing-field-initializers \
            $(if $(filter gcc,$(call family,$(cc))),-fno-gnu-unique)
# A user's kernel may use exceptions, and link libstdc++.
bare_cxx  = $(if $(filter $1,$(user_names)),, -fno-exceptions -fno-rtti)
compile_cxx = scripts/$$(if $$(call missing,$$*$(suffix)),skip,compile)-kernel $$@ $$< \
    '$(patsubst -std=%,,$(compiler)) $(call includes,$(isa),$(type)) $(sanitize) $(cxx_flags)$$(call bare_cxx,$$*)$$(call own_flags,$$*,$(policy.$(policy)))' \
    -DKERNEL=kernel_$(call symbol,$(cc)_$(isa)_$(policy)$(suffix))_$$(subst -,_,$$*) \
    $$(or $$(call missing,$$*$(suffix)),$$(call own_parts,$$*,$(suffix)) $$(call twins_of,$$*$(suffix),$(earlier)))

# An object waits for the objects that it may be copied from.
define wait_for_twins
$(folder)/$k.o: | $(call twin_objects,$(call twins_of,$k,$(earlier))) \
    $(patsubst %,$(dir $(folder))%/options,$(policy) $(filter $(policies_of.$k),$(earlier)))

endef
# headers: those of the regimes so far, of which a policy takes an earlier one that means the same.
twin_headers = $(if $(filter-out 0,$(DISTINCT)),$(filter $(headers),$(earlier:%=$(dir $(folder))%/$(notdir $(header)))))
define precompile
$(call keep,$(header:.gch=),#include "vec.h")
$(header): $(header:.gch=) $(folder)/flags simd/vocabulary/$(isa)/vec.h | $(folder)/options $(twin_headers)
	@$$(step)scripts/precompile $$@ '$(compiler) $(call includes,$(isa),$(type)) $(sanitize)' $(twin_headers)
$(eval headers += $(header))

endef
define regime
$(eval built := $(foreach k,$(kernel_names) $(stored_names),$(if $(call is_built,$k),$k)))
$(call keep,$(folder)/flags,$(compiler) $(call includes,$(isa),f32) $(sanitize) # $(call version,$(cc)))
$(foreach type,f32 $(own_types),$(if $(header),$(precompile)))
$(folder)/options: $(folder)/flags scripts/compiler-options
	@cmp -s $(folder)/flags $(in_lab)/flags && [ $(in_lab)/options -nt $(in_lab)/flags ] && \
	    [ $(in_lab)/options -nt scripts/compiler-options ] && cp $(in_lab)/options $$@ || \
	    scripts/compiler-options $(filter-out -frecord-gcc-switches,$(compiler)) $(sanitize) >$$@
$(foreach k,$(built),$(if $(strip $(call twins_of,$k,$(earlier))),$(wait_for_twins)))
$(foreach type,f32 $(stored_types),$(kernels_of_type))
$(foreach type,f32 $(own_types),$(foreach from,$(cxx_folders:%=%/),$(folder)/%$(suffix).o: $(from)%$(suffix).cc $(folder)/flags $(BUILD)/needed.list
	@$$(step)$(compile_cxx)
))
$(foreach type,f32,$(folder)/%.o: %.cc $(folder)/flags $(BUILD)/own.list
	@$$(step)$(compile_cxx)
)
whole += $(built:%=$(folder)/%.o)
$(foreach use,measured support runnable elsewhere,$(use) += $(patsubst %,$(folder)/%.o,$(filter $($(use)_here),$(built)))
)
endef

# The other files from which users' kernels are compiled: a change of one makes them anew.
search_paths := CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH COMPILER_PATH GCC_EXEC_PREFIX
$(call keep,$(BUILD)/own.list,$(foreach v,$(search_paths),$v=$($v)) \
    $(foreach k,$(user_names),$k: $(flags.$k) $(reference_flags.$k) $(call own_parts,$k) $(if $(also.$k),$(shell stat -c %Y $(also.$k)))))

# A file for this type alone comes first; the last rule is for users' kernels.
define kernels_of_type
$(if $(suffix),$(foreach from,$(typed_folders),$(folder)/%$(suffix).o: $(from)/%$(suffix).c $(folder)/flags $(header)
	@$$(step)$(call compile,$(first_of))
))
$(foreach from,simd $(kernel_folders),$(folder)/%$(suffix).o: $(from)/%.c $(folder)/flags $(header)
	@$$(step)$(call compile,$(first_of))
)
$(folder)/%$(suffix).o: %.c $(folder)/flags $(BUILD)/own.list
	@$$(step)$(compile)

endef
$(foreach cc,$(CCS),$(foreach isa,$(ISAS),$(foreach policy,$(POLICIES),$(eval $(regime)))))

# A user's kernel file may contain a reference, for which it is compiled once more, strictly.
reference_names := $(basename $(notdir $(if $(KERNELS),$(shell grep -lw REFERENCE $(KERNELS)))))
references      := $(reference_names:%=$(BUILD)/reference/%.o)
reference_flags := $(LAB_CC) -std=gnu11 -O2 -g -Wall -Wextra -ffp-contract=off -mno-fma -Iinclude \
                   -include src/base/strict.h $(sanitize)
# The text behind #ifdef REFERENCE is C, also in a C++ file.
define reference
$(BUILD)/reference/%.o: %.$1 include/kernel_reference.h Makefile scripts/kernels.mk $(BUILD)/own.list
	@$$(step)scripts/compile-kernel $$@ $$< '$(reference_flags) -x c$$(call reference_own,$$*)' \
	    -DREFERENCE=reference_$$$$(printf %s '$$*' | tr - _)

endef
$(foreach end,c cc,$(eval $(call reference,$(end))))

# ---- The table of variants ---------------------------------------------------------------------
# .commit: the hash that git archive wrote into an archive.
commit := $(or $(if $(filter $(abspath $(BUILD)),$(abspath $(LAB))),,$(file <$(LAB)/commit)),$(if $(wildcard .git),$(shell git describe --always --dirty --abbrev=12 2>/dev/null)),\
          $(filter-out %$$,$(shell cut -c 1-12 .commit 2>/dev/null)),unknown)
$(call keep,$(BUILD)/whole.list,$(whole))
$(call keep,$(BUILD)/measured.list,$(measured))
$(call keep,$(BUILD)/support.list,$(support))
$(call keep,$(BUILD)/references.list,$(references))
$(call keep,$(BUILD)/compilers.list,$(foreach c,$(CCS),$(call name,$c)=$(call version,$c)=$c))
$(call keep,$(BUILD)/policies.list,$(foreach p,$(POLICIES),policy=$p $(policy.$p)))
$(call keep,$(BUILD)/commit,$(commit))

tool_sources := $(sort $(wildcard src/build/*.c)) src/base/error.c src/base/memory.c
$(BUILD)/registry-tool: $(tool_sources:%.c=$(LAB)/%.o)
	@$(LAB_CC) $(strict) $^ $(lab_libs) -o $@
.PHONY: FORCE
FORCE: ;
# The list of objects changes with what is asked for; goals other than the program leave it as it
# is.
$(BUILD)/objects.list: FORCE
	@$(call keep,$@,$(objects) $(OBJECTS))$(keep_asked):
# Reads every object, and writes the table of variants, the list of objects to link, and where their
# static constructors go: none of them runs before main (struct build_constructors).
registry_lists := $(addprefix $(BUILD)/,objects.list whole.list measured.list support.list references.list \
                                        compilers.list policies.list commit)
$(BUILD)/registry.c: $(BUILD)/registry-tool $(registry_lists) $(objects) $(OBJECTS) $(references)
	@$< $(registry_lists) $@ $(BUILD)/link.list $(BUILD)/constructors.ld
$(BUILD)/registry.o: $(BUILD)/registry.c
	@$(LAB_CC) $(strict) -c $< -o $@
$(BUILD)/kernels.o: $(BUILD)/registry.o
	@ld -r -T $(BUILD)/constructors.ld $< @$(BUILD)/link.list -o $@
