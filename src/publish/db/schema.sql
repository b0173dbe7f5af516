-- SPDX-License-Identifier: MIT
-- The one schema of results. A folder, several folders, or chosen runs of an archive are loaded
-- into memory with it; an archive is a file that has it (docs/archive.md).
--
-- A missing number is NULL, never 0. Times are in nanoseconds, errors in ULP, shares of 1 unless
-- a column says otherwise. Columns marked [memory] are NULL in an archive's file, where they stand
-- in the records: name runs (lab.db:latest) to load them.

PRAGMA application_id = 0x756c706c;
PRAGMA user_version = 6;

-- ---- Where figures come from --------------------------------------------------------------------

-- A CPU, by what it does to times: its features, brand, cores and caches. Runs that were given another
-- number of cores are of another machine.
CREATE TABLE machines(id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL,        -- vendor, family, model, stepping and a hash of the features
  label TEXT,                -- the name that a person gave it
  vendor TEXT, brand TEXT NOT NULL, family INTEGER, model INTEGER, stepping INTEGER,
  features TEXT,             -- a JSON array
  memory_bytes INTEGER, cores INTEGER,
  caches TEXT NOT NULL);     -- 'L1 49152, L2 2097152'
CREATE UNIQUE INDEX machines_are ON machines(slug, brand, coalesce(cores, 0), caches);

-- The contents of files of records. Equal contents of two runs stand here once, and so do all rows
-- that come from them: most files of a nightly run are those of the night before.
CREATE TABLE IF NOT EXISTS blobs(id INTEGER PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL,
  data BLOB NOT NULL,        -- packed by zstd; empty in memory
  UNIQUE(hash, size));

-- A build of the lab with its compilers.
CREATE TABLE IF NOT EXISTS builds(id INTEGER PRIMARY KEY, version TEXT NOT NULL,
  "commit" TEXT NOT NULL, program TEXT NOT NULL, -- a hash of the program
  compilers TEXT NOT NULL,   -- a JSON object: version by name
  UNIQUE(version, "commit", program, compilers));

CREATE TABLE IF NOT EXISTS runs(id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, -- its identity
  machine INTEGER NOT NULL REFERENCES machines, build INTEGER NOT NULL REFERENCES builds,
  "commit" TEXT NOT NULL, started TEXT NOT NULL, added TEXT NOT NULL, mode TEXT, seed INTEGER,
  kernel TEXT, microcode TEXT,
  libraries TEXT,            -- a JSON object: version by name
  content TEXT NOT NULL,     -- a hash of all its files
  bytes INTEGER NOT NULL,    -- of its files
  codegen INTEGER REFERENCES blobs, accuracy INTEGER REFERENCES blobs, -- of its files, these
  timing INTEGER REFERENCES blobs,
  finished TEXT,             -- when it was whole; '': it was cut; NULL: it is of before runs said so
  request TEXT,              -- JSON: what was asked for, whatever build was asked
  folder TEXT,               -- [memory] where it was read from
  document TEXT);            -- [memory] machine.json as it stands: findings, clocks, caches, ..

-- The files of a run. Rows of a table with a column `blob` belong to the runs that have this file.
CREATE TABLE IF NOT EXISTS files(run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  name TEXT NOT NULL, blob INTEGER NOT NULL REFERENCES blobs, PRIMARY KEY(run, name)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS files_of_blobs ON files(blob);

-- A kernel as one compiler built it for one ISA under one policy, or a library's function.
CREATE TABLE variants(id INTEGER PRIMARY KEY,
  variant TEXT NOT NULL UNIQUE, -- the id of the contract
  op TEXT, algorithm TEXT, dtype TEXT, isa TEXT,
  cc TEXT,                   -- the compiler; 'lib' for a library
  policy TEXT);

-- The shapes at which variants are timed.
CREATE TABLE shapes(id INTEGER PRIMARY KEY, "rows" INTEGER NOT NULL, n INTEGER NOT NULL,
  threads INTEGER NOT NULL, family TEXT NOT NULL, UNIQUE("rows", n, threads, family));

-- ---- Times --------------------------------------------------------------------------------------

-- One variant timed on one shape.
CREATE TABLE cells(blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  variant INTEGER NOT NULL REFERENCES variants, shape INTEGER NOT NULL REFERENCES shapes,
  place INTEGER NOT NULL,    -- which record of the file it is
  ns REAL,                   -- time per element: the median over processes; NULL where status is not ok
  low REAL, high REAL,       -- its interval of 95%
  spread REAL,               -- of the processes' medians, a share
  processes INTEGER,
  cycles REAL,               -- per element
  percent REAL,              -- of the limit
  residency TEXT,            -- L1, L2, L3 or DRAM: the first level that holds the working set
  PRIMARY KEY(blob, variant, shape)) WITHOUT ROWID;

-- [memory] What else the record of a cell says.
CREATE TABLE cell_details(blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  variant INTEGER NOT NULL REFERENCES variants, shape INTEGER NOT NULL REFERENCES shapes,
  status TEXT, reason TEXT,
  block TEXT,                -- cells with the same were timed side by side
  low_ns TEXT,               -- a JSON array: per row and process, what ratios are made of
  medians_ns TEXT,           -- a JSON array: per row and process
  flags TEXT,                -- a JSON array
  modes TEXT,                -- a JSON array of {ns_per_row, processes} where flags has two-modes
  half_width REAL,           -- of 95%, beside the block's median, a share
  min_ns REAL,               -- per row
  limit_name TEXT, limit_count REAL, -- which limit binds, and how often per element
  gb_per_s REAL, flops_per_s REAL, cycles_source TEXT, working_set INTEGER,
  samples INTEGER, outliers INTEGER, moved INTEGER,
  team TEXT, ways TEXT,      -- JSON: the code paths considered, and which was taken
  instructions TEXT,         -- JSON: per vector
  efficiency REAL, efficiency_low REAL, efficiency_high REAL, -- of several threads against one
  efficiency_of TEXT, affine INTEGER,
  shapes TEXT,               -- the named set that the shape is of: default, huge, models
  outputs TEXT,              -- a hash of the results, where `duel` timed it
  PRIMARY KEY(blob, variant, shape)) WITHOUT ROWID;

-- A cell that was timed twice: the second time over the first.
CREATE TABLE controls(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  variant INTEGER REFERENCES variants, cell TEXT, block TEXT, family TEXT, threads INTEGER,
  residency TEXT, ratio REAL, low REAL, high REAL, processes INTEGER);
CREATE INDEX controls_of_blobs ON controls(blob);

-- The limits of the core.
CREATE TABLE limits(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  name TEXT, isa TEXT, level TEXT, value REAL, unit TEXT, threads INTEGER, bytes INTEGER,
  nominal INTEGER, processes INTEGER);
CREATE INDEX limits_of_blobs ON limits(blob);

-- ---- Machine code -------------------------------------------------------------------------------

CREATE TABLE codes(blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  variant INTEGER NOT NULL REFERENCES variants, place INTEGER NOT NULL,
  hash TEXT,                 -- of the machine code: variants with the same one run the same code
  status TEXT,               -- [memory] ok, skipped, unbuilt
  reason TEXT,               -- [memory]
  arithmetic TEXT,           -- policy: the compiler may change it; explicit; library
  fma INTEGER, mul INTEGER, "add" INTEGER, div INTEGER, -- instructions
  ymm INTEGER, zmm INTEGER, fma_scalar INTEGER, -- of these, with such a register, or one lane
  undecoded INTEGER,         -- bytes that the disassembler did not know
  declared TEXT,             -- [memory] the command line
  witnessed TEXT,            -- [memory] flags that the object itself names
  observed TEXT,             -- [memory] JSON: what the litmus kernel of the regime did
  expectation TEXT, consistent INTEGER,
  why TEXT,                  -- [memory]
  PRIMARY KEY(blob, variant)) WITHOUT ROWID;

-- The effects of one {compiler, ISA, policy} on arithmetic.
CREATE TABLE litmus(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  isa TEXT, cc TEXT, version TEXT, policy TEXT, status TEXT, reason TEXT,
  observed TEXT, expected TEXT, -- JSON: {contracts, reassociates, honours_nan, ..}
  expectation TEXT, consistent INTEGER, why TEXT);
CREATE INDEX litmus_of_blobs ON litmus(blob);

-- ---- Errors and bits ----------------------------------------------------------------------------

-- The errors on one family of inputs and row length, of all error_variants, whose bits are equal.
CREATE TABLE errors(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  family TEXT, n INTEGER, elements INTEGER, grid INTEGER,
  inputs TEXT,               -- a hash of the user's own
  status TEXT, reason TEXT,
  hazard INTEGER,            -- 1: wrong by design on some inputs
  near_zero INTEGER,         -- 1: results come near zero, so that scaled_error is the error to read
  measure INTEGER,           -- the definition of errors; those of unlike measures do not compare
  verdict TEXT,              -- of its promise: kept, broken; measured: no promise bounds its errors
  lost INTEGER,              -- results without a distance; of measure 1, wrong NaNs, infinities
  max_ulp REAL,              -- over the results that have one
  mean_ulp REAL, bias_ulp REAL, p50_ulp REAL, p99_ulp REAL, p9999_ulp REAL,
  misrounded REAL, unfaithful REAL, -- shares with an error above 0.5, and of 1 or more
  scaled_error REAL,         -- relative to the inputs, in 2^-24
  bound_ratio REAL, bound_ratio_probabilistic REAL, -- measured over proven bound
  exp_ulp REAL, log_ulp REAL,
  nan INTEGER, inf INTEGER, sign INTEGER, zero INTEGER,   -- results that are wrong in this way
  flushed INTEGER,           -- zeros for subnormal results
  beyond_oracle INTEGER, reference TEXT,
  bits TEXT,                 -- a hash of all results
  affine INTEGER,
  max_at TEXT,               -- [memory] JSON: where the largest error is
  outputs TEXT);             -- [memory] JSON: figures of each output where there are several
CREATE INDEX errors_of_blobs ON errors(blob);

CREATE TABLE error_variants(error INTEGER NOT NULL REFERENCES errors ON DELETE CASCADE,
  variant INTEGER NOT NULL REFERENCES variants, PRIMARY KEY(error, variant)) WITHOUT ROWID;

-- The errors of a variant over all families and lengths of a file: summed_errors, kept. In memory
-- it is that view.
CREATE TABLE error_sums(blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  variant INTEGER NOT NULL REFERENCES variants, cells INTEGER NOT NULL, hazard INTEGER NOT NULL,
  max_ulp REAL, max_u REAL, mean_ulp REAL, -- on family normal; max_u: the scaled error
  worst_ulp REAL, worst_u REAL, -- over every family
  bounded INTEGER,           -- how many of its cells a promise bounds, which it kept
  bits TEXT NOT NULL,        -- one hash of all results, to be compared where grid is the same
  grid TEXT NOT NULL,        -- one hash of which inputs they are of, and by which measure
  lost INTEGER,              -- the most of one cell
  measure INTEGER,
  verdict TEXT,              -- of its promises: broken in a cell; kept in some; else measured
  all_lost INTEGER, all_flushed INTEGER, -- of all cells; NULL: records of measure 1
  crashed INTEGER,           -- cells that have no errors: it crashed or hung there, or before
  PRIMARY KEY(blob, variant)) WITHOUT ROWID;

-- Every fp32 input of a unary function, or those of a range.
CREATE TABLE scans(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  variant INTEGER NOT NULL REFERENCES variants, "range" TEXT, status TEXT, reason TEXT,
  evaluated INTEGER, measure INTEGER, verdict TEXT, lost INTEGER, max_ulp REAL, at TEXT,
  misrounded REAL, mean_ulp REAL, bias_ulp REAL,
  nan INTEGER, inf INTEGER, sign INTEGER, zero INTEGER, flushed INTEGER, outputs TEXT, seconds REAL,
  per_second REAL, mxcsr_kept INTEGER, declared_ulp REAL, hazard INTEGER, same_code_as TEXT,
  code_hash TEXT, method INTEGER, libraries TEXT, "commit" TEXT, -- commit: of the build
  regions TEXT, short TEXT, binades TEXT); -- [memory] JSON
CREATE INDEX scans_of_blobs ON scans(blob);

-- Functions in double, on some of their inputs: the largest errors are those that were found.
CREATE TABLE scans_f64(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  variant INTEGER NOT NULL REFERENCES variants, status TEXT, reason TEXT, measure INTEGER,
  tried INTEGER,             -- inputs
  per_binade INTEGER,        -- of these in each power of two; lost, means and shares are over them
  largest_ulp REAL, at TEXT, found_by TEXT, -- listed, sampled, jump or descent
  normal_ulp REAL, subnormal_ulp REAL, ends_ulp REAL, -- the largest of those in each power of two
  lost INTEGER, lost_at TEXT, odd_at TEXT, nan INTEGER, inf INTEGER, sign INTEGER, zero INTEGER, flushed INTEGER,
  misrounded REAL, unfaithful REAL, mean_ulp REAL,
  jumps INTEGER,             -- places where the error jumps, next to which it was searched
  seconds REAL, mxcsr_kept INTEGER, same_code_as TEXT, "commit" TEXT,
  published TEXT);           -- [memory] JSON: the error at each published worst input
CREATE INDEX scans_f64_of_blobs ON scans_f64(blob);

-- Variants of equal bits.
CREATE TABLE classes(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  op TEXT, dtype TEXT, class INTEGER, representative INTEGER REFERENCES variants, label TEXT);
CREATE INDEX classes_of_blobs ON classes(blob);
CREATE TABLE members(id INTEGER PRIMARY KEY,
  class INTEGER NOT NULL REFERENCES classes ON DELETE CASCADE,
  variant INTEGER NOT NULL REFERENCES variants);
CREATE INDEX members_of_classes ON members(class);

-- The distance between two classes; a and b are their representatives.
CREATE TABLE divergences(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  a INTEGER REFERENCES variants, b INTEGER REFERENCES variants, elements INTEGER,
  mismatched REAL, mismatched_bf16 REAL, mismatched_fp16 REAL, mismatched_nan REAL, -- shares
  max_ulp_distance REAL,
  unit TEXT);                -- of the distance; NULL: steps of fp32, whatever the type of the results
CREATE INDEX divergences_of_blobs ON divergences(blob);

-- Whether a variant gives the same bits again: 1, 0, or NULL if that was not tried.
CREATE TABLE invariances(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  variant INTEGER NOT NULL REFERENCES variants, status TEXT, run INTEGER, threads INTEGER,
  row_position INTEGER, batch INTEGER, tail INTEGER, isa INTEGER, cc INTEGER, policy INTEGER);
CREATE INDEX invariances_of_blobs ON invariances(blob);

-- A sentence for each operation.
CREATE TABLE meanings(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  op TEXT, dtype TEXT, variants INTEGER, classes INTEGER, elements INTEGER, sentence TEXT);
CREATE INDEX meanings_of_blobs ON meanings(blob);

-- ---- Other evidence -----------------------------------------------------------------------------

CREATE TABLE cases(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  name TEXT, status TEXT, verdict TEXT, -- reproduced, not-reproduced, skipped
  price TEXT,                -- what the remedy costs
  record TEXT);              -- [memory] JSON: the whole record, its rows, tables and curves, too
CREATE INDEX cases_of_blobs ON cases(blob);

-- The worst input that a search found.
CREATE TABLE searches(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  variant INTEGER REFERENCES variants, n INTEGER, status TEXT, objective TEXT, score REAL,
  max_ulp REAL, bound_ratio REAL, scaled_error REAL, special INTEGER, input TEXT,
  evaluations INTEGER, gain REAL, room REAL, "commit" TEXT,
  record TEXT);              -- [memory] JSON: the whole record, its history among it
CREATE INDEX searches_of_blobs ON searches(blob);

-- The oracle against MPFR.
CREATE TABLE certificates(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  op TEXT, dtype TEXT, family TEXT, bits INTEGER, seed INTEGER, "rows" INTEGER, "values" INTEGER,
  beyond INTEGER, max_ulp REAL, at TEXT, certified INTEGER, "commit" TEXT);
CREATE INDEX certificates_of_blobs ON certificates(blob);

-- The measurements of `ulplab instructions`, in cycles of the core.
CREATE TABLE instructions(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  form TEXT NOT NULL,        -- a mnemonic and its operands' kinds: 'vaddps zmm{k} zmm zmm'
  bits INTEGER,              -- of its widest vector; 0: it has none
  status TEXT, latency REAL, latency_mixed REAL,
  cycles REAL,               -- per instruction, nothing waiting
  cycles_subnormal REAL,     -- of subnormal operands
  pipes TEXT,                -- that it can use: '01'
  work REAL, hinders TEXT, hindrance REAL, misfit REAL, "commit" TEXT);
CREATE INDEX instructions_of_blobs ON instructions(blob);

-- The core that they were measured on; one row of a file.
CREATE TABLE cores(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  slots REAL,                -- instructions that do work and begin in a cycle; before 0.2.0 of nops or moves
  general REAL,              -- of these, of general registers
  branch_cycles REAL,        -- between taken branches
  window REAL, scheduler REAL, -- of versions before 0.2.0: instructions, and vector instructions, that may wait
  general_behind_wide REAL,  -- time right behind 512-bit code over time before
  scalar_behind_wide REAL, avx2_behind_wide REAL,
  vectors TEXT,              -- JSON: bits, pipes, kinds
  "commit" TEXT);
CREATE INDEX cores_of_blobs ON cores(blob);

-- A flag of a compiler, alone on top of a baseline and left out of all (`ulplab flags`), for one
-- kernel. [memory]: an archive's file has no row of this table and the next. gain: how many times as
-- fast the baseline is with it (and with what it needs); cost: how many times as fast all are as all
-- without it. NULL: not built, not one of all. Intervals are of 95%.
CREATE TABLE flags(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  op TEXT, algorithm TEXT, isa TEXT, cc TEXT, version TEXT,
  base TEXT, "all" TEXT,     -- flags of the baseline; the flag set to take apart
  shapes TEXT, name TEXT,
  kind TEXT,                 -- part (of -ffast-math), tune, other, link
  flag TEXT, needs TEXT, gives_up TEXT, status TEXT,
  code INTEGER,              -- 1: it changes the machine code
  gain REAL, gain_low REAL, gain_high REAL,
  left_out_code INTEGER,     -- 1: leaving it out of all changes the machine code
  cost REAL, cost_low REAL, cost_high REAL,
  cost_without_macro REAL,   -- the same where __FAST_MATH__ is not defined
  bits INTEGER, specials INTEGER, -- 1: bits, results of special inputs change
  broken INTEGER,            -- 1: a promise that the baseline keeps
  lost INTEGER,              -- results that the baseline computes
  changed INTEGER,           -- numbers for its NaN, infinities and zeros, and the reverse
  worse INTEGER,             -- 1: an error grows by more than harm.sql lets it
  allowed INTEGER, why TEXT, -- 1: alone it may be had; why not
  flushed INTEGER,           -- zeros in the place of its subnormal results
  breaks TEXT, mends TEXT,   -- JSON arrays of case studies: alone, left out of all; NULL: not run
  error REAL, error_of_base REAL, unit TEXT, -- where an error grows most
  worst TEXT,                -- JSON: {family, n, lost, row_seed, row, index, input, got, want}
  "commit" TEXT);

-- The fewest flags of all that keep `keep` of the gain that may be had, for one kernel.
CREATE TABLE flag_sets(id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs ON DELETE CASCADE,
  op TEXT, algorithm TEXT, isa TEXT, cc TEXT, version TEXT, base TEXT, "all" TEXT, shapes TEXT,
  keep REAL,
  allow TEXT,                -- a JSON array of lost, errors, no-bits
  pays INTEGER,              -- 1: some set that may be had is faster than the baseline
  flags TEXT, best TEXT,     -- the fewest words of the set's code; the fastest that may be had
  is_all INTEGER,            -- 1: they are all of `all`, none of which is left out for nothing
  at_link TEXT,              -- those of them that on a link line set FTZ and DAZ for the process
  speed REAL, speed_low REAL, speed_high REAL, -- over the baseline's
  best_speed REAL, all_speed REAL, all_speed_low REAL, all_speed_high REAL,
  kept REAL, processes INTEGER,
  explains TEXT,             -- a JSON array of names: the fewest with 90% of the gain of all
  explained REAL,            -- the share, of logarithms
  parts_are_all INTEGER,     -- 1: the parts together have the machine code of `all` as written
  bits INTEGER, specials INTEGER, broken INTEGER, lost INTEGER, changed INTEGER, worse INTEGER,
  flushed INTEGER, breaks TEXT, why TEXT,
  error REAL, error_of_base REAL, unit TEXT, worst TEXT,
  all_lost INTEGER, all_broken INTEGER, all_bits INTEGER, all_changed INTEGER, all_worse INTEGER,
  all_allowed INTEGER, all_why TEXT, all_error REAL, all_error_of_base REAL, all_unit TEXT,
  sentence TEXT, "commit" TEXT);

-- ---- Views -----------------------------------------------------------------------------------

-- The errors of a variant over its cells. Records of measure 1 have no lost results and no verdicts.
CREATE VIEW summed_errors AS SELECT e.blob, ev.variant, count(*) AS cells,
  max(coalesce(e.hazard, 0)) AS hazard,
  max(e.max_ulp) FILTER (WHERE e.family = 'normal') AS max_ulp,
  max(e.scaled_error) FILTER (WHERE e.family = 'normal') AS max_u,
  avg(e.mean_ulp) FILTER (WHERE e.family = 'normal') AS mean_ulp,
  max(e.max_ulp) AS worst_ulp, max(e.scaled_error) AS worst_u, sum(e.verdict IS 'kept') AS bounded,
  digest(e.results) AS bits, digest(e.inputs) AS grid,
  max(e.lost) AS lost, max(e.measure) AS measure,
  CASE WHEN sum(e.verdict = 'broken') THEN 'broken' WHEN sum(e.verdict = 'kept') THEN 'kept'
    ELSE max(e.verdict) END AS verdict,
  sum(e.lost) AS all_lost, sum(e.flushed) AS all_flushed, sum(e.crashed) AS crashed
FROM (SELECT id, blob, hazard, family, verdict, nullif(measure, 1) AS measure,
    iif(measure > 1, lost, NULL) AS lost, iif(measure > 1, flushed, NULL) AS flushed,
    coalesce(status, 'ok') NOT IN ('ok', 'wrong') AS crashed,
    iif(measure > 1 AND lost > 0, 9e999, max_ulp) AS max_ulp,
    iif(measure > 1 AND lost > 0, 9e999, scaled_error) AS scaled_error,
    iif(measure > 1 AND lost > 0, 9e999, mean_ulp) AS mean_ulp,
    hash_of(family, n, elements, inputs, nullif(measure, 1)) AS inputs,
    hash_of(family, n, elements, inputs, bits) AS results
  FROM errors WHERE coalesce(status, '') NOT IN ('skipped', 'unbuilt')) e
JOIN error_variants ev ON ev.error = e.id GROUP BY e.blob, ev.variant;

-- A name of its own for each machine: its slug; behind it its brand, cores and caches, where several have that.
CREATE VIEW machine_names AS SELECT id, slug || CASE WHEN count(*) OVER (PARTITION BY slug) = 1 THEN ''
    WHEN count(*) OVER (PARTITION BY slug, brand) = 1 THEN ' (' || brand || ')'
    WHEN count(*) OVER (PARTITION BY slug, brand, cores) = 1 THEN printf(' (%s: %d cores)', brand, cores)
    ELSE printf(' (%s: %d cores: %s)', brand, cores, replace(caches, ',', '')) END AS name FROM machines;

-- What a variant's code is in a run: its machine code and what that calls, a version; of a library its version.
CREATE VIEW run_codes AS
SELECT run, variant, nullif(trim(hash || ' ' || coalesce(called, '')), '') AS code, called FROM (
  SELECT r.id AS run, c.variant, c.hash, iif(c.arithmetic = 'library', iif(v.algorithm LIKE 'sleef%',
    'SLEEF ' || (r.libraries ->> 'SLEEF'), 'glibc ' || (r.libraries ->> 'glibc')), NULL) AS called
  FROM runs r JOIN codes c ON c.blob = r.codegen JOIN variants v ON v.id = c.variant WHERE c.hash IS NOT NULL
  UNION ALL SELECT r.id, v.id, '', r.libraries ->> substr(v.algorithm, 6) FROM runs r, variants v
  WHERE v.algorithm LIKE 'peer-%');

-- ---- Names joined to figures --------------------------------------------------------------------
-- began: when a run did, or when it was added, if that is earlier: a date that was to come then is no date.

CREATE VIEW run_files AS SELECT f.blob, f.name AS file, r.id AS run_id, r.run, m.name AS machine,
  r.started, min(r.started, r.added) AS began, r."commit"
  FROM files f JOIN runs r ON r.id = f.run JOIN machine_names m ON m.id = r.machine;

-- Cells with all that is known of them.
CREATE VIEW timings AS SELECT r.run, r.machine, r.started, r.began, r."commit", v.variant,
  v.op, v.algorithm, v.dtype, v.isa, v.cc, v.policy, s."rows", s.n, s.threads, s.family,
  c.ns, c.low, c.high, c.spread, c.processes, c.cycles, c.percent, c.residency,
  d.status, d.reason, d.block, d.low_ns, d.flags, d.modes, d.half_width, d.limit_name
  FROM cells c JOIN run_files r ON r.blob = c.blob JOIN variants v ON v.id = c.variant
  JOIN shapes s ON s.id = c.shape
  LEFT JOIN cell_details d ON d.blob = c.blob AND d.variant = c.variant AND d.shape = c.shape;

-- [memory] What ratios are made of: the lower decile of a cell's samples in each process, per row.
CREATE VIEW samples AS SELECT d.blob, d.variant, d.shape, d.block, p.key AS process, p.value AS ns
  FROM cell_details d, json_each(d.low_ns) p;

-- [memory] Cells as pair(t, t) takes them. tied: as many of its processes take one time as another.
CREATE VIEW sampled_cells AS SELECT *, sample(ns, low, high, tied, low_ns, coalesce(block, '')) AS t FROM (
  SELECT c.*, d.block, d.low_ns, d.modes IS NOT NULL AND (
    SELECT 2 * max(value ->> 'processes') <= sum(value ->> 'processes') FROM json_each(d.modes)) AS tied
  FROM cells c LEFT JOIN cell_details d ON d.blob = c.blob AND d.variant = c.variant AND d.shape = c.shape);

-- Errors of a variant over all inputs.
CREATE VIEW accuracies AS SELECT r.run, r.machine, r.started, r.began, r."commit", v.variant,
  v.op, v.algorithm, v.dtype, v.isa, v.cc, v.policy, a.cells, a.hazard, a.max_ulp, a.max_u,
  a.mean_ulp, a.worst_ulp, a.bits, a.grid, a.lost, a.measure, a.verdict
  FROM error_sums a JOIN run_files r ON r.blob = a.blob JOIN variants v ON v.id = a.variant;

-- Errors of a variant on one family and row length: infinite where results were lost.
CREATE VIEW measured_errors AS SELECT r.run, r.machine, r.started, r."commit", v.variant,
  v.op, v.algorithm, v.dtype, v.isa, v.cc, v.policy, e.family, e.n, e.elements, e.status, e.hazard,
  e.measure, e.verdict, e.lost,
  iif(e.lost > 0, 9e999, e.max_ulp) AS max_ulp, iif(e.lost > 0, 9e999, e.mean_ulp) AS mean_ulp,
  e.bias_ulp, e.p50_ulp, e.p99_ulp, e.p9999_ulp, e.misrounded, e.unfaithful, e.scaled_error,
  e.bound_ratio, e.nan, e.inf, e.sign, e.zero, e.flushed, e.bits, e.max_at
  FROM errors e JOIN error_variants ev ON ev.error = e.id JOIN run_files r ON r.blob = e.blob
  JOIN variants v ON v.id = ev.variant;

CREATE VIEW machine_codes AS SELECT r.run, r.machine, r.started, r."commit", v.variant,
  v.op, v.algorithm, v.dtype, v.isa, v.cc, v.policy, c.hash, k.code, c.status, c.arithmetic, c.fma, c.mul,
  c."add", c.div, c.ymm, c.zmm, c.expectation, c.consistent
  FROM codes c JOIN run_files r ON r.blob = c.blob JOIN variants v ON v.id = c.variant
  LEFT JOIN run_codes k ON k.run = r.run_id AND k.variant = c.variant;

CREATE VIEW scanned AS SELECT r.run, r.machine, r.started, v.variant, v.op, v.algorithm, v.isa,
  v.cc, v.policy, s."range", s.status, s.verdict, s.lost,
  iif(s.lost > 0, 9e999, s.max_ulp) AS max_ulp, s.at, s.misrounded, s.mean_ulp
  FROM scans s JOIN run_files r ON r.blob = s.blob JOIN variants v ON v.id = s.variant;

CREATE VIEW studied AS SELECT r.run, r.machine, r.started, c.name, c.status, c.verdict, c.price
  FROM cases c JOIN run_files r ON r.blob = c.blob;

CREATE VIEW limits_of_machines AS SELECT r.run, r.machine, r.started, l.name, l.isa, l.level,
  l.value, l.unit, l.threads FROM limits l JOIN run_files r ON r.blob = l.blob;
