/* The page's skeleton, style and script (assets/history.html), embedded by page_asset.S: an
 * installed program needs no source tree. {{data}} stands where the data go. It ends with no NUL.
 */
#ifndef ULPLAB_HISTORY_PAGE_ASSET_H
#define ULPLAB_HISTORY_PAGE_ASSET_H

#include <stddef.h>

extern const char history_html[];
extern const size_t history_html_size;

#endif
