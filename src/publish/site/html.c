#include "publish/site/html.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "publish/site/assets.h"
#include "publish/sections/evidence.h"
#include "publish/site/html_page.h"
#include "publish/render/markup.h"

/* ---- What sections share ----------------------------------------------------------------------
 */

const char *page_text(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

const char *isa_title(const char *isa)
{
    static const char *const titles[][2] = {
        {"avx2", "AVX2"}, {"avx512", "AVX-512"}, {"avx512fp16", "AVX-512 FP16"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (!strcmp(titles[i][0], isa)) return titles[i][1];
    return isa;
}

void page_kernel(const struct html_page *p, const struct axes *a)
{
    bool usual = !strcmp(a->dtype, "f32");
    markup(p->out, "%s%s%s", a->algorithm, usual ? "" : " ", usual ? "" : a->dtype);
}

void section_open(const struct html_page *p, const char *id, const char *title)
{
    markup(p->out, "<section id=\"%s\">\n<h2>%s</h2>\n", id, title);
}

void section_close(const struct html_page *p)
{
    fputs("</section>\n", p->out);
}

void chart_room(const struct html_page *p, const char *name, const char *label)
{
    markup(p->out,
           "<figure class=\"chart\" id=\"chart-%s\" hidden><div class=\"controls\"></div>"
           "<div class=\"canvas\"><canvas role=\"img\" aria-label=\"%s\"></canvas></div>"
           "<figcaption></figcaption></figure>\n",
           name, label);
}

/* ---- Chart.js ---------------------------------------------------------------------------------
 */

struct library {
    char *source; /* NULL: none */
    size_t size;
};

/* A file of at most 4 MiB that is Chart.js of a version whose interface the report speaks. */
static bool library_read(const char *path, struct library *library)
{
    enum { MOST = 4 << 20 };
    FILE *in = fopen(path, "rbe");
    char *text = in ? malloc(MOST + 1) : NULL;
    size_t size = text ? fread(text, 1, MOST, in) : 0;
    if (in) fclose(in);
    if (text) text[size] = '\0';
    if (!size || (!strstr(text, "Chart.js v3.") && !strstr(text, "Chart.js v4."))) {
        free(text);
        return false;
    }
    *library = (struct library){.source = text, .size = size};
    return true;
}

static struct library library_find(void)
{
    static const char *const places[] = {"/usr/share/javascript/chart.js/chart.min.js",
                                         "/usr/share/javascript/chart.js/chart.umd.js",
                                         "/usr/share/nodejs/chart.js/dist/chart.min.js",
                                         "/usr/share/nodejs/chart.js/dist/chart.umd.js"};
    struct library library = {0};
    const char *named = getenv("ULPLAB_CHART_JS");
    if (named)
        library_read(named, &library);
    else
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            if (library_read(places[i], &library)) break;
    return library;
}

/* ---- The page ---------------------------------------------------------------------------------
 */

static size_t always(const struct html_page *p)
{
    (void)p;
    return 1;
}
static size_t variant_count(const struct html_page *p)
{
    return p->s->count;
}
static size_t time_count(const struct html_page *p)
{
    return p->r->timing_count;
}
static size_t accuracy_count(const struct html_page *p)
{
    return p->r->accuracy_count;
}
static size_t codegen_count(const struct html_page *p)
{
    return json_array_size(p->r->codegen);
}
static size_t case_count(const struct html_page *p)
{
    return json_array_size(p->cases);
}

/* The sections that both reports share. */
static struct evidence evidence_of(const struct html_page *p)
{
    return (struct evidence){p->r, p->s, &p->present};
}

static size_t evidence_count(const struct html_page *p)
{
    struct evidence e = evidence_of(p);
    size_t count = 0;
    for (const struct evidence_section *s = evidence_sections; s->id; s++) count += s->records(&e);
    return count;
}

static void write_evidence(const struct html_page *p)
{
    struct evidence e = evidence_of(p);
    evidence_write(&e, &(struct doc){p->out, true});
}

static const struct part {
    const char *id, *title; /* in the navigation */
    void (*write)(const struct html_page *);
    size_t (*needs)(const struct html_page *); /* 0: there is nothing to show */
} parts[] = {
    {"answer", "Answer", html_answer, always},
    {"policy", "Policies", html_policies, variant_count},
    {"bits", "Bits", html_divergence, accuracy_count},
    {"evidence", "Proofs", write_evidence, evidence_count},
    {"isa", "ISA", html_isas, time_count},
    {"speed", "Speed by size", html_speed, time_count},
    {"field", "Field", html_field, time_count},
    {"errors", "Errors", html_errors, accuracy_count},
    {"cases", "Cases", html_cases, case_count},
    {"variants", "All variants", html_variants, variant_count},
    {"compilers", "Compilers", html_compilers, codegen_count},
    {"machine", "Machine", html_machine, always},
    {"missing", "Missing", html_missing, always},
};

/* The policy lets the browser itself refuse whatever would be loaded or sent. */
static void write_head(const struct html_page *p, const char *brand)
{
    markup(p->out,
           "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
           "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"color-scheme\" content=\"light dark\">\n"
           "<title>ulplab on %s</title>\n<style>\n",
           brand);
    fwrite(report_css, 1, report_css_size, p->out);
    fputs("</style>\n</head>\n<body>\n", p->out);
}

static void write_navigation(const struct html_page *p)
{
    fputs("<header class=\"bar\"><a class=\"brand\" href=\"#top\">ulplab</a><nav>", p->out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].needs(p))
            markup(p->out, "<a href=\"#%s\">%s</a>", parts[i].id, parts[i].title);
    fputs("</nav><button id=\"theme\" type=\"button\" hidden>Dark</button>"
          "<form id=\"filters\" hidden></form></header>\n",
          p->out);
}

static void write_compilers(const struct html_page *p, const json_t *machine)
{
    json_t *compilers = json_object_get(machine, "compilers"), *compiler;
    const char *cc, *between = "; built by ";
    json_object_foreach(compilers, cc, compiler)
    {
        markup(p->out, "%s%s (%s)", between, cc, json_string_value(compiler));
        between = ", ";
    }
    size_t i;
    json_array_foreach(compilers, i, compiler)
    {
        markup(p->out, "%s%s (%s)", between, page_text(compiler, "cc"),
               page_text(compiler, "version"));
        between = ", ";
    }
}

static void write_title(const struct html_page *p, const char *brand)
{
    const json_t *machine = json_object_get(p->r->machine, "machine");
    const json_t *tool = json_object_get(p->r->machine, "tool");
    markup(p->out, "<main id=\"top\">\n<h1>%s</h1>\n<p class=\"subtitle\">", brand);
    if (*page_text(machine, "label")) markup(p->out, "%s, ", page_text(machine, "label"));
    if (*page_text(machine, "slug"))
        markup(p->out, "<code>%s</code>; ", page_text(machine, "slug"));
    fputs("ulplab", p->out);
    if (*page_text(tool, "version")) markup(p->out, " %s", page_text(tool, "version"));
    if (*page_text(tool, "commit"))
        markup(p->out, ", commit <code>%s</code>", page_text(tool, "commit"));
    write_compilers(p, machine);
    fputs("</p>\n", p->out);
}

static void write_script(const struct html_page *p, const char *source, size_t size)
{
    fputs("<script>\n", p->out);
    markup_script(p->out, source, size);
    fputs("\n</script>\n", p->out);
}

static void write_scripts(const struct html_page *p, const struct library *library)
{
    html_data(p);
    write_script(p, report_js, report_js_size);
    if (!library->source) return;
    write_script(p, library->source, library->size);
    write_script(p, charts_js, charts_js_size);
}

static void write_page(const struct html_page *p)
{
    const json_t *machine = json_object_get(p->r->machine, "machine");
    const char *brand = page_text(machine, "brand");
    if (!*brand) brand = "an unnamed machine";
    struct library library = library_find();
    write_head(p, brand);
    write_navigation(p);
    write_title(p, brand);
    if (!library.source)
        fputs("<p class=\"notice\" id=\"no-charts\">There are no charts in this report: Chart.js "
              "was not "
              "found when it was written. Install the package <code>libjs-chart.js</code> and "
              "write it "
              "again with <code>ulplab report --format html</code>. The tables are complete.</p>\n",
              p->out);
    fputs("<noscript><p class=\"notice\">Scripts are off: charts, filters and sorting are missing, "
          "every table is here.</p></noscript>\n",
          p->out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].needs(p)) parts[i].write(p);
    fputs("</main>\n", p->out);
    write_scripts(p, &library);
    fputs("</body>\n</html>\n", p->out);
    free(library.source);
}

/* ---- From a folder ----------------------------------------------------------------------------
 */

static void largest(double *to, double value)
{
    *to = fmax(*to, value); /* fmax leaves NAN out */
}

static struct family_error *collect_errors(struct html_page *p)
{
    families_collect(p->r, &p->families);
    size_t count = p->s->count * p->families.count;
    struct family_error *errors = calloc(count + 1, sizeof *errors);
    for (size_t i = 0; errors && i < count; i++)
        errors[i] = (struct family_error){NAN, NAN, NAN, NAN, NAN};
    for (size_t i = 0; errors && i < p->r->accuracy_count; i++) {
        const struct accuracy_result *a = &p->r->accuracies[i];
        size_t variant = (size_t)(summaries_find(p->s, &a->axes) - p->s->items), family = 0;
        while (family < p->families.count && strcmp(p->families.items[family], a->family)) family++;
        if (family == p->families.count) continue; /* more families than a report can show */
        struct family_error *to = &errors[variant * p->families.count + family];
        largest(&to->p50, record_number(a->record, "p50_ulp"));
        largest(&to->p99, record_number(a->record, "p99_ulp"));
        largest(&to->p9999, record_number(a->record, "p9999_ulp"));
        largest(&to->max, a->max_ulp);
        largest(&to->mean, a->mean_ulp);
    }
    return errors;
}

static int write_from(const struct results *r, const struct summaries *s,
                      const struct bit_classes *bits, const json_t *cases, const char *path,
                      struct error *e)
{
    char *text = NULL;
    size_t size = 0;
    struct html_page page = {.r = r, .s = s, .bits = bits, .cases = cases};
    axes_collect(s, &page.present);
    struct family_error *errors = collect_errors(&page);
    page.errors = errors;
    page.out = errors ? open_memstream(&text, &size) : NULL;
    bool bad = !page.out;
    if (!bad) write_page(&page);
    if (!bad) bad = ferror(page.out) || fclose(page.out) != 0;
    int code =
        bad ? fail(e, EXIT_PARTIAL, "out of memory: %s: %s; free some", path, strerror(errno))
            : file_write_atomic(path, text, size, e);
    free(text);
    free(errors);
    return code;
}

int html_write(const char *folder, char *path, size_t path_size, struct error *e)
{
    struct results r;
    struct summaries s = {0};
    struct bit_classes bits = {0};
    json_t *cases = NULL;
    snprintf(path, path_size, "%s/report.html", folder);
    int code = results_read(folder, &r, e);
    if (code) return code;
    if (!code) code = record_read_from(folder, "cases.jsonl", true, &cases, e);
    if (!code) code = summaries_make(&r, &s, e);
    if (!code) code = bit_classes_make(&r, &s, &bits, e);
    if (!code) code = write_from(&r, &s, &bits, cases, path, e);
    bit_classes_free(&bits);
    summaries_free(&s);
    json_decref(cases);
    results_free(&r);
    return code;
}
