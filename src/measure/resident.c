// SPDX-License-Identifier: MIT
#include "measure/resident.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* A loader's segments are mapped in pages; a step of less than a page misses none. AddressSanitizer
 * takes what lies between two constants for an overflow. */
__attribute__((no_sanitize_address)) static int touch_constants(struct dl_phdr_info *object,
                                                                size_t size, void *unused)
{
    enum { STEP = 4096 };
    (void)size;
    (void)unused;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || segment->p_flags != PF_R) continue;
        const volatile char *at = (const volatile char *)(object->dlpi_addr + segment->p_vaddr);
        for (size_t k = 0; k < segment->p_memsz; k += STEP) (void)at[k];
    }
    return 0;
}

void resident_constants(void)
{
    dl_iterate_phdr(touch_constants, NULL);
}
