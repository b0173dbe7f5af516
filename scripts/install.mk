# SPDX-License-Identifier: MIT
# Installing the program, and the archive of a release.

# The program prints its own manual and completions, from the tables of --help.
PREFIX  ?= /usr/local
DESTDIR ?=
manual  := share/man/man1/ulplab.1
bash    := share/bash-completion/completions/ulplab
zsh     ?= share/zsh/site-functions/_ulplab
# What `try`, `flags`, `report` and the peers' recipes need of the sources, with their times: what is built
# from them in the user's cache (src/base/file.h) stays built. Scripts in Python publish a clone's pages.
shared  := Makefile scripts simd include src litmus peers
.PHONY: install uninstall dist deb
install: all install-lib
	install -D -m 755 $(BUILD)/ulplab '$(DESTDIR)$(PREFIX)/bin/ulplab'
	@if [ -d $(BUILD)/litmus ]; then mkdir -p '$(DESTDIR)$(PREFIX)/lib/ulplab' && \
	    cp -r $(BUILD)/litmus '$(DESTDIR)$(PREFIX)/lib/ulplab/'; fi
	@mkdir -p $(foreach f,$(manual) $(bash) $(zsh),'$(DESTDIR)$(PREFIX)/$(dir $f)')
	$(BUILD)/ulplab --man >'$(DESTDIR)$(PREFIX)/$(manual)'
	$(BUILD)/ulplab --completion bash >'$(DESTDIR)$(PREFIX)/$(bash)'
	$(BUILD)/ulplab --completion zsh >'$(DESTDIR)$(PREFIX)/$(zsh)'
	@rm -rf '$(DESTDIR)$(PREFIX)/share/ulplab'
	@mkdir -p '$(DESTDIR)$(PREFIX)/share/ulplab/results' '$(DESTDIR)$(PREFIX)/share/ulplab/schemas'
	@cp -rp $(shared) '$(DESTDIR)$(PREFIX)/share/ulplab/'
	@grep -rlI '^#!.*python' '$(DESTDIR)$(PREFIX)/share/ulplab/scripts' | tr '\n' '\0' | xargs -0 rm -f
	@cp -rp results/adversarial '$(DESTDIR)$(PREFIX)/share/ulplab/results/'
	@echo '$(commit)' >'$(DESTDIR)$(PREFIX)/share/ulplab/.commit'
	@for s in $$($(BUILD)/ulplab schema | cut -f1); do \
	    $(BUILD)/ulplab schema $$s >'$(DESTDIR)$(PREFIX)/share/ulplab/schemas/'$$s.schema.json || exit; done
uninstall: uninstall-lib
	rm -rf '$(DESTDIR)$(PREFIX)/lib/ulplab' '$(DESTDIR)$(PREFIX)/share/ulplab'
	rm -f $(foreach f,bin/ulplab $(manual) $(bash) $(zsh),'$(DESTDIR)$(PREFIX)/$f')

# An archive of this commit, with its hash in .commit: it can be built and tested without git. Its bytes are the commit's:
# times, modes and owners do not depend on who makes it, nor on git's settings.
release = $(shell sed -n 's/^static const char version\[\] = "\(.*\)";/\1/p' src/build/registry.c)
DIST   ?= .
dist:
	git -c tar.umask=0022 archive --prefix=ulplab-$(release)/ HEAD | gzip -9n >'$(DIST)/ulplab-$(release).tar.gz'
# Debian's packages, built of this commit in $(DEB).
DEB    ?= $(BUILD)/deb
deb:
	@mkdir -p $(DEB)
	@$(MAKE) --no-print-directory dist DIST=$(DEB) && tar -C $(DEB) -xf $(DEB)/ulplab-$(release).tar.gz
	cd $(DEB)/ulplab-$(release) && dpkg-buildpackage -us -uc
