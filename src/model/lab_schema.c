#include "model/lab_schema.h"

#define ACCURACIES                                                                                 \
    "CREATE VIEW accuracies AS SELECT r.run, m.slug AS machine, r.started, r.\"commit\", "         \
    "v.variant,\n"                                                                                 \
    "  v.op, v.algorithm, v.dtype, v.isa, v.cc, v.policy, a.cells, a.hazard, a.max_ulp, "          \
    "a.max_u,\n"                                                                                   \
    "  a.mean_ulp, a.worst_ulp, a.bits, a.grid, a.lost, a.measure, a.verdict\n"                    \
    "  FROM errors a JOIN runs r ON r.accuracy = a.accuracy JOIN machines m ON m.id = r.machine\n" \
    "  JOIN variants v ON v.id = a.variant;\n"

/* Records stand in blobs, once for each content: most files of a nightly run are those of the night
 * before. The other tables hold what is asked for without unpacking: figures of machine code and of
 * accuracy belong to the file that they come from, so that runs share them too. */
const char lab_schema[] =
    "PRAGMA application_id = 0x756c706c;\n"
    "PRAGMA user_version = 1;\n"
    "CREATE TABLE machines(id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, label TEXT,\n"
    "  vendor TEXT, brand TEXT, family INTEGER, model INTEGER, stepping INTEGER, features TEXT,\n"
    "  memory_bytes INTEGER, cores INTEGER);\n"
    "CREATE TABLE blobs(id INTEGER PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL,\n"
    "  data BLOB NOT NULL, UNIQUE(hash, size));\n"
    "CREATE TABLE builds(id INTEGER PRIMARY KEY, version TEXT NOT NULL, \"commit\" TEXT NOT NULL,\n"
    "  program TEXT NOT NULL, compilers TEXT NOT NULL,\n"
    "  UNIQUE(version, \"commit\", program, compilers));\n"
    "CREATE TABLE runs(id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE,\n"
    "  machine INTEGER NOT NULL REFERENCES machines, build INTEGER NOT NULL REFERENCES builds,\n"
    "  \"commit\" TEXT NOT NULL, started TEXT NOT NULL, added TEXT NOT NULL, mode TEXT, seed "
    "INTEGER,\n"
    "  kernel TEXT, microcode TEXT, libraries TEXT, content TEXT NOT NULL, bytes INTEGER NOT "
    "NULL,\n"
    "  codegen INTEGER REFERENCES blobs, accuracy INTEGER REFERENCES blobs);\n"
    "CREATE TABLE files(run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,\n"
    "  name TEXT NOT NULL, blob INTEGER NOT NULL REFERENCES blobs, PRIMARY KEY(run, name))\n"
    "  WITHOUT ROWID;\n"
    "CREATE INDEX files_of_blobs ON files(blob);\n"
    "CREATE TABLE variants(id INTEGER PRIMARY KEY, variant TEXT NOT NULL UNIQUE, op TEXT,\n"
    "  algorithm TEXT, dtype TEXT, isa TEXT, cc TEXT, policy TEXT);\n"
    "CREATE TABLE shapes(id INTEGER PRIMARY KEY, \"rows\" INTEGER NOT NULL, n INTEGER NOT NULL,\n"
    "  threads INTEGER NOT NULL, family TEXT NOT NULL, log INTEGER NOT NULL,\n"
    "  UNIQUE(\"rows\", n, threads, family, log));\n"
    "CREATE TABLE cells(run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,\n"
    "  variant INTEGER NOT NULL REFERENCES variants, shape INTEGER NOT NULL REFERENCES shapes,\n"
    "  ns REAL, low REAL, high REAL, spread REAL, processes INTEGER, cycles REAL, percent REAL,\n"
    "  residency TEXT, PRIMARY KEY(run, variant, shape)) WITHOUT ROWID;\n"
    "CREATE TABLE codes(codegen INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,\n"
    "  variant INTEGER NOT NULL REFERENCES variants, hash TEXT NOT NULL,\n"
    "  PRIMARY KEY(codegen, variant)) WITHOUT ROWID;\n"
    "CREATE TABLE errors(accuracy INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,\n"
    "  variant INTEGER NOT NULL REFERENCES variants, cells INTEGER NOT NULL, hazard INTEGER NOT "
    "NULL,\n"
    "  max_ulp REAL, max_u REAL, mean_ulp REAL, worst_ulp REAL, bits TEXT NOT NULL, grid TEXT NOT "
    "NULL,\n"
    "  lost INTEGER, measure INTEGER, verdict TEXT, PRIMARY KEY(accuracy, variant)) WITHOUT "
    "ROWID;\n"
    "CREATE TABLE limits(run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, name TEXT,\n"
    "  isa TEXT, level TEXT, value REAL, unit TEXT, threads INTEGER);\n"
    "CREATE INDEX limits_of_runs ON limits(run);\n"
    "CREATE TABLE cases(run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, name TEXT,\n"
    "  verdict TEXT, price TEXT);\n"
    "CREATE INDEX cases_of_runs ON cases(run);\n"
    "CREATE TABLE scans(run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,\n"
    "  variant INTEGER NOT NULL REFERENCES variants, \"range\" TEXT, max_ulp REAL, at TEXT,\n"
    "  misrounded REAL, lost INTEGER, measure INTEGER, verdict TEXT);\n"
    "CREATE INDEX scans_of_runs ON scans(run);\n"
    "CREATE VIEW timings AS SELECT r.run, m.slug AS machine, r.started, r.\"commit\", v.variant,\n"
    "  v.op, v.algorithm, v.dtype, v.isa, v.cc, v.policy, s.\"rows\", s.n, s.threads, s.family,\n"
    "  s.log, c.ns, c.low, c.high, c.spread, c.cycles, c.percent, c.residency\n"
    "  FROM cells c JOIN runs r ON r.id = c.run JOIN machines m ON m.id = r.machine\n"
    "  JOIN variants v ON v.id = c.variant JOIN shapes s ON s.id = c.shape;\n" ACCURACIES
    "CREATE VIEW machine_codes AS SELECT r.run, m.slug AS machine, r.started, r.\"commit\",\n"
    "  v.variant, v.op, v.algorithm, v.isa, v.cc, v.policy, c.hash\n"
    "  FROM codes c JOIN runs r ON r.codegen = c.codegen JOIN machines m ON m.id = r.machine\n"
    "  JOIN variants v ON v.id = c.variant;\n";

const char lab_measures[] = "ALTER TABLE errors ADD COLUMN lost INTEGER;\n"
                            "ALTER TABLE errors ADD COLUMN measure INTEGER;\n"
                            "ALTER TABLE errors ADD COLUMN verdict TEXT;\n"
                            "ALTER TABLE scans ADD COLUMN lost INTEGER;\n"
                            "ALTER TABLE scans ADD COLUMN measure INTEGER;\n"
                            "ALTER TABLE scans ADD COLUMN verdict TEXT;\n"
                            "DROP VIEW accuracies;\n" ACCURACIES;

const char lab_log_softmax[] =
    "INSERT OR IGNORE INTO variants(variant, op, algorithm, dtype, isa, cc, policy)\n"
    "  SELECT DISTINCT 'log_' || v.variant, 'log_' || v.op, v.algorithm, v.dtype, v.isa, v.cc,\n"
    "  v.policy FROM cells c JOIN shapes s ON s.id = c.shape JOIN variants v ON v.id = c.variant\n"
    "  WHERE s.log = 1;\n"
    "INSERT OR IGNORE INTO codes(codegen, variant, hash)\n"
    "  SELECT c.codegen, l.id, c.hash FROM codes c JOIN variants v ON v.id = c.variant\n"
    "  JOIN variants l ON l.variant = 'log_' || v.variant;\n"
    "INSERT OR IGNORE INTO shapes(\"rows\", n, threads, family, log)\n"
    "  SELECT \"rows\", n, threads, family, 0 FROM shapes WHERE log = 1;\n"
    "UPDATE OR REPLACE cells SET variant = (SELECT l.id FROM variants v\n"
    "    JOIN variants l ON l.variant = 'log_' || v.variant WHERE v.id = cells.variant),\n"
    "  shape = (SELECT t.id FROM shapes s JOIN shapes t ON t.\"rows\" = s.\"rows\" AND t.n = s.n\n"
    "    AND t.threads = s.threads AND t.family = s.family AND t.log = 0\n"
    "    WHERE s.id = cells.shape)\n"
    "  WHERE shape IN (SELECT id FROM shapes WHERE log = 1);\n"
    "DELETE FROM shapes WHERE log = 1;\n";
