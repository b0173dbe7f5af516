// SPDX-License-Identifier: MIT
/* Does nothing. It is linked twice into a shared object (scripts/litmus.mk), once with -ffast-math
 * on the link line alone: whatever changes when that object is loaded was added by the linker. For
 * the case link-ftz. */
int litmus_loaded(void);

int litmus_loaded(void)
{
    return 1;
}
