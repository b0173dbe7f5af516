// SPDX-License-Identifier: MIT
#include "publish/site/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "publish/render/markup.h"
#include "publish/site/assets.h"

/* ---- Chart.js -------------------------------------------------------------------------------- */

struct library {
    char *source;     /* NULL: none was found */
    char version[32]; /* "3.9.1" */
};

/* Reads the library, of at most 4 MiB; none is taken but Chart.js 3 or 4, whose interface the
 * scripts speak. A file that is there and cannot be read is an error: a page without charts would
 * look as if the library were not installed. */
static int read_library(const char *path, struct library *library, struct error *e)
{
    enum { MOST = 4 << 20 };
    static const char mark[] = "Chart.js v"; /* in the comment that every build of it begins with */
    FILE *in = fopen(path, "rbe");
    if (!in && (errno == ENOENT || errno == ENOTDIR)) return 0;
    if (!in) return file_cannot(e, "read", path, "try again");
    char *source = memory_new(MOST + 1);
    source[fread(source, 1, MOST, in)] = '\0';
    const int code = ferror(in) ? file_cannot(e, "read", path, "try again") : 0;
    fclose(in);
    const char *at = code ? NULL : strstr(source, mark);
    if (at) at += sizeof mark - 1;
    if (at && (*at == '3' || *at == '4') && at[1] == '.') {
        library->source = source;
        snprintf(library->version, sizeof library->version, "%.*s", (int)strspn(at, "0123456789."),
                 at);
    } else {
        free(source);
    }
    return code;
}

static int find_library(struct library *library, struct error *e)
{
    const char *named = getenv("ULPLAB_CHART_JS");
    const char *const places[] = {named ? named : "/usr/share/javascript/chart.js/chart.min.js",
                                  "/usr/share/javascript/chart.js/chart.umd.js",
                                  "/usr/share/nodejs/chart.js/dist/chart.min.js",
                                  "/usr/share/nodejs/chart.js/dist/chart.umd.js"};
    int code = 0;
    for (size_t i = 0; i < (named ? 1 : sizeof places / sizeof *places); i++)
        if (!code && !library->source) code = read_library(places[i], library, e);
    return code;
}

/* ---- The page -------------------------------------------------------------------------------- */

static void write_script(FILE *out, const char *source)
{
    fputs("<script>\n", out);
    markup_script(out, source, strlen(source));
    fputs("\n</script>\n", out);
}

static void write_scripts(FILE *out, const struct frame *f, const struct library *charts)
{
    json_t *none = json_object();
    fputs("<script type=\"application/json\" id=\"data\">", out);
    markup_json(out, f->data ? f->data : none);
    fputs("</script>\n", out);
    json_decref(none);
    write_script(out, page_js);
    write_script(out, filters_js);
    write_script(out, grid_js);
    for (size_t i = 0; f->scripts[i]; i++) write_script(out, f->scripts[i]);
    if (!f->drawn || !charts->source) return;
    write_script(out, charts->source);
    write_script(out, drawing_js);
    write_script(out, f->drawn);
}

static void frame_write_page(FILE *out, const struct frame *f, const struct library *charts)
{
    markup(out,
           "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n"
           "<meta name=\"chart-library\" content=\"%s%s\">\n<title>ulplab: %s</title>\n<style>\n",
           charts->source ? "Chart.js " : "none", charts->version, f->title);
    fputs(report_css, out);
    fputs("</style>\n</head>\n<body>\n<header class=\"bar\"><a class=\"brand\" "
          "href=\"#top\">ulplab</a><nav>",
          out);
    for (const struct frame_link *l = f->links; l->to; l++)
        markup(out, "<a href=\"%s%s\">%s</a>", strchr(l->to, '.') ? "" : "#", l->to, l->name);
    markup(out,
           "</nav><button id=\"theme\" type=\"button\" hidden>Dark</button><form id=\"filters\" "
           "hidden></form></header>\n<main id=\"top\">\n<h1>%s</h1>\n",
           f->title);
    fputs(f->body, out);
    if (f->drawn && !charts->source)
        fputs("<p class=\"notice\" id=\"no-charts\">There are no charts in this report: Chart.js "
              "was not found when it was written. Install the package <code>libjs-chart.js</code> "
              "and write it again with <code>ulplab report --format html</code>. The tables are "
              "complete.</p>",
              out);
    fprintf(out, "<noscript><p class=\"notice\">Scripts are off: %s</p></noscript>\n</main>\n",
            f->without);
    write_scripts(out, f, charts);
    fputs("</body>\n</html>\n", out);
}

int frame_write(const struct frame *f, const char *path, struct error *e)
{
    struct library charts = {.source = NULL};
    char *text = NULL;
    size_t size = 0;
    int code = f->drawn ? find_library(&charts, e) : 0;
    FILE *out = memory_text(&text, &size);
    if (!code) frame_write_page(out, f, &charts);
    memory_text_close(out);
    if (!code) code = file_write_atomic(path, text, size, e);
    free(charts.source);
    free(text);
    free(f->body);
    json_decref(f->data);
    return code;
}
