# SPDX-License-Identifier: MIT
# Functions that the other rule files call.

# keep FILE,TEXT: writes TEXT to FILE unless FILE has that text already, so that what depends on
# FILE is rebuilt only if the text changes.
keep = $(if $(and $(wildcard $1),$(findstring xx$(strip $2)xx,xx$(strip $(file <$1))xx)),,\
       $(if $(wildcard $(dir $1)),,$(shell mkdir -p $(dir $1)))$(file >$1,$(strip $2)))

# name COMPILER: the compiler as a folder's name. symbol TEXT: the text as part of a C name.
name   = $(subst /,_,$(subst +,x,$1))
symbol = $(subst .,_,$(subst -,_,$(call name,$1)))

# version COMPILER: its version; defaults.COMPILER, the flags that make it behave as the others do by default, and
# identity.COMPILER are set with it (scripts/compiler-facts). A build that takes another's lab also takes what that
# knows of compilers.
facts    = $(if $(filter undefined,$(origin version.$1)),$(foreach w,$(shell scripts/compiler-facts $(LAB)/compilers $1),\
           $(eval $(subst $(comma), ,$w))))
version  = $(strip $(call facts,$1)$(version.$1))

# includes ISA,TYPE: the include path of a kernel's headers. It alone chooses the ISA and the
# storage type of x and y. A type that is computed in itself, not in fp32, has vectors of its own.
includes = $(foreach v,$(wildcard simd/vocabulary/storage/$2/$1/vec.h),-I$(v:/vec.h=) )-Isimd/vocabulary/$1 -Isimd/vocabulary/storage/$2 -Isimd/vocabulary $(header_folders:%=-Isimd/%) -Isimd
header_folders := functions softmax logsumexp moments layernorm libraries studies

comma := ,
define newline


endef

# archive: the recipe of a library X.a. A build that is killed leaves no library, rather than an
# incomplete one.
archive = ar rcs $@.$$$$ $^ && mv $@.$$$$ $@
