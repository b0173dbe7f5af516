/* assets/history.html, embedded; page_asset.h declares it. */
    .section .note.GNU-stack, "", @progbits
    .section .rodata
    .globl history_html, history_html_size
history_html:
    .incbin "src/publish/history/assets/history.html"
    .set length, . - history_html
    .balign 8
history_html_size:
    .quad length
