# SPDX-License-Identifier: MIT
# Chooses which of all objects a build makes, by its purpose. Sets here_isas, and for
# scripts/kernels.mk the objects of `make run`: `measured`, those that it measures, and `support`,
# those that suite 1, the case studies and codegen need besides.
#
# SCOPE=all    everything (make, make all, and goals that are named directly)
# SCOPE=here   everything that this CPU can run (make test, certify, edges, campaign)
# SCOPE=elsewhere  of the ISAs that it lacks, each kernel in fp32 under the first policy, which shows
#              that its text is right for them (.ci/run)
# SCOPE=usual  what `make run` measures and needs, for every x86-64 CPU (packages: debian/rules)
# SCOPE=asked  what runs have asked for so far, in $(BUILD)/asked.list (make run)
# Several may be named.
SCOPE ?= all
asked_list := $(BUILD)/asked.list

# An ISA can run here if the CPU has all features that its flags name.
cpu_flags := $(subst sse42,sse4.2,$(subst _,,$(shell grep -m1 '^flags' /proc/cpuinfo)))
needed_by  = $(patsubst -m%,%,$(filter-out -mtune=%,$(filter -m%,$(isa.$1))))
here_isas := $(if $(filter usual,$(SCOPE)),$(filter-out $(named_isas),$(ISAS)),$(foreach i,$(ISAS),$(if $(filter-out $(cpu_flags),$(call needed_by,$i)),,$i)))

# Axes that are set on the command line are measured completely.
named    = $(filter command override environment,$(firstword $(origin $1)))
run_ccs := $(or $(if $(call named,CCS),,$(filter $(patsubst usual:%,%,$(compilers_here)),$(CCS))),$(CCS))

run_isas := $(if $(call named,ISAS),$(here_isas),$(filter-out $(run_but),$(here_isas)))

# The kernels of doubles that a run measures, of run_ops' operations, under these policies: what they cost, and
# whether contraction pays in double, too. What calls a library is measured as the first compiler makes it under `off`:
# all of double may take 40 s of a run.
run_f64           ?= %_plain.f64 %_twopass.f64 %_cascade.f64
run_f64_libraries ?= %_glibc.f64 %_libmvec.f64 %_sleef.f64
run_f64_under     ?= off fast
op_of          = $(firstword $(subst _, ,$1))
user_kernels  := $(filter $(foreach k,$(basename $(notdir $(KERNELS))),$k $k.%),$(kernel_names) $(stored_names))
run_kernels   := $(user_kernels) $(foreach k,$(filter-out probe,$(kernel_names)),\
                     $(if $(needs.$k)$(filter $(run_not),$k),,$(if $(filter $(call op_of,$k),$(run_ops)),$k))) \
                 $(foreach k,$(filter $(run_f64) $(run_f64_libraries),$(stored_names)),$(if $(filter $(call op_of,$k),$(run_ops)),$k))
run_kernels.scalar := $(user_kernels) $(filter $(run_scalar),$(run_kernels))
# The kernels of suite 1, by file, and those that case studies name in a line `// kernels:`.
suite_kernels := $(shell sed -n 's|.*"\([a-z0-9]*\)/\([a-z0-9]*\)",|\1_\2|p' src/model/suite.c)
case_kernels  := $(filter $(shell sed -n 's|^// kernels: ||p' $(run_cases:%=src/cases/%.c)),\
                     $(kernel_names) $(stored_names))

# The kernels to measure in a regime, evaluated while its rules are generated.
first_policy  := $(firstword $(filter off,$(POLICIES)) $(POLICIES))
is_run         = $(and $(filter $(cc),$(run_ccs)),$(filter $(isa),$(run_isas)))
measured_here  = $(if $(is_run),$(foreach k,$(or $(run_kernels.$(isa)),$(run_kernels)),\
                     $(if $(explicit.$k),$(if $(filter $(first_policy),$(policy)),$k),\
                     $(if $(filter $(run_f64_libraries),$k),$(if $(filter $(first_policy),$(policy)),$(if $(filter $(cc),$(firstword $(run_ccs))),$k)),\
                     $(if $(filter %.f64,$k),$(if $(filter $(run_f64_under),$(policy)),$k),$k)))))
runnable_here  = $(if $(filter $(isa),$(here_isas)),$(kernel_names) $(stored_names))
elsewhere_here = $(if $(filter $(isa),$(here_isas)),,$(and $(filter $(cc),$(run_ccs)),$(filter $(first_policy),$(policy)),\
                     $(kernel_names)))
support_here   = $(if $(is_run),probe $(case_kernels) $(if $(filter off,$(policy)),$(suite_kernels)))

# The objects that are asked for, now and by earlier builds: a build never removes objects.
asked    := $(file <$(asked_list)) $(filter-out asked,$(SCOPE))
objects   = $(if $(filter all,$(asked)),$(whole),$(filter $(asked) $(if $(filter here,$(asked)),$(runnable)) \
                $(if $(filter elsewhere,$(asked)),$(elsewhere)) $(if $(filter usual,$(asked)),$(measured) $(support)),$(whole)))
keep_asked = $(call keep,$(asked_list),$(sort $(asked)))
$(if $(filter-out all here elsewhere usual asked,$(SCOPE)),$(error SCOPE=$(SCOPE): want all, here, elsewhere, usual or asked))
