# SPDX-License-Identifier: MIT
# Which kernels there are, and which {ISA, policy, storage type} each is built for. Sets
# kernel_names, stored_names (KERNEL.TYPE), isas_of.NAME and policies_of.NAME.

# Kernels that only call a function of a library are made from a table.
library_kernels := $(BUILD)/simd/libraries
ifneq ($(shell scripts/library-kernels simd/libraries/functions $(library_kernels) && echo made),made)
$(error simd/libraries/functions has a wrong row)
endif
kernel_folders := $(sort $(patsubst %/,%,$(dir $(wildcard simd/*/*.c))) $(library_kernels))
cxx_folders    := $(sort $(patsubst %/,%,$(dir $(wildcard simd/*/*.cc))) $(library_kernels))
cxx_sources    := $(sort $(wildcard $(cxx_folders:%=%/*.cc)))
kernel_sources := $(sort $(wildcard $(kernel_folders:%=%/*.c))) $(cxx_sources) $(KERNELS)
# A file NAME.TYPE.c is a kernel for that type alone.
typed_sources  := $(foreach s,$(kernel_sources),$(if $(word 3,$(subst ., ,$(notdir $s))),$s))
typed_names    := $(basename $(notdir $(typed_sources)))
typed_folders  := $(sort $(patsubst %/,%,$(dir $(typed_sources))))
kernel_names   := $(filter-out $(typed_names),$(basename $(notdir $(kernel_sources) simd/probe.c)))
vpath %.cc $(cxx_folders) $(sort $(dir $(KERNELS)))
vpath %.c simd $(kernel_folders) $(sort $(dir $(KERNELS)))

# ---- Users' kernels: mistakes that make can find before a compiler does --------------------------
$(foreach k,$(KERNELS),$(if $(wildcard $k),,$(error KERNELS: no file $k; name .c or .cc files)))
user_files := $(notdir $(filter-out simd/%,$(KERNELS)))
user_names := $(basename $(user_files))
bad        := $(if $(user_files),$(shell printf '%s\n' $(user_files) | grep -vxE '[A-Za-z0-9_-]+[.]cc?'))
clash      := $(filter $(user_files),$(notdir $(wildcard $(kernel_folders:%=%/*.c)) $(cxx_sources))) \
              $(if $(filter $(words $(user_files)),$(words $(sort $(user_files)))),,$(user_files))
$(if $(bad),$(error KERNELS: $(bad): want a name of letters, digits, _ and - that ends in .c or .cc))
$(if $(strip $(clash)),$(error KERNELS: $(strip $(clash)): a kernel file of that name is there \
    already; rename yours))

# ---- Unknown words -------------------------------------------------------------------------------
of_axis = $(sort $(patsubst $1.%,%,$(filter $1.%,$(.VARIABLES))))
known_isas     := $(call of_axis,isa)
known_policies := $(call of_axis,policy)
$(foreach p,$(filter-out $(known_policies),$(POLICIES)),\
    $(error policy '$p' is unknown; name its flags: make policy.$p="-f..."))
$(foreach i,$(filter-out $(known_isas),$(ISAS)),$(error ISA '$i' is unknown; known: $(known_isas)))

# ---- Libraries that a kernel names as its needs --------------------------------------------------
# A library of headers, which a kernel in C++ calls, or an archive, whose functions become part of the
# kernel's object and local to it. Without its file the kernel is skipped.
package.eigen    := libeigen3-dev
package.highway  := libhwy-dev
package.xsimd    := libxsimd-dev
package.llvmlibc := libllvmlibc-22-dev
file.eigen       := /usr/include/eigen3/Eigen/Core
file.highway     := /usr/include/hwy/contrib/math/math-inl.h
file.xsimd       := /usr/include/xsimd/xsimd.hpp
file.llvmlibc    := /usr/lib/llvm-22/lib/libllvmlibc.a
# Who installs them, but for `make peers`.
installer.llvmlibc := make setup
needed_libraries := $(call of_axis,package)
libraries_there  := $(foreach l,$(needed_libraries),$(if $(wildcard $(file.$l)),$l))
$(call keep,$(BUILD)/needed.list,$(libraries_there))
# missing KERNEL: the package that it lacks, and who installs it.
lacks   = $(filter-out $(libraries_there),$(needs.$1))
missing = $(foreach l,$(call lacks,$1),$(package.$l) '$(or $(installer.$l),make peers)')

# ---- Restrictions in the files -------------------------------------------------------------------
# Types in which the same sources can be stored, by another storage.h.
stored_types := $(filter-out f32,$(notdir $(patsubst %/,%,$(wildcard simd/vocabulary/storage/*/))))
# own_vectors TYPE: not empty if that type is computed in itself, so that every policy may matter to it.
own_vectors = $(wildcard simd/vocabulary/storage/$1/scalar/vec.h)
own_types    := $(foreach t,$(stored_types),$(if $(call own_vectors,$t),$t))
restrictions := $(shell scripts/restrictions '$(known_isas)' '$(known_policies)' '$(stored_types)' '$(needed_libraries)' $(kernel_sources))
$(if $(filter error,$(firstword $(restrictions))),$(error $(wordlist 2,$(words $(restrictions)),$(restrictions))))
$(foreach word,$(restrictions),$(eval $(subst $(comma), ,$(word))))

# named_too KERNEL: the ISAs that must be named, and for which the Makefile names this kernel.
named_too = $(foreach i,$(named_isas),$(if $(filter $1,$(named_for.$i)),$i))
# $1 kernel
define restrict
isas_of.$1     := $(or $(isas.$1),$(filter-out $(named_isas),$(ISAS)) $(call named_too,$1))
policies_of.$1 := $(or $(policies.$1),$(POLICIES))
$(foreach t,$(stored.$1),$(call restrict_stored,$1,$t))
endef
# $1 kernel, $2 type
define restrict_stored
isas_of.$1.$2     := $$(isas_of.$1)
policies_of.$1.$2 := $$(filter $$(policies_of.$1),$(if $(call own_vectors,$2),$(POLICIES),$$(filter $(or $(stored_policies.$1),$(STORED_POLICIES)),$(STORED_POLICIES))))
needs.$1.$2       := $(needs.$1)

endef
$(foreach k,$(kernel_names) $(typed_names),$(eval $(call restrict,$k)))
isas_of.probe := $(ISAS)
stored_names  := $(foreach k,$(kernel_names),$(addprefix $k.,$(stored.$k))) $(typed_names)

# Lists for tests: kernels that are not built for everything, and the ISAs that kernels must name.
$(call keep,$(BUILD)/restricted.list,$(foreach k,$(kernel_names),$(if $(isas.$k)$(policies.$k)$(strip $(call named_too,$k)),$k)) \
    $(addprefix isa.,$(filter $(named_isas),$(ISAS))))
