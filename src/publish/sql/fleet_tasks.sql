-- SPDX-License-Identifier: MIT
-- What submits the missing types of a fleet (fleet.sql), each as an array task whose index is its line: its name, the
-- nodes that it must not run on, the command. ?1: the fleet's folder; ?2: the name of its jobs. A constraint names
-- features that a node must have, and cannot name those that it must not have: nodes with more are listed in a file.
SELECT name, coalesce(others, ''), printf('sbatch --parsable --requeue --exclusive --nodes=1 --open-mode=append '
  || '--job-name=%s --array=%d %s --output=''%s/logs/%s'' --chdir=/ ''%s/job.sh'' ''%s''', ?2, place,
  iif(way = 'partition', printf('--partition=''%s''', features),
    iif(features = '-', '', printf('--constraint=''%s'' ', features))
      || iif(others IS NULL, '', printf('--exclude=''%s/exclude/%s''', ?1, name))),
  ?1, name, ?1, ?1)
FROM (SELECT *, (SELECT group_concat(node, char(10)) || char(10) FROM nodes n JOIN sets s USING (features)
    WHERE t.way <> 'partition' AND s."set" <> (SELECT "set" FROM sets WHERE features = t.features)
      AND (t.features = '-' OR NOT EXISTS(SELECT feature FROM features_of WHERE features = t.features
        EXCEPT SELECT feature FROM features_of WHERE features = n.features))) AS others
  FROM types t WHERE state = 'missing' AND nodes > 0) ORDER BY place;
