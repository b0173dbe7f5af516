# SPDX-License-Identifier: MIT
# Chooses which of all objects a build makes, by its purpose (scripts/kernels.awk does).
#
# SCOPE=all    everything (make, make all, and goals that are named directly)
# SCOPE=here   everything that this CPU can run (certify, edges, campaign)
# SCOPE=tests  of that, all under the first policy, what suite 1 and the case studies need, and by each compiler under
#              each other policy every kernel for one ISA (make test; `make test SCOPE=here` tests everything)
# SCOPE=elsewhere  of the ISAs that it lacks, each kernel in fp32 under the first policy, which shows
#              that its text is right for them (.ci/run)
# SCOPE=usual  what `make run` measures and needs, for every x86-64 CPU (packages: debian/rules)
# SCOPE=asked  what runs have asked for so far, in $(BUILD)/asked.list (make run)
# Several may be named.
SCOPE ?= all
# The objects that are asked for, now and by earlier builds: a build never removes objects.
asked_list := $(BUILD)/asked.list
asked      := $(file <$(asked_list)) $(filter-out asked,$(SCOPE))
keep_asked  = $(call keep,$(asked_list),$(sort $(asked)))

# Axes that are set on the command line are measured completely.
named    = $(filter command override environment,$(firstword $(origin $1)))
run_ccs := $(or $(if $(call named,CCS),,$(filter $(patsubst usual:%,%,$(compilers_here)),$(CCS))),$(CCS))

# The kernels of doubles that a run measures, of run_ops' operations, under these policies: what they cost, and
# whether contraction pays in double, too. What calls a library is measured as the first compiler makes it under `off`:
# all of double may take 40 s of a run.
run_f64           ?= %_plain.f64 %_twopass.f64 %_cascade.f64
run_f64_libraries ?= %_glibc.f64 %_libmvec.f64 %_sleef.f64
run_f64_under     ?= off fast

# The kernels of which tests name single variants: under SCOPE=tests, too, they are built in full.
named_by_tests := moments_twopass softmax_scaled softmax_scaledforms softmax_scaledsafe
