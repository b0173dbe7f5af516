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

/* Adds a finding: the value, its severity, and the remedy ("": none needed). */
static void note_finding(struct finding *f, enum severity severity, const char *remedy,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
static void note_finding(struct finding *f, enum severity severity, const char *remedy,
                         const char *format, ...)
{
    va_list args;
    f->severity = severity;
    snprintf(f->remedy, sizeof f->remedy, "%s", remedy);
    va_start(args, format);
    vsnprintf(f->value, sizeof f->value, format, args);
    va_end(args);
}

/* Reads the first line of a file of /proc or /sys that begins with `key`. */
static const char *patient_read_line(const struct patient *p, const char *name, const char *key,
                                     char *line, size_t size)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s%s", p->root, name);
    return machine_read_line(path, key, line, size);
}

static void note_no_proc(struct finding *f)
{
    note_finding(f, SEVERITY_NOTE, "mount /proc: it is missing", "unknown");
}

static void check_isa(const struct patient *p, struct finding *f)
{
    char reason[128] = "";
    if (cpu_lacks(p->cpu))
        note_finding(f, SEVERITY_FAIL, "use a machine with AVX2 and FMA: the lab itself needs them",
                     "no %s", cpu_lacks(p->cpu));
    else if (!cpu_supports(p->cpu, "avx2", reason, sizeof reason))
        note_finding(f, SEVERITY_FAIL,
                     "use a machine with AVX2 and FMA, the minimum that is measured here",
                     "no AVX2: %s", reason);
    else if (!cpu_supports(p->cpu, "avx512", reason, sizeof reason))
        note_finding(f, SEVERITY_NOTE, "nothing to do: AVX-512 variants are listed as skipped",
                     "AVX2, no AVX-512: %s", reason);
    else
        note_finding(f, SEVERITY_OK, "", "AVX2 and AVX-512");
}

static void check_hypervisor(const struct patient *p, struct finding *f)
{
    (void)p;
    if (machine_is_virtual())
        note_finding(f, SEVERITY_NOTE,
                     "other machines share caches and turbo: measure more processes (--processes), "
                     "or on bare metal",
                     "virtual machine");
    else
        note_finding(f, SEVERITY_OK, "", "none");
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
    const bool bad = share > 0.5;
    if (isnan(share))
        note_no_proc(f);
    else
        note_finding(f, bad ? SEVERITY_WARN : SEVERITY_OK,
                     bad ? "the host is overcommitted: ask for dedicated processors" : "",
                     "%.2f%% of the given processors' time since boot", share);
}

void doctor_judge_pauses(struct finding *f, double share, double quota)
{
    char remedy[sizeof f->remedy] = "";
    if (share > 2 && isinf(quota))
        snprintf(remedy, sizeof remedy,
                 "something else runs on this core: stop it, or choose other cores with taskset");
    else if (share > 2 && isnan(quota))
        snprintf(remedy, sizeof remedy,
                 "something else runs on this core, or a CPU quota outside the container stops "
                 "this process");
    else if (share > 2)
        snprintf(remedy, sizeof remedy,
                 "the cgroup's CPU quota of %.2f processors stops this process%s: lift it", quota,
                 quota < 1 ? "" : ", or something else runs on this core");
    note_finding(f, *remedy ? SEVERITY_WARN : SEVERITY_OK, remedy,
                 "%.2f%% of 0.1 s lost to interruptions over 5 us", share);
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
    /* The load is the machine's: in a share of its processors it is no share of it. */
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    const bool known = getloadavg(&load, 1) == 1, busy = load > 0.3 * (double)all;
    if (!known)
        note_no_proc(f);
    else
        note_finding(f, busy ? SEVERITY_WARN : SEVERITY_OK,
                     busy ? "wait until the machine is idle: other work shares its caches" : "",
                     "%.2f over the last minute on the machine's %ld processors, %u given", load,
                     all, p->topology->processors);
}

static void check_smt(const struct patient *p, struct finding *f)
{
    char line[16];
    if (!patient_read_line(p, "/sys/devices/system/cpu/smt/active", "", line, sizeof line))
        note_finding(f, SEVERITY_OK, "", "unknown");
    else if (line[0] == '1')
        note_finding(f, SEVERITY_NOTE,
                     "keep the siblings idle: the lab itself uses one thread per core",
                     "siblings share each core");
    else
        note_finding(f, SEVERITY_OK, "", "none visible");
}

/* Checks the governors of the cores given: the first that is not "performance". */
static void check_governor(const struct patient *p, struct finding *f)
{
    char name[96], line[32], worst[32] = "";
    unsigned seen = 0, of = 0;
    for (unsigned c = 0; c < p->topology->cores; c++) {
        snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor",
                 p->topology->processor[c]);
        if (!patient_read_line(p, name, "", line, sizeof line)) continue;
        if (!seen++ || (!strcmp(worst, "performance") && strcmp(line, worst) != 0)) {
            memcpy(worst, line, sizeof worst);
            of = p->topology->processor[c];
        }
    }
    if (!seen)
        note_finding(f, SEVERITY_NOTE,
                     "the host controls the clock: watch the flag estimated-clock-moved",
                     "not visible");
    else if (!strcmp(worst, "performance"))
        note_finding(f, SEVERITY_OK, "", "%s", worst);
    else
        note_finding(f, SEVERITY_WARN, "cpupower frequency-set -g performance",
                     "%s, on processor %u", worst, of);
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
        if (!patient_read_line(p, places[i].path, "", line, sizeof line)) continue;
        const bool on = line[0] == places[i].on;
        note_finding(f, on ? SEVERITY_NOTE : SEVERITY_OK,
                     on ? "the clock rate depends on heat and on other cores: compare within a "
                          "run, or turn turbo off"
                        : "",
                     on ? "on" : "off");
        return;
    }
    note_finding(f, SEVERITY_NOTE,
                 "the host controls the clock: read core cycles in addition to nanoseconds",
                 "not visible");
}

static void check_quota(const struct patient *p, struct finding *f)
{
    const double quota = p->limits.processors;
    if (isnan(quota))
        note_finding(f, SEVERITY_NOTE,
                     "mount /proc and /sys/fs/cgroup: this process's groups cannot be read",
                     "unknown");
    else if (isinf(quota) && p->limits.beneath)
        note_finding(f, SEVERITY_NOTE,
                     "groups above the container cannot be seen from inside: ask its host",
                     "none in this container");
    else if (isinf(quota))
        note_finding(f, SEVERITY_OK, "", "none");
    else
        note_finding(f, quota < p->topology->processors ? SEVERITY_WARN : SEVERITY_NOTE,
                     "lift the cgroup's CPU quota: it stops a process in the middle of a sample",
                     "%.2f processors", quota);
}

static void check_thp(const struct patient *p, struct finding *f)
{
    (void)p;
    const char *mode = machine_thp_mode();
    const bool bad = !strcmp(mode, "never") || !strcmp(mode, "unknown");
    note_finding(f, bad ? SEVERITY_NOTE : SEVERITY_OK,
                 bad ? "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, so that "
                       "buffers get huge pages"
                     : "",
                 "%s", mode);
}

/* Returns the remedy; why: errno of perf_event_open. */
static const char *perf_remedy(int why)
{
    if (why == EACCES || why == EPERM)
        return "sysctl kernel.perf_event_paranoid=2; a container needs CAP_PERFMON, too";
    return "core cycles cannot be counted here, as in many virtual machines; measure on a machine "
           "with a PMU";
}

static void check_perf(const struct patient *p, struct finding *f)
{
    char line[16];
    if (!patient_read_line(p, "/proc/sys/kernel/perf_event_paranoid", "", line, sizeof line))
        snprintf(line, sizeof line, "none");
    struct cycles cycles;
    cycles_open(&cycles, &p->clock);
    const bool counted = cycles.source == CYCLES_PERF;
    note_finding(f, counted ? SEVERITY_OK : SEVERITY_NOTE, counted ? "" : perf_remedy(cycles.why),
                 "perf_event_paranoid %s; core cycles: %s%s%s", line,
                 cycles_source_name(cycles.source), cycles.why ? ", perf says: " : "",
                 cycles.why ? strerror(cycles.why) : "");
    cycles_close(&cycles);
}

static void check_cores(const struct patient *p, struct finding *f)
{
    const struct topology *t = p->topology;
    const bool hybrid = t->kind_count, alone = t->cores < 2;
    const struct core_kind *other = &t->kinds[t->kind || !hybrid ? 0 : t->kind_count - 1];
    char remedy[sizeof f->remedy] = "", value[sizeof f->value];
    snprintf(value, sizeof value, "%u in the cpuset given", t->cores);
    if (hybrid)
        snprintf(value, sizeof value, "%u %s, measured separately from %u %s", t->cores,
                 t->kinds[t->kind].name, other->cores, other->name);
    if (alone)
        snprintf(remedy, sizeof remedy,
                 "provide two cores: then the system and the lab do not run on the measured core");
    else if (hybrid)
        snprintf(remedy, sizeof remedy, "ULPLAB_CORES=%s measures those, as a separate machine",
                 other->name);
    note_finding(f,
                 alone    ? SEVERITY_WARN
                 : hybrid ? SEVERITY_NOTE
                          : SEVERITY_OK,
                 remedy, "%s", value);
}

static void check_clock(const struct patient *p, struct finding *f)
{
    struct clock again;
    clock_calibrate(&again, 0.05);
    double ppm = 1e6 * fabs(again.tsc_hz / p->clock.tsc_hz - 1);
    const bool drifts = ppm > 200, follows = !clock_is_invariant() && !machine_is_virtual();
    note_finding(f, drifts || follows ? SEVERITY_WARN : SEVERITY_OK,
                 drifts    ? "the clock drifts: measure on another machine, or when idle"
                 : follows ? "the TSC follows the core's clock rate: fix the rate (governor, turbo)"
                           : "",
                 "TSC %.1f MHz%s; two calibrations differ by %.1f ppm; floor %.0f ns",
                 p->clock.tsc_hz * 1e-6, clock_is_invariant() ? ", invariant" : "", ppm,
                 clock_ns(&p->clock, p->clock.floor_ticks));
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
    const bool moves = high > 1.05 * low;
    note_finding(
        f, moves ? SEVERITY_NOTE : SEVERITY_OK,
        moves ? "the clock rate changes during a run: read core cycles in addition to nanoseconds"
              : "",
        "core at %.0f to %.0f MHz (estimated), TSC at %.0f", low * 1e-6, high * 1e-6,
        p->clock.tsc_hz * 1e-6);
}

static void check_build(const struct patient *p, struct finding *f)
{
    (void)p;
#ifdef __SANITIZE_ADDRESS__
    note_finding(f, SEVERITY_FAIL, "measure with the plain build: make", "with sanitizers");
#elif !defined __OPTIMIZE__
    note_finding(f, SEVERITY_FAIL, "measure with the plain build: make",
                 "lab built without optimisation");
#else
    note_finding(f, SEVERITY_OK, "", "optimised, no sanitizer");
#endif
}

static void check_mxcsr(const struct patient *p, struct finding *f)
{
    (void)p;
    const bool usual = modes_were_default();
    note_finding(f, usual ? SEVERITY_OK : SEVERITY_WARN,
                 usual ? ""
                       : "something set FTZ, DAZ, a rounding mode or x87's precision: look for "
                         "-ffast-math on a link line, or LD_PRELOAD",
                 "0x%04x%s", mxcsr_at_start(),
                 usual ? "" : " before the start; the lab uses 0x1f80");
}

static void check_memory(const struct patient *p, struct finding *f)
{
    char line[128];
    const double left = p->limits.memory_left;
    const char *said = patient_read_line(p, "/proc/meminfo", "MemAvailable:", line, sizeof line);
    if (!said) {
        note_no_proc(f);
        return;
    }
    const double available = 1024 * strtod(said, NULL);
    const double wanted = 12.0 * (double)p->topology->caches[LEVEL_L3].bytes + 256e6;
    const bool little = fmin(available, left) < wanted;
    note_finding(f,
                 little        ? SEVERITY_WARN
                 : isnan(left) ? SEVERITY_NOTE
                               : SEVERITY_OK,
                 little ? "free some memory: working sets for DRAM have four times the size of the "
                          "last cache, for input and for output"
                 : isnan(left) ? "mount /sys/fs/cgroup: this process's groups cannot be read"
                               : "",
                 "%.1f GB available%s", fmin(available, left) * 1e-9,
                 left < available ? " within the cgroup's limit"
                 : isnan(left)    ? " on the machine; the cgroup's limit is unknown"
                                  : "");
}

/* The builds in the user's cache folder that an installed program made. */
static void check_cache(const struct patient *p, struct finding *f)
{
    (void)p;
    char path[PATH_ROOM], remedy[sizeof f->remedy] = "";
    size_t parts = 0;
    const bool is_somewhere = cache_folder(path, sizeof path);
    const double size = is_somewhere ? cache_bytes(path, &parts) : 0;
    if (parts)
        snprintf(remedy, sizeof remedy,
                 "builds unused for %d days are removed; or remove the folder", CACHE_DAYS);
    if (is_somewhere) /* by the variable: this is published with results */
        note_finding(f, SEVERITY_OK, remedy, "%s/ulplab: %zu builds, %.0f MB",
                     getenv("XDG_CACHE_HOME") ? "$XDG_CACHE_HOME" : "~/.cache", parts, size * 1e-6);
    else
        note_finding(f, SEVERITY_OK, "",
                     "none: neither XDG_CACHE_HOME nor HOME is an absolute path");
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
