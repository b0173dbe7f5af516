# SPDX-License-Identifier: MIT
# Functions that the other rule files call.

# keep FILE,TEXT: writes TEXT to FILE unless FILE has that text already, so that what depends on
# FILE is rebuilt only if the text changes.
keep = $(if $(and $(wildcard $1),$(findstring xx$(strip $2)xx,xx$(strip $(file <$1))xx)),,\
       $(shell mkdir -p $(dir $1))$(file >$1,$(strip $2)))

# name COMPILER: the compiler as the name of a folder. symbol TEXT: as part of a C name.
name   = $(subst /,_,$(subst +,x,$1))
symbol = $(subst .,_,$(subst -,_,$(call name,$1)))

# version COMPILER: each compiler is run once.
version = $(or $(version.$1),$(eval version.$1 := $(shell $1 -dumpfullversion 2>/dev/null || $1 -dumpversion))$(version.$1))

# defaults COMPILER: the flags that it lacks by itself (scripts/compiler-defaults), asked once.
defaults = $(if $(filter undefined,$(origin defaults.$1)),$(eval defaults.$1 := $(shell scripts/compiler-defaults $1)))$(defaults.$1)

# includes ISA,TYPE: where a kernel's headers are. The ISA and the storage type of x and y are chosen here
# and nowhere else.
includes = -Isimd/vocabulary/$1 -Isimd/vocabulary/storage/$2 -Isimd/vocabulary $(header_folders:%=-Isimd/%) -Isimd
header_folders := functions softmax logsumexp moments layernorm libraries studies

comma := ,

# archive: the recipe of a library X.a. A build that is killed leaves none, rather than half of one.
archive = rm -f $@.tmp $@ && ar rcs $@.tmp $^ && mv $@.tmp $@
