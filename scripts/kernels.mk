# Kernels: one rule per flag regime {compiler, ISA, policy}; objects in $(BUILD)/obj/CC/ISA/POLICY.

# The vocabulary takes half of a small kernel's compile time: it is precompiled once per regime.
# All kernels of simd/ include it; a kernel from elsewhere is compiled as it stands.
pch.gcc   = -include $1/pre.h
pch.clang = -include-pch $1/pre.h.gch
family    = $(if $(findstring clang,$1),clang,gcc)

# before WORD,LIST: the words of LIST before WORD.
before = $(if $(filter-out $1,$(firstword $2)),$(firstword $2) $(call before,$1,$(wordlist 2,$(words $2),$2)))
# wanted KERNEL,ISA,POLICY
wanted = $(and $(filter $2,$(isas_of.$1)),$(filter $3,$(policies_of.$1)))

# A kernel whose file says policies=distinct is compiled once for all policies that its compiler
# does not tell apart. The file `options` of a regime is the compiler's own account of what its
# flags mean; where an earlier policy has the same account, compile-kernel takes the object of that
# policy. tests/test_registry.c compares the code of the kernels that are compiled under both.
distinct_kernels := $(foreach k,$(kernel_names),$(if $(filter distinct,$(policies.$k)),$k))

# $1 compiler, $2 ISA, $3 policy, $4 folder of its objects
define regime
$(call keep,$4/flags,$1 $(common) $(OPTIMISE) $(isa.$2) $(policy.$3) \
  -Isimd/$2 -Isimd $(sanitize) # $(call version,$1))
$(call keep,$4/pre.h,#include "vec.h")
# A vocabulary that cannot be compiled leaves an empty file here; the kernels that need it say why.
$4/pre.h.gch: $4/pre.h $4/flags simd/$2/vec.h
	@$$(step)$1 $(common) $(OPTIMISE) $(isa.$2) $(policy.$3) -Isimd/$2 -Isimd $(sanitize) -x c-header $$< -o $$@ \
	    -MMD -MP -MF $$@.d -MT $$@ || : >$$@
$4/options: $4/flags scripts/compiler-options
	@scripts/compiler-options $1 $(filter-out -frecord-gcc-switches,$(common)) $(OPTIMISE) $(isa.$2) $(policy.$3) $(sanitize) >$$@
$(foreach k,$(distinct_kernels),$4/$k.o: $4/options $(foreach p,$(call before,$3,$(POLICIES)),$(dir $4)$p/$k.o)
)
$(call stored_as,f32,,$1,$2,$3,$4)
$(foreach t,$(stored_types),$(call stored_as,$t,.$t,$1,$2,$3,$4))
objects += $(foreach k,$(kernel_names) $(stored_names),$(if $(call wanted,$k,$2,$3),$4/$k.o))
endef
# $1 storage type, $2 what it adds to an object's name (softmax_online.o, softmax_online.bf16.o), $3 to
# $6 as above. The last rule is for kernels from elsewhere.
define stored_as
$(foreach d,$(kernel_folders),$(call stored_from,$d,$1,$2,$3,$4,$5,$6))
$6/%$2.o: %.c $6/flags
	@$$(step)scripts/compile-kernel $$@ $$< '$3 $(common) $(OPTIMISE) $(isa.$4) $(policy.$5) -Isimd/$4 -Isimd/storage/$1 -Isimd $(sanitize)' \
	    -DKERNEL=kernel_$(call symbol,$3_$4_$5$2)_$$(subst -,_,$$*) $(if $2,,$$(if $$(filter distinct,$$(policies.$$*)),$(call before,$5,$(POLICIES))))

endef
# $1 folder of sources, then as above.
define stored_from
$7/%$3.o: $1/%.c $7/flags $7/pre.h.gch
	@$$(step)scripts/compile-kernel $$@ $$< '$4 $(common) $(OPTIMISE) $(isa.$5) $(policy.$6) -Isimd/$5 -Isimd/storage/$2 -Isimd $(sanitize) \
	    $(call pch.$(call family,$4),$7)' -DKERNEL=kernel_$(call symbol,$4_$5_$6$3)_$$(subst -,_,$$*) $(if $3,,$$(if $$(filter distinct,$$(policies.$$*)),$(call before,$6,$(POLICIES))))

endef
$(foreach c,$(CCS),$(foreach i,$(ISAS),$(foreach p,$(POLICIES),$(eval $(call regime,$c,$i,$p,$(BUILD)/obj/$(call name,$c)/$i/$p)))))

# A kernel from elsewhere may bring a reference with it: the same file once more, strictly.
reference_names := $(basename $(notdir $(if $(KERNELS),$(shell grep -lw REFERENCE $(KERNELS)))))
references      := $(reference_names:%=$(BUILD)/reference/%.o)
reference_flags := $(LAB_CC) -std=gnu11 -O2 -g -Wall -Wextra -ffp-contract=off -mno-fma -Iinclude \
                   -include src/base/strict.h $(sanitize)
$(BUILD)/reference/%.o: %.c include/kernel_reference.h Makefile scripts/kernels.mk
	@$(step)scripts/compile-kernel $@ $< '$(reference_flags)' \
	    -DREFERENCE=reference_$$(printf %s '$*' | tr - _)

# ---- What the build learnt of the variants -----------------------------------------------------
# .commit: what git archive wrote into a tarball.
commit := $(or $(if $(wildcard .git),$(shell git describe --always --dirty --abbrev=12 2>/dev/null)),\
          $(filter-out %$$,$(file <.commit)),unknown)
$(call keep,$(BUILD)/objects.list,$(objects))
$(call keep,$(BUILD)/references.list,$(references))
$(call keep,$(BUILD)/compilers.list,$(foreach c,$(CCS),$(call name,$c)=$(call version,$c)))
$(call keep,$(BUILD)/commit,$(commit))

tool_sources := $(sort $(wildcard src/build/*.c)) src/base/error.c
$(BUILD)/registry-tool: $(tool_sources:%.c=$(LAB)/%.o)
	@$(LAB_CC) $(strict) $^ $(lab_libs) -o $@
# Reads every object; writes the table of variants, and the list of what there is to link.
$(BUILD)/registry.c: $(BUILD)/registry-tool $(objects) $(references) \
                     $(addprefix $(BUILD)/,objects.list references.list compilers.list commit)
	@$< $(wordlist 1,4,$(filter %.list %commit,$^)) $@ $(BUILD)/link.list
$(BUILD)/registry.o: $(BUILD)/registry.c
	@$(LAB_CC) $(strict) -c $< -o $@
$(BUILD)/kernels.o: $(BUILD)/registry.o
	@ld -r $< @$(BUILD)/link.list -o $@
