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

/* The results that the build which loses most loses; NAN where no errors were measured. */
static double lost_of(const struct policies *p, const struct policy_row *row)
{
    size_t builds;
    const struct loss *loss = losses_worst(&p->losses, row->cc, row->policy, &builds);
    return loss ? (double)loss->lost : isnan(row->error.mean) ? (double)NAN : 0;
}

static struct number_text lost_text(const struct policies *p, const struct policy_row *row)
{
    const double lost = lost_of(p, row);
    return isnan(lost) ? number_decimals(lost, 0) : number_count((uint64_t)lost);
}

/* ---- Policies of the same code ----------------------------------------------------------------
 */

/* Policies of the same code in every cell are one row, that of the first of them. */
static bool is_first(const struct policy_row *row)
{
    return !row->same_code[0] || !strcmp(row->same_code, row->policy);
}

/* The next policy of the same code, or NULL. */
static const struct policy_row *next_same(const struct policies *p, const struct policy_row *row)
{
    for (const struct policy_row *other = row + 1; other < p->rows + p->count; other++)
        if (row->same_code[0] && !strcmp(other->cc, row->cc) &&
            !strcmp(other->same_code, row->same_code))
            return other;
    return NULL;
}

/* What is said of the row: of the recommended policy where that is one of them. */
static const struct policy_row *spoken_of(const struct policies *p, const struct policy_row *row)
{
    for (const struct policy_row *one = row; one; one = next_same(p, one))
        if (one == p->recommended) return one;
    return row;
}

/* "default = fast"; each name within `mark`s. */
static struct cell_text names(const struct policies *p, const struct policy_row *row,
                              const char *mark)
{
    struct cell_text cell = {""};
    size_t length = 0;
    for (const struct policy_row *one = row; one && length < sizeof cell.text;
         one = next_same(p, one)) {
        const char *bold = *mark && one == p->recommended ? "**" : "";
        length += (size_t)snprintf(cell.text + length, sizeof cell.text - length, "%s%s%s%s%s%s",
                                   one == row ? "" : " = ", bold, mark, one->policy, mark, bold);
    }
    return cell;
}

static struct cell_text changed_text(const struct policy_row *row)
{
    struct cell_text cell = {"-"};
    if (row->error.kernels)
        snprintf(cell.text, sizeof cell.text, "%zu/%zu", row->error.changed, row->error.kernels);
    return cell;
}

struct worst_text {
    char text[260];
};

/* "1.18 x: softmax/online avx2 (9.4 ulp, off 7.95)"; "-" where no kernel has a larger error. */
static struct worst_text worst_text(const struct policy_row *row)
{
    struct worst_text worst = {"-"};
    if (row->error.worst > 1)
        snprintf(worst.text, sizeof worst.text, "%s x: %s (%s %s, off %s)",
                 number_digits(row->error.worst, 3).text, row->error.kernel,
                 number_error(row->error.its, NAN).text, row->error.unit,
                 number_error(row->error.of_off, NAN).text);
    return worst;
}

/* ---- For people ----------------------------------------------------------------------------- */

static void write_verdicts(const struct policies *p, FILE *out, struct terminal terminal)
{
    size_t width = 0;
    for (size_t i = 0; i < p->count; i++) {
        size_t own = strlen(p->rows[i].cc) + strlen(names(p, &p->rows[i], "").text) + 1;
        if (own > width) width = own;
    }
    for (size_t i = 0; i < p->count; i++) {
        const struct policy_row *row = &p->rows[i];
        int rest = (int)(width - strlen(row->cc) - 1);
        if (is_first(row))
            write_prose(out, terminal, width + 4, "  %s %-*s  %s", row->cc, rest,
                        names(p, row, "").text, spoken_of(p, row)->verdict);
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
                    "A policy is allowed where every operation has a kernel within the bar of %s "
                    "ulp, or u where results come near zero (--max-ulp), over every input where a "
                    "scan has them all, else over all families.",
                    number_digits(p->bar, 3).text);
}

static void write_worst(const struct policies *p, FILE *out, struct terminal terminal)
{
    for (size_t i = 0; i < p->count; i++)
        if (is_first(&p->rows[i]) && p->rows[i].error.worst > 1)
            write_prose(out, terminal, 4, "  %s %s: the error that grows most is %s.",
                        p->rows[i].cc, names(p, &p->rows[i], "").text,
                        worst_text(&p->rows[i]).text);
}

static void write_scope(const struct policies *p, FILE *out, struct terminal terminal)
{
    char identical[200];
    identical_text(&p->identical, identical, sizeof identical);
    fputc('\n', out);
    write_prose(out, terminal, 2,
                "speed: over off of the same compiler [95%%, over processes], over the cells that "
                "every policy has, of kernels whose code a policy changes; each operation weighs "
                "the same, equal code is 1. overall: over off of one compiler, over the cells that "
                "all compilers have. %s",
                identical);
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->rows[i].policy, "off") && p->rows[i].speed.operations)
            write_prose(out, terminal, 2,
                        "%s: %zu cells of %zu kernels and %zu operations; %zu kernels no policy "
                        "changes%s.",
                        p->rows[i].cc, p->rows[i].speed.cells, p->rows[i].speed.kernels,
                        p->rows[i].speed.operations, p->rows[i].speed.unchanged,
                        p->constrained ? "; kernels that miss the constraints are left out" : "");
    write_prose(out, terminal, 2,
                "error: of each kernel on family normal over that under off, geometric mean; "
                "hazards are left out. bits: kernels whose results are not those of off.");
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
        {"cc", false, 0},    {"policy", false, 0}, {"speed [95%]", true, 0}, {"overall", true, 3},
        {"error", true, 0},  {"lost", true, 0},    {"bits", true, 4},        {"isa", false, 2},
        {"cc", false, 2},    {"tail", false, 5},   {"threads", false, 5},    {"cases", true, 6},
        {"front", false, 1},
    };
    struct table table;
    table_begin(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->count; i++) {
        const struct policy_row *row = &p->rows[i], *spoken = spoken_of(p, row);
        if (!is_first(row)) continue;
        table_add(&table,
                  spoken == p->recommended ? TINT_GOOD
                  : row->allowed           ? TINT_NONE
                                           : TINT_FAINT,
                  (const char *const[]){
                      row->cc, names(p, row, "").text, speed_text(row->speed).text,
                      number_decimals(row->overall, 3).text, number_digits(row->error.mean, 3).text,
                      lost_text(p, row).text, changed_text(row).text,
                      stability_text(row, OVER_ISA).text, stability_text(row, OVER_CC).text,
                      stability_text(row, OVER_TAIL).text, stability_text(row, OVER_THREADS).text,
                      cases_text(p, row).text, row->pareto ? "yes" : "-"});
    }
    table_end(&table, out, terminal);
    fputc('\n', out);
    write_verdicts(p, out, terminal);
    write_worst(p, out, terminal);
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
    char text[SENTENCE];
    fputs("Speed is over `off` of the same compiler, over the cells that every policy has, of the "
          "kernels whose code a policy changes; each operation weighs the same, equal code is 1, "
          "with its 95% interval over processes. Error is that of each kernel on family `normal` "
          "over that under `off` (geometric mean; hazards left out), lost are results that `off` "
          "computes and the policy does not, of its worst build. A policy is *stable* over an axis "
          "when every kernel's bits are equal over it. Policies of the same code are one row. "
          "**Bold**: recommended; \\*: on the Pareto front of speed against error.\n\n"
          "| compiler | policy | speed | error | largest change | lost | kernels with other bits | "
          "stable over ISAs | compilers | tail | threads | cases broken | verdict |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < p->count; i++) {
        const struct policy_row *row = &p->rows[i];
        if (!is_first(row)) continue;
        fprintf(out, "| %s | %s%s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
                row->cc, names(p, row, "`").text, row->pareto ? " \\*" : "",
                speed_text(row->speed).text, number_digits(row->error.mean, 3).text,
                worst_text(row).text, lost_text(p, row).text, changed_text(row).text,
                stability_text(row, OVER_ISA).text, stability_text(row, OVER_CC).text,
                stability_text(row, OVER_TAIL).text, stability_text(row, OVER_THREADS).text,
                cases_text(p, row).text, spoken_of(p, row)->verdict);
    }
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

/* An earlier policy's name, or NULL. */
static const char *earlier(const char *name, const struct policy_row *row)
{
    return name[0] && strcmp(name, row->policy) != 0 ? name : NULL;
}

static json_t *change_json(const struct policy_row *row)
{
    const struct error_change *c = &row->error;
    return json_pack(
        "{s:{s:o, s:o, s:s, s:o, s:o, s:s, s:I, s:I, s:I}, s:I, s:I, s:I, s:I}", "error", "ratio",
        record_real(c->mean), "worst", record_real(c->worst), "kernel", c->kernel, "its",
        record_real(c->its), "off", record_real(c->of_off), "unit", c->unit, "kernels",
        (json_int_t)c->kernels, "changed", (json_int_t)c->changed, "losing", (json_int_t)c->losing,
        "same_code", (json_int_t)row->speed.same_code, "kernels_changed",
        (json_int_t)row->speed.kernels, "kernels_unchanged", (json_int_t)row->speed.unchanged,
        "operations", (json_int_t)row->speed.operations);
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
    json_t *rest =
        json_pack("{s:o, s:o, s:I, s:b, s:b, s:s?, s:s?, s:b, s:b, s:s, s:s}", "lost",
                  record_real(lost_of(p, row)), "kernels", fitting_json(row), "wrong",
                  (json_int_t)row->error.broken, "contracts", row->contracts, "safe", row->safe,
                  "same_bits_as", earlier(row->same_bits, row), "same_code_as",
                  earlier(row->same_code, row), "pareto", row->pareto, "allowed", row->allowed,
                  "objection", row->objection, "verdict", row->verdict);
    json_object_update_new(json, change_json(row));
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
