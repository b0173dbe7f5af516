// SPDX-License-Identifier: MIT
#include "cmd/options.h"

#include <stdio.h>
#include <string.h>

#define FIELD(f) offsetof(struct options, f)
#define FAMILIES                                                                                   \
    "normal uniform logits attention offset onehot constant alternating tiny wide sorted masked "  \
    "below outlier huge special"

/* One entry per meaning of an option: an option with different meanings in two commands has two
 * entries. `{}` in a help text is replaced by the values. */
const struct option_spec option_specs[] = {
    /* Options that choose variants and the machine. */
    {"filter", TEXTS, FIELD(filters), "EXPR",
     "only variants that match: space-separated terms, KEY=V[,V] (op, algorithm, dtype, isa, cc, "
     "policy) or a regex on the id; repeatable",
     NULL,
     " run list codegen bench duel accuracy diverge identify search scan case report compare "
     "policy export history fleet explain "},
    {"hide-isa", TEXT, FIELD(hide_isa), "LIST",
     "behave as on a machine without these ISAs ({}); without avx2, glibc's functions do without "
     "AVX2 and FMA, too",
     "avx512 avx512fp16 avx512vbmi avx2 sse",
     " run list codegen eval doctor bench duel accuracy diverge identify search scan case fleet "
     "instructions explain try flags "},
    {"variant", TEXT, FIELD(variant), "ID", "the variant to run, an id of 'ulplab list'", NULL,
     " eval "},
    {"peers", FLAG, FIELD(peers), NULL,
     "also measure the libraries that 'make peers' built (oneDNN, XNNPACK, PyTorch, ggml, ...)",
     NULL, " run accuracy bench scan diverge "},

    /* Options that choose the folder. */
    {"out", TEXT, FIELD(out), "DIR", "folder of the result files (default: results/local/<cpu>)",
     NULL, " run scan instructions flags "},
    {"out", TEXT, FIELD(out), "DIR",
     "folder for search.jsonl and adversarial/, the rows found (default: results/local/<cpu>, and "
     "the lab's results)",
     NULL, " search "},
    {"out", TEXT, FIELD(out), "DIR",
     "folder whose adversarial/ holds the rows that 'search' found; they are replayed (default: "
     "the lab's results)",
     NULL, " accuracy "},
    {"out", TEXT, FIELD(out), "DIR",
     "folder for the reports (default: the folder of results; for several, "
     "results/local/together); if no DIR is named: the folder of results (default: the newer run "
     "of results/local/<cpu> and results/<cpu>)",
     NULL, " report "},
    {"out", TEXT, FIELD(out), "DIR",
     "the folder of results, if no DIR is named (default: the newer run of results/local/<cpu> and "
     "results/<cpu>)",
     NULL, " compare policy export "},
    {"out", TEXT, FIELD(out), "DIR", "the fleet's folder, which all nodes share", NULL, " fleet "},
    {"nodes-by", CHOICE, FIELD(nodes_by), "WHAT",
     "how nodes are grouped into types; each type is measured once: {} (default feature)",
     "feature partition", " fleet "},
    {"out", TEXT, FIELD(out), "Y.npy", "file for the result", NULL, " eval "},

    /* Options that choose what is measured, and how much. */
    {"quick", FLAG, FIELD(quick), NULL,
     "short run, about one minute (run, fleet: with suite 1 under policy off at 16 rows of 64)",
     NULL, " run case fleet "},
    {"full", FLAG, FIELD(full), NULL, "every variant and cell; takes hours", NULL, " run fleet "},
    {"full", FLAG, FIELD(full), NULL, "no time limit", NULL, " case "},
    {"lacking", FLAG, FIELD(lacking), NULL,
     "only print the objects that this run needs and this build lacks, for make", NULL, " run "},
    {"suite", COUNT, FIELD(suite), "N",
     "only the kernels and shapes of suite N, which are frozen so that runs stay comparable for "
     "years (there is suite 1); takes under 3 minutes",
     NULL, " run "},
    {"resume", FLAG, FIELD(resume), NULL, "continue an interrupted run", NULL, " run "},
    {"resume", FLAG, FIELD(resume), NULL, "continue an interrupted scan", NULL, " scan "},
    {"force", FLAG, FIELD(force), NULL,
     "scan again even if the results for the same machine code are kept", NULL, " scan "},
    {"n", SIZE_LIST, FIELD(n), "LIST", "row lengths, e.g. 1,64,4096", NULL,
     " accuracy bench duel diverge "},
    {"n", SIZE_LIST, FIELD(n), "N", "length of the rows", NULL, " search "},
    {"rows", SIZE_LIST, FIELD(rows), "LIST", "numbers of rows", NULL, " bench duel "},
    {"family", TEXT_LIST, FIELD(families), "LIST", "input families: {} (rows that 'search' found)",
     FAMILIES " adversarial", " accuracy "},
    {"family", TEXT_LIST, FIELD(families), "LIST", "input families: {}", FAMILIES,
     " bench duel diverge "},
    {"shapes", TEXT_LIST, FIELD(shapes), "LIST", "{} or ROWSxN",
     "default small cache memory huge models", " bench duel flags "},
    {"shapes", TEXT_LIST, FIELD(shapes), "LIST",
     "{} or ROWSxN, in addition to the run's own shapes, for the variants that may be the fastest "
     "there (default with --peers: default)",
     "default small cache memory huge models", " run "},
    {"shape", TEXT, FIELD(shape), "RxN", "R rows of N (default 1x2048)", NULL, " explain "},
    {"family", TEXT_LIST, FIELD(families), "NAME", "the input family (default normal)", FAMILIES,
     " explain "},
    {"samples", COUNT, FIELD(samples), "N", "elements per cell", NULL, " accuracy diverge try "},
    {"samples", COUNT, FIELD(samples), "N", "samples per process", NULL, " bench duel "},
    {"processes", COUNT, FIELD(processes), "R", "fresh processes, the sampling unit", NULL,
     " bench duel flags "},
    {"input", TEXT, FIELD(input), "FILE.npy",
     "your own rows instead of the families (.npy: fp32, fp16 or fp64; 1-D or 2-D; fp64 is rounded "
     "to fp32, except by accuracy for kernels in double)",
     NULL, " accuracy bench "},
    {"input", TEXTS, FIELD(inputs), "FILE.npy",
     "also test your own rows, by the same criteria: .npy as for 'ulplab accuracy --input'; "
     "repeatable",
     NULL, " try "},
    {"in", TEXT, FIELD(in), "X.npy",
     "input: fp32, fp16 or fp64 (rounded to fp32 for kernels in fp32); C order, 1-D or 2-D", NULL,
     " eval diverge identify "},
    {"got", TEXT, FIELD(got), "Y.npy",
     "what another program computed from X (fp32, fp16 or fp64; doubles that are not exactly "
     "floats are compared with kernels in double)",
     NULL, " diverge identify "},
    {"stat", TEXT, FIELD(stat), "NAME",
     "--got has one value per row: mean or variance of moments, mean or rstd of layernorm, rstd of "
     "rmsnorm",
     "mean variance rstd", " diverge identify "},
    {"beside", TEXT, FIELD(beside), "ID",
     "for every variant, count wrong results, and results that are wrong or changed compared with "
     "this variant: an id of 'ulplab list'",
     NULL, " accuracy "},
    {"param", TEXTS, FIELD(params), "NAME=VALUE",
     "a parameter: scale=, eps=, gamma=FILE.npy, beta=FILE.npy; repeatable",
     "scale= eps= log= gamma= beta=", " eval diverge identify accuracy bench try "},
    {"stats", FLAG, FIELD(stats), NULL,
     "write the statistics of each row instead: layernorm mean and rstd, rmsnorm rstd", NULL,
     " eval "},
    {"timeout", COUNT, FIELD(timeout), "SECONDS", "stop the kernel after this time (default 600)",
     NULL, " eval "},
    {"timeout", COUNT, FIELD(timeout), "SECONDS",
     "a build counts as hung if it takes this long on one block of rows (default 20)", NULL,
     " accuracy try "},
    {"box", TEXT, FIELD(box), "LO,HI",
     "values are searched in [LO, HI] (default -8,8; logsumexp: -9,-6.5; moments: 8,16; log, log2: "
     "0x1p-10,8)",
     NULL, " search "},
    {"seconds", COUNT, FIELD(seconds), "S",
     "total time for all variants, half of it for random rows (default 20)", NULL, " search "},
    {"seconds", COUNT, FIELD(seconds), "S",
     "with --precision or --pair: time limit of the measurement (default 60; with --pair 5)", NULL,
     " bench "},
    {"experiments", COUNT, FIELD(seconds), "S",
     "call each variant in every way that should not change its bits (each length up to 67, up to "
     "1,024 rows and 64 threads, y == x), each way for at most S seconds of processor time, and "
     "report what was tried",
     NULL, " diverge "},
    {"precision", REAL, FIELD(precision), "PCT",
     "measure until every cell's time, relative to its block, is known to within PCT %", NULL,
     " bench "},
    {"no-limits", FLAG, FIELD(no_limits), NULL,
     "skip the hardware limits, which take most of the time of a short bench; report relative "
     "times only",
     NULL, " bench run "},
    {"pair", TEXT_LIST, FIELD(pair), "A,B",
     "two variants, each by its id or by a regex that matches it alone: report how much longer B "
     "takes",
     NULL, " bench "},
    {"evaluations", COUNT, FIELD(evaluations), "E",
     "rows per variant, instead of a time: makes searches reproducible bit for bit", NULL,
     " search "},
    {"samples", COUNT, FIELD(samples), "N",
     "about this many inputs, equally many per power of two (default: all; in double 2^24); the "
     "rows are not kept",
     NULL, " scan "},
    {"range", TEXT, FIELD(range), "LO,HI", "only the inputs in [LO, HI]", NULL, " scan "},
    {"seed", SEED, FIELD(seed), "N", "seed for inputs and for the order of cells (default 1)", NULL,
     " run bench duel accuracy diverge search case "},
    {"threads", COUNT, FIELD(threads), "N", "threads (default: one per core of the cpuset)", NULL,
     " run eval bench duel accuracy diverge identify search scan "},

    {"to", TEXT, FIELD(to), "LAB.db",
     "the archive that receives the runs; created if it does not exist", NULL, " archive "},
    {"to", TEXT, FIELD(to), "LAB.db",
     "collect: the archive (default: lab.db in the fleet's folder)", NULL, " fleet "},

    {"machine", TEXT, FIELD(machine), "SLUG",
     "only runs from machines whose slug begins with this text", NULL, " history "},
    {"last", COUNT, FIELD(last), "N", "the newest runs of each machine (default 200)", NULL,
     " history "},
    {"since", TEXT, FIELD(since), "DATE", "only changes of runs from this date on: 2026-11-21",
     NULL, " history "},
    {"page", TEXT, FIELD(page), "history.html", "also write the series and their changes as a page",
     NULL, " history "},
    {"gate", OPTIONAL_CHOICES, FIELD(gate), "[KINDS]",
     "exit 1 if one of these became worse and still is: {}; error and lost always gate; without "
     "KINDS also time, and bits of kernels that promise equal bits",
     "time bits error lost", " history compare duel "},
    {"detect", REAL, FIELD(detect), "FACTOR",
     "exit 3 if the gate of times could miss a slowdown by this factor in some cell (default 2)",
     NULL, " compare duel "},

    {"map", TEXTS, FIELD(maps), "AXIS=OLD:NEW",
     "treat builds of OLD as builds of NEW, e.g. after a compiler upgrade: cc=gcc-12:gcc-13 (cc, "
     "policy, isa); repeatable",
     NULL, " history compare "},

    /* Options of try, and those of flags --function. */
    {"op", TEXT, FIELD(op), "OP", "the operation (default: guessed from the function's name)", NULL,
     " try flags "},
    {"call", TEXT, FIELD(call), "DECLARATION",
     "how the function is called: a C declaration whose parameters are named x, y, n, bytes, rows, "
     "x_stride, y_stride, gamma, beta, eps, scale, mean, variance, rstd, x2, x3, x4, scratch, one, "
     "zero, null, or have a value (float temp = 1); a declaration with only x means in place; "
     "append 'per row' if it takes one row per call (default: from its debugging information)",
     NULL, " try flags "},
    {"flags", TEXT, FIELD(flags), "FLAGS",
     "the flags of your build: build 'yours' has these alone; other builds add a policy's flags",
     NULL, " try flags "},
    {"compdb", TEXT, FIELD(compdb), "FILE",
     "take the flags of your build from a compile_commands.json", NULL, " try flags "},
    {"also", TEXTS, FIELD(also), "FILE",
     "a source, object or archive that the function needs; repeatable", NULL, " try flags "},
    {"link", TEXTS, FIELD(link), "-lNAME", "a library that the function needs; repeatable", NULL,
     " try flags "},
    {"isa", TEXT, FIELD(isa), "ISA",
     "ISA of the builds with policies (default: the widest of this CPU)", "scalar avx2 avx512",
     " try "},
    {"cc", TEXT_LIST, FIELD(ccs), "LIST",
     "compilers to build it with (default: those that gcc and clang name)", NULL, " try "},
    {"policy", TEXT_LIST, FIELD(policies), "LIST",
     "policies to build it under, besides off (default: all); yours: only its own flags, by each "
     "compiler",
     "off on fast default reassoc fastmath yours", " try "},
    {"before", TEXT, FIELD(before), "FILE",
     "an earlier version of FILE: compare the times of both, built by each compiler", NULL,
     " try "},
    {"ref", TEXT, FIELD(ref), "FILE", "your own reference: a file with a function in double", NULL,
     " try flags "},
    {"ref-call", TEXT, FIELD(ref_call), "DECLARATION",
     "how the reference is called, e.g. 'double ref(double x)', 'void ref(const double *x, double "
     "*y, int n)'",
     NULL, " try flags "},
    {"columns", COUNT, FIELD(columns), "N",
     "results per row, if --ref returns neither one per element nor one per row", NULL,
     " try flags "},
    {"scale", TEXT, FIELD(scale), "WHAT",
     "with --ref, the quantity that errors are divided by: the sum of |x|, of |x x2| (dot), that "
     "sum over n (mean), the reference's result for |x| (abs), how far its result moves when "
     "inputs move (moved), or the result (default: by the operation's name, else moved)",
     "sum dot mean abs moved result", " try flags "},
    {"steps", COUNT, FIELD(steps), "N",
     "results of --ref are quantised (integers, or fake quantisation), and may differ by this many "
     "quanta",
     NULL, " try flags "},
    {"step", REAL, FIELD(step), "SIZE", "size of a quantum (default 1)", NULL, " try flags "},
    {"aligned", COUNT, FIELD(aligned), "BYTES",
     "its callers align rows to multiples of this many bytes: other rows are copied to such places",
     NULL, " try flags "},
    {"multiple", COUNT, FIELD(multiple), "N",
     "its callers only use lengths that are multiples of N, a power of two: no others are tried",
     NULL, " try flags "},
    {"keep", TEXT, FIELD(keep), "GLUE.c", "also write the generated kernel file to GLUE.c", NULL,
     " try "},
    {"keep-row", TEXT, FIELD(keep_row), "FILE.npy",
     "also write the row with the first wrong result, else with the largest error, for use with "
     "--input",
     NULL, " try "},
    {"quick", FLAG, FIELD(quick), NULL, "only errors and bits, no times", NULL, " try "},
    {"full", FLAG, FIELD(full), NULL,
     "try every fp32 input, or 2^24 doubles and more, however long it takes", NULL, " try "},
    {"allow", CHOICES, FIELD(allow), "LIST",
     "lost: flags that give up NaN and infinities may be advised", "lost", " try "},
    {"html", TEXT, FIELD(page), "FILE.html", "also write the answer as a page", NULL, " try "},
    {"update", FLAG, FIELD(update), NULL, "write the results as the new baseline", NULL, " check "},
    {"base", TEXT, FIELD(before), "DIR",
     "the check file's folder in an earlier tree: functions are timed against its versions", NULL,
     " check "},
    {"markdown", TEXT, FIELD(markdown), "FILE.md",
     "also append the answer to this file, in the form of a CI job's summary", NULL, " check "},
    {"junit", TEXT, FIELD(junit), "FILE.xml", "also write the answer as JUnit XML", NULL,
     " check "},

    /* Options of commands that read results. */
    {"format", CHOICE, FIELD(format), "FORMAT", "{} (default md)", "md html", " report "},
    {"format", CHOICE, FIELD(format), "FORMAT",
     "{} (default jsonl); archive packs the records of DIR for git, with summary.json",
     "jsonl csv gbench openmetrics archive", " export "},
    {"record", CHOICE, FIELD(record), "KIND",
     "only records of this kind, with only their columns: {} (for csv, jsonl)", "accuracy timing",
     " export "},
    {"by", CHOICE, FIELD(by), "AXIS",
     "what is compared: isa, policy or cc (values of one folder), cpu or commit (folders)",
     "isa policy cc cpu commit", " compare "},
    {"threshold", REAL, FIELD(threshold), "PCT",
     "exit 1 if a cell is significantly slower by more than PCT %, or if anything that --gate "
     "names is worse; smaller differences are 'same' (default: 2, and no gate)",
     NULL, " compare "},
    {"threshold", REAL, FIELD(threshold), "PCT",
     "exit 1 if a variant of this build is significantly slower by more than PCT % (default: no "
     "gate)",
     NULL, " duel "},
    {"threshold", REAL, FIELD(threshold), "PCT",
     "the smallest slowdown that fails the gate (default 2)", NULL, " history "},
    {"max-ulp", REAL, FIELD(max_ulp), "X",
     "recommend only kernels with an error of at most X, in ULP (in u where results come near "
     "zero), over every input if there is a whole scan, else over all families (default 4)",
     NULL, " report site policy "},
    {"cc", TEXT_LIST, FIELD(ccs), "LIST", "compilers (default: those of this build)", NULL,
     " flags "},
    {"isa", TEXT, FIELD(isa), "ISA", "default: the widest of avx512, avx2, scalar that runs here",
     NULL, " flags "},
    {"base", TEXT, FIELD(base), "FLAGS", "the baseline (default '-O3 -ffp-contract=off')", NULL,
     " flags "},
    {"all", TEXT, FIELD(all), "FLAGS",
     "the flag set to take apart; -ffast-math means all its component flags (default "
     "'-ffast-math')",
     NULL, " flags "},
    {"function", TEXT, FIELD(function), "NAME",
     "the kernel is a C or C++ file with this function, called and built as 'ulplab try' says",
     NULL, " flags "},
    {"also", TEXTS, FIELD(own_flags), "'-fFLAG'", "also measure this flag; repeatable", NULL,
     " flags "},
    {"flag", TEXTS, FIELD(own_flags), "'-fFLAG'", "old name of --also", NULL, " flags "},
    {"gain", REAL, FIELD(kept_gain), "PCT",
     "the share of the gain that the smallest set of flags must keep (default 95)", NULL,
     " flags "},
    {"keep", REAL, FIELD(kept_gain), "PCT", "old name of --gain", NULL, " flags "},
    {"allow", CHOICES, FIELD(allow), "LIST",
     "lost: results may be lost and promises break; errors: errors may grow; no-bits: no bit may "
     "change",
     "lost errors no-bits", " flags "},
    {"cases", FLAG, FIELD(cases), NULL,
     "also find the case studies that each flag breaks, and that leaving it out repairs; takes "
     "minutes per compiler",
     NULL, " flags "},
    {"resume", FLAG, FIELD(resume), NULL, "continue interrupted measurements", NULL, " flags "},
    {"full", FLAG, FIELD(full), NULL,
     "every kernel (default: plain loops, and one vocabulary kernel of each operation)", NULL,
     " flags "},
    {"require", CHOICES, FIELD(require), "LIST",
     "only kernels, and so policies, with equal bits: {} (invariant: all of the others)",
     "isa-stable cc-stable tail-stable thread-stable invariant", " policy "},
    {"no-broken-cases", FLAG, FIELD(no_broken_cases), NULL,
     "only policies under which no case study breaks", NULL, " policy "},
    {"allow", CHOICES, FIELD(allow), "LIST",
     "what a policy may give up: the order of additions (reassociation), results that become NaN "
     "or infinite (lost), subnormal results; no-bits: no kernel may change its bits compared with "
     "off",
     "reassociation lost subnormals no-bits", " policy "},
    {"emit", CHOICE, FIELD(emit), "FORMAT",
     "print only the flags, ready to paste into a build file: {}", "make cmake meson bazel json",
     " policy flags "},

    /* Options that choose the form of the output. */
    {"json", FLAG, FIELD(json), NULL, "print one JSON document on stdout, and nothing else there",
     NULL,
     " run list codegen eval doctor bench duel accuracy diverge identify search scan case compare "
     "policy archive history fleet sql instructions explain try flags check "},
    {"csv", FLAG, FIELD(csv), NULL, "print comma-separated values instead of a table", NULL,
     " sql "},
    {"quiet", FLAG, FIELD(quiet), NULL, "print no progress and no summary", NULL, NULL},
    {"help", FLAG, FIELD(help), NULL, "print this help", NULL, NULL},
    {0},
};

const struct option_conflict option_conflicts[] = {
    {" run case fleet try ", "full", "quick"},
    {" run ", "suite", "quick full filter seed shapes peers"},
    {" accuracy ", "input", "n family samples seed out"},
    {" scan ", "range", "samples"},
    {" bench ", "input", "n rows shapes family"},
    {" bench ", "pair", "precision filter n rows param processes"},
    {" search ", "evaluations", "seconds"},
    {" policy flags ", "emit", "json"},
    {" sql ", "csv", "json"},
    {" diverge ", "got", "n family samples seed experiments peers"},
    {0},
};

bool option_applies(const struct option_spec *s, const struct command *c)
{
    if (!s->commands) return true;
    char word[40];
    snprintf(word, sizeof word, " %s ", c ? c->name : "");
    return c && strstr(s->commands, word);
}

void option_values(const struct option_spec *s, char *text, size_t size)
{
    size_t used = 0;
    for (const char *values = s->values; *values && used + 2 < size; values++) {
        if (*values == ' ') text[used++] = ',';
        text[used++] = *values;
    }
    text[used] = '\0';
}

void option_help(const struct option_spec *s, char *text, size_t size)
{
    const char *braces = s->values ? strstr(s->help, "{}") : NULL;
    if (!braces) {
        snprintf(text, size, "%s", s->help);
        return;
    }
    char values[200];
    option_values(s, values, sizeof values);
    snprintf(text, size, "%.*s%s%s", (int)(braces - s->help), s->help, values, braces + 2);
}
