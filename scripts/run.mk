# SPDX-License-Identifier: MIT
# Chooses which of all objects a build makes, by its purpose (scripts/kernels.awk does).
#
# SCOPE=all    everything (make, make all, and goals that are named directly)
# SCOPE=here   everything that this CPU can run (make test, certify, edges, campaign)
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
