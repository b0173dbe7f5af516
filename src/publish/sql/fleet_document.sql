-- SPDX-License-Identifier: MIT
-- The document of `ulplab fleet --json` (render/rows.h, fleet.sql).
SELECT 0 AS "", 1 AS schema, (SELECT submitted FROM submitted) AS "submitted?";
SELECT 0 AS types, name AS type, features AS "select", nodes, state, last FROM types ORDER BY place;
