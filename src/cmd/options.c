#include "cmd/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FLAG, TEXT, COUNT, SEED, REAL, TEXTS, TEXT_LIST, SIZE_LIST };

static const struct option_spec {
    const char *name;
    enum kind kind;
    size_t field; /* offset in struct options */
    const char *argument, *help;
    const char *commands; /* " a b " or NULL: all */
} specs[] = {
#define FIELD(f) offsetof(struct options, f)
    {"filter", TEXTS, FIELD(filters), "EXPR",
     "only variants that match: space-separated terms, KEY=V[,V] (op, algorithm, dtype, isa, cc, "
     "policy) or a regex on the id; repeatable",
     NULL},
    {"out", TEXT, FIELD(out), "DIR", "folder of the result files (default: results/<cpu>)", NULL},
    {"seed", SEED, FIELD(seed), "N", "seed of inputs and of the order of cells (default 1)", NULL},
    {"threads", COUNT, FIELD(threads), "N", "threads (default: one per core of the cpuset)", NULL},
    {"hide-isa", TEXT, FIELD(hide_isa), "LIST",
     "behave as on a machine without these ISAs (avx512, avx512fp16, avx512vbmi, avx2)", NULL},
    {"json", FLAG, FIELD(json), NULL, "one JSON document on stdout, nothing else there", NULL},
    {"quiet", FLAG, FIELD(quiet), NULL, "no progress, no summary", NULL},
    {"help", FLAG, FIELD(help), NULL, "this text", NULL},
    {"n", SIZE_LIST, FIELD(n), "LIST", "row lengths, e.g. 1,64,4096",
     " accuracy bench diverge search "},
    {"rows", SIZE_LIST, FIELD(rows), "LIST", "numbers of rows", " bench "},
    {"family", TEXT_LIST, FIELD(families), "LIST",
     "input families: normal uniform logits attention offset onehot constant alternating tiny wide "
     "sorted; accuracy: also adversarial, what search found",
     " accuracy bench diverge "},
    {"shapes", TEXT_LIST, FIELD(shapes), "LIST",
     "default, small, cache, memory, huge, models or ROWSxN; run: on top of its own, for what may "
     "win there (with --peers 'default' unless told otherwise)",
     " bench run "},
    {"samples", COUNT, FIELD(samples), "N",
     "accuracy, diverge: elements per cell; bench: samples per process",
     " accuracy bench diverge "},
    {"processes", COUNT, FIELD(processes), "R", "fresh processes, the sampling unit", " bench "},
    {"peers", FLAG, FIELD(peers), NULL,
     "the libraries that 'make peers' built, too (oneDNN, XNNPACK, PyTorch)",
     " run accuracy bench "},
    {"input", TEXT, FIELD(input), "FILE.npy",
     "your own rows instead of the families (fp32, 1-D or 2-D)", " accuracy "},
    {"box", TEXT, FIELD(box), "LO,HI",
     "every value in [LO, HI] (default -8,8; logsumexp: -9,-6.5; moments: 8,16; log, log2: "
     "0x1p-10,8)",
     " search "},
    {"seconds", COUNT, FIELD(seconds), "S",
     "time for all variants together, half of it for random rows (default 20)", " search "},
    {"evaluations", COUNT, FIELD(evaluations), "E",
     "instead of a time: rows per variant; two runs agree bit for bit", " search "},
    {"range", TEXT, FIELD(range), "LO,HI", "only the inputs in [LO, HI]", " scan "},
    {"variant", TEXT, FIELD(variant), "ID", "the variant to run, an id of 'ulplab list'", " eval "},
    {"in", TEXT, FIELD(in), "X.npy", "input: fp32 or fp16, C order, 1-D or 2-D", " eval identify "},
    {"got", TEXT, FIELD(got), "Y.npy", "what some other binary made of it (fp32 or fp16)",
     " identify "},
    {"stat", TEXT, FIELD(stat), "NAME",
     "--got has one value per row: mean or variance of moments, mean or rstd of layernorm",
     " identify "},
    {"param", TEXTS, FIELD(params), "NAME=VALUE",
     "a parameter: scale=, eps=, log=1, gamma=FILE.npy, beta=FILE.npy; repeatable",
     " eval identify accuracy bench "},
    {"stats", FLAG, FIELD(stats), NULL, "layernorm: write (mean, rstd) of each row instead",
     " eval "},
    {"timeout", COUNT, FIELD(timeout), "SECONDS", "give the kernel up after so long (default 600)",
     " eval "},
    {"quick", FLAG, FIELD(quick), NULL, "a look, in under a minute", " run case "},
    {"full", FLAG, FIELD(full), NULL, "every cell, for hours", " run case "},
    {"resume", FLAG, FIELD(resume), NULL, "go on where an interrupted run or scan ended",
     " run scan "},
    {"force", FLAG, FIELD(force), NULL, "scan again what is kept of the same machine code",
     " scan "},
    {"format", TEXT, FIELD(format), "FORMAT",
     "report: md (default) or html; export: jsonl (default), csv or gbench", " report export "},
    {"by", TEXT, FIELD(by), "AXIS",
     "what is compared: isa, policy or cc (values of one folder), cpu or commit (folders)",
     " compare "},
    {"threshold", REAL, FIELD(threshold), "PCT",
     "exit 1 where a cell is slower by more than PCT %, the test agreeing; differences up to it "
     "are 'same' (default: 2, and no gate)",
     " compare "},
    {"max-ulp", REAL, FIELD(max_ulp), "X",
     "only kernels whose largest error is at most X ULP, and policies under which every "
     "operation has one",
     " policy "},
    {"require", TEXT_LIST, FIELD(require), "LIST",
     "only kernels, and so policies, with these: isa-stable, cc-stable, tail-stable, thread-stable "
     "(equal bits), "
     "invariant (all of them)",
     " policy "},
    {"no-broken-cases", FLAG, FIELD(no_broken_cases), NULL,
     "only policies under which no case study breaks", " policy "},
    {"emit", TEXT, FIELD(emit), "FORMAT",
     "print what to paste into a build instead: make, cmake, meson or json", " policy "},
#undef FIELD
};
enum { SPECS = sizeof specs / sizeof *specs };

static bool applies(const struct option_spec *s, const struct command *c)
{
    if (!s->commands) return true;
    char word[40];
    snprintf(word, sizeof word, " %s ", c ? c->name : "");
    return c && strstr(s->commands, word);
}

/* What an option can be, where that is a choice: for completion. */
static const struct {
    const char *option, *values;
} choices[] = {
    {"hide-isa", "avx512 avx512fp16 avx2"},
    {"family",
     "normal uniform logits attention offset onehot constant alternating tiny wide sorted"},
    {"shapes", "default small cache memory huge models"},
    {"stat", "mean variance rstd"},
    {"param", "scale= eps= log= gamma= beta="},
    {"format", "md html jsonl csv gbench"},
    {"by", "isa policy cc cpu commit"},
    {"require", "isa-stable cc-stable tail-stable thread-stable invariant"},
    {"emit", "make cmake meson json"},
};

static const char *values_of(const char *option)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (!strcmp(choices[i].option, option)) return choices[i].values;
    return NULL;
}

size_t options_count(void)
{
    return SPECS;
}

bool options_text(size_t i, const struct command *command, struct option_text *text)
{
    const struct option_spec *s = &specs[i];
    *text = (struct option_text){s->name, s->argument, s->help, values_of(s->name), !s->commands};
    return applies(s, command);
}

static int parse_number(const char *name, const char *text, size_t length, unsigned long long max,
                        unsigned long long *value, struct error *e)
{
    char copy[32] = "", *end = copy;
    if (length < sizeof copy && length > 0 && isdigit((unsigned char)text[0])) {
        memcpy(copy, text, length);
        *value = strtoull(copy, &end, 0);
    }
    if (end == copy || *end || *value > max)
        return fail(e, EXIT_USAGE, "--%s: '%.*s': not a whole number from 0 to %llu; see --help",
                    name, (int)length, text, max);
    return 0;
}

/* "5", "2.5" or "5%". */
static int parse_real(const char *name, const char *text, struct real *real, struct error *e)
{
    char *end;
    double value = strtod(text, &end);
    bool whole = end != text && (!*end || !strcmp(end, "%"));
    if (!whole || !(value >= 0 && value <= 1e9) || !isdigit((unsigned char)text[0]))
        return fail(e, EXIT_USAGE, "--%s: '%s': not a number from 0 on; see --help", name, text);
    *real = (struct real){.given = true, .value = value};
    return 0;
}

static int parse_list(const struct option_spec *s, const char *text, void *field, struct error *e)
{
    struct sizes *sizes = field;
    struct strings *strings = field;
    size_t *count = s->kind == SIZE_LIST ? &sizes->count : &strings->count;
    while (*text) {
        size_t length = strcspn(text, ",");
        if (*count == LIST_MAX)
            return fail(e, EXIT_USAGE, "--%s: more than %d values; give fewer", s->name, LIST_MAX);
        if (s->kind == SIZE_LIST) {
            unsigned long long value = 0;
            int code = parse_number(s->name, text, length, 1ull << 32, &value, e);
            if (code) return code;
            sizes->items[(*count)++] = (size_t)value;
        } else {
            strings->items[(*count)++] = strndup(text, length);
        }
        text += length + (text[length] == ',');
    }
    return 0;
}

void options_free(struct options *o)
{
    for (size_t i = 0; i < SPECS; i++) {
        struct strings *list = (void *)((char *)o + specs[i].field);
        for (size_t k = 0; specs[i].kind == TEXT_LIST && k < list->count; k++)
            free((char *)(uintptr_t)list->items[k]);
    }
}

static int set(const struct option_spec *s, const char *text, struct options *o, struct error *e)
{
    void *field = (char *)o + s->field;
    unsigned long long value = 0;
    int code = 0;
    switch (s->kind) {
    case FLAG:
        *(bool *)field = true;
        return 0;
    case TEXT:
        *(const char **)field = text;
        return 0;
    case REAL:
        return parse_real(s->name, text, field, e);
    case SEED:
        code = parse_number(s->name, text, strlen(text), UINT64_MAX, &value, e);
        *(uint64_t *)field = value;
        return code;
    case COUNT:
        code = parse_number(s->name, text, strlen(text), 1u << 30, &value, e);
        if (!code && !value)
            return fail(e, EXIT_USAGE, "--%s: 0: want at least 1; see --help", s->name);
        if (s->field == offsetof(struct options, threads))
            *(int *)field = (int)value;
        else
            *(size_t *)field = (size_t)value;
        return code;
    case TEXTS: {
        struct strings *list = field;
        if (list->count == LIST_MAX)
            return fail(e, EXIT_USAGE, "--%s: given more than %d times; give fewer", s->name,
                        LIST_MAX);
        list->items[list->count++] = text;
        return 0;
    }
    case TEXT_LIST:
    case SIZE_LIST:
        return parse_list(s, text, field, e);
    }
    return 0;
}

int options_parse(int argc, char **argv, const struct command *command, struct options *o,
                  struct error *e)
{
    struct option longs[SPECS + 1] = {0};
    int to_spec[SPECS], count = 0;
    *o = (struct options){.seed = 1};
    for (int i = 0; i < SPECS; i++)
        if (applies(&specs[i], command)) {
            to_spec[count] = i;
            longs[count++] = (struct option){specs[i].name, specs[i].kind != FLAG, NULL, 0};
        }
    optind = 2;
    opterr = 0;
    for (int c, index = -1; (c = getopt_long(argc, argv, "-:h", longs, &index)) != -1;) {
        int code = 0;
        if (c == 'h')
            o->help = true;
        else if (c == 1 && o->positional.count < LIST_MAX)
            o->positional.items[o->positional.count++] = optarg;
        else if (c != 0)
            return fail(e, EXIT_USAGE, "%s: %s: %s; see 'ulplab %s --help'", command->name,
                        argv[optind - 1],
                        c == ':' ? "wants a value" : "unknown or ambiguous option", command->name);
        else
            code = set(&specs[to_spec[index]], optarg, o, e);
        if (code) return code;
    }
    while (optind < argc && o->positional.count < LIST_MAX)
        o->positional.items[o->positional.count++] = argv[optind++];
    return 0;
}

/* Wraps help text at 80 columns behind a margin. */
static void print_wrapped(const char *text, size_t margin)
{
    size_t column = margin;
    while (*text) {
        size_t word = strcspn(text, " ");
        bool first = column == margin;
        if (!first && column + 1 + word > 79) {
            printf("\n%*s", (int)margin, "");
            column = margin;
            first = true;
        }
        column += (size_t)printf("%s%.*s", first ? "" : " ", (int)word, text);
        text += word + (text[word] == ' ');
    }
    putchar('\n');
}

void options_help(const struct command *command)
{
    enum { MARGIN = 24 };
    if (command) {
        printf("usage: ulplab %s %s[options]\n\n", command->name, command->arguments);
        print_wrapped(command->summary, 0);
        puts("\noptions:");
    } else {
        puts("usage: ulplab COMMAND [options]\n\n"
             "Which compiler, floating-point policy and algorithm should ship on this CPU,\n"
             "and what does it cost in speed, in ULP, in reproducibility?\n\ncommands:");
        for (const struct command *c = commands; c->name; c++) {
            printf("  %-12s  ", c->name);
            print_wrapped(c->summary, 16);
        }
        puts("\noptions of every command:");
    }
    for (size_t i = 0; i < SPECS; i++) {
        if (!applies(&specs[i], command)) continue;
        char left[64];
        snprintf(left, sizeof left, "--%s %s", specs[i].name,
                 specs[i].argument ? specs[i].argument : "");
        printf("  %-*s", MARGIN - 2, left);
        print_wrapped(specs[i].help, MARGIN);
    }
    printf("\nexample:\n  %s\n",
           command ? command->example : "ulplab run && ulplab accuracy --help");
    if (!command)
        puts("\nexit codes: 0 done, 1 a gate fell, 2 usage, 3 partial, 4 bad input,\n"
             "130/143 interrupted");
}
