// SPDX-License-Identifier: MIT
#include "model/npy.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/file.h"
#include "model/dtype.h"
#include "model/record.h"

enum {
    MAGIC_SIZE = 6,
    HEADER_MAX = 10000, /* numpy's own limit */
    DIMENSIONS_MAX = 8,
};
static const char magic[MAGIC_SIZE] = "\x93NUMPY";

static int npy_malformed(struct error *e, const char *path, const char *why)
{
    return fail(e, EXIT_BAD_INPUT,
                "bad array: %s: %s; want fp16, fp32 or fp64 in C order, 1-D or 2-D, as "
                "numpy.save(path, numpy.ascontiguousarray(x, 'f4')) writes it",
                path, why);
}

/* ---- The header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } ----------------- */

/* The header is a Python literal. This parser reads the forms that are written for arrays; numpy
 * accepts all of them with the same meaning. */

struct header {
    int version; /* major */
    char descr[16];
    bool fortran;
    int ndim;
    uint64_t shape[DIMENSIONS_MAX];
};

/* Skips white space, to which line breaks belong within braces and brackets. */
static void skip_space(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

static bool accept(const char **at, const char *token)
{
    skip_space(at);
    if (strncmp(*at, token, strlen(token)) != 0) return false;
    *at += strlen(token);
    return true;
}

/* Parses a string in single or double quotes, without escapes. */
static bool parse_string(const char **at, char *text, size_t size)
{
    skip_space(at);
    const char quote = **at, ends[] = {quote, '\\', '\n', '\r', '\0'};
    if (quote != '\'' && quote != '"') return false;
    ++*at;
    size_t length = strcspn(*at, ends);
    if (length >= size || (*at)[length] != quote) return false;
    memcpy(text, *at, length);
    text[length] = '\0';
    *at += length + 1;
    return true;
}

/* Parses a number. Python 2 wrote some dimensions as 4L, which numpy reads in versions 1 and 2 of
 * the format. */
static bool npy_parse_number(const char **at, int version, uint64_t *number)
{
    skip_space(at);
    const char *digits = *at;
    size_t count = strspn(digits, "0123456789");
    bool octal = *digits == '0' && strspn(digits, "0") < count;
    errno = 0;
    *number = strtoull(digits, NULL, 10);
    *at += count;
    if (version < 3 && **at == 'L') ++*at;
    return count > 0 && !octal && errno == 0;
}

static bool parse_descr(const char **at, struct header *h)
{
    return parse_string(at, h->descr, sizeof h->descr);
}

static bool parse_order(const char **at, struct header *h)
{
    h->fortran = accept(at, "True");
    return h->fortran || accept(at, "False");
}

static bool parse_shape(const char **at, struct header *h)
{
    if (!accept(at, "(")) return false;
    while (!accept(at, ")")) {
        if (h->ndim == DIMENSIONS_MAX || !npy_parse_number(at, h->version, &h->shape[h->ndim++]))
            return false;
        if (accept(at, ",")) continue;
        /* (3) is no tuple: the last comma may be left out behind a second number only. */
        return h->ndim > 1 && accept(at, ")");
    }
    return true;
}

/* Parses the header: every key once, no others, and only white space after it. */
static bool parse_header(const char *text, size_t size, struct header *h)
{
    static const struct {
        const char *name;
        bool (*parse)(const char **, struct header *);
    } keys[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
    enum { KEYS = sizeof keys / sizeof *keys };
    const char *at = text + strspn(text, " \t");
    unsigned seen = 0;
    if (*at != '{' || !accept(&at, "{")) return false;
    while (!accept(&at, "}")) {
        char name[16];
        size_t k = 0;
        if (!parse_string(&at, name, sizeof name) || !accept(&at, ":")) return false;
        while (k < KEYS && strcmp(keys[k].name, name) != 0) k++;
        if (k == KEYS || (seen >> k & 1) || !keys[k].parse(&at, h)) return false;
        seen |= 1u << k;
        if (accept(&at, ",")) continue;
        if (!accept(&at, "}")) return false;
        break;
    }
    skip_space(&at);
    return seen == (1u << KEYS) - 1 && at == text + size;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Reads the bytes before the header's text: magic, version, length. */
static int read_prefix(FILE *in, const char *path, int *version, size_t *length, struct error *e)
{
    unsigned char p[MAGIC_SIZE + 2], l[4] = {0};
    if (fread(p, 1, sizeof p, in) != sizeof p)
        return npy_malformed(e, path, "shorter than a header");
    if (memcmp(p, magic, MAGIC_SIZE) != 0) return npy_malformed(e, path, "not an .npy file");
    unsigned major = p[MAGIC_SIZE], minor = p[MAGIC_SIZE + 1];
    if (major < 1 || major > 3 || minor != 0)
        return npy_malformed(e, path, "an unknown version of the format");
    size_t bytes = major == 1 ? 2 : 4;
    if (fread(l, 1, bytes, in) != bytes) return npy_malformed(e, path, "shorter than a header");
    *version = (int)major;
    *length = l[0] | (size_t)l[1] << 8 | (size_t)l[2] << 16 | (size_t)l[3] << 24;
    if (*length > HEADER_MAX)
        return npy_malformed(e, path,
                             "a header of more than 10,000 bytes, which numpy refuses too");
    return 0;
}

static int read_header(FILE *in, const char *path, struct header *h, struct error *e)
{
    size_t length = 0;
    *h = (struct header){.ndim = 0};
    int code = read_prefix(in, path, &h->version, &length, e);
    if (code) return code;
    char *text = calloc(length + 1, 1);
    if (!text) return npy_malformed(e, path, "out of memory");
    if (fread(text, 1, length, in) != length)
        code = npy_malformed(e, path, "truncated in its header");
    else if (!parse_header(text, length, h))
        code = npy_malformed(e, path, "its header is not a plain array's");
    free(text);
    return code;
}

/* The representation of a value in the file. */
struct stored {
    size_t bytes;
    bool big_endian;
};

/* Parses '<f4', '=f4', 'f4' and so on: the sign of an order, and a type by its size or by its
 * letter. */
static bool parse_type(const char *descr, struct stored *s)
{
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {{"f2", 2}, {"e", 2}, {"f4", 4}, {"f", 4}, {"f8", 8}, {"d", 8}};
    const char *name = descr + (*descr && strchr("<>=|", *descr));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name)) {
            *s = (struct stored){types[i].bytes, *descr == '>'};
            return true;
        }
    return false;
}

static int check_layout(const struct header *h, const char *path, struct stored *s, struct error *e)
{
    char why[80];
    snprintf(why, sizeof why, "its dtype is '%s', not '<f2', '<f4' or '<f8'", h->descr);
    if (!parse_type(h->descr, s)) return npy_malformed(e, path, why);
    /* A single row or column stands in memory in the same order either way. */
    if (h->fortran && h->ndim == 2 && h->shape[0] > 1 && h->shape[1] > 1)
        return npy_malformed(e, path, "in Fortran order");
    snprintf(why, sizeof why, "%d-D", h->ndim);
    if (h->ndim < 1 || h->ndim > 2) return npy_malformed(e, path, why);
    return 0;
}

static int shape_of(const struct header *h, const struct stored *s, const char *path, struct npy *a,
                    struct error *e)
{
    uint64_t rows = h->ndim == 2 ? h->shape[0] : 1, cols = h->shape[h->ndim - 1], bytes;
    if (__builtin_mul_overflow(rows, cols, &bytes) ||
        __builtin_mul_overflow(bytes, sizeof(double), &bytes) || bytes > PTRDIFF_MAX)
        return npy_malformed(e, path, "its shape is larger than any memory");
    *a = (struct npy){.rows = rows, .cols = cols, .ndim = h->ndim, .half = s->bytes == 2};
    if (s->bytes == 8 || s->big_endian) memcpy(a->converted, h->descr, sizeof a->converted);
    return 0;
}

static void swap_bytes(unsigned char *data, size_t count, size_t bytes)
{
    for (size_t i = 0; i < count; i++, data += bytes)
        for (size_t k = 0; k < bytes / 2; k++) {
            unsigned char first = data[k];
            data[k] = data[bytes - 1 - k];
            data[bytes - 1 - k] = first;
        }
}

static const struct dtype *stored_type(const struct npy *a)
{
    return dtype_find(a->half ? "f16" : "f32");
}

static void round_doubles(const double *from, size_t count, struct npy *a)
{
    for (size_t i = 0; i < count; i++) {
        a->data[i] = (float)from[i];
        a->rounded += !isnan(from[i]) && (double)a->data[i] != from[i];
        a->overflowed += isinf(a->data[i]) && !isinf(from[i]);
    }
}

/* Reads the data. The file's size is checked before memory is allocated, so that a forged header
 * cannot demand much. */
static int read_data(FILE *in, off_t file_size, const struct stored *s, const char *path,
                     struct npy *a, struct error *e)
{
    char why[120];
    size_t count = a->rows * a->cols, bytes = count * s->bytes;
    size_t there = (size_t)(file_size - ftello(in));
    bool as_it_is = s->bytes == sizeof *a->data;
    snprintf(why, sizeof why, "%s: %zu bytes of data where its shape needs %zu",
             there < bytes ? "truncated" : "too long", there, bytes);
    if (there != bytes) return npy_malformed(e, path, why);
    a->data = malloc(count ? count * sizeof *a->data : 1);
    void *stored = as_it_is ? a->data : malloc(bytes ? bytes : 1);
    int code = 0;
    if (!a->data || !stored)
        code = npy_malformed(e, path, "larger than this machine's memory");
    else if (fread(stored, 1, bytes, in) != bytes)
        code = npy_malformed(e, path, "could not be read as a whole");
    if (!code && s->big_endian) swap_bytes(stored, count, s->bytes);
    if (!code && a->half) stored_type(a)->widen(stored, a->data, count);
    if (!code && s->bytes == sizeof(double)) {
        round_doubles(stored, count, a);
        a->doubles = stored;
    } else if (!as_it_is) {
        free(stored);
    }
    if (code) npy_free(a);
    return code;
}

int npy_read(const char *path, struct npy *array, struct error *e)
{
    struct header h;
    struct stored s = {0};
    struct stat st;
    *array = (struct npy){.data = NULL};
    FILE *in = file_open(path); /* file_open() does not wait for a writer of a pipe */
    if (!in)
        return fail(e, EXIT_BAD_INPUT, "cannot read: %s: %s; name a file that is there", path,
                    strerror(errno));
    int code = 0;
    if (fstat(fileno(in), &st) != 0 || !S_ISREG(st.st_mode))
        code = npy_malformed(e, path, "not a regular file");
    if (!code) code = read_header(in, path, &h, e);
    if (!code) code = check_layout(&h, path, &s, e);
    if (!code) code = shape_of(&h, &s, path, array, e);
    if (!code) code = read_data(in, st.st_size, &s, path, array, e);
    fclose(in);
    return code;
}

void npy_free(struct npy *array)
{
    free(array->data);
    free(array->doubles);
    *array = (struct npy){.data = NULL};
}

void npy_note(const char *path, const struct npy *a, char *text, size_t size)
{
    text[0] = '\0';
    if (!a->converted[0]) return;
    size_t used = (size_t)snprintf(text, size, "%s: converted from '%s'", path, a->converted);
    if (a->rounded && used < size)
        used += (size_t)snprintf(text + used, size - used,
                                 ": %zu of %zu values rounded where fp32 is computed", a->rounded,
                                 a->rows * a->cols);
    if (a->overflowed && used < size)
        snprintf(text + used, size - used, ", %zu of them to an infinity", a->overflowed);
}

/* ---- Writing --------------------------------------------------------------------------------- */

int npy_write(const char *path, const struct npy *a, struct error *e)
{
    enum { PREFIX = MAGIC_SIZE + 4, ALIGNMENT = 64, SIZE = 2 * ALIGNMENT };
    char header[SIZE + 1], shape[48];
    if (a->ndim == 1)
        snprintf(shape, sizeof shape, "(%zu,)", a->cols);
    else
        snprintf(shape, sizeof shape, "(%zu, %zu)", a->rows, a->cols);
    memcpy(header, magic, MAGIC_SIZE);
    memcpy(header + MAGIC_SIZE, (const unsigned char[]){1, 0, SIZE - PREFIX, 0}, 4);
    /* The header is padded with blanks and a line break to a multiple of 64, so that the data is
     * aligned when the file is mapped. */
    int used = snprintf(header + PREFIX, sizeof header - PREFIX,
                        "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                        a->doubles ? "<f8"
                        : a->half  ? "<f2"
                                   : "<f4",
                        shape);
    memset(header + PREFIX + used, ' ', (size_t)(SIZE - PREFIX - used));
    header[SIZE - 1] = '\n';
    const struct dtype *type = stored_type(a);
    size_t count = a->rows * a->cols;
    void *stored = malloc(count * type->bytes + 1);
    if (!stored)
        return fail(e, EXIT_PARTIAL, "out of memory: %s: %zu values; give fewer rows", path, count);
    if (!a->doubles) type->narrow(a->data, stored, count);
    const struct iovec parts[] = {{header, SIZE},
                                  {a->doubles ? a->doubles : stored,
                                   count * (a->doubles ? sizeof *a->doubles : type->bytes)}};
    int code = file_write_parts(path, parts, 2, e);
    free(stored);
    return code;
}
