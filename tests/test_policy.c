// SPDX-License-Identifier: MIT
/* policy: its figures, its recommendation and its output, on folders with known contents. */
/* Included before cmocka.h, whose macro fail() hides the lab's function. */
#include "cmd/commands.h"
#include "cmd/options_parse.h"
#include "publish/db/db.h"
#include "publish/policy/policy.h"
#include "publish/sql/facts.h"
#include "model/record.h"
#include "synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#define HOME "build-policy/home"
#define OTHER "build-policy/other"

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.12g is not %.12g", got, want);
}

static const struct build {
    const char *cc, *policy, *flags;
    double time, max_ulp;
    int contracts, reassociates;
    const char *bits; /* the bits, by which the code is also named */
} builds[] = {
    {"gcc-12", "off", "-ffp-contract=off", 1.0, 2.0, 0, 0, "plain"},
    {"gcc-12", "default", "", 0.8, 1.5, 1, 0, "fused"},
    {"gcc-12", "fast", "-ffp-contract=fast", 0.8, 1.5, 1, 0, "fused"},
    {"gcc-12", "fastmath", "-ffast-math", 0.5, 40, 1, 1, "loose"},
    {"clang-14", "off", "-ffp-contract=off", 1.25, 2.0, 0, 0, "plain"},
    {"clang-14", "default", "", 1.25, 2.0, 0, 0, "plain"},
    {"clang-14", "fast", "-ffp-contract=fast", 1.0, 1.2, 1, 0, "fused"},
};

static void add_build(const char *folder, const struct build *b, const char *isa)
{
    char variant[200], bits[64];
    snprintf(variant, sizeof variant, "softmax/threepass/dtype=f32/isa=%s/cc=%s/policy=%s", isa,
             b->cc, b->policy);
    double ns = b->time * (strcmp(isa, "avx2") ? 60 : 100);
    add_timing(folder, variant,
               (struct timing_facts){
                   .rows = 64, .n = 64, .processes = 7, .ns_per_row = ns, .spread = 0.01});
    snprintf(bits, sizeof bits, "%s-%s", b->bits, isa);
    add_accuracy(folder, variant,
                 (struct accuracy_facts){.max_ulp = b->max_ulp, .mean_ulp = 0.25, .bits = bits});
    /* The family `wide` enters no figure, but --max-ulp applies to it, and its bits count. */
    add_accuracy(folder, variant,
                 (struct accuracy_facts){
                     .family = "wide", .max_ulp = 1.05 * b->max_ulp, .mean_ulp = 1, .bits = bits});
    add_codegen(folder, variant, b->cc, b->flags, bits, b->contracts, b->reassociates);
    /* A hazard, fast and wrong by design: it enters no figure. */
    snprintf(variant, sizeof variant, "softmax/scaled/dtype=f32/isa=%s/cc=%s/policy=%s", isa, b->cc,
             b->policy);
    add_timing(
        folder, variant,
        (struct timing_facts){
            .rows = 64, .n = 64, .processes = 7, .ns_per_row = ns * b->time, .spread = 0.01});
    add_accuracy(folder, variant, (struct accuracy_facts){.max_ulp = 1e9, .hazard = 1});
    /* An operation whose error in ulp is unbounded near zero: it is timed, but not part of the
     * errors in ulp. */
    snprintf(variant, sizeof variant, "moments/twopass/dtype=f32/isa=%s/cc=%s/policy=%s", isa,
             b->cc, b->policy);
    add_accuracy(folder, variant,
                 (struct accuracy_facts){.max_ulp = 5000, .scaled = 0.5, .bits = bits});
}

static int make_home(void **state)
{
    (void)state;
    make_folder(HOME, (struct run_facts){0});
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        add_build(HOME, &builds[i], "avx2");
        add_build(HOME, &builds[i], "avx512");
    }
    return 0;
}

static const struct policy_constraints any = {.max_ulp = NAN};

/* The document of a folder's policies; NULL if there is none. */
struct opened {
    struct lab_db db;
    json_t *document;
    struct error e;
    int code;
};

static struct opened *open_in(const char *home, struct policy_constraints constraints)
{
    struct opened *o = calloc(1, sizeof *o);
    assert_non_null(o);
    assert_int_equal(db_read(&o->db, &home, 1, &o->e), 0);
    o->code = facts_make(&o->db, constraints.max_ulp, &o->e);
    if (!o->code) o->code = policies_make(&o->db, &constraints, &o->e);
    if (!o->code) o->document = policies_document(&o->db, home, &o->e);
    return o;
}

static struct opened *open_with(struct policy_constraints constraints)
{
    return open_in(HOME, constraints);
}

static void close_opened(struct opened *o)
{
    json_decref(o->document);
    lab_close(&o->db);
    free(o);
}

/* Returns the value at a path such as "error.ratio" or "stable.isa" in a policy's row; without a
 * compiler, in the recommendation. */
static const json_t *at(const struct opened *o, const char *cc, const char *policy,
                        const char *path)
{
    const json_t *row = json_object_get(o->document, "recommended"), *rows, *one;
    char first[40];
    size_t i;
    rows = json_object_get(o->document, "policies");
    json_array_foreach(rows, i, one) if (*cc && !strcmp(record_text(one, "cc"), cc) &&
                                         !strcmp(record_text(one, "policy"), policy)) row = one;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(path, "."), path);
    const json_t *value = json_object_get(row, first);
    return strchr(path, '.') ? json_object_get(value, strchr(path, '.') + 1) : value;
}

static double number(const struct opened *o, const char *cc, const char *policy, const char *path)
{
    return json_number_value(at(o, cc, policy, path));
}

static const char *text_at(const struct opened *o, const char *cc, const char *policy,
                           const char *path)
{
    const char *value = json_string_value(at(o, cc, policy, path));
    return value ? value : "";
}

/* ---- Figures --------------------------------------------------------------------------------- */

static void test_speed_is_relative_to_off(void **state)
{
    (void)state;
    struct opened *o = open_with(any);
    assert_int_equal(o->code, 0);
    assert_int_equal(json_array_size(json_object_get(o->document, "policies")), 7);
    assert_near(number(o, "gcc-12", "off", "speed"), 1, 0);
    /* The geometric mean of two kernels, of which one gains the square of what the other does:
     * 1.25^1.5. */
    assert_near(number(o, "gcc-12", "fast", "speed"), 1.3975425, 1e-6);
    assert_int_equal(number(o, "gcc-12", "fast", "cells"), 4); /* two kernels, two ISAs */
    assert_near(number(o, "clang-14", "fast", "speed"), pow(1.25, 1.5), 1e-6);
    assert_true(json_number_value(json_array_get(at(o, "gcc-12", "fast", "speed_interval"), 0)) <=
                number(o, "gcc-12", "fast", "speed"));
    /* No cell has all policies of both compilers, so there is no overall figure. */
    close_opened(o);
}

#define LOG "log/plain/dtype=f32/isa=avx2/cc=gcc-12/policy="
#define SOFTMAX "softmax/online/dtype=f32/isa=avx2/cc=gcc-12/policy="

static void add_cell(const char *variant, size_t n, double ns, const char *code)
{
    char hash[40];
    snprintf(hash, sizeof hash, "%s", code);
    add_timing(
        HOME, variant,
        (struct timing_facts){.rows = 1, .n = n, .processes = 6, .ns_per_row = ns, .spread = 0.01});
    add_codegen(HOME, variant, "gcc-12", "", hash, 0, 0);
}

static double speed_of(const char *policy)
{
    struct opened *o = open_with(any);
    const double speed = number(o, "gcc-12", policy, "speed");
    close_opened(o);
    return speed;
}

/* `fast` makes softmax twice as fast and log no faster: operations have equal weights, so the mean
 * is sqrt(2). */
static void make_two_operations(void)
{
    make_folder(HOME, (struct run_facts){0});
    add_cell(SOFTMAX "off", 64, 200, "s0");
    add_cell(SOFTMAX "fast", 64, 100, "s1");
    add_cell(LOG "off", 64, 100, "l0");
    add_cell(LOG "fast", 64, 100, "l1");
}

static void test_cells_of_one_policy_alone_change_nothing(void **state)
{
    (void)state;
    make_two_operations();
    assert_near(speed_of("fast"), sqrt(2), 1e-9);
    add_cell(SOFTMAX "off", 128, 1, "s0"); /* cells that only one policy has */
    add_cell("exp/own/dtype=f32/isa=avx2/cc=gcc-12/policy=fast", 64, 1, "e1");
    assert_near(speed_of("fast"), sqrt(2), 1e-9);
    make_home(NULL);
}

static void test_each_operation_weighs_the_same(void **state)
{
    (void)state;
    make_two_operations();
    for (size_t n = 65; n < 75; n++) {
        add_cell(SOFTMAX "off", n, 200, "s0");
        add_cell(SOFTMAX "fast", n, 100, "s1");
    }
    assert_near(speed_of("fast"), sqrt(2), 1e-9);
    make_home(NULL);
}

/* Equal code has equal figures, whatever was measured, and is one row. */
static void test_equal_code_has_equal_figures(void **state)
{
    (void)state;
    make_two_operations();
    add_cell(SOFTMAX "default", 64, 137, "s1");
    add_cell(LOG "default", 64, 3, "l1");
    struct opened *o = open_with(any);
    assert_near(number(o, "gcc-12", "default", "speed"), number(o, "gcc-12", "fast", "speed"), 0);
    assert_near(number(o, "gcc-12", "default", "speed_overall"),
                number(o, "gcc-12", "fast", "speed_overall"), 0);
    assert_string_equal(text_at(o, "gcc-12", "fast", "same_code_as"), "default");
    assert_string_equal(text_at(o, "gcc-12", "default", "same_code_as"), "");
    assert_string_equal(text_at(o, "gcc-12", "off", "same_code_as"), "");
    close_opened(o);
    /* A kernel that no policy changes is counted, but enters no figure. */
    add_cell("exp/own/dtype=f32/isa=avx2/cc=gcc-12/policy=off", 64, 10, "e0");
    add_cell("exp/own/dtype=f32/isa=avx2/cc=gcc-12/policy=default", 64, 20, "e0");
    add_cell("exp/own/dtype=f32/isa=avx2/cc=gcc-12/policy=fast", 64, 90, "e0");
    o = open_with(any);
    assert_near(number(o, "gcc-12", "fast", "speed"), sqrt(200 / 137. * 100 / 3), 1e-6);
    assert_int_equal(number(o, "gcc-12", "fast", "kernels_unchanged"), 1);
    assert_int_equal(number(o, "gcc-12", "fast", "operations"), 2);
    close_opened(o);
    make_home(NULL);
}

static void test_errors_are_of_family_normal_where_ulp_is_bounded(void **state)
{
    (void)state;
    struct opened *o = open_with(any);
    assert_near(number(o, "gcc-12", "off", "max_ulp"), 2, 0);
    assert_near(number(o, "gcc-12", "off", "mean_ulp"), 0.25, 1e-12);
    assert_string_equal(record_text(o->document, "ulp_over"), "softmax");
    /* The errors of softmax fall from 2 under `off` to 1.5, those of moments (in u) do not change:
     * the mean is sqrt(0.75). */
    assert_near(number(o, "gcc-12", "fast", "error.ratio"), sqrt(0.75), 1e-9);
    assert_near(number(o, "gcc-12", "fastmath", "error.worst"), 20, 1e-9);
    assert_string_equal(text_at(o, "gcc-12", "fastmath", "error.kernel"), "softmax/threepass avx2");
    close_opened(o);
}

static void test_stability_is_read_from_the_bits(void **state)
{
    (void)state;
    struct opened *o = open_with(any);
    assert_true(json_is_false(at(o, "gcc-12", "off", "stable.isa")));
    assert_true(json_is_true(at(o, "gcc-12", "off", "stable.cc")));
    assert_true(json_is_false(
        at(o, "gcc-12", "default", "stable.cc"))); /* gcc contracts by default, clang-14 does not */
    assert_true(json_is_null(at(o, "gcc-12", "off", "stable.tail")));
    /* fastmath was built by one compiler, so there is no other to have equal bits with. */
    assert_true(json_is_null(at(o, "gcc-12", "fastmath", "stable.cc")));
    assert_string_equal(text_at(o, "gcc-12", "fast", "same_bits_as"), "default");
    assert_string_equal(text_at(o, "clang-14", "default", "same_bits_as"), "off");
    assert_string_equal(text_at(o, "gcc-12", "default", "same_bits_as"), "");
    close_opened(o);
}

static void test_tail_and_threads_come_from_diverge(void **state)
{
    (void)state;
    append(HOME, "diverge.jsonl",
           "{\"record\": \"invariance\", \"id\": \"softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/"
           "policy=off\", \"run\": true, \"threads\": true, \"tail\": false, \"batch\": null}");
    struct opened *o = open_with(any);
    assert_true(json_is_true(at(o, "gcc-12", "off", "stable.threads")));
    assert_true(json_is_false(at(o, "gcc-12", "off", "stable.tail")));
    assert_true(json_is_null(at(o, "gcc-12", "fast", "stable.tail")));
    close_opened(o);
    make_home(NULL);
}

static void test_the_front_is_of_speed_against_error(void **state)
{
    (void)state;
    struct opened *o = open_with(any);
    assert_true(json_is_true(at(o, "gcc-12", "fastmath", "pareto"))); /* the fastest */
    assert_true(json_is_true(at(o, "gcc-12", "fast", "pareto")));
    assert_true(json_is_true(at(o, "clang-14", "fast", "pareto"))); /* the most accurate */
    assert_false(json_is_true(at(o, "gcc-12", "off", "pareto")));
    assert_false(json_is_true(at(o, "clang-14", "off", "pareto")));
    close_opened(o);
}

/* ---- The choice ------------------------------------------------------------------------------ */

/* It suffices that one kernel has equal bits over ISAs; the figures are then those of that kernel.
 */
static void test_a_constraint_is_met_by_kernels(void **state)
{
    (void)state;
    static const char *const isas[] = {"avx2", "avx512"};
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        for (size_t k = 0; k < 2; k++) {
            char variant[200];
            snprintf(variant, sizeof variant, "softmax/invariant/dtype=f32/isa=%s/cc=%s/policy=%s",
                     isas[k], builds[i].cc, builds[i].policy);
            add_accuracy(HOME, variant, (struct accuracy_facts){.max_ulp = 3, .bits = "one"});
            add_timing(HOME, variant,
                       (struct timing_facts){
                           .rows = 64, .n = 64, .processes = 7, .ns_per_row = 50, .spread = 0.01});
            snprintf(variant, sizeof variant, "moments/invariant/dtype=f32/isa=%s/cc=%s/policy=%s",
                     isas[k], builds[i].cc, builds[i].policy);
            add_accuracy(HOME, variant, (struct accuracy_facts){.max_ulp = 7000, .bits = "one"});
        }
    struct opened *o =
        open_with((struct policy_constraints){.max_ulp = NAN, .require[OVER_ISA] = true});
    assert_true(policies_advise(&o->db));
    assert_string_equal(text_at(o, "", "", "policy"), "off"); /* all policies are equally fast */
    assert_near(number(o, "gcc-12", "fast", "max_ulp"), 3, 0);
    assert_near(number(o, "gcc-12", "fast", "speed"), 1, 1e-9);
    assert_int_equal(number(o, "gcc-12", "fast", "cells"), 2);
    assert_true(json_is_true(at(o, "gcc-12", "fast", "stable.isa")));
    close_opened(o);
    /* One kernel errs by at most 2 ulp and another has equal bits, but none does both. */
    o = open_with((struct policy_constraints){.max_ulp = 2, .require[OVER_ISA] = true});
    assert_false(policies_advise(&o->db));
    close_opened(o);
    make_home(NULL);
}

/* fastmath is faster but promises nothing. default and fast have equal bits; fast is recommended,
 * because it does not depend on the compiler's defaults. */
static void test_without_options_the_fastest_that_promises(void **state)
{
    (void)state;
    struct opened *o = open_with(any);
    assert_true(policies_advise(&o->db));
    assert_string_equal(text_at(o, "", "", "cc"), "gcc-12");
    assert_string_equal(text_at(o, "", "", "policy"), "fast");
    assert_string_equal(text_at(o, "", "", "flags"), "-ffp-contract=fast");
    assert_false(json_is_true(at(o, "gcc-12", "fastmath", "allowed")));
    assert_non_null(strstr(text_at(o, "gcc-12", "fastmath", "verdict"), "promises nothing"));
    assert_non_null(
        strstr(text_at(o, "gcc-12", "off", "verdict"), "gcc-12 fast is faster and more accurate"));
    close_opened(o);
}

/* A user may allow by name what a policy gives up; anything else is still refused. */
static void test_what_may_be_given_up(void **state)
{
    (void)state;
    struct policy_constraints c = any;
    struct error e;
    assert_int_equal(policy_allow(&c, "reassociation", &e), 0);
    struct opened *o = open_with(c);
    assert_string_equal(text_at(o, "", "", "policy"), "fast");
    assert_non_null(strstr(text_at(o, "gcc-12", "fastmath", "verdict"), "(--allow lost)"));
    close_opened(o);
    assert_int_equal(policy_allow(&c, "lost", &e), 0);
    o = open_with(c);
    assert_string_equal(text_at(o, "", "", "policy"), "fastmath");
    assert_non_null(strstr(text_at(o, "", "", "why"), "it gives up the order of additions, NaN"));
    close_opened(o);
    assert_int_equal(policy_allow(&c, "no-bits", &e), 0);
    o = open_with(c);
    assert_string_equal(text_at(o, "", "", "policy"), "off");
    assert_non_null(strstr(text_at(o, "gcc-12", "fast", "objection"), "other bits"));
    close_opened(o);
    assert_int_equal(policy_allow(&c, "everything", &e), EXIT_USAGE);
}

static void test_constraints_narrow_the_choice(void **state)
{
    (void)state;
    struct opened *o = open_with((struct policy_constraints){.max_ulp = 1.3, .bar_given = true});
    assert_string_equal(text_at(o, "", "", "cc"), "clang-14");
    assert_string_equal(text_at(o, "", "", "policy"), "fast");
    close_opened(o);
    o = open_with((struct policy_constraints){.max_ulp = 1, .bar_given = true});
    assert_false(policies_advise(&o->db));
    close_opened(o);
    o = open_with((struct policy_constraints){.max_ulp = NAN, .require[OVER_CC] = true});
    assert_string_equal(text_at(o, "", "", "policy"), "fast"); /* equal bits by both compilers */
    close_opened(o);
    o = open_with((struct policy_constraints){.max_ulp = NAN, .require[OVER_ISA] = true});
    assert_false(policies_advise(&o->db));
    assert_string_equal(text_at(o, "gcc-12", "off", "objection"),
                        "no kernel of softmax meets the constraints under it");
    close_opened(o);
    /* A property that was not measured does not count as given. */
    o = open_with((struct policy_constraints){.max_ulp = NAN, .require[OVER_TAIL] = true});
    assert_false(policies_advise(&o->db));
    close_opened(o);
}

/* A kernel that was built under `off` alone, as those with explicit arithmetic are, does not speak
 * against the other policies. */
static void test_a_kernel_of_one_policy_alone_disqualifies_none(void **state)
{
    (void)state;
    add_accuracy(HOME, "softmax/written/dtype=f32/isa=avx2/cc=gcc-12/policy=off",
                 (struct accuracy_facts){.max_ulp = 0.75});
    struct opened *o = open_with((struct policy_constraints){.max_ulp = 1});
    assert_true(policies_advise(&o->db));
    assert_string_equal(text_at(o, "", "", "policy"), "fast");
    close_opened(o);
    make_home(NULL);
}

static void test_broken_cases_and_promises_disqualify(void **state)
{
    (void)state;
    append(
        HOME, "cases.jsonl",
        "{\"record\": \"case\", \"name\": \"fma-softmax\", \"verdict\": \"reproduced\", \"rows\":"
        " [{\"cc\": \"gcc-12\", \"policy\": \"fast\", \"broken\": true},"
        " {\"cc\": \"gcc-12\", \"policy\": \"fast\", \"broken\": true},"
        " {\"cc\": \"gcc-12\", \"policy\": \"default\", \"broken\": true},"
        " {\"cc\": \"clang-14\", \"policy\": \"fast\", \"broken\": true},"
        " {\"cc\": \"gcc-12\", \"policy\": \"off\", \"broken\": false}]}");
    struct opened *o =
        open_with((struct policy_constraints){.max_ulp = NAN, .no_broken_cases = true});
    assert_int_equal(json_array_size(at(o, "gcc-12", "fast", "cases_broken")), 1);
    assert_string_equal(text_at(o, "", "", "policy"), "off");
    assert_string_equal(text_at(o, "", "", "cc"), "gcc-12");
    close_opened(o);
    make_home(NULL);
    add_accuracy(HOME, "softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/policy=fast",
                 (struct accuracy_facts){.family = "logits", .status = "wrong"});
    o = open_with(any);
    assert_string_equal(text_at(o, "", "", "policy"), "default");
    close_opened(o);
    make_home(NULL);
}

/* ---- Flags ----------------------------------------------------------------------------------- */

#define FLAGS "build-policy/flags"

/* The command is gcc-12 -std=gnu11 -O3 -mavx2 -mfma FLAGS -Isimd/vocabulary/avx2, as synthetic.h
 * writes it. */
static void test_flags_are_cut_out_of_the_command(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"off", "-ffp-contract=off"},
        {"reassoc", "-fassociative-math -fno-signed-zeros -ffp-contract=off"},
        {"default", ""},
        {"mine", "-ffp-contract=off -mtune=znver3"},
        {"tuned", "-mtune=znver3 -ffp-contract=fast"},
    };
    char variant[200];
    for (size_t left_out = 0; left_out < 5; left_out++) {
        make_folder(FLAGS, (struct run_facts){0});
        for (size_t i = 0; i < 5; i++) {
            snprintf(variant, sizeof variant,
                     "softmax/online/dtype=f32/isa=avx2/cc=gcc-12/policy=%s", cases[i][0]);
            add_accuracy(FLAGS, variant, (struct accuracy_facts){.max_ulp = 1});
            if (i != left_out) add_codegen(FLAGS, variant, "gcc-12", cases[i][1], "00", 0, 0);
        }
        struct opened *o = open_in(FLAGS, any);
        for (size_t i = 0; i < 5; i++)
            assert_string_equal(text_at(o, "gcc-12", cases[i][0], "flags"),
                                i == left_out ? "" : cases[i][1]);
        close_opened(o);
    }
}

/* ---- What is printed ------------------------------------------------------------------------- */

const struct command commands[] = {
    {"policy", "", "", "", cmd_policy, 0}, {"report", "", "", "", cmd_report, 0}, {0}};

static char text[1 << 16];

static int run_command(const struct command *command, const char *words)
{
    char *argv[24] = {"ulplab", "x"}, line[256], *save = NULL;
    int argc = 2;
    snprintf(line, sizeof line, "%s", words);
    for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save)) argv[argc++] = w;
    struct options o;
    struct error e = {.text = ""};
    int code = options_parse(argc, argv, command, &o, &e);
    struct capture capture = capture_stdout("build-policy/out");
    if (!code) code = command->run(&o, &e);
    capture_end(&capture, text, sizeof text);
    options_free(&o);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s", e.text);
    return code;
}

static void assert_says(const char *what)
{
    if (!strstr(text, what)) fail_msg("no '%s' in: %s", what, text);
}

/* A gate over no cells fails. */
static void test_no_case_is_no_case_that_holds(void **state)
{
    (void)state;
    make_home(NULL);
    assert_int_equal(run_command(&commands[0], HOME " --no-broken-cases"), EXIT_GATE);
    assert_says("no case study was run");
}

static void test_emitted_text_names_its_run(void **state)
{
    (void)state;
    static const struct {
        const char *format, *says;
    } formats[] = {
        {"make", "\nCC := gcc-12\nCFLAGS += -O3 -ffp-contract=fast\n"},
        {"cmake", "if(CMAKE_C_COMPILER_ID STREQUAL \"GNU\")\n  "
                  "add_compile_options(-ffp-contract=fast)\nendif()"},
        {"meson", "add_project_arguments('-ffp-contract=fast', language : 'c')"},
        {"bazel", "\nbuild --copt=-O3 --copt=-ffp-contract=fast\n"},
        {"json", "\"flags\": [\n  \"-ffp-contract=fast\"\n ]"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char words[100];
        snprintf(words, sizeof words, HOME " --emit %s", formats[i].format);
        assert_int_equal(run_command(&commands[0], words), EXIT_DONE);
        assert_says(formats[i].says);
        assert_says("made-up");
        assert_says("0123456789ab");
        assert_says("2026-11-21T06:00:00Z");
    }
    assert_int_equal(run_command(&commands[0], HOME " --emit scons"), EXIT_USAGE);
    assert_says("known: make, cmake, meson, bazel, json");
}

/* make must be able to read the file that is written for it. */
static void test_make_reads_what_was_emitted(void **state)
{
    (void)state;
    assert_int_equal(run_command(&commands[0], HOME " --emit make"), EXIT_DONE);
    FILE *out = fopen("build-policy/flags.mk", "w");
    assert_non_null(out);
    fprintf(out, "%sall:\n\t@test '$(CC) $(CFLAGS)' = 'gcc-12 -O3 -ffp-contract=fast'\n", text);
    fclose(out);
    assert_int_equal(system("unset CFLAGS MAKEFLAGS; make -s -f build-policy/flags.mk"), 0);
}

static void test_the_exit_code_is_the_gate(void **state)
{
    (void)state;
    assert_int_equal(run_command(&commands[0], HOME), EXIT_DONE);
    assert_says("Recommended: gcc-12 `fast`");
    assert_int_equal(run_command(&commands[0], HOME " --max-ulp 2"), EXIT_DONE);
    assert_int_equal(run_command(&commands[0], HOME " --max-ulp 1"), EXIT_GATE);
    assert_int_equal(run_command(&commands[0], HOME " --require isa-stable"), EXIT_GATE);
    assert_int_equal(run_command(&commands[0], HOME " --require invariant --emit make"), EXIT_GATE);
    assert_int_equal(run_command(&commands[0], HOME " --require blue"), EXIT_USAGE);
    assert_int_equal(run_command(&commands[0], "build-policy/none"), EXIT_BAD_INPUT);
    assert_int_equal(run_command(&commands[0], HOME " --filter op=nonesuch"), EXIT_USAGE);
}

static void test_json_is_one_document_of_the_contract(void **state)
{
    (void)state;
    assert_int_equal(run_command(&commands[0], HOME " --json"), EXIT_DONE);
    json_error_t why;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    assert_non_null(document);
    static const char *const keys[] = {"cc",       "policy",       "speed",  "max_ulp",
                                       "mean_ulp", "cases_broken", "pareto", "verdict"};
    static const char *const stable[] = {"isa", "cc", "tail", "threads"};
    json_t *rows = json_object_get(document, "policies"), *row;
    size_t i;
    assert_int_equal(json_array_size(rows), 7);
    json_array_foreach(rows, i, row)
    {
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            assert_non_null(json_object_get(row, keys[k]));
        for (size_t k = 0; k < 4; k++)
            assert_non_null(json_object_get(json_object_get(row, "stable"), stable[k]));
    }
    json_t *recommended = json_object_get(document, "recommended");
    assert_string_equal(json_string_value(json_object_get(recommended, "flags")),
                        "-ffp-contract=fast");
    assert_non_null(json_object_get(recommended, "why"));
    json_decref(document);
}

/* ---- Machines side by side ------------------------------------------------------------------- */

static void read_page(char *page, size_t size)
{
    FILE *in = fopen("build-policy/performance.md", "r");
    assert_non_null(in);
    page[fread(page, 1, size - 1, in)] = '\0';
    fclose(in);
}

/* Both machines timed every build, one of them from another source. Two codes are equally frequent,
 * so the first machine's is shown, and the page counts the cells that it leaves out. */
static void test_the_page_leaves_other_code_out(void **state)
{
    (void)state;
    static char ours[1 << 16], other[1 << 16];
    make_folder(OTHER, (struct run_facts){.slug = "elsewhere"});
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        add_build(OTHER, &builds[i], "avx2");
    assert_int_equal(run_command(&commands[1], HOME " " OTHER " --out build-policy"), EXIT_DONE);
    read_page(ours, sizeof ours);
    assert_int_equal(system("sed -i '/gcc-12.policy=off\"/s/\"code_hash\": \"[^\"]*\"/"
                            "\"code_hash\": \"another\"/' " OTHER "/codegen.jsonl"),
                     0);
    assert_int_equal(run_command(&commands[1], HOME " " OTHER " --out build-policy"), EXIT_DONE);
    read_page(other, sizeof other);
    assert_non_null(strstr(ours, "| 14 of 14 | 0 | 0 | 0 |"));
    assert_non_null(strstr(other, "| 13 of 14 | 1 | 0 | 0 |"));
    assert_int_equal(
        system("sed -i 's/\"code_hash\": \"[^\"]*\"/\"code_hash\": \"another\"/' " OTHER
               "/codegen.jsonl"),
        0);
    assert_int_equal(run_command(&commands[1], HOME " " OTHER " --out build-policy --filter "
                                                    "algorithm=threepass"),
                     EXIT_USAGE);
    assert_says("no cell in common: other machine code");
    assert_int_equal(system("rm -f " HOME "/report.md " OTHER "/report.md"), 0);
}

/* Copies the cell of a policy from a page's row of gcc-12 on the first machine. */
static void page_cell(const char *page, const char *policy, char cell[64])
{
    char head[64];
    snprintf(head, sizeof head, "| gcc-12 | `%s` | ", policy);
    const char *at = strstr(page, head);
    if (!at) fail_msg("no '%s' in: %s", head, page);
    snprintf(cell, 64, "%.*s", (int)strcspn(at + strlen(head), "|"), at + strlen(head));
}

/* Two policies with the same code were measured as 137 and 100, and as 3 and 100: every page must
 * show one and the same figure, whichever other policies were built, and however many shapes an
 * operation has. */
static void test_pages_say_what_policy_says(void **state)
{
    (void)state;
    static char page[1 << 16];
    char cells[2][64], begins[16], in_matrix[24];
    make_two_operations();
    add_cell(SOFTMAX "default", 64, 137, "s1");
    add_cell(LOG "default", 64, 3, "l1");
    for (size_t more = 0; more < 2; more++) {
        const double speed = speed_of("default");
        if (!more) assert_near(speed, sqrt(200 / 137. * 100 / 3), 1e-9);
        assert_int_equal(system("rm -rf " OTHER " && cp -r " HOME " " OTHER
                                " && sed -i s/made-up/elsewhere/ " OTHER "/machine.json"),
                         0);
        assert_int_equal(run_command(&commands[1], HOME " " OTHER " --out build-policy"),
                         EXIT_DONE);
        read_page(page, sizeof page);
        page_cell(page, "default", cells[0]);
        page_cell(page, "fast", cells[1]);
        assert_string_equal(cells[0], cells[1]);
        snprintf(begins, sizeof begins, "%.3f ", speed);
        assert_int_equal(strncmp(cells[0], begins, strlen(begins)), 0);
        FILE *in = fopen("build-policy/home/report.md", "r");
        assert_non_null(in);
        page[fread(page, 1, sizeof page - 1, in)] = '\0';
        fclose(in);
        snprintf(in_matrix, sizeof in_matrix, "**%.3f**", speed);
        const char *row = strstr(page, "| all operations | gcc-12 |");
        const char *first = row ? strstr(row, in_matrix) : NULL;
        if (!first || !strstr(first + 1, in_matrix)) fail_msg("not twice %s: %s", in_matrix, row);
        for (size_t n = 65; n < 75; n++) { /* equal ratios, and cells of one policy alone */
            add_cell(SOFTMAX "off", n, 200, "s0");
            add_cell(SOFTMAX "default", n, 137, "s1");
            add_cell(SOFTMAX "fast", n, 100, "s1");
            add_cell(LOG "fast", n, 1, "l1");
        }
    }
    assert_near(speed_of("default"), sqrt(200 / 137. * 100 / 3), 1e-9);
    make_home(NULL);
}

static void test_a_page_of_two_machines(void **state)
{
    (void)state;
    make_folder(OTHER, (struct run_facts){.slug = "elsewhere"});
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++)
        add_build(OTHER, &builds[i], "avx2");
    append(OTHER, "timing.jsonl",
           "{\"record\": \"limit\", \"name\": \"flops-ymm\", \"isa\": \"avx2\", \"value\": 1.5e11,"
           " \"unit\": \"FLOP/s\"}");
    assert_int_equal(run_command(&commands[1], HOME " " OTHER " --out build-policy"), EXIT_DONE);
    assert_says("build-policy/performance.md");
    read_page(text, sizeof text);
    assert_says("| flops-ymm | avx2 | - | GFLOP/s | - | 150.0 |");
    /* 100 ns against 60 ns; the other machine has no AVX-512. */
    assert_says("| AVX-512 / AVX2 | softmax | L1 | 1.67 [1.67, 1.67] of 14, 50% | - |");
    /* 0.8 x 60 ns per 64 elements: the fastest build with a promise. */
    assert_says("| softmax | short rows | threepass avx512 gcc-12 default 0.750 ns, 50%, 1.5 ulp | "
                "threepass avx2 gcc-12 "
                "default 1.250 ns, 50%, 1.5 ulp |");
    assert_int_equal(system("rm -f " HOME "/report.md " OTHER "/report.md"), 0);

    make_folder(OTHER, (struct run_facts){.slug = "elsewhere", .seed = 7});
    assert_int_equal(run_command(&commands[1], HOME " " OTHER " --out build-policy"),
                     EXIT_BAD_INPUT);
    assert_says("inputs of seed 1 against 7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speed_is_relative_to_off),
        cmocka_unit_test(test_cells_of_one_policy_alone_change_nothing),
        cmocka_unit_test(test_each_operation_weighs_the_same),
        cmocka_unit_test(test_equal_code_has_equal_figures),
        cmocka_unit_test(test_errors_are_of_family_normal_where_ulp_is_bounded),
        cmocka_unit_test(test_stability_is_read_from_the_bits),
        cmocka_unit_test(test_tail_and_threads_come_from_diverge),
        cmocka_unit_test(test_the_front_is_of_speed_against_error),
        cmocka_unit_test(test_without_options_the_fastest_that_promises),
        cmocka_unit_test(test_what_may_be_given_up),
        cmocka_unit_test(test_constraints_narrow_the_choice),
        cmocka_unit_test(test_a_constraint_is_met_by_kernels),
        cmocka_unit_test(test_a_kernel_of_one_policy_alone_disqualifies_none),
        cmocka_unit_test(test_broken_cases_and_promises_disqualify),
        cmocka_unit_test(test_flags_are_cut_out_of_the_command),
        cmocka_unit_test(test_no_case_is_no_case_that_holds),
        cmocka_unit_test(test_emitted_text_names_its_run),
        cmocka_unit_test(test_make_reads_what_was_emitted),
        cmocka_unit_test(test_the_exit_code_is_the_gate),
        cmocka_unit_test(test_json_is_one_document_of_the_contract),
        cmocka_unit_test(test_pages_say_what_policy_says),
        cmocka_unit_test(test_a_page_of_two_machines),
        cmocka_unit_test(test_the_page_leaves_other_code_out),
    };
    int failed = cmocka_run_group_tests(tests, make_home, NULL);
    return failed || system("rm -rf build-policy");
}
