// SPDX-License-Identifier: MIT
/* The SQL files of this folder (publish/embedded.S). */
#ifndef ULPLAB_DB_SQL_H
#define ULPLAB_DB_SQL_H

extern const char db_schema_sql[];  /* the tables */
extern const char db_load_sql[];    /* records into rows: db/load.c reads its parts */
extern const char db_records_sql[]; /* more parts of it, for exports of records */
extern const char db_machine_sql[]; /* machine.json into temp.said and machines */
extern const char db_run_sql[];     /* and into the run's row */
extern const char db_sums_sql[];    /* tables derived from all errors of a file */
extern const char db_modes_sql[];   /* times of a file of an earlier version */
extern const char db_earlier_sql[]; /* updates of a run of an earlier version */
extern const char db_rename_sql[];  /* variants that count as others */
extern const char db_migrate_sql[]; /* tables of an earlier version make room for those of today */

#endif
