// SPDX-License-Identifier: MIT
/* ulplab: options in, one call, output; the one place that prints an error and exits. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "cmd/common.h"
#include "cmd/options.h"
#include "machine/cpu.h"
#include "machine/mxcsr.h"
#include "measure/work.h"

const struct command commands[] = {
    {"run", "", "Do the whole job: doctor, codegen, accuracy, bench, report",
     "ulplab run --quick && ulplab run --resume", cmd_run, COMPUTES},
    {"list", "", "List all variants of this build, and whether they can run here",
     "ulplab list --filter 'op=softmax isa=avx2'", cmd_list, READS},
    {"codegen", "", "What the compilers really did: flags, instruction counts, litmus tests",
     "ulplab codegen --filter 'op=moments isa=avx2'", cmd_codegen, COMPUTES},
    {"eval", "", "Apply one variant to your own data (.npy)",
     "ulplab eval --variant moments/twopass/dtype=f32/isa=avx2/cc=gcc-12/policy=off --in x.npy "
     "--out y.npy",
     cmd_eval, COMPUTES},
    {"doctor", "", "Is this machine fit to measure?", "ulplab doctor", cmd_doctor, READS},
    {"bench", "", "Measure times, and compare them with the limits of this core",
     "ulplab bench --filter 'op=softmax isa=avx512' --shapes cache,64x4096", cmd_bench, COMPUTES},
    {"duel", "OTHER ", "Compare the speed of this build with another build's program, in one run",
     "ulplab duel ../before/build/ulplab --filter op=softmax --threshold 3", cmd_duel, COMPUTES},
    {"accuracy", "",
     "Measure every variant's error against the oracle, and check its file's promises",
     "ulplab accuracy --filter op=softmax --family normal,logits --n 64,4096", cmd_accuracy,
     COMPUTES},
    {"explain", "VARIANT [OTHER] | --filter EXPR ",
     "What a variant spends its time on: its hot loops, their instructions, the core's limits",
     "ulplab explain softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/policy=off --shape 1x2048",
     cmd_explain, COMPUTES},
    {"instructions", "[FORM ..] ",
     "Measure latency, throughput and pipes of instructions on this CPU; takes seconds",
     "ulplab instructions 'vfmadd231ps ymm ymm ymm' 'vdivps ymm ymm ymm'", cmd_instructions,
     COMPUTES},
    {"diverge", "[OP --in X.npy --got Y.npy] ",
     "Which variants agree bit for bit, how far the others are apart, and why; or which variant "
     "computed Y from X",
     "ulplab diverge --filter 'op=softmax isa=avx2' --n 1000 --family normal", cmd_diverge,
     COMPUTES},
    {"identify", "OP ", "The same as 'diverge OP --in X.npy --got Y.npy'",
     "ulplab identify layernorm --in x.npy --got rstd.npy --stat rstd", cmd_identify, COMPUTES},
    {"search", "OP ", "Search for the worst input of a kernel; accuracy replays what is found",
     "ulplab search softmax --filter 'algorithm=threepass isa=avx2 policy=off' --box -8,8 --n 64",
     cmd_search, COMPUTES},
    {"scan", "FUNC.. | all ",
     "Try every fp32 input of unary functions (exp, exp2, expm1, log, log2, log1p, tanh, erf, "
     "sigmoid, silu, gelu, softplus, sin, cos, rsqrt), or a range of them",
     "ulplab scan exp --range -1,1 && ulplab scan all --filter isa=avx512 --resume", cmd_scan,
     COMPUTES},
    {"try", "FILE FUNCTION ",
     "Test your own function: is it right, how fast is it, with which flags; takes two minutes. "
     "The function runs with your rights, without a sandbox",
     "ulplab try softmax.c softmax_rows --op softmax", cmd_try, COMPUTES},
    {"check", "FILE.json ",
     "For CI: try the functions that a file lists, and compare them with a committed baseline",
     "ulplab check ulplab.json --junit ulplab.xml", cmd_check, COMPUTES},
    {"case", "list | run [NAME ..] ",
     "Reproduce reported numerical failures on this CPU, and show their remedies",
     "ulplab case run fma-softmax", cmd_case, COMPUTES},
    {"report", "[DIR..] ",
     "Write the report, from result files only; for several machines also performance.md, or .html",
     "ulplab report --format html results/amd-26-2-1-f9f37b22", cmd_report, READS},
    {"site", "OUT DIR.. | LAB.db ",
     "Write static pages: one per CPU and operation, at a permanent address, with a search",
     "ulplab site site results/* && xdg-open site/index.html", cmd_site, READS},
    {"compare", "A B [C ..] | [DIR] [VALUE ..] --by isa|policy|cc ",
     "Compare folders of results, or values of an axis in one: which is faster, are the bits "
     "equal?",
     "ulplab compare results/old results/new --threshold 5", cmd_compare, READS},
    {"policy", "[DIR] ", "Recommend a compiler and a floating-point policy to ship, with reasons",
     "ulplab policy --max-ulp 2 --emit cmake", cmd_policy, READS},
    {"flags", "[KERNEL..] ",
     "Find which compiler flags pay, which break results, and the smallest set that keeps the gain",
     "ulplab flags softmax/plain --cc gcc-12 --emit cmake", cmd_flags, COMPUTES},
    {"schema", "[NAME] ", "Print the JSON Schema of a --json document, a results file or a record",
     "ulplab schema timing-record >timing.schema.json", cmd_schema, READS},
    {"export", "[DIR] ",
     "Write results for other tools (google-benchmark JSON, OpenMetrics, CSV, JSON Lines), or pack "
     "them for git",
     "ulplab export results/mine --format gbench >mine.json", cmd_export, READS},
    {"fleet", "plan | submit | status | collect ",
     "Measure every type of node of a Slurm cluster, and collect the results",
     "ulplab fleet submit --out /shared/fleet && ulplab fleet collect --out /shared/fleet",
     cmd_fleet, READS},
    {"history", "LAB.db[:SELECTOR] ",
     "Follow every cell over an archive's runs: when it became slower or less accurate, and why",
     "ulplab history lab.db --filter op=softmax --page history.html", cmd_history, READS},
    {"archive", "add DIR.. --to LAB.db | list LAB.db | show|export LAB.db:RUN [DIR] ",
     "Keep runs in one SQLite database, which every command reads as LAB.db:SELECTOR",
     "ulplab archive add results/* --to lab.db && ulplab archive list lab.db", cmd_archive, READS},
    {"sql", "DIR.. | LAB.db [QUERY] ",
     "Query results in SQL: folders, or an archive; without a query shows the tables and examples",
     "ulplab sql results/mine 'SELECT op, min(ns) FROM timings GROUP BY op'", cmd_sql, READS},
    {0},
};

static const struct command *find_command(const char *name)
{
    const struct command *c = commands;
    while (c->name && strcmp(c->name, name) != 0) c++;
    return c->name ? c : NULL;
}

/* Returns whether this is the hidden command by which bench starts this program, once for each
 * sample of a memory layout. */
static bool is_worker(int argc, char **argv)
{
    return argc == 2 && !strcmp(argv[1], BENCH_WORKER_COMMAND);
}

/* What the CPU lacks, for the handler below. The check itself uses no instruction that may be
 * lacking. Commands that only read files run all the same; if they meet such an instruction, they
 * print what is lacking. */
static const char *lacking;

static void end_of_illegal_instruction(int signal_number)
{
    static const char begin[] = "ulplab: not on this CPU: it (or its system) lacks ";
    static const char end[] = ", which the lab is compiled for; take another machine\n";
    (void)signal_number;
    write_all(STDERR_FILENO, begin, sizeof begin - 1);
    write_all(STDERR_FILENO, lacking, strlen(lacking));
    write_all(STDERR_FILENO, end, sizeof end - 1);
    _exit(EXIT_BAD_INPUT);
}

static int check_cpu(const struct command *command, struct error *e)
{
    struct cpu cpu;
    int code = cpu_detect(&cpu, NULL, e);
    lacking = cpu_lacks(&cpu);
    if (code || !lacking) return code;
    signal(SIGILL, end_of_illegal_instruction);
    if (command->what == READS) return 0;
    return fail(e, EXIT_BAD_INPUT,
                "%s: this CPU (or its system) lacks %s: ulplab computes with AVX2 and FMA; measure "
                "on another machine, whose results can be read here",
                command->name, lacking);
}

/* Checks the stack's limit: a kernel's worker needs this much, and so do the threads of its team.
 */
static int check_stack(struct error *e)
{
    enum { LEAST = 1 << 20 };
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= LEAST) return 0;
    return fail(e, EXIT_BAD_INPUT,
                "not enough stack: %zu KiB: raise the limit with 'ulimit -s 8192'",
                (size_t)stack.rlim_cur >> 10);
}

/* Notes floating-point modes that were set from outside: the lab sets its own, but other programs
 * of the user may depend on them. */
static void note_modes(const struct command *command)
{
    if (command->what == COMPUTES && !modes_were_default())
        fprintf(stderr,
                "ulplab: MXCSR was 0x%04x before the start (FTZ and DAZ: 0x8040), or x87's modes "
                "not the default ones; the lab uses the default modes, see 'ulplab doctor'\n",
                mxcsr_at_start());
}

/* Restarts this program so that OpenMP's threads sleep while they wait. By default they spin, and
 * so slow down other processes and the other thread of their core. libgomp reads the setting before
 * main() runs. In timed teams threads spin (measure/worker.c). */
static void wait_passively(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 1) != 0) return;
    execv("/proc/self/exe", argv);
}

static int run_command(const struct command *command, const struct options *o, char **argv,
                       struct error *e)
{
    if (o->help) {
        help_print(command);
        return EXIT_DONE;
    }
    if (!command->arguments[0] && o->positional.count)
        return fail(e, EXIT_USAGE, "%s: '%s': takes options only; see 'ulplab %s --help'",
                    command->name, o->positional.items[0], command->name);
    int code = check_cpu(command, e); /* before execv(), which would leave an emulator */
    if (code) return code;
    if (command->what == COMPUTES) wait_passively(argv);
    note_modes(command);
    interrupt_install();
    return command->run(o, e);
}

static int dispatch(int argc, char **argv, struct error *e)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        help_print(NULL);
        return EXIT_DONE;
    }
    if (!strcmp(name, "--version")) return help_version(), EXIT_DONE;
    if (!strcmp(name, "--man")) return manual_page(), EXIT_DONE;
    if (!strcmp(name, "--completion")) return manual_completion(argc > 2 ? argv[2] : NULL, e);
    const struct command *command = find_command(name);
    if (!command)
        return fail(e, EXIT_USAGE,
                    "unknown command: %s: ulplab has no such command; see 'ulplab --help'", name);
    struct options o;
    int code = options_parse(argc, argv, command, &o, e);
    if (!code) glibc_hide(o.hide_isa, argv);
    if (!code) code = run_command(command, &o, argv, e);
    options_free(&o);
    return code;
}

/* Flushes stdout and reports a full disk. A reader that closes the pipe early (head, a pager) is
 * not an error. */
static int flush_output(int code, struct error *e)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code == EXIT_BAD_INPUT) return code;
    struct pollfd reader = {.fd = STDOUT_FILENO};
    if (errno == EPIPE || (poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR))) return code;
    return fail(e, EXIT_BAD_INPUT, "cannot write: standard output: %s; free some space",
                strerror(errno));
}

/* Ends the program with a message that needs no memory. The lab counts a worker that ends here as
 * crashed. */
static void end_without_memory(void)
{
    static const char text[] = "ulplab: out of memory: an allocation failed; free some memory, or "
                               "select fewer variants with --filter\n";
    write_all(STDERR_FILENO, text, sizeof text - 1);
    file_abandon();
    _exit(EXIT_PARTIAL);
}

int main(int argc, char **argv)
{
    /* A static buffer: without one, stdio would lose the first output when memory is short. */
    static char output[1 << 16];
    struct error e = {.text = ""};
    prctl(PR_SET_NAME, "ulplab"); /* not "exe", the name after execv("/proc/self/exe") */
    mxcsr_take_over();
    memory_guard(end_without_memory);
    setvbuf(stdout, output, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof output);
    if (is_worker(argc, argv)) return bench_worker();
    int code = check_stack(&e);
    if (!code) code = flush_output(dispatch(argc, argv, &e), &e);
    if (e.text[0]) fprintf(stderr, "ulplab: %s\n", e.text);
    return code;
}
