// SPDX-License-Identifier: MIT
/* Reading objects: counts and hashes, on this build's objects and on small ones that are compiled
 * here; a malformed file is an error. */
#include <sys/stat.h>
#include <unistd.h>

#include "build/object.h"
#include "drive.h"
#include "scratch.h"

/* ---- Objects of this build ------------------------------------------------------------------- */

static bool sanitized(void)
{
    return strstr(build_records[0].command, "-fsanitize") != NULL;
}

static const struct build_record *record_of(const char *source, const char *cc, const char *isa,
                                            const char *policy)
{
    for (size_t i = 0; i < build_record_count; i++) {
        const struct build_record *b = &build_records[i];
        if (!strcmp(b->source, source) && !strcmp(b->cc, cc) && !strcmp(b->isa, isa) &&
            !strcmp(b->policy, policy))
            return b;
    }
    skip(); /* not in this build */
    return NULL;
}

static void keep_texts(const struct object_facts *f)
{
    if (f->witnessed) keep(f->witnessed);
    if (f->library) keep(f->library);
}

static struct object_facts facts_of(const char *path)
{
    struct object_facts f;
    struct error e;
    if (object_read(path, &f, &e)) fail_msg("%s", e.text);
    keep_texts(&f);
    return f;
}

TEST(registry_holds_what_objects_say)
{
    for (size_t i = 0; i < build_record_count; i += 7) {
        const struct build_record *b = &build_records[i];
        if (!b->kernel) continue;
        const struct object_facts facts = facts_of(b->object);
        assert_int_equal(facts.code_hash, b->code_hash);
        assert_memory_equal(&facts.counts, &b->counts, sizeof facts.counts);
        assert_string_equal(facts.witnessed, b->witnessed);
        assert_string_equal(facts.library ? facts.library : "", b->library);
        assert_int_equal(facts.counts.undecoded, 0);
    }
}

TEST(what_gcc_12_does_to_moments)
{
    static const char source[] = "simd/moments/moments_twopass.c";
    if (sanitized()) skip();
    const struct build_record *off = record_of(source, "gcc-12", "avx2", "off");
    const struct build_record *on = record_of(source, "gcc-12", "avx2", "on");
    const struct build_record *fast = record_of(source, "gcc-12", "avx2", "fast");
    const struct build_record *silent = record_of(source, "gcc-12", "avx2", "default");
    assert_int_equal(off->code_hash, on->code_hash);
    assert_int_equal(fast->code_hash, silent->code_hash);
    assert_int_not_equal(off->code_hash, fast->code_hash);
    assert_int_equal(off->counts.fma, 0);
    assert_int_equal(fast->counts.fma, off->counts.mul - fast->counts.mul);
    assert_int_equal(off->counts.div, 2);
    assert_true(off->counts.ymm > 0 && off->counts.zmm == 0);
}

TEST(what_clang_14_does_to_moments)
{
    static const char source[] = "simd/moments/moments_twopass.c";
    if (sanitized()) skip();
    const struct build_record *off = record_of(source, "clang-14", "avx512", "off");
    const struct build_record *silent = record_of(source, "clang-14", "avx512", "default");
    const struct build_record *fast = record_of(source, "clang-14", "avx512", "fast");
    const struct build_record *scalar = record_of(source, "clang-14", "scalar", "default");
    assert_int_equal(off->code_hash, silent->code_hash); /* clang fuses no intrinsics by default */
    assert_int_equal(silent->counts.fma, 0);
    assert_true(fast->counts.fma > 0 && fast->counts.zmm > 0);
    assert_true(scalar->counts.fma > 0); /* but an expression of plain C */
    assert_int_equal(scalar->counts.fma, scalar->counts.fma_scalar);
}

/* ---- Small objects, compiled here by each compiler of the build ------------------------------ */

/* Writes the command of build record i's compiler; returns whether no earlier record has the same.
 */
static bool new_compiler(size_t i, char *compiler, size_t size)
{
    const struct build_record *b = &build_records[i];
    for (size_t k = 0; k < i; k++)
        if (!strcmp(build_records[k].cc, b->cc)) return false;
    snprintf(compiler, size, "%.*s", (int)strcspn(b->command, " "), b->command);
    return true;
}

static struct object_facts compile(const char *compiler, const char *text, const char *name,
                                   const char *flags)
{
    const char *source = scratch_path(name);
    scratch_write(name, text);
    must_format("%s -O2 -mavx512f -mfma -frecord-gcc-switches %s -c %s -o %s.o", compiler, flags,
                source, source);
    char object[200];
    snprintf(object, sizeof object, "%s.o", source);
    return facts_of(object);
}

/* Defines a test that is run with each compiler. */
#define WITH_EACH(name)                                                                            \
    static void check_##name(const char *compiler);                                                \
    TEST(name)                                                                                     \
    {                                                                                              \
        char compiler[200];                                                                        \
        for (size_t i = 0; i < build_record_count; i++)                                            \
            if (new_compiler(i, compiler, sizeof compiler)) check_##name(compiler);                \
    }                                                                                              \
    static void check_##name(const char *compiler)

static uint64_t hash_of(const char *compiler, const char *name, const char *flags)
{
    /* The object has a constant, a table, a call within it and one to outside. */
    static const char text[] = "extern float other(float);\n"
                               "static const float table[4] = {1, 2, 3, 4};\n"
                               "static float __attribute__((noinline)) helper(float a)\n"
                               "{ return a * CONSTANT + table[(int)a & 3]; }\n"
                               "float NAME(float a) { return other(helper(a)) + helper(a + 1); }\n";
    return compile(compiler, text, name, flags).code_hash;
}

WITH_EACH(counts_by_instruction)
{
    /* The text is assembly, so that the instructions do not depend on the compiler. */
    static const char text[] = "__asm__(\"vfmadd231ps %ymm0,%ymm1,%ymm2\\n\""
                               "\"vfnmsub132sd %xmm0,%xmm1,%xmm2\\n\""
                               "\"vmulps (%rax),%zmm1,%zmm2{%k1}\\n\""
                               "\"mulss %xmm0,%xmm1\\n\""
                               "\"vaddps %ymm0,%ymm1,%ymm2\\n vsubss %xmm0,%xmm1,%xmm2\\n\""
                               "\"vhaddps %xmm0,%xmm1,%xmm2\\n\""
                               "\"vdivpd %xmm0,%xmm1,%xmm2\\n vsqrtps %xmm0,%xmm1\\n\""
                               "\"vpaddd %xmm0,%xmm1,%xmm2\\n addq %rax,%rbx\\n imul %rax,%rbx\\n\""
                               "\"vgatherdps (%rax,%zmm1,4),%zmm2{%k1}\\n ud2\\n\");";
    struct object_facts f = compile(compiler, text, "counts.c", "");
    assert_int_equal(f.counts.fma, 2);
    assert_int_equal(f.counts.fma_scalar, 1);
    assert_int_equal(f.counts.mul, 2);
    assert_int_equal(f.counts.add, 3);
    assert_int_equal(f.counts.div, 1);
    assert_int_equal(f.counts.ymm, 2);
    assert_int_equal(f.counts.zmm, 2);
    assert_int_equal(f.counts.undecoded, 0);
}

WITH_EACH(witness_has_flags_and_no_folder)
{
    struct object_facts f =
        compile(compiler, "int x;", "witness.c", "-ffp-contract=off -I/usr/include");
    assert_non_null(f.witnessed);
    assert_non_null(strstr(f.witnessed, "-ffp-contract=off"));
    assert_null(strstr(f.witnessed, scratch));
    assert_null(strstr(f.witnessed, "/usr"));
}

/* The library whose headers an object includes is read from the object, and is not part of its code
 * hash. */
WITH_EACH(library_is_named)
{
    static const char text[] = "#include \"header_library.h\"\n"
                               "#ifdef PATCH\nHEADER_LIBRARY(\"Lib\", MAJOR, 2, PATCH);\n#endif\n"
                               "float f(float a) { return a; }";
    struct object_facts none = compile(compiler, text, "a.c", "-Isimd/libraries");
    struct object_facts some =
        compile(compiler, text, "a.c", "-Isimd/libraries -DMAJOR=10 -DPATCH=3");
    assert_null(none.library);
    assert_string_equal(some.library, "Lib 10.2.3");
    assert_int_equal(none.code_hash, some.code_hash);
}

WITH_EACH(hash_ignores_names)
{
    uint64_t hash = hash_of(compiler, "a.c", "-DCONSTANT=3.5f -DNAME=first");
    static const char *const others[] = {
        "-DNAME=second_and_longer", "-DNAME=first -Dhelper=h -Dtable=t",
        "-DNAME=first -fno-asynchronous-unwind-tables", "-DNAME=first -Wall -Wextra"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char flags[100];
        snprintf(flags, sizeof flags, "-DCONSTANT=3.5f %s", others[i]);
        assert_int_equal(hash, hash_of(compiler, "another_file.c", flags));
    }
}

WITH_EACH(hash_sees_code_constants_and_calls)
{
    static const char *const all_differ[] = {
        "-DCONSTANT=3.5f -ffp-contract=off", "-DCONSTANT=3.5f -ffp-contract=fast",
        "-DCONSTANT=3.25f -ffp-contract=off", "-DCONSTANT=3.5f -ffp-contract=off -Dother=expf",
        "-DCONSTANT=3.5f -ffp-contract=off -O0"};
    enum { COUNT = sizeof all_differ / sizeof *all_differ };
    uint64_t hashes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        char flags[100];
        snprintf(flags, sizeof flags, "-DNAME=f %s", all_differ[i]);
        hashes[i] = hash_of(compiler, "a.c", flags);
        for (size_t k = 0; k < i; k++) assert_int_not_equal(hashes[i], hashes[k]);
    }
}

/* The hash of a kernel's descriptor ignores its values, but not the names to which it refers. */
WITH_EACH(hash_sees_of_a_descriptor_its_functions)
{
    static const char text[] =
        "static float one(float a) { return a + 1; }\n"
        "static float two(float a) { return a + 2; }\n"
        "float (*const all[])(float) = {one, two};\n"
        "const struct {const char *name; double promise; float (*run)(float); const char *note;}\n"
        "kernel = {\"softmax\" NAME, PROMISE, ENTRY, NOTE};\n";
    static const struct {
        const char *flags;
        bool same;
    } others[] = {
        {"-DNAME='\"best\"' -DPROMISE=2.5 -DENTRY=one -DNOTE=0", true},
        {"-DNAME='\"\"' -DPROMISE=7.5 -DENTRY=one -DNOTE=0", true},
        {"-DNAME='\"\"' -DPROMISE=2.5 -DENTRY=one -DNOTE='\"slow\"'", true},
        {"-DNAME='\"\"' -DPROMISE=2.5 -DENTRY=two -DNOTE=0", false},
    };
    const uint64_t first =
        compile(compiler, text, "a.c", "-DNAME='\"\"' -DPROMISE=2.5 -DENTRY=one -DNOTE=0")
            .code_hash;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(first == compile(compiler, text, "a.c", others[i].flags).code_hash,
                         others[i].same);
}

/* ---- Malformed ------------------------------------------------------------------------------- */

static unsigned char *load(const char *path, size_t *size)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    *size = (size_t)st.st_size;
    return (unsigned char *)drive_read(path);
}

/* Reads these bytes as an object; returns 0, or EXIT_BAD_INPUT with a message of one line. */
static int read_bytes(const unsigned char *bytes, size_t size)
{
    const char *path = scratch_path("malformed.o");
    struct object_facts facts;
    struct error e = {.text = ""};
    scratch_put("malformed.o", bytes, size);
    int code = object_read(path, &facts, &e);
    keep_texts(&facts);
    if (code) {
        assert_int_equal(code, EXIT_BAD_INPUT);
        assert_non_null(strstr(e.text, "bad object: "));
        assert_null(strchr(e.text, '\n'));
    }
    return code;
}

TEST(not_an_object)
{
    static const unsigned char words[] = "this is a text, of more bytes than an ELF header needs "
                                         "to have, and nothing in it is a section";
    struct object_facts facts;
    struct error e;
    assert_int_equal(object_read(scratch_path("nowhere.o"), &facts, &e), EXIT_BAD_INPUT);
    assert_int_equal(object_read(scratch, &facts, &e), EXIT_BAD_INPUT);
    assert_int_equal(read_bytes(words, 0), EXIT_BAD_INPUT);
    assert_int_equal(read_bytes(words, 20), EXIT_BAD_INPUT);
    assert_int_equal(read_bytes(words, sizeof words), EXIT_BAD_INPUT);
}

TEST(cut_objects)
{
    size_t size;
    unsigned char *bytes = load(build_records[0].object, &size);
    assert_int_equal(read_bytes(bytes, size), 0);
    for (size_t cut = 0; cut < size; cut += 1 + cut / 16) read_bytes(bytes, cut);
    /* gcc writes the section table last, so a file without its end has none. */
    if (strstr(build_records[0].cc, "gcc"))
        assert_int_equal(read_bytes(bytes, size - 1), EXIT_BAD_INPUT);
}

TEST(flipped_objects)
{
    enum { FLIPS = 3000 };
    size_t size;
    uint64_t random = 12345;
    unsigned refused = 0;
    unsigned char *bytes = load(build_records[0].object, &size);
    for (int i = 0; i < FLIPS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        /* Half of the changes hit headers: the first 64 bytes, or the last quarter. */
        size_t r = (size_t)(random >> 33), at = i % 4 == 0   ? r % 64
                                                : i % 4 == 1 ? size - 1 - r % (size / 4)
                                                             : r % size;
        unsigned char kept = bytes[at];
        bytes[at] ^= (unsigned char)(1 + (random >> 20) % 255);
        refused += read_bytes(bytes, size) != 0;
        bytes[at] = kept;
    }
    assert_true(refused > 0 && refused < FLIPS);
    assert_int_equal(read_bytes(bytes, size), 0);
}

TEST_GROUP(scratch_open, scratch_close)
