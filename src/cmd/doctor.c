// SPDX-License-Identifier: MIT
/* doctor: whether this machine is fit to measure. */
#include <stdio.h>

#include "cmd/common.h"
#include "machine/doctor.h"
#include "model/record.h"
#include "publish/render/table.h"

enum { FINDINGS_MAX = 64 };

static void print_finding(const struct finding *f)
{
    static const char *const starts[] = {
        [SEVERITY_WARN] = "\033[33m", [SEVERITY_FAIL] = "\033[31m"};
    struct terminal terminal = terminal_of(stdout);
    bool tinted = terminal.colour && f->severity >= SEVERITY_WARN;
    if (tinted) fputs(starts[f->severity], stdout);
    write_prose(stdout, terminal, 21, "%-14s %-5s %s", f->check, severity_name(f->severity),
                f->value);
    if (f->remedy[0]) write_prose(stdout, terminal, 24, "%-20s -> %s", "", f->remedy);
    if (tinted) fputs("\033[0m", stdout);
}

int cmd_doctor(const struct options *o, struct error *e)
{
    struct cpu cpu;
    struct topology topology;
    int code = cpu_detect(&cpu, o->hide_isa, e);
    if (!code) code = topology_read(&topology, e);
    if (code) return code;

    struct finding findings[FINDINGS_MAX];
    size_t n = doctor_examine(&cpu, &topology, "", findings, FINDINGS_MAX);
    topology_close(&topology);
    enum severity worst = SEVERITY_OK;
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++) {
        if (findings[i].severity > worst) worst = findings[i].severity;
        json_array_append_new(rows, doctor_record(&findings[i]));
        if (!o->json) print_finding(&findings[i]);
    }
    if (o->json) {
        json_t *document = new_document(&cpu);
        json_object_set_new(document, "findings", rows);
        code = record_print(document, e);
    } else {
        json_decref(rows);
        if (!o->quiet)
            puts(worst == SEVERITY_FAIL   ? "not fit to measure"
                 : worst == SEVERITY_WARN ? "fit to measure, with care"
                                          : "fit to measure");
    }
    return code ? code : worst == SEVERITY_FAIL ? EXIT_GATE : EXIT_DONE;
}
