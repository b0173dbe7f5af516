// SPDX-License-Identifier: MIT
/* The machine: the cpuset is respected, the clocks agree with the system's, the record is valid and
 * anonymous. Nothing here depends on how fast the machine is. */
#include <hwloc.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "machine/clock.h"
#include "machine/doctor.h"
#include "machine/machine.h"
#include "machine/mxcsr.h"

#include "facts.h"
#include "filtered.h"
#include "test.h"

/* Reads the machine's topology once for all tests. */
static struct topology read_topology(void)
{
    static struct topology t;
    struct error e = {.text = ""};
    if (!t.processors && topology_read(&t, &e) != 0) fail_msg("%s", e.text);
    return t;
}

TEST(test_topology_describes_the_cpuset)
{
    cpu_set_t given;
    sched_getaffinity(0, sizeof given, &given);
    struct topology t = read_topology();
    assert_int_equal(t.processors, CPU_COUNT(&given));
    assert_in_range(t.cores, 1, t.processors);
    for (unsigned i = 0; i < t.cores; i++) assert_true(CPU_ISSET(t.processor[i], &given));
    assert_true(topology_quiet_core(&t) < t.cores);
    for (int l = 1; l < LEVEL_DRAM; l++)
        if (t.caches[l].bytes) assert_true(t.caches[l].bytes > t.caches[l - 1].bytes);
}

/* A child that is bound to one processor sees this processor only. */
TEST(test_cpuset_is_respected)
{
    cpu_set_t given, one;
    sched_getaffinity(0, sizeof given, &given);
    int last = 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &given)) last = i;
    pid_t child = fork();
    if (child == 0) {
        struct topology t;
        struct error e;
        CPU_ZERO(&one);
        CPU_SET(last, &one);
        bool ok = sched_setaffinity(0, sizeof one, &one) == 0 && topology_read(&t, &e) == 0 &&
                  t.processors == 1 && t.cores == 1 && t.processor[0] == (unsigned)last &&
                  topology_pin(&t, topology_quiet_core(&t), &e) == 0 && sched_getcpu() == last;
        _exit(ok ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

TEST(test_clock_agrees_with_the_system)
{
    struct clock c;
    clock_calibrate(&c, 0.02);
    assert_true(c.tsc_hz > 1e8 && c.tsc_hz < 2e10);
    assert_true(c.floor_ticks > 0 && c.floor_ticks < 1e6);
    double wall = monotonic_s();
    uint64_t start = clock_now();
    clock_pause(&c, 0.02);
    double ns = clock_ns(&c, (double)(clock_now() - start));
    wall = monotonic_s() - wall;
    assert_true(ns >= 0.02e9);
    assert_true(ns <= wall * 1e9 * 1.001); /* the system's clock was read outside of the lab's */
}

TEST(test_cycles_of_a_span)
{
    struct clock clock;
    struct cycles c;
    clock_calibrate(&clock, 0.02);
    cycles_open(&c, &clock);
    assert_true(c.source == CYCLES_PERF || c.source == CYCLES_ESTIMATED);
    assert_string_equal(cycles_source_name(CYCLES_ESTIMATED), "estimated");
    struct cycles_mark a = cycles_read(&c);
    clock_pause(&clock, 1e-3);
    struct cycles_mark b = cycles_read(&c);
    bool moved;
    double cycles = cycles_between(&c, &a, &b, 1e6, &moved);
    /* The rate is between 100 MHz and 20 GHz, if cycles can be counted at all. */
    assert_true(isnan(cycles) || (cycles > 1e5 && cycles < 2e7));
    cycles_close(&c);
}

TEST(test_moved_clock_is_told)
{
    struct cycles c = {.source = CYCLES_ESTIMATED};
    struct cycles_mark slow = {.hz = 3e9}, near = {.hz = 3.03e9}, fast = {.hz = 3.1e9};
    bool moved;
    assert_true(fabs(cycles_between(&c, &slow, &near, 1000, &moved) - 3015) < 1e-6);
    assert_false(moved);
    assert_true(fabs(cycles_between(&c, &fast, &slow, 1000, &moved) - 3050) < 1e-6);
    assert_true(moved);
}

TEST(test_multiplexed_counters_are_rejected)
{
    struct cycles c = {.source = CYCLES_PERF};
    struct cycles_mark a = {.enabled = 10, .running = 10, .count = 100};
    struct cycles_mark whole = {.enabled = 30, .running = 30, .count = 350};
    struct cycles_mark part = {.enabled = 30, .running = 25, .count = 350};
    bool moved;
    assert_true(cycles_between(&c, &a, &whole, 20, &moved) == 250);
    assert_true(isnan(cycles_between(&c, &a, &part, 20, &moved)));
}

TEST(test_findings_are_well_formed)
{
    enum { ROOM = 64 };
    struct finding findings[ROOM];
    const struct cpu cpu = this_cpu(NULL);
    struct topology t = read_topology();
    size_t n = doctor_examine(&cpu, &t, "", findings, ROOM);
    assert_in_range(n, 10, ROOM);
    for (size_t i = 0; i < n; i++) {
        assert_true(findings[i].check[0] && findings[i].value[0]);
        assert_true(findings[i].severity <= SEVERITY_FAIL);
        /* Every finding that is not ok has a remedy. */
        assert_true(findings[i].severity == SEVERITY_OK || findings[i].remedy[0]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(findings[i].check, findings[k].check);
    }
}

TEST(test_doctor_fails_a_machine_without_avx2)
{
    struct finding first;
    const struct cpu cpu = this_cpu("avx2");
    struct topology t = read_topology();
    doctor_examine(&cpu, &t, "", &first, 1);
    assert_string_equal(first.check, "isa");
    assert_int_equal(first.severity, SEVERITY_FAIL);
}

TEST(test_record_is_whole_and_anonymous)
{
    const struct cpu cpu = this_cpu(NULL);
    char host[256] = "", slug[64];
    setenv("ULPLAB_LABEL", "a label", 1);
    json_t *record = keep(machine_record(&cpu));
    cpu_slug(&cpu, slug, sizeof slug);
    assert_facts(record, "slug=%s 'label=a label' kernel thp hypervisor compilers topology clocks",
                 slug);
    const char *text = keep(json_dumps(record, JSON_COMPACT));
    gethostname(host, sizeof host - 1);
    /* A short host name ("vm") may occur by chance; a longer one must not. */
    if (strlen(host) > 4) assert_null(strstr(text, host));
    assert_null(strchr(text, '/'));

    unsetenv("ULPLAB_LABEL");
    assert_facts(keep(machine_record(&cpu)), "label=null");
}

TEST(test_slug_has_the_parts_of_the_contract)
{
    struct cpu cpu = {.vendor = "AuthenticAMD", .family = 26, .model = 2, .stepping = 1};
    char slug[64], other[64];
    cpu_slug(&cpu, slug, sizeof slug);
    assert_memory_equal(slug, "amd-26-2-1-", 11);
    assert_int_equal(strlen(slug), 11 + 8);
    cpu.features = 1;
    cpu_slug(&cpu, other, sizeof other);
    assert_string_not_equal(slug, other);
}

/* Writes an hwloc description of a machine with two fast cores and four slow ones. */
static void export_hybrid(const char *path)
{
    static const struct {
        const char *set, *type;
    } kinds[] = {{"0x3c", "IntelAtom"}, {"0x3", "IntelCore"}};
    hwloc_topology_t h;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    assert_int_equal(hwloc_topology_init(&h), 0);
    assert_int_equal(hwloc_topology_set_synthetic(h, "pack:1 l3:1 l2:6 l1:1 core:1 pu:1"), 0);
    assert_int_equal(hwloc_topology_load(h), 0);
    for (int i = 0; i < 2; i++) {
        char name[] = "CoreType", type[16];
        snprintf(type, sizeof type, "%s", kinds[i].type);
        struct hwloc_info_s info = {name, type};
        hwloc_bitmap_sscanf(set, kinds[i].set);
        assert_int_equal(hwloc_cpukinds_register(h, set, i, 1, &info, 0), 0);
    }
    assert_int_equal(hwloc_topology_export_xml(h, path, 0), 0);
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(h);
}

TEST(kinds_of_cores_are_told_apart)
{
    char path[] = "/tmp/ulplab-hybrid-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    export_hybrid(path);
    setenv("HWLOC_XMLFILE", path, 1);
    static const struct {
        const char *named, *kind;
        unsigned cores, first;
    } asked[] = {{NULL, "IntelCore", 2, 0}, {"intelatom", "IntelAtom", 4, 2}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct topology t;
        struct error e = {.text = ""};
        struct cpu cpu = {.vendor = "GenuineIntel"};
        char slug[64];
        if (asked[i].named) setenv("ULPLAB_CORES", asked[i].named, 1);
        if (topology_read(&t, &e) != 0) fail_msg("%s", e.text);
        assert_int_equal(t.kind_count, 2);
        assert_string_equal(t.kinds[t.kind].name, asked[i].kind);
        assert_int_equal(t.cores, asked[i].cores);
        assert_int_equal(t.processors, asked[i].cores);
        for (unsigned c = 0; c < t.cores; c++) assert_int_equal(t.processor[c], asked[i].first + c);
        assert_facts(keep(topology_record(&t)), "core_kind=%s core_kinds=#2", asked[i].kind);
        topology_close(&t);
        machine_slug(&cpu, slug, sizeof slug);
        assert_non_null(strstr(slug, i ? "-intelatom" : "-intelcore"));
    }
    struct topology t;
    struct error e = {.text = ""};
    setenv("ULPLAB_CORES", "big", 1);
    assert_int_equal(topology_read(&t, &e), EXIT_USAGE);
    assert_non_null(strstr(e.text, "known: IntelAtom, IntelCore"));
    unsetenv("ULPLAB_CORES");
    unsetenv("HWLOC_XMLFILE");
    unlink(path);
}

/* The lab names the instruction sets that it is compiled for and the CPU lacks, as far as CPUID
 * tells. */
TEST(what_the_lab_lacks_is_named)
{
    struct cpu cpu = this_cpu(NULL);
    char reason[128];
    assert_null(cpu_lacks(&cpu));
    cpu.features = 0;
    assert_string_equal(cpu_lacks(&cpu), "sse4.1");
    assert_false(cpu_supports(&cpu, "scalar", reason, sizeof reason));
    assert_non_null(strstr(reason, "sse4.1, which the lab needs"));
}

/* This test comes last: it pins its thread, and OpenMP's threads do not survive a fork. */
TEST(test_team_has_a_core_each)
{
    struct topology t = read_topology();
    struct error e = {.text = ""};
    cpu_set_t seen;
    CPU_ZERO(&seen);
    bool clean = true;
    if (topology_bind_team(&t, topology_quiet_core(&t), t.cores, &e) != 0) fail_msg("%s", e.text);
#pragma omp parallel for num_threads(t.cores) schedule(static, 1)
    for (unsigned i = 0; i < t.cores; i++) {
#pragma omp critical
        {
            CPU_SET(sched_getcpu(), &seen);
            clean = clean && modes_restore();
        }
    }
    assert_int_equal(CPU_COUNT(&seen), t.cores);
    assert_true(clean);
}
