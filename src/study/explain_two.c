// SPDX-License-Identifier: MIT
#include "study/explain_two.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/record.h"
#include "study/explain_loops.h"

/* ---- Lines ----------------------------------------------------------------------------------- */

static const char *form_of(const struct explained *x, size_t i)
{
    return x->code.ops[x->loops[0].ops[i]].form;
}

static enum code_kind kind_at(const struct explained *x, size_t i)
{
    return kind_of(&x->code.ops[x->loops[0].ops[i]]);
}

/* Returns whether two instructions have the same mnemonic and operands; branches are alike. */
static bool are_alike(const struct explained *a, size_t i, const struct explained *b, size_t k)
{
    return kind_at(a, i) == kind_at(b, k) && !strcmp(form_of(a, i), form_of(b, k));
}

/* Returns whether two kinds stand for each other where they differ: an FMA stands for what it
 * fuses. */
static bool are_akin(enum code_kind a, enum code_kind b)
{
    return a == b || (a <= KIND_ADD && b <= KIND_ADD);
}

/* Writes a gap, lines that only one of the two has: `first` of a from i on, `second` of b from k
 * on. */
static size_t put_gap(const struct explained *a, size_t i, size_t first, const struct explained *b,
                      size_t k, size_t second, struct explained_line *lines)
{
    size_t count = 0, done = 0;
    for (size_t right = 0; right < second; right++) {
        size_t left = done;
        while (left < first && !are_akin(kind_at(a, i + left), kind_at(b, k + right))) left++;
        if (left == first) {
            lines[count++] = (struct explained_line){.a = -1, .b = (int)(k + right)};
            continue;
        }
        for (; done < left; done++)
            lines[count++] = (struct explained_line){.a = (int)(i + done), .b = -1};
        lines[count++] =
            (struct explained_line){.a = (int)(i + done++), .b = (int)(k + right), .changed = true};
    }
    for (; done < first; done++)
        lines[count++] = (struct explained_line){.a = (int)(i + done), .b = -1};
    return count;
}

size_t explain_align(const struct explained *a, const struct explained *b,
                     struct explained_line **lines)
{
    const size_t n = a->loop_count ? a->loops[0].op_count : 0,
                 m = b->loop_count ? b->loops[0].op_count : 0;
    unsigned *longest = memory_zeroed((n + 1) * (m + 1), sizeof *longest);
#define LONGEST(i, k) longest[(i) * (m + 1) + (k)]
    for (size_t i = n; i-- > 0;)
        for (size_t k = m; k-- > 0;)
            LONGEST(i, k) = are_alike(a, i, b, k)                   ? LONGEST(i + 1, k + 1) + 1
                            : LONGEST(i + 1, k) > LONGEST(i, k + 1) ? LONGEST(i + 1, k)
                                                                    : LONGEST(i, k + 1);
    size_t count = 0, i = 0, k = 0;
    *lines = memory_zeroed(n + m + 1, sizeof **lines);
    while (i < n || k < m) {
        size_t first = i, second = k;
        while ((i < n || k < m) && !(i < n && k < m && are_alike(a, i, b, k)))
            if (i < n && (k == m || LONGEST(i + 1, k) >= LONGEST(i, k + 1)))
                i++;
            else
                k++;
        count += put_gap(a, first, i - first, b, second, k - second, *lines + count);
        for (; i < n && k < m && are_alike(a, i, b, k); i++, k++)
            (*lines)[count++] = (struct explained_line){.a = (int)i, .b = (int)k};
    }
#undef LONGEST
    free(longest);
    return count;
}

void explain_op_text(const struct explained *x, size_t i, char *text, size_t size)
{
    op_text(&x->code.ops[x->loops[0].ops[i]], text, size);
}

/* ---- What changed ---------------------------------------------------------------------------- */

double explain_count(const struct explained *x, enum code_kind kind, unsigned lanes)
{
    double sum = 0;
    for (size_t k = 0; k < x->loop_count; k++)
        sum += x->loops[k].counts[kind] * (x->loops[k].passes ? (double)x->loops[k].passes : 1);
    return sum * lanes / x->elements;
}

static double predicted(const struct explained *x)
{
    return fmax(x->facts.model, x->facts.memory);
}

/* Returns how many pairs of a multiplication and an addition in a are FMAs in b. */
static double fused_pairs(const double a[CODE_KINDS], const double b[CODE_KINDS])
{
    return fmin(b[KIND_FMA] - a[KIND_FMA],
                fmin(a[KIND_MUL] - b[KIND_MUL], a[KIND_ADD] - b[KIND_ADD]));
}

json_t *explain_difference(const struct explained *a, unsigned a_lanes, const struct explained *b,
                           unsigned b_lanes)
{
    double first[CODE_KINDS], second[CODE_KINDS];
    char words[160] = "";
    json_t *counts = json_object();
    for (size_t k = 0; k < CODE_KINDS; k++) {
        first[k] = explain_count(a, (enum code_kind)k, a_lanes);
        second[k] = explain_count(b, (enum code_kind)k, b_lanes);
        if (first[k] > 0 || second[k] > 0)
            json_object_set_new(counts, code_kind_name((enum code_kind)k),
                                json_pack("[f, f]", first[k], second[k]));
    }
    double there = fused_pairs(first, second), back = fused_pairs(second, first);
    if (there >= 0.5)
        snprintf(words, sizeof words, "%.0f pair%s of a multiplication and an addition became %s",
                 there, there < 1.5 ? "" : "s", there < 1.5 ? "an FMA" : "FMAs");
    else if (back >= 0.5)
        snprintf(words, sizeof words, "%.0f FMA%s became %s of a multiplication and an addition",
                 back, back < 1.5 ? "" : "s", back < 1.5 ? "a pair" : "pairs");
    return json_pack("{s:o, s:o, s:o, s:o, s:s}", "counts", counts, "fused",
                     record_real(there >= 0.5  ? there
                                 : back >= 0.5 ? -back
                                               : 0),
                     "ratio", record_real(b->facts.measured / a->facts.measured), "model_ratio",
                     record_real(predicted(b) / predicted(a)), "words", words);
}
