/* Which builds measured what outlives runs: scans, searches, certificates. */
#include <string.h>

#include "model/record.h"
#include "publish/load/origin.h"
#include "publish/sections/sections.h"

void write_other_builds(const struct report *r, const json_t *records, struct doc *d)
{
    const char *own = origin_of(&r->results).commit, *other = "";
    size_t others = 0, unknown = 0, i;
    const json_t *record;
    json_array_foreach(records, i, record)
    {
        const char *commit = record_text(record, "commit");
        unknown += !*commit;
        if (!*commit || !strcmp(commit, own)) continue;
        others++;
        other = commit;
    }
    if (others)
        doc_text(d,
                 "%zu of %zu records are of other builds than this run, the last of commit %s: "
                 "they outlive runs.",
                 others, json_array_size(records), other);
    if (unknown)
        doc_text(d, "%zu of %zu records do not say which build they are of.", unknown,
                 json_array_size(records));
}
