// SPDX-License-Identifier: MIT
/* What a command's text for people says of its document (publish/sql/found.h). */
#include "base/error.h"
#include "publish/render/query.h"
#include "publish/sql/found.h"
#include "publish/sql/sql.h"

#include "drive.h"

#define BUILD "exp/own/dtype=f32/isa=avx2/cc=gcc-12/policy="
#define OTHER "exp/own/dtype=f32/isa=avx512/cc=gcc-12/policy="

/* Returns the text; the document is moved into the database. */
static char *found_text(json_t *document, const char *sql, bool brief)
{
    struct lab_db l;
    struct error e = {""};
    FILE *out = tmpfile();
    assert_non_null(document);
    if (found_open(&l, document, &e) || query_print(&l, sql, brief, out, &e))
        fail_msg("%s", e.text);
    lab_close(&l);
    char *text = drive_slurp(out);
    for (char *c = text; *c; c++) /* prose is wrapped */
        if (*c == '\n' && c[1] == ' ' && c[2] == ' ')
            memmove(c, c + 2, strlen(c + 2) + 1), *c = ' ';
    return text;
}

/* The document as JSON with ' for ", and what its text says; "!": must not say. */
static const struct {
    const char *sql, *document;
    bool brief;
    const char *says[8];
} cases[] = {
    {sql_found_accuracy,
     "{'rows': [{'id': '" BUILD "off', 'status': 'ok', 'family': 'wide', 'n': 7, 'lost': 1, "
     "'max_ulp': 2.5, 'counts': {'nan': 1}, 'verdict': 'kept'},"
     "{'id': '" BUILD "fast', 'status': 'ok', 'family': 'wide', 'n': 7, 'lost': 1001, "
     "'max_ulp': null, 'infinite': ['mean_ulp'], 'counts': {'nan': 1001}, 'verdict': 'broken', "
     "'reference': 'r.c'},"
     "{'id': '" OTHER "off', 'status': 'ok', 'family': 'wide', 'n': 7, 'lost': 0, "
     "'counts': {'nan': 0}, 'verdict': 'measured'},"
     "{'id': '" OTHER "fast', 'status': 'ok', 'family': 'wide', 'n': 7, 'lost': 1000, "
     "'counts': {'nan': 1000}, 'verdict': 'broken'},"
     "{'id': 'exp/own/dtype=f64/isa=avx2/cc=gcc-12/policy=off', 'status': 'sigill', 'reason': "
     "'x'}],"
     "'notes': ['aside']}",
     false,
     {"own, fast: NaN for 1,000 results that off computes (avx2 gcc-12, avx512 gcc-12)",
      "policy=off: sigill: x", "inf  1001       inf", "against the reference in r.c", "aside",
      "1 rows kept their promises, 2 broke one, no promise bounds 1, 0 skipped, 1 crashed or "
      "hung"}},
    {sql_found_accuracy, "{'rows': [], 'notes': []}", false, {"!rows"}},
    {sql_found_scan,
     "{'rows': [{'record': 'scan', 'id': '" BUILD "off', 'status': 'ok', 'max_ulp': 1.00000002, "
     "'lost': 0, 'at': '0x1p+0', 'short': {'lost': 1, 'max_ulp': 2}, 'verdict': 'kept', 'kept': "
     "{}},"
     "{'record': 'scan', 'id': '" BUILD "fast', 'status': 'ok', 'max_ulp': 1.5, 'lost': 3, "
     "'counts': {'nan': 1, 'flushed': 9}, 'at': 'x', 'lost_at': '0x1p+9', 'verdict': 'measured', "
     "'same_code_as': '" BUILD "off'},"
     "{'record': 'scan-f64', 'id': 'exp/own/dtype=f64/isa=avx2/cc=gcc-12/policy=off', 'status': "
     "'ok', 'largest_ulp': 0.75, 'found_by': 'probe', 'tried': 1000}]}",
     false,
     {">1.000000", "kept, kept row", "0x1p+9", "measured, code of own avx2 gcc-12 off",
      "NaN for 1 and wrongly infinite or finite for 2 inputs that off computes (avx2 gcc-12)",
      "0.7500", "probe", "In double only some"}},
    {sql_found_search,
     "{'found': [{'id': '" BUILD "off', 'status': 'ok', 'score': 1.5, 'gain': 3, 'random': "
     "{'score': 0.5}, 'limit': 'level from 9%'}], 'notes': ['finds are in x']}",
     true,
     {"own avx2 gcc-12 off  1.5000  0.5000  3.0000", "ok: level from 9%", "!finds are"}},
    {sql_found_bench,
     "{'limits': [{'name': 'fma', 'value': 2.9e11, 'unit': 'FLOP/s'}, {'name': 'L1', 'value': "
     "49152, 'unit': 'B'}, {'name': 'sweep-1', 'value': 1, 'unit': 'B/s'}], 'controls': [{'id': "
     "'c', 'status': 'sigsegv'}], 'precision': 1.0, 'rows': [{'id': '" BUILD "off/rows=2/n=8/t=1', "
     "'status': 'ok', 'rows': 2, 'n': 8, 'threads': 1, 'family': 'normal', 'ns_per_row': 100, "
     "'ci_low': 99, 'ci_high': 102, 'half_width': 0.015, 'flags': ['outliers', 'two-modes'], "
     "'modes': [{'ns_per_row': 85.9, 'processes': 4}, {'ns_per_row': 452, 'processes': 2}]}]}",
     false,
     {"290.0 GFLOP/s", "48 KiB", "!sweep", "-1.0%  +2.0%",
      "outliers, two-modes (85.9 ns x4, 452 ns x2)", "not known to within 1%",
      "1.50%  " BUILD "off", "!sigsegv"}},
    {sql_pair_text,
     "{'pair': {'a': 'A', 'b': 'B', 'block': 'k', 'ratio': 1.5, 'low': 1.25, 'high': 2.0, "
     "'verdict': 'slower', 'processes': 6, 'off': 2, 'flags': ['two-modes']}, 'rows': [{'variant': "
     "'A', 'modes': null}, {'variant': 'B', 'modes': [{'ns_per_row': 85.9, 'processes': 4}]}]}",
     false,
     {"B takes 1.5000 [1.2500, 2.0000] times as long as A: slower (k, 6 processes)",
      "two-modes: 2 of 6", "B: 85.9 ns x4"}},
    {sql_pair_text, "{'pair': {'a': 'A', 'b': 'B'}}", false, {"B against A: no ratio"}},
    {sql_found_codegen,
     "{'litmus': [{'isa': 'avx2', 'cc': 'gcc-12', 'policy': 'off', 'status': 'ok', 'observed': "
     "{'contracts': true}, 'consistent': false, 'why': 'fuses'}], 'variants': [{'id': '" BUILD
     "off', 'status': 'ok', 'fma': 6, 'fma_scalar': 6, 'mul': 0, 'add': 25, 'code_hash': 'a', "
     "'consistent': true}, {'id': '" BUILD "on', 'status': 'ok', 'fma': 6, 'mul': 0, 'add': 25, "
     "'code_hash': 'a', 'consistent': false, 'why': 'none', 'expectation': 'unlisted'}]}",
     false,
     {"avx2 gcc-12 off: fuses", "off: 6s 0 25,  on: =off (!)",
      "Inconsistent (!):", BUILD "on: none", "2 variants, 1 inconsistent, 1 of an unlisted"}},
    {sql_found_diverge,
     "{'meanings': [{'op': 'exp', 'dtype': 'f32', 'sentence': 'two.'}], 'classes': [{'op': 'exp', "
     "'dtype': 'f32', 'class': 0, 'size': 1, 'label': 'b', 'representative': 'B'}, {'op': 'exp', "
     "'dtype': 'f32', 'class': 1, 'size': 2, 'label': 'a', 'representative': 'A'}], 'pairs': "
     "[{'a': "
     "'B', 'b': 'A', 'mismatched': 0.015, 'max_ulp_distance': 20000}], 'invariance': [{'id': "
     "'" BUILD
     "off', 'status': 'ok', 'run': true, 'tail': false, 'experiments': [{'name': 'run', 'answer': "
     "true, 'words': '', 'tried': '9 calls'}]}]}",
     false,
     {"exp f32: two.", "1         2  a   2         1  b", "1  2% 2e+04", "bits depend on: tail",
      "run: equal bits: 9 calls", "1 variants in 2 classes"}},
    {sql_found_explain,
     "{'difference': null, 'rows': [{'id': 'a', 'rows': 1, 'n': 100, 'family': 'normal', 'ns': 10, "
     "'cycles': 50.0, 'cycles_flushed': 10.0, 'library_share': 0.5, 'library': 'libm', "
     "'unmeasured': "
     "0.0, 'loops': [{'loop': true, 'share': 0.5, 'passes': 4, 'counts': {'fma': 2.0}, 'code': "
     "[{'code': 'ret', 'pipes': '01', 'latency': 4}]}, {'loop': false, 'share': 0.005}]}]}",
     false,
     {"50 cycles a call, 0.500 an element", "flushed to zero it takes 0.20",
      "50% of the instructions "
      "are in libm",
      "4 passes: 2 fma", "01        4  ret", "!no loop"}},
    {sql_found_explain,
     "{'difference': {'ratio': 0.5, 'words': 'w', 'counts': {'fma': [0, 1]}}, 'lines': [['x', '|', "
     "'y']], 'rows': []}",
     false,
     {"0.500 times as long", "fma 0.0 -> 1.0", "x      |  y"}},
};

TEST(a_text_has_what_its_document_has)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[4000];
        snprintf(json, sizeof json, "%s", cases[i].document);
        for (char *c = json; *c; c++)
            if (*c == '\'') *c = '"';
        char *text = found_text(json_loads(json, 0, NULL), cases[i].sql, cases[i].brief);
        for (size_t k = 0; k < 8 && cases[i].says[k]; k++) {
            const bool absent = *cases[i].says[k] == '!';
            if (!strstr(text, cases[i].says[k] + absent) != absent)
                fail_msg("%zu: %s: in\n%s", i, cases[i].says[k], text);
        }
    }
}

/* More than 120 rows: of each variant the worst alone, a failure before any error. */
TEST(of_many_rows_the_worst_are_shown)
{
    json_t *rows = json_array();
    for (int i = 0; i < 130; i++)
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:i, s:i, s:f}", "id",
                                              i % 2 ? BUILD "on" : BUILD "off", "status",
                                              i == 51 ? "sigfpe" : "ok", "family",
                                              i == 70 ? "tiny" : "wide", "n", i, "lost", i == 70,
                                              "max_ulp", (double)i));
    char *text = found_text(json_pack("{s:o}", "rows", rows), sql_found_accuracy, true);
    assert_non_null(strstr(text, "tiny"));
    assert_non_null(strstr(text, "  51"));
    assert_null(strstr(text, "129"));
}
