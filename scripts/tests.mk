# SPDX-License-Identifier: MIT
# The test programs, what they load, and the certificate of the oracle.

test_sources := $(sort $(wildcard tests/test_*.c))
tests        := $(test_sources:tests/%.c=$(BUILD)/tests/%)
test_helpers := $(filter-out $(test_sources) tests/library.c,$(sort $(wildcard tests/*.c)))
.PHONY: built-tests faults own duel installed-lib
built-tests: $(tests) $(BUILD)/certify $(if $(SAN),,faults own duel installed-lib $(BUILD)/campaign $(BUILD)/shim.so \
                                                   $(BUILD)/edges)

# Most tests drive the lab's code and compute little: without optimisation they compile in a third of the time.
computing := case_e8m0 correct_rows invariant invariant_errors invariant_paths kernels lib lib_calls ops oracle oracle_f64 rounded storage ulp
$(filter-out $(computing:%=$(BUILD)/tests/test_%.o),$(tests:%=%.o)): strict := $(subst -O2,-O0,$(strict))

$(BUILD)/tests/reference.o: oracle_isa := -O3 -mavx2
$(BUILD)/libtest.a: $(test_helpers:%.c=$(BUILD)/%.o)
	@$(archive)
# All of them share the kernels: each would be 30 MB otherwise. A user's kernel, or one with sanitizers,
# may refer to data of libraries, which a shared object may not.
kernels_of_tests := $(if $(KERNELS)$(OBJECTS)$(sanitize),$(BUILD)/kernels.o,$(BUILD)/tests/libkernels.so)
$(BUILD)/tests/libkernels.so: $(BUILD)/kernels.o
	@mkdir -p $(@D)
	@$(LAB_CC) $(strict) -shared -Wl,-soname=$(@F) $< $(lab_libs) -o $@
with_kernels := '-Wl,-rpath,$$ORIGIN' -Wl,--as-needed
$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libtest.a $(LAB)/liblab.a $(kernels_of_tests)
	@$(LAB_CC) $(strict) $(with_kernels) $(filter %.o,$^) -Wl,--start-group $(filter-out %.o,$^) -Wl,--end-group \
	    $(lab_libs) -lcmocka -lmpfr -lgmp -o $@
# It steps through the instructions of its own program.
$(BUILD)/tests/test_ops: $(BUILD)/kernels.o
# The certificate needs MPFR, which the lab does not.
$(BUILD)/certify: $(BUILD)/tests/certify/main.o $(BUILD)/libtest.a $(LAB)/liblab.a $(BUILD)/kernels.o
	@$(LAB_CC) $(strict) $^ $(LAB)/liblab.a $(lab_libs) -lmpfr -lgmp -o $@

# The campaign lets system calls fail, and kills runs. The library that lets calls fail is
# preloaded.
campaign_parts := $(patsubst %.c,$(BUILD)/%.o,$(filter-out %/shim.c,$(sort $(wildcard tests/campaign/*.c))))
$(BUILD)/campaign: $(campaign_parts) $(LAB)/liblab.a
	@$(LAB_CC) $(strict) $^ $(lab_libs) -o $@
$(BUILD)/shim.so: tests/campaign/shim.c scripts/tests.mk
	@mkdir -p $(@D)
	@$(LAB_CC) -std=gnu11 -O1 -g -Wall -Wextra -shared -fPIC $< -ldl -o $@

# ---- Vocabularies, compiled as kernels are under `off` -------------------------------------------
vocabulary_cc = $(LAB_CC) $(common) $(OPTIMISE) $(policy.off) $(sanitize)
# One table per ISA tests simd/vocabulary/ISA/vec.h operation by operation.
vocabularies := $(patsubst %,$(BUILD)/tests/vocabulary/%.o,scalar sse avx2 avx512)
$(vocabularies): $(BUILD)/tests/vocabulary/%.o: tests/vocabulary/lanes.c Makefile scripts/tests.mk
	@mkdir -p $(@D)
	@$(vocabulary_cc) $(isa.$*) $(call includes,$*,f32) -Itests -DISA=$* -DVOCABULARY=vocabulary_$* -MMD -MP -c $< -o $@
$(BUILD)/tests/test_vocabulary: $(vocabularies)
# How 16-bit types are stored: simd/vocabulary/storage/TYPE for each ISA.
# $1 ISA, $2 storage type
define stored_vocabulary
$(BUILD)/tests/vocabulary/$1.$2.o: tests/vocabulary/stored.c Makefile scripts/tests.mk
	@mkdir -p $$(@D)
	@$(vocabulary_cc) $(isa.$1) $(call includes,$1,$2) -Itests \
	    -DISA=$1 -DSTORAGE=storage_$1_$2 -MMD -MP -c $$< -o $$@
$(BUILD)/tests/test_storage: $(BUILD)/tests/vocabulary/$1.$2.o

endef
$(foreach i,scalar avx2 avx512,$(foreach t,$(filter-out $(own_types),$(stored_types)),$(eval $(call stored_vocabulary,$i,$t))))
# Objects ISA_FORMAT test 16-bit arithmetic. `emulated` is the text of simd/vocabulary/avx512fp16,
# which few machines can run, compiled over an emulation of that ISA's instructions; so are the
# kernels in emulated/.
rounded   := $(patsubst %,$(BUILD)/tests/vocabulary/%.o,avx2_fp16 avx512_fp16 emulated_fp16 avx2_bf16 avx512_bf16)
emulated  := $(patsubst simd/studies/%.c,$(BUILD)/tests/vocabulary/emulated/%.o,$(wildcard simd/studies/*_half*.c))
isa_of     = $(patsubst emulated,avx512,$(word 1,$(subst _, ,$1)))
format_of  = $(word 2,$(subst _, ,$1))
rounded_cc = $(vocabulary_cc) $(isa.$(call isa_of,$1)) \
             $(if $(findstring emulated,$1),-include tests/vocabulary/avx512fp16.h -Isimd/vocabulary/avx512fp16) \
             $(call includes,$(call isa_of,$1),f32)
$(rounded): $(BUILD)/tests/vocabulary/%.o: tests/vocabulary/rounded.c Makefile scripts/tests.mk
	@mkdir -p $(@D)
	@$(call rounded_cc,$*) -Itests -DISA=$(call isa_of,$*) -DFORMAT=$(call format_of,$*) \
	    -DVOCABULARY=rounded_$* -MMD -MP -c $< -o $@
$(emulated): $(BUILD)/tests/vocabulary/emulated/%.o: simd/studies/%.c Makefile scripts/tests.mk
	@mkdir -p $(@D)
	@$(call rounded_cc,emulated_fp16) -DKERNEL=emulated_$* -MMD -MP -c $< -o $@
$(BUILD)/tests/test_rounded: $(rounded) $(emulated)

# The correctly rounded kernels of rows once more, counting (tests/correct_count.h).
counted := $(patsubst %,$(BUILD)/tests/counted/%.o,softmax logsumexp moments layernorm rmsnorm)
$(counted): $(BUILD)/tests/counted/%.o: simd/correct/%_correct.c Makefile scripts/tests.mk
	@mkdir -p $(@D)
	@$(vocabulary_cc) $(isa.avx2) -include tests/correct_count.h $(call includes,avx2,f32) -DKERNEL=counted_$* \
	    -MMD -MP -c $< -o $@
$(BUILD)/tests/test_correct_rows: $(counted)

# Tests of libulp link it beside the lab's variants.
lib_tests := $(BUILD)/tests/test_lib $(BUILD)/tests/test_lib_calls
$(lib_tests): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/tests/library.o $(lib)/libulp_omp.a $(BUILD)/libtest.a \
              $(LAB)/liblab.a $(kernels_of_tests)
	@$(LAB_CC) $(strict) $(with_kernels) $^ $(LAB)/liblab.a $(lab_libs) -lcmocka -o $@

# All is installed where tests may use it, and libulp staged as for a package.
# install_to GOAL,DESTDIR,PREFIX,LIBDIR
install_to = $(if $(counts),:,$(MAKE) --no-print-directory $1 progress= DESTDIR='$2' PREFIX='$3' LIBDIR='$3/$4' >/dev/null)
installed-lib: lib $(BUILD)/ulplab litmuses
	@+$(call install_to,install,,$(abspath $(BUILD))/tests/prefix,lib)
	@+$(call install_to,install-lib,$(abspath $(BUILD))/tests/stage,/opt/ulp,lib64)

# ---- Objects and programs for tests --------------------------------------------------------------
# Fake libraries for test_peers, which are loaded and never linked.
fakes := $(patsubst %,$(BUILD)/tests/peers/%.so,good crash dear foreign abort empty)
$(fakes): $(BUILD)/tests/peers/%.so: tests/peers/fake.c include/peer.h include/kernel.h
	@mkdir -p $(@D)
	@$(LAB_CC) -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Iinclude -shared -fPIC -DFAKE_$(shell echo $* | tr a-z A-Z) $< -o $@
$(BUILD)/tests/test_peers: | $(fakes) $(BUILD)/ulplab
# program_of FOLDER,POLICIES,KERNELS: builds a program in $(BUILD)/FOLDER, which shares the lab's
# objects; KERNELS are settings that choose its kernels.
program_of = $(if $(counts),:,$(MAKE) --no-print-directory $(BUILD)/$1/ulplab BUILD=$(BUILD)/$1 LAB=$(BUILD) ISAS=avx2 POLICIES='$2' \
    STORED_POLICIES= CCS='$(CCS)' $3 progress= 2>$(BUILD)/$1.log || { cat $(BUILD)/$1.log >&2; false; })
# users_kernels FILES: settings that choose these users' kernels, beside one of the lab
users_kernels = kernel_sources='simd/moments/moments_twopass.c $1' KERNELS='$1'
# Kernels that crash, hang or give wrong results: the lab must survive them, and edges must find
# them.
faults: $(BUILD)/ulplab $(BUILD)/edges
	@+$(call program_of,faults,off,$(call users_kernels,$(sort $(wildcard tests/fixtures/*.c))))
	@$(call link_edges,$(BUILD)/faults/kernels.o,$(BUILD)/faults/edges)
# Users' kernels: the examples, and one for each possible mistake; two with one id make a program
# that refuses to run.
own: $(BUILD)/ulplab $(BUILD)/tests/libshared.so $(BUILD)/tests/libarchived.a
	@+$(call program_of,twins,off,$(call users_kernels,$(sort $(wildcard tests/twins/*.c))))
	@+$(call program_of,own,off fast,$(call users_kernels,$(sort $(wildcard scripts/examples/*.c tests/own/*.c tests/own/*.cc))) \
	    link.moments_linked='-L$(abspath $(BUILD))/tests -lshared -larchived')
# The libraries that tests/own/moments_linked.c links, made from the same file.
$(BUILD)/tests/libshared.so: tests/own/moments_linked.c
	@mkdir -p $(@D)
	@$(LAB_CC) -Iinclude -O2 -DLIBRARY=shared_mean -shared -fPIC $< -o $@
$(BUILD)/tests/libarchived.a: tests/own/moments_linked.c
	@mkdir -p $(@D)
	@$(LAB_CC) -Iinclude -O2 -DLIBRARY=archived_mean -c $< -o $(@:.a=.o) && ar rcs $@ $(@:.a=.o)
# A build whose kernel of the same name is slower.
duel: $(BUILD)/ulplab
	@+$(call program_of,duel,off,kernel_folders='tests/duel' kernel_sources=tests/duel/moments_twopass.c)
# Kernels slowed by a known amount, and the program that reads their samples, for scripts/aa.
.PHONY: aa-program
aa-program: $(BUILD)/ulplab
	@+$(call program_of,aa-program,off,$(call users_kernels,$(sort $(wildcard tests/aa/steps*.c))))
$(BUILD)/aa: $(BUILD)/tests/aa/main.o $(BUILD)/tests/aa/processes.o $(BUILD)/libtest.a $(LAB)/liblab.a $(BUILD)/kernels.o
	@$(LAB_CC) $(strict) $^ $(LAB)/liblab.a $(lab_libs) -o $@
$(BUILD)/stack-probe: $(BUILD)/tests/aa/stack.o $(LAB)/liblab.a
	@$(LAB_CC) $(strict) $^ $(lab_libs) -o $@
$(BUILD)/neighbour: $(BUILD)/tests/aa/neighbour.o $(LAB)/liblab.a
	@$(LAB_CC) $(strict) $^ $(lab_libs) -o $@
