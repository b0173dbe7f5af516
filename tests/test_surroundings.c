// SPDX-License-Identifier: MIT
/* Unusual environments: a CPU that lacks what the program is compiled for, floating-point modes set
 * before it starts, a small stack, no /proc, a closed pipe, a compiler that prints another
 * language. The program must say what is wrong, or not depend on it. */
// test: 18 s of a core
#include <unistd.h>

#include "base/error.h"
#include "scratch.h"

#include "drive.h"

/* Lines of shell: $ULPLAB is the program and $HERE a folder of the test. */

static void need(const char *line, const char *what)
{
    if (system(line) == 0) return;
    print_message("skipped: no %s here ('make setup' installs it)\n", what);
    skip();
}

static int set_up(void **state)
{
    int code = scratch_open(state);
    setenv("HERE", scratch, 1);
    setenv("ULPLAB", drive_program("ulplab"), 1);
    return code;
}

/* ---- CPUs that lack something ---------------------------------------------------------------- */

static const struct masked {
    const char *cpu, *lacks;
} masked[] = {
    {"qemu64", "sse4.1"},
    {"Nehalem-v1", "avx"},
    {"Haswell-v1,-avx2", "avx2"},
};

TEST(a_cpu_that_lacks_something_is_told)
{
    need("command -v qemu-x86_64 >/dev/null", "qemu-x86_64");
    for (size_t i = 0; i < sizeof masked / sizeof *masked; i++) {
        setenv("EMULATED", masked[i].cpu, 1);
        setenv("LACKS", masked[i].lacks, 1);
        must("qemu-x86_64 -cpu $EMULATED $ULPLAB doctor >$HERE/out 2>/dev/null; [ $? = 1 ]");
        must("grep -q \"^isa *fail *no $LACKS\" $HERE/out && grep -q '^not fit' $HERE/out");
        must("qemu-x86_64 -cpu $EMULATED $ULPLAB accuracy --filter op=moments >$HERE/out "
             "2>$HERE/err; [ $? = 4 ]");
        must("grep -q \"lacks $LACKS: ulplab computes with\" $HERE/err && [ ! -s $HERE/out ]");
        must("qemu-x86_64 -cpu $EMULATED $ULPLAB list --filter op=moments 2>/dev/null >$HERE/out");
        must("grep -q \"isa=scalar.*lacks $LACKS, which\" $HERE/out && ! grep -q ' ok$' $HERE/out");
        must("qemu-x86_64 -cpu $EMULATED $ULPLAB list --json --filter op=moments 2>/dev/null | "
             "grep -q '\"clocks\": null'");
    }
}

TEST(a_cpu_that_lacks_nothing_is_fit)
{
    need("command -v qemu-x86_64 >/dev/null", "qemu-x86_64");
    must("qemu-x86_64 -cpu Haswell-v1 $ULPLAB list --filter 'op=moments isa=avx2' 2>/dev/null | "
         "grep -q ' ok$'");
}

/* ---- Floating-point modes -------------------------------------------------------------------- */

/* A shared object linked with -ffast-math has a constructor that sets FTZ and DAZ. */
TEST(modes_set_before_the_start_change_nothing)
{
    must(
        "printf '%s\\n' '#include <xmmintrin.h>' '__attribute__((constructor)) static void "
        "set(void)' "
        "'{ _mm_setcsr(0x9fc0); unsigned short cw = 0x27f; __asm__(\"fldcw %0\" : : \"m\"(cw)); }' "
        ">$HERE/modes.c && gcc -shared -fPIC $HERE/modes.c -o $HERE/modes.so");
#define TINY "accuracy --json --family tiny --n 33 --filter 'op=softmax algorithm=threepass'"
    must("$ULPLAB " TINY " >$HERE/plain");
    must("LD_PRELOAD=$HERE/modes.so $ULPLAB " TINY " >$HERE/preloaded 2>$HERE/err");
    must("for f in plain preloaded; do sed -n '/\"rows\"/,$p' $HERE/$f >$HERE/$f.rows; done; "
         "[ -s $HERE/plain.rows ] && cmp $HERE/plain.rows $HERE/preloaded.rows");
    must("grep -q 'MXCSR was 0x9fc0 before the start' $HERE/err");
    must("LD_PRELOAD=$HERE/modes.so $ULPLAB doctor | grep -q '^mxcsr *warn *0x9fc0'");
    must("$ULPLAB doctor | grep -q '^mxcsr *ok *0x1f80$'");
}

/* ---- Little room ----------------------------------------------------------------------------- */

TEST(too_little_stack_is_told)
{
    must("ulimit -s 64; $ULPLAB list >/dev/null 2>$HERE/err; [ $? = 4 ]");
    must("grep -q 'not enough stack: 64 KiB' $HERE/err");
    must("ulimit -s 1024; $ULPLAB accuracy --quiet --n 64 --filter 'op=moments algorithm=twopass' "
         ">/dev/null");
}

TEST(a_reader_that_has_seen_enough_is_no_error)
{
    static const char *const commands[] = {
        "list", "list --json", "--help", "export $RUN --format csv", "export $RUN --format gbench"};
    must("set -- results/suite-1/*/; [ -f $1/machine.json ]");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        must_format("set -- results/suite-1/*/; RUN=$1; "
                    "{ $ULPLAB %s; echo $? >$HERE/code; } 2>$HERE/err | head -n 1 >$HERE/out",
                    commands[i]);
        must("[ ! -s $HERE/err ] && [ -s $HERE/out ] && grep -qxE '0|141' $HERE/code");
    }
}

TEST(without_proc_nothing_is_made_up)
{
    need("unshare -m true 2>/dev/null", "unshare");
    must("cp $ULPLAB $HERE/program && unshare -m sh -c 'mount -t tmpfs none /proc && "
         "$HERE/program doctor' >$HERE/out; [ $? -le 1 ]");
    must("grep -q '^memory *note *unknown' $HERE/out && grep -q '^steal *note *unknown' $HERE/out");
}

TEST(a_report_of_a_folder_that_is_read_only_goes_elsewhere)
{
    need("unshare -m true 2>/dev/null", "unshare");
    must("set -- results/suite-1/*/; cp -r $1 $HERE/kept && rm -f $HERE/kept/report.*");
#define READ_ONLY                                                                                  \
    "unshare -m sh -c 'mount --bind $HERE/kept $HERE/kept && mount -o remount,ro,bind $HERE/kept " \
    "&& "
    must("! " READ_ONLY "$ULPLAB report $HERE/kept' >/dev/null 2>$HERE/err");
    must("grep -q 'Read-only.*--out' $HERE/err");
    must(READ_ONLY "$ULPLAB report $HERE/kept --out $HERE/elsewhere' >$HERE/out");
    must("[ -s $HERE/elsewhere/report.md ] && grep -q elsewhere/report.md $HERE/out");
}

/* Where there is no performance counter, no setting of the kernel can be advised that would give
 * one. */
TEST(what_cannot_be_set_is_not_advised)
{
    must("$ULPLAB doctor >$HERE/out; [ $? -le 1 ]");
    need("grep -A 2 '^perf ' $HERE/out | tr '\\n' ' ' | grep -qE 'No such +file|not +supported'",
         "a machine without a PMU");
    must("grep -A 3 '^perf ' $HERE/out | grep -q PMU && "
         "! grep -A 3 '^perf ' $HERE/out | grep -q sysctl");
}

/* ---- The compiler's language ----------------------------------------------------------------- */

TEST(reasons_do_not_depend_on_the_language)
{
    need("printf 'int f( {}\\n' | LC_ALL=C.UTF-8 LANGUAGE=de gcc-12 -x c -c -o /dev/null - 2>&1 | "
         "grep -q Fehler",
         "German gcc-12");
    must("printf '#include \"kernel.h\"\\nint f( {}\\n' >$HERE/broken_one.c");
    must("LC_ALL=C.UTF-8 LANGUAGE=de scripts/compile-kernel $HERE/o/a.o $HERE/broken_one.c "
         "'gcc-12 -Iinclude' -DKERNEL=kernel_a 2>/dev/null; grep -q 'error: expected' "
         "$HERE/o/a.o.log");
    must("LC_ALL=C.UTF-8 LANGUAGE=de scripts/compile-kernel $HERE/o/b.o "
         "simd/moments/moments_twopass.c "
         "'gcc-12 -mavx512nonesuch' -DKERNEL=kernel_b 2>/dev/null; "
         "grep -q '^skipped: gcc-12 does not know -mavx512nonesuch' $HERE/o/b.o.log");
}

/* A vocabulary that is not built leaves an empty precompiled header: clang then reports an error of
 * the header, and not that it is empty. */
TEST(an_empty_precompiled_header_hides_no_reason)
{
    need("command -v clang-14 >/dev/null", "clang-14");
    must("mkdir -p $HERE/o && echo '#error the vocabulary is broken' >$HERE/o/vec.h && "
         "echo '#include \"vec.h\"' >$HERE/o/user.c && "
         ": >$HERE/o/pre.h.gch");
    must("scripts/compile-kernel $HERE/o/c.o $HERE/o/user.c "
         "\"clang-14 -I$HERE/o -include-pch $HERE/o/pre.h.gch\" -DKERNEL=kernel_c "
         "2>/dev/null; "
         "grep -q 'the vocabulary is broken' $HERE/o/c.o.log");
}

/* A warning that occurs in every regime is shown once, although compilers word it differently and
 * at different times. */
TEST(a_warning_is_told_once)
{
    must("printf '#include \"kernel.h\"\\nstatic int unused;\\n"
         "static void run(const struct job *j) { (void)j; }\\n"
         "const struct kernel KERNEL = {.op = \"a\", .run = run};\\n' >$HERE/warn_one.c");
    must("for cc in gcc clang-14; do command -v $cc >/dev/null || continue; "
         "for policy in off on fast; do scripts/compile-kernel $HERE/obj/$cc/avx2/$policy/w.o "
         "$HERE/warn_one.c \"$cc -Wall -Iinclude\" -DKERNEL=kernel_w_$policy & done; "
         "wait; done 2>$HERE/err; [ $(grep -c warning: $HERE/err) = 1 ]");
}

/* A folder like ccache's, with links to ccache under the compilers' names. */
TEST(a_compiler_behind_a_cache_is_the_same_one)
{
    must("mkdir -p $HERE/cache && printf '#!/bin/sh\\nexec /usr/bin/${0##*/} \"$@\"\\n' "
         ">$HERE/cache/ccache "
         "&& chmod +x $HERE/cache/ccache && for c in gcc gcc-12 clang clang-14; do "
         "[ ! -e /usr/bin/$c ] || ln -s ccache $HERE/cache/$c; done");
    must("[ \"$(PATH=$HERE/cache:/usr/bin:/bin scripts/compilers)\" = "
         "\"$(PATH=/usr/bin:/bin scripts/compilers)\" ]");
}

TEST_GROUP(set_up, scratch_close)
