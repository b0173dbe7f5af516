/* The sections of report.html and what they are written from. */
#ifndef ULPLAB_HTML_PAGE_H
#define ULPLAB_HTML_PAGE_H

#include <stdio.h>

#include "publish/analyse/bits.h"
#include "publish/analyse/choice.h"
#include "publish/load/results.h"
#include "publish/analyse/summary.h"

/* The largest of each over the row lengths of one variant and input family; NAN without records. */
struct family_error {
    double p50, p99, p9999, max, mean;
};

struct html_page {
    FILE *out;
    const struct results *r;
    const struct summaries *s;
    const struct bit_classes *bits;
    const json_t *cases; /* records of cases.jsonl */
    struct present present;
    struct axis_values families;
    const struct family_error *errors; /* [summaries][families] */
};

static inline const struct family_error *page_error(const struct html_page *p, size_t variant,
                                                    size_t family)
{
    return &p->errors[variant * p->families.count + family];
}

/* "" where there is no such string. */
const char *page_text(const json_t *object, const char *key);
/* "avx512" as people write it. */
const char *isa_title(const char *isa);
/* The algorithm, with its dtype where that is not the usual one. */
void page_kernel(const struct html_page *p, const struct axes *a);
/* Opens a section with its title; a figure that scripts fill ("" for none) stands under it. */
void section_open(const struct html_page *p, const char *id, const char *title);
void section_close(const struct html_page *p);
/* Room for a chart; shown once a script has drawn it. `label` is what a screen reader says. */
void chart_room(const struct html_page *p, const char *name, const char *label);

void html_answer(const struct html_page *p);
void html_policies(const struct html_page *p);
void html_isas(const struct html_page *p);
void html_divergence(const struct html_page *p);
void html_speed(const struct html_page *p);
void html_errors(const struct html_page *p);
void html_cases(const struct html_page *p);
void html_variants(const struct html_page *p);
void html_field(const struct html_page *p);
void html_compilers(const struct html_page *p);
void html_machine(const struct html_page *p);
void html_missing(const struct html_page *p);
/* What the charts draw, as JSON inside a script element that runs nothing. */
void html_data(const struct html_page *p);

#endif
