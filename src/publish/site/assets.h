// SPDX-License-Identifier: MIT
/* The files of src/publish/site/assets/ (publish/embedded.S), as C strings. */
#ifndef ULPLAB_ASSETS_H
#define ULPLAB_ASSETS_H

/* Style and scripts of the frame of all pages; drawing.js is of those with charts. */
extern const char report_css[], page_js[], filters_js[], grid_js[], drawing_js[];
/* report.html. */
extern const char report_page_sql[], app_js[], tables_js[], charts_js[];
/* vector-math.html. */
extern const char vector_page_sql[], vectors_html[], vectors_js[], vectors_chart_js[];
/* performance.html. */
extern const char machines_html[], machines_js[];
/* A site (site.h). */
extern const char site_tables_sql[], site_run_sql[], site_add_sql[], site_cpu_sql[],
    site_operation_sql[], site_index_sql[], site_page_sql[], site_html[], site_js[];
/* history.html. */
extern const char history_page_sql[], history_html[], history_js[];

#endif
