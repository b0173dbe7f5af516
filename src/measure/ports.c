// SPDX-License-Identifier: MIT
#include "measure/ports.h"

#include <stdio.h>

unsigned port_set(size_t i)
{
    static const unsigned others[] = {PORT_MUL | PORT_ADD | PORT_MAX | PORT_OTHER, PORT_MIX5,
                                      PORT_MIX6, PORT_MIX9};
    return i < 7 ? (unsigned)i + 1 : others[i - 7];
}

unsigned port_mix(unsigned set)
{
    return set == PORT_MIX5 ? 5 : set == PORT_MIX6 ? 6 : set == PORT_MIX9 ? 9 : 0;
}

void port_set_name(unsigned set, char *text, size_t size)
{
    static const char *const names[] = {"mul", "add", "max"};
    size_t used = 0;
    if (port_mix(set)) {
        snprintf(text, size, "%umul+permute", port_mix(set));
        return;
    }
    snprintf(text, size, "any");
    for (size_t i = 0; i < 3 && !(set & PORT_OTHER); i++)
        if (set >> i & 1)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "+" : "", names[i]);
}
