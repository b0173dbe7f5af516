// SPDX-License-Identifier: MIT
/* The Makefile's promises: adding a kernel of any kind takes one file, an object depends on its
 * exact command line, a policy is one word on the command line, no policy flag reaches a link line,
 * and a build shows its progress. The test builds two small trees: this one with a single kernel,
 * and a scratch tree with this one's rules and vocabulary and kernels of its own. Both use this
 * build's lab. */
// test: 116 s of a core
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "facts.h"
#include "scratch.h"
#include "test.h"

/* Commands are lines of shell in which $T is the folder, $LAB the shared lab. */
static int set_up(void **state)
{
    char lab[64];
    if (scratch_open(state)) return -1;
    snprintf(lab, sizeof lab, "%s/lab", scratch);
    setenv("T", scratch, 1);
    setenv("LAB", lab, 1);
    /* What an outer make passes down (a jobserver, SAN=1) is not for the makes in here. */
    static const char *const passed[] = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES",
                                         "MAKE_TERMERR"};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) unsetenv(passed[i]);
#ifdef __SANITIZE_ADDRESS__
    return 0; /* the small trees build without sanitizers, and so a lab of their own */
#else
    /* The shared lab is linked to, as make takes no LAB whose path has a space. */
    return system("ln -s \"$(realpath \"${BUILD:-build}\")\" $LAB");
#endif
}

/* ---- Objects depend on their command lines --------------------------------------------------- */

/* This tree with one kernel. */
#define ONE_KERNEL                                                                                 \
    "make -s $T/axes/ulplab BUILD=$T/axes LAB=$LAB SAN= ISAS=avx2 STORED_POLICIES= KERNELS= "      \
    "kernel_sources=simd/moments/moments_twopass.c CCS=$(scripts/compilers | head -n 1) "

static struct timespec changed(const char *policy)
{
    char command[256], path[256] = "";
    snprintf(command, sizeof command, "ls $T/axes/obj/*/avx2/%s/moments_twopass.o", policy);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    assert_int_equal(fscanf(in, "%255s", path), 1);
    pclose(in);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mtim;
}

static bool same(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

#define OFF_AND_MINE(flags) ONE_KERNEL "POLICIES='off mine' policy.mine='" flags "' >$T/out 2>&1"

TEST(editing_a_policy_rebuilds_its_objects_alone)
{
    must(OFF_AND_MINE("-ffp-contract=fast"));
    struct timespec off = changed("off"), mine = changed("mine");
    must(OFF_AND_MINE("-ffp-contract=fast"));
    assert_true(same(mine, changed("mine")));
    must(OFF_AND_MINE("-ffp-contract=fast -mtune=znver3"));
    assert_true(same(off, changed("off")));
    assert_false(same(mine, changed("mine")));
}

/* Asks make which objects of moments/twopass under `off` it would compile. */
#define WOULD_COMPILE(more, count)                                                                 \
    ONE_KERNEL                                                                                     \
    "-n progress= POLICIES='off mine' policy.mine=-ffp-contract=fast " more                        \
    " >$T/plan && test $(grep -c 'compile-kernel.*off/moments_twopass.o' $T/plan) = " count

/* From three kernels on, a regime has a precompiled header, and the kernels that were there are
 * compiled anew with it. */
TEST(a_header_that_is_precompiled_rebuilds_its_kernels)
{
    must(OFF_AND_MINE("-ffp-contract=fast"));
    must(WOULD_COMPILE("", "0"));
    must(WOULD_COMPILE("kernel_sources='simd/moments/moments_twopass.c "
                       "simd/moments/moments_plain.c'",
                       "1"));
    must("grep -q 'include .*/off/pre.h' $T/plan");
}

/* A compiler that is replaced by one of the same version may have other flags. */
TEST(a_compiler_that_is_replaced_rebuilds_its_objects)
{
    must("mkdir -p $T/bin $T/replaced && printf '#!/bin/sh\\nexec gcc \"$@\"\\n' "
         ">$T/bin/gcc-mine && chmod +x $T/bin/gcc-mine");
#define REPLACED(more)                                                                             \
    "PATH=$T/bin:$PATH make -s BUILD=$T/replaced LAB=$T/replaced SAN= ISAS=avx2 POLICIES=off "     \
    "STORED_POLICIES= KERNELS= CCS=gcc-mine kernel_sources=simd/moments/moments_twopass.c "        \
    "progress= $T/replaced/obj/gcc-mine/avx2/off/moments_twopass.o " more " >$T/plan 2>&1"
    must(REPLACED(""));
    must(REPLACED("-n") " && ! grep -q compile-kernel $T/plan");
    must("sed -i 's/gcc/gcc -fno-inline/' $T/bin/gcc-mine && " REPLACED(
        "-n") " && grep -q compile-kernel $T/plan");
}

/* Another file of the same name is another kernel, however old it is. */
TEST(another_file_of_the_name_is_compiled)
{
    must("mkdir -p $T/a $T/b && cp scripts/examples/dot_plain.c $T/a/dot_mine.c && "
         "cp scripts/examples/dot_plain.c $T/b/dot_mine.c && "
         "touch -d '1 day ago' $T/b/dot_mine.c");
#define NAMED(file, more)                                                                          \
    "make -s BUILD=$T/named LAB=$LAB SAN= ISAS=avx2 POLICIES=off STORED_POLICIES= progress= "      \
    "CCS=gcc KERNELS=" file " kernel_sources=" file " $T/named/obj/gcc/avx2/off/dot_mine.o " more  \
    " >$T/plan 2>&1"
    must(NAMED("$T/a/dot_mine.c", ""));
    must(NAMED("$T/a/dot_mine.c", "-n") " && ! grep -q compile-kernel $T/plan");
    must(NAMED("$T/b/dot_mine.c", "") " && grep -q ' -c '$T/b/dot_mine.c "
                                      "$T/named/obj/gcc/avx2/off/dot_mine.o.cmd");
    /* The first one is gone, and nobody misses it. */
    must("rm $T/a/dot_mine.c && " NAMED("$T/b/dot_mine.c", ""));
}

TEST(a_policy_of_ones_own_is_listed)
{
    must(OFF_AND_MINE("-ffp-contract=fast"));
    must("$T/axes/ulplab list --filter 'op=moments algorithm=twopass policy=mine' "
         "| grep -q 'policy=mine *\\(ok\\|skipped\\)'");
}

TEST(a_policy_that_needs_another_isa_is_skipped_without_it)
{
    static const char kernel[] = "#include <immintrin.h>\n#include \"kernel.h\"\n"
                                 "static void run(const struct job *j)\n{\n"
                                 "    for (size_t i = 0; i < j->n; i++) {\n#ifdef __AVX512F__\n"
                                 "        _mm512_storeu_ps(j->scratch, _mm512_set1_ps(1));\n"
                                 "#endif\n        ((float *)j->y)[i] = j->scratch[0];\n    }\n}\n"
                                 "const struct kernel KERNEL = {.op = \"exp\", .algorithm = "
                                 "\"policy\", .dtype = \"f32\", .run = run};\n";
    scratch_write("exp_policy.c", kernel);
    must("make -s BUILD=$T/needs LAB=$LAB SAN= ISAS=avx2 STORED_POLICIES= "
         "KERNELS=$T/exp_policy.c "
         "kernel_sources=$T/exp_policy.c CCS=$(scripts/compilers | head -n 1) "
         "POLICIES='off mine' policy.mine=-march=x86-64-v4 $T/needs/ulplab >$T/out 2>&1 && "
         "$T/needs/ulplab list --hide-isa avx512 --filter op=exp >$T/list && "
         "grep -q 'policy=off *ok' $T/list && grep -q 'policy=mine *skipped.*avx512' $T/list && "
         "$T/needs/ulplab codegen --json --filter 'op=exp policy=mine' | grep -q '\"zmm\": "
         "[1-9]'");
}

/* A user's kernel may need an include folder from the environment, a macro, a second file, or
 * intrinsics that one ISA lacks: it is rebuilt when one of them is added, and the error says what
 * is missing. */
TEST(what_a_kernel_needs_besides)
{
    must("mkdir -p $T/own/inc && cd $T/own && echo 'float helper(float x);' >inc/needy.h && "
         "echo 'float helper(float x) { return x * TWICE; }' >helper.c && "
         "printf '%s\n' '#include <needy.h>' '#include <immintrin.h>' '#include \"kernel.h\"' "
         "'static void run(const struct job *j)' '{' "
         "'    _mm256_storeu_si256((void *)j->scratch, "
         "_mm256_add_epi32(_mm256_set1_epi32((int)helper(TWICE)), _mm256_set1_epi32(1)));' "
         "'    for (size_t i = 0; i < j->n; i++) ((float *)j->y)[i] = j->scratch[i % 8];' '}' "
         "'const struct kernel KERNEL = {.op = \"exp\", .algorithm = \"needy\", "
         ".dtype = \"f32\", .run = run};' >exp_needy.c");
#define NEEDY(environment, more)                                                                   \
    environment " make -s BUILD=$T/needy LAB=$LAB SAN= ISAS='scalar avx2' STORED_POLICIES= "       \
                "POLICIES=off KERNELS=$T/own/exp_needy.c kernel_sources=$T/own/exp_needy.c "       \
                "CCS=$(scripts/compilers | head -n 1) " more " $T/needy/ulplab >$T/out 2>&1; "     \
                "$T/needy/ulplab list --filter op=exp >$T/list; "
    must(NEEDY("", "") "grep -q 'isa=avx2.*unbuilt.*needy.h' $T/list");
    must(NEEDY("CPATH=$T/own/inc",
               "flags.exp_needy=-DTWICE=2") "grep -q 'isa=avx2.*unbuilt.*no library "
                                            "of the lab has: helper' $T/list && "
                                            "grep -q 'isa=scalar.*unbuilt.*// "
                                            "build: isas=avx2,avx512' $T/list");
    must(NEEDY("CPATH=$T/own/inc",
               "flags.exp_needy=-DTWICE=2 also.exp_needy=$T/own/helper.c") "grep -q 'isa=avx2.* "
                                                                           "\\(ok\\|skipped\\)' "
                                                                           "$T/list");
}

/* A compiler with so long a name would give records that cannot be read. */
TEST(a_compiler_of_a_long_name_is_refused)
{
    must("ln -sf $(command -v gcc) $T/gcc-of-a-name-with-more-than-thirty-nine-letters && "
         "! PATH=$T:$PATH make -s $T/long/ulplab BUILD=$T/long LAB=$LAB SAN= ISAS=avx2 "
         "STORED_POLICIES= KERNELS= POLICIES=off kernel_sources=simd/moments/moments_twopass.c "
         "CCS=gcc-of-a-name-with-more-than-thirty-nine-letters >$T/out 2>&1 && "
         "grep -q 'more than 39 characters' $T/out");
}

TEST(an_unknown_policy_is_one_clear_line)
{
    must(ONE_KERNEL "-n POLICIES=nonesuch 2>&1 | grep -q \"policy 'nonesuch' is unknown\"");
}

TEST(no_policy_flag_reaches_a_link_line)
{
    must(ONE_KERNEL "-n -W simd/moments/moments_twopass.c POLICIES='off fastmath' "
                    "| grep -- \"-o $T/axes/ulplab$\" >$T/link-line");
    must("grep -q . $T/link-line");
    assert_int_not_equal(
        system("grep -qE 'fast-math|Ofast|unsafe-math|contract=fast' $T/link-line"), 0);
}

/* ---- A kernel is one file -------------------------------------------------------------------- */

enum { ISAS = 5, POLICIES = 2 };
static const char *const isas[ISAS] = {"scalar", "avx2", "avx512", "avx512vbmi", "avx512fp16"};
static const char *const policies[POLICIES] = {"off", "on"};

/* A new file of each kind: a copy of a kernel under another name with its own `// build:` line. The
 * bits, in the order above, are the ISAs and policies that `list` must show for it. */
static const struct kind {
    const char *from, *algorithm, *file, *line;
    const char *op, *dtype;
    unsigned in_isas, in_policies;
} kinds[] = {
    {"simd/moments/moments_plain.c", "plain", "simd/moments/moments_newplain.c", "", "moments",
     "f32", 7, 3},
    {"simd/functions/exp_own.c", "own", "simd/functions/exp_newnarrow.c",
     "isas=avx2,avx512 policies=off", "exp", "f32", 6, 1},
    {"simd/moments/moments_twopass.c", "twopass", "simd/moments/moments_newstored.c",
     "stored=bf16,f16", "moments", "f32", 7, 3},
    {NULL, NULL, "simd/moments/moments_newstored.c", NULL, "moments", "bf16", 7, 1},
    {NULL, NULL, "simd/moments/moments_newstored.c", NULL, "moments", "f16", 7, 1},
    {"simd/studies/logsumexp_halfnaive.c", "halfnaive", "simd/studies/logsumexp_newhalf.c",
     "isas=avx512,avx512fp16 policies=off", "logsumexp", "f16", 4 | 16, 1},
    {"simd/studies/logsumexp_brainnaive.c", "brainnaive", "simd/studies/logsumexp_newbrain.c",
     "isas=avx2,avx512 policies=on", "logsumexp", "bf16", 6, 2},
    {"simd/studies/int8sigmoid_lookup.c", "lookup", "simd/studies/int8sigmoid_newlookup.c",
     "isas=avx2,avx512vbmi policies=off", "int8sigmoid", "i8", 2 | 8, 1},
    {"simd/invariant/moments_invariant.c", "invariant", "simd/invariant/moments_invariant.c",
     "isas=avx2", "moments", "f32", 2, 3},
    {"simd/invariant/moments_best.c", "best", "simd/invariant/moments_newbest.c",
     "isas=avx2 policies=off", "moments", "f32", 2, 1},
    {"simd/moments/moments_eigen.cc", "eigen", "simd/moments/moments_neweigen.cc",
     "isas=avx2 policies=off needs=eigen", "moments", "f32", 2, 1},
    {NULL, NULL, "simd/libraries/exp_newrow.c", NULL, "exp", "f32", 7, 1},
    {"simd/studies/litmus_maskedtail.c", "maskedtail", "simd/studies/litmus_newlitmus.c",
     "isas=avx512", "litmus", "f32", 4, 3},
    {"scripts/examples/dot_plain.c", "plain", "elsewhere/dot_newown.c", "isas=scalar policies=on",
     "dot", "f32", 1, 2},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The new algorithm's name is the last part of the file's name. */
static const char *algorithm_of(const struct kind *k)
{
    static char name[64];
    const char *from = strrchr(k->file, '_') + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(from, "."), from);
    return name;
}

/* A tree with this one's rules, vocabulary and lab, whose only kernels are the new files. */
static void make_tree(void)
{
    must("mkdir -p $T/tree/elsewhere && cp -r simd $T/tree && "
         "rm $T/tree/simd/*/*_*.c $T/tree/simd/*/*.cc && "
         "printf '%s\\n' 'library newrow sleef_vec.h sleef_%' 'exp newrow off 1.0 -' "
         ">$T/tree/simd/libraries/functions && "
         "for f in Makefile scripts include src litmus tests; do "
         "ln -s \"$PWD/$f\" $T/tree; done");
    for (size_t i = 0; i < KINDS; i++) {
        const struct kind *k = &kinds[i];
        if (!k->from) continue;
        must_format("{ test -z '%s' || echo '// build: %s'; "
                    "sed -e '/^\\/\\/ build:/d' -e 's/\"%s\"/\"%s\"/' %s; } >$T/tree/%s",
                    k->line, k->line, k->algorithm, algorithm_of(k), k->from, k->file);
    }
}

/* The compilers that support the last ISA as well. */
#define WHOLE                                                                                      \
    "for c in $(scripts/compilers); do "                                                           \
    "echo | $c -mavx512fp16 -E - >/dev/null 2>&1 && echo $c; done"
#define IN_TREE                                                                                    \
    "cd $T/tree && make $T/tree/build/ulplab BUILD=$T/tree/build LAB=$LAB SAN= "                   \
    "POLICIES='off on' STORED_POLICIES=off KERNELS=elsewhere/dot_newown.c CCS=$({ " WHOLE          \
    "; scripts/compilers; } | head -n 1) "

static json_t *listed(void)
{
    FILE *in = popen("$T/tree/build/ulplab list --json", "r");
    assert_non_null(in);
    json_t *document = json_loadf(in, 0, NULL);
    pclose(in);
    assert_non_null(document);
    return document;
}

static size_t count_of(json_t *variants, const struct kind *k, const char *isa, const char *policy)
{
    char row[300];
    snprintf(row, sizeof row, "op=%s algorithm=%s dtype=%s isa=%s policy=%s", k->op,
             algorithm_of(k), k->dtype, isa, policy);
    assert_int_equal(fact_count(variants, "%s status=unbuilt", row), 0);
    return fact_count(variants, "%s", row);
}

TEST(any_kernel_is_one_file)
{
    make_tree();
    if (system(IN_TREE ">$T/out 2>&1") != 0) {
        system("tail -n 30 $T/out");
        fail_msg("the scratch tree cannot be built");
    }
    json_t *document = listed(), *variants = json_object_get(document, "variants");
    const size_t known = system("test -n \"$(" WHOLE ")\"") ? ISAS - 1 : ISAS;
    for (size_t i = 0; i < KINDS; i++)
        for (size_t isa = 0; isa < known; isa++)
            for (size_t p = 0; p < POLICIES; p++) {
                size_t want = (kinds[i].in_isas >> isa & 1) && (kinds[i].in_policies >> p & 1);
                size_t count = count_of(variants, &kinds[i], isas[isa], policies[p]);
                if (count != want)
                    print_error("%s as %s, %s, %s: %zu times\n", kinds[i].file, kinds[i].dtype,
                                isas[isa], policies[p], count);
                assert_int_equal(count, want);
            }
    json_decref(document);
}

/* ---- What the commands find in users' kernels ------------------------------------------------ */

#define USER "tests/user/scaled_quotient.c tests/user/affine_short.c tests/user/affine_lossy.c"

static json_t *user_says(const char *words)
{
    char command[400];
    snprintf(command, sizeof command, "cd $T && user/ulplab %s --json >user.json", words);
    must("make -s $T/user/ulplab BUILD=$T/user LAB=$LAB SAN= ISAS=avx2 "
         "STORED_POLICIES= progress= POLICIES='off fast fastmath' kernel_sources='" USER
         "' KERNELS='" USER "' >$T/user.out 2>&1");
    must(command);
    json_t *document = json_load_file(scratch_path("user.json"), 0, NULL);
    assert_non_null(document);
    return document;
}

/* A quotient between product and sum leaves nothing to fuse, so no FMA is expected there; compilers
 * that may reassociate make FMAs of the quotient itself. */
TEST(no_fma_is_expected_around_a_quotient)
{
    json_t *document = user_says("codegen --filter algorithm=quotient"), *row;
    size_t i;
    assert_true(json_array_size(json_object_get(document, "variants")) >= 3); /* one per policy */
    json_array_foreach(json_object_get(document, "variants"), i, row)
    {
        if (fact_holds(row, "status!=skipped", 0)) assert_facts(row, "consistent=true");
    }
    json_decref(document);
}

/* diverge finds builds that differ only in rows shorter than a vector. */
TEST(divergence_in_short_rows_is_found)
{
    json_t *document = user_says("diverge --filter 'algorithm=short policy=off,fast'");
    if (!fact_at(document, "meanings.0")) skip(); /* no AVX2 on this CPU */
    assert_facts(document, "meanings.0.classes=2");
    json_decref(document);
}

/* The only input of a range is lost: the scan reports its place, and no error in ulp. */
TEST(a_range_of_one_lost_result)
{
    json_t *document =
        user_says("scan affine --out $T --filter 'algorithm=lossy policy=off' --range 1,1");
    const json_t *row = json_array_get(json_object_get(document, "rows"), 0);
    if (fact_holds(row, "status=skipped", 0)) skip(); /* no AVX2 on this CPU */
    assert_facts(row, "evaluated=1 lost=1 lost_at=0x1p+0 max_ulp=null verdict=measured");
    must("cd $T && user/ulplab scan affine --out $T --filter 'algorithm=lossy policy=off' "
         "--range 1,1 | grep -q 'off *inf *1 *0x1p+0 .* 100.0000 *100.0000 .* measured'");
    json_decref(document);
}

/* A kernel in C++ whose library's header is missing is not compiled; the message says what to
 * install. */
TEST(a_kernel_without_its_library_is_skipped)
{
    must("make -s BUILD=$T/without LAB=$LAB SAN= ISAS=avx2 STORED_POLICIES= "
         "KERNELS= POLICIES=off "
         "CCS=gcc file.highway=none kernel_sources=$T/without/simd/libraries/exp_highway.cc "
         "$T/without/ulplab >$T/skips 2>&1 && "
         "$T/without/ulplab list --filter algorithm=highway | "
         "grep -q 'skipped: needs libhwy-dev; .make peers. installs it'");
}

/* If the compiler says that `on` and `off` mean the same, one object serves both: a copy whose
 * command is that of `off`. */
TEST(policies_that_mean_the_same_are_compiled_once)
{
    must("cd $T/tree/build/obj/*/avx2 && read -r cc _ <off/flags && rm -f $T/meanings && "
         "for p in off on; do scripts=$T/tree/scripts; "
         "$scripts/compiler-options $T/meanings \"$cc -O3 -ffp-contract=$p # \"; done && "
         "flag=contract=$(test $(cut -d ' ' -f 1 $T/meanings | sort -u | wc -l) = 1 && echo off "
         "|| echo on) && ! grep -q '^- ' $T/meanings && "
         "grep -q $flag on/moments_newstored.o.cmd && "
         "readelf -p .GCC.command.line on/moments_newstored.o | grep -q $flag");
}

/* Whatever a policy says about contraction, a kernel that writes its arithmetic out takes the
 * object of the first; the compiler would have made the same code for it. */
TEST(contraction_means_nothing_to_written_out_arithmetic)
{
    must("cd $T/tree/build/obj/*/avx2/on && grep -q contract=on moments_invariant.o.cmd && "
         "readelf -p .GCC.command.line moments_invariant.o | grep -q contract=off");
    must("for command in $LAB/obj/*/avx2/off/exp_invariant.o.cmd; do "
         "$(sed 's/contract=off/contract=fast/; s/ -include[^ ]* [^ ]*//; s/ -MMD.* -c / -c /; "
         "s/ -o .*//' $command) -o $T/fast.o && "
         "objdump -d ${command%.cmd} | sed 1,3d >$T/off.code && "
         "objdump -d $T/fast.o | sed 1,3d >$T/fast.code && sed -i 's/<kernel_.*>//' $T/*.code && "
         "grep -q ret $T/off.code && cmp $T/off.code $T/fast.code || exit 1; done");
}

/* Mistakes in a `// build:` line, and what make's message says. */
static const struct {
    const char *line, *says;
} mistakes[] = {
    {"// build: isas=avx3", "isas=avx3: there is no \"avx3\"; known are: "},
    {"// build: policies=of", "there is no \"of\"; known are: "},
    {"// build: stored=f80", "there is no \"f80\"; known are: bf16 f16 f64"},
    {"// build: polices=off", "no key \"polices\"; the keys are isas, policies, stored"},
    {"//build: isas = avx2", "write KEY=VALUE,VALUE without spaces"},
    {"// build: isas=avx2, avx512", "there is no \"\""},
    {"// build: isas=", "write KEY=VALUE,VALUE"},
    {"// build:", "says nothing"},
    {"// build: policies=off policies=on", "stands there twice"},
};

TEST(an_unknown_word_is_one_clear_line)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char command[1024];
        snprintf(
            command, sizeof command,
            "echo '%s' >$T/my_op.c && ! make -n BUILD=$T/axes LAB=$LAB KERNELS=$T/my_op.c "
            "ISAS=avx2 CCS=gcc >$T/told 2>&1 && grep -F \"$T/my_op.c:1: // build: \" $T/told | "
            "grep -qF '%s' && "
            "test $(wc -l <$T/told) = 1",
            mistakes[i].line, mistakes[i].says);
        if (system(command) != 0) {
            system("cat $T/told");
            fail_msg("%s: make does not say: %s", mistakes[i].line, mistakes[i].says);
        }
    }
}

/* ---- A run builds what it asks for ----------------------------------------------------------- */

/* Builds two kernels under two policies, as `make run` does. */
#define ASKED                                                                                      \
    "make -s SCOPE=asked BUILD=$T/asked LAB=$LAB SAN= ISAS=avx2 STORED_POLICIES= KERNELS= "        \
    "POLICIES='off fast' kernel_sources='simd/moments/moments_twopass.c "                          \
    "simd/functions/tanh_own.c' "                                                                  \
    "CCS=$(scripts/compilers | head -n 1) $T/asked/ulplab >$T/asked.out 2>&1"
#define LACKING(options) "$T/asked/ulplab run --lacking " options " >$T/lacking"
#define LISTED(filter, count)                                                                      \
    "$T/asked/ulplab list --filter '" filter                                                       \
    "' >$T/listed; test $(grep -c ' ok$' $T/listed) = " count

TEST(a_run_builds_what_it_asks_for)
{
    /* At first nothing was asked for. */
    must(ASKED);
    must("$T/asked/ulplab list --filter op=moments 2>&1 | grep -q 'not built'");
    must("$T/asked/ulplab list --json | grep -q "
         "'\"moments/twopass/dtype=f32/isa=avx2/cc=.*policy=off\"'");
    /* A filter asks for the variants that match, a second filter adds to them. */
    must(LACKING("--filter 'op=moments policy=off'") " && test $(grep -c "
                                                     "'off/moments_twopass.o' "
                                                     "$T/lacking) = 1");
    must("! grep -q 'tanh\\|fast/' $T/lacking && "
         "cat $T/lacking >>$T/asked/asked.list && " ASKED);
    must(LISTED("op=moments dtype=f32", "1"));
    /* A default run does not need tanh. */
    must(LACKING("") " && grep -q 'fast/moments_twopass.o' $T/lacking && "
                     "! grep -q tanh $T/lacking");
    must("cat $T/lacking >>$T/asked/asked.list && " ASKED);
    must(LISTED("op=moments dtype=f32", "2") " && " LACKING("") " && ! test -s $T/lacking");
    must(LACKING("--full") " && grep -q tanh $T/lacking");
    /* A second build has nothing to do, and a narrower filter removes nothing. */
    must("cp -p $T/asked/ulplab $T/before && " ASKED " && ! test "
         "$T/asked/ulplab -nt $T/before");
    must("$T/asked/ulplab accuracy --filter op=tanh 2>&1 | "
         "grep -q 'are not built, because'");
}

/* Makes that run at once in one folder read their own settings, and leave whole rules. */
TEST(makes_that_run_at_once_keep_to_their_own)
{
#define AT_ONCE(kernel)                                                                            \
    "make -n $T/once/ulplab SCOPE=here BUILD=$T/once LAB=$LAB SAN= ISAS='scalar avx2' "            \
    "STORED_POLICIES= KERNELS= POLICIES=off progress= CCS=$(scripts/compilers | head -n 1) "       \
    "kernel_sources=simd/functions/" kernel ".c >$T/once." kernel
#define HAS_OWN(kernel)                                                                            \
    "test $(grep -c 'compile-kernel [^ ]*/" kernel ".o ' $T/once." kernel ") = 2 && "
    must("{ " AT_ONCE("tanh_own") " & } ; { " AT_ONCE("erf_own") " & } ; " AT_ONCE(
        "sin_own") "; wait; " HAS_OWN("tanh_own") HAS_OWN("erf_own")
             HAS_OWN("sin_own") "grep -q '^wanted_count := ' $T/once/kernels.mk");
}

/* ---- A build shows its progress -------------------------------------------------------------- */

TEST(progress_counts_what_there_is_to_do)
{
    /* The progress of the tree's build: from one tenth to all of it. Jobs run in parallel, so the
     * lines may come in another order. */
    must("grep '^compiling' $T/out | sort -n -k 2 | tail -n 1 >$T/last; "
         "read -r _ n _ of <$T/last; test \"$n\" -gt 20 && test \"$n\" = \"$of\"");
    must("test $(grep -c '^compiling' $T/out) -le 10");
}

TEST(progress_counts_one_changed_file)
{
    must(IN_TREE ">$T/out 2>&1; ! grep -q '^compiling' $T/out");
    must("touch $T/tree/simd/functions/exp_newnarrow.c; " IN_TREE ">$T/out 2>&1; "
         "test \"$(grep '^compiling' $T/out | sort | tail -n 1)\" = "
         "'compiling 2 of 2'");
}

TEST_GROUP(set_up, scratch_close)
