/* What a wider ISA buys, by operation. */
#include "publish/analyse/effect.h"
#include "publish/sections/heat.h"
#include "publish/sections/sections.h"

void section_isas(const struct report *r, struct doc *d)
{
    static const char *const steps[][2] = {
        {"scalar", "avx2"}, {"avx2", "avx512"}, {"scalar", "avx512"}};
    static const char *const heads[] = {"operation", "AVX2 / scalar", "AVX-512 / AVX2",
                                        "AVX-512 / scalar", NULL};
    doc_text(d, "Speed of the first relative to the second, same kernel, compiler, policy and "
                "shape: geometric mean (middle 90%%).");
    doc_table_styled(d, "matrix", heads);
    for (size_t o = 0; o < r->present.ops.count; o++) {
        const char *op = r->present.ops.items[o];
        doc_row_of(d, op, NULL);
        doc_cell(d, "%s", op);
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            struct effect_of of = {.axis = "isa", .from = steps[k][0], .to = steps[k][1], .op = op};
            struct effect f = effect_on_time(&r->results, of);
            if (f.pairs)
                doc_shaded(d, heat_of(f.geomean), "**%.3f** ~(%.2f to %.2f)~", f.geomean, f.p5,
                           f.p95);
            else
                doc_cell(d, "-");
        }
        doc_row_end(d);
    }
    doc_table_end(d);
}
