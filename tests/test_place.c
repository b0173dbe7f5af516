// SPDX-License-Identifier: MIT
/* Where a run's folder is written and published: an older run stays complete until a newer one is,
 * records of two runs are never read as those of one, and nothing that git tracks changes. */
// test: 38 s of a core
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>

#include <jansson.h>

#include "base/error.h"
#include "model/record.h"
#include "scratch.h"

#include "drive.h"

#define FEW "op=moments algorithm=twopass dtype=f32 isa=avx2 policy=off"
/* What no test here asks for: the limits of the CPU, and a case study of AVX-512 with 2^32 inputs.
 */
#define LESS "--no-limits", "--hide-isa", "avx512"

/* Two builds: $A is this one; $B is a copy of its file with one byte appended, which --resume takes
 * for another program. */
static char program_a[512], program_b[512];

/* Runs a line of shell in the scratch folder, with $A and $B; returns its exit code. */
__attribute__((format(printf, 1, 2))) static int shell(const char *format, ...)
{
    char line[2000], whole[3000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    snprintf(whole, sizeof whole, "cd '%s' && { %s\n} >said 2>&1", scratch, line);
    const int status = system(whole);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

/* Runs a line of shell; unless it exits with `want`, fails the test with the output. */
#define MUST(want, ...)                                                                            \
    do {                                                                                           \
        const int code_ = shell(__VA_ARGS__);                                                      \
        const char *said_ = scratch_read("said");                                                  \
        if (code_ != (want))                                                                       \
            fail_msg("want exit %d, got %d: %s: %s", want, code_, #__VA_ARGS__, said_);            \
    } while (0)

static void assert_said(const char *needle)
{
    char *said = scratch_read("said");
    if (!strstr(said, needle)) fail_msg("want '%s', got: %s", needle, said);
}

static int make_builds(void **state)
{
    if (scratch_open(state) || !realpath(drive_small_program(), program_a)) return -1;
    setenv("ULPLAB_SOURCES", getcwd(program_b, sizeof program_b), 1); /* B stands elsewhere */
    snprintf(program_b, sizeof program_b, "%s", scratch_path("other"));
    setenv("A", program_a, 1);
    setenv("B", program_b, 1);
    setenv("F", FEW, 1);
    setenv("LESS", "--no-limits --hide-isa avx512", 1);
    MUST(0, "cp \"$A\" \"$B\" && printf x >>\"$B\" && chmod +x \"$B\"");
    MUST(0, "$A run --quick --quiet $LESS --filter \"$F\" --out old && "
            "$B run --quick --quiet $LESS --filter \"$F\" --out new");
    return 0;
}

/* Returns the identity of a folder's run. */
static const char *run_of(const char *folder)
{
    char name[200];
    snprintf(name, sizeof name, "%s/machine.json", folder);
    json_t *machine = keep(json_load_file(scratch_path(name), 0, NULL));
    return record_run_of(machine);
}

/* Asserts that each record of the folder belongs to the run that machine.json names. */
static void assert_of_one_run(const char *folder)
{
    const char *run = run_of(folder);
    assert_int_equal(strlen(run), 16);
    for (const struct result_file *f = result_files; f->name; f++)
        if (f->of_run) MUST(1, "grep -v '\"run_id\":\"%s\"}$' %s/%s", run, folder, f->name);
}

/* Runs $B over the folder `work`, or goes on with its run, and kills it when it begins a step. */
static void kill_at(const char *step, bool goes_on)
{
    const char *const begins[] = {program_b, "run",   "--quick", LESS, "--filter",
                                  FEW,       "--out", "work",    NULL};
    const char *const resumes[] = {program_b, "run", "--out", "work", "--resume", NULL};
    const char *const *argv = goes_on ? resumes : begins;
    char line[200], want[40];
    int ends[2], status;
    bool killed = false;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        if (chdir(scratch) == 0) execv(program_b, (char **)(uintptr_t)argv);
        _exit(127);
    }
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    snprintf(want, sizeof want, "ulplab: %s\n", step);
    while (!killed && fgets(line, sizeof line, said))
        killed = !strcmp(line, want) && kill(child, SIGKILL) == 0;
    fclose(said);
    waitpid(child, &status, 0);
    assert_true(killed);
}

static const char *const steps[] = {"codegen", "accuracy", "diverge", "bench", "cases", "report"};
enum { STEPS = sizeof steps / sizeof *steps };

/* ---- An older run ---------------------------------------------------------------------------- */

TEST(an_older_run_stands_whole_until_the_new_one_is)
{
    MUST(0, "rm -rf work .work.* && cp -r old work");
    for (size_t i = 0; i < STEPS; i++) {
        kill_at(steps[i], i > 0);
        MUST(0, "diff -r old work && $A policy work");
        assert_said("a newer run, begun 20");
    }
    MUST(0, "$B run --quiet --quick $LESS --filter \"$F\" --out work --resume");
    MUST(1, "cmp old/machine.json work/machine.json");
    assert_of_one_run("work");
    MUST(2, "ls -d .work.*");
    /* `work` is complete: it has what an undisturbed run of that build has. */
    for (const struct result_file *f = result_files; f->name; f++)
        if (f->of_run)
            MUST(0, "! test -e new/%s || test $(wc -l <new/%s) = $(wc -l <work/%s)", f->name,
                 f->name, f->name);
    MUST(0, "sed 's/,\"run_id\":\"[0-9a-f]*\"//' old/accuracy.jsonl >want; "
            "sed 's/,\"run_id\":\"[0-9a-f]*\"//' work/accuracy.jsonl | cmp - want");
}

TEST(a_run_that_never_began_is_not_resumed)
{
    MUST(0, "rm -rf work .work.* && cp -r old work");
    MUST(4, "$B run --quick --quiet $LESS --filter \"$F\" --out work --resume");
    MUST(0, "diff -r old work");
    MUST(2, "ls -d .work.*");
}

TEST(after_an_interruption_the_older_run_is_read)
{
    MUST(0, "rm -rf work .work.* lab.db && cp -r old work");
    /* Sends SIGINT after the new run has begun; if the run was faster, it has replaced the old one.
     */
    const int code = shell("$B run --quick $LESS --filter \"$F\" --out work & run=$!; "
                           "until ls .work.unfinished-*/accuracy.jsonl; do sleep 0.02; "
                           "kill -0 $run || break; done; kill -INT $run; wait $run");
    if (code == 0) skip();
    assert_int_equal(code, EXIT_SIGINT);
    assert_said("until then the earlier run is in work");
    MUST(0, "diff -r old work");
    MUST(0, "$A archive add work --to lab.db && $A archive list lab.db");
    const char *old = run_of("old");
    assert_said(old);
    /* Its report says that the run did not end. */
    MUST(0, "grep -q 'This run did not end' .work.unfinished-*/report.md");
    MUST(0, "$A report .work.unfinished-* --out elsewhere");
    assert_said("this run, begun 20");
    assert_said("'ulplab run --resume --out work' goes on");
    /* Another new run leaves it alone until that run is complete itself. */
    MUST(0, "$A run --quick --quiet $LESS --filter \"$F\" --out work");
    MUST(2, "ls -d .work.*");
    assert_of_one_run("work");
}

TEST(a_killed_exchange_is_ended_by_the_next_run)
{
    const char *old = run_of("old");
    /* Killed after the exchange of the folders, before the older one was removed: its folder has
     * the new run's temporary name. */
    MUST(0,
         "rm -rf work .work.* && cp -r old work && cp -r old .work.unfinished-0123456789abcdef && "
         "echo kept >.work.unfinished-0123456789abcdef/notes");
    MUST(0, "$B run --quick --quiet $LESS --filter \"$F\" --out work");
    MUST(2, "ls -d .work.*");
    MUST(0, "grep -q kept work/notes");
    /* Complete, but not exchanged yet. */
    MUST(0,
         "rm -rf work && cp -r old .work.unfinished-%s && mkdir work && "
         "sed 's/\"run\": \"[0-9a-f]*\"/\"run\": \"0000000000000000\"/' old/machine.json "
         ">work/machine.json",
         old);
    MUST(4, "$B run --quick --quiet $LESS --filter \"$F\" --seed 7 --out work --resume");
    MUST(0, "diff -r old work");
}

TEST(what_outlives_runs_and_what_is_of_none_is_carried_over)
{
    MUST(0, "rm -rf work .work.* && cp -r old work && mkdir work/mine && echo x >work/mine/y && "
            "echo z >work/notes.txt");
    MUST(0, "$A search moments --evaluations 1 --n 9 --quiet --filter \"$F\" --out work");
    MUST(0, "sed -i 's/\"commit\":\"[^\"]*\"/\"commit\":\"0123456789ab\"/' work/search.jsonl && "
            "grep -q 0123456789ab work/search.jsonl && cp -r work/adversarial wanted && "
            "echo '{\"record\":\"scan\"}' >work/scan.jsonl && cp work/s*.jsonl .");
    MUST(0, "$B run --quick --quiet $LESS --filter \"$F\" --out work");
    MUST(0,
         "diff -r wanted work/adversarial && cmp scan.jsonl work/scan.jsonl && "
         "cmp search.jsonl work/search.jsonl && grep -q x work/mine/y && grep -q z work/notes.txt");
    MUST(0, "grep -q 'of other builds than this run, the last of commit 0123456789ab' "
            "work/report.html");
    assert_of_one_run("work");
}

/* ---- Records of two runs --------------------------------------------------------------------- */

TEST(records_of_two_runs_are_refused_by_every_reader)
{
    static const char *const readers[] = {"report mixed --out elsewhere",
                                          "report mixed --format html --out elsewhere",
                                          "compare old mixed",
                                          "policy mixed",
                                          "export mixed",
                                          "export mixed --format archive",
                                          "archive add mixed --to m.db",
                                          "report old mixed --out elsewhere"};
    for (const struct result_file *f = result_files; f->name; f++) {
        if (!f->of_run || !strcmp(f->name, "samples.jsonl") || !strcmp(f->name, "cases.jsonl"))
            continue;
        for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
            MUST(0, "rm -rf mixed m.db && cp -r old mixed && cp new/%s mixed", f->name);
            if (shell("$A %s", readers[i]) != EXIT_BAD_INPUT)
                fail_msg("%s takes %s of another run", readers[i], f->name);
            assert_said("mixed records: mixed/");
        }
    }
    /* A file with records of two runs is refused, too, and so is a record without a run. */
    MUST(4, "cp old/timing.jsonl mixed && cat new/timing.jsonl >>mixed/timing.jsonl && "
            "$A policy mixed");
    MUST(4, "sed '1s/,\"run_id\":\"[0-9a-f]*\"//' old/timing.jsonl >mixed/timing.jsonl && "
            "$A policy mixed");
    MUST(4, "cp old/timing.jsonl mixed && cp new/samples.jsonl mixed && "
            "$A run --quick --quiet $LESS --filter \"$F\" --out mixed --resume");
    assert_said("mixed/samples.jsonl");
}

TEST(folders_of_earlier_versions_are_read_as_they_are)
{
    MUST(0, "rm -rf earlier && cp -r old earlier && "
            "sed -i 's/,\"run_id\":\"[0-9a-f]*\"//' earlier/*.jsonl && "
            "sed -i '/\"stamped\"/d; /\"finished\"/d; s/Z\",$/Z\"/' earlier/machine.json");
    MUST(0, "$A policy earlier >a && $A policy old >b && "
            "$A export earlier >c && $A export old >d && cmp c d");
    MUST(4, "cp old/timing.jsonl earlier && $A policy earlier");
    assert_said("mixed records: earlier/timing.jsonl");
}

/* Nightly runs share the contents of files in an archive; the run's identity is put back when they
 * are extracted. */
TEST(an_archive_keeps_contents_once_and_gives_the_bytes_back)
{
    MUST(0, "rm -rf lab.db out && $A archive add old new --to lab.db");
    const char *old = run_of("old");
    MUST(0,
         "$A archive export lab.db:run=%s out && cp -r old same && "
         "rm -f same/report.* same/summary.json same/samples.jsonl && diff -r same out",
         old);
    MUST(0, "sqlite3 -version 2>&1 >&2 || exit 0; "
            "test $(sqlite3 lab.db \"SELECT count(DISTINCT blob) FROM files WHERE name = "
            "'accuracy.jsonl'\") = 1");
}

/* ---- Places ---------------------------------------------------------------------------------- */

TEST(a_report_goes_where_it_is_told)
{
    MUST(0, "rm -rf work .work.* one two d && cp -r old one && cp -r old two && rm one/report.*");
    MUST(0, "cp -r one one-was && cp -r two two-was");
    MUST(0, "$A report one --out d && test -s d/report.md && "
            "$A report one --format html --out d && test -s d/report.html && diff -r one one-was");
    MUST(0, "$A report one two --out d && diff -r one one-was && diff -r two two-was && "
            "test -s d/one/report.md && test -s d/two/report.md && test -s d/performance.md");
    MUST(0, "mkdir d/x && cp -r one d/x/one && $A report one d/x/one --out e && "
            "test -s e/one/report.md && test -s e/one-2/report.md");
    MUST(0, "$A report one two && diff -r one one-was && diff -r two two-was && "
            "test ! -e performance.md && cd results/local/together && "
            "test -s one/report.md && test -s two/report.md && test -s performance.md");
    MUST(0, "$A report one && test -s one/report.md");
}

TEST(runs_are_local_until_they_are_published)
{
    char publish[700], *here = keep(realpath("scripts/publish-run", NULL));
    snprintf(publish, sizeof publish, "cd place && BUILD=\"$(dirname \"$A\")\" '%s'", here);
    MUST(0, "mkdir place && cd place && $A run --quick --quiet $LESS --filter \"$F\" && "
            "ls -d results/local/*/report.md && test $(ls results) = local");
    MUST(0, "%s", publish);
    /* The host's short name may occur in compressed bytes by chance, so the records are unpacked
     * first. */
    MUST(0, "cd place/results && slug=$(ls local) && cd \"$slug\" && "
            "test \"$(echo $(ls))\" = 'machine.json records.tar.zst report.md summary.json' && "
            "cmp machine.json ../local/$slug/machine.json && cmp summary.json "
            "../local/$slug/summary.json && mkdir ../../open && cp machine.json summary.json "
            "report.md ../../open && "
            "{ ! command -v zstd >/dev/null || { tar --zstd -C ../../open -xf records.tar.zst && "
            "test -s ../../open/accuracy.jsonl; }; } && "
            "! grep -rlwF \"$(uname -n)\" ../../open && ! grep -rlF \"$PWD\" ../../open");
    /* Later runs do not change the published folder, and are the ones that are read. */
    MUST(0,
         "cd place && slug=$(ls results/local) && cp -r results/$slug ../published && sleep 1 && "
         "$A run --quick --quiet $LESS --filter \"$F\" && $A report && $A policy && "
         "diff -r results/$slug ../published && "
         "$A export >../read && $A export results/local/$slug | cmp - ../read");
    /* The later run is chosen by its start, whatever the files' modification times are; one that is
     * to come is not later. */
    MUST(0,
         "cd place && slug=$(ls results/local) && for to in 19 30; do "
         "sed -i \"s/\\\"started\\\": \\\"../\\\"started\\\": \\\"$to/\" "
         "results/local/$slug/machine.json && touch results/local/$slug/* && $A export >../read && "
         "$A export results/$slug | cmp - ../read && $A report && "
         "cmp results/$slug/report.md ../published/report.md || exit; done && "
         "sed -i 's/\"started\": \"../\"started\": \"20/' results/local/$slug/machine.json");
    MUST(0, "cd place && rm -r results/$(ls results/local) && echo picture >x.png");
    /* A run of a suite has a folder of its own; other files in it stay. */
    MUST(0, "cd place && sed -i 's/\"seed\": 1,/\"seed\": 1,\\n  \"suite\": 1,/' "
            "results/local/*/machine.json && mkdir -p results/suite-1/$(ls results/local) && "
            "cp x.png results/suite-1/*");
    MUST(0, "%s", publish);
    MUST(0, "cd place && ls results/suite-1/*/records.tar.zst results/suite-1/*/x.png && "
            "test \"$(echo $(ls -A results))\" = 'local suite-1'");
    /* A run that did not end, or whose records contain a name of its machine, is not published. */
    /* Rows that searches found are published for every CPU. */
    MUST(0, "cd place && run=$(ls -d results/local/*) && $A search moments --evaluations 1 --n 9 "
            "--quiet --filter \"$F\" --out $run && cp -r $run/adversarial ../rows");
    MUST(0, "%s", publish);
    MUST(0, "diff -r rows place/results/adversarial && ! ls -d place/results/*/*/adversarial | "
            "grep -v local");
    MUST(4, "sed -i '/\"finished\"/d' place/results/local/*/machine.json; %s", publish);
    assert_said("did not end");
}

/* Rows that searches found are replayed on every CPU and wherever one asks; what a CPU's own folder
 * holds is another matter. */
TEST(found_rows_are_every_cpus)
{
    char *rows = keep(realpath("results/adversarial", NULL));
    MUST(0, "mkdir found && cd found && $A search moments --evaluations 1 --n 9 --quiet "
            "--filter \"$F\" --out mine && slug=$(basename $(ls -d ../place/results/local/*)) && "
            "for own in results/local/$slug results/$slug; do mkdir -p $own && "
            "cp -r mine/adversarial $own; done");
    MUST(0,
         "cd found && $A accuracy --json --quiet --family adversarial --filter \"$F\" >all && "
         "ls '%s' | sed 's/.*/\"&\"/' >want && grep -o '\"[a-z]*-[0-9a-f]*\\.npy\"' all | "
         "diff - want",
         rows);
    MUST(0,
         "cd found && $A accuracy --json --quiet --family adversarial --filter \"$F\" --out mine "
         ">own && test $(grep -c '\\.npy' own) = 1");
}

/* A mount point cannot be exchanged with another folder, and a folder beside it is on another disk.
 * This test comes last: it enters a mount name space of its own. */
TEST(a_disk_of_its_own_is_a_place_too)
{
    MUST(0, "rm -rf work .work.* && mkdir work");
    char work[100];
    snprintf(work, sizeof work, "%s", scratch_path("work"));
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("ulplab", work, "tmpfs", 0, "size=64m") != 0)
        skip();
    MUST(0, "cp -r old/. work");
    kill_at("bench", false);
    MUST(0, "rm -rf now && cp -r work now && rm -rf now/.unfinished-* && diff -r old now");
    MUST(0, "$B run --quick --quiet $LESS --filter \"$F\" --out work --resume");
    MUST(2, "ls -d work/.unfinished-* .work.*");
    MUST(1, "cmp -s old/timing.jsonl work/timing.jsonl");
    assert_of_one_run("work");
    MUST(0, "$A policy work");
    assert_int_equal(umount(work), 0);
}

TEST_GROUP(make_builds, scratch_close)
