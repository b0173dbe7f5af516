-- SPDX-License-Identifier: MIT
-- The advice as a piece of somebody's build (paste.sql), in the format ?1: emitted has its text. Lines for CMake and
-- Meson test which compiler it is: those of several stand together.
SELECT 1, 'policy: --emit ' || ?1 || ': ' || why || '; loosen the constraints' FROM advice
WHERE NOT EXISTS(SELECT 1 FROM recommended);
CREATE TEMP TABLE emitted_builds AS
SELECT row_number() OVER (ORDER BY is_other, at) AS build, * FROM (
  SELECT 0 AS is_other, 0 AS at, cc, policy, flags FROM judged JOIN recommended USING (place)
  UNION ALL SELECT 1, row_number() OVER (), o.cc, o.policy, o.flags FROM recommended_each e JOIN judged o USING (place)
  WHERE o.cc <> (SELECT cc FROM judged JOIN recommended USING (place)));
INSERT INTO pastes SELECT 2 * build + cxx, cc, '-O3', flags, NULL, cxx
FROM emitted_builds, (SELECT 0 AS cxx UNION ALL SELECT 1) WHERE NOT (cxx AND ?1 = 'bazel');
CREATE TEMP TABLE emitted AS
WITH part AS (
  SELECT 0 AS place, '# ' || j.cc || ' ' || j.policy || ', chosen by ulplab policy from ' || a.folder || ' (' || m.slug
    || '), ulplab ' || b.version || ' commit ' || iif(r."commit" = '', 'unknown', r."commit") || ', '
    || iif(r.started = '', 'of an unknown date', r.started) || char(10) || '# ' || why || char(10)
    || '# Measured at -O3'
    || iif(safe, '.', '; compile lines only: on a link line it changes the whole process.') || char(10)
    || iif(flags = '', '# No flag: this is what the compiler does under -std=gnu11 where nothing is said;' || char(10)
      || '# under -std=c11 gcc contracts nothing.' || char(10), '') AS text
  FROM asked a, advice, runs r JOIN machines m ON m.id = r.machine JOIN builds b ON b.id = r.build,
    judged j JOIN recommended USING (place)
  UNION ALL SELECT 2 * build - 0.5, '# With ' || cc || ': ' || policy
    || ', the most conservative within 2% of its fastest' || iif(?1 IN ('cmake', 'meson'), '.',
      ', instead of the lines above:' || char(10) || '#   -O3 ' || flags) || char(10) FROM emitted_builds WHERE is_other
  UNION ALL SELECT p.place, text FROM pasted p JOIN emitted_builds ON build = p.place / 2
  WHERE format = ?1 AND (NOT is_other OR ?1 IN ('cmake', 'meson')))
SELECT group_concat(text, '') AS text FROM (SELECT text FROM part ORDER BY place);
