// SPDX-License-Identifier: MIT
#include "publish/site/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/render/markup.h"
#include "publish/site/assets.h"
#include "publish/site/chart_library.h"

static void write_script(FILE *out, const char *source)
{
    fputs("<script>\n", out);
    markup_script(out, source, strlen(source));
    fputs("\n</script>\n", out);
}

static void write_scripts(FILE *out, const struct frame *f, const struct chart_library *charts)
{
    json_t *data = f->data ? f->data(f->context) : json_object();
    fputs("<script type=\"application/json\" id=\"data\">", out);
    markup_json(out, data);
    fputs("</script>\n", out);
    json_decref(data);
    write_script(out, page_js);
    write_script(out, filters_js);
    write_script(out, grid_js);
    for (size_t i = 0; f->scripts[i]; i++) write_script(out, f->scripts[i]);
    if (!f->drawn || !charts->source) return;
    write_script(out, charts->source);
    write_script(out, drawing_js);
    for (size_t i = 0; f->drawn[i]; i++) write_script(out, f->drawn[i]);
}

static void write_page(FILE *out, const struct frame *f, const struct chart_library *charts)
{
    markup(out,
           "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n"
           "<meta name=\"chart-library\" content=\"%s%s\">\n<title>ulplab: %s</title>\n<style>\n",
           charts->source ? "Chart.js " : "none", charts->source ? charts->version : "", f->title);
    fprintf(out, "%s%s", report_css, f->style ? f->style : "");
    fputs("</style>\n</head>\n<body>\n<header class=\"bar\"><a class=\"brand\" "
          "href=\"#top\">ulplab</a><nav>",
          out);
    for (size_t i = 0; i < f->link_count; i++)
        markup(out, "<a href=\"%s%s\">%s</a>", strchr(f->links[i].to, '.') ? "" : "#",
               f->links[i].to, f->links[i].name);
    fputs("</nav><button id=\"theme\" type=\"button\" hidden>Dark</button><form id=\"filters\" "
          "hidden></form></header>\n<main id=\"top\">\n",
          out);
    f->write(out, f->context);
    if (f->drawn && !charts->source) fputs(chart_library_notice, out);
    fprintf(out, "<noscript><p class=\"notice\">Scripts are off: %s</p></noscript>\n</main>\n",
            f->without);
    write_scripts(out, f, charts);
    fputs("</body>\n</html>\n", out);
}

int frame_write(const struct frame *f, const char *path, struct error *e)
{
    struct chart_library charts = {.source = NULL};
    char *text = NULL;
    size_t size = 0;
    int code = f->drawn ? chart_library_find(&charts, e) : 0;
    if (code) return code;
    FILE *out = memory_text(&text, &size);
    write_page(out, f, &charts);
    memory_text_close(out);
    chart_library_free(&charts);
    code = file_write_atomic(path, text, size, e);
    free(text);
    return code;
}
