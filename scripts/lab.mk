# SPDX-License-Identifier: MIT
# The lab (src/), compiled once and strictly, and the program.

lab_sources  := $(filter-out src/build/registry.c src/lib/%,$(sort $(wildcard src/*/*.c src/*/*/*.c)))
lab_assembly := $(sort $(wildcard src/*/*.S src/*/*/*.S))
lab_objects  := $(lab_sources:%.c=$(LAB)/%.o) $(lab_assembly:%.S=$(LAB)/%.o) $(LAB)/cases.o

$(LAB)/src/oracle/%.o: oracle_isa := -O3 -mavx2
$(LAB)/src/oracle/unary_avx2.o $(LAB)/src/oracle/f64_functions.o $(LAB)/src/oracle/f64_rows.o: \
    oracle_isa := -O3 -mavx2 -mfma -DFMA_AS_WRITTEN
$(LAB)/src/oracle/unary_avx512.o: oracle_isa := -O3 -mavx512f -mavx512dq -mavx512vl -mfma -DFMA_AS_WRITTEN
# What they are compiled by is in a file. A build of other kernels, which shares them, takes them as they are.
$(if $(filter $(abspath $(BUILD)),$(abspath $(LAB))),\
    $(call keep,$(LAB)/flags,$(LAB_CC) $(strict) # $(call version,$(LAB_CC)) $(identity.$(LAB_CC))))
$(LAB)/flags: ;
# `try` and `flags` name these objects by their absolute path, a plain make does not: the list of what
# an object depends on is of both names.
of_lab = $(patsubst $(CURDIR)/%,%,$@)
$(LAB)/%.o: %.c $(LAB)/flags scripts/lab.mk
	@mkdir -p $(@D)
	@$(step)$(LAB_CC) $(strict) $(oracle_isa) -MMD -MP -MQ '$(of_lab)' -MQ '$(CURDIR)/$(of_lab)' -c $< -o $@
$(LAB)/%.o: %.S $(LAB)/flags scripts/lab.mk
	@mkdir -p $(@D)
	@$(LAB_AS) -c $< -o $@
$(LAB)/src/cmd/fleet_job.o: scripts/fleet/job.sh
$(LAB)/src/publish/embedded.o: $(wildcard src/publish/*/*.sql src/publish/site/assets/*) src/publish/export/schemas.txt src/publish/sections/sections.list

# The table of case studies, for src/cases/case_run.c. A case study is one file src/cases/NAME.c;
# files named case* are shared by case studies.
case_names := $(basename $(notdir $(sort $(filter-out src/cases/case%,$(wildcard src/cases/*.c)))))
cases_c     = extern const struct case_study $(foreach c,$(case_names),case_$c,) case_none; \
    const struct case_study *const case_studies[] = {$(foreach c,$(case_names),&case_$c,) 0}, \
    *const usual_cases[] = {$(foreach c,$(run_cases),&case_$c,) 0};
$(call keep,$(LAB)/cases.c,$(cases_c))
$(LAB)/cases.o: $(LAB)/cases.c
	@$(LAB_CC) $(strict) -c $< -o $@

# No policy flag ever reaches a link line: -ffast-math there sets FTZ and DAZ for the process.
$(LAB)/liblab.a: $(lab_objects)
	@$(archive)
# SQLite's own calls within a shared object go by way of a table: a seventh of a report's time.
own_sqlite = $(filter /%,$(shell gcc -print-file-name=libsqlite3.a))
# A program of other kernels on this lab is linked for a few minutes: without what debuggers read, and by gold,
# which takes a third of the time.
quick_link = $(if $(filter $(abspath $(BUILD)),$(abspath $(LAB))),,-Wl,-S \
             $(if $(wildcard $(addsuffix /ld.gold,$(subst :, ,$(PATH)))),-fuse-ld=gold))
# A program at a fixed address starts in half the time: none of its 100,000 addresses is to be relocated.
$(BUILD)/ulplab: $(LAB)/src/main.o $(LAB)/liblab.a $(BUILD)/kernels.o
	@$(LAB_CC) $(strict) -no-pie $(quick_link) $^ $(LAB)/liblab.a $(own_sqlite) $(lab_libs) -o $@
	@echo "built $@$(if $(objects),: $(wanted_count) of the $(whole_count) objects that there could be,, the lab alone: \
	it says which of $(whole_count) objects are wanted)"
