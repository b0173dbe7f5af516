-- SPDX-License-Identifier: MIT
-- Which policies lose results that off computes, and which bring kernels beyond the bar that they keep under off?
SELECT j.cc || ' ' || j.policy || ': ' || l.text || iif(l.builds > 1, printf('; %d other build%s', l.builds - 1,
  iif(l.builds > 2, 's lose results', ' loses results')), '') AS words
FROM judged j JOIN (SELECT l.cc, l.policy, l.place, count(*) OVER (PARTITION BY l.cc, l.policy) AS builds,
    iif(min(l.nan, l.lost), 'NaN for ' || grouped(min(l.nan, l.lost)), '') || iif(l.lost > l.nan, iif(l.nan, ' and ', '')
      || 'wrongly infinite or finite for ' || grouped(l.lost - min(l.nan, l.lost)), '')
    || iif(l.scanned, ' inputs', ' results') || ' of ' || v.op || '/' || v.algorithm || ' ' || v.isa || ' that off computes' AS text
  FROM losses l JOIN named v USING (variant)) l ON l.cc = j.cc AND l.policy = j.policy AND l.place = 1 ORDER BY j.place;

SELECT j.cc || ' ' || j.policy || ': ' || b.count || iif(b.count > 1, ' kernels that off keeps within the bar are',
    ' kernel that off keeps within the bar is') || ' beyond it, ' || b.op || '/' || b.algorithm || ' the farthest ('
  || error_text(b.judged) || ' ' || b.unit || ')' AS words
FROM judged j JOIN (SELECT k.cc, k.policy, k.op, k.algorithm, k.judged, u.unit, count(*) OVER kin AS count,
    row_number() OVER (kin ORDER BY k.judged DESC, k.place) AS k
  FROM policy_kernels k JOIN policy_kernels o ON o.cc = k.cc AND o.policy = 'off' AND o.op = k.op AND o.algorithm = k.algorithm
  JOIN asked a ON o.judged <= a.max_ulp AND k.judged > a.max_ulp JOIN units u ON u.op = k.op
  WINDOW kin AS (PARTITION BY k.cc, k.policy)) b ON b.cc = j.cc AND b.policy = j.policy AND b.k = 1 ORDER BY j.place;
