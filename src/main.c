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
    {"run", "", "The whole job: doctor, codegen, accuracy, bench, report",
     "ulplab run --quick && ulplab run --resume", cmd_run, COMPUTES},
    {"list", "", "All variants of this build, and whether they can run here",
     "ulplab list --filter 'op=softmax isa=avx2'", cmd_list, READS},
    {"codegen", "", "What the compilers really did: flags, instruction counts, a litmus by values",
     "ulplab codegen --filter 'op=moments isa=avx2'", cmd_codegen, COMPUTES},
    {"eval", "", "Apply one variant to your own data (.npy)",
     "ulplab eval --variant moments/twopass/dtype=f32/isa=avx2/cc=gcc-12/policy=off --in x.npy "
     "--out y.npy",
     cmd_eval, COMPUTES},
    {"doctor", "", "Is this machine fit to measure?", "ulplab doctor", cmd_doctor, READS},
    {"bench", "", "Time, beside the limits of this core",
     "ulplab bench --filter 'op=softmax isa=avx512' --shapes cache,64x4096", cmd_bench, COMPUTES},
    {"duel", "OTHER ", "This build against another one's program, in one run: which is faster",
     "ulplab duel ../before/build/ulplab --filter op=softmax --threshold 3", cmd_duel, COMPUTES},
    {"accuracy", "", "Error of every variant against the oracle, and the promises of its file",
     "ulplab accuracy --filter op=softmax --family normal,logits --n 64,4096", cmd_accuracy,
     COMPUTES},
    {"explain", "VARIANT [OTHER] | --filter EXPR ",
     "What a variant's time is made of: its hot loops, their instructions, what the core allows",
     "ulplab explain softmax/threepass/dtype=f32/isa=avx2/cc=gcc-12/policy=off --shape 1x2048",
     cmd_explain, COMPUTES},
    {"instructions", "[FORM ..] ",
     "Latency and throughput of instructions on this CPU, and what they share, in seconds",
     "ulplab instructions 'vfmadd231ps ymm ymm ymm' 'vdivps ymm ymm ymm'", cmd_instructions,
     COMPUTES},
    {"diverge", "[OP --in X.npy --got Y.npy] ",
     "Which variants agree bit for bit, how far the others are apart, and why; or which variant "
     "computed Y from X",
     "ulplab diverge --filter 'op=softmax isa=avx2' --n 1000 --family normal", cmd_diverge,
     COMPUTES},
    {"identify", "OP ", "The same as 'diverge OP --in X.npy --got Y.npy'",
     "ulplab identify layernorm --in x.npy --got rstd.npy --stat rstd", cmd_identify, COMPUTES},
    {"search", "OP ", "Hunt the worst input of a kernel; accuracy replays what is found",
     "ulplab search softmax --filter 'algorithm=threepass isa=avx2 policy=off' --box -8,8 --n 64",
     cmd_search, COMPUTES},
    {"scan", "FUNC.. | all ",
     "Every fp32 input of unary functions (exp, exp2, expm1, log, log2, log1p, tanh, erf, sigmoid, "
     "silu, gelu, softplus, sin, cos, rsqrt), or a range of them",
     "ulplab scan exp --range -1,1 && ulplab scan all --filter isa=avx512 --resume", cmd_scan,
     COMPUTES},
    {"try", "FILE FUNCTION ",
     "A function of your own: is it right, how fast, with which flags, in two minutes; it runs as "
     "you: no security boundary",
     "ulplab try softmax.c softmax_rows --op softmax", cmd_try, COMPUTES},
    {"check", "FILE.json ",
     "The functions that a file lists, each by 'try', against a committed baseline: for CI",
     "ulplab check ulplab.json --junit ulplab.xml", cmd_check, COMPUTES},
    {"case", "list | run [NAME ..] ",
     "Failures that were reported elsewhere, shown again on this CPU, with their remedies",
     "ulplab case run fma-softmax", cmd_case, COMPUTES},
    {"report", "[DIR..] ",
     "The report, from result files alone; of several machines also performance.md, or .html",
     "ulplab report --format html results/amd-26-2-1-f9f37b22", cmd_report, READS},
    {"site", "OUT DIR.. | LAB.db ",
     "Static pages: of each CPU and operation one at an address that stays, with a search",
     "ulplab site site results/* && xdg-open site/index.html", cmd_site, READS},
    {"compare", "A B [C ..] | [DIR] [VALUE ..] --by isa|policy|cc ",
     "Folders of results, or values of an axis in one: which is faster, and are the bits equal",
     "ulplab compare results/old results/new --threshold 5", cmd_compare, READS},
    {"policy", "[DIR] ", "Which compiler and which floating-point policy to ship, and why",
     "ulplab policy --max-ulp 2 --emit cmake", cmd_policy, READS},
    {"flags", "[KERNEL..] ",
     "Which flag of a compiler pays, which breaks, and the fewest that keep the gain",
     "ulplab flags softmax/plain --cc gcc-12 --emit cmake", cmd_flags, COMPUTES},
    {"schema", "[NAME] ", "JSON Schema of a --json document, a file or a record of results",
     "ulplab schema timing-record >timing.schema.json", cmd_schema, READS},
    {"export", "[DIR] ",
     "Results for other tools (google-benchmark JSON, OpenMetrics, CSV, JSON Lines), or packed for "
     "git",
     "ulplab export results/mine --format gbench >mine.json", cmd_export, READS},
    {"fleet", "plan | submit | status | collect ",
     "Measures every type of node of a Slurm cluster, and collects the results",
     "ulplab fleet submit --out /shared/fleet && ulplab fleet collect --out /shared/fleet",
     cmd_fleet, READS},
    {"history", "LAB.db[:SELECTOR] ",
     "Every cell over an archive's runs: when it got slower or less accurate, and with what",
     "ulplab history lab.db --filter op=softmax --page history.html", cmd_history, READS},
    {"archive", "add DIR.. --to LAB.db | list LAB.db | show|export LAB.db:RUN [DIR] ",
     "Runs in one SQLite database, which every command reads as LAB.db:SELECTOR",
     "ulplab archive add results/* --to lab.db && ulplab archive list lab.db", cmd_archive, READS},
    {"sql", "DIR.. | LAB.db [QUERY] ",
     "Asks results in SQL: folders, or an archive; without a query shows the tables and examples",
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

/* What the CPU lacks, for the handler below. The check of the CPU does not use what it checks for.
 * Commands that only read files run all the same; if they meet such an instruction, they print what
 * is lacking. */
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

/* Checks the stack's limit: a kernel's worker needs as much, and so do the threads of its team. */
static int check_stack(struct error *e)
{
    enum { LEAST = 1 << 20 };
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= LEAST) return 0;
    return fail(e, EXIT_BAD_INPUT, "not enough stack: %zu KiB: 'ulimit -s 8192' allows more",
                (size_t)stack.rlim_cur >> 10);
}

/* Notes floating-point modes that were set from outside: the lab sets its own, but other programs
 * of the user may depend on them. */
static void note_modes(const struct command *command)
{
    if (command->what == COMPUTES && !modes_were_default())
        fprintf(stderr,
                "ulplab: MXCSR was 0x%04x before the start (FTZ and DAZ: 0x8040), or x87's modes "
                "not the default ones; the lab works with the default ones, see 'ulplab doctor'\n",
                mxcsr_at_start());
}

/* Starts this program anew with OpenMP's threads sleeping where they wait: by default they spin,
 * and take from other processes, and from a thread that shares their core, the time that they do
 * not use. libgomp reads the setting before main() runs. Where teams are timed they spin
 * (measure/worker.c). */
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
    int code = check_cpu(command, e); /* before the start anew, which leaves an emulator */
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
        return fail(e, EXIT_USAGE, "unknown command: %s: not one of ulplab's; see 'ulplab --help'",
                    name);
    struct options o;
    int code = options_parse(argc, argv, command, &o, e);
    if (!code) glibc_hide(o.hide_isa, argv);
    if (!code) code = run_command(command, &o, argv, e);
    options_free(&o);
    return code;
}

/* Text that was printed may still be in a buffer when the disk turns out to be full. A reader that
 * has seen enough (head, a pager) is no error. */
static int flush_output(int code, struct error *e)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code == EXIT_BAD_INPUT) return code;
    struct pollfd reader = {.fd = STDOUT_FILENO};
    if (errno == EPIPE || (poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR))) return code;
    return fail(e, EXIT_BAD_INPUT, "cannot write: standard output: %s; free some space",
                strerror(errno));
}

/* Ends the program with a message that needs no memory. A worker that ends so is a crashed worker
 * to the lab. */
static void end_without_memory(void)
{
    static const char text[] = "ulplab: out of memory: not a byte left to work with; free some, or "
                               "choose less with --filter\n";
    write_all(STDERR_FILENO, text, sizeof text - 1);
    file_abandon();
    _exit(EXIT_PARTIAL);
}

int main(int argc, char **argv)
{
    /* Without a buffer of its own the stream loses its first words where memory is short. */
    static char output[1 << 16];
    struct error e = {.text = ""};
    prctl(PR_SET_NAME, "ulplab"); /* not "exe", as whom it starts itself */
    mxcsr_take_over();
    memory_guard(end_without_memory);
    setvbuf(stdout, output, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof output);
    if (is_worker(argc, argv)) return bench_worker();
    int code = check_stack(&e);
    if (!code) code = flush_output(dispatch(argc, argv, &e), &e);
    if (e.text[0]) fprintf(stderr, "ulplab: %s\n", e.text);
    return code;
}
