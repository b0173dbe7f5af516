// SPDX-License-Identifier: MIT
#include "measure/bench_resolution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"

struct by_process resolution_low(const json_t *row)
{
    const json_t *array = json_object_get(row, "low_ns");
    size_t count = json_array_size(array);
    double *values = memory_zeroed(count + 1, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        values[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    return (struct by_process){values, count};
}

struct placed {
    json_t *row;
    const char *block;
};

static int bench_resolution_by_block(const void *a, const void *b)
{
    return strcmp(((const struct placed *)a)->block, ((const struct placed *)b)->block);
}

static void add_to_block(const struct placed *placed, struct by_process *low, size_t count)
{
    double medians[RATIO_PROCESSES_MAX];
    struct by_process block = {medians, 0};
    for (size_t i = 0; i < count; i++) {
        low[i] = resolution_low(placed[i].row);
        if (low[i].count > block.count) block.count = low[i].count;
    }
    if (block.count > RATIO_PROCESSES_MAX) block.count = RATIO_PROCESSES_MAX;
    ratio_block_medians(low, count, medians, block.count);
    for (size_t p = 0; p < block.count && count == 1; p++) medians[p] = 1;
    for (size_t i = 0; i < count; i++) {
        json_object_set_new(placed[i].row, "half_width",
                            record_real(ratio_half_width(low[i], block)));
        free((void *)low[i].values);
    }
}

bool resolution_add(json_t *rows)
{
    size_t all = json_array_size(rows), count = 0, i;
    struct placed *placed = memory_zeroed(all + 1, sizeof *placed);
    struct by_process *low = memory_zeroed(all + 1, sizeof *low);
    json_t *row;
    bool good = placed && low;
    if (good) json_array_foreach(rows, i, row)
        {
            const char *block = record_text(row, "block");
            if (*block && json_is_number(json_object_get(row, "ns_per_row")))
                placed[count++] = (struct placed){row, block};
        }
    if (good) qsort(placed, count, sizeof *placed, bench_resolution_by_block);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1;
             end < count && !bench_resolution_by_block(&placed[first], &placed[end]);)
            end++;
        add_to_block(placed + first, low, end - first);
    }
    free(placed);
    free(low);
    return good;
}
