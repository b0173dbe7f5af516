/* The pages' skeletons, style sheets and scripts (src/publish/site/assets/), embedded: an installed program needs
 * no source tree. assets.h declares them. */
    .section .note.GNU-stack, "", @progbits

    .macro asset name, file
    .section .rodata
    .globl \name, \name\()_size
\name:
    .incbin "\file"
    .set length, . - \name
    .balign 8
\name\()_size:
    .quad length
    .endm

    asset index_html, "src/publish/site/assets/index.html"
    asset cpus_html, "src/publish/site/assets/cpus.html"
    asset report_css, "src/publish/site/assets/report.css"
    asset cpus_css, "src/publish/site/assets/cpus.css"
    asset page_js, "src/publish/site/assets/page.js"
    asset filters_js, "src/publish/site/assets/filters.js"
    asset grid_js, "src/publish/site/assets/grid.js"
    asset drawing_js, "src/publish/site/assets/drawing.js"
    asset vectors_html, "src/publish/site/assets/vectors.html"
    asset vectors_css, "src/publish/site/assets/vectors.css"
    asset vectors_js, "src/publish/site/assets/vectors.js"
    asset vectors_chart_js, "src/publish/site/assets/vectors_chart.js"
    asset app_js, "src/publish/site/assets/app.js"
    asset tables_js, "src/publish/site/assets/tables.js"
    asset charts_js, "src/publish/site/assets/charts.js"
    asset cpus_js, "src/publish/site/assets/cpus.js"
    asset cpus_tables_js, "src/publish/site/assets/cpus_tables.js"
    asset many_html, "src/publish/site/assets/many.html"
    asset many_js, "src/publish/site/assets/many.js"
