// SPDX-License-Identifier: MIT
/* The machine as a record: machine.json, and the "machine" of every document. */
#ifndef ULPLAB_MACHINE_H
#define ULPLAB_MACHINE_H

#include <jansson.h>
#include <stddef.h>

#include "machine/cpu.h"

/* Returns slug, label (the environment's ULPLAB_LABEL, else null), vendor, brand, family, model,
 * stepping, features[], hypervisor, kernel (the system's version), thp (mode of transparent huge
 * pages), compilers {name: version}, policies {name: flags}, topology {..} and clocks {..}. No host
 * name, no path, nothing of a user. Calibrating the clock takes some 20 ms. */
json_t *machine_record(const struct cpu *cpu);

/* Writes the slug of the CPU, and for a hybrid one of the kind of core that is measured:
 * "intel-6-183-1-0a1b2c3d-intelatom". */
void machine_slug(const struct cpu *cpu, char *slug, size_t size);

/* Reads the first line that begins with `key` from a file of /proc or /sys, cut at `size`. Returns
 * the text after the key, or NULL if there is no such line. */
const char *machine_read_line(const char *path, const char *key, char *line, size_t size);

/* Returns the mode of transparent huge pages: "always", "madvise", "never", or "unknown". */
const char *machine_thp_mode(void);

/* Returns whether CPUID says that a hypervisor is present. */
bool machine_is_virtual(void);

#endif
