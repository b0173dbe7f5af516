// SPDX-License-Identifier: MIT
#include "study/mca.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/explain_loops.h"

const char *const mca_cpus[MCA_CPUS] = {"skylake-avx512", "icelake-server", "sapphirerapids",
                                        "znver3",         "znver4",         "znver5"};

const char *mca_model_of(const char *llvm)
{
    static const char *const same[][2] = {
        {"cascadelake", "skylake-avx512"},    {"cooperlake", "skylake-avx512"},
        {"icelake-client", "icelake-server"}, {"tigerlake", "icelake-server"},
        {"rocketlake", "icelake-server"},     {"emeraldrapids", "sapphirerapids"},
        {"graniterapids", "sapphirerapids"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!strcmp(llvm, same[i][0])) llvm = same[i][1];
    for (size_t i = 0; i < MCA_CPUS; i++)
        if (!strcmp(llvm, mca_cpus[i])) return mca_cpus[i];
    return NULL;
}

/* Returns the number behind `what` in a command's output, and the word there; NaN if there is none,
 * or if the command reports an error. */
static double mca_ask(const char *command, const char *what, char word[32])
{
    char line[400];
    double value = NAN;
    FILE *in = popen(command, "r");
    if (!in) return NAN;
    while (fgets(line, sizeof line, in)) {
        const char *at = strstr(line, what);
        if (strstr(line, "not a recognized") || strstr(line, "error:")) {
            value = NAN;
            break;
        }
        if (!at || !isnan(value)) continue;
        value = strtod(at + strlen(what), NULL);
        if (word) sscanf(at + strlen(what), " %31s", word);
    }
    while (fgets(line, sizeof line, in)) continue;
    pclose(in);
    return value;
}

struct mca mca_find(void)
{
    enum { NEWEST = 40, OLDEST = 13 };
    struct mca m = {.program = ""};
    for (int version = NEWEST; version >= OLDEST && !m.version[0]; version--) {
        char command[80];
        snprintf(m.program, sizeof m.program, version > OLDEST ? "llvm-mca-%d" : "llvm-mca",
                 version);
        snprintf(command, sizeof command, "%s --version 2>/dev/null", m.program);
        mca_ask(command, "LLVM version", m.version);
    }
    if (!m.version[0]) m.program[0] = '\0';
    return m;
}

/* The loop's instructions but for calls and branches, of which a model of one pass knows nothing;
 * the branch back goes to a label. */
static bool write_loop(const struct explained_loop *l, const struct code *c, FILE *out)
{
    fprintf(out, ".intel_syntax noprefix\nback:\n");
    for (size_t i = 0; i < l->op_count; i++) {
        const struct op *op = &c->ops[l->ops[i]];
        char text[120];
        if (op->branch || op->library) continue;
        op_text(op, text, sizeof text);
        fprintf(out, "%s\n", text);
    }
    fprintf(out, "jne back\n");
    return ferror(out) == 0;
}

static double mca_loop_cycles(const struct mca *m, const char *cpu, const struct explained_loop *l,
                              const struct code *c)
{
    enum { ITERATIONS = 100 };
    char path[] = "/tmp/ulplab-mca-XXXXXX", command[200];
    int file = mkstemp(path);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    bool written = out && write_loop(l, c, out);
    double cycles = NAN;
    if (out) written &= fclose(out) == 0;
    snprintf(command, sizeof command,
             "%s -mtriple=x86_64 -mcpu=%s -iterations=%d -instruction-info=0 -resource-pressure=0 "
             "%s 2>&1",
             m->program, cpu, ITERATIONS, path);
    if (written) cycles = mca_ask(command, "Total Cycles:", NULL) / ITERATIONS;
    if (file >= 0) unlink(path);
    return cycles;
}

double mca_cycles(const struct mca *m, const char *cpu, const struct explained *x)
{
    const double worth_asking = 0.02;
    double sum = 0;
    if (!m->program[0]) return NAN;
    for (size_t k = 0; k < x->loop_count; k++)
        if (x->loops[k].head && x->loops[k].share >= worth_asking)
            sum += mca_loop_cycles(m, cpu, &x->loops[k], &x->code) * (double)x->loops[k].passes;
    return sum > 0 ? sum : NAN;
}
