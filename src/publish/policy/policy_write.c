#include "publish/policy/policy_write.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "model/record.h"
#include "publish/load/codes.h"

enum { SENTENCE = LOSS_TEXT + 160 };

/* "yes", "no 3/17" (stable kernels of all), "-" where it was not measured. */
static struct cell_text stability_text(const struct policy_row *row, enum stable_over over)
{
    struct cell_text cell = {"-"};
    if (row->stable[over] == STABILITY_YES)
        snprintf(cell.text, sizeof cell.text, "yes");
    else if (row->stable[over] == STABILITY_NO)
        snprintf(cell.text, sizeof cell.text, "no %zu/%zu", row->stable_kernels[over],
                 row->known_kernels[over]);
    return cell;
}

static struct cell_text speed_text(struct speed speed)
{
    struct cell_text cell = {"-"};
    int used = 1;
    if (!isnan(speed.ratio))
        used = snprintf(cell.text, sizeof cell.text, "%.3f [%.3f, %.3f]", speed.ratio, speed.low,
                        speed.high);
    if (speed.left_out)
        snprintf(cell.text + used, sizeof cell.text - (size_t)used, " (%zu left out)",
                 speed.left_out);
    return cell;
}

static struct cell_text cases_text(const struct policies *p, const struct policy_row *row)
{
    struct cell_text cell = {"-"};
    if (p->cases_known)
        snprintf(cell.text, sizeof cell.text, "%zu", json_array_size(row->cases_broken));
    return cell;
}

/* "silu/own", and of how many more builds: what a policy loses that `off` computes. False where it
 * loses nothing. */
static bool loss_sentence(const struct policies *p, const struct policy_row *row,
                          char text[SENTENCE])
{
    char worst[LOSS_TEXT];
    size_t builds;
    const struct loss *loss = losses_worst(&p->losses, row->cc, row->policy, &builds);
    if (!loss) return false;
    loss_text(loss, worst);
    int length = snprintf(text, SENTENCE, "%s %s: %s", row->cc, row->policy, worst);
    if (builds > 1)
        snprintf(text + length, (size_t)(SENTENCE - length), "; %zu other build%s", builds - 1,
                 builds > 2 ? "s lose results" : " loses results");
    return true;
}

/* Of the build that loses most. */
static size_t lost_of(const struct policies *p, const struct policy_row *row)
{
    size_t builds;
    const struct loss *loss = losses_worst(&p->losses, row->cc, row->policy, &builds);
    return loss ? loss->lost : 0;
}

static const char *scope(const struct policies *p)
{
    return p->ops[0] ? p->ops : "nothing: no accuracy was measured";
}

/* ---- For people ----------------------------------------------------------------------------- */

static void write_verdicts(const struct policies *p, FILE *out, struct terminal terminal)
{
    size_t width = 0;
    for (size_t i = 0; i < p->count; i++) {
        size_t own = strlen(p->rows[i].cc) + strlen(p->rows[i].policy) + 1;
        if (own > width) width = own;
    }
    for (size_t i = 0; i < p->count; i++) {
        const struct policy_row *row = &p->rows[i];
        int rest = (int)(width - strlen(row->cc) - 1);
        write_prose(out, terminal, width + 4, "  %s %-*s  %s", row->cc, rest, row->policy,
                    row->verdict);
    }
}

/* The kernels that `off` of the same compiler keeps within the bar, and the row does not; *farthest
 * is the worst of them. */
static size_t beyond_bar(const struct policies *p, const struct policy_row *row,
                         const struct policy_kernel **farthest)
{
    const struct policy_row *off = policy_find(p, row->cc, "off");
    size_t count = 0;
    *farthest = NULL;
    for (size_t i = 0; off && i < row->kernel_count; i++) {
        const struct policy_kernel *k = &row->kernels[i];
        for (size_t j = 0; j < off->kernel_count; j++) {
            const struct policy_kernel *o = &off->kernels[j];
            if (strcmp(k->op, o->op) || strcmp(k->algorithm, o->algorithm) ||
                strcmp(k->dtype, o->dtype) || !(o->advised <= p->bar) || !(k->advised > p->bar))
                continue;
            count++;
            if (!*farthest || k->advised > (*farthest)->advised) *farthest = k;
        }
    }
    return count;
}

/* False where every kernel stays within the bar that `off` keeps there. */
static bool beyond_sentence(const struct policies *p, const struct policy_row *row,
                            char text[SENTENCE])
{
    const struct policy_kernel *farthest;
    size_t count = beyond_bar(p, row, &farthest);
    if (count)
        snprintf(
            text, SENTENCE,
            "%s %s: %zu kernel%s that off keeps within the bar %s beyond it, %s/%s the farthest "
            "(%s %s)",
            row->cc, row->policy, count, count > 1 ? "s" : "", count > 1 ? "are" : "is",
            farthest->op, farthest->algorithm, number_error(farthest->advised, NAN).text,
            error_unit(p->results, farthest->op));
    return count > 0;
}

static void write_losses(const struct policies *p, FILE *out, struct terminal terminal)
{
    char text[SENTENCE];
    for (size_t i = 0; i < p->count; i++)
        if (loss_sentence(p, &p->rows[i], text)) write_prose(out, terminal, 4, "  %s.", text);
    for (size_t i = 0; i < p->count; i++)
        if (beyond_sentence(p, &p->rows[i], text)) write_prose(out, terminal, 4, "  %s.", text);
}

static void write_bar(const struct policies *p, FILE *out, struct terminal terminal)
{
    if (!isnan(p->bar))
        write_prose(out, terminal, 2,
                    "Only kernels within the bar of %s ulp, or u where results come near zero "
                    "(--max-ulp), over every input where a scan has them all, else over all "
                    "families, are in the figures.",
                    number_digits(p->bar, 3).text);
}

static void write_scope(const struct policies *p, FILE *out, struct terminal terminal)
{
    char identical[200];
    identical_text(&p->identical, identical, sizeof identical);
    fputc('\n', out);
    write_prose(out, terminal, 2,
                "speed: relative to off of the same compiler, geometric mean over cells [95%%, "
                "%s]; overall: "
                "relative to off of one compiler. %s",
                p->identical.side_by_side ? "over processes" : "as if all cells erred together",
                identical);
    write_prose(out, terminal, 2, "ulp: family normal, over %s. Hazards are in no figure%s.",
                scope(p), p->constrained ? ", nor are kernels that miss the constraints" : "");
    write_prose(out, terminal, 2,
                "lost: results that off computes and the policy does not, of its worst build.");
    write_prose(
        out, terminal, 2,
        "isa, cc, tail, threads: are the bits of every kernel equal over them? no 3/17: of 3 "
        "kernels in 17.");
    write_prose(out, terminal, 2, "front: nothing is at least as fast (overall) and as accurate.%s",
                p->cases_known ? "" : " cases: not measured.");
}

/* Which kernels meet the constraints: the advice holds for them. */
static void write_kernels(const struct policy_row *row, FILE *out, struct terminal terminal)
{
    char names[1600] = "";
    for (size_t i = 0, length = 0; i < row->kernel_count && length < sizeof names; i++)
        if (row->kernels[i].fits)
            length += (size_t)snprintf(names + length, sizeof names - length, " %s/%s",
                                       row->kernels[i].op, row->kernels[i].algorithm);
    write_prose(out, terminal, 2, "With the kernels that meet the constraints:%s", names);
}

void policies_write(const struct policies *p, FILE *out, struct terminal terminal, bool brief)
{
    static const struct column columns[] = {
        {"cc", false, 0},     {"policy", false, 0}, {"speed [95%]", true, 0}, {"overall", true, 3},
        {"max ulp", true, 0}, {"lost", true, 0},    {"mean", true, 4},        {"isa", false, 2},
        {"cc", false, 2},     {"tail", false, 5},   {"threads", false, 5},    {"cases", true, 6},
        {"front", false, 1},
    };
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->count; i++) {
        const struct policy_row *row = &p->rows[i];
        table_add(&table,
                  row == p->recommended ? TINT_GOOD
                  : row->allowed        ? TINT_NONE
                                        : TINT_FAINT,
                  (const char *const[]){
                      row->cc, row->policy, speed_text(row->speed).text,
                      number_decimals(row->overall, 3).text, number_error(row->max_ulp, NAN).text,
                      number_digits((double)lost_of(p, row), 17).text,
                      number_error(row->mean_ulp, NAN).text, stability_text(row, OVER_ISA).text,
                      stability_text(row, OVER_CC).text, stability_text(row, OVER_TAIL).text,
                      stability_text(row, OVER_THREADS).text, cases_text(p, row).text,
                      row->pareto ? "yes" : "-"});
    }
    table_end(&table, out, terminal);
    fputc('\n', out);
    write_verdicts(p, out, terminal);
    write_losses(p, out, terminal);
    if (!brief) write_scope(p, out, terminal);
    if (!brief) write_bar(p, out, terminal);
    fputc('\n', out);
    write_prose(out, terminal, 0, "%s%s.", p->recommended ? "Recommended: " : "", p->why);
    if (p->recommended && p->constrained) write_kernels(p->recommended, out, terminal);
    if (p->recommended && !brief)
        fprintf(out, "Flags: %s\n",
                p->recommended->flags[0] ? p->recommended->flags : "none to add");
}

void policies_write_markdown(const struct policies *p, FILE *out)
{
    fprintf(
        out,
        "Speed is relative to `off` of the same compiler (geometric mean over cells, 95%% "
        "interval); lost are results that `off` computes and the policy does not, of its worst "
        "build; ULP is over family `normal` of %s; hazards are in no figure. A policy is *stable* "
        "over an "
        "axis when every kernel's bits are equal over it. **Bold**: recommended; \\*: on the "
        "Pareto "
        "front of speed against error.\n\n"
        "| compiler | policy | speed | max ULP | lost | mean ULP | stable over ISAs | compilers | "
        "tail | "
        "threads | cases broken | verdict |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        scope(p));
    for (size_t i = 0; i < p->count; i++) {
        const struct policy_row *row = &p->rows[i];
        const char *bold = row == p->recommended ? "**" : "";
        fprintf(out, "| %s | %s`%s`%s%s | %s | %s | %zu | %s | %s | %s | %s | %s | %s | %s |\n",
                row->cc, bold, row->policy, bold, row->pareto ? " \\*" : "",
                speed_text(row->speed).text, number_error(row->max_ulp, NAN).text, lost_of(p, row),
                number_error(row->mean_ulp, NAN).text, stability_text(row, OVER_ISA).text,
                stability_text(row, OVER_CC).text, stability_text(row, OVER_TAIL).text,
                stability_text(row, OVER_THREADS).text, cases_text(p, row).text, row->verdict);
    }
    char text[SENTENCE];
    fputc('\n', out);
    for (size_t i = 0; i < p->count; i++)
        if (loss_sentence(p, &p->rows[i], text)) fprintf(out, "- %s.\n", text);
    for (size_t i = 0; i < p->count; i++)
        if (beyond_sentence(p, &p->rows[i], text)) fprintf(out, "- %s.\n", text);
    fprintf(out, "\n%s%s.\n", p->recommended ? "**Ship** " : "", p->why);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *stability_json(const struct policy_row *row,
                              json_t *(*one)(const struct policy_row *, enum stable_over))
{
    json_t *stable = json_object();
    for (enum stable_over over = 0; over < OVER_COUNT; over++)
        json_object_set_new(stable, stable_over_name(over), one(row, over));
    return stable;
}

static json_t *verdict_of(const struct policy_row *row, enum stable_over over)
{
    return row->stable[over] == STABILITY_UNKNOWN
               ? json_null()
               : json_boolean(row->stable[over] == STABILITY_YES);
}

static json_t *kernels_of(const struct policy_row *row, enum stable_over over)
{
    return json_pack("[I,I]", (json_int_t)row->stable_kernels[over],
                     (json_int_t)row->known_kernels[over]);
}

static json_t *fitting_json(const struct policy_row *row)
{
    json_t *names = json_array();
    for (size_t i = 0; i < row->kernel_count; i++)
        if (row->kernels[i].fits)
            json_array_append_new(names,
                                  json_sprintf("%s/%s/dtype=%s", row->kernels[i].op,
                                               row->kernels[i].algorithm, row->kernels[i].dtype));
    return names;
}

static json_t *row_json(const struct policies *p, const struct policy_row *row)
{
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:o, s:[o,o], s:I, s:I, s:o, s:o, s:o, s:O, s:o, s:o}", "cc", row->cc,
        "policy", row->policy, "flags", row->flags, "speed", record_real(row->speed.ratio),
        "speed_interval", record_real(row->speed.low), record_real(row->speed.high), "cells",
        (json_int_t)row->speed.cells, "left_out", (json_int_t)row->speed.left_out, "speed_overall",
        record_real(row->overall), "max_ulp", record_real(row->max_ulp), "mean_ulp",
        record_real(row->mean_ulp), "cases_broken", row->cases_broken, "stable",
        stability_json(row, verdict_of), "stable_kernels", stability_json(row, kernels_of));
    json_t *rest = json_pack(
        "{s:I, s:o, s:I, s:b, s:b, s:s?, s:b, s:b, s:s, s:s}", "lost", (json_int_t)lost_of(p, row),
        "kernels", fitting_json(row), "wrong", (json_int_t)row->wrong, "contracts", row->contracts,
        "safe", row->safe, "same_bits_as", row->twin[0] ? row->twin : NULL, "pareto", row->pareto,
        "allowed", row->allowed, "objection", row->objection, "verdict", row->verdict);
    json_object_update(json, rest);
    json_decref(rest);
    return json;
}

static json_t *recommended_json(const struct policies *p)
{
    const struct policy_row *row = p->recommended;
    if (!row) return json_null();
    return json_pack("{s:s, s:s, s:s, s:s}", "cc", row->cc, "policy", row->policy, "flags",
                     row->flags, "why", p->why);
}

static json_t *losses_json(const struct losses *l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->count; i++) {
        const struct loss *loss = &l->items[i];
        char id[VARIANT_ID_MAX];
        variant_id(&loss->axes, id);
        json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:I, s:s}", "id", id, "lost",
                                              (json_int_t)loss->lost, "nan", (json_int_t)loss->nan,
                                              "inf", (json_int_t)loss->inf, "over",
                                              loss->scanned ? "scan" : "accuracy"));
    }
    return list;
}

json_t *policies_document(const struct policies *p)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < p->count; i++) json_array_append_new(rows, row_json(p, &p->rows[i]));
    json_t *document =
        record_document(json_incref(json_object_get(p->results->machine, "machine")));
    json_t *rest =
        json_pack("{s:o, s:o, s:s, s:s, s:b, s:s, s:o, s:o, s:o}", "bar", record_real(p->bar),
                  "losses", losses_json(&p->losses), "folder", p->folder, "ulp_over", p->ops,
                  "cases_measured", p->cases_known, "why", p->why, "policies", rows, "recommended",
                  recommended_json(p), "identical_code", identical_record(&p->identical));
    json_object_update(document, rest);
    json_decref(rest);
    return document;
}
