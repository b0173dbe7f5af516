// SPDX-License-Identifier: MIT
#include "publish/load/error_facts.h"

#include <math.h>
#include <string.h>

#include "model/record.h"
#include "model/status.h"

static size_t lost_of(const json_t *record, const json_t *counts)
{
    if (json_is_integer(json_object_get(record, "lost"))) return record_count(record, "lost");
    return record_count(counts, "nan") + record_count(counts, "inf");
}

static enum promised promised_of(const json_t *record)
{
    static const enum promised meant[VERDICT_COUNT] = {
        [VERDICT_KEPT] = PROMISED_AND_KEPT,
        [VERDICT_BROKEN] = PROMISED_AND_BROKEN,
        [VERDICT_MEASURED] = PROMISED_NOTHING,
    };
    const char *said = record_text(record, "verdict");
    enum status status = status_from_name(record_text(record, "status"));
    if (status == STATUS_WRONG || (status_is_partial(status) && status != STATUS_INTERRUPTED))
        return PROMISED_AND_BROKEN;
    for (enum row_verdict v = 0; v < VERDICT_COUNT; v++)
        if (!strcmp(row_verdict_name(v), said)) return meant[v];
    return PROMISED_UNKNOWN;
}

struct error_facts error_facts_of(const json_t *record)
{
    const json_t *counts = json_object_get(record, "counts");
    size_t measure = record_count(record, "measure");
    return (struct error_facts){.measure = measure ? (int)measure : 1,
                                .lost = lost_of(record, counts),
                                .flushed = record_count(counts, "flushed"),
                                .promised = promised_of(record)};
}

double error_figure(const json_t *record, const char *key)
{
    return error_facts_of(record).lost ? INFINITY : record_figure(record, key);
}
