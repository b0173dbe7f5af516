/* Computes nothing. It is linked twice into a shared object (scripts/litmus.mk), once with
 * -ffast-math on the link line alone: what loading that one changes, the linker has added. For the
 * case link-ftz. */
int litmus_loaded(void);

int litmus_loaded(void)
{
    return 1;
}
