/* The files of src/publish/site/assets/ (assets.S). They end with no NUL. */
#ifndef ULPLAB_ASSETS_H
#define ULPLAB_ASSETS_H

#include <stddef.h>

extern const char report_css[], report_js[], charts_js[];
extern const size_t report_css_size, report_js_size, charts_js_size;

#endif
