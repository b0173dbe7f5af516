#include "machine/machine.h"

json_t *machine_record(const struct cpu *cpu)
{
    char slug[64];
    cpu_slug(cpu, slug, sizeof slug);
    json_t *features = json_array();
    for (size_t i = 0; i < cpu_feature_count(); i++)
        if (cpu->features >> i & 1)
            json_array_append_new(features, json_string(cpu_feature_name(i)));
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:o}", "slug", slug, "vendor", cpu->vendor,
                     "brand", cpu->brand, "family", (int)cpu->family, "model", (int)cpu->model,
                     "stepping", (int)cpu->stepping, "features", features);
}
