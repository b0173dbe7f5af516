// SPDX-License-Identifier: MIT
/* .npy files: a written file is read back, and a malformed one gives one clear error. */
#include <sys/stat.h>
#include <unistd.h>

#include "model/npy.h"

#include "drive.h"
#include "scratch.h"

static char path[64];

static int set_up(void **state)
{
    const int code = scratch_open(state);
    snprintf(path, sizeof path, "%s/x.npy", scratch);
    return code;
}

static void put(const void *bytes, size_t size)
{
    scratch_put("x.npy", bytes, size);
}

/* Writes an .npy file with this header text and these data; NULL: zeros. */
static void put_npy(int version, const char *text, const void *data, size_t bytes)
{
    unsigned char file[4096] = "\x93NUMPY";
    size_t length = strlen(text), at = 6;
    file[at++] = (unsigned char)version;
    file[at++] = 0;
    for (int i = 0; i < (version == 1 ? 2 : 4); i++)
        file[at++] = (unsigned char)(length >> (8 * i));
    memcpy(file + at, text, length);
    if (data) memcpy(file + at + length, data, bytes);
    put(file, at + length + bytes);
}

/* Reads the file, whose values are kept; returns the code. */
static int take(struct npy *a, struct error *e)
{
    const int code = npy_read(path, a, e);
    if (a->data) keep(a->data);
    if (a->doubles) keep(a->doubles);
    return code;
}

static void assert_refused(const char *why)
{
    struct npy a;
    struct error e = {.text = ""};
    int code = take(&a, &e);
    assert_int_equal(code, EXIT_BAD_INPUT);
    assert_null(a.data);
    assert_null(strchr(e.text, '\n'));
    if (!strstr(e.text, why)) fail_msg("want '%s' in: %s", why, e.text);
}

TEST(comes_back)
{
    static const struct npy shapes[] = {{.rows = 1, .cols = 7, .ndim = 1},
                                        {.rows = 3, .cols = 5, .ndim = 2},
                                        {.rows = 0, .cols = 5, .ndim = 2},
                                        {.rows = 4, .cols = 0, .ndim = 2},
                                        {.rows = 1, .cols = 0, .ndim = 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        float data[16] = {0.1f, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, 0x1.fffffep127f};
        struct npy written = shapes[s], read;
        struct error e = {.text = ""};
        struct stat st;
        written.data = data;
        assert_int_equal(npy_write(path, &written, &e), 0);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal((size_t)st.st_size % 64, written.rows * written.cols * 4 % 64);
        assert_int_equal(take(&read, &e), 0);
        assert_true(read.ndim == written.ndim && read.rows == written.rows &&
                    read.cols == written.cols);
        assert_memory_equal(read.data, data, read.rows * read.cols * sizeof *data);
    }
}

/* '<f2': float16 in the file, floats in memory; values that are not exact are rounded. */
TEST(halves_come_back)
{
    float data[] = {0.5f, -0.0f, INFINITY, NAN, 0x1p-24f, 65504.0f, 1.0f / 3, 65520.0f};
    struct npy written = {.data = data, .rows = 2, .cols = 4, .ndim = 2, .half = true}, read;
    struct error e = {.text = ""};
    struct stat st;
    assert_int_equal(npy_write(path, &written, &e), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size % 64, 16);
    assert_int_equal(take(&read, &e), 0);
    assert_true(read.half && read.rows == 2 && read.cols == 4);
    assert_memory_equal(read.data, data, 6 * sizeof *data);
    assert_true(read.data[6] == 0x1.554p-2f);
    assert_true(isinf(read.data[7]));
}

TEST(every_version_and_spelling)
{
    static const char *const texts[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}\n",
        "{'shape': (2,3,), 'descr':'<f4','fortran_order':False}",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (6,), }\n", /* either order is right */
        "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 6), }\n",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (6, 1), }\n",
        "{\"descr\": \"<f4\", \"fortran_order\": False, 'shape': (2, 3), }\n",
        "{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'descr': 'f4', 'fortran_order': False, 'shape': (2, 3), }\n",
        " {\n 'descr':\t'f',\n 'fortran_order':\r\n False, 'shape': (\n2,\n3\n),\n}\n \n",
        "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'descr': 'e', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'descr': '>f2', 'fortran_order': False, 'shape': (2, 3), }\n",
    };
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            struct npy a;
            struct error e = {.text = ""};
            const bool half = strstr(texts[i], "f2") || strstr(texts[i], "'e'");
            put_npy(version, texts[i], NULL, half ? 12 : strstr(texts[i], "f8") ? 48 : 24);
            if (take(&a, &e) != 0) fail_msg("%s: %s", texts[i], e.text);
            assert_int_equal(a.rows * a.cols, 6);
            assert_int_equal(a.half, half);
        }
}

/* Integers with the L of Python 2; numpy refuses them in version 3. */
TEST(long_dimensions)
{
    static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }\n";
    for (int version = 1; version <= 3; version++) {
        struct npy a;
        struct error e = {.text = ""};
        put_npy(version, text, NULL, 24);
        assert_int_equal(take(&a, &e), version < 3 ? 0 : EXIT_BAD_INPUT);
    }
}

/* Reads an array of that type with these bytes. */
static struct npy read_values(const char *descr, const void *bytes, size_t size)
{
    char text[200];
    struct npy a;
    struct error e = {.text = ""};
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (4,), }\n",
             descr);
    put_npy(1, text, bytes, size);
    if (take(&a, &e) != 0) fail_msg("%s: %s", descr, e.text);
    return a;
}

/* Other types are converted, with a message: swapping bytes keeps every value, narrowing fp64 does
 * not. */
TEST(other_types_are_converted)
{
    static const double doubles[] = {1.5, 0.1, 1e300, NAN};
    static const unsigned char swapped[] = {0x3f, 0xc0, 0, 0, 0x80, 0,    0, 1,
                                            0x7f, 0x80, 0, 0, 0xff, 0xc0, 0, 0},
                               halves[] = {0x3c, 0, 0x80, 1, 0x7c, 0, 0xfe, 0};
    char line[200];
    struct npy a = read_values("<f8", doubles, sizeof doubles);
    assert_true(a.data[0] == 1.5f && a.data[1] == 0.1f && isinf(a.data[2]) && isnan(a.data[3]));
    assert_int_equal(a.rounded, 2);
    assert_int_equal(a.overflowed, 1);
    npy_note("x.npy", &a, line, sizeof line);
    assert_non_null(strstr(line, "x.npy: converted from '<f8': 2 of 4 values rounded"));
    assert_non_null(strstr(line, "1 of them to an infinity"));

    a = read_values(">f4", swapped, sizeof swapped);
    assert_true(a.data[0] == 1.5f && a.data[1] == -0x1p-149f && isinf(a.data[2]));
    assert_true(isnan(a.data[3]) && !a.rounded);
    npy_note("x.npy", &a, line, sizeof line);
    assert_string_equal(line, "x.npy: converted from '>f4'");

    a = read_values(">f2", halves, sizeof halves);
    assert_true(a.half && a.data[0] == 1 && a.data[1] == -0x1p-24f && isinf(a.data[2]));

    a = read_values("=f4", swapped, sizeof swapped);
    npy_note("x.npy", &a, line, sizeof line);
    assert_string_equal(line, "");
}

/* ---- numpy itself ---------------------------------------------------------------------------- */

/* Prints for each file that standard input lists a line with its rows, columns, dimensions and
 * values as fp32, or "refused". */
static const char numpy_script[] =
    "import sys, warnings, numpy\n"
    "warnings.simplefilter('ignore')\n"
    "for name in sys.stdin.read().split():\n"
    "    try: a = numpy.load(name)\n"
    "    except Exception: print('refused'); continue\n"
    "    s = a.shape if a.ndim == 2 else (1,) + a.shape\n"
    "    bits = a.astype('<f4').tobytes().hex() if a.dtype.kind == 'f' else 'other'\n"
    "    print(*s[:2], a.ndim, '.' + bits)\n";

/* Writes a header like numpy's in which some parts are spelled differently, correctly or not.
 * Returns the size of its four values in bytes. */
static size_t random_header(unsigned *seed, char *text, size_t size)
{
    static const char *const quotes[] = {"'", "'", "\"", "''"};
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {{"<f4", 4}, {"<f4", 4}, {">f4", 4}, {"=f4", 4}, {"|f4", 4}, {"f4", 4},
                 {"f", 4},   {"<f8", 8}, {">f8", 8}, {"d", 8},   {"<f2", 2}, {">f2", 2},
                 {"e", 2},   {"e4", 4},  {"<i4", 4}, {"f 4", 4}};
    static const char *const orders[] = {"False", "False", "True", "false", "0"};
    static const char *const shapes[] = {"(4,)",    "(2, 2)", "(2,2,)",  "(1, 4)",  "(4, 1)",
                                         "(4)",     "(4L,)",  "(2, 2L)", "(02, 2)", "(2\n,2)",
                                         "(4,,)",   "(,)",    "(4_,)",   "(00, 4)", "(+4,)",
                                         "(2l, 2)", "[2, 2]", "2, 2",    "(2L, 2 )"};
    static const char *const spaces[] = {" ", " ", "", "\n", "\r\n", "\t", "\n  ", "\f"};
    static const char *const begins[] = {"{", "{", " {", "\n{", "\t{", "{,"};
    static const char *const ends[] = {", }\n", ", }\n", "}", "}\n", "} \n \n", "},", "}}", "} x"};
#define ANY(list) list[(unsigned)rand_r(seed) % (sizeof list / sizeof *list)]
    const size_t type = (unsigned)rand_r(seed) % (sizeof types / sizeof *types);
    const char *quote = ANY(quotes), *space = ANY(spaces);
    snprintf(text, size, "%s%sdescr%s:%s%s%s%s,%s'fortran_order': %s,%s'shape':%s%s%s", ANY(begins),
             quote, quote, space, quote, types[type].name, quote, space, ANY(orders), ANY(spaces),
             space, ANY(shapes), ANY(ends));
#undef ANY
    return 4 * types[type].bytes;
}

static void put_random_npy(unsigned *seed)
{
    char text[400];
    unsigned char values[32];
    const int version = 1 + rand_r(seed) % 3;
    const size_t bytes = random_header(seed, text, sizeof text);
    for (size_t k = 0; k < bytes; k++) values[k] = (unsigned char)(k % 8 + 0x3b);
    put_npy(version, text, values, bytes);
}

static void our_line(char *line, size_t size)
{
    struct npy a;
    struct error e;
    if (take(&a, &e) != 0) {
        snprintf(line, size, "refused\n");
        return;
    }
    int used = snprintf(line, size, "%zu %zu %d .", a.rows, a.cols, a.ndim);
    for (size_t i = 0; i < a.rows * a.cols * sizeof *a.data; i++)
        used +=
            snprintf(line + used, size - (size_t)used, "%02x", ((const unsigned char *)a.data)[i]);
    snprintf(line + used, size - (size_t)used, "\n");
}

/* numpy accepts whatever is accepted here, and reads the same values. */
TEST(numpy_agrees)
{
    enum { FILES = 1000, LINE = 200 };
    static char ours[FILES][LINE];
    char theirs[LINE], command[200], name[64];
    unsigned seed = 7;
    size_t taken = 0;
    if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) {
        print_message("skipped: no python3-numpy here\n");
        skip();
    }
    snprintf(command, sizeof command, "cd %s && /usr/bin/python3 read.py <list", scratch);
    FILE *names = fopen(scratch_path("list"), "w");
    assert_non_null(names);
    scratch_write("read.py", numpy_script);
    for (size_t i = 0; i < FILES; i++) {
        put_random_npy(&seed);
        our_line(ours[i], sizeof ours[i]);
        taken += strcmp(ours[i], "refused\n") != 0;
        snprintf(name, sizeof name, "%s/%zu.npy", scratch, i);
        assert_int_equal(rename(path, name), 0);
        fprintf(names, "%s\n", name);
    }
    fclose(names);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    for (size_t i = 0; i < FILES; i++) {
        assert_non_null(fgets(theirs, sizeof theirs, out));
        snprintf(name, sizeof name, "%s/%zu.npy", scratch, i);
        if (strcmp(ours[i], "refused\n") != 0 && strcmp(ours[i], theirs) != 0)
            fail_msg("%s: here %snumpy: %s", name, ours[i], theirs);
    }
    assert_int_equal(pclose(out), 0);
    assert_in_range(taken, FILES / 40, FILES);
}

TEST(malformed_headers)
{
    static const struct {
        const char *text;
        size_t data_bytes;
        const char *why;
    } cases[] = {
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n", 12, "'<i2'"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (2, 3), }\n", 96, "'<f16'"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3), }\n", 48, "'<c8'"},
        {"{'descr': '<<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24, "'<<f4'"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2, 3), }\n", 24, "''"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", 24, "truncated: 24"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 03), }\n", 24, "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3l), }\n", 24, "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3LL), }\n", 24, "plain"},
        {"{'descr': '<f4\", 'fortran_order': False, 'shape': (2, 3), }\n", 24, "plain"},
        {"{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2, 3), }\n", 24, "plain"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }\n", 24, "plain"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }\n", 24, "too long: 24"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }\n", 8, "truncated: 8"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }\n", 48, "'|O'"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }\n", 8, "plain"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", 24, "Fortran"},
        {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3), }\n", 24, "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", 4, "0-D"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }\n", 24, "3-D"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }\n", 4, "plain"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1, 3), }\n", 24, "3-D"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 20, "truncated: 20"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 0, "truncated: 0"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 25, "too long: 25"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }\n", 24, "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6), }\n", 24, "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 3), }\n", 24, "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }\n", 4,
         "larger than any memory"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }\n", 4,
         "larger than any memory"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }\n", 4,
         "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }\n", 4,
         "truncated: 4"},
        {"{'descr': '<f4', 'fortran_order': False, }\n", 24, "plain"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n", 24,
         "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'more': 1}\n", 24, "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,)\n", 24, "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,), } x\n", 24, "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 1), }\n", 24, "3-D"},
        {"not a dictionary", 24, "plain"},
        {"", 24, "plain"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_npy(1, cases[i].text, NULL, cases[i].data_bytes);
        assert_refused(cases[i].why);
    }
}

TEST(malformed_files)
{
    static const unsigned char huge[] = "\x93NUMPY\x02\x00\xff\xff\xff\x7f";
    static const unsigned char unknown[] = "\x93NUMPY\x04\x00\x10\x00";
    put("", 0);
    assert_refused("shorter than a header");
    put("\x93NUM", 4);
    assert_refused("shorter than a header");
    put("PK\x03\x04 this is an .npz", 20);
    assert_refused("not an .npy file");
    put(unknown, sizeof unknown);
    assert_refused("unknown version");
    put(huge, sizeof huge);
    assert_refused("more than 10,000 bytes");
    put_npy(1, "{'descr': '<f4', ", NULL, 0);
    assert_int_equal(truncate(path, 20), 0);
    assert_refused("truncated in its header");
    unlink(path);
    assert_refused("cannot read");
    assert_int_equal(mkdir(path, 0777), 0);
    assert_refused("not a regular file");
    assert_int_equal(rmdir(path), 0);
}

/* A pipe without a writer is refused at once. */
TEST(pipes_are_not_waited_for)
{
    assert_int_equal(mkfifo(path, 0666), 0);
    alarm(20);
    assert_refused("not a regular file");
    alarm(0);
    assert_int_equal(unlink(path), 0);
}

/* A file that is cut anywhere, or has any byte changed, is read or refused without a crash, and
 * never gives more data than it holds. */
TEST(cut_and_flipped)
{
    enum { SIZE = 128 + 24 };
    float data[6] = {1, 2, 3, 4, 5, 6};
    const struct npy good = {.data = data, .rows = 2, .cols = 3, .ndim = 2};
    unsigned char bytes[SIZE + 1];
    struct error e = {.text = ""};
    assert_int_equal(npy_write(path, &good, &e), 0);
    struct stat st;
    assert_true(stat(path, &st) == 0 && st.st_size == SIZE);
    memcpy(bytes, drive_read(path), SIZE);

    for (size_t cut = 0; cut < SIZE; cut++) {
        put(bytes, cut);
        assert_refused("");
    }
    for (size_t at = 0; at < SIZE; at++)
        for (unsigned flip = 1; flip < 256; flip += 41) {
            struct npy a;
            bytes[at] ^= (unsigned char)flip;
            put(bytes, SIZE);
            bytes[at] ^= (unsigned char)flip;
            int code = take(&a, &e);
            assert_true(code == EXIT_BAD_INPUT || (code == 0 && a.rows * a.cols == 6));
        }
}

TEST_GROUP(set_up, scratch_close)
