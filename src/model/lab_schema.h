/* The tables of an archive; docs/archive.md explains them. */
#ifndef ULPLAB_LAB_SCHEMA_H
#define ULPLAB_LAB_SCHEMA_H

/* "ulpl", by which programs like file(1) know a database's kind. */
enum { LAB_APPLICATION = 0x756c706c, LAB_VERSION = 1 };
extern const char lab_schema[];
/* Adds what records say since measure 2 (docs/method.md, "Error measure") to an archive that lacks
 * it. */
extern const char lab_measures[];
/* Makes of what an earlier version timed as log_softmax (shapes.log = 1, of variants of softmax)
 * cells of the operation log_softmax. */
extern const char lab_log_softmax[];

#endif
