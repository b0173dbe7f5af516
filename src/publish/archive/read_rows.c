#include "publish/archive/read_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "model/record_views.h"
#include "publish/archive/takes.h"

enum { PATH_ROOM = 1300 };

/* ---- Files -------------------------------------------------------------------------------------
 */

static int read_file(struct rows *r, const char *folder, const struct kept_file *file, bool known,
                     struct error *e)
{
    char path[PATH_ROOM];
    for (const struct row_source *s = row_sources; s < row_sources + ROW_SOURCES; s++) {
        if (strcmp(s->name, file->name) != 0 || (known && !s->always)) continue;
        struct row_reading reading = {r, folder, s->name, 0};
        snprintf(path, sizeof path, "%s/%s", folder, s->name);
        r->has_log |= !strcmp(s->name, "log_softmax.jsonl");
        const struct record_views views = {file->text, path,    file->size,
                                           r->kept,    s->take, &reading};
        return record_views_read(&views, s->keys, s->key_count, e);
    }
    return 0;
}

/* ---- Runs of an earlier version ----------------------------------------------------------------
 */

static int take_all(struct rows *r, const char *folder, const struct row_source *s,
                    const json_t *records, struct error *e)
{
    struct row_reading reading = {r, folder, s->name, 0};
    struct record_view v = {.keys = s->keys, .key_count = s->key_count};
    int code = 0;
    for (size_t i = 0; !code && i < json_array_size(records); i++) {
        record_view_of(json_array_get(records, i), &v);
        code = s->take(&reading, &v, e);
    }
    record_view_free(&v);
    return code;
}

/* One whose softmax had the word for log_softmax: its records are first made those of today. */
static int read_earlier(struct rows *r, const char *folder, struct error *e)
{
    rows_free(r);
    int code = results_read(folder, &r->earlier, e);
    if (!code) code = record_read_from(folder, "cases.jsonl", true, &r->kept_cases, e);
    const json_t *const records[] = {r->earlier.accuracy, r->earlier.codegen, r->earlier.timing,
                                     r->earlier.scan, r->kept_cases};
    for (size_t i = 0; !code && i < sizeof records / sizeof *records; i++)
        code = take_all(r, folder, &row_sources[i], records[i], e);
    return code;
}

/* A layernorm without gamma and beta is called otherwise today. Whether it is one may stand in a
 * file that was left out. */
static int rename_norms(struct rows *r, const char *folder, const struct kept_files *files,
                        const bool *known, struct error *e)
{
    int code = 0;
    for (size_t i = 0; !code && r->norms && !r->affine && i < files->count; i++)
        if (known[i]) code = read_file(r, folder, &files->items[i], false, e);
    for (size_t i = 0; !code && r->norms && !r->affine && i < r->variants.count; i++) {
        struct axes *axes = &r->variants.items[i].axes;
        if (!strcmp(axes->op, "layernorm")) axes_set(axes, "op", "layernorm_bare");
    }
    return code;
}

/* ---- All ---------------------------------------------------------------------------------------
 */

int rows_read(struct rows *r, const char *folder, const struct kept_files *files, const bool *known,
              struct error *e)
{
    int code = 0;
    *r = (struct rows){.kept = json_array()};
    for (size_t i = 0; !code && i < files->count; i++)
        code = read_file(r, folder, &files->items[i], known[i], e);
    if (code) return code;
    return r->has_log ? read_earlier(r, folder, e) : rename_norms(r, folder, files, known, e);
}

void rows_free(struct rows *r)
{
    free(r->cells.items);
    free(r->codes.items);
    free(r->errors.items);
    free(r->error_variants.items);
    free(r->error_sums);
    free(r->limits.items);
    free(r->cases.items);
    free(r->scans.items);
    variants_free(&r->variants);
    json_decref(r->kept);
    json_decref(r->kept_cases);
    results_free(&r->earlier);
    *r = (struct rows){0};
}
