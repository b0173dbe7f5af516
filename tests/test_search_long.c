// SPDX-License-Identifier: MIT
/* search on the lab's own kernels, by the command: it beats random rows or says why it cannot. */
// test: 22 s of a core, long
#include "base/error.h"
#include "study/search.h"

#include "drive.h"
#include "facts.h"
#include "scratch.h"

/* Runs a command line, which succeeds, and returns its document. */
#define json(...) drive_json(drive_program("ulplab"), EXIT_DONE, __VA_ARGS__)

/* Finds the first compiler's AVX2 variant under `off`, the widest that every machine can run. */
static void first_variant(const char *op, const char *algorithm, char id[DRIVE_ID])
{
    char filter[160];
    snprintf(filter, sizeof filter, "op=%s algorithm=%s dtype=f32 isa=avx2 policy=off", op,
             algorithm);
    drive_first_id(drive_program("ulplab"), filter, id);
    assert_non_null(strstr(id, algorithm));
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
        char id[DRIVE_ID];
        first_variant(searched[i][0], searched[i][1], id);
        json_t *document = json("search %s --evaluations " BUDGET " --json --filter %s --out %s",
                                searched[i][0], id, scratch_path("real"));
        assert_facts(document, "found=#1 found.0.status=ok");
        const json_t *found = fact_at(document, "found.0");
        const double gain = record_number(found, "gain");
        if (!(gain >= promised)) fail_msg("%s: %g times random", id, gain);
        assert_int_equal(!*record_text(found, "limit"), gain >= SEARCH_GAIN);
        assert_int_equal(access(record_text(found, "input"), R_OK), 0);
    }
}

/* Near 104, half an ulp of the result is most of the bound of logsumexp, so random rows already
 * come close to it. */
TEST(where_nothing_can_be_gained_it_says_so)
{
    char id[DRIVE_ID];
    first_variant("logsumexp", "shifted", id);
    json_t *document = json("search logsumexp --evaluations 4000 --n 64 --box 100,101 --json "
                            "--filter %s --out %s",
                            id, scratch_path("narrow"));
    const json_t *found = fact_at(document, "found.0");
    const double room = record_number(found, "room");
    assert_true(room < SEARCH_GAIN);
    assert_facts(found, "gain>0.9 gain<=%.17g 'limit~the bound is only 1.'", room);
}

TEST(the_command_and_its_replay_agree)
{
#define WELFORD "--filter 'op=moments algorithm=welford dtype=f32 isa=avx2 policy=off'"
    const char *out = scratch_path("command");
    json_t *a = json(
        "search moments --evaluations 4000 --n 40 --box=-1,1 --json " WELFORD " --out %s", out);
    json_t *b = json("accuracy --family adversarial --json " WELFORD " --out %s", out);
    const json_t *found = fact_at(a, "found.0");
    assert_facts(b, "adversarial=#1 rows=#%zu rows.0.bound_ratio=%.17g rows.0.max_ulp=%.17g",
                 json_array_size(json_object_get(a, "found")), record_number(found, "bound_ratio"),
                 record_number(found, "max_ulp"));
}

TEST_GROUP(scratch_open, scratch_close)
