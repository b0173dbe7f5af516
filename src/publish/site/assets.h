/* The files of src/publish/site/assets/ (assets.S). They end with no NUL. */
#ifndef ULPLAB_ASSETS_H
#define ULPLAB_ASSETS_H

#include <stddef.h>

extern const char index_html[], report_css[], app_js[], tables_js[], charts_js[];
extern const size_t index_html_size, report_css_size, app_js_size, tables_js_size, charts_js_size;

#endif
