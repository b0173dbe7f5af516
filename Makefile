# ulplab: every kernel in simd/ is compiled once per {compiler x ISA x policy}; the lab in src/
# and its tests once, strictly. A folder is a flag regime.
#
#   make run     set up what is missing, build, measure this CPU, print where the report is
#   make certify  hold the oracle against MPFR
#   make test    set up, build, run every test             (SAN=1: under ASan and UBSan)
#   make         build only
#   make peers   install and build what the lab compares itself with (oneDNN, XNNPACK, PyTorch)
#
# The axes can be chosen on the command line, and extended:
#   make CCS="gcc-12 clang-19" POLICIES="off fast mine" policy.mine="-ffp-contract=fast"
#   make KERNELS=/path/to/softmax_mine.c

MAKEFLAGS += --no-builtin-rules
# A make within a make shares the outer one's jobs.
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:

# ---- The axes -------------------------------------------------------------------------------
CCS      ?= $(shell scripts/compilers)
ISAS     ?= scalar avx2 avx512 avx512vbmi avx512fp16
POLICIES ?= off on fast default reassoc fastmath
KERNELS  ?=

OPTIMISE ?= -O3
# Where a link puts a function, and so its loops, is no variant's merit: layernorm 8x512 took 4.3 or 6.0 cycles
# per 16 elements in AVX2 (gcc-12), 2x2048 5.6 or 7.1, by what stood in front of it.
place    := -falign-functions=64 -falign-loops=64
common   := -std=gnu11 -Wall -Wextra -frecord-gcc-switches $(place) -Iinclude

isa.scalar := -mfma -mtune=generic -fno-tree-vectorize -fno-tree-slp-vectorize
isa.avx2   := -mavx2 -mfma -mf16c -mtune=generic
isa.avx512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c -mtune=generic
isa.avx512vbmi := -mavx512vbmi $(isa.avx512)
isa.avx512fp16 := -mavx512fp16 $(isa.avx512)

policy.off      := -ffp-contract=off
policy.on       := -ffp-contract=on
policy.fast     := -ffp-contract=fast
policy.default  :=
policy.reassoc  := -fassociative-math -fno-signed-zeros -fno-trapping-math -ffp-contract=off
policy.fastmath := -ffast-math
policy.O2       := -ffp-contract=off -O2

# What a kernel restricts stands in its own file (scripts/restrictions). These ISAs are worth their
# objects for the kernels that name them there, and for no other.
named_isas := avx512vbmi avx512fp16
# Kernels whose x and y are stored in other types as well: the same sources with another storage.h
# (simd/storage/TYPE). Arithmetic is fp32 all the same, and so is what a policy changes in it: two
# policies tell.
STORED_POLICIES ?= off fast

# ---- Where things go ------------------------------------------------------------------------
SAN ?=
ifneq ($(SAN),)
# One compiler (its runtime is linked), one policy: this build looks for bugs, not for figures.
BUILD    ?= build-san
CCS      := $(firstword $(filter gcc%,$(CCS)) gcc)
POLICIES := off
sanitize := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
BUILD    ?= build
endif

# Where the lab's own objects are; a build of other kernels can share another's (see faults).
LAB     ?= $(BUILD)
LAB_CC  ?= gcc
strict  := -std=c11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wconversion -Wno-sign-conversion \
           -ffp-contract=off -mno-fma -fopenmp -Iinclude -Isrc -include src/base/strict.h $(sanitize)
lab_libs = -lsleef -ljansson -lhwloc -lZydis -lm -ldl

kernel_folders := simd simd/invariant
kernel_sources := $(filter-out simd/probe.c,$(sort $(wildcard $(kernel_folders:%=%/*.c)))) $(KERNELS)
kernel_names   := $(basename $(notdir $(kernel_sources) simd/probe.c))
vpath %.c $(kernel_folders) $(sort $(dir $(KERNELS)))
$(foreach k,$(KERNELS),$(if $(wildcard $k),,$(error KERNELS: no file $k; name .c files)))
# A kernel from elsewhere may bring a reference with it: the same file once more, strictly.
reference_names := $(basename $(notdir $(if $(KERNELS),$(shell grep -lw REFERENCE $(KERNELS)))))
references      := $(reference_names:%=$(BUILD)/reference/%.o)
reference_flags := $(LAB_CC) -std=gnu11 -O2 -g -Wall -Wextra -ffp-contract=off -mno-fma -Iinclude \
                   -include src/base/strict.h $(sanitize)

own     := $(notdir $(filter-out simd/%,$(KERNELS)))
bad     := $(if $(own),$(shell printf '%s\n' $(own) | grep -vxE '[A-Za-z0-9_-]+[.]c'))
clash   := $(filter $(own),$(notdir $(wildcard $(kernel_folders:%=%/*.c)))) $(if $(filter $(words $(own)),$(words \
           $(sort $(own)))),,$(own))
$(if $(bad),$(error KERNELS: $(bad): want a name of letters, digits, _ and - that ends in .c))
$(if $(strip $(clash)),$(error KERNELS: $(strip $(clash)): a kernel file of that name is there \
    already; rename yours))

lab_sources  := $(filter-out src/build/registry.c,$(sort $(wildcard src/*/*.c src/*/*/*.c)))
lab_assembly := $(sort $(wildcard src/*/*.S src/*/*/*.S))
lab_objects  := $(lab_sources:%.c=$(LAB)/%.o) $(lab_assembly:%.S=$(LAB)/%.o) $(LAB)/cases.o
# A case study is one file src/cases/NAME.c; what is named case* there is what they stand on.
case_names   := $(basename $(notdir $(sort $(filter-out src/cases/case%,$(wildcard src/cases/*.c)))))
tool_sources := $(sort $(wildcard src/build/*.c)) src/base/error.c
test_sources := $(sort $(wildcard tests/test_*.c))
tests        := $(test_sources:tests/%.c=$(BUILD)/tests/%)
test_helpers := $(filter-out $(test_sources),$(sort $(wildcard tests/*.c)))

all: $(BUILD)/ulplab litmuses

# ---- What each kernel's file says of how to build it (scripts/restrictions) --------------------
stored_types := $(filter-out f32,$(notdir $(patsubst %/,%,$(wildcard simd/storage/*/))))
of_axis = $(patsubst $1.%,%,$(filter $1.%,$(.VARIABLES)))
said := $(shell scripts/restrictions '$(call of_axis,isa)' '$(call of_axis,policy)' '$(stored_types)' $(kernel_sources))
$(if $(filter error,$(firstword $(said))),$(error $(wordlist 2,$(words $(said)),$(said))))
comma := ,
$(foreach word,$(said),$(eval $(subst $(comma), ,$(word))))
$(foreach k,$(kernel_names),$(eval isas_of.$k := $(or $(isas.$k),$(filter-out $(named_isas),$(ISAS)))) \
    $(eval policies_of.$k := $(or $(policies.$k),$(POLICIES))))
isas_of.probe := $(ISAS)
stored_names := $(foreach k,$(kernel_names),$(addprefix $k.,$(stored.$k)))
# $1 kernel, $2 type
define stored_of
isas_of.$1.$2     := $(isas_of.$1)
policies_of.$1.$2 := $(filter $(policies_of.$1),$(filter $(or $(stored_policies.$1),$(STORED_POLICIES)),$(STORED_POLICIES)))

endef
$(eval $(foreach k,$(kernel_names),$(foreach t,$(stored.$k),$(call stored_of,$k,$t))))

# ---- Kernels: one rule per flag regime ------------------------------------------------------
# A file that changes only when its content would: what depends on it depends on that text.
keep = $(shell mkdir -p $(dir $1))$(if $(and $(wildcard $1),$(findstring \
       xx$(strip $2)xx,xx$(strip $(file <$1))xx)),,$(file >$1,$(strip $2)))
name = $(subst /,_,$(subst +,x,$1))
symbol = $(subst .,_,$(subst -,_,$(call name,$1)))

# The vocabulary is half of a small kernel's compile time: precompiled once per regime. The lab's
# own kernels all include it; a kernel from elsewhere is compiled as it stands.
pch.gcc   = -include $1/pre.h
pch.clang = -include-pch $1/pre.h.gch
family = $(if $(findstring clang,$1),clang,gcc)

# $1 compiler, $2 ISA, $3 policy, $4 folder of its objects
define regime
$(call keep,$4/flags,$1 $(common) $(OPTIMISE) $(isa.$2) $(policy.$3) \
  -Isimd/$2 -Isimd $(sanitize) # $(call version,$1))
$(call keep,$4/pre.h,#include "vec.h")
$4/pre.h.gch: $4/pre.h $4/flags simd/$2/vec.h
	@$1 $(common) $(OPTIMISE) $(isa.$2) $(policy.$3) -Isimd/$2 -Isimd $(sanitize) -x c-header $$< -o $$@ \
	    -MMD -MP -MF $$@.d -MT $$@ || : >$$@ # the kernels that need it say why
$(call stored_as,f32,,$1,$2,$3,$4)
$(foreach t,$(stored_types),$(call stored_as,$t,.$t,$1,$2,$3,$4))
objects += $(foreach k,$(kernel_names) $(stored_names),$(if $(call wanted,$k,$2,$3),$4/$k.o))
endef
# $1 kernel, $2 ISA, $3 policy
wanted = $(and $(filter $2,$(isas_of.$1)),$(filter $3,$(policies_of.$1)))
# $1 dtype, $2 what it adds to an object's name (softmax_online.o, softmax_online.bf16.o); then as above
define stored_as
$(foreach d,$(kernel_folders),$(call stored_from,$d,$1,$2,$3,$4,$5,$6))
$6/%$2.o: %.c $6/flags
	@scripts/compile-kernel $$@ $$< '$3 $(common) $(OPTIMISE) $(isa.$4) $(policy.$5) -Isimd/$4 -Isimd/storage/$1 -Isimd $(sanitize)' \
	    -DKERNEL=kernel_$(call symbol,$3_$4_$5$2)_$$(subst -,_,$$*)

endef
# The folder first, then as above.
define stored_from
$7/%$3.o: $1/%.c $7/flags $7/pre.h.gch
	@scripts/compile-kernel $$@ $$< '$4 $(common) $(OPTIMISE) $(isa.$5) $(policy.$6) -Isimd/$5 -Isimd/storage/$2 -Isimd $(sanitize) \
	    $(call pch.$(call family,$4),$7)' -DKERNEL=kernel_$(call symbol,$4_$5_$6$3)_$$(subst -,_,$$*)

endef
version = $(or $(version.$1),$(eval version.$1 := $(shell $1 -dumpfullversion 2>/dev/null || $1 -dumpversion))$(version.$1))

$(foreach p,$(POLICIES),$(if $(filter undefined,$(origin policy.$p)),\
    $(error policy '$p' is unknown; name its flags: make policy.$p="-f...")))
$(foreach i,$(ISAS),$(if $(isa.$i),,$(error ISA '$i' is unknown; known: scalar avx2 avx512 avx512vbmi avx512fp16)))
$(foreach c,$(CCS),$(foreach i,$(ISAS),$(foreach p,$(POLICIES),$(eval $(call regime,$c,$i,$p,$(BUILD)/obj/$(call name,$c)/$i/$p)))))

$(call keep,$(BUILD)/objects.list,$(objects))
$(call keep,$(BUILD)/restricted.list,$(foreach k,$(kernel_names),$(if $(isas.$k)$(policies.$k),$k)) \
    $(addprefix isa.,$(filter $(named_isas),$(ISAS))))
$(call keep,$(BUILD)/references.list,$(references))
$(BUILD)/reference/%.o: %.c include/kernel_reference.h Makefile
	@scripts/compile-kernel $@ $< '$(reference_flags)' \
	    -DREFERENCE=reference_$$(printf %s '$*' | tr - _)
$(call keep,$(BUILD)/compilers.list,$(foreach c,$(CCS),$(call name,$c)=$(call version,$c)))
# .commit: what git archive wrote into a tarball.
commit := $(or $(if $(wildcard .git),$(shell git describe --always --dirty --abbrev=12 2>/dev/null)),\
          $(filter-out %$$,$(file <.commit)),unknown)
$(call keep,$(BUILD)/commit,$(commit))

# ---- The lab, strictly; and what the build learnt of the variants ---------------------------
$(LAB)/src/oracle/%.o: oracle_isa := -O3 -mavx2
$(LAB)/src/oracle/unary_avx2.o: oracle_isa := -O3 -mavx2 -mfma -DFMA_AS_WRITTEN
$(LAB)/src/oracle/unary_avx512.o: oracle_isa := -O3 -mavx512f -mavx512dq -mavx512vl -mfma -DFMA_AS_WRITTEN
$(LAB)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@$(LAB_CC) $(strict) $(oracle_isa) -MMD -MP -c $< -o $@
# The table of case studies, for src/cases/case.c.
cases_c = extern const struct case_study $(foreach c,$(case_names),case_$c,) case_none; \
    const struct case_study *const case_studies[] = {$(foreach c,$(case_names),&case_$c,) 0};
$(call keep,$(LAB)/cases.c,$(cases_c))
$(LAB)/cases.o: $(LAB)/cases.c
	@$(LAB_CC) $(strict) -c $< -o $@
# Assembly has no flag regime: it is what it says.
$(LAB)/%.o: %.S Makefile
	@mkdir -p $(@D)
	@$(LAB_CC) -c $< -o $@
$(LAB)/src/publish/site/assets.o: $(wildcard src/publish/site/assets/*)

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

# No policy flag ever reaches a link line: -ffast-math there sets FTZ and DAZ for the process.
$(LAB)/liblab.a: $(lab_objects)
	@rm -f $@; ar rcs $@ $^
$(BUILD)/ulplab: $(LAB)/src/main.o $(LAB)/liblab.a $(BUILD)/kernels.o
	@$(LAB_CC) $(strict) $^ $(LAB)/liblab.a $(lab_libs) -o $@
	@echo "built $@: $(words $(kernel_names)) kernels x {$(CCS)} x {$(ISAS)} x {$(POLICIES)}"
$(BUILD)/libtest.a: $(test_helpers:%.c=$(BUILD)/%.o)
	@rm -f $@; ar rcs $@ $^
$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/libtest.a $(LAB)/liblab.a $(BUILD)/kernels.o
	@$(LAB_CC) $(strict) $^ $(LAB)/liblab.a $(lab_libs) -lcmocka -lmpfr -lgmp -o $@
# The oracle's certificate needs MPFR, which the lab does not.
$(BUILD)/certify: $(BUILD)/tests/certify/main.o $(BUILD)/libtest.a $(LAB)/liblab.a $(BUILD)/kernels.o
	@$(LAB_CC) $(strict) $^ $(LAB)/liblab.a $(lab_libs) -lmpfr -lgmp -o $@
# 16-bit vocabularies: ISA_FORMAT. `emulated` is the text of simd/avx512fp16, which few machines can
# run, over that ISA's instructions emulated; so are the kernels in emulated/.
rounded   := $(patsubst %,$(BUILD)/tests/vocabulary/%.o,avx2_fp16 avx512_fp16 emulated_fp16 avx2_bf16 avx512_bf16)
emulated  := $(patsubst simd/%.c,$(BUILD)/tests/vocabulary/emulated/%.o,$(wildcard simd/*_half*.c))
isa_of     = $(patsubst emulated,avx512,$(word 1,$(subst _, ,$1)))
format_of  = $(word 2,$(subst _, ,$1))
rounded_cc = $(LAB_CC) $(common) $(OPTIMISE) $(policy.off) $(sanitize) $(isa.$(call isa_of,$1)) \
             $(if $(findstring emulated,$1),-include tests/vocabulary/avx512fp16.h -Isimd/avx512fp16) \
             -Isimd/$(call isa_of,$1) -Isimd
$(rounded): $(BUILD)/tests/vocabulary/%.o: tests/vocabulary/rounded.c Makefile
	@mkdir -p $(@D)
	@$(call rounded_cc,$*) -Itests -DISA=$(call isa_of,$*) -DFORMAT=$(call format_of,$*) -DVOCABULARY=rounded_$* \
	    -MMD -MP -c $< -o $@
$(emulated): $(BUILD)/tests/vocabulary/emulated/%.o: simd/%.c Makefile
	@mkdir -p $(@D)
	@$(call rounded_cc,emulated_fp16) -DKERNEL=emulated_$* -MMD -MP -c $< -o $@
$(BUILD)/tests/test_rounded: $(rounded) $(emulated)
# The vocabulary op by op: a table per ISA, compiled as a kernel under `off` is.
vocabularies := $(patsubst %,$(BUILD)/tests/vocabulary/%.o,scalar avx2 avx512)
$(vocabularies): $(BUILD)/tests/vocabulary/%.o: tests/vocabulary/lanes.c Makefile
	@mkdir -p $(@D)
	@$(LAB_CC) $(common) $(OPTIMISE) $(isa.$*) $(policy.off) -Isimd/$* -Itests $(sanitize) \
	    -DISA=$* -DVOCABULARY=vocabulary_$* -MMD -MP -c $< -o $@
$(BUILD)/tests/test_vocabulary: $(vocabularies)
# Libraries that are none, for test_peers: never linked, only loaded.
fakes := $(patsubst %,$(BUILD)/tests/peers/%.so,good crash foreign abort empty)
$(fakes): $(BUILD)/tests/peers/%.so: tests/peers/fake.c include/peer.h include/kernel.h
	@mkdir -p $(@D)
	@$(LAB_CC) -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Iinclude -shared -fPIC -DFAKE_$(shell echo $* | tr a-z A-Z) $< -o $@
$(BUILD)/tests/test_peers: | $(fakes) $(BUILD)/ulplab

# ---- Litmus objects: no kernels, but what case studies load to see what a flag does -----------
# Beside each .so stands its .o, for the disassembler. A flag that a compiler refuses leaves an
# empty object, and the case says so.
litmus.gnu11  := -std=gnu11
litmus.c11    := -std=c11
litmus.znver3 := -std=gnu11 -mtune=znver3
litmus_flags  := -O3 -mavx2 -mfma -mtune=generic -fno-tree-vectorize -fno-tree-slp-vectorize -fPIC
# $1 compiler, $2 its folder
define litmus
$2/dot-%.o: litmus/dot.c Makefile
	@mkdir -p $$(@D)
	@$1 $(litmus_flags) $$(litmus.$$*) -c $$< -o $$@ 2>$$@.log || : >$$@
$2/dot-%.so: $2/dot-%.o
	@if [ -s $$< ]; then $1 -shared $$< -o $$@; else : >$$@; fi
$2/linked-strict.so: litmus/empty.c Makefile
	@mkdir -p $$(@D)
	@$1 -fPIC -shared $$< -o $$@
$2/linked-fastmath.so: litmus/empty.c Makefile
	@mkdir -p $$(@D)
	@$1 -fPIC -c $$< -o $$(@:.so=.o)
	@$1 -shared -ffast-math $$(@:.so=.o) -o $$@
litmus_objects += $(foreach f,gnu11 c11 znver3,$2/dot-$f.so) $2/linked-strict.so $2/linked-fastmath.so
endef
$(foreach c,$(CCS),$(eval $(call litmus,$c,$(BUILD)/litmus/$(call name,$c))))
.PHONY: litmuses
litmuses: $(litmus_objects)
# Likewise how 16-bit types are stored.
define stored_vocabulary
$(BUILD)/tests/vocabulary/$1.$2.o: tests/vocabulary/stored.c Makefile
	@mkdir -p $$(@D)
	@$(LAB_CC) $(common) $(OPTIMISE) $(isa.$1) $(policy.off) -Isimd/$1 -Isimd/storage/$2 -Isimd -Itests $(sanitize) \
	    -DISA=$1 -DSTORAGE=storage_$1_$2 -MMD -MP -c $$< -o $$@
$(BUILD)/tests/test_storage: $(BUILD)/tests/vocabulary/$1.$2.o

endef
$(foreach i,scalar avx2 avx512,$(foreach t,$(stored_types),$(eval $(call stored_vocabulary,$i,$t))))

# ---- What people type -----------------------------------------------------------------------
.PHONY: all setup peers run certify test built-tests faults own install uninstall dist clean format format-check cppcheck shellcheck help
setup:
	@scripts/setup
# Never built by anything else: the lab works without them, and says what it misses.
peers:
	@BUILD=$(BUILD) scripts/peers
# Everything after the set-up runs in a make of its own: what it installs is looked for anew.
run: setup
	@$(MAKE) --no-print-directory all
	@$(BUILD)/ulplab run $(RUN)
# The oracle against MPFR: certificate.jsonl beside the results, for their next report.
certify: setup
	@$(MAKE) --no-print-directory $(BUILD)/certify
	@$(BUILD)/certify $(CERTIFY)
test: setup
	@$(MAKE) --no-print-directory all built-tests
	@BUILD=$(BUILD) scripts/test
built-tests: $(tests) $(BUILD)/certify $(if $(SAN),,faults own)
# Kernels that crash, hang and lie, in a program of their own: the lab has to survive them.
faulty := simd/moments_twopass.c $(sort $(wildcard tests/fixtures/*.c))
faults: $(BUILD)/ulplab
	@$(MAKE) --no-print-directory all BUILD=$(BUILD)/faults LAB=$(BUILD) ISAS=avx2 POLICIES=off STORED_POLICIES= \
	    CCS='$(CCS)' kernel_sources='$(faulty)' KERNELS='$(faulty)' 2>$(BUILD)/faults.log || \
	    { cat $(BUILD)/faults.log >&2; false; }
# Kernels from elsewhere: the examples, and one for each mistake that can be made.
own_files := $(sort $(wildcard scripts/examples/*.c tests/own/*.c))
own: $(BUILD)/ulplab
	@$(MAKE) --no-print-directory all BUILD=$(BUILD)/own LAB=$(BUILD) ISAS=avx2 STORED_POLICIES= \
	    POLICIES='off fast' CCS='$(CCS)' kernel_sources='simd/moments_twopass.c $(own_files)' \
	    KERNELS='$(own_files)' 2>$(BUILD)/own.log || { cat $(BUILD)/own.log >&2; false; }
# ---- Where others find it -------------------------------------------------------------------
# The manual and the completion are printed by the program itself, from the tables of --help.
PREFIX  ?= /usr/local
DESTDIR ?=
manual  := share/man/man1/ulplab.1
bash    := share/bash-completion/completions/ulplab
zsh     := share/zsh/site-functions/_ulplab
install: all
	install -D -m 755 $(BUILD)/ulplab '$(DESTDIR)$(PREFIX)/bin/ulplab'
	@if [ -d $(BUILD)/litmus ]; then mkdir -p '$(DESTDIR)$(PREFIX)/lib/ulplab' && \
	    cp -r $(BUILD)/litmus '$(DESTDIR)$(PREFIX)/lib/ulplab/'; fi
	@mkdir -p $(foreach f,$(manual) $(bash) $(zsh),'$(dir $(DESTDIR)$(PREFIX)/$f)')
	$(BUILD)/ulplab --man >'$(DESTDIR)$(PREFIX)/$(manual)'
	$(BUILD)/ulplab --completion bash >'$(DESTDIR)$(PREFIX)/$(bash)'
	$(BUILD)/ulplab --completion zsh >'$(DESTDIR)$(PREFIX)/$(zsh)'
uninstall:
	rm -rf '$(DESTDIR)$(PREFIX)/lib/ulplab'
	rm -f $(foreach f,bin/ulplab $(manual) $(bash) $(zsh),'$(DESTDIR)$(PREFIX)/$f')
# What git has of this commit, with its hash in .commit: builds and tests without git.
release := $(shell sed -n 's/^static const char version\[\] = "\(.*\)";/\1/p' src/build/registry.c)
DIST    ?= .
dist:
	git archive --format=tar.gz --prefix=ulplab-$(release)/ -o '$(DIST)/ulplab-$(release).tar.gz' HEAD

c_files = $(shell git ls-files 'src/*.[ch]' 'tests/*.[ch]' 'include/*.h')
format:
	clang-format -i $(c_files)
format-check:
	@clang-format --dry-run --Werror $(c_files)
cppcheck:
	@cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
	    --inline-suppr --suppress=missingIncludeSystem -D__STDC_IEC_559__ -Iinclude -Isrc \
	    '-Djson_array_foreach(a,i,v)=while((v=json_array_get(a,i=0)))' \
	    '-Djson_object_foreach(o,k,v)=while((v=json_object_get(o,k="")))' src
shellcheck:
	@shellcheck -S warning scripts/setup scripts/peers scripts/test scripts/compilers scripts/compile-kernel scripts/screenshot scripts/test-html .ci/run
clean:
	rm -rf build build-san
help:
	@sed -n 's/^# \{0,1\}//p;/^$$/q' Makefile

# They come with the objects and are never made for their own sake.
%.d: ;
-include $(shell find $(BUILD) $(LAB) -name '*.d' 2>/dev/null)
