// SPDX-License-Identifier: MIT
/* One command, one file of this folder; src/main.c holds their table. Each returns an exit code
 * of the contract; what is in `e` then is printed by main. */
#ifndef ULPLAB_COMMANDS_H
#define ULPLAB_COMMANDS_H

#include <jansson.h>

#include "cmd/options.h"
#include "model/npy.h"

int cmd_accuracy(const struct options *o, struct error *e);
int cmd_check(const struct options *o, struct error *e);
int cmd_case(const struct options *o, struct error *e);
int cmd_bench(const struct options *o, struct error *e);
int cmd_duel(const struct options *o, struct error *e);
/* bench --pair; input: the array of --input, empty where that was not given. */
int bench_pair(const struct options *o, const struct npy *input, struct error *e);
int cmd_codegen(const struct options *o, struct error *e);
int cmd_diverge(const struct options *o, struct error *e);
int cmd_doctor(const struct options *o, struct error *e);
int cmd_explain(const struct options *o, struct error *e);
int cmd_instructions(const struct options *o, struct error *e);
int cmd_eval(const struct options *o, struct error *e);
int cmd_identify(const struct options *o, struct error *e);
int cmd_list(const struct options *o, struct error *e);
int cmd_report(const struct options *o, struct error *e);
int cmd_run(const struct options *o, struct error *e);
int cmd_search(const struct options *o, struct error *e);
int cmd_scan(const struct options *o, struct error *e);
void scan_words(char *text, size_t size);
/* Prints the rows of a scan: those of fp32, then those in double. */
int cmd_try(const struct options *o, struct error *e);
int cmd_compare(const struct options *o, struct error *e);
int cmd_policy(const struct options *o, struct error *e);
int cmd_history(const struct options *o, struct error *e);
int cmd_fleet(const struct options *o, struct error *e);
int cmd_archive(const struct options *o, struct error *e);
int cmd_sql(const struct options *o, struct error *e);
int cmd_flags(const struct options *o, struct error *e);
int cmd_site(const struct options *o, struct error *e);
int cmd_schema(const struct options *o, struct error *e);
int cmd_export(const struct options *o, struct error *e);

#endif
