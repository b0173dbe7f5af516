/* The files of src/publish/site/assets/ (assets.S). They end with no NUL. */
#ifndef ULPLAB_ASSETS_H
#define ULPLAB_ASSETS_H

#include <stddef.h>

/* Of all pages. */
extern const char report_css[], page_js[];
extern const size_t report_css_size, page_js_size;
/* Of pages whose view stands in their address; of those with charts. */
extern const char filters_js[], grid_js[], drawing_js[];
extern const size_t filters_js_size, grid_js_size, drawing_js_size;
/* vector-math.html. */
extern const char vectors_html[], vectors_css[], vectors_js[], vectors_chart_js[];
extern const size_t vectors_html_size, vectors_css_size, vectors_js_size, vectors_chart_js_size;
/* report.html. */
extern const char index_html[], app_js[], tables_js[], charts_js[];
extern const size_t index_html_size, app_js_size, tables_js_size, charts_js_size;
/* performance.html. */
extern const char cpus_html[], cpus_css[], cpus_js[], cpus_tables_js[];
extern const size_t cpus_html_size, cpus_css_size, cpus_js_size, cpus_tables_js_size;
/* performance.html of many machines. */
extern const char many_html[], many_js[];
extern const size_t many_html_size, many_js_size;

#endif
