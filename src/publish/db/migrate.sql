-- SPDX-License-Identifier: MIT
-- Tables of version 1 make room for those of today, which are filled from the records again.
DROP VIEW IF EXISTS timings;
DROP VIEW IF EXISTS accuracies;
DROP VIEW IF EXISTS machine_codes;
DROP TABLE IF EXISTS cells;
DROP TABLE IF EXISTS codes;
DROP TABLE IF EXISTS errors;
DROP TABLE IF EXISTS limits;
DROP TABLE IF EXISTS cases;
DROP TABLE IF EXISTS scans;
DROP TABLE IF EXISTS shapes;
DROP TABLE IF EXISTS variants;
ALTER TABLE runs ADD COLUMN timing INTEGER REFERENCES blobs;
ALTER TABLE runs ADD COLUMN folder TEXT;
ALTER TABLE runs ADD COLUMN document TEXT;
