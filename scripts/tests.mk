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
# Tests of libulp link it beside the lab's variants.
$(BUILD)/tests/test_lib $(BUILD)/tests/test_lib_calls: $(BUILD)/tests/library.o $(lib)/libulp_omp.a

# ---- Other programs, each of the files in a folder of tests/ -------------------------------------
parts_of = $(patsubst %.c,$(BUILD)/%.o,$(filter-out %/libfuzzer.c %/shim.c,$(sort $(wildcard tests/$1/*.c))))
programs := $(addprefix $(BUILD)/,certify campaign edges fuzzer aa stack-probe neighbour)
$(BUILD)/certify: $(call parts_of,certify) $(BUILD)/libtest.a $(BUILD)/kernels.o
$(BUILD)/certify: libraries := -lmpfr -lgmp
$(BUILD)/campaign: $(call parts_of,campaign)
$(BUILD)/edges: $(call parts_of,edges) $(BUILD)/libtest.a $(BUILD)/kernels.o
$(BUILD)/fuzzer: $(call parts_of,fuzz) $(BUILD)/tests/fuzz/libfuzzer.o $(BUILD)/kernels.o
$(BUILD)/fuzzer: libraries := -fsanitize=fuzzer
$(BUILD)/aa: $(BUILD)/tests/aa/main.o $(BUILD)/tests/aa/processes.o $(BUILD)/libtest.a $(BUILD)/kernels.o
$(BUILD)/stack-probe: $(BUILD)/tests/aa/stack.o
$(BUILD)/neighbour: $(BUILD)/tests/aa/neighbour.o
$(programs): $(LAB)/liblab.a
	@$(LAB_CC) $(strict) $(filter %.o,$^) $(filter %/libtest.a,$^) $(LAB)/liblab.a $(lab_libs) $(libraries) -o $@
$(BUILD)/tests/test_fuzz: $(call parts_of,fuzz)
# The campaign lets system calls fail, and kills runs. The library that lets calls fail is
# preloaded.
$(BUILD)/shim.so: tests/campaign/shim.c scripts/tests.mk
	@mkdir -p $(@D)
	@$(LAB_CC) -std=gnu11 -O1 -g -Wall -Wextra -shared -fPIC $< -ldl -o $@

# ---- Vocabularies and kernels, compiled as under `off`, with what tests need besides --------------
# Objects are called ISA, ISA.TYPE or ISA_FORMAT.
in_tests = $(patsubst %,$(BUILD)/tests/%.o,$1)
stem     = $(subst _, ,$(subst ., ,$(*F)))
isa_of   = $(patsubst emulated,avx512,$(word 1,$(stem)))
type_of  = $(word 2,$(stem))
# simd/vocabulary/ISA/vec.h operation by operation, by one table per ISA.
vocabularies := $(call in_tests,$(addprefix vocabulary/,scalar sse avx2 avx512))
$(vocabularies): tests/vocabulary/lanes.c
$(vocabularies): more = $(call includes,$(isa_of),f32) -Itests -DISA=$(isa_of) -DVOCABULARY=vocabulary_$(isa_of)
$(BUILD)/tests/test_vocabulary: $(vocabularies)
# How 16-bit types are stored: simd/vocabulary/storage/TYPE for each ISA.
stored := $(call in_tests,$(foreach t,$(filter-out $(own_types),$(stored_types)),$(patsubst %,vocabulary/%.$t,scalar avx2 avx512)))
$(stored): tests/vocabulary/stored.c
$(stored): more = $(call includes,$(isa_of),$(type_of)) -Itests -DISA=$(isa_of) -DSTORAGE=storage_$(isa_of)_$(type_of)
$(BUILD)/tests/test_storage: $(stored)
# 16-bit arithmetic. `emulated` is the text of simd/vocabulary/avx512fp16, which few machines can run, compiled over an
# emulation of that ISA's instructions; so are the kernels in emulated/.
rounded  := $(call in_tests,$(addprefix vocabulary/,avx2_fp16 avx512_fp16 emulated_fp16 avx2_bf16 avx512_bf16))
emulated := $(call in_tests,$(patsubst simd/studies/%.c,vocabulary/emulated/%,$(wildcard simd/studies/*_half*.c)))
emulate   = -include tests/vocabulary/avx512fp16.h -Isimd/vocabulary/avx512fp16
$(rounded): tests/vocabulary/rounded.c
$(rounded): more = $(if $(findstring emulated,$@),$(emulate)) $(call includes,$(isa_of),f32) -Itests -DISA=$(isa_of) \
                   -DFORMAT=$(type_of) -DVOCABULARY=rounded_$(*F)
$(emulated): $(BUILD)/tests/vocabulary/emulated/%.o: simd/studies/%.c
$(emulated): isa_of := avx512
$(emulated): more = $(emulate) $(call includes,avx512,f32) -DKERNEL=emulated_$(*F)
$(BUILD)/tests/test_rounded: $(rounded) $(emulated)
# The correctly rounded kernels of rows once more, counting (tests/correct_count.h).
counted := $(call in_tests,$(addprefix counted/,softmax logsumexp moments layernorm rmsnorm))
$(counted): $(BUILD)/tests/counted/%.o: simd/correct/%_correct.c
$(counted): isa_of := avx2
$(counted): more = -include tests/correct_count.h $(call includes,avx2,f32) -DKERNEL=counted_$(*F)
$(BUILD)/tests/test_correct_rows: $(counted)
$(vocabularies) $(stored) $(rounded) $(emulated) $(counted): $(BUILD)/tests/%.o: Makefile scripts/tests.mk
	@mkdir -p $(@D)
	@$(LAB_CC) $(common) $(OPTIMISE) $(policy.off) $(sanitize) $(isa.$(isa_of)) $(more) -MMD -MP -c $(filter %.c,$^) -o $@

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
program_of = $(if $(counts),:,$(MAKE) --no-print-directory SCOPE=here $(BUILD)/$1/ulplab BUILD=$(BUILD)/$1 LAB=$(BUILD) \
    ISAS=avx2 POLICIES='$2' STORED_POLICIES= CCS='$(CCS)' $3 progress= 2>$(BUILD)/$1.log || { cat $(BUILD)/$1.log >&2; false; })
# users_kernels FILES: settings that choose these users' kernels, beside one of the lab
users_kernels = kernel_sources='simd/moments/moments_twopass.c $1' KERNELS='$1'
# Kernels that crash, hang or give wrong results: the lab must survive them, and edges must find
# them.
faults: $(BUILD)/ulplab $(BUILD)/edges
	@+$(call program_of,faults,off,$(call users_kernels,$(sort $(wildcard tests/fixtures/*.c))))
	@$(LAB_CC) $(strict) $(call parts_of,edges) $(BUILD)/faults/kernels.o $(BUILD)/libtest.a $(LAB)/liblab.a $(lab_libs) \
	    -o $(BUILD)/faults/edges
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
