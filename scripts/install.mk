# SPDX-License-Identifier: MIT
# Installing the program, and the archive of a release.

# The program prints its own manual and completions, from the tables of --help.
PREFIX  ?= /usr/local
DESTDIR ?=
manual  := share/man/man1/ulplab.1
bash    := share/bash-completion/completions/ulplab
zsh     := share/zsh/site-functions/_ulplab
.PHONY: install uninstall dist
install: all install-lib
	install -D -m 755 $(BUILD)/ulplab '$(DESTDIR)$(PREFIX)/bin/ulplab'
	@if [ -d $(BUILD)/litmus ]; then mkdir -p '$(DESTDIR)$(PREFIX)/lib/ulplab' && \
	    cp -r $(BUILD)/litmus '$(DESTDIR)$(PREFIX)/lib/ulplab/'; fi
	@mkdir -p $(foreach f,$(manual) $(bash) $(zsh),'$(DESTDIR)$(PREFIX)/$(dir $f)')
	$(BUILD)/ulplab --man >'$(DESTDIR)$(PREFIX)/$(manual)'
	$(BUILD)/ulplab --completion bash >'$(DESTDIR)$(PREFIX)/$(bash)'
	$(BUILD)/ulplab --completion zsh >'$(DESTDIR)$(PREFIX)/$(zsh)'
uninstall: uninstall-lib
	rm -rf '$(DESTDIR)$(PREFIX)/lib/ulplab'
	rm -f $(foreach f,bin/ulplab $(manual) $(bash) $(zsh),'$(DESTDIR)$(PREFIX)/$f')

# An archive of this commit, with its hash in .commit: it can be built and tested without git.
release = $(shell sed -n 's/^static const char version\[\] = "\(.*\)";/\1/p' src/build/registry.c)
DIST   ?= .
dist:
	git archive --format=tar.gz --prefix=ulplab-$(release)/ -o '$(DIST)/ulplab-$(release).tar.gz' HEAD
