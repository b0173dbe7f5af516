// SPDX-License-Identifier: MIT
#include "machine/doctor.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "machine/cgroup.h"
#include "machine/clock.h"
#include "machine/machine.h"
#include "machine/mxcsr.h"

const char *severity_name(enum severity s)
{
    static const char *const names[] = {"ok", "note", "warn", "fail"};
    return names[s];
}

enum { PATH_ROOM = 1200 };

struct patient {
    const struct cpu *cpu;
    const struct topology *topology;
    const char *root;            /* of proc/ and sys/ */
    struct cgroup_limits limits; /* of the groups that this process is in */
    struct clock clock;
};

/* Notes the value that a check saw; its severity and its remedy follow. */
static void set_value(struct finding *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void set_value(struct finding *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->value, sizeof f->value, format, args);
    va_end(args);
}

static void judge(struct finding *f, enum severity severity, const char *remedy)
{
    f->severity = severity;
    snprintf(f->remedy, sizeof f->remedy, "%s", remedy);
}

/* Reads the first line of a file of /proc or /sys. */
static bool patient_read_line(const struct patient *p, const char *name, char *line, size_t size)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s%s", p->root, name);
    return machine_read_line(path, line, size) != NULL;
}

/* Notes that /proc does not have the value. */
static void set_unknown(struct finding *f)
{
    set_value(f, "unknown");
    judge(f, SEVERITY_NOTE, "mount /proc: it is not here");
}

static void check_isa(const struct patient *p, struct finding *f)
{
    char reason[128] = "";
    if (cpu_lacks(p->cpu)) {
        set_value(f, "no %s", cpu_lacks(p->cpu));
        judge(f, SEVERITY_FAIL, "use a machine with AVX2 and FMA: the lab itself needs them");
        return;
    }
    bool avx2 = cpu_supports(p->cpu, "avx2", reason, sizeof reason);
    if (!avx2) {
        set_value(f, "no AVX2: %s", reason);
        judge(f, SEVERITY_FAIL, "use a machine with AVX2 and FMA, the least that is measured here");
        return;
    }
    bool avx512 = cpu_supports(p->cpu, "avx512", reason, sizeof reason);
    set_value(f, "AVX2%s%s", avx512 ? " and AVX-512" : ", no AVX-512: ", avx512 ? "" : reason);
    if (!avx512) judge(f, SEVERITY_NOTE, "nothing to do: AVX-512 variants are listed as skipped");
}

static void check_hypervisor(const struct patient *p, struct finding *f)
{
    (void)p;
    set_value(f, machine_is_virtual() ? "virtual machine" : "none");
    if (machine_is_virtual())
        judge(f, SEVERITY_NOTE,
              "neighbours share caches and turbo: measure more processes (--processes), or on "
              "bare metal");
}

static bool is_given(const struct patient *p, unsigned processor)
{
    unsigned c = 0;
    while (c < p->topology->cores && p->topology->processor[c] != processor) c++;
    return c < p->topology->cores;
}

/* Returns the share of time, in percent, that the hypervisor took from the processors given. */
static double steal_of(const struct patient *p)
{
    enum { STEAL = 7, FIELDS = 8 };
    char path[PATH_ROOM], line[512];
    double stolen = 0, total = 0;
    snprintf(path, sizeof path, "%s/proc/stat", p->root);
    FILE *in = fopen(path, "re");
    while (in && fgets(line, sizeof line, in)) {
        unsigned processor;
        int length;
        if (sscanf(line, "cpu%u%n", &processor, &length) != 1 || !is_given(p, processor)) continue;
        char *at = line + length;
        for (int i = 0; i < FIELDS; i++) {
            const double ticks = strtod(at, &at);
            total += ticks;
            if (i == STEAL) stolen += ticks;
        }
    }
    if (in) fclose(in);
    return total > 0 ? 100 * stolen / total : NAN;
}

static void check_steal(const struct patient *p, struct finding *f)
{
    const double share = steal_of(p);
    if (isnan(share)) {
        set_unknown(f);
        return;
    }
    set_value(f, "%.2f%% of the given processors' time since boot", share);
    if (share > 0.5)
        judge(f, SEVERITY_WARN, "the host is overcommitted: ask for dedicated processors");
}

void doctor_judge_pauses(struct finding *f, double share, double quota)
{
    char remedy[sizeof f->remedy];
    set_value(f, "%.2f%% of 0.1 s lost to interruptions over 5 us", share);
    if (share <= 2) return;
    if (isinf(quota))
        snprintf(remedy, sizeof remedy,
                 "something else runs on this core: stop it, or choose other cores with taskset");
    else if (isnan(quota))
        snprintf(remedy, sizeof remedy,
                 "something else runs on this core, or a CPU quota that cannot be seen from here "
                 "stops this process");
    else
        snprintf(remedy, sizeof remedy,
                 "the cgroup's CPU quota of %.2f processors stops this process%s: lift it", quota,
                 quota < 1 ? "" : ", or something else runs on this core");
    judge(f, SEVERITY_WARN, remedy);
}

/* Checks the gaps that a spinning thread sees in its own time: interrupts, other processes and the
 * hypervisor alike. */
static void check_pauses(const struct patient *p, struct finding *f)
{
    const double window_s = 0.1, gap_ticks = 5e-6 * p->clock.tsc_hz;
    uint64_t start = clock_now(), last = start, lost = 0;
    while ((double)(last - start) < window_s * p->clock.tsc_hz) {
        uint64_t now = clock_now();
        if ((double)(now - last) > gap_ticks) lost += now - last;
        last = now;
    }
    doctor_judge_pauses(f, 100 * (double)lost / (double)(last - start), p->limits.processors);
}

static void check_load(const struct patient *p, struct finding *f)
{
    double load = 0;
    if (getloadavg(&load, 1) != 1) {
        set_unknown(f);
        return;
    }
    /* The load is the machine's: in a share of its processors it is no share of it. */
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    set_value(f, "%.2f over the last minute on the machine's %ld processors, %u given", load, all,
              p->topology->processors);
    if (load > 0.3 * (double)all)
        judge(f, SEVERITY_WARN, "wait until the machine is idle: other work shares its caches");
}

static void check_smt(const struct patient *p, struct finding *f)
{
    char line[16];
    if (!patient_read_line(p, "/sys/devices/system/cpu/smt/active", line, sizeof line)) {
        set_value(f, "unknown");
        return;
    }
    bool active = line[0] == '1';
    set_value(f, active ? "siblings share each core" : "none visible");
    if (active)
        judge(f, SEVERITY_NOTE, "keep the siblings idle: the lab itself uses one thread per core");
}

/* Checks the governors of the cores given: the first that is not "performance". */
static void check_governor(const struct patient *p, struct finding *f)
{
    char name[96], line[32], worst[32] = "";
    unsigned seen = 0, of = 0;
    for (unsigned c = 0; c < p->topology->cores; c++) {
        snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor",
                 p->topology->processor[c]);
        if (!patient_read_line(p, name, line, sizeof line)) continue;
        if (!seen++ || (!strcmp(worst, "performance") && strcmp(line, worst) != 0)) {
            memcpy(worst, line, sizeof worst);
            of = p->topology->processor[c];
        }
    }
    if (!seen) {
        set_value(f, "not visible");
        judge(f, SEVERITY_NOTE, "the host decides: watch the flag estimated-clock-moved");
        return;
    }
    set_value(f, "%s", worst);
    if (!strcmp(worst, "performance")) return;
    set_value(f, "%s, on processor %u", worst, of);
    judge(f, SEVERITY_WARN, "cpupower frequency-set -g performance");
}

static void check_turbo(const struct patient *p, struct finding *f)
{
    static const struct {
        const char *path;
        char on;
    } places[] = {{"/sys/devices/system/cpu/intel_pstate/no_turbo", '0'},
                  {"/sys/devices/system/cpu/cpufreq/boost", '1'}};
    char line[8];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!patient_read_line(p, places[i].path, line, sizeof line)) continue;
        bool on = line[0] == places[i].on;
        set_value(f, on ? "on" : "off");
        if (on)
            judge(f, SEVERITY_NOTE,
                  "the rate follows heat and neighbours: compare within a run, or "
                  "turn it off");
        return;
    }
    set_value(f, "not visible");
    judge(f, SEVERITY_NOTE, "the host decides: read core cycles beside nanoseconds");
}

static void check_quota(const struct patient *p, struct finding *f)
{
    const double quota = p->limits.processors;
    if (isnan(quota)) {
        set_value(f, "unknown");
        judge(f, SEVERITY_NOTE,
              "mount /proc and /sys/fs/cgroup: this process's groups are not here");
    } else if (isinf(quota) && p->limits.beneath) {
        set_value(f, "none in this container");
        judge(f, SEVERITY_NOTE,
              "groups above the container cannot be seen from inside: ask its host");
    } else if (isinf(quota)) {
        set_value(f, "none");
    } else {
        set_value(f, "%.2f processors", quota);
        judge(f, quota < p->topology->processors ? SEVERITY_WARN : SEVERITY_NOTE,
              "lift the cgroup's CPU quota: it stops a process in the middle of a sample");
    }
}

static void check_thp(const struct patient *p, struct finding *f)
{
    (void)p;
    const char *mode = machine_thp_mode();
    set_value(f, "%s", mode);
    if (!strcmp(mode, "never") || !strcmp(mode, "unknown"))
        judge(f, SEVERITY_NOTE,
              "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, so that the buffers' "
              "request is granted");
}

/* Returns the remedy; why: errno of perf_event_open. */
static const char *perf_remedy(int why)
{
    if (why == EACCES || why == EPERM)
        return "sysctl kernel.perf_event_paranoid=2; a container needs CAP_PERFMON, too";
    return "nothing to set: no core cycles are counted here, as in many virtual machines; measure "
           "on a machine that has a PMU";
}

static void check_perf(const struct patient *p, struct finding *f)
{
    char line[16];
    if (!patient_read_line(p, "/proc/sys/kernel/perf_event_paranoid", line, sizeof line))
        snprintf(line, sizeof line, "none");
    struct cycles cycles;
    cycles_open(&cycles, &p->clock);
    set_value(f, "perf_event_paranoid %s; core cycles: %s%s%s", line,
              cycles_source_name(cycles.source), cycles.why ? ", perf says: " : "",
              cycles.why ? strerror(cycles.why) : "");
    if (cycles.source != CYCLES_PERF) judge(f, SEVERITY_NOTE, perf_remedy(cycles.why));
    cycles_close(&cycles);
}

static void check_cores(const struct patient *p, struct finding *f)
{
    const struct topology *t = p->topology;
    unsigned cores = t->cores;
    set_value(f, "%u in the cpuset given", cores);
    if (t->kind_count) {
        const struct core_kind *other = &t->kinds[t->kind ? 0 : t->kind_count - 1];
        char remedy[sizeof f->remedy];
        set_value(f, "%u %s, measured apart from %u %s", cores, t->kinds[t->kind].name,
                  other->cores, other->name);
        snprintf(remedy, sizeof remedy, "ULPLAB_CORES=%s measures those, as a machine of their own",
                 other->name);
        judge(f, SEVERITY_NOTE, remedy);
    }
    if (cores < 2)
        judge(f, SEVERITY_WARN,
              "give two cores: the system and the lab then do not share the one "
              "that is measured");
}

static void check_clock(const struct patient *p, struct finding *f)
{
    struct clock again;
    clock_calibrate(&again, 0.05);
    double ppm = 1e6 * fabs(again.tsc_hz / p->clock.tsc_hz - 1);
    set_value(f, "TSC %.1f MHz%s; two calibrations differ by %.1f ppm; floor %.0f ns",
              p->clock.tsc_hz * 1e-6, clock_is_invariant() ? ", invariant" : "", ppm,
              clock_ns(&p->clock, p->clock.floor_ticks));
    if (ppm > 200)
        judge(f, SEVERITY_WARN, "the clock drifts: measure on another machine, or when idle");
    else if (!clock_is_invariant() && !machine_is_virtual())
        judge(f, SEVERITY_WARN, "the TSC follows the core's rate: fix that (governor, turbo)");
}

/* Checks how far the core's own rate wanders within 40 ms. */
static void check_core_rate(const struct patient *p, struct finding *f)
{
    double low = INFINITY, high = 0;
    for (int i = 0; i < 40; i++) {
        double best = 0; /* the best of a few, because a chain that was interrupted looks slow */
        for (int k = 0; k < 4; k++) best = fmax(best, cycles_core_hz(&p->clock));
        low = fmin(low, best);
        high = fmax(high, best);
    }
    set_value(f, "core at %.0f to %.0f MHz (estimated), TSC at %.0f", low * 1e-6, high * 1e-6,
              p->clock.tsc_hz * 1e-6);
    if (high > 1.05 * low)
        judge(f, SEVERITY_NOTE, "the rate moves within a run: read core cycles beside nanoseconds");
}

static void check_build(const struct patient *p, struct finding *f)
{
    (void)p;
#ifdef __SANITIZE_ADDRESS__
    set_value(f, "with sanitizers");
    judge(f, SEVERITY_FAIL, "measure with the plain build: make");
#elif !defined __OPTIMIZE__
    set_value(f, "lab built without optimisation");
    judge(f, SEVERITY_FAIL, "measure with the plain build: make");
#else
    set_value(f, "optimised, no sanitizer");
#endif
}

static void check_mxcsr(const struct patient *p, struct finding *f)
{
    (void)p;
    set_value(f, "0x%04x%s", mxcsr_at_start(),
              modes_were_default() ? "" : " before the start; the lab works with 0x1f80");
    if (!modes_were_default())
        judge(
            f, SEVERITY_WARN,
            "something set FTZ, DAZ, a rounding mode or x87's precision: look for -ffast-math on a "
            "link line, or LD_PRELOAD");
}

static void check_memory(const struct patient *p, struct finding *f)
{
    char path[PATH_ROOM], line[128];
    double available = -1;
    const double left = p->limits.memory_left;
    snprintf(path, sizeof path, "%s/proc/meminfo", p->root);
    FILE *in = fopen(path, "re");
    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "MemAvailable: %lf kB", &available) == 1) break;
    if (in) fclose(in);
    if (available < 0) {
        set_unknown(f);
        return;
    }
    available *= 1024;
    double wanted = 12.0 * (double)p->topology->caches[LEVEL_L3].bytes + 256e6;
    set_value(f, "%.1f GB available%s", fmin(available, left) * 1e-9,
              left < available ? " within the cgroup's limit"
              : isnan(left)    ? " on the machine; the cgroup's limit is unknown"
                               : "");
    if (fmin(available, left) < wanted)
        judge(f, SEVERITY_WARN,
              "free some memory: DRAM's working sets are four times the last "
              "cache, in and out");
    else if (isnan(left))
        judge(f, SEVERITY_NOTE, "mount /sys/fs/cgroup: this process's groups are not here");
}

/* What an installed program has built for this user. */
static void check_cache(const struct patient *p, struct finding *f)
{
    (void)p;
    char path[PATH_ROOM];
    size_t parts = 0;
    if (!cache_folder(path, sizeof path)) {
        set_value(f, "none: neither XDG_CACHE_HOME nor HOME is an absolute path");
        return;
    }
    const double size = cache_bytes(path, &parts);
    /* By the variable: this is published with results. */
    set_value(f, "%s/ulplab: %zu builds, %.0f MB",
              getenv("XDG_CACHE_HOME") ? "$XDG_CACHE_HOME" : "~/.cache", parts, size * 1e-6);
    char remedy[sizeof f->remedy];
    snprintf(remedy, sizeof remedy, "unused for %d days they are removed; or remove the folder",
             CACHE_DAYS);
    if (parts) judge(f, SEVERITY_OK, remedy);
}

static const struct check {
    const char *name;
    void (*examine)(const struct patient *, struct finding *);
} checks[] = {
    {"isa", check_isa},       {"build", check_build},
    {"mxcsr", check_mxcsr},   {"hypervisor", check_hypervisor},
    {"steal", check_steal},   {"interruptions", check_pauses},
    {"load", check_load},     {"cores", check_cores},
    {"smt", check_smt},       {"governor", check_governor},
    {"turbo", check_turbo},   {"cgroup-quota", check_quota},
    {"thp", check_thp},       {"perf", check_perf},
    {"clock", check_clock},   {"core-rate", check_core_rate},
    {"memory", check_memory}, {"cache", check_cache},
};
enum { CHECKS = sizeof checks / sizeof *checks };

size_t doctor_examine(const struct cpu *cpu, const struct topology *t, const char *root,
                      struct finding *findings, size_t room)
{
    /* The other checks use what the first one finds missing. */
    const size_t count = cpu_lacks(cpu) ? 1 : CHECKS;
    struct patient p = {
        .cpu = cpu, .topology = t, .root = root, .limits = cgroup_limits_read(root)};
    if (count > 1) clock_calibrate(&p.clock, 0.05);
    for (size_t i = 0; i < count && i < room; i++) {
        findings[i] = (struct finding){.check = checks[i].name};
        checks[i].examine(&p, &findings[i]);
    }
    return count;
}

json_t *doctor_record(const struct finding *f)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "check", f->check, "severity",
                     severity_name(f->severity), "value", f->value, "remedy", f->remedy);
}
