# SPDX-License-Identifier: MIT
# Checks of the text: layout and static analysis.

c_files       = $(shell git ls-files '*.c' '*.h' '*.cc' '*.inc')
shell_scripts = .ci/run $(shell grep -lE '^\#!/(bin/sh|usr/bin/env bash)' $$(git ls-files scripts))
.PHONY: format format-check cppcheck shellcheck
format:
	clang-format -i $(c_files)
format-check:
	@clang-format --dry-run --Werror $(c_files)
# The kernels are read with the headers of one ISA and one storage type.
cppcheck = cppcheck -j $(shell nproc) --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
           --inline-suppr --suppress=missingIncludeSystem -D__STDC_IEC_559__ -Iinclude
cppcheck:
	@$(cppcheck) -Isrc -Isrc/lib/types/f32 \
	    '-Djson_array_foreach(a,i,v)=while((v=json_array_get(a,i=0)))' \
	    '-Djson_object_foreach(o,k,v)=while((v=json_object_get(o,k="")))' src
	@$(cppcheck) --max-configs=1 -DKERNEL=kernel $(call includes,avx2,f32) simd/probe.c $(wildcard simd/*/*.c)
shellcheck:
	@shellcheck -S warning $(shell_scripts)
