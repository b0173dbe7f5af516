// SPDX-License-Identifier: MIT
#include "cmd/options.h"

#include <stdio.h>
#include <string.h>

#define FIELD(f) offsetof(struct options, f)
#define FAMILIES                                                                                   \
    "normal uniform logits attention offset onehot constant alternating tiny wide sorted masked "  \
    "below outlier huge special"

/* One entry for each meaning that an option has: an option that means something else to another
 * command stands here twice. `{}` in a help text becomes the values. */
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
     "folder of search.jsonl and adversarial/, what is found (default: results/local/<cpu>, and "
     "the lab's results)",
     NULL, " search "},
    {"out", TEXT, FIELD(out), "DIR",
     "folder whose adversarial/ has the rows that searches found, which are replayed (default: the "
     "lab's results)",
     NULL, " accuracy "},
    {"out", TEXT, FIELD(out), "DIR",
     "where the reports go (default: into the folder; of several into results/local/together); "
     "where no folder is named: the folder of results (default: the newer run of "
     "results/local/<cpu> and results/<cpu>)",
     NULL, " report "},
    {"out", TEXT, FIELD(out), "DIR",
     "the folder of results, where none is named (default: the newer run of results/local/<cpu> "
     "and results/<cpu>)",
     NULL, " compare policy export "},
    {"out", TEXT, FIELD(out), "DIR", "the fleet's folder, which all nodes share", NULL, " fleet "},
    {"nodes-by", CHOICE, FIELD(nodes_by), "WHAT",
     "what makes a type of node, of which each is measured once: {} (default feature)",
     "feature partition", " fleet "},
    {"out", TEXT, FIELD(out), "Y.npy", "where the result goes", NULL, " eval "},

    /* Options that choose what is measured, and how much. */
    {"quick", FLAG, FIELD(quick), NULL,
     "short run, about one minute (run, fleet: with suite 1 under policy off at 16 rows of 64)",
     NULL, " run case fleet "},
    {"full", FLAG, FIELD(full), NULL, "every variant and cell, for hours", NULL, " run fleet "},
    {"full", FLAG, FIELD(full), NULL, "without a limit of time", NULL, " case "},
    {"lacking", FLAG, FIELD(lacking), NULL,
     "only print the objects that this run wants and this build lacks, for make", NULL, " run "},
    {"suite", COUNT, FIELD(suite), "N",
     "only the kernels and shapes of suite N, which do not change any more, so that runs of it "
     "compare for years (there is suite 1), in under 3 minutes",
     NULL, " run "},
    {"resume", FLAG, FIELD(resume), NULL, "go on where an interrupted run ended", NULL, " run "},
    {"resume", FLAG, FIELD(resume), NULL, "go on where an interrupted scan ended", NULL, " scan "},
    {"force", FLAG, FIELD(force), NULL, "scan again what is kept of the same machine code", NULL,
     " scan "},
    {"n", SIZE_LIST, FIELD(n), "LIST", "row lengths, e.g. 1,64,4096", NULL,
     " accuracy bench duel diverge "},
    {"n", SIZE_LIST, FIELD(n), "N", "length of the rows", NULL, " search "},
    {"rows", SIZE_LIST, FIELD(rows), "LIST", "numbers of rows", NULL, " bench duel "},
    {"family", TEXT_LIST, FIELD(families), "LIST", "input families: {} (what search found)",
     FAMILIES " adversarial", " accuracy "},
    {"family", TEXT_LIST, FIELD(families), "LIST", "input families: {}", FAMILIES,
     " bench duel diverge "},
    {"shapes", TEXT_LIST, FIELD(shapes), "LIST", "{} or ROWSxN",
     "default small cache memory huge models", " bench duel flags "},
    {"shapes", TEXT_LIST, FIELD(shapes), "LIST",
     "{} or ROWSxN, on top of the run's own, for the variants that may win there (with --peers "
     "'default' unless told otherwise)",
     "default small cache memory huge models", " run "},
    {"shape", TEXT, FIELD(shape), "RxN", "R rows of N (default 1x2048)", NULL, " explain "},
    {"family", TEXT_LIST, FIELD(families), "NAME", "the input family (default normal)", FAMILIES,
     " explain "},
    {"samples", COUNT, FIELD(samples), "N", "elements per cell", NULL, " accuracy diverge try "},
    {"samples", COUNT, FIELD(samples), "N", "samples per process", NULL, " bench duel "},
    {"processes", COUNT, FIELD(processes), "R", "fresh processes, the sampling unit", NULL,
     " bench duel flags "},
    {"input", TEXT, FIELD(input), "FILE.npy",
     "your own rows instead of the families (.npy: fp32, fp16 or fp64, rounded to fp32 but by "
     "accuracy for kernels of double; 1-D or 2-D)",
     NULL, " accuracy bench "},
    {"input", TEXTS, FIELD(inputs), "FILE.npy",
     "your own rows, too, held to the same: .npy as 'ulplab accuracy --input' takes it; repeatable",
     NULL, " try "},
    {"in", TEXT, FIELD(in), "X.npy",
     "input: fp32, fp16 or fp64, rounded to fp32 where that is computed; C order, 1-D or 2-D", NULL,
     " eval diverge identify "},
    {"got", TEXT, FIELD(got), "Y.npy",
     "what another program computed from it (fp32, fp16 or fp64; doubles that are no floats are "
     "compared with kernels of double)",
     NULL, " diverge identify "},
    {"stat", TEXT, FIELD(stat), "NAME",
     "--got has one value per row: mean or variance of moments, mean or rstd of layernorm, rstd of "
     "rmsnorm",
     "mean variance rstd", " diverge identify "},
    {"beside", TEXT, FIELD(beside), "ID",
     "say of every variant what is wrong, and wrong or changed beside this one's results: an id of "
     "'ulplab list'",
     NULL, " accuracy "},
    {"param", TEXTS, FIELD(params), "NAME=VALUE",
     "a parameter: scale=, eps=, gamma=FILE.npy, beta=FILE.npy; repeatable",
     "scale= eps= log= gamma= beta=", " eval diverge identify accuracy bench try "},
    {"stats", FLAG, FIELD(stats), NULL,
     "write the statistics of each row instead: layernorm (mean, rstd), rmsnorm rstd", NULL,
     " eval "},
    {"timeout", COUNT, FIELD(timeout), "SECONDS",
     "give up on the kernel after this time (default 600)", NULL, " eval "},
    {"timeout", COUNT, FIELD(timeout), "SECONDS",
     "a build counts as hung if it takes this long on one block of rows (default 20)", NULL,
     " accuracy try "},
    {"box", TEXT, FIELD(box), "LO,HI",
     "every value in [LO, HI] (default -8,8; logsumexp: -9,-6.5; moments: 8,16; log, log2: "
     "0x1p-10,8)",
     NULL, " search "},
    {"seconds", COUNT, FIELD(seconds), "S",
     "time for all variants together, half of it for random rows (default 20)", NULL, " search "},
    {"seconds", COUNT, FIELD(seconds), "S",
     "with --precision or --pair: how long to go on (default 60, 5)", NULL, " bench "},
    {"experiments", COUNT, FIELD(seconds), "S",
     "call each variant in every way that should not matter (each length up to 67, up to 1,024 "
     "rows and 64 threads, y == x), each way for at most S seconds of processors, and say what was "
     "tried",
     NULL, " diverge "},
    {"precision", REAL, FIELD(precision), "PCT",
     "measure until every cell's time, relative to its block, is known within PCT %", NULL,
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
     "instead of a time: rows per variant; two searches agree bit for bit", NULL, " search "},
    {"samples", COUNT, FIELD(samples), "N",
     "about this many inputs, equally many of each power of two (default: all; in double 2^24); no "
     "row is kept",
     NULL, " scan "},
    {"range", TEXT, FIELD(range), "LO,HI", "only the inputs in [LO, HI]", NULL, " scan "},
    {"seed", SEED, FIELD(seed), "N", "seed of inputs and of the order of cells (default 1)", NULL,
     " run bench duel accuracy diverge search case "},
    {"threads", COUNT, FIELD(threads), "N", "threads (default: one per core of the cpuset)", NULL,
     " run eval bench duel accuracy diverge identify search scan "},

    {"to", TEXT, FIELD(to), "LAB.db", "the archive that the runs go to; made if it is not there",
     NULL, " archive "},
    {"to", TEXT, FIELD(to), "LAB.db",
     "collect: the archive (default: lab.db in the fleet's folder)", NULL, " fleet "},

    {"machine", TEXT, FIELD(machine), "SLUG",
     "only runs of machines whose slug begins with this text", NULL, " history "},
    {"last", COUNT, FIELD(last), "N", "the newest runs of each machine (default 200)", NULL,
     " history "},
    {"since", TEXT, FIELD(since), "DATE", "only changes of runs from this date on: 2026-11-21",
     NULL, " history "},
    {"page", TEXT, FIELD(page), "history.html", "also write the series and their changes as a page",
     NULL, " history "},
    {"gate", OPTIONAL_CHOICES, FIELD(gate), "[KINDS]",
     "exit 1 on what became worse and still is: {}; error and lost always gate; alone: time, and "
     "bits of kernels that promise them",
     "time bits error lost", " history compare duel "},
    {"detect", REAL, FIELD(detect), "FACTOR",
     "exit 3 where the gate of times would miss a slowdown by this factor in some cell (default 2)",
     NULL, " compare duel "},

    {"map", TEXTS, FIELD(maps), "AXIS=OLD:NEW",
     "builds of OLD are read as those of NEW, as after a change of the compiler: cc=gcc-12:gcc-13 "
     "(cc, policy, isa); repeatable",
     NULL, " history compare "},

    /* Options of try, and those of flags --function. */
    {"op", TEXT, FIELD(op), "OP", "the operation (default: by the function's name)", NULL,
     " try flags "},
    {"call", TEXT, FIELD(call), "DECLARATION",
     "how it is called: a C declaration whose parameters are named x, y, n, bytes, rows, x_stride, "
     "y_stride, gamma, beta, eps, scale, mean, variance, rstd, x2, x3, x4, scratch, one, zero, "
     "null, or have a value, float temp = 1; a declaration with only x means in place; append 'per "
     "row' if it takes one row per call (default: by its debugging information)",
     NULL, " try flags "},
    {"flags", TEXT, FIELD(flags), "FLAGS",
     "the flags of your build: 'yours' is built with them alone, the policies are added to them",
     NULL, " try flags "},
    {"compdb", TEXT, FIELD(compdb), "FILE",
     "take the flags of your build from a compile_commands.json", NULL, " try flags "},
    {"also", TEXTS, FIELD(also), "FILE", "a source, object or archive that it needs; repeatable",
     NULL, " try flags "},
    {"link", TEXTS, FIELD(link), "-lNAME", "a library that it needs; repeatable", NULL,
     " try flags "},
    {"isa", TEXT, FIELD(isa), "ISA", "of the policies' builds (default: the widest here)",
     "scalar avx2 avx512", " try "},
    {"cc", TEXT_LIST, FIELD(ccs), "LIST",
     "compilers that build it (default: those that gcc and clang name)", NULL, " try "},
    {"policy", TEXT_LIST, FIELD(policies), "LIST",
     "policies under which they do, and off (default: all); yours: its own flags, by each of them",
     "off on fast default reassoc fastmath yours", " try "},
    {"before", TEXT, FIELD(before), "FILE",
     "an earlier version of FILE: how long yours takes beside it, by each compiler", NULL, " try "},
    {"ref", TEXT, FIELD(ref), "FILE", "a reference of your own: the file of a function in double",
     NULL, " try flags "},
    {"ref-call", TEXT, FIELD(ref_call), "DECLARATION",
     "how the reference is called: 'double ref(double x)', 'void ref(const double *x, double *y, "
     "int n)'",
     NULL, " try flags "},
    {"columns", COUNT, FIELD(columns), "N",
     "results per row, where --ref gives neither one per element nor one", NULL, " try flags "},
    {"scale", TEXT, FIELD(scale), "WHAT",
     "over what errors are taken where --ref says what is right: the sum of |x|, of |x x2| (dot), "
     "that sum over n (mean), the reference's result of |x| (abs), how far its result moves as "
     "inputs do (moved), or the result (default: by the operation's name, else moved)",
     "sum dot mean abs moved result", " try flags "},
    {"steps", COUNT, FIELD(steps), "N",
     "results of --ref are quanta, and may be off by this many: integers, and fake quantisation",
     NULL, " try flags "},
    {"step", REAL, FIELD(step), "SIZE", "of these quanta (default 1)", NULL, " try flags "},
    {"aligned", COUNT, FIELD(aligned), "BYTES",
     "its callers keep rows at multiples of this many bytes: rows elsewhere are copied there", NULL,
     " try flags "},
    {"multiple", COUNT, FIELD(multiple), "N",
     "its callers keep lengths that are multiples of N, a power of two: it gets no others", NULL,
     " try flags "},
    {"keep", TEXT, FIELD(keep), "GLUE.c", "also write the generated kernel file there", NULL,
     " try "},
    {"keep-row", TEXT, FIELD(keep_row), "FILE.npy",
     "also write the row of the first wrong result, else of the largest error, as --input takes it",
     NULL, " try "},
    {"quick", FLAG, FIELD(quick), NULL, "errors and bits alone, no times", NULL, " try "},
    {"full", FLAG, FIELD(full), NULL,
     "try every fp32 input, or 2^24 doubles and on, however long it takes", NULL, " try "},
    {"allow", CHOICES, FIELD(allow), "LIST",
     "lost: flags that give up NaN and infinities may be advised", "lost", " try "},
    {"html", TEXT, FIELD(page), "FILE.html", "also write the answer as a page", NULL, " try "},
    {"update", FLAG, FIELD(update), NULL, "write what was found as the baseline", NULL, " check "},
    {"base", TEXT, FIELD(before), "DIR",
     "the check file's folder in an earlier tree: functions are timed beside its files", NULL,
     " check "},
    {"markdown", TEXT, FIELD(markdown), "FILE.md",
     "add the answer to this file, too, as a job's summary page shows it", NULL, " check "},
    {"junit", TEXT, FIELD(junit), "FILE.xml", "write it as JUnit XML, too", NULL, " check "},

    /* Options of commands that read results. */
    {"format", CHOICE, FIELD(format), "FORMAT", "{} (default md)", "md html", " report "},
    {"format", CHOICE, FIELD(format), "FORMAT",
     "{} (default jsonl); archive packs the records of DIR for git, with summary.json",
     "jsonl csv gbench openmetrics archive", " export "},
    {"record", CHOICE, FIELD(record), "KIND",
     "only records of this kind, and their columns alone: {} (csv, jsonl)", "accuracy timing",
     " export "},
    {"by", CHOICE, FIELD(by), "AXIS",
     "what is compared: isa, policy or cc (values of one folder), cpu or commit (folders)",
     "isa policy cc cpu commit", " compare "},
    {"threshold", REAL, FIELD(threshold), "PCT",
     "exit 1 where a cell is slower by more than PCT % beyond doubt, or what --gate names is "
     "worse; differences up to it are 'same' (default: 2, and no gate)",
     NULL, " compare "},
    {"threshold", REAL, FIELD(threshold), "PCT",
     "exit 1 where a variant of this build is slower by more than PCT % beyond doubt (default: no "
     "gate)",
     NULL, " duel "},
    {"threshold", REAL, FIELD(threshold), "PCT", "least slowdown that gates (default 2)", NULL,
     " history "},
    {"max-ulp", REAL, FIELD(max_ulp), "X",
     "advise only kernels that err by at most X, in ULP or where results come near zero in u, over "
     "every input of a whole scan, else over all families (default 4)",
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
    {"also", TEXTS, FIELD(own_flags), "'-fFLAG'", "also look at this flag; repeatable", NULL,
     " flags "},
    {"flag", TEXTS, FIELD(own_flags), "'-fFLAG'", "the old word for --also", NULL, " flags "},
    {"gain", REAL, FIELD(kept_gain), "PCT",
     "the share of the gain that the fewest flags keep (default 95)", NULL, " flags "},
    {"keep", REAL, FIELD(kept_gain), "PCT", "the old word for --gain", NULL, " flags "},
    {"allow", CHOICES, FIELD(allow), "LIST",
     "lost: results may be lost and promises break; errors: errors may grow; no-bits: no bit may "
     "change",
     "lost errors no-bits", " flags "},
    {"cases", FLAG, FIELD(cases), NULL,
     "which case studies each flag breaks, and leaving it out mends: minutes per compiler", NULL,
     " flags "},
    {"resume", FLAG, FIELD(resume), NULL, "go on where an interrupted one ended", NULL, " flags "},
    {"full", FLAG, FIELD(full), NULL,
     "every kernel (default: plain loops, and one vocabulary kernel of each operation)", NULL,
     " flags "},
    {"require", CHOICES, FIELD(require), "LIST",
     "only kernels, and so policies, with equal bits: {} (all of them)",
     "isa-stable cc-stable tail-stable thread-stable invariant", " policy "},
    {"no-broken-cases", FLAG, FIELD(no_broken_cases), NULL,
     "only policies under which no case study breaks", NULL, " policy "},
    {"allow", CHOICES, FIELD(allow), "LIST",
     "what a policy may give up: the order of additions, results that are then NaN or infinite, "
     "subnormal results; no-bits: no kernel may have other bits than under off",
     "reassociation lost subnormals no-bits", " policy "},
    {"emit", CHOICE, FIELD(emit), "FORMAT", "print what to paste into a build instead: {}",
     "make cmake meson bazel json", " policy flags "},

    /* Options that choose the form of the output. */
    {"json", FLAG, FIELD(json), NULL, "one JSON document on stdout, nothing else there", NULL,
     " run list codegen eval doctor bench duel accuracy diverge identify search scan case compare "
     "policy archive history fleet sql instructions explain try flags check "},
    {"csv", FLAG, FIELD(csv), NULL, "comma-separated values instead of a table", NULL, " sql "},
    {"quiet", FLAG, FIELD(quiet), NULL, "no progress, no summary", NULL, NULL},
    {"help", FLAG, FIELD(help), NULL, "this text", NULL, NULL},
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
