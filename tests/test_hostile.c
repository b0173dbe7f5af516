// SPDX-License-Identifier: MIT
/* Results from an untrusted source: none of their text runs as script in a page or as a formula in
 * a spreadsheet, and nothing is written outside of the folder that was named. */
// test: 24 s of a core, long
#include <jansson.h>

#include "page.h"

#define HOME "build-hostile/"

static const char *const evil[] = {
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)\" x=\"",
    "' autofocus onfocus='alert(1)",
    "`${alert(1)}`",
    "javascript:alert(1)",
    "[x](javascript:alert(1))",
    "=HYPERLINK(\"http://x\",\"y\")",
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "\t=1+1",
    "\r=1+1",
    "\x01\x1b[31m\x7f",
    "\u202e\u2066evil\u2069\u202c",
    "../../../../tmp/ulplab-hostile-escaped",
    "/tmp/ulplab-hostile-escaped",
    "<!--<svg onload=alert(1)>",
    "</style></textarea></title><iframe srcdoc='<script>alert(1)</script>'>",
};
enum { EVILS = sizeof evil / sizeof *evil };
/* Hostile names for parts of an id: without a slash, at most 39 bytes. */
static const char *const evil_names[] = {"<img src=x onerror=alert(1)>",
                                         "\" onclick=\"alert(1)",
                                         "' onfocus='alert(1)",
                                         "`${alert(1)}`",
                                         "javascript:alert(1)",
                                         "=1+1",
                                         "\u202eevil\u2069",
                                         "@SUM(1)"};
enum { MACHINES = 8 }; /* more machines than a report reads in full */
enum { STEP = 3 };
enum { EVIL_NAMES = sizeof evil_names / sizeof *evil_names };

/* ---- An untrusted folder: each text of a good run is replaced by a hostile one --------------- */

static size_t next;

static json_t *spoiled(const json_t *value, const char *key)
{
    /* These fields are kept, because a record is recognised, or found in the page, by them. */
    static const char *const kept[] = {"record", "status", "id", "variant", "residency", "range"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (key && !strcmp(key, kept[i])) return json_deep_copy(value);
    if (json_is_string(value)) return json_string(evil[next++ % EVILS]);
    if (json_is_array(value)) {
        json_t *array = json_array(), *item;
        size_t i;
        json_array_foreach((json_t *)(uintptr_t)value, i, item)
            json_array_append_new(array, spoiled(item, NULL));
        return array;
    }
    if (!json_is_object(value)) return json_deep_copy(value);
    json_t *object = json_object(), *item;
    const char *name;
    json_object_foreach((json_t *)(uintptr_t)value, name, item)
        json_object_set_new(object, name, spoiled(item, name));
    json_object_set_new(object, evil[next % EVILS], json_string(evil[(next + 1) % EVILS]));
    next++;
    return object;
}

/* Writes the first records and then every third, which leaves hundreds of each hostile text for
 * each field, and a copy with hostile texts, the id included. */
static void spoil_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    size_t seen = 0;
    for (json_t *record; (record = json_loadf(in, JSON_DISABLE_EOF_CHECK, NULL));) {
        keep(record);
        if (seen++ > 40 && seen % STEP) continue;
        json_t *copy = keep(spoiled(record, NULL));
        char id[300];
        const char *was = json_string_value(json_object_get(record, "id"));
        snprintf(id, sizeof id, "softmax/%s/dtype=f32/isa=%s/cc=%s/policy=%s%s",
                 evil_names[next % EVIL_NAMES], next % 2 ? "<i onload=x>" : "=1+1",
                 evil_names[(next + 3) % EVIL_NAMES], evil_names[(next + 5) % EVIL_NAMES],
                 was && strstr(was, "/rows=") ? strstr(was, "/rows=") : "");
        json_dumpf(copy, out, JSON_COMPACT);
        putc('\n', out);
        if (was) {
            json_object_set_new(copy, "id", json_string(id));
            json_object_set_new(copy, "status", json_string(next % 2 ? "ok" : evil[next % EVILS]));
            json_dumpf(copy, out, JSON_COMPACT);
            putc('\n', out);
        }
        next++;
    }
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* Writes the record of a scan over all inputs, from which vector-math.html is made. */
static void write_scan(const char *path)
{
    FILE *out = fopen(path, "wb");
    for (int i = 0; i < 20; i++)
        fprintf(
            out,
            "{\"record\":\"scan\",\"id\":\"exp/own%d/dtype=f32/isa=avx2/cc=gcc-12/policy=off\","
            "\"range\":\"all\",\"status\":\"ok\",\"max_ulp\":0.7,\"at\":\"0x1p+0\",\"misrounded\":"
            "0.1,\"mean_ulp\":0.2,\"outputs\":\"01\",\"libraries\":\"glibc\",\"code_hash\":\"aa\","
            "\"counts\":{\"nan\":1,\"inf\":0,\"sign\":0,\"flushed\":7}}\n",
            i);
    assert_int_equal(fclose(out), 0);
}

/* Makes so many machines that their page is computed by sums over an archive, each with another
 * name. */
static void make_machines(const json_t *machine)
{
    for (int i = 0; i < MACHINES; i++) {
        char name[100];
        json_t *bad = keep(spoiled(machine, NULL));
        json_object_set_new(json_object_get(bad, "machine"), "slug", json_string(evil[i]));
        must_format("mkdir " HOME "many%d && cp " HOME "bad/*.jsonl " HOME "many%d", i, i);
        snprintf(name, sizeof name, HOME "many%d/machine.json", i);
        json_dump_file(bad, name, 0);
    }
}

static int make_home(void **state)
{
    static const char *const records[] = {"accuracy", "timing", "codegen", "cases", "scan"};
    (void)state;
    must("rm -rf " HOME " /tmp/ulplab-hostile-escaped && mkdir -p " HOME "bad " HOME "bad2");
    if (system("command -v python3 >/dev/null") != 0) return 0;
    must("tests/synthetic-results " HOME "good small");
    write_scan(HOME "good/scan.jsonl");
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        char from[100], to[100];
        snprintf(from, sizeof from, HOME "good/%s.jsonl", records[i]);
        snprintf(to, sizeof to, HOME "bad/%s.jsonl", records[i]);
        spoil_file(from, to);
    }
    json_t *machine = keep(json_load_file(HOME "good/machine.json", 0, NULL));
    for (int i = 0; i < 2; i++) {
        json_t *bad = keep(spoiled(machine, NULL));
        json_dump_file(bad, i ? HOME "bad2/machine.json" : HOME "bad/machine.json", 0);
    }
    must("cp " HOME "bad/*.jsonl " HOME "bad2");
    make_machines(machine);
    return 0;
}

static void need_home(void)
{
    if (access(HOME "bad/machine.json", R_OK) == 0) return;
    print_message("skipped: no python3 to make synthetic results with\n");
    skip();
}

static struct outcome ulplab(const char *words)
{
    char command[600];
    snprintf(command, sizeof command, "'%s' %s", drive_program("ulplab"), words);
    return drive(&(struct drive){.program = "/bin/sh", .arguments = {"-c", command}});
}

static void survives(const char *words)
{
    struct outcome o = ulplab(words);
    if (o.code != 0) fail_msg("%s: exit %d: %s", words, o.code, o.err);
    if (strpbrk(o.out, "\x01\x1b\x7f")) fail_msg("%s: a control character on stdout", words);
}

/* ---- Pages ----------------------------------------------------------------------------------- */

TEST(no_page_runs_a_script)
{
    need_home();
    survives("report " HOME "bad --format html");
    survives("report " HOME "bad");
    survives("report " HOME "bad " HOME "bad2 --format html --out " HOME "both");
    survives("archive add " HOME "bad " HOME "bad2 --quiet --to " HOME "lab.db");
    survives("archive list " HOME "lab.db");
    survives("history " HOME "lab.db --quiet --page " HOME "history.html");
    page_in_a_browser(HOME "bad/report.html", "tests/browser_hostile.js", "all");
    page_in_a_browser(HOME "bad/vector-math.html", "tests/browser_hostile.js", "all");
    page_in_a_browser(HOME "history.html", "tests/browser_hostile.js", "all");
    page_in_a_browser(HOME "both/performance.html", "tests/browser_hostile.js", "all");
}

TEST(no_page_of_many_machines_runs_a_script)
{
    need_home();
    survives("archive add --quiet --to " HOME "many.db " HOME "many?");
    survives("report " HOME "many.db --format html --out " HOME "together");
    page_in_a_browser(HOME "together/performance.html", "tests/browser_hostile.js", "all");
}

/* ---- Tables for spreadsheets ----------------------------------------------------------------- */

/* Reads the next field of RFC 4180 into `field`; returns what follows its separator. */
static const char *field_of(const char *at, char *field, size_t size)
{
    size_t length = 0;
    bool quoted = *at == '"';
    for (at += quoted; *at; at++) {
        if (quoted && at[0] == '"' && at[1] != '"') break;
        if (!quoted && strchr(",\r\n", *at)) break;
        if (quoted && *at == '"') at++;
        if (length + 1 < size) field[length++] = *at;
    }
    field[length] = '\0';
    at += quoted && *at == '"';
    if (*at == ',') return at + 1;
    return at + strspn(at, "\r\n");
}

TEST(no_cell_is_a_formula)
{
    need_home();
    struct outcome o = ulplab("export " HOME "bad --format csv");
    assert_int_equal(o.code, 0);
    size_t guarded = 0, numbers = 0;
    char field[4096];
    for (const char *at = o.out; *at; at = field_of(at, field, sizeof field), numbers += 1) {
        char *end;
        const char *after = field_of(at, field, sizeof field);
        strtod(field, &end);
        bool number = end > field && !strcmp(end, "");
        bool list = strspn(field, "0123456789.e+- ") == strlen(field);
        if (*field && strchr("=+-@\t\r\n", *field) && !number && !list)
            fail_msg("a cell '%s' may be a formula", field);
        guarded += field[0] == '\'' && field[1] && strchr("=+-@\t\r\n", field[1]);
        if (after == at) break;
    }
    assert_true(guarded > 10 && numbers > 1000);
}

TEST(numbers_stay_numbers)
{
    must("mkdir -p " HOME "numbers && echo '{\"machine\":{\"slug\":\"=1\"}}' >" HOME
         "numbers/machine.json");
    FILE *out = fopen(HOME "numbers/accuracy.jsonl", "wb");
    fputs("{\"record\":\"accuracy\",\"id\":\"a/b/dtype=f32/isa=avx2/cc=c/policy=off\","
          "\"family\":\"normal\",\"n\":1,\"status\":\"ok\",\"max_ulp\":-1.5,\"list\":[-1,2],"
          "\"text\":\"-0x1p+3\",\"inf\":\"-inf\",\"note\":\"-1+1\",\"words\":[\"=1\",2]}\n",
          out);
    fclose(out);
    struct outcome o = ulplab("export " HOME "numbers --format csv");
    if (!strstr(o.out, ",-inf,-1 2,-1.5,1,'-1+1,accuracy,ok,-0x1p+3,'=1 2\r\n") ||
        !strstr(o.out, "\r\n'=1,"))
        fail_msg("%s", o.out);
}

/* ---- Nothing outside the folder -------------------------------------------------------------- */

/* Makes a link under each name that the next processes could give to a temporary file. */
static void link_temporary_files(void)
{
    long last = getpid();
    FILE *in = fopen("/proc/sys/kernel/ns_last_pid", "r");
    if (in && fscanf(in, "%ld", &last) != 1) last = getpid();
    if (in) fclose(in);
    for (long pid = last; pid <= last + 3000; pid++) {
        char path[80];
        snprintf(path, sizeof path, HOME "links/report.md.%ld.tmp", pid);
        assert_int_equal(symlink("../victim", path), 0);
    }
}

/* A symbolic link in place of an output file is replaced, not followed, even if it has the name of
 * the temporary file. The folder has a few records of each file. */
TEST(links_are_not_followed)
{
    need_home();
    must("rm -rf " HOME "links && mkdir " HOME "links && echo kept >" HOME "victim && cd " HOME
         "links && cp ../bad/machine.json . && for f in ../bad/*.jsonl; do head -n 40 $f "
         ">${f##*/}; done && for f in report.md report.html summary.json; do ln -s ../victim $f; "
         "done");
    link_temporary_files();
    survives("report " HOME "links");
    survives("report " HOME "links --format html");
    must("cd " HOME "links && test \"$(cat ../victim)\" = kept && ! test -L "
         "report.md && ! test -L report.html");
    survives("export " HOME "links --format archive");
    must("test \"$(cat " HOME "victim)\" = kept && ! test -L " HOME "links/summary.json");
}

/* Files that cannot be read to an end: a pipe without a writer, and an endless device. */
TEST(what_is_no_file_is_refused)
{
    static const char *const made[] = {"mkfifo", "ln -s /dev/zero", "mkdir"};
    static const char *const names[] = {"accuracy.jsonl", "machine.json", "records.tar.zst"};
    (void)state;
    need_home();
    for (size_t i = 0; i < 9; i++) {
        must_format("rm -rf " HOME "odd && cp -r " HOME "bad " HOME "odd && cd " HOME
                    "odd && rm -rf %s && %s %s && case %s in records*) rm *.jsonl;; esac",
                    names[i % 3], made[i / 3], names[i % 3], names[i % 3]);
        struct outcome o = ulplab("export " HOME "odd");
        assert_one_error(&o, EXIT_BAD_INPUT, "");
    }
}

TEST_GROUP(make_home, NULL)
