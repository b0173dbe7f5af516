// SPDX-License-Identifier: MIT
/* What doctor says of time, memory and governors is the process's: of its groups up to the highest
 * that can be seen, and of its processors. Made-up proc/ and sys/ stand in a scratch folder. */
#include "base/error.h"
#include "machine/cgroup.h"
#include "machine/doctor.h"
#include "filtered.h"
#include "scratch.h"

#include "drive.h"

enum { FILES = 24 };
struct file {
    const char *name, *text; /* text NULL: a folder */
};

/* Makes the files below scratch/root, and returns its path. */
static const char *make_tree(const struct file *files)
{
    must_format("rm -rf '%s'", scratch_path("root"));
    for (; files->name; files++) {
        char name[200];
        const int folder = (int)(strrchr(files->name, '/') - files->name);
        must_format("mkdir -p '%s/%.*s'", scratch_path("root"),
                    files->text ? folder : (int)strlen(files->name), files->name);
        snprintf(name, sizeof name, "root/%s", files->name);
        if (files->text) scratch_write(name, files->text);
    }
    return scratch_path("root");
}

#define V2 "proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
#define V1(group)                                                                                  \
    "proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"         \
                           "31 23 0:27 " group " /sys/fs/cgroup/cpuset rw - cgroup cgroup "        \
                           "rw,cpuset\n"                                                           \
                           "32 23 0:28 " group " /sys/fs/cgroup/cpu,cpuacct rw shared:5 - cgroup " \
                           "cgroup rw,cpu,cpuacct\n"                                               \
                           "33 23 0:29 " group " /sys/fs/cgroup/memory rw - cgroup cgroup "        \
                           "rw,memory\n"

static const struct {
    const char *what;
    struct file files[FILES];
    struct cgroup_limits want;
} trees[] = {
    {"version 2, the quota and the limit on a group above",
     {{V2},
      {"proc/self/cgroup", "0::/user/job/leaf\n"},
      {"sys/fs/cgroup/cgroup.procs", ""},
      {"sys/fs/cgroup/user/cgroup.procs", ""},
      {"sys/fs/cgroup/user/cpu.max", "50000 100000\n"},
      {"sys/fs/cgroup/user/memory.max", "1000000000\n"},
      {"sys/fs/cgroup/user/memory.current", "600000000\n"},
      {"sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 100000000\nslab 2\n"},
      {"sys/fs/cgroup/user/job/cgroup.procs", ""},
      {"sys/fs/cgroup/user/job/cpu.max", "max 100000\n"},
      {"sys/fs/cgroup/user/job/memory.max", "max\n"},
      {"sys/fs/cgroup/user/job/memory.high", "900000000\n"},
      {"sys/fs/cgroup/user/job/memory.current", "5\n"},
      {"sys/fs/cgroup/user/job/leaf/cgroup.procs", ""}},
     {0.5, 900e6, 500e6, false}},
    {"version 2 without limits",
     {{V2}, {"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/cgroup.procs", ""}},
     {INFINITY, INFINITY, INFINITY, false}},
    {"version 1, the quota and the limit on the group above",
     {{V1("/")},
      {"proc/self/cgroup", "5:memory:/a\n4:cpuset:/other\n3:cpu,cpuacct:/a/b\n0::/a/b\n"},
      {"sys/fs/cgroup/unified/cgroup.procs", ""},
      {"sys/fs/cgroup/cpu,cpuacct/cgroup.procs", ""},
      {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
      {"sys/fs/cgroup/cpu,cpuacct/a/cgroup.procs", ""},
      {"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000\n"},
      {"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"},
      {"sys/fs/cgroup/cpu,cpuacct/a/b/cgroup.procs", ""},
      {"sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n"},
      {"sys/fs/cgroup/memory/cgroup.procs", ""},
      {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"},
      {"sys/fs/cgroup/memory/a/cgroup.procs", ""},
      {"sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2000000000\n"},
      {"sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1500000000\n"},
      {"sys/fs/cgroup/memory/a/memory.stat", "inactive_file 7\ntotal_inactive_file 250000000\n"}},
     {1.5, 2e9, 750e6, false}},
    {"Docker's layout of version 1: the group's own folder stands where the first group's would",
     {{V1("/docker/abc")},
      {"proc/self/cgroup", "3:cpu,cpuacct:/docker/abc\n"},
      {"sys/fs/cgroup/cpu,cpuacct/cgroup.procs", ""},
      {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "25000\n"},
      {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}},
     {0.25, NAN, NAN, true}},
    {"the same without a quota: what stands above cannot be seen",
     {{V1("/docker/abc")},
      {"proc/self/cgroup", "3:cpu,cpuacct:/docker/abc/x\n"},
      {"sys/fs/cgroup/cpu,cpuacct/cgroup.procs", ""},
      {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"}},
     {INFINITY, NAN, NAN, true}},
    {"version 2, the host's name of a group that has no folder here",
     {{V2},
      {"proc/self/cgroup", "0::/system.slice/docker-abc.scope\n"},
      {"sys/fs/cgroup/cgroup.procs", ""},
      {"sys/fs/cgroup/cgroup.type", "domain\n"},
      {"sys/fs/cgroup/cpu.max", "200000 100000\n"}},
     {2, INFINITY, INFINITY, true}},
    {"a group outside of the name space",
     {{V2},
      {"proc/self/cgroup", "0::/../other\n"},
      {"sys/fs/cgroup/cgroup.procs", ""},
      {"sys/fs/cgroup/cpu.max", "max 100000\n"},
      {"sys/fs/cgroup/cgroup.type", "domain\n"}},
     {INFINITY, INFINITY, INFINITY, true}},
    {"a file that cannot be read, of a group above",
     {{V2},
      {"proc/self/cgroup", "0::/a/b\n"},
      {"sys/fs/cgroup/cgroup.procs", ""},
      {"sys/fs/cgroup/a/cgroup.procs", ""},
      {"sys/fs/cgroup/a/cpu.max", NULL},
      {"sys/fs/cgroup/a/b/cgroup.procs", ""},
      {"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"}},
     {NAN, INFINITY, INFINITY, false}},
    {"/sys is not there", {{V2}, {"proc/self/cgroup", "0::/a\n"}}, {NAN, NAN, NAN, false}},
    {"/proc is not there", {{"sys/fs/cgroup/cpu.max", "1 2\n"}}, {NAN, NAN, NAN, false}},
};

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

TEST(limits_are_those_of_all_groups)
{
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        const struct cgroup_limits *w = &trees[i].want,
                                   l = cgroup_limits_read(make_tree(trees[i].files));
        if (!is_same(l.processors, w->processors) || !is_same(l.memory_bytes, w->memory_bytes) ||
            !is_same(l.memory_left, w->memory_left) || l.beneath != w->beneath)
            fail_msg("%s: %g processors, %g bytes, %g left, beneath %d", trees[i].what,
                     l.processors, l.memory_bytes, l.memory_left, l.beneath);
    }
}

/* Asserts what is found of processor 3 of a made-up machine. */
static void assert_found(const struct file *files, const char *check, const char *value,
                         enum severity severity)
{
    enum { ROOM = 32 };
    static const struct topology third = {.cores = 1, .processors = 1, .processor = {3}};
    struct finding findings[ROOM];
    const struct cpu cpu = this_cpu(NULL);
    const size_t count = doctor_examine(&cpu, &third, make_tree(files), findings, ROOM);
    size_t i = 0;
    while (i < count && strcmp(findings[i].check, check) != 0) i++;
    if (i == count) fail_msg("no finding %s", check);
    assert_string_equal(findings[i].value, value);
    assert_int_equal(findings[i].severity, severity);
}

TEST(doctor_speaks_of_the_process)
{
    static const struct file files[] = {
        {V2},
        {"proc/self/cgroup", "0::/a\n"},
        {"proc/stat", "cpu  900 0 0 100 0 0 0 0 0 0\ncpu0 850 0 0 50 0 0 0 0 0 0\n"
                      "cpu3 50 0 0 25 0 0 0 25 0 0\nintr 1\n"},
        {"proc/meminfo", "MemTotal: 64000000 kB\nMemAvailable: 64000000 kB\n"},
        {"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"},
        {"sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n"},
        {"sys/fs/cgroup/cgroup.procs", ""},
        {"sys/fs/cgroup/a/cgroup.procs", ""},
        {"sys/fs/cgroup/a/cpu.max", "50000 100000\n"},
        {"sys/fs/cgroup/a/memory.max", "500000000\n"},
        {"sys/fs/cgroup/a/memory.current", "300000000\n"},
        {NULL, NULL}};
    static const char *const want[][2] = {
        {"cgroup-quota", "0.50 processors"},
        {"steal", "25.00% of the given processors' time since boot"},
        {"governor", "powersave, on processor 3"},
        {"memory", "0.2 GB available within the cgroup's limit"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_found(files, want[i][0], want[i][1], SEVERITY_WARN);
}

TEST(what_cannot_be_seen_is_unknown)
{
    static const struct {
        struct file files[FILES];
        const char *value;
    } cases[] = {
        {{{V2}, {"proc/self/cgroup", "0::/a\n"}, {NULL, NULL}}, "unknown"},
        {{{V1("/docker/abc")},
          {"proc/self/cgroup", "3:cpu,cpuacct:/docker/abc\n"},
          {"sys/fs/cgroup/cpu,cpuacct/cgroup.procs", ""},
          {NULL, NULL}},
         "none in this container"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_found(cases[i].files, "cgroup-quota", cases[i].value, SEVERITY_NOTE);
}

TEST(lost_time_is_blamed_on_a_quota_where_there_is_one)
{
    static const struct {
        double share, quota;
        const char *says, *not ;
    } cases[] = {{50, 0.5, "quota of 0.50 processors", "something else"},
                 {50, 3, "quota of 3.00 processors", "taskset"},
                 {50, INFINITY, "something else runs on this core", "quota"},
                 {50, NAN, "quota outside the container", "taskset"},
                 {1, 0.5, "", "quota"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct finding f = {.check = "interruptions"};
        doctor_judge_pauses(&f, cases[i].share, cases[i].quota);
        if (!strstr(f.remedy, cases[i].says) || strstr(f.remedy, cases[i].not ))
            fail_msg("%g: %s", cases[i].quota, f.remedy);
        assert_int_equal(f.severity, cases[i].share > 2 ? SEVERITY_WARN : SEVERITY_OK);
    }
}

TEST_GROUP(scratch_open, scratch_close)
