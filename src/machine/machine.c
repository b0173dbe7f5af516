// SPDX-License-Identifier: MIT
#include "machine/machine.h"

#include <cpuid.h>
#include <ctype.h>
#include <math.h>
#include <sleef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "build.h"
#include "machine/clock.h"
#include "machine/cpu.h"
#include "machine/topology.h"

const char *machine_read_line(const char *path, const char *key, char *line, size_t size)
{
    const size_t length = strlen(key);
    bool found = false;
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, (int)size, f)) found = !strncmp(line, key, length);
    if (f) fclose(f);
    if (!found) return NULL;
    line[strcspn(line, "\n")] = '\0';
    return line + length;
}

const char *machine_thp_mode(void)
{
    static const char *const modes[] = {"always", "madvise", "never"};
    char line[80], chosen[16];
    if (machine_read_line("/sys/kernel/mm/transparent_hugepage/enabled", "", line, sizeof line))
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
            snprintf(chosen, sizeof chosen, "[%s]", modes[i]);
            if (strstr(line, chosen)) return modes[i];
        }
    return "unknown";
}

bool machine_is_virtual(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 31 & 1);
}

static json_t *features_of(const struct cpu *cpu)
{
    json_t *features = json_array();
    for (size_t i = 0; i < cpu_feature_count(); i++)
        if (cpu->features >> i & 1)
            json_array_append_new(features, json_string(cpu_feature_name(i)));
    return features;
}

static json_t *compilers(void)
{
    json_t *by_name = json_object();
    for (size_t i = 0; i < build_compiler_count; i++)
        json_object_set_new(by_name, build_compilers[i].cc,
                            json_string(build_compilers[i].version));
    return by_name;
}

static json_t *machine_policies(void)
{
    json_t *by_name = json_object();
    for (size_t i = 0; i < build_policy_count; i++)
        json_object_set_new(by_name, build_policies[i].policy,
                            json_string(build_policies[i].flags));
    return by_name;
}

/* Returns the clocks. Rates are rounded to the digits that two calibrations agree on, so that the
 * records of two runs agree. */
static json_t *clocks(void)
{
    struct clock clock;
    struct cycles cycles;
    clock_calibrate(&clock, 0.02);
    cycles_open(&cycles, &clock);
    json_t *record = json_pack(
        "{s:o, s:b, s:s}", "tsc_mhz", json_real(round(clock.tsc_hz * 1e-5) * 0.1), "tsc_invariant",
        clock_is_invariant(), "core_cycles", cycles_source_name(cycles.source));
    cycles_close(&cycles);
    return record;
}

static json_t *topology(void)
{
    struct topology t;
    struct error ignored = {.text = ""};
    if (topology_read(&t, &ignored) != 0) return json_null();
    json_t *record = topology_record(&t);
    topology_close(&t);
    return record;
}

void machine_slug(const struct cpu *cpu, char *slug, size_t size)
{
    struct topology t;
    struct error ignored = {.text = ""};
    cpu_slug(cpu, slug, size);
    if (topology_read(&t, &ignored) != 0) return;
    size_t length = strlen(slug);
    if (t.kind_count) snprintf(slug + length, size - length, "-%s", t.kinds[t.kind].name);
    for (char *c = slug + length; *c; c++) *c = (char)tolower((unsigned char)*c);
    topology_close(&t);
}

/* Returns "0xa0011d5", as in /proc/cpuinfo; null if it does not say. */
static json_t *microcode(void)
{
    char line[400], version[64] = "";
    const char *said = machine_read_line("/proc/cpuinfo", "microcode", line, sizeof line);
    return said && sscanf(said, " : %63s", version) == 1 ? json_string(version) : json_null();
}

/* Returns the libraries that kernels call: the results of the same machine code may change with
 * them. */
static json_t *machine_libraries(void)
{
    return json_pack("{s:s, s:o}", "glibc", glibc_chosen(), "SLEEF",
                     json_sprintf("%d.%d.%d", SLEEF_VERSION_MAJOR, SLEEF_VERSION_MINOR,
                                  SLEEF_VERSION_PATCHLEVEL));
}

json_t *machine_record(const struct cpu *cpu)
{
    char slug[64];
    machine_slug(cpu, slug, sizeof slug);
    struct utsname system;
    bool known = uname(&system) == 0;
    return json_pack(
        "{s:s, s:s?, s:s, s:s, s:i, s:i, s:i, s:o, s:b, s:s?, s:o, s:s, s:o, s:o, s:o, s:o, s:o}",
        "slug", slug, "label", getenv("ULPLAB_LABEL"), "vendor", cpu->vendor, "brand", cpu->brand,
        "family", (int)cpu->family, "model", (int)cpu->model, "stepping", (int)cpu->stepping,
        "features", features_of(cpu), "hypervisor", machine_is_virtual(), "kernel",
        known ? system.release : NULL, "microcode", microcode(), "thp", machine_thp_mode(),
        "compilers", compilers(), "policies", machine_policies(), "libraries", machine_libraries(),
        "topology", topology(), "clocks", cpu_lacks(cpu) ? json_null() : clocks());
}
