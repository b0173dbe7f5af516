/* The sections of every time, every error and every variant: their tables are built by the page's
 * script (site/assets/tables.js) from the page's data (site/data.h). */
#include "publish/sections/sections.h"

void section_speed(const struct report *r, struct doc *d)
{
    (void)r;
    doc_text(d, "Per kernel and ISA the fastest build at each shape. \"%% of limit\" is the least "
                "time that this core's arithmetic or bandwidth allows, measured in the same run, "
                "over the time taken; \"per vector\" the instructions that the kernel counts, and "
                "its lanes.");
    doc_chart(d, "speed",
              "Time per element against the size of the data, with the machine's limits");
    doc_data_table(d, "time-table");
}

void section_errors(const struct report *r, struct doc *d)
{
    (void)r;
    doc_text(d, "Half of the elements are better than p50, one in a hundred is worse than p99, one "
                "in ten thousand worse than p99.99; each the largest over the row lengths.");
    doc_chart(d, "errors", "Median, 99th and 99.99th percentile and maximum of the error");
    doc_text(d, "Largest error in ULP by input family, over every row length.");
    doc_data_table(d, "error-table");
}

void section_variants(const struct report *r, struct doc *d)
{
    if (r->summaries.home_rows)
        doc_text(d, "Times at %zu rows of %zu.", r->summaries.home_rows, r->summaries.home_n);
    doc_text(d, "**worst ULP**: over all families; **scaled**: largest error relative to the size "
                "of the inputs; **of bound**: measured over proven, above 1 is a finding; "
                "**specials**: NaN, infinities and signs that are not as they should be; **FMA**: "
                "fused multiply-adds in its machine code.");
    doc_data_table(d, "variant-table");
}
