// SPDX-License-Identifier: MIT
/* search on the lab's own kernels, by the command: it beats random rows or says why it cannot. */
// test: 22 s of a core, long
#include "base/error.h"
#include "study/search.h"

#include "drive.h"
#include "scratch.h"

static const char *text(const json_t *rows, size_t i, const char *key)
{
    const char *s = json_string_value(json_object_get(json_array_get(rows, i), key));
    return s ? s : "";
}

static double number(const json_t *rows, size_t i, const char *key)
{
    const json_t *value = json_object_get(json_array_get(rows, i), key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static json_t *run_json(const char *const *arguments)
{
    struct drive d = {.program = drive_program("ulplab")};
    for (size_t i = 0; arguments[i]; i++) d.arguments[i] = arguments[i];
    struct outcome o = drive(&d);
    if (o.code) fail_msg("exit %d: %s", o.code, o.err);
    json_t *document = json_loads(o.out, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    drive_free(&o);
    return document;
}

/* Returns the first compiler's AVX2 variant under `off`, the widest that every machine can run. */
static void first_variant(const char *op, const char *algorithm, char id[160])
{
    char filter[160];
    snprintf(filter, sizeof filter, "op=%s algorithm=%s dtype=f32 isa=avx2 policy=off", op,
             algorithm);
    json_t *document = run_json((const char *[]){"list", "--json", "--filter", filter, NULL});
    const json_t *variants = json_object_get(document, "variants");
    assert_true(json_array_size(variants) >= 1);
    snprintf(id, 160, "%s", text(variants, 0, "id"));
    json_decref(document);
}

#ifdef __SANITIZE_ADDRESS__
#define BUDGET "512" /* enough to run all code under the sanitizers; a gain takes more */
static const double promised = 0;
#else
#define BUDGET "24000"
static const double promised = SEARCH_GAIN;
#endif

/* The lab's promise for search: 1.5 times the error that random rows of the same box have. The
 * budget is in evaluations, so the result does not depend on the machine's speed. */
TEST(it_beats_chance_on_the_labs_own_kernels)
{
    static const char *const searched[][2] = {
        {"softmax", "threepass"},  {"softmax", "online"},    {"softmax", "twopass"},
        {"softmax", "scaled"},     {"softmax", "sleef"},     {"softmax", "plain"},
        {"softmax", "invariant"},  {"logsumexp", "shifted"}, {"logsumexp", "online"},
        {"logsumexp", "naive"},    {"logsumexp", "twopass"}, {"logsumexp", "plain"},
        {"logsumexp", "sleef"},    {"moments", "textbook"},  {"moments", "twopass"},
        {"moments", "corrected"},  {"moments", "welford"},   {"moments", "pairwise"},
        {"moments", "cascade"},    {"moments", "plain"},     {"moments", "invariant"},
        {"logsumexp", "invariant"}};
    for (size_t i = 0; i < sizeof searched / sizeof *searched; i++) {
        char id[160];
        first_variant(searched[i][0], searched[i][1], id);
        json_t *document =
            run_json((const char *[]){"search", searched[i][0], "--evaluations", BUDGET, "--json",
                                      "--filter", id, "--out", scratch_path("real"), NULL});
        const json_t *found = json_object_get(document, "found");
        assert_int_equal(json_array_size(found), 1);
        double gain = number(found, 0, "gain");
        if (!(gain >= promised)) fail_msg("%s: %g times random", id, gain);
        assert_int_equal(!*text(found, 0, "limit"), gain >= SEARCH_GAIN);
        assert_string_equal(text(found, 0, "status"), "ok");
        assert_int_equal(access(text(found, 0, "input"), R_OK), 0);
        json_decref(document);
    }
}

/* Near 104, half an ulp of the result is most of the bound of logsumexp, so random rows already
 * come close to it. */
TEST(where_nothing_can_be_gained_it_says_so)
{
    char id[160];
    first_variant("logsumexp", "shifted", id);
    json_t *document = run_json((const char *[]){
        "search", "logsumexp", "--evaluations", "4000", "--n", "64", "--box", "100,101", "--json",
        "--filter", id, "--out", scratch_path("narrow"), NULL});
    const json_t *found = json_object_get(document, "found");
    assert_true(json_array_size(found) >= 1);
    double room = number(found, 0, "room"), gain = number(found, 0, "gain");
    assert_true(gain > 0.9 && gain <= room && room < SEARCH_GAIN);
    assert_non_null(strstr(text(found, 0, "limit"), "the bound leaves room for 1."));
    json_decref(document);
}

TEST(the_command_and_its_replay_agree)
{
    static const char *const filter = "op=moments algorithm=welford dtype=f32 isa=avx2 policy=off";
    json_t *a = run_json((const char *[]){"search", "moments", "--evaluations", "4000", "--n", "40",
                                          "--box=-1,1", "--json", "--filter", filter, "--out",
                                          scratch_path("command"), NULL});
    json_t *b =
        run_json((const char *[]){"accuracy", "--family", "adversarial", "--json", "--filter",
                                  filter, "--out", scratch_path("command"), NULL});
    const json_t *found = json_object_get(a, "found"), *rows = json_object_get(b, "rows");
    assert_int_equal(json_array_size(found), json_array_size(rows));
    assert_int_equal(json_array_size(json_object_get(b, "adversarial")), 1);
    assert_true(number(found, 0, "bound_ratio") == number(rows, 0, "bound_ratio"));
    assert_true(number(found, 0, "max_ulp") == number(rows, 0, "max_ulp"));
    json_decref(a);
    json_decref(b);
}

TEST_GROUP(scratch_open, scratch_close)
