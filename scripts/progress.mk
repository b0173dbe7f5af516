# SPDX-License-Identifier: MIT
# A line of progress: $(step) before a compile command counts it. Set progress= to be silent.
#
# Before the first command a make that only prints its commands (-n) counts them, so that the total
# is right for a build of one changed file too. On a terminal one line changes; elsewhere a line is
# printed for every tenth.

progress ?= yes
# Not empty in the make that counts: it starts none within it, whose commands are not counted.
counts   := $(filter count,$(progress))
ifeq ($(progress),count)
step = : counted;
else ifneq ($(progress)$(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),yes)
step =
else
begun    =
commands = $(or $(commands.all),$(eval commands.all := $(shell env -u MAKEFLAGS -u MFLAGS $(MAKE) -n \
           progress=count $(MAKEOVERRIDES) $(MAKECMDGOALS) 2>/dev/null | grep -c ': counted;'))$(commands.all))
step     = $(eval begun += x)$(call show,$(words $(begun)),$(commands))
ifdef MAKE_TERMERR
show = printf '\r\033[Kcompiling %s of %s\r' $1 $2 >&2;
else
show = [ $1 -gt $2 ] || [ $$(($1 * 10 / $2)) = $$((($1 - 1) * 10 / $2)) ] || echo "compiling $1 of $2" >&2;
endif
endif
