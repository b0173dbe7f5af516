/* The page's skeleton, style sheet and scripts (src/publish/site/assets/), embedded: an installed program needs
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
    asset report_css, "src/publish/site/assets/report.css"
    asset app_js, "src/publish/site/assets/app.js"
    asset tables_js, "src/publish/site/assets/tables.js"
    asset charts_js, "src/publish/site/assets/charts.js"
