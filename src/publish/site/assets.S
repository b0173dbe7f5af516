/* SPDX-License-Identifier: MIT */
/* The pages' skeletons, style sheets and scripts (src/publish/site/assets/), embedded: an installed program needs
 * no source tree. assets.h declares them. */
    .section .note.GNU-stack, "", @progbits

    .macro asset name, file
    .section .rodata
    .globl \name
\name:
    .incbin "\file"
    .byte 0
    .endm

    asset report_page_sql, "src/publish/site/report_page.sql"
    asset vector_page_sql, "src/publish/site/vector_page.sql"
    asset report_css, "src/publish/site/assets/report.css"
    asset page_js, "src/publish/site/assets/page.js"
    asset filters_js, "src/publish/site/assets/filters.js"
    asset grid_js, "src/publish/site/assets/grid.js"
    asset drawing_js, "src/publish/site/assets/drawing.js"
    asset app_js, "src/publish/site/assets/app.js"
    asset tables_js, "src/publish/site/assets/tables.js"
    asset charts_js, "src/publish/site/assets/charts.js"
    asset vectors_html, "src/publish/site/assets/vectors.html"
    asset vectors_css, "src/publish/site/assets/vectors.css"
    asset vectors_js, "src/publish/site/assets/vectors.js"
    asset vectors_chart_js, "src/publish/site/assets/vectors_chart.js"
    asset machines_html, "src/publish/site/assets/machines.html"
    asset machines_css, "src/publish/site/assets/machines.css"
    asset machines_js, "src/publish/site/assets/machines.js"
    asset history_html, "src/publish/site/assets/history.html"
    asset history_css, "src/publish/site/assets/history.css"
    asset history_js, "src/publish/site/assets/history.js"
