#include "publish/site/skeleton.h"

#include <string.h>

#include "publish/render/markup.h"

static void fill_place(const struct skeleton_place *places, const char *name, size_t length,
                       void *context)
{
    for (const struct skeleton_place *p = places; p->name; p++)
        if (strlen(p->name) == length && !strncmp(p->name, name, length)) p->write(context);
}

void skeleton_write(FILE *out, const char *skeleton, size_t size,
                    const struct skeleton_place *places, void *context)
{
    const char *at = skeleton, *end = skeleton + size, *open;
    while ((open = memmem(at, (size_t)(end - at), "{{", 2))) {
        const char *close = memmem(open, (size_t)(end - open), "}}", 2);
        if (!close) break;
        fwrite(at, 1, (size_t)(open - at), out);
        fill_place(places, open + 2, (size_t)(close - open - 2), context);
        at = close + 2;
    }
    fwrite(at, 1, (size_t)(end - at), out);
}

void skeleton_data(FILE *out, const json_t *data)
{
    fputs("<script type=\"application/json\" id=\"data\">", out);
    markup_json(out, data);
    fputs("</script>\n", out);
}

void skeleton_script(FILE *out, const char *source, size_t size)
{
    fputs("<script>\n", out);
    markup_script(out, source, size);
    fputs("\n</script>\n", out);
}
