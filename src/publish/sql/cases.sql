-- SPDX-License-Identifier: MIT
-- Which case studies are reproduced where?
SELECT name, machine, verdict, count(*) AS runs FROM studied
GROUP BY name, machine, verdict ORDER BY 1, 2;
