/* The machine as a record: machine.json, and the "machine" of every document. */
#ifndef ULPLAB_MACHINE_H
#define ULPLAB_MACHINE_H

#include <jansson.h>

#include "machine/cpu.h"

/* No host name, no path, nothing of a user. */
json_t *machine_record(const struct cpu *cpu);

#endif
