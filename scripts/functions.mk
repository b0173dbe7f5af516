# SPDX-License-Identifier: MIT
# Functions that the other rule files call.

# keep FILE,TEXT: writes TEXT to FILE unless FILE has that text already, so that what depends on
# FILE is rebuilt only if the text changes.
keep = $(if $(and $(wildcard $1),$(findstring xx$(strip $2)xx,xx$(strip $(file <$1))xx)),,\
       $(if $(wildcard $(dir $1)),,$(shell mkdir -p $(dir $1)))$(file >$1,$(strip $2)))

# name COMPILER: the compiler as a folder's name. symbol TEXT: the text as part of a C name.
name   = $(subst /,_,$(subst +,x,$1))
symbol = $(subst .,_,$(subst -,_,$(call name,$1)))

# version COMPILER: the compiler's version; each compiler is run once.
version = $(or $(version.$1),$(eval version.$1 := $(shell $(if $(findstring clang,$1),,$1 -dumpfullversion 2>/dev/null ||) $1 -dumpversion))$(version.$1))

# defaults COMPILER: the flags that scripts/compiler-defaults prints; it is run once per compiler.
defaults = $(if $(filter undefined,$(origin defaults.$1)),$(eval defaults.$1 := $(shell scripts/compiler-defaults $1)))$(defaults.$1)

# includes ISA,TYPE: the include path of a kernel's headers. It alone chooses the ISA and the
# storage type of x and y.
includes = -Isimd/vocabulary/$1 -Isimd/vocabulary/storage/$2 -Isimd/vocabulary $(header_folders:%=-Isimd/%) -Isimd
header_folders := functions softmax logsumexp moments layernorm libraries studies

comma := ,

# archive: the recipe of a library X.a. A build that is killed leaves no library, rather than an
# incomplete one.
archive = rm -f $@.tmp $@ && ar rcs $@.tmp $^ && mv $@.tmp $@
