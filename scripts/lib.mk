# SPDX-License-Identifier: MIT
# libulp: kernels of simd/invariant and simd/correct as a library, with src/lib in front of them. `make lib`.

# The gcc among the lab's compilers, whose objects it shares.
LIB_CC      ?= $(or $(firstword $(filter gcc%,$(run_ccs))),gcc)
lib_release := 1.1.0
lib_soname  := 1
lib         := $(BUILD)/lib
# The types of src/lib/types; of one that has no word here, the kernels are invariant ones stored in it.
lib_types   := f32 bf16 f16 cr_f32
lib_algorithm.cr_f32 := correct
lib_storage.cr_f32   := f32
lib_algorithm = $(or $(lib_algorithm.$1),invariant)
lib_storage   = $(or $(lib_storage.$1),$1)
lib_ops = softmax logsumexp moments layernorm rmsnorm exp log \
          $(if $(filter cr_%,$1),exp2 expm1 log2 log1p tanh erf sigmoid silu gelu softplus sin cos rsqrt)
# The lab's ISAs, and scalar code without AVX and FMA.
lib_isas    := nofma scalar avx2 avx512
lib_isa.nofma := -mtune=generic -fno-tree-vectorize -fno-tree-slp-vectorize
# Sanitizers check src/lib only: the kernels are checked as variants of the lab, and take minutes to
# build with sanitizers.
lib_flags   := -fPIC -fvisibility=hidden $(policy.off)
lib_strict  := -std=c11 -O2 -g -Wall -Wextra -Wconversion -Wno-sign-conversion -Iinclude -Isrc $(lib_flags) $(sanitize)
.PHONY: lib install-lib uninstall-lib
lib: $(foreach l,libulp libulp_omp,$(lib)/$l.a $(lib)/$l.so.$(lib_release))

# The kernels are the lab's objects under `off`, which refer to no outside symbol, so that they can be part
# of a shared library. If this build lacks them, they are compiled with the same flags.
# lab_has ISA,TYPE: whether this build's axes have such objects.
lab_has    = $(if $(sanitize),,$(and $(filter $(LIB_CC),$(CCS)),$(filter $1,$(ISAS)),$(filter off,$(POLICIES)),\
             $(if $(filter f32,$(call lib_storage,$2)),off,$(filter off,$(STORED_POLICIES)))))
lib_suffix = $(patsubst %,.%,$(filter-out f32,$(call lib_storage,$2)))
$(call keep,$(lib)/flags,$(LIB_CC) $(lib_strict) $(common) $(OPTIMISE) $(foreach i,$(lib_isas),$(isa.$i) \
    $(foreach t,$(lib_types),$(call lab_has,$i,$t))) # $(call version,$(LIB_CC)) $(identity.$(LIB_CC)))
# $1 ISA, $2 storage type, $3 algorithm, $4 whether it is the lab's object
define lib_kernel
$(lib)/$1/$2/%.o: $(if $4,$(BUILD)/obj/$(call name,$(LIB_CC))/$1/off/%_$3$(lib_suffix).o,simd/$3/%_$3.c) $(lib)/flags scripts/lib.mk
	@mkdir -p $$(@D)
	@$(if $4,objcopy --redefine-sym kernel_$(call symbol,$(LIB_CC)_$1_off$(lib_suffix))_$$*_$3=ulp_kernel_$$*_$1_$2 $$< $$@,\
	   $$(step)$(LIB_CC) $(common) $(OPTIMISE) $(or $(lib_isa.$1),$(isa.$1)) $(lib_flags) \
	   $(call includes,$1,$(call lib_storage,$2)) -DKERNEL=ulp_kernel_$$*_$1_$2 -MMD -MP -c $$< -o $$@)

endef
$(foreach i,$(lib_isas),$(foreach t,$(lib_types),\
    $(eval $(call lib_kernel,$i,$t,$(call lib_algorithm,$t),$(call lab_has,$i,$t)))))
lib_kernels := $(foreach i,$(lib_isas),$(foreach t,$(lib_types),$(patsubst %,$(lib)/$i/$t/%.o,$(call lib_ops,$t))))

# functions.c and kernels.c are compiled once per storage type, functions.c also with OpenMP
# (omp_functions.TYPE.o): the include path chooses.
lib_typed = $(lib_types:%=$(lib)/$1.%.o)
lib_omp     := $(lib)/omp.o $(call lib_typed,omp_functions)
lib_plain   := $(patsubst src/lib/%.c,$(lib)/%.o,$(filter-out src/lib/functions.c src/lib/kernels.c,$(wildcard src/lib/*.c)))
lib_objects := $(filter-out $(lib)/omp.o,$(lib_plain)) $(call lib_typed,functions) $(call lib_typed,kernels)
$(lib_plain): $(lib)/%.o: src/lib/%.c
$(call lib_typed,functions) $(call lib_typed,omp_functions): src/lib/functions.c
$(call lib_typed,kernels): src/lib/kernels.c
$(call lib_typed,functions) $(call lib_typed,kernels): lib_define = -Isrc/lib/types/$(lib_type)
$(call lib_typed,omp_functions): lib_define = -Isrc/lib/types/$(lib_type) -fopenmp
$(lib)/omp.o: lib_define := -fopenmp
lib_type = $(lastword $(subst ., ,$(basename $(@F))))
$(lib_objects) $(lib_omp): $(lib)/flags scripts/lib.mk
	@mkdir -p $(@D)
	@$(step)$(LIB_CC) $(lib_strict) $(lib_define) -MMD -MP -c $(filter %.c,$^) -o $@
$(lib)/version.o: lib_define = -DULP_RELEASE='"$(lib_release)"' -DULP_COMMIT='"$(commit)"'
$(lib)/version.o: $(BUILD)/commit

# libulp_omp contains all of libulp.
$(lib)/libulp.a: $(lib_objects) $(lib_kernels)
$(lib)/libulp_omp.a: $(lib_objects) $(lib_kernels) $(lib_omp)
$(lib)/libulp.a $(lib)/libulp_omp.a:
	@$(archive)
# lib_shared NAME,LIBRARIES: the command that links a library.
lib_shared = $(LIB_CC) $(sanitize) -shared -Wl,-soname,$1.so.$(lib_soname) -Wl,--version-script=$(filter %.map,$^) \
             -Wl,-z,defs $(filter %.o,$^) $2 -o $@ && ln -sf $(@F) $(@D)/$1.so.$(lib_soname) && \
             ln -sf $1.so.$(lib_soname) $(@D)/$1.so
$(lib)/libulp.so.$(lib_release): $(lib_objects) $(lib_kernels) src/lib/ulp.map
	@$(call lib_shared,libulp,-lm)
$(lib)/libulp_omp.so.$(lib_release): $(lib_objects) $(lib_kernels) $(lib_omp) src/lib/ulp_omp.map
	@$(call lib_shared,libulp_omp,-fopenmp -lm)

# ---- Installing --------------------------------------------------------------------------------
LIBDIR ?= $(PREFIX)/lib
lib_into := '$(DESTDIR)$(LIBDIR)'
# pkg-config's files, and what CMake's find_package(ulp) reads.
lib_configs := pkgconfig/ulp.pc pkgconfig/ulp_omp.pc cmake/ulp/ulp-config.cmake cmake/ulp/ulp-config-version.cmake
# $1 file below LIBDIR
define lib_config
	@sed 's|@prefix@|$(PREFIX)|; s|@libdir@|$(LIBDIR)|; s|@version@|$(lib_release)|' src/lib/$(notdir $1).in >$(lib_into)/$1

endef
install-lib: lib
	install -d $(lib_into)/pkgconfig $(lib_into)/cmake/ulp '$(DESTDIR)$(PREFIX)/include'
	install -m 644 include/ulp.h include/ulp_omp.h '$(DESTDIR)$(PREFIX)/include'
	install -m 644 $(lib)/libulp.a $(lib)/libulp_omp.a $(lib_into)
	install -m 755 $(lib)/libulp.so.$(lib_release) $(lib)/libulp_omp.so.$(lib_release) $(lib_into)
	cp -P $(foreach l,libulp libulp_omp,$(lib)/$l.so.$(lib_soname) $(lib)/$l.so) $(lib_into)
	$(foreach c,$(lib_configs),$(call lib_config,$c))
uninstall-lib:
	rm -f '$(DESTDIR)$(PREFIX)'/include/ulp.h '$(DESTDIR)$(PREFIX)'/include/ulp_omp.h
	rm -f $(foreach l,libulp libulp_omp,$(lib_into)/$l.a $(lib_into)/$l.so*)
	rm -rf $(lib_configs:%=$(lib_into)/%) $(lib_into)/cmake/ulp
