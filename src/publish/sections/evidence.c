#include "publish/sections/evidence.h"

const struct evidence_section evidence_sections[] = {
    {"reach", "How near to the limit", reach_records, reach_write},
    {"contraction", "What contraction is worth", contraction_records, contraction_write},
    {"ways", "Which way rows go", ways_records, ways_write},
    {"cores", "All cores", cores_records, cores_write},
    {"divergence", "What bits depend on", divergence_records, divergence_write},
    {"invariant", "What equal bits cost", invariant_records, invariant_write},
    {"bounds", "Measured over proven bound", bounds_records, bounds_write},
    {"search", "Worst inputs found", searches_records, searches_write},
    {"scan", "Every fp32 input", scans_records, scans_write},
    {"certificate", "The oracle's own error", certificate_records, certificate_write},
    {0},
};

void evidence_write(const struct evidence *e, const struct doc *d)
{
    if (d->html) fputs("<div id=\"evidence\">\n", d->out);
    for (const struct evidence_section *s = evidence_sections; s->id; s++) {
        if (!s->records(e)) continue;
        doc_section(d, s->id, s->title);
        s->write(e, d);
        doc_section_end(d);
    }
    if (d->html) fputs("</div>\n", d->out);
}
