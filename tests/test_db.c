// SPDX-License-Identifier: MIT
/* The database of results: rows have the values of the records, a missing number is NULL, and the
 * statistics of SQL are those of C. */

#include "base/error.h"
#include "measure/evidence.h"
#include "measure/ratio.h"
#include "model/record.h"
#include "publish/db/db.h"
#include "publish/sql/ask.h"
#include "publish/sql/facts.h"
#include "scratch.h"
#include "synthetic.h"

#include "drive.h"

#define OFF "softmax/online/dtype=f32/isa=avx2/cc=gcc-12/policy=off"
#define FAST "softmax/online/dtype=f32/isa=avx2/cc=gcc-12/policy=fast"

/* Returns all rows of a query, columns separated by |, rows by line breaks. */
static const char *rows_of(const struct lab_db *l, const char *sql)
{
    static char text[4096];
    sqlite3_stmt *s;
    size_t used = 0;
    *text = '\0';
    if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sqlite3_errmsg(l->db), sql);
    while (sqlite3_step(s) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            const char *value = (const char *)sqlite3_column_text(s, i);
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", value ? value : "-",
                                     i + 1 < sqlite3_column_count(s) ? "|" : "\n");
        }
    sqlite3_finalize(s);
    return text;
}

static double number_of(const struct lab_db *l, const char *sql)
{
    const char *text = rows_of(l, sql);
    return *text == '-' ? (double)NAN : strtod(text, NULL);
}

static struct lab_db db;

static int load(void **state)
{
    struct error e = {""};
    if (scratch_open(state)) return -1;
    const char *one = scratch_path("one"), *two = scratch_path("two");
    make_folder(one, (struct run_facts){0});
    make_folder(two, (struct run_facts){.slug = "other"});
    struct timing_facts t = {.rows = 2, .n = 64, .processes = 3, .ns_per_row = 64};
    t.more = ", \"low_ns\": [64, 128, 32], \"block\": \"b\", \"modes\": [{\"ns_per_row\": 64}]";
    add_timing(one, OFF, t);
    t.more = ", \"low_ns\": [32, 64, null], \"block\": \"b\"";
    t.ns_per_row = 32;
    add_timing(one, FAST, t);
    add_timing(one, OFF, (struct timing_facts){.rows = 2, .n = 8, .status = "sigsegv"});
    add_codegen(one, OFF, "gcc-12", "-ffp-contract=off", "aa", 0, 0);
    append(one, "accuracy.jsonl",
           "{\"record\": \"accuracy\", \"id\": \"" OFF "\", \"family\": \"normal\", \"n\": 64, "
           "\"status\": \"ok\", \"max_ulp\": null, \"lost\": 3, \"verdict\": \"broken\", "
           "\"measure\": 2, \"counts\": {\"nan\": 3, \"inf\": 0, \"sign\": 1, \"flushed\": 2}, "
           "\"max_at\": {\"row\": 1}, \"bits\": \"x\", \"also\": [\"" FAST "\"]}");
    append(
        one, "accuracy.jsonl",
        "{\"record\": \"accuracy\", \"id\": \"" OFF "\", \"family\": \"wide\", \"n\": 7, "
        "\"status\": \"ok\", \"max_ulp\": 1.5, \"mean_ulp\": null, \"infinite\": [\"mean_ulp\"], "
        "\"bits\": \"y\"}");
    append(one, "timing.jsonl",
           "{\"record\": \"control\", \"id\": \"" OFF "/rows=2/n=64/threads=1\", \"block\": \"b\", "
           "\"ratio\": 1.01, \"low\": null}");
    append(one, "diverge.jsonl",
           "{\"record\": \"class\", \"op\": \"softmax\", \"dtype\": \"f32\", \"class\": 0, "
           "\"representative\": \"" OFF "\", \"label\": \"all\", \"members\": [\"" OFF "\", \"" FAST
           "\"]}");
    append(one, "diverge.jsonl",
           "{\"record\": \"invariance\", \"id\": \"" OFF "\", \"run\": true, \"cc\": false, "
           "\"policy\": null}");
    add_timing(two, OFF, t);
    if (db_read(&db, (const char *const[]){one, two}, 2, &e)) fail_msg("%s", e.text);
    return 0;
}

static int unload(void **state)
{
    lab_close(&db);
    return scratch_close(state);
}

TEST(rows_are_what_the_records_say)
{
    static const char *const asked[][2] = {
        {"SELECT machine, policy, n, status, ns, low IS NULL FROM timings ORDER BY 1, 2, 3",
         "made-up|fast|64|ok|0.5|0\nmade-up|off|8|sigsegv|-|1\nmade-up|off|64|ok|1.0|0\n"
         "other|off|64|ok|0.5|0\n"},
        {"SELECT process, ns FROM samples s JOIN variants v ON v.id = s.variant "
         "WHERE v.policy = 'fast'",
         "0|32\n1|64\n2|-\n"},
        {"SELECT policy, family, measure, verdict, lost, max_ulp, nan, inf, sign, flushed, max_at "
         "FROM measured_errors ORDER BY 1, 2",
         "fast|normal|2|broken|3|Inf|3|0|1|2|{\"row\": 1}\n"
         "off|normal|2|broken|3|Inf|3|0|1|2|{\"row\": 1}\n"
         "off|wide|1|-|-|1.5|-|-|-|-|-\n"},
        {"SELECT policy, cells, max_ulp, worst_ulp, lost FROM accuracies ORDER BY 1",
         "fast|1|Inf|Inf|3\noff|2|Inf|Inf|3\n"},
        {"SELECT mean_ulp FROM measured_errors WHERE policy = 'off'", "Inf\nInf\n"},
        {"SELECT ratio, low FROM controls", "1.01|-\n"},
        {"SELECT label, count(*) FROM classes c JOIN members m ON m.class = c.id", "all|2\n"},
        {"SELECT run, cc, policy FROM invariances", "1|0|-\n"},
        {"SELECT modes ->> '$[0].ns_per_row' FROM timings WHERE modes <> ''", "64\n"},
        {"SELECT hash, status, observed ->> 'contracts' FROM codes", "aa|ok|0\n"},
        {"SELECT count(*), count(DISTINCT run) FROM runs", "2|2\n"},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        assert_string_equal(rows_of(&db, asked[i][0]), asked[i][1]);
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-14 * fabs(b))) fail_msg("%.17g, not %.17g", a, b);
}

TEST(ratios_are_those_of_measure)
{
    const double a[] = {1, 2, 4, 8}, b[] = {2, 5, 8, 15};
    const struct ratio r = ratio_of_times((struct by_process){a, 4}, (struct by_process){b, 4});
    assert_near(number_of(&db, "SELECT ratio('[1,2,4,8]', '[2,5,8,15]')"), r.value);
    assert_near(number_of(&db, "SELECT ratio_low('[1,2,4,8]', '[2,5,8,15,3]')"), r.low);
    assert_near(number_of(&db, "SELECT ratio_high('[1,2,4,8]', '[2,5,8,15]')"), r.high);
    assert_near(number_of(&db, "SELECT ratio_p('[1,2,4,8]', '[2,5,8,15]')"), r.p);
    assert_near(number_of(&db, "SELECT ratio('[null,2]', '[3,6]')"), 3);
    assert_true(isnan(number_of(&db, "SELECT ratio_low('[1,2]', '[3,6]')")));
    assert_true(isnan(number_of(&db, "SELECT ratio('[1,2]', NULL)")));
    /* The mean over cells is taken within each process first: 2 and 8 give 4. */
    assert_string_equal(
        rows_of(&db,
                "SELECT by_process(a, b), ratio(by_process(a, b)) FROM (SELECT '[1,1,1]' AS a, "
                "'[2,2,2]' AS b UNION ALL SELECT '[1,1,1]', '[8,8,8]')"),
        "[4,4,4]|4.0\n");
    /* A process that lacks one of the cells is left out while three have both. */
    assert_string_equal(
        rows_of(&db, "SELECT by_process(a, b) FROM (SELECT '[1,1,1,1]' AS a, '[2,2,2,2]' AS b "
                     "UNION ALL SELECT '[1,1,1]', '[8,8,8]')"),
        "[4,4,4,null]\n");
    assert_near(number_of(&db, "SELECT ratio(c.low_ns, d.low_ns) FROM cell_details c, "
                               "cell_details d WHERE c.block = 'b' AND d.low_ns LIKE '[32%' AND "
                               "c.low_ns LIKE '[64%' AND c.blob = d.blob"),
                0.5);
}

TEST(other_statistics_are_known)
{
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 9};
    const struct sample x = {a, 4}, y = {b, 4};
    const struct shift s = compare_shift(x, y);
    assert_near(number_of(&db, "SELECT mann_whitney('[1,2,3,4]', '[5,6,7,9]')"), compare_p(x, y));
    assert_near(number_of(&db, "SELECT shift('[1,2,3,4]', '[5,6,7,9]')"), s.estimate);
    assert_near(number_of(&db, "SELECT shift_low('[1,2,3,4]', '[5,6,7,9]')"), s.low);
    assert_near(number_of(&db, "SELECT geomean(value) FROM json_each('[2,8,null,0]')"), 4);
    assert_near(number_of(&db, "SELECT quantile(value, 0.25) FROM json_each('[5,1,3,2,null,4]')"),
                2);
    assert_true(isnan(number_of(&db, "SELECT quantile(value, 0.5) FROM json_each('[]')")));
    assert_string_equal(rows_of(&db,
                                "SELECT round(bh(value, 4) OVER (ORDER BY value DESC), 6) FROM "
                                "json_each('[0.01,0.04,0.03,0.005]') ORDER BY value"),
                        "0.02\n0.02\n0.04\n0.04\n");
    /* Benjamini and Hochberg, J. R. Statist. Soc. B 57, 1995, section 4.1: fifteen p values of a
     * trial, four discoveries at 0.05. A q is at most that of a larger p: the sixth is 0.0298 15/7.
     */
    assert_string_equal(
        rows_of(&db, "SELECT round(bh(value, 15) OVER (ORDER BY value DESC), 8) FROM "
                     "json_each('[0.0001,0.0004,0.0019,0.0095,0.0201,0.0278,0.0298,0.0344,0.0459,"
                     "0.3240,0.4262,0.5719,0.6528,0.7590,1.0000]') ORDER BY value LIMIT 6"),
        "0.0015\n0.003\n0.0095\n0.035625\n0.0603\n0.06385714\n");
    assert_string_equal(rows_of(&db,
                                "SELECT (SELECT digest(hash_of(value)) FROM json_each('[1,2]'))"
                                " = (SELECT digest(hash_of(value)) FROM json_each('[2,1]'))"),
                        "1\n");
}

/* No committed ratio may contradict the two times beside it. */
TEST(no_ratio_contradicts_its_times)
{
    static const char sql[] =
        "SELECT count(*) FROM rivals r JOIN timed l ON l.cell = r.lab JOIN timed p ON p.cell = "
        "r.rival WHERE r.flag = '' AND abs(ln(r.ratio / (p.ns / l.ns))) > ln(1.1)";
    static const char *const machines[] = {"results/*/machine.json", NULL};
    int64_t seen = 0;
    for (char **path = drive_glob(machines); *path; path++) {
        const char *folder = *path;
        struct lab_db l;
        struct error e = {.text = ""};
        *strrchr(*path, '/') = '\0';
        if (db_read(&l, &folder, 1, &e) || facts_make(&l, advice_bar, &e)) fail_msg("%s", e.text);
        if (lab_number(&l, sql) != 0) fail_msg("%s: a ratio contradicts its times", folder);
        seen += lab_number(&l, "SELECT count(ratio) FROM rivals");
        lab_close(&l);
    }
    assert_true(seen > 100);
}

/* What is named as the fastest is none slower than the fastest by more than identical code is apart
 * or the clock can tell, and nothing that is as fast errs less. */
TEST(ties_go_to_the_smaller_error)
{
    static const char entry[] =
        "WITH e AS MATERIALIZED (SELECT t.*, s.judged, p.cell AS pick, min(t.ns) OVER (PARTITION "
        "BY "
        "p.cell) AS least FROM picks p JOIN timed t USING (grp, \"rows\", n, threads, isa) JOIN "
        "summary s ON s.variant = t.variant WHERE p.isa <> '' AND s.advised AND NOT t.library AND "
        "t.family = 'normal'), f AS MATERIALIZED (SELECT * FROM e WHERE ns = least), alike AS "
        "MATERIALIZED (SELECT e.* FROM e JOIN f USING (pick), identical i WHERE e.cell = f.cell OR "
        "pair_low(f.t, e.t) <= 1 OR pair(f.t, e.t) <= 1 + i.p95) ";
    static const char *const none[] = {
        "SELECT count(*) FROM (SELECT DISTINCT pick FROM e) WHERE pick NOT IN (SELECT cell FROM "
        "alike)",
        "SELECT count(*) FROM alike a JOIN e p ON p.cell = a.pick WHERE a.judged < p.judged AND "
        "a.algorithm <> p.algorithm AND NOT EXISTS(SELECT 1 FROM alike o WHERE o.pick = a.pick AND "
        "o.algorithm = p.algorithm AND o.judged <= a.judged)"};
    const char *folder = "results/amd-25-17-1-0af3eb3f";
    struct lab_db l;
    struct error e = {.text = ""};
    char sql[2048];
    if (db_read(&l, &folder, 1, &e) || facts_make(&l, advice_bar, &e)) fail_msg("%s", e.text);
    for (size_t i = 0; i < 2; i++) {
        snprintf(sql, sizeof sql, "%s%s", entry, none[i]);
        assert_int_equal(lab_number(&l, sql), 0);
    }
    snprintf(sql, sizeof sql,
             "%sSELECT count(*) FROM e JOIN f USING (pick) WHERE e.cell = pick AND "
             "e.ns > f.ns",
             entry);
    assert_true(lab_number(&l, sql) > 0); /* a tie is decided by errors somewhere */
    lab_close(&l);
}

/* Makes temp.recorded: the limit of each record of a cell whose operations are counted, in ns per
 * row; call: of its empty call, for which records of earlier versions have 4 cycles. Returns how
 * many the run itself found to be faster than its limit, which it leaves out. */
static int64_t keep_limits(const struct lab_db *l, const char *folder)
{
    json_t *records, *r;
    struct error e = {.text = ""};
    size_t i;
    int64_t told = 0;
    int code = lab_execute(l,
                           "CREATE TEMP TABLE recorded(variant TEXT, \"rows\" INTEGER, n INTEGER, "
                           "threads INTEGER, family TEXT, bound REAL, call REAL); BEGIN",
                           &e);
    if (code || record_read_from(folder, "timing.jsonl", false, &records, &e))
        fail_msg("%s", e.text);
    json_array_foreach(records, i, r)
    {
        const double ns = record_number(r, "ns_per_row"), empty = record_number(r, "empty_ns");
        const double cycle =
            record_number(r, "ns_per_element") / record_number(r, "cycles_per_element");
        const double bound = record_number(r, "percent_of_limit") / 100 *
                             (ns + (isnan(empty) ? 0 : empty / record_number(r, "rows")));
        const char *variant = record_text(r, "variant");
        told +=
            !(bound > 0) && record_has_flag(r, "above-limit") && !record_has_flag(r, "uncounted");
        if (!(bound > 0) || strstr(variant, "policy=reassoc") || strstr(variant, "policy=fastmath"))
            continue;
        if (lab_run(l, &e, "INSERT INTO temp.recorded VALUES(?, ?, ?, ?, ?, ?, ?)", "tiiitdd",
                    variant, (int64_t)record_number(r, "rows"), (int64_t)record_number(r, "n"),
                    (int64_t)record_number(r, "threads"), record_text(r, "family"), bound,
                    isnan(empty) ? 4 * cycle : empty))
            fail_msg("%s", e.text);
    }
    json_decref(records); /* of all folders they would take too much memory */
    lab_execute(l, "COMMIT", &e);
    return told;
}

/* No committed cell may be wholly beyond what the core allows, and none is told a share of a limit
 * that nobody counted for its build; shares of all others are known. */
TEST(no_cell_is_beyond_its_limit)
{
    static const char *const all[] = {"results/*/machine.json", "results/suite-1/*/machine.json",
                                      NULL};
    size_t folders_seen = 0;
    int64_t beyond_seen = 0;
    for (char **path = drive_glob(all); *path; path++) {
        const char *folder = *path;
        struct lab_db l;
        struct error e = {.text = ""};
        *strrchr(*path, '/') = '\0';
        if (db_read(&l, &folder, 1, &e)) fail_msg("%s", e.text);
        assert_int_equal(
            lab_number(&l, "SELECT count(*) FROM cells WHERE percent * ns > 100 * high"), 0);
        assert_int_equal(
            lab_number(&l, "SELECT count(*) FROM cells c JOIN cell_details USING (blob, variant, "
                           "shape) JOIN variants v ON v.id = c.variant WHERE (v.policy IN "
                           "('reassoc', 'fastmath') OR flags LIKE '%\"above-limit\"%') = (percent "
                           "IS NOT NULL OR limit_name IS NOT NULL) AND ns > 0"),
            0);
        assert_true(lab_number(&l, "SELECT count(*) FROM cells WHERE percent > 20") > 100);
        /* Whose limit the loader takes, its record is above it, by less than a call: times are
         * without the call, which hides under a kernel that waits for its stores. */
        static const char above[] =
            "SELECT count(*) FROM temp.recorded r JOIN variants v ON v.variant = r.variant "
            "JOIN shapes s USING (\"rows\", n, threads, family) JOIN cells c ON c.variant = "
            "v.id AND c.shape = s.id JOIN cell_details d ON d.blob = c.blob AND d.variant = "
            "v.id AND d.shape = s.id WHERE ";
        char sql[1024];
        const int64_t told = keep_limits(&l, folder);
        snprintf(sql, sizeof sql, "%sbound > c.high * n AND flags NOT LIKE '%%\"above%%'", above);
        assert_int_equal(lab_number(&l, sql), 0);
        snprintf(sql, sizeof sql, "%sbound > c.high * n + call / \"rows\"", above);
        assert_int_equal(lab_number(&l, sql), 0);
        snprintf(sql, sizeof sql, "%sbound > c.high * n", above);
        const int64_t beyond = lab_number(&l, sql);
        assert_int_equal(
            lab_number(&l, "SELECT count(*) FROM cell_details WHERE flags LIKE '%\"above%' "
                           "AND flags NOT LIKE '%\"uncounted\"%'"),
            beyond + told);
        beyond_seen += beyond;
        folders_seen++;
        lab_close(&l);
    }
    assert_true(folders_seen >= 7);
    assert_true(beyond_seen >
                0); /* rsqrt/xsimd, of before times had their empty call beside them */
}

TEST(a_query_that_runs_away_is_stopped)
{
    static const char endless[] = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                                  "SELECT count(*) FROM n";
    struct error e = {""};
    FILE *out = tmpfile();
    for (enum answer_format f = ANSWER_TABLE; f <= ANSWER_JSON; f += 2) {
        assert_int_equal(sql_ask(&db, endless, f, 1, out, &e), EXIT_PARTIAL);
        assert_non_null(strstr(e.text, "stopped after 1 s"));
    }
    assert_string_equal(drive_slurp(out), "");
}

TEST_GROUP(load, unload)
