/* .npy files: what is written is read, and whatever is malformed is one clear error. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/npy.h"

#include <cmocka.h> /* last: its fail() is a macro */

static char folder[] = "/tmp/ulplab-npy-XXXXXX", path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/x.npy", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void put(const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

/* An .npy file: the header's text as it stands, and data_bytes zeros behind it. */
static void put_npy(int version, const char *text, size_t data_bytes)
{
    unsigned char file[4096] = "\x93NUMPY";
    size_t length = strlen(text), at = 6;
    file[at++] = (unsigned char)version;
    file[at++] = 0;
    for (int i = 0; i < (version == 1 ? 2 : 4); i++)
        file[at++] = (unsigned char)(length >> (8 * i));
    memcpy(file + at, text, length);
    put(file, at + length + data_bytes);
}

static void assert_refused(const char *why)
{
    struct npy a;
    struct error e = {.text = ""};
    int code = npy_read(path, &a, &e);
    assert_int_equal(code, EXIT_BAD_INPUT);
    assert_null(a.data);
    assert_null(strchr(e.text, '\n'));
    if (!strstr(e.text, why)) fail_msg("want '%s' in: %s", why, e.text);
}

static void comes_back(void **state)
{
    (void)state;
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
        assert_int_equal(npy_read(path, &read, &e), 0);
        assert_int_equal(read.ndim, written.ndim);
        assert_int_equal(read.rows, written.rows);
        assert_int_equal(read.cols, written.cols);
        assert_memory_equal(read.data, data, read.rows * read.cols * sizeof *data);
        npy_free(&read);
    }
}

/* '<f2': 2 bytes in the file, floats here; what is not exact is rounded. */
static void halves_come_back(void **state)
{
    (void)state;
    float data[] = {0.5f, -0.0f, INFINITY, NAN, 0x1p-24f, 65504.0f, 1.0f / 3, 65520.0f};
    struct npy written = {.data = data, .rows = 2, .cols = 4, .ndim = 2, .half = true}, read;
    struct error e = {.text = ""};
    struct stat st;
    assert_int_equal(npy_write(path, &written, &e), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size % 64, 16);
    assert_int_equal(npy_read(path, &read, &e), 0);
    assert_true(read.half);
    assert_int_equal(read.rows, 2);
    assert_int_equal(read.cols, 4);
    assert_memory_equal(read.data, data, 6 * sizeof *data);
    assert_true(read.data[6] == 0x1.554p-2f);
    assert_true(isinf(read.data[7]));
    npy_free(&read);
}

static void every_version_and_spelling(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}\n",
        "{'shape': (2,3,), 'descr':'<f4','fortran_order':False}",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (6,), }\n", /* 1-D: both orders */
    };
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            struct npy a;
            struct error e = {.text = ""};
            put_npy(version, texts[i], 24);
            if (npy_read(path, &a, &e) != 0) fail_msg("%s: %s", texts[i], e.text);
            assert_int_equal(a.rows * a.cols, 6);
            npy_free(&a);
        }
}

static void malformed_headers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t data_bytes;
        const char *why;
    } cases[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", 48, "'<f8'"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24, "'>f4'"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }\n", 12, "'<i2'"},
        {"{'descr': '>f2', 'fortran_order': False, 'shape': (2, 3), }\n", 12, "'>f2'"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }\n", 24, "too long: 24"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }\n", 8, "truncated: 8"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }\n", 48, "'|O'"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }\n", 8, "plain"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", 24, "Fortran"},
        {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3), }\n", 24, "plain"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", 4, "0-D"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }\n", 24, "3-D"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }\n", 4, "plain"},
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
        {"", 24, "plain"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_npy(1, cases[i].text, cases[i].data_bytes);
        assert_refused(cases[i].why);
    }
}

static void malformed_files(void **state)
{
    (void)state;
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
    assert_refused("more than 64 KiB");
    put_npy(1, "{'descr': '<f4', ", 0);
    assert_int_equal(truncate(path, 20), 0);
    assert_refused("truncated in its header");
    unlink(path);
    assert_refused("cannot read");
    assert_int_equal(mkdir(path, 0777), 0);
    assert_refused("not a regular file");
    assert_int_equal(rmdir(path), 0);
}

/* Nobody ever writes into the pipe. */
static void pipes_are_not_waited_for(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0666), 0);
    alarm(20);
    assert_refused("not a regular file");
    alarm(0);
    assert_int_equal(unlink(path), 0);
}

/* Cut anywhere or with any byte changed, a file is read or refused: never a crash, and never
 * more than the file holds. */
static void cut_and_flipped(void **state)
{
    (void)state;
    enum { SIZE = 128 + 24 };
    float data[6] = {1, 2, 3, 4, 5, 6};
    const struct npy good = {.data = data, .rows = 2, .cols = 3, .ndim = 2};
    unsigned char bytes[SIZE + 1];
    struct error e = {.text = ""};
    assert_int_equal(npy_write(path, &good, &e), 0);
    FILE *f = fopen(path, "rb");
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), SIZE);
    fclose(f);

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
            int code = npy_read(path, &a, &e);
            assert_true(code == EXIT_BAD_INPUT || (code == 0 && a.rows * a.cols == 6));
            npy_free(&a);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(halves_come_back),
        cmocka_unit_test(every_version_and_spelling),
        cmocka_unit_test(malformed_headers),
        cmocka_unit_test(malformed_files),
        cmocka_unit_test(pipes_are_not_waited_for),
        cmocka_unit_test(cut_and_flipped),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
