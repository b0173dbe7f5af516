-- SPDX-License-Identifier: MIT
-- The errors of a file (?1) summed up, as an archive keeps them.
INSERT OR REPLACE INTO error_sums SELECT * FROM summed_errors WHERE blob = ?1;
