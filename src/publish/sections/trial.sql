-- SPDX-License-Identifier: MIT
-- The answer of `ulplab try`. `given` has one row: the document of `ulplab try` (docs/contract.md).
CREATE TEMP TABLE build AS
SELECT b.key AS place, b.value AS record, b.value ->> 'id' AS id, b.value ->> 'status' AS status,
  b.value ->> 'status' = 'ok' AS ok,
  CASE WHEN NOT b.value ->> 'yours' THEN (b.value ->> 'cc') || ' ' || (b.value ->> 'policy')
    WHEN sum(b.value ->> 'yours') OVER () > 1 THEN 'yours, ' || (b.value ->> 'cc') ELSE 'yours' END AS name,
  b.value ->> 'flags' AS flags,
  b.value ->> 'error' AS error, b.value ->> 'unit' AS unit,
  coalesce(b.value ->> 'mean_error', iif(instr(b.value -> 'infinite', 'mean_error'), 9e999, NULL)) AS mean,
    coalesce(b.value ->> 'lost', 0) AS lost,
  coalesce(b.value ->> 'wrong', 0) AS wrong, coalesce(b.value ->> 'answered', 0) AS answered,
    b.value ->> 'harm' AS harm,
  b.value ->> 'gives_up' AS gives_up, b.value ->> 'refused' AS refused,
  b.value ->> 'id' IS document ->> 'own' AS own, b.value ->> 'id' IS document ->> 'advised' AS advised
FROM given, json_each(document, '$.builds') b;
CREATE TEMP TABLE time AS
WITH of AS (SELECT id, 'build' AS kind, name, record FROM build
  UNION ALL SELECT o.value ->> 'id', o.value ->> 'kind', o.value ->> 'algorithm', o.value
    FROM given, json_each(document, '$.others') o
  UNION ALL SELECT 'copy', 'copy', '', document -> 'copy' FROM given)
SELECT of.id, of.kind, of.name, t.key AS shape, t.key = document ->> 'main_shape' AS is_main,
  t.value ->> 'residency' AS residency,
  (t.key + 0) * substr(t.key, instr(t.key, 'x') + 1) AS elements,
  coalesce(t.value ->> 'ns_without_copy', t.value ->> 'ns_per_element') AS ns,
  coalesce(t.value ->> 'percent_without_copy', t.value ->> 'percent_of_limit') AS percent
FROM given, of, json_each(of.record, '$.times') t;
-- ns of each build at the main shape; `beside` has the fastest of each kind.
CREATE TEMP TABLE main AS SELECT b.*, t.ns FROM build b LEFT JOIN time t ON t.id = b.id AND t.is_main;
-- The harm of a build's flags, in words: the code that the compiler deleted, and the first affected
-- result.
CREATE TEMP TABLE hurt AS
SELECT id, harm || coalesce(': ' || (record ->> 'deleted'), '') AS words, coalesce('; the first of these results' ||
  coalesce(', of input ' || (at ->> 'input') || ',', '') || ' is ' || (at ->> 'got') || ' (family ' || (at ->> 'family')
  || ', n = ' || (at ->> 'n') || ', row ' || (at ->> 'row') || ', element ' || (at ->> 'index') || ')', '') AS located
FROM (SELECT *, record -> 'beside_at' AS at FROM build) WHERE harm IS NOT NULL;
CREATE TEMP TABLE verdict AS SELECT v ->> 'heading' AS heading, v ->> 'falls' AS falls, v ->> 'advice' AS advice,
  v ->> 'flushed' AS flushed,
  v ->> 'answered' AS answered, v ->> 'alone' AS alone, v -> 'fit' AS fit, v ->> 'far' AS far,
  v ->> 'passed_over' AS passed_over, v -> 'beside' AS beside
    FROM (SELECT document -> 'verdict' AS v FROM given);
CREATE TEMP TABLE beside AS SELECT id, kind, name, min(ns) AS ns FROM time
  WHERE is_main AND kind IN ('plain', 'lab', 'library') GROUP BY kind;

SELECT s ->> 'call' AS "words|`%s` as `%s`%s, ISA %s, against %s%s; built in %.1f s, all in %.0f s.", s ->> 'op',
  iif(s ->> 'op_guessed', ' (guessed from its name; --op sets another)', ''), s ->> 'isa',
  iif(s ->> 'reference' IS NULL, 'the lab''s oracle', 'the reference in '), coalesce(s ->> 'reference', ''),
  document ->> 'build_seconds', document ->> 'seconds' FROM (SELECT document, document -> 'subject' AS s FROM given);

-- The call as it was understood, operand by operand.
SELECT coalesce(nullif(o.value ->> 'name', ''), 'return value') AS parameter, o.value ->> 'type' AS "type|%s",
  o.value ->> 'role' AS "is|%s",
  o.value ->> 'filled' AS "gets|%s", o.value ->> 'why' AS "evidence|%s"
FROM given, json_each(document, '$.subject.operands') o ORDER BY o.key;
SELECT rtrim(coalesce('rows at multiples of ' || (s ->> 'aligned') || ' bytes, ', '')
  || coalesce('lengths that are multiples of ' || (s ->> 'multiple'), ''), ', ')
    AS "words|Its callers guarantee %s: it was only called so."
FROM (SELECT document -> 'subject' AS s FROM given) WHERE coalesce(s ->> 'aligned', s ->> 'multiple') > 0;

SELECT heading FROM verdict;
WITH meaning(status, words) AS (VALUES
  ('sigsegv', (SELECT CASE WHEN p IS NULL THEN 'it accessed memory outside its rows'
    WHEN NOT EXISTS(SELECT 1 FROM json_each(p) WHERE value <> 'ok')
        AND NOT (SELECT record ->> 'failed_family' = 'normal' AND record ->> 'failed_n' IN (1, 7, 16, 63, 2048)
          FROM build WHERE own)
      THEN 'it accessed memory outside its rows, for some lengths or inputs only: on family normal with n = 1, 7, 16, '
      || '63 and 2048 it does not'
    WHEN 'sigbus' IN (p ->> 'aligned', p ->> 'padded', p ->> 'both', p ->> 'lengths')
      THEN 'it writes into its input, which is in read-only memory here. If that is intended, try a wrapper function '
      || 'that copies the row'
    WHEN 'sigfpe' IN (p ->> 'aligned', p ->> 'both', p ->> 'lengths')
      THEN 'it accesses memory before the beginning of a row'
    WHEN p ->> 'aligned' = 'ok' AND p ->> 'padded' <> 'ok'
      THEN 'its loads or stores require alignment: with rows at multiples of 64 bytes it does not crash. If its '
      || 'callers guarantee that, add --aligned 64 (or 32, 16); else use unaligned loads and stores'
    WHEN p ->> 'padded' = 'ok' THEN 'it accesses memory beyond the end of a row: with 64 more elements behind each it '
      || 'does not crash. If its callers only use multiples of N as lengths, add --multiple N; else handle the tail '
      || 'separately'
    WHEN p ->> 'both' = 'ok' THEN 'its loads or stores require alignment, and it accesses memory beyond the end of a '
      || 'row. If its callers guarantee both, add --aligned 64 --multiple 16'
    WHEN p ->> 'lengths' = 'ok' THEN 'it only works for lengths that are multiples of 16, in rows at multiples of 64 '
      || 'bytes. If its callers guarantee that, add --aligned 64 --multiple 16'
    ELSE 'it accessed memory far from its rows: it also crashes with rows at multiples of 64 bytes, with 64 elements '
      || 'behind them, and with multiples of 16 as lengths' END FROM (SELECT document -> 'probes' AS p FROM given))),
  ('sigbus', 'it accessed memory that does not exist'), ('sigill', 'it executes an instruction that '
    || 'this CPU lacks, or a trap (ud2), which compilers emit for undefined behaviour'),
  ('sigfpe', 'it divided an integer by zero'), ('timeout', 'it did not return in time'),
  ('killed', 'it ended the process, wrote to or closed the lab''s pipe, or called an undefined function (stderr has '
    || 'its name)'),
  ('wrong', 'it changed the floating-point modes'), ('unbuilt', 'it does not build'),
  ('skipped', 'there is no reference to compare it with'))
SELECT b.status AS "item|**%s**: %s%s%s.", iif(b.record ->> 'reason' LIKE 'the reference of %', '',
  coalesce(m.words, '')), coalesce(iif(b.record ->> 'reason' LIKE 'the reference of %', '', ': ')
    || nullif(b.record ->> 'reason', ''), ''),
  coalesce('; on family ' || (b.record ->> 'failed_family') || ', n = ' || (b.record ->> 'failed_n'), '')
FROM build b LEFT JOIN meaning m USING (status) WHERE own AND NOT ok;
SELECT name AS "item|**Error** of `%s`: at most %s %s, on average %s, over %s results%s%s.", digits(error, 3), unit,
  digits(mean, 2), grouped(record ->> 'elements'), iif(unit = 'u',
    iif(id LIKE '%/dtype=f64/%', '; u is 2^-53 of ', '; u is 2^-24 of ')
    || CASE coalesce(document ->> '$.subject.scale', '')
    WHEN 'sum' THEN 'the sum of |x|' WHEN 'dot' THEN 'the sum of |x x2|' WHEN 'mean' THEN 'the mean of |x|'
    WHEN 'abs' THEN 'the reference''s result of |x|' WHEN 'steps' THEN '2^24 steps: a step is 1 u'
    WHEN 'moved' THEN 'the reference''s sensitivity to relative changes of the inputs: the sum of '
      || '|x dy/dx|, estimated to within about a third'
    ELSE iif(document ->> '$.subject.reference' IS NULL, 'the inputs'' size',
      'the result (`--scale` sets another quantity)') END, ''),
  iif(record ->> 'compared' > 0, '', '; no finite, nonzero result was compared, so this is no evidence')
FROM build, given WHERE own AND record ->> 'elements' > 0 AND error IS NOT NULL;
SELECT name AS "item|**Error** of `%s`: none of its %s results has one.", grouped(record ->> 'elements') FROM build
WHERE own AND record ->> 'elements' > 0 AND error IS NULL;
SELECT coalesce('input ' || (record ->> '$.max_at.input') || ' ', '')
    AS "item|Worst: %sgives %s instead of %s (family %s, n = %d, element %d).", record ->> '$.max_at.got',
      record ->> '$.max_at.want',
  record ->> 'worst_family', record ->> 'worst_n', record ->> '$.max_at.index'
FROM build WHERE own AND record ->> 'max_ulp' = error AND json_type(record, '$.max_at') = 'object';
SELECT group_concat(text, ', ') AS "item|By family of inputs: %s%s.",
  iif(max(value) > max(error), '; errors above ' || digits(max(error), 3)
    || ' are of rows whose squares overflow, which do not count', '')
FROM (SELECT key || coalesce(' ' || digits(max(value), 2), '') || coalesce(' (' || grouped(max(wrong)) || ' wrong)', '')
    AS text, max(value) AS value, error
  FROM (SELECT f.key, f.value, NULL AS wrong, error FROM build, json_each(record, '$.families') f WHERE own
    UNION ALL SELECT l.key, NULL, l.value, error FROM build, json_each(record, '$.lost_in') l WHERE own)
  GROUP BY key ORDER BY max(wrong) DESC, max(value) DESC) HAVING count(*);
SELECT grouped(wrong - answered) AS "item|**Wrong**: %s of %s results%s%s.", grouped(record ->> 'elements'),
  coalesce(' (' || (SELECT group_concat(grouped(f.value) || ' ' || f.key, ', ') FROM json_each(record, '$.counts') f
    WHERE f.value > 0 AND f.key <> 'flushed' HAVING sum(f.value) = wrong) || ')', ''),
  coalesce(': the first' || coalesce(', of input ' || (w ->> 'input') || ',', '') || ' is ' || (w ->> 'got')
    || ' where ' ||
    (w ->> 'want') || ' is right (family ' || (w ->> 'family') || ', n = ' || (w ->> 'n') || ', row ' || (w ->> 'row')
      || ', element ' ||
    (w ->> 'index') || '; --keep-row FILE.npy writes that row)', '')
FROM (SELECT *, record -> 'wrong_at' AS w FROM build) WHERE own AND wrong > answered;
SELECT record ->> 'fault' AS "item|**Wrong**: %s." FROM build WHERE own AND record ->> 'fault' IS NOT NULL;
SELECT digits(a ->> 'error', 3) AS "item|**Outlier**: %s %s on family %s, n = %d, where the mean is %s.", unit,
  a ->> 'family', a ->> 'n', digits(a ->> 'mean', 2) FROM (SELECT *, record -> 'alone' AS a FROM build)
    WHERE own AND a IS NOT NULL;
SELECT grouped(answered) AS
  "item|**NaN among its inputs**: %s results are numbers. If that is intended, give a reference that does the same:
    `--ref`."
FROM verdict WHERE answered > 0;
SELECT grouped(flushed) AS "item|**Subnormal results**: %s of them are zero%s.",
  iif(document ->> '$.subject.kind' = 'library',
  ', as if a library were linked with -ffast-math, which sets FTZ and DAZ for the process (case link-ftz)', '')
FROM verdict, given WHERE flushed > 0;
SELECT CASE s ->> 'range' WHEN 'all' THEN 'Every fp32 input: at most ' WHEN 'f64' THEN grouped(s ->> 'tried')
    || ' of 2^64 inputs, in each power of two and around the worst: the largest error found is '
  ELSE grouped(s ->> 'evaluated') || ' inputs, equally many in each power of two: at most ' END
    AS "item|%s%s ulp, at %s%s; %s lost%s%s. The other builds were not scanned.",
  digits(coalesce(s ->> 'max_ulp', s ->> 'largest_ulp'), 4), s ->> 'at',
    iif(alone IS NULL, '', ', far beyond all near it'), grouped(coalesce(s ->> 'lost', 0)),
  coalesce(', the first at ' || (s ->> 'lost_at'), ''),
  coalesce((SELECT '; ' || group_concat(grouped(c.value) || iif(c.key = 'sign', ' of wrong sign',
    ' zeros for normal numbers'), ', ')
    || coalesce(', the first at ' || (s ->> 'odd_at'), '') FROM json_each(s, '$.counts') c
    WHERE c.key IN ('sign', 'zero') AND c.value > 0), '')
FROM verdict, (SELECT document -> 'scan' AS s FROM given) WHERE s ->> 'status' = 'ok';
SELECT document ->> 'scan_seconds' AS "item|Not every input was tried; `--full` tries all, in about %.0f s." FROM given
WHERE document ->> 'scan_seconds' > 0 AND document ->> 'scan' IS NULL;
SELECT iif(EXISTS(SELECT 1 FROM main WHERE ns > 0), '', '; without `--quick` a scan tries others, too')
    AS "item|Only the families' inputs were tried%s."
FROM given, verdict WHERE document ->> '$.facts.unary' AND document ->> 'scan' IS NULL
  AND document ->> 'scan_seconds' IS NULL AND NOT falls;
SELECT 0 AS "item|Your reference was only called for these inputs; `--full` calls it for every input." FROM given
WHERE document ->> '$.scan.range' = 'sampled';
SELECT iif(s ->> 'aligned' > 0, 'at multiples of ' || (s ->> 'aligned') || ' bytes', 'at 4, 12 and 28 bytes')
    AS "item|With rows %s%s, between guard pages, it accesses nothing else, and leaves MXCSR and x87 unchanged.",
  iif(s ->> 'multiple' > 0, '', ', of every length from 1 to 67')
FROM build, (SELECT document -> 'subject' AS s FROM given) WHERE own AND ok;
-- What its bits depend on, by the experiment that showed it, and the experiments that changed no bit.
CREATE TEMP TABLE experiment AS
SELECT b.own, e.key AS place, e.value ->> 'name' AS name, e.value ->> 'answer' AS answer,
  e.value ->> 'status' AS status, e.value ->> 'words' AS words, e.value ->> 'tried' AS tried,
  e.value ->> 'lengths' AS lengths, e.value ->> 'cause' AS cause, e.value ->> 'worst_n' AS n
FROM build b, json_each(b.record, '$.experiments') e WHERE b.own OR b.advised;
SELECT group_concat(a.words, ', ') AS "item|**Its bits depend on** %s."
FROM build b JOIN (SELECT column1 AS key, column2 AS words FROM (VALUES('run', 'the run'),
  ('threads', 'the number of threads'), ('row_position', 'the row''s place in memory'),
  ('batch', 'the other rows of a call'), ('tail', 'the place in the row'))) a
  ON json_extract(b.record, '$.invariance.' || a.key) = 0
WHERE b.own AND NOT EXISTS (SELECT 1 FROM experiment WHERE own) HAVING count(*);
CREATE TEMP TABLE failed AS SELECT * FROM experiment WHERE own AND NOT answer AND status = 'ok' ORDER BY place;
SELECT words AS "item|**Its results are not reproducible**: %s." FROM failed WHERE name = 'run';
SELECT words AS "item|**Its bits depend on** %s." FROM failed WHERE name NOT IN ('run', 'in_place', 'empty');
SELECT words AS "item|Called with %s%s.", iif(name = 'in_place', '; a declaration with `restrict` forbids it', '')
FROM failed WHERE name IN ('in_place', 'empty');
SELECT name AS "item|It failed in experiment `%s`: %s%s.", status, coalesce(', at n = ' || n, '') FROM experiment
WHERE own AND status <> 'ok' ORDER BY place;
SELECT coalesce(' (' || nullif(lengths, '') || ')', '') AS "item|Equal bits, as far as tried%s: %s.",
  group_concat(tried, '; ') FROM (
  SELECT tried, max(lengths) OVER () AS lengths FROM experiment, given
  WHERE own AND answer AND status = 'ok' AND NOT (name = 'row_position' AND document ->> '$.subject.aligned' > 0)
  ORDER BY place)
HAVING count(*);
SELECT name AS "item|`%s` was not tried: %s.", words FROM experiment
WHERE own AND answer IS NULL AND words LIKE 'the reference%' ORDER BY place;

SELECT 'Speed' AS heading FROM main WHERE own AND ns > 0;
WITH line(place, what, id) AS (
  SELECT 1, name, id FROM main WHERE own AND ns > 0 UNION ALL SELECT 2, name, id FROM main
    WHERE advised AND NOT own AND ns > 0
  UNION ALL SELECT 3, 'plain loop: ' || name, id FROM beside WHERE kind = 'plain'
  UNION ALL SELECT 4, 'the lab''s fastest: ' || name, id FROM beside WHERE kind = 'lab'
  UNION ALL SELECT 5, 'fastest library: ' || name, id FROM beside WHERE kind = 'library'
  UNION ALL SELECT 6, 'copy of the input, subtracted from the first lines (in place)', 'copy')
SELECT l.what AS "ns per element (% of limit)", t.shape || ' ' || t.residency AS across, t.elements AS place,
  digits(t.ns, 3) || iif(t.percent IS NULL, '', printf(' (%.0f%%)', t.percent)) AS "|%s"
FROM line l JOIN time t USING (id) WHERE EXISTS(SELECT 1 FROM main WHERE own AND ns > 0) ORDER BY l.place, t.elements;
SELECT 0 AS "words|More than 100%%: it needs fewer instructions than the lab's kernels of this operation, for which
  the limit is computed."
WHERE EXISTS(SELECT 1 FROM time t JOIN build b USING (id), verdict WHERE NOT falls AND t.is_main AND t.percent > 100
  AND (b.own OR b.advised));

SELECT 'Compilers and policies' AS heading WHERE (SELECT count(*) FROM build) > 1;
SELECT b.name || iif(b.advised, ' *', '') AS build, iif(b.ok, decimals(own.ns / b.ns, 2), b.status) AS speed,
  iif(b.ok, digits(b.error, 3), NULL) AS max, iif(b.ok, digits(b.mean, 2), NULL) AS mean,
  iif(b.ok, grouped(b.wrong - b.answered), NULL) AS wrong, iif(b.ok, grouped(nullif(b.record ->> 'changed', 0)),
    NULL) AS "?changed", iif(b.ok, b.record ->> 'numbers', NULL) AS bits,
  iif(b.ok AND EXISTS(SELECT 1 FROM build WHERE record ->> 'bits' <> record ->> 'numbers'), b.record ->> 'bits',
    NULL) AS "?and NaN's",
  iif(b.ok, (SELECT '= ' || o.name FROM build o WHERE o.id = b.record ->> 'same_code'),
    b.record ->> 'reason') AS "code|%s"
FROM main b LEFT JOIN main own ON own.own WHERE (SELECT count(*) FROM build) > 1 ORDER BY b.place;
SELECT iif(own.ns > 0, 'Speed relative to ' || own.name || ' at ' || (document ->> 'main_shape') || '; max', 'Max')
    AS "words|%s and mean errors in %s%s; equal numbers under bits are equal bits%s.", (SELECT max(unit) FROM build),
  iif(EXISTS(SELECT 1 FROM build WHERE record ->> 'changed' > 0),
    '; changed: a number instead of NaN, infinity or zero, or the reverse, compared with the unflagged build', ''),
  iif(EXISTS(SELECT 1 FROM build WHERE record ->> 'bits' <> record ->> 'numbers'),
    ', without and with the sign and payload of NaN', '')
FROM main own, given WHERE own.own AND (SELECT count(unit) FROM build) > 1;
SELECT name AS "words|`%s` has NaN with another sign or payload than the unflagged build in %s results: the first is
  %s (family %s, n = %d, row %d, element %d).", grouped(record ->> 'payloads'), at ->> 'got', at ->> 'family',
  at ->> 'n', at ->> 'row', at ->> 'index'
FROM (SELECT *, record -> 'payload_at' AS at FROM build)
WHERE ok AND at IS NOT NULL AND record ->> 'same_code' IS NULL ORDER BY place LIMIT 1;

SELECT 'What to do' AS heading;
-- Why no build is advised, if times are known.
SELECT CASE WHEN heading = 'Nothing to compare' THEN 'their errors are not known'
  WHEN NOT ok THEN 'it crashes, hangs or does not build'
  WHEN falls THEN 'it is wrong, and no build is right, or faster without being worse'
    ELSE 'all give up or change something that is not allowed' END AS "item|None of these: %s." FROM main, verdict
WHERE own AND advice IS NULL AND (falls OR EXISTS(SELECT 1 FROM main WHERE ns > 0));
SELECT advice AS "item|**%s**: %s as it is built (`%s`)%s: no allowed build is more than 2%% faster%s.",
  name, flags, coalesce('; its flags give up ' || gives_up, ''), CASE heading WHEN 'Right' THEN '' ELSE '; where '
    || iif(verdict.answered > 0, 'NaN may be a number', 'subnormal results may be zero') END FROM main, verdict
      WHERE own AND advised AND NOT falls;
SELECT v.advice AS "item|**%s**: `%s` (%s)%s, error at most %s %s, on average %s%s%s%s.", b.flags, b.name,
  coalesce(': ' || decimals(own.ns / b.ns, 2) || ' times as fast as ' || own.name, ''), digits(b.error, 3), b.unit,
    digits(b.mean, 2),
  coalesce(' (' || own.name || ': ' || digits(own.error, 3) || ', ' || digits(own.mean, 2) || ')', ''),
  coalesce('; it gives up ' || b.gives_up, ''), CASE v.heading
    WHEN 'Right but for subnormal results' THEN '; where subnormal results may be zero'
    WHEN 'Right but for NaN among its inputs' THEN '; where NaN may be a number' ELSE '' END
FROM main b JOIN main own ON own.own JOIN verdict v WHERE b.advised AND NOT b.own;
SELECT words || located AS "item|The flags of its own build do harm, compared with the build without them: %s."
  FROM hurt JOIN build USING (id) WHERE own AND ok;
-- The fastest build that is not advised, and what it costs.
SELECT b.name AS "item|Not advised: `%s`, %s times as fast as %s: %s%s%s.", decimals(best.ns / b.ns, 2), best.name,
  coalesce(h.words || h.located, 'error ' || digits(b.error, 3) || ' ' || b.unit),
  coalesce('; it gives up ' || b.gives_up, ''), iif(b.harm IS NULL, coalesce(' (--allow ' || b.refused || ')', ''), '')
FROM main b LEFT JOIN hurt h USING (id) JOIN (SELECT * FROM main WHERE advised OR own
  ORDER BY advised DESC LIMIT 1) best
JOIN verdict ON b.id = passed_over;

SELECT name AS "item|`%s` %s.", iif(record ->> '$.before.same_code', 'is the earlier version''s machine code',
  printf('takes %s [%s, %s] times as long as the earlier version', digits(record ->> '$.before.ratio', 3),
    digits(record ->> '$.before.low', 3), digits(record ->> '$.before.high', 3)))
FROM build WHERE json_type(record, '$.before') = 'object' ORDER BY place;

-- With --quick only errors are known, and these builds remain.
SELECT iif(count(*) > 1, ', and which of these to ship: ' || group_concat(name, ', ')
  || ', which do no harm compared with the unflagged build', '')
    AS "item|**Next**: run it without `--quick` to see how fast it is compared with a plain loop, the lab's fastest
      kernel and libraries%s."
FROM (SELECT name FROM build, verdict, json_each(fit) f WHERE f.value = build.id AND record ->> 'same_code' IS NULL
  AND NOT falls ORDER BY place)
WHERE EXISTS(SELECT 1 FROM given, build, verdict WHERE own AND ok AND NOT falls AND document ->> 'unanswered' = '[]')
  AND NOT EXISTS(SELECT 1 FROM main WHERE ns > 0) HAVING count(*);
SELECT group_concat(name, ', ') AS "item|Do not ship, at any speed: %s: %s.", words FROM build JOIN hurt USING (id)
  WHERE ok AND record ->> 'same_code' IS NULL AND NOT own
  AND NOT EXISTS(SELECT 1 FROM main WHERE ns > 0) GROUP BY words ORDER BY min(place);

CREATE TEMP TABLE mine AS SELECT * FROM main WHERE advised OR (own AND NOT EXISTS(SELECT 1 FROM main WHERE advised));
SELECT 0 AS "item|**Next**: handle the inputs of the families named above (described in docs/method.md), then try
  again."
FROM mine WHERE wrong > answered AND NOT EXISTS(SELECT 1 FROM main WHERE own AND status = 'sigsegv');
SELECT digits(s ->> 'eps', 3) AS "item|It was compared with eps = %s; `--param eps=` sets another."
FROM verdict, (SELECT document -> 'subject' AS s FROM given), build WHERE own AND falls AND s ->> 'eps' > 0
  AND max(coalesce(record ->> '$.families.tiny', 0), coalesce(record ->> '$.families.normal', 0))
    > iif(id LIKE '%/dtype=f64/%', 1 << 26, 4096)
  AND NOT EXISTS(SELECT 1 FROM json_each(s, '$.operands') o WHERE o.value ->> 'role' = 'eps');
SELECT 0 AS "item|If it is GELU's tanh form, use `--op gelutanh`." FROM build, given, verdict
WHERE own AND ok AND far AND document ->> '$.subject.op' = 'gelu';
SELECT o.name AS "item|The lab's %s takes %.0f%% of its time with the same inputs (docs/kernels.md).",
  100 * o.ns / m.ns
FROM mine m, beside o, verdict v WHERE o.kind = 'lab' AND v.beside ->> 'lab' = 'much faster';
SELECT iif(v.beside ->> 'plain' LIKE '%faster', printf('A plain loop takes %.0f%% of its time.', 100 * o.ns / m.ns),
  'A plain loop is as fast.') AS item
FROM mine m, beside o, verdict v WHERE o.kind = 'plain' AND v.beside ->> 'plain' <> 'slower';
SELECT CASE cause WHEN 'tail' THEN 'Its tail is computed by other code than its body, with different bits: a padded '
    || 'vector instead of a loop would give the same bits.'
  WHEN 'twice' THEN 'A last vector that overlaps the previous one must be loaded before that one is stored.'
  WHEN 'reduction' THEN 'One order of its sums for every number of rows would give the same bits.'
  WHEN 'position' THEN 'Unaligned loads instead of a loop that peels to alignment would give the same bits at every '
    || 'place in memory.' END AS item
FROM experiment WHERE own AND NOT answer AND cause IN ('tail', 'twice', 'reduction', 'position') GROUP BY cause;
SELECT u.value AS "item|Not answered: %s." FROM given, json_each(document, '$.unanswered') u;
