/* Computes nothing: linked twice into a shared object (Makefile), once with -ffast-math on the
 * link line alone. What loading it changes is the linker's doing. For the case link-ftz. */
int litmus_loaded(void);

int litmus_loaded(void) { return 1; }
