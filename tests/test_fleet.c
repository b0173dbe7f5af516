// SPDX-License-Identifier: MIT
/* A fleet on a real Slurm: two nodes on this machine's loopback interface (tests/slurm). Tasks are
 * killed, a node's slurmd is killed, the shared folder is full, everything is submitted twice: no
 * run is lost, and none is counted twice. Skipped, with a reason, where Slurm cannot run. */
// test: 16 s of a core
#include <unistd.h>

#include "base/error.h"

#include "drive.h"

static char home[] = "/tmp/ulplab-fleet-XXXXXX";
static bool has_slurm;

/* Runs a line of shell in which $HOME_ is the test's folder, $FLEET the fleet's and $ULPLAB the
 * program. */
static int shell(const char *line)
{
    return WEXITSTATUS(system(line));
}

static int set_up(void **state)
{
    (void)state;
    /* ulplab is a link: the shell's lines split a path with a space. */
    static const char *const places[][2] = {{"ULPLAB", "ulplab"},
                                            {"FLEET", "fleet"},
                                            {"KILLED", "killed"},
                                            {"ULPLAB_SCRATCH", "scratch"},
                                            {"SLURM_CONF", "slurm.conf"}};
    if (!mkdtemp(home)) return -1;
    must_format("ln -s \"$(realpath '%s')\" '%s/ulplab'", drive_program("ulplab"), home);
    setenv("HOME_", home, 1);
    has_slurm = shell("tests/slurm start $HOME_") == 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", home, places[i][1]);
        setenv(places[i][0], path, 1);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (has_slurm && shell("tests/slurm stop $HOME_") != 0) return -1;
    return shell("umount $HOME_/full/results 2>/dev/null; sleep 0.5; rm -rf $HOME_");
}

/* Waits until a line of shell succeeds. */
static void await(const char *line, int seconds)
{
    for (int i = 0; i < 5 * seconds; i++) {
        if (shell(line) == 0) return;
        usleep(200000);
    }
    shell("sinfo -N; squeue; cat $FLEET/state/* $FLEET/logs/*; $ULPLAB fleet status --out $FLEET");
    fail_msg("not within %d s: %s", seconds, line);
}

#define PLAN "--quick --filter 'op=moments algorithm=twopass policy=off' >$HOME_/out"

/* The steps run in this order: each starts from the state that the last one left. */
TEST(it_plans_what_nodes_there_are)
{
    if (!has_slurm) skip();
    must("$ULPLAB fleet plan --out $FLEET " PLAN);
    must("[ \"$(cut -f1 $FLEET/types | tr '\\n' ' ')\" = 'avx2 zen4 ' ]");
    must("cmp $ULPLAB $FLEET/bin/ulplab && cmp scripts/fleet/job.sh $FLEET/job.sh");
    assert_int_equal(shell("$ULPLAB fleet collect --out $FLEET >/dev/null 2>$HOME_/err"),
                     EXIT_PARTIAL);
    must("grep -q '2 of 2 types are missing: avx2 is missing (it never ran)' $HOME_/err");
    assert_int_equal(shell("$ULPLAB fleet plan --out $FLEET --full 2>$HOME_/err"), EXIT_USAGE);
    must("grep -q 'planned with other options' $HOME_/err");
    /* One node simulates a machine without AVX-512. */
    must("echo --hide-isa=avx512 >$FLEET/options.avx2");
}

TEST(killed_tasks_and_nodes_lose_nothing)
{
    if (!has_slurm) skip();
    /* Both nodes are submitted twice at once. */
    must("$ULPLAB fleet submit --out $FLEET --quiet & $ULPLAB fleet submit --out $FLEET "
         "--quiet; wait; [ $(squeue -h -r | wc -l) = 2 ]");
    await("[ -s $HOME_/scratch/*/*/zen4/run/samples.jsonl ]", 60);
    /* On one node the program is killed: its task is requeued, and continues. On the other node
     * slurmd is killed: the controller gives the task up. */
    must("kill -9 $(pgrep -f \"^$FLEET/bin/ulplab run .*/zen4/run\")");
    must("kill -9 $(cat $HOME_/slurmd.avx2.pid)");
    await("sinfo -h -N -n avx2 -o %T | grep -q down", 60);
    must("rm -f $HOME_/slurmd.avx2.pid; tests/slurm slurmd $HOME_ avx2");
    /* Slurm holds a requeued task for two minutes; the test releases it. */
    await("[ -e $FLEET/results/zen4 ] || scontrol update StartTime=now JobId=$(squeue -h -r -t "
          "PENDING -o %A)",
          20);
    await("$ULPLAB fleet collect --out $FLEET >/dev/null 2>&1", 120);
    must("grep -q 'ended with 137' $FLEET/state/zen4 && grep -q requeued $FLEET/state/zen4");
    must("grep -q 'measures with .*--resume' $FLEET/state/zen4");
    must("[ \"$(ls -A $FLEET/results | tr '\\n' ' ')\" = 'avx2 zen4 ' ]");
}

TEST(it_collects_each_run_once)
{
    if (!has_slurm) skip();
    for (int i = 0; i < 2; i++) {
        must("$ULPLAB fleet collect --out $FLEET >/dev/null");
        must("[ $($ULPLAB archive list $FLEET/lab.db | tail -n +2 | wc -l) = 2 ]");
    }
    must("grep -q '^# Performance and accuracy' $FLEET/performance.md");
    /* Finished tasks are not submitted again, and --hide-isa was passed on. */
    must("$ULPLAB fleet submit --out $FLEET | grep -q '^0 of 2 types'");
    must("grep -q 'hide_isa' $FLEET/results/avx2/machine.json && "
         "! grep -q 'hide_isa' $FLEET/results/zen4/machine.json");
    must("! grep isa=avx512 $FLEET/results/avx2/timing.jsonl | grep -q '\"status\":\"ok\"'");
}

/* A SIGKILL to the whole task, script included, as by scancel: Slurm does not requeue it, so it is
 * reported missing, and the next submission resumes it. */
TEST(a_killed_task_is_missing_until_submitted_again)
{
    if (!has_slurm) skip();
    must("$ULPLAB fleet submit --out $KILLED " PLAN);
    await("[ -s $HOME_/scratch/*/$(cd $KILLED && pwd -P | cksum | cut -d' ' "
          "-f1)/zen4/run/samples.jsonl ]",
          60);
    must("scancel --full --signal=KILL --state=RUNNING --nodelist=zen4");
    await("[ -z \"$(squeue -h -w zen4)\" ]", 60);
    must("$ULPLAB fleet status --out $KILLED | grep -q '^zen4 .*missing .*measures with'");
    must("$ULPLAB fleet submit --out $KILLED --quiet");
    await("$ULPLAB fleet collect --out $KILLED >/dev/null 2>&1", 120);
    must("grep -q 'measures with .*--resume' $KILLED/state/zen4");
    must("[ $($ULPLAB archive list $KILLED/lab.db | tail -n +2 | wc -l) = 2 ]");
}

/* The job script is run by hand, as on a node without Slurm, twice at once. */
TEST(by_hand_without_slurm)
{
    must("rm -rf $HOME_/hand; mkdir -p $HOME_/hand/bin; cp $ULPLAB $HOME_/hand/bin; "
         "printf -- '--quick\\n--no-limits\\n--filter\\nop=moments algorithm=twopass "
         "policy=off\\n' "
         ">$HOME_/hand/options; printf 'mine\\tmine\\t1\\tfeature\\n' >$HOME_/hand/types");
    must("unset SLURM_JOB_ID; scripts/fleet/job.sh $HOME_/hand mine >$HOME_/1 & "
         "scripts/fleet/job.sh $HOME_/hand mine >$HOME_/2; wait; "
         "[ $(cat $HOME_/1 $HOME_/2 | grep -c ' done$') = 1 ] && "
         "[ $(cat $HOME_/1 $HOME_/2 | grep -c 'is done already$') = 1 ]");
    must("[ \"$(ls -A $HOME_/hand/results)\" = mine ]");
    /* Without squeue, or if squeue knows no job of this fleet, the state is read from the folder.
     */
    must("env PATH=/usr/bin:/bin $ULPLAB fleet collect --out $HOME_/hand >$HOME_/out || "
         "! command -v squeue >/dev/null || [ -z \"$SLURM_CONF\" ]");
}

/* The shared folder is on a full disk: results that cannot be copied stay on the node, and a
 * partial copy is not taken for results. */
TEST(a_full_shared_folder_loses_nothing)
{
    if (shell("rm -rf $HOME_/full; cp -r $HOME_/hand $HOME_/full; rm -rf $HOME_/full/results; "
              "mkdir $HOME_/full/results; "
              "mount -t tmpfs -o size=64k none $HOME_/full/results 2>/dev/null") != 0) {
        print_message("skipped: no tmpfs can be mounted here\n");
        skip();
    }
    assert_int_equal(shell("scripts/fleet/job.sh $HOME_/full mine >$HOME_/out 2>&1"),
                     EXIT_BAD_INPUT);
    must("tail -n 1 $HOME_/full/state/mine | grep -q 'full?$'");
    must("[ -z \"$(ls -A $HOME_/full/results)\" ]");
    must("umount $HOME_/full/results");
    must("scripts/fleet/job.sh $HOME_/full mine >$HOME_/out 2>&1");
    must("grep -q 'measures with .*--resume' $HOME_/full/state/mine");
    must("[ -s $HOME_/full/results/mine/timing.jsonl ]");
}

TEST(what_makes_no_sense_is_said)
{
    static const struct {
        const char *line, *says;
        int code;
    } cases[] = {
        {"status", "--out: missing", EXIT_USAGE},
        {"status --out /nonexistent", "fleet plan", EXIT_BAD_INPUT},
        {"melt --out /nonexistent", "not plan, submit", EXIT_USAGE},
        {"plan --nodes-by=colour --out=/nonexistent", "want one of feature, partition", EXIT_USAGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(drive_program("ulplab"), cases[i].code, cases[i].says, "fleet %s",
                    cases[i].line);
}

/* Fake commands: sinfo lists nodes, sbatch records its arguments. With a constraint alone, the task
 * for `avx2` could run on a node that also has avx512. */
TEST(a_task_is_for_the_exact_type)
{
    must("mkdir -p $HOME_/words && cd $HOME_/words && "
         "printf '#!/bin/sh\necho avx2 n1; echo avx2,avx512 n2; echo avx512,avx2 n3; "
         "echo \"(null) n4\"\n' >sinfo && "
         "printf '#!/bin/sh\necho \"$@\" >>%s/asked\n' $HOME_/words >sbatch && "
         "printf '#!/bin/sh\n' >squeue && chmod +x sinfo sbatch squeue");
    must("PATH=$HOME_/words:$PATH $ULPLAB fleet submit --out $HOME_/exact --quick >$HOME_/out");
    static const char *const holds[] = {
        "[ \"$(sort $HOME_/exact/types | cut -f1,3 | tr '\\t\\n' ' ,')\" = "
        "'avx2 1,avx2+avx512 2,without-features 1,' ]",
        "[ $(wc -l <$HOME_/words/asked) = 3 ]",
        "grep -q -e '--constraint=avx2 --exclude=.*/exclude/avx2 ' $HOME_/words/asked",
        "[ \"$(tr '\\n' ' ' <$HOME_/exact/exclude/avx2)\" = 'n2 n3 ' ]",
        "grep -q -e '--constraint=avx2&avx512 *--output' $HOME_/words/asked",
        "grep -e '--exclude=.*/without-features ' $HOME_/words/asked | grep -vq -e --constraint",
        "[ \"$(tr '\\n' ' ' <$HOME_/exact/exclude/without-features)\" = 'n1 n2 n3 ' ]",
    };
    for (size_t i = 0; i < sizeof holds / sizeof *holds; i++)
        if (shell(holds[i]) != 0) fail_msg("not so: %s", holds[i]);
}

/* A task for a type waits although a node with more features than that type is idle. */
TEST(a_task_waits_for_the_exact_type)
{
    if (!has_slurm) skip();
    must("scontrol update NodeName=zen4 AvailableFeatures=avx2,avx512 "
         "ActiveFeatures=avx2,avx512 && "
         "scontrol update NodeName=avx2 State=DRAIN Reason=test");
    must("$ULPLAB fleet submit --out $HOME_/two " PLAN);
    await("squeue -h -r -t RUNNING -o %N | grep -qx zen4", 60);
    await("[ -e $HOME_/two/results/avx2+avx512 ]", 120);
    must("sleep 3; [ \"$(squeue -h -r -o '%T')\" = PENDING ]");
    must("scontrol update NodeName=avx2 State=RESUME");
    await("[ -e $HOME_/two/results/avx2 ]", 120);
    must("grep -q ' avx2 measures' $HOME_/two/state/avx2 && "
         "grep -q ' zen4 measures' $HOME_/two/state/avx2+avx512");
}

TEST_GROUP(set_up, tear_down)
