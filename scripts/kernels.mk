# Kernels: one rule per flag regime {compiler, ISA, policy}; objects in $(BUILD)/obj/CC/ISA/POLICY.

# Parsing the vocabulary takes half of a small kernel's compile time, so that it is precompiled once
# per regime. All kernels of simd/ include it; a user's kernel is compiled without it.
pch.gcc   = -include $1/pre.h
pch.clang = -include-pch $1/pre.h.gch
family    = $(if $(findstring clang,$1),clang,gcc)

# A kernel whose file says policies=distinct is compiled once for all policies that mean the same to
# its compiler. The file `options` of a regime has what the flags mean to the compiler
# (scripts/compiler-options); if that is the same for an earlier policy, compile-kernel copies its
# object. tests/test_registry.c compares the code of kernels that are compiled under both.
distinct_kernels := $(foreach k,$(kernel_names),$(if $(filter distinct,$(policies.$k)),$k))

# While the rules of a regime are generated, cc, isa and policy are its axes, and type is a storage
# type, with which an object's name ends unless it is f32 (softmax_online.bf16.o).
folder   = $(BUILD)/obj/$(call name,$(cc))/$(isa)/$(policy)
compiler = $(cc) $(common)$(if $(call defaults,$(cc)), $(call defaults,$(cc))) $(OPTIMISE) $(isa.$(isa)) $(policy.$(policy))
suffix   = $(patsubst %,.%,$(filter-out f32,$(type)))
# before WORD,LIST: the words of LIST before WORD.
before   = $(if $(filter-out $1,$(firstword $2)),$(firstword $2) $(call before,$1,$(wordlist 2,$(words $2),$2)))
earlier  = $(call before,$(policy),$(POLICIES))
# is_built NAME: whether this kernel is built in this regime.
is_built = $(and $(filter $(isa),$(isas_of.$1)),$(filter $(policy),$(policies_of.$1)))
# compile FLAGS: the command of an object's rule; $$* is the kernel's name.
compile  = scripts/compile-kernel $$@ $$< \
    '$(compiler) -Isimd/$(isa) -Isimd/storage/$(type) -Isimd $(sanitize) $1' \
    -DKERNEL=kernel_$(call symbol,$(cc)_$(isa)_$(policy)$(suffix))_$$(subst -,_,$$*) \
    $(if $(suffix),,$$(if $$(filter $$*,$$(distinct_kernels)),$(earlier)))

# The same for a kernel in C++, of which the lab compiles fp32 alone. What makes it C++ stands behind
# the folders: in front of them, `ulplab policy` reads the policy's flags.
# -fno-gnu-unique: symbols of one value in the whole program could not be made the object's own.
cxx_flags = -x c++ -std=gnu++17 -fno-exceptions -fno-rtti -Wno-extra -Wno-missing-field-initializers \
            $(if $(filter gcc,$(call family,$(cc))),-fno-gnu-unique)
compile_cxx = scripts/$$(if $$(call missing,$$*),skip,compile)-kernel $$@ $$< \
    '$(patsubst -std=%,,$(compiler)) -Isimd/$(isa) -Isimd/storage/f32 -Isimd $(sanitize) $(cxx_flags)' \
    -DKERNEL=kernel_$(call symbol,$(cc)_$(isa)_$(policy))_$$(subst -,_,$$*) $$(call missing,$$*)

define regime
$(call keep,$(folder)/flags,$(compiler) -Isimd/$(isa) -Isimd $(sanitize) # $(call version,$(cc)))
$(call keep,$(folder)/pre.h,#include "vec.h")
# If the vocabulary cannot be compiled, this file is empty, and the kernels that need it report why.
$(folder)/pre.h.gch: $(folder)/pre.h $(folder)/flags simd/$(isa)/vec.h
	@$$(step)$(compiler) -Isimd/$(isa) -Isimd $(sanitize) -x c-header $$< -o $$@ -MMD -MP -MF $$@.d -MT $$@ 2>/dev/null || : >$$@
$(folder)/options: $(folder)/flags scripts/compiler-options
	@scripts/compiler-options $(filter-out -frecord-gcc-switches,$(compiler)) $(sanitize) >$$@
$(foreach k,$(distinct_kernels),$(folder)/$k.o: $(folder)/options $(earlier:%=$(dir $(folder))%/$k.o)
)
$(foreach type,f32 $(stored_types),$(kernels_of_type))
$(foreach from,$(cxx_folders:%=%/),$(folder)/%.o: $(from)%.cc $(folder)/flags $(BUILD)/headers.list
	@$$(step)$(compile_cxx)
)
$(folder)/%.o: %.cc $(folder)/flags
	@$$(step)$(compile_cxx)
objects += $(foreach k,$(kernel_names) $(stored_names),$(if $(call is_built,$k),$(folder)/$k.o))
endef

# The last rule is for users' kernels.
define kernels_of_type
$(foreach from,$(kernel_folders),$(folder)/%$(suffix).o: $(from)/%.c $(folder)/flags $(folder)/pre.h.gch
	@$$(step)$(call compile,$(call pch.$(call family,$(cc)),$(folder)))
)
$(folder)/%$(suffix).o: %.c $(folder)/flags
	@$$(step)$(compile)

endef
$(foreach cc,$(CCS),$(foreach isa,$(ISAS),$(foreach policy,$(POLICIES),$(eval $(regime)))))

# A user's kernel file may contain a reference, for which it is compiled once more, strictly.
reference_names := $(basename $(notdir $(if $(KERNELS),$(shell grep -lw REFERENCE $(KERNELS)))))
references      := $(reference_names:%=$(BUILD)/reference/%.o)
reference_flags := $(LAB_CC) -std=gnu11 -O2 -g -Wall -Wextra -ffp-contract=off -mno-fma -Iinclude \
                   -include src/base/strict.h $(sanitize)
$(BUILD)/reference/%.o: %.c include/kernel_reference.h Makefile scripts/kernels.mk
	@$(step)scripts/compile-kernel $@ $< '$(reference_flags)' \
	    -DREFERENCE=reference_$$(printf %s '$*' | tr - _)

# ---- The table of variants ---------------------------------------------------------------------
# .commit: the hash that git archive wrote into an archive.
commit := $(or $(if $(wildcard .git),$(shell git describe --always --dirty --abbrev=12 2>/dev/null)),\
          $(filter-out %$$,$(file <.commit)),unknown)
$(call keep,$(BUILD)/objects.list,$(objects))
$(call keep,$(BUILD)/references.list,$(references))
$(call keep,$(BUILD)/compilers.list,$(foreach c,$(CCS),$(call name,$c)=$(call version,$c)))
$(call keep,$(BUILD)/commit,$(commit))

tool_sources := $(sort $(wildcard src/build/*.c)) src/base/error.c src/base/memory.c
$(BUILD)/registry-tool: $(tool_sources:%.c=$(LAB)/%.o)
	@$(LAB_CC) $(strict) $^ $(lab_libs) -o $@
# Reads every object, and writes the table of variants, the list of objects to link, and where their
# static constructors go: none of them runs before main (struct build_constructors).
$(BUILD)/registry.c: $(BUILD)/registry-tool $(objects) $(references) \
                     $(addprefix $(BUILD)/,objects.list references.list compilers.list commit)
	@$< $(wordlist 1,4,$(filter %.list %commit,$^)) $@ $(BUILD)/link.list $(BUILD)/constructors.ld
$(BUILD)/registry.o: $(BUILD)/registry.c
	@$(LAB_CC) $(strict) -c $< -o $@
$(BUILD)/kernels.o: $(BUILD)/registry.o
	@ld -r -T $(BUILD)/constructors.ld $< @$(BUILD)/link.list -o $@
