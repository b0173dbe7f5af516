// SPDX-License-Identifier: MIT
/* Targets that read a folder of results and write reports. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "fuzz.h"
#include "model/record.h"
#include "publish/compare/compare.h"
#include "publish/export/export.h"
#include "publish/db/db.h"
#include "publish/policy/policy.h"
#include "publish/render/query.h"
#include "publish/render/rows.h"
#include "publish/sections/report.h"
#include "publish/site/site.h"
#include "publish/site/machines.h"
#include "publish/sql/sql.h"

/* ---- What was written ------------------------------------------------------------------------ */

static void refuse_in(const char *text, size_t size, const char *bad)
{
    if (!memmem(text, size, bad, strlen(bad))) return;
    fprintf(stderr, "written: %s\n", bad);
    abort();
}

/* Fails if a page has one of the mutations' words (mutate.c) without escapes. */
static void expect_harmless_page(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0 || !st.st_size) abort();
    size_t size = (size_t)st.st_size;
    char *page = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (page == MAP_FAILED) abort();
    refuse_in(page, size, "</script><script>alert(1)");
    refuse_in(page, size, "<img src=x onerror");
    munmap(page, size);
    close(fd);
}

static struct memory {
    FILE *out;
    char *text;
    size_t size;
} memory;

static FILE *begin_text(void)
{
    return memory.out = memory_text(&memory.text, &memory.size);
}

static void end_text(void (*check)(const char *text, size_t size))
{
    memory_text_close(memory.out);
    if (check) check(memory.text, memory.size);
    free(memory.text);
}

/* Fails if a text for the terminal has control characters. */
static void expect_plain_text(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= ' ' && c != 0x7f) continue;
        if (c == '\n') continue;
        fprintf(stderr, "written: byte %02x after '%.*s'\n", c, i < 60 ? (int)i : 60,
                text + (i < 60 ? 0 : i - 60));
        abort();
    }
}

/* Fails if a field, in quotes or not, would be a formula in a spreadsheet. */
static void expect_no_formula(const char *text, size_t size)
{
    static const char formula[] = "=HYPERLINK";
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        bool begins = !quoted && (i == 0 || text[i - 1] == ',' || text[i - 1] == '\n');
        if (text[i] == '"') quoted = !quoted; /* two of them change nothing */
        size_t from = i + (text[i] == '"');
        if (begins && size - from >= sizeof formula - 1)
            if (!memcmp(text + from, formula, sizeof formula - 1)) {
                fprintf(stderr, "written: a field begins with %s\n", formula);
                abort();
            }
    }
}

/* ---- Targets --------------------------------------------------------------------------------- */

/* A folder is refused with a message, or loaded. */
void fuzz_load(const uint8_t *data, size_t size)
{
    struct lab_db db;
    struct error e = {""};
    const char *folder = fuzz_folder(data, size);
    const int code = db_read(&db, &folder, 1, &e);
    if (code)
        fuzz_expect_told(code, &e);
    else
        lab_close(&db);
}

void fuzz_policy(const uint8_t *data, size_t size)
{
    const struct policy_constraints none = {.folder = "home", .max_ulp = NAN};
    struct lab_db db;
    struct error e = {""};
    const char *folder = fuzz_folder(data, size);
    int code = db_read(&db, &folder, 1, &e);
    if (code) {
        fuzz_expect_told(code, &e);
        return;
    }
    code = facts_make(&db, NAN, &e);
    if (!code) code = policies_make(&db, &none, &e);
    if (code) {
        fuzz_expect_told(code, &e);
    } else {
        query_print(&db, sql_policy_text, false, begin_text(), &e);
        end_text(expect_plain_text);
        json_decref(rows_document(&db, sql_policy_document, &e));
        code = policies_emit(&db, "make", begin_text(), &e);
        end_text(expect_plain_text);
        if (code) fuzz_expect_told(code, &e);
    }
    lab_close(&db);
}

static void compare(const struct compare_request *request)
{
    struct lab_db l;
    struct error e = {""};
    int code = compare_open(request, &l, &e);
    if (code) {
        fuzz_expect_told(code, &e);
        return;
    }
    query_print(&l, sql_compare_text, false, begin_text(), &e);
    end_text(expect_plain_text);
    json_decref(rows_document(&l, sql_compare_document, &e));
    lab_close(&l);
}

void fuzz_compare(const uint8_t *data, size_t size)
{
    const char *const words[] = {fuzz_other_folder(), fuzz_folder(data, size)};
    compare(&(struct compare_request){.words = words, .word_count = 2, .margin = 0.02});
}

void fuzz_compare_axis(const uint8_t *data, size_t size)
{
    static const char *const axes[] = {"isa", "cc", "policy"};
    const char *folder = fuzz_folder(data, size);
    for (size_t i = 0; i < 3; i++)
        compare(&(struct compare_request){.by = axes[i], .home = folder, .margin = 0.02});
}

static void write_page(const uint8_t *data, size_t size,
                       int (*write)(const struct report *r, const char *into, char *path,
                                    size_t room, struct error *e),
                       void (*check)(const char *path))
{
    struct report r;
    char path[400];
    struct error e = {""};
    const char *folder = fuzz_folder(data, size);
    int code = report_open(folder, advice_bar, &r, &e);
    if (!code) {
        code = write(&r, folder, path, sizeof path, &e);
        lab_close(&r.db);
    }
    if (code)
        fuzz_expect_told(code, &e);
    else if (check)
        check(path);
}
void fuzz_report_md(const uint8_t *data, size_t size)
{
    write_page(data, size, report_write, NULL);
}
void fuzz_report_html(const uint8_t *data, size_t size)
{
    write_page(data, size, html_write, expect_harmless_page);
}

static void export_rows(const uint8_t *data, size_t size, const char *format,
                        void (*check)(const char *text, size_t size))
{
    struct lab_db db;
    struct error e = {""};
    int code = db_read_whole(&db, fuzz_folder(data, size), &e);
    if (!code) {
        code = export_write(&db, format, begin_text(), &e);
        end_text(check);
        lab_close(&db);
    }
    if (code) fuzz_expect_told(code, &e);
}
void fuzz_export_csv(const uint8_t *data, size_t size)
{
    export_rows(data, size, "csv", expect_no_formula);
}
void fuzz_export_jsonl(const uint8_t *data, size_t size)
{
    export_rows(data, size, "jsonl", NULL);
    export_rows(data, size, "gbench", NULL);
}

static void write_machines(const uint8_t *data, size_t size,
                           int (*write)(const struct machines *, const char *, struct error *),
                           void (*check)(const char *path))
{
    const char *const folders[] = {fuzz_other_folder(), fuzz_folder(data, size)};
    const struct machines_request q = {.places = folders, .count = 2, .bar = advice_bar};
    char path[400];
    struct error e = {""};
    struct machines m;
    snprintf(path, sizeof path, "%s/report.html", folders[1]);
    int code = machines_open(&q, &m, &e);
    if (!code) {
        code = write(&m, path, &e);
        lab_close(&m.l);
    }
    if (code)
        fuzz_expect_told(code, &e);
    else if (check)
        check(path);
}

void fuzz_performance(const uint8_t *data, size_t size)
{
    write_machines(data, size, machines_write_text, NULL);
}

void fuzz_cpus(const uint8_t *data, size_t size)
{
    write_machines(data, size, machines_write_page, expect_harmless_page);
}
